//! SIMT executor: runs a kernel's threads on the CPU, and finds what GPUs hide.
//!
//! A [`Program`] is one thread's code as it goes on to the GPU. [`run()`] executes it for all blocks of a grid: blocks in
//! parallel, the warps of a block in turns that a seed decides, the lanes of a warp together where their control flow is.
//! What it finds wrong is in the [`Report`], each [`Finding`] with the operation's place in the user's source, block,
//! thread and address:
//!
//! | what | how it is found |
//! |---|---|
//! | data races in shared and global memory | happens-before between threads, byte by byte, whatever the schedule |
//! | accesses out of bounds, misaligned | every access is checked |
//! | reads of uninitialised shared memory | every byte knows whether it was written |
//! | accesses to what is in flight: copies, results of products in registers | reserved from issue until somebody waits |
//! | what the async proxy does not see | a knowledge of its own, joined by proxy fences |
//! | barriers, shuffles, votes in divergent code | the lanes that do not come are known |
//! | deadlocks, mbarriers whose phase never ends | nobody can go on; each group of waiting threads is named |
//! | bank conflicts, uncoalesced accesses | counted for each operation ([`report::AccessCount`]) |
//!
//! Programs are decoded from MLIR by `mytriton-simt-decode`. By hand:
//!
//! ```
//! use mytriton_simt::program::{Instr, Param, Place, Program, Regs, Space};
//! use mytriton_simt::{Launch, Memory, Options, run};
//!
//! // Every thread stores its argument to the same address: no race, since the value is the same.
//! let place = Place { op: "store".to_owned(), at: Some(("k.mlir".into(), 3, 5)) };
//! let mut program = Program {
//!     name: "k".to_owned(),
//!     block: None,
//!     params: vec![Param { bits: 64, reg: 0 }, Param { bits: 32, reg: 1 }],
//!     code: vec![
//!         Instr::Store { space: Space::Global, bytes: 4, src: Regs { start: 0, len: 1 }, address: 0, guard: None },
//!         Instr::End,
//!     ],
//!     place_of: vec![0, 0],
//!     places: vec![place],
//!     lists: vec![1],
//!     registers: 2,
//!     shared: Vec::new(),
//!     shared_bytes: 0,
//!     live_words: 0,
//! };
//! program.allocate(&[64, 32]);
//! let mut memory = Memory::new();
//! let x = memory.add_zeros("x", 4)?;
//! let launch = Launch { grid: [2, 1, 1], block: [64, 1, 1], dynamic_shared_bytes: 0 };
//! let report = run(&program, launch, &[memory.address(x)?, 7], &memory, &Options::default())?;
//! assert!(report.findings.is_empty());
//! assert_eq!(memory.read_back(x)?, [7, 0, 0, 0]);
//!
//! // An address too far:
//! let report = run(&program, launch, &[memory.address(x)? + 4, 7], &memory, &Options::default())?;
//! assert_eq!(
//!     report.findings[0].to_string(),
//!     "k.mlir:3:5: 'store' of kernel 'k', block (0, 0, 0), thread (0, 0, 0): out of bounds: writes 4 bytes at byte 4 of \
//!      buffer 'x', which has 4; is a mask missing? (128 times at this operation)"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod asynchronous;
mod clock;
pub mod finding;
mod machine;
pub mod matrix;
pub mod memory;
pub mod program;
pub mod report;

pub use finding::{Finding, FindingKind};
pub use machine::{Launch, LaunchError, MAX_SHARED_BYTES, MAX_THREADS, Options, run};
pub use memory::{BufferId, Memory, MemoryError};
pub use program::Program;
pub use report::Report;
