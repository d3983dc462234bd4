//! Identity elements of operations: what padding is filled with.

use melior::ir::{OperationRef, Type, Value, ValueLike};
use mytriton_ssa::{Const, OpKind};

use crate::emit::{Emitter, element_type};
use crate::ops::arith::FastMathFlags;
use crate::types::ssa_scalar;
use crate::{name_of, names};

/// The identity element of a commutative operation: applied to it and `x`, in either order, the operation gives `x` bit by
/// bit (of a NaN, perhaps another NaN).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Identity {
    value: Const,
    exact: bool,
}

impl Identity {
    /// That of an operation on two numbers, if it is commutative and has one (see `BinaryOp::identity`).
    pub fn of(op: OperationRef<'_, '_>) -> Option<Identity> {
        let OpKind::Binary(kind) = names::elementwise(&name_of(op), None, FastMathFlags::NONE)? else {
            return None;
        };
        let scalar = ssa_scalar(element_type(op.result(0).ok()?.r#type()))?;
        let value = kind.identity(scalar).filter(|_| kind.is_commutative())?;
        let exact = scalar.is_int() || kind.accuracy().is_exact();
        Some(Identity { value, exact })
    }

    /// Whether numbers combined by its operation give the same bits in every order: sums and products of floats round.
    pub fn is_of_any_order(self) -> bool {
        self.exact
    }

    /// The constant of that type: a number, or a tile or vector that has it in every element.
    pub fn constant<'c: 'a, 'a>(self, emitter: Emitter<'c, 'a>, ty: Type<'c>) -> Value<'c, 'a> {
        match (self.value.as_signed(), self.value.as_f64()) {
            (Some(int), _) => emitter.int_like(ty, int),
            (None, Some(float)) => emitter.float_like(ty, float),
            (None, None) => unreachable!("a constant is an integer or a float"),
        }
    }
}
