//! What passes ask of an operation: one module for each question.
//!
//! A question is answered for every operation by a match over all of [`TileOp`](mytriton_tile::ops::TileOp) without a
//! wildcard, so that a new operation compiles only once all have been answered for it. Families whose answer takes more than
//! a line implement the question's trait on their operations' types.

pub mod cost;
pub mod layout;
pub mod memory_effects;
pub mod shared_memory;
