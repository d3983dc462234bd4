//! Reading attributes.

use melior::ir::attribute::{BoolAttribute, DenseElementsAttribute, FloatAttribute, IntegerAttribute, StringAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, AttributeLike, TypeLike};
use mytriton_ssa::{Const, Scalar};
use mytriton_tile::emit::element_type;
use mytriton_tile_sys as sys;

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
        // MLIR's C API gives them out as bytes alone.
        let bytes = sys::dense_bytes(attribute, count, 2)?;
        let element = |pair: &[u8]| u64::from(u16::from_ne_bytes([pair[0], pair[1]]));
        return Some(bytes.chunks_exact(2).map(element).collect());
    }
    let index = element_type(attribute.r#type()).is_index();
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
    if let Ok(boolean) = BoolAttribute::try_from(attribute) {
        return Some(u64::from(boolean.value()));
    }
    if let Ok(int) = IntegerAttribute::try_from(attribute) {
        return Some(int.value() as u64 & scalar.bit_mask());
    }
    let float = FloatAttribute::try_from(attribute).ok()?.value();
    if float.is_nan() {
        // As a double it would lose its payload.
        return sys::float_bits(attribute);
    }
    Some(Const::from_f64(scalar, float).bits())
}
