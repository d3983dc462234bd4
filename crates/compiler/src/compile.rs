//! The whole way of one kernel.

use std::hash::Hasher;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use melior::ir::{Module, Operation};
use melior::pass::PassManager;
use mytriton_abi::{Code, CompiledKernel, params_of};
use mytriton_codegen_ptx as ptx;
use mytriton_ssa::Kernel;
use mytriton_tile_sys as sys;
use rustc_hash::FxHasher;

use crate::dump::dump;
use crate::error::CompileError;
use crate::pipeline;
use crate::pressure;
use crate::session::{Session, with_session};
use crate::shared;
use crate::stage::Stage;

/// How to compile.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CompileOptions {
    /// The GPU.
    pub target: ptx::Target,
    /// Warps that run one program: a power of two from 1 to 32.
    pub num_warps: u32,
    /// How much LLVM optimises.
    pub opt_level: ptx::OptLevel,
    /// May `x * y + z` be rounded once instead of twice?
    pub fp_fusion: bool,
    /// How many registers of 32 bits the tiles that a thread holds at once may take: a kernel with more is refused on its
    /// way to PTX. A thread has 255; ptxas puts the others into memory, in time quadratic in their number.
    pub max_thread_registers: u32,
}

impl CompileOptions {
    /// The most that a thread may hold by default: four times its registers.
    pub const MAX_THREAD_REGISTERS: u32 = 1024;

    /// The defaults for a GPU: 4 warps, everything optimised, fusion allowed.
    pub const fn new(target: ptx::Target) -> CompileOptions {
        CompileOptions {
            target,
            num_warps: 4,
            opt_level: ptx::OptLevel::O3,
            fp_fusion: true,
            max_thread_registers: CompileOptions::MAX_THREAD_REGISTERS,
        }
    }
}

/// The time that each step took.
#[derive(Clone, Copy, Default, Debug)]
pub struct StageTimes {
    /// An MLIR context: made for a thread's first kernel, and used again.
    pub context: Duration,
    /// Typed SSA to the `tile` stage.
    pub tile: Duration,
    /// To the `layout` stage.
    pub layout: Duration,
    /// To the `gpu` stage.
    pub gpu: Duration,
    /// To the `llvm` stage.
    pub llvm: Duration,
    /// To PTX, in LLVM.
    pub ptx: ptx::Timings,
}

impl StageTimes {
    /// The steps in order, each with what it is called.
    pub fn steps(&self) -> [(&'static str, Duration); 9] {
        [
            ("MLIR context", self.context),
            ("tile", self.tile),
            ("layout", self.layout),
            ("gpu", self.gpu),
            ("llvm", self.llvm),
            ("LLVM IR", self.ptx.translate),
            ("mathematics library", self.ptx.link),
            ("LLVM passes", self.ptx.optimise),
            ("instruction selection, PTX", self.ptx.emit),
        ]
    }

    /// All steps together.
    pub fn total(&self) -> Duration {
        self.steps().iter().map(|(_, time)| *time).sum()
    }
}

/// A kernel as PTX, with how long each step took.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The kernel, ready to be launched or saved.
    pub kernel: CompiledKernel,
    /// The time that each step took.
    pub times: StageTimes,
}

/// Compiles a verified kernel to PTX. The kernel is taken as it is: optimise it first
/// ([`mytriton_ssa::optimise`]).
///
/// # Errors
/// [`CompileError`] with the stage, the kernel's source line where there is one, and a reproducer where a pass failed; for a
/// kernel of which a thread holds more than [`CompileOptions::max_thread_registers`], how many and which `num_warps` would do.
pub fn compile(kernel: &Kernel, options: &CompileOptions) -> Result<Compiled, CompileError> {
    compile_from(kernel, None, options)
}

/// Compiles a kernel whose layouts are given: `text` is its module with a layout on every tile, as the layout passes leave
/// it or written by hand, without places in shared memory and barriers, which it then gets. Its name and parameters are those
/// of `kernel`, and its warps as many as the options say.
///
/// # Errors
/// As [`compile`]; what MLIR's parser and verifier say of the text.
pub fn compile_given_layouts(kernel: &Kernel, text: &str, options: &CompileOptions) -> Result<Compiled, CompileError> {
    compile_from(kernel, Some(text), options)
}

fn compile_from(kernel: &Kernel, layouts: Option<&str>, options: &CompileOptions) -> Result<Compiled, CompileError> {
    let start = Instant::now();
    with_session(|session| {
        let times = StageTimes {
            context: start.elapsed(),
            ..StageTimes::default()
        };
        compile_in(session, kernel, layouts, options, times)
    })
}

fn compile_in(
    session: &Session,
    kernel: &Kernel,
    layouts: Option<&str>,
    options: &CompileOptions,
    mut times: StageTimes,
) -> Result<Compiled, CompileError> {
    pressure::check(kernel, options)?;
    let module = match layouts {
        None => lower(session, kernel, options, Stage::Llvm, &mut times)?,
        Some(text) => lower_given_layouts(session, kernel, text, options, Stage::Llvm, &mut times)?,
    };
    let _span = tracing::debug_span!("ptx", kernel = kernel.name).entered();
    let shared_bytes = shared::make_dynamic(&module);
    let compiled = to_ptx(&module, kernel, options)?;
    dump(Stage::Ptx, &kernel.name, || compiled.text.clone());
    times.ptx = compiled.timings;
    let threads = options.num_warps * 32;
    Ok(Compiled {
        kernel: CompiledKernel {
            shared_bytes,
            ..artefact(kernel, Code::Ptx(compiled.text), options.target, threads)
        },
        times,
    })
}

/// The compiled form of a kernel with its code.
pub(crate) fn artefact(kernel: &Kernel, code: Code, target: ptx::Target, threads: u32) -> CompiledKernel {
    CompiledKernel {
        name: kernel.name.clone(),
        target: target.name().to_owned(),
        params: params_of(kernel),
        threads,
        // What is static is declared in the code itself.
        shared_bytes: 0,
        source_hash: {
            let mut hasher = FxHasher::default();
            hasher.write(code.as_bytes());
            hasher.finish()
        },
        compiler: env!("CARGO_PKG_VERSION").to_owned(),
        code,
    }
}

/// The PTX of a module in the `llvm` stage.
pub(crate) fn to_ptx(module: &Module<'_>, kernel: &Kernel, options: &CompileOptions) -> Result<ptx::Ptx, CompileError> {
    let ptx_options = ptx::Options {
        opt_level: options.opt_level,
        fp_fusion: options.fp_fusion,
        ..ptx::Options::new(options.target)
    };
    ptx::compile(module.as_operation(), &ptx_options).map_err(|error| CompileError {
        // LLVM comes after the last pass: what it was given is what there is to see.
        reproducer: write_reproducer(
            &text_with_locations(&module.as_operation()),
            "builtin.module()",
            &kernel.name,
            Stage::Ptx,
        ),
        ..CompileError::new(Stage::Ptx, &kernel.name, None, error.to_string())
    })
}

/// The module of a kernel in one of the MLIR stages.
pub(crate) fn lower<'c>(
    session: &'c Session,
    kernel: &Kernel,
    options: &CompileOptions,
    last: Stage,
    times: &mut StageTimes,
) -> Result<Module<'c>, CompileError> {
    let context = session.context();
    let fail = |message: String, place: Option<String>| CompileError::new(Stage::Tile, &kernel.name, place, message);
    if !(options.num_warps.is_power_of_two() && options.num_warps <= 32) {
        return Err(fail(
            format!(
                "num_warps is {}: a power of two from 1 to 32 is needed",
                options.num_warps
            ),
            None,
        ));
    }
    dump(Stage::Ssa, &kernel.name, || kernel.to_string());
    let start = Instant::now();
    let span = tracing::debug_span!("tile", kernel = kernel.name).entered();
    let mut module = mytriton_tile::from_ssa(context, kernel, options.num_warps)
        .map_err(|error| fail(error.message.clone(), error.place.clone()))?;
    if let Err(reports) = sys::verify(context, &module.as_operation()) {
        return Err(fail(join(&reports), place_in(&reports)));
    }
    drop(span);
    times.tile = start.elapsed();
    dump(Stage::Tile, &kernel.name, || module.as_operation().to_string());
    through(session, &mut module, kernel, options, pipeline::LAYOUT, last, times)?;
    Ok(module)
}

/// The same of a module with layouts.
pub(crate) fn lower_given_layouts<'c>(
    session: &'c Session,
    kernel: &Kernel,
    text: &str,
    options: &CompileOptions,
    last: Stage,
    times: &mut StageTimes,
) -> Result<Module<'c>, CompileError> {
    let context = session.context();
    let (module, reports) = sys::collect_diagnostics(context, || sys::parse_module(context, text, "layouts.mlir"));
    let mut module: Module<'c> =
        module.ok_or_else(|| CompileError::new(Stage::Layout, &kernel.name, place_in(&reports), join(&reports)))?;
    through(
        session,
        &mut module,
        kernel,
        options,
        pipeline::GIVEN_LAYOUTS,
        last,
        times,
    )?;
    Ok(module)
}

/// Takes a module up to the stage `last`, through the `layout` stage by this pipeline.
fn through<'c>(
    session: &'c Session,
    module: &mut Module<'c>,
    kernel: &Kernel,
    options: &CompileOptions,
    layout: &str,
    last: Stage,
    times: &mut StageTimes,
) -> Result<(), CompileError> {
    let all = [
        (Stage::Layout, layout),
        (Stage::Gpu, pipeline::GPU),
        (Stage::Llvm, pipeline::LLVM),
    ];
    for (stage, text) in all.into_iter().filter(|(stage, _)| *stage <= last) {
        let start = Instant::now();
        if stage == Stage::Layout {
            shared::set_target(module, options.target);
        }
        let _span = tracing::debug_span!("pipeline", stage = stage.name(), kernel = kernel.name).entered();
        run_pipeline(session, module, text, stage, &kernel.name)?;
        let slot = match stage {
            Stage::Layout => &mut times.layout,
            Stage::Gpu => &mut times.gpu,
            _ => &mut times.llvm,
        };
        *slot = start.elapsed();
        dump(stage, &kernel.name, || module.as_operation().to_string());
    }
    verify(session, module, last, &kernel.name)
}

/// The time that each pass takes to the `llvm` stage, run by itself: with a copy before and the verifier after, so that all
/// together take longer than the stages of [`compile`].
///
/// # Errors
/// As [`compile`].
pub fn pass_times(kernel: &Kernel, options: &CompileOptions) -> Result<Vec<(String, Duration)>, CompileError> {
    with_session(|session| {
        let mut module = lower(session, kernel, options, Stage::Tile, &mut StageTimes::default())?;
        shared::set_target(&module, options.target);
        let mut times = Vec::new();
        for stage in [Stage::Layout, Stage::Gpu, Stage::Llvm] {
            let pipeline = pipeline::leading_to(stage).map(pipeline::passes);
            for pass in pipeline.unwrap_or_default() {
                let start = Instant::now();
                run_pipeline(session, &mut module, &pass.pipeline, stage, &kernel.name)?;
                times.push((pass.name, start.elapsed()));
            }
        }
        Ok(times)
    })
}

/// Verifies what has been made. Every pass of ours has tests in which the verifiers run after it, as they do in debug
/// builds; in what users run, the end is enough: all of them took a tenth of the time.
fn verify(session: &Session, module: &Module<'_>, stage: Stage, kernel: &str) -> Result<(), CompileError> {
    if cfg!(debug_assertions) || stage == Stage::Tile {
        return Ok(());
    }
    sys::verify(session.context(), &module.as_operation()).map_err(|reports| CompileError {
        reproducer: write_reproducer(
            &text_with_locations(&module.as_operation()),
            "builtin.module()",
            kernel,
            stage,
        ),
        ..CompileError::new(stage, kernel, place_in(&reports), join(&reports))
    })
}

/// Runs a pipeline, which is or belongs to the one that leads to the stage.
pub(crate) fn run_pipeline<'c>(
    session: &'c Session,
    module: &mut Module<'c>,
    text: &str,
    stage: Stage,
    kernel: &str,
) -> Result<(), CompileError> {
    let fail = |message: String, place: Option<String>, reproducer: Option<PathBuf>| CompileError {
        reproducer,
        ..CompileError::new(stage, kernel, place, message)
    };
    // A pass that fails leaves a module that is neither the one nor the other.
    let before: Operation<'c> = (*module.as_operation()).clone();
    let run = |manager: &PassManager<'_>| sys::collect_diagnostics(session.context(), || manager.run(module));
    match session.with_pipeline(text, run) {
        Ok((Ok(()), _)) => Ok(()),
        Ok((Err(_), reports)) => {
            let reproducer = write_reproducer(&text_with_locations(&before), text, kernel, stage);
            Err(fail(join(&reports), place_in(&reports), reproducer))
        }
        Err(error) => Err(fail(
            format!("the pipeline {text} is not understood: {error}"),
            None,
            None,
        )),
    }
}

/// The text of a module with its locations, so that a reproducer fails at the same place.
fn text_with_locations(operation: &Operation<'_>) -> String {
    let flags = OperationPrintingFlags::new().enable_debug_info(true, false);
    operation
        .to_string_with_flags(flags)
        .unwrap_or_else(|_| operation.to_string())
}

fn join(reports: &[sys::Report]) -> String {
    if reports.is_empty() {
        return "a pass failed without saying why".to_owned();
    }
    reports
        .iter()
        .map(|report| report.message.clone())
        .collect::<Vec<_>>()
        .join("\n  ")
}

/// `file:line:column` of the first report.
fn place_in(reports: &[sys::Report]) -> Option<String> {
    reports.first()?.place.clone()
}

/// Writes a module with the pipeline that fails on it, in the form of MLIR's crash reproducers. Where: the directory
/// `MYTRITON_REPRODUCER_DIR`, or the system's for temporary files.
fn write_reproducer(module: &str, pipeline: &str, kernel: &str, stage: Stage) -> Option<PathBuf> {
    let directory = std::env::var_os("MYTRITON_REPRODUCER_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let text = format!(
        "{module}\n\n{{-#\n  external_resources: {{\n    mlir_reproducer: {{\n      pipeline: \"{pipeline}\",\n      \
         disable_threading: true,\n      verify_each: true\n    }}\n  }}\n#-}}\n"
    );
    std::fs::create_dir_all(&directory).ok()?;
    let mut file = tempfile::Builder::new()
        .prefix(&format!("mytriton-{kernel}-{stage}-"))
        .suffix(".mlir")
        .tempfile_in(directory)
        .ok()?;
    std::io::Write::write_all(&mut file, text.as_bytes()).ok()?;
    let (_, path) = file.keep().ok()?;
    Some(path)
}
