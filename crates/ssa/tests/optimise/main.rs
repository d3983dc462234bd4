//! The optimiser: each rewrite by a small kernel, and random kernels before and after on the same memory.

mod cases;
mod control;
mod generate;
#[path = "../support/machine.rs"]
mod machine;
mod memory;
mod property;
mod reductions;
mod rules;
// Kernels with every operation, not made to run.
#[path = "../text/generate.rs"]
mod unrunnable;
