//! `gpu-test`, and what it shares with `bench`: building an executable that needs a GPU, and packing it for a machine
//! that has one. The executable carries everything: only NVIDIA's driver is needed there.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use crate::process;
use crate::project::{FACADE, GPU_TEST, Project};
use crate::toolkit::Toolkit;

/// The file that the executable writes its report to.
const REPORT_VARIABLE: &str = "MYTRITON_REPORT";
/// The commit that an executable names in its reports.
const COMMIT_VARIABLE: &str = "MYTRITON_COMMIT";

/// Where kernels go that fuzzing finds to be run wrongly.
pub const FINDINGS: &str = "target/fuzz";

/// Cargo's messages as JSON on the standard output, except errors and warnings, which a person is to read.
pub const MESSAGES: &str = "--message-format=json-render-diagnostics";

/// How the GPU tests are run or packed.
#[derive(Args)]
pub struct TestOptions {
    /// Run the release build
    #[arg(long)]
    release: bool,
    /// Build for release and pack the executable into this .tar.xz instead of running it
    #[arg(long, value_name = "FILE.tar.xz")]
    archive: Option<PathBuf>,
    /// Where the report goes
    #[arg(long, value_name = "FILE", conflicts_with = "archive")]
    report: Option<PathBuf>,
    /// Run random kernels on the GPU instead: so many (1000), or for some time (90s, 10m, 2h)
    #[arg(long, value_name = "LIMIT", conflicts_with_all = ["archive", "report"])]
    fuzz: Option<String>,
    /// The seed of all random data and kernels
    #[arg(long, value_name = "N", conflicts_with = "archive")]
    seed: Option<u64>,
    /// Further arguments to the executable
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// What the GPU tests are called where they are packed.
const PACKED: &str = "mytriton-gpu-test";

/// Builds the GPU tests, and runs or packs them.
///
/// # Errors
/// They do not build, there is no GPU to run them on, or one fails.
pub fn test(project: &Project, options: &TestOptions) -> Result<()> {
    let profile = if options.release || options.archive.is_some() {
        "release"
    } else {
        "dev"
    };
    let there = format!("{REPORT_VARIABLE}=report.txt ./{PACKED}");
    if options.archive.is_none() {
        require_driver(&there)?;
    }
    let executable = build_executable(project, GPU_TEST, profile)?;
    if let Some(archive) = &options.archive {
        return pack(project, &executable, PACKED, &[], archive, &there);
    }
    let mut command = start(project, &executable);
    if let Some(report) = &options.report {
        command.env(REPORT_VARIABLE, std::path::absolute(report)?);
    }
    if let Some(limit) = &options.fuzz {
        command.arg("--fuzz").arg(limit);
        command.arg("--findings").arg(project.root().join(FINDINGS));
    }
    if let Some(seed) = options.seed {
        command.arg("--seed").arg(seed.to_string());
    }
    process::run(command.args(&options.arguments))
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
    build(project, target, &test_build(target, profile))
}

/// Builds an executable by these arguments to Cargo, among them [`MESSAGES`].
///
/// # Errors
/// It does not build.
pub fn build(project: &Project, target: &str, arguments: &[&str]) -> Result<PathBuf> {
    let mut cargo = project.cargo(arguments.iter().copied());
    if let Some(commit) = commit(project) {
        cargo.env(COMMIT_VARIABLE, commit);
    }
    find_executable(&process::capture(&mut cargo)?, target)
}

/// The commit in short, with a word where files differ from it; nothing outside a repository.
fn commit(project: &Project) -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(project.root())
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success().then_some(text)
    };
    let commit = git(&["rev-parse", "--short", "HEAD"])?;
    let changed = !git(&["status", "--porcelain"])?.is_empty();
    Some(if changed {
        format!("{commit} and changes")
    } else {
        commit
    })
}

/// The executable in the top directory, with the toolkit's variables where it is set up.
pub fn start(project: &Project, executable: &Path) -> Command {
    let mut command = Command::new(executable);
    command.current_dir(project.root());
    if let Ok(toolkit) = Toolkit::find(project) {
        command.envs(toolkit.environment());
    }
    command
}

/// Without a driver a run would fail after minutes of building: this says so first.
///
/// # Errors
/// There is none.
pub fn require_driver(there: &str) -> Result<()> {
    if driver_present() {
        return Ok(());
    }
    bail!(
        "there is no NVIDIA driver on this machine, so nothing was run.\nPass --archive FILE.tar.xz to pack the \
         executable for a machine that has one: unpack it there and run {there}"
    )
}

/// The device files that the driver's kernel module makes: on Linux itself, and under Windows.
fn driver_present() -> bool {
    ["/dev/nvidiactl", "/dev/dxg"]
        .iter()
        .any(|path| Path::new(path).exists())
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

/// Packs the executable under a plain name, with files of the project beside it, and says how to run it. `strip` takes
/// what the release profile leaves; xz is what GPU machines have to unpack with, and its fastest level loses little on
/// machine code.
///
/// # Errors
/// A file cannot be read or written, or a program is missing.
pub fn pack(
    project: &Project,
    executable: &Path,
    name: &str,
    files: &[&str],
    archive: &Path,
    there: &str,
) -> Result<()> {
    let staging = project.target_directory()?.join("xtask");
    std::fs::create_dir_all(&staging)?;
    let staged = staging.join(name);
    std::fs::copy(executable, &staged).with_context(|| format!("cannot copy {}", executable.display()))?;
    process::run(Command::new("strip").arg(&staged))?;
    let archive = std::path::absolute(archive)?;
    let mut tar = Command::new("tar");
    tar.args(["--create", "--use-compress-program", "xz -1 -T0", "--file"])
        .arg(&archive);
    tar.arg("--directory").arg(&staging).arg(name);
    // A directory that no file follows is an error to tar.
    if !files.is_empty() {
        tar.arg("--directory").arg(project.root()).args(files);
    }
    process::run(&mut tar)?;
    let megabytes = |path: &Path| std::fs::metadata(path).map(|facts| facts.len() as f64 / 1e6);
    println!(
        "packed {} ({:.1} MB) as {} ({:.1} MB)",
        name,
        megabytes(&staged)?,
        archive.display(),
        megabytes(&archive)?
    );
    println!(
        "there: tar -xf {} && {there}",
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
}
