//! `gpu-test` and `bench`: what needs a GPU, run here or packed for a machine that has one.
//!
//! The executable carries everything: on the GPU machine only NVIDIA's driver is needed. Both write the report
//! that `MYTRITON_REPORT` names.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use crate::process;
use crate::project::{FACADE, GPU_BENCH, GPU_TEST, Project};
use crate::toolkit::Toolkit;

/// The file that the executable writes its report to.
const REPORT_VARIABLE: &str = "MYTRITON_REPORT";

/// Cargo's messages as JSON on the standard output, except errors and warnings, which a person is to read.
const MESSAGES: &str = "--message-format=json-render-diagnostics";

#[derive(Args)]
struct Common {
    /// Build for release and pack the executable into this .tar.xz instead of running it
    #[arg(long, value_name = "FILE.tar.xz")]
    archive: Option<PathBuf>,
    /// Where the report goes
    #[arg(long, value_name = "FILE", conflicts_with = "archive")]
    report: Option<PathBuf>,
    /// Further arguments to the executable
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// How the GPU tests are run or packed.
#[derive(Args)]
pub struct TestOptions {
    /// Run the release build
    #[arg(long)]
    release: bool,
    #[command(flatten)]
    common: Common,
}

/// How the measurements are run or packed; they are always a release build.
#[derive(Args)]
pub struct BenchOptions {
    #[command(flatten)]
    common: Common,
}

/// Builds the GPU tests, and runs or packs them.
///
/// # Errors
/// They do not build, there is no GPU to run them on, or one fails.
pub fn test(project: &Project, options: &TestOptions) -> Result<()> {
    let profile = if options.release || options.common.archive.is_some() {
        "release"
    } else {
        "dev"
    };
    let build = test_build(GPU_TEST, profile);
    run_or_pack(project, &options.common, "mytriton-gpu-test", GPU_TEST, &build)
}

/// Cargo's arguments to build one of the facade's test executables.
fn test_build<'a>(target: &'a str, profile: &'a str) -> [&'a str; 9] {
    [
        "test",
        "--no-run",
        "--package",
        FACADE,
        "--test",
        target,
        "--profile",
        profile,
        MESSAGES,
    ]
}

/// Builds one of the facade's test executables.
///
/// # Errors
/// It does not build.
pub fn build_executable(project: &Project, target: &str, profile: &str) -> Result<PathBuf> {
    let messages = process::capture(&mut project.cargo(test_build(target, profile)))?;
    find_executable(&messages, target)
}

/// Builds the measurements, and runs or packs them.
///
/// # Errors
/// They do not build, there is no GPU to run them on, or they fail.
pub fn bench(project: &Project, options: &BenchOptions) -> Result<()> {
    let kind = target_kind(&project.metadata()?, GPU_BENCH)?;
    let build = ["build", "--package", FACADE, kind, GPU_BENCH, "--release", MESSAGES];
    run_or_pack(project, &options.common, "mytriton-bench", GPU_BENCH, &build)
}

fn run_or_pack(project: &Project, options: &Common, packed: &str, target: &str, build: &[&str]) -> Result<()> {
    // Without a driver a run would fail after minutes of building: say so first.
    if options.archive.is_none() && !driver_present() {
        bail!(
            "there is no NVIDIA driver on this machine, so nothing was run.\nPass --archive FILE.tar.xz to pack the \
             executable for a machine that has one: unpack it there and run ./{packed}, with {REPORT_VARIABLE}=FILE \
             in the environment for a report"
        );
    }
    let messages = process::capture(&mut project.cargo(build.iter().copied()))?;
    let executable = find_executable(&messages, target)?;
    match &options.archive {
        Some(archive) => pack(project, &executable, packed, archive),
        None => {
            let mut command = Command::new(&executable);
            command.args(&options.arguments).current_dir(project.root());
            if let Ok(toolkit) = Toolkit::find(project) {
                command.envs(toolkit.environment());
            }
            if let Some(report) = &options.report {
                command.env(REPORT_VARIABLE, std::path::absolute(report)?);
            }
            process::run(&mut command)
        }
    }
}

/// The device files that the driver's kernel module makes: on Linux itself, and under Windows.
fn driver_present() -> bool {
    ["/dev/nvidiactl", "/dev/dxg"]
        .iter()
        .any(|path| Path::new(path).exists())
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

/// The executable of a target in Cargo's build messages, one JSON object a line.
fn find_executable(messages: &str, target: &str) -> Result<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["reason"] == "compiler-artifact" && message["target"]["name"] == target)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .with_context(|| format!("Cargo built no executable called {target}"))
}

/// Packs the executable under a plain name. `strip` takes what the release profile leaves; xz is what GPU
/// machines have to unpack with, and its fastest level loses little on machine code.
fn pack(project: &Project, executable: &Path, name: &str, archive: &Path) -> Result<()> {
    let staging = project.target_directory()?.join("xtask");
    std::fs::create_dir_all(&staging)?;
    let staged = staging.join(name);
    std::fs::copy(executable, &staged).with_context(|| format!("cannot copy {}", executable.display()))?;
    process::run(Command::new("strip").arg(&staged))?;
    let archive = std::path::absolute(archive)?;
    let mut tar = Command::new("tar");
    tar.args(["--create", "--use-compress-program", "xz -1 -T0", "--file"])
        .arg(&archive);
    process::run(tar.arg("--directory").arg(&staging).arg(name))?;
    let megabytes = |path: &Path| std::fs::metadata(path).map(|facts| facts.len() as f64 / 1e6);
    println!(
        "packed {} ({:.1} MB) as {} ({:.1} MB)",
        name,
        megabytes(&staged)?,
        archive.display(),
        megabytes(&archive)?
    );
    println!(
        "there: tar -xf {0} && {REPORT_VARIABLE}=report.txt ./{name}",
        archive.file_name().unwrap_or_default().display()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn finds_the_executable_among_build_messages() {
        let messages = [
            json!({"reason": "compiler-artifact", "target": {"name": "gpu"}, "executable": null}).to_string(),
            "not json".to_owned(),
            json!({"reason": "compiler-artifact", "target": {"name": "other"}, "executable": "a/other"}).to_string(),
            json!({"reason": "compiler-artifact", "target": {"name": "gpu"}, "executable": "a/gpu-1"}).to_string(),
        ]
        .join("\n");
        assert_eq!(find_executable(&messages, "gpu").unwrap(), Path::new("a/gpu-1"));
        assert!(
            find_executable(&messages, "bench")
                .unwrap_err()
                .to_string()
                .contains("bench")
        );
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
