//! Kernels whose layouts are given: what becomes of conversions between them in machine code.

use mytriton_abi::Code;
use mytriton_codegen_ptx::ptxas::Ptxas;
use mytriton_compiler::{CompileOptions, Target, compile_given_layouts};
use mytriton_ssa::{Kernel, parse_module};

/// 64x64 in rows and columns of 16 bytes; the result of a product.
const ROWS: &str =
    "register = [[1], [2], [4], [1024], [2048]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512]]";
const COLUMNS: &str =
    "register = [[64], [128], [256], [16], [32]], lane = [[512], [1024], [2048], [1], [2]], warp = [[4], [8]]";
const PRODUCT: &str =
    "register = [[1], [512], [8], [16], [32]], lane = [[2], [4], [64], [128], [256]], warp = [[1024], [2048]]";

/// A kernel that copies `n` elements, from a layout to another; as typed SSA it has no layouts.
fn copy(n: u32, element: &str, [from, to]: [&str; 2], warps: u32) -> (Kernel, String) {
    let ssa = format!(
        "kernel @copy(%x: ptr<{element}>, %out: ptr<{element}>) {{
  %i = range 0, {n}
  %xs = splat %x : tile<{n}xptr<{element}>>
  %from = addptr %xs, %i : tile<{n}xptr<{element}>>
  %values = load %from : tile<{n}xptr<{element}>>
  %outs = splat %out : tile<{n}xptr<{element}>>
  %to = addptr %outs, %i : tile<{n}xptr<{element}>>
  store %to, %values : tile<{n}xptr<{element}>>
}}
"
    );
    let pointers = |layout: &str| format!("tensor<{n}x!tile.ptr<{element}>, #{layout}>");
    let at = |layout: &str, base: &str| {
        let ty = pointers(layout);
        format!(
            "%{layout}_i = tile.range 0, {n} : tensor<{n}xi32, #{layout}>
  %{layout}_p = tile.splat %{base} : !tile.ptr<{element}> -> {ty}
  %{layout}_at = tile.addptr %{layout}_p, %{layout}_i : {ty}, tensor<{n}xi32, #{layout}>"
        )
    };
    let layouts = format!(
        "#from = #tile.layout<{{{from}}}>
#to = #tile.layout<{{{to}}}>
func.func @copy(%x: !tile.ptr<{element}>, %out: !tile.ptr<{element}>) attributes {{tile.kernel, tile.num_warps = {warps} : i32}} {{
  {}
  %a = tile.load %from_at : {}
  %b = tile.convert_layout %a : tensor<{n}x{element}, #from> -> tensor<{n}x{element}, #to>
  {}
  tile.store %to_at, %b : {}
  return
}}
",
        at("from", "x"),
        pointers("from"),
        at("to", "out"),
        pointers("to")
    );
    let module = parse_module(&ssa, "copy.ssa").unwrap_or_else(|e| panic!("{e}\n{ssa}"));
    (module.kernels.into_iter().next().expect("one kernel"), layouts)
}

/// PTX that ptxas has accepted, where it is there.
fn ptx(kernel: &Kernel, layouts: &str, warps: u32, target: Target) -> String {
    let options = CompileOptions {
        num_warps: warps,
        ..CompileOptions::new(target)
    };
    let compiled = compile_given_layouts(kernel, layouts, &options).unwrap_or_else(|e| panic!("{e}\n{layouts}"));
    let Code::Ptx(text) = compiled.kernel.code else {
        panic!("PTX is expected")
    };
    if let Some(assembler) = Ptxas::find_for_tests() {
        assembler.check(&text, target).unwrap_or_else(|e| panic!("{e}\n{text}"));
    }
    text
}

#[test]
fn matrices_are_moved_where_the_target_can() {
    const LOAD: &str = "ldmatrix.sync.aligned.m8n8.x4";
    const STORE: &str = "stmatrix.sync.aligned.m8n8.x4";
    for (layouts, element, target, [loads, stores], transposed) in [
        ([ROWS, COLUMNS], "bf16", Target::Sm75, [4, 0], true),
        ([ROWS, COLUMNS], "f16", Target::Sm80, [4, 0], true),
        ([ROWS, PRODUCT], "f16", Target::Sm80, [4, 0], false),
        ([PRODUCT, ROWS], "f16", Target::Sm90, [0, 4], false),
        ([PRODUCT, ROWS], "bf16", Target::Sm90a, [0, 4], false),
        ([ROWS, COLUMNS], "f32", Target::Sm90a, [0, 0], false),
    ] {
        let (kernel, text) = copy(4096, element, layouts, 4);
        let ptx = ptx(&kernel, &text, 4, target);
        let counts = [LOAD, STORE].map(|name| ptx.matches(name).count());
        assert_eq!(counts, [loads, stores], "{element}, {target}\n{ptx}");
        assert_eq!(ptx.contains(".trans"), transposed, "{ptx}");
    }
}

/// 256 KiB, more than a block can have, between layouts without a common direction in registers: rounds in which warps take
/// turns.
#[test]
fn a_tile_beyond_shared_memory_moves_in_rounds() {
    let bits = |range: std::ops::Range<u32>| {
        range
            .map(|bit| format!("[{}]", 1 << bit))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let layout = |registers, lanes, warps| {
        format!(
            "register = [{}], lane = [{}], warp = [{}]",
            bits(registers),
            bits(lanes),
            bits(warps)
        )
    };
    let (rows, columns) = (layout(0..7, 7..12, 12..16), layout(9..16, 4..9, 0..4));
    for (from, to) in [(&rows, &columns), (&columns, &rows)] {
        let (kernel, text) = copy(1 << 16, "f32", [from, to], 16);
        let ptx = ptx(&kernel, &text, 16, Target::Sm80);
        assert!(ptx.contains("__mytriton_scratch[32768]"), "{ptx}");
        // Eight rounds: a barrier between the stores and the loads of each, and between rounds.
        assert_eq!(
            ptx.matches("bar.sync").count() + ptx.matches("barrier.sync").count(),
            15,
            "{ptx}"
        );
    }
}
