#![no_main]
#![allow(missing_docs)]

use std::sync::LazyLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use mytriton_fuzz_targets::{mutate, mutate_tokens, probe, run};

static WORDS: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| mutate::dictionary(include_str!("../dictionaries/layout.dict")));

fuzz_target!(|data: &[u8]| run(probe::layout::probe, data));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_tokens(&WORDS, data, size, max_size, seed)
});
