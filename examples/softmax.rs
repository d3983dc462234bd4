//! Softmax of the rows of a matrix: rows that fit into registers, several to a program where they are short; rows of any
//! length, read twice; and with a mask.

mod common;

use std::process::ExitCode;

use common::{F32_UNIT, Float, Random, Result, compare, count, report, summed};
use mytriton::prelude::*;
use rand::RngExt;

const SIZE: usize = 781;
/// Rows; the kernels' own numbers of rows do not divide it.
const HEIGHT: usize = 11;
/// Columns that the online kernel takes at a time.
const ONLINE_BLOCK: i32 = 1024;
/// Elements are below it.
const RANGE: f32 = 9.0;

/// `softmax(row)[i] = exp(row[i] - m) / (sum of exp(row[j] - m))` with `m` the largest element. A program keeps ROWS
/// rows of at most BLOCK columns in its registers: memory is read once and written once.
#[kernel]
pub fn softmax<T>(x: Ptr<T>, out: Ptr<T>, rows: i32, cols: i32, #[constexpr] ROWS: i32, #[constexpr] BLOCK: i32) {
    let row = (program_id(0) * ROWS + range(0, ROWS)).at(.., None);
    let col = range(0, BLOCK).at(None, ..);
    let inside = row < rows && col < cols;
    // What lies beyond the row adds nothing: exp(-inf) is 0.
    let start = row as i64 * cols;
    let v = load(x + start + col).mask(inside).other(f32::NEG_INFINITY) as f32;
    let e = exp(v - max(v, 1).at(.., None));
    let scale = 1.0 / sum(e, 1);
    store(out + start + col, (e * scale.at(.., None)) as T).mask(inside);
}

/// The same for rows of any length, a program each. The first pass carries the largest element and the sum of exponentials
/// so far, for each of BLOCK columns by itself, so that the program combines them across its threads once. The second
/// pass reads the row again.
#[kernel]
pub fn softmax_online<T>(x: Ptr<T>, out: Ptr<T>, cols: i32, #[constexpr] BLOCK: i32) {
    let start = program_id(0) as i64 * cols;
    let col = range(0, BLOCK);
    // Finite, so that no difference from it is a NaN by itself.
    let mut largest = full([BLOCK], f32::MIN, f32);
    let mut total = zeros([BLOCK], f32);
    for first in (0..cols).step_by(BLOCK) {
        let at = first + col;
        let v = load(x + start + at).mask(at < cols).other(f32::NEG_INFINITY) as f32;
        // One of the two, the sum so far or the new element, has the smaller maximum and is scaled down: one exponential.
        let larger = v > largest;
        let down = exp(-abs(v - largest));
        total = where_(larger, total * down + 1.0, total + down);
        largest = where_(larger, v, largest);
    }
    let m = max(largest);
    let scale = 1.0 / sum(total * exp(largest - m));
    for first in (0..cols).step_by(BLOCK) {
        let at = first + col;
        let v = load(x + start + at).mask(at < cols).other(0.0) as f32;
        store(out + start + at, (exp(v - m) * scale) as T).mask(at < cols);
    }
}

/// Softmax over those elements of each row for which `keep` holds; the others get 0, also where a row keeps nothing.
#[kernel]
pub fn softmax_masked<T>(
    x: Ptr<T>,
    keep: Ptr<bool>,
    out: Ptr<T>,
    rows: i32,
    cols: i32,
    #[constexpr] ROWS: i32,
    #[constexpr] BLOCK: i32,
) {
    let row = (program_id(0) * ROWS + range(0, ROWS)).at(.., None);
    let col = range(0, BLOCK).at(None, ..);
    let inside = row < rows && col < cols;
    let start = row as i64 * cols;
    let kept = load(keep + start + col).mask(inside).other(false);
    let v = load(x + start + col).mask(kept).other(f32::NEG_INFINITY) as f32;
    // The largest of nothing is -inf, from which -inf differs by NaN.
    let m = maximum(max(v, 1), f32::MIN);
    let e = exp(v - m.at(.., None));
    let scale = 1.0 / sum(e, 1);
    store(out + start + col, where_(kept, e * scale.at(.., None), 0.0) as T).mask(inside);
}

/// The shape of a program that holds rows of `cols` elements in registers: rows, columns, and warps.
pub fn shape(cols: usize) -> (i32, i32, u32) {
    let block = cols.next_power_of_two();
    let rows = (1024 / block).max(1);
    // 16 elements for each thread, as far as there are threads.
    let warps = (rows * block / (32 * 16)).clamp(1, 16);
    (rows as i32, block as i32, warps as u32)
}

/// Columns up to which rows are held in registers.
const MOST_COLUMNS: usize = 1 << 14;

/// Rows of `size` elements, some of them with values that are not finite.
pub fn run(device: &Device, size: usize, seed: u64) -> Result<String> {
    count(size)?;
    count(HEIGHT * size)?;
    let mut random = Random::new(seed);
    let mut x = random.floats(HEIGHT * size, -RANGE..RANGE);
    for (row, value) in [(1, f32::NAN), (2, f32::INFINITY), (3, f32::NEG_INFINITY)] {
        x[row * size + size / 2] = value;
    }
    x[4 * size..5 * size].fill(f32::NEG_INFINITY);
    x[5 * size..6 * size].fill(7.5);
    // Row 0 keeps all, row 6 nothing, the others a half.
    let mut keep = random.array(x.len(), |rng| rng.random());
    keep[..size].fill(true);
    keep[6 * size..7 * size].fill(false);
    let lines = [
        all::<f32>("f32", device, size, &x, &keep)?,
        all::<f16>("f16", device, size, &x, &keep)?,
        all::<bf16>("bf16", device, size, &x, &keep)?,
    ];
    Ok(format!("softmax: {HEIGHT} × {size}\n{}", lines.join("\n")))
}

fn all<T: Float>(name: &str, device: &Device, cols: usize, x: &[f32], keep: &[bool]) -> Result<String> {
    let x: Vec<T> = x.iter().map(|&v| T::round(v)).collect();
    let (x_there, keep_there) = (device.upload(&x)?, device.upload(keep)?);
    let (m, n) = (count(HEIGHT)?, count(cols)?);
    let everything = vec![true; x.len()];
    // Differences from the largest element are rounded (below 2·RANGE), their exponentials right to 2^-22 + |difference|·
    // 2^-23; the sum of them; a division right to 2 units in the last place, and a product. Where a sum is scaled down
    // on the way, differences add up to those from the largest, but each scaling has its own 2^-22.
    let check = |kernel: &str, out: Buffer<T>, keep: &[bool], scalings: usize| {
        let expected = host(&x, keep, cols);
        let relative = F32_UNIT * (6.0 * 2.0 * f64::from(RANGE) + 4.0 * (2 + scalings) as f64 + 5.0) + summed(cols);
        compare(&format!("{kernel} of {name}"), &out.to_vec()?, |i| {
            T::within(expected[i], relative * expected[i] + f64::from(f32::MIN_POSITIVE))
        })
    };
    let mut parts = Vec::new();
    if cols <= MOST_COLUMNS {
        let (rows, block, warps) = shape(cols);
        let on = device.num_warps(warps);
        let grid = Grid(HEIGHT.div_ceil(rows as usize));
        let mut out = device.zeros::<T>(x.len())?;
        softmax::launch(on, grid, &x_there, &mut out, m, n, rows, block)?;
        parts.push(("in registers", check("softmax", out, &everything, 0)?));
        let mut out = device.zeros::<T>(x.len())?;
        softmax_masked::launch(on, grid, &x_there, &keep_there, &mut out, m, n, rows, block)?;
        parts.push(("masked", check("masked softmax", out, keep, 0)?));
    }
    let mut out = device.zeros::<T>(x.len())?;
    softmax_online::launch(device, HEIGHT, &x_there, &mut out, n, ONLINE_BLOCK)?;
    let iterations = cols.div_ceil(ONLINE_BLOCK as usize);
    parts.push(("online", check("online softmax", out, &everything, iterations)?));
    Ok(report(name, &parts))
}

/// The same in `f64`.
fn host<T: Float>(x: &[T], keep: &[bool], cols: usize) -> Vec<f64> {
    let rows = x.chunks(cols).zip(keep.chunks(cols));
    let rows = rows.flat_map(|(row, keep)| {
        let kept = || row.iter().zip(keep).filter(|(_, kept)| **kept).map(|(&v, _)| v.into());
        let largest = kept().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = kept().map(|v: f64| (v - largest).exp()).sum();
        let one = move |(&v, &kept): (&T, &bool)| if kept { (v.into() - largest).exp() / total } else { 0.0 };
        row.iter().zip(keep).map(one)
    });
    rows.collect()
}

fn main() -> ExitCode {
    common::main(
        "Softmax of rows in registers, with a mask, and of any length",
        |_| SIZE,
        run,
    )
}
