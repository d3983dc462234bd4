//! What rows should be, in `f64`, and how far from it a result may be.

/// An expected value and the largest allowed difference.
pub type Expected = (f64, f64);

/// Rounding errors of `f32` that a row's sums and functions may add up to, relative to the magnitudes that go in: sums
/// are trees of depth below 40, `exp` and `rsqrt` are within a few units.
const SINGLE: f64 = 64.0 / (1u64 << 24) as f64;

/// Softmax. `rounding` is the one of the result's type, relative.
pub fn softmax(row: &[f64], rounding: f64) -> Vec<Expected> {
    let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = row.iter().map(|v| (v - top).exp()).sum();
    let part = |v: &f64| (v - top).exp() / total;
    row.iter()
        .map(part)
        .map(|p| (p, p * (SINGLE + rounding) + f64::from(f32::MIN_POSITIVE)))
        .collect()
}

/// Layer normalisation, times `weight` plus `bias`.
pub fn layernorm(row: &[f64], weight: &[f64], bias: &[f64], eps: f64, rounding: f64) -> Vec<Expected> {
    let n = row.len() as f64;
    let mean = row.iter().sum::<f64>() / n;
    let variance = row.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    let scale = 1.0 / (variance + eps).sqrt();
    let normal = |((v, w), b): ((&f64, &f64), &f64)| {
        let value = (v - mean) * scale * w + b;
        // What is subtracted or cancels keeps the error of its magnitude.
        let magnitude = (v.abs() + mean.abs()) * scale * w.abs() + b.abs();
        (value, value.abs() * rounding + magnitude * SINGLE)
    };
    row.iter().zip(weight).zip(bias).map(normal).collect()
}

/// Normalisation by the root of the mean square, times `weight`.
pub fn rmsnorm(row: &[f64], weight: &[f64], eps: f64, rounding: f64) -> Vec<Expected> {
    let square = row.iter().map(|v| v * v).sum::<f64>() / row.len() as f64;
    let scale = 1.0 / (square + eps).sqrt();
    let values = row.iter().zip(weight).map(|(v, w)| v * scale * w);
    values.map(|v| (v, v.abs() * (rounding + SINGLE))).collect()
}

/// The cross-entropy of a row of logits with one target.
pub fn cross_entropy(row: &[f64], target: usize) -> Expected {
    let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = row.iter().map(|v| (v - top).exp()).sum();
    let wanted = row.get(target).copied().unwrap_or(f64::NAN);
    let value = total.ln() + top - wanted;
    (value, (1.0 + total.ln().abs() + top.abs() + wanted.abs()) * SINGLE)
}

/// The sum.
pub fn sum(values: impl Iterator<Item = f64> + Clone) -> Expected {
    (values.clone().sum(), values.map(f64::abs).sum::<f64>() * SINGLE)
}

/// The first value that is too far from what is expected: its index and why. NaN is too far from everything.
pub fn first_wrong(found: impl Iterator<Item = f64>, expected: &[Expected]) -> Option<(usize, String)> {
    let mut count = 0;
    let wrong = found
        .zip(expected)
        .enumerate()
        .find_map(|(index, (found, &(value, allowed)))| {
            count += 1;
            let right = (found - value).abs() <= allowed;
            (!right).then(|| {
                (
                    index,
                    format!("{found:e} where {value:e} within {allowed:.1e} is right"),
                )
            })
        });
    wrong.or_else(|| (count < expected.len()).then(|| (count, "it is missing".to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: [f64; 3] = [0.0, 2.0 * std::f64::consts::LN_2, f64::NEG_INFINITY];

    #[test]
    fn references_by_hand() {
        let values = |expected: Vec<Expected>| expected.into_iter().map(|e| e.0).collect::<Vec<_>>();
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(near(&values(softmax(&ROW, 0.0)), &[0.2, 0.8, 0.0]));
        let normal = layernorm(&[1.0, 3.0], &[2.0, 2.0], &[0.5, 0.0], 0.0, 0.0);
        assert!(near(&values(normal), &[-1.5, 2.0]));
        assert!(near(
            &values(rmsnorm(&[3.0, -4.0, 0.0], &[1.0, 1.0, 1.0], 25.0 - 25.0 / 3.0, 0.0)),
            &[0.6, -0.8, 0.0]
        ));
        assert!((cross_entropy(&[0.0, 0.0, 0.0, 0.0], 2).0 - 4f64.ln()).abs() < 1e-12);
        assert_eq!(sum([1.0, -4.0].into_iter()).0, -3.0);
    }

    #[test]
    fn what_is_wrong_is_found() {
        let expected = [(1.0, 0.1), (2.0, 0.1)];
        assert_eq!(first_wrong([1.05, 1.95].into_iter(), &expected), None);
        assert_eq!(first_wrong([1.05, 2.2].into_iter(), &expected).unwrap().0, 1);
        assert_eq!(first_wrong([f64::NAN, 2.0].into_iter(), &expected).unwrap().0, 0);
        assert_eq!(first_wrong([1.0].into_iter(), &expected).unwrap().0, 1);
    }
}
