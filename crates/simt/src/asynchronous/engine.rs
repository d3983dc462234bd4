//! What is in flight in a block: copies from issue to completion.
//!
//! A copy reserves its source and its destination when it is issued; other accesses to them are findings until it has
//! read the one and written the other. That happens when the scheduler likes ([`Engine::complete_one`]) or when somebody
//! waits for it. It accesses memory as the issuing thread's twin ([`crate::clock`]), and what it did is known to those that
//! wait for its group, or for the phase of the mbarrier that its bytes go to.
//!
//! "cp.async" belongs to the generic proxy, bulk copies and what they do to an mbarrier to the async proxy: it must know
//! the mbarrier's initialisation through a proxy fence. A copy that cannot be issued (out of bounds, misaligned, over what
//! is in flight) is a finding and is not done.

use std::collections::BTreeMap;

use super::groups::Groups;
use super::mbarrier::{BarrierFault, Mbarriers};
use crate::clock::{AsyncAgent, BlockClocks, Knowledge};
use crate::memory::{AccessFault, AccessKind, Bytes, Memory, OtherAccess, Own, Proxy, Reserve, SharedMemory, Who};
use crate::program::Space;

/// What operations act on, and what they find wrong.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub memory: &'a Memory,
    pub shared: &'a mut SharedMemory,
    pub clocks: &'a mut BlockClocks,
    /// Whether races in global memory are looked for.
    pub check_races: bool,
    /// To be reported.
    pub faults: Vec<AsyncFault>,
}

/// Something wrong with an asynchronous operation, at the instruction that issued it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct AsyncFault {
    pub who: Who,
    pub wrong: Wrong,
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Wrong {
    /// An access that it makes.
    Access {
        kind: AccessKind,
        space: Space,
        address: u64,
        bytes: u32,
        fault: AccessFault,
    },
    /// Its mbarrier.
    Barrier(BarrierFault),
    /// Its size or its end.
    Copy(CopyFault),
}

/// Not as copies may be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)] // The messages name the fields.
pub(crate) enum CopyFault {
    #[error("a copy of {bytes} bytes of which {valid} are read: more than it has")]
    Valid { valid: u64, bytes: u32 },
    #[error("a bulk copy of {bytes} bytes: it must be a multiple of 16, at least 16")]
    BulkSize { bytes: u64 },
    #[error("the block may end while the copy still accesses its shared memory: wait for the copy first")]
    Unfinished,
}

/// Bytes somewhere.
#[derive(Clone, Copy, Debug)]
struct At {
    space: Space,
    address: u64,
    bytes: u32,
}

/// What is told that a copy has completed.
#[derive(Clone, Copy, Debug)]
enum Target {
    Group { bulk: bool, number: u64 },
    Mbarrier { address: u64 },
}

#[derive(Debug)]
struct Copy {
    who: Who,
    agent: AsyncAgent,
    own: Own,
    /// What is read; may be less than what is written, whose rest becomes zero.
    src: At,
    dst: At,
    target: Target,
    /// What was read, once it was.
    data: Option<Vec<u8>>,
}

/// The asynchronous operations of a block, and the objects that they complete on.
#[derive(Debug)]
pub(crate) struct Engine {
    next: u64,
    flights: BTreeMap<u64, Copy>,
    copies: Vec<Groups>,
    bulks: Vec<Groups>,
    pub(super) barriers: Mbarriers,
}

impl Engine {
    /// That of a block of so many threads, with nothing in flight.
    pub fn new(block: u32, threads: u32) -> Engine {
        let groups = || (0..threads).map(|_| Groups::default()).collect();
        Engine {
            // Ids are unique in the grid, for blocks reserve parts of the same buffers.
            next: u64::from(block & 0x7FFF_FFFF) << 32,
            flights: BTreeMap::new(),
            copies: groups(),
            bulks: groups(),
            barriers: Mbarriers::default(),
        }
    }

    /// An id for an operation that is kept elsewhere.
    pub fn fresh_id(&mut self) -> u64 {
        let id = self.next;
        self.next += 1;
        id
    }

    /// Operations in flight.
    pub fn in_flight(&self) -> usize {
        self.flights.len()
    }

    /// "cp.async".
    pub fn copy(&mut self, cx: &mut Context<'_>, who: Who, dst: u64, src: u64, bytes: u32, valid: Option<u64>) {
        let valid = valid.unwrap_or(bytes.into());
        if valid > bytes.into() {
            return cx.wrong(who, Wrong::Copy(CopyFault::Valid { valid, bytes }));
        }
        let src = At::new(Space::Global, src, valid as u32);
        let number = self.copies[who.thread as usize].add(self.next, who);
        let target = Target::Group { bulk: false, number };
        self.issue(cx, who, At::new(Space::Shared, dst, bytes), src, bytes, target);
    }

    /// "cp.async.commit_group".
    pub fn commit(&mut self, thread: u32) {
        self.copies[thread as usize].commit();
    }

    /// "cp.async.wait_group": completes the thread's closed groups but the last `pending`.
    pub fn wait(&mut self, cx: &mut Context<'_>, thread: u32, pending: u32) {
        self.wait_groups(cx, thread, pending, false);
    }

    /// "cp.async.bulk.shared.global", which completes on an mbarrier.
    pub fn bulk_load(&mut self, cx: &mut Context<'_>, who: Who, dst: u64, src: u64, bytes: u64, barrier: u64) {
        let Some(bytes) = checked_bulk(cx, who, bytes) else {
            return;
        };
        if let Err(fault) = self.barriers.begin_operation(barrier) {
            return cx.wrong(who, Wrong::Barrier(fault));
        }
        let (dst, src) = (At::new(Space::Shared, dst, bytes), At::new(Space::Global, src, bytes));
        self.issue(cx, who, dst, src, 16, Target::Mbarrier { address: barrier });
    }

    /// "cp.async.bulk.global.shared".
    pub fn bulk_store(&mut self, cx: &mut Context<'_>, who: Who, dst: u64, src: u64, bytes: u64) {
        let Some(bytes) = checked_bulk(cx, who, bytes) else {
            return;
        };
        let (dst, src) = (At::new(Space::Global, dst, bytes), At::new(Space::Shared, src, bytes));
        let number = self.bulks[who.thread as usize].add(self.next, who);
        self.issue(cx, who, dst, src, 16, Target::Group { bulk: true, number });
    }

    /// "cp.async.bulk.commit_group".
    pub fn bulk_commit(&mut self, thread: u32) {
        self.bulks[thread as usize].commit();
    }

    /// "cp.async.bulk.wait_group", with `read` only until sources have been read.
    pub fn bulk_wait(&mut self, cx: &mut Context<'_>, thread: u32, pending: u32, read: bool) {
        if !read {
            return self.wait_groups(cx, thread, pending, true);
        }
        for number in self.bulks[thread as usize].due(pending) {
            let Some(group) = self.bulks[thread as usize].get(number) else {
                continue;
            };
            for id in group.operations.clone() {
                self.read_source(cx, id);
            }
            if let Some(group) = self.bulks[thread as usize].get(number) {
                cx.clocks.acquire(thread, &group.read);
                group.sources_waited_for = true;
            }
        }
    }

    /// Completes one of the operations in flight, whichever `pick` (any number) chooses. False if there is none.
    pub fn complete_one(&mut self, cx: &mut Context<'_>, pick: u64) -> bool {
        let Some((first, last)) = self.flights.keys().next().zip(self.flights.keys().next_back()) else {
            return false;
        };
        let from = first + pick % (last - first + 1);
        let Some(id) = self.flights.range(from..).next().map(|(id, _)| *id) else {
            return false;
        };
        self.complete(cx, id);
        true
    }

    /// The block ends: completes all that is in flight. Copies to and from its shared memory that nobody waited for are
    /// findings, whether they happen to have completed or not; of those that complete on an mbarrier, which anybody may
    /// have waited at, those in flight.
    pub fn finish(&mut self, cx: &mut Context<'_>) {
        for who in self.copies.iter().chain(&self.bulks).flat_map(Groups::left) {
            cx.wrong(who, Wrong::Copy(CopyFault::Unfinished));
        }
        while let Some((&id, copy)) = self.flights.iter().next() {
            if matches!(copy.target, Target::Mbarrier { .. }) {
                cx.wrong(copy.who, Wrong::Copy(CopyFault::Unfinished));
            }
            self.complete(cx, id);
        }
    }

    fn issue(&mut self, cx: &mut Context<'_>, who: Who, dst: At, src: At, align: u32, target: Target) {
        let proxy = match target {
            Target::Group { bulk: false, .. } => Proxy::Generic,
            _ => Proxy::Async,
        };
        // Taken even if the copy cannot be issued: its group has it already.
        let own = Own {
            id: self.fresh_id(),
            pc: who.pc,
        };
        let copy = Copy {
            who: Who { proxy, ..who },
            agent: cx.clocks.issue(who.thread, proxy),
            own,
            src,
            dst,
            target,
            data: None,
        };
        // A source of which nothing is read may be anywhere.
        if src.bytes != 0 && !cx.reserve(&copy, Reserve::Source, src, align) {
            return self.forget(&copy);
        }
        if !cx.reserve(&copy, Reserve::Destination, dst, align) {
            cx.unreserve(own.id, Reserve::Source, src);
            return self.forget(&copy);
        }
        self.flights.insert(own.id, copy);
    }

    /// A copy that was not issued.
    fn forget(&mut self, copy: &Copy) {
        if let Target::Mbarrier { address } = copy.target {
            self.barriers.abandon_operation(address);
        }
    }

    fn wait_groups(&mut self, cx: &mut Context<'_>, thread: u32, pending: u32, bulk: bool) {
        for _ in self.groups(thread, bulk).due(pending) {
            let first = self.groups(thread, bulk).due(0).start;
            let operations = self
                .groups(thread, bulk)
                .get(first)
                .map(|group| group.operations.clone());
            for id in operations.into_iter().flatten() {
                self.complete(cx, id);
            }
            if let Some(group) = self.groups(thread, bulk).take_first() {
                cx.clocks.acquire(thread, &group.done);
            }
        }
    }

    fn groups(&mut self, thread: u32, bulk: bool) -> &mut Groups {
        match bulk {
            true => &mut self.bulks[thread as usize],
            false => &mut self.copies[thread as usize],
        }
    }

    /// Reads the source, unless that was done.
    fn read_source(&mut self, cx: &mut Context<'_>, id: u64) {
        let Some(copy) = self.flights.get_mut(&id).filter(|copy| copy.data.is_none()) else {
            return;
        };
        let mut data = vec![0; copy.dst.bytes as usize];
        cx.read(copy, &mut data);
        cx.unreserve(id, Reserve::Source, copy.src);
        copy.data = Some(data);
        if let Target::Group { bulk, number } = copy.target {
            let (thread, read) = (copy.who.thread, cx.clocks.completed_read(&copy.agent));
            if let Some(group) = self.groups(thread, bulk).get(number) {
                group.read.join(&read);
            }
        }
    }

    /// Does what is left of an operation, unless it has completed.
    fn complete(&mut self, cx: &mut Context<'_>, id: u64) {
        self.read_source(cx, id);
        let Some(copy) = self.flights.remove(&id) else { return };
        cx.write(&copy, copy.data.as_deref().unwrap_or(&[]));
        cx.unreserve(id, Reserve::Destination, copy.dst);
        let done = cx.clocks.completed(&copy.agent);
        match copy.target {
            Target::Group { bulk, number } => {
                if let Some(group) = self.groups(copy.who.thread, bulk).get(number) {
                    group.done.join(&done);
                }
            }
            Target::Mbarrier { address } => self.complete_on(cx, &copy, address, &done),
        }
    }

    fn complete_on(&mut self, cx: &mut Context<'_>, copy: &Copy, address: u64, done: &Knowledge) {
        if let Err(fault) = self.barriers.complete(address, copy.dst.bytes.into(), done) {
            return cx.wrong(copy.who, Wrong::Barrier(fault));
        }
        let actor = copy.agent.actor(copy.own.pc, true);
        if let Err(fault) = cx.shared.touch_mbarrier(&actor, address) {
            cx.wrong(copy.who, Wrong::of_mbarrier(address, fault));
        }
    }
}

impl Wrong {
    /// An operation on an mbarrier that its initialisation does not come before, or that its bytes cannot hold.
    pub(super) fn of_mbarrier(address: u64, fault: AccessFault) -> Wrong {
        Wrong::Access {
            kind: AccessKind::Atomic,
            space: Space::Shared,
            address,
            bytes: 8,
            fault,
        }
    }
}

impl At {
    fn new(space: Space, address: u64, bytes: u32) -> At {
        At { space, address, bytes }
    }

    /// Cuts it into aligned accesses: where each is, and where in the whole.
    fn pieces(self) -> impl Iterator<Item = (u64, std::ops::Range<usize>)> {
        let mut done = 0;
        std::iter::from_fn(move || {
            let left = self.bytes as usize - done;
            let address = self.address.wrapping_add(done as u64);
            let piece = [16, 8, 4, 2, 1]
                .into_iter()
                .find(|&piece| piece <= left && address.is_multiple_of(piece as u64))?;
            done += piece;
            Some((address, done - piece..done))
        })
    }
}

impl Context<'_> {
    pub(super) fn wrong(&mut self, who: Who, wrong: Wrong) {
        self.faults.push(AsyncFault { who, wrong });
    }

    fn wrong_access(&mut self, copy: &Copy, kind: AccessKind, at: At, fault: AccessFault) {
        let At { space, address, bytes } = at;
        self.wrong(
            copy.who,
            Wrong::Access {
                kind,
                space,
                address,
                bytes,
                fault,
            },
        );
    }

    fn reserve(&mut self, copy: &Copy, what: Reserve, at: At, align: u32) -> bool {
        let kind = if what == Reserve::Source {
            AccessKind::Read
        } else {
            AccessKind::Write
        };
        let by = OtherAccess {
            block: copy.who.block,
            thread: copy.who.thread,
            pc: copy.who.pc,
            kind,
            proxy: copy.who.proxy,
        };
        let range = Bytes {
            address: at.address,
            bytes: at.bytes.into(),
            align,
        };
        let reserved = match at.space {
            Space::Global => self
                .memory
                .view(self.clocks, self.check_races)
                .reserve(copy.own.id, what, by, range),
            Space::Shared => self.shared.reserve(copy.own.id, what, by, range),
        };
        match reserved {
            Ok(()) => true,
            Err(fault) => {
                self.wrong_access(copy, kind, at, fault);
                false
            }
        }
    }

    fn unreserve(&mut self, id: u64, what: Reserve, at: At) {
        let (address, bytes) = (at.address, u64::from(at.bytes));
        match at.space {
            Space::Global => self
                .memory
                .view(self.clocks, self.check_races)
                .unreserve(id, what, address, bytes),
            Space::Shared => self.shared.unreserve(id, what, address, bytes),
        }
    }

    fn read(&mut self, copy: &Copy, data: &mut [u8]) {
        let mut first = None;
        let mut view = self.memory.view(self.clocks, self.check_races);
        for (address, range) in copy.src.pieces() {
            let out = &mut data[range];
            let result = match copy.src.space {
                Space::Global => view.load_async(&copy.agent, copy.own, address, out),
                Space::Shared => self.shared.load_async(&copy.agent, copy.own, address, out),
            };
            first = first.or(result.err());
        }
        drop(view);
        if let Some(fault) = first {
            self.wrong_access(copy, AccessKind::Read, copy.src, fault);
        }
    }

    fn write(&mut self, copy: &Copy, data: &[u8]) {
        let mut first = None;
        let mut view = self.memory.view(self.clocks, self.check_races);
        for (address, range) in copy.dst.pieces() {
            let bytes = &data[range];
            let result = match copy.dst.space {
                Space::Global => view.store_async(&copy.agent, copy.own, address, bytes),
                Space::Shared => self.shared.store_async(&copy.agent, copy.own, address, bytes),
            };
            first = first.or(result.err());
        }
        drop(view);
        if let Some(fault) = first {
            self.wrong_access(copy, AccessKind::Write, copy.dst, fault);
        }
    }
}

/// The size of a bulk copy, if it may have it.
fn checked_bulk(cx: &mut Context<'_>, who: Who, bytes: u64) -> Option<u32> {
    match u32::try_from(bytes) {
        Ok(checked) if checked != 0 && checked.is_multiple_of(16) => Some(checked),
        _ => {
            cx.wrong(who, Wrong::Copy(CopyFault::BulkSize { bytes }));
            None
        }
    }
}
