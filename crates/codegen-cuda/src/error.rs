//! Why a kernel has no CUDA C++ form.

use std::fmt;

use mytriton_ssa::{Type, VerifyErrors};

/// Why [`generate`](crate::generate) gives no source.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// The kernel breaks a rule of the IR.
    #[error("the kernel is not valid: {0}")]
    InvalidKernel(#[from] VerifyErrors),
    /// The tiles that a thread keeps across barriers and control flow need more memory than a thread can have.
    #[error(
        "kernel '{kernel}' keeps {bytes} bytes of tiles per thread, and a thread has at most {limit}: use smaller \
         tiles and a larger grid"
    )]
    TooLarge {
        /// The kernel's name.
        kernel: String,
        /// What the arrays of one thread take.
        bytes: u64,
        /// What a thread may have.
        limit: u64,
    },
    /// A reduction or scan combines, or a gather chooses from, more elements than a block has shared memory for.
    #[error(
        "kernel '{kernel}': the {operation}{} keeps the elements along its axis in shared memory, which takes {bytes} \
         bytes ({}), and a block has {limit}: use smaller tiles and a loop",
        at(place.as_deref()), list(tiles)
    )]
    SharedMemory {
        /// The kernel's name.
        kernel: String,
        /// The operation's name in the text form.
        operation: &'static str,
        /// Where it stands, as `file:line:column`, if that is known.
        place: Option<String>,
        /// The tiles that it combines.
        tiles: Vec<SharedTile>,
        /// What one line of each takes in all.
        bytes: u64,
        /// What a block may have.
        limit: u64,
    },
}

/// A tile in shared memory.
#[derive(Clone, PartialEq, Debug)]
pub struct SharedTile {
    /// The name of its value in the user's source, if it has one.
    pub name: Option<String>,
    /// Its shape and element.
    pub ty: Type,
    /// The size of its elements along the axis, in bytes.
    pub bytes: u64,
}

impl fmt::Display for SharedTile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SharedTile { name, ty, bytes } = self;
        match name {
            Some(name) => write!(f, "'{name}' of type {ty}: {bytes} bytes"),
            None => write!(f, "a {ty}: {bytes} bytes"),
        }
    }
}

fn at(place: Option<&str>) -> String {
    place.map_or(String::new(), |place| format!(" at {place}"))
}

fn list(tiles: &[SharedTile]) -> String {
    tiles.iter().map(SharedTile::to_string).collect::<Vec<_>>().join(", ")
}
