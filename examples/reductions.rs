//! Reductions and running sums of a matrix: over its rows, which may be of any length, and over its columns.

mod common;

use std::process::ExitCode;

use common::{F32_UNIT, Float, Random, Result, compare, count, report, summed};
use mytriton::prelude::*;

const SIZE: usize = 3_001;
const HEIGHT: usize = 37;
/// Columns taken at a time of a row.
const COLUMNS: i32 = 512;
/// Rows and columns taken at a time of a matrix whose columns are summed.
const TILE: [i32; 2] = [16, 64];

/// The sum of each row, a program each, in the type of the result. Sums of BLOCK columns by themselves are carried, so that
/// threads combine theirs once.
#[kernel]
pub fn row_sum<T, U>(x: Ptr<T>, out: Ptr<U>, cols: i32, #[constexpr] BLOCK: i32) {
    let start = x + program_id(0) as i64 * cols;
    let mut total = zeros([BLOCK], f32) as U;
    for first in (0..cols).step_by(BLOCK) {
        let at = first + range(0, BLOCK);
        total += load(start + at).mask(at < cols).other(0) as U;
    }
    store(out + program_id(0), sum(total) as U);
}

/// The sum of each column, a program for COLS columns, ROWS rows at a time.
#[kernel]
pub fn column_sum<T, U>(x: Ptr<T>, out: Ptr<U>, rows: i32, cols: i32, #[constexpr] ROWS: i32, #[constexpr] COLS: i32) {
    let c = program_id(0) * COLS + range(0, COLS);
    let col = c.at(None, ..);
    let mut total = zeros([ROWS, COLS], f32) as U;
    for first in (0..rows).step_by(ROWS) {
        let row = (first + range(0, ROWS)).at(.., None);
        let inside = row < rows && col < cols;
        total += load(x + row as i64 * cols + col).mask(inside).other(0) as U;
    }
    store(out + c, sum(total, 0) as U).mask(c < cols);
}

/// The largest element of each row; a NaN counts only if all are NaN.
#[kernel]
pub fn row_max<T>(x: Ptr<T>, out: Ptr<T>, cols: i32, #[constexpr] BLOCK: i32) {
    let start = x + program_id(0) as i64 * cols;
    // NaN is what every element is preferred to.
    let mut largest = full([BLOCK], f32::NAN, f32) as T;
    for first in (0..cols).step_by(BLOCK) {
        let at = first + range(0, BLOCK);
        largest = maximum(largest, load(start + at).mask(at < cols).other(f32::NAN));
    }
    store(out + program_id(0), max(largest) as T);
}

/// Where the largest element of each row is: the first of several equal ones, never a NaN but in a row of them.
#[kernel]
pub fn row_argmax<T>(x: Ptr<T>, out: Ptr<i32>, cols: i32, #[constexpr] BLOCK: i32) {
    let start = x + program_id(0) as i64 * cols;
    let col = range(0, BLOCK);
    let mut largest = full([BLOCK], f32::NAN, f32);
    let mut index = col;
    for first in (0..cols).step_by(BLOCK) {
        let at = first + col;
        let v = load(start + at).mask(at < cols).other(f32::NAN) as f32;
        // Columns come in order, so that only a larger one takes the place.
        let better = v > largest || (largest != largest && v == v);
        index = where_(better, at, index);
        largest = where_(better, v, largest);
    }
    let (_, first) = reduce((largest, index), |(a, i), (b, j)| {
        let better = b > a || (a != a && b == b);
        let same = a == b || (a != a && b != b);
        let take = better || (same && j < i);
        (where_(take, b, a), where_(take, j, i))
    });
    store(out + program_id(0), first);
}

/// The running sum of each row, with that of the columns before carried along.
#[kernel]
pub fn row_cumsum<T, U>(x: Ptr<T>, out: Ptr<U>, cols: i32, #[constexpr] BLOCK: i32) {
    let start = program_id(0) as i64 * cols;
    let mut before = 0 as U;
    for first in (0..cols).step_by(BLOCK) {
        let at = first + range(0, BLOCK);
        let v = load(x + start + at).mask(at < cols).other(0) as U;
        store(out + start + at, cumsum(v, 0) + before).mask(at < cols);
        before += sum(v);
    }
}

/// A matrix with rows of `size` elements, in `f32`, `f16` and `bf16`; sums are `f32`.
pub fn run(device: &Device, size: usize, seed: u64) -> Result<String> {
    count(size)?;
    count(HEIGHT * size)?;
    let mut x = Random::new(seed).floats(HEIGHT * size, -4.0..4.0);
    // Ties in row 1, NaN in row 2 and nothing else in row 3, infinities in row 4, zeros of both signs in row 5.
    x[size..2 * size].fill(1.5);
    x[2 * size] = f32::NAN;
    x[3 * size..4 * size].fill(f32::NAN);
    x[4 * size + size / 2] = f32::NEG_INFINITY;
    x[5 * size..6 * size].fill(0.0);
    x[5 * size] = -0.0;
    let lines = [
        all::<f32>("f32", device, size, &x)?,
        all::<f16>("f16", device, size, &x)?,
        all::<bf16>("bf16", device, size, &x)?,
    ];
    Ok(format!("reductions: {HEIGHT} × {size}\n{}", lines.join("\n")))
}

fn all<T: Float>(name: &str, device: &Device, cols: usize, x: &[f32]) -> Result<String> {
    let x: Vec<T> = x.iter().map(|&v| T::round(v)).collect();
    let there = device.upload(&x)?;
    let (m, n) = (count(HEIGHT)?, count(cols)?);
    let row = |r: usize| x[r * cols..][..cols].iter().map(|&v| v.into());
    // Magnitudes that are not finite allow nothing for a sum that is not finite itself.
    let sum_of = |values: &mut dyn Iterator<Item = f64>| {
        let values: Vec<f64> = values.collect();
        let magnitude: f64 = values.iter().map(|v| v.abs()).sum();
        (
            values.iter().sum::<f64>(),
            (summed(values.len()) + F32_UNIT) * magnitude,
        )
    };

    let mut out = device.zeros::<f32>(HEIGHT)?;
    row_sum::launch(device, HEIGHT, &there, &mut out, n, COLUMNS)?;
    let sums = compare(&format!("row sum of {name}"), &out.to_vec()?, |r| sum_of(&mut row(r)))?;

    let mut out = device.zeros::<f32>(cols)?;
    let grid = Grid(cols.div_ceil(TILE[1] as usize));
    column_sum::launch(device, grid, &there, &mut out, m, n, TILE[0], TILE[1])?;
    let columns = compare(&format!("column sum of {name}"), &out.to_vec()?, |c| {
        sum_of(&mut (0..HEIGHT).map(|r| x[r * cols + c].into()))
    })?;

    let mut out = device.zeros::<T>(HEIGHT)?;
    row_max::launch(device, HEIGHT, &there, &mut out, n, COLUMNS)?;
    // Nothing is rounded.
    let largest = compare(&format!("maximum of {name}"), &out.to_vec()?, |r| {
        (row(r).fold(f64::NAN, f64::max), 0.0)
    })?;

    let mut out = device.zeros::<i32>(HEIGHT)?;
    row_argmax::launch(device, HEIGHT, &there, &mut out, n, COLUMNS)?;
    let argmax = compare(&format!("argmax of {name}"), &out.to_vec()?, |r| {
        let largest = row(r).fold(f64::NAN, f64::max);
        (row(r).position(|v: f64| v == largest).unwrap_or(0) as f64, 0.0)
    })?;

    let mut out = device.zeros::<f32>(x.len())?;
    row_cumsum::launch(device, HEIGHT, &there, &mut out, n, COLUMNS)?;
    let mut running = Vec::with_capacity(x.len());
    for r in 0..HEIGHT {
        let mut so_far = (0.0, 0.0);
        for (c, v) in row(r).enumerate() {
            so_far = (so_far.0 + v, so_far.1 + v.abs());
            running.push((so_far.0, (summed(c + 1) + F32_UNIT) * so_far.1));
        }
    }
    let scan = compare(&format!("running sum of {name}"), &out.to_vec()?, |i| running[i])?;
    let parts = [
        ("rows", sums),
        ("columns", columns),
        ("maximum", largest),
        ("argmax", argmax),
        ("running sum", scan),
    ];
    Ok(report(name, &parts))
}

fn main() -> ExitCode {
    common::main("Sums, maxima, their places and running sums of a matrix", |_| SIZE, run)
}
