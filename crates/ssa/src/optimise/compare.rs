//! Comparisons and selections.

use smallvec::smallvec;

use super::simplify::{Rewrite, Simplifier, Subject};
use crate::constant::Const;
use crate::kernel::ValueId;
use crate::op::{BinaryOp, CmpPred, OpKind};

/// Equations of `cmp` and `select`. Arms and operands are only passed on, so floats keep their bits.
pub(super) fn rewrite(simplifier: &mut Simplifier<'_>, subject: &Subject) -> Option<Rewrite> {
    match (&subject.kind, &subject.operands[..]) {
        (&OpKind::Cmp(pred), &[x, y]) => cmp(simplifier, subject, pred, x, y),
        (OpKind::Select, &[c, x, y]) => select(simplifier, subject, c, x, y),
        _ => None,
    }
}

fn cmp(simplifier: &mut Simplifier<'_>, subject: &Subject, pred: CmpPred, x: ValueId, y: ValueId) -> Option<Rewrite> {
    use CmpPred::*;
    let truth = |value| Some(Rewrite::Const(Const::bool(value)));
    let float = simplifier.kernel.ty(x).is_float();
    if x == y {
        match pred {
            // x < x = false, x > x = false; of NaN too
            Lt | Gt | LtU | GtU => return truth(false),
            // x == x = true, x <= x = true, x >= x = true, x != x = false; not of floats, where NaN differs
            Eq | Le | Ge | LeU | GeU if !float => return truth(true),
            Ne if !float => return truth(false),
            _ => return None,
        }
    }
    let (left, right) = (simplifier.kernel.as_const(x), simplifier.kernel.as_const(y));
    if left.is_some() && right.is_none() {
        // c < x = x > c
        return Some(Rewrite::Op(OpKind::Cmp(pred.swapped()), smallvec![y, x]));
    }
    let c = right?;
    if c.is_nan() {
        // x == NaN = false, and so for all but !=
        return truth(pred == Ne);
    }
    if float {
        return None;
    }
    let (zero, ones) = (c.bits() == 0, c.bits() == c.scalar().bit_mask());
    match pred {
        // x < 0 = false, x >= 0 = true, x > MAX = false, x <= MAX = true (unsigned)
        LtU if zero => truth(false),
        GeU if zero => truth(true),
        GtU if ones => truth(false),
        LeU if ones => truth(true),
        // x == true = x, x != false = x, x == false = not x, x != true = not x (i1)
        Eq | Ne if c.scalar() == crate::types::Scalar::I1 => {
            if (pred == Eq) != zero {
                Some(Rewrite::Value(x))
            } else {
                Some(not(simplifier, subject, x))
            }
        }
        _ => None,
    }
}

/// `not x` of `i1`, as exclusive or with true.
fn not(simplifier: &mut Simplifier<'_>, subject: &Subject, x: ValueId) -> Rewrite {
    let ty = simplifier.kernel.ty(x);
    let ones = simplifier.constant(Const::bool(true), ty, subject.loc);
    Rewrite::Op(OpKind::Binary(BinaryOp::Xor), smallvec![x, ones])
}

fn select(
    simplifier: &mut Simplifier<'_>,
    subject: &Subject,
    condition: ValueId,
    x: ValueId,
    y: ValueId,
) -> Option<Rewrite> {
    // select c x x = x
    if x == y {
        return Some(Rewrite::Value(x));
    }
    let constant = |v| simplifier.kernel.as_const(v);
    // select true x y = x, select false x y = y
    if let Some(c) = constant(condition) {
        return Some(Rewrite::Value(if c.bits() != 0 { x } else { y }));
    }
    // select (not c) x y = select c y x
    if let Some((&OpKind::Binary(BinaryOp::Xor), &[inner, ones])) = simplifier.definition(condition)
        && constant(ones) == Some(Const::bool(true))
    {
        return Some(Rewrite::Op(OpKind::Select, smallvec![inner, y, x]));
    }
    let (t, f) = (Const::bool(true), Const::bool(false));
    if simplifier.kernel.ty(condition) == subject.ty {
        match (constant(x), constant(y)) {
            // select c true false = c, select c false true = not c (i1)
            (Some(a), Some(b)) if (a, b) == (t, f) => return Some(Rewrite::Value(condition)),
            (Some(a), Some(b)) if (a, b) == (f, t) => return Some(not(simplifier, subject, condition)),
            _ => {}
        }
    }
    None
}
