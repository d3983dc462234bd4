//! When two results count as the same.
//!
//! | what a result comes from | rule |
//! |---|---|
//! | integers, truth values, moves, casts, comparisons, `select` | the same bits |
//! | `+ - * rem div_rn sqrt_rn fma min max neg abs` and the roundings to integers, with fusion off | the same bits; a NaN for a NaN |
//! | functions of `f32` | the language's bound in ulps, half an ulp more as the oracle rounds too |
//! | `exp` of `f32` | relative 2^-22 + abs x 2^-23 |
//! | functions of `f64` | 3 ulp: 2 of the libraries, 1 of the oracle's |
//! | functions of `f16` and `bf16` | 1 ulp: the `f32` result may lie beyond a boundary of rounding |
//! | what is not an output at all | the same bytes |

use mytriton_ssa::{BinaryOp, Const, OpKind, Scalar, UnaryOp};

/// How an output is compared with the oracle's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rule {
    /// The same bits, or both NaN.
    Exact,
    /// So many units in the last place, counted at the oracle's result.
    Ulp(f64),
    /// The bound of `exp` in `f32`.
    Exp,
    /// The same bits as the oracle has there, or as it has so many elements further: `x * y + z` rounded twice or once.
    Either(usize),
}

/// The rule for the result of an operation with operands of a type.
pub fn rule_of(kind: &OpKind, operand: Scalar) -> Rule {
    match kind {
        OpKind::Unary(op) => unary(*op, operand),
        OpKind::Binary(BinaryOp::Div) => by_type(operand, 2.0, None),
        OpKind::Binary(BinaryOp::Pow) => by_type(operand, 4.0, Some(3.0)),
        _ => Rule::Exact,
    }
}

fn unary(op: UnaryOp, operand: Scalar) -> Rule {
    use UnaryOp::*;
    match op {
        Neg | Abs | SqrtRn | Floor | Ceil | Trunc | Round | RoundEven => Rule::Exact,
        Exp if operand == Scalar::F32 => Rule::Exp,
        Sqrt => by_type(operand, 3.0, None),
        Exp2 | Rsqrt | Erf | Tanh => by_type(operand, 3.0, Some(3.0)),
        Tan => by_type(operand, 4.0, Some(3.0)),
        Exp | Expm1 | Log | Log2 | Log10 | Log1p | Sin | Cos => by_type(operand, 2.0, Some(3.0)),
    }
}

/// The bound in `f32`, and that in `f64` unless it is exact there.
fn by_type(operand: Scalar, single: f64, double: Option<f64>) -> Rule {
    match operand {
        Scalar::F32 => Rule::Ulp(single + 0.5),
        Scalar::F64 => double.map_or(Rule::Exact, Rule::Ulp),
        _ => Rule::Ulp(1.0),
    }
}

/// Does a result count as the oracle's? `alternative` is what [`Rule::Either`] looks at.
pub fn agrees(rule: Rule, got: Const, oracle: Const, alternative: Option<Const>) -> bool {
    if got == oracle || (got.is_nan() && oracle.is_nan()) {
        return true;
    }
    let scalar = oracle.scalar();
    match rule {
        Rule::Exact => false,
        Rule::Either(_) => alternative.is_some_and(|other| got == other || (got.is_nan() && other.is_nan())),
        Rule::Ulp(bound) => near(scalar, got, oracle, |exact| bound * ulp(scalar, exact)),
        Rule::Exp => near(scalar, got, oracle, |exact| {
            // The argument, from the result; where that is denormal its digits end first.
            let argument = exact.abs().max(f64::from(f32::MIN_POSITIVE)).ln().abs();
            let relative = 2f64.powi(-22) + argument * 2f64.powi(-23);
            exact.abs() * relative + ulp(scalar, exact)
        }),
    }
}

fn near(scalar: Scalar, got: Const, oracle: Const, bound: impl Fn(f64) -> f64) -> bool {
    let (Some(got), Some(exact)) = (got.as_f64(), oracle.as_f64()) else {
        return false;
    };
    if got.is_nan() || exact.is_nan() || (got == 0.0 && exact == 0.0) {
        // One NaN alone, or zeros of two signs.
        return false;
    }
    // An infinity stands for the number after the largest, so that results at the edge may fall on either side.
    let finite = |value: f64| {
        if value.is_infinite() {
            beyond(scalar).copysign(value)
        } else {
            value
        }
    };
    let (got, exact) = (finite(got), finite(exact));
    (got - exact).abs() <= bound(exact)
}

/// Digits of the significand, the exponent of the smallest denormal, and that of infinity.
fn format(scalar: Scalar) -> (i32, i32, i32) {
    match scalar {
        Scalar::F16 => (11, -24, 16),
        Scalar::BF16 => (8, -133, 128),
        Scalar::F32 => (24, -149, 128),
        _ => (53, -1074, 1023),
    }
}

/// What infinity stands for: two to its exponent, in `f64` the largest number there is.
fn beyond(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F64 => f64::MAX,
        _ => 2f64.powi(format(scalar).2),
    }
}

/// The unit in the last place of a finite value.
fn ulp(scalar: Scalar, value: f64) -> f64 {
    let (digits, least, top) = format(scalar);
    let exponent = if value == 0.0 { least } else { exponent(value).min(top) };
    // Powers of two below the normal ones need two steps.
    let power = (exponent + 1 - digits).max(least);
    2f64.powi(power / 2) * 2f64.powi(power - power / 2)
}

/// e with 2^e <= abs value < 2^(e+1).
fn exponent(value: f64) -> i32 {
    let biased = (value.to_bits() >> 52 & 0x7FF) as i32;
    match biased {
        0 => 63 - (value.to_bits() << 1 >> 1).leading_zeros() as i32 - 1074,
        _ => biased - 1023,
    }
}

/// Checks the rules themselves: they must tell what differs.
pub fn self_check() -> Result<(), String> {
    let f = Const::f32;
    let next = |v: f32, steps: i32| f(f32::from_bits(v.to_bits().wrapping_add_signed(steps)));
    let negative_nan = Const::from_bits(Scalar::F32, 0xFFC0_0001);
    let f16 = |bits| Const::from_bits(Scalar::F16, bits);
    let cases = [
        (Rule::Exact, f(1.0), f(1.0), true),
        (Rule::Exact, next(1.0, 1), f(1.0), false),
        (Rule::Exact, f(0.0), f(-0.0), false),
        (Rule::Exact, negative_nan, f(f32::NAN), true),
        (Rule::Exact, negative_nan, f(f32::INFINITY), false),
        (Rule::Exact, Const::i32(1), Const::i32(2), false),
        (Rule::Ulp(2.5), next(1.0, 2), f(1.0), true),
        (Rule::Ulp(2.5), next(1.0, 3), f(1.0), false),
        (Rule::Ulp(2.5), f(0.0), f(-0.0), false),
        (Rule::Ulp(2.5), f(f32::NAN), f(1.0), false),
        (Rule::Ulp(2.5), f(f32::INFINITY), f(f32::MAX), true),
        (Rule::Ulp(2.5), f(f32::INFINITY), f(f32::NEG_INFINITY), false),
        (Rule::Ulp(2.5), f(f32::INFINITY), f(1e38), false),
        (Rule::Ulp(2.5), next(0.0, 2), f(0.0), true),
        (Rule::Ulp(2.5), next(0.0, 3), f(0.0), false),
        (Rule::Ulp(1.0), f16(0x7C00), f16(0x7BFF), true),
        (Rule::Ulp(1.0), f16(0x7C00), f16(0x7BFE), false),
        (Rule::Exp, next(1.0, 3), f(1.0), true),
        (Rule::Exp, next(1.0, 8), f(1.0), false),
        (Rule::Exp, next(1e30, 60), f(1e30), true),
        (Rule::Exp, next(1e30, 200), f(1e30), false),
    ];
    for (rule, got, oracle, expected) in cases {
        if agrees(rule, got, oracle, None) != expected {
            return Err(format!("{rule:?}: {got:?} for {oracle:?} should be {expected}"));
        }
    }
    let either = |got| agrees(Rule::Either(1), got, f(1.0), Some(f(2.0)));
    match (either(f(1.0)), either(f(2.0)), either(f(3.0))) {
        (true, true, false) => Ok(()),
        found => Err(format!("one of two: {found:?}")),
    }
}
