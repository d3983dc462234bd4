//! `fuzz`: random kernels by every way that needs no GPU, and random bytes into every parser.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};
use clap::Args;

use crate::gpu::{FINDINGS, build_executable};
use crate::process;
use crate::project::{GPU_TEST, Project};

/// What to fuzz, and for how long.
#[derive(Args)]
pub struct Options {
    /// How long to run: 90s, 10m, 2h
    #[arg(long, value_name = "TIME", conflicts_with = "runs")]
    time: Option<String>,
    /// How many kernels, or inputs of a parser, to try
    #[arg(long, value_name = "N")]
    runs: Option<u64>,
    /// The seed of all randomness; a new one each time without it
    #[arg(long)]
    seed: Option<u64>,
    /// Where kernels go that are run wrongly, made small
    #[arg(long, value_name = "DIR", default_value = FINDINGS)]
    findings: PathBuf,
    /// Feed a parser with random bytes instead; needs cargo-fuzz. fuzz/README.md names the targets
    #[arg(long, value_name = "TARGET", conflicts_with = "findings")]
    bytes: Option<String>,
}

/// Fuzzes until the limit; a minute where none is given.
///
/// # Errors
/// Something does not build, or a kernel is run wrongly, or a parser fails.
pub fn run(project: &Project, options: &Options) -> Result<()> {
    match &options.bytes {
        Some(target) => bytes(project, target, options),
        None => kernels(project, options),
    }
}

fn kernels(project: &Project, options: &Options) -> Result<()> {
    let executable = build_executable(project, GPU_TEST, "release")?;
    let limit = match (&options.time, options.runs) {
        (Some(time), _) => time.clone(),
        (None, Some(runs)) => runs.to_string(),
        (None, None) => "60s".to_owned(),
    };
    let mut command = Command::new(executable);
    // Also where there is a GPU: `gpu-test --fuzz` runs on that.
    command.args(["--offline", "--fuzz"]).arg(limit);
    command.arg("--findings").arg(project.root().join(&options.findings));
    if let Some(seed) = options.seed {
        command.arg("--seed").arg(seed.to_string());
    }
    process::run(command.current_dir(project.root()))
}

/// A target of byte-level fuzzing.
struct Target {
    name: &'static str,
    /// The words that its inputs are made of.
    dictionary: &'static str,
    /// Directories with further inputs to begin with.
    seeds: &'static [&'static str],
    mlir: bool,
}

const fn target(name: &'static str, dictionary: &'static str, seeds: &'static [&'static str], mlir: bool) -> Target {
    Target {
        name,
        dictionary,
        seeds,
        mlir,
    }
}

const TARGETS: &[Target] = &[
    target("ssa", "ssa", &["examples/kernels"], false),
    target("diagnostics", "ssa", &["examples/kernels"], false),
    target("artefact", "artefact", &[], false),
    target("npy", "npy", &[], false),
    target("arguments", "arguments", &[], false),
    target("layout", "layout", &[], false),
    target("mlir_module", "mlir", &["examples/kernels", "lit-tests/Dialect"], true),
    target("mlir_attribute", "mlir", &[], true),
    target("mlir_gpu", "mlir_gpu", &["lit-tests/Conversion"], true),
];

/// cargo-fuzz on one of the targets in `fuzz/`.
fn bytes(project: &Project, name: &str, options: &Options) -> Result<()> {
    let Some(target) = TARGETS.iter().find(|target| target.name == name) else {
        let known: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        bail!(
            "there is no target '{name}' for random bytes: it must be one of {}",
            known.join(", ")
        );
    };
    // What is found on the way is kept there, and the directory has to exist.
    let corpus = format!("fuzz/corpus/{name}");
    std::fs::create_dir_all(project.root().join(&corpus))?;
    let mut command = project.cargo(["fuzz", "run", "-s", "none"]);
    if target.mlir {
        command.args(["--features", "mlir"]);
    }
    command.args([name, &corpus, &format!("fuzz/seeds/{name}")]);
    command.args(target.seeds);
    command.args(["--", "-timeout=10", "-rss_limit_mb=2048"]);
    command.arg(format!("-dict=fuzz/dictionaries/{}.dict", target.dictionary));
    match (&options.time, options.runs) {
        (Some(time), _) => command.arg(format!("-max_total_time={}", seconds(time)?)),
        (None, Some(runs)) => command.arg(format!("-runs={runs}")),
        (None, None) => command.arg("-max_total_time=60"),
    };
    if let Some(seed) = options.seed {
        command.arg(format!("-seed={seed}"));
    }
    process::run(&mut command)
}

fn seconds(time: &str) -> Result<u64> {
    let (digits, unit) = time.split_at(time.trim_end_matches(['s', 'm', 'h']).len());
    let Ok(number) = digits.parse::<u64>() else {
        bail!("'{time}' is no time such as 90s, 10m or 2h");
    };
    match unit {
        "s" => Ok(number),
        "m" => Ok(number * 60),
        "h" => Ok(number * 3600),
        _ => bail!("'{time}' is no time such as 90s, 10m or 2h"),
    }
}
