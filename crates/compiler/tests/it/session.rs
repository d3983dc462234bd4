//! What a thread has compiled before changes nothing of what it compiles next.

use mytriton_compiler::{CompileOptions, Stage, Target, compile, emit};
use mytriton_ssa::{Kernel, parse_module};

use crate::shared;

/// Squares a row, and stores it again and again.
fn kernel(n: u32) -> Kernel {
    let tile = format!("tile<{n}x{n}x");
    let text = format!(
        "kernel @k(%x: ptr<f32> {{divisibility = 16}}) {{
  %i = range 0, {n}
  %row = expand_dims %i, 0 : tile<{n}xi32> to tile<1x{n}xi32>
  %rows = broadcast %row : tile<1x{n}xi32> to {tile}i32>
  %xs = splat %x : {tile}ptr<f32>>
  %at = addptr %xs, %rows : {tile}ptr<f32>>
  %v = load %at : {tile}ptr<f32>>
  %square = mul %v, %v : {tile}f32>
  store %at, %square : {tile}ptr<f32>>
}}
"
    );
    let module = parse_module(&text, "k.ssa").unwrap_or_else(|e| panic!("{e}\n{text}"));
    module.kernels.into_iter().next().expect("one kernel")
}

fn ptx(n: u32) -> Vec<u8> {
    let compiled = compile(&kernel(n), &CompileOptions::new(Target::Sm80)).unwrap_or_else(|e| panic!("{e}"));
    compiled.kernel.code.as_bytes().to_vec()
}

#[test]
fn kernels_before_leave_no_trace() {
    let fresh = |n| std::thread::spawn(move || ptx(n)).join().expect("the thread ends");
    let wanted = [16, 32, 64].map(fresh);
    for _ in 0..3 {
        assert_eq!([16, 32, 64].map(ptx), wanted);
        // Another stage for another GPU; and one that fails on its way, for its shared memory.
        emit(&kernel(32), Stage::Gpu, &CompileOptions::new(Target::Sm90a)).unwrap_or_else(|e| panic!("{e}"));
        assert!(compile(&shared::kernel(200), &shared::options(Target::Sm86)).is_err());
    }
}

#[test]
fn a_session_is_left_after_many_kernels() {
    let wanted = ptx(16);
    // More than a session takes.
    for _ in 0..300 {
        emit(&kernel(16), Stage::Tile, &CompileOptions::new(Target::Sm80)).unwrap_or_else(|e| panic!("{e}"));
    }
    assert_eq!(ptx(16), wanted);
}
