//! Pointers, loads and stores. Addresses and the elements written stay the same; what a load without `other` leaves
//! undefined stays so, never given a value that would hide its use from the CPU device.

use smallvec::smallvec;

use super::simplify::{Rewrite, Simplifier, Subject};
use crate::constant::Const;
use crate::kernel::ValueId;
use crate::op::OpKind;
use crate::types::Scalar;

/// Equations of `addptr`, `load` and `store`.
pub(super) fn rewrite(simplifier: &mut Simplifier<'_>, subject: &Subject) -> Option<Rewrite> {
    let constant = |v: ValueId| simplifier.kernel.as_const(v);
    match (&subject.kind, &subject.operands[..]) {
        // addptr p 0 = p
        (OpKind::AddPtr, &[p, offset]) if constant(offset).is_some_and(|c| c.bits() == 0) => Some(Rewrite::Value(p)),
        (OpKind::AddPtr, &[p, offset]) => join_offsets(simplifier, subject, p, offset),
        (OpKind::Load, &[p, mask, ref other @ ..]) => match (constant(mask)?.bits() != 0, other) {
            // load p true o = load p
            (true, _) => Some(Rewrite::Op(OpKind::Load, smallvec![p])),
            // load p false o = o
            (false, &[other]) => Some(Rewrite::Value(other)),
            _ => None,
        },
        (OpKind::Store, &[p, value, mask]) => Some(match constant(mask)?.bits() != 0 {
            // store p v true = store p v
            true => Rewrite::Op(OpKind::Store, smallvec![p, value]),
            // store p v false does nothing
            false => Rewrite::Erase,
        }),
        _ => None,
    }
}

/// Constant offsets come together where their sum in their own type is the sum of the distances: always in `i64`,
/// whose wrapping is that of addresses, otherwise if it does not wrap.
fn join_offsets(
    simplifier: &mut Simplifier<'_>,
    subject: &Subject,
    pointer: ValueId,
    offset: ValueId,
) -> Option<Rewrite> {
    let outer = simplifier.kernel.as_const(offset)?;
    let (OpKind::AddPtr, &[base, inner]) = simplifier.definition(pointer)? else {
        return None;
    };
    let ty = simplifier.kernel.ty(inner);
    let inner = simplifier.kernel.as_const(inner)?;
    if inner.scalar() != outer.scalar() {
        return None;
    }
    let sum = i128::from(inner.as_signed()?) + i128::from(outer.as_signed()?);
    let joined = Const::from_int(outer.scalar(), sum);
    if outer.scalar() != Scalar::I64 && joined.as_signed().map(i128::from) != Some(sum) {
        return None;
    }
    // addptr (addptr p c) d = addptr p (c + d)
    let joined = simplifier.constant(joined, ty, subject.loc);
    Some(Rewrite::Op(OpKind::AddPtr, smallvec![base, joined]))
}
