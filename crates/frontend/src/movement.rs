//! Builtins that give a tile's elements another arrangement.

use mytriton_ssa::{OpKind, Permutation, Shape, ValueId};

use crate::dtype::{DisplayShape, ValueType};
use crate::expr::{Expr, IntoExpr};
use crate::shape::IntoShape;
use crate::site::{Built, Operand, Site};

impl<'k> Site<'k> {
    /// The elements of `value`, in row-major order, as a tile of another shape with as many.
    pub fn reshape(self, value: impl IntoExpr<'k>, shape: impl IntoShape<'k>) -> Expr<'k> {
        let value = self.lift(value);
        let built = (|| {
            let (id, ty) = self.materialise(self.operand("reshape", value)?)?;
            let shape = self.shape_of(shape)?;
            let (from, to) = (ty.shape.elements(), shape.elements());
            if from != to {
                let shape = DisplayShape(shape);
                return self.fail(format!(
                    "reshape of {ty} to {shape}: it has {from} element(s), the shape {to}"
                ));
            }
            let id = self.reshaped(id, ty, shape)?;
            Some(self.value(id, ty.with_shape(shape)))
        })();
        self.done(built)
    }

    /// The same elements in another shape of as many.
    pub(crate) fn reshaped(self, id: ValueId, ty: ValueType, shape: Shape) -> Built<ValueId> {
        if ty.shape == shape {
            return Some(id);
        }
        self.emit(OpKind::Reshape, &[id], ty.with_shape(shape))
    }

    /// The tile with its dimensions in another order: dimension `i` of the result is dimension `order[i]` of `value`.
    /// Negative dimensions count from the end.
    pub fn permute(self, value: impl IntoExpr<'k>, order: impl IntoShape<'k>) -> Expr<'k> {
        let value = self.lift(value);
        let built = (|| {
            let (id, ty) = self.tile("permute", value)?;
            let mut axes = Vec::new();
            for axis in order.extents(self) {
                axes.push(self.axis_of("permute", axis, ty)?);
            }
            let permutation = Permutation::new(&axes).ok().filter(|p| p.rank() == ty.shape.rank());
            match permutation {
                Some(permutation) => self.permuted(id, ty, permutation),
                None => self.fail(format!(
                    "permute of {ty} by {axes:?}: the order names each of its {} dimension(s) once",
                    ty.shape.rank()
                )),
            }
        })();
        self.done(built)
    }

    /// The tile with its last two dimensions exchanged: of a matrix, the transpose.
    pub fn trans(self, value: impl IntoExpr<'k>) -> Expr<'k> {
        let value = self.lift(value);
        let built = (|| {
            let (id, ty) = self.tile("trans", value)?;
            let rank = ty.shape.rank();
            if rank < 2 {
                return self.fail(format!("trans exchanges the last two dimensions: {ty} has one"));
            }
            let mut axes: Vec<usize> = (0..rank).collect();
            axes.swap(rank - 2, rank - 1);
            match Permutation::new(&axes) {
                Ok(permutation) => self.permuted(id, ty, permutation),
                Err(e) => self.fail(e.to_string()),
            }
        })();
        self.done(built)
    }

    fn permuted(self, id: ValueId, ty: ValueType, permutation: Permutation) -> Built<Expr<'k>> {
        let Some(shape) = permutation.apply(&ty.shape) else {
            return self.fail("internal error: an order of another rank");
        };
        self.op(OpKind::Transpose { permutation }, &[id], ty.with_shape(shape))
    }

    /// An operand that must be a tile.
    pub(crate) fn tile(self, what: &str, expr: Expr<'k>) -> Built<(ValueId, ValueType)> {
        match self.operand(what, expr)? {
            Operand::Value(id, ty) if !ty.shape.is_scalar() => Some((id, ty)),
            _ => self.fail(format!("{what} takes a tile, not {}", crate::site::describe(expr))),
        }
    }

    /// The number of a dimension of a tile; negative ones count from the end.
    pub(crate) fn axis_of(self, what: &str, axis: Expr<'k>, ty: ValueType) -> Built<usize> {
        let number = self.known_int(&format!("the axis of {what}"), axis)?;
        let rank = ty.shape.rank() as i128;
        let place = if number < 0 { number + rank } else { number };
        if (0..rank).contains(&place) {
            return Some(place as usize);
        }
        self.fail(format!(
            "{what} of {ty} along axis {number}: the axis is {} to {}",
            -rank,
            rank - 1
        ))
    }
}

impl<'k> Expr<'k> {
    /// The same elements, in row-major order, in another shape.
    #[track_caller]
    pub fn reshape(self, shape: impl IntoShape<'k>) -> Expr<'k> {
        self.here().reshape(self, shape)
    }

    /// The dimensions in another order: dimension `i` of the result is dimension `order[i]`.
    #[track_caller]
    pub fn permute(self, order: impl IntoShape<'k>) -> Expr<'k> {
        self.here().permute(self, order)
    }

    /// The last two dimensions exchanged.
    #[track_caller]
    pub fn trans(self) -> Expr<'k> {
        self.here().trans(self)
    }
}
