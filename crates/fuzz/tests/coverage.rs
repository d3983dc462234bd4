//! What the generator covers: everything that the language has.

use mytriton_fuzz::{Coverage, combinations, generate};
use mytriton_ssa::Scalar;

/// Seeds within which everything comes up, in an operation on which a store depends.
const SEEDS: u64 = 400;

#[test]
fn every_operation_on_every_type_reaches_memory() {
    let mut coverage = Coverage::default();
    for seed in 0..SEEDS {
        coverage.add(&Coverage::of(&generate(seed)));
    }
    let mut wanted: Vec<String> = combinations().iter().map(ToString::to_string).collect();
    let words = [
        "const",
        "program_id x",
        "program_id y",
        "program_id z",
        "num_programs x",
        "num_programs y",
        "num_programs z",
        "range",
        "splat",
        "splat of pointers",
        "expand_dims",
        "expand_dims of pointers",
        "broadcast",
        "broadcast of pointers",
        "select of a pointer",
        "cmp eq of a pointer",
        "cmp ne of a pointer",
        "addptr of a pointer",
        "load",
        "load masked",
        "load with other",
        "store",
        "store masked",
        "for",
        "for of pointers",
        "for without results",
        "if",
        "if without results",
        "while",
        "while without results",
        "yield",
        "condition",
        "reshape",
        "transpose",
        "rank 0",
        "rank 1",
        "rank 2",
        "rank 3",
        "rank 4",
        "rank 5",
        "grid of 0 axes",
        "grid of 1 axes",
        "grid of 2 axes",
        "grid of 3 axes",
        "1 warps",
        "2 warps",
        "4 warps",
        "8 warps",
    ];
    wanted.extend(words.map(str::to_owned));
    let scalars = Scalar::ALL
        .iter()
        .flat_map(|scalar| ["reduce", "scan", "scan reverse"].map(|name| format!("{name} of {scalar}")));
    wanted.extend(scalars);
    let ops = [
        "add", "mul", "and", "or", "xor", "min_s", "max_s", "min_u", "max_u", "min", "max", "min_nan", "max_nan",
    ];
    let combines = ops.into_iter().chain(["largest with index", "smallest with index"]);
    wanted.extend(combines.flat_map(|what| [format!("reduce by {what}"), format!("scan by {what}")]));
    wanted.extend(["scan by affine", "scan by last"].map(str::to_owned));
    let missing: Vec<&String> = wanted.iter().filter(|what| coverage.get(what) == 0).collect();
    let known = |what: &str| wanted.iter().any(|w| w == what);
    let unknown: Vec<&str> = coverage
        .iter()
        .map(|(what, _)| what)
        .filter(|what| !known(what))
        .collect();
    let least: Vec<(&str, usize)> = coverage.iter().filter(|(_, count)| *count < 5).collect();
    println!("{} kinds; seldom: {least:?}; not listed: {unknown:?}", wanted.len());
    assert!(
        missing.is_empty(),
        "of {}, never in {SEEDS} kernels: {missing:?}",
        wanted.len()
    );
}

#[test]
fn choices_reach_memory() {
    let mut coverage = Coverage::default();
    for seed in (3..400).step_by(4) {
        coverage.add(&Coverage::of(&generate(seed)));
    }
    for what in ["join", "split", "gather", "histogram", "histogram masked"] {
        assert!(coverage.get(what) >= 5, "{what}: {}", coverage.get(what));
    }
}
