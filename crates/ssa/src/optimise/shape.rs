//! Shape operations: identities, and a scalar's value reaching its block in one step.

use smallvec::smallvec;

use super::simplify::{Rewrite, Subject, definition};
use crate::kernel::Kernel;
use crate::op::OpKind;

/// Equations of `expand_dims` and `broadcast`. Values are only passed on.
pub(super) fn rewrite(kernel: &Kernel, subject: &Subject) -> Option<Rewrite> {
    let x = subject.operands[0];
    match (&subject.kind, definition(kernel, x)) {
        // broadcast x to its own shape = x
        (OpKind::Broadcast, _) if kernel.ty(x) == subject.ty => Some(Rewrite::Value(x)),
        // broadcast (broadcast x) = broadcast x
        (OpKind::Broadcast, Some((OpKind::Broadcast, inner))) => {
            Some(Rewrite::Op(OpKind::Broadcast, smallvec![inner[0]]))
        }
        // broadcast (splat s) = splat s; expand_dims (splat s) = splat s
        (OpKind::Broadcast | OpKind::ExpandDims { .. }, Some((OpKind::Splat, inner))) => {
            Some(Rewrite::Op(OpKind::Splat, smallvec![inner[0]]))
        }
        _ => None,
    }
}
