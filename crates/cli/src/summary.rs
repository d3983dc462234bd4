//! What a run did to an array, in one line.

use std::fmt::Write;

use mytriton_ssa::{Const, Scalar};

use crate::array::Content;

/// `out: f32[1024], 1000 elements changed: 0.0, 3.0, ...`, with its first `show` elements.
pub fn line(name: &str, array: &Content, bytes: &[u8], changed: usize, show: usize) -> String {
    let shape: Vec<String> = array.shape.iter().map(u64::to_string).collect();
    let mut text = format!("{name}: {}[{}], ", array.scalar, shape.join("x"));
    if changed == 0 {
        return text + "unchanged\n";
    }
    let _ = write!(text, "{changed} element{} changed", if changed == 1 { "" } else { "s" });
    let mut separator = ": ";
    for element in bytes.chunks_exact(array.scalar.bytes() as usize).take(show) {
        let _ = write!(text, "{separator}{}", number(array.scalar, element));
        separator = ", ";
    }
    if show > 0 && bytes.len() / array.scalar.bytes() as usize > show {
        text += ", ...";
    }
    text.push('\n');
    text
}

/// An element for people: infinities and NaN by name.
pub fn number(scalar: Scalar, element: &[u8]) -> String {
    let mut bits = [0; 8];
    bits[..element.len()].copy_from_slice(element);
    let value = Const::from_bits(scalar, u64::from_le_bytes(bits));
    match value.as_f64() {
        Some(float) if !float.is_finite() => format!("{float:?}"),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(number(Scalar::F32, &f32::NEG_INFINITY.to_le_bytes()), "-inf");
        assert_eq!(number(Scalar::F64, &f64::NAN.to_le_bytes()), "NaN");
        assert_eq!(number(Scalar::BF16, &[0x80, 0x3F]), "1.0");
        assert_eq!(number(Scalar::I8, &[0xFF]), "-1");
        assert_eq!(number(Scalar::I1, &[1]), "true");
    }
}
