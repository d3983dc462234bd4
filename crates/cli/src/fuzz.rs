//! What comes from the command line and from files, read and changed at random: the fuzz targets' probes on few inputs.

use std::path::Path;

use clap::Parser;
use tracing_subscriber::EnvFilter;

#[allow(dead_code)]
#[path = "../../../fuzz/src/mutate.rs"]
mod mutate;
#[path = "../../../fuzz/src/probe/arguments.rs"]
mod probe_arguments;
#[path = "../../../fuzz/src/probe/diagnostics.rs"]
mod probe_diagnostics;
#[path = "../../../fuzz/src/probe/layout.rs"]
mod probe_layout;
#[path = "../../../fuzz/src/probe/npy.rs"]
mod probe_npy;

/// Probes every seed, and some thousand changes of them.
fn replay(target: &str, dictionary: &str, probe: fn(&[u8])) {
    const CHANGES: u64 = 4000;
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/seeds")
        .join(target);
    let entries = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.collect();
    files.sort();
    let seeds: Vec<_> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
    assert!(!seeds.is_empty(), "{} is empty", directory.display());
    seeds.iter().for_each(|seed| probe(seed));
    let words = mutate::dictionary(dictionary);
    for (change, seed) in (0..CHANGES).zip(seeds.iter().cycle()) {
        probe(&mutate::mutate(seed, &words, change));
    }
}

#[test]
fn arrays() {
    let words = include_str!("../../../fuzz/dictionaries/npy.dict");
    replay("npy", words, probe_npy::probe);
}

#[test]
fn arguments() {
    let words = include_str!("../../../fuzz/dictionaries/arguments.dict");
    replay("arguments", words, probe_arguments::probe);
}

#[test]
fn diagnostics() {
    let words = include_str!("../../../fuzz/dictionaries/ssa.dict");
    replay("diagnostics", words, probe_diagnostics::probe);
}

#[test]
fn layouts() {
    let words = include_str!("../../../fuzz/dictionaries/layout.dict");
    replay("layout", words, probe_layout::probe);
}

/// Command lines, an argument a line; and what `MYTRITON_LOG` may hold.
#[test]
fn command_lines() {
    const LINES: [&str; 4] = [
        "mytriton\nrun\nk.ssa\n--grid\n4,2\n--arg\nx.npy\n--arg\nn=-1\n--out\nx=y.npy\n--device\ncuda:1\n--num-warps\n4\n--show=8",
        "mytriton\ncheck\nk.mlir\n--grid=4\n--arg\nrandom:f32:64:1\n--num-warps\n1,4\n--tolerance\n1e-3\n--block\n32,1,1",
        "mytriton\ncompile\nk.mlir\n--emit\nptx\n--target\nsm_90a\n-o\n-\n--kernel\nk\n--format\nmlir",
        "mytriton_compiler=trace,warn,[span{field=\"a.*\"}]=debug,off",
    ];
    let words = mutate::dictionary(include_str!("../../../fuzz/dictionaries/arguments.dict"));
    for (change, line) in (0..6000).zip(LINES.iter().cycle()) {
        let changed = mutate::mutate(line.as_bytes(), &words, change);
        let text = String::from_utf8_lossy(&changed);
        // Either answer will do.
        let _ = crate::Cli::try_parse_from(text.lines());
        let _ = EnvFilter::try_new(&*text);
    }
    for line in &LINES[..3] {
        assert!(crate::Cli::try_parse_from(line.lines()).is_ok(), "{line}");
    }
}
