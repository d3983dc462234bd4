//! Typed SSA to GPU code, by either backend.

use std::path::PathBuf;

use mytriton_abi::{CompiledKernel, params_of};
use mytriton_codegen_cuda::{Options, generate};
use mytriton_runtime::TARGETS;
use mytriton_runtime::nvrtc::{self, Output};
use mytriton_ssa::Kernel;

use crate::error::Error;
use crate::options::{Backend, LaunchOptions};

/// Compiles a verified kernel for a target such as `sm_90a`.
pub(crate) fn compile(kernel: &Kernel, target: &str, options: LaunchOptions) -> Result<CompiledKernel, Error> {
    let _span = tracing::debug_span!("compile", kernel = %kernel.name, target, backend = ?options.backend).entered();
    if !TARGETS.iter().any(|known| known.0 == target) {
        return Err(Error::Target {
            target: target.to_owned(),
            known: TARGETS.map(|known| known.0).join(", "),
        });
    }
    match options.backend {
        Backend::Mlir => mlir(kernel, target, options),
        Backend::CudaCpp => cuda_cpp(kernel, target, options),
    }
}

#[cfg(feature = "jit")]
fn mlir(kernel: &Kernel, target: &str, options: LaunchOptions) -> Result<CompiledKernel, Error> {
    use mytriton_compiler::{CompileOptions, Target};

    let target: Target = target.parse().map_err(|_| Error::Target {
        target: target.to_owned(),
        known: Target::ALL.map(Target::name).join(", "),
    })?;
    let options = CompileOptions {
        num_warps: options.num_warps,
        fp_fusion: options.fp_fusion,
        ..CompileOptions::new(target)
    };
    Ok(mytriton_compiler::compile(kernel, &options)?.kernel)
}

#[cfg(not(feature = "jit"))]
fn mlir(kernel: &Kernel, _target: &str, _options: LaunchOptions) -> Result<CompiledKernel, Error> {
    Err(Error::NoCompiler {
        kernel: kernel.name.clone(),
    })
}

/// CUDA C++ chooses the number of threads itself, so `num_warps` has no part in it.
fn cuda_cpp(kernel: &Kernel, target: &str, options: LaunchOptions) -> Result<CompiledKernel, Error> {
    let source_options = Options {
        fp_fusion: options.fp_fusion,
        ..Options::default()
    };
    let cuda = generate(kernel, &source_options)?;
    let include_dirs = match (cuda.headers.is_empty(), cuda_include()) {
        (true, _) => Vec::new(),
        (false, Some(directory)) => vec![directory],
        (false, None) => {
            return Err(Error::CudaHeaders {
                kernel: kernel.name.clone(),
                headers: cuda.headers.join(", "),
            });
        }
    };
    let code = nvrtc::compile(
        &cuda.source,
        &kernel.name,
        &nvrtc::Options {
            target: target.to_owned(),
            include_dirs,
            fmad: cuda.fp_fusion,
            output: match target {
                // It stands for every later GPU too, for which the driver compiles PTX.
                "sm_90" => Output::Ptx,
                _ => Output::Cubin,
            },
        },
    );
    Ok(CompiledKernel {
        name: cuda.entry,
        code: code.map_err(mytriton_runtime::Error::from)?,
        target: target.to_owned(),
        params: params_of(kernel),
        threads: cuda.block_dim,
        shared_bytes: cuda.shared_bytes,
        source_hash: fnv1a(&cuda.source),
        compiler: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

/// The directory of the CUDA toolkit's headers, where there is one.
fn cuda_include() -> Option<PathBuf> {
    let variable = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let toolkit = || {
        let home = variable("CUDA_HOME").unwrap_or_else(|| PathBuf::from("/usr/local/cuda"));
        Some(home.join("include")).filter(|directory| directory.is_dir())
    };
    variable("MYTRITON_CUDA_INCLUDE").or_else(toolkit)
}

/// The 64-bit FNV-1a hash of a text.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}
