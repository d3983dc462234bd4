//! `bench`: measurements on a GPU, ours and the peers' in turn, run here or packed for a machine that has one.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use crate::gpu;
use crate::process;
use crate::project::{FACADE, GPU_BENCH, Project};

/// What the program is called where it is packed.
const PACKED: &str = "mytriton-bench";
/// The peers' program, and the module that it imports.
const PEERS: [&str; 2] = ["scripts/peers.py", "scripts/peers_kernels.py"];

/// How the measurements are run or packed; they are always a release build.
#[derive(Args)]
pub struct BenchOptions {
    /// Pack the program and the peers' scripts into this .tar.xz instead of running them
    #[arg(long, value_name = "FILE.tar.xz")]
    archive: Option<PathBuf>,
    /// Where table, JSON and plot go
    #[arg(long, value_name = "DIR", default_value = "target/bench", conflicts_with = "archive")]
    out: PathBuf,
    /// The Python that has torch and Triton
    #[arg(long, value_name = "PROGRAM", default_value = "python3", conflicts_with = "archive")]
    python: String,
    /// Measure ours alone
    #[arg(long, conflicts_with_all = ["archive", "python"])]
    no_peers: bool,
    /// Fewer repetitions: for a look while working
    #[arg(long, conflicts_with = "archive")]
    quick: bool,
    /// Only benchmarks whose name and size have this in them; may be given several times
    #[arg(long, value_name = "TEXT", conflicts_with = "archive")]
    only: Vec<String>,
    /// Further arguments to the program
    #[arg(last = true)]
    arguments: Vec<String>,
}

impl BenchOptions {
    /// The program's arguments.
    fn program_arguments(&self) -> Vec<String> {
        let mut arguments = vec!["--out".to_owned(), self.out.display().to_string()];
        arguments.extend(self.quick.then(|| "--quick".to_owned()));
        arguments.extend(self.only.iter().flat_map(|text| ["--only".to_owned(), text.clone()]));
        if !self.no_peers {
            arguments.extend(["--peers", &self.python, PEERS[0]].map(str::to_owned));
        }
        arguments.extend_from_slice(&self.arguments);
        arguments
    }
}

/// Builds the measurements, and runs or packs them.
///
/// # Errors
/// They do not build, there is no GPU to run them on, or one of ours fails.
pub fn run(project: &Project, options: &BenchOptions) -> Result<()> {
    let there = format!("./{PACKED} --peers python3 {} --out bench-results", PEERS[0]);
    if options.archive.is_none() {
        gpu::require_driver(&there)?;
    }
    let kind = target_kind(&project.metadata()?, GPU_BENCH)?;
    let arguments = [
        "build",
        "--package",
        FACADE,
        kind,
        GPU_BENCH,
        "--release",
        gpu::MESSAGES,
    ];
    let executable = gpu::build(project, GPU_BENCH, &arguments)?;
    match &options.archive {
        Some(archive) => gpu::pack(project, &executable, PACKED, &PEERS, archive, &there),
        None => process::run(gpu::start(project, &executable).args(options.program_arguments())),
    }
}

/// The option that selects the facade's executable or example of this name.
fn target_kind(metadata: &Value, name: &str) -> Result<&'static str> {
    let packages = metadata["packages"]
        .as_array()
        .context("`cargo metadata` lists no packages")?;
    let targets = packages
        .iter()
        .filter(|package| package["name"] == FACADE)
        .flat_map(|package| package["targets"].as_array().into_iter().flatten());
    for target in targets.filter(|target| target["name"] == name) {
        let kinds = target["kind"].as_array().into_iter().flatten();
        for kind in kinds.filter_map(Value::as_str) {
            match kind {
                "bin" => return Ok("--bin"),
                "example" => return Ok("--example"),
                _ => {}
            }
        }
    }
    bail!("package {FACADE} has no executable or example called {name}")
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        bench: BenchOptions,
    }

    fn arguments(given: &[&str]) -> String {
        let cli = Cli::try_parse_from([&["bench"], given].concat()).unwrap();
        cli.bench.program_arguments().join(" ")
    }

    #[test]
    fn the_program_gets_the_peers_and_what_was_asked_for() {
        assert_eq!(arguments(&[]), "--out target/bench --peers python3 scripts/peers.py");
        let given = [
            "--quick",
            "--only",
            "softmax",
            "--no-peers",
            "--out",
            "here",
            "--",
            "--seed",
            "7",
        ];
        assert_eq!(arguments(&given), "--out here --quick --only softmax --seed 7");
        assert!(Cli::try_parse_from(["bench", "--archive", "a.tar.xz", "--quick"]).is_err());
    }

    #[test]
    fn the_peers_scripts_are_there() {
        let project = Project::locate().unwrap();
        assert!(PEERS.iter().all(|file| project.path(file).is_file()));
    }

    #[test]
    fn measurements_may_be_an_executable_or_an_example() {
        let metadata = |kind: &str| {
            json!({"packages": [
                {"name": "elsewhere", "targets": [{"name": "bench-gpu", "kind": ["bin"]}]},
                {"name": FACADE, "targets": [{"name": "bench-gpu", "kind": [kind]}]},
            ]})
        };
        assert_eq!(target_kind(&metadata("bin"), "bench-gpu").unwrap(), "--bin");
        assert_eq!(target_kind(&metadata("example"), "bench-gpu").unwrap(), "--example");
        assert!(target_kind(&metadata("lib"), "bench-gpu").is_err());
    }
}
