//! Operations on elements.

use super::{Operation, TypeError, cast_refusal, in_domain, role, same, signed};
use crate::op::{BinaryOp, CastKind, CmpPred, Domain, UnaryOp};
use crate::types::{Scalar, Type};

impl Operation<'_> {
    pub(super) fn unary(&self, unary: UnaryOp) -> Result<Type, TypeError> {
        let op = self.op;
        self.arity("1", self.operands.len() == 1)?;
        in_domain(self.op, unary.domain(), self.operands[0])?;
        if self.operands[0].as_scalar() == Some(Scalar::I1) {
            return Err(TypeError::Operand {
                op,
                expected: "integers wider than i1",
                found: self.operands[0],
            });
        }
        Ok(self.operands[0])
    }

    pub(super) fn binary(&self, binary: BinaryOp) -> Result<Type, TypeError> {
        self.arity("2", self.operands.len() == 2)?;
        in_domain(self.op, binary.domain(), self.operands[0])?;
        let first = self.operands[0].as_scalar().expect("operations on numbers");
        let second = self.operands[0].with_scalar(binary.second_operand(first));
        if second == self.operands[0] {
            same(self.op, self.operands[0], self.operands[1])?;
        } else {
            role(self.op, "second operand", second, self.operands[1])?;
        }
        signed(self.op, binary.unsigned().map(BinaryOp::name), self.operands[0])?;
        Ok(self.operands[0])
    }

    pub(super) fn fma(&self) -> Result<Type, TypeError> {
        self.arity("3", self.operands.len() == 3)?;
        in_domain(self.op, Domain::Float, self.operands[0])?;
        same(self.op, self.operands[0], self.operands[1])?;
        same(self.op, self.operands[0], self.operands[2])?;
        Ok(self.operands[0])
    }

    pub(super) fn compare(&self, pred: CmpPred) -> Result<Type, TypeError> {
        let op = self.op;
        self.arity("2", self.operands.len() == 2)?;
        same(self.op, self.operands[0], self.operands[1])?;
        let ty = self.operands[0];
        if ty.pointee().is_some() && !pred.is_equality() {
            return Err(TypeError::Operand {
                op,
                expected: "numbers (pointers compare by eq and ne alone)",
                found: ty,
            });
        }
        if pred.is_unsigned() {
            in_domain(self.op, Domain::Int, ty)?;
        }
        signed(pred.name(), pred.unsigned().map(CmpPred::name), ty)?;
        Ok(ty.with_scalar(Scalar::I1))
    }

    pub(super) fn select(&self) -> Result<Type, TypeError> {
        let op = self.op;
        self.arity("3", self.operands.len() == 3)?;
        same(self.op, self.operands[1], self.operands[2])?;
        let expected = self.operands[1].with_scalar(Scalar::I1);
        if self.operands[0] != expected && self.operands[0] != Type::I1 {
            return Err(TypeError::Role {
                op,
                role: "condition",
                expected,
                found: self.operands[0],
            });
        }
        Ok(self.operands[1])
    }

    pub(super) fn cast(&self, cast: CastKind) -> Result<Type, TypeError> {
        let op = self.op;
        self.arity("1", self.operands.len() == 1)?;
        let (from, to) = (self.operands[0], self.want()?);
        if from.shape != to.shape {
            return Err(TypeError::Result {
                op,
                from,
                to,
                why: "a cast keeps the shape",
            });
        }
        let (Some(a), Some(b)) = (from.as_scalar(), to.as_scalar()) else {
            return Err(TypeError::Result {
                op,
                from,
                to,
                why: "casts are between numbers",
            });
        };
        if let Some(why) = cast_refusal(cast, a, b) {
            return Err(TypeError::Result { op, from, to, why });
        }
        Ok(to)
    }
}
