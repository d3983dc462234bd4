//! Conversions through shared memory: which part of a tile is there at once, where, and who waits for whom.

mod split;

use crate::gf2::{Echelon, combine};
use crate::staging::{Matrices, Staging};
use crate::{ConversionPlan, Dim, DistributedLayout, LayoutError, LinearLayout, Movement};
use split::{Space, Split};

/// The shared memory that a conversion may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedMemory {
    /// Bytes that it may take at once, if that is possible.
    pub bytes: u64,
    /// Instructions that the GPU has for it.
    pub matrices: Matrices,
}

/// A conversion through shared memory.
///
/// Threads store the registers of a round, wait, and load those of the destination. All that a round moves is a smaller
/// tile of one dimension, of which [`src`](Self::src) and [`dst`](Self::dst) are layouts.
///
/// # Rounds
///
/// Where the tile is larger than the memory, a round moves the elements whose coordinates along some directions are
/// fixed. Best are directions that both sides have in registers: all threads take part in every round, with other registers.
/// Along a direction that a side has in warps or lanes, those of its threads store or load in a round whose elements move
/// in it, by a [`LanePredicate`]; all wait for one another as ever.
///
/// # Within warps
///
/// If every element stays in its warp, each warp has a piece of memory of its own, and waits for its own lanes alone. If
/// the warps' pieces do not fit but the tile does (warps that repeat one another), there are no pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedExchange {
    /// The registers that threads store in a round, as a layout of what is moved.
    pub src: DistributedLayout,
    /// The registers that threads load in a round.
    pub dst: DistributedLayout,
    /// Where the elements lie.
    pub staging: Staging,
    /// From what is moved to the tile: the elements of the first round and, with pieces, those of warp 0.
    pub elements: LinearLayout,
    /// Whether each warp has a piece of memory of its own, [`piece_bytes`](Self::piece_bytes) after the one before it.
    pub within_warps: bool,
    /// Bytes of what one warp or, without pieces, the block has in memory at once.
    pub piece_bytes: u64,
    /// Bytes of all pieces.
    pub bytes: u64,
    /// For every round what threads of the source store, as the registers of [`src`](Self::src).
    pub stored: Vec<Round>,
    /// For every round what threads of the destination load, as the registers of [`dst`](Self::dst). Registers of which there
    /// is nothing here repeat others: [`DistributedLayout::register_representatives`].
    pub loaded: Vec<Round>,
}

/// What a thread stores or loads in a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// Its registers.
    pub registers: Vec<u32>,
    /// Which threads take part: those for which all of these hold.
    pub predicates: Vec<LanePredicate>,
}

/// A condition on threads: the parity of some bits of lane and warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LanePredicate {
    /// Bits of the lane.
    pub lanes: u32,
    /// Bits of the warp.
    pub warps: u32,
    /// Whether it holds where an odd number of them is set, or an even one.
    pub odd: bool,
}

impl SharedExchange {
    /// The exchange of elements of so many bytes in the memory that there is, if possible: [`bytes`](Self::bytes) says
    /// whether it was.
    ///
    /// # Errors
    /// As [`ConversionPlan::new`]; elements of 1, 2, 4, 8 or 16 bytes; one block alone.
    pub fn new(
        src: &DistributedLayout,
        dst: &DistributedLayout,
        element_bytes: u32,
        memory: SharedMemory,
    ) -> Result<Self, LayoutError> {
        let movement = ConversionPlan::new(src, dst)?.movement();
        if movement > Movement::Warps {
            return Err(LayoutError::Parameters {
                constructor: "shared",
                message: "elements that change their thread block need distributed shared memory".to_owned(),
            });
        }
        let of_block = || Space::of_block(src, dst);
        if movement > Movement::Lanes {
            return Self::over(&of_block(), false, element_bytes, memory);
        }
        let of_warp = Self::over(&of_block().of_warp(), true, element_bytes, memory)?;
        if of_warp.bytes <= memory.bytes && of_warp.stored.len() == 1 {
            return Ok(of_warp);
        }
        let of_block = Self::over(&of_block(), false, element_bytes, memory)?;
        let better = of_block.bytes <= memory.bytes && of_block.stored.len() < of_warp.stored.len();
        Ok(if better || of_warp.bytes > memory.bytes {
            of_block
        } else {
            of_warp
        })
    }

    fn over(
        space: &Space<'_>,
        within_warps: bool,
        element_bytes: u32,
        memory: SharedMemory,
    ) -> Result<Self, LayoutError> {
        let pieces = if within_warps { 1u64 << space.warps[0].len() } else { 1 };
        let bytes = |bits: usize| (pieces * u64::from(element_bytes)) << bits;
        let split = space.split(|bits| bytes(bits) <= memory.bytes);
        let Split { kept, directions, .. } = &split;
        let low = (1u64 << kept.len()) - 1;
        let at = |column: u64| split.coordinates.solve(column).unwrap_or(0);

        let side = |side: usize| -> Result<(DistributedLayout, Vec<Round>), LayoutError> {
            let registers = &space.registers[side];
            let rounds: Vec<u64> = registers.iter().map(|&(_, column)| at(column) >> kept.len()).collect();
            let of_round = Echelon::new(&rounds);
            let all = Echelon::new(&space.columns(side));
            let flip = |used: u64| registers.iter().zip(0..).filter(move |(_, bit)| used >> bit & 1 != 0);
            // Registers of the first round: a bit that changes the round is taken back by those that lead there.
            let first: Vec<(u32, u64)> = (0..registers.len())
                .filter(|bit| of_round.free() >> bit & 1 != 0)
                .map(|bit| {
                    let back = of_round.solve(rounds[bit]).unwrap_or(0);
                    flip(back).fold(registers[bit], |(number, column), ((n, c), _)| (number ^ n, column ^ c))
                })
                .collect();
            let bases = |columns: &[u64]| columns.iter().map(|&c| [(at(c) & low) as u32]).collect::<Vec<_>>();
            let columns: Vec<u64> = first.iter().map(|&(_, column)| column).collect();
            let layout = LinearLayout::from_bases(
                [
                    (Dim::REGISTER, bases(&columns)),
                    (Dim::LANE, bases(&space.lanes[side])),
                    (Dim::WARP, bases(&space.warps[side])),
                    (Dim::BLOCK, Vec::new()),
                ],
                &[("dim0", 1 << kept.len())],
            )?;
            let numbers: Vec<u64> = first.iter().map(|&(number, _)| number.into()).collect();
            // The bits of threads that a direction is in.
            let threads_along = |columns: &[u64], bit: usize| {
                let along = columns.iter().map(|&column| at(column) >> (kept.len() + bit) & 1);
                along.zip(0..).map(|(is_along, at)| (is_along as u32) << at).sum()
            };
            let in_registers = split.in_registers[side];
            let of_rounds = (0..1u64 << directions.len()).map(|round| {
                // Where a round begins, its registers lie as the first round's do.
                let start = all.solve(combine(directions, round & in_registers)).unwrap_or(0);
                let start: u32 = flip(start).map(|((number, _), _)| number).sum();
                let all = 0..1u64 << numbers.len();
                let of_threads = (0..directions.len()).filter(|bit| in_registers >> bit & 1 == 0);
                Round {
                    registers: all.map(|register| start ^ combine(&numbers, register) as u32).collect(),
                    predicates: of_threads
                        .map(|bit| LanePredicate {
                            lanes: threads_along(&space.lanes[side], bit),
                            warps: threads_along(&space.warps[side], bit),
                            odd: round >> bit & 1 != 0,
                        })
                        .collect(),
                }
            });
            Ok((DistributedLayout::unchecked(layout), of_rounds.collect()))
        };
        let ((src, stored), (dst, loaded)) = (side(0)?, side(1)?);
        let outs: Vec<(&str, u32)> = space.tile.outs().map(|(dim, size)| (dim.as_str(), size)).collect();
        let elements = kept.iter().map(|&column| space.tile.unflatten_out(column));
        let elements = LinearLayout::from_bases([(Dim::out(0), elements.collect::<Vec<_>>())], &outs)?;
        // Instructions for matrices are those of whole warps.
        let by_warps = |rounds: &[Round]| {
            rounds
                .iter()
                .flat_map(|round| &round.predicates)
                .all(|predicate| predicate.lanes == 0)
        };
        let matrices = Matrices {
            load: memory.matrices.load && by_warps(&loaded),
            store: memory.matrices.store && by_warps(&stored),
        };
        Ok(SharedExchange {
            staging: Staging::choose(&src, &dst, element_bytes, matrices)?,
            src,
            dst,
            elements,
            within_warps,
            piece_bytes: u64::from(element_bytes) << kept.len(),
            bytes: bytes(kept.len()),
            stored,
            loaded,
        })
    }

    /// Wavefronts of shared memory in which a warp's accesses of all rounds are served.
    pub fn wavefronts(&self, element_bytes: u32) -> u32 {
        let store = self.staging.store.wavefronts(&self.src, element_bytes);
        let load = self.staging.load.wavefronts(&self.dst, element_bytes);
        (store + load) * self.stored.len() as u32
    }
}
