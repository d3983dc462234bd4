//===- Tile.cpp - C API of the tile dialect ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mytriton-c/Tile.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mytriton/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace mytriton::tile;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Tile, tile, mytriton::tile::TileDialect)

bool mytritonTypeIsATilePtr(MlirType type) { return isa<PtrType>(unwrap(type)); }

MlirType mytritonTilePtrTypeGetChecked(MlirLocation location, MlirType pointee) {
  Location loc = unwrap(location);
  loc.getContext()->loadDialect<TileDialect>();
  return wrap(Type(PtrType::getChecked([&] { return emitError(loc); }, unwrap(pointee))));
}

MlirType mytritonTilePtrTypeGetPointee(MlirType type) {
  return wrap(cast<PtrType>(unwrap(type)).getPointee());
}

bool mytritonAttributeIsATileLayout(MlirAttribute attribute) {
  return isa<LayoutAttr>(unwrap(attribute));
}

MlirAttribute mytritonTileLayoutAttrGetChecked(MlirLocation location, size_t rank,
                                               const size_t numBases[4],
                                               const int32_t *const bases[4]) {
  Location loc = unwrap(location);
  loc.getContext()->loadDialect<TileDialect>();
  auto get = [&](unsigned index) { return ArrayRef(bases[index], numBases[index] * rank); };
  return wrap(Attribute(LayoutAttr::getChecked([&] { return emitError(loc); }, loc.getContext(),
                                               unsigned(rank), get(0), get(1), get(2), get(3))));
}

size_t mytritonTileLayoutAttrGetRank(MlirAttribute attribute) {
  return cast<LayoutAttr>(unwrap(attribute)).getRank();
}

size_t mytritonTileLayoutAttrGetNumBases(MlirAttribute attribute, MytritonTileLayoutIndex index) {
  return cast<LayoutAttr>(unwrap(attribute)).getNumBases(LayoutAttr::Index(index));
}

const int32_t *mytritonTileLayoutAttrGetBases(MlirAttribute attribute,
                                              MytritonTileLayoutIndex index) {
  return cast<LayoutAttr>(unwrap(attribute)).getBases(LayoutAttr::Index(index)).data();
}

bool mytritonTypeIsATileBuffer(MlirType type) { return isa<BufferType>(unwrap(type)); }

MlirType mytritonTileBufferTypeGetChecked(MlirLocation location, size_t rank, const int64_t *shape,
                                          MlirType element, size_t numBases, const int32_t *bases) {
  Location loc = unwrap(location);
  MLIRContext *context = loc.getContext();
  context->loadDialect<TileDialect>();
  auto onError = [&] { return emitError(loc); };
  auto layout = SharedAttr::getChecked(onError, context, numBases == 0 ? 0 : unsigned(rank),
                                       ArrayRef(bases, numBases * rank), ArrayRef<int32_t>());
  if (!layout)
    return {};
  return wrap(Type(
      BufferType::getChecked(onError, context, ArrayRef(shape, rank), unwrap(element), layout)));
}

MlirType mytritonTileBufferTypeGetElement(MlirType type) {
  return wrap(cast<BufferType>(unwrap(type)).getElementType());
}

size_t mytritonTileBufferTypeGetRank(MlirType type) {
  return cast<BufferType>(unwrap(type)).getShape().size();
}

const int64_t *mytritonTileBufferTypeGetShape(MlirType type) {
  return cast<BufferType>(unwrap(type)).getShape().data();
}

const int32_t *mytritonTileBufferTypeGetBases(MlirType type, uint32_t index, size_t *count) {
  SharedAttr layout = cast<BufferType>(unwrap(type)).getLayout();
  ArrayRef<int32_t> bases = index == 0 ? layout.getOffsetBases() : layout.getBlockBases();
  *count = bases.size();
  return bases.data();
}
