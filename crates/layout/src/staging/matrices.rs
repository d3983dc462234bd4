//! Accesses of whole warps to 8x8 matrices in shared memory: `ldmatrix`, `stmatrix`.
//!
//! A matrix is eight *rows* of 16 bytes, each at any place that is a multiple of 16 (PTX ISA, "Warp-level matrix load
//! instruction: ldmatrix"). Lane 8k + r gives the address of row r of matrix k; an instruction moves 1, 2 or 4 matrices,
//! one word of each in every lane. Which word, of elements of 16 bits ([`held`]):
//!
//! | lane | as they lie | transposed |
//! |---|---|---|
//! | 0 | row 0, columns 0, 1 | column 0, rows 0, 1 |
//! | 1 | row 0, columns 2, 3 | column 0, rows 2, 3 |
//! | 4 | row 1, columns 0, 1 | column 1, rows 0, 1 |
//! | 31 | row 7, columns 6, 7 | column 7, rows 6, 7 |
//!
//! Of the bits of lane and register, some step along a row, and the others choose the row:
//!
//! | | along a row | across |
//! |---|---|---|
//! | as they lie | registers up to 4 bytes, lane bits 0, 1 | lane bits 2, 3, 4 |
//! | transposed | registers up to 2 bytes, lane bits 2, 3, 4 | a register, lane bits 0, 1 |
//!
//! A layout fits where its offsets have just these bits along rows. What goes across is free, and linear: so is the address
//! that a lane gives.

use crate::gf2::{Echelon, combine, extend, low_mask};
use crate::{Dim, DistributedLayout, LinearLayout, RegisterGroup};

use super::{ACCESS_BITS, BANK_BITS, Result, WORD_BITS, element_bits, registers_to_offsets};

/// Base-2 logarithm of the bytes that a transposition keeps together.
const UNIT_BITS: u32 = 1;
/// Base-2 logarithm of the most matrices that an instruction moves.
const MAX_COUNT_BITS: usize = 2;
/// Bits of the number of a lane.
const LANE_BITS: usize = 5;

/// Which of the instructions a GPU has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Matrices {
    /// `ldmatrix`.
    pub load: bool,
    /// `stmatrix`.
    pub store: bool,
}

impl Matrices {
    /// None of them.
    pub const NONE: Matrices = Matrices {
        load: false,
        store: false,
    };

    /// Those of a compute capability, 10 x major + minor: `ldmatrix` from 7.5, `stmatrix` from 9.0 on (PTX ISA, "Target
    /// ISA Notes" of the two).
    pub fn of_capability(capability: u32) -> Self {
        Matrices {
            load: capability >= 75,
            store: capability >= 90,
        }
    }
}

/// Row and column of an 8x8 matrix of 16-bit elements that a lane holds in the lower (0) or upper (1) half of its word.
///
/// ```
/// use mytriton_layout::staging::held;
/// assert_eq!((held(6, 1, false), held(6, 1, true)), ((1, 5), (5, 1)));
/// ```
pub fn held(lane: u32, half: u32, transposed: bool) -> (u32, u32) {
    let (group, place) = (lane / 4, 2 * (lane % 4) + half);
    match transposed {
        false => (group, place),
        true => (place, group),
    }
}

/// The instructions by which threads load or store all of their registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixAccess {
    /// Are matrices transposed on the way?
    pub transposed: bool,
    /// Matrices of each instruction: 1, 2 or 4.
    pub count: u32,
    /// From lane and warp to the offset, in elements, of the row whose address the lane gives, in an instruction whose
    /// [`offset`](MatrixInstruction::offset) is 0. Lanes beyond the rows give those of the lanes before again.
    pub rows: LinearLayout,
    /// In any order.
    pub instructions: Vec<MatrixInstruction>,
    /// The conflict, 1 for none.
    pub ways: u32,
}

/// One of the instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixInstruction {
    /// What every lane's offset is changed by: an exclusive or.
    pub offset: u32,
    /// For each matrix the registers of the word, from its lowest bits on.
    pub words: Vec<RegisterGroup>,
}

/// Which bits of lanes go which way, as the table above has them.
pub(super) struct Roles<'a> {
    pub along: &'a [u64],
    pub across: &'a [u64],
    /// Base-2 logarithm of the elements that follow one another in a register.
    pub inner: usize,
}

impl<'a> Roles<'a> {
    /// None for elements of other sizes, or warps of other than 32 lanes.
    pub fn new(lanes: &'a [u64], element: u32, transposed: bool) -> Option<Self> {
        let (kept, split) = match transposed {
            false => (WORD_BITS, 2),
            true => (UNIT_BITS, 2),
        };
        let inner = kept.checked_sub(element)? as usize;
        if lanes.len() != LANE_BITS {
            return None;
        }
        let (low, high) = lanes.split_at(split);
        let (along, across) = if transposed { (high, low) } else { (low, high) };
        Some(Roles { along, across, inner })
    }
}

impl MatrixAccess {
    /// The way to access all registers of a tile of elements of so many bytes like this; none where it does not fit.
    ///
    /// # Errors
    /// As [`max_access`](super::max_access).
    pub fn new(
        threads: &DistributedLayout,
        shared: &LinearLayout,
        element_bytes: u32,
        transposed: bool,
    ) -> Result<Option<Self>> {
        let element = element_bits(element_bytes)?;
        let map = registers_to_offsets(threads, shared)?;
        Ok(Self::of_offsets(&map, element, transposed))
    }

    fn of_offsets(map: &DistributedLayout, element: u32, transposed: bool) -> Option<Self> {
        let columns = map.columns();
        let (registers, others) = columns.split_at(map.linear().in_bits("register") as usize);
        let (lanes, warps) = others.split_at(map.linear().in_bits("lane") as usize);
        let roles = Roles::new(lanes, element, transposed)?;
        let low = low_mask(ACCESS_BITS - element);
        let in_order = |(at, &column): (usize, &u64)| column == 1 << (roles.inner + at);
        let elsewhere = roles.across.iter().chain(warps).all(|column| column & low == 0);
        if !(roles.along.iter().enumerate().all(in_order) && elsewhere) || map.num_blocks() > 1 {
            return None;
        }

        // What follows one another in a register, and what leads from row to row: (bits of the register, offset).
        let free = map.register_free_mask();
        let echelon = Echelon::new(registers);
        let steps: Option<Vec<u64>> = (0..roles.inner).map(|bit| echelon.solve(1 << bit)).collect();
        let steps = steps?;
        let mut rows: Vec<(u64, u64)> = Vec::new();
        let mut known = steps.clone();
        for (bit, &column) in registers.iter().enumerate().filter(|(bit, _)| free >> bit & 1 == 0) {
            let along = column & low;
            if along >> roles.inner != 0 {
                return None;
            }
            let number = 1 << bit ^ combine(&steps, along);
            if extend(&known, &[number]).len() == 1 {
                known.push(number);
                rows.push((number, column ^ along));
            }
        }
        let mut across = roles.across.to_vec();
        let mut word = steps;
        if transposed {
            // The register that is the lowest bit of the row: the one that gives the fewest conflicts.
            let ways = |at: &usize| conflict(&[&across[..], &[rows[*at].1]].concat(), element);
            let best = (0..rows.len()).min_by_key(ways)?;
            let (number, column) = rows.remove(best);
            word.push(number);
            across.insert(0, column);
        }
        let ways = conflict(&across, element);
        let (matrices, instructions) = rows.split_at(rows.len().min(MAX_COUNT_BITS));
        across.extend(matrices.iter().map(|&(_, column)| column));
        across.resize(LANE_BITS, 0);

        let [numbers, offsets] = [0, 1].map(|part| {
            let of = |&(number, column): &(u64, u64)| if part == 0 { number } else { column };
            instructions.iter().map(of).collect::<Vec<u64>>()
        });
        let matrices: Vec<u64> = matrices.iter().map(|&(number, _)| number).collect();
        let instruction = |at: u64| {
            let start = combine(&numbers, at);
            let word = |matrix: u64| {
                let start = start ^ combine(&matrices, matrix);
                let elements = 0..1u64 << word.len();
                elements.map(|at| (start ^ combine(&word, at)) as u32).collect()
            };
            MatrixInstruction {
                offset: combine(&offsets, at) as u32,
                words: (0..1 << matrices.len()).map(word).collect(),
            }
        };
        let bases = |columns: &[u64]| columns.iter().map(|&column| [column as u32]).collect::<Vec<_>>();
        let ins = [
            (Dim::REGISTER, Vec::new()),
            (Dim::LANE, bases(&across)),
            (Dim::WARP, bases(warps)),
        ];
        Some(MatrixAccess {
            transposed,
            count: 1 << matrices.len(),
            rows: LinearLayout::from_bases(ins, &[("offset", 1 << map.linear().total_out_bits())]).ok()?,
            instructions: (0..1 << instructions.len()).map(instruction).collect(),
            ways,
        })
    }
}

/// The conflict of the eight rows of a matrix, which lie these offsets apart: as of lanes that access 16 bytes.
fn conflict(across: &[u64], element: u32) -> u32 {
    let rows: Vec<u64> = across.iter().map(|column| column >> (ACCESS_BITS - element)).collect();
    let banks = low_mask(BANK_BITS + WORD_BITS - ACCESS_BITS);
    let banks: Vec<u64> = rows.iter().map(|row| row & banks).collect();
    1 << (Echelon::new(&rows).rank() - Echelon::new(&banks).rank())
}
