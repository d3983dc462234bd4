//! Attributes and types of the upstream dialects that melior cannot make or read.

use crate::ffi;
use melior::{
    Context, StringRef,
    ir::{Attribute, AttributeLike, Type, TypeLike},
};
use std::slice;

/// The attribute of an enum that ODS defines with `EnumAttr`, by its name (`gpu.dim`) and the number of its case.
///
/// # Panics
/// If `dialects/lib/CAPI/Upstream.cpp` does not list the enum.
pub fn enum_attribute<'c>(context: &'c Context, name: &str, value: u32) -> Attribute<'c> {
    // SAFETY: the context is live, and the name is read during the call alone.
    unsafe {
        Attribute::from_option_raw(ffi::mytritonEnumAttrGet(
            context.to_raw(),
            StringRef::new(name).to_raw(),
            value,
        ))
    }
    .unwrap_or_else(|| panic!("the C API lists no enum attribute '{name}'"))
}

/// The number of the case that an attribute of the named enum holds; `None` for any other attribute.
pub fn enum_attribute_value(name: &str, attribute: Attribute<'_>) -> Option<u32> {
    let mut value = 0;
    // SAFETY: the attribute is live, the name is read during the call alone, and the result goes to a local variable.
    let holds =
        unsafe { ffi::mytritonEnumAttrGetValue(attribute.to_raw(), StringRef::new(name).to_raw(), &raw mut value) };
    holds.then_some(value)
}

/// The bits of a float attribute, a NaN's payload included; `None` for any other attribute.
pub fn float_bits(attribute: Attribute<'_>) -> Option<u64> {
    // SAFETY: the attribute is live and known to be a float.
    attribute
        .is_float()
        .then(|| unsafe { ffi::mytritonFloatAttrGetBits(attribute.to_raw()) })
}

/// The elements of a dense attribute of `count` floats of `element_bytes` each, as they lie in memory; `None` for any
/// other attribute, and for one that holds a single element for all.
pub fn dense_bytes<'c>(attribute: Attribute<'c>, count: usize, element_bytes: usize) -> Option<&'c [u8]> {
    // SAFETY: the attribute is live and known to be dense where more is asked of it. Its storage, which lives as long
    // as the context, holds the elements one after another, each in whole bytes.
    unsafe {
        let raw = attribute.to_raw();
        if !mlir_sys::mlirAttributeIsADenseElements(raw) || mlir_sys::mlirDenseElementsAttrIsSplat(raw) {
            return None;
        }
        let ty = mlir_sys::mlirShapedTypeGetElementType(mlir_sys::mlirAttributeGetType(raw));
        let ty: Type<'_> = Type::from_raw(ty);
        if !mlir_sys::mlirTypeIsAFloat(ty.to_raw()) {
            return None;
        }
        let bits = mlir_sys::mlirFloatTypeGetWidth(ty.to_raw()) as usize;
        if bits != 8 * element_bytes || mlir_sys::mlirElementsAttrGetNumElements(raw) != count as i64 {
            return None;
        }
        let data = mlir_sys::mlirDenseElementsAttrGetRawData(raw);
        Some(slice::from_raw_parts(data.cast(), count * element_bytes))
    }
}

/// The extents of a `#nvvm.shape` (m, n, k) or `#nvvm.ld_st_matrix_shape` (m, n); `None` for any other attribute.
pub fn nvvm_shape(attribute: Attribute<'_>) -> Option<Vec<i32>> {
    let mut extents = [0; 3];
    // SAFETY: the attribute is live, and there is room for three extents.
    let count = unsafe { ffi::mytritonNVVMShapeAttrGet(attribute.to_raw(), extents.as_mut_ptr()) };
    (count > 0).then(|| extents[..count].to_vec())
}

/// `#nvvm.ld_st_matrix_shape`, of `nvvm.ldmatrix` and `nvvm.stmatrix`.
pub fn ld_st_matrix_shape_attribute(context: &Context, [m, n]: [i32; 2]) -> Attribute<'_> {
    // SAFETY: the context is live.
    unsafe { Attribute::from_raw(ffi::mytritonNVVMLdStMatrixShapeAttrGet(context.to_raw(), m, n)) }
}

/// Is it a strided layout of a memref?
pub fn is_strided_layout(attribute: Attribute<'_>) -> bool {
    // SAFETY: the attribute is live.
    unsafe { mlir_sys::mlirAttributeIsAStridedLayout(attribute.to_raw()) }
}

/// Is it a vector type with an extent that only the hardware knows?
pub fn is_scalable(ty: Type<'_>) -> bool {
    // SAFETY: the type is live and known to be a vector.
    ty.is_vector() && unsafe { mlir_sys::mlirVectorTypeIsScalable(ty.to_raw()) }
}

/// The address space of an `!llvm.ptr`; `None` for any other type.
pub fn llvm_pointer(ty: Type<'_>) -> Option<u32> {
    // SAFETY: the type is live and known to be a pointer where its space is asked for.
    unsafe {
        mlir_sys::mlirTypeIsALLVMPointerType(ty.to_raw())
            .then(|| mlir_sys::mlirLLVMPointerTypeGetAddressSpace(ty.to_raw()))
    }
}

/// The number of elements and the element type of an `!llvm.array`; `None` for any other type.
pub fn llvm_array(ty: Type<'_>) -> Option<(u64, Type<'_>)> {
    // SAFETY: the type is live and known to be an array where its parts are asked for.
    unsafe {
        ffi::mytritonTypeIsALLVMArray(ty.to_raw()).then(|| {
            (
                ffi::mytritonLLVMArrayTypeGetNumElements(ty.to_raw()),
                Type::from_raw(mlir_sys::mlirLLVMArrayTypeGetElementType(ty.to_raw())),
            )
        })
    }
}

/// An `!llvm.struct` without a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LlvmStruct<'c> {
    /// The types of the fields.
    pub fields: Vec<Type<'c>>,
    /// Fields follow one another without padding.
    pub packed: bool,
}

/// The struct that a type is; `None` for a struct with a name and for any other type.
pub fn llvm_struct(ty: Type<'_>) -> Option<LlvmStruct<'_>> {
    let raw = ty.to_raw();
    // SAFETY: the type is live and known to be a literal struct where its fields are asked for, each by a number below
    // their count.
    unsafe {
        if !mlir_sys::mlirTypeIsALLVMStructType(raw) || !mlir_sys::mlirLLVMStructTypeIsLiteral(raw) {
            return None;
        }
        let count = mlir_sys::mlirLLVMStructTypeGetNumElementTypes(raw);
        Some(LlvmStruct {
            fields: (0..count)
                .map(|index| Type::from_raw(mlir_sys::mlirLLVMStructTypeGetElementType(raw, index)))
                .collect(),
            packed: mlir_sys::mlirLLVMStructTypeIsPacked(raw),
        })
    }
}
