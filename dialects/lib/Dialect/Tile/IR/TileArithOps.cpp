//===- TileArithOps.cpp - Arithmetic defined at every input --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mytriton/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/CommonFolders.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace mytriton::tile;

/// Folds constants by `calculate`, which returns nothing where the operation
/// leaves the value unspecified: what other executors choose there must not
/// depend on whether the compiler saw a constant.
static OpFoldResult
foldInts(ArrayRef<Attribute> operands,
         function_ref<std::optional<APInt>(const APInt &, const APInt &)> calculate) {
  // Poison operands are left alone: a shift may not use all of its operands.
  return constFoldBinaryOpConditional<IntegerAttr, APInt, void>(operands, calculate);
}

/// x shifted by 0 = x and 0 shifted = 0.
template <typename OpTy>
static OpFoldResult foldShiftIdentities(OpTy op) {
  if (matchPattern(op.getRhs(), m_Zero()) || matchPattern(op.getLhs(), m_Zero()))
    return op.getLhs();
  return {};
}

/// Whether the quotient of signed `lhs` and `rhs` exists and fits.
static bool isSignedQuotientDefined(const APInt &lhs, const APInt &rhs) {
  return !rhs.isZero() && !(lhs.isMinSignedValue() && rhs.isAllOnes());
}

//===----------------------------------------------------------------------===//
// Shifts: APInt's take any amount up to the width, so that only more is special
//===----------------------------------------------------------------------===//

OpFoldResult ShlOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult identity = foldShiftIdentities(*this))
    return identity;
  return foldInts(adaptor.getOperands(), [](const APInt &lhs, const APInt &rhs) {
    return std::optional(lhs.shl(rhs));
  });
}

OpFoldResult ShrSOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult identity = foldShiftIdentities(*this))
    return identity;
  return foldInts(adaptor.getOperands(), [](const APInt &lhs, const APInt &rhs) {
    return std::optional(lhs.ashr(rhs));
  });
}

OpFoldResult ShrUOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult identity = foldShiftIdentities(*this))
    return identity;
  return foldInts(adaptor.getOperands(), [](const APInt &lhs, const APInt &rhs) {
    return std::optional(lhs.lshr(rhs));
  });
}

//===----------------------------------------------------------------------===//
// Division and remainder
//===----------------------------------------------------------------------===//

OpFoldResult DivSOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(getRhs(), m_One()))
    return getLhs();
  return foldInts(adaptor.getOperands(),
                  [](const APInt &lhs, const APInt &rhs) -> std::optional<APInt> {
                    if (!isSignedQuotientDefined(lhs, rhs))
                      return std::nullopt;
                    return lhs.sdiv(rhs);
                  });
}

OpFoldResult DivUOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(getRhs(), m_One()))
    return getLhs();
  return foldInts(adaptor.getOperands(),
                  [](const APInt &lhs, const APInt &rhs) -> std::optional<APInt> {
                    if (rhs.isZero())
                      return std::nullopt;
                    return lhs.udiv(rhs);
                  });
}

OpFoldResult RemSOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(getRhs(), m_One()))
    return Builder(getContext()).getZeroAttr(getType());
  return foldInts(adaptor.getOperands(),
                  [](const APInt &lhs, const APInt &rhs) -> std::optional<APInt> {
                    if (!isSignedQuotientDefined(lhs, rhs))
                      return std::nullopt;
                    return lhs.srem(rhs);
                  });
}

OpFoldResult RemUOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(getRhs(), m_One()))
    return Builder(getContext()).getZeroAttr(getType());
  return foldInts(adaptor.getOperands(),
                  [](const APInt &lhs, const APInt &rhs) -> std::optional<APInt> {
                    if (rhs.isZero())
                      return std::nullopt;
                    return lhs.urem(rhs);
                  });
}

//===----------------------------------------------------------------------===//
// Float to integer
//===----------------------------------------------------------------------===//

static LogicalResult verifySaturating(Operation *op) {
  Type source = op->getOperand(0).getType(), result = op->getResult(0).getType();
  if (haveSameShapeAndLayout(source, result))
    return success();
  return op->emitOpError("source and result must have the same shape and layout, got ")
         << source << " and " << result;
}

/// Folds constants: APFloat saturates and gives 0 for NaN, which is the meaning.
static OpFoldResult foldSaturating(ArrayRef<Attribute> operands, Type type, bool isUnsigned) {
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return constFoldCastOp<FloatAttr, IntegerAttr, APFloat, APInt, void>(
      operands, type, [&](const APFloat &value, bool &) -> APInt {
        bool isExact;
        APSInt result(width, isUnsigned);
        value.convertToInteger(result, APFloat::rmTowardZero, &isExact);
        return result;
      });
}

LogicalResult FpToSiOp::verify() { return verifySaturating(*this); }

OpFoldResult FpToSiOp::fold(FoldAdaptor adaptor) {
  return foldSaturating(adaptor.getOperands(), getType(), /*isUnsigned=*/false);
}

LogicalResult FpToUiOp::verify() { return verifySaturating(*this); }

OpFoldResult FpToUiOp::fold(FoldAdaptor adaptor) {
  return foldSaturating(adaptor.getOperands(), getType(), /*isUnsigned=*/true);
}
