//! Combines that cannot be right: whose result depends on the order in which elements are combined.
//!
//! Whether a combiner is associative cannot be decided in general, and one need be so only for the elements that occur. What
//! is found here is the plain mistake: a result that is one operation of the pair itself, by which no order but one is right.

#![warn(clippy::wildcard_enum_match_arm)]

use crate::kernel::{Kernel, OpId, RegionId, ValueDef};
use crate::op::OpKind;
use crate::types::Type;

/// The operation by which the combiner of a reduction or scan cannot be associative, if that is plain to see: a subtraction,
/// division, remainder, shift or power of an operand's two elements. Booleans are left alone: their difference is the
/// exclusive or.
pub fn non_associative(kernel: &Kernel, combine: RegionId) -> Option<OpId> {
    let region = kernel.region(combine);
    let (left, right) = region.args.split_at(region.args.len() / 2);
    let results = kernel.op(*region.ops.last()?).operands.iter();
    results
        .zip(left.iter().zip(right))
        .find_map(|(&result, (&left, &right))| {
            let ValueDef::Result { op: id, .. } = kernel.value(result).def else {
                return None;
            };
            let op = kernel.op(id);
            let of_pair = op.operands[..] == [left, right] || op.operands[..] == [right, left];
            let ordered = is_ordered(&op.kind);
            (of_pair && ordered && kernel.ty(left) != Type::I1).then_some(id)
        })
}

/// What is wrong with a combiner that is such an operation.
pub fn non_associative_message(op: &OpKind) -> String {
    let name = op.name();
    format!(
        "'{name}' of the two elements is not associative: a combiner may be applied in any order, as (a, b), c or as \
         a, (b, c)"
    )
}

/// Is it an operation of two numbers that is not associative?
fn is_ordered(kind: &OpKind) -> bool {
    if let OpKind::Binary(op) = kind {
        !op.is_associative()
    } else {
        false
    }
}

#[cfg(test)]
mod tests {
    use crate::constant::Const;
    use crate::eval::eval_binary;
    use crate::op::BinaryOp;
    use crate::types::Scalar;

    /// Do two results of an operation differ by more than its rounding? Sums and the like of small numbers are exact.
    fn apart(op: BinaryOp, left: Const, right: Const) -> bool {
        match (left.as_f64(), right.as_f64()) {
            (Some(x), Some(y)) if op.accuracy().f32 > 0.5 => (x - y).abs() > x.abs() / 32.0,
            _ => left != right,
        }
    }

    /// Every operation that is refused has a counterexample, on each of its types, and no other one has, rounding aside.
    #[test]
    fn what_is_refused_depends_on_the_order() {
        for &op in BinaryOp::ALL {
            for scalar in Scalar::ALL.into_iter().filter(|&scalar| scalar != Scalar::I1) {
                let of = |number: i64| match scalar.is_int() {
                    true => Const::from_bits(scalar, number as u64),
                    false => Const::from_f64(scalar, number as f64),
                };
                let apply = |a, b| eval_binary(op, a, b);
                let differ = |a: i64, b: i64, c: i64| {
                    let [a, b, c] = [a, b, c].map(of);
                    let left = apply(a, b).and_then(|ab| apply(ab, c));
                    let right = apply(b, c).and_then(|bc| apply(a, bc));
                    match (left, right) {
                        (Some(left), Some(right)) => apart(op, left, right),
                        _ => false,
                    }
                };
                if !op.domain().contains(scalar) || op.second_operand(scalar) != scalar {
                    continue;
                }
                let numbers = 1..8;
                let found = numbers
                    .clone()
                    .any(|a| numbers.clone().any(|b| numbers.clone().any(|c| differ(a, b, c))));
                assert_eq!(found, !op.is_associative(), "{op} of {scalar}");
            }
        }
    }
}
