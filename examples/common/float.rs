//! Types of elements that are floats.

use mytriton::prelude::*;

use super::F32_UNIT;

/// A type of elements, with the facts that tolerances need.
pub trait Float: Element + Into<f64> {
    /// Its unit roundoff.
    const UNIT: f64;
    /// The smallest normal number; rounding to numbers below is off by at most `UNIT` times it.
    const SMALLEST: f64;
    /// Rounds to it.
    fn round(value: f32) -> Self;

    /// A result that is right within an absolute error, with the error that rounding it to the type leaves.
    fn within(value: f64, error: f64) -> (f64, f64) {
        let magnitude = if value.is_finite() { value.abs() } else { 0.0 };
        (value, error + Self::UNIT * (magnitude + error + Self::SMALLEST))
    }
}

/// What rounding leaves of a sum of `n` terms in `f32`, as a part of the sum of their magnitudes. Roundings go up as often
/// as down, so that their errors grow with the root of their number; the factor leaves room for the unlikely.
pub fn summed(n: usize) -> f64 {
    8.0 * (n as f64).sqrt() * F32_UNIT
}

impl Float for f32 {
    const UNIT: f64 = F32_UNIT;
    const SMALLEST: f64 = f32::MIN_POSITIVE as f64;
    fn round(value: f32) -> f32 {
        value
    }
}

impl Float for f16 {
    const UNIT: f64 = 1.0 / (1 << 11) as f64;
    const SMALLEST: f64 = 1.0 / (1 << 14) as f64;
    fn round(value: f32) -> f16 {
        f16::from_f32(value)
    }
}

impl Float for bf16 {
    const UNIT: f64 = 1.0 / (1 << 8) as f64;
    const SMALLEST: f64 = f32::MIN_POSITIVE as f64;
    fn round(value: f32) -> bf16 {
        bf16::from_f32(value)
    }
}
