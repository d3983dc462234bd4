//! Shared memory of a block.

use super::access::{AccessFault, OtherAccess, Who};
use super::page::{Access, Bytes, PAGE, Page, Reserve, Reserved};
use super::{Own, parts};
use crate::clock::{Actor, AsyncAgent, BlockClocks};
use crate::program::Order;

/// Bytes of an mbarrier.
const MBARRIER: usize = 8;

/// Shared memory of a block. Addresses are offsets in bytes.
#[derive(Debug)]
pub(crate) struct SharedMemory {
    len: u32,
    pages: Vec<Page>,
}

impl SharedMemory {
    /// So many bytes that nobody has written yet.
    pub fn new(bytes: u32) -> SharedMemory {
        let pages = (0..bytes as usize).step_by(PAGE);
        SharedMemory {
            len: bytes,
            pages: pages
                .map(|start| Page::new((bytes as usize - start).min(PAGE), true))
                .collect(),
        }
    }

    /// Reads `out.len()` bytes (1, 2, 4, 8, 16). After a fault that kept it from being done, `out` is zero.
    pub fn load(&mut self, clocks: &BlockClocks, who: Who, address: u64, out: &mut [u8]) -> Result<(), AccessFault> {
        let at = self.locate(address, out.len()).inspect_err(|_| out.fill(0))?;
        let actor = clocks.actor(who);
        self.page(at).load(&access(at, Some(&actor), None), at % PAGE, out)
    }

    /// Writes so many bytes.
    pub fn store(&mut self, clocks: &BlockClocks, who: Who, address: u64, bytes: &[u8]) -> Result<(), AccessFault> {
        let at = self.locate(address, bytes.len())?;
        let actor = clocks.actor(who);
        self.page(at).store(&access(at, Some(&actor), None), at % PAGE, bytes)
    }

    /// Reads a number of 1, 2, 4 or 8 bytes and writes what `change` makes of it; gives the old one.
    pub fn atomic(
        &mut self,
        clocks: &mut BlockClocks,
        who: Who,
        address: u64,
        bytes: usize,
        order: Order,
        change: &mut dyn FnMut(u64) -> u64,
    ) -> (u64, Option<AccessFault>) {
        let at = match self.locate(address, bytes) {
            Ok(at) => at,
            Err(fault) => return (0, Some(fault)),
        };
        let page = self.page(at);
        if let Some(released) = page.released(&access(at, None, None), at % PAGE) {
            clocks.before_atomic(who.thread, order, released);
        }
        let actor = clocks.actor(who);
        let (old, fault) = page.atomic(&access(at, Some(&actor), None), at % PAGE, bytes, change);
        if fault.as_ref().is_none_or(AccessFault::is_done) {
            page.release(at % PAGE, &clocks.after_atomic(who.thread, order));
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
        let at = self.locate(address, out.len()).inspect_err(|_| out.fill(0))?;
        let actor = agent.actor(own.pc, false);
        self.page(at)
            .load(&access(at, Some(&actor), Some(own.id)), at % PAGE, out)
    }

    /// Writes as an asynchronous operation that has reserved its destination.
    pub fn store_async(&mut self, agent: &AsyncAgent, own: Own, address: u64, bytes: &[u8]) -> Result<(), AccessFault> {
        let at = self.locate(address, bytes.len())?;
        let actor = agent.actor(own.pc, true);
        self.page(at)
            .store(&access(at, Some(&actor), Some(own.id)), at % PAGE, bytes)
    }

    /// Reserves a range. Nothing is reserved if there is a fault.
    pub fn reserve(&mut self, id: u64, what: Reserve, by: OtherAccess, range: Bytes) -> Result<(), AccessFault> {
        self.check_range(range.address, range.bytes)?;
        range.check_alignment()?;
        for (index, start, part) in parts(range.address, range.bytes as usize) {
            let end = start + part.len();
            let reserved = Reserved {
                id,
                what,
                start,
                end,
                by,
            };
            let access = Access {
                actor: None,
                base: (index * PAGE) as u64,
                launch: 0,
                own: Some(id),
            };
            if let Err(fault) = self.pages[index].reserve(&access, reserved) {
                self.unreserve(id, what, range.address, part.start as u64);
                return Err(fault);
            }
        }
        Ok(())
    }

    /// Ends the reservation of a range.
    pub fn unreserve(&mut self, id: u64, what: Reserve, address: u64, bytes: u64) {
        for (index, ..) in parts(address, bytes as usize) {
            if let Some(page) = self.pages.get_mut(index) {
                page.unreserve(id, what);
            }
        }
    }

    /// Makes 8 bytes an mbarrier, that only its own operations may access. To others, initialisation is a write.
    pub fn init_mbarrier(&mut self, actor: &Actor<'_>, address: u64, by: OtherAccess) -> Result<(), AccessFault> {
        let at = self.locate(address, MBARRIER)?;
        let access = access(at, Some(actor), None);
        let written = self.page(at).store(&access, at % PAGE, &[0xFF; MBARRIER]);
        if let Err(fault) = written.as_ref()
            && !fault.is_done()
        {
            return written;
        }
        let (start, end) = (at % PAGE, at % PAGE + MBARRIER);
        let (id, what) = (mbarrier_id(address), Reserve::Mbarrier);
        self.page(at).reserve(
            &access,
            Reserved {
                id,
                what,
                start,
                end,
                by,
            },
        )?;
        written
    }

    /// An operation on an mbarrier: orders nothing by itself, but must come after its initialisation.
    pub fn touch_mbarrier(&mut self, actor: &Actor<'_>, address: u64) -> Result<(), AccessFault> {
        let at = self.locate(address, MBARRIER)?;
        let access = access(at, Some(actor), Some(mbarrier_id(address)));
        self.page(at)
            .touch(&access, at % PAGE, MBARRIER, false)
            .map_or(Ok(()), Err)
    }

    /// Makes an mbarrier ordinary bytes again. To others, that is a write.
    pub fn invalidate_mbarrier(&mut self, actor: &Actor<'_>, address: u64) -> Result<(), AccessFault> {
        let at = self.locate(address, MBARRIER)?;
        let id = mbarrier_id(address);
        let result = self
            .page(at)
            .store(&access(at, Some(actor), Some(id)), at % PAGE, &[0; MBARRIER]);
        self.page(at).unreserve(id, Reserve::Mbarrier);
        result
    }

    fn page(&mut self, at: usize) -> &mut Page {
        &mut self.pages[at / PAGE]
    }

    fn check_range(&self, address: u64, bytes: u64) -> Result<(), AccessFault> {
        let len = u64::from(self.len);
        match address <= len && bytes <= len - address {
            true => Ok(()),
            false => Err(AccessFault::OutOfShared { size: self.len }),
        }
    }

    fn locate(&self, address: u64, bytes: usize) -> Result<usize, AccessFault> {
        self.check_range(address, bytes as u64)?;
        match address.is_multiple_of(bytes as u64) {
            true => Ok(address as usize),
            false => Err(AccessFault::Misaligned { bytes: bytes as u32 }),
        }
    }
}

/// Ids of operations lack the top bit.
fn mbarrier_id(address: u64) -> u64 {
    1 << 63 | address
}

fn access<'a>(at: usize, actor: Option<&'a Actor<'a>>, own: Option<u64>) -> Access<'a> {
    Access {
        actor,
        base: (at / PAGE * PAGE) as u64,
        launch: 0,
        own,
    }
}
