//! The cross entropy of rows of logits against a target each, over a vocabulary too long for registers.

mod common;

use std::process::ExitCode;

use common::{F32_UNIT, Float, Random, Result, compare, count, report, summed};
use mytriton::prelude::*;
use rand::RngExt;

const SIZE: usize = 32_003;
const ROWS: usize = 5;
/// Columns taken at a time.
const COLUMNS: i32 = 1024;
/// Logits are below it.
const RANGE: f32 = 12.0;

/// `loss = log(sum of exp(row)) - row[target]`, a program for each row, and the logarithm by itself for the gradient. A
/// negative target has no loss: 0. The row is read once, BLOCK columns at a time: the largest element and the sum of
/// exponentials so far are carried for each group of 8 neighbours, which one thread holds, and combined in the end.
#[kernel]
pub fn cross_entropy<T>(
    logits: Ptr<T>,
    targets: Ptr<i64>,
    loss: Ptr<f32>,
    log_sum: Ptr<f32>,
    cols: i32,
    #[constexpr] BLOCK: i32,
) {
    let row = program_id(0);
    let start = row as i64 * cols;
    let col = range(0, BLOCK / 8).at(.., None) * 8 + range(0, 8).at(None, ..);
    // Finite, so that no difference from it is a NaN by itself.
    let mut largest = full([BLOCK / 8], f32::MIN, f32);
    let mut total = zeros([BLOCK / 8], f32);
    for first in (0..cols).step_by(BLOCK) {
        let at = first + col;
        let v = load(logits + start + at).mask(at < cols).other(f32::NEG_INFINITY) as f32;
        let above = maximum(largest, max(v, 1));
        total = total * exp(largest - above) + sum(exp(v - above.at(.., None)), 1);
        largest = above;
    }
    let m = max(largest);
    let log_total = m + log(sum(total * exp(largest - m)));
    let target = load(targets + row);
    let hit = load(logits + start + target).mask(target >= 0).other(0.0) as f32;
    store(log_sum + row, log_total);
    store(loss + row, where_(target >= 0, log_total - hit, 0.0));
}

/// A vocabulary of `size`; logits in `f32`, `f16` and `bf16`, losses in `f32`.
pub fn run(device: &Device, size: usize, seed: u64) -> Result<String> {
    count(size)?;
    count(ROWS * size)?;
    let mut random = Random::new(seed);
    let mut logits = random.floats(ROWS * size, -RANGE..RANGE);
    let mut targets = random.array(ROWS, |rng| rng.random_range(0..size as i64));
    // A row without a loss, and one with a logit that excludes its element.
    targets[1] = -1;
    if size > 1 {
        let other = (targets[2] as usize + 1) % size;
        logits[2 * size + other] = f32::NEG_INFINITY;
    }
    logits[3 * size + size / 2] = f32::NAN;
    let lines = [
        all::<f32>("f32", device, size, &logits, &targets)?,
        all::<f16>("f16", device, size, &logits, &targets)?,
        all::<bf16>("bf16", device, size, &logits, &targets)?,
    ];
    Ok(format!(
        "cross_entropy: {ROWS} rows, vocabulary of {size}\n{}",
        lines.join("\n")
    ))
}

fn all<T: Float>(name: &str, device: &Device, cols: usize, logits: &[f32], targets: &[i64]) -> Result<String> {
    let logits: Vec<T> = logits.iter().map(|&v| T::round(v)).collect();
    let (logits_there, targets_there) = (device.upload(&logits)?, device.upload(targets)?);
    let (mut loss, mut log_sum) = (device.zeros::<f32>(ROWS)?, device.zeros::<f32>(ROWS)?);
    cross_entropy::launch(
        device,
        ROWS,
        &logits_there,
        &targets_there,
        &mut loss,
        &mut log_sum,
        count(cols)?,
        COLUMNS,
    )?;

    // As for softmax: differences below 2·RANGE, each scaling with 2^-22 of its own, the sum; what the logarithm makes of
    // a relative error is an absolute one. Then the logarithm to 2 units in the last place, a sum and a difference.
    let iterations = cols.div_ceil(COLUMNS as usize);
    let relative = F32_UNIT * (6.0 * 2.0 * f64::from(RANGE) + 4.0 * (2 + iterations) as f64) + summed(cols);
    let last = 6.0 * F32_UNIT * (f64::from(RANGE) + (cols as f64).ln() + f64::from(RANGE));
    let exact = |row: usize| {
        let row = || logits[row * cols..][..cols].iter().map(|&v| v.into());
        let largest = row().fold(f64::NEG_INFINITY, f64::max);
        largest + row().map(|v: f64| (v - largest).exp()).sum::<f64>().ln()
    };
    let sums = compare(&format!("log sum of {name}"), &log_sum.to_vec()?, |row| {
        (exact(row), relative + last)
    })?;
    let losses = compare(&format!("loss of {name}"), &loss.to_vec()?, |row| {
        let hit = usize::try_from(targets[row]).map(|target| logits[row * cols + target].into());
        (hit.map_or(0.0, |hit| exact(row) - hit), relative + last)
    })?;
    Ok(report(name, &[("loss", losses), ("log sum", sums)]))
}

fn main() -> ExitCode {
    common::main("Cross entropy over a long vocabulary", |_| SIZE, run)
}
