//! Variables that do not exist or do not change.

use mytriton_macros::kernel;

#[kernel]
fn assigns(n: i32, #[constexpr] BLOCK: i32) {
    let a = 1;
    a = 2;
    n += 1;
    BLOCK = 3;
    missing = 4;
    for k in 0..n {
        a = k;
    }
}

fn main() {}
