//! Who knows of whose accesses: vector clocks for the threads of a block.
//!
//! Every thread counts a *clock* that moves on whenever the thread tells others what it did. An access is marked with
//! thread and clock, and another thread *knows* it, that is, it happened before what that thread does now, when the
//! clock is no later than what the thread knows of the first one (Flanagan and Freund, "FastTrack", PLDI 2009). Nothing
//! but synchronisation passes knowledge on: lanes of a warp are threads like others.
//!
//! An asynchronous operation acts as a thread of its own, the issuing thread's *twin*: it knows what its issuer knew,
//! and what it does is known to those that wait for it. The operations of a thread have numbers, two each (one for what
//! it reads, the next for what it writes), for they complete in any order and a clock says "all before".
//!
//! The async proxy sees of the ordinary accesses only those that a proxy fence has passed by (PTX ISA, "Proxies"). So
//! each thread also keeps what of its knowledge is *fenced*, which spreads as knowledge does.

mod knowledge;
mod table;

use std::sync::Arc;

pub(crate) use knowledge::{Knowledge, Past};
use table::OpSet;

use crate::memory::{Proxy, Who};
use crate::program::Order;

/// The clocks of a block's threads.
#[derive(Debug)]
pub(crate) struct BlockClocks {
    block: u32,
    across_blocks: bool,
    threads: Vec<Thread>,
}

#[derive(Clone, Debug)]
struct Thread {
    clock: u32,
    /// Number of the next asynchronous operation.
    next_op: u32,
    generic: Arc<Past>,
    /// The part of `generic` that the async proxy sees.
    fenced: Arc<Past>,
    /// What a relaxed atomic releases: that of the last fence.
    at_fence: Knowledge,
    /// What relaxed atomics have seen: the next fence acquires it.
    for_fence: Knowledge,
}

/// One that accesses memory, as the shadow of memory wants to know it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actor<'a> {
    pub block: u32,
    pub thread: u32,
    /// Of the thread, or the operation's number.
    pub clock: u32,
    pub pc: u32,
    pub proxy: Proxy,
    /// An asynchronous operation rather than the thread itself.
    pub twin: bool,
    /// Whether blocks may learn of each other.
    pub across_blocks: bool,
    /// Warps of a block.
    pub warps: u32,
    generic: &'a Past,
    fenced: &'a Past,
}

/// An asynchronous operation as one that accesses memory.
#[derive(Clone, Debug)]
pub(crate) struct AsyncAgent {
    block: u32,
    thread: u32,
    /// Even; this number for what it reads and the next for what it writes.
    op: u32,
    proxy: Proxy,
    across_blocks: bool,
    warps: u32,
    generic: Arc<Past>,
    fenced: Arc<Past>,
}

impl BlockClocks {
    /// Clocks of so many threads. `across_blocks` must be set unless no thread of the launch can learn anything through
    /// an atomic in global memory: there is none whose result is used. Such atomics then synchronise nobody.
    pub fn new(block: u32, threads: u32, across_blocks: bool) -> BlockClocks {
        let nothing = Arc::new(Past::default());
        let thread = Thread {
            clock: 1,
            next_op: 0,
            generic: nothing.clone(),
            fenced: nothing,
            at_fence: Knowledge::default(),
            for_fence: Knowledge::default(),
        };
        BlockClocks {
            block,
            across_blocks,
            threads: vec![thread; threads as usize],
        }
    }

    /// Whether blocks may learn of each other.
    pub fn across_blocks(&self) -> bool {
        self.across_blocks
    }

    /// A thread of the block about to access memory.
    pub fn actor(&self, who: Who) -> Actor<'_> {
        let thread = &self.threads[who.thread as usize];
        Actor {
            block: self.block,
            thread: who.thread,
            clock: thread.clock,
            pc: who.pc,
            proxy: who.proxy,
            twin: false,
            across_blocks: self.across_blocks,
            warps: self.warps(),
            generic: &thread.generic,
            fenced: &thread.fenced,
        }
    }

    fn warps(&self) -> u32 {
        (self.threads.len() as u32).div_ceil(32)
    }

    /// All threads of the block come to know all that any of them did or knew.
    pub fn barrier_all(&mut self) {
        // Nobody's clock was ever beyond the latest one, so "all up to it of every thread" is what there is to know.
        let base = self.threads.iter().map(|thread| thread.clock).max().unwrap_or(0);
        let mut past = Past::default();
        past.home.base = base;
        let mut last: Option<&Arc<Past>> = None;
        for thread in &self.threads {
            if !last.is_some_and(|last| Arc::ptr_eq(last, &thread.generic)) {
                past.home.ops.join(&thread.generic.home.ops);
                past.join_foreign(self.block, &thread.generic);
            }
            last = Some(&thread.generic);
        }
        let fenced = self.joined_fenced(0..self.threads.len() as u32);
        let past = Arc::new(past);
        for thread in &mut self.threads {
            thread.clock = base + 1;
            thread.generic = past.clone();
            thread.fenced = fenced.clone();
        }
    }

    /// Some threads of the block come to know all that any of them did or knew.
    pub fn barrier(&mut self, threads: &[u32]) {
        let Some(&first) = threads.first() else { return };
        let clock = threads
            .iter()
            .map(|&t| self.threads[t as usize].clock)
            .max()
            .unwrap_or(0);
        let mut past = Past::clone(&self.threads[first as usize].generic);
        for &thread in threads {
            past.join(self.block, &self.threads[thread as usize].generic, self.block);
            past.home.clocks.join_one(thread, &clock);
        }
        let fenced = self.joined_fenced(threads.iter().copied());
        let past = Arc::new(past);
        for &thread in threads {
            let thread = &mut self.threads[thread as usize];
            // The same clock for all, so that what they do next is one entry of the shadow.
            thread.clock = clock + 1;
            thread.generic = past.clone();
            thread.fenced = fenced.clone();
        }
    }

    fn joined_fenced(&self, threads: impl Iterator<Item = u32>) -> Arc<Past> {
        let mut joined: Option<Arc<Past>> = None;
        for thread in threads {
            let fenced = &self.threads[thread as usize].fenced;
            match &mut joined {
                None => joined = Some(fenced.clone()),
                Some(joined) => join(joined, self.block, fenced, self.block),
            }
        }
        joined.unwrap_or_default()
    }

    /// What a thread did and knows, for others to acquire.
    pub fn release(&mut self, thread: u32) -> Knowledge {
        let block = self.block;
        let generic = self.tick(thread);
        Knowledge::new(block, generic, Past::clone(&self.threads[thread as usize].fenced))
    }

    /// All that a thread knows and did up to now; what it does next is none of it.
    fn tick(&mut self, thread: u32) -> Past {
        let own = &mut self.threads[thread as usize];
        let mut past = Past::clone(&own.generic);
        past.home.clocks.join_one(thread, &own.clock);
        own.clock += 1;
        past
    }

    /// A thread learns what was released.
    pub fn acquire(&mut self, thread: u32, knowledge: &Knowledge) {
        let Some((block, generic, fenced)) = knowledge.parts() else {
            return;
        };
        if block != self.block && !self.across_blocks {
            return;
        }
        let thread = &mut self.threads[thread as usize];
        join(&mut thread.generic, self.block, generic, block);
        join(&mut thread.fenced, self.block, fenced, block);
    }

    /// What an atomic with an order acquires of its location, before it is done.
    pub fn before_atomic(&mut self, thread: u32, order: Order, location: &Knowledge) {
        match order.acquire {
            true => self.acquire(thread, location),
            false => self.threads[thread as usize].for_fence.join(location),
        }
    }

    /// What an atomic with an order leaves at its location, after it is done.
    pub fn after_atomic(&mut self, thread: u32, order: Order) -> Knowledge {
        match order.release {
            true => self.release(thread),
            false => self.threads[thread as usize].at_fence.clone(),
        }
    }

    /// A fence of memory: makes the relaxed atomics before it acquire, and those after it release.
    pub fn fence(&mut self, thread: u32) {
        let seen = std::mem::take(&mut self.threads[thread as usize].for_fence);
        self.acquire(thread, &seen);
        self.threads[thread as usize].at_fence = self.release(thread);
    }

    /// A fence between the ordinary accesses and the async proxy: what a thread did and knows, the async proxy sees.
    pub fn proxy_fence(&mut self, thread: u32) {
        let past = self.tick(thread);
        self.threads[thread as usize].fenced = Arc::new(past);
    }

    /// An asynchronous operation that a thread issues, and that accesses memory through a proxy.
    pub fn issue(&mut self, thread: u32, proxy: Proxy) -> AsyncAgent {
        let generic = Arc::new(self.tick(thread));
        let warps = self.warps();
        let own = &mut self.threads[thread as usize];
        let op = own.next_op;
        own.next_op += 2;
        AsyncAgent {
            block: self.block,
            thread,
            op,
            proxy,
            across_blocks: self.across_blocks,
            warps,
            generic,
            fenced: own.fenced.clone(),
        }
    }

    /// What one that waits for an operation's completion gets to know.
    pub fn completed(&self, agent: &AsyncAgent) -> Knowledge {
        agent.knowledge(OpSet::range(agent.op, agent.op + 2))
    }

    /// What one that waits until an operation has read its source gets to know.
    pub fn completed_read(&self, agent: &AsyncAgent) -> Knowledge {
        agent.knowledge(OpSet::range(agent.op, agent.op + 1))
    }
}

/// Joins without making a copy of what is shared if nothing is new.
fn join(mine: &mut Arc<Past>, home: u32, theirs: &Past, block: u32) {
    if !std::ptr::eq(&**mine, theirs) && !mine.covers(home, theirs, block) {
        Arc::make_mut(mine).join(home, theirs, block);
    }
}

impl AsyncAgent {
    fn knowledge(&self, ops: OpSet) -> Knowledge {
        let mut generic = Past::clone(&self.generic);
        generic.home.ops.join_one(self.thread, &ops);
        Knowledge::new(self.block, generic, Past::clone(&self.fenced))
    }

    /// The operation about to read its source, or to write its destination.
    pub fn actor(&self, pc: u32, writes: bool) -> Actor<'_> {
        Actor {
            block: self.block,
            thread: self.thread,
            clock: self.op + u32::from(writes),
            pc,
            proxy: self.proxy,
            twin: true,
            across_blocks: self.across_blocks,
            warps: self.warps,
            generic: &self.generic,
            fenced: &self.fenced,
        }
    }
}

impl Actor<'_> {
    /// Number of the actor's warp in the grid.
    pub fn warp(&self) -> u32 {
        self.block.wrapping_mul(self.warps).wrapping_add(self.thread / 32)
    }

    /// A bit for the actor's lane.
    pub fn lane(&self) -> u32 {
        1 << (self.thread % 32)
    }

    /// The lanes among some of a warp (of the grid) whose access at a clock (twin: as the operation of that number) the
    /// actor knows. `fenced`: knows as one of the async proxy must know an ordinary write.
    pub fn known_lanes(&self, warp: u32, lanes: u32, clock: u32, twin: bool, fenced: bool) -> u32 {
        let past = if fenced { self.fenced } else { self.generic };
        let own = warp.wrapping_sub(self.block.wrapping_mul(self.warps));
        // A division is what most of the time would go into.
        let (block, index) = match own < self.warps {
            true => (self.block, own),
            false => (warp / self.warps, warp % self.warps),
        };
        if !twin && block == self.block && clock <= past.home.base {
            return lanes;
        }
        let mut known = 0;
        if warp == self.warp() && twin == self.twin && (!twin || clock / 2 == self.clock / 2) {
            known = lanes & self.lane();
        }
        let Some(vc) = past.of(self.block, block) else {
            return known;
        };
        let first = index * 32;
        let mut rest = lanes & !known;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let knows = match twin {
                false => vc.knows(first + lane, clock),
                true => vc.knows_op(first + lane, clock),
            };
            known |= u32::from(knows) << lane;
        }
        known
    }
}
