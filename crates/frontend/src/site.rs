//! A place in the user's source, at which operations are built: the one set of builders under operators, methods, and
//! the code that `#[kernel]` writes.

use mytriton_ssa::{Loc, OpKind, Shape, ValueId};

use crate::builder::KernelBuilder;
use crate::dtype::{DType, ElemType, ValueType};
use crate::expr::{Expr, IntoExpr, Repr};
use crate::literal::{Literal, Number};
use crate::staged::{Staged, leaves_of};

/// A builder of operations at one place of the source. Every builtin of the language is a method.
#[derive(Clone, Copy, Debug)]
pub struct Site<'k> {
    pub(crate) k: &'k KernelBuilder,
    pub(crate) loc: Loc,
}

/// An operand that is a value: a compile-time constant, or a run-time value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand {
    Literal(Literal),
    Value(ValueId, ValueType),
}

impl Operand {
    pub(crate) fn shape(self) -> Shape {
        match self {
            Operand::Literal(_) => Shape::SCALAR,
            Operand::Value(_, ty) => ty.shape,
        }
    }

    pub(crate) fn pointee(self) -> Option<DType> {
        match self {
            Operand::Literal(_) => None,
            Operand::Value(_, ty) => ty.pointee(),
        }
    }
}

/// None where a mistake has been noted already.
pub(crate) type Built<T> = Option<T>;

impl<'k> Site<'k> {
    /// The kernel under construction.
    pub fn builder(self) -> &'k KernelBuilder {
        self.k
    }

    /// An expression of what can be one. A host constant's value is known at compile time.
    pub fn lift(self, value: impl IntoExpr<'k>) -> Expr<'k> {
        value.into_expr(self.k)
    }

    /// An integer literal without a suffix.
    pub fn int(self, value: i128) -> Expr<'k> {
        self.lift(Literal::free(Number::Int(value)))
    }

    /// A floating-point literal without a suffix.
    pub fn float(self, value: f64) -> Expr<'k> {
        self.lift(Literal::free(Number::Float(value)))
    }

    /// Notes a mistake; its value is a poison.
    pub fn error(self, message: impl Into<String>) -> Expr<'k> {
        self.k.report(self.loc, message.into());
        self.poison()
    }

    /// Marks a value as assigned to a variable here, for the messages about carried variables.
    pub fn assigned<T: Staged<'k>>(self, mut value: T) -> T {
        for leaf in leaves_of(&mut value) {
            leaf.assigned = self.loc;
        }
        value
    }

    /// Errors with the message unless the condition, a compile-time constant, holds.
    pub fn static_assert(self, condition: impl IntoExpr<'k>, message: &str) {
        let condition = self.lift(condition);
        match condition.known() {
            Some(Number::Bool(true)) => {}
            Some(Number::Bool(false)) => {
                self.error(format!("static_assert failed: {message}"));
            }
            _ if condition.is_poison() => {}
            _ => {
                let got = describe(condition);
                self.error(format!("static_assert takes a compile-time bool, not {got}"));
            }
        }
    }

    /// The element type of a number, of a tile, or behind a pointer.
    pub fn dtype_of(self, value: impl IntoExpr<'k>) -> Expr<'k> {
        let value = self.lift(value);
        match value.repr {
            Repr::Value { ty, .. } => match ty.elem {
                ElemType::Num(dtype) | ElemType::Ptr(dtype) => self.lift(dtype),
            },
            Repr::Literal(literal) => match literal.own_type() {
                Ok(dtype) => self.lift(dtype),
                Err(e) => self.error(e.to_string()),
            },
            Repr::DType(dtype) => self.error(format!("'.dtype' of the element type {dtype} itself")),
            Repr::Poison => self.poison(),
        }
    }

    /// Requires a compile-time constant: what a `#[constexpr]` parameter of a device function gets.
    pub fn constexpr(self, name: &str, value: impl IntoExpr<'k>) -> Expr<'k> {
        let value = self.lift(value);
        match value.repr {
            Repr::Value { ty, .. } => self.error(format!(
                "`{name}` is a constexpr parameter: it takes a compile-time constant, not a run-time {ty}"
            )),
            _ => value,
        }
    }

    /// Requires a scalar of the given element type, as `let x: f32 = ...` does: compile-time constants become one.
    pub fn annotated(self, value: impl IntoExpr<'k>, dtype: impl IntoExpr<'k>) -> Expr<'k> {
        let built = (|| {
            let value = self.lift(value);
            let dtype = self.dtype_operand("a type annotation", self.lift(dtype))?;
            match self.operand("a variable", value)? {
                Operand::Literal(literal) => match literal.type_with(dtype) {
                    Ok(own) if own == dtype => {
                        let fitted = self.fit(literal, dtype)?;
                        let value = Number::from_const(fitted, dtype);
                        Some(self.lift(Literal::fixed(value, dtype)))
                    }
                    Ok(_) | Err(_) => {
                        self.fail(format!("{} is not a {dtype}: convert it (`as {dtype}`)", literal.value))
                    }
                },
                Operand::Value(_, ty) if ty == ValueType::scalar(dtype) => Some(value),
                Operand::Value(_, ty) => {
                    let advice = if ty.shape.is_scalar() && ty.dtype().is_some() {
                        format!("convert it (`as {dtype}`)")
                    } else {
                        "leave the annotation out, or write `Tile`".to_owned()
                    };
                    self.fail(format!(
                        "the annotation says a scalar {dtype}, the value is {ty}: {advice}"
                    ))
                }
            }
        })();
        self.done(built)
    }

    /// Requires a pointer (or tile of pointers) to the given element type.
    pub fn annotated_ptr(self, value: impl IntoExpr<'k>, dtype: impl IntoExpr<'k>) -> Expr<'k> {
        let value = self.lift(value);
        let built = (|| {
            let dtype = self.dtype_operand("a type annotation", self.lift(dtype))?;
            match value.repr {
                Repr::Poison => None,
                Repr::Value { ty, .. } if ty.pointee() == Some(dtype) => Some(value),
                _ => self.fail(format!("a Ptr<{dtype}> is needed here, not {}", describe(value))),
            }
        })();
        self.done(built)
    }

    pub(crate) fn poison(self) -> Expr<'k> {
        Expr::new(self.k, Repr::Poison)
    }

    /// Notes a mistake, inside functions that build by steps.
    pub(crate) fn fail<T>(self, message: impl Into<String>) -> Built<T> {
        self.error(message);
        None
    }

    pub(crate) fn done(self, built: Built<Expr<'k>>) -> Expr<'k> {
        built.unwrap_or_else(|| self.poison())
    }

    /// An operand that must be a value, for messages that call its user `what`.
    pub(crate) fn operand(self, what: &str, expr: Expr<'k>) -> Built<Operand> {
        match expr.repr {
            Repr::Poison => None,
            Repr::Literal(literal) => Some(Operand::Literal(literal)),
            Repr::DType(dtype) => self.fail(format!("{what} takes values, not the type {dtype}")),
            Repr::Value { id, ty, scope } => {
                if !std::ptr::eq(self.k, expr.k) {
                    return self.fail(format!("{what} got a value of another kernel"));
                }
                if self.k.is_around_combine(scope) {
                    return self.fail(format!(
                        "{what} got a value from outside the combiner, which sees its arguments and compile-time constants alone: apply the value before or after the reduction, or combine it too"
                    ));
                }
                if !self.k.is_visible(scope) {
                    return self.fail(format!(
                        "{what} got a value made inside a loop or branch that has ended: carry it out as a result"
                    ));
                }
                Some(Operand::Value(id, ty))
            }
        }
    }

    /// An operand that must be an element type.
    pub(crate) fn dtype_operand(self, what: &str, expr: Expr<'k>) -> Built<DType> {
        match expr.repr {
            Repr::Poison => None,
            Repr::DType(dtype) => Some(dtype),
            _ => self.fail(format!(
                "{what} takes an element type such as f32, not {}",
                describe(expr)
            )),
        }
    }

    /// An operand that must be an integer known now.
    pub(crate) fn known_int(self, what: &str, expr: Expr<'k>) -> Built<i128> {
        match (expr.repr, expr.known().and_then(Number::as_int)) {
            (Repr::Poison, _) => None,
            (_, Some(value)) => Some(value),
            _ => self.fail(format!(
                "{what} must be a compile-time integer (a literal or #[constexpr] parameter), not {}",
                describe(expr)
            )),
        }
    }

    /// Appends an operation with a result.
    pub(crate) fn emit(self, kind: OpKind, operands: &[ValueId], ty: ValueType) -> Built<ValueId> {
        match self.k.emit(self.loc, kind, operands, Some(ty.ssa())) {
            Ok(Some(id)) => Some(id),
            Ok(None) => self.fail("internal error: the operation has no result"),
            Err(e) => self.fail(e.to_string()),
        }
    }

    /// An expression of a value made in the current region.
    pub(crate) fn value(self, id: ValueId, ty: ValueType) -> Expr<'k> {
        let scope = self.k.current_region();
        Expr::new(self.k, Repr::Value { id, ty, scope })
    }

    /// Appends an operation whose result is of type `ty`.
    pub(crate) fn op(self, kind: OpKind, operands: &[ValueId], ty: ValueType) -> Built<Expr<'k>> {
        let id = self.emit(kind, operands, ty)?;
        Some(self.value(id, ty))
    }

    /// The constant of a number in `dtype`; notes one that is out of range.
    pub(crate) fn fit(self, literal: Literal, dtype: DType) -> Built<mytriton_ssa::Const> {
        match literal.value.fit(dtype) {
            Ok(constant) => Some(constant),
            Err(e) => self.fail(e.to_string()),
        }
    }

    /// The type that a number has by itself.
    pub(crate) fn own_type(self, literal: Literal) -> Built<DType> {
        match literal.own_type() {
            Ok(dtype) => Some(dtype),
            Err(e) => self.fail(e.to_string()),
        }
    }

    /// A run-time value of the operand in element type `dtype`, in a shape that it broadcasts to.
    pub(crate) fn convert(self, operand: Operand, dtype: DType, shape: Shape) -> Built<ValueId> {
        let ty = ValueType::scalar(dtype).with_shape(shape);
        match operand {
            Operand::Literal(literal) => {
                let constant = self.fit(literal, dtype)?;
                self.emit(OpKind::Const(constant), &[], ty)
            }
            Operand::Value(id, from) => {
                let id = self.cast_value(id, from, dtype)?;
                self.broadcast_value(id, from.with_dtype(dtype), shape)
            }
        }
    }

    /// The operand as a run-time value, a number in its own type.
    pub(crate) fn materialise(self, operand: Operand) -> Built<(ValueId, ValueType)> {
        match operand {
            Operand::Value(id, ty) => Some((id, ty)),
            Operand::Literal(literal) => {
                let dtype = self.own_type(literal)?;
                let id = self.convert(operand, dtype, Shape::SCALAR)?;
                Some((id, ValueType::scalar(dtype)))
            }
        }
    }

    /// The common shape of operands that broadcast.
    pub(crate) fn common_shape(self, what: &str, shapes: impl IntoIterator<Item = Shape>) -> Built<Shape> {
        let mut common = Shape::SCALAR;
        for shape in shapes {
            common = match common.broadcast(&shape) {
                Ok(shape) => shape,
                Err(e) => return self.fail(format!("{what}: {e}")),
            };
        }
        Some(common)
    }
}

/// An expression in messages: "a f32[64] value", "the number 3".
pub(crate) fn describe(expr: Expr<'_>) -> String {
    match expr.repr {
        Repr::Value { ty, .. } => format!("a run-time {ty}"),
        Repr::Literal(literal) => format!("the number {}", literal.value),
        Repr::DType(dtype) => format!("the type {dtype}"),
        Repr::Poison => "an erroneous value".to_owned(),
    }
}

/// The first parameter of a device function.
#[diagnostic::on_unimplemented(
    message = "kernels call device functions, and this is none",
    label = "this function is not marked `#[kernel(device)]`",
    note = "mark it, or compute what it gives on the host and pass it to the kernel"
)]
pub trait DeviceSite<'k> {
    /// The place of the call as the function takes it.
    fn of(site: Site<'k>) -> Self;
}

impl<'k> DeviceSite<'k> for Site<'k> {
    fn of(site: Site<'k>) -> Self {
        site
    }
}

/// The place of a call of a device function, as the function takes it.
pub fn device_site<'k, S: DeviceSite<'k>>(site: Site<'k>) -> S {
    S::of(site)
}
