//! SIMT executor.

pub mod asynchronous;
pub mod program;
