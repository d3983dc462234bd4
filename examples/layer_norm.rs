//! Normalisation of rows: layer norm with its gradients, and RMS norm.

mod common;

use std::process::ExitCode;

use common::{F32_UNIT, Float, Random, Result, compare, count, ensure, report, summed};
use mytriton::prelude::*;

const SIZE: usize = 781;
const HEIGHT: usize = 23;
/// Columns up to which rows are held in registers.
const MOST_COLUMNS: usize = 1 << 14;
const EPS: f32 = 1e-5;
/// Programs that share the rows of the gradients.
const PARTS: usize = 3;

/// `y = (x - mean) · rstd · weight + bias` for each row, with `rstd = 1 / sqrt(variance + eps)`; mean and `rstd` are kept
/// for the gradients. A program holds ROWS rows of at most BLOCK columns in registers, so that the variance can be that
/// of the differences from the mean, which does not cancel.
#[kernel]
pub fn layer_norm<T>(
    x: Ptr<T>,
    weight: Ptr<T>,
    bias: Ptr<T>,
    y: Ptr<T>,
    mean: Ptr<f32>,
    rstd: Ptr<f32>,
    rows: i32,
    cols: i32,
    eps: f32,
    #[constexpr] ROWS: i32,
    #[constexpr] BLOCK: i32,
) {
    let r = program_id(0) * ROWS + range(0, ROWS);
    let c = range(0, BLOCK);
    let (row, col) = (r.at(.., None), c.at(None, ..));
    let inside = row < rows && col < cols;
    let start = row as i64 * cols;
    let v = load(x + start + col).mask(inside).other(0.0) as f32;
    let w = load(weight + c).mask(c < cols).other(0.0) as f32;
    let b = load(bias + c).mask(c < cols).other(0.0) as f32;

    let mu = sum(v, 1) / (cols as f32);
    let d = where_(col < cols, v - mu.at(.., None), 0.0);
    let scale = rsqrt(sum(d * d, 1) / (cols as f32) + eps);
    let result = d * scale.at(.., None) * w.at(None, ..) + b.at(None, ..);
    store(y + start + col, result as T).mask(inside);
    store(mean + r, mu).mask(r < rows);
    store(rstd + r, scale).mask(r < rows);
}

/// The gradients of [`layer_norm`]: `dx`, and for each program its part of those of weight and bias, which
/// [`layer_norm_sum`] adds. The programs share the rows, each taking every so manieth block of ROWS rows: the parts stay
/// in registers and their number is that of the programs, not of the rows.
#[kernel]
pub fn layer_norm_backward<T>(
    x: Ptr<T>,
    weight: Ptr<T>,
    dy: Ptr<T>,
    mean: Ptr<f32>,
    rstd: Ptr<f32>,
    dx: Ptr<T>,
    dw_parts: Ptr<f32>,
    db_parts: Ptr<f32>,
    rows: i32,
    cols: i32,
    #[constexpr] ROWS: i32,
    #[constexpr] BLOCK: i32,
) {
    let c = range(0, BLOCK);
    let col = c.at(None, ..);
    let w = (load(weight + c).mask(c < cols).other(0.0) as f32).at(None, ..);
    let mut dw = zeros([ROWS, BLOCK], f32);
    let mut db = zeros([ROWS, BLOCK], f32);
    for first in (program_id(0) * ROWS..rows).step_by(num_programs(0) * ROWS) {
        let r = first + range(0, ROWS);
        let row = r.at(.., None);
        let inside = row < rows && col < cols;
        let start = row as i64 * cols;
        let v = load(x + start + col).mask(inside).other(0.0) as f32;
        let g = load(dy + start + col).mask(inside).other(0.0) as f32;
        let mu = load(mean + r).mask(r < rows).other(0.0).at(.., None);
        let scale = load(rstd + r).mask(r < rows).other(0.0).at(.., None);

        let normal = where_(col < cols, (v - mu) * scale, 0.0);
        let wg = w * g;
        let (along, level) = reduce((normal * wg, wg), 1, |(a, b), (c, d)| (a + c, b + d));
        let n = cols as f32;
        let result = (wg - (normal * (along / n).at(.., None) + (level / n).at(.., None))) * scale;
        store(dx + start + col, result as T).mask(inside);
        dw += g * normal;
        db += g;
    }
    let at = program_id(0) as i64 * cols + c;
    store(dw_parts + at, sum(dw, 0)).mask(c < cols);
    store(db_parts + at, sum(db, 0)).mask(c < cols);
}

/// Adds the `parts` rows of both matrices that [`layer_norm_backward`] leaves; a program for each COLS columns.
#[kernel]
pub fn layer_norm_sum<T>(
    dw_parts: Ptr<f32>,
    db_parts: Ptr<f32>,
    dw: Ptr<T>,
    db: Ptr<T>,
    parts: i32,
    cols: i32,
    #[constexpr] ROWS: i32,
    #[constexpr] COLS: i32,
) {
    let c = program_id(0) * COLS + range(0, COLS);
    let col = c.at(None, ..);
    let mut w = zeros([ROWS, COLS], f32);
    let mut b = zeros([ROWS, COLS], f32);
    for first in (0..parts).step_by(ROWS) {
        let row = first + range(0, ROWS).at(.., None);
        let inside = row < parts && col < cols;
        let at = row as i64 * cols + col;
        w += load(dw_parts + at).mask(inside).other(0.0);
        b += load(db_parts + at).mask(inside).other(0.0);
    }
    store(dw + c, sum(w, 0) as T).mask(c < cols);
    store(db + c, sum(b, 0) as T).mask(c < cols);
}

/// `y = x / sqrt(mean of x² + eps) · weight` for each row.
#[kernel]
pub fn rms_norm<T>(
    x: Ptr<T>,
    weight: Ptr<T>,
    y: Ptr<T>,
    rows: i32,
    cols: i32,
    eps: f32,
    #[constexpr] ROWS: i32,
    #[constexpr] BLOCK: i32,
) {
    let row = (program_id(0) * ROWS + range(0, ROWS)).at(.., None);
    let c = range(0, BLOCK);
    let col = c.at(None, ..);
    let inside = row < rows && col < cols;
    let start = row as i64 * cols;
    let v = load(x + start + col).mask(inside).other(0.0) as f32;
    let w = load(weight + c).mask(c < cols).other(0.0) as f32;
    let scale = rsqrt(sum(v * v, 1) / (cols as f32) + eps);
    store(y + start + col, (v * scale.at(.., None) * w.at(None, ..)) as T).mask(inside);
}

/// The shape of a program that holds rows of `cols` elements in registers: rows, columns, and warps.
pub fn shape(cols: usize) -> (i32, i32, u32) {
    let block = cols.next_power_of_two();
    let rows = (1024 / block).max(1);
    // 16 elements for each thread, as far as there are threads.
    let warps = (rows * block / (32 * 16)).clamp(1, 16);
    (rows as i32, block as i32, warps as u32)
}

/// Rows of `size` elements.
pub fn run(device: &Device, size: usize, seed: u64) -> Result<String> {
    count(size)?;
    count(HEIGHT * size)?;
    ensure!(size <= MOST_COLUMNS, "{size} columns: registers hold {MOST_COLUMNS}");
    let lines = [
        all::<f32>("f32", device, size, seed)?,
        all::<f16>("f16", device, size, seed)?,
        all::<bf16>("bf16", device, size, seed)?,
    ];
    Ok(format!("layer_norm: {HEIGHT} × {size}\n{}", lines.join("\n")))
}

fn all<T: Float>(name: &str, device: &Device, cols: usize, seed: u64) -> Result<String> {
    let mut random = Random::new(seed);
    let mut data = |len, range| -> Vec<T> { random.floats(len, range).into_iter().map(T::round).collect() };
    let x = data(HEIGHT * cols, -1.0..3.0);
    let weight = data(cols, 0.5..1.5);
    let bias = data(cols, -1.0..1.0);
    let dy = data(HEIGHT * cols, -1.0..1.0);
    let (x_there, weight_there, bias_there) = (device.upload(&x)?, device.upload(&weight)?, device.upload(&bias)?);
    let dy_there = device.upload(&dy)?;
    let (m, n) = (count(HEIGHT)?, count(cols)?);
    let (rows, block, warps) = shape(cols);
    let on = device.num_warps(warps);
    let grid = Grid(HEIGHT.div_ceil(rows as usize));
    let (x, weight, bias, dy) = (wide(&x), wide(&weight), wide(&bias), wide(&dy));

    let mut y = device.zeros::<T>(x.len())?;
    let (mut mean, mut rstd) = (device.zeros::<f32>(HEIGHT)?, device.zeros::<f32>(HEIGHT)?);
    layer_norm::launch(
        on,
        grid,
        &x_there,
        &weight_there,
        &bias_there,
        &mut y,
        &mut mean,
        &mut rstd,
        m,
        n,
        EPS,
        rows,
        block,
    )?;
    let moments: Vec<Moments> = x.chunks(cols).map(Moments::of).collect();
    let forward = compare(&format!("layer norm of {name}"), &y.to_vec()?, |i| {
        let (moments, w, b) = (&moments[i / cols], weight[i % cols], bias[i % cols]);
        let normal = (x[i] - moments.mean) * moments.rstd;
        // The mean is a sum of elements below 3, a division right to 2 units in the last place, and a difference; the
        // variance a sum, whose root halves its error, a division, and rsqrt to 3 units; 3 roundings follow.
        let mean = 3.0 * (summed(cols) + 5.0 * F32_UNIT) * moments.rstd;
        let error = w.abs() * (mean + normal.abs() * (summed(cols) + 12.0 * F32_UNIT)) + F32_UNIT * b.abs();
        T::within(normal * w + b, error)
    })?;

    let mut y = device.zeros::<T>(x.len())?;
    rms_norm::launch(on, grid, &x_there, &weight_there, &mut y, m, n, EPS, rows, block)?;
    let rms = compare(&format!("RMS norm of {name}"), &y.to_vec()?, |i| {
        let row = &x[i / cols * cols..][..cols];
        let square = row.iter().map(|v| v * v).sum::<f64>() / cols as f64 + f64::from(EPS);
        let value = x[i] / square.sqrt() * weight[i % cols];
        // Half the error of a sum of squares and of a division, rsqrt to 3 units in the last place, 3 roundings.
        T::within(value, value.abs() * (summed(cols) + 12.0 * F32_UNIT))
    })?;

    let (mut dx, mut dw, mut db) = (
        device.zeros::<T>(x.len())?,
        device.zeros::<T>(cols)?,
        device.zeros::<T>(cols)?,
    );
    let mut dw_parts = device.zeros::<f32>(PARTS * cols)?;
    let mut db_parts = device.zeros::<f32>(PARTS * cols)?;
    layer_norm_backward::launch(
        on,
        PARTS,
        &x_there,
        &weight_there,
        &dy_there,
        &mean,
        &rstd,
        &mut dx,
        &mut dw_parts,
        &mut db_parts,
        m,
        n,
        rows,
        block,
    )?;
    let sums = Grid(cols.div_ceil(32));
    layer_norm_sum::launch(
        device,
        sums,
        &dw_parts,
        &db_parts,
        &mut dw,
        &mut db,
        count(PARTS)?,
        n,
        8,
        32,
    )?;

    // Mean and rstd are what the kernel was given.
    let (mean, rstd) = (wide(&mean.to_vec()?), wide(&rstd.to_vec()?));
    let normal = |i: usize| (x[i] - mean[i / cols]) * rstd[i / cols];
    let row_sums: Vec<[f64; 4]> = (0..HEIGHT)
        .map(|row| {
            let terms = (0..cols).map(|c| {
                let wg = weight[c] * dy[row * cols + c];
                let along = normal(row * cols + c) * wg;
                [along, wg, along.abs(), wg.abs()]
            });
            terms.fold([0.0; 4], |a, b| std::array::from_fn(|i| a[i] + b[i] / cols as f64))
        })
        .collect();
    let dx = compare(&format!("dx of {name}"), &dx.to_vec()?, |i| {
        let ([along, level, along_abs, level_abs], normal) = (row_sums[i / cols], normal(i));
        let wg = weight[i % cols] * dy[i];
        let value = (wg - (normal * along + level)) * rstd[i / cols];
        // Up to 12 roundings of each term besides those of the sums, counting divisions and what the terms share.
        let magnitude = wg.abs() + normal.abs() * along_abs + level_abs;
        T::within(value, (summed(cols) + 12.0 * F32_UNIT) * magnitude * rstd[i / cols])
    })?;
    let column = |what: &str, got: Vec<T>, term: &(dyn Fn(usize) -> f64 + Sync)| {
        compare(&format!("{what} of {name}"), &got, |c| {
            let terms = || (0..HEIGHT).map(|row| term(row * cols + c));
            let magnitude: f64 = terms().map(f64::abs).sum();
            // Each term has 3 roundings before it is added.
            T::within(terms().sum(), (summed(HEIGHT) + 3.0 * F32_UNIT) * magnitude)
        })
    };
    let dw = column("dw", dw.to_vec()?, &|i| dy[i] * normal(i))?;
    let db = column("db", db.to_vec()?, &|i| dy[i])?;
    let parts = [
        ("forward", forward),
        ("dx", dx),
        ("dw", dw),
        ("db", db),
        ("RMS norm", rms),
    ];
    Ok(report(name, &parts))
}

/// Mean and 1/sqrt(variance + eps) of a row.
struct Moments {
    mean: f64,
    rstd: f64,
}

impl Moments {
    fn of(row: &[f64]) -> Moments {
        let mean = row.iter().sum::<f64>() / row.len() as f64;
        let variance = row.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / row.len() as f64;
        let rstd = 1.0 / (variance + f64::from(EPS)).sqrt();
        Moments { mean, rstd }
    }
}

fn wide<T: Float>(values: &[T]) -> Vec<f64> {
    values.iter().map(|&v| v.into()).collect()
}

fn main() -> ExitCode {
    common::main("Layer norm with its gradients, and RMS norm", |_| SIZE, run)
}
