//! Fresh random elements of every type, rich in the values that break things.

use mytriton_ssa::{Const, Scalar};

pub use mytriton_fuzz::Random;

/// Random numbers for one purpose: each name has its own sequence.
pub fn random_for(seed: u64, name: &str) -> Random {
    let hash = name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    });
    Random::new(seed ^ hash)
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

/// The bits of a random element, as they are in memory (a boolean is a byte there, true being any but 0).
pub fn element(random: &mut Random, scalar: Scalar, domain: Domain) -> u64 {
    if scalar == Scalar::I1 {
        return match domain {
            Domain::Divisor => 1,
            Domain::Any => random.pick(&[0, 0, 1, 1, 2, 0x80, 0xFF]),
            _ => random.below(2) as u64,
        };
    }
    let kind = random.below(8);
    match domain {
        Domain::Shift => match kind {
            0 => random.bits() & scalar.bit_mask(),
            1 => u64::from(scalar.bits()) + random.below(3) as u64,
            // Beyond the width by a high bit alone: cut to fewer bits it would be a small amount.
            2 => (1 << (scalar.bits() - 1)) | random.below(3) as u64,
            _ => random.below(scalar.bits() as usize) as u64,
        },
        Domain::Divisor => loop {
            let bits = integer(random, scalar, kind);
            if bits != 0 && bits != scalar.bit_mask() {
                return bits;
            }
        },
        Domain::Angle => match kind {
            0 => random.special_float(scalar),
            1 | 2 => of_number(scalar, (random.unit() - 0.5) * 1.9e5),
            _ => of_number(scalar, (random.unit() - 0.5) * 20.0),
        },
        Domain::Moderate if scalar.is_int() => Const::from_int(scalar, random.below(200) as i128 - 100).bits(),
        Domain::Moderate => of_number(scalar, (random.unit() - 0.5) * 64.0),
        Domain::Any if scalar.is_int() => integer(random, scalar, kind),
        Domain::Any => match kind {
            0 | 1 => random.special_float(scalar),
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

fn integer(random: &mut Random, scalar: Scalar, kind: usize) -> u64 {
    match kind {
        0..=2 => random.special_int(scalar),
        3 | 4 => Const::from_int(scalar, random.below(200) as i128 - 100).bits(),
        _ => random.bits() & scalar.bit_mask(),
    }
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
