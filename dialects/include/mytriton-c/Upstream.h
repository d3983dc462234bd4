//===- Upstream.h - What MLIR's own C API lacks --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes and types of the upstream dialects that MLIR's C API cannot read
// or make.
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_C_UPSTREAM_H
#define MYTRITON_C_UPSTREAM_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The attribute of an enum that ODS defines with `EnumAttr`, by its name
/// (`gpu.dim`) and the number of the case. Returns a null attribute if there is
/// no such enum.
MlirAttribute mytritonEnumAttrGet(MlirContext context, MlirStringRef name, uint32_t value);

/// The number of the case that an attribute of the named enum holds. Returns
/// false for any other attribute.
bool mytritonEnumAttrGetValue(MlirAttribute attribute, MlirStringRef name, uint32_t *value);

/// The bits of a float attribute of at most 64 bits. MLIR's own getter gives a
/// double, which does not keep a NaN's payload.
uint64_t mytritonFloatAttrGetBits(MlirAttribute attribute);

/// The extents of a `#nvvm.shape` (m, n, k) or `#nvvm.ld_st_matrix_shape` (m, n).
/// Returns how many there are: 0 for any other attribute.
size_t mytritonNVVMShapeAttrGet(MlirAttribute attribute, int32_t extents[3]);

/// `#nvvm.ld_st_matrix_shape`.
MlirAttribute mytritonNVVMLdStMatrixShapeAttrGet(MlirContext context, int32_t m, int32_t n);

/// Whether `type` is an `!llvm.array`.
bool mytritonTypeIsALLVMArray(MlirType type);

/// The number of elements of an `!llvm.array`.
uint64_t mytritonLLVMArrayTypeGetNumElements(MlirType type);

#ifdef __cplusplus
}
#endif

#endif // MYTRITON_C_UPSTREAM_H
