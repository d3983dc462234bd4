//! Reference interpreter of typed SSA: runs kernels on the CPU, exactly as the language defines them.
//!
//! It is the oracle that compiled kernels are compared with, and the device that is there when no GPU is. A value is a
//! typed vector of its elements; each operation runs over a whole tile at a time, and the programs of a grid run in
//! parallel. What has no meaning is an error that names the operation's place in the user's source, the program and
//! the element: accesses out of bounds or misaligned, the use of undefined values, loops that do not end, and on
//! request races between programs.
//!
//! Undefined elements (of a masked load without `other`, of an integer division by zero) are not errors in themselves:
//! operations pass them on, `select` drops those that it does not choose, and they are reported when they are stored
//! or decide an address, mask, condition or loop bound. A division that is guarded by a `select` is therefore fine.
//!
//! ```
//! use mytriton_interp::{Argument, Memory, Options, run};
//! use mytriton_ssa::{Scalar, parse_module};
//!
//! let module = parse_module(
//!     "kernel @double(%x: ptr<i32>) {
//!        %pid = program_id x
//!        %p = addptr %x, %pid : ptr<i32>
//!        %v = load %p : ptr<i32>
//!        %w = add %v, %v : i32
//!        store %p, %w : ptr<i32>
//!     }",
//!     "double.ssa",
//! )?;
//! let mut memory = Memory::new();
//! let x = memory.add_buffer("x", Scalar::I32, &[21, 0, 0, 0, 4, 0, 0, 0])?;
//! run(&module.kernels[0], [2, 1, 1], &[Argument::buffer(x)], &memory, &Options::default())?;
//! assert_eq!(memory.read_back(x)?, [42, 0, 0, 0, 8, 0, 0, 0]);
//!
//! // One program more than there are elements:
//! let error = run(&module.kernels[0], [3, 1, 1], &[Argument::buffer(x)], &memory, &Options::default()).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "double.ssa:4:8: 'load' of kernel 'double', program (2, 0, 0): reads i32 element 2 (byte 8) of buffer 'x', \
//!      which has 2 elements (8 bytes); is a mask missing?",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
mod cells;
mod combine;
mod error;
mod eval;
#[cfg(test)]
mod eval_tests;
mod float;
mod int;
mod launch;
mod machine;
mod memory;
mod races;
mod report;
mod select;
mod shape;
mod tile;

pub use error::{Access, ArgumentProblem, Fault, InterpError, ProgramError};
pub use launch::{Argument, MAX_GRID, Options, Prepared, run};
pub use memory::{BufferId, Memory, MemoryError};
