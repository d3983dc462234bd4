//! Parts of vectors of booleans, read out of one number.
//!
//! Where LLVM reduces some of a `<8 x i1>` it may leave `extractelement (bitcast <8 x i1> to <2 x i4>)`. Instruction
//! selection makes a vector of such integers in memory: the kernel gets a stack frame, even where nothing of it is used in the
//! end. Out of one integer it shifts the part.

use std::num::NonZeroU32;

use inkwell::builder::{Builder, BuilderError};
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicValueEnum, InstructionOpcode, InstructionValue, IntValue, VectorValue};

use crate::error::Error;

/// Makes shifts of extractions, at known places, from vectors of booleans that are read as vectors of other integers.
///
/// # Errors
/// [`Error::InvalidModule`] if LLVM will not build an operation.
pub fn shift_parts_out(module: &Module<'_>) -> Result<(), Error> {
    let builder = module.get_context().create_builder();
    for function in module.get_functions() {
        for block in function.get_basic_blocks() {
            let mut next = block.get_first_instruction();
            while let Some(instruction) = next {
                // Before the instruction may be erased.
                next = instruction.get_next_instruction();
                if let Some((booleans, index)) = part_of(instruction) {
                    let result = shift_out(&builder, instruction, booleans, index);
                    result.map_err(|error| Error::InvalidModule {
                        step: "reading booleans as numbers",
                        message: error.to_string(),
                    })?;
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

fn shift_out<'ll>(
    builder: &Builder<'ll>,
    old: InstructionValue<'ll>,
    booleans: VectorValue<'ll>,
    index: u64,
) -> Result<(), BuilderError> {
    let whole = NonZeroU32::new(booleans.get_type().get_size())
        .and_then(|bits| booleans.get_type().get_context().custom_width_int_type(bits).ok());
    let (Ok(part), Some(whole)) = (IntValue::try_from(old), whole) else {
        return Ok(());
    };
    builder.position_before(&old);
    let number = builder.build_bit_cast(booleans, whole, "")?.into_int_value();
    // What comes first lies lowest.
    let distance = whole.const_int(index * u64::from(part.get_type().get_bit_width()), false);
    let shifted = builder.build_right_shift(number, distance, false, "")?;
    let new = builder.build_int_truncate(shifted, part.get_type(), "")?;
    if let Some(new) = new.as_instruction() {
        old.replace_all_uses_with(&new);
        old.erase_from_basic_block();
    }
    Ok(())
}
