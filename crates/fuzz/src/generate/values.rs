//! Operands: values in scope, or new ones.

use mytriton_ssa::{BinaryOp, CmpPred, Const, OpKind, Scalar, Shape, Type};

use super::{Generator, Known};
use crate::tree::Val;

impl Generator {
    pub fn any_type(&mut self) -> Type {
        let scalar = self.random.pick(&Scalar::ALL);
        Type::scalar(scalar).with_shape(self.shape())
    }

    /// A value of the type that is exact and defined: in scope, stretched, a constant, or loaded.
    pub fn plain(&mut self, ty: Type) -> Val {
        let scalar = ty.as_scalar().expect("a number");
        match self.random.weighted(&[10, 3, 3, 2]) {
            0 => self.in_scope(ty),
            1 if !ty.is_scalar() => self.stretched(ty),
            2 => {
                let value = self.random.element(scalar);
                Some(self.constant(value, ty))
            }
            3 if !self.is_full() => Some(self.fresh(ty)),
            _ => None,
        }
        .or_else(|| self.in_scope(ty))
        .unwrap_or_else(|| {
            let value = self.random.element(scalar);
            self.constant(value, ty)
        })
    }

    /// A plain value of the type that is in scope: one that nothing has used yet, or any, later ones more often.
    fn in_scope(&mut self, ty: Type) -> Option<Val> {
        let fitting: Vec<Val> = (self.pool.iter().copied())
            .filter(|&v| self.ty(v) == ty && self.is_plain(v))
            .collect();
        let unused: Vec<Val> = fitting.iter().copied().filter(|v| !self.used.contains(v)).collect();
        let from = if unused.is_empty() || self.random.one_in(3) {
            fitting
        } else {
            unused
        };
        if from.is_empty() {
            return None;
        }
        let back = self.random.below(from.len()).min(self.random.below(from.len()));
        Some(from[from.len() - 1 - back])
    }

    /// A plain value in scope of another shape, stretched to this one.
    fn stretched(&mut self, ty: Type) -> Option<Val> {
        let scalar = ty.as_scalar();
        let fitting: Vec<Val> = (self.pool.iter().copied())
            .filter(|&v| self.ty(v).as_scalar() == scalar && self.ty(v) != ty && self.is_plain(v))
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let value = self.random.pick(&fitting);
        let stretched = self.stretch(value, ty.shape)?;
        let known = self.known(value);
        self.known.insert(stretched, known);
        Some(stretched)
    }

    /// A value of the type, and the mask under which it is defined: at times what a masked load left undefined.
    pub fn perhaps_undefined(&mut self, ty: Type) -> (Val, Known) {
        let fitting: Vec<Val> = (self.pool.iter().copied())
            .filter(|&v| self.ty(v) == ty && self.known(v).when.is_some() && self.known(v).rule == crate::Rule::Exact)
            .collect();
        if !fitting.is_empty() && self.random.one_in(2) {
            let value = self.random.pick(&fitting);
            return (value, self.known(value));
        }
        let value = self.plain(ty);
        (value, self.known(value))
    }

    /// A mask for a shape: data, or a bound on the position along a dimension.
    pub fn mask(&mut self, shape: Shape) -> Val {
        let ty = Type::I1.with_shape(shape);
        if shape.is_scalar() || self.random.one_in(2) {
            return self.plain(ty);
        }
        let axis = self.random.below(shape.rank());
        let index = self.index_along(shape, axis, Scalar::I32);
        let extent = shape.dims()[axis] as usize;
        let limit = self.small(Scalar::I32, extent.min(8));
        let narrow = self.ty(index).shape;
        let limit = self.splat(limit, narrow);
        let pred = self.random.pick(&[CmpPred::Lt, CmpPred::LtU, CmpPred::Ge, CmpPred::Ne]);
        let mask = self.cmp(pred, index, limit);
        self.broadcast(mask, shape)
    }

    /// A scalar integer from 0 to `limit`, at most 8: known or not.
    pub fn small(&mut self, scalar: Scalar, limit: usize) -> Val {
        let ty = Type::scalar(scalar);
        let value = self.random.between(0, limit);
        match self.random.below(5) {
            0 | 1 => self.int(value as i64, ty),
            2 => self.number_param(Const::from_int(scalar, value as i128)),
            3 if limit >= 1 => {
                let any = self.plain(ty);
                let most = limit as i64;
                // As a bit mask if it is one, else by the remainder.
                if (limit + 1).is_power_of_two() {
                    self.with_int(BinaryOp::And, any, most)
                } else {
                    self.with_int(BinaryOp::RemU, any, most + 1)
                }
            }
            _ => self.loaded_small(scalar, limit),
        }
    }

    /// A value of the type without NaNs that arithmetic gave: `select(x == x, x, constant)`.
    pub fn without_nan(&mut self, x: Val) -> Val {
        if !self.known(x).loose_nan {
            return x;
        }
        let ty = self.ty(x);
        let number = self.cmp(CmpPred::Eq, x, x);
        let scalar = self.scalar_of(x);
        let other = self.random.element(scalar);
        let other = self.constant(other, ty);
        let value = self.select(number, x, other);
        self.keep(value, Known::default())
    }

    /// The position along a dimension, from 0, with extents of 1 in all others.
    pub fn index_along(&mut self, shape: Shape, axis: usize, int: Scalar) -> Val {
        let extent = shape.dims()[axis] as i32;
        let start = match self.random.below(8) {
            0 => self.random.between(0, 6) as i32 - 3,
            _ => 0,
        };
        let range = OpKind::Range {
            start,
            end: start + extent,
        };
        let mut index = self.op(range, &[], None);
        if start != 0 {
            index = self.with_int(BinaryOp::Sub, index, i64::from(start));
        }
        index = self.resize(index, int);
        // Dimensions in front and behind, in any order.
        let (mut front, mut behind) = (axis, shape.rank() - 1 - axis);
        while front + behind > 0 {
            let axis = if behind == 0 || (front > 0 && self.random.one_in(2)) {
                front -= 1;
                0
            } else {
                behind -= 1;
                self.ty(index).shape.rank()
            };
            index = self.op(OpKind::ExpandDims { axis }, &[index], None);
        }
        index
    }
}
