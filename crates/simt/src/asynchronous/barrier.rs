//! What threads do with mbarriers.

use super::engine::{Context, Engine, Wrong};
use crate::memory::{AccessKind, OtherAccess, Who};

impl Engine {
    /// "mbarrier.init".
    pub fn barrier_init(&mut self, cx: &mut Context<'_>, who: Who, address: u64, count: u64) {
        if let Err(fault) = self.barriers.init(address, count) {
            return cx.wrong(who, Wrong::Barrier(fault));
        }
        let by = OtherAccess {
            block: who.block,
            thread: who.thread,
            pc: who.pc,
            kind: AccessKind::Write,
            proxy: who.proxy,
        };
        let placed = cx.shared.init_mbarrier(&cx.clocks.actor(who), address, by);
        if let Err(fault) = placed {
            if !fault.is_done() {
                self.barriers.remove(address);
            }
            cx.wrong(who, Wrong::of_mbarrier(address, fault));
        }
    }

    /// "mbarrier.inval".
    pub fn barrier_invalidate(&mut self, cx: &mut Context<'_>, who: Who, address: u64) {
        let was_there = self.barriers.has(address);
        if let Err(fault) = self.barriers.invalidate(address) {
            cx.wrong(who, Wrong::Barrier(fault));
        }
        if was_there && let Err(fault) = cx.shared.invalidate_mbarrier(&cx.clocks.actor(who), address) {
            cx.wrong(who, Wrong::of_mbarrier(address, fault));
        }
    }

    /// "mbarrier.arrive" and "mbarrier.arrive.expect_tx". Gives the state, which is the number of the phase.
    pub fn barrier_arrive(
        &mut self,
        cx: &mut Context<'_>,
        who: Who,
        address: u64,
        count: u64,
        expect: Option<u64>,
    ) -> u64 {
        self.touch(cx, who, address);
        let knowledge = cx.clocks.release(who.thread);
        self.barriers
            .arrive(address, count, expect, &knowledge)
            .unwrap_or_else(|fault| {
                cx.wrong(who, Wrong::Barrier(fault));
                0
            })
    }

    /// "mbarrier.expect_tx".
    pub fn barrier_expect(&mut self, cx: &mut Context<'_>, who: Who, address: u64, bytes: u64) {
        self.touch(cx, who, address);
        if let Err(fault) = self.barriers.expect(address, bytes) {
            cx.wrong(who, Wrong::Barrier(fault));
        }
    }

    /// "mbarrier.test_wait": whether the phase of a parity, or of a state, has completed. After a fault nobody waits.
    pub fn barrier_test(&mut self, cx: &mut Context<'_>, who: Who, address: u64, phase: u64, parity: bool) -> bool {
        self.touch(cx, who, address);
        match self.barriers.test(address, phase, parity) {
            Ok(Some(knowledge)) => cx.clocks.acquire(who.thread, knowledge),
            Ok(None) => return false,
            Err(fault) => cx.wrong(who, Wrong::Barrier(fault)),
        }
        true
    }

    /// The arrivals and bytes that an mbarrier's current phase still waits for.
    pub fn waits_for(&self, address: u64) -> Option<(u32, i64)> {
        self.barriers.waits_for(address)
    }

    /// An operation on an mbarrier must come after its initialisation.
    fn touch(&self, cx: &mut Context<'_>, who: Who, address: u64) {
        if !self.barriers.has(address) {
            return;
        }
        if let Err(fault) = cx.shared.touch_mbarrier(&cx.clocks.actor(who), address) {
            cx.wrong(who, Wrong::of_mbarrier(address, fault));
        }
    }
}
