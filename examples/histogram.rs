//! How often values occur: whole numbers that have a bin each, and measured ones in bins of equal width.

mod common;

use std::process::ExitCode;

use common::{Random, Result, bail, count};
use mytriton::prelude::*;

const SIZE: usize = 1_000_003;
/// Elements counted at a time.
const BLOCK_SIZE: i32 = 1024;
/// Programs at most: each takes every so many blocks, so that there are few parts to add.
const PROGRAMS: usize = 64;
/// Parts and bins taken at a time to add them.
const TILE: [i32; 2] = [16, 64];

/// How often a program's share of `n` whole numbers has 0, 1, ... BINS - 1, in row `program_id` of `parts`. Others count for
/// nothing.
#[kernel]
pub fn occurrences<T>(x: Ptr<T>, parts: Ptr<i32>, n: i32, #[constexpr] BLOCK: i32, #[constexpr] BINS: i32) {
    let mut counts = zeros([BINS], i32);
    for first in (program_id(0) * BLOCK..n).step_by(num_programs(0) * BLOCK) {
        let at = first + range(0, BLOCK);
        let inside = at < n;
        counts += histogram(load(x + at).mask(inside).other(0), BINS, inside);
    }
    store(parts + program_id(0) * BINS + range(0, BINS), counts);
}

/// The same of numbers in BINS bins of one width, `per_width` of them to 1, from `low` on. What is in none counts for nothing,
/// NaN neither.
#[kernel]
pub fn binned(
    x: Ptr<f32>,
    parts: Ptr<i32>,
    n: i32,
    low: f32,
    per_width: f32,
    #[constexpr] BLOCK: i32,
    #[constexpr] BINS: i32,
) {
    let mut counts = zeros([BINS], i32);
    for first in (program_id(0) * BLOCK..n).step_by(num_programs(0) * BLOCK) {
        let at = first + range(0, BLOCK);
        let v = load(x + at).mask(at < n).other(f32::NAN);
        let bin = floor((v - low) * per_width);
        // As an integer a NaN would be 0, and bin 0 a wrong one.
        counts += histogram(bin as i32, BINS, bin >= 0.0 && bin < BINS as f32);
    }
    store(parts + program_id(0) * BINS + range(0, BINS), counts);
}

/// The sums of `rows` rows of `bins` counts: COLS bins a program, ROWS rows at a time.
#[kernel]
pub fn add_parts(parts: Ptr<i32>, out: Ptr<i32>, rows: i32, bins: i32, #[constexpr] ROWS: i32, #[constexpr] COLS: i32) {
    let bin = program_id(0) * COLS + range(0, COLS);
    let mut total = zeros([ROWS, COLS], i32);
    for first in (0..rows).step_by(ROWS) {
        let row = (first + range(0, ROWS)).at(.., None);
        let inside = row < rows && bin.at(None, ..) < bins;
        total += load(parts + row * bins + bin.at(None, ..)).mask(inside).other(0);
    }
    store(out + bin, sum(total, 0)).mask(bin < bins);
}

/// `size` bytes in 256 bins; integers of which some are negative or too large; and numbers around 0, most of them near it,
/// in bins from -2 to 2.
pub fn run(device: &Device, size: usize, seed: u64) -> Result<String> {
    let n = count(size)?;
    let mut random = Random::new(seed);
    let programs = size.div_ceil(BLOCK_SIZE as usize).clamp(1, PROGRAMS);
    let grid = Grid(programs);

    let bytes: Vec<u8> = random.floats(size, 0.0..256.0).into_iter().map(|v| v as u8).collect();
    let there = device.upload(&bytes)?;
    let counted = total(device, programs, 256, |parts| {
        occurrences::launch(device, grid, &there, parts, n, BLOCK_SIZE, 256)
    })?;
    check("bytes", &counted, bytes.iter().map(|&v| Some(v.into())))?;

    let ints: Vec<i32> = random
        .floats(size, -20.0..120.0)
        .into_iter()
        .map(|v| v as i32)
        .collect();
    let there = device.upload(&ints)?;
    let counted = total(device, programs, 100, |parts| {
        occurrences::launch(device, grid, &there, parts, n, BLOCK_SIZE, 100)
    })?;
    check("integers", &counted, ints.iter().map(|&v| usize::try_from(v).ok()))?;

    let mut floats = random.floats(size, -1.5..1.5);
    floats.iter_mut().for_each(|v| *v = v.powi(3));
    for (v, special) in floats.iter_mut().zip([f32::NAN, f32::INFINITY, -2.0, 2.0, -0.0]) {
        *v = special;
    }
    let (low, per_width) = (-2.0, 12.5);
    let there = device.upload(&floats)?;
    let counted = total(device, programs, 50, |parts| {
        binned::launch(device, grid, &there, parts, n, low, per_width, BLOCK_SIZE, 50)
    })?;
    // The host rounds to `f32` after the same operations, so that a number at an edge goes to the same bin.
    let bins = floats.iter().map(|v| ((v - low) * per_width).floor());
    check("floats", &counted, bins.map(|bin| (bin >= 0.0).then_some(bin as usize)))?;
    let most = counted.iter().copied().max().unwrap_or(0).max(1);
    let bars: String = counted
        .iter()
        .map(|&count| ['.', ':', '-', '=', '+', '*', '#', '@'][(7 * i64::from(count) / i64::from(most)) as usize])
        .collect();
    Ok(format!(
        "histogram: {size} bytes, integers and numbers from -2 to 2:\n  {bars}"
    ))
}

/// The counts of all programs, added, after `launch` has made their parts.
fn total(
    device: &Device,
    programs: usize,
    bins: usize,
    launch: impl FnOnce(&mut Buffer<i32>) -> Result<(), Error>,
) -> Result<Vec<i32>> {
    let mut parts = device.zeros::<i32>(programs * bins)?;
    launch(&mut parts)?;
    let mut out = device.zeros::<i32>(bins)?;
    let grid = Grid(bins.div_ceil(TILE[1] as usize));
    let (rows, cols) = (count(programs)?, count(bins)?);
    add_parts::launch(device, grid, &parts, &mut out, rows, cols, TILE[0], TILE[1])?;
    Ok(out.to_vec()?)
}

/// Counts are whole numbers: they are right or wrong.
fn check(what: &str, counted: &[i32], bins: impl Iterator<Item = Option<usize>>) -> Result<()> {
    let mut expected = vec![0; counted.len()];
    for bin in bins.flatten().filter(|&bin| bin < counted.len()) {
        expected[bin] += 1;
    }
    let wrong = (0..counted.len()).find(|&bin| counted[bin] != expected[bin]);
    if let Some(bin) = wrong {
        bail!(
            "{what}: bin {bin} has {}, but {} is expected",
            counted[bin],
            expected[bin]
        );
    }
    Ok(())
}

fn main() -> ExitCode {
    common::main("How often values occur", |_| SIZE, run)
}
