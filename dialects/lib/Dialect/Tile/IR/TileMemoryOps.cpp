//===- TileMemoryOps.cpp - Addresses, loads and stores -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mytriton/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mytriton::tile;

/// The pointee in the shape and layout of a pointer or tile of pointers.
static Type getPointeeTypeLike(Type pointerType) {
  return getTypeLike(pointerType, cast<PtrType>(getElementTypeOrSelf(pointerType)).getPointee());
}

/// i1 in the shape and layout of a pointer or tile of pointers.
static Type getMaskTypeLike(Type pointerType) {
  return getTypeLike(pointerType, IntegerType::get(pointerType.getContext(), 1));
}

/// Checks that `what` has the type that the pointer's type asks for.
static LogicalResult verifyFollowsPointer(Operation *op, StringRef what, Type actual,
                                          Type expected) {
  if (actual == expected)
    return success();
  return op->emitOpError(what) << " must have type " << expected << " to match the pointer, got "
                               << actual;
}

//===----------------------------------------------------------------------===//
// addptr
//===----------------------------------------------------------------------===//

LogicalResult AddPtrOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         ValueRange operands, DictionaryAttr, OpaqueProperties,
                                         RegionRange, SmallVectorImpl<Type> &types) {
  if (operands.empty())
    return failure();
  types.push_back(operands.front().getType());
  return success();
}

LogicalResult AddPtrOp::verify() {
  Type pointer = getPointer().getType();
  if (!haveSameShapeAndLayout(pointer, getOffset().getType()))
    return emitOpError("pointer and offset must have the same shape and layout, got ")
           << pointer << " and " << getOffset().getType();
  return verifyFollowsPointer(*this, "result", getType(), pointer);
}

OpFoldResult AddPtrOp::fold(FoldAdaptor) {
  if (matchPattern(getOffset(), m_Zero()))
    return getPointer();
  return {};
}

//===----------------------------------------------------------------------===//
// ptr_to_int
//===----------------------------------------------------------------------===//

LogicalResult PtrToIntOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                           ValueRange operands, DictionaryAttr, OpaqueProperties,
                                           RegionRange, SmallVectorImpl<Type> &types) {
  if (operands.empty())
    return failure();
  types.push_back(getTypeLike(operands.front().getType(), IntegerType::get(context, 64)));
  return success();
}

LogicalResult PtrToIntOp::verify() {
  Type pointer = getPointer().getType();
  return verifyFollowsPointer(*this, "result", getType(),
                              getTypeLike(pointer, IntegerType::get(getContext(), 64)));
}

//===----------------------------------------------------------------------===//
// load
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                       DictionaryAttr, OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &types) {
  if (operands.empty() || !isa<PtrType>(getElementTypeOrSelf(operands.front().getType())))
    return failure();
  types.push_back(getPointeeTypeLike(operands.front().getType()));
  return success();
}

LogicalResult LoadOp::verify() {
  Type pointer = getPointer().getType();
  if (getOther() && !getMask())
    return emitOpError("has 'other' but no mask");
  if (failed(verifyFollowsPointer(*this, "result", getType(), getPointeeTypeLike(pointer))))
    return failure();
  if (getMask() && failed(verifyFollowsPointer(*this, "mask", getMask().getType(),
                                               getMaskTypeLike(pointer))))
    return failure();
  if (getOther())
    return verifyFollowsPointer(*this, "other", getOther().getType(), getPointeeTypeLike(pointer));
  return success();
}

/// Parses `: type` where the type is a pointer or a tile of pointers.
static ParseResult parsePointerType(OpAsmParser &parser, Type &type) {
  if (parser.parseColon())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(type))
    return failure();
  if (!isa<PtrType>(getElementTypeOrSelf(type)))
    return parser.emitError(loc) << "expected a !tile.ptr or a tensor of them, got " << type;
  return success();
}

// load ::= `tile.load` pointer (`,` mask (`,` other)?)? attr-dict `:` type(pointer)
ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &state) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand, 3> operands;
  Type pointer;
  if (parser.parseOperandList(operands))
    return failure();
  if (operands.empty() || operands.size() > 3)
    return parser.emitError(loc)
           << "expected a pointer, an optional mask and an optional other, got " << operands.size()
           << " operands";
  if (parser.parseOptionalAttrDict(state.attributes) || parsePointerType(parser, pointer))
    return failure();
  Type types[] = {pointer, getMaskTypeLike(pointer), getPointeeTypeLike(pointer)};
  if (parser.resolveOperands(operands, ArrayRef(types).take_front(operands.size()), loc,
                             state.operands))
    return failure();
  llvm::copy(ArrayRef<int32_t>{1, operands.size() > 1, operands.size() > 2},
             state.getOrAddProperties<Properties>().operandSegmentSizes.begin());
  state.addTypes(getPointeeTypeLike(pointer));
  return success();
}

void LoadOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOperands();
  printer.printOptionalAttrDict((*this)->getAttrs(), {getOperandSegmentSizesAttrName()});
  printer << " : " << getPointer().getType();
}

LogicalResult LoadOp::canonicalize(LoadOp op, PatternRewriter &rewriter) {
  if (!op.getMask())
    return failure();
  // load(p, true, o) = load(p)
  if (matchPattern(op.getMask(), m_One())) {
    rewriter.replaceOpWithNewOp<LoadOp>(op, op.getType(), op.getPointer(), Value(), Value());
    return success();
  }
  // load(p, false, o) = o
  if (op.getOther() && matchPattern(op.getMask(), m_Zero())) {
    rewriter.replaceOp(op, op.getOther());
    return success();
  }
  return failure();
}

//===----------------------------------------------------------------------===//
// store
//===----------------------------------------------------------------------===//

LogicalResult StoreOp::verify() {
  Type pointer = getPointer().getType();
  if (failed(verifyFollowsPointer(*this, "value", getValue().getType(),
                                  getPointeeTypeLike(pointer))))
    return failure();
  if (getMask())
    return verifyFollowsPointer(*this, "mask", getMask().getType(), getMaskTypeLike(pointer));
  return success();
}

// store ::= `tile.store` pointer `,` value (`,` mask)? attr-dict `:` type(pointer)
ParseResult StoreOp::parse(OpAsmParser &parser, OperationState &state) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand, 3> operands;
  Type pointer;
  if (parser.parseOperandList(operands))
    return failure();
  if (operands.size() < 2 || operands.size() > 3)
    return parser.emitError(loc) << "expected a pointer, a value and an optional mask, got "
                                 << operands.size() << " operands";
  if (parser.parseOptionalAttrDict(state.attributes) || parsePointerType(parser, pointer))
    return failure();
  Type types[] = {pointer, getPointeeTypeLike(pointer), getMaskTypeLike(pointer)};
  return parser.resolveOperands(operands, ArrayRef(types).take_front(operands.size()), loc,
                                state.operands);
}

void StoreOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOperands();
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getPointer().getType();
}

LogicalResult StoreOp::canonicalize(StoreOp op, PatternRewriter &rewriter) {
  if (!op.getMask())
    return failure();
  // store(p, v, true) = store(p, v)
  if (matchPattern(op.getMask(), m_One())) {
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    return success();
  }
  // store(p, v, false) does nothing
  if (matchPattern(op.getMask(), m_Zero())) {
    rewriter.eraseOp(op);
    return success();
  }
  return failure();
}
