//===- TileSharedOps.cpp - Tiles in shared memory ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mytriton/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace mytriton::tile;

/// Checks that a tile is what a buffer holds.
static LogicalResult verifyFits(Operation *op, StringRef what, Type tile, Type bufferType) {
  auto tensor = cast<RankedTensorType>(tile);
  auto buffer = cast<BufferType>(bufferType);
  if (tensor.getShape() == buffer.getShape() && tensor.getElementType() == buffer.getElementType())
    return success();
  return op->emitOpError(what) << " must have the shape and element type of the buffer, got "
                               << tile << " and " << buffer;
}

LogicalResult AllocOp::verify() {
  if (!getInit())
    return success();
  return verifyFits(*this, "initial tile", getInit().getType(), getType());
}

LogicalResult LocalLoadOp::verify() {
  return verifyFits(*this, "result", getType(), getBuffer().getType());
}

LogicalResult LocalStoreOp::verify() {
  return verifyFits(*this, "tile", getSource().getType(), getBuffer().getType());
}
