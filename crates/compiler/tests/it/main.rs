//! Kernels from typed SSA to PTX that an assembler takes.

mod case;
mod elements;
mod layouts;
mod pipeline;
mod pressure;
mod read;
mod reductions;
mod session;
mod shared;
mod simt;
mod tiles;

// Kernels with every operation on small tiles.
#[allow(dead_code)] // Its strategy is for tests that need no more than kernels.
#[path = "../../../ssa/tests/text/generate.rs"]
mod operations;
