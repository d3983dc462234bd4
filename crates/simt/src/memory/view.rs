//! Global memory as a block accesses it.

use std::sync::MutexGuard;

use super::access::{AccessFault, OtherAccess, Who};
use super::page::{Access, Bytes, PAGE, Page, Reserve, Reserved};
use super::{Buffer, Memory, lock, parts};
use crate::clock::{Actor, AsyncAgent, BlockClocks};
use crate::program::Order;

/// Global memory and the clocks of the block that accesses it. Keeps the lock of the page used last.
#[derive(Debug)]
pub(crate) struct View<'a> {
    memory: &'a Memory,
    clocks: &'a mut BlockClocks,
    check_races: bool,
    cursor: Cursor<'a>,
}

/// The page used last.
#[derive(Debug)]
struct Cursor<'a> {
    launch: u32,
    /// Address of its first byte, and its lock.
    held: Option<(u64, MutexGuard<'a, Page>)>,
}

/// Where an access goes.
struct Place<'a> {
    buffer: &'a Buffer,
    /// Address of the page.
    base: u64,
    /// In the page.
    offset: usize,
}

/// How an asynchronous operation shows itself: its reservation, and the instruction that issued it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Own {
    pub id: u64,
    pub pc: u32,
}

impl<'a> View<'a> {
    pub(super) fn new(memory: &'a Memory, clocks: &'a mut BlockClocks, check_races: bool, launch: u32) -> View<'a> {
        View {
            memory,
            clocks,
            check_races,
            cursor: Cursor { launch, held: None },
        }
    }

    /// Reads `out.len()` bytes (1, 2, 4, 8, 16). After a fault that kept it from being done, `out` is zero.
    pub fn load(&mut self, who: Who, address: u64, out: &mut [u8]) -> Result<(), AccessFault> {
        let place = self.locate(address, out.len()).inspect_err(|_| out.fill(0))?;
        let actor = self.check_races.then(|| self.clocks.actor(who));
        let access = self.cursor.access(&place, actor.as_ref(), None);
        self.cursor.turn_to(&place).load(&access, place.offset, out)
    }

    /// Writes so many bytes.
    pub fn store(&mut self, who: Who, address: u64, bytes: &[u8]) -> Result<(), AccessFault> {
        let place = self.locate(address, bytes.len())?;
        let actor = self.check_races.then(|| self.clocks.actor(who));
        let access = self.cursor.access(&place, actor.as_ref(), None);
        self.cursor.turn_to(&place).store(&access, place.offset, bytes)
    }

    /// Reads a number of 1, 2, 4 or 8 bytes and writes what `change` makes of it; gives the old one.
    pub fn atomic(
        &mut self,
        who: Who,
        address: u64,
        bytes: usize,
        order: Order,
        change: &mut dyn FnMut(u64) -> u64,
    ) -> (u64, Option<AccessFault>) {
        let place = match self.locate(address, bytes) {
            Ok(place) => place,
            Err(fault) => return (0, Some(fault)),
        };
        let synchronises = self.clocks.across_blocks();
        let access = self.cursor.access(&place, None, None);
        let page = self.cursor.turn_to(&place);
        if synchronises && let Some(released) = page.released(&access, place.offset) {
            self.clocks.before_atomic(who.thread, order, released);
        }
        let actor = self.check_races.then(|| self.clocks.actor(who));
        let access = Access {
            actor: actor.as_ref(),
            ..access
        };
        let (old, fault) = page.atomic(&access, place.offset, bytes, change);
        let done = fault.as_ref().is_none_or(AccessFault::is_done);
        if synchronises && done {
            page.release(place.offset, &self.clocks.after_atomic(who.thread, order));
        }
        (old, fault)
    }

    /// Reads as an asynchronous operation that has reserved its source.
    pub fn load_async(
        &mut self,
        agent: &AsyncAgent,
        own: Own,
        address: u64,
        out: &mut [u8],
    ) -> Result<(), AccessFault> {
        let place = self.locate(address, out.len()).inspect_err(|_| out.fill(0))?;
        let actor = self.check_races.then(|| agent.actor(own.pc, false));
        let access = self.cursor.access(&place, actor.as_ref(), Some(own.id));
        self.cursor.turn_to(&place).load(&access, place.offset, out)
    }

    /// Writes as an asynchronous operation that has reserved its destination.
    pub fn store_async(&mut self, agent: &AsyncAgent, own: Own, address: u64, bytes: &[u8]) -> Result<(), AccessFault> {
        let place = self.locate(address, bytes.len())?;
        let actor = self.check_races.then(|| agent.actor(own.pc, true));
        let access = self.cursor.access(&place, actor.as_ref(), Some(own.id));
        self.cursor.turn_to(&place).store(&access, place.offset, bytes)
    }

    /// Reserves a range of a buffer. Nothing is reserved if there is a fault.
    pub fn reserve(&mut self, id: u64, what: Reserve, by: OtherAccess, range: Bytes) -> Result<(), AccessFault> {
        let buffer = self.buffer(range.address, range.bytes)?;
        range.check_alignment()?;
        for (index, start, part) in parts(range.address - buffer.base, range.bytes as usize) {
            let place = Place {
                buffer,
                base: buffer.base + (index * PAGE) as u64,
                offset: start,
            };
            let access = self.cursor.access(&place, None, Some(id));
            let end = start + part.len();
            let reserved = Reserved {
                id,
                what,
                start,
                end,
                by,
            };
            if let Err(fault) = self.cursor.turn_to(&place).reserve(&access, reserved) {
                self.unreserve(id, what, range.address, part.start as u64);
                return Err(fault);
            }
        }
        Ok(())
    }

    /// Ends the reservation of a range.
    pub fn unreserve(&mut self, id: u64, what: Reserve, address: u64, bytes: u64) {
        let Ok(buffer) = self.buffer(address, bytes) else {
            return;
        };
        for (index, offset, _) in parts(address - buffer.base, bytes as usize) {
            let place = Place {
                buffer,
                base: buffer.base + (index * PAGE) as u64,
                offset,
            };
            self.cursor.turn_to(&place).unreserve(id, what);
        }
    }

    fn buffer(&self, address: u64, bytes: u64) -> Result<&'a Buffer, AccessFault> {
        let buffer = self.memory.find(address).ok_or(AccessFault::NoBuffer)?;
        let offset = address.wrapping_sub(buffer.base);
        if buffer.len.checked_sub(offset).is_none_or(|rest| bytes > rest) {
            return Err(AccessFault::OutOfBounds {
                buffer: buffer.name.clone(),
                size: buffer.len,
                offset: offset as i64,
            });
        }
        Ok(buffer)
    }

    fn locate(&self, address: u64, bytes: usize) -> Result<Place<'a>, AccessFault> {
        let buffer = self.buffer(address, bytes as u64)?;
        let base = address & !(PAGE as u64 - 1);
        let offset = (address - base) as usize;
        if !offset.is_multiple_of(bytes) {
            return Err(AccessFault::Misaligned { bytes: bytes as u32 });
        }
        Ok(Place { buffer, base, offset })
    }
}

impl<'a> Cursor<'a> {
    fn access<'b>(&self, place: &Place<'_>, actor: Option<&'b Actor<'b>>, own: Option<u64>) -> Access<'b> {
        Access {
            actor,
            base: place.base,
            launch: self.launch,
            own,
        }
    }

    fn turn_to(&mut self, place: &Place<'a>) -> &mut Page {
        // Never two locks at once, so that views of two threads cannot wait for each other.
        if self.held.as_ref().is_some_and(|(at, _)| *at != place.base) {
            self.held = None;
        }
        let page = || &place.buffer.pages[((place.base - place.buffer.base) / PAGE as u64) as usize];
        &mut self.held.get_or_insert_with(|| (place.base, lock(page()))).1
    }
}
