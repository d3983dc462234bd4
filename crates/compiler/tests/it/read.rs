//! `.mlir` files as they come: none takes the process along, and what is read is typed SSA.

use std::path::{Path, PathBuf};

use mytriton_compiler::read_mlir;

#[allow(dead_code)]
#[path = "../../../../fuzz/src/mutate.rs"]
mod mutate;
#[path = "../../../../fuzz/src/probe/mlir_attribute.rs"]
mod probe_attribute;
#[path = "../../../../fuzz/src/probe/mlir_gpu.rs"]
mod probe_gpu;
#[path = "../../../../fuzz/src/probe/mlir_module.rs"]
mod probe_module;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The texts of the files of some directories; one with several parts for `-split-input-file` is several.
fn texts(directories: &[&str]) -> Vec<String> {
    let mut texts = Vec::new();
    for directory in directories {
        let mut files: Vec<_> = std::fs::read_dir(root().join(directory))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
            texts.extend(text.split("// -----\n").map(str::to_owned));
        }
    }
    assert!(!texts.is_empty(), "{directories:?} are empty");
    texts
}

/// Probes every text, and changes of it by tokens.
fn replay(directories: &[&str], dictionary: &str, changes: u64, probe: fn(&[u8])) {
    let words = mutate::dictionary(dictionary);
    for (seed, text) in (0..).zip(&texts(directories)) {
        probe(text.as_bytes());
        for change in 0..changes {
            probe(&mutate::mutate(text.as_bytes(), &words, seed * 1000 + change));
        }
    }
}

#[test]
fn every_text_of_tiles_has_an_answer() {
    let words = include_str!("../../../../fuzz/dictionaries/mlir.dict");
    let directories = ["examples/kernels", "lit-tests/Dialect/Tile", "fuzz/seeds/mlir_module"];
    replay(&directories, words, 30, probe_module::probe);
}

#[test]
fn every_text_of_threads_has_an_answer() {
    let words = include_str!("../../../../fuzz/dictionaries/mlir_gpu.dict");
    replay(&["fuzz/seeds/mlir_gpu"], words, 200, probe_gpu::probe);
}

#[test]
fn every_attribute_and_type_has_an_answer() {
    let words = include_str!("../../../../fuzz/dictionaries/mlir.dict");
    replay(&["fuzz/seeds/mlir_attribute"], words, 40, probe_attribute::probe);
}

#[test]
fn texts_without_bottom_are_refused() {
    const LEVELS: usize = 100_000;
    let aliases = |name: &str, first: &str, next: &str| {
        let line = |i: usize| format!("{name}a{} = {}\n", i + 1, next.replace("NAME", &format!("{name}a{i}")));
        format!("{name}a0 = {first}\n") + &(0..LEVELS).map(line).collect::<String>()
    };
    for text in [
        "module {".repeat(LEVELS),
        format!("module attributes {{a = {}", "[".repeat(LEVELS)),
        // A carriage return ends a comment.
        "// comment\rmodule {".repeat(LEVELS),
        format!("#map = affine_map<(d0) -> ({}d0)>", "-".repeat(LEVELS)),
        format!("#map = affine_map<(d0) -> (d0{})>", " + d0".repeat(LEVELS)),
        aliases("#", "1 : i32", "[NAME]") + &format!("module attributes {{tile.kernel = #a{LEVELS}}} {{}}"),
        aliases("!", "i32", "tuple<NAME>")
            + &format!("func.func @f(%x: !a{LEVELS}) attributes {{tile.kernel}} {{return}}"),
        aliases("!", "i32", "() -> NAME"),
    ] {
        let error = read_mlir(&text, "deep.mlir").unwrap_err();
        assert!(error.contains("nested more than 256 deep"), "{error:.200}");
        assert!(error.starts_with("deep.mlir:"), "{error:.200}");
    }
    let doubling =
        aliases("!", "i32", "tuple<NAME, NAME>") + "func.func @f(%x: !a40) attributes {tile.kernel} {return}";
    let error = read_mlir(&doubling, "wide.mlir").unwrap_err();
    assert!(error.contains("aliases stand for more than 16 MiB"), "{error:.200}");
    let error = read_mlir("module attributes {a.b = array<index: 1>} {}", "array.mlir").unwrap_err();
    assert!(error.contains("array<...>"), "{error:.200}");
}

/// What the guard lets through fits the stack of a thread, which is smaller than the main one.
#[test]
fn texts_at_the_limit_are_read() {
    let nested = |open: &str, inner: &str, close: &str, levels: usize| {
        format!("{}{inner}{}", open.repeat(levels), close.repeat(levels))
    };
    for text in [
        nested("module {", "", "}", 250),
        format!(
            "module attributes {{tile.kernel = {}}} {{}}",
            nested("[", "1 : i32", "]", 250)
        ),
        format!(
            "module attributes {{tile.kernel = {}}} {{}}",
            nested("{a = ", "1 : i32", "}", 250)
        ),
        format!("func.func private @f({})", nested("tuple<", "i32", ">", 250)),
        format!("func.func private @f({})", nested("() -> (", "i32", ")", 250)),
        format!("#map = affine_map<(d0) -> ({}d0)>", "-".repeat(250)),
        format!("#map = affine_map<(d0)[s0] -> (d0{})>", " + s0 floordiv 3".repeat(120)),
        format!("#map = affine_map<(d0) -> ({})>", nested("(1 + ", "d0", ")", 120)),
        format!("module {{}} loc({})", nested("\"a\"(", "unknown", ")", 250)),
        format!("module {{}} loc({})", nested("callsite(\"a\" at ", "unknown", ")", 250)),
    ] {
        if let Err(error) = read_mlir(&text, "deep.mlir") {
            assert!(!error.contains("nested more"), "{text:.80}: {error:.200}");
        }
    }
    let kernel = |levels: usize| {
        let body = nested("scf.if %c {\n", "", "}\n", levels);
        format!("func.func @k(%c: i1) attributes {{tile.kernel}} {{\n{body}return\n}}")
    };
    assert_eq!(read_mlir(&kernel(60), "k.mlir").unwrap().kernels.len(), 1);
    let error = read_mlir(&kernel(200), "k.mlir").unwrap_err();
    assert!(error.contains("regions are nested more than 64 deep"), "{error:.300}");
}
