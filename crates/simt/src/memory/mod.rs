//! Memory of the device and of a block, byte for byte, and what is wrong with how threads access it.
//!
//! [`Memory`] holds buffers in a private 64-bit address space. Every buffer stands in the middle of a slot of 2^40 bytes
//! of its own: an address says which buffer it was meant for however far outside of it lies, and lookup is a shift. The
//! blocks of a launch run on several threads of the host and share it; a buffer is a sequence of pages with a lock each.
//!
//! Found at an access: that it is out of bounds or misaligned, reads shared memory that nobody wrote, races (what that
//! is: the text of `shadow.rs`), or touches what an asynchronous operation is about to access.

mod access;
mod page;
mod shadow;
mod shared;
mod view;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) use access::Who;
pub use access::{AccessFault, AccessKind, OtherAccess, Proxy};
pub(crate) use page::{Bytes, Reserve};
use page::{PAGE, Page};
pub(crate) use shared::SharedMemory;
pub(crate) use view::{Own, View};

use crate::clock::BlockClocks;

/// Binary logarithm of the bytes of address space for each buffer.
const SLOT_BITS: u32 = 40;
/// Where in its slot a buffer begins, so that offsets may be wrong by as much in both directions.
const SLOT_START: u64 = 1 << (SLOT_BITS - 1);
/// Slots are numbered from 1, for null to be in none, and addresses are positive as `i64`.
const MAX_SLOTS: usize = (1 << (63 - SLOT_BITS)) - 1;
/// Slots of removed buffers stay unused until there are this many of them, so that stale addresses are found.
const QUARANTINE: usize = 4096;

/// Names a buffer of one [`Memory`]. The name of a removed buffer stays invalid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BufferId {
    slot: u32,
    generation: u32,
}

/// What can go wrong when buffers are made, filled and read by the host.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MemoryError {
    /// The host has no memory left, or the buffer is too large for the address space of 2^39 bytes each.
    #[error("no memory for buffer '{name}' of {bytes} bytes")]
    OutOfMemory {
        /// The buffer's name.
        name: String,
        /// Its size in bytes.
        bytes: u64,
    },
    /// The buffer was removed, or belongs to another memory.
    #[error("the buffer does not exist (any more)")]
    NoSuchBuffer,
    /// A copy that does not fit into the buffer.
    #[error("a copy of {bytes} bytes at byte {offset} of buffer '{name}', which has {len}")]
    Range {
        /// The buffer's name.
        name: String,
        /// Where the copy begins, in bytes.
        offset: u64,
        /// How many bytes it has.
        bytes: u64,
        /// The buffer's size in bytes.
        len: u64,
    },
}

/// Global memory: a set of buffers. The blocks of a launch share it; the host reads and writes it between launches.
#[derive(Debug, Default)]
pub struct Memory {
    /// Slot `i + 1` of the address space is entry `i`.
    slots: Vec<Slot>,
    free: VecDeque<u32>,
    launch: AtomicU32,
}

#[derive(Debug, Default)]
struct Slot {
    generation: u32,
    buffer: Option<Buffer>,
}

#[derive(Debug)]
struct Buffer {
    name: Arc<str>,
    /// Address of the first byte.
    base: u64,
    /// Size in bytes.
    len: u64,
    pages: Vec<Mutex<Page>>,
}

impl Memory {
    /// A memory without buffers.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Adds a buffer with the given content. The name (it may be empty) is for messages.
    pub fn add_buffer(&mut self, name: impl Into<String>, bytes: &[u8]) -> Result<BufferId, MemoryError> {
        self.insert(name.into(), bytes.len() as u64, |range| Page::from_bytes(&bytes[range]))
    }

    /// Adds a buffer of so many bytes, all zero. Pages that nobody writes cost no memory.
    pub fn add_zeros(&mut self, name: impl Into<String>, bytes: u64) -> Result<BufferId, MemoryError> {
        self.insert(name.into(), bytes, |range| Page::new(range.len(), false))
    }

    fn insert(&mut self, name: String, len: u64, page: impl Fn(Range<usize>) -> Page) -> Result<BufferId, MemoryError> {
        let count = len.div_ceil(PAGE as u64);
        let mut pages = Vec::new();
        let fits = len <= SLOT_START && pages.try_reserve_exact(count as usize).is_ok();
        let Some(slot) = fits.then(|| self.slot(MAX_SLOTS)).flatten() else {
            return Err(MemoryError::OutOfMemory { name, bytes: len });
        };
        let starts = (0..len as usize).step_by(PAGE);
        pages.extend(starts.map(|start| Mutex::new(page(start..(start + PAGE).min(len as usize)))));
        let entry = &mut self.slots[slot as usize];
        entry.buffer = Some(Buffer {
            name: name.into(),
            base: ((u64::from(slot) + 1) << SLOT_BITS) + SLOT_START,
            len,
            pages,
        });
        Ok(BufferId {
            slot,
            generation: entry.generation,
        })
    }

    /// A slot for a new buffer, if one of at most `limit` is left: a new one as long as few removed ones wait.
    fn slot(&mut self, limit: usize) -> Option<u32> {
        if self.free.len() <= QUARANTINE && self.slots.len() < limit {
            self.slots.push(Slot::default());
            return Some(self.slots.len() as u32 - 1);
        }
        self.free.pop_front()
    }

    /// Removes a buffer. Its addresses then belong to no buffer.
    pub fn remove_buffer(&mut self, id: BufferId) -> Result<(), MemoryError> {
        self.get(id)?;
        let slot = &mut self.slots[id.slot as usize];
        slot.buffer = None;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push_back(id.slot);
        Ok(())
    }

    fn get(&self, id: BufferId) -> Result<&Buffer, MemoryError> {
        self.slots
            .get(id.slot as usize)
            .filter(|slot| slot.generation == id.generation)
            .and_then(|slot| slot.buffer.as_ref())
            .ok_or(MemoryError::NoSuchBuffer)
    }

    /// The buffer in whose slot of the address space an address is, within the buffer or not.
    fn find(&self, address: u64) -> Option<&Buffer> {
        let slot = (address >> SLOT_BITS).checked_sub(1)?;
        self.slots.get(slot as usize)?.buffer.as_ref()
    }

    /// The address of a buffer's first byte; a multiple of 4096.
    pub fn address(&self, id: BufferId) -> Result<u64, MemoryError> {
        Ok(self.get(id)?.base)
    }

    /// A buffer's size in bytes.
    pub fn size(&self, id: BufferId) -> Result<u64, MemoryError> {
        Ok(self.get(id)?.len)
    }

    /// Copies the buffer's bytes from `offset` on to the host, as many as `out` has.
    pub fn read(&self, id: BufferId, offset: u64, out: &mut [u8]) -> Result<(), MemoryError> {
        let buffer = self.get(id)?;
        buffer.check_range(offset, out.len() as u64)?;
        for (page, at, range) in parts(offset, out.len()) {
            lock(&buffer.pages[page]).copy_out(at, &mut out[range]);
        }
        Ok(())
    }

    /// Copies bytes of the host into the buffer from `offset` on.
    pub fn write(&self, id: BufferId, offset: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let buffer = self.get(id)?;
        buffer.check_range(offset, bytes.len() as u64)?;
        for (page, at, range) in parts(offset, bytes.len()) {
            lock(&buffer.pages[page]).copy_in(at, &bytes[range]);
        }
        Ok(())
    }

    /// The whole content of a buffer.
    pub fn read_back(&self, id: BufferId) -> Result<Vec<u8>, MemoryError> {
        let mut out = vec![0; self.get(id)?.len as usize];
        self.read(id, 0, &mut out)?;
        Ok(out)
    }

    /// The name of the buffer that an address was meant for, and which of its bytes it is.
    pub(crate) fn locate(&self, address: u64) -> Option<(&str, i64)> {
        let buffer = self.find(address)?;
        Some((&buffer.name, address.wrapping_sub(buffer.base) as i64))
    }

    /// A launch begins: accesses before it happened before all of its own. One launch runs at a time.
    pub fn begin_launch(&self) {
        self.launch.fetch_add(1, Ordering::Relaxed);
    }

    /// The memory as a block accesses it; `check_races`: looks for races. A view may hold the lock of a page: it must
    /// not outlive the instruction, and a thread of the host has one at a time.
    pub(crate) fn view<'a>(&'a self, clocks: &'a mut BlockClocks, check_races: bool) -> View<'a> {
        View::new(self, clocks, check_races, self.launch.load(Ordering::Relaxed))
    }
}

impl Buffer {
    fn check_range(&self, offset: u64, bytes: u64) -> Result<(), MemoryError> {
        if offset.checked_add(bytes).is_some_and(|end| end <= self.len) {
            return Ok(());
        }
        Err(MemoryError::Range {
            name: self.name.to_string(),
            offset,
            bytes,
            len: self.len,
        })
    }
}

fn lock(page: &Mutex<Page>) -> MutexGuard<'_, Page> {
    // A page is whole between any two statements of its methods: a panic elsewhere leaves nothing half done.
    page.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Cuts a range at page ends: page, where in it, and which part of the range that is.
fn parts(offset: u64, bytes: usize) -> impl Iterator<Item = (usize, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let start = offset + done as u64;
        let at = (start % PAGE as u64) as usize;
        let len = (PAGE - at).min(bytes - done);
        done += len;
        (len > 0).then(|| ((start / PAGE as u64) as usize, at, done - len..done))
    })
}

#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;
