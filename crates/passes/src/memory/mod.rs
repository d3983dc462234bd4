//! Passes on memory: where in shared memory lies what operations take of it, and how accesses are ordered.

pub mod allocate_shared;
pub mod insert_barriers;

/// What a block may take of shared memory without asking the driver for more.
pub const STATIC_SHARED_BYTES: u64 = mytriton_abi::STATIC_SHARED_BYTES as u64;

/// The attribute of an operation that says at which byte of the kernel's shared memory its own begins.
pub const OFFSET: &str = "tile.offset";
/// The attribute of an operation that says how many bytes of shared memory it takes.
pub const BYTES: &str = "tile.bytes";
/// The attribute of an operation that takes shared memory without a barrier of the block.
pub const WITHIN_WARPS: &str = "tile.within_warps";
/// The attribute of a kernel that says how many bytes of shared memory it takes.
pub const SHARED_BYTES: &str = "tile.shared_bytes";
