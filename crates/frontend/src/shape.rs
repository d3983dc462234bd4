//! Casts, and builtins that make or rearrange tiles.

use mytriton_ssa::{Axis, BinaryOp, CastKind, CmpPred, Const, OpKind, Shape, ValueId};

use crate::dtype::{DType, DisplayShape, Kind, ValueType};
use crate::expr::{Expr, IntoExpr};
use crate::literal::{Literal, Number};
use crate::site::{Built, Operand, Site};

/// What can say a shape: one extent, or an array or tuple of extents, each a compile-time constant.
#[diagnostic::on_unimplemented(
    message = "this is no shape",
    label = "a shape is an extent, or an array or tuple of extents, each a compile-time constant"
)]
pub trait IntoShape<'k> {
    /// The extents, outermost first.
    fn extents(self, site: Site<'k>) -> Vec<Expr<'k>>;
}

impl<'k, T: IntoExpr<'k>> IntoShape<'k> for T {
    fn extents(self, site: Site<'k>) -> Vec<Expr<'k>> {
        vec![site.lift(self)]
    }
}

impl<'k, T: IntoExpr<'k>, const N: usize> IntoShape<'k> for [T; N] {
    fn extents(self, site: Site<'k>) -> Vec<Expr<'k>> {
        self.into_iter().map(|e| site.lift(e)).collect()
    }
}

macro_rules! shape_tuple {
    ($($name:ident $index:tt),*) => {
        impl<'k, $($name: IntoExpr<'k>),*> IntoShape<'k> for ($($name,)*) {
            fn extents(self, site: Site<'k>) -> Vec<Expr<'k>> {
                vec![$(site.lift(self.$index)),*]
            }
        }
    };
}

shape_tuple!(A 0);
shape_tuple!(A 0, B 1);
shape_tuple!(A 0, B 1, C 2);
shape_tuple!(A 0, B 1, C 2, D 3);
shape_tuple!(A 0, B 1, C 2, D 3, E 4);

impl<'k> Site<'k> {
    /// This program's index along dimension `axis` (0, 1 or 2) of the grid, an `i32`.
    pub fn program_id(self, axis: impl IntoExpr<'k>) -> Expr<'k> {
        let axis = self.lift(axis);
        self.grid_op("program_id", axis, OpKind::ProgramId)
    }

    /// The extent of dimension `axis` (0, 1 or 2) of the grid, an `i32`.
    pub fn num_programs(self, axis: impl IntoExpr<'k>) -> Expr<'k> {
        let axis = self.lift(axis);
        self.grid_op("num_programs", axis, OpKind::NumPrograms)
    }

    fn grid_op(self, what: &str, axis: Expr<'k>, kind: fn(Axis) -> OpKind) -> Expr<'k> {
        let built = (|| {
            let number = self.known_int(&format!("the axis of {what}"), axis)?;
            match usize::try_from(number).ok().and_then(Axis::from_index) {
                Some(axis) => self.op(kind(axis), &[], ValueType::scalar(DType::I32)),
                None => self.fail(format!("{what}({number}): a grid has the axes 0, 1 and 2")),
            }
        })();
        self.done(built)
    }

    /// The tile `start, start + 1, ... end - 1` of `i32`; the bounds are known at compile time.
    pub fn range(self, start: impl IntoExpr<'k>, end: impl IntoExpr<'k>) -> Expr<'k> {
        let (start, end) = (self.lift(start), self.lift(end));
        let built = (|| {
            let start = self.known_int("the start of range", start)?;
            let end = self.known_int("the end of range", end)?;
            let (Ok(first), Ok(last)) = (i32::try_from(start), i32::try_from(end)) else {
                return self.fail(format!("range({start}, {end}): the bounds are i32 values"));
            };
            let extent = u32::try_from(end - start).ok().filter(|&e| e > 0);
            let Some(extent) = extent else {
                return self.fail(format!("range({start}, {end}) is empty: the end is above the start"));
            };
            let shape = self.checked_shape(&[extent])?;
            let kind = OpKind::Range {
                start: first,
                end: last,
            };
            self.op(kind, &[], ValueType::scalar(DType::I32).with_shape(shape))
        })();
        self.done(built)
    }

    /// A tile with `value` in every element. `dtype` is the element type; see [`Site::splat`] to keep the value's.
    pub fn full(self, shape: impl IntoShape<'k>, value: impl IntoExpr<'k>, dtype: impl IntoExpr<'k>) -> Expr<'k> {
        let (value, dtype) = (self.lift(value), self.lift(dtype));
        let built = (|| {
            let shape = self.shape_of(shape)?;
            let dtype = self.dtype_operand("full", dtype)?;
            self.filled("full", value, Some(dtype), shape)
        })();
        self.done(built)
    }

    /// A tile of zeros.
    pub fn zeros(self, shape: impl IntoShape<'k>, dtype: impl IntoExpr<'k>) -> Expr<'k> {
        self.full(shape, 0, dtype)
    }

    /// A tile (or scalar) of zeros in the shape and element type of a value.
    pub fn zeros_like(self, value: impl IntoExpr<'k>) -> Expr<'k> {
        let value = self.lift(value);
        let built = (|| {
            let operand = self.operand("zeros_like", value)?;
            let dtype = match operand {
                Operand::Value(_, ty) => self.number_type("zeros_like", ty)?,
                Operand::Literal(literal) => self.own_type(literal)?,
            };
            self.filled("zeros_like", self.int(0), Some(dtype), operand.shape())
        })();
        self.done(built)
    }

    /// A tile with the scalar `value`, in its own type, in every element.
    pub fn splat(self, value: impl IntoExpr<'k>, shape: impl IntoShape<'k>) -> Expr<'k> {
        let value = self.lift(value);
        let built = (|| {
            let shape = self.shape_of(shape)?;
            self.filled("splat", value, None, shape)
        })();
        self.done(built)
    }

    fn filled(self, what: &str, value: Expr<'k>, dtype: Option<DType>, shape: Shape) -> Built<Expr<'k>> {
        let operand = self.operand(what, value)?;
        if !operand.shape().is_scalar() {
            let shape = DisplayShape(operand.shape());
            return self.fail(format!("{what} fills with a scalar, not a tile of shape {shape}"));
        }
        let ty = match (operand, dtype) {
            (_, Some(dtype)) => ValueType::scalar(dtype),
            (Operand::Value(_, ty), None) => ty,
            (Operand::Literal(literal), None) => ValueType::scalar(self.own_type(literal)?),
        };
        let id = match (operand, ty.dtype()) {
            (Operand::Literal(literal), Some(dtype)) => {
                // A float where an integer is wanted is cast as `as` would; a number of no higher kind must fit.
                let constant = if literal.value.kind() <= dtype.kind() {
                    self.fit(literal, dtype)?
                } else {
                    literal.value.cast(dtype)
                };
                self.emit(OpKind::Const(constant), &[], ty.with_shape(shape))?
            }
            (_, Some(dtype)) => self.convert(operand, dtype, shape)?,
            (_, None) => {
                let (id, from) = self.materialise(operand)?;
                self.broadcast_value(id, from, shape)?
            }
        };
        Some(self.value(id, ty.with_shape(shape)))
    }

    /// `value` with a new dimension of extent 1 at `axis` of the result; negative axes count from the result's end.
    pub fn expand_dims(self, value: impl IntoExpr<'k>, axis: impl IntoExpr<'k>) -> Expr<'k> {
        let (value, axis) = (self.lift(value), self.lift(axis));
        let built = (|| {
            let axis = self.known_int("the axis of expand_dims", axis)?;
            let (id, ty) = match self.operand("expand_dims", value)? {
                Operand::Value(id, ty) => (id, ty),
                Operand::Literal(l) => return self.fail(format!("expand_dims takes a tile, not {}", l.value)),
            };
            let rank = ty.shape.rank() as i128;
            let place = if axis < 0 { axis + rank + 1 } else { axis };
            let shape = match usize::try_from(place).map(|p| ty.shape.expand(p)) {
                Ok(Ok(shape)) => shape,
                _ => {
                    return self.fail(format!(
                        "expand_dims of {ty} at {axis}: the axis is {} to {rank}",
                        -rank - 1
                    ));
                }
            };
            if ty.shape.is_scalar() {
                return self.op(OpKind::Splat, &[id], ty.with_shape(shape));
            }
            let kind = OpKind::ExpandDims { axis: place as usize };
            self.op(kind, &[id], ty.with_shape(shape))
        })();
        self.done(built)
    }

    /// `value` with new dimensions where `new` holds, and its own, in order, elsewhere: `at(.., None)` of the source.
    pub fn at_dims(self, value: impl IntoExpr<'k>, new: &[bool]) -> Expr<'k> {
        let value = self.lift(value);
        let rank = value.ty().map_or(0, |t| t.shape.rank());
        let kept = new.iter().filter(|&&n| !n).count();
        if !value.is_poison() && kept != rank {
            let got = crate::site::describe(value);
            return self.error(format!(
                "the index keeps {kept} dimension(s) (`..`), but this is {got}: one `..` for each dimension, `None` for each new one"
            ));
        }
        let axes = new.iter().enumerate().filter(|&(_, &n)| n);
        axes.fold(value, |v, (axis, _)| self.expand_dims(v, axis))
    }

    /// `value` stretched to `shape`: its shape is padded with 1 on the left, and extents of 1 are repeated.
    pub fn broadcast_to(self, value: impl IntoExpr<'k>, shape: impl IntoShape<'k>) -> Expr<'k> {
        let value = self.lift(value);
        let built = (|| {
            let shape = self.shape_of(shape)?;
            let (id, ty) = self.materialise(self.operand("broadcast_to", value)?)?;
            if ty.shape.broadcast(&shape) != Ok(shape) {
                return self.fail(format!("{ty} does not broadcast to the shape {}", DisplayShape(shape)));
            }
            let id = self.broadcast_value(id, ty, shape)?;
            Some(self.value(id, ty.with_shape(shape)))
        })();
        self.done(built)
    }

    /// `value as dtype`: to `bool` it is `!= 0`; integers wrap; floats to integers truncate and saturate, NaN giving 0;
    /// to floats it rounds once to nearest even.
    pub fn cast(self, value: impl IntoExpr<'k>, dtype: impl IntoExpr<'k>) -> Expr<'k> {
        let (value, dtype) = (self.lift(value), self.lift(dtype));
        let built = (|| {
            let dtype = self.dtype_operand("a cast", dtype)?;
            match self.operand("a cast", value)? {
                Operand::Literal(literal) => Some(self.lift(Literal::fixed(literal.value, dtype))),
                Operand::Value(id, ty) => {
                    let id = self.cast_value(id, ty, dtype)?;
                    Some(self.value(id, ty.with_dtype(dtype)))
                }
            }
        })();
        self.done(built)
    }

    /// The bits of `value` as another type of the same width.
    pub fn bitcast(self, value: impl IntoExpr<'k>, dtype: impl IntoExpr<'k>) -> Expr<'k> {
        let (value, dtype) = (self.lift(value), self.lift(dtype));
        let built = (|| {
            let dtype = self.dtype_operand("bitcast", dtype)?;
            let (id, ty) = self.materialise(self.operand("bitcast", value)?)?;
            let to = ty.with_dtype(dtype);
            match ty.dtype() {
                Some(from) if from.bits() != dtype.bits() => self.fail(format!(
                    "bitcast of {from} ({} bits) to {dtype} ({} bits): the widths are equal",
                    from.bits(),
                    dtype.bits()
                )),
                Some(from) if from.scalar() == dtype.scalar() => Some(self.value(id, to)),
                Some(_) => self.op(OpKind::Cast(CastKind::Bitcast), &[id], to),
                None => self.fail(format!("bitcast takes numbers, not {ty}")),
            }
        })();
        self.done(built)
    }

    /// A shape from its extents.
    pub(crate) fn shape_of(self, shape: impl IntoShape<'k>) -> Built<Shape> {
        let mut dims = Vec::new();
        for extent in shape.extents(self) {
            let extent = self.known_int("an extent of a shape", extent)?;
            match u32::try_from(extent) {
                Ok(extent) => dims.push(extent),
                Err(_) => return self.fail(format!("an extent of {extent}: extents are 1 or more")),
            }
        }
        self.checked_shape(&dims)
    }

    pub(crate) fn checked_shape(self, dims: &[u32]) -> Built<Shape> {
        match Shape::new(dims) {
            Ok(shape) => Some(shape),
            Err(e) => self.fail(e.to_string()),
        }
    }

    /// The value in a shape that its own broadcasts to.
    pub(crate) fn broadcast_value(self, id: ValueId, ty: ValueType, shape: Shape) -> Built<ValueId> {
        if ty.shape == shape {
            return Some(id);
        }
        let to = ty.with_shape(shape);
        if ty.shape.is_scalar() {
            return self.emit(OpKind::Splat, &[id], to);
        }
        let (mut id, mut ty) = (id, ty);
        while ty.shape.rank() < shape.rank() {
            let Ok(padded) = ty.shape.expand(0) else { break };
            ty = ty.with_shape(padded);
            id = self.emit(OpKind::ExpandDims { axis: 0 }, &[id], ty)?;
        }
        if ty.shape == shape {
            return Some(id);
        }
        self.emit(OpKind::Broadcast, &[id], to)
    }

    /// The value with its elements converted.
    pub(crate) fn cast_value(self, id: ValueId, ty: ValueType, dtype: DType) -> Built<ValueId> {
        let Some(from) = ty.dtype() else {
            return self.fail(format!("a cast takes numbers, not {ty}"));
        };
        let to = ty.with_dtype(dtype);
        if from.scalar() == dtype.scalar() {
            return Some(id);
        }
        let cast = |kind| self.emit(OpKind::Cast(kind), &[id], to);
        let unsigned = from.is_unsigned() || from == DType::Bool;
        match (from.kind(), dtype.kind()) {
            (_, Kind::Bool) => {
                let zero = self.emit(OpKind::Const(Const::zero(from.scalar())), &[], ty)?;
                self.emit(OpKind::Cmp(CmpPred::Ne), &[id, zero], to)
            }
            (Kind::Float, Kind::Float) if from.bits() < dtype.bits() => cast(CastKind::FExt),
            (Kind::Float, Kind::Float) if from.bits() > dtype.bits() => cast(CastKind::FTrunc),
            (Kind::Float, Kind::Float) => {
                // Between f16 and bf16: through f32, which holds both exactly, so that only one rounding takes place.
                let wide = ty.with_dtype(DType::F32);
                let id = self.emit(OpKind::Cast(CastKind::FExt), &[id], wide)?;
                self.emit(OpKind::Cast(CastKind::FTrunc), &[id], to)
            }
            (Kind::Float, Kind::Int) if dtype.is_unsigned() => cast(CastKind::FToU),
            (Kind::Float, Kind::Int) => cast(CastKind::FToS),
            (_, Kind::Float) if unsigned => cast(CastKind::UToF),
            (_, Kind::Float) => cast(CastKind::SToF),
            (_, Kind::Int) if from.bits() > dtype.bits() => cast(CastKind::Trunc),
            (_, Kind::Int) if unsigned => cast(CastKind::ZExt),
            (_, Kind::Int) => cast(CastKind::SExt),
        }
    }

    /// `ceil(a / b)` as `(a + b - 1) / b`, of integers.
    pub fn cdiv(self, a: impl IntoExpr<'k>, b: impl IntoExpr<'k>) -> Expr<'k> {
        use crate::arith::BinOp;
        let (a, b) = (self.lift(a), self.lift(b));
        for side in [a, b] {
            let float = match side.known() {
                Some(number) => matches!(number, Number::Float(_)),
                None => side.ty().and_then(ValueType::dtype).is_some_and(DType::is_float),
            };
            if float {
                return self.error(format!("cdiv takes integers, not {}", crate::site::describe(side)));
            }
        }
        let less = self.binary(BinOp::Sub, b, 1);
        let sum = self.binary(BinOp::Add, a, less);
        self.binary(BinOp::Div, sum, b)
    }

    /// A binary operation of converted operands.
    pub(crate) fn binary_in(self, op: BinaryOp, a: Operand, b: Operand, ty: ValueType) -> Built<Expr<'k>> {
        let dtype = ty.dtype()?;
        let (a, b) = (self.convert(a, dtype, ty.shape)?, self.convert(b, dtype, ty.shape)?);
        self.op(OpKind::Binary(op), &[a, b], ty)
    }
}
