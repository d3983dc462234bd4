//! Fresh random elements of every type, rich in the values that break things.

use mytriton_ssa::{Const, Scalar};

/// A small generator of random numbers (splitmix64): the same numbers from the same seed on every machine.
pub struct Random(u64);

impl Random {
    /// Numbers for one purpose: each name has its own sequence.
    pub fn new(seed: u64, name: &str) -> Random {
        let hash = name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        Random(seed ^ hash)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is not zero.
    pub fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}

/// Which values an input may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    /// All: special values, arbitrary bits, and numbers of ordinary size.
    Any,
    /// Angles that the trigonometric functions promise accuracy for: below 1e5, and what is not finite.
    Angle,
    /// Integers that may be divided by, also the smallest one: neither 0 nor -1.
    Divisor,
    /// Shift amounts: mostly within the width, some beyond.
    Shift,
    /// Finite numbers of ordinary size.
    Moderate,
}

/// The bits of a random element, as they are in memory (a truth value is a byte there, true being any but 0).
pub fn element(random: &mut Random, scalar: Scalar, domain: Domain) -> u64 {
    if scalar == Scalar::I1 {
        return match domain {
            Domain::Divisor => 1,
            Domain::Any => random.pick(&[0, 0, 1, 1, 2, 0x80, 0xFF]),
            _ => random.below(2),
        };
    }
    let kind = random.below(8);
    match domain {
        Domain::Shift => match kind {
            0 => random.bits() & scalar.bit_mask(),
            1 => u64::from(scalar.bits()) + random.below(3),
            // Beyond the width by a high bit alone: cut to fewer bits it would be a small amount.
            2 => (1 << (scalar.bits() - 1)) | random.below(3),
            _ => random.below(u64::from(scalar.bits())),
        },
        Domain::Divisor => loop {
            let bits = integer(random, scalar, kind);
            if bits != 0 && bits != scalar.bit_mask() {
                return bits;
            }
        },
        Domain::Angle => match kind {
            0 => float_special(random, scalar),
            1 | 2 => of_number(scalar, (random.unit() - 0.5) * 1.9e5),
            _ => of_number(scalar, (random.unit() - 0.5) * 20.0),
        },
        Domain::Moderate if scalar.is_int() => Const::from_int(scalar, i128::from(random.below(200)) - 100).bits(),
        Domain::Moderate => of_number(scalar, (random.unit() - 0.5) * 64.0),
        Domain::Any if scalar.is_int() => integer(random, scalar, kind),
        Domain::Any => match kind {
            0 | 1 => float_special(random, scalar),
            2 | 3 => random.bits() & scalar.bit_mask(),
            4 => of_number(scalar, (random.unit() - 0.5) * 4.0),
            // Where exponentials over- and underflow.
            5 => of_number(scalar, (random.unit() - 0.5) * 300.0),
            6 => of_number(scalar, random.below(2000) as f64 - 1000.0),
            // Ties of the roundings to integers.
            _ => of_number(scalar, random.below(40) as f64 - 19.5),
        },
    }
}

fn of_number(scalar: Scalar, value: f64) -> u64 {
    Const::from_f64(scalar, value).bits()
}

fn integer(random: &mut Random, scalar: Scalar, kind: u64) -> u64 {
    let sign = 1u64 << (scalar.bits() - 1);
    let special = [
        0,
        1,
        2,
        sign,
        sign - 1,
        sign + 1,
        scalar.bit_mask(),
        scalar.bit_mask() - 1,
    ];
    match kind {
        0..=2 => random.pick(&special) & scalar.bit_mask(),
        3 | 4 => Const::from_int(scalar, i128::from(random.below(200)) - 100).bits(),
        _ => random.bits() & scalar.bit_mask(),
    }
}

/// NaNs of both signs, quiet and signalling; infinities; zeros; the largest, smallest and denormal numbers; ones.
fn float_special(random: &mut Random, scalar: Scalar) -> u64 {
    let digits = match scalar {
        Scalar::F16 => 10,
        Scalar::BF16 => 7,
        Scalar::F32 => 23,
        _ => 52,
    };
    let sign = 1u64 << (scalar.bits() - 1);
    let infinity = (sign - 1) & !((1u64 << digits) - 1);
    let one = of_number(scalar, 1.0);
    let magnitude = random.pick(&[
        infinity,
        infinity,
        infinity | 1 << (digits - 1),
        infinity | 1,
        0,
        0,
        1,
        random.0 & ((1 << digits) - 1),
        (1 << digits) - 1,
        1 << digits,
        infinity - 1,
        one,
        one + 1,
        one - 1,
    ]);
    magnitude | if random.below(2) == 0 { 0 } else { sign }
}

/// The memory of elements with these bits.
pub fn bytes_of(scalar: Scalar, bits: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let width = scalar.bytes() as usize;
    let mut bytes = Vec::new();
    for element in bits {
        bytes.extend_from_slice(&element.to_le_bytes()[..width]);
    }
    bytes
}

/// The bits of an element in memory.
pub fn bits_at(scalar: Scalar, bytes: &[u8], index: usize) -> u64 {
    let width = scalar.bytes() as usize;
    let mut bits = [0; 8];
    bits[..width].copy_from_slice(&bytes[index * width..(index + 1) * width]);
    u64::from_le_bytes(bits)
}

/// The value that a program loads from an element with these bits in memory.
pub fn loaded(scalar: Scalar, bits: u64) -> Const {
    match scalar {
        Scalar::I1 => Const::bool(bits != 0),
        _ => Const::from_bits(scalar, bits),
    }
}
