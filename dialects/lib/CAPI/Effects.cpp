//===- Effects.cpp - C API of memory effects -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mytriton-c/Effects.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mytriton/Dialect/Tile/IR/Tile.h"

using namespace mlir;

static uint32_t kindOf(const MemoryEffects::Effect *effect) {
  if (isa<MemoryEffects::Read>(effect))
    return MytritonEffectRead;
  if (isa<MemoryEffects::Allocate>(effect))
    return MytritonEffectAllocate;
  if (isa<MemoryEffects::Free>(effect))
    return MytritonEffectFree;
  return MytritonEffectWrite;
}

static uint32_t resourceOf(SideEffects::Resource *resource) {
  if (resource == SideEffects::DefaultResource::get())
    return MytritonResourceGlobal;
  if (resource == mytriton::tile::SharedMemory::get())
    return MytritonResourceShared;
  return MytritonResourceOther;
}

bool mytritonOperationForEachEffect(MlirOperation operation, MytritonEffectCallback callback, void *userData) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(unwrap(operation));
  if (!effects)
    return false;
  for (const MemoryEffects::EffectInstance &effect : *effects)
    callback(kindOf(effect.getEffect()), resourceOf(effect.getResource()), userData);
  return true;
}
