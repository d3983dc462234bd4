//! Loads and stores.

use mytriton_ssa::{OpKind, Shape, ValueId};

use crate::dtype::{DType, ValueType};
use crate::expr::{Expr, IntoExpr};
use crate::site::{Built, Operand, Site, describe};

/// A load that is being described; [`Load::get`] performs it.
#[must_use = "`get` performs the load"]
#[derive(Clone, Copy, Debug)]
pub struct Load<'k> {
    site: Site<'k>,
    pointer: Expr<'k>,
    mask: Option<Expr<'k>>,
    other: Option<Expr<'k>>,
}

/// A store that is being described; [`Store::done`] performs it.
#[must_use = "`done` performs the store"]
#[derive(Clone, Copy, Debug)]
pub struct Store<'k> {
    site: Site<'k>,
    pointer: Expr<'k>,
    value: Expr<'k>,
    mask: Option<Expr<'k>>,
}

impl<'k> Site<'k> {
    /// Reads from a pointer, or a tile from a tile of pointers.
    pub fn load(self, pointer: impl IntoExpr<'k>) -> Load<'k> {
        Load {
            site: self,
            pointer: self.lift(pointer),
            mask: None,
            other: None,
        }
    }

    /// Writes to a pointer, or a tile to a tile of pointers. The value is cast to what the pointer points to and
    /// broadcast to its shape.
    pub fn store(self, pointer: impl IntoExpr<'k>, value: impl IntoExpr<'k>) -> Store<'k> {
        Store {
            site: self,
            pointer: self.lift(pointer),
            value: self.lift(value),
            mask: None,
        }
    }

    fn pointer(self, what: &str, pointer: Expr<'k>) -> Built<(ValueId, ValueType, DType)> {
        match self.operand(what, pointer)? {
            Operand::Value(id, ty) if ty.pointee().is_some() => Some((id, ty, ty.pointee()?)),
            _ => self.fail(format!(
                "{what} takes a pointer or a tile of pointers first, not {}",
                describe(pointer)
            )),
        }
    }

    fn mask(self, what: &str, mask: Option<Expr<'k>>) -> Built<Option<Operand>> {
        let Some(mask) = mask else { return Some(None) };
        let operand = self.operand(what, mask)?;
        self.require_bool(&format!("the mask of {what}"), operand)?;
        Some(Some(operand))
    }

    /// A value converted as `as` does, in the given shape.
    fn cast_to(self, operand: Operand, dtype: DType, shape: Shape) -> Built<ValueId> {
        match operand {
            Operand::Literal(literal) => {
                let constant = if literal.value.kind() <= dtype.kind() && !dtype.is_float() {
                    self.fit(literal, dtype)?
                } else {
                    literal.value.cast(dtype)
                };
                let ty = ValueType::scalar(dtype).with_shape(shape);
                self.emit(OpKind::Const(constant), &[], ty)
            }
            value => self.convert(value, dtype, shape),
        }
    }
}

impl<'k> Load<'k> {
    /// Only elements whose mask holds are read; the others are `other`, or undefined without one.
    pub fn mask(self, mask: impl IntoExpr<'k>) -> Load<'k> {
        let mask = Some(self.site.lift(mask));
        Load { mask, ..self }
    }

    /// The value of elements whose mask does not hold, cast to the element type.
    pub fn other(self, other: impl IntoExpr<'k>) -> Load<'k> {
        let other = Some(self.site.lift(other));
        Load { other, ..self }
    }

    /// Performs the load. Pointer, mask and `other` broadcast together.
    pub fn get(self) -> Expr<'k> {
        let site = self.site;
        let built = (|| {
            let pointer = site.pointer("load", self.pointer);
            let mask = site.mask("load", self.mask);
            let other = match self.other {
                Some(other) => site.operand("load", other).map(Some),
                None => Some(None),
            };
            let ((pointer, ty, dtype), mask, other) = (pointer?, mask?, other?);
            if mask.is_none() && other.is_some() {
                return site.fail("load: `.other(..)` needs a `.mask(..)`: without one no element takes it");
            }
            let shapes = [Some(ty.shape), mask.map(Operand::shape), other.map(Operand::shape)];
            let shape = site.common_shape("load", shapes.into_iter().flatten())?;
            let mut operands = vec![site.broadcast_value(pointer, ty, shape)?];
            if let Some(mask) = mask {
                operands.push(site.convert(mask, DType::Bool, shape)?);
            }
            if let Some(other) = other {
                operands.push(site.cast_to(other, dtype, shape)?);
            }
            let ty = ValueType::scalar(dtype).with_shape(shape);
            site.op(OpKind::Load, &operands, ty)
        })();
        site.done(built)
    }
}

impl<'k> Store<'k> {
    /// Only elements whose mask holds are written.
    pub fn mask(self, mask: impl IntoExpr<'k>) -> Store<'k> {
        let mask = Some(self.site.lift(mask));
        Store { mask, ..self }
    }

    /// Performs the store.
    pub fn done(self) {
        let _ = self.build();
    }

    fn build(self) -> Built<()> {
        let site = self.site;
        let pointer = site.pointer("store", self.pointer);
        let value = site.operand("store", self.value);
        let mask = site.mask("store", self.mask);
        let ((pointer, ty, dtype), value, mask) = (pointer?, value?, mask?);
        let sides = [Some(value), mask].into_iter().flatten();
        for (side, role) in sides.zip(["value", "mask"]) {
            if ty.shape.broadcast(&side.shape()) != Ok(ty.shape) {
                let shape = crate::dtype::DisplayShape(side.shape());
                return site.fail(format!(
                    "store: the {role} of shape {shape} does not broadcast to the pointers, {ty}"
                ));
            }
        }
        let mut operands = vec![pointer, site.cast_to(value, dtype, ty.shape)?];
        if let Some(mask) = mask {
            operands.push(site.convert(mask, DType::Bool, ty.shape)?);
        }
        match site.k.emit(site.loc, OpKind::Store, &operands, None) {
            Ok(_) => Some(()),
            Err(e) => site.fail(e.to_string()),
        }
    }
}
