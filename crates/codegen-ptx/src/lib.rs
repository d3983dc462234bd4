//! LLVM IR and PTX from the llvm dialect: the last stage of the NVIDIA pipeline.
//!
//! The input is MLIR in the `llvm` and `nvvm` dialects, usually the functions inside one `gpu.module`; the output is
//! PTX text for a [`Target`]. [`compile`] does it all. Its steps, each usable alone (`mytriton-opt` and the tests do):
//!
//! 1. [`legality::check_operations`]: what the NVPTX backend cannot select is refused here, while source locations
//!    are still known.
//! 2. [`translate()`]: MLIR to an LLVM module with the target's data layout.
//! 3. [`set_fusion`]: floating-point contraction on or off for the module's own arithmetic.
//! 4. [`math::link`]: the bodies of the mathematical functions that the module calls, from an embedded bitcode
//!    library. No CUDA toolkit is needed.
//! 5. [`optimise`]: vectors to scalars ([`scalars`]), then LLVM's passes, those that kernels have a use for, with the
//!    target's cost model.
//! 6. [`narrow::take_apart`]: around a fault of ptxas; [`booleans::lower`]: around faults of
//!    instruction selection.
//! 7. [`emit_ptx`]: instruction selection, and [`narrow::widen`] and [`uniform::correct`]: around further faults of ptxas.
//!
//! Everything here is single-threaded per call and safe to call from many threads at once, each with its own
//! [`inkwell::context::Context`]. LLVM's target machines are kept per thread ([`machine`]).
//!
//! # Limits
//!
//! LLVM reports some faults of its input by ending the process. The checks of step 1 catch the known ones as typed
//! errors; for the rest [`compile`] runs LLVM's part on a guarded thread (see [`guard`]) and still returns an error.

pub mod booleans;
pub mod error;
pub mod fusion;
pub mod guard;
pub mod legality;
pub mod machine;
pub mod math;
pub mod narrow;
mod passes;
pub mod pipeline;
pub mod ptxas;
pub mod scalars;
pub mod target;
pub mod translate;
pub mod uniform;

mod diagnostics;

pub use error::Error;
pub use fusion::set_fusion;
pub use pipeline::{Options, Ptx, Timings, compile, emit_ptx, optimise};
pub use target::{OptLevel, PtxIsa, Target};
pub use translate::translate;
