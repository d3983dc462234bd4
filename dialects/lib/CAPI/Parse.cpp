//===- Parse.cpp - C API of reading modules ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mytriton-c/Parse.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

MlirModule mytritonParseModule(MlirContext context, MlirStringRef text, MlirStringRef file) {
  llvm::SourceMgr sources;
  // The lexer needs a terminating zero, which a copy has.
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(unwrap(text), unwrap(file)),
                             llvm::SMLoc());
  return wrap(parseSourceFile<ModuleOp>(sources, ParserConfig(unwrap(context))).release());
}
