//! `setup`: makes a Debian machine ready to build and test the workspace.
//!
//! Three parts, each of which does nothing where its work is done: system packages (LLVM and MLIR 22, a C++
//! compiler), Rust's formatter and linter, and a virtual environment with the parts of the CUDA toolkit that the
//! tests need. The demo needs the first part only.

mod checks;
mod packages;

use std::process::Command;

use anyhow::{Result, bail};
use clap::Args;

use crate::process;
use crate::project::Project;

/// What `setup` leaves out.
#[derive(Args)]
pub struct Options {
    /// Show what would be installed and run, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Leave out what only the tests need (ptxas, NVRTC, clippy, rustfmt)
    #[arg(long)]
    no_checks: bool,
    /// Leave out the system packages: for systems that have LLVM 22 by other means
    #[arg(long)]
    no_system: bool,
}

/// Runs a command that changes the machine, or only shows it.
struct Changes {
    dry_run: bool,
}

impl Changes {
    fn run(&self, command: &mut Command) -> Result<()> {
        if self.dry_run {
            println!("would run: {}", process::display(command));
            return Ok(());
        }
        process::run(command)
    }
}

/// Runs the parts in order.
///
/// # Errors
/// The system is not one that is known, a package is not to be had, or an installation fails.
pub fn run(project: &Project, options: &Options) -> Result<()> {
    let changes = Changes {
        dry_run: options.dry_run,
    };
    if !options.no_system {
        packages::install(&changes)?;
    }
    if !options.no_checks {
        rust_components(project, &changes)?;
        checks::install(project, &changes)?;
    }
    println!(
        "setup: {}",
        if options.dry_run {
            "nothing was changed (dry run)"
        } else {
            "ready"
        }
    );
    Ok(())
}

/// Formatter and linter come with a default Rust installation, not with a minimal one.
fn rust_components(project: &Project, changes: &Changes) -> Result<()> {
    let missing: Vec<&str> = [("fmt", "rustfmt"), ("clippy", "clippy")]
        .into_iter()
        .filter(|(subcommand, _)| !process::succeeds(&mut project.cargo([*subcommand, "--version"])))
        .map(|(_, component)| component)
        .collect();
    if missing.is_empty() {
        println!("rust: rustfmt and clippy are there");
        return Ok(());
    }
    println!("rust: the tests also need {}", missing.join(" and "));
    if !process::succeeds(Command::new("rustup").arg("--version")) {
        bail!(
            "install {} the way Rust was installed here (there is no rustup to ask)",
            missing.join(" and ")
        );
    }
    changes.run(
        Command::new("rustup")
            .args(["component", "add"])
            .args(&missing)
            .current_dir(project.root()),
    )
}
