//! The kernels measured. Tiles are whole rows where rows fit; several rows for each program where they are short.

use std::f32::consts::LOG2_E;

use mytriton::prelude::*;

/// `out = value`, to overwrite what an earlier kernel left.
#[kernel]
pub fn fill<T>(out: Ptr<T>, value: T, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    store(out + at, value).mask(at < n);
}

/// `out = x`.
#[kernel]
pub fn copy<T>(x: Ptr<T>, out: Ptr<T>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    store(out + at, load(x + at).mask(mask)).mask(mask);
}

/// `out = x + y`.
#[kernel]
pub fn add<T>(x: Ptr<T>, y: Ptr<T>, out: Ptr<T>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    store(out + at, load(x + at).mask(mask) + load(y + at).mask(mask)).mask(mask);
}

/// Softmax of each row of an `m` x `n` matrix; `M` rows a program, `N >= n`.
#[kernel]
pub fn softmax<T>(x: Ptr<T>, out: Ptr<T>, m: i32, n: i32, #[constexpr] M: i32, #[constexpr] N: i32) {
    let rows = (program_id(0) * M + range(0, M)).at(.., None);
    let cols = range(0, N).at(None, ..);
    let mask = rows < m && cols < n;
    let v = load(x + rows * n + cols).mask(mask).other(f32::NEG_INFINITY) as f32;
    let e = exp(v - max(v, 1).at(.., None));
    let total = sum(e, 1).at(.., None);
    store(out + rows * n + cols, (e / total) as T).mask(mask);
}

/// Weights of columns, of which there are `n`.
#[kernel(device)]
fn weights(of: Tile, cols: Tile, n: i32) -> Tile {
    load(of + cols).mask(cols < n).other(0) as f32
}

/// Each row less its mean, over its standard deviation, times `weight` plus `bias`. These are loaded at the end, for fewer
/// registers and more rows at once, or `EARLY`, before the variance, for more accesses in flight.
#[kernel]
pub fn layernorm<T>(
    x: Ptr<T>,
    weight: Ptr<T>,
    bias: Ptr<T>,
    out: Ptr<T>,
    m: i32,
    n: i32,
    eps: f32,
    #[constexpr] M: i32,
    #[constexpr] N: i32,
    #[constexpr] EARLY: bool,
) {
    let rows = (program_id(0) * M + range(0, M)).at(.., None);
    let cols = range(0, N).at(None, ..);
    let mask = rows < m && cols < n;
    let v = load(x + rows * n + cols).mask(mask).other(0) as f32;
    let mean = (sum(v, 1) / n).at(.., None);
    let centred = where_(mask, v - mean, 0.0);
    let (mut w, mut b) = (1.0, 0.0);
    if EARLY {
        w = weights(weight, cols, n);
        b = weights(bias, cols, n);
    }
    let variance = (sum(centred * centred, 1) / n).at(.., None);
    if !EARLY {
        w = weights(weight, cols, n);
        b = weights(bias, cols, n);
    }
    store(out + rows * n + cols, (centred * rsqrt(variance + eps) * w + b) as T).mask(mask);
}

/// Each row over the root of its mean square, times `weight`, which is loaded at the end, or `EARLY`, with the row.
#[kernel]
pub fn rmsnorm<T>(
    x: Ptr<T>,
    weight: Ptr<T>,
    out: Ptr<T>,
    m: i32,
    n: i32,
    eps: f32,
    #[constexpr] M: i32,
    #[constexpr] N: i32,
    #[constexpr] EARLY: bool,
) {
    let rows = (program_id(0) * M + range(0, M)).at(.., None);
    let cols = range(0, N).at(None, ..);
    let mask = rows < m && cols < n;
    let v = load(x + rows * n + cols).mask(mask).other(0) as f32;
    let mut w = 1.0;
    if EARLY {
        w = weights(weight, cols, n);
    }
    let square = (sum(v * v, 1) / n).at(.., None);
    if !EARLY {
        w = weights(weight, cols, n);
    }
    store(out + rows * n + cols, (v * rsqrt(square + eps) * w) as T).mask(mask);
}

/// The logarithm of the sum of a row's exponentials, less the target's element: one row a program, by blocks of `M` groups
/// of `N` neighbours. Each group has its own largest element so far and the sum relative to it: a thread has all of a
/// group, so that an element costs it one exponential and threads meet once, at the end.
#[kernel]
pub fn cross_entropy<T>(
    logits: Ptr<T>,
    target: Ptr<i32>,
    loss: Ptr<f32>,
    n: i32,
    #[constexpr] M: i32,
    #[constexpr] N: i32,
) {
    let row = program_id(0);
    // Finite, also times log2 e, so that no difference from it is NaN.
    let mut top = full([M], f32::MIN / 2.0, f32);
    let mut total = zeros([M], f32);
    for start in (0..n).step_by(M * N) {
        let cols = start + range(0, M).at(.., None) * N + range(0, N).at(None, ..);
        let v = load(logits + row * n + cols).mask(cols < n).other(f32::NEG_INFINITY) as f32;
        let above = maximum(top, max(v, 1));
        // In powers of two, so that the difference from the largest is one multiply-add.
        let scaled = above * LOG2_E;
        let part = sum(exp2(v * LOG2_E - scaled.at(.., None)), 1);
        total = total * exp2(top * LOG2_E - scaled) + part;
        top = above;
    }
    let largest = max(top);
    let all = sum(total * exp(top - largest));
    let wanted = load(logits + row * n + load(target + row)) as f32;
    store(loss + row, log(all) + largest - wanted);
}

/// `out[j][i] = x[i][j]`, `M` x `N` a program.
#[kernel]
pub fn transpose<T>(x: Ptr<T>, out: Ptr<T>, m: i32, n: i32, #[constexpr] M: i32, #[constexpr] N: i32) {
    let rows = program_id(1) * M + range(0, M);
    let cols = program_id(0) * N + range(0, N);
    let (r, c) = (rows.at(.., None), cols.at(None, ..));
    let v = load(x + r * n + c).mask(r < m && c < n);
    let (r, c) = (rows.at(None, ..), cols.at(.., None));
    store(out + c * m + r, v.trans()).mask(r < m && c < n);
}

/// The sum of each row.
#[kernel]
pub fn row_sum<T>(x: Ptr<T>, out: Ptr<f32>, m: i32, n: i32, #[constexpr] M: i32, #[constexpr] N: i32) {
    let rows = program_id(0) * M + range(0, M);
    let (r, c) = (rows.at(.., None), range(0, N).at(None, ..));
    let v = load(x + r * n + c).mask(r < m && c < n).other(0) as f32;
    store(out + rows, sum(v, 1)).mask(rows < m);
}

/// The sums of columns over `span` rows for each program along y, a row of `out` for each; a second launch over `out`
/// sums these. `M` x `N` elements at a time.
#[kernel]
pub fn column_sum<T>(x: Ptr<T>, out: Ptr<f32>, m: i32, n: i32, span: i32, #[constexpr] M: i32, #[constexpr] N: i32) {
    let cols = program_id(0) * N + range(0, N);
    let first = program_id(1) * span;
    let mut total = zeros([M, N], f32);
    for start in range(first, first + span, M) {
        let (r, c) = ((start + range(0, M)).at(.., None), cols.at(None, ..));
        let mask = r < minimum(first + span, m) && c < n;
        total += load(x + r * n + c).mask(mask).other(0) as f32;
    }
    store(out + program_id(1) * n + cols, sum(total, 0)).mask(cols < n);
}
