//===- TileReduceOps.cpp - Reductions and scans --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mytriton/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mytriton::tile;

/// How many tiles can be combined together.
static constexpr size_t kMaxOperands = 4;

/// Checks number, shapes and layouts of the operands, and the axis.
static LogicalResult verifyOperands(Operation *op, OperandRange operands, int64_t axis) {
  if (operands.empty() || operands.size() > kMaxOperands)
    return op->emitOpError("takes 1 to ") << kMaxOperands << " operands, got " << operands.size();
  auto first = cast<RankedTensorType>(operands.front().getType());
  for (auto [index, operand] : llvm::enumerate(operands))
    if (!haveSameShapeAndLayout(first, operand.getType()))
      return op->emitOpError("operands must have the same shape and layout; operand #")
             << index << " has type " << operand.getType() << ", operand #0 has type " << first;
  if (axis < 0 || axis >= first.getRank())
    return op->emitOpError("axis must be between 0 and ")
           << first.getRank() - 1 << " for operands of rank " << first.getRank() << ", got " << axis;
  return success();
}

/// Whether an operation may stand in a combination: one that computes scalars
/// from scalars and nothing else.
static bool isElementwise(Operation *op) {
  if (isa<YieldOp>(op))
    return true;
  if (op->getNumRegions() != 0)
    return false;
  if (isa<ShlOp, ShrSOp, ShrUOp, DivSOp, DivUOp, RemSOp, RemUOp, FpToSiOp, FpToUiOp, UnaryFunctionOp, BinaryFunctionOp>(
          op))
    return true;
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == arith::ArithDialect::getDialectNamespace() || dialect == "math";
}

/// Whether an operation of two numbers is associative on none of its types but i1: of booleans the difference is the
/// exclusive or.
static bool dependsOnOrder(Operation *op) {
  if (isa<ShlOp, ShrSOp, ShrUOp, DivSOp, DivUOp, RemSOp, RemUOp>(op))
    return true;
  if (isa<arith::SubIOp, arith::SubFOp, arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
          arith::CeilDivUIOp, arith::FloorDivSIOp, arith::RemFOp, arith::RemSIOp, arith::RemUIOp, arith::ShLIOp,
          arith::ShRSIOp, arith::ShRUIOp>(op))
    return true;
  if (auto function = dyn_cast<BinaryFunctionOp>(op))
    return function.getFunction() != "hypot";
  StringRef name = op->getName().getStringRef();
  return name == "math.powf" || name == "math.atan2";
}

/// Checks that no result of a combination is an operation of its operand's two elements that is not associative. Whether
/// others are cannot be decided.
static LogicalResult verifyAssociative(Operation *op, Block &block, OperandRange results) {
  size_t count = results.size();
  for (auto [index, result] : llvm::enumerate(results)) {
    Operation *made = result.getDefiningOp();
    if (!made || made->getNumOperands() != 2 || result.getType().isInteger(1) || !dependsOnOrder(made))
      continue;
    Value left = block.getArgument(index), right = block.getArgument(count + index);
    Value first = made->getOperand(0), second = made->getOperand(1);
    if ((first == left && second == right) || (first == right && second == left))
      return made->emitOpError("of the two elements is not associative; the region of '")
             << op->getName() << "' may be applied in any order, to (a, b), c or to a, (b, c)";
  }
  return success();
}

/// Checks the region of an operation: its arguments, what it consists of, and
/// what it yields.
static LogicalResult verifyCombine(Operation *op, Region &region) {
  Block &block = region.front();
  SmallVector<Type> elements;
  for (Type type : op->getOperandTypes())
    elements.push_back(cast<RankedTensorType>(type).getElementType());
  size_t count = elements.size();
  if (block.getNumArguments() != 2 * count)
    return op->emitOpError("region must take 2 arguments for each operand, ")
           << 2 * count << " in all, got " << block.getNumArguments();
  for (auto [index, argument] : llvm::enumerate(block.getArguments()))
    if (argument.getType() != elements[index % count])
      return op->emitOpError("region's argument #")
             << index << " must have type " << elements[index % count] << ", that of the elements of operand #"
             << index % count << ", got " << argument.getType();
  for (Operation &inner : block) {
    if (!isElementwise(&inner))
      return inner.emitOpError("cannot stand in the region of '")
             << op->getName() << "', which combines scalars by operations of arith and math alone";
    for (TypeRange types : {TypeRange(inner.getOperandTypes()), TypeRange(inner.getResultTypes())})
      for (Type type : types)
        if (!isScalarType(type))
          return inner.emitOpError("has the type ")
                 << type << "; the region of '" << op->getName() << "' combines scalars";
  }
  auto yield = dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError("region must end in tile.yield");
  if (yield.getValues().getTypes() != ArrayRef(elements)) {
    InFlightDiagnostic error = yield.emitOpError("must yield (");
    llvm::interleaveComma(elements, error);
    error << "), the element types of '" << op->getName() << "', got (";
    llvm::interleaveComma(yield.getValues().getTypes(), error);
    return error << ")";
  }
  return verifyAssociative(op, block, yield.getValues());
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  int64_t axis = int32_t(getAxis());
  if (failed(verifyOperands(*this, getOperands(), axis)))
    return failure();
  if (getNumResults() != getNumOperands())
    return emitOpError("has ") << getNumOperands() << " operands and " << getNumResults()
                               << " results; there must be one for each";
  for (auto [index, source, result] : llvm::enumerate(getOperandTypes(), getResultTypes())) {
    auto from = cast<RankedTensorType>(source);
    SmallVector<int64_t> shape(from.getShape());
    shape.erase(shape.begin() + axis);
    auto tensor = dyn_cast<RankedTensorType>(result);
    bool fits = shape.empty() ? !tensor : tensor && tensor.getShape() == ArrayRef(shape);
    if (!fits || getElementTypeOrSelf(result) != from.getElementType()) {
      Type expected = from.getElementType();
      if (!shape.empty())
        expected = RankedTensorType::get(shape, expected);
      return emitOpError("result #") << index << " must be " << expected
                                     << ", operand #" << index << " without axis " << axis << ", got " << result;
    }
    if (!tensor)
      continue;
    if (bool(from.getEncoding()) != bool(tensor.getEncoding()))
      return emitOpError("operands and results must all have a layout or none; only the ")
             << (from.getEncoding() ? "operands have" : "results have");
    if (!haveSameShapeAndLayout(getResultTypes().front(), result))
      return emitOpError("results must have the same layout");
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() { return verifyCombine(*this, getCombine()); }

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

LogicalResult ScanOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                       DictionaryAttr, OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

LogicalResult ScanOp::verify() {
  return verifyOperands(*this, getOperands(), int32_t(getAxis()));
}

LogicalResult ScanOp::verifyRegions() { return verifyCombine(*this, getCombine()); }
