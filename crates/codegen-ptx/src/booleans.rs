//! Booleans in a form that instruction selection and ptxas get right.
//!
//! - Where LLVM reduces some of a `<8 x i1>` it may leave `extractelement (bitcast <8 x i1> to <2 x i4>)`. Instruction
//!   selection makes a vector of such integers in memory: the kernel gets a stack frame, even where nothing of it is used in
//!   the end. Out of one integer it shifts the part.
//! - Of `sitofp i1 to bfloat`, which LLVM makes where a sign-extended boolean becomes a float, LLVM 22 selects 1.0 for true,
//!   not -1.0. ptxas 13.0 takes the negation of a boolean that `cvt` made a bf16 for a choice of -1.0 and 0.0, not -0.0. All
//!   floats of booleans are selected instead.

use std::num::NonZeroU32;

use inkwell::builder::{Builder, BuilderError};
use inkwell::module::Module;
use inkwell::types::{AnyTypeEnum, BasicTypeEnum, VectorType};
use inkwell::values::{BasicValue, BasicValueEnum, InstructionOpcode, InstructionValue, IntValue, VectorValue};

use crate::error::Error;

/// Makes shifts of extractions, at known places, from vectors of booleans that are read as vectors of other integers, and
/// selections of conversions from booleans to floats.
///
/// # Errors
/// [`Error::InvalidModule`] if LLVM will not build an operation.
pub fn lower(module: &Module<'_>) -> Result<(), Error> {
    let builder = module.get_context().create_builder();
    for function in module.get_functions() {
        for block in function.get_basic_blocks() {
            let mut next = block.get_first_instruction();
            while let Some(instruction) = next {
                // Before the instruction may be erased.
                next = instruction.get_next_instruction();
                builder.position_before(&instruction);
                let new = match part_of(instruction) {
                    Some((booleans, index)) => shift_out(&builder, instruction, booleans, index),
                    None => select_float(&builder, instruction),
                };
                let new = new.map_err(|error| Error::InvalidModule {
                    step: "lowering booleans",
                    message: error.to_string(),
                })?;
                if let Some(new) = new.and_then(|new| new.as_instruction_value()) {
                    instruction.replace_all_uses_with(&new);
                    instruction.erase_from_basic_block();
                }
            }
        }
    }
    Ok(())
}

/// The vector of booleans and which part of it an extraction reads.
fn part_of<'ll>(instruction: InstructionValue<'ll>) -> Option<(VectorValue<'ll>, u64)> {
    if instruction.get_opcode() != InstructionOpcode::ExtractElement {
        return None;
    }
    let operand = |instruction: InstructionValue<'ll>, index| instruction.get_operand(index)?.value();
    let (BasicValueEnum::VectorValue(read), BasicValueEnum::IntValue(index)) =
        (operand(instruction, 0)?, operand(instruction, 1)?)
    else {
        return None;
    };
    let cast = read
        .as_instruction()
        .filter(|op| op.get_opcode() == InstructionOpcode::BitCast)?;
    let BasicValueEnum::VectorValue(booleans) = operand(cast, 0)? else {
        return None;
    };
    match booleans.get_type().get_element_type() {
        BasicTypeEnum::IntType(ty) if ty.get_bit_width() == 1 => Some((booleans, index.get_zero_extended_constant()?)),
        _ => None,
    }
}

/// The part as a shifted and truncated number.
fn shift_out<'ll>(
    builder: &Builder<'ll>,
    old: InstructionValue<'ll>,
    booleans: VectorValue<'ll>,
    index: u64,
) -> Result<Option<BasicValueEnum<'ll>>, BuilderError> {
    let whole = NonZeroU32::new(booleans.get_type().get_size())
        .and_then(|bits| booleans.get_type().get_context().custom_width_int_type(bits).ok());
    let (Ok(part), Some(whole)) = (IntValue::try_from(old), whole) else {
        return Ok(None);
    };
    let number = builder.build_bit_cast(booleans, whole, "")?.into_int_value();
    // What comes first lies lowest.
    let distance = whole.const_int(index * u64::from(part.get_type().get_bit_width()), false);
    let shifted = builder.build_right_shift(number, distance, false, "")?;
    Ok(Some(builder.build_int_truncate(shifted, part.get_type(), "")?.into()))
}

/// A selection in the place of a conversion from a boolean to a float.
fn select_float<'ll>(
    builder: &Builder<'ll>,
    old: InstructionValue<'ll>,
) -> Result<Option<BasicValueEnum<'ll>>, BuilderError> {
    let one = match old.get_opcode() {
        InstructionOpcode::SIToFP => -1.0,
        InstructionOpcode::UIToFP => 1.0,
        _ => return Ok(None),
    };
    let operand = old.get_operand(0).and_then(|operand| operand.value());
    let (condition, element) = match operand {
        Some(value @ BasicValueEnum::IntValue(int)) => (value, int.get_type()),
        Some(value @ BasicValueEnum::VectorValue(vector)) => {
            (value, vector.get_type().get_element_type().into_int_type())
        }
        _ => return Ok(None),
    };
    if element.get_bit_width() != 1 {
        return Ok(None);
    }
    let (one, zero): (BasicValueEnum<'_>, BasicValueEnum<'_>) = match old.get_type() {
        AnyTypeEnum::FloatType(float) => (float.const_float(one).into(), float.const_zero().into()),
        AnyTypeEnum::VectorType(vector) => {
            let one = vector.get_element_type().into_float_type().const_float(one);
            let ones = vec![one; vector.get_size() as usize];
            (VectorType::const_vector(&ones).into(), vector.const_zero().into())
        }
        _ => return Ok(None),
    };
    Ok(Some(match condition {
        BasicValueEnum::VectorValue(condition) => builder.build_select(condition, one, zero, "")?,
        condition => builder.build_select(condition.into_int_value(), one, zero, "")?,
    }))
}
