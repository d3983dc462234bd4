//! Random numbers, the same from the same seed on every machine, and random elements rich in the values that break
//! things.

use mytriton_ssa::{Const, Scalar};

/// A generator of random numbers: splitmix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*,
/// OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers that belong to a seed.
    pub const fn new(seed: u64) -> Random {
        Random(seed)
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
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number from `low` to `high`, both possible.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True once in `of` times.
    pub fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// The position of a weight, each as likely as it is heavy. Weights are not all zero.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut rest = self.below(weights.iter().sum());
        for (position, &weight) in weights.iter().enumerate() {
            match rest.checked_sub(weight) {
                Some(left) => rest = left,
                None => return position,
            }
        }
        weights.len() - 1
    }

    /// The numbers below `end` in random order.
    pub fn permutation(&mut self, end: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..end).collect();
        for last in (1..end).rev() {
            order.swap(last, self.below(last + 1));
        }
        order
    }

    /// A random number of a type: special values, numbers of ordinary size, and arbitrary bits.
    pub fn element(&mut self, scalar: Scalar) -> Const {
        let bits = match (scalar, self.below(8)) {
            (Scalar::I1, _) => self.bits() & 1,
            (_, 0 | 1) if scalar.is_int() => self.special_int(scalar),
            (_, 2 | 3) if scalar.is_int() => return Const::from_int(scalar, self.below(200) as i128 - 100),
            (_, 0..=2) => self.special_float(scalar),
            // Whole numbers, and halves, which rounding has to decide about.
            (_, 3) => return Const::from_f64(scalar, (self.below(64) as f64 - 32.0) / 2.0),
            (_, 4..=6) if scalar.is_float() => return Const::from_f64(scalar, (self.unit() - 0.5) * 16.0),
            _ => self.bits(),
        };
        Const::from_bits(scalar, bits)
    }

    /// A random element as it is in memory, where every non-zero byte is a true `i1`.
    pub fn in_memory(&mut self, scalar: Scalar) -> u64 {
        match scalar {
            Scalar::I1 => self.pick(&[0, 0, 0, 0, 1, 1, 2, 0xFF]),
            _ => self.element(scalar).bits(),
        }
    }

    /// The bits of zero, the ends of the type's range, and their neighbours.
    pub fn special_int(&mut self, scalar: Scalar) -> u64 {
        let sign = 1u64 << (scalar.bits() - 1);
        let all = scalar.bit_mask();
        self.pick(&[0, 1, 2, sign, sign - 1, sign + 1, all, all - 1])
    }

    /// NaNs of both signs, quiet and signalling; infinities; zeros; the largest, smallest and denormal numbers; ones.
    pub fn special_float(&mut self, scalar: Scalar) -> u64 {
        let digits = digits(scalar);
        let sign = 1u64 << (scalar.bits() - 1);
        let infinity = (sign - 1) & !((1u64 << digits) - 1);
        let one = Const::from_int(scalar, 1).bits();
        let denormal = self.bits() & ((1 << digits) - 1);
        let magnitude = self.pick(&[
            infinity,
            infinity,
            infinity | 1 << (digits - 1),
            infinity | 1 << (digits - 1),
            infinity | 1,
            0,
            0,
            1,
            denormal,
            (1 << digits) - 1,
            1 << digits,
            infinity - 1,
            one,
            one + 1,
            one - 1,
        ]);
        magnitude | if self.one_in(2) { sign } else { 0 }
    }
}

/// The digits behind the point that a floating-point type stores.
pub(crate) const fn digits(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::F16 => 10,
        Scalar::BF16 => 7,
        Scalar::F32 => 23,
        _ => 52,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_every_kind_come_up() {
        let mut random = Random::new(1);
        for scalar in Scalar::ALL.into_iter().filter(|s| s.is_float()) {
            let values: Vec<f64> = (0..2000).filter_map(|_| random.element(scalar).as_f64()).collect();
            let smallest_normal = match scalar {
                Scalar::F16 => 2f64.powi(-14),
                Scalar::F64 => f64::MIN_POSITIVE,
                _ => f64::from(f32::MIN_POSITIVE),
            };
            let kinds: [fn(f64, f64) -> bool; 5] = [
                |v, _| v.is_nan(),
                |v, _| v == f64::INFINITY,
                |v, _| v == 0.0 && v.is_sign_negative(),
                |v, normal| v != 0.0 && v.abs() < normal,
                |v, _| v == 1.0,
            ];
            for (number, kind) in kinds.iter().enumerate() {
                assert!(
                    values.iter().any(|&v| kind(v, smallest_normal)),
                    "{scalar}: kind {number}"
                );
            }
        }
        for scalar in Scalar::ALL.into_iter().filter(|s| s.is_int()) {
            let values: Vec<u64> = (0..500).map(|_| random.element(scalar).bits()).collect();
            for wanted in [0, 1, scalar.bit_mask(), 1 << (scalar.bits() - 1)] {
                assert!(values.contains(&wanted), "{scalar}: {wanted}");
            }
        }
    }

    #[test]
    fn weights_and_permutations() {
        let mut random = Random::new(7);
        let mut counts = [0; 3];
        for _ in 0..4000 {
            counts[random.weighted(&[1, 0, 3])] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((800..1200).contains(&counts[0]), "{counts:?}");
        let mut order = random.permutation(20);
        assert_ne!(order, (0..20).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..20).collect::<Vec<_>>());
    }
}
