//! What the executor finds wrong with a kernel, and where.

use std::fmt;
use std::sync::Arc;

use crate::program::Place;

/// A fault of a kernel, with the first thread that it was seen in.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The kernel's name.
    pub kernel: Arc<str>,
    /// What is wrong.
    pub kind: FindingKind,
    /// Where.
    pub site: Site,
    /// How often it was seen at this operation.
    pub count: u64,
}

/// An operation of a thread.
#[derive(Clone, PartialEq, Debug)]
pub struct Site {
    /// The operation.
    pub place: Place,
    /// The block's number in the grid.
    pub block: [u32; 3],
    /// The thread's number in the block.
    pub thread: [u32; 3],
}

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Accessed {
    /// Read.
    Read,
    /// Written.
    Written,
    /// Read and written in one.
    Updated,
}

/// Kinds of faults.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)] // The variants' text names the fields.
pub enum FindingKind {
    /// Two accesses to the same bytes, one a write, that nothing orders. `memory` names the buffer or shared memory, `byte`
    /// counts from its start.
    Race {
        accessed: Accessed,
        memory: String,
        byte: u64,
        other: Box<Site>,
        other_accessed: Accessed,
    },
    /// An access to bytes that an operation still in flight reads or writes.
    InFlight {
        accessed: Accessed,
        memory: String,
        byte: u64,
        issued: Box<Site>,
    },
    /// An access outside of memory.
    OutOfBounds {
        accessed: Accessed,
        memory: String,
        byte: i64,
        bytes: u32,
        size: u64,
    },
    /// An access to an address that no buffer is near.
    NoBuffer {
        accessed: Accessed,
        address: u64,
        bytes: u32,
    },
    /// An access at an address that is not a multiple of its size.
    Misaligned {
        accessed: Accessed,
        memory: String,
        byte: i64,
        bytes: u32,
    },
    /// A read of shared memory that nobody wrote.
    Uninitialised { byte: u64 },
    /// An ordinary access to an mbarrier.
    MbarrierAccess { accessed: Accessed, byte: u64 },
    /// Not as an asynchronous operation, or an mbarrier, may be used.
    Asynchronous { message: String },
    /// A register of an asynchronous result that nobody waited for.
    PendingRegister { issued: Box<Site> },
    /// A barrier that only some of a warp's threads, or of the block's warps, come to.
    DivergentBarrier { message: String },
    /// A shuffle, vote or warp barrier that lanes of its mask do not come to.
    DivergentCollective { missing: u32, message: String },
    /// Threads that wait for ever.
    Deadlock { waiting: Vec<Waiting> },
    /// A thread that did not end within the limit of instructions.
    Endless { steps: u64 },
    /// A promise or demand of the source that does not hold.
    Assertion { message: String },
}

/// Threads of a block that wait at one operation.
#[derive(Clone, PartialEq, Debug)]
pub struct Waiting {
    /// The first of them and the operation.
    pub site: Site,
    /// How many threads of the block.
    pub threads: u32,
    /// What they wait for.
    pub reason: String,
}

impl FindingKind {
    /// Its name, for tables.
    pub const fn name(&self) -> &'static str {
        match self {
            FindingKind::Race { .. } => "race",
            FindingKind::InFlight { .. } => "in-flight",
            FindingKind::OutOfBounds { .. } | FindingKind::NoBuffer { .. } => "out-of-bounds",
            FindingKind::Misaligned { .. } => "misaligned",
            FindingKind::Uninitialised { .. } => "uninitialised",
            FindingKind::MbarrierAccess { .. } => "mbarrier-access",
            FindingKind::Asynchronous { .. } => "asynchronous",
            FindingKind::PendingRegister { .. } => "pending-register",
            FindingKind::DivergentBarrier { .. } => "divergent-barrier",
            FindingKind::DivergentCollective { .. } => "divergent-collective",
            FindingKind::Deadlock { .. } => "deadlock",
            FindingKind::Endless { .. } => "endless",
            FindingKind::Assertion { .. } => "assertion",
        }
    }
}

impl fmt::Display for Accessed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Accessed::Read => "read",
            Accessed::Written => "written",
            Accessed::Updated => "updated atomically",
        })
    }
}

impl Accessed {
    const fn verb(self) -> &'static str {
        match self {
            Accessed::Read => "reads",
            Accessed::Written => "writes",
            Accessed::Updated => "updates",
        }
    }
}

/// `file:line:column: ` where it is known.
fn write_place(f: &mut fmt::Formatter<'_>, place: &Place) -> fmt::Result {
    match &place.at {
        Some((file, line, column)) => write!(f, "{file}:{line}:{column}: "),
        None => Ok(()),
    }
}

fn triple([x, y, z]: [u32; 3]) -> String {
    format!("({x}, {y}, {z})")
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.place.op)?;
        if let Some((file, line, column)) = &self.place.at {
            write!(f, " at {file}:{line}:{column}")?;
        }
        write!(f, ", block {}, thread {}", triple(self.block), triple(self.thread))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, &self.site.place)?;
        let (block, thread) = (triple(self.site.block), triple(self.site.thread));
        let op = &self.site.place.op;
        write!(
            f,
            "'{op}' of kernel '{}', block {block}, thread {thread}: {}",
            self.kernel, self.kind
        )?;
        if self.count > 1 {
            write!(f, " ({} times at this operation)", self.count)?;
        }
        Ok(())
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindingKind::Race {
                accessed,
                memory,
                byte,
                other,
                other_accessed,
            } => write!(
                f,
                "data race: {} byte {byte} of {memory}, which is {other_accessed} by {other}, and nothing orders the two; \
                 is a barrier missing?",
                accessed.verb()
            ),
            FindingKind::InFlight {
                accessed,
                memory,
                byte,
                issued,
            } => write!(
                f,
                "{} byte {byte} of {memory} while {issued} is still in flight; wait for its completion first",
                accessed.verb()
            ),
            FindingKind::OutOfBounds {
                accessed,
                memory,
                byte,
                bytes,
                size,
            } => write!(
                f,
                "out of bounds: {} {bytes} bytes at byte {byte} of {memory}, which has {size}; is a mask missing?",
                accessed.verb()
            ),
            FindingKind::NoBuffer {
                accessed,
                address,
                bytes,
            } => write!(
                f,
                "out of bounds: {} {bytes} bytes at address {address:#x}, which is in no buffer",
                accessed.verb()
            ),
            FindingKind::Misaligned {
                accessed,
                memory,
                byte,
                bytes,
            } => write!(
                f,
                "misaligned: {} {bytes} bytes at once at byte {byte} of {memory}, which is no multiple of {bytes}",
                accessed.verb()
            ),
            FindingKind::Uninitialised { byte } => {
                write!(f, "reads byte {byte} of shared memory, which nothing was written to")
            }
            FindingKind::MbarrierAccess { accessed, byte } => write!(
                f,
                "{} byte {byte} of shared memory, which is part of an mbarrier",
                accessed.verb()
            ),
            FindingKind::Asynchronous { message }
            | FindingKind::DivergentBarrier { message }
            | FindingKind::Assertion { message } => f.write_str(message),
            FindingKind::PendingRegister { issued } => write!(
                f,
                "uses a register that {issued} is still computing; wait for its group first"
            ),
            FindingKind::DivergentCollective { missing: 0, message } => f.write_str(message),
            FindingKind::DivergentCollective { missing, message } => {
                write!(f, "{message}: lanes {missing:#010x} of the mask do not take part")
            }
            FindingKind::Deadlock { waiting } => {
                f.write_str("deadlock: no thread of the block can go on")?;
                for group in waiting {
                    let Waiting { site, threads, reason } = group;
                    write!(f, "; {threads} thread(s) wait {reason} at {site}")?;
                }
                Ok(())
            }
            FindingKind::Endless { steps } => write!(
                f,
                "has not ended after {steps} instructions of its warp; does a loop wait for something that cannot come?"
            ),
        }
    }
}
