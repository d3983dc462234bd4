//! `vector`: mostly names, since a vector is its elements' registers in row-major order.
//!
//! Not known: masked and transferring accesses, contractions, multi-dimensional reductions and whatever is scalable.
//! Reductions go from the accumulator over the elements in order.

mod position;

use melior::ir::operation::OperationLike;
use mytriton_simt::program::Reg;
use mytriton_ssa::{BinaryOp, CmpPred, Scalar};
use mytriton_tile::name_of;

use crate::access::At;
use crate::attributes;
use crate::decoder::{Decoder, Op, Result, Words};
use crate::math::integer_of;
use position::coordinates;

impl Decoder<'_> {
    pub(crate) fn vector(&mut self, op: Op<'_, '_>, name: &str) -> Result<bool> {
        match name {
            "broadcast" | "splat" => self.broadcast(op)?,
            "extract" => {
                let shape = self.operand_ty(op, 0)?.shape().to_vec();
                let (source, positions) = (self.operand(op, 0)?, self.positions(op, 1)?);
                let words = self.extracted(&source, &shape, &positions);
                self.define(op, 0, words)?;
            }
            "insert" => {
                let shape = self.operand_ty(op, 1)?.shape().to_vec();
                let (value, into, positions) = (self.operand(op, 0)?, self.operand(op, 1)?, self.positions(op, 2)?);
                let words = self.inserted(&value, &into, &shape, &positions);
                self.define(op, 0, words)?;
            }
            "from_elements" => {
                let mut words = Words::new();
                for index in 0..op.operand_count() {
                    words.extend(self.operand(op, index)?);
                }
                self.define(op, 0, words)?;
            }
            "to_elements" => {
                for (index, reg) in self.operand(op, 0)?.into_iter().enumerate() {
                    self.define_reg(op, index, reg)?;
                }
            }
            "shuffle" => {
                let mask = attributes::integers(op, "mask").ok_or_else(|| self.bad_attribute(op, "mask"))?;
                self.shuffle(op, &mask)?;
            }
            "shape_cast" => {
                let words = self.operand(op, 0)?;
                self.define(op, 0, words)?;
            }
            "bitcast" => {
                let (from, to) = (self.operand_scalar(op, 0)?, self.result_scalar(op, 0)?);
                let words = self.operand(op, 0)?;
                let words = self.bitcast(&words, from, to);
                self.define(op, 0, words)?;
            }
            "extract_strided_slice" | "insert_strided_slice" => {
                self.strided_slice(op, name == "insert_strided_slice")?
            }
            "transpose" => self.transpose(op)?,
            "interleave" => {
                let (a, b) = (self.operand(op, 0)?, self.operand(op, 1)?);
                self.define(op, 0, a.iter().zip(&b).flat_map(|(&a, &b)| [a, b]).collect())?;
            }
            "deinterleave" => {
                let words = self.operand(op, 0)?;
                for half in 0..2 {
                    self.define(op, half, words.iter().skip(half).step_by(2).copied().collect())?;
                }
            }
            "fma" => {
                let ty = self.result_scalar(op, 0)?;
                self.elementwise(op, |this, operands| this.fma(ty, operands))?;
            }
            "reduction" => self.reduction(op)?,
            "step" => {
                let count = self.result_ty(op, 0)?.registers();
                let words = (0..count).map(|i| self.constant(i as u64)).collect();
                self.define(op, 0, words)?;
            }
            "constant_mask" => {
                let sizes = attributes::integers(op, "mask_dim_sizes");
                let sizes = sizes.ok_or_else(|| self.bad_attribute(op, "mask_dim_sizes"))?;
                let shape = self.result_ty(op, 0)?.shape().to_vec();
                let inside = |at: Vec<usize>| at.iter().zip(&sizes).all(|(&at, &size)| (at as i64) < size);
                let words = coordinates(&shape)
                    .map(|at| self.constant(u64::from(inside(at))))
                    .collect();
                self.define(op, 0, words)?;
            }
            "create_mask" => self.create_mask(op)?,
            "load" | "store" => self.vector_access(op, name == "store")?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn reduction(&mut self, op: Op<'_, '_>) -> Result {
        let kind = attributes::word(op, "kind").unwrap_or_default();
        let combine = match kind.as_str() {
            "add" => BinaryOp::Add,
            "mul" => BinaryOp::Mul,
            "minui" => BinaryOp::MinU,
            "minsi" => BinaryOp::MinS,
            "maxui" => BinaryOp::MaxU,
            "maxsi" => BinaryOp::MaxS,
            "minnumf" => BinaryOp::Min,
            "maxnumf" => BinaryOp::Max,
            "minimumf" => BinaryOp::MinNan,
            "maximumf" => BinaryOp::MaxNan,
            "and" => BinaryOp::And,
            "or" => BinaryOp::Or,
            "xor" => BinaryOp::Xor,
            _ => return Err(self.bad_attribute(op, "kind")),
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
        let all = rest.fold(first, |sum, element| self.arithmetic(combine, ty, sum, element));
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

    /// `vector.load` and `vector.store` of one row. Without an alignment the memref's elements give it.
    fn vector_access(&mut self, op: Op<'_, '_>, is_store: bool) -> Result {
        let base = usize::from(is_store);
        let ty = if is_store {
            self.operand_ty(op, 0)?
        } else {
            self.result_ty(op, 0)?
        };
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
        let stated = attributes::integer(op, "alignment").and_then(|alignment| u64::try_from(alignment).ok());
        let at = At {
            space: memref.ty.space,
            address: self.element_address(&memref, &indices),
            alignment: stated.filter(|alignment| *alignment > 0).unwrap_or(natural),
        };
        if is_store {
            let value = self.operand(op, 0)?;
            return self.store(op, &ty, at, &value);
        }
        let words = self.load(op, &ty, at)?;
        self.define(op, 0, words)
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
