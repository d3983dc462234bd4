//! Reading attributes.

use melior::ir::attribute::{
    ArrayAttribute, DenseElementsAttribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute, FlatSymbolRefAttribute,
    FloatAttribute, IntegerAttribute, StringAttribute,
};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, AttributeLike};
use mytriton_ssa::{Const, Scalar};

use crate::decoder::Op;

/// An integer attribute.
pub(crate) fn integer(op: Op<'_, '_>, name: &str) -> Option<i64> {
    let attribute = op.attribute(name).ok()?;
    IntegerAttribute::try_from(attribute).ok().map(|a| a.value())
}

/// A string attribute.
pub(crate) fn string(op: Op<'_, '_>, name: &str) -> Option<String> {
    let attribute = op.attribute(name).ok()?;
    StringAttribute::try_from(attribute).ok().map(|a| a.value().to_owned())
}

/// The name that a flat symbol reference has.
pub(crate) fn symbol(op: Op<'_, '_>, name: &str) -> Option<String> {
    let attribute = op.attribute(name).ok()?;
    FlatSymbolRefAttribute::try_from(attribute)
        .ok()
        .map(|a| a.value().to_owned())
}

/// Is a boolean attribute there and true?
pub(crate) fn flag(op: Op<'_, '_>, name: &str) -> bool {
    op.attribute(name).is_ok_and(|a| a.to_string() == "true")
}

/// The numbers of a dense array attribute, or of an array attribute of integers.
pub(crate) fn integers(op: Op<'_, '_>, name: &str) -> Option<Vec<i64>> {
    let attribute = op.attribute(name).ok()?;
    if let Ok(array) = DenseI64ArrayAttribute::try_from(attribute) {
        return (0..array.len()).map(|i| array.element(i).ok()).collect();
    }
    if let Ok(array) = DenseI32ArrayAttribute::try_from(attribute) {
        return (0..array.len()).map(|i| array.element(i).ok().map(i64::from)).collect();
    }
    let array = ArrayAttribute::try_from(attribute).ok()?;
    (0..array.len())
        .map(|i| {
            IntegerAttribute::try_from(array.element(i).ok()?)
                .ok()
                .map(|a| a.value())
        })
        .collect()
}

/// The last word of an attribute of a dialect's enumeration: `#gpu<dim x>` is `x`, `#vector.kind<add>` is `add`.
pub(crate) fn word(op: Op<'_, '_>, name: &str) -> Option<String> {
    let text = op.attribute(name).ok()?.to_string();
    let inside = text
        .split_once('<')
        .map_or(text.as_str(), |(_, rest)| rest.trim_end_matches('>'));
    inside.split_whitespace().last().map(str::to_owned)
}

/// The bits of a constant: one for each of `count` numbers of a type.
pub(crate) fn constant(attribute: Attribute<'_>, scalar: Scalar, count: usize) -> Option<Vec<u64>> {
    let Ok(dense) = DenseElementsAttribute::try_from(attribute) else {
        return number(attribute, scalar).map(|bits| vec![bits; count]);
    };
    if dense.is_splat() {
        return number(dense.splat_value(), scalar).map(|bits| vec![bits; count]);
    }
    if dense.len() != count {
        return None;
    }
    if matches!(scalar, Scalar::F16 | Scalar::BF16) {
        return half_elements(&attribute.to_string(), scalar, count);
    }
    let index = attribute.to_string().ends_with("xindex>");
    let element = |i: usize| -> Option<u64> {
        Some(match scalar {
            Scalar::I1 => u64::from(dense.bool_element(i).ok()?),
            Scalar::I8 => u64::from(dense.u8_element(i).ok()?),
            Scalar::I16 => u64::from(dense.u16_element(i).ok()?),
            Scalar::I32 => u64::from(dense.u32_element(i).ok()?),
            Scalar::I64 if index => dense.index_element(i).ok()?,
            Scalar::I64 => dense.u64_element(i).ok()?,
            Scalar::F32 => u64::from(dense.f32_element(i).ok()?.to_bits()),
            Scalar::F64 => dense.f64_element(i).ok()?.to_bits(),
            Scalar::F16 | Scalar::BF16 => return None,
        })
    };
    (0..count).map(element).collect()
}

/// The bits of a number.
fn number(attribute: Attribute<'_>, scalar: Scalar) -> Option<u64> {
    if attribute.is_bool() {
        return Some(u64::from(attribute.to_string() == "true"));
    }
    if let Ok(int) = IntegerAttribute::try_from(attribute) {
        return Some(int.value() as u64 & scalar.bit_mask());
    }
    let float = FloatAttribute::try_from(attribute).ok()?.value();
    if float.is_nan() {
        // `0x7FC00000 : f32`: the printed bits keep the payload.
        let text = attribute.to_string();
        let digits = text.split_whitespace().next()?.strip_prefix("0x")?;
        return u64::from_str_radix(digits, 16).ok();
    }
    Some(Const::from_f64(scalar, float).bits())
}

/// 16-bit floats, which MLIR's C API does not give out, from the printed form: `dense<[1.5, 0x7E00]> : ...`, or for many
/// the bytes `dense<"0x003E007E"> : ...`.
fn half_elements(text: &str, scalar: Scalar, count: usize) -> Option<Vec<u64>> {
    let inside = text.strip_prefix("dense<")?.rsplit_once("> :")?.0;
    let elements: Option<Vec<u64>> = if let Some(hex) = inside.strip_prefix("\"0x") {
        let bytes = hex.trim_end_matches('"').as_bytes();
        let byte = |at: usize| u64::from_str_radix(std::str::from_utf8(bytes.get(at..at + 2)?).ok()?, 16).ok();
        (0..count).map(|i| Some(byte(4 * i)? | byte(4 * i + 2)? << 8)).collect()
    } else {
        let tokens = inside.split(|c: char| matches!(c, '[' | ']' | ',') || c.is_whitespace());
        let element = |token: &str| match token.strip_prefix("0x") {
            Some(bits) => u64::from_str_radix(bits, 16).ok(),
            None => token.parse().ok().map(|value| Const::from_f64(scalar, value).bits()),
        };
        tokens.filter(|token| !token.is_empty()).map(element).collect()
    };
    elements.filter(|elements| elements.len() == count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_read_from_both_printed_forms() {
        let read = |text: &str| half_elements(text, Scalar::F16, 3);
        let wanted = Some(vec![0x3C00, 0x7E01, 0xC000]);
        assert_eq!(
            read("dense<[1.000000e+00, 0x7E01, -2.000000e+00]> : vector<3xf16>"),
            wanted
        );
        assert_eq!(read("dense<\"0x003C017E00C0\"> : vector<3xf16>"), wanted);
        assert_eq!(read("dense<[1.000000e+00]> : vector<1xf16>"), None);
    }
}
