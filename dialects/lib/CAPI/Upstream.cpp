//===- Upstream.cpp - What MLIR's own C API lacks ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mytriton-c/Upstream.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mytriton/Dialect/Tile/IR/Tile.h"

using namespace mlir;

namespace {

/// An enum attribute, by its name.
struct EnumAttribute {
  StringRef name;
  Attribute (*get)(MLIRContext *, uint32_t);
  std::optional<uint32_t> (*value)(Attribute);
};

template <typename Attr>
constexpr EnumAttribute entry() {
  return {Attr::name,
          [](MLIRContext *context, uint32_t value) -> Attribute {
            using Enum = decltype(std::declval<Attr>().getValue());
            return Attr::get(context, static_cast<Enum>(value));
          },
          [](Attribute attribute) -> std::optional<uint32_t> {
            if (auto typed = dyn_cast<Attr>(attribute))
              return static_cast<uint32_t>(typed.getValue());
            return std::nullopt;
          }};
}

/// The attributes of the operations that crates/tile/build/dialects.rs lists.
const EnumAttribute enumAttributes[] = {
    entry<arith::FastMathFlagsAttr>(),
    entry<arith::IntegerOverflowFlagsAttr>(),
    entry<gpu::AddressSpaceAttr>(),
    entry<gpu::DimensionAttr>(),
    entry<gpu::ShuffleModeAttr>(),
    entry<LLVM::FastmathFlagsAttr>(),
    entry<mytriton::tile::AxisAttr>(),
    entry<NVVM::BarrierReductionAttr>(),
    entry<NVVM::LdStMatrixEltTypeAttr>(),
    entry<NVVM::LoadCacheModifierKindAttr>(),
    entry<NVVM::MatchSyncKindAttr>(),
    entry<NVVM::MemScopeKindAttr>(),
    entry<NVVM::MMAB1OpAttr>(),
    entry<NVVM::MMAIntOverflowAttr>(),
    entry<NVVM::MMALayoutAttr>(),
    entry<NVVM::MMATypesAttr>(),
    entry<NVVM::ProxyKindAttr>(),
    entry<NVVM::ReduxKindAttr>(),
    entry<NVVM::SharedSpaceAttr>(),
    entry<NVVM::ShflKindAttr>(),
    entry<NVVM::VoteSyncKindAttr>(),
    entry<NVVM::WGMMAScaleInAttr>(),
    entry<NVVM::WGMMAScaleOutAttr>(),
    entry<NVVM::WGMMATypesAttr>(),
    entry<vector::CombiningKindAttr>(),
};

const EnumAttribute *find(MlirStringRef name) {
  const EnumAttribute *found = llvm::find_if(
      enumAttributes, [&](const EnumAttribute &entry) { return entry.name == unwrap(name); });
  return found == std::end(enumAttributes) ? nullptr : found;
}

} // namespace

MlirAttribute mytritonEnumAttrGet(MlirContext context, MlirStringRef name, uint32_t value) {
  const EnumAttribute *entry = find(name);
  if (!entry)
    return {};
  // An attribute can be made once its dialect is there.
  unwrap(context)->getOrLoadDialect(entry->name.split('.').first);
  return wrap(entry->get(unwrap(context), value));
}

bool mytritonEnumAttrGetValue(MlirAttribute attribute, MlirStringRef name, uint32_t *value) {
  const EnumAttribute *entry = find(name);
  std::optional<uint32_t> number =
      entry ? entry->value(unwrap(attribute)) : std::optional<uint32_t>();
  *value = number.value_or(0);
  return number.has_value();
}

uint64_t mytritonFloatAttrGetBits(MlirAttribute attribute) {
  return cast<FloatAttr>(unwrap(attribute)).getValue().bitcastToAPInt().getZExtValue();
}

size_t mytritonNVVMShapeAttrGet(MlirAttribute attribute, int32_t extents[3]) {
  if (auto shape = dyn_cast<NVVM::MMAShapeAttr>(unwrap(attribute))) {
    extents[0] = shape.getM();
    extents[1] = shape.getN();
    extents[2] = shape.getK();
    return 3;
  }
  if (auto shape = dyn_cast<NVVM::LdStMatrixShapeAttr>(unwrap(attribute))) {
    extents[0] = shape.getM();
    extents[1] = shape.getN();
    return 2;
  }
  return 0;
}

MlirAttribute mytritonNVVMLdStMatrixShapeAttrGet(MlirContext context, int32_t m, int32_t n) {
  unwrap(context)->loadDialect<NVVM::NVVMDialect>();
  return wrap(Attribute(NVVM::LdStMatrixShapeAttr::get(unwrap(context), m, n)));
}

bool mytritonTypeIsALLVMArray(MlirType type) { return isa<LLVM::LLVMArrayType>(unwrap(type)); }

uint64_t mytritonLLVMArrayTypeGetNumElements(MlirType type) {
  return cast<LLVM::LLVMArrayType>(unwrap(type)).getNumElements();
}
