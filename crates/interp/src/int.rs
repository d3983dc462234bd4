//! Arithmetic of the integer types, which wraps in two's complement. An `i1` is one bit wide and has no sign: signed
//! operations do not take it, but for `sext`, to which its bit is one.

#![warn(clippy::wildcard_enum_match_arm)]

use mytriton_ssa::{BinaryOp, Undefined, library_functions};

use crate::tile::{Element, Why, map2};

/// An integer type of the language.
pub(crate) trait Int: Element {
    const ZERO: Self;
    /// All bits set: -1, and of `i1` true.
    const ONES: Self;
    /// The smallest signed number.
    const SMALLEST: Self;
    /// The value with the sign bit copied upwards; of an `i1` that is its only bit.
    fn signed(self) -> i64;
    /// The value with zeros above.
    fn unsigned(self) -> u64;
    /// The low bits.
    fn wrap(value: u64) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn below(self, other: Self) -> bool {
        self.signed() < other.signed()
    }
    fn below_unsigned(self, other: Self) -> bool {
        self.unsigned() < other.unsigned()
    }
}

macro_rules! int {
    ($($ty:ty, $unsigned:ty;)*) => {
        $(impl Int for $ty {
            const ZERO: Self = 0;
            const ONES: Self = -1;
            const SMALLEST: Self = <$ty>::MIN;
            fn signed(self) -> i64 {
                self.into()
            }
            fn unsigned(self) -> u64 {
                (self as $unsigned).into()
            }
            fn wrap(value: u64) -> Self {
                value as $ty
            }
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            fn and(self, other: Self) -> Self {
                self & other
            }
            fn or(self, other: Self) -> Self {
                self | other
            }
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
        })*
    };
}

int! {
    i8, u8;
    i16, u16;
    i32, u32;
    i64, u64;
}

impl Int for bool {
    const ZERO: Self = false;
    const ONES: Self = true;
    const SMALLEST: Self = true;
    fn signed(self) -> i64 {
        -i64::from(self)
    }
    fn unsigned(self) -> u64 {
        self.into()
    }
    fn wrap(value: u64) -> Self {
        value & 1 != 0
    }
    fn add(self, other: Self) -> Self {
        self ^ other
    }
    fn sub(self, other: Self) -> Self {
        self ^ other
    }
    fn mul(self, other: Self) -> Self {
        self & other
    }
    fn and(self, other: Self) -> Self {
        self & other
    }
    fn or(self, other: Self) -> Self {
        self | other
    }
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
}

/// Appends the function of each pair to `out`. The result of a division that has none is 0; see [`undefined`].
pub(crate) fn binary<T: Int>(op: BinaryOp, a: &[T], b: &[T], out: &mut Vec<T>) {
    match op {
        BinaryOp::Add => map2(a, b, out, T::add),
        BinaryOp::Sub => map2(a, b, out, T::sub),
        BinaryOp::Mul => map2(a, b, out, T::mul),
        BinaryOp::And => map2(a, b, out, T::and),
        BinaryOp::Or => map2(a, b, out, T::or),
        BinaryOp::Xor => map2(a, b, out, T::xor),
        BinaryOp::DivS => map2(a, b, out, |a, b| signed_division(a, b, i64::wrapping_div)),
        BinaryOp::RemS => map2(a, b, out, |a, b| signed_division(a, b, i64::wrapping_rem)),
        BinaryOp::DivU => map2(a, b, out, |a, b| {
            T::wrap(a.unsigned().checked_div(b.unsigned()).unwrap_or(0))
        }),
        BinaryOp::RemU => map2(a, b, out, |a, b| {
            T::wrap(a.unsigned().checked_rem(b.unsigned()).unwrap_or(0))
        }),
        // Shifted out of 64 bits at the latest, all bits of a narrower type are gone.
        BinaryOp::Shl => map2(a, b, out, |a, b| {
            T::wrap(a.unsigned().checked_shl(amount(b)).unwrap_or(0))
        }),
        BinaryOp::ShrU => map2(a, b, out, |a, b| {
            T::wrap(a.unsigned().checked_shr(amount(b)).unwrap_or(0))
        }),
        BinaryOp::ShrS => map2(a, b, out, |a, b| T::wrap((a.signed() >> b.unsigned().min(63)) as u64)),
        BinaryOp::MinS => map2(a, b, out, |a, b| if a.below(b) { a } else { b }),
        BinaryOp::MaxS => map2(a, b, out, |a, b| if a.below(b) { b } else { a }),
        BinaryOp::MinU => map2(a, b, out, |a, b| if a.below_unsigned(b) { a } else { b }),
        BinaryOp::MaxU => map2(a, b, out, |a, b| if a.below_unsigned(b) { b } else { a }),
        BinaryOp::Div | BinaryOp::DivRn | BinaryOp::Min | BinaryOp::Max | BinaryOp::MinNan | BinaryOp::MaxNan => {
            unreachable!("'{op}' of integers")
        }
        library_functions!() => unreachable!("'{op}' of integers"),
    }
}

/// By how many bits to shift: 64 stands for more.
fn amount<T: Int>(b: T) -> u32 {
    b.unsigned().min(64) as u32
}

fn signed_division<T: Int>(a: T, b: T, divide: fn(i64, i64) -> i64) -> T {
    if why_undefined(a, b, true).is_some() {
        return T::ZERO;
    }
    T::wrap(divide(a.signed(), b.signed()) as u64)
}

fn why_undefined<T: Int>(a: T, b: T, signed: bool) -> Option<Why> {
    if b == T::ZERO {
        Some(Why::ByZero)
    } else if signed && b.signed() == -1 && a == T::SMALLEST {
        Some(Why::Overflow)
    } else {
        None
    }
}

/// Of a division or remainder, why elements of the result are undefined: none when all are defined.
pub(crate) fn undefined<T: Int>(op: BinaryOp, a: &[T], b: &[T]) -> Option<Vec<Option<Why>>> {
    let signed = match op.undefined()? {
        Undefined::ByZeroOrOverflow => true,
        Undefined::ByZero => false,
    };
    let mut pairs = a.iter().zip(b);
    if !pairs.any(|(&a, &b)| why_undefined(a, b, signed).is_some()) {
        return None;
    }
    let why = a.iter().zip(b).map(|(&a, &b)| why_undefined(a, b, signed));
    Some(why.collect())
}

/// Appends the absolute value of each element to `out`; that of the smallest number is itself.
pub(crate) fn abs<T: Int>(x: &[T], out: &mut Vec<T>) {
    out.extend(x.iter().map(|&x| if x.below(T::ZERO) { T::ZERO.sub(x) } else { x }));
}
