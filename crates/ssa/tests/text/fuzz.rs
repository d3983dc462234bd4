//! The parser answers any text with a module or an error whose place is in the text.

use std::path::Path;

use mytriton_ssa::{PrintOptions, parse_module};
use proptest::prelude::*;

use crate::generate::kernels;

#[allow(dead_code)]
#[path = "../../../../fuzz/src/mutate.rs"]
mod mutate;
#[path = "../../../../fuzz/src/probe/ssa.rs"]
mod probe;

/// Parses, and checks what can be checked of any answer.
fn probe(text: &str) {
    probe::probe(text.as_bytes());
}

/// What fuzzing found worth keeping, and changes of it by tokens.
#[test]
fn kept_texts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let directories = ["fuzz/seeds/ssa", "examples/kernels"].map(|directory| root.join(directory));
    let entries = directories
        .iter()
        .flat_map(|directory| std::fs::read_dir(directory).unwrap());
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 10, "{directories:?} hold {} files", files.len());
    let words = mutate::dictionary(include_str!("../../../../fuzz/dictionaries/ssa.dict"));
    for (seed, file) in (0..).zip(&files) {
        let text = std::fs::read(file).unwrap();
        probe::probe(&text);
        for change in 0..60 {
            probe::probe(&mutate::mutate(&text, &words, seed * 1000 + change));
        }
    }
}

/// Pieces of the grammar, so that random texts get beyond the first token.
const WORDS: &[&str] = &[
    "kernel",
    "@k",
    "(",
    ")",
    "{",
    "}",
    "%x",
    "%y",
    "%0",
    ":",
    ",",
    "=",
    "->",
    "i32",
    "f32",
    "i1",
    "ptr",
    "<",
    ">",
    "tile<4xf32>",
    "tile<",
    "4x",
    "64xptr",
    "const",
    "add",
    "load",
    "store",
    "for",
    "if",
    "else",
    "while",
    "do",
    "carry",
    "yield",
    "condition",
    "to",
    "step",
    "loc",
    "\"f\"",
    "unknown",
    "1",
    "-1",
    "1.5",
    "0x7F",
    "true",
    "x",
    "cmp",
    "lt",
    "splat",
    "expand_dims",
    "range",
    "program_id",
    "divisibility",
    "// c\n",
    "\n",
    "é",
    "\\",
    "\"",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        probe(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn characters(text in any::<String>()) {
        probe(&text);
    }

    #[test]
    fn tokens(words in prop::collection::vec(prop::sample::select(WORDS), 0..60)) {
        probe(&words.join(" "));
        probe(&format!("kernel @k(%x: i32) {{ {}", words.join(" ")));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn mutated_kernels(
        kernel in kernels(),
        locations in any::<bool>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = kernel.display(PrintOptions { locations }).to_string().into_bytes();
        for (at, edit, other, byte) in edits {
            let at = at.index(bytes.len());
            match edit {
                0 => bytes[at] = byte,
                1 => { bytes.remove(at); }
                2 => bytes.insert(at, byte),
                // A stretch from elsewhere: most often still made of tokens.
                _ => {
                    let from = other.index(bytes.len());
                    let to = (from + usize::from(byte) / 4).min(bytes.len());
                    let piece = bytes[from..to].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
            if bytes.is_empty() { break; }
        }
        probe(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn truncated_kernels(kernel in kernels(), at in any::<prop::sample::Index>()) {
        let text = kernel.to_string();
        let at = at.index(text.len());
        let error = parse_module(&text[..at], "fuzz.ssa");
        prop_assert!(error.is_err() || at == 0 || text[at..].trim().is_empty());
    }
}
