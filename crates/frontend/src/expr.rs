//! Values of a kernel under construction, and their operators.

use std::fmt;
use std::ops;
use std::panic::Location;

use half::{bf16, f16};
use mytriton_ssa::{Loc, RegionId, ValueId};

use crate::arith::{BinOp, CmpOp};
use crate::builder::KernelBuilder;
use crate::dtype::{DType, Element, ValueType};
use crate::literal::{Literal, Number, Own};
use crate::site::Site;

/// What an expression is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Repr {
    /// A run-time value, usable where the region it was made in is open.
    Value {
        id: ValueId,
        ty: ValueType,
        scope: RegionId,
    },
    /// A compile-time constant.
    Literal(Literal),
    /// An element type.
    DType(DType),
    /// The result of a mistake that has been noted.
    Poison,
}

/// A value in a kernel: a run-time scalar or tile, a compile-time constant, or an element type. It copies freely.
///
/// The Rust operators `+ - * / % & | ^ << >> ! -` work with broadcasting and promotion; comparisons are methods
/// ([`Expr::lt`] ...). Where a host number meets a tile it takes the tile's element type.
#[derive(Clone, Copy)]
pub struct Expr<'k> {
    pub(crate) k: &'k KernelBuilder,
    pub(crate) repr: Repr,
    /// Where this was last assigned to a variable.
    pub(crate) assigned: Loc,
}

impl fmt::Debug for Expr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expr({self})")
    }
}

/// The type of a run-time value; the value of a compile-time constant or type.
impl fmt::Display for Expr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.repr {
            Repr::Value { ty, .. } => write!(f, "{ty}"),
            Repr::Literal(literal) => write!(f, "{}", literal.value),
            Repr::DType(dtype) => write!(f, "{dtype}"),
            Repr::Poison => f.write_str("an erroneous value"),
        }
    }
}

impl<'k> Expr<'k> {
    pub(crate) fn new(k: &'k KernelBuilder, repr: Repr) -> Expr<'k> {
        Expr {
            k,
            repr,
            assigned: Loc::UNKNOWN,
        }
    }

    pub(crate) fn is_poison(self) -> bool {
        self.repr == Repr::Poison
    }

    /// The type of a run-time value; none for what is known at compile time.
    pub fn ty(self) -> Option<ValueType> {
        match self.repr {
            Repr::Value { ty, .. } => Some(ty),
            _ => None,
        }
    }

    /// The number, if it is known at compile time.
    pub fn known(self) -> Option<Number> {
        match self.repr {
            Repr::Literal(literal) => Some(literal.value),
            _ => None,
        }
    }

    /// The SSA value, if this is a run-time value.
    pub fn value_id(self) -> Option<ValueId> {
        match self.repr {
            Repr::Value { id, .. } => Some(id),
            _ => None,
        }
    }

    #[track_caller]
    pub(crate) fn here(self) -> Site<'k> {
        let place = Location::caller();
        self.k.at(place.file(), place.line(), place.column())
    }

    /// Conversion to another element type, as Rust's `as` does: floats to integers truncate and saturate.
    #[track_caller]
    pub fn to(self, dtype: impl IntoExpr<'k>) -> Expr<'k> {
        self.here().cast(self, dtype)
    }

    /// A new dimension of extent 1 at `axis` of the result.
    #[track_caller]
    pub fn expand_dims(self, axis: impl IntoExpr<'k>) -> Expr<'k> {
        self.here().expand_dims(self, axis)
    }
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident $op:ident;)*) => {
        impl<'k> Expr<'k> {$(
            $(#[$doc])*
            #[track_caller]
            #[allow(clippy::should_implement_trait)]
            pub fn $name(self, other: impl IntoExpr<'k>) -> Expr<'k> {
                self.here().compare(CmpOp::$op, self, other)
            }
        )*}
    };
}

comparisons! {
    /// `self == other` element by element.
    eq Eq;
    /// `self != other` element by element; true with NaN.
    ne Ne;
    /// `self < other` element by element.
    lt Lt;
    /// `self <= other` element by element.
    le Le;
    /// `self > other` element by element.
    gt Gt;
    /// `self >= other` element by element.
    ge Ge;
}

/// What can stand where an expression is wanted: expressions, host numbers, element types.
#[diagnostic::on_unimplemented(
    message = "kernels compute with numbers, tiles and pointers, and this is none of them",
    label = "no number, tile or pointer"
)]
pub trait IntoExpr<'k> {
    /// The expression.
    fn into_expr(self, k: &'k KernelBuilder) -> Expr<'k>;
}

impl<'k> IntoExpr<'k> for Expr<'k> {
    fn into_expr(self, _: &'k KernelBuilder) -> Expr<'k> {
        self
    }
}

impl<'k> IntoExpr<'k> for DType {
    fn into_expr(self, k: &'k KernelBuilder) -> Expr<'k> {
        Expr::new(k, Repr::DType(self))
    }
}

impl<'k> IntoExpr<'k> for Literal {
    fn into_expr(self, k: &'k KernelBuilder) -> Expr<'k> {
        Expr::new(k, Repr::Literal(self))
    }
}

macro_rules! binary_operators {
    ($($trait:ident $method:ident;)*) => {$(
        impl<'k, R: IntoExpr<'k>> ops::$trait<R> for Expr<'k> {
            type Output = Expr<'k>;

            #[track_caller]
            fn $method(self, other: R) -> Expr<'k> {
                self.here().binary(BinOp::$trait, self, other)
            }
        }
    )*};
}

binary_operators! {
    Add add; Sub sub; Mul mul; Div div; Rem rem; BitAnd bitand; BitOr bitor; BitXor bitxor; Shl shl; Shr shr;
}

impl<'k> ops::Neg for Expr<'k> {
    type Output = Expr<'k>;

    #[track_caller]
    fn neg(self) -> Expr<'k> {
        self.here().neg(self)
    }
}

impl<'k> ops::Not for Expr<'k> {
    type Output = Expr<'k>;

    #[track_caller]
    fn not(self) -> Expr<'k> {
        self.here().not(self)
    }
}

/// Host numbers on the right and on the left of operators. Those of Rust's default types are not bound to their type.
macro_rules! host_numbers {
    ($($ty:ty: $own:expr, |$v:ident| $number:expr;)*) => {$(
        impl<'k> IntoExpr<'k> for $ty {
            fn into_expr(self, k: &'k KernelBuilder) -> Expr<'k> {
                let $v = self;
                Expr::new(k, Repr::Literal(Literal { value: $number, own: $own }))
            }
        }

        host_numbers!(@left $ty: Add add, Sub sub, Mul mul, Div div, Rem rem, BitAnd bitand, BitOr bitor,
            BitXor bitxor, Shl shl, Shr shr);
    )*};
    (@left $ty:ty: $($trait:ident $method:ident),*) => {$(
        impl<'k> ops::$trait<Expr<'k>> for $ty {
            type Output = Expr<'k>;

            #[track_caller]
            fn $method(self, other: Expr<'k>) -> Expr<'k> {
                other.here().binary(BinOp::$trait, self, other)
            }
        }
    )*};
}

host_numbers! {
    bool: Own::Free, |v| Number::Bool(v);
    i8: Own::Declared(DType::I8), |v| Number::Int(v.into());
    i16: Own::Declared(DType::I16), |v| Number::Int(v.into());
    i32: Own::Free, |v| Number::Int(v.into());
    i64: Own::Declared(DType::I64), |v| Number::Int(v.into());
    isize: Own::Free, |v| Number::Int(v as i128);
    u8: Own::Declared(DType::U8), |v| Number::Int(v.into());
    u16: Own::Declared(DType::U16), |v| Number::Int(v.into());
    u32: Own::Declared(DType::U32), |v| Number::Int(v.into());
    u64: Own::Declared(DType::U64), |v| Number::Int(v.into());
    usize: Own::Free, |v| Number::Int(v as i128);
    f16: Own::Declared(DType::F16), |v| Number::Float(v.to_f64());
    bf16: Own::Declared(DType::BF16), |v| Number::Float(v.to_f64());
    f32: Own::Declared(DType::F32), |v| Number::Float(v.into());
    f64: Own::Free, |v| Number::Float(v);
}

impl Literal {
    /// A number bound to the type it has in the host program, as literals with a suffix are.
    pub fn typed<T: Element>(value: T) -> Literal {
        let constant = mytriton_ssa::Const::from_bits(T::DTYPE.scalar(), value.to_bits());
        Literal {
            value: Number::from_const(constant, T::DTYPE),
            own: Own::Fixed(T::DTYPE),
        }
    }
}
