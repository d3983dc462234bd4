//! Accesses to memory, and what can be wrong with one.

use std::sync::Arc;

/// The way by which an access goes to memory (PTX ISA, "Proxies").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Proxy {
    /// That of ordinary instructions, and of "cp.async".
    Generic,
    /// That of bulk copies and of warp-group matrix products.
    Async,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AccessKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads, changes and writes as one.
    Atomic,
}

/// A thread that accesses memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Who {
    /// Number of the block in the grid.
    pub block: u32,
    /// Number of the thread in the block.
    pub thread: u32,
    /// Position of the instruction.
    pub pc: u32,
    /// By which proxy.
    pub proxy: Proxy,
}

/// An earlier access, that another one is at odds with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OtherAccess {
    /// Number of the block in the grid.
    pub block: u32,
    /// Number of the thread in the block.
    pub thread: u32,
    /// Position of the instruction.
    pub pc: u32,
    /// What it did.
    pub kind: AccessKind,
    /// By which proxy.
    pub proxy: Proxy,
}

/// What is wrong with an access. `byte` is the address of the first byte that it is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AccessFault {
    /// Outside of the buffer that the address was meant for.
    OutOfBounds {
        /// The buffer's name.
        buffer: Arc<str>,
        /// Its size in bytes.
        size: u64,
        /// Where the access begins, counted in bytes from the buffer's begin.
        offset: i64,
    },
    /// Outside of the block's shared memory.
    OutOfShared {
        /// Its size in bytes.
        size: u32,
    },
    /// The address was never that of a buffer, or the buffer was removed.
    NoBuffer,
    /// The address is no multiple of what it must be one of.
    Misaligned {
        /// Of how many bytes.
        bytes: u32,
    },
    /// Reads what nobody wrote (shared memory).
    Uninitialised {
        /// The first such byte.
        byte: u64,
    },
    /// Nothing orders the access and an earlier one, and one of them writes.
    Race {
        /// The first such byte.
        byte: u64,
        /// The earlier one.
        other: OtherAccess,
    },
    /// The bytes belong to an asynchronous operation that has not completed: it will write them, or will read what the
    /// access writes.
    InFlight {
        /// The first such byte.
        byte: u64,
        /// The operation: [`AccessKind::Write`] for its destination, [`AccessKind::Read`] for its source.
        by: OtherAccess,
    },
    /// The bytes are an mbarrier between its initialisation and its invalidation.
    Mbarrier {
        /// The mbarrier's address.
        address: u64,
        /// Who initialised it.
        by: OtherAccess,
    },
}

impl AccessFault {
    /// Whether the access was done all the same.
    pub fn is_done(&self) -> bool {
        matches!(self, AccessFault::Race { .. } | AccessFault::Uninitialised { .. })
    }
}
