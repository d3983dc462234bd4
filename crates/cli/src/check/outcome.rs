//! The report of `mytriton check`.

use std::fmt::{Display, Write};

use super::compare::{Comparison, Tolerance, compare};
use super::runs::{Arrays, Inputs, Ran};
use crate::array::Data;
use crate::error::Error;
use crate::output;
use crate::tables::{self, Footprint};

/// The runs of a program.
pub struct Checked {
    /// Warps of a block.
    pub num_warps: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Each with its seed.
    pub runs: Vec<(u64, Ran)>,
}

/// A line for each check.
#[derive(Default)]
pub struct Outcome {
    text: String,
    checks: usize,
    failed: usize,
}

impl Outcome {
    /// Notes what a check gave.
    pub fn add(&mut self, ok: bool, line: impl Display) {
        self.checks += 1;
        self.failed += usize::from(!ok);
        let _ = writeln!(self.text, "{} {line}", if ok { "ok:     " } else { "FAILED: " });
    }

    /// Notes that a check was not possible.
    pub fn skip(&mut self, line: impl Display) {
        let _ = writeln!(self.text, "skipped: {line}");
    }

    /// Compares the arrays of runs with those that somebody else has.
    pub fn results(
        &mut self,
        label: &str,
        inputs: &Inputs,
        (whose, expected): (&str, &Arrays),
        runs: &[(u64, Ran)],
        tolerance: Tolerance,
    ) {
        // A run that was cut short has no results.
        let mut whole = runs.iter().filter(|(_, ran)| ran.report.findings.is_empty()).peekable();
        if whole.peek().is_none() {
            return self.skip(format!("results, {label}: no run came to its end without a fault"));
        }
        let mut lines = Vec::new();
        let mut all = Vec::new();
        for (seed, ran) in whole {
            for (((name, data), expected), found) in inputs.data.iter().zip(expected).zip(&ran.arrays) {
                let (Data::Array(array), Some(expected), Some(found)) = (data, expected, found) else {
                    continue;
                };
                let Comparison {
                    wrong,
                    first,
                    of_tolerance,
                } = compare(array.scalar, expected, found, tolerance);
                if let Some((at, expected, found)) = first {
                    lines.push(format!(
                        "         array '{name}', seed {seed}: {wrong} of {} elements differ from {whose}; the first is \
                         element {at}: {found}, and {expected} is expected",
                        array.elements
                    ));
                }
                all.push((name, of_tolerance, array));
            }
        }
        if lines.is_empty() {
            let worst = all
                .iter()
                .filter(|entry| entry.1 > 0.0)
                .max_by(|a, b| a.1.total_cmp(&b.1));
            let how = match worst {
                None => format!("equal to {whose}"),
                Some((name, part, array)) => format!(
                    "{whose} within the tolerance: in array '{name}' {:.0}% of {:e} (1 + magnitude) at most",
                    part * 100.0,
                    tolerance.of(array.scalar)
                ),
            };
            let unchanged = |((_, data), after): (&(String, Data), &Option<Vec<u8>>)| match (data, after) {
                (Data::Array(array), Some(after)) => array.changed_elements(after) == 0,
                _ => true,
            };
            // A mistake in the arguments rather than in the kernel.
            let vacuous = inputs.data.iter().zip(expected).all(unchanged);
            let but = if vacuous { ", but no array was changed" } else { "" };
            self.add(true, format!("results: {label}, {how}{but}"));
        } else {
            self.add(false, format!("results: {label}, other than {whose}"));
            self.text += &(lines.join("\n") + "\n");
        }
    }

    /// Prints everything: the checks, and of each program what its first run counted.
    pub fn finish(&self, inputs: &Inputs, programs: &[Checked]) -> Result<(), Error> {
        let blocks: u64 = inputs.grid.iter().map(|&n| u64::from(n)).product();
        let first = programs
            .iter()
            .filter_map(|checked| Some((checked, &checked.runs.first()?.1)));
        let footprints: Vec<Footprint<'_>> = first
            .map(|(checked, ran)| Footprint {
                num_warps: checked.num_warps,
                threads: blocks * u64::from(checked.threads),
                report: &ran.report,
                elapsed: ran.elapsed,
            })
            .collect();
        let mut text = format!("{}\n{}", self.text, tables::footprints(&footprints));
        for footprint in &footprints {
            let _ = write!(
                text,
                "\nnum_warps {}, {}",
                footprint.num_warps,
                tables::accesses(&footprint.report.accesses)
            );
        }
        output::print(text.as_bytes())?;
        match self.failed {
            0 => Ok(()),
            failed => Err(Error::new(format!("{failed} of {} checks failed", self.checks))),
        }
    }
}
