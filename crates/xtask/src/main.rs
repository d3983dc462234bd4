//! Development tasks of the workspace, run as `cargo xtask <task>`.
//!
//! `setup` prepares a machine, `demo` shows the project at work and `test` runs every check there is; the
//! other tasks are the pieces. Nothing here needs LLVM or Python to build, so `setup` works on a machine that
//! has only Rust and a C linker.

mod bench;
mod docs;
mod fuzz;
mod gpu;
mod lit;
mod process;
mod project;
mod setup;
mod stages;
mod tidy;
mod toolkit;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::project::Project;

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    about = "Development tasks of the workspace"
)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install what building and testing need; does nothing where it is there already
    Setup(setup::Options),
    /// Compile and run the quick-start example
    Demo,
    /// Run every check: tidy, formatting, lints, tests, documentation, lit
    Test(stages::Options),
    /// Build the command-line tools and run the IR tests under lit-tests/
    Lit(lit::Options),
    /// Run random kernels by every way that needs no GPU, or feed random bytes to a parser
    Fuzz(fuzz::Options),
    /// Build the tests that need a GPU, and run them or pack them for a GPU machine
    GpuTest(gpu::TestOptions),
    /// Build the measurements, and run them and the peers' in turn, or pack them for a GPU machine
    Bench(bench::BenchOptions),
    /// Write the reference pages under docs/generated/ anew from the dialect's definition
    Docs {
        /// Change nothing; fail where a page is not what would be written
        #[arg(long)]
        check: bool,
    },
    /// Check the dependency rules between the crates, and the hygiene of all files
    Tidy,
    /// Print the variables that `test` sets for the tests, for a shell: eval "$(cargo xtask env)"
    Env,
}

fn main() -> ExitCode {
    match dispatch(Cli::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nxtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(task: Task) -> Result<()> {
    let project = Project::locate()?;
    match task {
        Task::Setup(options) => setup::run(&project, &options),
        Task::Demo => project.run_demo(),
        Task::Test(options) => stages::run(&project, &options),
        Task::Lit(options) => lit::run(&project, &options),
        Task::Fuzz(options) => fuzz::run(&project, &options),
        Task::GpuTest(options) => gpu::test(&project, &options),
        Task::Bench(options) => bench::run(&project, &options),
        Task::Docs { check } => docs::run(&project, check),
        Task::Tidy => tidy::run(&project).map(drop),
        Task::Env => toolkit::print_environment(&project),
    }
}
