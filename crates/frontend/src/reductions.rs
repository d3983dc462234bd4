//! The reductions and scans that have names, by the types that the language's table gives them.
//!
//! | element | `sum` | `max` `min` | with index | `cumsum` | `cumprod` |
//! |---|---|---|---|---|---|
//! | `bool` `u8` `u16` | `u32` | `i32` | same | `u32` | same |
//! | `i8` `i16` | `i32` | `i32` | same | `i32` | same |
//! | `f16` | `f16` | `f32` | `f16` | `f16` | `f16` |
//! | `bf16` | `bf16` | `f32` | `f32` | `f32` | `f32` |
//! | 32 and 64 bits | same | same | same | same | same |
//!
//! Sums and products of `f16` and `bf16` are computed in `f32`, and rounded once to the type of the result.

use mytriton_ssa::{BinaryOp, CmpPred, OpKind, Shape};

use crate::builder::KernelBuilder;
use crate::combine::{Along, Tiles};
use crate::dtype::{DType, Kind, ValueType};
use crate::expr::{Expr, IntoExpr};
use crate::literal::Number;
use crate::site::{Built, Site, describe};

/// A reduction or scan by one operation.
struct Simple {
    name: &'static str,
    along: Along,
    /// The types to compute in and of the result; none where the elements are refused.
    types: fn(DType) -> Option<(DType, DType)>,
    /// The operation on the type that is computed in.
    op: fn(DType) -> BinaryOp,
}

const REVERSE: Along = Along::Scan { reverse: true };
const FORWARD: Along = Along::Scan { reverse: false };

fn sum_types(t: DType) -> Option<(DType, DType)> {
    Some(match t {
        DType::Bool | DType::U8 | DType::U16 => (DType::U32, DType::U32),
        DType::I8 | DType::I16 => (DType::I32, DType::I32),
        DType::F16 | DType::BF16 => (DType::F32, t),
        _ => (t, t),
    })
}

fn cumsum_types(t: DType) -> Option<(DType, DType)> {
    match t {
        DType::BF16 => Some((DType::F32, DType::F32)),
        _ => sum_types(t),
    }
}

fn cumprod_types(t: DType) -> Option<(DType, DType)> {
    match t.kind() {
        Kind::Float => cumsum_types(t),
        _ => Some((t, t)),
    }
}

fn extremum_types(t: DType) -> Option<(DType, DType)> {
    let wide = match t {
        DType::Bool | DType::U8 | DType::U16 | DType::I8 | DType::I16 => DType::I32,
        DType::F16 | DType::BF16 => DType::F32,
        _ => t,
    };
    Some((wide, wide))
}

fn bit_types(t: DType) -> Option<(DType, DType)> {
    (!t.is_float()).then_some((t, t))
}

fn max_op(t: DType) -> BinaryOp {
    match t {
        t if t.is_float() => BinaryOp::Max,
        t if t.is_unsigned() => BinaryOp::MaxU,
        _ => BinaryOp::MaxS,
    }
}

fn min_op(t: DType) -> BinaryOp {
    match t {
        t if t.is_float() => BinaryOp::Min,
        t if t.is_unsigned() => BinaryOp::MinU,
        _ => BinaryOp::MinS,
    }
}

/// Builtins of a tile and an axis, and those over all elements, on [`Site`] and on [`KernelBuilder`].
macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident $(, $all:ident)?: $along:expr, $types:expr, $op:expr;)*) => {
        impl<'k> Site<'k> {$(
            $(#[$doc])*
            pub fn $name(self, x: impl IntoExpr<'k>, axis: impl IntoExpr<'k>) -> Expr<'k> {
                let (x, axis) = (self.lift(x), self.lift(axis));
                let what = Simple { name: stringify!($name), along: $along, types: $types, op: $op };
                self.done(self.simple(what, x, Some(axis)))
            }

            $(
                /// The same over all elements: the result is a scalar.
                pub fn $all(self, x: impl IntoExpr<'k>) -> Expr<'k> {
                    let what = Simple { name: stringify!($name), along: $along, types: $types, op: $op };
                    self.done(self.simple(what, self.lift(x), None))
                }
            )?
        )*}

        impl KernelBuilder {$(
            $(#[$doc])*
            #[track_caller]
            pub fn $name<'k>(&'k self, x: impl IntoExpr<'k>, axis: impl IntoExpr<'k>) -> Expr<'k> {
                self.here().$name(x, axis)
            }

            $(
                /// The same over all elements: the result is a scalar.
                #[track_caller]
                pub fn $all<'k>(&'k self, x: impl IntoExpr<'k>) -> Expr<'k> {
                    self.here().$all(x)
                }
            )?
        )*}
    };
}

reductions! {
    /// The sum along an axis. Small integers are added up as `i32` or `u32`; `f16` and `bf16` in `f32`, rounded once.
    sum, sum_all: Along::Reduce, sum_types, |_| BinaryOp::Add;
    /// The largest element along an axis; a NaN counts only if all are. Small integers give `i32`, small floats `f32`.
    max, max_all: Along::Reduce, extremum_types, max_op;
    /// The smallest element along an axis; a NaN counts only if all are. Small integers give `i32`, small floats `f32`.
    min, min_all: Along::Reduce, extremum_types, min_op;
    /// The exclusive or of integers along an axis.
    xor_sum, xor_sum_all: Along::Reduce, bit_types, |_| BinaryOp::Xor;
    /// The bitwise or of integers along an axis.
    reduce_or, reduce_or_all: Along::Reduce, bit_types, |_| BinaryOp::Or;
    /// The bitwise and of integers along an axis.
    reduce_and, reduce_and_all: Along::Reduce, bit_types, |_| BinaryOp::And;
    /// Is an element along an axis not zero?
    any, any_all: Along::Reduce, |_| Some((DType::Bool, DType::Bool)), |_| BinaryOp::Or;
    /// Is no element along an axis zero?
    all, all_all: Along::Reduce, |_| Some((DType::Bool, DType::Bool)), |_| BinaryOp::And;
    /// The sum of the elements up to each along an axis, itself among them.
    cumsum: FORWARD, cumsum_types, |_| BinaryOp::Add;
    /// The sum of the elements from each on along an axis.
    cumsum_reverse: REVERSE, cumsum_types, |_| BinaryOp::Add;
    /// The product of the elements up to each along an axis, itself among them.
    cumprod: FORWARD, cumprod_types, |_| BinaryOp::Mul;
    /// The product of the elements from each on along an axis.
    cumprod_reverse: REVERSE, cumprod_types, |_| BinaryOp::Mul;
}

/// Builtins that give the largest or smallest element with its index.
macro_rules! with_index {
    ($($max:literal $word:literal: $both:ident, $both_all:ident, $index:ident, $index_all:ident;)*) => {
        impl<'k> Site<'k> {$(
            #[doc = concat!("The ", $word, " element along an axis and its index (`i32`), the lowest of equal ones. A NaN never wins, ")]
            #[doc = "unless all are, when the index is the first. `bf16` gives `f32`, other types stay."]
            pub fn $both(self, x: impl IntoExpr<'k>, axis: impl IntoExpr<'k>) -> (Expr<'k>, Expr<'k>) {
                let axis = Some(self.lift(axis));
                self.extremum_with_index(stringify!($both), self.lift(x), axis, $max)
            }

            /// The same over all elements, the index being that in row-major order.
            pub fn $both_all(self, x: impl IntoExpr<'k>) -> (Expr<'k>, Expr<'k>) {
                self.extremum_with_index(stringify!($both), self.lift(x), None, $max)
            }

            #[doc = concat!("The index (`i32`) of the ", $word, " element along an axis, the lowest of equal ones. A NaN never wins, ")]
            #[doc = "unless all are, when the index is the first."]
            pub fn $index(self, x: impl IntoExpr<'k>, axis: impl IntoExpr<'k>) -> Expr<'k> {
                let axis = Some(self.lift(axis));
                self.extremum_with_index(stringify!($index), self.lift(x), axis, $max).1
            }

            /// The same over all elements, in row-major order.
            pub fn $index_all(self, x: impl IntoExpr<'k>) -> Expr<'k> {
                self.extremum_with_index(stringify!($index), self.lift(x), None, $max).1
            }
        )*}

        impl KernelBuilder {$(
            #[doc = concat!("See [`Site::", stringify!($both), "`].")]
            #[track_caller]
            pub fn $both<'k>(&'k self, x: impl IntoExpr<'k>, axis: impl IntoExpr<'k>) -> (Expr<'k>, Expr<'k>) {
                self.here().$both(x, axis)
            }

            /// The same over all elements.
            #[track_caller]
            pub fn $both_all<'k>(&'k self, x: impl IntoExpr<'k>) -> (Expr<'k>, Expr<'k>) {
                self.here().$both_all(x)
            }

            #[doc = concat!("See [`Site::", stringify!($index), "`].")]
            #[track_caller]
            pub fn $index<'k>(&'k self, x: impl IntoExpr<'k>, axis: impl IntoExpr<'k>) -> Expr<'k> {
                self.here().$index(x, axis)
            }

            /// The same over all elements.
            #[track_caller]
            pub fn $index_all<'k>(&'k self, x: impl IntoExpr<'k>) -> Expr<'k> {
                self.here().$index_all(x)
            }
        )*}
    };
}

with_index! {
    true "largest": max_with_index, max_with_index_all, argmax, argmax_all;
    false "smallest": min_with_index, min_with_index_all, argmin, argmin_all;
}

impl<'k> Site<'k> {
    fn simple(self, what: Simple, x: Expr<'k>, axis: Option<Expr<'k>>) -> Built<Expr<'k>> {
        if let (Some(axis), "max" | "min") = (axis, what.name)
            && !axis.is_poison()
            && axis.known().and_then(Number::as_int).is_none()
        {
            let (name, got) = (what.name, describe(axis));
            return self.fail(format!(
                "{name}(x, axis) reduces along an axis, a compile-time integer, not {got}; of two \
                 values use `{name}imum(a, b)`"
            ));
        }
        let mut tiles = self.tiles(what.name, &[x], axis)?;
        let ty = tiles.types[0];
        let dtype = ty.dtype()?;
        let Some((inner, result)) = (what.types)(dtype) else {
            return self.fail(format!("{} takes integers or bool, not {ty}", what.name));
        };
        tiles.ids[0] = self.cast_value(tiles.ids[0], ty, inner)?;
        tiles.types[0] = ty.with_dtype(inner);
        let op = OpKind::Binary((what.op)(inner));
        let results = self.combined(what.name, &tiles, what.along, |a, b| {
            vec![self.done(self.scalar_op(op, &[a[0], b[0]], inner))]
        })?;
        let id = results[0].value_id()?;
        let ty = results[0].ty()?;
        let id = self.cast_value(id, ty, result)?;
        Some(self.value(id, ty.with_dtype(result)))
    }

    /// An operation on run-time scalars that gives one of type `dtype`.
    pub(crate) fn scalar_op(self, kind: OpKind, operands: &[Expr<'k>], dtype: DType) -> Built<Expr<'k>> {
        let ids: Option<Vec<_>> = operands.iter().map(|e| e.value_id()).collect();
        self.op(kind, &ids?, ValueType::scalar(dtype))
    }

    fn extremum_with_index(
        self,
        name: &'static str,
        x: Expr<'k>,
        axis: Option<Expr<'k>>,
        max: bool,
    ) -> (Expr<'k>, Expr<'k>) {
        let built = (|| {
            let tiles = self.tiles(name, &[x], axis)?;
            let (ty, axis) = (tiles.types[0], tiles.axis);
            let dtype = match ty.dtype()? {
                DType::BF16 => DType::F32,
                t => t,
            };
            let values = self.cast_value(tiles.ids[0], ty, dtype)?;
            let indices = self.indices(ty.shape, axis)?;
            let i32s = ValueType::scalar(DType::I32).with_shape(ty.shape);
            let tiles = Tiles {
                ids: vec![values, indices],
                types: vec![ty.with_dtype(dtype), i32s],
                axis,
            };
            let results = self.combined(name, &tiles, Along::Reduce, |a, b| {
                let chosen = self.better([a[0], a[1]], [b[0], b[1]], dtype, max);
                chosen.map_or_else(|| vec![self.poison(); 2], Vec::from)
            })?;
            Some((results[0], results[1]))
        })();
        built.unwrap_or((self.poison(), self.poison()))
    }

    /// The tile of each element's index along an axis.
    fn indices(self, shape: Shape, axis: usize) -> Built<mytriton_ssa::ValueId> {
        let extent = shape.dims()[axis];
        self.spread(self.range(0, i64::from(extent)), shape, axis)
    }

    /// Of two elements with their indices the better one. An order of all elements, so that it is associative and
    /// commutative: NaNs below all numbers, equal ones (two NaNs are) by their index.
    fn better(self, a: [Expr<'k>; 2], b: [Expr<'k>; 2], dtype: DType, max: bool) -> Built<[Expr<'k>; 2]> {
        let cmp = |pred, x, y| self.scalar_op(OpKind::Cmp(pred), &[x, y], DType::Bool);
        let logic = |op, x, y| self.scalar_op(OpKind::Binary(op), &[x, y], DType::Bool);
        // Booleans have no sign: they compare as unsigned.
        let unsigned = dtype.is_unsigned() || dtype == DType::Bool;
        let beyond = match (max, unsigned) {
            (true, false) => CmpPred::Gt,
            (true, true) => CmpPred::GtU,
            (false, false) => CmpPred::Lt,
            (false, true) => CmpPred::LtU,
        };
        let mut wins = cmp(beyond, a[0], b[0])?;
        let mut equal = cmp(CmpPred::Eq, a[0], b[0])?;
        if dtype.is_float() {
            let (a_nan, b_nan) = (cmp(CmpPred::Ne, a[0], a[0])?, cmp(CmpPred::Ne, b[0], b[0])?);
            let a_number = cmp(CmpPred::Eq, a[0], a[0])?;
            wins = logic(BinaryOp::Or, wins, logic(BinaryOp::And, a_number, b_nan)?)?;
            equal = logic(BinaryOp::Or, equal, logic(BinaryOp::And, a_nan, b_nan)?)?;
        }
        let first = cmp(CmpPred::Lt, a[1], b[1])?;
        let takes_a = logic(BinaryOp::Or, wins, logic(BinaryOp::And, equal, first)?)?;
        let value = self.scalar_op(OpKind::Select, &[takes_a, a[0], b[0]], dtype)?;
        let index = self.scalar_op(OpKind::Select, &[takes_a, a[1], b[1]], DType::I32)?;
        Some([value, index])
    }
}
