//! Casts of casts. None merges two roundings into one: `ftrunc (ftrunc x)` stays, and a number's way to a float through
//! another float too.

use smallvec::smallvec;

use super::simplify::{Rewrite, Subject, definition};
use crate::kernel::{Kernel, ValueId};
use crate::op::{CastKind, OpKind};
use crate::types::Scalar;

/// Equations of the outer cast `kind`, by the inner one. Exact but for the payload of a NaN that is widened and
/// narrowed again.
pub(super) fn rewrite(kernel: &Kernel, kind: CastKind, subject: &Subject) -> Option<Rewrite> {
    use CastKind::*;
    let &(OpKind::Cast(inner), operands) = &definition(kernel, subject.operands[0])? else {
        return None;
    };
    let inner = *inner;
    let x = operands[0];
    let from = kernel.ty(x).as_scalar()?;
    let to = subject.ty.as_scalar()?;
    match (kind, inner) {
        // zext (zext x) = zext x; sext (sext x) = sext x; trunc (trunc x) = trunc x; fext (fext x) = fext x
        (ZExt, ZExt) | (SExt, SExt) | (Trunc, Trunc) | (FExt, FExt) => become_cast(kind, x),
        // sext (zext x) = zext x: the inner result's sign bit is 0, being wider than x
        (SExt, ZExt) => become_cast(ZExt, x),
        // trunc (ext x) = x, ext x or trunc x, by which of the two types is wider
        (Trunc, ZExt | SExt) => by_width(from, to, x, inner, Trunc),
        // ftrunc (fext x) = x, or fext x where the result is wider than x; f16 and bf16 do not convert directly
        (FTrunc, FExt) if from == to => Some(Rewrite::Value(x)),
        (FTrunc, FExt) if from.bits() < to.bits() => become_cast(FExt, x),
        // ftrunc (fext x) = ftrunc x: fext is exact, so the one rounding is the same
        (FTrunc, FExt) if from.bits() > to.bits() => become_cast(FTrunc, x),
        // bitcast (bitcast x) = x or bitcast x
        (Bitcast, Bitcast) if from == to => Some(Rewrite::Value(x)),
        (Bitcast, Bitcast) => become_cast(Bitcast, x),
        // u_to_f (zext x) = u_to_f x; s_to_f (zext x) = u_to_f x: the value is the same and not negative
        (UToF | SToF, ZExt) => become_cast(UToF, x),
        // s_to_f (sext x) = s_to_f x; not of i1, which s_to_f does not take
        (SToF, SExt) if from != Scalar::I1 => become_cast(SToF, x),
        // f_to_s (fext x) = f_to_s x; f_to_u (fext x) = f_to_u x: fext is exact
        (FToS | FToU, FExt) => become_cast(kind, x),
        _ => None,
    }
}

fn become_cast(kind: CastKind, x: ValueId) -> Option<Rewrite> {
    Some(Rewrite::Op(OpKind::Cast(kind), smallvec![x]))
}

/// `x` itself where its type is the result's, else the cast that widens or narrows it.
fn by_width(from: Scalar, to: Scalar, x: ValueId, widen: CastKind, narrow: CastKind) -> Option<Rewrite> {
    match from.bits().cmp(&to.bits()) {
        std::cmp::Ordering::Equal => Some(Rewrite::Value(x)),
        std::cmp::Ordering::Less => become_cast(widen, x),
        std::cmp::Ordering::Greater => become_cast(narrow, x),
    }
}
