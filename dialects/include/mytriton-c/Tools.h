//===- Tools.h - C API of the command-line tools -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_C_TOOLS_H
#define MYTRITON_C_TOOLS_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Adds every dialect that a stage of the compiler uses, with the interfaces
/// that inlining and conversion to the llvm dialect ask for.
void mytritonRegisterAllDialects(MlirDialectRegistry registry);

/// Registers the upstream passes that pipelines over these dialects use, for
/// textual pipelines. May be called more than once.
void mytritonRegisterUpstreamPasses(void);

/// Makes an instance of a pass, which the caller owns.
typedef MlirPass (*MytritonPassFactory)(void *userData);

/// Registers a pass for textual pipelines under the argument of the instances
/// that `factory` makes. `userData` must stay valid for the whole process.
void mytritonRegisterPass(MytritonPassFactory factory, void *userData);

/// Runs MLIR's optimiser driver. Returns the exit status. Registers command-line
/// options, so that a process may call it once.
int mytritonOptMain(int argc, char **argv);

/// Runs MLIR's language server on standard input and output. Returns the exit
/// status. Registers command-line options, so that a process may call it once.
int mytritonLspMain(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif // MYTRITON_C_TOOLS_H
