//! Numbers that a combination leaves as it is: what padding is filled with.

use melior::ir::r#type::IntegerType;
use melior::ir::{Type, Value};
use mytriton_tile::emit::{Emitter, element_type};

/// The number `n` for which an operation gives `x` for `n` and any `x`, bit by bit (of a NaN, another NaN perhaps), whichever
/// of them comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Neutral {
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

impl Neutral {
    /// That of an operation of two numbers which gives the same in either order; none for others.
    pub fn of(operation: &str) -> Option<Neutral> {
        Some(match operation {
            "arith.addi" | "arith.ori" | "arith.xori" | "arith.maxui" => Neutral::Zero,
            "arith.muli" => Neutral::One,
            "arith.andi" | "arith.minui" => Neutral::Ones,
            "arith.maxsi" => Neutral::Least,
            "arith.minsi" => Neutral::Most,
            "arith.addf" => Neutral::MinusZero,
            "arith.mulf" => Neutral::OneFloat,
            "arith.maxnumf" | "arith.minnumf" => Neutral::Nan,
            "arith.minimumf" => Neutral::Infinity,
            "arith.maximumf" => Neutral::MinusInfinity,
            _ => return None,
        })
    }

    /// The constant of that type: a number, or a tile or vector that has it in every element.
    pub fn constant<'c: 'a, 'a>(self, emitter: Emitter<'c, 'a>, ty: Type<'c>) -> Value<'c, 'a> {
        let bits = IntegerType::try_from(element_type(ty)).map_or(1, |int| int.width());
        let least = i64::MIN >> (i64::BITS - bits);
        match self {
            Neutral::Zero => emitter.int_like(ty, 0),
            Neutral::One => emitter.int_like(ty, 1),
            Neutral::Ones => emitter.int_like(ty, -1),
            Neutral::Least => emitter.int_like(ty, least),
            Neutral::Most => emitter.int_like(ty, !least),
            Neutral::MinusZero => emitter.float_like(ty, -0.0),
            Neutral::OneFloat => emitter.float_like(ty, 1.0),
            Neutral::Nan => emitter.float_like(ty, f64::NAN),
            Neutral::Infinity => emitter.float_like(ty, f64::INFINITY),
            Neutral::MinusInfinity => emitter.float_like(ty, f64::NEG_INFINITY),
        }
    }
}
