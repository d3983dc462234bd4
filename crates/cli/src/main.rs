//! `mytriton`: compiles, runs and checks kernels from files. `mytriton help` says how.
//!
//! Exit status: 0 when all went well, 1 when the input or the machine is at fault, 2 when the command line is.

mod arguments;
mod array;
mod check;
mod compile;
mod error;
mod findings;
#[cfg(test)]
mod fuzz;
mod generate;
mod layout;
mod literal;
mod npy;
mod output;
mod picture;
mod run;
mod source;
mod summary;
mod tables;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tracing_subscriber::EnvFilter;

/// Tile kernels: compile them, run them, look for faults.
#[derive(Parser)]
#[command(name = "mytriton", version, after_help = LOG_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const LOG_HELP: &str = "Environment:\n  \
    MYTRITON_DUMP=STAGE[,STAGE]  print the kernel at these stages of its compilation (or 'all') to standard error\n  \
    MYTRITON_LOG=FILTER          what to log to standard error, such as 'debug' or 'mytriton_compiler=trace'";

#[derive(Subcommand)]
enum Command {
    /// Compile a kernel to one of the stages on the way to machine code
    Compile(compile::Compile),
    /// Run a kernel on arrays
    Run(run::Run),
    /// Look for faults of a kernel: run it on arrays in every way that needs no GPU, and compare
    Check(check::Check),
    /// Show who owns what of a tile in a layout, and what a conversion moves
    Layout(layout::Layout),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = start_log().and_then(|()| match cli.command {
        Command::Compile(command) => command.run(),
        Command::Run(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Layout(command) => command.run(),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}

/// Sends what the crates trace to standard error, if `MYTRITON_LOG` asks for it.
fn start_log() -> Result<(), error::Error> {
    let Some(filter) = std::env::var_os("MYTRITON_LOG").filter(|filter| !filter.is_empty()) else {
        return Ok(());
    };
    let text = filter.to_string_lossy();
    let filter = EnvFilter::try_new(&*text).map_err(|e| {
        error::Error::usage(format!("MYTRITON_LOG={text}: {e}")).help("such as debug, or mytriton_compiler=trace,warn")
    })?;
    let spans = tracing_subscriber::fmt::format::FmtSpan::CLOSE;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_span_events(spans)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
    Ok(())
}
