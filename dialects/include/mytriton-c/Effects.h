//===- Effects.h - C API of memory effects -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_C_EFFECTS_H
#define MYTRITON_C_EFFECTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What an operation does to memory.
typedef enum MytritonEffectKind {
  MytritonEffectRead = 0,
  MytritonEffectWrite = 1,
  MytritonEffectAllocate = 2,
  MytritonEffectFree = 3,
} MytritonEffectKind;

/// Which memory an effect is on.
typedef enum MytritonResource {
  /// The default resource: global memory.
  MytritonResourceGlobal = 0,
  MytritonResourceShared = 1,
  MytritonResourceOther = 2,
} MytritonResource;

/// Is given one effect: its kind, the resource, and whatever was passed along.
typedef void (*MytritonEffectCallback)(uint32_t kind, uint32_t resource, void *userData);

/// Calls `callback` for every effect that an operation and those within it have, by MLIR's memory effect
/// interface. Returns false, having called nothing, if the effects are not known: an operation does not
/// implement the interface.
bool mytritonOperationForEachEffect(MlirOperation operation, MytritonEffectCallback callback, void *userData);

#ifdef __cplusplus
}
#endif

#endif // MYTRITON_C_EFFECTS_H
