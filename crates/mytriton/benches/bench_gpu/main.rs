//! Measures vector addition, compilation and launches on a GPU, after checking the results.
//!
//! Numbers compare with others of the same run on the same machine only: `scripts/peers.py` measures the same with
//! other compilers and prints both beside one another.

mod bandwidth;
mod compiling;
mod launching;
mod output;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use mytriton::prelude::*;

use crate::output::Output;

/// The kernel measured: one block of the output for each program.
#[kernel]
pub fn vector_add(x: Ptr<f32>, y: Ptr<f32>, out: Ptr<f32>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    let sum = load(x + at).mask(mask) + load(y + at).mask(mask);
    store(out + at, sum).mask(mask);
}

const HELP: &str = "\
Measures vector addition, compilation and launches on GPU 0.

usage: bench-gpu [--log-size N] [--report FILE] [bandwidth] [compile] [launch]

  --log-size N    binary logarithm of the elements that are added (default 28)
  --report FILE   write the table there, and the figures as FILE.json; MYTRITON_REPORT does too
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let mut log_size = 28u32;
    let mut report = std::env::var_os("MYTRITON_REPORT").map(PathBuf::from);
    let mut wanted = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--help" | "-h" => {
                print!("{HELP}");
                return Ok(());
            }
            "--log-size" => log_size = arguments.next().context("--log-size needs a number")?.parse()?,
            "--report" => report = Some(arguments.next().context("--report needs a file")?.into()),
            "bandwidth" | "compile" | "launch" => wanted.push(argument),
            other => bail!("unknown argument {other}; --help lists them"),
        }
    }
    if !(10..=30).contains(&log_size) {
        bail!("--log-size {log_size}: 10 to 30 are possible");
    }
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    let device = Device::cuda(0)?;
    let cuda = device.as_cuda().context("the device is no GPU")?;
    let mut output = Output::new(cuda);
    // First, so that the first compilation of the process is one.
    if wants("compile") {
        compiling::measure(cuda, &mut output)?;
    }
    if wants("bandwidth") {
        bandwidth::measure(&device, 1 << log_size, &mut output)?;
    }
    if wants("launch") {
        launching::measure(&device, &mut output)?;
    }
    output.finish(report.as_deref())
}
