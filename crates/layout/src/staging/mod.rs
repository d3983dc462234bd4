//! Bank conflicts of shared memory, and layouts of tiles there that have none.
//!
//! Shared memory has 32 banks of 4 bytes. A warp's access is served in *wavefronts*, each of which reads or writes at
//! most one word per bank; lanes that want the same word share it. Accesses of 8 and 16 bytes are served half and a
//! quarter warp at a time. The conflict of an access is the greatest number of words that one bank must serve in one
//! such part: 1 is none.
//!
//! [`access_ways`] counts it from the bases.
//!
//! A warp accesses a tile by *vectors*, each lane for itself what lies side by side, or by *matrices* ([`MatrixAccess`]), where
//! lanes get their words out of one another's rows of 16 bytes.
//!
//! For 16x32 words, stored by rows and read by pairs of columns:
//!
//! | layout | store | read |
//! |---|---|---|
//! | row-major | 1 | 16 |
//! | column xor row | 1 | 2 |
//! | column xor 2 row | 1 | 1 |

mod choose;
mod matrices;
mod rows;

pub use matrices::{Matrices, MatrixAccess, MatrixInstruction, held};

use crate::gf2::Echelon;
use crate::{Dim, DistributedLayout, LayoutError, LinearLayout, RegisterGroup};

type Result<T, E = LayoutError> = std::result::Result<T, E>;

/// Base-2 logarithm of the number of banks.
const BANK_BITS: u32 = 5;
/// Base-2 logarithm of the bytes in a bank's word.
const WORD_BITS: u32 = 2;
/// Base-2 logarithm of the widest access in bytes.
const ACCESS_BITS: u32 = 4;

/// A tile in shared memory between two distributed layouts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staging {
    /// From `offset`, in elements, to the tile.
    pub layout: LinearLayout,
    /// How the source's threads store.
    pub store: Access,
    /// How the destination's threads load.
    pub load: Access,
}

/// Accesses of one side to a tile in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// What an instruction accesses.
    pub form: Form,
    /// The conflict, 1 for none.
    pub ways: u32,
}

/// What one instruction of a warp accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// So many elements in each lane.
    Vector(u32),
    /// Matrices of 8x8 words or halves of words, see [`MatrixAccess`].
    Matrices {
        /// 1, 2 or 4 of them.
        count: u32,
        /// Are they transposed on the way?
        transposed: bool,
    },
}

/// The map from (register, lane, warp, block) to the offset of a shared layout.
///
/// # Errors
/// As [`LinearLayout::invert_and_compose`].
pub fn offsets(threads: &DistributedLayout, shared: &LinearLayout) -> Result<LinearLayout> {
    threads.linear().invert_and_compose(shared)
}

/// The widest access, in elements and of at most 16 bytes, with which threads can store or load their registers.
///
/// # Errors
/// As [`offsets`]; elements have 1, 2, 4, 8 or 16 bytes.
pub fn max_access(threads: &DistributedLayout, shared: &LinearLayout, element_bytes: u32) -> Result<u32> {
    let limit = 1 << (ACCESS_BITS - element_bits(element_bytes)?);
    Ok(registers_to_offsets(threads, shared)?.max_vector_width(0).min(limit))
}

/// The registers of each access of `vector` elements, the one at the lowest offset first.
///
/// # Errors
/// As [`max_access`], which must be at least `vector`.
///
/// ```
/// use mytriton_layout::{DistributedLayout, Swizzle, staging, swizzled};
/// let threads = DistributedLayout::blocked(&[8, 32], &[1, 8], &[8, 4], &[1, 1], &[1, 0])?;
/// let shared = swizzled(&[8, 32], &[1, 0], Swizzle { vec: 4, per_phase: 1, max_phase: 8 })?;
/// assert_eq!(staging::max_access(&threads, &shared, 2)?, 4);
/// let accesses = staging::accesses(&threads, &shared, 4)?;
/// assert_eq!(accesses.len(), 2);
/// assert_eq!(accesses[1][..], [4, 5, 6, 7]);
/// # Ok::<(), mytriton_layout::LayoutError>(())
/// ```
pub fn accesses(threads: &DistributedLayout, shared: &LinearLayout, vector: u32) -> Result<Vec<RegisterGroup>> {
    let map = registers_to_offsets(threads, shared)?;
    map.register_groups(0, vector).ok_or_else(|| LayoutError::Parameters {
        constructor: "shared",
        message: format!(
            "accesses of {vector} elements: {} are possible here",
            map.max_vector_width(0)
        ),
    })
}

/// The conflict of storing or loading a tile with accesses of `vector` elements, from the bases.
///
/// The first words that the lanes of a part of a warp touch are the span of their bases, and so are their banks: every
/// bank that is touched serves `2^(rank of words - rank of banks)` of them. The other words of a vector are in other
/// banks, as no lane's base has a part within a vector.
///
/// # Errors
/// As [`max_access`], which must be at least `vector`.
pub fn access_ways(threads: &DistributedLayout, shared: &LinearLayout, element_bytes: u32, vector: u32) -> Result<u32> {
    let (map, access) = checked_access(threads, shared, element_bytes, vector)?;
    let element = element_bits(element_bytes)?;
    let lanes = map.linear().bases("lane").take(lane_bits(access) as usize);
    let words: Vec<u64> = lanes
        .map(|basis| (u64::from(basis[0]) << element) >> WORD_BITS)
        .collect();
    let banks: Vec<u64> = words.iter().map(|word| word & ((1 << BANK_BITS) - 1)).collect();
    Ok(1 << (Echelon::new(&words).rank() - Echelon::new(&banks).rank()))
}

impl Access {
    /// The way to store or load a tile that takes least: the widest vectors, or matrices if these take fewer wavefronts and
    /// instructions, and are to be had.
    ///
    /// # Errors
    /// As [`max_access`].
    pub fn best(
        threads: &DistributedLayout,
        shared: &LinearLayout,
        element_bytes: u32,
        matrices: bool,
    ) -> Result<Access> {
        let vector = max_access(threads, shared, element_bytes)?;
        let mut best = Access::by_vectors(threads, shared, element_bytes, vector)?;
        for transposed in [false, true].into_iter().filter(|_| matrices) {
            if let Some(access) = MatrixAccess::new(threads, shared, element_bytes, transposed)? {
                let count = access.count;
                let access = Access {
                    form: Form::Matrices { count, transposed },
                    ways: access.ways,
                };
                if access.cost(threads, element_bytes) < best.cost(threads, element_bytes) {
                    best = access;
                }
            }
        }
        Ok(best)
    }

    fn by_vectors(threads: &DistributedLayout, shared: &LinearLayout, element_bytes: u32, vector: u32) -> Result<Self> {
        let ways = access_ways(threads, shared, element_bytes, vector)?;
        let form = Form::Vector(vector);
        Ok(Access { form, ways })
    }

    /// Words of 4 bytes that a lane accesses at once; a part of one counts whole.
    fn words(&self, element_bytes: u32) -> u32 {
        match self.form {
            Form::Vector(vector) => (vector * element_bytes).div_ceil(1 << WORD_BITS),
            Form::Matrices { count, .. } => count,
        }
    }

    /// Bytes that a lane accesses at once.
    pub fn bytes(&self, element_bytes: u32) -> u32 {
        match self.form {
            Form::Vector(vector) => vector * element_bytes,
            Form::Matrices { count, .. } => count << WORD_BITS,
        }
    }

    /// Instructions of a warp for its registers, those that repeat others left out.
    pub fn count(&self, threads: &DistributedLayout, element_bytes: u32) -> u32 {
        (threads.unique_registers().len() as u32 * element_bytes / self.bytes(element_bytes)).max(1)
    }

    /// Wavefronts in which a warp's accesses are served.
    pub fn wavefronts(&self, threads: &DistributedLayout, element_bytes: u32) -> u32 {
        self.count(threads, element_bytes) * self.words(element_bytes) * self.ways
    }

    /// Wavefronts, and the instructions.
    fn cost(&self, threads: &DistributedLayout, element_bytes: u32) -> u32 {
        self.wavefronts(threads, element_bytes) + self.count(threads, element_bytes)
    }
}

/// The bits of the lane within the part of a warp that is served at once.
fn lane_bits(access: u32) -> u32 {
    BANK_BITS - access.saturating_sub(WORD_BITS)
}

fn element_bits(bytes: u32) -> Result<u32> {
    if bytes.is_power_of_two() && bytes <= 1 << ACCESS_BITS {
        return Ok(bytes.trailing_zeros());
    }
    let message = format!("elements of {bytes} bytes: 1, 2, 4, 8 or 16 are possible");
    Err(LayoutError::Parameters {
        constructor: "shared",
        message,
    })
}

/// The offsets as if they were a tile, for the questions that a tile's layout answers about registers.
fn registers_to_offsets(threads: &DistributedLayout, shared: &LinearLayout) -> Result<DistributedLayout> {
    let map = offsets(threads, shared)?.flatten_outs(Dim::out(0))?;
    Ok(DistributedLayout::unchecked(map))
}

/// The map to offsets and the base-2 logarithm of the bytes of an access.
fn checked_access(
    threads: &DistributedLayout,
    shared: &LinearLayout,
    element_bytes: u32,
    vector: u32,
) -> Result<(DistributedLayout, u32)> {
    let widest = max_access(threads, shared, element_bytes)?;
    if !vector.is_power_of_two() || vector > widest {
        let message = format!("accesses of {vector} elements: a power of two up to {widest} is possible here");
        return Err(LayoutError::Parameters {
            constructor: "shared",
            message,
        });
    }
    let access = element_bits(element_bytes)? + vector.trailing_zeros();
    Ok((registers_to_offsets(threads, shared)?, access))
}
