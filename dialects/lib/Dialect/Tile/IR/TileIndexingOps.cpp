//===- TileIndexingOps.cpp - Elements named by values --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeChecks.h"

#include "mytriton/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mytriton::tile;

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                         DictionaryAttr, OpaqueProperties, RegionRange,
                                         SmallVectorImpl<Type> &types) {
  // The operands have not been verified yet.
  if (operands.size() != 2)
    return failure();
  types.push_back(getTypeLike(operands[1].getType(), getElementTypeOrSelf(operands[0].getType())));
  return success();
}

LogicalResult GatherOp::verify() {
  RankedTensorType source = getSource().getType(), index = getIndex().getType();
  int64_t axis = int32_t(getAxis()), rank = source.getRank();
  if (axis < 0 || axis >= rank)
    return emitOpError("axis must be between 0 and ")
           << rank - 1 << " for a source of rank " << rank << ", got " << axis;
  if (index.getRank() != rank)
    return emitOpError("source and index must have the same rank, got ") << rank << " and " << index.getRank();
  for (auto [dim, from, at] : llvm::enumerate(source.getShape(), index.getShape()))
    if (int64_t(dim) != axis && from != at)
      return emitOpError("source and index can differ along axis ")
             << axis << " alone; dimension " << dim << " has extent " << from << " and " << at;
  if (bool(source.getEncoding()) != bool(index.getEncoding()))
    return emitOpError("source and index must both have a layout or both have none; only the ")
           << (source.getEncoding() ? "source" : "index") << " has";
  return success();
}

//===----------------------------------------------------------------------===//
// histogram
//===----------------------------------------------------------------------===//

LogicalResult HistogramOp::verify() {
  RankedTensorType source = getSource().getType(), result = getType();
  if (getMask() && !haveSameShapeAndLayout(source, getMask().getType()))
    return emitOpError("mask must have the source's shape and layout, got ")
           << getMask().getType() << " and " << source;
  if (result.getRank() != 1)
    return emitOpError("result must have rank 1, got ") << result;
  return verifyBothHaveLayout(*this, source, result);
}
