//! How fast the executor is: `cargo run --release -p mytriton-simt --example throughput`.
//!
//! A block of 128 threads works on a tile of 128x128 floats, 128 in each thread: loads, 78 rounds of a product and a sum
//! on each, an exchange through shared memory, stores. That is more than 10,000 instructions for each thread.

#[allow(dead_code)]
#[path = "../tests/machine/asm.rs"]
mod asm;

use std::time::Instant;

use mytriton_simt::program::{Instr, Space};
use mytriton_simt::{Launch, Memory, Options, run};
use mytriton_ssa::{BinaryOp, Scalar};

const TILE: u64 = 128 * 128;
const ROUNDS: usize = 39;

fn main() {
    let mut asm = asm::Asm::new();
    let base = asm.param();
    asm.shared(128 * 4);
    let tid = asm.tid();
    let zero = asm.constant(0);
    let factor = asm.constant(u64::from(1.5f32.to_bits()));
    let mine = asm.at(zero, tid, 4);
    let from = asm.at(base, tid, 4);
    for element in 0..128 {
        let offset = asm.constant(element * 512);
        let at = asm.binary(BinaryOp::Add, from, offset);
        let mut value = asm.load(Space::Global, at);
        for _ in 0..ROUNDS {
            for op in [BinaryOp::Mul, BinaryOp::Add] {
                let dst = asm.reg();
                asm.push(Instr::Binary {
                    op,
                    ty: Scalar::F32,
                    dst,
                    a: value,
                    b: factor,
                });
                value = dst;
            }
        }
        asm.store(Space::Shared, mine, value);
        asm.push(Instr::Barrier);
        let value = asm.load(Space::Shared, mine);
        asm.store(Space::Global, at, value);
    }
    let program = asm.finish();
    for (launches, blocks, workers, check_races) in [
        (1u32, 1u32, 1, true),
        (1, 1, 1, false),
        (8, 1, 1, true),
        (1, 64, 0, true),
    ] {
        let mut memory = Memory::new();
        let buffer = memory.add_zeros("tile", 4 * TILE).expect("memory");
        let args = [memory.address(buffer).expect("a buffer")];
        let launch = Launch {
            grid: [blocks, 1, 1],
            block: [128, 1, 1],
            dynamic_shared_bytes: 0,
        };
        let options = Options {
            workers,
            check_races,
            max_findings: usize::MAX,
            ..Options::default()
        };
        let start = Instant::now();
        let mut instructions = 0u64;
        for _ in 0..launches {
            let report = run(&program, launch, &args, &memory, &options).expect("a launch");
            // Several blocks write one tile.
            assert!(blocks > 1 || report.findings.is_empty(), "{}", report.findings[0]);
            instructions += report.thread_instructions;
        }
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{launches} launch(es) of {blocks} block(s), {workers} worker(s), races {check_races}: {:.1} ms, {:.0} instructions a thread, {:.1} M thread instructions/s",
            seconds * 1e3,
            instructions as f64 / f64::from(launches * blocks) / 128.0,
            instructions as f64 / seconds / 1e6
        );
    }
}
