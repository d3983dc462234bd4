//! Texts of layouts as they come: the fuzz target's probe on few inputs.

use std::path::Path;

#[allow(dead_code)]
#[path = "../../../fuzz/src/mutate.rs"]
mod mutate;
#[path = "../../../fuzz/src/probe/layout.rs"]
mod probe;

#[test]
fn every_text_is_a_layout_or_an_error() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/layout");
    let entries = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.collect();
    files.sort();
    let words = mutate::dictionary(include_str!("../../../fuzz/dictionaries/layout.dict"));
    assert!(files.len() > 5, "{} holds {} files", directory.display(), files.len());
    for (seed, file) in (0..).zip(&files) {
        let bytes = std::fs::read(file).unwrap();
        probe::probe(&bytes);
        for change in 0..100 {
            probe::probe(&mutate::mutate(&bytes, &words, seed * 1000 + change));
        }
    }
}
