//! How long compiling to PTX takes, stage by stage and pass by pass. Needs no GPU.

#[path = "../bench_gpu/kernels.rs"]
mod kernels;
mod memory;
mod plans;
mod wide;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;
use mytriton::ssa::{OptLevel, optimise, verify};
use mytriton_compiler::{CompileOptions, Compiled, Target, compile, pass_times};

use crate::plans::{Plan, plans};

/// Measures compilation to PTX.
///
/// The first compilation of the process sets LLVM and an MLIR context up. Of the others the median is given, and the least,
/// which other work on the machine disturbs less. At the end stands how time and memory grow with the size of wide tiles.
#[derive(Parser)]
#[command(name = "bench-compile")]
struct Options {
    /// The GPU to compile for
    #[arg(long, value_name = "TARGET", default_value = "sm_90a")]
    target: Target,
    /// Only kernels whose name has this in it; may be given several times
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Compilations of each kernel after the first; of wide tiles no more than three
    #[arg(long, value_name = "N", default_value_t = 50)]
    repeat: usize,
    /// Also say how long each pass takes
    #[arg(long)]
    passes: bool,
    /// Write each kernel's PTX into this directory
    #[arg(long, value_name = "DIR")]
    ptx: Option<PathBuf>,
}

/// Steps by name.
type Steps = Vec<(String, Duration)>;

fn main() -> Result<()> {
    let options = Options::parse();
    let wanted = |plan: &Plan| options.only.is_empty() || options.only.iter().any(|text| plan.name.contains(text));
    let plans: Vec<Plan> = plans().into_iter().filter(wanted).collect();
    if plans.is_empty() {
        bail!("no kernel has {:?} in its name", options.only);
    }
    let mut growth = Vec::new();
    for plan in plans {
        memory::reset_peak();
        let (first, ptx) = steps(&plan, &options)?;
        let peak = memory::peak_bytes();
        if let Some(directory) = &options.ptx {
            std::fs::create_dir_all(directory)?;
            let file = directory.join(plan.name.replace(' ', "-")).with_extension("ptx");
            std::fs::write(&file, ptx).with_context(|| format!("cannot write {}", file.display()))?;
        }
        let times = repeat(&plan, &options, || Ok(steps(&plan, &options)?.0))?;
        println!(
            "\n{}, in ms\n\n{:<40} {:>9} {:>9} {:>9}",
            plan.name, "", "first", "median", "least"
        );
        for (index, (name, first)) in first.iter().enumerate() {
            row(name, Some(*first), times.iter().map(|steps| steps[index].1).collect());
        }
        row("all", Some(total(&first)), times.iter().map(total).collect());
        if let Some(size) = plan.size {
            growth.push(Growth {
                series: plan.series().to_owned(),
                size,
                time: times.iter().map(total).min().unwrap_or_default(),
                peak,
            });
        }
        if options.passes {
            let times = repeat(&plan, &options, || {
                let (kernel, settings) = prepare(&plan, &options)?;
                Ok(pass_times(&kernel, &settings)?)
            })?;
            println!("\nits passes, each run by itself\n");
            for (index, (name, _)) in times.first().into_iter().flatten().enumerate() {
                row(name, None, times.iter().map(|passes| passes[index].1).collect());
            }
        }
    }
    print_growth(&growth);
    Ok(())
}

fn repeat(plan: &Plan, options: &Options, mut run: impl FnMut() -> Result<Steps>) -> Result<Vec<Steps>> {
    let most = if plan.size.is_some() { 3 } else { usize::MAX };
    (0..options.repeat.clamp(1, most)).map(|_| run()).collect()
}

/// One size of a series.
struct Growth {
    series: String,
    size: i32,
    /// The least.
    time: Duration,
    /// Memory of the process at most, where the system says.
    peak: Option<u64>,
}

/// Each size with the one before: time and memory in proportion to the size give 2.
fn print_growth(sizes: &[Growth]) {
    if sizes.is_empty() {
        return;
    }
    println!(
        "\nwide tiles\n\n{:<40} {:>9} {:>9} {:>9} {:>9}",
        "", "ms", "times", "peak MB", "times"
    );
    for (index, this) in sizes.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &sizes[before]);
        let before = before.filter(|before| before.series == this.series);
        let times = |ratio: Option<f64>| ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default();
        let slower = before.map(|before| this.time.as_secs_f64() / before.time.as_secs_f64());
        let larger = before.and_then(|before| Some(this.peak? as f64 / before.peak? as f64));
        let peak = this
            .peak
            .map(|bytes| format!("{:.0}", bytes as f64 / 1e6))
            .unwrap_or_default();
        println!(
            "{:<40} {:>9.1} {:>9} {peak:>9} {:>9}",
            format!("{} {}", this.series, this.size),
            this.time.as_secs_f64() * 1e3,
            times(slower),
            times(larger)
        );
    }
}

/// An optimised kernel, and how it is compiled.
fn prepare(plan: &Plan, options: &Options) -> Result<(mytriton::ssa::Kernel, CompileOptions)> {
    let mut kernel = plan.build()?;
    verify(&kernel)?;
    optimise(&mut kernel, OptLevel::Full);
    let settings = CompileOptions {
        num_warps: plan.num_warps,
        // Also what ptxas would take too long for.
        max_thread_registers: u32::MAX,
        ..CompileOptions::new(options.target)
    };
    Ok((kernel, settings))
}

/// One compilation, with its PTX.
fn steps(plan: &Plan, options: &Options) -> Result<(Steps, Vec<u8>)> {
    let start = Instant::now();
    let (kernel, settings) = prepare(plan, options)?;
    let staged = start.elapsed();
    let Compiled { kernel: code, times } = compile(&kernel, &settings)?;
    let whole = start.elapsed();
    let mut steps = vec![("Rust to typed SSA, optimised", staged)];
    steps.extend(times.steps());
    steps.push(("the rest", whole.saturating_sub(staged + times.total())));
    let steps = steps.into_iter().map(|(name, time)| (name.to_owned(), time)).collect();
    Ok((steps, code.code.as_bytes().to_vec()))
}

fn total(steps: &Steps) -> Duration {
    steps.iter().map(|(_, time)| *time).sum()
}

fn row(name: &str, first: Option<Duration>, mut times: Vec<Duration>) {
    times.sort_unstable();
    let of = |time: Option<&Duration>| {
        time.map(|time| format!("{:.3}", time.as_secs_f64() * 1e3))
            .unwrap_or_default()
    };
    let (median, least) = (of(times.get(times.len() / 2)), of(times.first()));
    println!("{name:<40} {:>9} {median:>9} {least:>9}", of(first.as_ref()));
}
