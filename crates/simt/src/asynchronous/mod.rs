//! Operations that complete later than they are issued: their instructions, and the objects that they complete on.
//!
//! A copy or a matrix product is *issued* by a thread and *completes* at a time of the scheduler's choice, at the latest
//! when somebody waits for it. Until then the memory that it touches is in flight, and the registers that it fills are
//! pending: any other access to them is a finding.

mod barrier;
mod engine;
mod groups;
mod mbarrier;

pub(crate) use engine::{AsyncFault, Context, Engine, Wrong};
pub use mbarrier::BarrierFault;

use crate::program::Reg;

/// An operation that completes later, or one on what it completes on. Names are those of the PTX ISA.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)] // The variants' text names the fields.
pub enum AsyncInstr {
    /// "cp.async": copies `bytes` (4, 8, 16) from global to shared memory; only the first `valid` are read, the others are
    /// zeros. Part of the thread's current group.
    Copy {
        dst: Reg,
        src: Reg,
        bytes: u8,
        valid: Option<Reg>,
    },
    /// "cp.async.commit_group": closes the thread's group.
    CommitGroup,
    /// "cp.async.wait_group": until at most so many of the thread's closed groups are pending. "wait_all" is
    /// [`AsyncInstr::CommitGroup`] and this with 0.
    WaitGroup { pending: u32 },
    /// "mbarrier.init": an mbarrier of `count` arrivals at a shared address.
    BarrierInit { barrier: Reg, count: Reg },
    /// "mbarrier.inval".
    BarrierInvalidate { barrier: Reg },
    /// "mbarrier.arrive", with `expect` "mbarrier.arrive.expect_tx": `count` arrivals (1 without), after the phase waits for
    /// so many bytes more. Gives the state of the phase that it arrived in.
    BarrierArrive {
        barrier: Reg,
        count: Option<Reg>,
        expect: Option<Reg>,
        state: Option<Reg>,
    },
    /// "mbarrier.expect_tx".
    BarrierExpect { barrier: Reg, bytes: Reg },
    /// "mbarrier.test_wait" and "try_wait": has the phase of this state, or of this parity, completed?
    BarrierTest {
        barrier: Reg,
        phase: Reg,
        parity: bool,
        done: Reg,
    },
    /// "cp.async.bulk.shared.global": by the async proxy; completes with its bytes on an mbarrier.
    BulkLoad {
        dst: Reg,
        src: Reg,
        bytes: Reg,
        barrier: Reg,
    },
    /// "cp.async.bulk.global.shared": by the async proxy; part of the thread's current bulk group.
    BulkStore { dst: Reg, src: Reg, bytes: Reg },
    /// "cp.async.bulk.commit_group".
    BulkCommit,
    /// "cp.async.bulk.wait_group", with `read` only until the sources have been read.
    BulkWait { pending: u32, read: bool },
}

#[cfg(test)]
mod tests;
