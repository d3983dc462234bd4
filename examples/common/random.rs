//! Random data, the same for a seed on every machine and for any number of threads.

use std::ops::Range;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

/// Arrays of random elements.
pub struct Random {
    seed: u64,
    arrays: u64,
}

/// So many elements are drawn from one generator.
const CHUNK: usize = 1 << 16;

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { seed, arrays: 0 }
    }

    /// Numbers of a range, evenly distributed.
    pub fn floats(&mut self, len: usize, range: Range<f32>) -> Vec<f32> {
        self.array(len, |rng| rng.random_range(range.clone()))
    }

    /// An array whose elements `draw` makes.
    pub fn array<T: Send>(&mut self, len: usize, draw: impl Fn(&mut Xoshiro256PlusPlus) -> T + Sync) -> Vec<T> {
        self.arrays += 1;
        let array = self.seed ^ (self.arrays << 40);
        let chunks = (0..len.div_ceil(CHUNK)).into_par_iter();
        let values = chunks.flat_map_iter(|chunk| {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(array ^ chunk as u64);
            let draw = &draw;
            (chunk * CHUNK..len.min((chunk + 1) * CHUNK)).map(move |_| draw(&mut rng))
        });
        values.collect()
    }
}
