//! Arithmetic of the floating-point types, each result rounded once.
//!
//! `f16` and `bf16` compute in `f32`: sums, products, quotients and square roots of them, rounded to `f32` and then
//! again, are what one rounding would have given, since `f32` has more than twice their digits plus two. What is not
//! so simple is computed in `f64`, with the last bit holding whether digits were lost ("rounding to odd").
//!
//! A NaN that arithmetic gives is the positive quiet one without payload on every host.

#![warn(clippy::wildcard_enum_match_arm)]

use std::f64::consts::PI;

use half::{bf16, f16};
use mytriton_ssa::{BinaryOp, UnaryOp};

use crate::tile::{Element, map1, map2};

/// A type whose arithmetic the processor has.
pub(crate) trait Native:
    Copy
    + PartialOrd
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
    + std::ops::Rem<Output = Self>
{
    /// The NaN that arithmetic gives in place of any.
    ///
    /// By its bits: among floats all NaNs are one to the compiler, and it drops the choice between two.
    fn canonical(self) -> Self;
    fn is_nan(self) -> bool;
    fn is_negative(self) -> bool;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    fn round(self) -> Self;
    fn round_even(self) -> Self;
    fn sqrt(self) -> Self;
    fn next_after(self, to: Self) -> Self;
}

macro_rules! native {
    ($($ty:ty, $next_after:path;)*) => {
        $(impl Native for $ty {
            fn canonical(self) -> Self {
                let bits = self.to_bits();
                let is_nan = bits << 1 > <$ty>::INFINITY.to_bits() << 1;
                <$ty>::from_bits(if is_nan { <$ty>::NAN.to_bits() } else { bits })
            }
            fn is_nan(self) -> bool {
                <$ty>::is_nan(self)
            }
            fn is_negative(self) -> bool {
                self.is_sign_negative()
            }
            fn floor(self) -> Self {
                <$ty>::floor(self)
            }
            fn ceil(self) -> Self {
                <$ty>::ceil(self)
            }
            fn trunc(self) -> Self {
                <$ty>::trunc(self)
            }
            fn round(self) -> Self {
                <$ty>::round(self)
            }
            fn round_even(self) -> Self {
                self.round_ties_even()
            }
            fn sqrt(self) -> Self {
                <$ty>::sqrt(self)
            }
            fn next_after(self, to: Self) -> Self {
                $next_after(self, to)
            }
        })*
    };
}

native! {
    f32, libm::nextafterf;
    f64, libm::nextafter;
}

/// A floating-point type of the language. (Names differ from those of the types' own functions, which do not all round
/// once.)
pub(crate) trait Float: Element {
    /// The type that it computes in.
    type Wide: Native;
    /// Exactly.
    fn widen(self) -> Self::Wide;
    /// Rounds once, to nearest even.
    fn narrow(wide: Self::Wide) -> Self;
    fn to_f64(self) -> f64;
    /// Rounds to the type that it computes in.
    fn through_wide(value: f64) -> f64;
    /// Rounds once, to nearest even.
    fn nearest(value: f64) -> Self;
    /// Rounds once, to nearest even.
    fn nearest_int(value: i64) -> Self;
    /// Rounds once, to nearest even.
    fn nearest_uint(value: u64) -> Self;
    /// `a * b + c`, rounded once.
    fn fma(a: Self, b: Self, c: Self) -> Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
}

macro_rules! native_float {
    ($($ty:ty)*) => {
        $(impl Float for $ty {
            type Wide = $ty;
            fn widen(self) -> $ty {
                self
            }
            fn narrow(wide: $ty) -> Self {
                wide
            }
            fn to_f64(self) -> f64 {
                self.into()
            }
            fn through_wide(value: f64) -> f64 {
                f64::from(value as $ty)
            }
            fn nearest(value: f64) -> Self {
                value as $ty
            }
            fn nearest_int(value: i64) -> Self {
                value as $ty
            }
            fn nearest_uint(value: u64) -> Self {
                value as $ty
            }
            fn fma(a: Self, b: Self, c: Self) -> Self {
                a.mul_add(b, c).canonical()
            }
            fn neg(self) -> Self {
                -self
            }
            fn abs(self) -> Self {
                <$ty>::abs(self)
            }
        })*
    };
}

native_float!(f32 f64);

macro_rules! half_float {
    ($($ty:ty)*) => {
        $(impl Float for $ty {
            type Wide = f32;
            fn widen(self) -> f32 {
                self.to_f32()
            }
            fn narrow(wide: f32) -> Self {
                <$ty>::from_f32(wide)
            }
            fn to_f64(self) -> f64 {
                f64::from(self.to_f32())
            }
            fn through_wide(value: f64) -> f64 {
                f64::from(value as f32)
            }
            fn nearest(value: f64) -> Self {
                <$ty>::from_f32(to_f32_odd(value))
            }
            fn nearest_int(value: i64) -> Self {
                let magnitude = <$ty>::nearest_uint(value.unsigned_abs());
                if value < 0 { -magnitude } else { magnitude }
            }
            fn nearest_uint(value: u64) -> Self {
                // Above 2^53 the last 11 bits become one bit that tells whether any was set.
                let sticky = u64::from(value & 0x7FF != 0) << 11;
                let kept = if value >> 53 == 0 { value } else { value & !0x7FF | sticky };
                Self::nearest(kept as f64)
            }
            fn fma(a: Self, b: Self, c: Self) -> Self {
                // The product is exact: two times 11 or 8 digits, and far from the limits of f64's exponent.
                Self::nearest(add_odd(a.to_f64() * b.to_f64(), c.to_f64()).canonical())
            }
            fn neg(self) -> Self {
                -self
            }
            fn abs(self) -> Self {
                <$ty>::from_bits(self.to_bits() & 0x7FFF)
            }
        })*
    };
}

half_float!(f16 bf16);

/// The `f32` nearest to `value` toward zero, with its last bit set when digits were lost. Rounding that once more to a
/// type with at least two digits fewer is rounding `value` once.
fn to_f32_odd(value: f64) -> f32 {
    let nearest = value as f32;
    let wide = f64::from(nearest);
    if value.is_nan() || wide == value {
        return nearest;
    }
    let beyond = u32::from(wide.abs() > value.abs());
    f32::from_bits((nearest.to_bits() - beyond) | 1)
}

/// The sum rounded to odd: toward zero, with the last bit set when digits were lost.
fn add_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // What rounding lost, exactly (Knuth's two-sum).
    let b_part = sum - a;
    let lost = (a - (sum - b_part)) + (b - b_part);
    if !sum.is_finite() || lost == 0.0 {
        return sum;
    }
    let beyond = u64::from(lost.signum() != sum.signum());
    f64::from_bits((sum.to_bits() - beyond) | 1)
}

/// A result computed in double precision, which makes it nearly always the correctly rounded one in `f32`. The
/// language rounds it to `f32` before narrower types.
fn inexact<T: Float>(value: f64) -> T {
    T::nearest(T::through_wide(value).canonical())
}

/// Appends the function of each element to `out`.
pub(crate) fn unary<T: Float>(op: UnaryOp, x: &[T], out: &mut Vec<T>) {
    fn precise<T: Float>(x: &[T], out: &mut Vec<T>, f: fn(f64) -> f64) {
        map1(x, out, |x| inexact(f(x.to_f64())));
    }
    fn wide<T: Float>(x: &[T], out: &mut Vec<T>, f: impl Fn(T::Wide) -> T::Wide) {
        map1(x, out, |x| T::narrow(f(x.widen()).canonical()));
    }
    match op {
        UnaryOp::Neg => map1(x, out, T::neg),
        UnaryOp::Abs => map1(x, out, T::abs),
        UnaryOp::Exp => precise(x, out, libm::exp),
        UnaryOp::Exp2 => precise(x, out, libm::exp2),
        UnaryOp::Expm1 => precise(x, out, libm::expm1),
        UnaryOp::Log => precise(x, out, libm::log),
        UnaryOp::Log2 => precise(x, out, libm::log2),
        UnaryOp::Log10 => precise(x, out, libm::log10),
        UnaryOp::Log1p => precise(x, out, libm::log1p),
        UnaryOp::Sin => precise(x, out, libm::sin),
        UnaryOp::Cos => precise(x, out, libm::cos),
        UnaryOp::Tan => precise(x, out, libm::tan),
        UnaryOp::Tanh => precise(x, out, libm::tanh),
        UnaryOp::Erf => precise(x, out, libm::erf),
        UnaryOp::Acos => precise(x, out, libm::acos),
        UnaryOp::Acosh => precise(x, out, |x| if x < 1.0 { f64::NAN } else { libm::acosh(x) }),
        UnaryOp::Asin => precise(x, out, libm::asin),
        UnaryOp::Asinh => precise(x, out, libm::asinh),
        UnaryOp::Atan => precise(x, out, libm::atan),
        UnaryOp::Atanh => precise(x, out, libm::atanh),
        UnaryOp::Cbrt => precise(x, out, libm::cbrt),
        UnaryOp::Cosh => precise(x, out, libm::cosh),
        UnaryOp::CosPi => precise(x, out, cos_pi),
        UnaryOp::Erfc => precise(x, out, libm::erfc),
        UnaryOp::Exp10 => precise(x, out, libm::exp10),
        UnaryOp::Lgamma => precise(x, out, libm::lgamma),
        UnaryOp::Sinh => precise(x, out, libm::sinh),
        UnaryOp::SinPi => precise(x, out, sin_pi),
        UnaryOp::Tgamma => precise(x, out, libm::tgamma),
        UnaryOp::Sqrt | UnaryOp::SqrtRn => wide(x, out, T::Wide::sqrt),
        UnaryOp::Rsqrt => precise(x, out, |x| 1.0 / x.sqrt()),
        UnaryOp::Floor => wide(x, out, T::Wide::floor),
        UnaryOp::Ceil => wide(x, out, T::Wide::ceil),
        UnaryOp::Trunc => wide(x, out, T::Wide::trunc),
        UnaryOp::Round => wide(x, out, T::Wide::round),
        UnaryOp::RoundEven => wide(x, out, T::Wide::round_even),
    }
}

/// Appends the function of each pair to `out`.
pub(crate) fn binary<T: Float>(op: BinaryOp, a: &[T], b: &[T], out: &mut Vec<T>) {
    fn wide<T: Float>(a: &[T], b: &[T], out: &mut Vec<T>, f: impl Fn(T::Wide, T::Wide) -> T::Wide) {
        map2(a, b, out, |a, b| T::narrow(f(a.widen(), b.widen()).canonical()));
    }
    fn precise<T: Float>(a: &[T], b: &[T], out: &mut Vec<T>, f: fn(f64, f64) -> f64) {
        map2(a, b, out, |a, b| inexact(f(a.to_f64(), b.to_f64())));
    }
    match op {
        BinaryOp::Add => wide(a, b, out, |a, b| a + b),
        BinaryOp::Sub => wide(a, b, out, |a, b| a - b),
        BinaryOp::Mul => wide(a, b, out, |a, b| a * b),
        BinaryOp::Div | BinaryOp::DivRn => wide(a, b, out, |a, b| a / b),
        // Rust's remainder is C's fmod, which is exact.
        BinaryOp::Rem => wide(a, b, out, |a, b| a % b),
        BinaryOp::Min => wide(a, b, out, |a, b| if b.is_nan() || below(a, b) { a } else { b }),
        BinaryOp::Max => wide(a, b, out, |a, b| if b.is_nan() || below(b, a) { a } else { b }),
        BinaryOp::MinNan => wide(a, b, out, |a, b| if a.is_nan() || below(a, b) { a } else { b }),
        BinaryOp::MaxNan => wide(a, b, out, |a, b| if a.is_nan() || below(b, a) { a } else { b }),
        BinaryOp::Pow => precise(a, b, out, libm::pow),
        BinaryOp::Atan2 => precise(a, b, out, libm::atan2),
        BinaryOp::Fdim => precise(a, b, out, libm::fdim),
        BinaryOp::Hypot => precise(a, b, out, libm::hypot),
        BinaryOp::NextAfter => wide(a, b, out, T::Wide::next_after),
        BinaryOp::Remainder => precise(a, b, out, libm::remainder),
        BinaryOp::PowI => unreachable!("its second operand is an integer"),
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
        | BinaryOp::MaxU => unreachable!("'{op}' of floating-point numbers"),
    }
}

/// The sine of pi x: that of the distance to the nearest integer, which is exact, with the sign that the integer gives.
fn sin_pi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let integer = x.round_ties_even();
    let distance = x - integer;
    if distance == 0.0 {
        return 0f64.copysign(x);
    }
    let sign = if integer % 2.0 == 0.0 { 1.0 } else { -1.0 };
    sign * match distance.abs() > 0.25 {
        // The sine of an angle near a quarter turn is the cosine of what is left to it.
        true => libm::cos(PI * (0.5 - distance.abs())).copysign(distance),
        false => libm::sin(PI * distance),
    }
}

/// The cosine of pi x, in the same way.
fn cos_pi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let integer = x.round_ties_even();
    let distance = (x - integer).abs();
    if distance == 0.5 {
        return 0.0;
    }
    let sign = if integer % 2.0 == 0.0 { 1.0 } else { -1.0 };
    sign * match distance > 0.25 {
        true => libm::sin(PI * (0.5 - distance)),
        false => libm::cos(PI * distance),
    }
}

/// Appends the power of each number to an integer to `out`.
pub(crate) fn powi<T: Float>(x: &[T], n: &[i32], out: &mut Vec<T>) {
    map2(x, n, out, |x, n| inexact(libm::pow(x.to_f64(), f64::from(n))));
}

/// Is `a` less than `b`, with -0 below +0? False when either is NaN.
fn below<T: Native>(a: T, b: T) -> bool {
    a < b || (a == b && a.is_negative() && !b.is_negative())
}

/// Appends `a * b + c` of each triple to `out`.
pub(crate) fn fma<T: Float>(a: &[T], b: &[T], c: &[T], out: &mut Vec<T>) {
    out.extend(a.iter().zip(b).zip(c).map(|((&a, &b), &c)| T::fma(a, b, c)));
}
