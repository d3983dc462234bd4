//! Who owns what, seen from the thread block: one element of a tile per thread, or a loop of all threads over it.
//!
//! A simpler view than linear layouts, for code that names threads by their coordinates: extents need not be powers
//! of two. Three layouts share it.
//!
//! - The [`KernelLayout`] is chosen once for a kernel: the tile that it writes, and the shape of its threads.
//! - A [`TileLayout`] maps the axes of one tile to the axes of the threads; an axis of extent 1 is everybody's.
//! - A [`CooperativeLayout`] spreads a tile that has nothing to do with the thread shape over all threads.
//!
//! For a kernel that writes a 16x32 tile with one thread per element, that is:
//!
//! | tile | thread axes | element of thread (i, j) |
//! |---|---|---|
//! | 16x32 | 0, 1 | (i, j) |
//! | 1x32, a row | none, 1 | (0, j) |
//! | 16x1, a column | 0, none | (i, 0) |
//! | 64x8 in shared memory | cooperative: 512 elements, 512 threads | (t / 8, t % 8) where t = 32 i + j |
//!
//! ```
//! use mytriton_layout::block::{CooperativeLayout, TileLayout};
//! let threads = [16, 32];
//! let tiles = [[16, 32], [1, 32], [16, 1]].map(|shape| TileLayout::new(&shape, &threads, &[]).unwrap());
//! let shared = CooperativeLayout::new(&[64, 8], 512, &[1, 0])?;
//! assert_eq!(tiles.each_ref().map(|tile| tile.thread_axes().to_vec()), [
//!     [Some(0), Some(1)],
//!     [None, Some(1)],
//!     [Some(0), None],
//! ]);
//! for t in 0..512 {
//!     let (i, j) = (t / 32, t % 32);
//!     assert_eq!(tiles.each_ref().map(|tile| tile.coords(&[i, j]).to_vec()), [[i, j], [0, j], [i, 0]]);
//!     assert_eq!(shared.coords(t, 0).unwrap()[..], [t / 8, t % 8]);
//! }
//! # Ok::<(), mytriton_layout::block::BlockError>(())
//! ```
//!
//! Where extents are powers of two, each is a linear layout: [`TileLayout::to_linear`] and
//! [`CooperativeLayout::to_linear`] give it.

mod cooperative;
mod kernel;
mod tile;

pub use cooperative::CooperativeLayout;
pub use kernel::{KernelLayout, Reduction, Store};
pub use tile::TileLayout;

/// The most threads that a block may have on any NVIDIA GPU.
pub const MAX_THREADS: u32 = 1024;

/// Why a kernel, tile or cooperative layout is impossible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlockError {
    /// The output tile or thread shape has a rank other than 1 or 2.
    #[error("{what} {shape:?} has rank {}: kernel layouts have rank 1 or 2", shape.len())]
    Rank {
        /// Which shape.
        what: &'static str,
        /// Its extents.
        shape: Vec<u32>,
    },
    /// The output tile and the thread shape have different ranks.
    #[error("the output tile {output:?} and the thread shape {threads:?} have different ranks")]
    RanksDiffer {
        /// Extents of the output tile.
        output: Vec<u32>,
        /// Extents of the thread shape.
        threads: Vec<u32>,
    },
    /// An extent is 0.
    #[error("{what} {shape:?} has an extent of 0: extents are positive")]
    Empty {
        /// Which shape.
        what: &'static str,
        /// Its extents.
        shape: Vec<u32>,
    },
    /// More threads than a block can have.
    #[error("thread shape {threads:?} has {count} threads: a block has at most {MAX_THREADS}, use a smaller tile")]
    TooManyThreads {
        /// Extents of the thread shape.
        threads: Vec<u32>,
        /// Their product.
        count: u64,
    },
    /// Operands of stores do not broadcast together.
    #[error("stored shapes {left:?} and {right:?} do not broadcast together")]
    NoBroadcast {
        /// The tile so far.
        left: Vec<u32>,
        /// The shape that does not fit.
        right: Vec<u32>,
    },
    /// The kernel stores tiles of rank 1 and of rank 2.
    #[error(
        "the kernel stores tiles of different ranks, {first:?} and {second:?}: one kernel layout cannot serve both"
    )]
    MixedRanks {
        /// Tile of an earlier store.
        first: Vec<u32>,
        /// Tile of the store at fault.
        second: Vec<u32>,
    },
    /// The input of a reduction is not of rank 1.
    #[error("a reduction over {shape:?}: inputs of reductions have rank 1 here")]
    ReductionRank {
        /// Shape of the input.
        shape: Vec<u32>,
    },
    /// Two reductions have inputs of different widths.
    #[error("reductions over {first} and over {second} elements in one kernel: all must have one width")]
    ReductionWidths {
        /// Width of the first.
        first: u32,
        /// Width of the one at fault.
        second: u32,
    },
    /// The tile of a [`TileLayout`] has another rank than the threads.
    #[error("tile {shape:?} and threads {threads:?} have different ranks: name the thread axis of each dimension")]
    TileRank {
        /// Extents of the tile.
        shape: Vec<u32>,
        /// Extents of the thread shape.
        threads: Vec<u32>,
    },
    /// An extent of a tile is neither 1 nor that of the threads.
    #[error(
        "tile {shape:?} on threads {threads:?}: dimension {dim} has extent {}, neither 1 nor the {extent} threads of axis {axis}",
        shape[*dim]
    )]
    TileExtent {
        /// Extents of the tile.
        shape: Vec<u32>,
        /// Extents of the thread shape.
        threads: Vec<u32>,
        /// The dimension at fault.
        dim: usize,
        /// The thread axis it was to be mapped to.
        axis: usize,
        /// Threads along that axis.
        extent: u32,
    },
    /// A broadcast axis of a tile has an extent other than 1.
    #[error("tile {shape:?}: dimension {dim} is broadcast but has extent {}: it must be 1", shape[*dim])]
    BroadcastExtent {
        /// Extents of the tile.
        shape: Vec<u32>,
        /// The dimension at fault.
        dim: usize,
    },
    /// An axis that does not exist, or is named twice.
    #[error("axes {axes:?} do not name distinct axes below {rank}")]
    Axes {
        /// The axes as given.
        axes: Vec<usize>,
        /// Number of axes that exist.
        rank: usize,
    },
}

/// Rejects extents of 0.
fn check_positive(what: &'static str, shape: &[u32]) -> Result<(), BlockError> {
    if shape.contains(&0) {
        return Err(BlockError::Empty {
            what,
            shape: shape.to_vec(),
        });
    }
    Ok(())
}

/// Number of elements of a shape; saturates where 64 bits do not hold it.
fn count(shape: &[u32]) -> u64 {
    shape
        .iter()
        .fold(1u64, |product, &extent| product.saturating_mul(extent.into()))
}

/// Rejects lists with a repeated axis or one not below `rank`.
fn check_axes(axes: &[usize], rank: usize) -> Result<(), BlockError> {
    let bad = axes
        .iter()
        .enumerate()
        .any(|(i, axis)| *axis >= rank || axes[..i].contains(axis));
    if bad {
        Err(BlockError::Axes {
            axes: axes.to_vec(),
            rank,
        })
    } else {
        Ok(())
    }
}
