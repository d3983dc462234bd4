//! Reductions, and closures where they have no place.

use mytriton_macros::kernel;

#[kernel]
fn calls(x: Ptr<f32>, n: i32) {
    let mut count = 0;
    let v = load(x + range(0, 16));
    let a = sum(v, 0, 1);
    let b = v.max(0);
    let c = cumsum(v);
    let d = reduce(v, 0);
    let e = reduce(v, 0, |a| a);
    let f = reduce(v, 0, |a, b| {
        count = count + 1;
        a + b
    });
    let g = reduce(v, 0, maximum);
    let h = reduce(v, 0, v);
    let i = reduce(v, 0, move |a, b| a + b);
    let j = reduce(v, 0, |a, b| -> f32 { a + b });
    let k = reduce(v, 0, |[a, c], b| a + b);
    let l = sum(v, |a, b| a + b);
    let m = associative_scan(v, |a, b| a + b);
    max(v);
    let o = reduce(v, 0, |a, b| match a { _ => b });
}

#[kernel(device)]
fn sum(x: Tile) -> Tile {
    x
}

fn main() {}
