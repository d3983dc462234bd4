//! What can go wrong in the compiler, said in the user's terms.

use std::fmt;
use std::path::PathBuf;

use crate::stage::Stage;

/// A kernel that could not be compiled: the stage that was being made, and why.
#[derive(Clone, Debug)]
pub struct CompileError {
    /// The stage that was not reached.
    pub stage: Stage,
    /// The kernel.
    pub kernel: String,
    /// `file:line:column` in the user's source, if known.
    pub place: Option<String>,
    /// What is wrong: names the operation where there is one.
    pub message: String,
    /// A file that shows the failure: `mytriton-opt --run-reproducer FILE`.
    pub reproducer: Option<PathBuf>,
}

impl CompileError {
    /// Of a kernel that did not reach a stage, without a reproducer.
    pub(crate) fn new(stage: Stage, kernel: &str, place: Option<String>, message: impl Into<String>) -> CompileError {
        CompileError {
            stage,
            kernel: kernel.to_owned(),
            place,
            message: message.into(),
            reproducer: None,
        }
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(
            f,
            "compiling kernel '{}' to the {} stage: {}",
            self.kernel, self.stage, self.message
        )?;
        if let Some(path) = &self.reproducer {
            write!(
                f,
                "\n  to see it again: mytriton-opt --run-reproducer {}",
                path.display()
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for CompileError {}
