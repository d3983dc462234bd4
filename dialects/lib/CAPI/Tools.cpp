//===- Tools.cpp - Passes and the tools' entry points --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mytriton-c/Tools.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void mytritonRegisterUpstreamPasses() {
  // canonicalize, cse, loop-invariant-code-motion, sccp, inline, symbol-dce,
  // strip-debuginfo, print-ir, print-op-stats ...
  registerTransformsPasses();
  arith::registerArithPasses();
  func::registerFuncPasses();
  LLVM::registerLLVMPasses();
  math::registerMathPasses();
  registerSCFPasses();
  vector::registerVectorPasses();

  registerArithToLLVMConversionPass();
  registerConvertControlFlowToLLVMPass();
  registerConvertFuncToLLVMPass();
  registerConvertGpuOpsToNVVMOpsPass();
  registerConvertIndexToLLVMPass();
  registerConvertMathToLLVMPass();
  registerConvertNVVMToLLVMPass();
  registerConvertToLLVMPass();
  registerConvertVectorToLLVMPass();
  registerConvertVectorToSCFPass();
  registerFinalizeMemRefToLLVMConversionPass();
  registerReconcileUnrealizedCastsPass();
  registerSCFToControlFlowPass();
  registerUBToLLVMConversionPass();
}

void mytritonRegisterPass(MytritonPassFactory factory, void *userData) {
  registerPass([factory, userData] { return std::unique_ptr<Pass>(unwrap(factory(userData))); });
}

int mytritonOptMain(int argc, char **argv) {
  DialectRegistry registry;
  mytritonRegisterAllDialects(wrap(&registry));
  return asMainReturnCode(MlirOptMain(argc, argv, "mytriton optimiser driver\n", registry));
}

int mytritonLspMain(int argc, char **argv) {
  DialectRegistry registry;
  mytritonRegisterAllDialects(wrap(&registry));
  return asMainReturnCode(MlirLspServerMain(argc, argv, registry));
}
