//! Shape operations: identities, and a scalar's value reaching its tile in one step.

use smallvec::smallvec;

use super::simplify::{Rewrite, Simplifier, Subject, definition};
use crate::constant::Const;
use crate::kernel::{Kernel, OpId, ValueDef};
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
        // reshape (splat s) = s as a scalar, splat s as a tile
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

/// Equations of `join`.
pub(super) fn join(kernel: &Kernel, subject: &Subject) -> Option<Rewrite> {
    let [a, b] = subject.operands[..] else { return None };
    if let (ValueDef::Result { op: first, index: 0 }, ValueDef::Result { op: second, index: 1 }) =
        (kernel.value(a).def, kernel.value(b).def)
        && first == second
        && kernel.op(first).kind == OpKind::Split
    {
        // join (split x) = x
        return Some(Rewrite::Value(kernel.op(first).operands[0]));
    }
    match (definition(kernel, a)?, definition(kernel, b)?) {
        // join (splat s), (splat s) = splat s
        ((OpKind::Splat, x), (OpKind::Splat, y)) if x == y => Some(Rewrite::Op(OpKind::Splat, smallvec![x[0]])),
        _ => None,
    }
}

/// `a, b = split x`
pub(super) fn visit_split(simplifier: &mut Simplifier<'_>, op: OpId) {
    let data = simplifier.kernel.op(op).clone();
    let x = data.operands[0];
    let definition = definition(simplifier.kernel, x);
    let halves = match definition {
        // split (join a, b) = a, b
        Some((OpKind::Join, inner)) => Some([inner[0], inner[1]]),
        // split of a constant = the constant, twice
        Some((&OpKind::Const(c), _)) => {
            let ty = simplifier.kernel.ty(data.results[0]);
            Some([simplifier.constant(c, ty, data.loc); 2])
        }
        // split (splat s) = s of scalars, splat s of tiles, twice
        Some((OpKind::Splat, &[s])) => {
            let ty = simplifier.kernel.ty(data.results[0]);
            let half = match ty.is_scalar() {
                true => s,
                false => simplifier.emit(OpKind::Splat, smallvec![s], ty, data.loc),
            };
            Some([half; 2])
        }
        _ => simplifier.equal(op).map(|equal| {
            let results = &simplifier.kernel.op(equal).results;
            [results[0], results[1]]
        }),
    };
    match halves {
        Some(halves) => {
            for (&result, half) in data.results.iter().zip(halves) {
                simplifier.replace(result, half);
            }
        }
        None => simplifier.out.push(op),
    }
}

/// Equations of `histogram`.
pub(super) fn histogram(kernel: &Kernel, subject: &Subject) -> Option<Rewrite> {
    let &[x, mask] = &subject.operands[..] else { return None };
    let mask = kernel.as_const(mask)?;
    Some(if mask == Const::bool(true) {
        // histogram x, true = histogram x
        Rewrite::Op(OpKind::Histogram, smallvec![x])
    } else {
        // histogram x, false = 0
        Rewrite::Const(Const::i32(0))
    })
}
