//===- Parse.h - C API of reading modules --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_C_PARSE_H
#define MYTRITON_C_PARSE_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Parses a module and verifies it. Locations name `file`. The text need not end in a zero byte. Returns a
/// null module, after errors, if the text is no valid module. (MLIR's own C API has no file name for the
/// text of a module.)
MlirModule mytritonParseModule(MlirContext context, MlirStringRef text, MlirStringRef file);

#ifdef __cplusplus
}
#endif

#endif // MYTRITON_C_PARSE_H
