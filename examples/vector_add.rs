//! Adds two vectors of any size: 2^20 elements on the CPU and 2^28 on a GPU, or `--size`.

mod common;

use std::process::ExitCode;

use common::{F32_UNIT, Random, Result, compare, count};
use mytriton::prelude::*;

const BLOCK_SIZE: i32 = 1024;

/// `out[i] = x[i] + y[i]`.
#[kernel]
pub fn vector_add(x: Ptr<f32>, y: Ptr<f32>, out: Ptr<f32>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    let sum = load(x + at).mask(mask) + load(y + at).mask(mask);
    store(out + at, sum).mask(mask);
}

/// Vectors of `size` elements.
pub fn run(device: &Device, size: usize, seed: u64) -> Result<String> {
    let n = count(size)?;
    let mut random = Random::new(seed);
    let x = random.floats(size, -100.0..100.0);
    let y = random.floats(size, -100.0..100.0);

    let (a, b) = (device.upload(&x)?, device.upload(&y)?);
    let mut out = device.zeros::<f32>(size)?;
    let grid = Grid(size.div_ceil(BLOCK_SIZE as usize));
    vector_add::launch(device, grid, &a, &b, &mut out, n, BLOCK_SIZE)?;

    let agreement = compare("vector_add", &out.to_vec()?, |i| {
        // The sum in f64 is exact, the kernel's is rounded once.
        let sum = f64::from(x[i]) + f64::from(y[i]);
        (sum, F32_UNIT * sum.abs())
    })?;
    Ok(format!("vector_add: {agreement}"))
}

fn main() -> ExitCode {
    let size = |device: &Device| if device.as_cuda().is_none() { 1 << 20 } else { 1 << 28 };
    common::main("out = x + y", size, run)
}
