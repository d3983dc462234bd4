//! Conversions through shared memory: which part of a tile is there at once, where, and who waits for whom.

use crate::gf2::{Echelon, combine, extend, independent, intersection};
use crate::staging::{Matrices, Staging};
use crate::{ConversionPlan, Dim, DistributedLayout, LayoutError, LinearLayout, Movement};

/// The shared memory that a conversion may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedMemory {
    /// Bytes that it may take at once, if that is possible.
    pub bytes: u64,
    /// Instructions that the GPU has for it.
    pub matrices: Matrices,
}

impl SharedMemory {
    /// So many bytes, accessed by vectors alone.
    pub fn of_bytes(bytes: u64) -> Self {
        let matrices = Matrices::NONE;
        SharedMemory { bytes, matrices }
    }
}

/// A conversion through shared memory.
///
/// Threads store the registers of a round, wait, and load those of the destination. All that a round moves is a smaller
/// tile of one dimension, of which [`src`](Self::src) and [`dst`](Self::dst) are layouts.
///
/// # Rounds
///
/// Where the tile is larger than the memory, a round moves the elements whose coordinates along some directions are
/// fixed. Both sides must have these in registers, so that all threads take part in every round, with other registers.
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
    /// For every round the register of the source for each register of [`src`](Self::src).
    pub stored: Vec<Vec<u32>>,
    /// For every round the register of the destination for each register of [`dst`](Self::dst). The others repeat them:
    /// [`DistributedLayout::register_representatives`].
    pub loaded: Vec<Vec<u32>>,
}

/// The columns of a conversion's two sides over a space of elements.
struct Space<'a> {
    /// Source, destination: (mask of the register's number, column), registers with the same element once.
    registers: [Vec<(u32, u64)>; 2],
    lanes: [Vec<u64>; 2],
    warps: [Vec<u64>; 2],
    /// The tile that columns are packed coordinates of.
    tile: &'a LinearLayout,
}

impl<'a> Space<'a> {
    /// The whole tile, shared by all warps.
    fn of_block(src: &'a DistributedLayout, dst: &DistributedLayout) -> Self {
        let sides = [src, dst].map(|layout| {
            let columns = layout.columns();
            let bits = |dim| layout.linear().in_bits(dim) as usize;
            let (registers, rest) = columns.split_at(bits("register"));
            let (lanes, rest) = rest.split_at(bits("lane"));
            let free = layout.register_free_mask();
            let registers = registers.iter().zip(0..).filter(|(_, bit)| free >> bit & 1 == 0);
            let registers: Vec<(u32, u64)> = registers.map(|(&column, bit)| (1 << bit, column)).collect();
            (registers, lanes.to_vec(), rest[..bits("warp")].to_vec())
        });
        let [a, b] = sides;
        Space {
            registers: [a.0, b.0],
            lanes: [a.1, b.1],
            warps: [a.2, b.2],
            tile: src.linear(),
        }
    }

    /// The elements of a warp: what warps of the source differ in is its place. A warp of the destination wants elements at a
    /// constant distance.
    fn of_warp(self) -> Self {
        let [src, dst] = &self.warps;
        let apart = src.iter().zip(dst).map(|(a, b)| a ^ b).collect();
        Space {
            warps: [vec![0; src.len()], apart],
            ..self
        }
    }

    fn threads(&self) -> Vec<u64> {
        let [lanes, warps] = [&self.lanes, &self.warps].map(|[a, b]| [&a[..], b].concat());
        [lanes, warps].concat()
    }

    fn columns(&self, side: usize) -> Vec<u64> {
        self.registers[side].iter().map(|&(_, column)| column).collect()
    }

    /// Directions along which the tile can be split in rounds, the best last: first come those for vectors.
    fn common(&self) -> Vec<u64> {
        extend(&self.threads(), &intersection(&self.columns(0), &self.columns(1))).to_vec()
    }

    /// Everything that the source holds, and so the destination.
    fn span(&self) -> Vec<u64> {
        independent(&[self.columns(0), self.lanes[0].clone(), self.warps[0].clone()].concat()).to_vec()
    }
}

impl SharedExchange {
    /// The exchange of elements of so many bytes in the memory that there is, if possible: [`bytes`](Self::bytes)
    /// says whether it was. Without common directions in registers there is but one round.
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
        let span = space.span();
        let pieces = if within_warps { 1u64 << space.warps[0].len() } else { 1 };
        let bytes = |bits: usize| (pieces * u64::from(element_bytes)) << bits;
        let common = space.common();
        let fits = (0..=common.len()).find(|split| bytes(span.len() - split) <= memory.bytes);
        let split = &common[common.len() - fits.unwrap_or(common.len())..];
        // Coordinates: first of what a round moves, then of the round.
        let kept = extend(split, &[&space.threads()[..], &span].concat());
        let basis = Echelon::new(&[&kept[..], split].concat());
        let low = (1u64 << kept.len()) - 1;
        let at = |column: u64| basis.solve(column).unwrap_or(0);

        let side = |side: usize| -> Result<(DistributedLayout, Vec<Vec<u32>>), LayoutError> {
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
            let of_rounds = (0..1u64 << split.len()).map(|round| {
                // Where a round begins, its registers lie as the first round's do.
                let start = all.solve(combine(split, round)).unwrap_or(0);
                let start = flip(start).fold(0, |number, ((n, _), _)| number ^ n);
                let all = 0..1u64 << numbers.len();
                all.map(|register| start ^ combine(&numbers, register) as u32).collect()
            });
            Ok((DistributedLayout::unchecked(layout), of_rounds.collect()))
        };
        let ((src, stored), (dst, loaded)) = (side(0)?, side(1)?);
        let outs: Vec<(&str, u32)> = space.tile.outs().map(|(dim, size)| (dim.as_str(), size)).collect();
        let elements = kept.iter().map(|&column| space.tile.unflatten_out(column));
        let elements = LinearLayout::from_bases([(Dim::out(0), elements.collect::<Vec<_>>())], &outs)?;
        Ok(SharedExchange {
            staging: Staging::choose(&src, &dst, element_bytes, memory.matrices)?,
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
