//! Signatures that kernels do not have.

use mytriton_macros::kernel;

#[kernel]
fn parameters(a: Vec<f32>, b: usize, c: Ptr<String>, (d, e): (i32, i32), f: &f32, #[constexpr] g: u8, #[other] h: i32) {
}

#[kernel]
fn returns() -> f32 {
    1.0
}

#[kernel]
async fn waits() {}

#[kernel]
fn sized<const N: usize>() {}

#[kernel(fast)]
fn options() {}

#[kernel]
struct NotAFunction;

fn main() {}
