//! Kernels whose tiles take more registers than a thread has.

use mytriton_compiler::{CompileError, CompileOptions, Stage, Target, compile};
use mytriton_ssa::{Kernel, parse_module};

use crate::shared;

/// Adds three tiles of `n` elements below a limit.
fn sum_of_three(n: u32) -> Kernel {
    let load = |name: &str| {
        format!(
            "  %{name}s = splat %{name} : tile<{n}xptr<f32>>
  %{name}p = addptr %{name}s, %i : tile<{n}xptr<f32>>
  %{name}v = load %{name}p, %mask : tile<{n}xptr<f32>>\n"
        )
    };
    let text = format!(
        "kernel @k(%x: ptr<f32>, %y: ptr<f32>, %z: ptr<f32>, %n: i32) {{
  %i = range 0, {n}
  %ns = splat %n : tile<{n}xi32>
  %mask = cmp lt %i, %ns : tile<{n}xi32>
{}{}{}  %xy = add %xv, %yv : tile<{n}xf32>
  %xyz = add %xy, %zv : tile<{n}xf32>
  store %xp, %xyz, %mask : tile<{n}xptr<f32>>
}}\n",
        load("x"),
        load("y"),
        load("z")
    );
    let module = parse_module(&text, "k.ssa").unwrap_or_else(|e| panic!("{e}\n{text}"));
    module.kernels.into_iter().next().expect("one kernel")
}

fn refused(kernel: &Kernel, num_warps: u32) -> CompileError {
    let options = CompileOptions {
        num_warps,
        ..CompileOptions::new(Target::Sm90a)
    };
    match compile(kernel, &options) {
        Ok(_) => panic!("{num_warps} warps do"),
        Err(error) => error,
    }
}

#[test]
fn what_a_thread_cannot_hold_is_refused_where_it_is_most() {
    let error = refused(&sum_of_three(1 << 17), 8);
    assert_eq!(error.stage, Stage::Ptx);
    // The third load: line 4 has the mask, and each tile three lines.
    assert_eq!(
        error.place.as_deref().map(|place| place.starts_with("k.ssa:13")),
        Some(true),
        "{error}"
    );
    assert_eq!(
        error.message,
        "each thread would hold 1536 registers of tiles here, 512 elements of this tile<131072xf32> among them; it has 255, and \
         no more than 1024 are compiled in reasonable time. With 8 warps: num_warps = 16 would do"
    );
}

#[test]
fn where_no_number_of_warps_would_do_smaller_tiles_are_the_advice() {
    let error = refused(&sum_of_three(1 << 19), 1);
    assert!(
        error
            .message
            .ends_with("not even 32 warps would do: take smaller tiles"),
        "{error}"
    );
}

#[test]
fn at_the_limit_kernels_compile() {
    // 3 tiles of 128 elements.
    let kernel = sum_of_three(1 << 12);
    for (limit, compiles) in [(384, true), (383, false)] {
        let options = CompileOptions {
            num_warps: 1,
            max_thread_registers: limit,
            ..CompileOptions::new(Target::Sm90a)
        };
        assert_eq!(compile(&kernel, &options).is_ok(), compiles, "{limit}");
    }
}

/// Addresses, masks and what is computed of them alone take no registers for long; nor does a tile after its last use.
#[test]
fn what_is_computed_anew_is_not_counted() {
    let kernel = shared::kernel(96);
    let options = CompileOptions {
        // 9216 elements once; offsets, rows and pointers of as many come with them.
        max_thread_registers: 9,
        ..shared::options(Target::Sm90a)
    };
    compile(&kernel, &options).unwrap_or_else(|error| panic!("{error}"));
}

/// What a loop carries is held beside what its body makes.
#[test]
fn loops_hold_what_they_carry() {
    let text = "kernel @k(%x: ptr<f32>) {
  %i = range 0, 1024
  %xs = splat %x : tile<1024xptr<f32>>
  %p = addptr %xs, %i : tile<1024xptr<f32>>
  %a = load %p : tile<1024xptr<f32>>
  %zero = const 0 : i32
  %one = const 1 : i32
  %ten = const 10 : i32
  %r = for %k = %zero to %ten step %one : i32 carry (%c = %a : tile<1024xf32>) {
    %b = load %p : tile<1024xptr<f32>>
    %s = add %b, %c : tile<1024xf32>
    yield %s
  }
  store %p, %r : tile<1024xptr<f32>>
}\n";
    let module = parse_module(text, "k.ssa").unwrap_or_else(|e| panic!("{e}"));
    let compiles = |limit| {
        let options = CompileOptions {
            num_warps: 1,
            max_thread_registers: limit,
            ..CompileOptions::new(Target::Sm90a)
        };
        compile(&module.kernels[0], &options).is_ok()
    };
    // 32 carried and 32 loaded.
    assert_eq!((compiles(63), compiles(64)), (false, true));
}
