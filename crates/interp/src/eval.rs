//! The pure operations but those with several results, a whole tile at a time: one dispatch on operation and type, then a loop over elements.
//! None of them can fail; what has no value is marked as poison.

#![warn(clippy::wildcard_enum_match_arm)]

use mytriton_ssa::{BinaryOp, CastKind, CmpPred, Elem, Kernel, OpData, OpId, OpKind, Type};

use crate::float::{self, Float};
use crate::int::{self, Int};
use crate::select::{self, Choice};
use crate::shape;
use crate::tile::{Element, Poison, Tile, Why, each_float, each_int, each_scalar, map1, map2, storage};

/// What the pure operations need to know beside their operands.
pub(crate) struct Context<'a> {
    pub kernel: &'a Kernel,
    /// The program's index.
    pub program: [u32; 3],
    /// The grid's extents.
    pub grid: [u32; 3],
}

/// Computes a pure operation's result into `out`, whose allocations are used again.
pub(crate) fn evaluate(cx: &Context, id: OpId, op: &OpData, operands: &[&Tile], out: &mut Tile) {
    let result = cx.kernel.ty(op.results[0]);
    let scalar = storage(result);
    let operand_ty = |i: usize| cx.kernel.ty(op.operands[i]);
    match &op.kind {
        OpKind::Const(value) => each_scalar!(scalar, T => {
            out.begin::<T>().resize(result.shape.elements(), T::from_const(*value));
        }),
        // Ids and extents are below 2^31.
        OpKind::ProgramId(axis) => out.begin::<i32>().push(cx.program[axis.index()] as i32),
        OpKind::NumPrograms(axis) => out.begin::<i32>().push(cx.grid[axis.index()] as i32),
        OpKind::Range { start, end } => out.begin::<i32>().extend(*start..*end),
        OpKind::Splat => each_scalar!(scalar, T => {
            let [x] = operands else { unreachable!() };
            out.begin::<T>().resize(result.shape.elements(), x.get::<T>()[0]);
            out.poison = x.poison.as_ref().map(|codes| vec![codes[0]; result.shape.elements()]);
        }),
        OpKind::ExpandDims { .. } | OpKind::Reshape => out.clone_from(operands[0]),
        OpKind::Broadcast => {
            let (from, to) = (operand_ty(0).shape, result.shape);
            each_scalar!(scalar, T => shape::broadcast(operands[0].get::<T>(), from.dims(), to.dims(), out.begin()));
            out.poison = operands[0].poison.as_ref().map(|codes| {
                let mut stretched = Vec::with_capacity(to.elements());
                shape::broadcast(codes, from.dims(), to.dims(), &mut stretched);
                stretched
            });
        }
        OpKind::Transpose { permutation } => {
            let dims = operand_ty(0).shape;
            each_scalar!(scalar, T => shape::transpose(operands[0].get::<T>(), dims.dims(), permutation, out.begin()));
            out.poison = operands[0].poison.as_ref().map(|codes| {
                let mut moved = Vec::with_capacity(codes.len());
                shape::transpose(codes, dims.dims(), permutation, &mut moved);
                moved
            });
        }
        OpKind::Join => select::join(operands[0], operands[1], scalar, out),
        OpKind::Gather { axis } => {
            let (from, by) = (operand_ty(0), operand_ty(1));
            let outside = Poison::code(id, Why::OutsideOfAxis);
            let chosen = Choice::of(from.shape.dims(), by.shape.dims(), *axis);
            each_int!(storage(by), I => {
                select::gather(operands[0], operands[1], scalar, &chosen.sources(operands[1].get::<I>()), outside, out);
            });
        }
        OpKind::Histogram => each_int!(storage(operand_ty(0)), T => {
            select::histogram::<T>(operands[0], operands.get(1).copied(), result.shape.elements(), out);
        }),
        OpKind::Unary(unary) => {
            if scalar.is_int() {
                // The only one of them for integers is `abs`.
                each_int!(scalar, T => int::abs(operands[0].get::<T>(), out.begin()));
            } else {
                each_float!(scalar, T => float::unary(*unary, operands[0].get::<T>(), out.begin()));
            }
            out.inherit_poison(operands[0]);
        }
        OpKind::Binary(binary) => {
            let (a, b) = (operands[0], operands[1]);
            if scalar.is_int() {
                each_int!(scalar, T => {
                    let (a, b) = (a.get::<T>(), b.get::<T>());
                    int::binary(*binary, a, b, out.begin());
                    out.poison = int::undefined(*binary, a, b).map(|why| {
                        why.into_iter().map(|why| why.map_or(0, |why| Poison::code(id, why))).collect()
                    });
                });
            } else if *binary == BinaryOp::PowI {
                each_float!(scalar, T => float::powi(a.get::<T>(), b.get(), out.begin()));
            } else {
                each_float!(scalar, T => float::binary(*binary, a.get::<T>(), b.get::<T>(), out.begin()));
            }
            // An operand's poison explains a division by what it stands for better than the division does.
            let own = out.poison.take();
            out.inherit_poison(a);
            out.inherit_poison(b);
            if let Some(own) = own {
                out.add_poison(own);
            }
        }
        OpKind::Fma => {
            let [a, b, c] = operands else { unreachable!() };
            each_float!(scalar, T => float::fma(a.get::<T>(), b.get(), c.get(), out.begin()));
            for operand in operands {
                out.inherit_poison(operand);
            }
        }
        OpKind::Cmp(pred) => {
            compare(*pred, operand_ty(0), operands[0], operands[1], out.begin());
            out.inherit_poison(operands[0]);
            out.inherit_poison(operands[1]);
        }
        OpKind::Select => {
            let [condition, a, b] = operands else { unreachable!() };
            each_scalar!(scalar, T => select(condition.get(), a.get::<T>(), b.get(), out.begin()));
            out.poison = selected_poison(condition, a, b);
        }
        OpKind::Cast(kind) => {
            cast(*kind, operands[0], operand_ty(0), result, out);
            out.inherit_poison(operands[0]);
        }
        OpKind::AddPtr => {
            let Elem::Ptr(pointee) = result.elem else {
                unreachable!()
            };
            // Sizes are powers of two.
            let (scale, offset) = (pointee.bytes().trailing_zeros(), storage(operand_ty(1)));
            let pointers = operands[0].get::<i64>();
            each_int!(offset, T => map2(pointers, operands[1].get::<T>(), out.begin(), |p, offset| {
                p.wrapping_add(offset.signed() << scale)
            }));
            out.inherit_poison(operands[0]);
            out.inherit_poison(operands[1]);
        }
        OpKind::Reduce { .. } | OpKind::Scan { .. } | OpKind::Split => {
            unreachable!("'{}' has several results", op.kind.name())
        }
        OpKind::Load | OpKind::Store | OpKind::For | OpKind::If | OpKind::While | OpKind::Yield | OpKind::Condition => {
            unreachable!("'{}' is not pure", op.kind.name())
        }
    }
}

fn compare(pred: CmpPred, ty: Type, a: &Tile, b: &Tile, out: &mut Vec<bool>) {
    let scalar = storage(ty);
    // Each loop for itself: the compiler turns them into vector instructions.
    macro_rules! each {
        ($each:ident, $holds:expr) => {
            $each!(scalar, T => map2(a.get::<T>(), b.get::<T>(), out, $holds))
        };
    }
    match (pred, scalar.is_int()) {
        // `!=` of floats is true when one is NaN, as Rust's is.
        (CmpPred::Eq, _) => each!(each_scalar, |a, b| a == b),
        (CmpPred::Ne, _) => each!(each_scalar, |a, b| a != b),
        (CmpPred::LtU, _) => each!(each_int, |a, b| a.below_unsigned(b)),
        (CmpPred::LeU, _) => each!(each_int, |a, b| !b.below_unsigned(a)),
        (CmpPred::GtU, _) => each!(each_int, |a, b| b.below_unsigned(a)),
        (CmpPred::GeU, _) => each!(each_int, |a, b| !a.below_unsigned(b)),
        (CmpPred::Lt, true) => each!(each_int, |a, b| a.below(b)),
        (CmpPred::Le, true) => each!(each_int, |a, b| !b.below(a)),
        (CmpPred::Gt, true) => each!(each_int, |a, b| b.below(a)),
        (CmpPred::Ge, true) => each!(each_int, |a, b| !a.below(b)),
        (CmpPred::Lt, false) => each!(each_float, |a, b| a.widen() < b.widen()),
        (CmpPred::Le, false) => each!(each_float, |a, b| a.widen() <= b.widen()),
        (CmpPred::Gt, false) => each!(each_float, |a, b| a.widen() > b.widen()),
        (CmpPred::Ge, false) => each!(each_float, |a, b| a.widen() >= b.widen()),
    }
}

/// The condition is one for all elements or one for each.
fn select<T: Element>(condition: &[bool], a: &[T], b: &[T], out: &mut Vec<T>) {
    if condition.len() == a.len() {
        out.extend(
            condition
                .iter()
                .zip(a)
                .zip(b)
                .map(|((&c, &a), &b)| if c { a } else { b }),
        );
    } else {
        out.extend_from_slice(if condition[0] { a } else { b });
    }
}

/// An element is undefined where the condition or the chosen arm is.
fn selected_poison(condition: &Tile, a: &Tile, b: &Tile) -> Option<Vec<u32>> {
    if [condition, a, b].iter().all(|tile| tile.poison.is_none()) {
        return None;
    }
    let (conditions, elements) = (condition.get::<bool>(), a.len());
    let code = |i| {
        let c = if conditions.len() == elements { i } else { 0 };
        match condition.poison_at(c) {
            0 if conditions[c] => a.poison_at(i),
            0 => b.poison_at(i),
            code => code,
        }
    };
    Some((0..elements).map(code).collect())
}

fn cast(kind: CastKind, x: &Tile, from: Type, to: Type, out: &mut Tile) {
    let (from, to) = (storage(from), storage(to));
    match kind {
        CastKind::SExt => each_int!(from, A => each_int!(to, B => {
            map1(x.get::<A>(), out.begin(), |x| B::wrap(x.signed() as u64));
        })),
        CastKind::ZExt | CastKind::Trunc => each_int!(from, A => each_int!(to, B => {
            map1(x.get::<A>(), out.begin(), |x| B::wrap(x.unsigned()));
        })),
        CastKind::FExt | CastKind::FTrunc => each_float!(from, A => each_float!(to, B => {
            map1(x.get::<A>(), out.begin(), |x| B::nearest(x.to_f64()));
        })),
        CastKind::SToF => each_int!(from, A => each_float!(to, B => {
            map1(x.get::<A>(), out.begin(), |x| B::nearest_int(x.signed()));
        })),
        CastKind::UToF => each_int!(from, A => each_float!(to, B => {
            map1(x.get::<A>(), out.begin(), |x| B::nearest_uint(x.unsigned()));
        })),
        // Rust's conversions truncate, saturate and take NaN to 0, so that narrower limits are applied in integers.
        CastKind::FToS => each_float!(from, A => each_int!(to, B => {
            let (low, high) = (B::SMALLEST.signed(), !B::SMALLEST.signed());
            map1(x.get::<A>(), out.begin(), |x| B::wrap((x.to_f64() as i64).clamp(low, high) as u64));
        })),
        CastKind::FToU => each_float!(from, A => each_int!(to, B => {
            let high = B::ONES.unsigned();
            map1(x.get::<A>(), out.begin(), |x| B::wrap((x.to_f64() as u64).min(high)));
        })),
        CastKind::Bitcast => each_scalar!(from, A => each_scalar!(to, B => {
            use crate::cells::Raw;
            map1(x.get::<A>(), out.begin(), |x| B::from_raw(Raw::from_u64(x.to_raw().to_u64())));
        })),
    }
}
