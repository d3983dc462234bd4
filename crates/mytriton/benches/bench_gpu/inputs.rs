//! Inputs: each element is a function of seed and index, so that a reference needs no copy of them.

use mytriton::{Buffer, Device, Element, Error, bf16};
use rayon::prelude::*;

/// The element types measured.
pub trait Number: Element {
    /// As the peers' script names it.
    const NAME: &'static str;
    /// Half the distance of 1 to the next number: the largest relative error of one rounding.
    const ROUNDING: f64;
    /// The nearest one.
    fn round(value: f32) -> Self;
    /// Exactly.
    fn exact(self) -> f64;
}

impl Number for f32 {
    const NAME: &'static str = "f32";
    const ROUNDING: f64 = 1.0 / (1u64 << 24) as f64;

    fn round(value: f32) -> f32 {
        value
    }

    fn exact(self) -> f64 {
        self.into()
    }
}

impl Number for bf16 {
    const NAME: &'static str = "bf16";
    const ROUNDING: f64 = 1.0 / 256.0;

    fn round(value: f32) -> bf16 {
        bf16::from_f32(value)
    }

    fn exact(self) -> f64 {
        self.into()
    }
}

/// The inputs of one operand: near a normal distribution of mean 1/4 and deviation 2.
#[derive(Clone, Copy)]
pub struct Source {
    seed: u64,
}

impl Source {
    /// Operand number `operand` of a run.
    pub fn new(seed: u64, operand: u64) -> Source {
        Source {
            seed: mix(seed ^ operand.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
        }
    }

    /// All bits of it depend on the index.
    pub fn bits(self, index: usize) -> u64 {
        mix(self
            .seed
            .wrapping_add((index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)))
    }

    /// One element.
    pub fn number<T: Number>(self, index: usize) -> T {
        let bits = self.bits(index);
        // Four uniform numbers of 16 bits: their sum has deviation sqrt(4/12).
        let sum: u32 = (0..4).map(|i| (bits >> (16 * i)) as u32 & 0xFFFF).sum();
        let centred = sum as f32 / 65536.0 - 2.0;
        T::round(0.25 + centred * (2.0 * 1.732_050_8))
    }

    /// An index below `limit`.
    pub fn index(self, index: usize, limit: usize) -> usize {
        ((u128::from(self.bits(index)) * limit as u128) >> 64) as usize
    }

    /// The first `len` elements on the device.
    pub fn upload<T: Number>(self, device: &Device, len: usize) -> Result<Buffer<T>, Error> {
        let values: Vec<T> = (0..len).into_par_iter().map(|i| self.number(i)).collect();
        device.upload(&values)
    }
}

/// The finalizer of splitmix64 (Steele, Lea and Flood, 2014).
fn mix(mut z: u64) -> u64 {
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_the_distribution_that_is_said() {
        let source = Source::new(7, 1);
        let values: Vec<f64> = (0..100_000).map(|i| source.number::<f32>(i).exact()).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64;
        assert!((mean - 0.25).abs() < 0.03, "{mean}");
        assert!((variance.sqrt() - 2.0).abs() < 0.03, "{variance}");
    }

    #[test]
    fn operands_and_seeds_differ() {
        let first = |seed, operand| Source::new(seed, operand).number::<f32>(0);
        assert_ne!(first(1, 0), first(1, 1));
        assert_ne!(first(1, 0), first(2, 0));
        assert!((0..1000).all(|i| Source::new(1, 2).index(i, 17) < 17));
    }
}
