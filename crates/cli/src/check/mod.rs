//! `mytriton check`: everything that can be found out about a kernel without a GPU.

mod compare;
mod outcome;
mod runs;

use clap::Args;
use mytriton::abi::{DType, ParamInfo, ParamKind};
use mytriton::simt::{Finding, FindingKind, Options, Program};
use mytriton_compiler::{CompileOptions, GpuKernel, GpuParam, Target};
use mytriton_ssa::{Kernel, OptLevel, Scalar, optimise};
use rayon::prelude::*;

use crate::arguments::{self, Bound, Given};
use crate::array::Data;
use crate::compile::warps;
use crate::error::Error;
use crate::findings::Told;
use crate::run::parse_grid;
use crate::source::{File, Input, Named, Source};
use compare::Tolerance;
use outcome::{Checked, Outcome};
use runs::{Inputs, Ran, execute, interpret};

/// Arguments of `mytriton check`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Check {
    #[command(flatten)]
    source: Source,
    /// Programs along x, y and z: X[,Y[,Z]]
    #[arg(long, value_name = "GRID", value_parser = parse_grid)]
    grid: Option<[u32; 3]>,
    /// An argument of the kernel, in order or with its parameter's name: a number, FILE.npy, zeros[:TYPE]:SHAPE or
    /// random[:TYPE]:SHAPE[:SEED]. Those of a kernel in the gpu stage are called arg0, arg1, ...
    #[arg(long = "arg", value_name = "[NAME=]VALUE", value_parser = Given::parse, allow_hyphen_values = true)]
    arguments: Vec<Given>,
    /// Numbers of warps to compile the kernel for
    #[arg(long, value_delimiter = ',', default_value = "1,4,8", value_parser = warps())]
    num_warps: Vec<u32>,
    /// Under how many seeds to run the compiled kernel: each lets the threads take turns in another order
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    seeds: u64,
    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How far a float may be from the interpreter's, as a part of 1 + its magnitude [default: f64 1e-12, f32 1e-5, f16 4e-3,
    /// bf16 3e-2]
    #[arg(long, value_name = "T", value_parser = parse_tolerance)]
    tolerance: Option<f64>,
    /// After how many loop iterations of a program, or instructions of a warp, it is said to run for ever
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    max_steps: u64,
    /// Threads of a block along x, y and z, for a kernel in the gpu stage that does not state it (known_block_size)
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_block)]
    block: Option<[u32; 3]>,
    /// Dynamic shared memory, for a kernel in the gpu stage
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    shared_bytes: u32,
}

const HELP: &str = "\
Checks, in order:
  verifier        the kernel is well-formed
  interpreter     no access out of bounds, no use of undefined values, no race between programs
  SIMT executor   what goes on to PTX, thread by thread: no data race in shared or global memory, no access out of bounds or
                  misaligned, no read of uninitialised shared memory, no barrier in divergent code, no deadlock
  results         the arrays are the interpreter's: integers equal, floats within the tolerance
and then prints footprints, and how well memory accesses fit the hardware.

A kernel in the gpu stage (gpu.module, written by hand or by mytriton compile --emit gpu) runs on the SIMT executor alone,
and its results are compared between seeds.

Exit status: 0 if nothing is wrong, else 1.

Examples:
  mytriton check add.ssa --grid 4 --arg random:1000 --arg random:1000 --arg out=zeros:1000 --arg n=1000
  mytriton check transpose.mlir --grid 2,2 --block 32,8 --arg random:f32:64x64 --arg zeros:f32:64x64";

fn parse_tolerance(text: &str) -> Result<f64, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "a number of at least 0 is needed".to_owned())
}

fn parse_block(text: &str) -> Result<[u32; 3], String> {
    let mut block = [1; 3];
    let extents: Vec<&str> = text.split(',').collect();
    if extents.len() > 3 {
        return Err("at most three extents, X,Y,Z".to_owned());
    }
    for (extent, slot) in extents.iter().zip(&mut block) {
        let number = extent.parse().ok().filter(|number| (1..=1024).contains(number));
        *slot = number.ok_or_else(|| format!("'{extent}' is no number of threads from 1 to 1024"))?;
    }
    match block.iter().product() {
        0..=1024 => Ok(block),
        threads => Err(format!("{threads} threads: a block has at most 1024")),
    }
}

/// A program to be executed.
struct Compiled<'a> {
    /// What tells it from others, such as `num_warps 4`.
    label: String,
    /// The options of this command that choose it.
    options: String,
    program: &'a Program,
    block: [u32; 3],
}

impl Compiled<'_> {
    fn with(&self, runs: Vec<(u64, Ran)>) -> Checked {
        let threads = self.block.iter().product::<u32>();
        Checked {
            num_warps: threads.div_ceil(32),
            threads,
            runs,
        }
    }
}

impl Check {
    /// Runs the command.
    pub fn run(self) -> Result<(), Error> {
        match self.source.load()? {
            Input::Source(file) => self.source_file(&file),
            Input::Gpu(file) => self.gpu_file(&file),
            Input::Compiled(kernel) => Err(Error::new(format!(
                "{} is compiled already: only the source of kernel '{}' can be checked",
                self.source.name(),
                kernel.name
            ))),
        }
    }

    /// A kernel in typed SSA or in the `tile` stage, which reading has verified.
    fn source_file(&self, file: &File) -> Result<(), Error> {
        if self.block.is_some() || self.shared_bytes > 0 {
            return Err(Error::usage(
                "--block and --shared-bytes are for kernels in the gpu stage; here the compiler decides",
            )
            .help("choose numbers of warps with --num-warps"));
        }
        let kernel = file.kernel()?;
        let params = mytriton::abi::params_of(kernel);
        let inputs = self.inputs(&kernel.name, &params, &[])?;
        let mut outcome = Outcome::default();
        outcome.add(true, "verifier");
        let programs: u64 = inputs.grid.iter().map(|&n| u64::from(n)).product();
        let programs = count(programs, "program");
        let expected = match interpret(&inputs, kernel, self.max_steps)? {
            Ok(arrays) => {
                outcome.add(true, format!("interpreter: {programs}, no race between them"));
                Some(arrays)
            }
            Err(error) => {
                file.error(&error).report();
                outcome.add(false, format!("interpreter: {programs}"));
                None
            }
        };
        let mut programs = Vec::new();
        for &num_warps in &self.num_warps {
            programs.push((num_warps, self.compile(file, kernel, num_warps)?));
        }
        let mut checked = Vec::new();
        for (num_warps, program) in &programs {
            let compiled = Compiled {
                label: format!("num_warps {num_warps}"),
                options: format!("--num-warps {num_warps} "),
                program,
                block: program.block.unwrap_or([32 * num_warps, 1, 1]),
            };
            let runs = self.execute(file, &inputs, &compiled, &mut outcome)?;
            match &expected {
                Some(arrays) => outcome.results(
                    &compiled.label,
                    &inputs,
                    ("the interpreter's", arrays),
                    &runs,
                    self.tolerance(),
                ),
                None => outcome.skip(format!("results, {}: the interpreter has none", compiled.label)),
            }
            checked.push(compiled.with(runs));
        }
        outcome.finish(&inputs, &checked)
    }

    fn compile(&self, file: &File, kernel: &Kernel, num_warps: u32) -> Result<Program, Error> {
        let mut kernel = kernel.clone();
        optimise(&mut kernel, OptLevel::Full);
        let options = CompileOptions {
            num_warps,
            ..CompileOptions::new(Target::Sm90a)
        };
        mytriton_compiler::simt(&kernel, &options).map_err(|e| file.error(&e))
    }

    /// A kernel in the `gpu` stage.
    fn gpu_file(&self, file: &File<GpuKernel>) -> Result<(), Error> {
        let kernel = file.kernel()?;
        let program = &kernel.program;
        let kinds = kernel.params.iter().map(|param| match *param {
            GpuParam::Scalar(scalar) => (ParamKind::Scalar(scalar.into()), scalar == Scalar::I64),
            GpuParam::Pointer(Some(scalar)) => (ParamKind::Pointer(scalar.into()), false),
            GpuParam::Pointer(None) => (ParamKind::Scalar(DType::I64), true),
        });
        let (params, open): (Vec<ParamInfo>, Vec<bool>) = kinds
            .enumerate()
            .map(|(index, (kind, open))| {
                let name = format!("arg{index}");
                (
                    ParamInfo {
                        name,
                        kind,
                        divisibility: 1,
                    },
                    open,
                )
            })
            .unzip();
        let inputs = self.inputs(&program.name, &params, &open)?;
        let block = match (self.block, program.block) {
            (Some(block), _) | (None, Some(block)) => block,
            (None, None) => {
                return Err(Error::usage(format!(
                    "kernel '{}' does not say how many threads a block has: --block is missing",
                    program.name
                ))
                .help("such as --block 128, or known_block_size = array<i32: 128, 1, 1> at the gpu.func"));
            }
        };
        let mut outcome = Outcome::default();
        outcome.add(true, "verifier");
        let threads = block.iter().product::<u32>();
        let compiled = Compiled {
            label: format!("blocks of {}", count(threads.into(), "thread")),
            options: String::new(),
            program,
            block,
        };
        let runs = self.execute(file, &inputs, &compiled, &mut outcome)?;
        if let Some(((_, first), others)) = runs.split_first()
            && !others.is_empty()
        {
            let whose = format!("those of seed {}", self.seed);
            outcome.results(
                &compiled.label,
                &inputs,
                (&whose, &first.arrays),
                others,
                self.tolerance(),
            );
        }
        outcome.finish(&inputs, &[compiled.with(runs)])
    }

    fn tolerance(&self) -> Tolerance {
        Tolerance::new(self.tolerance)
    }

    /// The kernel's arguments, or what is missing.
    fn inputs(&self, kernel: &str, params: &[ParamInfo], open: &[bool]) -> Result<Inputs, Error> {
        let Some(grid) = self.grid else {
            let missing = if self.arguments.is_empty() && !params.is_empty() {
                "--grid and --arg are missing: a kernel is checked on data"
            } else {
                "--grid is missing: how many programs to run"
            };
            return Err(Error::usage(missing).help(self.example(kernel, params, open)));
        };
        if self.arguments.is_empty() && !params.is_empty() {
            return Err(
                Error::usage("--arg is missing: a kernel is checked on data").help(self.example(kernel, params, open))
            );
        }
        let bound = arguments::bind_open(kernel, params, open, &self.arguments)?;
        let data = |(param, bound): (&ParamInfo, &Bound<'_>)| match Data::new(bound) {
            Ok(data) => Ok((param.name.clone(), data)),
            Err(reason) => Err(Error::new(format!("argument '{}': {reason}", param.name))),
        };
        let data = params.iter().zip(&bound).map(data).collect::<Result<_, _>>()?;
        Ok(Inputs { data, grid })
    }

    /// A command line that would do, with the kernel's parameters.
    fn example(&self, kernel: &str, params: &[ParamInfo], open: &[bool]) -> String {
        let mut text = format!(
            "{}; such as\nmytriton check {} --grid 1",
            arguments::signature(kernel, params),
            self.source.name()
        );
        for (index, param) in params.iter().enumerate() {
            let value = match param.kind {
                _ if open.get(index) == Some(&true) => "random:f32:1000".to_owned(),
                ParamKind::Pointer(dtype) => format!("random:{dtype}:1000"),
                ParamKind::Scalar(DType::I1) => "true".to_owned(),
                ParamKind::Scalar(_) => "1000".to_owned(),
            };
            text += &format!(" --arg {}={value}", param.name);
        }
        text
    }

    /// Runs a program under every seed, and tells what is found; each run with its seed.
    fn execute(
        &self,
        file: &File<impl Named>,
        inputs: &Inputs,
        compiled: &Compiled<'_>,
        outcome: &mut Outcome,
    ) -> Result<Vec<(u64, Ran)>, Error> {
        let others: Vec<u64> = (1..self.seeds).map(|i| self.seed.wrapping_add(i)).collect();
        let run = |&seed: &u64| {
            let options = Options {
                seed,
                // A seed then always gives the same run.
                workers: 1,
                max_steps: self.max_steps,
                count_accesses: seed == self.seed,
                ..Options::default()
            };
            let ran = execute(inputs, compiled.program, compiled.block, self.shared_bytes, &options)?;
            Ok((seed, ran))
        };
        let mut runs = vec![run(&self.seed)?];
        let endless = |finding: &Finding| matches!(finding.kind, FindingKind::Endless { .. });
        if !runs[0].1.report.findings.iter().any(endless) {
            runs.par_extend(others.par_iter().map(run).collect::<Result<Vec<_>, Error>>()?);
        }
        let mut told = Told::default();
        for (seed, ran) in &runs {
            for finding in &ran.report.findings {
                if !told.is_new(finding) {
                    continue;
                }
                let again = format!(
                    "found with {}; again with {}--seed {seed} --seeds 1",
                    compiled.label, compiled.options
                );
                file.error(finding).help(again).report();
            }
        }
        let faulty = runs.iter().filter(|(_, ran)| !ran.report.findings.is_empty()).count();
        let line = match told.count() {
            0 => format!(
                "{}, no fault under {}",
                compiled.label,
                count(runs.len() as u64, "seed")
            ),
            n => format!(
                "{}, {} under {faulty} of {}",
                compiled.label,
                count(n as u64, "fault"),
                count(runs.len() as u64, "seed")
            ),
        };
        outcome.add(told.count() == 0, format!("SIMT executor: {line}"));
        Ok(runs)
    }
}

fn count(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks() {
        assert_eq!(parse_block("32,8"), Ok([32, 8, 1]));
        let says = |text| parse_block(text).unwrap_err();
        insta::assert_snapshot!(says("0"), @"'0' is no number of threads from 1 to 1024");
        insta::assert_snapshot!(says("1024,2"), @"2048 threads: a block has at most 1024");
        insta::assert_snapshot!(says("1,1,1,1"), @"at most three extents, X,Y,Z");
    }

    #[test]
    fn tolerances() {
        assert_eq!(parse_tolerance("1e-3"), Ok(1e-3));
        for text in ["-1", "inf", "nan", "x"] {
            assert!(parse_tolerance(text).is_err(), "{text}");
        }
    }
}
