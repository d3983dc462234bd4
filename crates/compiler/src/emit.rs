//! The text of a kernel in any stage, and `.mlir` files as kernels.

use melior::ir::Module as MlirModule;
use mytriton_codegen_cuda::{Options as CudaOptions, generate};
use mytriton_ssa::{Kernel, Module};
use mytriton_tile_sys as sys;

use crate::compile::{CompileOptions, StageTimes, compile, lower};
use crate::context::source_context;
use crate::error::CompileError;
use crate::session::with_session;
use crate::stage::Stage;

/// The text of a verified kernel in a stage.
///
/// # Errors
/// As [`compile`].
pub fn emit(kernel: &Kernel, stage: Stage, options: &CompileOptions) -> Result<String, CompileError> {
    match stage {
        Stage::Ssa => Ok(kernel.to_string()),
        Stage::Ptx => compile(kernel, options)
            .map(|compiled| String::from_utf8_lossy(compiled.kernel.code.as_bytes()).into_owned()),
        Stage::Cuda => cuda(kernel, options),
        Stage::Tile | Stage::Layout | Stage::Gpu | Stage::Llvm => with_session(|session| {
            let module = lower(session, kernel, options, stage, &mut StageTimes::default())?;
            Ok(module.as_operation().to_string())
        }),
    }
}

fn cuda(kernel: &Kernel, options: &CompileOptions) -> Result<String, CompileError> {
    let cuda_options = CudaOptions {
        fp_fusion: options.fp_fusion,
        ..CudaOptions::default()
    };
    generate(kernel, &cuda_options)
        .map(|cuda| cuda.source)
        .map_err(|error| CompileError::new(Stage::Cuda, &kernel.name, None, error.to_string()))
}

/// The kernels of a `.mlir` file in the `tile` stage.
///
/// # Errors
/// What MLIR's parser and verifier said, among it that the text exceeds [`sys::MAX_NESTING`] or [`sys::MAX_EXPANSION`];
/// or what typed SSA has no form for. Each line begins with its place.
pub fn read_mlir(text: &str, file: &str) -> Result<Module, String> {
    let context = source_context();
    let (module, reports) = sys::collect_diagnostics(&context, || sys::parse_module(&context, text, file));
    let Some(module): Option<MlirModule> = module else {
        return Err(reports.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    };
    mytriton_tile::to_ssa(&module).map_err(|error| error.to_string())
}
