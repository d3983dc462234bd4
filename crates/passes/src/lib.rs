//! Passes on the tile dialect, and its lowering to the gpu stage.
