//! C++ types and literals.
//!
//! Integers are kept unsigned, which wrap; operations on signed numbers cast. An `i1` is a `bool` in registers and a
//! byte in memory.

use mytriton_ssa::{Const, Elem, Scalar};

/// The typedefs of every source. `i64` and `u64` are 64 bits wide on every host, too.
pub(crate) const TYPEDEFS: &str = "\
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
";

/// The type of a number in registers.
pub(crate) const fn register_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::I1 => "bool",
        Scalar::I8 => "u8",
        Scalar::I16 => "u16",
        Scalar::I32 => "u32",
        Scalar::I64 => "u64",
        Scalar::F16 => "f16",
        Scalar::BF16 => "bf16",
        Scalar::F32 => "f32",
        Scalar::F64 => "f64",
    }
}

/// The type of a number in memory.
pub(crate) const fn memory_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::I1 => "u8",
        other => register_type(other),
    }
}

/// The signed type of an integer's width. An `i1` has no sign.
pub(crate) const fn signed_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::I8 => "i8",
        Scalar::I16 => "i16",
        Scalar::I32 => "i32",
        Scalar::I64 => "i64",
        other => register_type(other),
    }
}

/// The type of one element, pointers included.
pub(crate) fn element_type(elem: Elem) -> String {
    match elem {
        Elem::Scalar(scalar) => register_type(scalar).to_owned(),
        Elem::Ptr(scalar) => format!("{}*", memory_type(scalar)),
    }
}

/// A declaration of a constant of an element type, without its value.
pub(crate) fn constant_declaration(elem: Elem, name: &str) -> String {
    match elem {
        Elem::Scalar(scalar) => format!("const {} {name}", register_type(scalar)),
        Elem::Ptr(scalar) => format!("{}* const {name}", memory_type(scalar)),
    }
}

/// The header that declares a type, if it needs one, and its typedef.
pub(crate) const fn header(scalar: Scalar) -> Option<(&'static str, &'static str)> {
    match scalar {
        Scalar::F16 => Some(("cuda_fp16.h", "typedef __half f16;\n")),
        Scalar::BF16 => Some(("cuda_bf16.h", "typedef __nv_bfloat16 bf16;\n")),
        _ => None,
    }
}

/// A constant as an operand: it binds at least as tightly as a cast does.
pub(crate) fn literal(value: Const) -> String {
    let bits = value.bits();
    if let Some(signed) = value.as_signed() {
        let ty = register_type(value.scalar());
        return match value.scalar() {
            Scalar::I1 => format!("{}", bits != 0),
            Scalar::I32 if signed >= 0 => format!("{signed}u"),
            Scalar::I64 if signed >= 0 => format!("{signed}ull"),
            // The positive number does not exist.
            Scalar::I64 if signed == i64::MIN => "0x8000000000000000ull".to_owned(),
            Scalar::I64 => format!("({ty}){signed}ll"),
            _ => format!("({ty}){signed}"),
        };
    }
    let number = value.as_f64().unwrap_or(f64::NAN);
    match value.scalar() {
        Scalar::F16 => format!("__ushort_as_half(0x{bits:04X} /* {number} */)"),
        Scalar::BF16 => format!("__ushort_as_bfloat16(0x{bits:04X} /* {number} */)"),
        Scalar::F32 => {
            let short = number as f32;
            let text = format!("{short:?}");
            // Both ways that a compiler may read it: at once, or through double.
            let exact = |read: f32| read.to_bits() == short.to_bits();
            if number.is_finite() && text.parse().is_ok_and(exact) && text.parse::<f64>().is_ok_and(|x| exact(x as f32))
            {
                format!("{text}f")
            } else {
                format!("__uint_as_float(0x{bits:08X}u /* {number} */)")
            }
        }
        _ if number.is_finite() => format!("{number:?}"),
        _ => format!("__longlong_as_double(0x{bits:016X}ull /* {number} */)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        for (value, text) in [
            (Const::bool(true), "true"),
            (Const::i32(64), "64u"),
            (Const::i32(i32::MIN), "(u32)-2147483648"),
            (Const::from_int(Scalar::I8, -1), "(u8)-1"),
            (Const::from_int(Scalar::I16, 7), "(u16)7"),
            (Const::from_int(Scalar::I64, -5), "(u64)-5ll"),
            (Const::from_int(Scalar::I64, i64::MIN.into()), "0x8000000000000000ull"),
            (Const::f32(1.0), "1.0f"),
            (Const::f32(-0.0), "-0.0f"),
            (Const::f32(1e-5), "1e-5f"),
            (Const::f32(f32::INFINITY), "__uint_as_float(0x7F800000u /* inf */)"),
            (
                Const::from_f64(Scalar::F16, 0.1),
                "__ushort_as_half(0x2E66 /* 0.0999755859375 */)",
            ),
            (
                Const::from_f64(Scalar::BF16, 1.0),
                "__ushort_as_bfloat16(0x3F80 /* 1 */)",
            ),
            (Const::from_f64(Scalar::F64, 0.1), "0.1"),
            (
                Const::from_f64(Scalar::F64, f64::NAN),
                "__longlong_as_double(0x7FF8000000000000ull /* NaN */)",
            ),
        ] {
            assert_eq!(literal(value), text);
        }
    }
}
