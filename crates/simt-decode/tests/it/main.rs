//! What kernels of the gpu stage become, what they compute when they run, and what is not known.

mod arith;
mod asm;
mod control;
mod errors;
mod gpu;
mod listing;
mod llvm;
mod matrix;
mod memref;
mod nvvm;
mod run;
mod vector;
mod whole;

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::Module;
use mytriton_simt::Program;
use mytriton_simt_decode::{DecodeError, decode, decode_unallocated};
use mytriton_tile_sys as sys;

/// A context with every dialect of the stages.
fn context() -> Context {
    let registry = DialectRegistry::new();
    sys::register_all_dialects(&registry);
    let context = Context::new_with_registry(&registry, false);
    for dialect in [
        "tile", "func", "arith", "math", "scf", "cf", "gpu", "vector", "llvm", "nvvm", "memref", "ub",
    ] {
        context.get_or_load_dialect(dialect);
    }
    context
}

/// The kernels of a module's text, which must be valid.
fn decoded(text: &str) -> Result<Vec<Program>, DecodeError> {
    with_module(text, decode)
}

fn with_module<R>(text: &str, f: impl FnOnce(&Module<'_>) -> R) -> R {
    let context = context();
    let (module, reports) = sys::collect_diagnostics(&context, || sys::parse_module(&context, text, "kernel.mlir"));
    f(&module.unwrap_or_else(|| panic!("not valid: {reports:?}\n{text}")))
}

/// A module with a kernel: its parameters and its body.
fn kernel(parameters: &str, body: &str) -> String {
    format!("gpu.module @kernels {{\n  gpu.func @k({parameters}) kernel {{\n{body}\n    gpu.return\n  }}\n}}\n")
}

/// The listing of such a kernel.
fn listed(parameters: &str, body: &str) -> String {
    listed_module(&kernel(parameters, body))
}

fn listed_module(text: &str) -> String {
    let programs = with_module(text, decode_unallocated).unwrap_or_else(|error| panic!("{error}\n{text}"));
    programs.iter().map(listing::listing).collect::<Vec<_>>().join("\n")
}
