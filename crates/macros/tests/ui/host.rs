//! Functions that are no device functions: the Rust compiler says so where they are called.

use mytriton_macros::kernel;

#[path = "../support/facade.rs"]
#[allow(dead_code)]
mod facade;

fn halve(x: f32) -> f32 {
    x / 2.0
}

#[kernel(crate = crate::facade)]
fn calls(x: Ptr<f32>) {
    store(x, halve(load(x)));
}

const NAME: &str = "name";

#[kernel(crate = crate::facade)]
fn text(x: Ptr<f32>) {
    store(x, NAME);
}

/// The value of a tile comes first, as in `broadcast_to`.
#[kernel(crate = crate::facade)]
fn exchanged(x: Ptr<f32>) {
    store(x + range(0, 64), splat([64], 1.0));
}

fn main() {}
