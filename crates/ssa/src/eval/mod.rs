//! The one scalar meaning of every pure operation on numbers.
//!
//! The optimiser folds with these functions and the reference interpreter runs them, so that folding cannot change
//! what a program computes. Results are the same on every host: basic arithmetic is correctly rounded, and the
//! transcendental functions come from `libm`, never from the platform.
//!
//! A NaN that arithmetic gives is the positive quiet one without payload; operations that move bits (`neg`, `abs`,
//! `select`, `bitcast`, a NaN that only widens a choice) leave bits alone.
//!
//! Every function expects operands that [`result_type`](crate::result_type) accepts for the operation. On others
//! (which no verified kernel holds) it panics.

mod cast;
mod float;
mod int;

use crate::constant::Const;
use crate::op::{BinaryOp, CastKind, CmpPred, UnaryOp};
use crate::types::Scalar;

/// A function of one number.
///
/// Basic functions (`sqrt`, rounding) are correctly rounded. The transcendental ones are computed in `f64` and rounded
/// to `f32`, from which an `f16` or `bf16` result is rounded once more, as the language defines.
pub fn eval_unary(op: UnaryOp, x: Const) -> Const {
    if x.scalar().is_int() {
        int::unary(op, x)
    } else {
        float::unary(op, x)
    }
}

/// A function of two numbers; none where the language leaves the value open: integer division and
/// remainder by zero, and of the smallest signed integer by -1.
pub fn eval_binary(op: BinaryOp, a: Const, b: Const) -> Option<Const> {
    debug_assert_eq!(op.second_operand(a.scalar()), b.scalar(), "{op} of other types");
    if a.scalar().is_int() {
        int::binary(op, a, b)
    } else {
        Some(float::binary(op, a, b))
    }
}

/// `a * b + c` of floats, rounded once.
pub fn eval_fma(a: Const, b: Const, c: Const) -> Const {
    float::fma(a, b, c)
}

/// A comparison.
pub fn eval_cmp(pred: CmpPred, a: Const, b: Const) -> bool {
    debug_assert_eq!(a.scalar(), b.scalar(), "comparison of two types");
    if a.scalar().is_int() {
        int::cmp(pred, a, b)
    } else {
        float::cmp(pred, a, b)
    }
}

/// `a` where the condition (an `i1`) holds, else `b`.
pub fn eval_select(condition: Const, a: Const, b: Const) -> Const {
    if condition.bits() != 0 { a } else { b }
}

/// A conversion to the type `to`.
pub fn eval_cast(kind: CastKind, x: Const, to: Scalar) -> Const {
    cast::cast(kind, x, to)
}
