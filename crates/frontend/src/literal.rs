//! Numbers known while a kernel is built: literals, constants of the host program, and constexpr parameters.
//!
//! Arithmetic among them is exact for integers and takes place in `f64` for floats; the type is chosen when one meets
//! a run-time value. A number whose type was written down (`1.0f32`, `n as i16`) keeps it and wraps or rounds to it.

use std::fmt;

use mytriton_ssa::Const;

use crate::dtype::{DType, Kind};

/// The value of a compile-time number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A floating-point number.
    Float(f64),
}

/// How firmly a compile-time number is bound to a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Own {
    /// Not at all: `1`, `0.5`.
    Free,
    /// It has this type where no run-time value says otherwise: constexpr parameters, constants such as `f32::MAX`.
    Declared(DType),
    /// It has this type everywhere, as a run-time value would: `1u8`, `BLOCK as i64`.
    Fixed(DType),
}

/// A compile-time number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Literal {
    /// The value.
    pub value: Number,
    /// Its tie to a type.
    pub own: Own,
}

impl Number {
    /// Its place in promotion.
    pub fn kind(self) -> Kind {
        match self {
            Number::Bool(_) => Kind::Bool,
            Number::Int(_) => Kind::Int,
            Number::Float(_) => Kind::Float,
        }
    }

    /// As an integer: a boolean is 0 or 1; none for floats.
    pub fn as_int(self) -> Option<i128> {
        match self {
            Number::Bool(b) => Some(i128::from(b)),
            Number::Int(i) => Some(i),
            Number::Float(_) => None,
        }
    }

    /// As a float, rounded to nearest.
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Bool(b) => f64::from(u8::from(b)),
            Number::Int(i) => i as f64,
            Number::Float(f) => f,
        }
    }

    /// The constant that a cast to `dtype` gives: integers wrap; floats to integers truncate and saturate, NaN giving 0;
    /// to floats one rounding to nearest even; to `bool` it is `!= 0`.
    pub fn cast(self, dtype: DType) -> Const {
        let scalar = dtype.scalar();
        match (self, dtype.kind()) {
            (Number::Float(v), Kind::Bool) => Const::bool(v != 0.0),
            (_, Kind::Bool) => Const::bool(self.as_int() != Some(0)),
            (Number::Float(v), Kind::Int) if dtype.is_unsigned() => {
                let (_, max) = dtype.int_range().unwrap_or((0, 0));
                Const::from_int(scalar, i128::from(v as u64).min(max))
            }
            (Number::Float(v), _) => Const::from_f64(scalar, v),
            (_, _) => Const::from_int(scalar, self.as_int().unwrap_or(0)),
        }
    }

    /// The number that a constant of `dtype` stands for.
    pub fn from_const(value: Const, dtype: DType) -> Number {
        match dtype.kind() {
            Kind::Bool => Number::Bool(value.bits() != 0),
            Kind::Int if dtype.is_unsigned() => Number::Int(i128::from(value.bits())),
            Kind::Int => Number::Int(i128::from(value.as_signed().unwrap_or(0))),
            Kind::Float => Number::Float(value.as_f64().unwrap_or(f64::NAN)),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Bool(b) => write!(f, "{b}"),
            Number::Int(i) => write!(f, "{i}"),
            Number::Float(v) => write!(f, "{v:?}"),
        }
    }
}

/// Why a number does not take a type.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum LiteralError {
    /// An integer outside of the type's range.
    #[error("{value} does not fit {dtype}, whose values are {min} to {max}")]
    IntRange {
        /// The number.
        value: Number,
        /// The type.
        dtype: DType,
        /// The type's smallest value.
        min: i128,
        /// The type's largest value.
        max: i128,
    },
    /// A finite number that would become infinite.
    #[error("{value} does not fit {dtype}: it would become infinite")]
    FloatRange {
        /// The number.
        value: Number,
        /// The type.
        dtype: DType,
    },
}

impl Literal {
    /// A number that takes the type of what it meets.
    pub fn free(value: Number) -> Literal {
        Literal { value, own: Own::Free }
    }

    /// A number bound to a type, wrapped or rounded to it.
    pub fn fixed(value: Number, dtype: DType) -> Literal {
        Literal {
            value: Number::from_const(value.cast(dtype), dtype),
            own: Own::Fixed(dtype),
        }
    }

    /// The type that the number has by itself: the one it is bound to, if it fits; for integers else the first that it
    /// fits of `i32`, `u32`, `i64`, `u64`; for floats `f32` where it fits, else `f64`. An integer beyond `u64` has none.
    pub fn own_type(self) -> Result<DType, LiteralError> {
        let candidates: &[DType] = match self.value {
            Number::Bool(_) => &[DType::Bool],
            Number::Int(_) => &[DType::I32, DType::U32, DType::I64, DType::U64],
            Number::Float(_) => &[DType::F32, DType::F64],
        };
        let declared = match self.own {
            Own::Fixed(dtype) => return Ok(dtype),
            Own::Declared(dtype) => Some(dtype),
            Own::Free => None,
        };
        let mut error = None;
        for &dtype in declared.iter().chain(candidates) {
            match self.value.fit(dtype) {
                Ok(_) => return Ok(dtype),
                Err(e) => error = Some(e),
            }
        }
        Err(error.unwrap_or(LiteralError::FloatRange {
            value: self.value,
            dtype: DType::F64,
        }))
    }

    /// The type that this number takes when it meets a run-time value of type `met`: that type if the number's kind is not
    /// above its kind, else the number's own. (The two are then promoted.)
    pub fn type_with(self, met: DType) -> Result<DType, LiteralError> {
        match self.own {
            Own::Fixed(dtype) => Ok(dtype),
            _ if self.value.kind() <= met.kind() => Ok(met),
            _ => self.own_type(),
        }
    }
}

impl Number {
    /// The constant of this value in `dtype`, rounded if that is a float. Errors when it is out of the type's range.
    pub fn fit(self, dtype: DType) -> Result<Const, LiteralError> {
        let constant = self.cast(dtype);
        if let (Some((min, max)), Some(value)) = (dtype.int_range(), self.as_int())
            && !(min..=max).contains(&value)
        {
            let value = self;
            return Err(LiteralError::IntRange { value, dtype, min, max });
        }
        if dtype.is_float() && constant.as_f64().is_some_and(f64::is_infinite) && self.to_f64().is_finite() {
            return Err(LiteralError::FloatRange { value: self, dtype });
        }
        Ok(constant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn int(v: i128) -> Literal {
        Literal::free(Number::Int(v))
    }

    fn float(v: f64) -> Literal {
        Literal::free(Number::Float(v))
    }

    #[test]
    fn own_types() {
        assert_eq!(int(5).own_type(), Ok(DType::I32));
        assert_eq!(int(-5).own_type(), Ok(DType::I32));
        assert_eq!(int(3_000_000_000).own_type(), Ok(DType::U32));
        assert_eq!(int(-3_000_000_000).own_type(), Ok(DType::I64));
        assert_eq!(int(1 << 63).own_type(), Ok(DType::U64));
        assert!(int(1 << 64).own_type().is_err());
        assert_eq!(float(0.1).own_type(), Ok(DType::F32));
        assert_eq!(float(1e300).own_type(), Ok(DType::F64));
        assert_eq!(float(f64::NEG_INFINITY).own_type(), Ok(DType::F32));
        let declared = |v, t| Literal {
            value: Number::Int(v),
            own: Own::Declared(t),
        };
        assert_eq!(declared(5, DType::I64).own_type(), Ok(DType::I64));
        assert_eq!(declared(1 << 40, DType::I32).own_type(), Ok(DType::I64));
    }

    #[test]
    fn meeting_a_run_time_value() {
        assert_eq!(float(0.1).type_with(DType::F16), Ok(DType::F16));
        assert_eq!(int(1).type_with(DType::F16), Ok(DType::F16));
        assert_eq!(float(1.5).type_with(DType::I64), Ok(DType::F32));
        assert_eq!(int(1).type_with(DType::Bool), Ok(DType::I32));
        let fixed = Literal::fixed(Number::Int(1), DType::I64);
        assert_eq!(fixed.type_with(DType::I8), Ok(DType::I64));
    }

    #[test]
    fn ranges() {
        assert_eq!(Number::Float(0.1).fit(DType::F16).unwrap().bits(), 0x2E66);
        assert_eq!(
            Number::Int(255).fit(DType::I8).unwrap_err().to_string(),
            "255 does not fit i8, whose values are -128 to 127"
        );
        assert!(Number::Int(-1).fit(DType::U32).is_err());
        assert_eq!(
            Number::Float(1e6).fit(DType::F16).unwrap_err().to_string(),
            "1000000.0 does not fit f16: it would become infinite"
        );
        assert!(Number::Float(f64::INFINITY).fit(DType::F16).is_ok());
    }

    #[test]
    fn casts_saturate_and_wrap() {
        let cast = |n: Number, t| Number::from_const(n.cast(t), t);
        assert_eq!(cast(Number::Float(300.7), DType::U8), Number::Int(255));
        assert_eq!(cast(Number::Float(-3.0), DType::U8), Number::Int(0));
        assert_eq!(cast(Number::Float(f64::NAN), DType::I32), Number::Int(0));
        assert_eq!(cast(Number::Int(300), DType::U8), Number::Int(44));
        assert_eq!(cast(Number::Int(1 << 64), DType::Bool), Number::Bool(true));
        assert_eq!(cast(Number::Float(f64::NAN), DType::Bool), Number::Bool(true));
    }

    proptest! {
        #[test]
        fn what_fits_survives_its_type(v in any::<i64>(), t in proptest::sample::select(&DType::ALL[1..9])) {
            let number = Number::Int(i128::from(v));
            match number.fit(t) {
                Ok(c) => prop_assert_eq!(Number::from_const(c, t), number),
                Err(_) => prop_assert_ne!(Number::from_const(number.cast(t), t), number),
            }
        }
    }
}
