//! Diagnostics as values.

use crate::location::place_text;
use melior::{
    Context,
    diagnostic::{Diagnostic, DiagnosticSeverity},
    ir::operation::OperationLike,
};
use std::{fmt, sync::Arc, sync::Mutex};

/// How grave a report is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The IR is wrong, or a pass failed.
    Error,
    /// Something is suspicious.
    Warning,
    /// An addition to another report.
    Note,
    /// What a pass did or missed.
    Remark,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
            Self::Remark => "remark",
        })
    }
}

/// One diagnostic of MLIR, copied out of the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How grave it is.
    pub severity: Severity,
    /// Where, as `kernel.mlir:3:8`, if it is in a file.
    pub place: Option<String>,
    /// The message.
    pub message: String,
    /// Notes attached to it.
    pub notes: Vec<Report>,
}

impl Report {
    fn new(diagnostic: &Diagnostic<'_>) -> Self {
        Self {
            severity: match diagnostic.severity() {
                DiagnosticSeverity::Error => Severity::Error,
                DiagnosticSeverity::Warning => Severity::Warning,
                DiagnosticSeverity::Note => Severity::Note,
                DiagnosticSeverity::Remark => Severity::Remark,
            },
            place: place_text(diagnostic.location()),
            message: diagnostic.to_string(),
            notes: (0..diagnostic.note_count())
                .filter_map(|index| diagnostic.note(index).ok())
                .map(|note| Self::new(&note))
                .collect(),
        }
    }
}

/// `kernel.mlir:3:8: message`, of what is not an error with its severity; each note in a line of its own.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        if self.severity != Severity::Error {
            write!(f, "{}: ", self.severity)?;
        }
        f.write_str(&self.message)?;
        self.notes.iter().try_for_each(|note| write!(f, "\n{note}"))
    }
}

/// Runs `action` and returns, with its result, what MLIR reported meanwhile in this context, in order. Nothing of it is
/// printed.
pub fn collect_diagnostics<R>(context: &Context, action: impl FnOnce() -> R) -> (R, Vec<Report>) {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&reports);
    let handler = context.attach_diagnostic_handler(move |diagnostic| {
        // A poisoned lock still holds the reports made before.
        sink.lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .push(Report::new(&diagnostic));
        true
    });
    let result = action();
    context.detach_diagnostic_handler(handler);
    let reports = std::mem::take(&mut *reports.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
    (result, reports)
}

/// Verifies an operation with all it contains.
///
/// # Errors
/// What the verifier reported; never empty.
pub fn verify<'c: 'a, 'a>(context: &'c Context, operation: &impl OperationLike<'c, 'a>) -> Result<(), Vec<Report>> {
    match collect_diagnostics(context, || operation.verify()) {
        (true, _) => Ok(()),
        (false, reports) => Err(reports),
    }
}
