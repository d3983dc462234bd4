//! `vector`: mostly names, since a vector is its elements' registers in row-major order.
//!
//! Not known: masked and transferring accesses, contractions, multi-dimensional reductions and whatever is scalable.
//! Reductions go from the accumulator over the elements in order.

mod position;

use melior::ir::operation::OperationLike;
use mytriton_simt::program::Reg;
use mytriton_ssa::{BinaryOp, CmpPred, Scalar};
use mytriton_tile::name_of;
use mytriton_tile::ops::vector::{self, CombiningKind, ConstantMaskOp, ExtractOp, InsertOp, ReductionOp};

use crate::access::At;
use crate::decoder::{Decoder, Op, Result, Words};
use crate::llvm::alignment;
use crate::math::integer_of;
use crate::types::Ty;
use position::coordinates;

impl Decoder<'_> {
    pub(crate) fn vector(&mut self, view: vector::Op<'_, '_>) -> Result {
        use vector::Op as V;
        let op = view.operation();
        match view {
            V::Broadcast(_) => self.broadcast(op),
            V::Extract(view) => self.extract(view),
            V::Insert(view) => self.insert(view),
            V::FromElements(_) => self.gather_elements(op),
            V::ToElements(_) => self.spread_elements(op),
            V::Shuffle(view) => self.shuffle(op, &view.mask()),
            V::ShapeCast(_) => self.renamed(op),
            V::BitCast(_) => self.same_bits(op),
            V::ExtractStridedSlice(view) => self.extract_slice(view),
            V::InsertStridedSlice(view) => self.insert_slice(view),
            V::Transpose(view) => self.transpose(view),
            V::Interleave(_) => {
                let (a, b) = (self.operand(op, 0)?, self.operand(op, 1)?);
                self.define(op, 0, a.iter().zip(&b).flat_map(|(&a, &b)| [a, b]).collect())
            }
            V::Deinterleave(_) => {
                let words = self.operand(op, 0)?;
                (0..2).try_for_each(|half| self.define(op, half, words.iter().skip(half).step_by(2).copied().collect()))
            }
            V::FMA(_) => self.each(op, |this, ty, operands| this.fma(ty, operands)),
            V::Reduction(view) => self.reduction(view),
            V::Step(_) => {
                let count = self.result_ty(op, 0)?.registers();
                let words = (0..count).map(|i| self.constant(i as u64)).collect();
                self.define(op, 0, words)
            }
            V::ConstantMask(view) => self.constant_mask(view),
            V::CreateMask(_) => self.create_mask(op),
            V::Load(view) => {
                let ty = self.result_ty(op, 0)?;
                let at = self.row_at(op, 0, &ty, view.alignment())?;
                let words = self.load(op, &ty, at)?;
                self.define(op, 0, words)
            }
            V::Store(view) => {
                let ty = self.operand_ty(op, 0)?;
                let at = self.row_at(op, 1, &ty, view.alignment())?;
                let value = self.operand(op, 0)?;
                self.store(op, &ty, at, &value)
            }
        }
    }

    fn extract(&mut self, view: ExtractOp<'_, '_>) -> Result {
        let op = view.operation();
        let shape = self.operand_ty(op, 0)?.shape().to_vec();
        let source = self.operand(op, 0)?;
        let positions = self.positions(op, view.static_position(), 1)?;
        let words = self.extracted(&source, &shape, &positions);
        self.define(op, 0, words)
    }

    fn insert(&mut self, view: InsertOp<'_, '_>) -> Result {
        let op = view.operation();
        let shape = self.operand_ty(op, 1)?.shape().to_vec();
        let (value, into) = (self.operand(op, 0)?, self.operand(op, 1)?);
        let positions = self.positions(op, view.static_position(), 2)?;
        let words = self.inserted(&value, &into, &shape, &positions);
        self.define(op, 0, words)
    }

    fn gather_elements(&mut self, op: Op<'_, '_>) -> Result {
        let mut words = Words::new();
        for index in 0..op.operand_count() {
            words.extend(self.operand(op, index)?);
        }
        self.define(op, 0, words)
    }

    fn spread_elements(&mut self, op: Op<'_, '_>) -> Result {
        for (index, reg) in self.operand(op, 0)?.into_iter().enumerate() {
            self.define_reg(op, index, reg)?;
        }
        Ok(())
    }

    fn constant_mask(&mut self, view: ConstantMaskOp<'_, '_>) -> Result {
        let (op, sizes) = (view.operation(), view.mask_dim_sizes());
        let shape = self.result_ty(op, 0)?.shape().to_vec();
        let inside = |at: Vec<usize>| at.iter().zip(&sizes).all(|(&at, &size)| (at as i64) < size);
        let words = coordinates(&shape)
            .map(|at| self.constant(u64::from(inside(at))))
            .collect();
        self.define(op, 0, words)
    }

    fn reduction(&mut self, view: ReductionOp<'_, '_>) -> Result {
        let op = view.operation();
        let combiner = match view.kind() {
            CombiningKind::Add => BinaryOp::Add,
            CombiningKind::Mul => BinaryOp::Mul,
            CombiningKind::Minui => BinaryOp::MinU,
            CombiningKind::Minsi => BinaryOp::MinS,
            CombiningKind::Maxui => BinaryOp::MaxU,
            CombiningKind::Maxsi => BinaryOp::MaxS,
            CombiningKind::Minnumf => BinaryOp::Min,
            CombiningKind::Maxnumf => BinaryOp::Max,
            CombiningKind::Minimumf => BinaryOp::MinNan,
            CombiningKind::Maximumf => BinaryOp::MaxNan,
            CombiningKind::And => BinaryOp::And,
            CombiningKind::Or => BinaryOp::Or,
            CombiningKind::Xor => BinaryOp::Xor,
        };
        let ty = self.result_scalar(op, 0)?;
        let mut elements = Words::new();
        if op.operand_count() > 1 {
            elements.push(self.operand_reg(op, 1)?);
        }
        elements.extend(self.operand(op, 0)?);
        let mut rest = elements.into_iter();
        let first = rest
            .next()
            .ok_or_else(|| self.error(op, "a reduction of no elements"))?;
        let all = rest.fold(first, |sum, element| self.arithmetic(combiner, ty, sum, element));
        self.define_reg(op, 0, all)
    }

    fn create_mask(&mut self, op: Op<'_, '_>) -> Result {
        let shape = self.result_ty(op, 0)?.shape().to_vec();
        // Per dimension, whether each coordinate is inside.
        let mut inside = Vec::new();
        for (axis, &size) in shape.iter().enumerate() {
            let bound = self.operand_reg(op, axis)?;
            let truths: Words = (0..size)
                .map(|at| {
                    let at = self.constant(at as u64);
                    self.cmp(CmpPred::Lt, Scalar::I64, at, bound)
                })
                .collect();
            inside.push(truths);
        }
        let yes = self.constant(1);
        let mut words = Words::new();
        for at in coordinates(&shape) {
            let mut truths = at.iter().zip(&inside).map(|(&at, truths)| truths[at]);
            let first = truths.next().unwrap_or(yes);
            words.push(truths.fold(first, |all, truth| self.binary(BinaryOp::And, Scalar::I1, all, truth)));
        }
        self.define(op, 0, words)
    }

    /// Where `vector.load` and `vector.store` access one row of a memref, which is operand `base`. Without an alignment the
    /// memref's elements give it.
    fn row_at(&mut self, op: Op<'_, '_>, base: usize, ty: &Ty, stated: Option<i64>) -> Result<At> {
        let memref = self.memref_operand(op, base)?;
        let indices = (base + 1..op.operand_count())
            .map(|index| self.operand_reg(op, index))
            .collect::<Result<Vec<_>>>()?;
        let natural = memref.ty.element.layout().map_or(1, |(_, alignment)| alignment);
        let whole_elements = *ty == memref.ty.element;
        if !whole_elements && (ty.shape().len() > 1 || ty.scalar() != memref.ty.element.scalar()) {
            let message = format!(
                "the executor knows '{}' of one row of the memref's elements",
                name_of(op)
            );
            return Err(self.error(op, message));
        }
        if !whole_elements && ty.registers() > 1 && memref.ty.strides.last() != Some(&Some(1)) {
            let message = format!(
                "'{}' of a memref whose elements are not next to one another",
                name_of(op)
            );
            return Err(self.error(op, message));
        }
        Ok(At {
            space: memref.ty.space,
            address: self.element_address(&memref, &indices),
            alignment: alignment(stated).unwrap_or(natural),
        })
    }

    /// The same bits as numbers of another width: the first element is the lowest part.
    pub(crate) fn bitcast(&mut self, words: &[Reg], from: Scalar, to: Scalar) -> Words {
        let (from, to) = (integer_of(from), integer_of(to));
        if to.bits() > from.bits() {
            let parts = (to.bits() / from.bits()) as usize;
            return words.chunks(parts).map(|parts| self.joined(parts, from, to)).collect();
        }
        if to.bits() < from.bits() {
            return words.iter().flat_map(|&word| self.parted(word, from, to)).collect();
        }
        words.iter().copied().collect()
    }

    /// One number of several narrower ones, the first lowest.
    pub(crate) fn joined(&mut self, parts: &[Reg], from: Scalar, to: Scalar) -> Reg {
        let mut whole = parts[0];
        for (number, &part) in parts.iter().enumerate().skip(1) {
            let high = self.binary_const(BinaryOp::Shl, to, part, number as u64 * u64::from(from.bits()));
            whole = self.binary(BinaryOp::Or, to, whole, high);
        }
        whole
    }

    /// The parts of a number, the lowest first.
    pub(crate) fn parted(&mut self, whole: Reg, from: Scalar, to: Scalar) -> Words {
        let count = from.bits() / to.bits();
        let mut parts = Words::new();
        for number in 0..count {
            let shifted = match number {
                0 => whole,
                _ => self.binary_const(BinaryOp::ShrU, from, whole, u64::from(number * to.bits())),
            };
            // The highest part has zeros above it already.
            let last = number == count - 1;
            parts.push(if last {
                shifted
            } else {
                self.resize(false, from, to, shifted)
            });
        }
        parts
    }
}
