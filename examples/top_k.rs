//! The largest elements of each row with their places, and rows in order.

mod common;

use std::process::ExitCode;

use common::{Random, Result, count, ensure};
use mytriton::prelude::*;

const SIZE: usize = 100;
const HEIGHT: usize = 7;
/// How many of a row are wanted.
const MOST: usize = 8;
/// Columns up to which rows are held in registers.
const MOST_COLUMNS: usize = 1 << 12;

/// The K largest elements of each row, the largest first, and where they are: of equal ones the first. A program sorts a
/// row of at most BLOCK columns as integers of 64 bits, whose upper half has the order of the elements (-0.0 below 0.0, a
/// NaN without sign above all) and whose lower half prefers early columns.
#[kernel]
pub fn top_k(x: Ptr<f32>, values: Ptr<f32>, places: Ptr<i32>, cols: i32, #[constexpr] BLOCK: i32, #[constexpr] K: i32) {
    let row = program_id(0);
    let col = range(0, BLOCK);
    let bits = bitcast(load(x + row as i64 * cols + col).mask(col < cols).other(0.0), i32);
    // The magnitude of negative numbers counts downwards.
    let order = bits ^ ((bits >> 31) & i32::MAX);
    let key = ((order as i64) << 32) | ((i32::MAX - col) as i64);
    // No element has this key: a column that is none is never preferred to one that is.
    let best = topk(where_(col < cols, key, i64::MIN), K);
    let order = (best >> 32) as i32;
    let at = row as i64 * K + range(0, K);
    store(values + at, bitcast(order ^ ((order >> 31) & i32::MAX), f32));
    store(places + at, i32::MAX - (best as i32));
}

/// Each row in ascending order. What fills it up to BLOCK columns comes last.
#[kernel]
pub fn sort_rows<T>(x: Ptr<T>, out: Ptr<T>, cols: i32, #[constexpr] BLOCK: i32) {
    let col = range(0, BLOCK);
    let start = program_id(0) as i64 * cols;
    let v = load(x + start + col).mask(col < cols).other(f32::NAN);
    store(out + start + col, sort(v)).mask(col < cols);
}

/// Rows of `size` elements.
pub fn run(device: &Device, size: usize, seed: u64) -> Result<String> {
    count(size)?;
    ensure!(size <= MOST_COLUMNS, "{size} columns: registers hold {MOST_COLUMNS}");
    let mut x = Random::new(seed).floats(HEIGHT * size, -5.0..5.0);
    // Ties, infinities, and zeros of both signs.
    x[size..2 * size].iter_mut().for_each(|v| *v = v.round());
    x[2 * size + size / 2] = f32::INFINITY;
    x[3 * size + size / 2] = f32::NEG_INFINITY;
    x[4 * size..5 * size].fill(0.0);
    x[4 * size + size / 2] = -0.0;
    let (n, there) = (count(size)?, device.upload(&x)?);
    let block = size.next_power_of_two();
    let wanted = MOST.min(size);

    let mut values = device.zeros::<f32>(HEIGHT * wanted)?;
    let mut places = device.zeros::<i32>(HEIGHT * wanted)?;
    top_k::launch(
        device,
        HEIGHT,
        &there,
        &mut values,
        &mut places,
        n,
        count(block)?,
        count(wanted)?,
    )?;
    let mut out = device.zeros::<f32>(x.len())?;
    sort_rows::launch(device, HEIGHT, &there, &mut out, n, count(block)?)?;

    let (values, places, out) = (values.to_vec()?, places.to_vec()?, out.to_vec()?);
    for (r, row) in x.chunks(size).enumerate() {
        // A stable sort keeps equal elements in the order of their places.
        let mut order: Vec<usize> = (0..size).collect();
        order.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
        let best = || order.iter().take(wanted);
        ensure!(
            best()
                .map(|&c| c as i32)
                .eq(places[r * wanted..][..wanted].iter().copied()),
            "row {r}: the places of the largest are {:?}",
            &places[r * wanted..][..wanted]
        );
        let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let largest: Vec<f32> = best().map(|&c| row[c]).collect();
        ensure!(
            bits(&largest) == bits(&values[r * wanted..][..wanted]),
            "row {r}: the largest are {:?}",
            &values[r * wanted..][..wanted]
        );
        let sorted: Vec<f32> = order.iter().rev().map(|&c| row[c]).collect();
        ensure!(
            bits(&sorted) == bits(&out[r * size..][..size]),
            "row {r} is not in order"
        );
    }
    Ok(format!(
        "top_k: {HEIGHT} × {size}, the {wanted} largest with their places, and all in order"
    ))
}

fn main() -> ExitCode {
    common::main(
        "The largest elements of rows with their places, and rows in order",
        |_| SIZE,
        run,
    )
}
