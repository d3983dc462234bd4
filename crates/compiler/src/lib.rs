//! The order of the stages: from a kernel in typed SSA to PTX or CUDA C++.
//!
//! | stage | form | what leads there |
//! |---|---|---|
//! | [`Stage::Ssa`] | typed SSA | the front ends; optimised |
//! | [`Stage::Tile`] | MLIR, tile dialect | `mytriton_tile::from_ssa` |
//! | [`Stage::Layout`] | the same, every tile with a layout | [`pipeline::LAYOUT`] |
//! | [`Stage::Gpu`] | one thread's program | [`pipeline::GPU`] |
//! | [`Stage::Llvm`] | llvm and nvvm dialects | [`pipeline::LLVM`] |
//! | [`Stage::Ptx`] | PTX text | `mytriton_codegen_ptx` |
//! | [`Stage::Cuda`] | CUDA C++ text | `mytriton_codegen_cuda`, from typed SSA |
//!
//! [`compile`] goes the whole way; [`emit`] gives the text of any stage; [`read_mlir`] brings `.mlir` files to typed SSA;
//! [`simt()`] and [`steps`] give what the SIMT executor runs, at the end of the `gpu` stage and after each pass.

mod compile;
mod context;
mod dump;
mod emit;
mod error;
pub mod pipeline;
mod pressure;
mod session;
mod shared;
mod simt;
mod stage;
mod tools;

pub use compile::{CompileOptions, Compiled, StageTimes, compile, compile_given_layouts, pass_times};
pub use emit::{emit, read_mlir};
pub use error::CompileError;
pub use mytriton_codegen_ptx::{OptLevel, Target};
pub use simt::{Form, GpuKernel, GpuParam, Step, is_gpu_stage, read_gpu, simt, simt_given_layouts, steps};
pub use stage::Stage;
pub use tools::{lsp_main, opt_main};
