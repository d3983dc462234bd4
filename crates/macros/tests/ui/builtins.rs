//! Builtins that do not exist, or are called wrongly.

use mytriton_macros::kernel;

#[kernel]
fn calls(x: Ptr<f32>, n: i32) {
    let a = maximum(n);
    let b = n.maximun(3);
    let c = n.scatter(3);
    let d = load(x).mask(n < 3, 1).other(0.0);
    let e = n.mask(true);
    load(x);
    exp(a);
    a + b;
    store(x, 1.0).other(2.0);
    let f = load(x).mask(n > 1).mask(n > 2);
    let g = x.program_id();
    let h = n.shape;
    let i = a.at(3);
    let j = 300u8 + 'c';
    let k = a as usize;
    let l = None;
    let m = n + exp;
}

#[kernel(device)]
fn gelu(x: Tile) -> Tile {
    x
}

fn main() {}
