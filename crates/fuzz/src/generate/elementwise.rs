//! Operations on elements, and on shapes.

use mytriton_ssa::{BinaryOp, CastKind, CmpPred, Const, OpKind, Scalar, Shape, Type, UnaryOp, Undefined};

use super::{Combination, Generator, Known, combinations};
use crate::rule::Rule;
use crate::tree::Val;

impl Generator {
    /// Any element-wise operation on any type that it takes.
    pub fn elementwise(&mut self) {
        let all = combinations();
        let approximate = self.approximate && self.random.one_in(2);
        let combination = self.owed.pop().map(|index| &all[index]).unwrap_or_else(|| {
            loop {
                let one = &all[self.random.below(all.len())];
                if (one.rule() != Rule::Exact) == approximate {
                    break one;
                }
            }
        });
        let shape = self.shape();
        let ty = Type::scalar(combination.operand).with_shape(shape);
        match combination.kind {
            OpKind::Binary(op) if let Some(undefined) = op.undefined() => {
                let value = self.division(op, undefined, ty);
                self.keep_computed(value);
            }
            OpKind::Select => self.selection(ty),
            OpKind::Cast(CastKind::Bitcast) => {
                let x = self.plain(ty);
                let x = self.without_nan(x);
                let value = self.op(
                    combination.kind.clone(),
                    &[x],
                    combination.to.map(|to| ty.with_scalar(to)),
                );
                self.keep(value, Known::default());
            }
            _ => self.computation(combination, ty),
        }
    }

    fn computation(&mut self, combination: &Combination, ty: Type) {
        let (first, known) = self.perhaps_undefined(ty);
        let mut operands = vec![first];
        let second = ty.with_scalar(combination.second());
        while operands.len() < combination.operands() {
            let last = match combination.kind {
                // Amounts beyond the width mean something too, but should not be all.
                OpKind::Binary(BinaryOp::Shl | BinaryOp::ShrS | BinaryOp::ShrU) if self.random.one_in(2) => {
                    let amount = self.random.below(ty.as_scalar().map_or(1, Scalar::bits) as usize);
                    self.int(amount as i64, ty)
                }
                _ if second == ty && self.random.one_in(12) && known.when.is_none() => first,
                _ => self.plain(second),
            };
            operands.push(last);
        }
        if operands.len() == 2 && second == ty && self.random.one_in(2) {
            operands.swap(0, 1);
        }
        let value = self.op(
            combination.kind.clone(),
            &operands,
            combination.to.map(|to| ty.with_scalar(to)),
        );
        let loose_nan = self.ty(value).is_float();
        self.keep(
            value,
            Known {
                rule: combination.rule(),
                loose_nan,
                when: known.when,
            },
        );
    }

    /// A quotient or remainder whose undefined elements nothing sees.
    fn division(&mut self, op: BinaryOp, undefined: Undefined, ty: Type) -> Val {
        let scalar = ty.as_scalar().expect("an integer type");
        let signed = undefined == Undefined::ByZeroOrOverflow;
        let x = self.plain(ty);
        let all = scalar.bit_mask();
        match self.random.below(4) {
            // A constant that divides everything.
            0 => {
                let divisor = loop {
                    let divisor = self.random.element(scalar);
                    if !undefined.may_be_for(divisor) {
                        break divisor;
                    }
                };
                let divisor = self.constant(divisor, ty);
                self.binary(op, x, divisor)
            }
            // A divisor made odd, and positive where signs count.
            1 => {
                let mut divisor = self.plain(ty);
                if signed {
                    divisor = self.with_int(BinaryOp::And, divisor, (all >> 1) as i64);
                }
                let divisor = self.with_int(BinaryOp::Or, divisor, 1);
                self.binary(op, x, divisor)
            }
            // A divisor replaced where it is bad.
            2 => {
                let divisor = self.plain(ty);
                let mut is_bad = self.compare_with_int(CmpPred::Eq, divisor, 0);
                if signed {
                    let minus_one = self.compare_with_int(CmpPred::Eq, divisor, -1);
                    is_bad = self.binary(BinaryOp::Or, is_bad, minus_one);
                }
                let one = self.int(1, ty);
                let divisor = self.select(is_bad, one, divisor);
                self.binary(op, x, divisor)
            }
            // A result replaced where it is undefined.
            _ => {
                let divisor = self.plain(ty);
                let quotient = self.binary(op, x, divisor);
                let mut is_bad = self.compare_with_int(CmpPred::Eq, divisor, 0);
                if signed {
                    let minus_one = self.compare_with_int(CmpPred::Eq, divisor, -1);
                    let least = Const::from_bits(scalar, (all >> 1) + 1);
                    let least = self.constant(least, ty);
                    let least = self.cmp(CmpPred::Eq, x, least);
                    let overflows = self.binary(BinaryOp::And, minus_one, least);
                    is_bad = self.binary(BinaryOp::Or, is_bad, overflows);
                }
                let other = self.plain(ty);
                self.select(is_bad, other, quotient)
            }
        }
    }

    fn compare_with_int(&mut self, pred: CmpPred, x: Val, value: i64) -> Val {
        let ty = self.ty(x);
        let value = self.int(value, ty);
        self.cmp(pred, x, value)
    }

    /// A choice by one condition for all elements or one for each.
    fn selection(&mut self, ty: Type) {
        let shape = if self.random.one_in(3) { Shape::SCALAR } else { ty.shape };
        let condition = self.plain(Type::I1.with_shape(shape));
        let (a, b) = (self.plain(ty), self.plain(ty));
        let value = self.select(condition, a, b);
        let loose_nan = self.known(a).loose_nan || self.known(b).loose_nan;
        self.keep(
            value,
            Known {
                loose_nan,
                ..Known::default()
            },
        );
    }

    /// Moves what is not plain: gives undefined elements a value, or moves an approximate result.
    pub fn touch_inexact(&mut self) {
        let inexact: Vec<Val> = self.pool.iter().copied().filter(|&v| !self.is_plain(v)).collect();
        if inexact.is_empty() {
            return self.elementwise();
        }
        let x = self.random.pick(&inexact);
        let (known, ty) = (self.known(x), self.ty(x));
        if let Some(mask) = known.when {
            let other = self.plain(ty);
            let value = self.select(mask, x, other);
            let loose_nan = known.loose_nan || self.known(other).loose_nan;
            let known = Known {
                when: None,
                loose_nan,
                ..known
            };
            self.keep(value, known);
            return;
        }
        let known = Known {
            loose_nan: true,
            ..known
        };
        let wider: Vec<Scalar> = (Scalar::ALL.into_iter())
            .filter(|s| s.is_float() && s.bits() > self.scalar_of(x).bits())
            .collect();
        let value = match self.random.below(4) {
            0 => self.op(OpKind::Unary(UnaryOp::Neg), &[x], None),
            1 => self.op(OpKind::Unary(UnaryOp::Abs), &[x], None),
            2 if !wider.is_empty() => {
                let to = ty.with_scalar(self.random.pick(&wider));
                self.op(OpKind::Cast(CastKind::FExt), &[x], Some(to))
            }
            _ => {
                let condition = self.plain(Type::I1.with_shape(ty.shape));
                let other = self.plain(ty);
                self.select(condition, x, other)
            }
        };
        self.keep(value, known);
    }

    /// A value in another of the kernel's shapes.
    pub fn reshape(&mut self) {
        if self.pool.is_empty() {
            return self.elementwise();
        }
        let pool = self.pool.clone();
        let value = self.random.pick(&pool);
        let (shape, known) = (self.shape(), self.known(value));
        let from = self.ty(value).shape;
        if known.when.is_some() || from == shape {
            return self.elementwise();
        }
        let room = from.rank() < 4 && !from.is_scalar();
        let moved = match self.stretch(value, shape) {
            Some(moved) => moved,
            // A shape of its own.
            None if room => {
                let axis = self.random.below(from.rank() + 1);
                self.op(OpKind::ExpandDims { axis }, &[value], None)
            }
            None => return,
        };
        self.keep(moved, known);
    }
}
