//! Narrow floating-point formats: what converting a fragment's values before they are packed does.

/// A binary format of at most 16 bits.
///
/// | format | bits of exponent, mantissa | 1.0 | largest | NaN | beyond the largest |
/// |---|---|---|---|---|---|
/// | [`F16`](Self::F16) | 5, 10 | 0x3c00 | 65504 | 0x7fff | infinity |
/// | [`BF16`](Self::BF16) | 8, 7 | 0x3f80 | 3.3895314e38 | 0x7fff | infinity |
/// | [`E4M3`](Self::E4M3) | 4, 3 | 0x38 | 448 | 0x7f | 448 |
/// | [`E5M2`](Self::E5M2) | 5, 2 | 0x3c | 57344 | 0x7f | 57344 |
///
/// Conversion rounds to the nearest, ties to even. The 8-bit formats saturate, infinities too, as
/// `cvt.rn.satfinite` of the PTX ISA ("cvt") does; E4M3 has no infinity at all.
///
/// ```
/// use mytriton_layout::fragment::FloatFormat;
/// let through = [1.0, -2.0, 0.5, 1000.0].map(|x| FloatFormat::E4M3.decode(FloatFormat::E4M3.encode(x)));
/// assert_eq!(through, [1.0, -2.0, 0.5, 448.0]);
/// for (format, one, largest, nan) in [
///     (FloatFormat::F16, 0x3c00, 65504.0, 0x7fff),
///     (FloatFormat::BF16, 0x3f80, 3.3895314e38, 0x7fff),
///     (FloatFormat::E4M3, 0x38, 448.0, 0x7f),
///     (FloatFormat::E5M2, 0x3c, 57344.0, 0x7f),
/// ] {
///     assert_eq!((format.encode(1.0), format.encode(f32::NAN)), (one, nan));
///     assert_eq!((format.largest(), format.decode(format.encode(largest))), (largest, largest));
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FloatFormat {
    exponent_bits: u32,
    mantissa_bits: u32,
    /// The code of the largest finite value.
    largest: u16,
    /// Whether values beyond the largest become it, rather than infinity.
    saturating: bool,
}

impl FloatFormat {
    /// IEEE 754 binary16.
    pub const F16: FloatFormat = FloatFormat {
        exponent_bits: 5,
        mantissa_bits: 10,
        largest: 0x7bff,
        saturating: false,
    };
    /// The upper half of binary32.
    pub const BF16: FloatFormat = FloatFormat {
        exponent_bits: 8,
        mantissa_bits: 7,
        largest: 0x7f7f,
        saturating: false,
    };
    /// OCP 8-bit floating point E4M3: no infinities, one NaN of each sign.
    pub const E4M3: FloatFormat = FloatFormat {
        exponent_bits: 4,
        mantissa_bits: 3,
        largest: 0x7e,
        saturating: true,
    };
    /// OCP 8-bit floating point E5M2.
    pub const E5M2: FloatFormat = FloatFormat {
        exponent_bits: 5,
        mantissa_bits: 2,
        largest: 0x7b,
        saturating: true,
    };

    /// Bits of a value: 8 or 16.
    pub fn bits(self) -> u32 {
        1 + self.exponent_bits + self.mantissa_bits
    }

    /// The largest finite value.
    pub fn largest(self) -> f32 {
        self.decode(self.largest)
    }

    fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// The code of the nearest value, ties to even.
    pub fn encode(self, x: f32) -> u16 {
        let (sign, magnitude) = (x.to_bits() >> 31, x.abs());
        let code = if x.is_nan() {
            (1 << (self.bits() - 1)) - 1
        } else {
            self.encode_magnitude(magnitude)
        };
        // A NaN has no sign worth keeping: the hardware's is positive.
        let sign = if x.is_nan() { 0 } else { sign };
        (sign << (self.bits() - 1)) as u16 | code
    }

    fn encode_magnitude(self, x: f32) -> u16 {
        let beyond = if self.saturating {
            self.largest
        } else {
            self.largest + 1
        };
        if x.is_infinite() {
            return beyond;
        }
        // x = significand * 2^low, with `low` that of binary32's lowest bit there.
        let bits = x.to_bits();
        let field = (bits >> 23) as i32;
        let significand = (bits & 0x7f_ffff) | if field > 0 { 1 << 23 } else { 0 };
        let low = field.max(1) - 127 - 23;
        if significand == 0 {
            return 0;
        }
        let exponent = low + significand.ilog2() as i32;
        let smallest_normal = 1 - self.bias();
        // The lowest bit of the result stands for 2^unit.
        let unit = exponent.max(smallest_normal) - self.mantissa_bits as i32;
        let rounded = round_shift(significand, (unit - low) as u32);
        // In subnormals the code is the number of units; a carry into the exponent is the right successor.
        let code = if exponent < smallest_normal {
            rounded
        } else {
            (((exponent + self.bias()) as u32) << self.mantissa_bits) + rounded - (1 << self.mantissa_bits)
        };
        if code > u32::from(self.largest) {
            beyond
        } else {
            code as u16
        }
    }

    /// The value of a code; bits beyond the format's are ignored.
    pub fn decode(self, code: u16) -> f32 {
        let magnitude = u32::from(code) & ((1 << (self.bits() - 1)) - 1);
        let negative = u32::from(code) >> (self.bits() - 1) & 1 != 0;
        let mantissa = magnitude & ((1 << self.mantissa_bits) - 1);
        let field = (magnitude >> self.mantissa_bits) as i32;
        let value = if magnitude > u32::from(self.largest) {
            // After the largest comes infinity, if the format has one: where the exponent's bits are all set.
            let is_infinity = mantissa == 0 && magnitude == u32::from(self.largest) + 1;
            if is_infinity { f32::INFINITY } else { f32::NAN }
        } else {
            let significand = if field > 0 {
                mantissa | 1 << self.mantissa_bits
            } else {
                mantissa
            };
            // Exact: no format has more bits of either than binary32, whose subnormals are bf16's.
            let unit = field.max(1) - self.bias() - self.mantissa_bits as i32;
            (f64::from(significand) * 2f64.powi(unit)) as f32
        };
        if negative { -value } else { value }
    }
}

/// `x / 2^shift` rounded to the nearest, ties to even.
fn round_shift(x: u32, shift: u32) -> u32 {
    if shift == 0 {
        return x;
    }
    if shift > 31 {
        return 0;
    }
    let (whole, rest, half) = (x >> shift, x & ((1 << shift) - 1), 1 << (shift - 1));
    whole + u32::from(rest > half || (rest == half && whole & 1 != 0))
}
