//! What can be wrong with an artefact.

use std::io;
use std::path::PathBuf;

/// Why a compiled kernel cannot be read, written or used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file system refused.
    #[error("cannot {action} '{}': {source}", path.display())]
    Io {
        /// What was tried: `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It does not begin as a compiled kernel does.
    #[error("this is not a compiled kernel of mytriton: it does not begin with its signature")]
    NotAnArtefact,
    /// It was written by a version with another format.
    #[error("the compiled kernel has format version {found}, this build reads version {supported}: compile it again")]
    Version {
        /// The file's version.
        found: u32,
        /// The version that can be read.
        supported: u32,
    },
    /// It ends too early.
    #[error("the compiled kernel is truncated: {found} of {expected} bytes are there; copy or compile it again")]
    Truncated {
        /// How long it should be, as far as is known.
        expected: u64,
        /// How long it is.
        found: u64,
    },
    /// Its content was changed after it was written.
    #[error("the compiled kernel is corrupt ({reason}); copy or compile it again")]
    Corrupt {
        /// What does not fit.
        reason: String,
    },
    /// It says what no kernel can be.
    #[error("compiled kernel '{kernel}' is not valid: {reason}")]
    Invalid {
        /// The kernel's name.
        kernel: String,
        /// What is wrong.
        reason: String,
    },
}
