//! What the fuzz targets share: the probes, mutation by tokens, and a bound on memory.

// Before all others: what is named first is linked last, and one of MLIR's libraries has a `main` too, that of mlir-opt,
// which would take the place of libFuzzer's.
#[cfg(feature = "mlir")]
extern crate mytriton_compiler as _;

use std::alloc::System;

use cap::Cap;
use libfuzzer_sys::fuzzer_mutate;

pub mod mutate;
pub mod probe;

// The command line's parsers belong to an executable, which other crates cannot depend on.
#[allow(dead_code, missing_docs)]
#[path = "../../crates/cli/src/arguments.rs"]
mod arguments;
#[allow(dead_code, missing_docs)]
#[path = "../../crates/cli/src/error.rs"]
mod error;
#[allow(dead_code, missing_docs)]
#[path = "../../crates/cli/src/generate.rs"]
mod generate;
#[allow(dead_code, missing_docs)]
#[path = "../../crates/cli/src/literal.rs"]
mod literal;
#[allow(dead_code, missing_docs)]
#[path = "../../crates/cli/src/npy/mod.rs"]
mod npy;
#[allow(dead_code, missing_docs)]
#[path = "../../crates/cli/src/picture/mod.rs"]
mod picture;

/// Bytes that one input may make the Rust side allocate, beside [`MEMORY_PER_BYTE`].
const MEMORY: usize = 32 << 20;

/// Bytes that each byte of the input may come to.
const MEMORY_PER_BYTE: usize = 256;

// The limit is above `MEMORY`, so that there is room for the trace of a panic. Where it refuses, the process aborts unless
// the caller is ready for a refusal.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, 512 << 20);

/// Runs a probe on an input. To use more memory than any input needs is a finding too.
pub fn run(probe: fn(&[u8]), data: &[u8]) {
    probe(data);
    let most = ALLOCATOR.max_allocated();
    let fair = MEMORY + MEMORY_PER_BYTE * data.len();
    assert!(most <= fair, "{most} bytes were allocated at a time for {}", data.len());
}

/// A mutation for libFuzzer: by tokens three times of four, else what libFuzzer itself does. The new text is written
/// over the old one, `data[..size]`; the result is its length.
pub fn mutate_tokens(dictionary: &[Vec<u8>], data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    if seed.is_multiple_of(4) {
        return fuzzer_mutate(data, size, max_size);
    }
    let changed = mutate::mutate(&data[..size], dictionary, u64::from(seed));
    let length = changed.len().min(max_size).min(data.len());
    data[..length].copy_from_slice(&changed[..length]);
    length
}
