//! Which element is which: positions, slices and permutations.

use mytriton_simt::program::Reg;
use mytriton_ssa::{CmpPred, Scalar};
use mytriton_tile::ops::vector::{ExtractStridedSliceOp, InsertStridedSliceOp, TransposeOp};

use crate::decoder::{Decoder, Op, Result, Words};

/// What stands for a position that an operand gives.
const DYNAMIC: i64 = i64::MIN;

/// A position in a vector: known, or in a register.
#[derive(Clone, Copy)]
pub(crate) enum Position {
    Static(usize),
    Dynamic(Reg),
}

/// The row-major strides of a shape.
fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    strides
}

/// The coordinates of each element of a shape, in order.
pub(super) fn coordinates(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let strides = strides(shape);
    let shape = shape.to_vec();
    let count: usize = shape.iter().product();
    (0..count).map(move |at| {
        strides
            .iter()
            .zip(&shape)
            .map(|(stride, size)| at / stride % size)
            .collect()
    })
}

fn position_in(at: &[usize], shape: &[usize]) -> usize {
    at.iter().zip(strides(shape)).map(|(at, stride)| at * stride).sum()
}

impl Decoder<'_> {
    pub(super) fn broadcast(&mut self, op: Op<'_, '_>) -> Result {
        let (from, to) = (self.operand_ty(op, 0)?, self.result_ty(op, 0)?);
        let source = self.operand(op, 0)?;
        let (from, to) = (from.shape(), to.shape());
        let missing = to.len() - from.len().min(to.len());
        let of = |at: Vec<usize>| {
            let at: Vec<usize> = at[missing..]
                .iter()
                .zip(from)
                .map(|(&at, &size)| if size == 1 { 0 } else { at })
                .collect();
            source[position_in(&at, from)]
        };
        self.define(op, 0, coordinates(to).map(of).collect())
    }

    /// Positions, of which operands from `first` on complete what is open.
    pub(super) fn positions(&self, op: Op<'_, '_>, fixed: Vec<i64>, first: usize) -> Result<Vec<Position>> {
        let mut next = first;
        let mut positions = Vec::new();
        for at in fixed {
            positions.push(match usize::try_from(at) {
                Ok(at) => Position::Static(at),
                Err(_) if at == DYNAMIC => {
                    next += 1;
                    let reg = self.operand_reg(op, next - 1)?;
                    self.position(reg)
                }
                // Poison: any element will do.
                Err(_) => Position::Static(0),
            });
        }
        Ok(positions)
    }

    pub(crate) fn position(&self, reg: Reg) -> Position {
        match self.known(reg) {
            Some(at) => Position::Static(at as usize),
            None => Position::Dynamic(reg),
        }
    }

    /// The part of a vector at a position. Where that is dynamic, a choice among all parts; beyond the end, the first.
    pub(crate) fn extracted(&mut self, source: &[Reg], shape: &[usize], positions: &[Position]) -> Words {
        let Some((&first, rest)) = positions.split_first() else {
            return source.iter().copied().collect();
        };
        let part = source.len() / shape[0].max(1);
        match first {
            Position::Static(at) => {
                let at = if at < shape[0] { at } else { 0 };
                self.extracted(&source[at * part..(at + 1) * part], &shape[1..], rest)
            }
            Position::Dynamic(reg) => {
                let mut chosen = self.extracted(&source[..part], &shape[1..], rest);
                for at in 1..shape[0] {
                    let here = self.constant(at as u64);
                    let here = self.cmp(CmpPred::Eq, Scalar::I64, reg, here);
                    let other = self.extracted(&source[at * part..(at + 1) * part], &shape[1..], rest);
                    chosen = self.selected(&[here], &other, &chosen);
                }
                chosen
            }
        }
    }

    /// A vector with another value at a position. Beyond the end nothing changes.
    pub(crate) fn inserted(&mut self, value: &[Reg], into: &[Reg], shape: &[usize], positions: &[Position]) -> Words {
        let Some((&first, rest)) = positions.split_first() else {
            return value.iter().copied().collect();
        };
        let part = into.len() / shape[0].max(1);
        let mut words = Words::new();
        for at in 0..shape[0] {
            let old = &into[at * part..(at + 1) * part];
            match first {
                Position::Static(wanted) if wanted == at => {
                    let new = self.inserted(value, old, &shape[1..], rest);
                    words.extend(new);
                }
                Position::Static(_) => words.extend_from_slice(old),
                Position::Dynamic(reg) => {
                    let here = self.constant(at as u64);
                    let here = self.cmp(CmpPred::Eq, Scalar::I64, reg, here);
                    let new = self.inserted(value, old, &shape[1..], rest);
                    let chosen = self.selected(&[here], &new, old);
                    words.extend(chosen);
                }
            }
        }
        words
    }

    /// Elements (of vectors of several dimensions, slices) of two vectors, by number; a negative one is poison.
    pub(crate) fn shuffle(&mut self, op: Op<'_, '_>, mask: &[i64]) -> Result {
        let inner: usize = self.operand_ty(op, 0)?.shape().iter().skip(1).product();
        let mut all = self.operand(op, 0)?;
        all.extend(self.operand(op, 1)?);
        let slices: Vec<&[Reg]> = all.chunks(inner.max(1)).collect();
        let poison = slices.first().copied().unwrap_or_default();
        let pick = |&at: &i64| {
            usize::try_from(at)
                .ok()
                .and_then(|at| slices.get(at).copied())
                .unwrap_or(poison)
        };
        let words = mask.iter().flat_map(|at| pick(at).iter().copied()).collect();
        self.define(op, 0, words)
    }

    pub(super) fn extract_slice(&mut self, view: ExtractStridedSliceOp<'_, '_>) -> Result {
        let op = view.operation();
        let (whole, part) = (self.operand_ty(op, 0)?, self.result_ty(op, 0)?);
        let slice = Slice::new(view.offsets(), view.strides(), whole.shape(), part.shape());
        let words = self.operand(op, 0)?;
        self.define(
            op,
            0,
            coordinates(part.shape()).map(|at| words[slice.place(&at)]).collect(),
        )
    }

    pub(super) fn insert_slice(&mut self, view: InsertStridedSliceOp<'_, '_>) -> Result {
        let op = view.operation();
        let (part, whole) = (self.operand_ty(op, 0)?, self.operand_ty(op, 1)?);
        let slice = Slice::new(view.offsets(), view.strides(), whole.shape(), part.shape());
        let (value, mut words) = (self.operand(op, 0)?, self.operand(op, 1)?);
        for (number, at) in coordinates(part.shape()).enumerate() {
            words[slice.place(&at)] = value[number];
        }
        self.define(op, 0, words)
    }

    pub(super) fn transpose(&mut self, view: TransposeOp<'_, '_>) -> Result {
        let (op, permutation) = (view.operation(), view.permutation());
        let from = self.operand_ty(op, 0)?.shape().to_vec();
        let to = self.result_ty(op, 0)?.shape().to_vec();
        let source = self.operand(op, 0)?;
        let of = |at: Vec<usize>| {
            let mut original = vec![0; from.len()];
            for (&axis, at) in permutation.iter().zip(at) {
                original[axis as usize] = at;
            }
            source[position_in(&original, &from)]
        };
        self.define(op, 0, coordinates(&to).map(of).collect())
    }
}

/// A strided slice of a vector.
struct Slice<'s> {
    whole: &'s [usize],
    /// For each dimension of the whole.
    offsets: Vec<usize>,
    /// For each dimension of the slice, which are the last ones of the whole.
    steps: Vec<usize>,
    missing: usize,
}

impl<'s> Slice<'s> {
    fn new(offsets: Vec<i64>, steps: Vec<i64>, whole: &'s [usize], part: &[usize]) -> Self {
        let numbers = |all: Vec<i64>| all.into_iter().map(|number| number as usize).collect();
        Slice {
            whole,
            offsets: numbers(offsets),
            steps: numbers(steps),
            // A value of lower rank is inserted along the last dimensions.
            missing: whole.len() - part.len().min(whole.len()),
        }
    }

    /// The number in the whole of an element of the slice.
    fn place(&self, at: &[usize]) -> usize {
        let position = |axis: usize| {
            let offset = self.offsets.get(axis).copied().unwrap_or(0);
            let inner = axis.checked_sub(self.missing);
            let along = inner.map_or(0, |axis| at[axis]);
            let step = inner.and_then(|axis| self.steps.get(axis).copied()).unwrap_or(1);
            offset + along * step
        };
        position_in(&(0..self.whole.len()).map(position).collect::<Vec<_>>(), self.whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_in_row_major_order() {
        let all: Vec<_> = coordinates(&[2, 3]).collect();
        assert_eq!(all[0], [0, 0]);
        assert_eq!(all[4], [1, 1]);
        assert!(
            all.iter()
                .enumerate()
                .all(|(number, at)| position_in(at, &[2, 3]) == number)
        );
        assert_eq!(coordinates(&[]).count(), 1, "a scalar is one element");
    }
}
