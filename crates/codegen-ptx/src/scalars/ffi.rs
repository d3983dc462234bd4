//! What inkwell has no functions for.

use inkwell::builder::Builder;
use inkwell::llvm_sys::core::{
    LLVMBuildBinOp, LLVMBuildFreeze, LLVMGetMaskValue, LLVMGetPoison, LLVMGetUndefMaskElem, LLVMReplaceAllUsesWith,
    LLVMVectorType,
};
use inkwell::types::{AsTypeRef, BasicTypeEnum, VectorType};
use inkwell::values::{AsValueRef, BasicValueEnum, InstructionOpcode, InstructionValue};

/// Which lane of its two operands, counted through both, a `shufflevector` puts into this lane of its result; none for
/// poison. The lane must be one of the result's.
pub fn mask_value(shuffle: InstructionValue<'_>, lane: u32) -> Option<u32> {
    // SAFETY: the instruction is a live `shufflevector`, and the lane is in its bounds.
    let (value, poison) = unsafe { (LLVMGetMaskValue(shuffle.as_value_ref(), lane), LLVMGetUndefMaskElem()) };
    (value != poison).then_some(value as u32)
}

/// The poison of a type.
pub fn poison(ty: BasicTypeEnum<'_>) -> BasicValueEnum<'_> {
    // SAFETY: the type is live, and its poison is a value of it.
    unsafe { BasicValueEnum::new(LLVMGetPoison(ty.as_type_ref())) }
}

/// The type of a vector with lanes of the type of another's.
pub fn short_vector(like: VectorType<'_>, lanes: u32) -> VectorType<'_> {
    // SAFETY: the type is live, and what is a vector's element may be another's.
    unsafe { VectorType::new(LLVMVectorType(like.get_element_type().as_type_ref(), lanes)) }
}

/// A `freeze` where the builder stands.
pub fn freeze<'ll>(builder: &Builder<'ll>, value: BasicValueEnum<'ll>) -> BasicValueEnum<'ll> {
    // SAFETY: the builder is positioned in the function that the live value belongs to; a `freeze` has its operand's type.
    unsafe {
        BasicValueEnum::new(LLVMBuildFreeze(
            builder.as_mut_ptr(),
            value.as_value_ref(),
            c"".as_ptr(),
        ))
    }
}

/// A binary operation on two values of one type that it is for, where the builder stands.
pub fn binary<'ll>(
    builder: &Builder<'ll>,
    opcode: InstructionOpcode,
    x: BasicValueEnum<'ll>,
    y: BasicValueEnum<'ll>,
) -> BasicValueEnum<'ll> {
    let (x, y) = (x.as_value_ref(), y.as_value_ref());
    // SAFETY: the builder is positioned in the function that the live operands belong to; the result has their type.
    unsafe { BasicValueEnum::new(LLVMBuildBinOp(builder.as_mut_ptr(), opcode.into(), x, y, c"".as_ptr())) }
}

/// Puts a value in the place of an instruction's result, in all that use it. Their types must be the same.
pub fn replace_uses<'ll>(old: InstructionValue<'ll>, new: BasicValueEnum<'ll>) {
    // SAFETY: both are live values of one module and of one type.
    unsafe { LLVMReplaceAllUsesWith(old.as_value_ref(), new.as_value_ref()) }
}
