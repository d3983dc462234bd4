//! Addresses and accesses.

use super::{Operation, TypeError, pointee, role};
use crate::types::{Scalar, Type};

impl Operation<'_> {
    pub(super) fn addptr(&self) -> Result<Type, TypeError> {
        let op = self.op;
        self.arity("2", self.operands.len() == 2)?;
        let (ptr, offset) = (self.operands[0], self.operands[1]);
        if ptr.pointee().is_none() {
            return Err(TypeError::Operand {
                op,
                expected: "a pointer first",
                found: ptr,
            });
        }
        if !offset.is_int() || offset.as_scalar() == Some(Scalar::I1) {
            return Err(TypeError::Operand {
                op,
                expected: "an offset of i8, i16, i32 or i64",
                found: offset,
            });
        }
        if offset.shape != ptr.shape {
            let expected = offset.with_shape(ptr.shape);
            return Err(TypeError::Role {
                op,
                role: "offset",
                expected,
                found: offset,
            });
        }
        Ok(ptr)
    }

    pub(super) fn load(&self) -> Result<Type, TypeError> {
        self.arity("1 to 3", (1..=3).contains(&self.operands.len()))?;
        let value = pointee(self.op, self.operands[0])?;
        if let Some(&mask) = self.operands.get(1) {
            role(self.op, "mask", value.with_scalar(Scalar::I1), mask)?;
        }
        if let Some(&other) = self.operands.get(2) {
            role(self.op, "other", value, other)?;
        }
        Ok(value)
    }

    pub(super) fn store(&self) -> Result<(), TypeError> {
        self.arity("2 to 3", (2..=3).contains(&self.operands.len()))?;
        let value = pointee(self.op, self.operands[0])?;
        role(self.op, "value", value, self.operands[1])?;
        if let Some(&mask) = self.operands.get(2) {
            role(self.op, "mask", value.with_scalar(Scalar::I1), mask)?;
        }
        Ok(())
    }
}
