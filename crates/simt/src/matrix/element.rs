//! Types of matrix elements: their bits as numbers.
//!
//! All of them, and all their products, are exact in `f64`.

use half::{bf16, f16};
use mytriton_ssa::{Const, Scalar};

/// Types of the elements of A and B.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Input {
    /// IEEE half precision.
    F16,
    /// bfloat16.
    BF16,
    /// The upper 19 bits of an `f32`; the others are ignored.
    TF32,
    /// Signed bytes.
    S8,
    /// Unsigned bytes.
    U8,
    /// 8-bit floats of 4 bits of exponent: finite, and NaN (OCP 8-bit floating point specification).
    E4M3,
    /// 8-bit floats of 5 bits of exponent.
    E5M2,
}

/// Types of the elements of C and D.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Accumulator {
    /// Single precision.
    F32,
    /// Half precision.
    F16,
    /// 32-bit integers.
    S32,
}

impl Input {
    /// Bits of an element as it lies in memory and registers.
    pub const fn bits(self) -> u32 {
        match self {
            Input::TF32 => 32,
            Input::F16 | Input::BF16 => 16,
            Input::S8 | Input::U8 | Input::E4M3 | Input::E5M2 => 8,
        }
    }

    /// The number of an element's bits.
    pub(crate) fn value(self, bits: u32) -> f64 {
        match self {
            Input::F16 => f16::from_bits(bits as u16).to_f64(),
            Input::BF16 => bf16::from_bits(bits as u16).to_f64(),
            Input::TF32 => f64::from(f32::from_bits(bits & !0x1FFF)),
            Input::S8 => f64::from(bits as u8 as i8),
            Input::U8 => f64::from(bits as u8),
            Input::E4M3 => e4m3(bits as u8),
            // The upper half of an f16.
            Input::E5M2 => f16::from_bits((bits as u16) << 8).to_f64(),
        }
    }
}

fn e4m3(bits: u8) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 3 & 15), f64::from(bits & 7));
    let magnitude = match (exponent, bits & 7) {
        (15, 7) => f64::NAN,
        (0, _) => fraction * 2f64.powi(-9),
        _ => (8.0 + fraction) * 2f64.powi(exponent - 10),
    };
    if bits >> 7 != 0 { -magnitude } else { magnitude }
}

impl Accumulator {
    /// Bits of an element.
    pub const fn bits(self) -> u32 {
        match self {
            Accumulator::F16 => 16,
            Accumulator::F32 | Accumulator::S32 => 32,
        }
    }

    pub(crate) fn value(self, bits: u32) -> f64 {
        match self {
            Accumulator::F32 => f64::from(f32::from_bits(bits)),
            Accumulator::F16 => f16::from_bits(bits as u16).to_f64(),
            Accumulator::S32 => f64::from(bits as i32),
        }
    }

    /// The bits of the nearest number; NaN is the hardware's. Of integers, the low bits or, with `saturate`, the nearest.
    pub(crate) fn bits_of(self, value: f64, saturate: bool) -> u32 {
        match self {
            Accumulator::F32 if value.is_nan() => 0x7FFF_FFFF,
            Accumulator::F32 => (value as f32).to_bits(),
            Accumulator::F16 if value.is_nan() => 0x7FFF,
            Accumulator::F16 => Const::from_f64(Scalar::F16, value).bits() as u32,
            Accumulator::S32 if saturate => value as i32 as u32,
            Accumulator::S32 => value as i64 as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bit_floats() {
        let of = |bits| Input::E4M3.value(bits);
        assert_eq!([of(0x38), of(0x7E), of(0xB8), of(1)], [1.0, 448.0, -1.0, 2f64.powi(-9)]);
        assert!(of(0x7F).is_nan() && of(0xFF).is_nan());
        // Each number is larger than the one before.
        assert!((0..0x7E).all(|bits| of(bits) < of(bits + 1)));
        let of = |bits| Input::E5M2.value(bits);
        assert_eq!([of(0x3C), of(0x7B), of(0x7C)], [1.0, 57344.0, f64::INFINITY]);
    }

    #[test]
    fn results_are_rounded_once_or_wrap() {
        // Between two numbers of f16, a little above the tie.
        let above = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
        assert_eq!(Accumulator::F16.bits_of(above, false), 0x3C01);
        assert_eq!(Accumulator::F32.bits_of(f64::NAN, false), 0x7FFF_FFFF);
        assert_eq!(Accumulator::F16.bits_of(f64::NAN, false), 0x7FFF);
        let large = f64::from(i32::MAX) + 1.0;
        assert_eq!(Accumulator::S32.bits_of(large, false), 0x8000_0000);
        assert_eq!(Accumulator::S32.bits_of(large, true), 0x7FFF_FFFF);
        assert_eq!(Accumulator::S32.bits_of(-1.0, false), u32::MAX);
        assert_eq!(Input::TF32.value(0x3F80_1FFF), 1.0);
    }
}
