//! A copy through a mask: what the mask leaves out becomes another value, also what lies beyond the input's end.

mod common;

use std::process::ExitCode;

use common::{Agreement, Random, Result, compare, count, ensure};
use mytriton::prelude::*;
use rand::RngExt;

const SIZE: usize = 10_007;
const BLOCK_SIZE: i32 = 256;

/// `out[i] = x[i]` where `i < n` and `keep[i]`, else `filler`. All blocks of `out` are written whole: what is beyond `n`
/// is padding. Lanes that a mask turns off do not touch memory, so that `x` and `keep` may end anywhere.
#[kernel]
pub fn masked_copy<T>(x: Ptr<T>, keep: Ptr<bool>, out: Ptr<T>, n: i32, filler: T, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let kept = load(keep + at).mask(at < n).other(false);
    store(out + at, load(x + at).mask(kept).other(filler));
}

/// Arrays of `size` elements, of two types.
pub fn run(device: &Device, size: usize, seed: u64) -> Result<String> {
    count(size)?;
    let mut random = Random::new(seed);
    let mut floats = random.floats(size, -1.0..1.0);
    // Copies keep what arithmetic would not.
    for (slot, special) in floats
        .iter_mut()
        .zip([f32::NAN, f32::INFINITY, -0.0, f32::from_bits(1)])
    {
        *slot = special;
    }
    let bytes: Vec<i8> = random.array(size, |rng| rng.random());
    let keep: Vec<bool> = random.array(size, |rng| rng.random_bool(0.7));
    let of_floats = copy(device, &floats, &keep, f32::NEG_INFINITY)?;
    let of_bytes = copy(device, &bytes, &keep, -128)?;
    Ok(format!("masked_copy: f32 {of_floats}; i8 {of_bytes}"))
}

fn copy<T: Element + Into<f64> + Sync>(device: &Device, x: &[T], keep: &[bool], filler: T) -> Result<Agreement> {
    let padded = x.len().next_multiple_of(BLOCK_SIZE as usize);
    let (x_there, keep_there) = (device.upload(x)?, device.upload(keep)?);
    let mut out = device.zeros::<T>(padded)?;
    let grid = Grid(padded / BLOCK_SIZE as usize);
    masked_copy::launch(
        device,
        grid,
        &x_there,
        &keep_there,
        &mut out,
        count(x.len())?,
        filler,
        BLOCK_SIZE,
    )?;

    let out = out.to_vec()?;
    let expected = |i: usize| {
        let kept = keep.get(i).is_some_and(|&kept| kept);
        if kept { x[i] } else { filler }
    };
    // Nothing is computed, so nothing is rounded, and zeros keep their signs.
    let agreement = compare("masked_copy", &out, |i| (expected(i).into(), 0.0))?;
    let sign = |v: T| v.into().is_sign_negative();
    let wrong = (0..padded).find(|&i| sign(out[i]) != sign(expected(i)));
    ensure!(wrong.is_none(), "masked_copy: the sign of element {wrong:?} is wrong");
    Ok(agreement)
}

fn main() -> ExitCode {
    common::main("out[i] = x[i] where a mask is set, else another value", |_| SIZE, run)
}
