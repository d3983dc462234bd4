//! The machine: warps of a block, blocks of a grid, and what each instruction does to them.

mod access;
mod alu;
#[cfg(test)]
mod alu_tests;
mod asynchronous;
mod block;
mod collective;
mod compute;
mod faults;
mod grid;
mod matrix;
mod random;
mod tally;
mod wait;
mod warp;
mod wgmma;

pub use grid::{Launch, LaunchError, MAX_SHARED_BYTES, MAX_THREADS, Options, run};
