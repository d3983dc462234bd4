//! The scheduler's random numbers: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).

pub(super) struct Random(u64);

impl Random {
    /// Numbers for a block of a launch.
    pub fn new(seed: u64, block: u64) -> Random {
        let mut random = Random(seed ^ block.wrapping_mul(0xD134_2543_DE82_EF95));
        random.next();
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers from 0 of the reference implementation.
    #[test]
    fn numbers_of_the_reference() {
        let mut random = Random(0);
        let numbers = [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F];
        assert_eq!([(); 3].map(|()| random.next()), numbers);
        assert_eq!(Random::new(0, 0).next(), numbers[1]);
        assert_ne!(Random::new(0, 1).next(), numbers[1], "blocks differ");
    }
}
