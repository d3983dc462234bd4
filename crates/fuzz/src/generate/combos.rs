//! Every element-wise operation on every type that it takes.

use std::sync::OnceLock;

use mytriton_ssa::{BinaryOp, CastKind, CmpPred, OpKind, Scalar, Type, UnaryOp, result_type};

use crate::rule::Rule;

/// An operation with the type of its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Combination {
    /// What it does.
    pub kind: OpKind,
    /// The element type of its operands; of a `select`, of its arms.
    pub operand: Scalar,
    /// The element type of its result, if the operands do not say it.
    pub to: Option<Scalar>,
}

impl Combination {
    /// How its results are compared.
    pub fn rule(&self) -> Rule {
        Rule::of(&self.kind, self.operand)
    }

    /// The element type of its second operand, where it has one.
    pub fn second(&self) -> Scalar {
        if let OpKind::Binary(op) = self.kind {
            op.second_operand(self.operand)
        } else {
            self.operand
        }
    }

    /// The number of its operands.
    pub fn operands(&self) -> usize {
        match self.kind {
            OpKind::Unary(_) | OpKind::Cast(_) => 1,
            OpKind::Binary(_) | OpKind::Cmp(_) => 2,
            OpKind::Select | OpKind::Fma => 3,
            ref other => unreachable!("'{}' is not among the combinations", other.name()),
        }
    }
}

/// `add of i8`, `cmp lt of f32`, `sext of i8 to i32`.
impl std::fmt::Display for Combination {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.kind.name())?;
        if let OpKind::Cmp(pred) = self.kind {
            write!(f, " {pred}")?;
        }
        write!(f, " of {}", self.operand)?;
        self.to.map_or(Ok(()), |to| write!(f, " to {to}"))
    }
}

/// All of them, in a fixed order.
pub fn combinations() -> &'static [Combination] {
    static ALL: OnceLock<Vec<Combination>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all = Vec::new();
        for operand in Scalar::ALL {
            let ty = Type::scalar(operand);
            let mut offer = |kind: OpKind, types: &[Type], to: Option<Scalar>| {
                if result_type(&kind, types, to.map(Type::scalar)).is_ok() {
                    all.push(Combination { kind, operand, to });
                }
            };
            for &op in UnaryOp::ALL {
                offer(OpKind::Unary(op), &[ty], None);
            }
            for &op in BinaryOp::ALL {
                let second = Type::scalar(op.second_operand(operand));
                offer(OpKind::Binary(op), &[ty, second], None);
            }
            for &pred in CmpPred::ALL {
                offer(OpKind::Cmp(pred), &[ty; 2], None);
            }
            for &cast in CastKind::ALL {
                for to in Scalar::ALL {
                    offer(OpKind::Cast(cast), &[ty], Some(to));
                }
            }
            offer(OpKind::Fma, &[ty; 3], None);
            offer(OpKind::Select, &[Type::I1, ty, ty], None);
        }
        all
    })
}
