//===- TileTypes.cpp - !tile.ptr, !tile.buffer and what a tile is ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mytriton/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mytriton::tile;

#define GET_TYPEDEF_CLASSES
#include "mytriton/Dialect/Tile/IR/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "mytriton/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
}

bool mytriton::tile::isScalarType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

bool mytriton::tile::isTileType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return false;
  if (tensor.getRank() < 1 || tensor.getRank() > LayoutAttr::kMaxRank)
    return false;
  if (llvm::is_contained(tensor.getShape(), 0))
    return false;
  return !tensor.getEncoding() || isa<LayoutAttr>(tensor.getEncoding());
}

Type mytriton::tile::getTypeLike(Type like, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(like))
    return RankedTensorType::get(tensor.getShape(), element, tensor.getEncoding());
  return element;
}

bool mytriton::tile::haveSameShapeAndLayout(Type lhs, Type rhs) {
  auto lhsTensor = dyn_cast<RankedTensorType>(lhs);
  auto rhsTensor = dyn_cast<RankedTensorType>(rhs);
  if (!lhsTensor || !rhsTensor)
    return !lhsTensor && !rhsTensor;
  return lhsTensor.getShape() == rhsTensor.getShape() &&
         lhsTensor.getEncoding() == rhsTensor.getEncoding();
}

Type BufferType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type element;
  SharedAttr layout;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseComma() || parser.parseAttribute(layout) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<BufferType>(loc, parser.getContext(), shape, element, layout);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printDimensionList(getShape());
  printer << "x" << getElementType() << ", " << getLayout() << ">";
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type element, SharedAttr layout) {
  if (shape.empty() || shape.size() > LayoutAttr::kMaxRank)
    return emitError() << "a buffer has rank 1 to " << LayoutAttr::kMaxRank << ", got "
                       << shape.size();
  if (llvm::any_of(shape, [](int64_t extent) { return extent <= 0; }))
    return emitError() << "the extents of a buffer are positive";
  if (!isScalarType(element) && !isa<PtrType>(element))
    return emitError() << "the element of a buffer must be one of i1, i8, i16, i32, i64, f16, "
                          "bf16, f32, f64 or a !tile.ptr, got "
                       << element;
  return layout.verifyTile(shape, emitError);
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee) {
  if (isScalarType(pointee))
    return success();
  return emitError() << "pointee must be one of i1, i8, i16, i32, i64, f16, bf16, f32, f64, got "
                     << pointee;
}
