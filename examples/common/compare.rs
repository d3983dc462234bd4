//! Results against a reference computed in `f64`.

use std::fmt;

use anyhow::{Result, bail};
use rayon::prelude::*;

/// How well results agree with their reference.
#[derive(Clone, Copy, Debug)]
pub struct Agreement {
    /// How many were compared.
    pub elements: usize,
    /// The largest absolute error.
    pub max_error: f64,
    /// The largest error as a part of its tolerance.
    pub of_tolerance: f64,
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.elements == 1 { "" } else { "s" };
        write!(
            f,
            "{} element{plural}, max error {:.3e} ({:.0}% of what is allowed)",
            self.elements,
            self.max_error,
            100.0 * self.of_tolerance
        )
    }
}

/// A line of a table: what was computed, and for each part of it the largest error in % of what is allowed.
pub fn report(name: &str, parts: &[(&str, Agreement)]) -> String {
    let parts = parts
        .iter()
        .map(|(part, agreement)| format!("{part} {:.0}%", 100.0 * agreement.of_tolerance));
    format!("  {name:<5} {}", parts.collect::<Vec<_>>().join(", "))
}

/// Compares each result with the value that `expected` gives for its index; the absolute error may be as large as the
/// tolerance that comes with the value. A NaN agrees with any NaN, an infinity with itself.
///
/// # Errors
/// One is too far off: the error names the worst of them, and how many there are.
pub fn compare<T: Copy + Into<f64> + Sync>(
    what: &str,
    got: &[T],
    expected: impl Fn(usize) -> (f64, f64) + Sync,
) -> Result<Agreement> {
    let worst = (0..got.len()).into_par_iter().map(|index| {
        let (value, tolerance) = expected(index);
        Deviation::new(index, got[index].into(), value, tolerance)
    });
    let worst = worst.reduce(|| Deviation::NONE, Deviation::join);
    if worst.failures > 0 {
        let (value, tolerance) = expected(worst.index);
        bail!(
            "{what}: {} of {} elements are wrong; the worst is element {}: {:e}, but {value:e} is expected, with an error \
             of at most {tolerance:e}",
            worst.failures,
            got.len(),
            worst.index,
            got[worst.index].into(),
        );
    }
    Ok(Agreement {
        elements: got.len(),
        max_error: worst.error,
        of_tolerance: worst.ratio,
    })
}

/// What is known of one element, and joined of several: the worst one's index and ratio, and the largest error.
#[derive(Clone, Copy)]
struct Deviation {
    index: usize,
    error: f64,
    ratio: f64,
    failures: usize,
}

impl Deviation {
    const NONE: Deviation = Deviation {
        index: 0,
        error: 0.0,
        ratio: 0.0,
        failures: 0,
    };

    fn new(index: usize, got: f64, value: f64, tolerance: f64) -> Deviation {
        let error = match (got.is_nan(), value.is_nan()) {
            (true, true) => 0.0,
            (false, false) if got == value => 0.0,
            (false, false) => (got - value).abs(),
            _ => f64::INFINITY,
        };
        let within = error <= tolerance && error.is_finite();
        let ratio = if error == 0.0 { 0.0 } else { error / tolerance };
        Deviation {
            index,
            error,
            // No number where the tolerance is none, or as infinite as the error.
            ratio: if ratio.is_nan() { f64::INFINITY } else { ratio },
            failures: usize::from(error != 0.0 && !within),
        }
    }

    fn join(self, other: Deviation) -> Deviation {
        let worse = if other.ratio > self.ratio { other } else { self };
        Deviation {
            error: self.error.max(other.error),
            failures: self.failures + other.failures,
            ..worse
        }
    }
}
