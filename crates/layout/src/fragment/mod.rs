//! Fragments: who owns which element, as an enumerated table.
//!
//! A fragment is one thread's share of a tile. Its ownership, (thread, slot) to coordinate, has nothing to do with
//! where the tile lies in memory, and need not be linear: 3, 5 or 24 slots per thread are as good as 4. Where it is
//! linear, [`Ownership::to_layout`] fits the bases, and all derivations from tables and from bases must agree.
//!
//! | ownership | element of thread t, slot e | linear |
//! |---|---|---|
//! | [`local(n)`](Ownership::local) | (t, e) of 32 x n | where n is a power of two |
//! | [`striped(n)`](Ownership::striped) | (0, t + 32 e) of 1 x 32n | where n is a power of two |
//! | [`strided`](Ownership::strided) | by the modes' strides, column-major | it depends |
//! | [`from_layout`](Ownership::from_layout) | as the layout says | always |
//!
//! ```
//! use mytriton_layout::fragment::Ownership;
//! for n in [3, 4] {
//!     let (local, striped) = (Ownership::local(n)?, Ownership::striped(n)?);
//!     for (t, e) in (0..32).flat_map(|t| (0..n).map(move |e| (t, e))) {
//!         assert_eq!((&local.coords(t, e)[..], &striped.coords(t, e)[..]), (&[t, e][..], &[0, t + 32 * e][..]));
//!     }
//!     assert_eq!((local.to_layout().is_some(), striped.to_layout().is_some()), (n == 4, n == 4));
//! }
//! # Ok::<(), mytriton_layout::fragment::FragmentError>(())
//! ```

mod float;
mod pack;
mod values;

pub use float::FloatFormat;
pub use pack::{pack, unpack};
pub use values::Fragment;

use crate::{Coords, DistributedLayout, LayoutError, LinearLayout};

/// Number of threads that exchange values without shared memory.
pub const WARP: u32 = 32;

/// Why an ownership, or a reduction over one, is impossible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FragmentError {
    /// The number of threads is no power of two up to 1024, or there are no slots.
    #[error("{threads} threads of {slots} slots: threads are a power of two up to 1024, slots at least 1")]
    Size {
        /// Number of threads.
        threads: u32,
        /// Slots per thread.
        slots: u32,
    },
    /// A slot's coordinate is not in the tile.
    #[error("thread {thread}, slot {slot} owns {coords:?}, outside of the tile {shape:?}")]
    Outside {
        /// The thread.
        thread: u32,
        /// Its slot.
        slot: u32,
        /// The coordinate.
        coords: Vec<u32>,
        /// Extents of the tile.
        shape: Vec<u32>,
    },
    /// An element of the tile has no owner.
    #[error("nobody owns element {coords:?} of the tile {shape:?}")]
    Unowned {
        /// The element.
        coords: Vec<u32>,
        /// Extents of the tile.
        shape: Vec<u32>,
    },
    /// The axes are not a permutation, or an axis does not exist.
    #[error("axes {axes:?} do not suit a tile of rank {rank}")]
    Axes {
        /// The axes as given.
        axes: Vec<usize>,
        /// Rank of the tile.
        rank: usize,
    },
    /// Threads group their slots in different ways, or elements change slot and thread at once.
    #[error(
        "a reduction along axis {axis} would have to move elements between slots and threads: convert the layout first"
    )]
    Entangled {
        /// The reduced axis.
        axis: usize,
    },
    /// Two fragments that meet in an operation are owned in different ways.
    #[error(
        "tiles {left:?} and {right:?} are owned in different ways: slot {slot} of thread {thread} would need a value of another thread or slot, convert one of the layouts first"
    )]
    Unlike {
        /// Extents of the one tile.
        left: Vec<u32>,
        /// Extents of the other.
        right: Vec<u32>,
        /// A thread that lacks a value.
        thread: u32,
        /// The slot that it is needed for.
        slot: u32,
    },
    /// The ownership is not linear, for the number of slots.
    #[error("{slots} slots per thread: a linear layout has a power of two of them")]
    SlotCount {
        /// Slots per thread.
        slots: u32,
    },
    /// The ownership is not linear: an element is not the xor of those of the single bits.
    #[error("not linear: slot {slot} of thread {thread} owns {coords:?}, the xor of what its bits own is {linear:?}")]
    NotLinear {
        /// The thread.
        thread: u32,
        /// Its slot.
        slot: u32,
        /// What it owns.
        coords: Vec<u32>,
        /// What it would own.
        linear: Vec<u32>,
    },
    /// The ownership is not linear, for another reason: extents are no powers of two.
    #[error("not linear: {0}")]
    Layout(#[from] LayoutError),
    /// The layout is spread over the blocks of a cluster.
    #[error("the layout is spread over {blocks} thread blocks: a fragment belongs to one")]
    Blocks {
        /// Number of blocks.
        blocks: u32,
    },
}

type Result<T, E = FragmentError> = std::result::Result<T, E>;

/// The element that each slot of each thread owns; an element with several owners is replicated, none has no owner.
///
/// Thread t is lane t % 32 of warp t / 32.
///
/// ```
/// use mytriton_layout::fragment::Ownership;
/// // Thread modes (8,4):(2,32) and slot modes (2,2):(1,16) on a column-major 16x8 tile: patches of 2x2.
/// let patch = Ownership::strided(&[16, 8], &[(8, 2), (4, 32)], &[(2, 1), (2, 16)])?;
/// let first: Vec<_> = (0..4).map(|slot| patch.coords(0, slot).to_vec()).collect();
/// assert_eq!(first, [[0, 0], [1, 0], [0, 1], [1, 1]]);
/// assert_eq!(patch.coords(31, 3)[..], [15, 7]);
/// assert_eq!(
///     patch.to_layout().unwrap().to_string(),
///     "{register = [[1, 0], [0, 1]], lane = [[2, 0], [4, 0], [8, 0], [0, 2], [0, 4]], warp = [], block = []}"
/// );
/// # Ok::<(), mytriton_layout::fragment::FragmentError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ownership {
    shape: Coords,
    threads: u32,
    slots: u32,
    /// By thread, then slot.
    table: Vec<Coords>,
}

impl Ownership {
    /// An ownership from the element of each (thread, slot).
    ///
    /// # Errors
    /// [`Size`](FragmentError::Size), [`Outside`](FragmentError::Outside), [`Unowned`](FragmentError::Unowned).
    pub fn new(shape: &[u32], threads: u32, slots: u32, element: impl Fn(u32, u32) -> Coords) -> Result<Self> {
        if !threads.is_power_of_two() || threads > crate::block::MAX_THREADS || slots == 0 {
            return Err(FragmentError::Size { threads, slots });
        }
        let mut table = Vec::new();
        for thread in 0..threads {
            for slot in 0..slots {
                let coords = element(thread, slot);
                if coords.len() != shape.len() || coords.iter().zip(shape).any(|(c, extent)| c >= extent) {
                    return Err(FragmentError::Outside {
                        thread,
                        slot,
                        coords: coords.to_vec(),
                        shape: shape.to_vec(),
                    });
                }
                table.push(coords);
            }
        }
        let mut owned = table.clone();
        owned.sort_unstable();
        owned.dedup();
        // Both run through coordinates in ascending order, so the first difference is an element without an owner.
        let mut element = Coords::from_elem(0, shape.len());
        let mut next = owned.iter();
        loop {
            if next.next() != Some(&element) && !shape.contains(&0) {
                return Err(FragmentError::Unowned {
                    coords: element.to_vec(),
                    shape: shape.to_vec(),
                });
            }
            if !advance(&mut element, shape) {
                return Ok(Ownership {
                    shape: shape.into(),
                    threads,
                    slots,
                    table,
                });
            }
        }
    }

    /// Each of 32 threads has a row of `n` elements: shape (32, n), thread t and slot e own (t, e).
    ///
    /// # Errors
    /// `n` must be positive.
    pub fn local(n: u32) -> Result<Self> {
        Self::new(&[WARP, n], WARP, n, |thread, slot| [thread, slot].into_iter().collect())
    }

    /// A warp takes one row in turns: shape (1, 32 n), thread t and slot e own (0, t + 32 e).
    ///
    /// # Errors
    /// `n` must be positive and 32 n fit 32 bits.
    pub fn striped(n: u32) -> Result<Self> {
        let columns = n.checked_mul(WARP).ok_or(FragmentError::Size {
            threads: WARP,
            slots: n,
        })?;
        Self::new(&[1, columns], WARP, n, |thread, slot| {
            [0, thread + WARP * slot].into_iter().collect()
        })
    }

    /// Threads and slots walk the column-major index of a tile by (extent, stride) modes, the first mode fastest.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn strided(shape: &[u32], threads: &[(u32, u32)], slots: &[(u32, u32)]) -> Result<Self> {
        let size = |modes: &[(u32, u32)]| modes.iter().fold(1u32, |size, mode| size.saturating_mul(mode.0));
        let walk = |modes: &[(u32, u32)], mut i: u32| {
            modes.iter().fold(0u64, |index, &(extent, stride)| {
                let digit = i % extent.max(1);
                i /= extent.max(1);
                index + u64::from(digit) * u64::from(stride)
            })
        };
        Self::new(shape, size(threads), size(slots), |thread, slot| {
            let mut index = walk(threads, thread) + walk(slots, slot);
            let last = shape.len().saturating_sub(1);
            let digit = |(axis, &extent): (usize, &u32)| {
                // The last coordinate keeps what is left, so that an index past the end is seen to be outside.
                let digit = if axis == last {
                    index
                } else {
                    index % u64::from(extent.max(1))
                };
                index /= u64::from(extent.max(1));
                digit.min(u32::MAX.into()) as u32
            };
            shape.iter().enumerate().map(digit).collect()
        })
    }

    /// The table of a linear layout.
    ///
    /// # Errors
    /// [`Blocks`](FragmentError::Blocks), [`Size`](FragmentError::Size).
    pub fn from_layout(layout: &DistributedLayout) -> Result<Self> {
        if layout.num_blocks() != 1 {
            return Err(FragmentError::Blocks {
                blocks: layout.num_blocks(),
            });
        }
        let (lanes, threads) = (
            layout.num_lanes(),
            layout.num_lanes().saturating_mul(layout.num_warps()),
        );
        Self::new(&layout.shape(), threads, layout.num_registers(), |thread, slot| {
            layout.coords(slot, thread % lanes, thread / lanes)
        })
    }

    /// The linear layout with this table, if there is one.
    pub fn to_layout(&self) -> Option<DistributedLayout> {
        self.require_layout().ok()
    }

    /// The linear layout with this table: its bases are what the single bits of slot and thread own.
    ///
    /// # Errors
    /// [`SlotCount`](FragmentError::SlotCount), [`NotLinear`](FragmentError::NotLinear) with the first slot at fault,
    /// [`Layout`](FragmentError::Layout) where an extent is no power of two.
    ///
    /// ```
    /// use mytriton_layout::fragment::Ownership;
    /// // Thread t owns element 3 t mod 4: a permutation, and linear. Element t + 1 mod 4: not even 0 stays.
    /// let thrice = Ownership::new(&[4], 4, 1, |thread, _| [3 * thread % 4].into_iter().collect())?;
    /// assert_eq!(thrice.require_layout()?.linear().basis("lane", 0).unwrap()[..], [3]);
    /// let next = Ownership::new(&[4], 4, 1, |thread, _| [(thread + 1) % 4].into_iter().collect())?;
    /// assert_eq!(
    ///     next.require_layout().unwrap_err().to_string(),
    ///     "not linear: slot 0 of thread 0 owns [1], the xor of what its bits own is [0]"
    /// );
    /// # Ok::<(), mytriton_layout::fragment::FragmentError>(())
    /// ```
    pub fn require_layout(&self) -> Result<DistributedLayout> {
        if !self.slots.is_power_of_two() {
            return Err(FragmentError::SlotCount { slots: self.slots });
        }
        let bits = |count: u32| (0..count.trailing_zeros()).map(|bit| 1 << bit);
        let lanes = self.threads.min(WARP);
        let register: Vec<_> = bits(self.slots).map(|slot: u32| self.coords(0, slot).clone()).collect();
        let lane: Vec<_> = bits(lanes).map(|thread: u32| self.coords(thread, 0).clone()).collect();
        let warp: Vec<_> = bits(self.threads / lanes)
            .map(|warp: u32| self.coords(warp * lanes, 0).clone())
            .collect();
        let names: Vec<crate::Dim> = (0..self.shape.len()).map(crate::Dim::out).collect();
        let outs: Vec<(&str, u32)> = names
            .iter()
            .map(crate::Dim::as_str)
            .zip(self.shape.iter().copied())
            .collect();
        let linear = LinearLayout::from_bases([("register", register), ("lane", lane), ("warp", warp)], &outs)?;
        for thread in 0..self.threads {
            for slot in 0..self.slots {
                let (owned, expected) = (
                    self.coords(thread, slot),
                    linear.apply_in_order(&[slot, thread % lanes, thread / lanes]),
                );
                if *owned != expected {
                    return Err(FragmentError::NotLinear {
                        thread,
                        slot,
                        coords: owned.to_vec(),
                        linear: expected.to_vec(),
                    });
                }
            }
        }
        Ok(DistributedLayout::new(linear)?)
    }

    /// For each slot the slot of `other` in which every thread owns the element that it owns here, where `other` has
    /// extent 1 its only coordinate.
    fn slots_of(&self, other: &Ownership) -> Result<Vec<u32>> {
        let unlike = |thread, slot| FragmentError::Unlike {
            left: self.shape.to_vec(),
            right: other.shape.to_vec(),
            thread,
            slot,
        };
        let fits = self.shape.iter().zip(&other.shape).all(|(a, b)| a == b || *b == 1);
        if !fits || self.shape.len() != other.shape.len() || self.threads != other.threads {
            return Err(unlike(0, 0));
        }
        let wanted = |thread, slot| -> Coords {
            let owned = self.coords(thread, slot).iter().zip(&other.shape);
            owned.map(|(&c, &extent)| if extent == 1 { 0 } else { c }).collect()
        };
        let slot = |slot| {
            // The one that suits all threads, or else a thread that the best guess does not suit.
            let misses = |&theirs: &u32| (0..self.threads).find(|&t| *other.coords(t, theirs) != wanted(t, slot));
            let first = (0..other.slots).find(|theirs| *other.coords(0, *theirs) == wanted(0, slot));
            let all = (0..other.slots).find(|theirs| misses(theirs).is_none());
            all.ok_or_else(|| unlike(first.as_ref().and_then(misses).unwrap_or(0), slot))
        };
        (0..self.slots).map(slot).collect()
    }

    /// Extents of the tile.
    pub fn shape(&self) -> &[u32] {
        &self.shape
    }

    /// Number of threads.
    pub fn num_threads(&self) -> u32 {
        self.threads
    }

    /// Slots (values) per thread.
    pub fn num_slots(&self) -> u32 {
        self.slots
    }

    /// The element that a slot of a thread owns.
    ///
    /// # Panics
    /// Where thread or slot do not exist.
    pub fn coords(&self, thread: u32, slot: u32) -> &Coords {
        assert!(
            thread < self.threads && slot < self.slots,
            "thread {thread}, slot {slot} do not exist"
        );
        &self.table[(thread * self.slots + slot) as usize]
    }

    /// The same values with the tile's axes permuted: axis i of the result is axis `permutation[i]` of this.
    ///
    /// # Errors
    /// The list must be a permutation.
    pub fn permute(&self, permutation: &[usize]) -> Result<Self> {
        let rank = self.shape.len();
        if permutation.len() != rank || (0..rank).any(|axis| !permutation.contains(&axis)) {
            return Err(FragmentError::Axes {
                axes: permutation.to_vec(),
                rank,
            });
        }
        let permuted = |coords: &Coords| permutation.iter().map(|&axis| coords[axis]).collect();
        let (shape, table) = (permuted(&self.shape), self.table.iter().map(permuted).collect());
        Ok(Ownership {
            shape,
            threads: self.threads,
            slots: self.slots,
            table,
        })
    }
}

/// Steps to the next coordinate, the last axis fastest; false after the last one.
fn advance(coords: &mut Coords, shape: &[u32]) -> bool {
    for axis in (0..shape.len()).rev() {
        coords[axis] += 1;
        if coords[axis] < shape[axis] {
            return true;
        }
        coords[axis] = 0;
    }
    false
}
