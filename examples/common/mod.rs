//! What the examples share: their command line, random data, and the comparison with a reference.
#![allow(dead_code, unused_imports)]

mod compare;
mod float;
mod random;

use std::process::ExitCode;

use clap::Parser;
use mytriton::prelude::*;

pub use anyhow::{Context, Result, bail, ensure};
pub use compare::{Agreement, compare, report};
pub use float::{Float, summed};
pub use random::Random;

/// An example: computes for a size (what it means, the example says) from random data of a seed on a device, compares
/// with the host, and says in a line what came out.
pub type Run = fn(&Device, usize, u64) -> Result<String>;

/// The unit roundoff of `f32`: the largest relative error of one rounding.
pub const F32_UNIT: f64 = 1.0 / (1 << 24) as f64;

#[derive(Parser)]
struct Options {
    /// What to run on: cpu, simt, cuda or cuda:N. Without it MYTRITON_DEVICE decides, then GPU 0 where there is one
    #[arg(long)]
    device: Option<String>,
    /// How much to compute
    #[arg(long)]
    size: Option<usize>,
    /// What the data are drawn from; each run has its own where it is not given
    #[arg(long)]
    seed: Option<u64>,
}

/// The `main` of an example. `about` is what it computes, `default_size` the size where the command line has none.
pub fn main(about: &'static str, default_size: impl Fn(&Device) -> usize, run: Run) -> ExitCode {
    use clap::{CommandFactory, FromArgMatches};
    let matches = Options::command().about(about).get_matches();
    let options = Options::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    exit((|| {
        let device = open(options.device.as_deref())?;
        let seed = options.seed.unwrap_or_else(rand::random);
        let size = options.size.unwrap_or_else(|| default_size(&device));
        println!("device: {}\nseed: {seed}", device.name());
        println!("{}", run(&device, size, seed)?);
        Ok(())
    })())
}

/// Ends with failure, and the reason, if there is one.
pub fn exit(result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The device of that name; without one the default device.
pub fn open(name: Option<&str>) -> Result<Device> {
    let Some(name) = name else {
        return Ok(Device::default()?);
    };
    match name.split_once(':') {
        None if name == "cpu" => Ok(Device::cpu()),
        #[cfg(feature = "jit")]
        None if name == "simt" => Ok(Device::simt()),
        None if name == "cuda" => Ok(Device::cuda(0)?),
        Some(("cuda", ordinal)) => {
            let ordinal = ordinal.parse();
            Ok(Device::cuda(ordinal.with_context(|| {
                format!("--device {name}: what follows `cuda:` is the number of a GPU")
            })?)?)
        }
        _ => bail!("--device {name}: it is cpu, simt, cuda or cuda:N"),
    }
}

/// A number of elements as kernels take it. Those of the examples count with `i32`, also past the end of the last block.
pub fn count(n: usize) -> Result<i32> {
    const MOST: usize = 1 << 30;
    ensure!(n <= MOST, "{n} elements: this example takes at most {MOST}");
    Ok(n as i32)
}
