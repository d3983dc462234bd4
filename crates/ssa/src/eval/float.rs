//! Floats of every width.
//!
//! Two facts carry this file. A type with p digits holds the sum, product, quotient or root of two numbers of a type
//! with q digits well enough that rounding it again to q digits gives the correctly rounded result, if p >= 2 q + 2
//! (Figueroa, "When is double rounding innocuous?", SIGNUM Newsletter 30, 1995): so `f64` (53) serves `f16` (11),
//! `bf16` (8) and `f32` (24). A sum of three has no such bound; there rounding to odd in the wider type keeps the
//! second rounding right (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).

use std::cmp::Ordering;

use crate::constant::Const;
use crate::op::{BinaryOp, CmpPred, UnaryOp};
use crate::types::Scalar;

fn value(x: Const) -> f64 {
    x.as_f64().expect("a floating-point number")
}

fn as_f32(x: Const) -> f32 {
    // Exact for every type that this is called for: none is wider than f32.
    value(x) as f32
}

/// The quiet NaN without sign or payload.
fn nan(scalar: Scalar) -> Const {
    let bits = match scalar {
        Scalar::F16 => 0x7E00,
        Scalar::BF16 => 0x7FC0,
        Scalar::F32 => 0x7FC0_0000,
        _ => 0x7FF8_0000_0000_0000,
    };
    Const::from_bits(scalar, bits)
}

/// `value` rounded once.
fn rounded(scalar: Scalar, value: f64) -> Const {
    if value.is_nan() {
        nan(scalar)
    } else {
        Const::from_f64(scalar, value)
    }
}

/// `value` rounded to `f32` first where the type is narrower, as the language defines for inexact functions.
fn rounded_through_f32(scalar: Scalar, value: f64) -> Const {
    match scalar {
        Scalar::F16 | Scalar::BF16 => rounded(scalar, f64::from(value as f32)),
        _ => rounded(scalar, value),
    }
}

pub(super) fn unary(op: UnaryOp, x: Const) -> Const {
    let scalar = x.scalar();
    let sign = 1u64 << (scalar.bits() - 1);
    let v = value(x);
    match op {
        UnaryOp::Neg => Const::from_bits(scalar, x.bits() ^ sign),
        UnaryOp::Abs => Const::from_bits(scalar, x.bits() & !sign),
        UnaryOp::Exp => rounded_through_f32(scalar, libm::exp(v)),
        UnaryOp::Exp2 => rounded_through_f32(scalar, libm::exp2(v)),
        UnaryOp::Expm1 => rounded_through_f32(scalar, libm::expm1(v)),
        UnaryOp::Log => rounded_through_f32(scalar, libm::log(v)),
        UnaryOp::Log2 => rounded_through_f32(scalar, libm::log2(v)),
        UnaryOp::Log10 => rounded_through_f32(scalar, libm::log10(v)),
        UnaryOp::Log1p => rounded_through_f32(scalar, libm::log1p(v)),
        UnaryOp::Sin => rounded_through_f32(scalar, libm::sin(v)),
        UnaryOp::Cos => rounded_through_f32(scalar, libm::cos(v)),
        UnaryOp::Tan => rounded_through_f32(scalar, libm::tan(v)),
        UnaryOp::Tanh => rounded_through_f32(scalar, libm::tanh(v)),
        UnaryOp::Erf => rounded_through_f32(scalar, libm::erf(v)),
        UnaryOp::Acos => rounded_through_f32(scalar, libm::acos(v)),
        UnaryOp::Acosh => rounded_through_f32(scalar, acosh(v)),
        UnaryOp::Asin => rounded_through_f32(scalar, libm::asin(v)),
        UnaryOp::Asinh => rounded_through_f32(scalar, libm::asinh(v)),
        UnaryOp::Atan => rounded_through_f32(scalar, libm::atan(v)),
        UnaryOp::Atanh => rounded_through_f32(scalar, libm::atanh(v)),
        UnaryOp::Cbrt => rounded_through_f32(scalar, libm::cbrt(v)),
        UnaryOp::Cosh => rounded_through_f32(scalar, libm::cosh(v)),
        UnaryOp::CosPi => rounded_through_f32(scalar, sin_cos_pi(v).1),
        UnaryOp::Erfc => rounded_through_f32(scalar, libm::erfc(v)),
        UnaryOp::Exp10 => rounded_through_f32(scalar, libm::exp10(v)),
        UnaryOp::Lgamma => rounded_through_f32(scalar, libm::lgamma(v)),
        UnaryOp::Sinh => rounded_through_f32(scalar, libm::sinh(v)),
        UnaryOp::SinPi => rounded_through_f32(scalar, sin_cos_pi(v).0),
        UnaryOp::Tgamma => rounded_through_f32(scalar, libm::tgamma(v)),
        UnaryOp::Sqrt | UnaryOp::SqrtRn => rounded(scalar, v.sqrt()),
        UnaryOp::Rsqrt => rounded_through_f32(scalar, 1.0 / v.sqrt()),
        // An integer of at most the operand's digits, so exact in its type.
        UnaryOp::Floor => rounded(scalar, v.floor()),
        UnaryOp::Ceil => rounded(scalar, v.ceil()),
        UnaryOp::Trunc => rounded(scalar, v.trunc()),
        UnaryOp::Round => rounded(scalar, v.round()),
        UnaryOp::RoundEven => rounded(scalar, v.round_ties_even()),
    }
}

pub(super) fn binary(op: BinaryOp, a: Const, b: Const) -> Const {
    let scalar = a.scalar();
    // The second operand of `powi` is an integer of 32 bits.
    let (x, y) = (
        value(a),
        b.as_f64().or(b.as_signed().map(|n| n as f64)).expect("a number"),
    );
    match op {
        BinaryOp::Add => rounded(scalar, x + y),
        BinaryOp::Sub => rounded(scalar, x - y),
        BinaryOp::Mul => rounded(scalar, x * y),
        BinaryOp::Div | BinaryOp::DivRn => rounded(scalar, x / y),
        // Rust's `%` is C's `fmod`, which is exact and keeps the digits of its operands' type.
        BinaryOp::Rem => rounded(scalar, x % y),
        BinaryOp::Min => pick(a, b, false, |order| order.is_le()),
        BinaryOp::Max => pick(a, b, false, |order| order.is_ge()),
        BinaryOp::MinNan => pick(a, b, true, |order| order.is_le()),
        BinaryOp::MaxNan => pick(a, b, true, |order| order.is_ge()),
        BinaryOp::Pow | BinaryOp::PowI => rounded_through_f32(scalar, libm::pow(x, y)),
        BinaryOp::Atan2 => rounded_through_f32(scalar, libm::atan2(x, y)),
        // A difference, rounded as any.
        BinaryOp::Fdim => match x.partial_cmp(&y) {
            Some(Ordering::Greater) => rounded(scalar, x - y),
            Some(Ordering::Less | Ordering::Equal) => Const::zero(scalar),
            None => nan(scalar),
        },
        BinaryOp::Hypot => rounded_through_f32(scalar, libm::hypot(x, y)),
        BinaryOp::NextAfter => match scalar {
            Scalar::F32 => rounded(scalar, f64::from(libm::nextafterf(as_f32(a), as_f32(b)))),
            _ => rounded(scalar, libm::nextafter(x, y)),
        },
        // Exact, as `fmod` is.
        BinaryOp::Remainder => rounded(scalar, libm::remainder(x, y)),
        BinaryOp::DivS
        | BinaryOp::DivU
        | BinaryOp::RemS
        | BinaryOp::RemU
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::ShrS
        | BinaryOp::ShrU
        | BinaryOp::MinS
        | BinaryOp::MaxS
        | BinaryOp::MinU
        | BinaryOp::MaxU => panic!("{op} is not defined for {scalar}"),
    }
}

/// The inverse hyperbolic cosine: `libm` computes on below 1, where there is none.
fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// Sine and cosine of pi x, from an exact reduction to the nearest multiple of a half.
fn sin_cos_pi(x: f64) -> (f64, f64) {
    if !x.is_finite() {
        return (f64::NAN, f64::NAN);
    }
    // x is `halves / 2 + rest` and a multiple of 2.
    let turned = x % 2.0;
    let halves = (2.0 * turned).round_ties_even();
    let (sine, cosine) = libm::sincos(std::f64::consts::PI * (turned - halves / 2.0));
    // Added to 0.0, a zero is positive: that of a cosine.
    match (halves as i64).rem_euclid(4) {
        0 if sine == 0.0 => (0f64.copysign(x), cosine),
        0 => (sine, cosine),
        1 => (cosine, 0.0 - sine),
        2 if sine == 0.0 => (0f64.copysign(x), -cosine),
        2 => (-sine, -cosine),
        _ => (-cosine, 0.0 + sine),
    }
}

/// The operand that `first` chooses by their total order (`-0.0` below `0.0`); NaN wins if `nan_wins`, else loses.
fn pick(a: Const, b: Const, nan_wins: bool, first: impl Fn(Ordering) -> bool) -> Const {
    match (a.is_nan(), b.is_nan()) {
        (false, false) if first(value(a).total_cmp(&value(b))) => a,
        (false, false) => b,
        (false, true) if !nan_wins => a,
        (true, false) if !nan_wins => b,
        _ => nan(a.scalar()),
    }
}

pub(super) fn fma(a: Const, b: Const, c: Const) -> Const {
    let scalar = a.scalar();
    let (x, y, z) = (value(a), value(b), value(c));
    let exact_once = match scalar {
        Scalar::F64 => x.mul_add(y, z),
        // The product of two numbers of at most 24 digits is exact in f64.
        _ => add_to_odd(x * y, z),
    };
    rounded(scalar, exact_once)
}

/// The sum, and if it is inexact that neighbour of it whose last digit is odd. Neither over- nor underflows for
/// operands in the range of `f32` products.
fn add_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if !sum.is_finite() {
        return sum;
    }
    // Knuth's two-sum: `sum + error` is a + b exactly.
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    if error == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    let away_from_zero = error.signum() == sum.signum();
    f64::from_bits(if away_from_zero {
        sum.to_bits() + 1
    } else {
        sum.to_bits() - 1
    })
}

pub(super) fn cmp(pred: CmpPred, a: Const, b: Const) -> bool {
    let (x, y) = (value(a), value(b));
    match pred {
        CmpPred::Eq => x == y,
        CmpPred::Ne => x != y,
        CmpPred::Lt => x < y,
        CmpPred::Le => x <= y,
        CmpPred::Gt => x > y,
        CmpPred::Ge => x >= y,
        CmpPred::LtU | CmpPred::LeU | CmpPred::GtU | CmpPred::GeU => {
            panic!("{pred} is not defined for {}", a.scalar())
        }
    }
}

#[cfg(test)]
mod tests;
