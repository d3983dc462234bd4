//! The scalar form of an instruction on vectors.

use inkwell::builder::{Builder, BuilderError};
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    BasicMetadataValueEnum, BasicValue, BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode,
    InstructionValue, InstructionValueError,
};

use super::{ffi, vector_type};

/// LLVM's intrinsics that compute each lane by itself and are overloaded on their result's type alone. Scalar arguments
/// serve all lanes.
const ELEMENTWISE: &[&str] = &[
    "abs",
    "bitreverse",
    "bswap",
    "canonicalize",
    "ceil",
    "copysign",
    "cos",
    "ctlz",
    "ctpop",
    "cttz",
    "exp",
    "exp2",
    "fabs",
    "floor",
    "fma",
    "fmuladd",
    "fshl",
    "fshr",
    "log",
    "log10",
    "log2",
    "maximum",
    "maximumnum",
    "maxnum",
    "minimum",
    "minimumnum",
    "minnum",
    "nearbyint",
    "pow",
    "rint",
    "round",
    "roundeven",
    "sadd.sat",
    "sin",
    "smax",
    "smin",
    "sqrt",
    "sshl.sat",
    "ssub.sat",
    "trunc",
    "uadd.sat",
    "umax",
    "umin",
    "ushl.sat",
    "usub.sat",
];

/// `fma` of `llvm.fma.v4f32`; none for what is no intrinsic of LLVM.
pub fn intrinsic_of(call: InstructionValue<'_>) -> Option<(FunctionValue<'_>, String)> {
    let callee = CallSiteValue::try_from(call).ok()?.get_called_fn_value()?;
    let (name, _type) = callee
        .get_name()
        .to_str()
        .ok()?
        .strip_prefix("llvm.")?
        .rsplit_once('.')?;
    Some((callee, name.to_owned()))
}

/// What a call on vectors calls for each of their lanes; none if it is no elementwise intrinsic.
pub fn scalar_callee<'ll>(module: &Module<'ll>, call: InstructionValue<'ll>) -> Option<FunctionValue<'ll>> {
    let element = vector_type(call)?.get_element_type();
    let (callee, name) = intrinsic_of(call)?;
    if !ELEMENTWISE.contains(&name.as_str()) {
        return None;
    }
    Intrinsic::find(callee.get_name().to_str().ok()?)?.get_declaration(module, &[element])
}

/// The value that casts of bits have made this one of.
pub fn before_casts<'ll>(mut value: BasicValueEnum<'ll>) -> BasicValueEnum<'ll> {
    while let Some(cast) = value.as_instruction_value()
        && cast.get_opcode() == InstructionOpcode::BitCast
        && let Some(from) = cast.get_operand(0).and_then(|operand| operand.value())
    {
        value = from;
    }
    value
}

/// One lane of an instruction, from this lane of its operands.
pub fn scalar<'ll>(
    builder: &Builder<'ll>,
    instruction: InstructionValue<'ll>,
    callee: Option<FunctionValue<'ll>>,
    element: BasicTypeEnum<'ll>,
    operands: &[BasicValueEnum<'ll>],
) -> Result<BasicValueEnum<'ll>, BuilderError> {
    if let Some(callee) = callee {
        let arguments: Vec<BasicMetadataValueEnum<'ll>> = operands.iter().map(|&operand| operand.into()).collect();
        let call = builder.build_call(callee, &arguments, "")?;
        return Ok(call
            .try_as_basic_value()
            .expect_basic("an elementwise intrinsic has a result"));
    }
    let (opcode, icmp, fcmp) = (
        instruction.get_opcode(),
        instruction.get_icmp_predicate(),
        instruction.get_fcmp_predicate(),
    );
    match (operands, icmp, fcmp) {
        (&[BasicValueEnum::IntValue(x), BasicValueEnum::IntValue(y)], Some(predicate), _) => {
            Ok(builder.build_int_compare(predicate, x, y, "")?.into())
        }
        (&[BasicValueEnum::FloatValue(x), BasicValueEnum::FloatValue(y)], _, Some(predicate)) => {
            Ok(builder.build_float_compare(predicate, x, y, "")?.into())
        }
        (&[x, y], None, None) => Ok(ffi::binary(builder, opcode, x, y)),
        (&[BasicValueEnum::IntValue(condition), x, y], ..) => builder.build_select(condition, x, y, ""),
        (&[BasicValueEnum::FloatValue(x)], ..) if opcode == InstructionOpcode::FNeg => {
            Ok(builder.build_float_neg(x, "")?.into())
        }
        (&[x], ..) if opcode == InstructionOpcode::Freeze => Ok(ffi::freeze(builder, x)),
        (&[x], ..) => builder.build_cast(opcode, x, element, ""),
        _ => Err(BuilderError::ExtractOutOfRange),
    }
}

/// Gives a lane the flags of the instruction that it is of: what overflows, rounds or is approximated how.
pub fn copy_flags<'ll>(from: InstructionValue<'ll>, to: BasicValueEnum<'ll>) -> Result<(), InstructionValueError> {
    use InstructionOpcode::{AShr, Add, ICmp, LShr, Mul, Or, SDiv, Shl, Sub, Trunc, UDiv, ZExt};
    // A lane of constants may have been folded to one, or to an operand.
    let Some(to) = to
        .as_instruction_value()
        .filter(|to| to.get_opcode() == from.get_opcode())
    else {
        return Ok(());
    };
    if from.can_use_fast_math_flags() {
        return to.set_fast_math_flags(from.get_fast_math_flags()?);
    }
    match from.get_opcode() {
        Add | Sub | Mul | Shl | Trunc => {
            to.set_no_signed_wrap_flag(from.get_no_signed_wrap_flag()?)?;
            to.set_no_unsigned_wrap_flag(from.get_no_unsigned_wrap_flag()?)
        }
        UDiv | SDiv | LShr | AShr => to.set_exact_flag(from.get_exact_flag()?),
        Or => to.set_disjoint_flag(from.get_disjoint_flag()?),
        ZExt => to.set_non_negative_flag(from.get_non_negative_flag()?),
        ICmp => to.set_same_sign_flag(from.get_same_sign_flag()?),
        // No other has any.
        _ => Ok(()),
    }
}
