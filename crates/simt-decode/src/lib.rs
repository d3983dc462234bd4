//! Reads the `gpu` stage into programs of the SIMT executor.
//!
//! The `gpu` stage is what the passes make of tiles and what somebody may write by hand: `gpu.func`s of the dialects
//! `arith`, `math`, `vector`, `scf`, `memref`, `gpu`, `nvvm` and `llvm`. [`decode`] turns each kernel into a
//! [`Program`]: straight code over registers of one number each.
//!
//! - A value is as many registers as it has numbers: a vector its elements in row-major order, a struct its fields, a
//!   memref its pointer and what of its offset, sizes and strides its type leaves open. Taking such a value apart or
//!   putting it together is renaming and gives no instructions.
//! - `index` and pointers are 64-bit integers. Pointers to shared memory are offsets within it.
//! - Flags that only allow more than the plain operation does (`nsw`, `exact`, fast-math) are ignored: the executor does
//!   what the operation does without them. Undefined and poison values are zeros.
//! - An operation, type or attribute that is not known is an error that names it. Nothing is skipped.
//!
//! Each dialect has a file, which lists what is known of it. Kernel parameters of memref type are bare pointers, as
//! `convert-gpu-to-nvvm` with `use-bare-ptr-memref-call-conv` makes them: one `i64`, for which the type's shape, strides
//! and offset must be static.

mod access;
mod arith;
mod asm;
mod attributes;
mod control;
mod decoder;
mod gpu;
mod intrinsics;
mod kernel;
mod llvm;
mod math;
mod memref;
mod nvvm;
mod shared;
mod types;
mod vector;
mod widths;

use std::fmt;

pub use kernel::KERNEL;

use melior::ir::Module;
use mytriton_simt::program::Program;

/// Why a kernel cannot be decoded: what the executor does not know, or what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// `file:line:column` of the operation, if known.
    pub place: Option<String>,
    /// The kernel's name; empty for what is outside kernels.
    pub kernel: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        if !self.kernel.is_empty() {
            write!(f, "in kernel '{}': ", self.kernel)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for DecodeError {}

/// The kernels of a verified module in the `gpu` stage, in order: every `gpu.func` with the attribute `kernel` of every
/// `gpu.module`. Dynamic shared memory begins at [`Program::shared_bytes`].
///
/// # Errors
/// The first thing that the executor does not know.
pub fn decode(module: &Module<'_>) -> Result<Vec<Program>, DecodeError> {
    let mut programs = decode_unallocated(module)?;
    for program in &mut programs {
        let widths = widths::widths(program);
        program.allocate(&widths);
    }
    Ok(programs)
}

/// The same before registers are allocated, to look at: they are numbered as values come, and each is assigned once but
/// for those that loops and branches carry. [`Program::live_words`] is 0.
///
/// # Errors
/// As for [`decode`].
pub fn decode_unallocated(module: &Module<'_>) -> Result<Vec<Program>, DecodeError> {
    kernel::kernels(module)
}
