//! What is done with one input, and what must hold of the answer. Panics are findings.
//!
//! The quick tests of the parsers' crates include these files, so that they ask the same of fewer inputs.

pub mod arguments;
pub mod artefact;
pub mod diagnostics;
pub mod layout;
#[cfg(feature = "mlir")]
pub mod mlir_attribute;
#[cfg(feature = "mlir")]
pub mod mlir_gpu;
#[cfg(feature = "mlir")]
pub mod mlir_module;
pub mod npy;
pub mod ssa;
