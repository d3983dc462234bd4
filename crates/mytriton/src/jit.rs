//! Typed SSA to GPU code.

use mytriton_abi::CompiledKernel;
use mytriton_ssa::Kernel;

use crate::error::Error;
use crate::options::LaunchOptions;

/// Compiles a verified kernel for a target such as `sm_90a`.
#[cfg(not(feature = "jit"))]
pub(crate) fn compile(kernel: &Kernel, _target: &str, _options: LaunchOptions) -> Result<CompiledKernel, Error> {
    Err(Error::NoCompiler {
        kernel: kernel.name.clone(),
    })
}

#[cfg(feature = "jit")]
pub(crate) use with_compiler::compile;

#[cfg(feature = "jit")]
mod with_compiler {
    use mytriton_abi::Code;
    use mytriton_compiler::{CompileError, CompileOptions, Stage, Target};

    use super::*;
    use crate::options::Backend;
    use crate::signature::params_of;

    /// Compiles a verified kernel for a target such as `sm_90a`.
    pub(crate) fn compile(kernel: &Kernel, target: &str, options: LaunchOptions) -> Result<CompiledKernel, Error> {
        let _span = tracing::debug_span!("compile", kernel = %kernel.name, target).entered();
        let fail = |stage, message: String| CompileError {
            stage,
            kernel: kernel.name.clone(),
            place: None,
            message,
            reproducer: None,
        };
        let parsed: Target = target.parse().map_err(|e| fail(Stage::Ptx, format!("{e}")))?;
        let compile_options = CompileOptions {
            num_warps: options.num_warps,
            fp_fusion: options.fp_fusion,
            ..CompileOptions::new(parsed)
        };
        let (name, code, threads) = match options.backend {
            Backend::Mlir => {
                let compiled = mytriton_compiler::compile(kernel, &compile_options)?;
                (compiled.entry, Code::Ptx(compiled.ptx), compiled.threads)
            }
            Backend::CudaCpp => cuda_cpp(kernel, target, options)?,
        };
        Ok(CompiledKernel {
            name,
            code,
            target: target.to_owned(),
            params: params_of(kernel),
            threads,
            shared_bytes: 0,
            source_hash: fnv1a(&format!("{kernel}{target}{options:?}")),
            compiler: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}
