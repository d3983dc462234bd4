//! Integer operations that are defined for all operands, from `arith`'s, which are not.

use melior::ir::r#type::IntegerType;
use melior::ir::{Value, ValueLike};
use mytriton_tile::emit::{CmpI, Emitter, element_type};
use mytriton_tile::ops::arith;

/// A logical shift by `arith.shli` or `arith.shrui`: one by the width or more brings in nothing but zeros.
///
/// The amount is cut to the width less 1 rather than chosen by the guard: LLVM 22's NVPTX backend takes a guarded shift for
/// PTX's clamping one, whose 32-bit amount drops the upper half of a 64-bit one.
pub fn logical_shift<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    shift: &str,
    a: Value<'c, 'a>,
    b: Value<'c, 'a>,
) -> Value<'c, 'a> {
    let [last, zero] = [width(a) - 1, 0].map(|value| emitter.int_like(a.r#type(), value));
    let amount = emitter.binary(arith::MINUI, b, last);
    let shifted = emitter.binary(shift, a, amount);
    let beyond = emitter.cmpi(CmpI::Ugt, b, last);
    emitter.select(beyond, zero, shifted)
}

/// A shift to the right that brings in the sign, also one by the width or more.
pub fn arithmetic_shift<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, a: Value<'c, 'a>, b: Value<'c, 'a>) -> Value<'c, 'a> {
    let last = emitter.int_like(a.r#type(), width(a) - 1);
    let amount = emitter.binary(arith::MINUI, b, last);
    emitter.binary(arith::SHRSI, a, amount)
}

/// The quotient or the remainder of a division.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Division {
    Quotient,
    Remainder,
}

/// A division without sign. By zero it is undefined in LLVM and may give anything here: divides by 1 instead.
pub fn divide_unsigned<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    division: Division,
    a: Value<'c, 'a>,
    b: Value<'c, 'a>,
) -> Value<'c, 'a> {
    if width(a) == 1 {
        return divide_booleans(emitter, division, a);
    }
    let by = match division {
        Division::Quotient => arith::DIVUI,
        Division::Remainder => arith::REMUI,
    };
    let [zero, one] = [0, 1].map(|value| emitter.int_like(a.r#type(), value));
    let bad = emitter.cmpi(CmpI::Eq, b, zero);
    let divisor = emitter.select(bad, one, b);
    emitter.binary(by, a, divisor)
}

/// A division with sign. By zero, and of the least number by -1, it is undefined in LLVM: divides by 1 instead.
pub fn divide_signed<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    division: Division,
    a: Value<'c, 'a>,
    b: Value<'c, 'a>,
) -> Value<'c, 'a> {
    let width = width(a);
    if width == 1 {
        return divide_booleans(emitter, division, a);
    }
    let by = match division {
        Division::Quotient => arith::DIVSI,
        Division::Remainder => arith::REMSI,
    };
    let constant = |value: i64| emitter.int_like(a.r#type(), value);
    let (zero, one, minus_one) = (constant(0), constant(1), constant(-1));
    let least = constant(if width == 64 { i64::MIN } else { -(1 << (width - 1)) });
    let by_zero = emitter.cmpi(CmpI::Eq, b, zero);
    let is_least = emitter.cmpi(CmpI::Eq, a, least);
    let by_minus_one = emitter.cmpi(CmpI::Eq, b, minus_one);
    let overflow = emitter.binary(arith::ANDI, is_least, by_minus_one);
    let bad = emitter.binary(arith::ORI, by_zero, overflow);
    let divisor = emitter.select(bad, one, b);
    emitter.binary(by, a, divisor)
}

/// The only divisor of `i1`s with a defined result is 1.
fn divide_booleans<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, division: Division, a: Value<'c, 'a>) -> Value<'c, 'a> {
    match division {
        Division::Quotient => a,
        Division::Remainder => emitter.int_like(a.r#type(), 0),
    }
}

fn width(value: Value<'_, '_>) -> i64 {
    let int = IntegerType::try_from(element_type(value.r#type()));
    int.map_or(64, |int| i64::from(int.width()))
}
