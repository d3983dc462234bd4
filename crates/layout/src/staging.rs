//! Bank conflicts of shared memory, and layouts of tiles there that have none.
//!
//! Shared memory has 32 banks of 4 bytes. A warp's access is served in *wavefronts*, each of which reads or writes at
//! most one word per bank; lanes that want the same word share it. Accesses of 8 and 16 bytes are served half and a
//! quarter warp at a time. The conflict of an access is the greatest number of words that one bank must serve in one
//! such part: 1 is none.
//!
//! It is counted twice, from the bases ([`access_ways`]) and from every address ([`enumerated_ways`]), and the two agree.
//!
//! For 16x32 words, stored by rows and read by pairs of columns:
//!
//! | layout | store | read |
//! |---|---|---|
//! | row-major | 1 | 16 |
//! | column xor row | 1 | 2 |
//! | column xor 2 row | 1 | 1 |

use crate::gf2::{Echelon, extend, independent, intersection};
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
    /// Elements at once.
    pub vector: u32,
    /// The conflict, 1 for none.
    pub ways: u32,
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
/// The words that a part of a warp touches are the span of the bases of its lanes and of the vector, and so are their
/// banks: every bank that is touched serves `2^(rank of words - rank of banks)` of them.
///
/// # Errors
/// As [`max_access`], which must be at least `vector`.
pub fn access_ways(threads: &DistributedLayout, shared: &LinearLayout, element_bytes: u32, vector: u32) -> Result<u32> {
    let (map, access) = checked_access(threads, shared, element_bytes, vector)?;
    let element = element_bits(element_bytes)?;
    let lanes = map.linear().bases("lane").take(lane_bits(access) as usize);
    let mut words: Vec<u64> = lanes
        .map(|basis| (u64::from(basis[0]) << element) >> WORD_BITS)
        .collect();
    words.extend((WORD_BITS..access.max(WORD_BITS)).map(|bit| 1 << (bit - WORD_BITS)));
    let banks: Vec<u64> = words.iter().map(|word| word & ((1 << BANK_BITS) - 1)).collect();
    Ok(1 << (Echelon::new(&words).rank() - Echelon::new(&banks).rank()))
}

/// The same as [`access_ways`] by listing every address of every access of every warp.
///
/// # Errors
/// As [`access_ways`].
pub fn enumerated_ways(
    threads: &DistributedLayout,
    shared: &LinearLayout,
    element_bytes: u32,
    vector: u32,
) -> Result<u32> {
    let (map, access) = checked_access(threads, shared, element_bytes, vector)?;
    let mut worst = 1;
    for group in map.register_groups(0, vector).unwrap_or_default() {
        for warp in 0..map.num_warps() {
            let address = |lane| map.coords(group[0], lane, warp)[0] * element_bytes;
            let addresses: Vec<u32> = (0..map.num_lanes()).map(address).collect();
            worst = worst.max(ways(&addresses, 1 << access));
        }
    }
    Ok(worst)
}

/// The conflict of one access: of `bytes` at each lane's byte address, which is a multiple of it.
///
/// ```
/// use mytriton_layout::staging::ways;
/// let column: Vec<u32> = (0..32).map(|lane| lane * 128).collect();
/// assert_eq!(ways(&column, 4), 32);
/// let broadcast = [64; 32];
/// assert_eq!(ways(&broadcast, 4), 1);
/// ```
pub fn ways(addresses: &[u32], bytes: u32) -> u32 {
    let words_per_lane = bytes.div_ceil(1 << WORD_BITS).max(1);
    let lanes = ((1 << BANK_BITS) / words_per_lane as usize).max(1);
    let part = |part: &[u32]| {
        let mut banks = vec![Vec::new(); 1 << BANK_BITS];
        for address in part {
            for word in (0..words_per_lane).map(|i| (address >> WORD_BITS) + i) {
                let bank = &mut banks[word as usize % (1 << BANK_BITS)];
                if !bank.contains(&word) {
                    bank.push(word);
                }
            }
        }
        banks.iter().map(Vec::len).max().unwrap_or(0) as u32
    };
    addresses.chunks(lanes).map(part).max().unwrap_or(1).max(1)
}

impl Staging {
    /// Chooses a layout in which neither storing from `src` nor loading into `dst` conflicts.
    ///
    /// Vectors are what both hold in registers. Of the rest of the tile, the lanes of the source span a space A, those
    /// of the destination B. Two lanes conflict where they differ in the row of the banks alone; so the rows must be
    /// a space that meets neither A nor B. Such a common complement exists: pair what A has beyond B with what
    /// B has beyond A, and take the sums; add what neither reaches.
    ///
    /// One side may have longer vectors, of what it alone holds in registers, if the lanes of the other then still find
    /// their elements in different banks. That is chosen where it takes fewer accesses.
    ///
    /// # Errors
    /// Both must be layouts of one tile; elements have 1, 2, 4, 8 or 16 bytes.
    pub fn choose(src: &DistributedLayout, dst: &DistributedLayout, element_bytes: u32) -> Result<Self> {
        let element = element_bits(element_bytes)?;
        if src.shape() != dst.shape() {
            let message = format!("tiles {:?} and {:?} differ", &src.shape()[..], &dst.shape()[..]);
            return Err(LayoutError::Parameters {
                constructor: "shared",
                message,
            });
        }
        let sides = [Columns::new(src), Columns::new(dst)];
        let shared = sides[0].shared_vectors(&sides[1], element);
        let room = (ACCESS_BITS - element) as usize - shared.len();
        let longer = (1..=room).flat_map(|count| [(0, count), (1, count)]);
        let mut best: Option<(bool, u32, Staging)> = None;
        for (wide, count) in std::iter::once((0, 0)).chain(longer) {
            let (own, other) = (&sides[wide], &sides[1 - wide]);
            let more = own.own_vectors(other, &shared, count);
            if more.len() < count {
                continue;
            }
            let bases = own.bases(other, &shared, &more, element, src.linear().total_out_bits());
            let bases: Vec<_> = bases.iter().map(|&column| src.linear().unflatten_out(column)).collect();
            let outs: Vec<(&str, u32)> = src.linear().outs().map(|(dim, size)| (dim.as_str(), size)).collect();
            let layout = LinearLayout::from_bases([(Dim::OFFSET, bases)], &outs)?;
            let vector = |side: usize| 1 << (shared.len() + if side == wide { count } else { 0 });
            let staging = Staging {
                store: Access::new(src, &layout, element_bytes, vector(0))?,
                load: Access::new(dst, &layout, element_bytes, vector(1))?,
                layout,
            };
            let conflicts = staging.store.ways > 1 || staging.load.ways > 1;
            let cost = staging.store.cost(src, element_bytes) + staging.load.cost(dst, element_bytes);
            if best
                .as_ref()
                .is_none_or(|(c, least, _)| (conflicts, cost) < (*c, *least))
            {
                best = Some((conflicts, cost, staging));
            }
        }
        best.map(|(_, _, staging)| staging)
            .ok_or_else(|| LayoutError::Parameters {
                constructor: "shared",
                message: "no layout between the two".to_owned(),
            })
    }
}

impl Access {
    fn new(threads: &DistributedLayout, shared: &LinearLayout, element_bytes: u32, vector: u32) -> Result<Self> {
        let ways = access_ways(threads, shared, element_bytes, vector)?;
        Ok(Access { vector, ways })
    }

    /// Accesses that a warp makes for its registers, those that repeat others left out.
    pub fn count(&self, threads: &DistributedLayout) -> u32 {
        (threads.unique_registers().len() as u32 / self.vector).max(1)
    }

    /// Wavefronts in which a warp's accesses are served.
    pub fn wavefronts(&self, threads: &DistributedLayout, element_bytes: u32) -> u32 {
        self.count(threads) * (self.vector * element_bytes).div_ceil(1 << WORD_BITS) * self.ways
    }

    /// Wavefronts, and the instructions.
    fn cost(&self, threads: &DistributedLayout, element_bytes: u32) -> u32 {
        self.wavefronts(threads, element_bytes) + self.count(threads)
    }
}

/// The columns of a layout.
struct Columns {
    registers: Vec<u64>,
    threads: Vec<u64>,
    num_lane_bits: usize,
}

impl Columns {
    fn new(layout: &DistributedLayout) -> Self {
        let columns = layout.columns();
        let (registers, threads) = columns.split_at(layout.linear().in_bits("register") as usize);
        Columns {
            registers: registers.to_vec(),
            threads: threads.to_vec(),
            num_lane_bits: layout.linear().in_bits("lane") as usize,
        }
    }

    /// What the lanes that are served at once span.
    fn lanes(&self, access: u32) -> Vec<u64> {
        independent(&self.threads[..self.num_lane_bits.min(lane_bits(access) as usize)]).to_vec()
    }

    /// Directions that both have in registers, and that no thread index disturbs.
    fn shared_vectors(&self, other: &Columns, element: u32) -> Vec<u64> {
        let threads = [&self.threads[..], &other.threads].concat();
        let mut vectors = extend(&threads, &intersection(&self.registers, &other.registers));
        vectors.truncate((ACCESS_BITS - element) as usize);
        vectors.to_vec()
    }

    /// Up to `count` further directions that this side alone has in registers. Best are those along which the other's
    /// lanes lie, for these then are spread over the words of a vector.
    fn own_vectors(&self, other: &Columns, shared: &[u64], count: usize) -> Vec<u64> {
        let lanes = &other.threads[..other.num_lane_bits];
        let along = intersection(&self.registers, lanes);
        let mut chosen: Vec<u64> = Vec::new();
        for &column in along.iter().chain(&self.registers) {
            if chosen.len() == count {
                break;
            }
            let all = [&self.threads[..], &other.threads, &chosen, &[column]].concat();
            let base = [shared, &self.threads, &chosen].concat();
            if extend(&base, &[column]).len() == 1 && extend(&all, shared).len() == shared.len() {
                chosen.push(column);
            }
        }
        chosen
    }

    /// The coordinates of the offset's bits, where this side has the longer vectors.
    fn bases(&self, other: &Columns, shared: &[u64], more: &[u64], element: u32, size: u32) -> Vec<u64> {
        let vectors = [shared, more].concat();
        let access = vectors.len() as u32 + element;
        let units: Vec<u64> = (0..size).map(|bit| 1 << bit).collect();
        // The rest of the tile, in which this side's threads lie.
        let rest = extend(&vectors, &[&self.threads[..], &other.threads, &units].concat());
        let a = self.lanes(access);
        let within_words = &vectors[..vectors.len().min(WORD_BITS.saturating_sub(element) as usize)];
        let b = other.lanes(shared.len() as u32 + element);
        let b = intersection(&[&b[..], shared, within_words].concat(), &rest);
        let common = intersection(&a, &b);
        let (mut longer, mut shorter) = (extend(&common, &a), extend(&common, &b));
        if longer.len() < shorter.len() {
            std::mem::swap(&mut longer, &mut shorter);
        }
        let others = extend(&[&vectors[..], &a, &b].concat(), &rest);
        let mut rows: Vec<u64> = longer.iter().zip(&shorter).map(|(a, b)| a ^ b).collect();
        rows.extend(others);

        // What the banks do not hold becomes rows, of which the lowest lie within a word if an access is narrower.
        let banks = lane_bits(access) as usize;
        let num_rows = (size as usize - vectors.len()).saturating_sub(banks).min(rows.len());
        let within = (WORD_BITS.saturating_sub(access) as usize).min(num_rows);
        let order = vectors
            .iter()
            .chain(&rows[..within])
            .chain(&rows[num_rows..])
            .chain(&common)
            .chain(&longer);
        order.chain(&rows[within..num_rows]).copied().collect()
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
