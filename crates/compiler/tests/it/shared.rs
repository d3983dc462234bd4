//! Kernels that take more shared memory than every kernel may have.

use mytriton_abi::Code;
use mytriton_codegen_ptx::ptxas::Ptxas;
use mytriton_compiler::{CompileOptions, Stage, Target, compile};
use mytriton_ssa::{Kernel, parse_module};

/// Stores an n x n tile of `f32` that is reshaped on the way through shared memory.
pub fn kernel(n: u32) -> Kernel {
    let all = n * n;
    let text = format!(
        "kernel @k(%x: ptr<f32> {{divisibility = 16}}) {{
  %i = range 0, {all}
  %xs = splat %x : tile<{all}xptr<f32>>
  %line = addptr %xs, %i : tile<{all}xptr<f32>>
  %values = load %line : tile<{all}xptr<f32>>
  %square = reshape %values : tile<{all}xf32> to tile<{n}x{n}xf32>
  %j = range 0, {n}
  %row = expand_dims %j, 0 : tile<{n}xi32> to tile<1x{n}xi32>
  %rows = broadcast %row : tile<1x{n}xi32> to tile<{n}x{n}xi32>
  %ys = splat %x : tile<{n}x{n}xptr<f32>>
  %at = addptr %ys, %rows : tile<{n}x{n}xptr<f32>>
  store %at, %square : tile<{n}x{n}xptr<f32>>
}}
"
    );
    let module = parse_module(&text, "k.ssa").unwrap_or_else(|e| panic!("{e}\n{text}"));
    module.kernels.into_iter().next().expect("one kernel")
}

/// Many warps, so that a thread has few elements.
pub fn options(target: Target) -> CompileOptions {
    CompileOptions {
        num_warps: 32,
        ..CompileOptions::new(target)
    }
}

#[test]
fn more_than_48_kib_is_asked_for_at_launch() {
    let assembler = Ptxas::find_for_tests();
    for (n, target, dynamic) in [
        (96, Target::Sm75, 0),
        (120, Target::Sm75, 57_600),
        (200, Target::Sm90a, 160_000),
    ] {
        let compiled = compile(&kernel(n), &options(target)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(compiled.kernel.shared_bytes, dynamic, "{n}");
        let Code::Ptx(text) = &compiled.kernel.code else {
            panic!("PTX is expected")
        };
        assert_eq!(text.contains(".extern .shared"), dynamic > 0, "{text}");
        if let Some(assembler) = &assembler {
            assembler.check(text, target).unwrap_or_else(|e| panic!("{e}\n{text}"));
        }
    }
}

#[test]
fn what_no_block_has_is_an_error_with_its_place() {
    let error = compile(&kernel(200), &options(Target::Sm86)).unwrap_err();
    assert_eq!(error.stage, Stage::Layout);
    let text = error.to_string();
    assert!(
        text.contains("the kernel takes 160000 bytes of shared memory; 101376 are available"),
        "{text}"
    );
    assert!(text.contains("160000 bytes: the reshape of"), "{text}");
    assert!(text.contains("k.ssa:6"), "{text}");
}
