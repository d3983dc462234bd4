//! Contraction of a multiplication and an addition into one fused operation, which rounds once.
//!
//! The `contract` flag of each operation decides, and this module sets it. NVPTX fuses operations that have the flag,
//! and writes the rest of them without a rounding modifier (`add.f32`), which lets ptxas fuse them; operations without
//! the flag get `add.rn.f32`, which nothing fuses. The mathematics library is linked later and keeps its own choice,
//! since its error-free transformations must not be fused.

use inkwell::builder::{Builder, BuilderError};
use inkwell::module::Module;
use inkwell::values::BasicValueEnum::{FloatValue as Float, VectorValue as Vector};
use inkwell::values::{
    BasicValueEnum, CallSiteValue, FastMathFlags, FloatMathValue, InstructionOpcode, InstructionValue,
};

use crate::error::Error;

/// Allows (or forbids) fusion in every function of the module.
///
/// When it is off, no result is fused but those of `llvm.fma`: `contract` flags go, and `llvm.fmuladd`, which leaves
/// the choice to the target, becomes a multiplication and an addition.
///
/// # Errors
/// [`Error::InvalidModule`] if LLVM will not build an operation.
pub fn set_fusion(module: &Module<'_>, allowed: bool) -> Result<(), Error> {
    for function in module.get_functions() {
        for block in function.get_basic_blocks() {
            let mut next = block.get_first_instruction();
            while let Some(instruction) = next {
                // Before the instruction may be erased.
                next = instruction.get_next_instruction();
                visit(module, instruction, allowed)?;
            }
        }
    }
    Ok(())
}

fn visit<'ll>(module: &Module<'ll>, instruction: InstructionValue<'ll>, allowed: bool) -> Result<(), Error> {
    use InstructionOpcode::{FAdd, FMul, FSub};
    let opcode = instruction.get_opcode();
    match opcode {
        FAdd | FSub | FMul => {
            let flags = instruction.get_fast_math_flags().unwrap_or(FastMathFlags::empty());
            let contracts = flags.contains(FastMathFlags::AllowContract);
            if allowed && !contracts {
                // Cannot fail: these operations have flags.
                let _ = instruction.set_fast_math_flags(flags | FastMathFlags::AllowContract);
            } else if !allowed && contracts {
                // LLVM's C interface can add flags, not take them away: the operation is made anew.
                replace(module, instruction, |builder, [x, y, _]| match (x, y) {
                    (Some(Float(x)), Some(Float(y))) => {
                        arithmetic(builder, opcode, x, y).map(|value| value.as_instruction())
                    }
                    (Some(Vector(x)), Some(Vector(y))) => {
                        arithmetic(builder, opcode, x, y).map(|value| value.as_instruction())
                    }
                    _ => Ok(None),
                })?
                .map(|new| new.set_fast_math_flags(flags - FastMathFlags::AllowContract));
            }
        }
        InstructionOpcode::Call if !allowed && is_fmuladd(instruction) => {
            // fmuladd(x, y, z) = x * y + z with two roundings.
            replace(module, instruction, |builder, operands| match operands {
                [Some(Float(x)), Some(Float(y)), Some(Float(z))] => {
                    multiply_add(builder, x, y, z).map(|sum| sum.as_instruction())
                }
                [Some(Vector(x)), Some(Vector(y)), Some(Vector(z))] => {
                    multiply_add(builder, x, y, z).map(|sum| sum.as_instruction())
                }
                _ => Ok(None),
            })?;
        }
        _ => {}
    }
    Ok(())
}

fn is_fmuladd(instruction: InstructionValue<'_>) -> bool {
    let callee = CallSiteValue::try_from(instruction)
        .ok()
        .and_then(CallSiteValue::get_called_fn_value);
    callee.is_some_and(|callee| callee.get_name().to_bytes().starts_with(b"llvm.fmuladd."))
}

/// Puts what `build` makes of the first three operands in the place of `old`.
///
/// Where it makes no instruction, `old` stays: its operands are constants, which the builder folds, each operation
/// rounded by itself, just as the optimiser will.
fn replace<'ll>(
    module: &Module<'ll>,
    old: InstructionValue<'ll>,
    build: impl FnOnce(
        &Builder<'ll>,
        [Option<BasicValueEnum<'ll>>; 3],
    ) -> Result<Option<InstructionValue<'ll>>, BuilderError>,
) -> Result<Option<InstructionValue<'ll>>, Error> {
    let builder = module.get_context().create_builder();
    builder.position_before(&old);
    let operands = [0, 1, 2].map(|index| old.get_operand(index).and_then(|operand| operand.value()));
    let new = build(&builder, operands).map_err(|error| Error::InvalidModule {
        step: "the fusion option",
        message: error.to_string(),
    })?;
    if let Some(new) = new {
        old.replace_all_uses_with(&new);
        old.erase_from_basic_block();
    }
    Ok(new)
}

fn arithmetic<'ll, T: FloatMathValue<'ll>>(
    builder: &Builder<'ll>,
    opcode: InstructionOpcode,
    x: T,
    y: T,
) -> Result<T, BuilderError> {
    match opcode {
        InstructionOpcode::FAdd => builder.build_float_add(x, y, ""),
        InstructionOpcode::FSub => builder.build_float_sub(x, y, ""),
        _ => builder.build_float_mul(x, y, ""),
    }
}

fn multiply_add<'ll, T: FloatMathValue<'ll>>(builder: &Builder<'ll>, x: T, y: T, z: T) -> Result<T, BuilderError> {
    let product = builder.build_float_mul(x, y, "")?;
    builder.build_float_add(product, z, "")
}
