//! Kernels from typed SSA to PTX that an assembler takes.

mod pipeline;
mod tiles;

// Kernels with every operation on small tiles.
#[path = "../../../ssa/tests/text/generate.rs"]
mod operations;
