//! From a layout to arithmetic: how a code generator computes a coordinate from thread indices.
//!
//! A coordinate is a matrix-vector product over GF(2). Of the matrix, all entries of one input on one diagonal are one
//! `(x & mask) << shift`; a layout without swizzle has one diagonal per input and dimension, and pieces that do not
//! overlap, so that *or* and *add* will do where in general *xor* is needed.

use crate::{Dim, LayoutError, LinearLayout};
use smallvec::SmallVec;

/// What one input bit contributes to one output dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitTerm {
    /// The input dimension.
    pub input: Dim,
    /// The bit of that input.
    pub bit: u32,
    /// The coordinate to xor in where the bit is set; never 0.
    pub value: u32,
}

/// The entries of one input on one diagonal of the matrix: `(x & mask)` shifted left by `shift`, or right if negative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The input dimension.
    pub input: Dim,
    /// The bits of the input that take part.
    pub mask: u32,
    /// The distance to shift left; a negative one shifts right.
    pub shift: i32,
    /// Whether the *and* is needed: it is not where all bits of the input that survive the shift take part.
    pub needs_mask: bool,
}

/// How to compute one output dimension: the xor of all terms, or equally of all pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AxisPlan {
    /// The output dimension.
    pub dim: Dim,
    /// Its size.
    pub size: u32,
    /// The plan bit by bit, in order of the inputs.
    pub terms: SmallVec<[BitTerm; 8]>,
    /// The plan by diagonals, in order of the inputs.
    pub pieces: SmallVec<[Piece; 4]>,
    /// Whether no two pieces have a bit in common, so that *or* and *add* equal *xor*.
    pub disjoint: bool,
}

/// The operations of a code generator on 32-bit index values.
pub trait IndexBuilder {
    /// An index value in the generated code.
    type Value: Clone;
    /// A constant.
    fn constant(&mut self, value: u32) -> Self::Value;
    /// `x & mask`.
    fn and(&mut self, x: Self::Value, mask: u32) -> Self::Value;
    /// `x << amount`.
    fn shl(&mut self, x: Self::Value, amount: u32) -> Self::Value;
    /// `x >> amount`, zeros shifted in.
    fn shr(&mut self, x: Self::Value, amount: u32) -> Self::Value;
    /// `x | y` of values that have no bit in common: addition gives the same.
    fn or_disjoint(&mut self, x: Self::Value, y: Self::Value) -> Self::Value;
    /// `x ^ y`.
    fn xor(&mut self, x: Self::Value, y: Self::Value) -> Self::Value;
}

impl AxisPlan {
    /// Emits the plan; `input` gives the value of an input dimension, below its size.
    pub fn emit<B: IndexBuilder>(&self, builder: &mut B, mut input: impl FnMut(&mut B, &Dim) -> B::Value) -> B::Value {
        let mut sum: Option<B::Value> = None;
        for piece in &self.pieces {
            let mut value = input(builder, &piece.input);
            if piece.needs_mask {
                value = builder.and(value, piece.mask);
            }
            value = match piece.shift {
                0 => value,
                left @ 1.. => builder.shl(value, left.unsigned_abs()),
                right => builder.shr(value, right.unsigned_abs()),
            };
            sum = Some(match sum {
                Some(sum) if self.disjoint => builder.or_disjoint(sum, value),
                Some(sum) => builder.xor(sum, value),
                None => value,
            });
        }
        sum.unwrap_or_else(|| builder.constant(0))
    }

    fn new(dim: &Dim, size: u32, terms: SmallVec<[BitTerm; 8]>, in_bits: impl Fn(&Dim) -> u32) -> Self {
        let mut pieces: SmallVec<[Piece; 4]> = SmallVec::new();
        for term in &terms {
            for row in (0..u32::BITS).filter(|row| term.value >> row & 1 != 0) {
                let shift = row as i32 - term.bit as i32;
                match pieces
                    .iter_mut()
                    .find(|piece| piece.input == term.input && piece.shift == shift)
                {
                    Some(piece) => piece.mask |= 1 << term.bit,
                    None => {
                        pieces.push(Piece {
                            input: term.input.clone(),
                            mask: 1 << term.bit,
                            shift,
                            needs_mask: false,
                        });
                    }
                }
            }
        }
        let (mut seen, mut disjoint) = (0, true);
        for piece in &mut pieces {
            let all = (1u32 << in_bits(&piece.input)) - 1;
            let survivors = if piece.shift < 0 {
                all >> -piece.shift << -piece.shift
            } else {
                all
            };
            piece.needs_mask = piece.mask != survivors;
            let bits = match piece.shift {
                right @ ..0 => piece.mask >> right.unsigned_abs(),
                left => piece.mask << left,
            };
            disjoint &= seen & bits == 0;
            seen |= bits;
        }
        AxisPlan {
            dim: dim.clone(),
            size,
            terms,
            pieces,
            disjoint,
        }
    }
}

/// How to compute every output dimension of a layout.
///
/// ```
/// use mytriton_layout::{DistributedLayout, IndexPlan};
/// let l = DistributedLayout::blocked(&[1024], &[4], &[32], &[4], &[0])?;
/// let plan = IndexPlan::new(l.linear());
/// let axis = &plan.axes()[0];
/// // dim0 = (register & 3) | (lane << 2) | (warp << 7) | ((register & 4) << 7)
/// let pieces: Vec<_> = axis.pieces.iter().map(|p| (p.input.as_str(), p.mask, p.shift, p.needs_mask)).collect();
/// assert_eq!(pieces, [("register", 3, 0, true), ("register", 4, 7, true), ("lane", 31, 2, false), ("warp", 3, 7, false)]);
/// assert!(axis.disjoint);
/// # Ok::<(), mytriton_layout::LayoutError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexPlan {
    ins: SmallVec<[(Dim, u32); 4]>,
    axes: SmallVec<[AxisPlan; 4]>,
}

impl IndexPlan {
    /// The plan with every input a run-time value.
    pub fn new(layout: &LinearLayout) -> Self {
        let ins: SmallVec<[(Dim, u32); 4]> = layout
            .ins()
            .map(|(dim, size)| (dim.clone(), size.trailing_zeros()))
            .collect();
        let bits_of = |dim: &Dim| bits_of(&ins, dim).unwrap_or(0);
        let axes = layout.outs().enumerate().map(|(axis, (out, size))| {
            let terms = ins.iter().flat_map(|(input, _)| {
                layout
                    .bases(input.as_str())
                    .enumerate()
                    .filter(move |(_, basis)| basis[axis] != 0)
                    .map(move |(bit, basis)| BitTerm {
                        input: input.clone(),
                        bit: bit as u32,
                        value: basis[axis],
                    })
            });
            AxisPlan::new(out, size, terms.collect(), bits_of)
        });
        let axes = axes.collect();
        IndexPlan { ins, axes }
    }

    /// The plans of the output dimensions, in order.
    pub fn axes(&self) -> &[AxisPlan] {
        &self.axes
    }

    /// The plan where one input is 0. What that input adds can be xored in apart: the same for all threads, if it is the
    /// register.
    ///
    /// # Errors
    /// The input must exist.
    pub fn without(&self, input: &str) -> Result<Self, LayoutError> {
        let (dropped, ins): (SmallVec<_>, SmallVec<_>) = self.ins.iter().cloned().partition(|(dim, _)| *dim == input);
        if dropped.is_empty() {
            return Err(LayoutError::NoSuchDim {
                what: "input",
                dim: input.into(),
                have: ins.into_iter().map(|(dim, _)| dim).collect(),
            });
        }
        let axes = self.axes.iter().map(|axis| {
            let rest = axis.terms.iter().filter(|term| term.input != input);
            AxisPlan::new(&axis.dim, axis.size, rest.cloned().collect(), |dim| {
                bits_of(&ins, dim).unwrap_or(0)
            })
        });
        let axes = axes.collect();
        Ok(IndexPlan { ins, axes })
    }
}

fn bits_of(ins: &[(Dim, u32)], dim: &Dim) -> Option<u32> {
    ins.iter().find(|(name, _)| name == dim).map(|&(_, bits)| bits)
}
