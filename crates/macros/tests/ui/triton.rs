//! What a kernel of Triton's or a program of the host's looks like, answered with what to write.

use mytriton_macros::kernel;

#[path = "../support/facade.rs"]
#[allow(dead_code)]
mod facade;

#[kernel]
fn names(x: Ptr<f32>, n: i32) {
    let a = arange(0, 64);
    let b = dot(a, a);
    atomic_add(x, 1.0);
    let c = tl.arange(0, 64);
    let d = a.to(tl.float32);
    let e = tl.exp(d);
    device_print(e);
    let f = multiple_of(n, 16);
}

#[kernel]
fn arguments(x: Ptr<f32>, n: i32) {
    let a = load(x, n > 0);
    let b = load(x, n > 0, 0.0);
    store(x, a, n > 0);
    let c = sum(a, axis = 0);
    let d = sum(a, 1, true);
    let e = a.max(0.0);
    let f = a.sort(dim = 0);
    let g = range(64);
}

#[kernel]
fn host(x: Ptr<f16>) {
    store(x, f16::from_f32(1.0));
}

#[kernel(device)]
fn rand(x: Tile) -> Tile {
    x
}

fn main() {}
