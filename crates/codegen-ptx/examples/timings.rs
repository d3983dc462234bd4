//! How long each step from the llvm dialect to PTX takes: `cargo run --release --example timings [FILE.mlir] [TARGET]`.
//!
//! Prints the first compilation of the process (which sets LLVM up), then the median of a hundred more.

use std::time::{Duration, Instant};

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::Module;
use melior::utility::register_all_dialects;
use mytriton_codegen_ptx::{Options, Target, Timings, compile};

const REPEATS: usize = 101;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments
        .next()
        .unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/kernels/vector_add.mlir").to_owned());
    let target: Target = arguments.next().as_deref().unwrap_or("sm_90a").parse()?;
    let source = std::fs::read_to_string(&path)?;

    let start = Instant::now();
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    let context = Context::new_with_registry(&registry, false);
    let setup = start.elapsed();
    let start = Instant::now();
    let module = Module::parse(&context, &source).ok_or("the file does not parse")?;
    println!("MLIR context {setup:?}, parse {:?}", start.elapsed());

    let options = Options::new(target);
    let mut runs = Vec::new();
    for _ in 0..=REPEATS {
        let start = Instant::now();
        let ptx = compile(module.as_operation(), &options)?;
        runs.push((ptx.timings, start.elapsed()));
    }
    let (first, rest) = (runs[0], &runs[1..]);
    println!(
        "{:>12} {:>12} {:>12} {:>12} {:>12} {:>12}",
        "", "translate", "link", "optimise", "emit", "wall"
    );
    print("first", first.0, first.1);
    let median = |of: &dyn Fn(&(Timings, Duration)) -> Duration| {
        let mut times: Vec<Duration> = rest.iter().map(of).collect();
        times.sort_unstable();
        times[times.len() / 2]
    };
    let timings = Timings {
        translate: median(&|run| run.0.translate),
        link: median(&|run| run.0.link),
        optimise: median(&|run| run.0.optimise),
        emit: median(&|run| run.0.emit),
    };
    print("median", timings, median(&|run| run.1));
    Ok(())
}

fn print(label: &str, timings: Timings, wall: Duration) {
    let [translate, link, optimise, emit, wall] =
        [timings.translate, timings.link, timings.optimise, timings.emit, wall].map(|time| format!("{time:.1?}"));
    println!("{label:>12} {translate:>12} {link:>12} {optimise:>12} {emit:>12} {wall:>12}");
}
