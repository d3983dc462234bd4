//! Measures kernels, compilation and launches on a GPU beside the same by other compilers, after checking the results.
//!
//! Everyone is measured in turn, so that clocks and heat are alike; figures compare with others of the same run alone.

mod cases;
mod compiling;
mod inputs;
mod kernels;
mod launching;
mod peers;
mod ptx;
mod reference;
mod report;
mod settings;
mod timing;
mod turns;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;
use mytriton::prelude::*;

use crate::peers::Peers;
use crate::report::{Case, Facts, Record, Role};
use crate::settings::Settings;
use crate::turns::Bench;

/// Measures kernels, compilation and launches on GPU 0, beside torch and Triton if there are any.
///
/// Writes bench.md, bench.json and bench.svg.
#[derive(Parser)]
#[command(name = "mytriton-bench")]
struct Options {
    /// Where the results go
    #[arg(long, value_name = "DIR", default_value = "bench-results")]
    out: PathBuf,
    /// The program that measures torch and Triton, with its arguments: --peers python3 scripts/peers.py
    #[arg(long, value_name = "PROGRAM", num_args = 1..)]
    peers: Vec<String>,
    /// Fewer repetitions, one round: for a look while working
    #[arg(long)]
    quick: bool,
    /// Only benchmarks whose name and size have this in them, as in "softmax f32"; may be given several times
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Print the benchmarks' names and sizes, and measure nothing
    #[arg(long)]
    list: bool,
    /// Seed of the inputs; another one each time if not given
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Measure nothing: write table and plot of a bench.json anew
    #[arg(long, value_name = "FILE", conflicts_with_all = ["peers", "quick", "only", "seed"])]
    from: Option<PathBuf>,
}

impl Options {
    fn wants(&self, title: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| title.contains(part))
    }
}

/// What the launches' benchmark is called; it is one for all ways.
const LAUNCH: &str = "launch";

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("error: not everything of ours was right and measured; the table's end says why");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Gives whether all of ours was right and measured.
fn run(options: &Options) -> Result<bool> {
    if let Some(file) = &options.from {
        let record = report::read(file)?;
        report::write(&record, &options.out)?;
        print!("{}", report::markdown(&record));
        return Ok(true);
    }
    let plans: Vec<cases::Plan> = (cases::plans().into_iter())
        .filter(|plan| options.wants(&plan.title()))
        .collect();
    let compiled: Vec<_> = (compiling::plans().into_iter())
        .filter(|plan| options.wants(&plan.title()))
        .collect();
    let launches = options.wants(LAUNCH);
    if options.list {
        compiled.iter().for_each(|plan| println!("{}", plan.title()));
        plans.iter().for_each(|plan| println!("{}", plan.title()));
        launches.then(|| println!("{LAUNCH}"));
        return Ok(true);
    }
    if plans.is_empty() && compiled.is_empty() && !launches {
        bail!("no benchmark has {:?} in its name; --list prints all", options.only);
    }
    let device = Device::cuda(0).context("measuring needs an NVIDIA GPU")?;
    let cuda = device.as_cuda().context("the device is no GPU")?;
    let seed = options.seed.unwrap_or_else(rand::random);
    let settings = if options.quick {
        Settings::quick(seed)
    } else {
        Settings::full(seed)
    };
    let mut record = Record {
        facts: facts(cuda, &settings)?,
        complete: false,
        cases: Vec::new(),
    };
    let mut peers = start_peers(options, cuda.name(), &settings, &mut record.facts);
    println!("{}", report::markdown(&record));
    let mut add = |cases: Vec<Case>| -> Result<()> {
        for case in cases {
            println!("{}", line(&case));
            record.cases.push(case);
        }
        // After each one: a run that is cut off leaves what it has.
        report::write(&record, &options.out)
    };
    // First, so that the first compilation of the process is one.
    for plan in &compiled {
        let cases = compiling::measure(cuda, plan, &settings, peers.as_mut());
        add(cases.with_context(|| plan.title())?.into())?;
    }
    if let Some(most) = plans.iter().map(|plan| plan.bytes).max() {
        let mut bench = Bench::new(&device, settings, most)?;
        for plan in &plans {
            add(vec![bench.run(plan, peers.as_mut())])?;
        }
    }
    if launches {
        add(launching::measure(&device, &settings, peers.as_mut()).context(LAUNCH)?)?;
    }
    record.complete = true;
    report::write(&record, &options.out)?;
    println!("\n{}", report::markdown(&record));
    println!("written: bench.md, bench.json, bench.svg in {}", options.out.display());
    Ok(record
        .cases
        .iter()
        .all(|case| case.best(Role::Ours).is_some() && !case.wrong))
}

/// Without them ours are measured alone, and the record says so.
fn start_peers(options: &Options, device: &str, settings: &Settings, facts: &mut Facts) -> Option<Peers> {
    let started = match options.peers.as_slice() {
        [] => Err("none were asked for (--peers)".to_owned()),
        command => Peers::start(command, device, settings).map_err(|error| format!("{error:#}")),
    };
    match started {
        Ok(peers) => {
            facts.peers = peers.versions.clone();
            Some(peers)
        }
        Err(reason) => {
            facts.without_peers = Some(reason);
            None
        }
    }
}

fn facts(cuda: &mytriton::runtime::Cuda, settings: &Settings) -> Result<Facts> {
    let given = std::env::var("MYTRITON_COMMIT").ok();
    let commit = given.or(option_env!("MYTRITON_COMMIT").map(str::to_owned));
    // NVIDIA's kernel module says its version in its first line.
    let module = std::fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    let version = module
        .split_whitespace()
        .find(|word| word.split('.').count() >= 2 && word.starts_with(char::is_numeric));
    let newest = format!("CUDA {}", cuda.driver_version());
    Ok(Facts {
        device: cuda.name().to_owned(),
        target: cuda.target()?.to_owned(),
        driver: version.map_or(newest.clone(), |version| format!("{version} ({newest})")),
        commit: commit.unwrap_or_else(|| "unknown".to_owned()),
        seed: settings.seed,
        repetitions: settings.repetitions,
        rounds: settings.rounds,
        ..Facts::default()
    })
}

/// A case as it comes, for those who wait.
fn line(case: &Case) -> String {
    let each: Vec<String> = (case.entries.iter())
        .map(|entry| format!("{} {:.3}", entry.who, entry.value))
        .collect();
    let problems: String = case.problems.iter().map(|problem| format!("\n    {problem}")).collect();
    format!(
        "{:<32} [{}] {}{problems}",
        case.title(),
        case.unit.name(),
        each.join(", ")
    )
}
