//! Arrays that need no file: zeros, and random numbers that are the same on every machine.

use std::collections::TryReserveError;

use mytriton_ssa::{Const, Scalar};

use crate::npy::MAX_RANK;

/// How to make an array: `zeros[:TYPE]:SHAPE` or `random[:TYPE]:SHAPE[:SEED]`, with a shape such as `1024` or `19x37`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generator {
    /// The type of the elements, if it is said; the kernel's else.
    pub scalar: Option<Scalar>,
    /// The extents.
    pub shape: Vec<u64>,
    /// The seed of random numbers; `None` for zeros.
    pub seed: Option<u64>,
}

impl Generator {
    /// Reads one; none if the text does not begin as one does.
    pub fn parse(text: &str) -> Option<Result<Generator, String>> {
        let (random, rest) = match (text.strip_prefix("zeros:"), text.strip_prefix("random:")) {
            (Some(rest), _) => (false, rest),
            (_, Some(rest)) => (true, rest),
            _ => return None,
        };
        Some(Generator::parse_rest(random, rest).map_err(|reason| {
            let form = if random {
                "random[:TYPE]:SHAPE[:SEED]"
            } else {
                "zeros[:TYPE]:SHAPE"
            };
            format!(
                "{reason}; the form is {form}, such as {}",
                if random {
                    "random:f32:19x37:1"
                } else {
                    "zeros:f32:19x37"
                }
            )
        }))
    }

    fn parse_rest(random: bool, rest: &str) -> Result<Generator, String> {
        let mut parts = rest.split(':').peekable();
        let first = parts.peek().copied().unwrap_or_default();
        let scalar = first.parse::<Scalar>().ok();
        if scalar.is_some() {
            parts.next();
        } else if !first.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(format!("'{first}' is neither a type nor a shape"));
        }
        let shape = parts.next().ok_or("the shape is missing")?;
        let extents = shape.split('x').map(|extent| extent.parse::<u64>());
        let shape = extents
            .collect::<Result<Vec<_>, _>>()
            .map_err(|_| format!("'{shape}' is no shape"))?;
        if shape.len() > MAX_RANK {
            // No file could take it after the run.
            return Err(format!("{} dimensions, at most {MAX_RANK} are possible", shape.len()));
        }
        let seed = match (random, parts.next()) {
            (_, None) => random.then_some(0),
            (true, Some(seed)) => Some(
                seed.parse()
                    .map_err(|_| format!("'{seed}' is no seed, a whole number"))?,
            ),
            (false, Some(more)) => return Err(format!("'{more}' is one part too many")),
        };
        match parts.next() {
            Some(more) => Err(format!("'{more}' is one part too many")),
            None => Ok(Generator { scalar, shape, seed }),
        }
    }

    /// The bytes of as many random numbers as the shape has elements; none if zeros are wanted.
    ///
    /// Random floats are uniform in [-1, 1), random integers from -100 to 100, booleans either.
    pub fn random(&self, scalar: Scalar, elements: usize) -> Result<Option<Vec<u8>>, TryReserveError> {
        let Some(seed) = self.seed else { return Ok(None) };
        let width = scalar.bytes() as usize;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(elements.saturating_mul(width))?;
        let mut random = SplitMix64(seed);
        for _ in 0..elements {
            bytes.extend_from_slice(&random.number(scalar).bits().to_le_bytes()[..width]);
        }
        Ok(Some(bytes))
    }
}

/// Vigna's generator of 64 bits, the seeding one of the xoshiro family.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn number(&mut self, scalar: Scalar) -> Const {
        let bits = self.next();
        match scalar {
            Scalar::I1 => Const::bool(bits >> 63 == 1),
            _ if scalar.is_int() => Const::from_int(scalar, i128::from(((u128::from(bits) * 201) >> 64) as u64) - 100),
            _ => {
                // As many digits as the type has, so that rounding does not make a 1 of the largest.
                let digits = match scalar {
                    Scalar::BF16 => 8,
                    Scalar::F16 => 11,
                    Scalar::F32 => 24,
                    _ => 53,
                };
                let unit = (bits >> (64 - digits)) as f64 / (1u64 << (digits - 1)) as f64;
                Const::from_f64(scalar, unit - 1.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Generator, String> {
        Generator::parse(text).unwrap()
    }

    #[test]
    fn forms() {
        let generator = |scalar, shape: &[u64], seed| {
            Ok(Generator {
                scalar,
                shape: shape.to_vec(),
                seed,
            })
        };
        assert_eq!(parse("zeros:1024"), generator(None, &[1024], None));
        assert_eq!(
            parse("zeros:bf16:19x37"),
            generator(Some(Scalar::BF16), &[19, 37], None)
        );
        assert_eq!(parse("random:f32:8"), generator(Some(Scalar::F32), &[8], Some(0)));
        assert_eq!(parse("random:2x3x4:7"), generator(None, &[2, 3, 4], Some(7)));
        assert_eq!(Generator::parse("x.npy"), None);
        assert_eq!(Generator::parse("zeros.npy"), None);
    }

    #[test]
    fn what_is_none_of_them() {
        let says = |text: &str| parse(text).unwrap_err();
        insta::assert_snapshot!(says("zeros:"), @"'' is neither a type nor a shape; the form is zeros[:TYPE]:SHAPE, such as zeros:f32:19x37");
        insta::assert_snapshot!(says("zeros:f8:3"), @"'f8' is neither a type nor a shape; the form is zeros[:TYPE]:SHAPE, such as zeros:f32:19x37");
        insta::assert_snapshot!(says("zeros:f32"), @"the shape is missing; the form is zeros[:TYPE]:SHAPE, such as zeros:f32:19x37");
        insta::assert_snapshot!(says("zeros:3x"), @"'3x' is no shape; the form is zeros[:TYPE]:SHAPE, such as zeros:f32:19x37");
        assert!(
            Generator::parse(&format!("zeros:{}1", "1x".repeat(MAX_RANK - 1)))
                .unwrap()
                .is_ok()
        );
        insta::assert_snapshot!(
            says(&format!("zeros:{}1", "1x".repeat(MAX_RANK))),
            @"65 dimensions, at most 64 are possible; the form is zeros[:TYPE]:SHAPE, such as zeros:f32:19x37"
        );
        insta::assert_snapshot!(says("zeros:3:1"), @"'1' is one part too many; the form is zeros[:TYPE]:SHAPE, such as zeros:f32:19x37");
        insta::assert_snapshot!(says("random:3:-1"), @"'-1' is no seed, a whole number; the form is random[:TYPE]:SHAPE[:SEED], such as random:f32:19x37:1");
    }

    #[test]
    fn random_numbers_are_in_their_range_and_repeat() {
        for scalar in Scalar::ALL {
            let generator = Generator {
                scalar: None,
                shape: vec![2000],
                seed: Some(3),
            };
            let bytes = generator.random(scalar, 2000).unwrap().unwrap();
            assert_eq!(generator.random(scalar, 2000).unwrap().unwrap(), bytes);
            assert_eq!(bytes.len(), 2000 * scalar.bytes() as usize);
            let numbers: Vec<f64> = bytes
                .chunks_exact(scalar.bytes() as usize)
                .map(|element| {
                    let mut bits = [0; 8];
                    bits[..element.len()].copy_from_slice(element);
                    let number = Const::from_bits(scalar, u64::from_le_bytes(bits));
                    number.as_f64().unwrap_or_else(|| number.as_signed().unwrap() as f64)
                })
                .collect();
            let (low, high) = match scalar {
                Scalar::I1 => (0.0, 1.0),
                _ if scalar.is_int() => (-100.0, 100.0),
                _ => (-1.0, 1.0 - f64::EPSILON),
            };
            assert!(numbers.iter().all(|x| (low..=high).contains(x)), "{scalar}");
            let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
            assert!(
                (mean - (low + high) / 2.0).abs() < 0.05 * (high - low),
                "{scalar}: {mean}"
            );
        }
    }

    #[test]
    fn reference_values_of_the_generator() {
        // The first outputs for seed 1234567, as Vigna's C program prints them.
        let mut random = SplitMix64(1_234_567);
        assert_eq!(
            [random.next(), random.next()],
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]
        );
    }

    #[test]
    fn more_than_there_is() {
        let generator = Generator {
            scalar: None,
            shape: vec![1 << 60],
            seed: Some(0),
        };
        assert!(generator.random(Scalar::F64, 1 << 60).is_err());
    }
}
