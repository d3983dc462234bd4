//! Arrays of two runs compared.

use mytriton_ssa::{Const, Scalar};

use crate::summary::number;

/// How far apart floats may be: by so much of (1 + the expected one's magnitude).
#[derive(Clone, Copy, Debug)]
pub struct Tolerance(Option<f64>);

impl Tolerance {
    /// The same for every type of floats; without a number, for each type its own.
    pub fn new(number: Option<f64>) -> Tolerance {
        Tolerance(number)
    }

    /// That of a type. Functions have errors of a few units in the last place, and sums of a few terms more.
    pub fn of(self, scalar: Scalar) -> f64 {
        self.0.unwrap_or(match scalar {
            Scalar::F64 => 1e-12,
            Scalar::F32 => 1e-5,
            Scalar::F16 => 4e-3,
            Scalar::BF16 => 3e-2,
            _ => 0.0,
        })
    }
}

/// What came of a comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Elements that are too far apart.
    pub wrong: usize,
    /// The first of them: its number, what is expected, and what is there.
    pub first: Option<(usize, String, String)>,
    /// The largest difference of floats, as a part of what is allowed.
    pub of_tolerance: f64,
}

/// Compares elements of a type: integers are to be equal, floats within the tolerance.
pub fn compare(scalar: Scalar, expected: &[u8], found: &[u8], tolerance: Tolerance) -> Comparison {
    let width = scalar.bytes() as usize;
    let mut comparison = Comparison::default();
    for (at, (a, b)) in expected.chunks_exact(width).zip(found.chunks_exact(width)).enumerate() {
        if a == b {
            continue;
        }
        let part = match (float(scalar, a), float(scalar, b)) {
            (Some(a), Some(b)) => part_of_tolerance(a, b, tolerance.of(scalar)),
            _ => f64::INFINITY,
        };
        if part > 1.0 {
            comparison.wrong += 1;
            let texts = || (at, number(scalar, a), number(scalar, b));
            comparison.first.get_or_insert_with(texts);
        }
        comparison.of_tolerance = comparison.of_tolerance.max(part);
    }
    comparison
}

fn float(scalar: Scalar, bytes: &[u8]) -> Option<f64> {
    let mut bits = [0; 8];
    bits[..bytes.len()].copy_from_slice(bytes);
    Const::from_bits(scalar, u64::from_le_bytes(bits)).as_f64()
}

fn part_of_tolerance(expected: f64, found: f64, tolerance: f64) -> f64 {
    if expected == found || expected.is_nan() && found.is_nan() {
        return 0.0;
    }
    if !(expected.is_finite() && found.is_finite()) {
        return f64::INFINITY;
    }
    // Without a tolerance, 0 / 0 does not come here.
    (expected - found).abs() / (tolerance * (1.0 + expected.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32s(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn compared(expected: f32, found: f32, tolerance: Option<f64>) -> Comparison {
        compare(
            Scalar::F32,
            &f32s(&[0.0, expected]),
            &f32s(&[0.0, found]),
            Tolerance::new(tolerance),
        )
    }

    #[test]
    fn floats_agree_within_the_tolerance() {
        let all = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0];
        for (i, &a) in all.iter().enumerate() {
            for (j, &b) in all.iter().enumerate() {
                assert_eq!(compared(a, b, None).wrong == 0, i == j, "{a} and {b}");
            }
        }
        assert_eq!(compared(0.0, -0.0, Some(0.0)), Comparison::default());
        assert_eq!(compared(1.0, 1.0 + f32::EPSILON, Some(0.0)).wrong, 1);
        let near = compared(3.0, 3.5, Some(0.25));
        assert_eq!((near.wrong, near.of_tolerance), (0, 0.5));
        let far = compared(3.0, 5.0, Some(0.25));
        assert_eq!(far.first, Some((1, "3.0".to_owned(), "5.0".to_owned())));
    }

    #[test]
    fn integers_agree_when_they_are_equal() {
        let compared = |a: i16, b: i16| {
            compare(
                Scalar::I16,
                &a.to_le_bytes(),
                &b.to_le_bytes(),
                Tolerance::new(Some(1.0)),
            )
        };
        assert_eq!(compared(-7, -7), Comparison::default());
        assert_eq!(compared(-7, -6).first, Some((0, "-7".to_owned(), "-6".to_owned())));
    }
}
