//! Tiles of which a thread has many elements, in sizes that double, to see how time and memory grow.

use mytriton::prelude::*;

/// `out = x * x`. Where nothing is known of `n`, each element is loaded and stored by itself.
#[kernel]
pub fn square(x: Ptr<f32>, out: Ptr<f32>, n: i32, #[constexpr] BLOCK: i32) {
    let at = range(0, BLOCK);
    let mask = at < n;
    let value = load(x + at).mask(mask);
    store(out + at, value * value).mask(mask);
}

/// `out = x`, without masks: 16 bytes at once.
#[kernel]
pub fn copy(x: Ptr<f32>, out: Ptr<f32>, #[constexpr] BLOCK: i32) {
    let at = range(0, BLOCK);
    store(out + at, load(x + at));
}

/// `out = x + y + z` of four rows of `n` elements.
#[kernel]
pub fn sum_of_three(
    x: Ptr<f32>,
    y: Ptr<f32>,
    z: Ptr<f32>,
    out: Ptr<f32>,
    n: i32,
    #[constexpr] ROWS: i32,
    #[constexpr] BLOCK: i32,
) {
    let column = range(0, BLOCK).at(None, ..);
    let at = range(0, ROWS).at(.., None) * n + column;
    let mask = column < n;
    let sum = load(x + at).mask(mask) + load(y + at).mask(mask) + load(z + at).mask(mask);
    store(out + at, sum).mask(mask);
}

/// Sorts a row.
#[kernel]
pub fn sorted(x: Ptr<f32>, out: Ptr<f32>, #[constexpr] BLOCK: i32) {
    let at = range(0, BLOCK);
    store(out + at, sort(load(x + at)));
}
