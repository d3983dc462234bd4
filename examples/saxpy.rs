//! `y = a·x + y`, in place.

mod common;

use std::process::ExitCode;

use common::{F32_UNIT, Random, Result, compare, count};
use mytriton::prelude::*;

const SIZE: usize = 100_003;
const BLOCK_SIZE: i32 = 512;

/// `y[i] = a · x[i] + y[i]`.
#[kernel]
pub fn saxpy(x: Ptr<f32>, y: Ptr<f32>, a: f32, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    let sum = a * load(x + at).mask(mask) + load(y + at).mask(mask);
    store(y + at, sum).mask(mask);
}

/// Vectors of `size` elements.
pub fn run(device: &Device, size: usize, seed: u64) -> Result<String> {
    let n = count(size)?;
    let mut random = Random::new(seed);
    let x = random.floats(size, -10.0..10.0);
    let y = random.floats(size, -10.0..10.0);
    let a = random.floats(1, -3.0..3.0)[0];

    let x_there = device.upload(&x)?;
    let mut y_there = device.upload(&y)?;
    let grid = Grid(size.div_ceil(BLOCK_SIZE as usize));
    saxpy::launch(device, grid, &x_there, &mut y_there, a, n, BLOCK_SIZE)?;

    let agreement = compare("saxpy", &y_there.to_vec()?, |i| {
        let product = f64::from(a) * f64::from(x[i]);
        let sum = product + f64::from(y[i]);
        // One rounding where product and sum are fused, else two; F32_UNIT² is left out, hence a little more than that.
        (sum, 1.001 * F32_UNIT * (product.abs() + sum.abs()))
    })?;
    Ok(format!("saxpy: a = {a}, {agreement}"))
}

fn main() -> ExitCode {
    common::main("y = a·x + y", |_| SIZE, run)
}
