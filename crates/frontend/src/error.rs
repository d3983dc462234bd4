//! What can be wrong with a kernel, told in terms of its source.

use std::fmt;

/// One thing that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// `file:line:column` in the user's source; empty where no place is known.
    pub place: String,
    /// What is wrong and what to do.
    pub message: String,
    /// Further places that matter: the calls of device functions on the way, innermost first.
    pub notes: Vec<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.message)?;
        for note in &self.notes {
            write!(f, "\n    {note}")?;
        }
        Ok(())
    }
}

/// A kernel that cannot be built, with everything found wrong in it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct FrontendError {
    /// The kernel's name.
    pub kernel: String,
    /// What is wrong, in the order in which it was met; at least one.
    pub diagnostics: Vec<Diagnostic>,
}

impl FrontendError {
    /// An error about the kernel as a whole rather than a place in it.
    pub fn new(kernel: impl Into<String>, place: impl Into<String>, message: impl Into<String>) -> FrontendError {
        FrontendError {
            kernel: kernel.into(),
            diagnostics: vec![Diagnostic {
                place: place.into(),
                message: message.into(),
                notes: Vec::new(),
            }],
        }
    }

    /// The place of the first finding, as `file:line:column`.
    pub fn place(&self) -> &str {
        self.diagnostics.first().map_or("", |d| &d.place)
    }

    /// The message of the first finding.
    pub fn message(&self) -> &str {
        self.diagnostics.first().map_or("", |d| &d.message)
    }
}

/// The first finding on the first line, which is all that many programs show of an error.
impl fmt::Display for FrontendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel '{}' cannot be built", self.kernel)?;
        for (index, diagnostic) in self.diagnostics.iter().enumerate() {
            let separator = if index == 0 { ": " } else { "\n  " };
            write!(f, "{separator}{diagnostic}")?;
        }
        Ok(())
    }
}
