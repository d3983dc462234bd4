//===- Tile.h - C API of the tile dialect --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_C_TILE_H
#define MYTRITON_C_TILE_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Tile, tile);

//===----------------------------------------------------------------------===//
// !tile.ptr
//===----------------------------------------------------------------------===//

/// Whether `type` is a `!tile.ptr`.
bool mytritonTypeIsATilePtr(MlirType type);

/// Creates a `!tile.ptr` of a scalar pointee. Returns a null type, after an
/// error at `location`, if the pointee is no scalar of the dialect.
MlirType mytritonTilePtrTypeGetChecked(MlirLocation location, MlirType pointee);

/// The pointee of a `!tile.ptr`.
MlirType mytritonTilePtrTypeGetPointee(MlirType type);

//===----------------------------------------------------------------------===//
// #tile.layout
//===----------------------------------------------------------------------===//

/// The hardware indices that a layout maps from.
typedef enum MytritonTileLayoutIndex {
  MytritonTileLayoutRegister = 0,
  MytritonTileLayoutLane = 1,
  MytritonTileLayoutWarp = 2,
  MytritonTileLayoutBlock = 3,
} MytritonTileLayoutIndex;

/// Whether `attribute` is a `#tile.layout`.
bool mytritonAttributeIsATileLayout(MlirAttribute attribute);

/// Creates a `#tile.layout`. `bases[i]` points to `numBases[i] * rank`
/// coordinates, for i in the order of `MytritonTileLayoutIndex`. Returns a null
/// attribute, after an error at `location`, if the bases make no layout.
MlirAttribute mytritonTileLayoutAttrGetChecked(MlirLocation location, size_t rank,
                                               const size_t numBases[4],
                                               const int32_t *const bases[4]);

/// Coordinates of each basis: the rank of the tensors that the layout fits.
size_t mytritonTileLayoutAttrGetRank(MlirAttribute attribute);

/// How many bases `index` has.
size_t mytritonTileLayoutAttrGetNumBases(MlirAttribute attribute, MytritonTileLayoutIndex index);

/// The bases of `index`, one after another: as many coordinates as bases times
/// rank. They live as long as the attribute's context.
const int32_t *mytritonTileLayoutAttrGetBases(MlirAttribute attribute,
                                              MytritonTileLayoutIndex index);

//===----------------------------------------------------------------------===//
// !tile.buffer
//===----------------------------------------------------------------------===//

/// Whether `type` is a `!tile.buffer`.
bool mytritonTypeIsATileBuffer(MlirType type);

/// Creates a `!tile.buffer` whose layout has `numBases` offset bases, `rank`
/// coordinates each. Returns a null type, after an error at `location`, if
/// these are no layout of a tile of this shape.
MlirType mytritonTileBufferTypeGetChecked(MlirLocation location, size_t rank, const int64_t *shape,
                                          MlirType element, size_t numBases, const int32_t *bases);

/// The element type of a `!tile.buffer`.
MlirType mytritonTileBufferTypeGetElement(MlirType type);

/// Dimensions of a `!tile.buffer`.
size_t mytritonTileBufferTypeGetRank(MlirType type);

/// Its extents, as many as it has dimensions; they live as long as the context.
const int64_t *mytritonTileBufferTypeGetShape(MlirType type);

/// Coordinates of the bases of `offset` (index 0) or `block` (1) of its layout,
/// one basis after another, in all `*count`; they live as long as the context.
const int32_t *mytritonTileBufferTypeGetBases(MlirType type, uint32_t index, size_t *count);

#ifdef __cplusplus
}
#endif

#endif // MYTRITON_C_TILE_H
