//! The transpose of a matrix, and the permutations of a tensor's three dimensions.

mod common;

use std::process::ExitCode;

use common::{Random, Result, count, ensure};
use mytriton::prelude::*;
use rand::RngExt;

/// `out[c][r] = x[r][c]` in tiles of ROWS × COLS. The tile is read along its rows and written along its columns, both in
/// wide accesses of neighbouring elements: the compiler exchanges it between the threads in the middle.
#[kernel]
pub fn transpose<T>(x: Ptr<T>, out: Ptr<T>, rows: i32, cols: i32, #[constexpr] ROWS: i32, #[constexpr] COLS: i32) {
    let r = program_id(1) * ROWS + range(0, ROWS);
    let c = program_id(0) * COLS + range(0, COLS);
    let tile =
        load(x + r.at(.., None) as i64 * cols + c.at(None, ..)).mask(r.at(.., None) < rows && c.at(None, ..) < cols);
    let turned = c.at(.., None) < cols && r.at(None, ..) < rows;
    store(out + c.at(.., None) as i64 * rows + r.at(None, ..), trans(tile)).mask(turned);
}

/// The extent of dimension AXIS.
#[kernel(device)]
fn extent(n0: i32, n1: i32, n2: i32, #[constexpr] AXIS: i32) -> Tile {
    if AXIS == 0 {
        n0
    } else if AXIS == 1 {
        n1
    } else {
        n2
    }
}

/// How far apart neighbours along dimension AXIS are. That those along the last one are neighbours in memory is known
/// while compiling.
#[kernel(device)]
fn stride(n1: i32, n2: i32, #[constexpr] AXIS: i32) -> Tile {
    if AXIS == 0 {
        n1 as i64 * n2
    } else if AXIS == 1 {
        n2 as i64
    } else {
        1i64
    }
}

/// `out[i][j][k]` is the element of `x` with these indices along its dimensions A, B and C, a permutation of 0, 1, 2;
/// the extents are those of `x`. Tiles are I × J × K of the result.
#[kernel]
pub fn permute_3d<T>(
    x: Ptr<T>,
    out: Ptr<T>,
    n0: i32,
    n1: i32,
    n2: i32,
    #[constexpr] A: i32,
    #[constexpr] B: i32,
    #[constexpr] C: i32,
    #[constexpr] I: i32,
    #[constexpr] J: i32,
    #[constexpr] K: i32,
) {
    let (ni, nj, nk) = (extent(n0, n1, n2, A), extent(n0, n1, n2, B), extent(n0, n1, n2, C));
    let i = (program_id(2) * I + range(0, I)).at(.., None, None);
    let j = (program_id(1) * J + range(0, J)).at(None, .., None);
    let k = (program_id(0) * K + range(0, K)).at(None, None, ..);
    let inside = i < ni && j < nj && k < nk;
    let from = x + i * stride(n1, n2, A) + j * stride(n1, n2, B) + k * stride(n1, n2, C);
    store(out + (i as i64 * nj + j) * nk + k, load(from).mask(inside)).mask(inside);
}

/// Copies, with the same tiles: what a transpose is measured against.
#[kernel]
pub fn copy_tiles<T>(x: Ptr<T>, out: Ptr<T>, rows: i32, cols: i32, #[constexpr] ROWS: i32, #[constexpr] COLS: i32) {
    let row = (program_id(1) * ROWS + range(0, ROWS)).at(.., None);
    let col = (program_id(0) * COLS + range(0, COLS)).at(None, ..);
    let inside = row < rows && col < cols;
    let start = row as i64 * cols;
    store(out + start + col, load(x + start + col).mask(inside)).mask(inside);
}

const SIZE: usize = 301;
/// Rows and columns of a tile.
const TILE: usize = 32;

/// A matrix of `size` × `2·size + 1`, and a tensor of 5 × `size` × 7 in all six orders.
pub fn run(device: &Device, size: usize, seed: u64) -> Result<String> {
    count(size)?;
    let (rows, cols) = (size, 2 * size + 1);
    count(rows * cols)?;
    let mut random = Random::new(seed);
    let bytes: Vec<u8> = random.array(rows * cols, |rng| rng.random());
    matrix(device, rows, &bytes)?;
    matrix(device, rows, &random.array(rows * cols, |rng| rng.random::<u16>()))?;
    matrix(device, rows, &random.array(rows * cols, |rng| rng.random::<u32>()))?;
    matrix(device, rows, &random.array(rows * cols, |rng| rng.random::<u64>()))?;
    let tensor = random.array(5 * size * 7, |rng| rng.random::<u32>());
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        permuted(device, [5, size, 7], order, &tensor)?;
    }
    Ok(format!(
        "transpose: {rows} × {cols} of 1, 2, 4 and 8 bytes; 5 × {size} × 7 in all orders"
    ))
}

/// Nothing is computed, so every element is to be the same.
fn equal<T: Copy + PartialEq + std::fmt::Debug>(what: &str, got: &[T], expected: impl Fn(usize) -> T) -> Result<()> {
    for (i, &value) in got.iter().enumerate() {
        let expected = expected(i);
        ensure!(
            value == expected,
            "{what}: element {i} is {value:?}, but {expected:?} is expected"
        );
    }
    Ok(())
}

fn matrix<T: Element + PartialEq + std::fmt::Debug>(device: &Device, rows: usize, x: &[T]) -> Result<()> {
    let cols = x.len() / rows;
    let (m, n, tile) = (count(rows)?, count(cols)?, TILE as i32);
    let there = device.upload(x)?;
    let grid = Grid((cols.div_ceil(TILE), rows.div_ceil(TILE)));
    let mut out = device.zeros::<T>(x.len())?;
    transpose::launch(device, grid, &there, &mut out, m, n, tile, tile)?;
    equal("transpose", &out.to_vec()?, |i| x[i % rows * cols + i / rows])?;
    let mut out = device.zeros::<T>(x.len())?;
    copy_tiles::launch(device, grid, &there, &mut out, m, n, tile, tile)?;
    equal("copy", &out.to_vec()?, |i| x[i])
}

fn permuted(device: &Device, extents: [usize; 3], order: [usize; 3], x: &[u32]) -> Result<()> {
    let [n0, n1, n2] = extents;
    let [ni, nj, nk] = order.map(|axis| extents[axis]);
    let [a, b, c] = order.map(|axis| axis as i32);
    let there = device.upload(x)?;
    let mut out = device.zeros::<u32>(x.len())?;
    let grid = Grid((nk.div_ceil(16), nj.div_ceil(8), ni.div_ceil(4)));
    let (m0, m1, m2) = (count(n0)?, count(n1)?, count(n2)?);
    permute_3d::launch(device, grid, &there, &mut out, m0, m1, m2, a, b, c, 4, 8, 16)?;
    let strides = [n1 * n2, n2, 1];
    equal(&format!("permutation {order:?}"), &out.to_vec()?, |at| {
        let indices = [at / (nj * nk), at / nk % nj, at % nk];
        x[(0..3).map(|d| indices[d] * strides[order[d]]).sum::<usize>()]
    })
}

fn main() -> ExitCode {
    common::main("A transpose, and permutations of three dimensions", |_| SIZE, run)
}
