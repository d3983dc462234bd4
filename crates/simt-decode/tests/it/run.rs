//! Running kernels: what they compute of given numbers.

use mytriton_simt::{Launch, Memory, Options, Program, run};

use crate::decoded;

/// Runs a program of one block in a grid of so many, and expects that nothing is found.
pub fn launch(program: &Program, memory: &Memory, args: &[u64], blocks: u32, threads: u32) {
    let launch = Launch {
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        dynamic_shared_bytes: 0,
    };
    let options = Options {
        workers: 1,
        ..Options::default()
    };
    let report = run(program, launch, args, memory, &options).expect("a launch that fits");
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
}

/// What a body makes of pairs of numbers: it has `%x` and `%y` of type i64, and defines `%r` of type i64.
pub fn computed(body: &str, inputs: &[(u64, u64)]) -> Vec<u64> {
    let text = format!(
        "gpu.module @kernels {{
           gpu.func @k(%xs: memref<{n}xi64>, %ys: memref<{n}xi64>, %rs: memref<{n}xi64>) kernel {{
             %thread = gpu.global_id x
             %x = memref.load %xs[%thread] : memref<{n}xi64>
             %y = memref.load %ys[%thread] : memref<{n}xi64>
             {body}
             memref.store %r, %rs[%thread] : memref<{n}xi64>
             gpu.return
           }}
         }}",
        n = inputs.len()
    );
    let programs = decoded(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut memory = Memory::new();
    let bytes = |of: fn(&(u64, u64)) -> u64| {
        inputs
            .iter()
            .flat_map(|pair| of(pair).to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let xs = memory.add_buffer("xs", &bytes(|pair| pair.0)).expect("room");
    let ys = memory.add_buffer("ys", &bytes(|pair| pair.1)).expect("room");
    let rs = memory.add_zeros("rs", 8 * inputs.len() as u64).expect("room");
    let args = [xs, ys, rs].map(|buffer| memory.address(buffer).expect("a buffer"));
    let threads = inputs.len().min(256) as u32;
    assert_eq!(inputs.len() % threads as usize, 0, "whole blocks");
    launch(&programs[0], &memory, &args, inputs.len() as u32 / threads, threads);
    let result = memory.read_back(rs).expect("a buffer");
    let words = result
        .chunks_exact(8)
        .map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes")));
    words.collect()
}

/// Checks a body against what it should compute, of pairs of numbers.
#[track_caller]
pub fn check(body: &str, inputs: &[(u64, u64)], expected: impl Fn(u64, u64) -> u64) {
    for (&(x, y), result) in inputs.iter().zip(computed(body, inputs)) {
        assert_eq!(result, expected(x, y), "of {x:#x} and {y:#x}: {body}");
    }
}

/// All pairs of 8-bit numbers of which the second is not zero.
pub fn bytes() -> Vec<(u64, u64)> {
    (0..256)
        .flat_map(|x| (0..256).map(move |y| (x, if y == 0 { 1 } else { y })))
        .collect()
}
