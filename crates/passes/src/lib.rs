//! Passes on the tile dialect, and its lowering to the `gpu` stage: one file per pass, named as its flag.

pub mod allocate_shared;
pub mod assign_layouts;
pub mod axis_info;
pub mod blocked;
mod buffers;
pub mod coalesce_memory;
pub mod convert_tile_to_gpu;
pub mod infer_axis_info;
pub mod insert_barriers;
pub mod ir;
pub mod optimize_thread_locality;
pub mod pair;
pub mod propagate_layouts;
pub mod rebuild;
pub mod registry;
pub mod rules;
pub mod shape;

/// Lanes of a warp.
pub const LANES: u32 = 32;
