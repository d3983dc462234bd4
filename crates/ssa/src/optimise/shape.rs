//! Shape operations: identities, and a scalar's value reaching its block in one step.

use smallvec::smallvec;

use super::simplify::{Rewrite, Subject, definition};
use crate::kernel::Kernel;
use crate::op::OpKind;

/// Equations of `expand_dims`, `broadcast`, `reshape` and `transpose`. Values are only passed on.
pub(super) fn rewrite(kernel: &Kernel, subject: &Subject) -> Option<Rewrite> {
    let x = subject.operands[0];
    match (&subject.kind, definition(kernel, x)) {
        // broadcast x to its own shape = x
        (OpKind::Broadcast, _) if kernel.ty(x) == subject.ty => Some(Rewrite::Value(x)),
        // broadcast (broadcast x) = broadcast x
        (OpKind::Broadcast, Some((OpKind::Broadcast, inner))) => {
            Some(Rewrite::Op(OpKind::Broadcast, smallvec![inner[0]]))
        }
        // reshape x to its own shape = x
        (OpKind::Reshape, _) if kernel.ty(x) == subject.ty => Some(Rewrite::Value(x)),
        // reshape of a scalar = splat
        (OpKind::Reshape, _) if kernel.ty(x).is_scalar() => Some(Rewrite::Op(OpKind::Splat, smallvec![x])),
        // reshape (splat s) = s as a scalar, splat s as a block
        (OpKind::Reshape, Some((OpKind::Splat, inner))) if subject.ty.is_scalar() => Some(Rewrite::Value(inner[0])),
        (OpKind::Reshape | OpKind::Transpose { .. }, Some((OpKind::Splat, inner))) => {
            Some(Rewrite::Op(OpKind::Splat, smallvec![inner[0]]))
        }
        // reshape (reshape x) = reshape x = reshape (expand_dims x)
        (OpKind::Reshape, Some((OpKind::Reshape | OpKind::ExpandDims { .. }, inner))) => {
            Some(Rewrite::Op(OpKind::Reshape, smallvec![inner[0]]))
        }
        // transpose x in the order it has = x
        (OpKind::Transpose { permutation }, _) if permutation.is_identity() => Some(Rewrite::Value(x)),
        // transpose (transpose x) = transpose x
        (OpKind::Transpose { permutation: next }, Some((OpKind::Transpose { permutation: first }, inner))) => {
            let permutation = first.then(next)?;
            Some(Rewrite::Op(OpKind::Transpose { permutation }, smallvec![inner[0]]))
        }
        // broadcast (splat s) = splat s; expand_dims (splat s) = splat s
        (OpKind::Broadcast | OpKind::ExpandDims { .. }, Some((OpKind::Splat, inner))) => {
            Some(Rewrite::Op(OpKind::Splat, smallvec![inner[0]]))
        }
        _ => None,
    }
}
