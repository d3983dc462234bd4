//! How long compiling takes when nothing is prepared: every time in a new MLIR context, from Rust to PTX.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use mytriton::abi::Code;
use mytriton::frontend::{ConstexprValue, Specialization};
use mytriton::runtime::{Cuda, Function};
use mytriton::ssa::{OptLevel, optimise, verify};
use mytriton_compiler::{CompileOptions, Compiled, compile};

use crate::output::{Output, median, ms};
use crate::vector_add;

/// Compilations after the first.
const REPETITIONS: usize = 20;

/// One compilation: all steps with their times, and the whole.
struct Run {
    steps: Vec<(&'static str, Duration)>,
    total: Duration,
    /// The driver's own compilation, PTX to machine code.
    driver: Duration,
}

/// Measures.
pub fn measure(cuda: &Cuda, output: &mut Output) -> Result<()> {
    let first = run(cuda, 0)?;
    let mut runs = Vec::new();
    for number in 1..=REPETITIONS {
        runs.push(run(cuda, number)?);
    }
    output.line(&format!("cold compilation of vector_add, {REPETITIONS} times, in ms\n"));
    output.line(&format!("{:<28} {:>9} {:>9} {:>9}", "", "first", "median", "least"));
    let mut row = |name: &str, first: Duration, mut times: Vec<Duration>| {
        let median = median(&mut times);
        let least = times.first().copied().unwrap_or_default();
        output.line(&format!(
            "{name:<28} {:>9.3} {:>9.3} {:>9.3}",
            ms(first),
            ms(median),
            ms(least)
        ));
        median
    };
    for (index, &(name, time)) in first.steps.iter().enumerate() {
        row(name, time, runs.iter().map(|run| run.steps[index].1).collect());
    }
    let total = row("all, to PTX", first.total, runs.iter().map(|run| run.total).collect());
    let driver = row(
        "driver: PTX to machine code",
        first.driver,
        runs.iter().map(|run| run.driver).collect(),
    );
    output.line("");
    output.figure("compile", "add, to PTX", "mytriton", ms(total), "ms", "");
    output.figure(
        "compile",
        "add, first of process",
        "mytriton",
        ms(first.total),
        "ms",
        "",
    );
    output.figure(
        "compile",
        "add, to machine code",
        "mytriton",
        ms(total + driver),
        "ms",
        "",
    );
    Ok(())
}

fn run(cuda: &Cuda, number: usize) -> Result<Run> {
    let target = cuda.target()?.parse().ok().context("the GPU's target is not known")?;
    let start = Instant::now();
    let facts = (0..4).fold(Specialization::NONE, Specialization::with_divisible_by_16);
    let mut kernel = (vector_add::definition().build)(&[ConstexprValue::I32(1024)], &facts)?;
    verify(&kernel)?;
    let built = start.elapsed();
    optimise(&mut kernel, OptLevel::Full);
    let optimised = start.elapsed();
    let Compiled {
        kernel: mut compiled,
        times,
    } = compile(&kernel, &CompileOptions::new(target))?;
    let total = start.elapsed();
    // The driver keeps what it compiled on disk: another text is compiled anew.
    if let Code::Ptx(text) = &mut compiled.code {
        let salt = std::process::id();
        *text = format!("// {salt} {number} {:?}\n{text}", Instant::now());
    }
    let start = Instant::now();
    Function::load(cuda, &compiled)?;
    let driver = start.elapsed();
    let steps = vec![
        ("Rust to typed SSA", built),
        ("typed SSA, optimised", optimised - built),
        ("MLIR context", times.context),
        ("tile", times.tile),
        ("layout", times.layout),
        ("gpu", times.gpu),
        ("llvm", times.llvm),
        ("LLVM IR", times.ptx.translate),
        ("mathematics library", times.ptx.link),
        ("LLVM passes", times.ptx.optimise),
        ("instruction selection, PTX", times.ptx.emit),
    ];
    Ok(Run { steps, total, driver })
}
