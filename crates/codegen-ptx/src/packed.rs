//! Sums of packed 16-bit integers, taken apart before instruction selection.
//!
//! From sm_90 on LLVM selects `add.s16x2` for sums of two 16-bit numbers, and of two 8-bit ones. ptxas 13.0, the one in
//! drivers of the branch 580 too, gets it wrong where one operand is a constant and only one half of the result is used: it
//! narrows the instruction to that half and loses the constant, so that `x + c` becomes `x` (seen on an H200, in 72 of 288
//! combinations of constants and uses; the disassembly shows `VIADD.16x2 R0, R2, 0x0`; ptxas 13.5 has the constant).
//! Minima and maxima are right. Two sums of one number each cost an instruction more and are right everywhere.

use inkwell::builder::{Builder, BuilderError};
use inkwell::module::Module;
use inkwell::types::{BasicTypeEnum, IntType};
use inkwell::values::{BasicValueEnum, InstructionOpcode, InstructionValue, VectorValue};

use crate::error::Error;

/// The widest elements that are added packed, in bits.
const PACKED_BITS: u32 = 16;

/// Takes apart all sums and differences of vectors of 8- and 16-bit integers.
///
/// # Errors
/// [`Error::InvalidModule`] if LLVM will not build an operation.
pub fn take_sums_apart(module: &Module<'_>) -> Result<(), Error> {
    let context = module.get_context();
    let (builder, index) = (context.create_builder(), context.i32_type());
    for function in module.get_functions() {
        for block in function.get_basic_blocks() {
            let mut next = block.get_first_instruction();
            while let Some(instruction) = next {
                // Before the instruction may be erased.
                next = instruction.get_next_instruction();
                if let Some([x, y]) = packed_operands(instruction) {
                    let result = take_apart(&builder, index, instruction, x, y);
                    result.map_err(|error| Error::InvalidModule {
                        step: "taking packed sums apart",
                        message: error.to_string(),
                    })?;
                }
            }
        }
    }
    Ok(())
}

/// The operands of a sum or difference of vectors of narrow integers.
fn packed_operands<'ll>(instruction: InstructionValue<'ll>) -> Option<[VectorValue<'ll>; 2]> {
    if !matches!(
        instruction.get_opcode(),
        InstructionOpcode::Add | InstructionOpcode::Sub
    ) {
        return None;
    }
    let vector = |index| match instruction.get_operand(index)?.value()? {
        BasicValueEnum::VectorValue(vector) => Some(vector),
        _ => None,
    };
    let (x, y) = (vector(0)?, vector(1)?);
    match x.get_type().get_element_type() {
        BasicTypeEnum::IntType(element) if element.get_bit_width() <= PACKED_BITS => Some([x, y]),
        _ => None,
    }
}

fn take_apart<'ll>(
    builder: &Builder<'ll>,
    index: IntType<'ll>,
    old: InstructionValue<'ll>,
    x: VectorValue<'ll>,
    y: VectorValue<'ll>,
) -> Result<(), BuilderError> {
    builder.position_before(&old);
    let mut result = x.get_type().get_poison();
    for lane in 0..x.get_type().get_size() {
        let at = index.const_int(lane.into(), false);
        let a = builder.build_extract_element(x, at, "")?.into_int_value();
        let b = builder.build_extract_element(y, at, "")?.into_int_value();
        let sum = match old.get_opcode() {
            InstructionOpcode::Add => builder.build_int_add(a, b, "")?,
            _ => builder.build_int_sub(a, b, "")?,
        };
        result = builder.build_insert_element(result, sum, at, "")?;
    }
    // Of constants alone, which the builder folds and the optimiser had folded, no instruction comes.
    if let Some(new) = result.as_instruction() {
        old.replace_all_uses_with(&new);
        old.erase_from_basic_block();
    }
    Ok(())
}
