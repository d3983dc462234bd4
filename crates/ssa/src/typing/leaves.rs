//! Operations without operands.

use super::{Operation, TypeError};
use crate::constant::Const;
use crate::types::{Elem, Shape, Type};

impl Operation<'_> {
    pub(super) fn constant(&self, c: &Const) -> Result<Type, TypeError> {
        let op = self.op;
        self.arity("0", self.operands.is_empty())?;
        let ty = self.requested.unwrap_or(Type::scalar(c.scalar()));
        if ty.elem != Elem::Scalar(c.scalar()) {
            let from = Type::scalar(c.scalar());
            return Err(TypeError::Result {
                op,
                from,
                to: ty,
                why: "the element type is the constant's",
            });
        }
        Ok(ty)
    }

    pub(super) fn program(&self) -> Result<Type, TypeError> {
        self.arity("0", self.operands.is_empty())?;
        Ok(Type::I32)
    }

    pub(super) fn range(&self, start: i32, end: i32) -> Result<Type, TypeError> {
        let op = self.op;
        self.arity("0", self.operands.is_empty())?;
        let extent = i64::from(end) - i64::from(start);
        let what = || format!("range {start}, {end} is empty: the end is above the start");
        let extent = u32::try_from(extent).ok().filter(|&e| e > 0);
        let extent = extent.ok_or_else(|| TypeError::Attribute { op, what: what() })?;
        let shape = Shape::new(&[extent]).map_err(|e| TypeError::Attribute {
            op,
            what: e.to_string(),
        })?;
        Ok(Type::I32.with_shape(shape))
    }
}
