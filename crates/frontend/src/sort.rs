//! Sorting, and the largest elements, by bitonic networks.
//!
//! A network compares pairs of elements at distances that are powers of two (Batcher, "Sorting networks and their
//! applications", 1968). As a tile of `[outer, 2, distance]` the two of a pair lie along the middle axis, and the exclusive
//! or of a pair tells each its partner: no element moves but within that reduction, whose axis has extent 2. A line
//! whose extent is no power of two is filled up with what sorts last.
//!
//! Numbers sort by a total order, so that networks need no other tie-break. Floats are compared as integers whose order is
//! that of the numbers: -infinity, ..., -0.0, 0.0, ..., infinity, NaN. A NaN comes out as the quiet one without payload.

use mytriton_ssa::{BinaryOp, CastKind, CmpPred, Const, OpKind, Permutation, ValueId};

use crate::arith::{BinOp, CmpOp};
use crate::combine::{Along, Tiles};
use crate::dtype::{DType, ValueType};
use crate::expr::{Expr, IntoExpr};
use crate::literal::Number;
use crate::site::{Built, Site, describe};

/// Lines under way through a network: `rows` of them, each of `extent` keys, a power of two.
#[derive(Clone, Copy)]
struct Lines {
    id: ValueId,
    ty: ValueType,
    dtype: DType,
    rows: u32,
    extent: u32,
}

/// How a merge orders its blocks.
#[derive(Clone, Copy)]
enum Order {
    /// All alike.
    Fixed { descending: bool },
    /// The first ascending, the next descending, and so on.
    Alternating,
}

impl<'k> Site<'k> {
    /// The elements along the last dimension in ascending order. Floats: NaN above all numbers, -0.0 below 0.0; `bool`: false
    /// first.
    pub fn sort(self, x: impl IntoExpr<'k>) -> Expr<'k> {
        let x = self.lift(x);
        self.done(self.sorted(x, None, false))
    }

    /// The same along an axis.
    pub fn sort_along(self, x: impl IntoExpr<'k>, axis: impl IntoExpr<'k>) -> Expr<'k> {
        let (x, axis) = (self.lift(x), self.lift(axis));
        self.done(self.sorted(x, Some(axis), false))
    }

    /// The same along an axis in ascending order, or in descending order if `descending`, a compile-time `bool`, is
    /// true.
    pub fn sort_ordered(
        self,
        x: impl IntoExpr<'k>,
        axis: impl IntoExpr<'k>,
        descending: impl IntoExpr<'k>,
    ) -> Expr<'k> {
        let (x, axis, descending) = (self.lift(x), self.lift(axis), self.lift(descending));
        match descending.known() {
            Some(Number::Bool(descending)) => self.done(self.sorted(x, Some(axis), descending)),
            _ if descending.is_poison() => self.poison(),
            _ => self.error(format!(
                "the last argument of sort, `descending`, is a compile-time bool, not {}",
                describe(descending)
            )),
        }
    }

    /// The `k` largest elements along the last dimension, the largest first, in the order of [`Site::sort`] (a NaN is above
    /// all numbers); `k` is known at compile time.
    pub fn topk(self, x: impl IntoExpr<'k>, k: impl IntoExpr<'k>) -> Expr<'k> {
        let (x, k) = (self.lift(x), self.lift(k));
        let built = (|| {
            let (id, ty) = self.tile("topk", x)?;
            let dtype = self.number_type("topk", ty)?;
            let extent = ty.shape.dims().last().copied().unwrap_or(1);
            let number = self.known_int("the second argument of topk", k)?;
            let Some(k) = u32::try_from(number).ok().filter(|k| (1..=extent).contains(k)) else {
                return self.fail(format!(
                    "topk of {ty} takes 1 to {extent} elements of the last dimension, not {number}"
                ));
            };
            let mut lines = self.lines("topk", id, ty, dtype, true)?;
            // Blocks of at least k elements, sorted in turn up and down. Of two of them the larger elements, one of each pair at
            // equal places, are the largest ones, and first rise, then fall, or the other way round.
            let block = k.next_power_of_two();
            self.sort_blocks("topk", &mut lines, block, true)?;
            while lines.extent > block {
                lines = self.larger_halves(lines, block)?;
                self.merge("topk", &mut lines, block, true)?;
            }
            self.finished(lines, ty, k)
        })();
        self.done(built)
    }

    fn sorted(self, x: Expr<'k>, axis: Option<Expr<'k>>, descending: bool) -> Built<Expr<'k>> {
        let (id, ty) = self.tile("sort", x)?;
        let dtype = self.number_type("sort", ty)?;
        let rank = ty.shape.rank();
        let axis = match axis {
            Some(axis) => self.axis_of("sort", axis, ty)?,
            None => rank - 1,
        };
        // The axis changes places with the last one.
        let mut order: Vec<usize> = (0..rank).collect();
        order.swap(axis, rank - 1);
        let Ok(order) = Permutation::new(&order) else {
            return self.fail("internal error: an order of dimensions");
        };
        let (id, ty) = self.turned(id, ty, order)?;
        let mut lines = self.lines("sort", id, ty, dtype, descending)?;
        let extent = lines.extent;
        self.sort_blocks("sort", &mut lines, extent, descending)?;
        let kept = ty.shape.dims()[rank - 1];
        let sorted = self.finished(lines, ty, kept)?;
        let (id, ty) = self.turned(sorted.value_id()?, ty, order)?;
        Some(self.value(id, ty))
    }

    fn turned(self, id: ValueId, ty: ValueType, order: Permutation) -> Built<(ValueId, ValueType)> {
        if order.is_identity() {
            return Some((id, ty));
        }
        let Some(shape) = order.apply(&ty.shape) else {
            return self.fail("internal error: an order of another rank");
        };
        let ty = ty.with_shape(shape);
        Some((self.emit(OpKind::Transpose { permutation: order }, &[id], ty)?, ty))
    }

    /// The keys of a tile along its last dimension, filled up to a power of two with the key that sorts last.
    fn lines(self, name: &str, id: ValueId, ty: ValueType, dtype: DType, descending: bool) -> Built<Lines> {
        let (id, key) = self.keys(id, ty, dtype)?;
        let extent = ty.shape.dims().last().copied().unwrap_or(1);
        let rows = ty.shape.elements() as u32 / extent;
        let flat = ty.with_dtype(key).with_shape(self.checked_shape(&[rows, extent])?);
        let id = self.reshaped(id, ty.with_dtype(key), flat.shape)?;
        let full = extent.next_power_of_two();
        let mut lines = Lines {
            id,
            ty: flat,
            dtype: key,
            rows,
            extent: full,
        };
        if full != extent {
            if u64::from(rows) * u64::from(full) > mytriton_ssa::MAX_TILE_ELEMENTS {
                return self.fail(format!(
                    "{name} of {ty}: it fills the last dimension up to {full} elements, and the tile would be too large"
                ));
            }
            let at = self.range(0, i64::from(full));
            let inside = self.minimum(at, self.int(i128::from(extent) - 1));
            let (id, ty) = self.taken(id, flat, 1, inside)?;
            let belongs = self.spread(self.compare(CmpOp::Lt, at, self.int(extent.into())), ty.shape, 1)?;
            let (low, high) = key.int_range()?;
            let last = Const::from_int(key.scalar(), if descending { low } else { high });
            let last = self.emit(OpKind::Const(last), &[], ty)?;
            lines.id = self.emit(OpKind::Select, &[belongs, id, last], ty)?;
            lines.ty = ty;
        }
        Some(lines)
    }

    /// The first `kept` elements of each line, in the shape of `ty` but for the last extent and in its type.
    fn finished(self, lines: Lines, ty: ValueType, kept: u32) -> Built<Expr<'k>> {
        let flat = lines.ty.with_shape(self.checked_shape(&[lines.rows, lines.extent])?);
        let mut id = self.reshaped(lines.id, lines.ty, flat.shape)?;
        let mut found = flat;
        if kept != lines.extent {
            (id, found) = self.taken(id, flat, 1, self.range(0, i64::from(kept)))?;
        }
        let mut dims = ty.shape.dims().to_vec();
        if let Some(last) = dims.last_mut() {
            *last = kept;
        }
        let shape = self.checked_shape(&dims)?;
        let id = self.reshaped(id, found, shape)?;
        let (id, ty) = self.unkeyed(id, found.with_shape(shape), ty.dtype()?)?;
        Some(self.value(id, ty))
    }

    /// Integers in the order of the elements: those of floats are their bits, with those below the sign flipped where it
    /// is set.
    fn keys(self, id: ValueId, ty: ValueType, dtype: DType) -> Built<(ValueId, DType)> {
        let key = match dtype {
            DType::F16 | DType::BF16 => DType::I16,
            DType::F32 => DType::I32,
            DType::F64 => DType::I64,
            _ => return Some((id, dtype)),
        };
        // One NaN for all, the positive one: it is above infinity.
        let nan = Const::from_f64(dtype.scalar(), f64::NAN);
        let nan = self.emit(OpKind::Const(nan), &[], ty)?;
        let is_number = self.emit(OpKind::Cmp(CmpPred::Eq), &[id, id], ty.with_dtype(DType::Bool))?;
        let clean = self.emit(OpKind::Select, &[is_number, id, nan], ty)?;
        let ints = ty.with_dtype(key);
        let bits = self.emit(OpKind::Cast(CastKind::Bitcast), &[clean], ints)?;
        Some((self.mirrored(bits, ints, key)?, key))
    }

    fn unkeyed(self, id: ValueId, ty: ValueType, dtype: DType) -> Built<(ValueId, ValueType)> {
        let to = ty.with_dtype(dtype);
        if !dtype.is_float() {
            return Some((id, to));
        }
        let bits = self.mirrored(id, ty, ty.dtype()?)?;
        Some((self.emit(OpKind::Cast(CastKind::Bitcast), &[bits], to)?, to))
    }

    /// Negative numbers with all bits but the sign flipped; twice is not at all.
    fn mirrored(self, id: ValueId, ty: ValueType, dtype: DType) -> Built<ValueId> {
        let constant = |value: i128| self.emit(OpKind::Const(Const::from_int(dtype.scalar(), value)), &[], ty);
        let binary = |op, a, b| self.emit(OpKind::Binary(op), &[a, b], ty);
        let sign = binary(BinaryOp::ShrS, id, constant(i128::from(dtype.bits() - 1))?)?;
        let below = binary(BinaryOp::And, sign, constant((1 << (dtype.bits() - 1)) - 1)?)?;
        binary(BinaryOp::Xor, id, below)
    }

    /// Sorts blocks of `block` keys, a power of two, in alternating order, or, where a line is one block, in the given one.
    fn sort_blocks(self, name: &str, lines: &mut Lines, block: u32, descending: bool) -> Built<()> {
        let mut size = 2;
        while size <= block {
            self.merge(name, lines, size, descending)?;
            size *= 2;
        }
        Some(())
    }

    /// Sorts blocks of `size` keys that rise and then fall, or fall and then rise.
    fn merge(self, name: &str, lines: &mut Lines, size: u32, descending: bool) -> Built<()> {
        let order = match size == lines.extent {
            true => Order::Fixed { descending },
            false => Order::Alternating,
        };
        let mut distance = size / 2;
        while distance > 0 {
            self.compare_pairs(name, lines, size, distance, order)?;
            distance /= 2;
        }
        Some(())
    }

    /// Compares the keys at a distance, within blocks of `size`, and puts each pair in the block's order.
    fn compare_pairs(self, name: &str, lines: &mut Lines, size: u32, distance: u32, order: Order) -> Built<()> {
        let outer = lines.rows * lines.extent / (2 * distance);
        let ty = lines.ty.with_shape(self.checked_shape(&[outer, 2, distance])?);
        let x = self.reshaped(lines.id, lines.ty, ty.shape)?;
        let both = self.combined_pairs(name, x, ty, lines.dtype, BinaryOp::Xor)?;
        let both = self.expand_dims(both, 1);
        let both = self.broadcast_value(both.value_id()?, both.ty()?, ty.shape)?;
        let binary = |op, a, b| self.emit(OpKind::Binary(op), &[a, b], ty);
        let partner = binary(BinaryOp::Xor, x, both)?;
        let (min, max) = extrema(lines.dtype);
        let (lower, upper) = (binary(min, x, partner)?, binary(max, x, partner)?);
        let place = self.at_dims(self.range(0, 2), &[true, false, true]);
        let takes_upper = match order {
            Order::Fixed { descending } => self.compare(CmpOp::Eq, place, self.int((!descending).into())),
            Order::Alternating => {
                // Which block it is, counted from the first line on: each line has an even number of them.
                let shift = (size / (2 * distance)).trailing_zeros();
                let block = self.binary(BinOp::Shr, self.range(0, i64::from(outer)), self.int(shift.into()));
                let falls = self.binary(BinOp::BitAnd, block, self.int(1));
                self.compare(CmpOp::Ne, place, self.at_dims(falls, &[false, true, true]))
            }
        };
        let takes_upper = self.broadcast_value(takes_upper.value_id()?, takes_upper.ty()?, ty.shape)?;
        lines.id = self.emit(OpKind::Select, &[takes_upper, upper, lower], ty)?;
        lines.ty = ty;
        Some(())
    }

    /// Of every two blocks the larger of the keys at equal places.
    fn larger_halves(self, lines: Lines, block: u32) -> Built<Lines> {
        let outer = lines.rows * lines.extent / (2 * block);
        let ty = lines.ty.with_shape(self.checked_shape(&[outer, 2, block])?);
        let x = self.reshaped(lines.id, lines.ty, ty.shape)?;
        let larger = self.combined_pairs("topk", x, ty, lines.dtype, extrema(lines.dtype).1)?;
        Some(Lines {
            id: larger.value_id()?,
            ty: larger.ty()?,
            extent: lines.extent / 2,
            ..lines
        })
    }

    /// The two elements along axis 1 combined by an operation.
    fn combined_pairs(self, name: &str, id: ValueId, ty: ValueType, dtype: DType, op: BinaryOp) -> Built<Expr<'k>> {
        let tiles = Tiles {
            ids: vec![id],
            types: vec![ty],
            axis: 1,
        };
        let results = self.combined(name, &tiles, Along::Reduce, |a, b| {
            vec![self.done(self.scalar_op(OpKind::Binary(op), &[a[0], b[0]], dtype))]
        })?;
        results.first().copied()
    }
}

/// The smaller and the larger of two keys.
fn extrema(dtype: DType) -> (BinaryOp, BinaryOp) {
    if dtype.is_unsigned() || dtype == DType::Bool {
        (BinaryOp::MinU, BinaryOp::MaxU)
    } else {
        (BinaryOp::MinS, BinaryOp::MaxS)
    }
}

impl<'k> Expr<'k> {
    /// The elements along the last dimension in ascending order: see [`Site::sort`].
    #[track_caller]
    pub fn sort(self) -> Expr<'k> {
        self.here().sort(self)
    }

    /// The elements along an axis in ascending or descending order.
    #[track_caller]
    pub fn sort_ordered(self, axis: impl IntoExpr<'k>, descending: bool) -> Expr<'k> {
        self.here().sort_ordered(self, axis, descending)
    }

    /// The `k` largest elements along the last dimension, the largest first.
    #[track_caller]
    pub fn topk(self, k: impl IntoExpr<'k>) -> Expr<'k> {
        self.here().topk(self, k)
    }
}
