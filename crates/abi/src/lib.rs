//! Compiled kernels as data: code, parameters, launch facts. No IR.
//!
//! A [`CompiledKernel`] is all that the runtime needs to launch a kernel. It is made at run time by the compiler, or
//! ahead of time and kept in a file ([`CompiledKernel::save`], [`CompiledKernel::load`]); [`container`] says how the file
//! looks.

pub mod container;
mod dtype;
mod error;
mod kernel;
#[cfg(feature = "ssa")]
mod of_ssa;

pub use dtype::DType;
pub use error::Error;
pub use kernel::{Code, CompiledKernel, MAX_PARAMS, MAX_THREADS, ParamInfo, ParamKind, STATIC_SHARED_BYTES};
#[cfg(feature = "ssa")]
pub use of_ssa::params_of;
