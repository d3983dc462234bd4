//! The whole way from the llvm dialect to PTX, and the LLVM steps on it.

use std::time::{Duration, Instant};

use inkwell::context::{AsContextRef, Context};
use inkwell::llvm_sys::core::LLVMContextSetDiscardValueNames;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::FileType;
use melior::ir::operation::OperationRef;

use crate::diagnostics::LlvmDiagnostics;
use crate::error::Error;
use crate::target::{OptLevel, Target};
use crate::translate::{device_module, translate};
use crate::{booleans, fusion, guard, legality, machine, math, narrow, passes, scalars, uniform};

/// LLVM's number for the calling convention of kernels, `ptx_kernel`.
pub(crate) const PTX_KERNEL: u32 = 71;

/// How to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// The GPU.
    pub target: Target,
    /// How much to optimise.
    pub opt_level: OptLevel,
    /// Whether `x * y + z` may round once.
    pub fp_fusion: bool,
    /// Whether to keep the text of the optimised LLVM module, for dumps.
    pub keep_llvm_ir: bool,
}

impl Options {
    /// Full optimisation with fusion, nothing kept.
    pub const fn new(target: Target) -> Self {
        Self {
            target,
            opt_level: OptLevel::O3,
            fp_fusion: true,
            keep_llvm_ir: false,
        }
    }
}

/// Compiled device code.
#[derive(Clone, Debug)]
pub struct Ptx {
    /// The PTX text.
    pub text: String,
    /// The target it is for.
    pub target: Target,
    /// The names of its kernels (`.entry` functions), in the module's order.
    pub kernels: Vec<String>,
    /// The optimised LLVM module as text, if [`Options::keep_llvm_ir`] asked for it.
    pub llvm_ir: Option<String>,
    /// How long each step took.
    pub timings: Timings,
}

/// The time that each step took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// MLIR to LLVM, with the legality check.
    pub translate: Duration,
    /// The fusion option and the mathematics library.
    pub link: Duration,
    /// The pass pipeline.
    pub optimise: Duration,
    /// Instruction selection to PTX.
    pub emit: Duration,
}

impl Timings {
    /// All steps together.
    pub fn total(&self) -> Duration {
        self.translate + self.link + self.optimise + self.emit
    }
}

/// Compiles the functions of `operation`: a `gpu.module`, or a `builtin.module` with one inside, or one that holds
/// `llvm.func`s itself. The module is not changed.
///
/// # Errors
/// Every [`Error`] but [`Error::UnknownTarget`].
pub fn compile(operation: OperationRef<'_, '_>, options: &Options) -> Result<Ptx, Error> {
    guard::run(|| compile_here(operation, options))?
}

/// [`compile`] without the guard.
fn compile_here(operation: OperationRef<'_, '_>, options: &Options) -> Result<Ptx, Error> {
    let mut timings = Timings::default();
    let mut clock = Clock::start();

    legality::check_operations(device_module(operation)?, options.target)?;
    let context = Context::create();
    if !options.keep_llvm_ir {
        discard_names(&context);
    }
    let module = translate(operation, &context)?;
    timings.translate = clock.lap();

    fusion::set_fusion(&module, options.fp_fusion)?;
    math::link(&module)?;
    timings.link = clock.lap();

    optimise(&module, options.target, options.opt_level)?;
    narrow::take_apart(&module)?;
    booleans::lower(&module)?;
    timings.optimise = clock.lap();

    let kernels = kernels(&module);
    let llvm_ir = options.keep_llvm_ir.then(|| module.to_string());
    clock.lap();
    let text = emit_ptx(&module, options.target, options.opt_level)?;
    timings.emit = clock.lap();
    Ok(Ptx {
        text,
        target: options.target,
        kernels,
        llvm_ir,
        timings,
    })
}

/// Takes vectors apart, at every level, and runs the passes of this one with the target's cost model.
///
/// Runs on the calling thread: a fatal error of LLVM ends the process (see [`guard`]).
///
/// # Errors
/// [`Error::Codegen`] with what LLVM reports.
pub fn optimise(module: &Module<'_>, target: Target, level: OptLevel) -> Result<(), Error> {
    let machine = machine::machine(target, level)?;
    let diagnostics = LlvmDiagnostics::install(module.get_context().as_ctx_ref());
    // Whether there is arithmetic on pairs is seen on vectors alone.
    let pipeline = passes::pipeline(module, level);
    scalars::take_apart(module, |_| true)?;
    let outcome = module.run_passes(&pipeline, &machine, PassBuilderOptions::create());
    if let Some(messages) = diagnostics.take_errors() {
        return Err(Error::Codegen(messages));
    }
    outcome.map_err(|message| Error::Codegen(message.to_string()))
}

/// The module's PTX text. Nothing in the module is optimised here but what instruction selection does itself.
///
/// Runs on the calling thread: a fatal error of LLVM ends the process (see [`guard`]).
///
/// # Errors
/// [`Error::UnsupportedIntrinsic`], [`Error::NeedsNewerTarget`] or [`Error::UndefinedSymbol`] for what the module
/// calls; [`Error::InvalidModule`]; [`Error::Codegen`] with what LLVM reports; [`Error::Narrow`] where arithmetic on
/// vectors of narrow integers was not taken apart; [`Error::Uniform`] where an instruction could not be replaced.
pub fn emit_ptx(module: &Module<'_>, target: Target, level: OptLevel) -> Result<String, Error> {
    legality::check_module(module, target)?;
    verify(module, "optimisation")?;
    let machine = machine::machine(target, level)?;
    let diagnostics = LlvmDiagnostics::install(module.get_context().as_ctx_ref());
    let outcome = machine.write_to_memory_buffer(module, FileType::Assembly);
    if let Some(messages) = diagnostics.take_errors() {
        return Err(Error::Codegen(messages));
    }
    let buffer = outcome.map_err(|message| Error::Codegen(message.to_string()))?;
    // LLVM's buffers end in a NUL that is not part of the text.
    let bytes = buffer.as_slice();
    let text = String::from_utf8_lossy(bytes.strip_suffix(b"\0").unwrap_or(bytes));
    let text = narrow::widen(&text);
    narrow::check(&text)?;
    uniform::correct(text)
}

/// The names of the module's kernels.
pub fn kernels(module: &Module<'_>) -> Vec<String> {
    let kernels = module
        .get_functions()
        .filter(|function| function.get_call_conventions() == PTX_KERNEL);
    kernels
        .map(|function| function.get_name().to_string_lossy().into_owned())
        .collect()
}

/// Leaves values without names from here on: only readers of LLVM IR have a use for them.
fn discard_names(context: &Context) {
    // SAFETY: the context is live, and used by this thread alone.
    unsafe { LLVMContextSetDiscardValueNames(context.as_ctx_ref(), 1) }
}

/// Runs LLVM's verifier.
fn verify(module: &Module<'_>, step: &'static str) -> Result<(), Error> {
    module.verify().map_err(|message| Error::InvalidModule {
        step,
        message: message.to_string(),
    })
}

/// Laps of wall-clock time.
struct Clock(Instant);

impl Clock {
    fn start() -> Self {
        Self(Instant::now())
    }

    fn lap(&mut self) -> Duration {
        let now = Instant::now();
        std::mem::replace(&mut self.0, now).elapsed()
    }
}
