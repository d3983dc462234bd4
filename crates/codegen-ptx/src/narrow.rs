//! Arithmetic on 8- and 16-bit integers that ptxas gets wrong, in a form that it gets right.
//!
//! Four faults of ptxas 13.0, the one in drivers of the branch 580 too, all seen on an H200 and in its disassembly:
//!
//! - `add.s16x2`, which LLVM selects for sums of two 16- or 8-bit numbers from sm_90 on: where one operand is a constant and
//!   only one half of the result is used, ptxas narrows the instruction to that half and loses the constant, so that
//!   `x + c` becomes `x` (`VIADD.16x2 R0, R2, 0x0`).
//! - `cvt` from 8 signed bits to a 16-bit register: of a constant that ptxas alone knows (what `shfl` moves, say) it keeps the
//!   sign in the bits above, and the comparison with a number that has none there fails (`ISETP.EQ.U32 R11, -0x1`).
//! - `min` and `max` of 16-bit integers, packed or not, whose result is compared with an operand: both become one
//!   `VIMNMX.S16x2` that also says of each half which operand it took, into one predicate for both.
//! - `abs.s16` of -32768: a comparison sees 32768. (PTX leaves the case open.)
//!
//! The first is prevented before instruction selection, by [`take_apart`]: it makes packed sums of more than sums, as it
//! narrows a sum of 32-bit numbers that is truncated, turns a product or shift into sums, a selection between neighbouring
//! constants into one, two comparisons into one of a difference. So it gets no arithmetic on vectors of narrow integers at
//! all but what `stays_packed` lets through. The others are instructions of their own, which [`widen`] replaces in the PTX:
//! in LLVM's IR it would narrow a wider form again. [`check`] reads the result.

use std::fmt::Write;

use inkwell::module::Module;
use inkwell::types::{BasicTypeEnum, VectorType};
use inkwell::values::{InstructionOpcode, InstructionValue};

use crate::error::Error;
use crate::scalars::{self, vector_operand, vector_type};

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

/// What instruction selection makes no arithmetic of: moves of lanes and bitwise operations.
fn stays_packed(instruction: InstructionValue<'_>) -> bool {
    use InstructionOpcode::{And, BitCast, ExtractElement, InsertElement, Phi, ShuffleVector, Xor};
    matches!(
        instruction.get_opcode(),
        And | Xor | BitCast | ExtractElement | InsertElement | ShuffleVector | Phi
    )
}

/// An instruction of PTX that has a 16-bit register as its result, to be computed in 32 bits.
struct Narrow<'t> {
    /// The type that its operands are extended from.
    from: &'static str,
    /// The instruction on 32-bit registers; none where the extension is all.
    wide: Option<&'static str>,
    result: &'t str,
    operands: Vec<&'t str>,
}

impl<'t> Narrow<'t> {
    /// The instruction of a line, if it is one of those that ptxas gets wrong.
    fn of(line: &'t str) -> Option<Narrow<'t>> {
        let (name, rest) = line.trim().strip_suffix(';')?.split_once(char::is_whitespace)?;
        let mut registers = rest.split(',').map(str::trim);
        let result = registers.next()?;
        let (from, wide) = match name {
            "cvt.s16.s8" => ("s8", None),
            _ if name.starts_with("cvt.s8.") && result.starts_with("%rs") => ("s8", None),
            "min.s16" => ("s16", Some("min.s32")),
            "max.s16" => ("s16", Some("max.s32")),
            "min.u16" => ("u16", Some("min.u32")),
            "max.u16" => ("u16", Some("max.u32")),
            "abs.s16" => ("s16", Some("abs.s32")),
            _ => return None,
        };
        Some(Narrow {
            from,
            wide,
            result,
            operands: registers.collect(),
        })
    }

    /// Appends the form in 32-bit registers, which a block of their own declares.
    fn write(&self, text: &mut String) {
        let wide = ["%wide0", "%wide1"];
        let number = if self.from.starts_with('s') { "s32" } else { "u32" };
        let mut line = |line: std::fmt::Arguments<'_>| writeln!(text, "\t{line}").expect("a string grows");
        line(format_args!("{{"));
        line(format_args!(".reg .b32 \t%wide<2>;"));
        let operands: Vec<String> = (self.operands.iter().zip(wide))
            .map(|(&operand, register)| match operand.parse::<i32>() {
                // LLVM writes constants with their sign.
                Ok(constant) if number == "u32" => (constant as u16).to_string(),
                Ok(constant) => constant.to_string(),
                Err(_) => {
                    line(format_args!("cvt.{number}.{} \t{register}, {operand};", self.from));
                    register.to_owned()
                }
            })
            .collect();
        if let Some(name) = self.wide {
            line(format_args!("{name} \t{}, {};", wide[0], operands.join(", ")));
        }
        line(format_args!("cvt.u16.u32 \t{}, {};", self.result, wide[0]));
        line(format_args!("}}"));
    }
}

/// Puts 32-bit instructions in the place of those on 16-bit registers that ptxas gets wrong.
pub fn widen(ptx: &str) -> String {
    let mut text = String::with_capacity(ptx.len() * 5 / 4);
    for line in ptx.lines() {
        match Narrow::of(line) {
            Some(narrow) => narrow.write(&mut text),
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

/// The first instruction of a PTX text that ptxas may get wrong.
pub fn find(ptx: &str) -> Option<&str> {
    ptx.lines().map(str::trim).find(|line| {
        let instruction = match line
            .strip_prefix('@')
            .and_then(|guarded| guarded.split_once(char::is_whitespace))
        {
            Some((_guard, instruction)) => instruction.trim_start(),
            None => line,
        };
        instruction.contains(".s16x2") || instruction.contains(".u16x2") || Narrow::of(instruction).is_some()
    })
}

/// Refuses a PTX text that [`find`] finds something in.
///
/// # Errors
/// [`Error::Narrow`] with the instruction.
pub fn check(ptx: &str) -> Result<(), Error> {
    match find(ptx) {
        None => Ok(()),
        Some(instruction) => Err(Error::Narrow {
            instruction: instruction.to_owned(),
        }),
    }
}
