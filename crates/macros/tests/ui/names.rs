//! Names that only the Rust compiler can know: it shows them where they stand.

use mytriton_macros::kernel;

#[path = "../support/facade.rs"]
#[allow(dead_code)]
mod facade;

#[kernel(crate = crate::facade)]
fn unknown_variable(x: Ptr<f32>) {
    store(x, count);
}

#[kernel(crate = crate::facade)]
fn unknown_function(x: Ptr<f32>) {
    let v = lod(x);
    store(x, v);
}

fn main() {}
