//! `mytriton run`: a kernel on arrays from `.npy` files.

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use mytriton::simt::Report;
use mytriton::{Arg, Backend, Device, Grid, LaunchOptions, Program, SimtOptions};

use crate::arguments::{self, Given};
use crate::array::Argument;
use crate::compile::warps;
use crate::error::Error;
use crate::findings::Told;
use crate::source::{Input, Source};
use crate::tables::{self, Footprint};
use crate::{npy, output, summary};

/// Arguments of `mytriton run`.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Run {
    #[command(flatten)]
    source: Source,
    /// Programs along x, y and z: X[,Y[,Z]]
    #[arg(long, value_name = "GRID", value_parser = parse_grid)]
    grid: [u32; 3],
    /// An argument of the kernel, in order or with its parameter's name: a number, FILE.npy, zeros[:TYPE]:SHAPE or
    /// random[:TYPE]:SHAPE[:SEED], with a SHAPE such as 1024 or 19x37
    #[arg(long = "arg", value_name = "[NAME=]VALUE", value_parser = Given::parse, allow_hyphen_values = true)]
    arguments: Vec<Given>,
    /// Write a parameter's array to a file after the run
    #[arg(long, value_name = "NAME=FILE.npy", value_parser = parse_out)]
    out: Vec<(String, PathBuf)>,
    /// Write arrays that the run changed back to the files that they came from
    #[arg(long)]
    write_back: bool,
    /// Where to run: cpu (the interpreter), simt (the compiled kernel, thread by thread on the CPU), cuda or cuda:N
    /// [default: $MYTRITON_DEVICE, else the first GPU, else cpu]
    #[arg(long, value_name = "DEVICE", value_parser = parse_device)]
    device: Option<Place>,
    /// With --device simt: print the kernel's footprints, and how well its memory accesses fit the hardware
    #[arg(long)]
    report: bool,
    /// With --device simt: decides which of the threads that can go on does so
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// What compiles the kernel for a GPU
    #[arg(long, value_enum, default_value = "mlir")]
    backend: Compiler,
    /// Warps that run one program on a GPU, or with --device simt
    #[arg(long, default_value = "4", value_parser = warps())]
    num_warps: u32,
    /// On a GPU, round x * y + z twice, as it is written
    #[arg(long)]
    no_fp_fusion: bool,
    /// How many elements to print of each array that the run changed
    #[arg(long, value_name = "N", default_value_t = 8)]
    show: usize,
}

const EXAMPLE: &str = "Example:\n  \
    mytriton run add.ssa --grid 4 --arg x.npy --arg random:f32:1000 --arg out=zeros:f32:1000 --arg n=1000 --out out=sum.npy\n\n\
    Arrays of bf16 are of type |V2 in .npy files, as the package ml_dtypes writes them.";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Cpu,
    Simt,
    Cuda(usize),
}

/// A compiler for GPUs.
#[derive(Clone, Copy, ValueEnum)]
enum Compiler {
    /// MLIR and LLVM
    Mlir,
    /// CUDA C++ and NVRTC
    Cuda,
}

/// Reads X[,Y[,Z]].
pub fn parse_grid(text: &str) -> Result<[u32; 3], String> {
    let mut grid = [1; 3];
    let extents: Vec<&str> = text.split(',').collect();
    if extents.len() > 3 {
        return Err("at most three extents, X,Y,Z".to_owned());
    }
    for ((extent, slot), (axis, limit)) in extents
        .iter()
        .zip(&mut grid)
        .zip("xyz".chars().zip(mytriton::runtime::MAX_GRID))
    {
        if extent.is_empty() || !extent.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!("'{extent}' is no number of programs"));
        }
        let fits = extent.parse().ok().filter(|number| (1..=limit).contains(number));
        *slot = fits.ok_or_else(|| format!("{extent} programs along {axis}: 1 to {limit} are possible"))?;
    }
    Ok(grid)
}

fn parse_device(text: &str) -> Result<Place, String> {
    let number = match text {
        "cpu" => return Ok(Place::Cpu),
        "simt" => return Ok(Place::Simt),
        "cuda" => return Ok(Place::Cuda(0)),
        _ => text
            .strip_prefix("cuda:")
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit())),
    };
    let number = number.and_then(|digits| digits.parse().ok());
    number
        .map(Place::Cuda)
        .ok_or_else(|| "the devices are cpu, simt, cuda and cuda:N with the number of a GPU".to_owned())
}

fn only_on_simt(option: &str) -> Error {
    Error::usage(format!("{option} is for --device simt"))
}

fn parse_out(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok((name.to_owned(), PathBuf::from(file))),
        _ => Err("the form is NAME=FILE.npy, with the name of a parameter".to_owned()),
    }
}

impl Run {
    /// Runs the command.
    pub fn run(self) -> Result<(), Error> {
        let input = self.source.load()?;
        let (kernel, params) = input.signature()?;
        // All that the command line can get wrong comes before the device.
        let bound = arguments::bind(kernel, &params, &self.arguments)?;
        let is_array = |name: &str| {
            let pointer = |kind| matches!(kind, mytriton::abi::ParamKind::Pointer(_));
            params.iter().any(|param| param.name == name && pointer(param.kind))
        };
        if let Some((name, _)) = self.out.iter().find(|(name, _)| !is_array(name)) {
            return Err(Error::new(format!(
                "--out: kernel '{kernel}' has no pointer parameter '{name}'"
            )));
        }
        let simt = SimtOptions {
            seed: self.seed.unwrap_or(0),
            count_accesses: self.report,
            ..SimtOptions::default()
        };
        let device = match self.device {
            None => Device::default(),
            Some(Place::Cpu) => Ok(Device::cpu()),
            Some(Place::Simt) => Ok(Device::simt_with(simt)),
            Some(Place::Cuda(ordinal)) => Device::cuda(ordinal),
        };
        let device = device.map_err(|e| Error::new(e.to_string()))?;
        let device = match device.as_simt() {
            // It may have come from the environment.
            Some(_) => Device::simt_with(simt),
            None if self.report => return Err(only_on_simt("--report")),
            None if self.seed.is_some() => return Err(only_on_simt("--seed")),
            None => device,
        };
        let program = self.load(&device, &input)?;
        let mut arguments = Vec::new();
        for (param, bound) in params.iter().zip(&bound) {
            let argument = Argument::new(&device, bound);
            arguments.push(argument.map_err(|e| Error::new(format!("argument '{}': {e}", param.name)))?);
        }
        let start = Instant::now();
        let launch_arguments: Vec<Arg<'_>> = arguments.iter().map(Argument::launch_argument).collect();
        let report = match device.as_simt() {
            Some(_) => Some(program.check(Grid(self.grid), &launch_arguments)),
            None => {
                let launched = program.launch(Grid(self.grid), &launch_arguments);
                launched.and_then(|()| device.synchronize()).err().map(Err)
            }
        };
        let report = report.transpose().map_err(|e| input.error(&e))?;
        let elapsed = start.elapsed();
        tracing::info!(device = device.name(), ?elapsed, "the kernel has run");
        if let Some(report) = report {
            self.found(&input, &report)?;
            if self.report {
                let programs: u64 = self.grid.iter().map(|&n| u64::from(n)).product();
                let footprint = Footprint {
                    num_warps: self.num_warps,
                    threads: programs * u64::from(32 * self.num_warps),
                    report: &report,
                    elapsed,
                };
                let text = tables::footprints(&[footprint]) + "\n" + &tables::accesses(&report.accesses);
                output::print(text.as_bytes())?;
            }
        }
        self.finish(&params, &arguments)
    }

    /// Fails if the SIMT executor found faults: all are told, the last one as the error.
    fn found(&self, input: &Input, report: &Report) -> Result<(), Error> {
        let mut told = Told::default();
        let findings: Vec<_> = report.findings.iter().filter(|finding| told.is_new(finding)).collect();
        let Some((last, others)) = findings.split_last() else {
            return Ok(());
        };
        for finding in others {
            input.error(finding).report();
        }
        Err(input.error(last))
    }

    fn load(&self, device: &Device, input: &Input) -> Result<Program, Error> {
        let options = LaunchOptions {
            num_warps: self.num_warps,
            backend: match self.backend {
                Compiler::Mlir => Backend::Mlir,
                Compiler::Cuda => Backend::CudaCpp,
            },
            fp_fusion: !self.no_fp_fusion,
        };
        let program = match input {
            Input::Source(file) => device.load(file.kernel()?, options),
            Input::Gpu(file) => return Err(file.is_gpu_stage()),
            Input::Compiled(kernel) => device.load_compiled(kernel),
        };
        program.map_err(|e| input.error(&e))
    }

    /// Prints what changed and writes the files.
    fn finish(&self, params: &[mytriton::abi::ParamInfo], arguments: &[Argument]) -> Result<(), Error> {
        let mut text = String::new();
        let mut files = Vec::new();
        for (param, argument) in params.iter().zip(arguments) {
            let Argument::Array(array) = argument else { continue };
            let bytes = array
                .read_back()
                .map_err(|e| Error::new(format!("array '{}': {e}", param.name)))?;
            let content = &array.content;
            let changed = content.changed_elements(&bytes);
            text += &summary::line(&param.name, content, &bytes, changed, self.show);
            let named = self
                .out
                .iter()
                .filter(|(name, _)| *name == param.name)
                .map(|(_, path)| path);
            let back = content.file().filter(|_| self.write_back && changed > 0);
            for path in named.map(PathBuf::as_path).chain(back) {
                output::write_file(path, |out| npy::write(out, &content.descr, &content.shape, &bytes))?;
                files.push(path);
            }
        }
        for path in files {
            text += &format!("wrote {}\n", path.display());
        }
        output::print(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids() {
        assert_eq!(parse_grid("7"), Ok([7, 1, 1]));
        assert_eq!(
            parse_grid("2147483647,65535,65535"),
            Ok([i32::MAX as u32, 65535, 65535])
        );
        let says = |text| parse_grid(text).unwrap_err();
        insta::assert_snapshot!(says("0"), @"0 programs along x: 1 to 2147483647 are possible");
        insta::assert_snapshot!(says("1,65536"), @"65536 programs along y: 1 to 65535 are possible");
        insta::assert_snapshot!(says("99999999999999999999"), @"99999999999999999999 programs along x: 1 to 2147483647 are possible");
        insta::assert_snapshot!(says("1,2,3,4"), @"at most three extents, X,Y,Z");
        insta::assert_snapshot!(says("1,,3"), @"'' is no number of programs");
        insta::assert_snapshot!(says("-1"), @"'-1' is no number of programs");
    }

    #[test]
    fn devices() {
        assert_eq!(parse_device("cpu"), Ok(Place::Cpu));
        assert_eq!(parse_device("simt"), Ok(Place::Simt));
        assert_eq!(parse_device("cuda"), Ok(Place::Cuda(0)));
        assert_eq!(parse_device("cuda:3"), Ok(Place::Cuda(3)));
        for text in ["", "gpu", "cuda:", "cuda:-1", "cuda:99999999999999999999999"] {
            assert!(parse_device(text).is_err(), "{text}");
        }
    }
}
