//! `lit`: builds the command-line tools and runs LLVM's test runner on `lit-tests/`.
//!
//! `lit-tests/lit.cfg.py` gets two parameters: `tools_dir`, where the tools just built are, and `llvm_tools_dir`,
//! where FileCheck and its like are. The CUDA toolkit's variables (see [`crate::toolkit`]) are in the environment
//! where the toolkit is found, so that tests can pass PTX to ptxas.

use std::path::Path;

use anyhow::{Result, bail};
use clap::Args;

use crate::process;
use crate::project::{CLI, Project};
use crate::toolkit::Toolkit;

const SUITE: &str = "lit-tests";

/// Which tests run, and how.
#[derive(Args, Default)]
pub struct Options {
    /// Files or directories to run, from the top directory [default: all of lit-tests/]
    paths: Vec<String>,
    /// Run only the tests whose path matches this regular expression
    #[arg(long)]
    filter: Option<String>,
    /// Further arguments to lit itself, such as -a to show each command and its output
    #[arg(last = true)]
    lit_arguments: Vec<String>,
}

/// Builds the tools and runs the suite.
///
/// # Errors
/// As [`build`] and [`run_suite`].
pub fn run(project: &Project, options: &Options) -> Result<()> {
    build(project)?;
    run_suite(project, options, &mut Vec::new())
}

/// Builds the tools that the tests run.
///
/// # Errors
/// They do not build.
pub fn build(project: &Project) -> Result<()> {
    process::run(&mut project.cargo(["build", "--package", CLI, "--bins"]))
}

/// Runs lit on tools that are built, and adds its closing lines to `closing`.
///
/// # Errors
/// lit or its suite is not there, or a test fails.
pub fn run_suite(project: &Project, options: &Options, closing: &mut Vec<String>) -> Result<()> {
    if !project.path(SUITE).join("lit.cfg.py").is_file() {
        bail!("{SUITE}/lit.cfg.py is not there");
    }
    let lit = project.llvm_tool("lit")?;
    let mut command = std::process::Command::new(lit);
    command.current_dir(project.root()).args(["--succinct", "--verbose"]);
    let parameter = |name: &str, dir: &Path| format!("-D{name}={}", dir.display());
    command.arg(parameter("tools_dir", &project.executables("debug")?));
    command.arg(parameter("llvm_tools_dir", &project.llvm_prefix().join("bin")));
    command.args(options.filter.iter().flat_map(|filter| ["--filter", filter]));
    command.args(&options.lit_arguments);
    if options.paths.is_empty() {
        command.arg(SUITE);
    }
    command.args(&options.paths);
    if let Ok(toolkit) = Toolkit::find(project) {
        command.envs(toolkit.environment());
    }
    process::run_keeping(&mut command, closing, is_closing_line)
}

/// lit ends with the number of tests found and, below it, how many came out how.
fn is_closing_line(line: &str) -> bool {
    let Some((name, count)) = line.split_once(':') else {
        return false;
    };
    let number = count
        .split_whitespace()
        .next()
        .is_some_and(|word| word.parse::<u32>().is_ok());
    number && (name == "Total Discovered Tests" || (line.starts_with("  ") && line.trim_end().ends_with("%)")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_the_closing_lines() {
        let output = "PASS: suite :: a.mlir (1 of 2)\nTesting Time: 0.12s\n\nTotal Discovered Tests: 2\n  Passed: 2 (100.00%)\n  1: note (50%)x\n";
        let picked: Vec<_> = output.lines().filter(|line| is_closing_line(line)).collect();
        assert_eq!(picked, ["Total Discovered Tests: 2", "  Passed: 2 (100.00%)"]);
    }
}
