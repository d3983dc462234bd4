//! Operations that change shapes or move elements.

use super::{Operation, TypeError, role, same};
use crate::permutation::Permutation;
use crate::types::{Scalar, Type};

impl Operation<'_> {
    pub(super) fn splat(&self) -> Result<Type, TypeError> {
        let op = self.op;
        self.arity("1", self.operands.len() == 1)?;
        let (from, to) = (self.operands[0], self.want()?);
        if !from.is_scalar() {
            return Err(TypeError::Operand {
                op,
                expected: "a scalar",
                found: from,
            });
        }
        if to.elem != from.elem || to.is_scalar() {
            return Err(TypeError::Result {
                op,
                from,
                to,
                why: "the result is a tile of the operand's type",
            });
        }
        Ok(to)
    }

    pub(super) fn expand_dims(&self, axis: usize) -> Result<Type, TypeError> {
        let op = self.op;
        self.arity("1", self.operands.len() == 1)?;
        let from = self.operands[0];
        if from.is_scalar() {
            return Err(TypeError::Operand {
                op,
                expected: "a tile",
                found: from,
            });
        }
        let shape = from.shape.expand(axis).map_err(|e| TypeError::Attribute {
            op,
            what: e.to_string(),
        })?;
        Ok(from.with_shape(shape))
    }

    pub(super) fn broadcast(&self) -> Result<Type, TypeError> {
        let op = self.op;
        self.arity("1", self.operands.len() == 1)?;
        let (from, to) = (self.operands[0], self.want()?);
        let (a, b) = (from.shape.dims(), to.shape.dims());
        let stretches = a.len() == b.len() && a.iter().zip(b).all(|(&x, &y)| x == y || x == 1);
        if from.is_scalar() || from.elem != to.elem || !stretches {
            let why = "it stretches extents of 1 and changes nothing else";
            return Err(TypeError::Result { op, from, to, why });
        }
        Ok(to)
    }

    pub(super) fn reshape(&self) -> Result<Type, TypeError> {
        let op = self.op;
        self.arity("1", self.operands.len() == 1)?;
        let (from, to) = (self.operands[0], self.want()?);
        if to.elem != from.elem || to.shape.elements() != from.shape.elements() {
            let why = "a reshape keeps the element type and the number of elements";
            return Err(TypeError::Result { op, from, to, why });
        }
        Ok(to)
    }

    pub(super) fn transpose(&self, permutation: &Permutation) -> Result<Type, TypeError> {
        let op = self.op;
        self.arity("1", self.operands.len() == 1)?;
        let from = self.operands[0];
        let shape = permutation.apply(&from.shape).filter(|_| !from.is_scalar());
        Ok(from.with_shape(shape.ok_or_else(|| {
            let (rank, given) = (from.shape.rank(), permutation.rank());
            let what = format!("the order {permutation} is one of {given} dimension(s), the operand has {rank}");
            TypeError::Attribute { op, what }
        })?))
    }

    pub(super) fn join(&self) -> Result<Type, TypeError> {
        let op = self.op;
        self.arity("2", self.operands.len() == 2)?;
        same(self.op, self.operands[0], self.operands[1])?;
        let shape = self.operands[0].shape.append(2).map_err(|e| TypeError::Attribute {
            op,
            what: e.to_string(),
        })?;
        Ok(self.operands[0].with_shape(shape))
    }

    pub(super) fn split(&self) -> Result<Type, TypeError> {
        let op = self.op;
        self.arity("1", self.operands.len() == 1)?;
        let found = self.operands[0];
        let expected = "a tile whose last extent is 2";
        let Some((2, rest)) = found.shape.dims().split_last() else {
            return Err(TypeError::Operand { op, expected, found });
        };
        Ok(found.with_shape(found.shape.without(rest.len()).expect("it is a dimension")))
    }

    pub(super) fn gather(&self, axis: usize) -> Result<Type, TypeError> {
        self.arity("2", self.operands.len() == 2)?;
        gathered(self.op, axis, self.operands[0], self.operands[1])
    }

    pub(super) fn histogram(&self) -> Result<Type, TypeError> {
        let op = self.op;
        self.arity("1 to 2", (1..=2).contains(&self.operands.len()))?;
        let (from, to) = (self.operands[0], self.want()?);
        if from.is_scalar() || !from.is_int() {
            let expected = "a tile of integers";
            return Err(TypeError::Operand {
                op,
                expected,
                found: from,
            });
        }
        if let Some(&mask) = self.operands.get(1) {
            role(self.op, "mask", from.with_scalar(Scalar::I1), mask)?;
        }
        if to.as_scalar() != Some(Scalar::I32) || to.shape.rank() != 1 {
            let why = "it counts into a tile of i32 of rank 1, an element for each bin";
            return Err(TypeError::Result { op, from, to, why });
        }
        Ok(to)
    }
}

/// The type of what a gather along an axis gives.
fn gathered(op: &'static str, axis: usize, source: Type, index: Type) -> Result<Type, TypeError> {
    if source.is_scalar() || source.as_scalar().is_none() {
        let expected = "a tile of numbers first";
        return Err(TypeError::Operand {
            op,
            expected,
            found: source,
        });
    }
    if index.is_scalar() || !index.is_int() || index.as_scalar() == Some(Scalar::I1) {
        let expected = "a tile of i8, i16, i32 or i64 as its index";
        return Err(TypeError::Operand {
            op,
            expected,
            found: index,
        });
    }
    let without = |ty: Type| ty.shape.without(axis);
    let rest = without(source).map_err(|e| TypeError::Attribute {
        op,
        what: e.to_string(),
    })?;
    if index.shape.rank() != source.shape.rank() || without(index) != Ok(rest) {
        let (from, to) = (source.shape, index.shape);
        let what =
            format!("the extents of operand and index are equal, but along axis {axis}: [{from}] and [{to}] differ");
        return Err(TypeError::Attribute { op, what });
    }
    Ok(source.with_shape(index.shape))
}
