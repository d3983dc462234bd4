//! Statements and expressions that kernels do not have.

use mytriton_macros::kernel;

#[kernel]
fn statements(x: Ptr<f32>, n: i32) {
    match n {
        _ => {}
    }
    let f = |a| a + 1;
    loop {
        break;
    }
    let r = &n;
    if n < 0 {
        return;
    }
    for k in 0..=n {}
    for k in x {}
    while n < 3 {
        continue;
    }
    println!("{n}");
    assert!(n > 0);
    let y;
    let tile = 0..4;
    x[3] = 1.0;
    fn nested() {}
}

fn main() {}
