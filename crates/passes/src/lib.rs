//! Passes on the tile dialect, and its lowering to the `gpu` stage: one file per pass, named as its flag.

pub mod allocate_shared;
pub mod assign_layouts;
pub mod axis_info;
mod buffers;
pub mod convert_tile_to_gpu;
pub mod insert_barriers;
pub mod ir;
pub mod pair;
pub mod registry;
pub mod rules;
pub mod shape;
