//! What comes from the command line and from files, read and changed at random: the fuzz targets' probes on few inputs.

use std::path::Path;

#[allow(dead_code)]
#[path = "../../../../../fuzz/src/mutate.rs"]
mod mutate;
#[path = "../../../../../fuzz/src/probe/arguments.rs"]
mod probe_arguments;
#[path = "../../../../../fuzz/src/probe/diagnostics.rs"]
mod probe_diagnostics;
#[path = "../../../../../fuzz/src/probe/npy.rs"]
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
    let words = include_str!("../../../../../fuzz/dictionaries/npy.dict");
    replay("npy", words, probe_npy::probe);
}

#[test]
fn arguments() {
    let words = include_str!("../../../../../fuzz/dictionaries/arguments.dict");
    replay("arguments", words, probe_arguments::probe);
}

#[test]
fn diagnostics() {
    let words = include_str!("../../../../../fuzz/dictionaries/ssa.dict");
    replay("diagnostics", words, probe_diagnostics::probe);
}
