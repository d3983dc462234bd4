//! Constant folding: an operation on constants is a constant, by the functions that define its meaning.

#![warn(clippy::wildcard_enum_match_arm)]

use super::simplify::Subject;
use crate::constant::Const;
use crate::eval::{eval_binary, eval_cast, eval_cmp, eval_fma, eval_select, eval_unary};
use crate::kernel::Kernel;
use crate::op::OpKind;

/// The constant (in every element) that the operation gives, if it is one. A value that the language leaves open, as
/// that of `1 / 0`, is not folded, so that the CPU device can report it.
pub(super) fn fold(kernel: &Kernel, subject: &Subject) -> Option<Const> {
    let constant = |i: usize| kernel.as_const(subject.operands[i]);
    match subject.kind {
        // A range of one element is its start.
        OpKind::Range { start, end } if i64::from(end) - i64::from(start) == 1 => Some(Const::i32(start)),
        // A constant in another shape.
        OpKind::Splat | OpKind::ExpandDims { .. } | OpKind::Broadcast => constant(0),
        OpKind::Reshape | OpKind::Transpose { .. } => constant(0),
        // Compared by bits: NaNs and zeros of different signs are different elements.
        OpKind::Join => constant(0).filter(|c| constant(1) == Some(*c)),
        OpKind::Unary(op) => Some(eval_unary(op, constant(0)?)),
        OpKind::Binary(op) => eval_binary(op, constant(0)?, constant(1)?),
        OpKind::Fma => Some(eval_fma(constant(0)?, constant(1)?, constant(2)?)),
        OpKind::Cmp(pred) => Some(Const::bool(eval_cmp(pred, constant(0)?, constant(1)?))),
        OpKind::Select => Some(eval_select(constant(0)?, constant(1)?, constant(2)?)),
        OpKind::Cast(kind) => Some(eval_cast(kind, constant(0)?, subject.ty.as_scalar()?)),
        OpKind::Const(_) | OpKind::ProgramId(_) | OpKind::NumPrograms(_) | OpKind::Range { .. } => None,
        OpKind::Reduce { .. } | OpKind::Scan { .. } | OpKind::Split | OpKind::Gather { .. } => None,
        OpKind::Histogram | OpKind::AddPtr | OpKind::Load | OpKind::Store => None,
        OpKind::For | OpKind::If | OpKind::While | OpKind::Yield | OpKind::Condition => None,
    }
}
