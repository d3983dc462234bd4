//! The names of the attributes that the `tile` stage gives a kernel and its parameters.

/// On a function: it is a kernel. A unit attribute.
pub const KERNEL: &str = "tile.kernel";
/// On a kernel: how many warps run it, an `i32`.
pub const NUM_WARPS: &str = "tile.num_warps";
/// On a parameter: its name in the source, a string.
pub const NAME: &str = "tile.name";
/// On a parameter: what divides it, an `i32`.
pub const DIVISIBILITY: &str = "tile.divisibility";
