//! SIMT executor.

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
