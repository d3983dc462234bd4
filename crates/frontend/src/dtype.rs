//! Element types as a kernel's author sees them: integers have a sign here, which typed SSA puts into operations.

use std::fmt;

use half::{bf16, f16};
use mytriton_ssa::{Scalar, Shape, Type};

/// The type of one element. Unsigned and signed integers of a width share one SSA type; the front end picks the
/// operation (`div_s` or `div_u`, `lt` or `lt_u` ...) by the sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum DType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    BF16,
    F32,
    F64,
}

/// How general a type is, for promotion: booleans below integers below floats.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// `bool`.
    Bool,
    /// Integers of either sign.
    Int,
    /// Floating-point numbers.
    Float,
}

impl DType {
    /// Every type.
    pub const ALL: [DType; 13] = [
        DType::Bool,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::U8,
        DType::U16,
        DType::U32,
        DType::U64,
        DType::F16,
        DType::BF16,
        DType::F32,
        DType::F64,
    ];

    /// The name in kernels, the same as Rust's.
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::I8 => "i8",
            DType::I16 => "i16",
            DType::I32 => "i32",
            DType::I64 => "i64",
            DType::U8 => "u8",
            DType::U16 => "u16",
            DType::U32 => "u32",
            DType::U64 => "u64",
            DType::F16 => "f16",
            DType::BF16 => "bf16",
            DType::F32 => "f32",
            DType::F64 => "f64",
        }
    }

    /// The SSA type of the values.
    pub const fn scalar(self) -> Scalar {
        match self {
            DType::Bool => Scalar::I1,
            DType::I8 | DType::U8 => Scalar::I8,
            DType::I16 | DType::U16 => Scalar::I16,
            DType::I32 | DType::U32 => Scalar::I32,
            DType::I64 | DType::U64 => Scalar::I64,
            DType::F16 => Scalar::F16,
            DType::BF16 => Scalar::BF16,
            DType::F32 => Scalar::F32,
            DType::F64 => Scalar::F64,
        }
    }

    /// Its place in promotion.
    pub const fn kind(self) -> Kind {
        match self {
            DType::Bool => Kind::Bool,
            DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Kind::Float,
            _ => Kind::Int,
        }
    }

    /// Is this a floating-point type?
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), Kind::Float)
    }

    /// Is this an integer type of either sign (`bool` is none)?
    pub const fn is_int(self) -> bool {
        matches!(self.kind(), Kind::Int)
    }

    /// Is this `u8` to `u64`?
    pub const fn is_unsigned(self) -> bool {
        matches!(self, DType::U8 | DType::U16 | DType::U32 | DType::U64)
    }

    /// Width of a value in bits; 1 for `bool`.
    pub const fn bits(self) -> u32 {
        self.scalar().bits()
    }

    /// Smallest and largest value of an integer type (`bool` is 0 and 1); none for floats.
    pub const fn int_range(self) -> Option<(i128, i128)> {
        match self.kind() {
            Kind::Bool => Some((0, 1)),
            Kind::Float => None,
            Kind::Int if self.is_unsigned() => Some((0, (1 << self.bits()) - 1)),
            Kind::Int => Some((-(1 << (self.bits() - 1)), (1 << (self.bits() - 1)) - 1)),
        }
    }

    /// The type that arithmetic between run-time values of two types takes place in.
    ///
    /// The first of these that applies: `f64` if either is; `f32`; `f16`; `bf16` if both are; `f32` if one is `bf16`;
    /// of two integers of one sign the wider; of different signs the unsigned one if it is at least as wide, else the
    /// signed one. `bool` gives way to anything.
    pub fn promote(self, other: DType) -> DType {
        let has = |t| self == t || other == t;
        if self == other {
            return self;
        }
        for float in [DType::F64, DType::F32, DType::F16] {
            if has(float) {
                return float;
            }
        }
        if has(DType::BF16) {
            return DType::F32;
        }
        match (self, other) {
            (DType::Bool, t) | (t, DType::Bool) => t,
            (a, b) if a.is_unsigned() == b.is_unsigned() => {
                if a.bits() >= b.bits() {
                    a
                } else {
                    b
                }
            }
            (a, b) => {
                let (unsigned, signed) = if a.is_unsigned() { (a, b) } else { (b, a) };
                if unsigned.bits() >= signed.bits() {
                    unsigned
                } else {
                    signed
                }
            }
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A Rust type whose values are elements of tiles: what buffers hold, and what scalar arguments are.
pub trait Element: Copy + Send + Sync + 'static {
    /// The type in kernels.
    const DTYPE: DType;

    /// The value's bits, upper bits zero.
    fn to_bits(self) -> u64;
}

macro_rules! element {
    ($($ty:ty, $dtype:ident, |$v:ident| $bits:expr;)*) => {$(
        impl Element for $ty {
            const DTYPE: DType = DType::$dtype;

            fn to_bits(self) -> u64 {
                let $v = self;
                $bits
            }
        }
    )*};
}

element! {
    bool, Bool, |v| u64::from(v);
    i8, I8, |v| u64::from(v as u8);
    i16, I16, |v| u64::from(v as u16);
    i32, I32, |v| u64::from(v as u32);
    i64, I64, |v| v as u64;
    u8, U8, |v| u64::from(v);
    u16, U16, |v| u64::from(v);
    u32, U32, |v| u64::from(v);
    u64, U64, |v| v;
    f16, F16, |v| u64::from(v.to_bits());
    bf16, BF16, |v| u64::from(v.to_bits());
    f32, F32, |v| u64::from(v.to_bits());
    f64, F64, |v| v.to_bits();
}

/// What one element of a run-time value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ElemType {
    /// A number or boolean.
    Num(DType),
    /// A pointer to numbers.
    Ptr(DType),
}

/// The type of a run-time value: its elements, and how many in which arrangement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueType {
    /// What each element is.
    pub elem: ElemType,
    /// The extents; of rank 0 for a scalar.
    pub shape: Shape,
}

/// The type of numbers of an SSA type that have a sign.
impl From<Scalar> for DType {
    fn from(scalar: Scalar) -> DType {
        match scalar {
            Scalar::I1 => DType::Bool,
            Scalar::I8 => DType::I8,
            Scalar::I16 => DType::I16,
            Scalar::I32 => DType::I32,
            Scalar::I64 => DType::I64,
            Scalar::F16 => DType::F16,
            Scalar::BF16 => DType::BF16,
            Scalar::F32 => DType::F32,
            Scalar::F64 => DType::F64,
        }
    }
}

impl ValueType {
    /// A scalar number.
    pub const fn scalar(dtype: DType) -> ValueType {
        ValueType {
            elem: ElemType::Num(dtype),
            shape: Shape::SCALAR,
        }
    }

    /// The same shape with number elements of `dtype`.
    pub const fn with_dtype(self, dtype: DType) -> ValueType {
        ValueType {
            elem: ElemType::Num(dtype),
            shape: self.shape,
        }
    }

    /// The same elements in another shape.
    pub const fn with_shape(self, shape: Shape) -> ValueType {
        ValueType { elem: self.elem, shape }
    }

    /// The number type, unless these are pointers.
    pub const fn dtype(self) -> Option<DType> {
        match self.elem {
            ElemType::Num(dtype) => Some(dtype),
            ElemType::Ptr(_) => None,
        }
    }

    /// What pointers point to, if these are.
    pub const fn pointee(self) -> Option<DType> {
        match self.elem {
            ElemType::Ptr(dtype) => Some(dtype),
            ElemType::Num(_) => None,
        }
    }

    /// The signless type in SSA.
    pub const fn ssa(self) -> Type {
        let element = match self.elem {
            ElemType::Num(dtype) => Type::scalar(dtype.scalar()),
            ElemType::Ptr(dtype) => Type::ptr(dtype.scalar()),
        };
        element.with_shape(self.shape)
    }
}

/// `f32`, `Ptr<f32>`, and with extents `f32[16, 32]`.
impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.elem {
            ElemType::Num(dtype) => write!(f, "{dtype}")?,
            ElemType::Ptr(dtype) => write!(f, "Ptr<{dtype}>")?,
        }
        if !self.shape.is_scalar() {
            write!(f, "{}", DisplayShape(self.shape))?;
        }
        Ok(())
    }
}

/// Prints a shape as `[16, 32]`.
pub(crate) struct DisplayShape(pub Shape);

impl fmt::Display for DisplayShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, d) in self.0.dims().iter().enumerate() {
            write!(f, "{}{d}", if i > 0 { ", " } else { "" })?;
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::DType::*;
    use super::*;

    #[test]
    fn promotion_follows_the_table() {
        for (a, b, result) in [
            (F64, BF16, F64),
            (F32, I64, F32),
            (F16, BF16, F16),
            (F16, I64, F16),
            (BF16, I8, F32),
            (BF16, BF16, BF16),
            (I8, U8, U8),
            (I16, U8, I16),
            (I8, U32, U32),
            (I64, U32, I64),
            (I32, I8, I32),
            (U16, U64, U64),
            (Bool, I8, I8),
            (Bool, Bool, Bool),
            (Bool, F16, F16),
        ] {
            assert_eq!(a.promote(b), result, "{a} with {b}");
            assert_eq!(b.promote(a), result, "{b} with {a}");
        }
    }

    #[test]
    fn promotion_gives_the_more_general_kind() {
        for a in DType::ALL {
            for b in DType::ALL {
                assert_eq!(a.promote(b).kind(), a.kind().max(b.kind()), "{a} with {b}");
            }
        }
    }
}
