//! What a compiled kernel is.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::dtype::DType;
use crate::error::Error;

/// A kernel has at most so many parameters: at 8 bytes each they fit into the 4 KiB that every GPU has for them.
pub const MAX_PARAMS: usize = 128;

/// Shared memory that a block may have on every GPU, in bytes, without asking the driver for more (CUDA C++ Programming Guide,
/// technical specifications).
pub const STATIC_SHARED_BYTES: u32 = 48 * 1024;

/// The most threads of a block on every GPU.
pub const MAX_THREADS: u32 = 1024;

/// Machine code, or what the driver makes it from.
#[derive(Clone, PartialEq, Eq)]
pub enum Code {
    /// PTX text, which the driver compiles for the GPU that it finds.
    Ptx(String),
    /// A cubin: machine code for one architecture.
    Cubin(Vec<u8>),
}

impl Code {
    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Code::Ptx(text) => text.as_bytes(),
            Code::Cubin(bytes) => bytes,
        }
    }
}

/// Code is long: its kind and size stand for it.
impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Code::Ptx(text) => write!(f, "Ptx({} bytes)", text.len()),
            Code::Cubin(bytes) => write!(f, "Cubin({} bytes)", bytes.len()),
        }
    }
}

/// What a parameter is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParamKind {
    /// A 64-bit address in global memory of elements of this type.
    Pointer(DType),
    /// A number.
    Scalar(DType),
}

impl fmt::Display for ParamKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamKind::Pointer(dtype) => write!(f, "ptr<{dtype}>"),
            ParamKind::Scalar(dtype) => write!(f, "{dtype}"),
        }
    }
}

/// One parameter, in the order of the launch arguments.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ParamInfo {
    /// Its name, for messages.
    pub name: String,
    /// What it is.
    pub kind: ParamKind,
    /// What the code relies on: an integer, or the address of a pointer, is a multiple of this. A power of two.
    pub divisibility: u32,
}

/// A kernel that can be launched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompiledKernel {
    /// The kernel's name, which is its entry symbol in the code.
    pub name: String,
    /// The code.
    pub code: Code,
    /// What it was compiled for, such as `sm_90a`.
    pub target: String,
    /// The parameters.
    pub params: Vec<ParamInfo>,
    /// Threads of a block; a program of the grid is one block.
    pub threads: u32,
    /// Dynamic shared memory of a block in bytes.
    pub shared_bytes: u32,
    /// A hash of the source that it was made from and the options; 0 where none is known.
    pub source_hash: u64,
    /// The version of the compiler that made it.
    pub compiler: String,
}

impl CompiledKernel {
    /// Says whether the facts can be true of any kernel.
    ///
    /// # Errors
    /// [`Error::Invalid`] when name or code are empty, there are no threads or more than [`MAX_THREADS`], more than
    /// [`MAX_PARAMS`] parameters, or a divisibility is not a power of two.
    pub fn validate(&self) -> Result<(), Error> {
        let fail = |reason: String| {
            Err(Error::Invalid {
                kernel: self.name.clone(),
                reason,
            })
        };
        if self.name.is_empty() || self.name.contains('\0') {
            return fail("its name is empty or has a zero character".to_owned());
        }
        if self.code.as_bytes().is_empty() {
            return fail("it has no code".to_owned());
        }
        if !(1..=MAX_THREADS).contains(&self.threads) {
            return fail(format!(
                "{} threads of a block: 1 to {MAX_THREADS} are possible",
                self.threads
            ));
        }
        if self.params.len() > MAX_PARAMS {
            return fail(format!(
                "{} parameters: at most {MAX_PARAMS} are possible",
                self.params.len()
            ));
        }
        match self.params.iter().find(|p| !p.divisibility.is_power_of_two()) {
            Some(p) => fail(format!(
                "the divisibility of parameter '{}' is {}, which is not a power of two",
                p.name, p.divisibility
            )),
            None => Ok(()),
        }
    }
}
