//! Adds a row and a column to a matrix: 19 × 37 elements in tiles of 16 × 32, so that all edges are cut.

mod common;

use std::process::ExitCode;

use common::{F32_UNIT, Random, Result, compare, count};
use mytriton::prelude::*;

const SIZE: usize = 19;
const TILE: [i32; 2] = [16, 32];

/// `out[i][j] = a[i][j] + row[j] + column[i]`. What is indexed by `rows` has the shape [M, 1], by `cols` [1, N]: they
/// broadcast to [M, N].
#[kernel]
pub fn matrix_add(
    a: Ptr<f32>,
    row: Ptr<f32>,
    column: Ptr<f32>,
    out: Ptr<f32>,
    height: i32,
    width: i32,
    #[constexpr] M: i32,
    #[constexpr] N: i32,
) {
    let rows = (program_id(1) * M + range(0, M)).at(.., None);
    let cols = (program_id(0) * N + range(0, N)).at(None, ..);
    let inside = rows < height && cols < width;
    let at = rows * width + cols;
    let both = load(row + cols).mask(cols < width) + load(column + rows).mask(rows < height);
    store(out + at, load(a + at).mask(inside) + both).mask(inside);
}

/// A matrix of `size` × `2·size - 1` elements.
pub fn run(device: &Device, size: usize, seed: u64) -> Result<String> {
    count(size)?;
    let (height, width) = (size, (2 * size).saturating_sub(1));
    let elements = height * width;
    count(elements)?;
    let mut random = Random::new(seed);
    let a = random.floats(elements, -1.0..1.0);
    let row = random.floats(width, -10.0..10.0);
    let column = random.floats(height, -100.0..100.0);

    let (a_there, row_there, column_there) = (device.upload(&a)?, device.upload(&row)?, device.upload(&column)?);
    let mut out = device.zeros::<f32>(elements)?;
    let grid = Grid((width.div_ceil(TILE[1] as usize), height.div_ceil(TILE[0] as usize)));
    matrix_add::launch(
        device,
        grid,
        &a_there,
        &row_there,
        &column_there,
        &mut out,
        count(height)?,
        count(width)?,
        TILE[0],
        TILE[1],
    )?;

    let agreement = compare("matrix_add", &out.to_vec()?, |i| {
        let both = f64::from(row[i % width]) + f64::from(column[i / width]);
        let sum = f64::from(a[i]) + both;
        // Two roundings, of `both` and of the sum.
        (sum, 1.001 * F32_UNIT * (both.abs() + sum.abs()))
    })?;
    Ok(format!("matrix_add: {height} × {width}, {agreement}"))
}

fn main() -> ExitCode {
    common::main("out[i][j] = a[i][j] + row[j] + column[i]", |_| SIZE, run)
}
