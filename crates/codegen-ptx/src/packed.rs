//! Arithmetic on packed 8- and 16-bit integers, kept from ptxas.
//!
//! From sm_90 on LLVM selects `add.s16x2` for sums of two 16-bit numbers, and of two 8-bit ones. ptxas 13.0, the one in
//! drivers of the branch 580 too, gets it wrong where one operand is a constant and only one half of the result is used: it
//! narrows the instruction to that half and loses the constant, so that `x + c` becomes `x` (seen on an H200, in 72 of 288
//! combinations of constants and uses; the disassembly shows `VIADD.16x2 R0, R2, 0x0`; ptxas 13.5 has the constant).
//! Minima and maxima are right. Two sums of one number each cost an instruction more and are right everywhere.
//!
//! Instruction selection makes such sums of more than sums: it narrows a sum of 32-bit numbers that is truncated, turns a
//! product or shift into sums, a selection between neighbouring constants into one, two comparisons into one of a
//! difference. So it gets no arithmetic on vectors of narrow integers at all but what `stays_packed` lets through, and
//! [`check`] reads the PTX.

use inkwell::module::Module;
use inkwell::types::{BasicTypeEnum, VectorType};
use inkwell::values::{InstructionOpcode, InstructionValue};

use crate::error::Error;
use crate::scalars::{self, intrinsic_of, vector_operand, vector_type};

/// The widest elements that are packed, in bits.
const PACKED_BITS: u32 = 16;

/// Takes apart all arithmetic on vectors of 8- and 16-bit integers, and from and to them.
///
/// # Errors
/// [`Error::InvalidModule`] if LLVM will not build an operation.
pub fn take_apart(module: &Module<'_>) -> Result<(), Error> {
    scalars::take_apart(module, |instruction| {
        let operand = || vector_operand(instruction, 0).map(|vector| vector.get_type());
        let second = || vector_operand(instruction, 1).map(|vector| vector.get_type());
        let narrow = [vector_type(instruction), operand(), second()]
            .into_iter()
            .flatten()
            .any(is_narrow);
        narrow && !stays_packed(instruction)
    })
}

fn is_narrow(ty: VectorType<'_>) -> bool {
    match ty.get_element_type() {
        // One bit is a boolean, which is never packed.
        BasicTypeEnum::IntType(element) => (2..=PACKED_BITS).contains(&element.get_bit_width()),
        _ => false,
    }
}

/// What instruction selection makes no sum of: moves of lanes, bitwise operations, minima and maxima.
fn stays_packed(instruction: InstructionValue<'_>) -> bool {
    use InstructionOpcode::{And, BitCast, Call, ExtractElement, InsertElement, Phi, ShuffleVector, Xor};
    match instruction.get_opcode() {
        And | Xor | BitCast | ExtractElement | InsertElement | ShuffleVector | Phi => true,
        Call => {
            let minimum_or_maximum = |name: &str| matches!(name, "smin" | "smax" | "umin" | "umax");
            intrinsic_of(instruction).is_some_and(|(_, name)| minimum_or_maximum(&name))
        }
        _ => false,
    }
}

/// The first instruction of a PTX text that computes on packed integers, other than a minimum or maximum: what ptxas may
/// get wrong.
pub fn find(ptx: &str) -> Option<&str> {
    let packed = |line: &&str| line.contains(".s16x2") || line.contains(".u16x2");
    let right = |line: &&str| {
        line.split_whitespace()
            .any(|word| word.starts_with("min.") || word.starts_with("max."))
    };
    ptx.lines().filter(packed).find(|line| !right(line)).map(str::trim)
}

/// Refuses a PTX text that [`find`] finds something in.
///
/// # Errors
/// [`Error::Packed`] with the instruction.
pub fn check(ptx: &str) -> Result<(), Error> {
    match find(ptx) {
        None => Ok(()),
        Some(instruction) => Err(Error::Packed {
            instruction: instruction.to_owned(),
        }),
    }
}
