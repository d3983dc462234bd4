//===- TileDialect.cpp - Registration and attribute checks ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mytriton/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mytriton::tile;

#include "mytriton/Dialect/Tile/IR/TileDialect.cpp.inc"

namespace {

/// Tile operations touch no symbols, and their regions are isolated, so that a
/// function of them may be inlined anywhere.
struct TileInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};

} // namespace

void TileDialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "mytriton/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
  addInterfaces<TileInlinerInterface>();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===----------------------------------------------------------------------===//
// Attributes on functions and their arguments
//===----------------------------------------------------------------------===//

/// Reads `attribute` as a positive power of two of type i32; says so if not.
static FailureOr<int64_t> getPowerOfTwo(Operation *op, NamedAttribute attribute) {
  auto integer = dyn_cast<IntegerAttr>(attribute.getValue());
  StringRef name = attribute.getName();
  if (!integer || !integer.getType().isSignlessInteger(32))
    return op->emitError() << name << " must be an i32, got " << attribute.getValue();
  int64_t value = integer.getInt();
  if (value < 1 || !llvm::isPowerOf2_64(value))
    return op->emitError() << name << " must be a power of two of at least 1, got " << value;
  return value;
}

static LogicalResult verifyKernel(Operation *op, Attribute value) {
  StringRef name = TileDialect::getKernelAttrName();
  if (!isa<UnitAttr>(value))
    return op->emitError() << name << " must be a unit attribute, got " << value;
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return op->emitError() << name << " belongs on a func.func";
  if (function.isExternal())
    return op->emitError("a kernel must have a body");
  if (function.getNumResults() != 0)
    return op->emitError("a kernel must not have results; it has ") << function.getNumResults();
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (!isScalarType(type) && !isa<PtrType>(type))
      return op->emitError("kernel argument #")
             << index << " must be a scalar (i1, i8, i16, i32, i64, f16, bf16, f32, f64) or a "
             << "!tile.ptr, got " << type;
  return success();
}

/// Checks that the layouts inside a function address as many warps as it has.
static LogicalResult verifyNumWarps(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (!isa<FunctionOpInterface>(op))
    return op->emitError() << name << " belongs on a function";
  FailureOr<int64_t> numWarps = getPowerOfTwo(op, attribute);
  if (failed(numWarps))
    return failure();
  if (*numWarps > 32)
    return op->emitError() << name << " must be at most 32, got " << *numWarps;

  unsigned warpBits = llvm::Log2_64(*numWarps);
  WalkResult result = op->walk([&](Operation *inner) {
    for (Type type : inner->getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      auto layout = tensor ? dyn_cast_or_null<LayoutAttr>(tensor.getEncoding()) : LayoutAttr();
      if (!layout)
        continue;
      unsigned bases = layout.getNumBases(LayoutAttr::Index::Warp);
      if (bases != warpBits) {
        inner->emitError("layout has ")
            << bases << " warp bases, but the function has " << name << " = " << *numWarps
            << ", which takes " << warpBits;
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Checks a number of bytes in shared memory, or the number of a compute capability.
static LogicalResult verifyNumber(Operation *op, NamedAttribute attribute) {
  auto integer = dyn_cast<IntegerAttr>(attribute.getValue());
  if (integer && integer.getType().isSignlessInteger(32) && integer.getInt() >= 0)
    return success();
  return op->emitError() << attribute.getName() << " must be an i32 that is not negative, got "
                         << attribute.getValue();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == getKernelAttrName())
    return verifyKernel(op, attribute.getValue());
  if (name == getNumWarpsAttrName())
    return verifyNumWarps(op, attribute);
  if (name == getSharedBytesAttrName() || name == getSharedLimitAttrName() ||
      name == getOffsetAttrName() || name == getBytesAttrName() ||
      name == getComputeCapabilityAttrName())
    return verifyNumber(op, attribute);
  if (name == getWithinWarpsAttrName()) {
    if (!isa<UnitAttr>(attribute.getValue()))
      return op->emitError() << name << " must be a unit attribute, got " << attribute.getValue();
    return success();
  }
  if (name == getDivisibilityAttrName() || name == getNameAttrName())
    return op->emitError() << name << " belongs on a function argument";
  // A misspelt name would otherwise lose a fact in silence.
  return op->emitError("unknown attribute ")
         << name
         << "; the tile dialect has tile.kernel, tile.num_warps, tile.shared_bytes, "
            "tile.shared_limit, tile.compute_capability, tile.offset, tile.bytes and "
            "tile.within_warps for operations";
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned regionIndex,
                                                    unsigned argIndex, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name != getDivisibilityAttrName() && name != getNameAttrName())
    return op->emitError("unknown attribute ")
           << name << " on argument #" << argIndex
           << "; the tile dialect has tile.divisibility and tile.name";
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || regionIndex != 0)
    return op->emitError() << name << " belongs on a function argument";
  if (name == getNameAttrName()) {
    if (!isa<StringAttr>(attribute.getValue()))
      return op->emitError() << name << " is a string, not " << attribute.getValue();
    return success();
  }
  Type type = function.getArgumentTypes()[argIndex];
  if (!isa<PtrType>(type) && (!type.isSignlessInteger() || type.isInteger(1)))
    return op->emitError() << name << " needs an integer or pointer argument; argument #"
                           << argIndex << " has type " << type;
  return getPowerOfTwo(op, attribute);
}
