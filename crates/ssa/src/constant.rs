//! Constant values, kept as the exact bits of their type.

use std::fmt;

use half::{bf16, f16};

use crate::types::Scalar;

/// One number of a scalar type, as its bits (upper bits zero). Two constants are equal when their bits are: `-0.0` and
/// `0.0` differ, a NaN equals itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Const {
    scalar: Scalar,
    bits: u64,
}

impl Const {
    /// The constant of the given type with these bits; bits beyond the type's width are dropped.
    pub const fn from_bits(scalar: Scalar, bits: u64) -> Const {
        Const {
            scalar,
            bits: bits & scalar.bit_mask(),
        }
    }

    /// A boolean.
    pub const fn bool(value: bool) -> Const {
        Const {
            scalar: Scalar::I1,
            bits: value as u64,
        }
    }

    /// An `i32`.
    pub const fn i32(value: i32) -> Const {
        Const::from_bits(Scalar::I32, value as u32 as u64)
    }

    /// An `f32`.
    pub const fn f32(value: f32) -> Const {
        Const::from_bits(Scalar::F32, value.to_bits() as u64)
    }

    /// The integer `value`, wrapped to an integer type or rounded once to the nearest of a floating-point type.
    pub fn from_int(scalar: Scalar, value: i128) -> Const {
        match scalar {
            Scalar::F32 => Const::f32(value as f32),
            Scalar::F64 => Const::from_bits(scalar, (value as f64).to_bits()),
            // Rounding to odd on the way keeps the second rounding right: f64 has more than twice their digits plus two.
            Scalar::F16 | Scalar::BF16 => Const::from_f64(scalar, int_to_f64_odd(value)),
            _ => Const::from_bits(scalar, value as u64),
        }
    }

    /// The number `value`, rounded once to the nearest even of a floating-point type; to an integer type it
    /// truncates and saturates, NaN giving 0; to `i1` it is `value != 0`.
    pub fn from_f64(scalar: Scalar, value: f64) -> Const {
        let bits = match scalar {
            Scalar::I1 => u64::from(value != 0.0),
            Scalar::I8 => value as i8 as u64,
            Scalar::I16 => value as i16 as u64,
            Scalar::I32 => value as i32 as u64,
            Scalar::I64 => value as i64 as u64,
            Scalar::F16 => u64::from(f16::from_f32(f64_to_f32_odd(value)).to_bits()),
            Scalar::BF16 => u64::from(bf16::from_f32(f64_to_f32_odd(value)).to_bits()),
            Scalar::F32 => u64::from((value as f32).to_bits()),
            Scalar::F64 => value.to_bits(),
        };
        Const::from_bits(scalar, bits)
    }

    /// Zero of the given type.
    pub const fn zero(scalar: Scalar) -> Const {
        Const { scalar, bits: 0 }
    }

    /// The constant's type.
    pub const fn scalar(self) -> Scalar {
        self.scalar
    }

    /// The constant's bits.
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// The value of an integer constant, sign-extended (an `i1` is 0 or 1); none for floats.
    pub fn as_signed(self) -> Option<i64> {
        match self.scalar {
            Scalar::I1 => Some(self.bits as i64),
            Scalar::I8 => Some(i64::from(self.bits as i8)),
            Scalar::I16 => Some(i64::from(self.bits as i16)),
            Scalar::I32 => Some(i64::from(self.bits as i32)),
            Scalar::I64 => Some(self.bits as i64),
            _ => None,
        }
    }

    /// The value of an integer constant, zero-extended; none for floats.
    pub fn as_unsigned(self) -> Option<u64> {
        self.scalar.is_int().then_some(self.bits)
    }

    /// The value of a floating-point constant, exactly; none for integers.
    pub fn as_f64(self) -> Option<f64> {
        match self.scalar {
            Scalar::F16 => Some(f16::from_bits(self.bits as u16).to_f64()),
            Scalar::BF16 => Some(bf16::from_bits(self.bits as u16).to_f64()),
            Scalar::F32 => Some(f64::from(f32::from_bits(self.bits as u32))),
            Scalar::F64 => Some(f64::from_bits(self.bits)),
            _ => None,
        }
    }

    /// Is this a NaN?
    pub fn is_nan(self) -> bool {
        self.as_f64().is_some_and(f64::is_nan)
    }
}

/// The nearest `f64` toward zero with its last bit set when digits were lost ("round to odd"), so that rounding it
/// again to a much shorter type gives what rounding `value` once would have given.
fn int_to_f64_odd(value: i128) -> f64 {
    let magnitude = value.unsigned_abs();
    let excess = (128 - magnitude.leading_zeros()).saturating_sub(53);
    let kept = magnitude >> excess;
    let sticky = u128::from(kept << excess != magnitude);
    let rounded = ((kept | sticky) as f64) * 2f64.powi(excess as i32);
    if value < 0 { -rounded } else { rounded }
}

/// The same from `f64` to `f32`. (`half`'s own conversions from `f64` lose the lower digits of a tie.)
fn f64_to_f32_odd(value: f64) -> f32 {
    let nearest = value as f32;
    if value.is_nan() || f64::from(nearest) == value {
        return nearest;
    }
    let bits = nearest.to_bits();
    let toward_zero = if f64::from(nearest).abs() > value.abs() {
        bits - 1
    } else {
        bits
    };
    f32::from_bits(toward_zero | 1)
}

/// Prints integers in decimal, `i1` as `true` or `false`, floats as the shortest decimal that reads back, with a point
/// or exponent; infinities and NaN as their bits in hexadecimal (`0x7F800000`), as MLIR does.
impl fmt::Display for Const {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.scalar == Scalar::I1 {
            return write!(f, "{}", self.bits != 0);
        }
        if let Some(v) = self.as_signed() {
            return write!(f, "{v}");
        }
        let v = self.as_f64().unwrap_or(f64::NAN);
        if !v.is_finite() {
            return write!(
                f,
                "{:#0width$X}",
                self.bits,
                width = self.scalar.bits() as usize / 4 + 2
            );
        }
        match self.scalar {
            Scalar::F64 => write!(f, "{v:?}"),
            // The shortest decimal for an f32 also reads back to the f16 or bf16 that it came from.
            _ => write!(f, "{:?}", v as f32),
        }
    }
}

impl fmt::Debug for Const {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} : {}", self.scalar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_as_the_language_says() {
        for (value, bits) in [
            (65519.996, 0x7BFF),
            (65520.0, 0x7C00),
            (1.00048828125, 0x3C00),
            // A tie of f16 plus 2^-40, which an f32 on the way would lose.
            (1.00048828125 + 2f64.powi(-40), 0x3C01),
            (1.00146484375, 0x3C02),
            (0.1, 0x2E66),
        ] {
            assert_eq!(Const::from_f64(Scalar::F16, value).bits(), bits, "f16 {value}");
        }
        for (value, expected) in [(1.00390625, 1.0), (259.0, 260.0), (257.0, 256.0), (33000.0, 33024.0)] {
            assert_eq!(
                Const::from_f64(Scalar::BF16, value).as_f64(),
                Some(expected),
                "bf16 {value}"
            );
        }
    }

    #[test]
    fn large_integers_round_once() {
        // A tie of bf16 plus one: f64 alone would drop the one and round the tie to even.
        let tie = (1i128 << 62) + (1 << 54);
        assert_eq!(Const::from_int(Scalar::BF16, tie).as_f64(), Some(2f64.powi(62)));
        assert_eq!(
            Const::from_int(Scalar::BF16, tie + 1).as_f64(),
            Some(2f64.powi(62) + 2f64.powi(55))
        );
        assert_eq!(
            Const::from_int(Scalar::BF16, -tie - 1).as_f64(),
            Some(-2f64.powi(62) - 2f64.powi(55))
        );
    }

    /// Numbers halfway between two neighbours of a narrow type go to the even one; those beside, however near, to the
    /// nearer one.
    #[test]
    fn what_lies_beside_a_tie_is_no_tie() {
        for scalar in [Scalar::F16, Scalar::BF16] {
            let at = |bits| Const::from_bits(scalar, bits);
            let infinity = Const::from_f64(scalar, f64::INFINITY).bits();
            // A third of the finite positive numbers, even and odd, and the next one above.
            for low in (0..infinity - 1).step_by(3) {
                let [a, b] = [low, low + 1].map(|bits| at(bits).as_f64().unwrap());
                let (tie, even) = ((a + b) / 2.0, low + low % 2);
                let mut cases = vec![(tie, even), (tie.next_down(), low), (tie.next_up(), low + 1)];
                // In units of the last digit of f32, through which the conversion goes.
                let unit = f64::from((tie as f32).next_up()) - tie;
                for part in [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0] {
                    cases.extend([(tie - part * unit, low), (tie + part * unit, low + 1)]);
                }
                for (value, expected) in cases {
                    assert_eq!(Const::from_f64(scalar, value).bits(), expected, "{value:e} to {scalar}");
                    let negative = Const::from_f64(scalar, -value);
                    assert_eq!(
                        negative.as_f64(),
                        at(expected).as_f64().map(|v| -v),
                        "-{value:e} to {scalar}"
                    );
                }
            }
        }
    }

    /// The same of integers, up to those of more digits than an f64 has.
    #[test]
    fn integers_beside_a_tie_are_no_ties() {
        for digits in 128..256 {
            for exponent in 1..=100 {
                let low = digits << exponent;
                let unit = 1i128 << exponent;
                let (tie, even) = (low + unit / 2, low + digits % 2 * unit);
                let mut cases = vec![(tie, even)];
                // Numbers below the last digit of an f64, at it, and between.
                let last = (unit >> 45).max(1);
                for part in [1, last / 2, last, last + 1, last * 3 / 2, 2 * last] {
                    if (1..=unit / 2).contains(&part) {
                        cases.extend([(tie - part, low), (tie + part, low + unit)]);
                    }
                }
                for (value, expected) in cases {
                    for (value, expected) in [(value, expected), (-value, -expected)] {
                        let found = Const::from_int(Scalar::BF16, value);
                        assert_eq!(found.as_f64(), Some(expected as f64), "{value}");
                    }
                }
            }
        }
    }

    #[test]
    fn integers_wrap_and_floats_saturate() {
        assert_eq!(Const::from_int(Scalar::I8, 255).as_signed(), Some(-1));
        assert_eq!(Const::from_f64(Scalar::I8, 1e9).as_signed(), Some(127));
        assert_eq!(Const::from_f64(Scalar::I32, f64::NAN).as_signed(), Some(0));
        assert_eq!(Const::from_f64(Scalar::I1, f64::NAN).bits(), 1);
    }

    /// By value: integers of every type at their limits, with and without a sign, and floats; each is none of the other.
    #[test]
    fn values_are_read_as_what_they_are() {
        for scalar in Scalar::ALL {
            if scalar.is_float() {
                for value in [0.0, 1.0, -2.5] {
                    let c = Const::from_f64(scalar, value);
                    assert_eq!((c.as_f64(), c.as_signed(), c.as_unsigned()), (Some(value), None, None));
                }
                continue;
            }
            let bits = scalar.bits();
            let half = 1i128 << (bits - 1);
            for value in [0, 1, 2, half - 1, half, 2 * half - 1, -1, -half] {
                let c = Const::from_int(scalar, value);
                let unsigned = value.rem_euclid(2 * half);
                // The one bit of an i1 is no sign.
                let signed = if unsigned >= half && bits > 1 {
                    unsigned - 2 * half
                } else {
                    unsigned
                };
                assert_eq!(c.as_unsigned().map(i128::from), Some(unsigned), "{scalar} {value}");
                assert_eq!(c.as_signed().map(i128::from), Some(signed), "{scalar} {value}");
                assert_eq!(c.as_f64(), None);
            }
        }
    }

    #[test]
    fn displays() {
        assert_eq!(Const::f32(1.0).to_string(), "1.0");
        assert_eq!(Const::f32(-0.0).to_string(), "-0.0");
        assert_eq!(Const::f32(f32::INFINITY).to_string(), "0x7F800000");
        assert_eq!(Const::from_bits(Scalar::F16, 0x7E01).to_string(), "0x7E01");
        assert_eq!(Const::from_int(Scalar::I16, -3).to_string(), "-3");
        assert_eq!(Const::bool(true).to_string(), "true");
        assert_eq!(
            format!("{:?}", [Const::i32(-3), Const::f32(1.5)]),
            "[-3 : i32, 1.5 : f32]"
        );
    }
}
