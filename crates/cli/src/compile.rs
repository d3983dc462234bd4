//! `mytriton compile`: the text of a kernel in any stage, or the compiled kernel.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};
use mytriton_compiler::{CompileOptions, OptLevel, Stage, Target};
use mytriton_ssa::{Kernel, Module};

use crate::error::Error;
use crate::output;
use crate::source::{File, Source};

/// Arguments of `mytriton compile`.
#[derive(Args)]
pub struct Compile {
    #[command(flatten)]
    source: Source,
    /// What to make: a stage's text, or the compiled kernel that programs load
    #[arg(long, value_enum, default_value = "ptx", value_name = "WHAT")]
    emit: Emit,
    #[command(flatten)]
    options: Options,
    /// Where to write it [default: standard output]
    #[arg(short, value_name = "OUT")]
    output: Option<PathBuf>,
}

/// How to compile.
#[derive(Args)]
pub struct Options {
    /// The GPU architecture
    #[arg(long, default_value = "sm_90a", value_parser = targets())]
    target: Target,
    /// Warps that run one program
    #[arg(long, default_value = "4", value_parser = warps())]
    num_warps: u32,
    /// How much LLVM optimises, 0 to 3
    #[arg(long, default_value = "3", value_parser = levels())]
    opt_level: OptLevel,
    /// Round x * y + z twice, as it is written
    #[arg(long)]
    no_fp_fusion: bool,
    /// How much to optimise the typed SSA that everything is made from
    #[arg(short = 'O', value_enum, default_value = "full", value_name = "LEVEL")]
    optimise: Optimise,
}

/// What to make of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// Typed SSA
    Ssa,
    /// The tile dialect
    Tile,
    /// The tile dialect, every tile with a layout
    Layout,
    /// One thread's program
    Gpu,
    /// The llvm and nvvm dialects
    Llvm,
    /// PTX
    Ptx,
    /// CUDA C++
    Cuda,
    /// The compiled kernel with what is needed to launch it, a binary file
    Artefact,
}

/// How much to optimise typed SSA.
#[derive(Clone, Copy, ValueEnum)]
enum Optimise {
    /// As it was written
    None,
    /// Each operation by itself
    Basic,
    /// Everything
    Full,
}

fn targets() -> impl TypedValueParser<Value = Target> {
    PossibleValuesParser::new(Target::ALL.map(Target::name)).try_map(|name| name.parse::<Target>())
}

/// Numbers of warps that a block can have.
pub fn warps() -> impl TypedValueParser<Value = u32> {
    PossibleValuesParser::new(["1", "2", "4", "8", "16", "32"]).try_map(|number| number.parse::<u32>())
}

fn levels() -> impl TypedValueParser<Value = OptLevel> {
    PossibleValuesParser::new(["0", "1", "2", "3"]).map(|level| match &*level {
        "0" => OptLevel::O0,
        "1" => OptLevel::O1,
        "2" => OptLevel::O2,
        _ => OptLevel::O3,
    })
}

impl Options {
    /// The compiler's options.
    pub fn compiler(&self) -> CompileOptions {
        CompileOptions {
            num_warps: self.num_warps,
            opt_level: self.opt_level,
            fp_fusion: !self.no_fp_fusion,
            ..CompileOptions::new(self.target)
        }
    }

    /// Optimises a kernel as far as was asked for.
    pub fn optimise(&self, kernel: &mut Kernel) {
        mytriton_ssa::optimise(
            kernel,
            match self.optimise {
                Optimise::None => mytriton_ssa::OptLevel::None,
                Optimise::Basic => mytriton_ssa::OptLevel::Basic,
                Optimise::Full => mytriton_ssa::OptLevel::Full,
            },
        );
    }
}

impl Emit {
    /// The stage; none of what is no text.
    fn stage(self) -> Option<Stage> {
        Some(match self {
            Emit::Ssa => Stage::Ssa,
            Emit::Tile => Stage::Tile,
            Emit::Layout => Stage::Layout,
            Emit::Gpu => Stage::Gpu,
            Emit::Llvm => Stage::Llvm,
            Emit::Ptx => Stage::Ptx,
            Emit::Cuda => Stage::Cuda,
            Emit::Artefact => return None,
        })
    }
}

impl Compile {
    /// Runs the command.
    pub fn run(self) -> Result<(), Error> {
        let mut file = self.source.read()?;
        for kernel in &mut file.kernels {
            self.options.optimise(kernel);
        }
        let made = self.make(&mut file)?;
        match &self.output {
            Some(path) => output::write_file(path, |out| out.write_all(&made)),
            None => output::print(&made),
        }
    }

    fn make(&self, file: &mut File) -> Result<Vec<u8>, Error> {
        if self.emit == Emit::Ssa {
            let module = Module {
                kernels: std::mem::take(&mut file.kernels),
            };
            return Ok(module.to_string().into_bytes());
        }
        let options = self.options.compiler();
        let kernel = file.kernel()?;
        match self.emit.stage() {
            Some(stage) => {
                let mut text = mytriton_compiler::emit(kernel, stage, &options).map_err(|e| file.error(&e))?;
                if !text.ends_with('\n') {
                    text.push('\n');
                }
                Ok(text.into_bytes())
            }
            None => {
                let compiled = mytriton_compiler::compile(kernel, &options).map_err(|e| file.error(&e))?;
                compiled.kernel.to_bytes().map_err(|e| file.error(&e))
            }
        }
    }
}
