//! Passes on the tile dialect, and its lowering to the `gpu` stage.
//!
//! | module | what is in it |
//! |---|---|
//! | [`registry`] | the passes by name |
//! | [`interfaces`] | what passes ask of an operation: layout relation, shared memory, memory effects, cost, axis transfer |
//! | [`analyses`] | what is known of a kernel; they change nothing |
//! | [`layouts`] | passes that choose layouts |
//! | [`memory`] | passes that allocate shared memory and order accesses |
//! | [`lower`] | `convert-tile-to-gpu`: a core, and a module per family of operations with their plans |
//! | [`support`], [`ir`] | what passes share: remaking a kernel with other layouts, costs, identity elements, readings of IR |
//!
//! A pass stands in a file or folder of its name. Data goes down the list once: the lowering runs no pass.

pub mod analyses;
pub mod interfaces;
pub mod ir;
pub mod layouts;
pub mod lower;
pub mod memory;
pub mod registry;
pub mod support;

/// Lanes of a warp.
pub const LANES: u32 = 32;
