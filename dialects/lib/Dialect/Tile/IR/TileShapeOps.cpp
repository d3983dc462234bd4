//===- TileShapeOps.cpp - Making and reshaping tiles ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeChecks.h"

#include "mytriton/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mytriton::tile;

LogicalResult mytriton::tile::verifyBothHaveLayout(Operation *op, RankedTensorType source,
                                                   RankedTensorType result) {
  if (bool(source.getEncoding()) == bool(result.getEncoding()))
    return success();
  return op->emitOpError("source and result must both have a layout or both have none; only the ")
         << (source.getEncoding() ? "source" : "result") << " has";
}

LogicalResult mytriton::tile::verifyResultShape(Operation *op, Type result, ArrayRef<int64_t> shape) {
  auto tensor = dyn_cast<RankedTensorType>(result);
  if (tensor ? tensor.getShape() == shape : shape.empty())
    return success();
  InFlightDiagnostic error = op->emitOpError("result must ");
  auto say = [&](ArrayRef<int64_t> shape) {
    if (shape.empty())
      error << "a scalar";
    llvm::interleave(shape, error, "x");
  };
  error << (shape.empty() ? "be " : "have shape ");
  say(shape);
  error << ", got ";
  say(tensor ? tensor.getShape() : ArrayRef<int64_t>());
  return error;
}

LogicalResult mytriton::tile::verifySameElement(Operation *op, Type source, Type result) {
  if (getElementTypeOrSelf(source) == getElementTypeOrSelf(result))
    return success();
  return op->emitOpError("source and result must have the same element type, got ")
         << getElementTypeOrSelf(source) << " and " << getElementTypeOrSelf(result);
}

/// A constant with equal elements, in another shape; null for any other value.
static OpFoldResult resizeSplat(Attribute source, RankedTensorType result) {
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(source))
    return splat.resizeSplat(result);
  return {};
}

/// Replaces `op`, whose source is a splat, by the splat in op's own type.
template <typename OpTy>
static LogicalResult rewriteOfSplat(OpTy op, PatternRewriter &rewriter) {
  auto splat = op.getSource().template getDefiningOp<SplatOp>();
  if (!splat)
    return failure();
  rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSource());
  return success();
}

//===----------------------------------------------------------------------===//
// range
//===----------------------------------------------------------------------===//

LogicalResult RangeOp::verify() {
  int64_t start = int32_t(getStart()), end = int32_t(getEnd());
  RankedTensorType type = getType();
  if (type.getRank() != 1)
    return emitOpError("result must have rank 1, got ") << type;
  if (start >= end)
    return emitOpError("start must be less than end, got ") << start << " and " << end;
  if (type.getDimSize(0) != end - start)
    return emitOpError("result must have end - start = ")
           << end - start << " elements, got " << type.getDimSize(0);
  return success();
}

//===----------------------------------------------------------------------===//
// splat
//===----------------------------------------------------------------------===//

LogicalResult SplatOp::verify() {
  if (getType().getElementType() == getSource().getType())
    return success();
  return emitOpError("result's element type must be the source's type, got ")
         << getType().getElementType() << " and " << getSource().getType();
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (isa_and_nonnull<IntegerAttr, FloatAttr>(adaptor.getSource()))
    return DenseElementsAttr::get(getType(), adaptor.getSource());
  return {};
}

//===----------------------------------------------------------------------===//
// expand_dims
//===----------------------------------------------------------------------===//

LogicalResult ExpandDimsOp::verify() {
  RankedTensorType source = getSource().getType(), result = getType();
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  int64_t axis = int32_t(getAxis());
  if (axis < 0 || axis > source.getRank())
    return emitOpError("axis must be between 0 and the source's rank ")
           << source.getRank() << ", got " << axis;
  SmallVector<int64_t> shape(source.getShape());
  shape.insert(shape.begin() + axis, 1);
  if (failed(verifyResultShape(*this, result, shape)))
    return failure();
  return verifyBothHaveLayout(*this, source, result);
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return resizeSplat(adaptor.getSource(), getType());
}

LogicalResult ExpandDimsOp::canonicalize(ExpandDimsOp op, PatternRewriter &rewriter) {
  return rewriteOfSplat(op, rewriter);
}

//===----------------------------------------------------------------------===//
// broadcast
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  RankedTensorType source = getSource().getType(), result = getType();
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  if (source.getRank() != result.getRank())
    return emitOpError("source and result must have the same rank, got ")
           << source.getRank() << " and " << result.getRank();
  for (auto [dim, from, to] : llvm::enumerate(source.getShape(), result.getShape()))
    if (from != to && from != 1)
      return emitOpError("can only stretch an extent of 1; dimension ")
             << dim << " goes from " << from << " to " << to;
  return verifyBothHaveLayout(*this, source, result);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return resizeSplat(adaptor.getSource(), getType());
}

LogicalResult BroadcastOp::canonicalize(BroadcastOp op, PatternRewriter &rewriter) {
  if (succeeded(rewriteOfSplat(op, rewriter)))
    return success();
  // broadcast(broadcast(x)) = broadcast(x): what is 1 in x is stretched once.
  auto inner = op.getSource().getDefiningOp<BroadcastOp>();
  if (!inner)
    return failure();
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getSource());
  return success();
}

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

static int64_t numElements(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getNumElements() : 1;
}

LogicalResult ReshapeOp::verify() {
  Type source = getSource().getType(), result = getType();
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  if (numElements(source) != numElements(result))
    return emitOpError("source and result must have the same number of elements, got ")
           << numElements(source) << " and " << numElements(result);
  auto sourceTensor = dyn_cast<RankedTensorType>(source);
  auto resultTensor = dyn_cast<RankedTensorType>(result);
  if (!sourceTensor || !resultTensor)
    return success();
  return verifyBothHaveLayout(*this, sourceTensor, resultTensor);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto tensor = dyn_cast<RankedTensorType>(getType()))
    if (OpFoldResult constant = resizeSplat(adaptor.getSource(), tensor))
      return constant;
  // What is between does not matter to an order that all shapes share. Under layouts it says where elements pass.
  auto inner = getSource().getDefiningOp<ReshapeOp>();
  auto tensor = dyn_cast<RankedTensorType>(getSource().getType());
  if (inner && !(tensor && tensor.getEncoding())) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::verify() {
  RankedTensorType source = getSource().getType(), result = getType();
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  ArrayRef<int32_t> permutation = getPermutation();
  int64_t rank = source.getRank();
  SmallVector<bool> seen(rank, false);
  bool each = int64_t(permutation.size()) == rank;
  for (int32_t dim : permutation) {
    each = each && dim >= 0 && dim < rank && !seen[dim];
    if (!each)
      break;
    seen[dim] = true;
  }
  if (!each)
    return emitOpError("permutation must name each of the source's ")
           << rank << " dimensions once, got [" << permutation << "]";
  SmallVector<int64_t> shape;
  for (int32_t dim : permutation)
    shape.push_back(source.getDimSize(dim));
  if (failed(verifyResultShape(*this, result, shape)))
    return failure();
  return verifyBothHaveLayout(*this, source, result);
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  bool stays = true;
  for (auto [index, dim] : llvm::enumerate(getPermutation()))
    stays = stays && int64_t(index) == dim;
  if (stays && getSource().getType() == getType())
    return getSource();
  if (OpFoldResult constant = resizeSplat(adaptor.getSource(), getType()))
    return constant;
  auto inner = getSource().getDefiningOp<TransposeOp>();
  if (!inner)
    return {};
  SmallVector<int32_t> whole;
  for (int32_t dim : getPermutation())
    whole.push_back(inner.getPermutation()[dim]);
  setPermutation(whole);
  getSourceMutable().assign(inner.getSource());
  return getResult();
}

//===----------------------------------------------------------------------===//
// join
//===----------------------------------------------------------------------===//

/// The extent of the dimension that a join adds and a split takes away.
static constexpr int64_t kPair = 2;

LogicalResult JoinOp::verify() {
  Type half = getFirst().getType();
  if (failed(verifySameElement(*this, half, getType())))
    return failure();
  SmallVector<int64_t> shape;
  if (auto tensor = dyn_cast<RankedTensorType>(half))
    shape.append(tensor.getShape().begin(), tensor.getShape().end());
  shape.push_back(kPair);
  if (failed(verifyResultShape(*this, getType(), shape)))
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(half);
  return tensor ? verifyBothHaveLayout(*this, tensor, getType()) : success();
}

OpFoldResult JoinOp::fold(FoldAdaptor adaptor) {
  // join(split(x)) = x
  auto split = getFirst().getDefiningOp<SplitOp>();
  if (split && getFirst() == split.getFirst() && getSecond() == split.getSecond() &&
      split.getSource().getType() == getType())
    return split.getSource();
  Attribute first = adaptor.getFirst();
  if (!first || first != adaptor.getSecond())
    return {};
  if (isa<IntegerAttr, FloatAttr>(first))
    return DenseElementsAttr::get(getType(), first);
  return resizeSplat(first, getType());
}

//===----------------------------------------------------------------------===//
// split
//===----------------------------------------------------------------------===//

LogicalResult SplitOp::verify() {
  RankedTensorType pair = getSource().getType();
  Type half = getFirst().getType();
  if (failed(verifySameElement(*this, pair, half)))
    return failure();
  ArrayRef<int64_t> shape = pair.getShape();
  if (shape.back() != kPair)
    return emitOpError("source's last extent must be 2, got ") << pair;
  if (failed(verifyResultShape(*this, half, shape.drop_back())))
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(half);
  return tensor ? verifyBothHaveLayout(*this, pair, tensor) : success();
}

LogicalResult SplitOp::fold(FoldAdaptor adaptor, SmallVectorImpl<OpFoldResult> &results) {
  Type half = getFirst().getType();
  // split(join(x, y)) = x, y
  auto join = getSource().getDefiningOp<JoinOp>();
  if (join && join.getFirst().getType() == half) {
    results.append({join.getFirst(), join.getSecond()});
    return success();
  }
  auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource());
  if (!splat)
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(half);
  Attribute value = tensor ? Attribute(splat.resizeSplat(tensor)) : splat.getSplatValue<Attribute>();
  results.append({value, value});
  return success();
}

//===----------------------------------------------------------------------===//
// convert_layout
//===----------------------------------------------------------------------===//

LogicalResult ConvertLayoutOp::verify() {
  RankedTensorType source = getSource().getType(), result = getType();
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  if (source.getShape() != result.getShape())
    return emitOpError("source and result must have the same shape, got ")
           << source << " and " << result;
  for (RankedTensorType type : {source, result})
    if (!type.getEncoding())
      return emitOpError("needs a layout on both sides; there is none on ") << type;
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  // A layout says where elements are, so a constant takes any.
  if (auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSource()))
    return constant.reshape(getType());
  if (auto inner = getSource().getDefiningOp<ConvertLayoutOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return {};
}
