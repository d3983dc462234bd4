//! Fragments: what one thread holds of a tile, and how operations work on it.
//!
//! A thread's *fragment* of a tile is its registers' elements; the layout says which. An operation that crosses
//! fragments gets a plan, derived from the layout once and carried out by the code generator:
//!
//! | operation | plan |
//! |---|---|
//! | broadcast, transpose, a new dimension: every thread holds what it needs | [`source_registers`] |
//! | reduction | [`ReductionPlan`] |
//! | scan | [`ScanPlan`] |
//! | the part of both that crosses warps | [`WarpPartials`] |
//! | narrow values in 32-bit words, for shuffles | [`word_slots`] |

mod reduction;
mod scan;
mod warps;
mod words;

pub use reduction::ReductionPlan;
pub use scan::{ScanPlan, ScanStep};
pub use warps::WarpPartials;
pub use words::{WordSlot, word_slots};

use std::collections::HashMap;

use crate::{Coords, DistributedLayout};

/// Why a fragment does not allow an operation without a conversion of its layout.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FragmentError {
    /// The layouts are of different numbers of warps.
    #[error("the operand's layout is of another number of warps than the result's")]
    Warps,
    /// Threads that differ in this bit hold other elements of the operand than the result needs.
    #[error("{input} bit {bit} of the operand's layout differs from the result's")]
    ThreadBit {
        /// `lane` or `warp`.
        input: &'static str,
        /// Its bit.
        bit: u32,
    },
    /// No register of the operand holds an element that the thread needs.
    #[error("the operand's layout does not hold what the result's needs")]
    NotHeld,
    /// A basis changes the scanned coordinate in more than one bit, together with another coordinate, or in a bit that
    /// another basis changes too.
    #[error(
        "a scan along axis {axis} takes a layout in which each bit of that coordinate is one bit of the register, lane \
         or warp; {input} bit {bit} is none: convert the layout first"
    )]
    ScanBit {
        /// The scanned axis.
        axis: usize,
        /// `register`, `lane` or `warp`.
        input: &'static str,
        /// Its bit.
        bit: u32,
    },
    /// The scanned axis is spread over the blocks of a cluster.
    #[error("a scan along axis {axis} takes a layout of one thread block")]
    ScanBlocks {
        /// The scanned axis.
        axis: usize,
    },
}

/// For each register of `to`, a register of `from` in the same thread that holds the element it is a copy of: the one
/// at `source` of its own coordinates. `source` is affine over GF(2), such as a permutation, or some coordinates set
/// to 0.
///
/// # Errors
/// [`Warps`](FragmentError::Warps), [`ThreadBit`](FragmentError::ThreadBit), [`NotHeld`](FragmentError::NotHeld): an
/// element would have to come from another thread.
///
/// ```
/// use mytriton_layout::{DistributedLayout, source_registers};
/// // A row of four broadcast to two rows.
/// let row: DistributedLayout = "{register = [[0, 1]], lane = [[0, 2]]}".parse()?;
/// let tile: DistributedLayout = "{register = [[0, 1], [1, 0]], lane = [[0, 2]]}".parse()?;
/// assert_eq!(source_registers(&row, &tile, |at| vec![0, at[1]]), Ok(vec![0, 1, 0, 1]));
/// // Nothing is broadcast to fewer.
/// assert!(source_registers(&row, &tile, <[u32]>::to_vec).is_err());
/// # Ok::<(), mytriton_layout::LayoutError>(())
/// ```
pub fn source_registers(
    from: &DistributedLayout,
    to: &DistributedLayout,
    source: impl Fn(&[u32]) -> Vec<u32>,
) -> Result<Vec<u32>, FragmentError> {
    if from.num_warps() != to.num_warps() {
        return Err(FragmentError::Warps);
    }
    // Lanes and warps have to agree bit by bit; then registers can be matched in any one thread.
    let origin = source(&to.coords(0, 0, 0));
    let differs = |to: Coords, from: Coords| {
        let moved = source(&to).into_iter().zip(&origin).map(|(a, b)| a ^ b);
        !moved.eq(from)
    };
    for bit in 0..to.num_lanes().ilog2() {
        if differs(to.coords(0, 1 << bit, 0), from.coords(0, 1 << bit, 0)) {
            return Err(FragmentError::ThreadBit { input: "lane", bit });
        }
    }
    for bit in 0..to.num_warps().ilog2() {
        if differs(to.coords(0, 0, 1 << bit), from.coords(0, 0, 1 << bit)) {
            return Err(FragmentError::ThreadBit { input: "warp", bit });
        }
    }
    let holders: HashMap<Coords, u32> = (0..from.num_registers())
        .rev()
        .map(|register| (from.coords(register, 0, 0), register))
        .collect();
    let holder = |register| holders.get(&source(&to.coords(register, 0, 0))[..]).copied();
    let registers: Option<_> = (0..to.num_registers()).map(holder).collect();
    registers.ok_or(FragmentError::NotHeld)
}
