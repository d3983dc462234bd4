//===- Tile.h - The tile dialect -----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_DIALECT_TILE_IR_TILE_H
#define MYTRITON_DIALECT_TILE_IR_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mytriton::tile {

/// Whether `type` is i1, i8, i16, i32, i64, f16, bf16, f32 or f64.
bool isScalarType(mlir::Type type);

/// Whether `type` is a tensor that the dialect works on: static shape without
/// zero extents, rank 1 to 5, and no encoding or a `#tile.layout`.
bool isTileType(mlir::Type type);

/// `element` in the shape and layout of `like`: `element` itself for a scalar.
mlir::Type getTypeLike(mlir::Type like, mlir::Type element);

/// Whether both are scalars, or both tiles of the same shape and layout.
bool haveSameShapeAndLayout(mlir::Type lhs, mlir::Type rhs);

/// The memory that buffers are in: apart from global memory.
struct SharedMemory : public mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "shared memory"; }
};

} // namespace mytriton::tile

#include "mytriton/Dialect/Tile/IR/TileDialect.h.inc"

#include "mytriton/Dialect/Tile/IR/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "mytriton/Dialect/Tile/IR/TileAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "mytriton/Dialect/Tile/IR/TileTypes.h.inc"

#define GET_OP_CLASSES
#include "mytriton/Dialect/Tile/IR/TileOps.h.inc"

#endif // MYTRITON_DIALECT_TILE_IR_TILE_H
