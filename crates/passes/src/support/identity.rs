//! Identity elements of operations: what padding is filled with.

use melior::ir::r#type::IntegerType;
use melior::ir::{OperationRef, Type, Value};
use mytriton_tile::emit::{Emitter, element_type};
use mytriton_tile::ops::arith;

/// The identity element of a commutative operation: applied to it and `x`, in either order, the operation gives `x` bit by
/// bit (of a NaN, perhaps another NaN).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Identity {
    /// 0.
    Zero,
    /// 1.
    One,
    /// All bits set: the largest integer without sign.
    Ones,
    /// The smallest integer with sign.
    Least,
    /// The largest integer with sign.
    Most,
    /// -0.0: that of a sum, as 0.0 would make 0.0 of -0.0.
    MinusZero,
    /// 1.0.
    OneFloat,
    /// NaN: that of the extremes that ignore it. An infinity would win over elements which are all NaN.
    Nan,
    /// Infinity.
    Infinity,
    /// -infinity.
    MinusInfinity,
}

impl Identity {
    /// That of an operation on two numbers, if it is commutative and has one.
    pub fn of(op: OperationRef<'_, '_>) -> Option<Identity> {
        use arith::Op;
        match Op::cast(op)? {
            Op::AddI(_) | Op::OrI(_) | Op::XOrI(_) | Op::MaxUI(_) => Some(Identity::Zero),
            Op::MulI(_) => Some(Identity::One),
            Op::AndI(_) | Op::MinUI(_) => Some(Identity::Ones),
            Op::MaxSI(_) => Some(Identity::Least),
            Op::MinSI(_) => Some(Identity::Most),
            Op::AddF(_) => Some(Identity::MinusZero),
            Op::MulF(_) => Some(Identity::OneFloat),
            Op::MaxNumF(_) | Op::MinNumF(_) => Some(Identity::Nan),
            Op::MinimumF(_) => Some(Identity::Infinity),
            Op::MaximumF(_) => Some(Identity::MinusInfinity),
            Op::AddUIExtended(_)
            | Op::Bitcast(_)
            | Op::CeilDivSI(_)
            | Op::CeilDivUI(_)
            | Op::CmpF(_)
            | Op::CmpI(_)
            | Op::Constant(_)
            | Op::DivF(_)
            | Op::DivSI(_)
            | Op::DivUI(_)
            | Op::ExtF(_)
            | Op::ExtSI(_)
            | Op::ExtUI(_)
            | Op::FloorDivSI(_)
            | Op::FPToSI(_)
            | Op::FPToUI(_)
            | Op::IndexCast(_)
            | Op::IndexCastUI(_)
            | Op::MulSIExtended(_)
            | Op::MulUIExtended(_)
            | Op::NegF(_)
            | Op::RemF(_)
            | Op::RemSI(_)
            | Op::RemUI(_)
            | Op::Select(_)
            | Op::ShLI(_)
            | Op::ShRSI(_)
            | Op::ShRUI(_)
            | Op::SIToFP(_)
            | Op::SubF(_)
            | Op::SubI(_)
            | Op::TruncF(_)
            | Op::TruncI(_)
            | Op::UIToFP(_) => None,
        }
    }

    /// Whether numbers combined by its operation give the same bits in every order.
    pub fn is_of_any_order(self) -> bool {
        match self {
            // Sums and products of floats round.
            Identity::MinusZero | Identity::OneFloat => false,
            Identity::Zero
            | Identity::One
            | Identity::Ones
            | Identity::Least
            | Identity::Most
            | Identity::Nan
            | Identity::Infinity
            | Identity::MinusInfinity => true,
        }
    }

    /// The constant of that type: a number, or a tile or vector that has it in every element.
    pub fn constant<'c: 'a, 'a>(self, emitter: Emitter<'c, 'a>, ty: Type<'c>) -> Value<'c, 'a> {
        let bits = IntegerType::try_from(element_type(ty)).map_or(1, |int| int.width());
        let least = i64::MIN >> (i64::BITS - bits);
        match self {
            Identity::Zero => emitter.int_like(ty, 0),
            Identity::One => emitter.int_like(ty, 1),
            Identity::Ones => emitter.int_like(ty, -1),
            Identity::Least => emitter.int_like(ty, least),
            Identity::Most => emitter.int_like(ty, !least),
            Identity::MinusZero => emitter.float_like(ty, -0.0),
            Identity::OneFloat => emitter.float_like(ty, 1.0),
            Identity::Nan => emitter.float_like(ty, f64::NAN),
            Identity::Infinity => emitter.float_like(ty, f64::INFINITY),
            Identity::MinusInfinity => emitter.float_like(ty, f64::NEG_INFINITY),
        }
    }
}
