//! Numbers on the command line, as scalar arguments of a kernel.

use mytriton_ssa::{Const, Scalar};

/// The number that a text says, in the given type; or why it is none of that type.
///
/// Integers have no sign: what fits either reading of the bits will do. `0x...` gives the bits of any type, `inf` and
/// `nan` are floats. Decimals are rounded to the nearest.
pub fn parse(text: &str, scalar: Scalar) -> Result<Const, String> {
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let digits = !hex.is_empty() && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        let bits = u64::from_str_radix(hex, 16)
            .ok()
            .filter(|bits| digits && bits & !scalar.bit_mask() == 0);
        return bits
            .map(|bits| Const::from_bits(scalar, bits))
            .ok_or_else(|| format!("'{text}' is not the bits of an {scalar}"));
    }
    match scalar {
        Scalar::I1 => match text {
            "true" | "1" => Ok(Const::bool(true)),
            "false" | "0" => Ok(Const::bool(false)),
            _ => Err(format!("'{text}' is no i1: true or false")),
        },
        _ if scalar.is_int() => {
            let (low, high) = (-1i128 << (scalar.bits() - 1), (1i128 << scalar.bits()) - 1);
            match text.parse::<i128>() {
                Ok(value) if (low..=high).contains(&value) => Ok(Const::from_int(scalar, value)),
                Ok(_) => Err(format!("{text} does not fit into {scalar}: {low} to {high}")),
                Err(_) if text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty() => {
                    Err(format!("{text} does not fit into {scalar}: {low} to {high}"))
                }
                Err(_) => Err(format!("'{text}' is no {scalar}: a whole number is needed")),
            }
        }
        _ => {
            let value = match scalar {
                // Once from decimal to the type: not by way of f64.
                Scalar::F32 => text.parse().map(Const::f32),
                _ => text.parse().map(|value: f64| Const::from_f64(scalar, value)),
            };
            let value = value.map_err(|_| format!("'{text}' is no {scalar}: a number is needed"))?;
            let said = text.trim_start_matches(['+', '-']).starts_with(['i', 'I']);
            match value.as_f64() {
                Some(number) if number.is_infinite() && !said => {
                    Err(format!("{text} is beyond the largest {scalar}; say inf for infinity"))
                }
                _ => Ok(value),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_type() {
        for (text, scalar, bits) in [
            ("true", Scalar::I1, 1),
            ("0", Scalar::I1, 0),
            ("-1", Scalar::I8, 0xFF),
            ("255", Scalar::I8, 0xFF),
            ("-32768", Scalar::I16, 0x8000),
            ("4294967295", Scalar::I32, 0xFFFF_FFFF),
            ("18446744073709551615", Scalar::I64, u64::MAX),
            ("0.1", Scalar::F16, 0x2E66),
            ("-0", Scalar::BF16, 0x8000),
            ("3", Scalar::F32, u64::from(3f32.to_bits())),
            ("-inf", Scalar::F32, 0xFF80_0000),
            ("infinity", Scalar::F16, 0x7C00),
            ("1e-3", Scalar::F64, 1e-3f64.to_bits()),
            ("0x7FC00001", Scalar::F32, 0x7FC0_0001),
        ] {
            assert_eq!(
                parse(text, scalar),
                Ok(Const::from_bits(scalar, bits)),
                "{text} as {scalar}"
            );
        }
        assert!(parse("nan", Scalar::F32).unwrap().is_nan());
    }

    #[test]
    fn what_is_no_number_of_the_type() {
        let says = |text: &str, scalar| parse(text, scalar).unwrap_err();
        insta::assert_snapshot!(says("2", Scalar::I1), @"'2' is no i1: true or false");
        insta::assert_snapshot!(says("256", Scalar::I8), @"256 does not fit into i8: -128 to 255");
        insta::assert_snapshot!(says("0.5", Scalar::I32), @"'0.5' is no i32: a whole number is needed");
        insta::assert_snapshot!(says("", Scalar::I32), @"'' is no i32: a whole number is needed");
        insta::assert_snapshot!(
            says(&"9".repeat(50), Scalar::I16),
            @"99999999999999999999999999999999999999999999999999 does not fit into i16: -32768 to 65535"
        );
        insta::assert_snapshot!(says("x", Scalar::F64), @"'x' is no f64: a number is needed");
        insta::assert_snapshot!(says("65520", Scalar::F16), @"65520 is beyond the largest f16; say inf for infinity");
        insta::assert_snapshot!(says("0x1FF", Scalar::I8), @"'0x1FF' is not the bits of an i8");
        insta::assert_snapshot!(says("0x+1", Scalar::I8), @"'0x+1' is not the bits of an i8");
    }
}
