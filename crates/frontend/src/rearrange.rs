//! Builtins whose elements come from elsewhere: joined, split, chosen by index, counted.

use mytriton_ssa::{OpKind, Permutation, Shape, ValueId};

use crate::arith::{BinOp, CmpOp};
use crate::dtype::{DType, DisplayShape, ValueType};
use crate::expr::{Expr, IntoExpr};
use crate::site::{Built, Operand, Site};

impl<'k> Site<'k> {
    /// Two values of one shape (or that broadcast to one) side by side, along a new last dimension of extent 2: index 0 is
    /// `a`, index 1 is `b`. Of two scalars it makes a tile of extent 2.
    pub fn join(self, a: impl IntoExpr<'k>, b: impl IntoExpr<'k>) -> Expr<'k> {
        let (a, b) = (self.lift(a), self.lift(b));
        let built = self.joined("join", a, b);
        self.done(built.map(|(id, ty)| self.value(id, ty)))
    }

    /// The two halves of a tile along its last dimension, whose extent is 2: what [`Site::join`] made it of.
    pub fn split(self, x: impl IntoExpr<'k>) -> (Expr<'k>, Expr<'k>) {
        let x = self.lift(x);
        let built = (|| {
            let (id, ty) = self.tile("split", x)?;
            let Some((2, rest)) = ty.shape.dims().split_last() else {
                return self.fail(format!("split of {ty}: it halves a tile whose last extent is 2"));
            };
            let half = ty.with_shape(self.checked_shape(rest)?);
            let halves = self
                .k
                .emit_with_regions(self.loc, OpKind::Split, &[id], &[half, half], &[]);
            let mut halves = halves.into_iter().map(|repr| Expr::new(self.k, repr));
            Some((halves.next()?, halves.next()?))
        })();
        built.unwrap_or((self.poison(), self.poison()))
    }

    /// The elements of two tiles in turn along the last dimension: a0, b0, a1, b1, ... Two scalars make a tile of extent 2.
    pub fn interleave(self, a: impl IntoExpr<'k>, b: impl IntoExpr<'k>) -> Expr<'k> {
        let (a, b) = (self.lift(a), self.lift(b));
        let built = (|| {
            let (id, ty) = self.joined("interleave", a, b)?;
            let dims = ty.shape.dims();
            let shape = match dims {
                [rest @ .., last, two] => self.checked_shape(&[rest, &[last * two]].concat())?,
                _ => ty.shape,
            };
            Some(self.value(self.reshaped(id, ty, shape)?, ty.with_shape(shape)))
        })();
        self.done(built)
    }

    /// The elements of one tile of rank 1 and then those of another, of any extents.
    pub fn cat(self, a: impl IntoExpr<'k>, b: impl IntoExpr<'k>) -> Expr<'k> {
        let (a, b) = (self.lift(a), self.lift(b));
        let built = (|| {
            let (left, right) = (self.tile("cat", a), self.tile("cat", b));
            let (left, right) = (left?, right?);
            let extents = [left, right].map(|(_, ty)| ty.shape);
            let (&[n], &[m]) = (extents[0].dims(), extents[1].dims()) else {
                let (left, right) = (left.1, right.1);
                return self.fail(format!("cat takes two tiles of rank 1, not {left} and {right}"));
            };
            let shape = self.checked_shape(&[n + m])?;
            if n != m {
                // Both at every index, one of them at some place that it has.
                let at = self.range(0, i64::from(n + m));
                let first = self.minimum(at, self.int(i128::from(n) - 1));
                let second = self.maximum(self.binary(BinOp::Sub, at, self.int(n.into())), self.int(0));
                let [first, second] = [self.gather(a, first, 0), self.gather(b, second, 0)];
                return Some(self.select(self.compare(CmpOp::Lt, at, self.int(n.into())), first, second));
            }
            let (id, ty) = self.joined("cat", a, b)?;
            let Ok(permutation) = Permutation::new(&[1, 0]) else {
                return self.fail("internal error: an order of two dimensions");
            };
            let turned = ty.with_shape(self.checked_shape(&[2, n])?);
            let id = self.emit(OpKind::Transpose { permutation }, &[id], turned)?;
            Some(self.value(self.reshaped(id, turned, shape)?, ty.with_shape(shape)))
        })();
        self.done(built)
    }

    /// All elements of a tile, in row-major order, in one dimension.
    pub fn ravel(self, x: impl IntoExpr<'k>) -> Expr<'k> {
        let x = self.lift(x);
        let built = (|| {
            let (id, ty) = self.tile("ravel", x)?;
            let shape = self.checked_shape(&[ty.shape.elements() as u32])?;
            Some(self.value(self.reshaped(id, ty, shape)?, ty.with_shape(shape)))
        })();
        self.done(built)
    }

    /// The tile with its elements along an axis in the opposite order.
    pub fn flip(self, x: impl IntoExpr<'k>, axis: impl IntoExpr<'k>) -> Expr<'k> {
        let (x, axis) = (self.lift(x), self.lift(axis));
        let built = (|| {
            let (id, ty) = self.tile("flip", x)?;
            self.number_type("flip", ty)?;
            let axis = self.axis_of("flip", axis, ty)?;
            let extent = i64::from(ty.shape.dims()[axis]);
            let line = self.binary(BinOp::Sub, self.int(i128::from(extent) - 1), self.range(0, extent));
            let (id, ty) = self.taken(id, ty, axis, line)?;
            Some(self.value(id, ty))
        })();
        self.done(built)
    }

    /// Elements of a tile chosen along an axis: in the shape of `index`, the element at `i...` is that of `x` at `i...` with
    /// the coordinate along the axis replaced by `index[i...]`. The extents of both are equal, but along the axis. An index
    /// outside of the axis gives an unspecified value; on the CPU device its use is an error.
    pub fn gather(self, x: impl IntoExpr<'k>, index: impl IntoExpr<'k>, axis: impl IntoExpr<'k>) -> Expr<'k> {
        let (x, index, axis) = (self.lift(x), self.lift(index), self.lift(axis));
        let built = (|| {
            let (id, ty) = self.tile("gather", x)?;
            self.number_type("gather", ty)?;
            let (by, by_ty) = self.tile("gather", index)?;
            let axis = self.axis_of("gather", axis, ty)?;
            let Some(dtype) = by_ty.dtype().filter(|t| t.is_int()) else {
                return self.fail(format!("the index of gather is a tile of integers, not {by_ty}"));
            };
            let (from, to) = (ty.shape.dims(), by_ty.shape.dims());
            let fit = from.len() == to.len() && (0..from.len()).all(|d| d == axis || from[d] == to[d]);
            if !fit {
                let (from, to) = (DisplayShape(ty.shape), DisplayShape(by_ty.shape));
                return self.fail(format!(
                    "gather along axis {axis}: the extents of tile and index are equal, but along the axis; {from} and {to} \
                     are not"
                ));
            }
            let by = self.unsigned_index(by, by_ty, dtype, from[axis])?;
            self.op(OpKind::Gather { axis }, &[id, by], ty.with_shape(by_ty.shape))
        })();
        self.done(built)
    }

    /// How many elements of a tile of integers are 0, 1, ... `bins` - 1, as `i32`. Others are not counted.
    pub fn histogram(self, x: impl IntoExpr<'k>, bins: impl IntoExpr<'k>) -> Expr<'k> {
        let (x, bins) = (self.lift(x), self.lift(bins));
        let built = self.counted(x, bins, None);
        self.done(built)
    }

    /// The same of the elements whose mask, which broadcasts to the shape of `x`, holds.
    pub fn histogram_masked(self, x: impl IntoExpr<'k>, bins: impl IntoExpr<'k>, mask: impl IntoExpr<'k>) -> Expr<'k> {
        let (x, bins, mask) = (self.lift(x), self.lift(bins), self.lift(mask));
        let built = self.counted(x, bins, Some(mask));
        self.done(built)
    }

    fn counted(self, x: Expr<'k>, bins: Expr<'k>, mask: Option<Expr<'k>>) -> Built<Expr<'k>> {
        let (id, ty) = self.tile("histogram", x)?;
        let dtype = ty.dtype().filter(|t| !t.is_float());
        let Some(dtype) = dtype else {
            return self.fail(format!("histogram takes a tile of integers, not {ty}"));
        };
        let number = self.known_int("the number of bins", bins)?;
        let Some(bins) = u32::try_from(number).ok().filter(|&bins| bins > 0) else {
            return self.fail(format!("histogram into {number} bins: it takes 1 or more"));
        };
        let counts = ValueType::scalar(DType::I32).with_shape(self.checked_shape(&[bins])?);
        let mut operands = vec![self.unsigned_index(id, ty, dtype, bins)?];
        if let Some(mask) = mask {
            let mask = self.operand("the mask of histogram", mask)?;
            self.require_bool("the mask of histogram", mask)?;
            if mask.shape().broadcast(&ty.shape) != Ok(ty.shape) {
                let (from, to) = (DisplayShape(mask.shape()), DisplayShape(ty.shape));
                return self.fail(format!(
                    "the mask of histogram, of shape {from}, does not broadcast to {to}"
                ));
            }
            operands.push(self.convert(mask, DType::Bool, ty.shape)?);
        }
        self.op(OpKind::Histogram, &operands, counts)
    }

    /// Integers whose meaning as unsigned numbers decides what is below `limit`: signed ones that are too short for it are
    /// extended, so that no negative one is.
    fn unsigned_index(self, id: ValueId, ty: ValueType, dtype: DType, limit: u32) -> Built<ValueId> {
        let signed = dtype.is_int() && !dtype.is_unsigned();
        if signed && dtype.bits() < 32 && limit > 1 << (dtype.bits() - 1) {
            return self.cast_value(id, ty, DType::I32);
        }
        Some(id)
    }

    /// The element type of a tile of numbers.
    pub(crate) fn number_type(self, what: &str, ty: ValueType) -> Built<DType> {
        match ty.dtype() {
            Some(dtype) => Some(dtype),
            None => self.fail(format!("{what} takes numbers, not {ty}")),
        }
    }

    /// Two values in their common type and shape, joined.
    fn joined(self, name: &str, a: Expr<'k>, b: Expr<'k>) -> Built<(ValueId, ValueType)> {
        let ([x, y], ty, _) = self.common(name, [a, b])?;
        let shape = match ty.shape.append(2) {
            Ok(shape) => shape,
            Err(e) => return self.fail(format!("{name} of {ty}: {e}")),
        };
        let dtype = ty.dtype()?;
        let parts = [x, y].map(|part: Operand| self.convert(part, dtype, ty.shape));
        let joined = ty.with_shape(shape);
        Some((self.emit(OpKind::Join, &[parts[0]?, parts[1]?], joined)?, joined))
    }

    /// The elements of a tile at the given coordinates of an axis, a tile of `i32` of rank 1 that are all inside.
    pub(crate) fn taken(
        self,
        id: ValueId,
        ty: ValueType,
        axis: usize,
        coordinates: Expr<'k>,
    ) -> Built<(ValueId, ValueType)> {
        let mut dims = ty.shape.dims().to_vec();
        dims[axis] = coordinates.ty()?.shape.elements() as u32;
        let ty = ty.with_shape(self.checked_shape(&dims)?);
        let index = self.spread(coordinates, ty.shape, axis)?;
        Some((self.emit(OpKind::Gather { axis }, &[id, index], ty)?, ty))
    }

    /// A tile of rank 1 as an axis of a shape, repeated along the others.
    pub(crate) fn spread(self, line: Expr<'k>, shape: Shape, axis: usize) -> Built<ValueId> {
        let new: Vec<bool> = (0..shape.rank()).map(|d| d != axis).collect();
        let line = self.at_dims(line, &new);
        self.broadcast_value(line.value_id()?, line.ty()?, shape)
    }
}

impl<'k> Expr<'k> {
    /// Two values side by side along a new last dimension: see [`Site::join`].
    #[track_caller]
    pub fn join(self, other: impl IntoExpr<'k>) -> Expr<'k> {
        self.here().join(self, other)
    }

    /// The two halves along the last dimension, whose extent is 2.
    #[track_caller]
    pub fn split(self) -> (Expr<'k>, Expr<'k>) {
        self.here().split(self)
    }

    /// The elements of two tiles in turn along the last dimension.
    #[track_caller]
    pub fn interleave(self, other: impl IntoExpr<'k>) -> Expr<'k> {
        self.here().interleave(self, other)
    }

    /// The elements of one tile of rank 1 and then those of another.
    #[track_caller]
    pub fn cat(self, other: impl IntoExpr<'k>) -> Expr<'k> {
        self.here().cat(self, other)
    }

    /// All elements in one dimension.
    #[track_caller]
    pub fn ravel(self) -> Expr<'k> {
        self.here().ravel(self)
    }

    /// The elements along an axis in the opposite order.
    #[track_caller]
    pub fn flip(self, axis: impl IntoExpr<'k>) -> Expr<'k> {
        self.here().flip(self, axis)
    }

    /// Elements chosen along an axis: see [`Site::gather`].
    #[track_caller]
    pub fn gather(self, index: impl IntoExpr<'k>, axis: impl IntoExpr<'k>) -> Expr<'k> {
        self.here().gather(self, index, axis)
    }

    /// How many elements are 0, 1, ... `bins` - 1.
    #[track_caller]
    pub fn histogram(self, bins: impl IntoExpr<'k>) -> Expr<'k> {
        self.here().histogram(self, bins)
    }

    /// The same of the elements whose mask holds.
    #[track_caller]
    pub fn histogram_masked(self, bins: impl IntoExpr<'k>, mask: impl IntoExpr<'k>) -> Expr<'k> {
        self.here().histogram_masked(self, bins, mask)
    }
}
