//! Asynchronous operations as the threads of a block issue them, and their completion at the scheduler's whim.

use super::access::who;
use super::alu::lanes;
use super::block::Block;
use super::warp::Polled;
use crate::asynchronous::{AsyncFault, AsyncInstr, Context, Engine, Wrong};
use crate::finding::FindingKind;
use crate::memory::Who;
use crate::program::Pc;

/// Tests of mbarriers that fail one after another, without anything else happening in the block, until a fragment counts
/// as one that waits.
const POLLS: u32 = 64;

impl Block<'_> {
    pub fn asynchronous(&mut self, w: usize, f: usize, pc: Pc, mask: u32, instr: &AsyncInstr) {
        let mut failed = None;
        for lane in lanes(mask) {
            let warp = &self.warps[w];
            let get = |reg: u32| warp.row(reg)[lane];
            let who = who(self.number, w, lane, pc);
            let thread = who.thread;
            match *instr {
                AsyncInstr::Copy { dst, src, bytes, valid } => {
                    let (dst, src, valid) = (get(dst), get(src), valid.map(get));
                    self.with_engine(|engine, cx| engine.copy(cx, who, dst, src, bytes.into(), valid));
                }
                AsyncInstr::CommitGroup => self.engine.commit(thread),
                AsyncInstr::WaitGroup { pending } => self.with_engine(|engine, cx| engine.wait(cx, thread, pending)),
                AsyncInstr::BarrierInit { barrier, count } => {
                    let (barrier, count) = (get(barrier), get(count));
                    self.with_engine(|engine, cx| engine.barrier_init(cx, who, barrier, count));
                }
                AsyncInstr::BarrierInvalidate { barrier } => {
                    let barrier = get(barrier);
                    self.with_engine(|engine, cx| engine.barrier_invalidate(cx, who, barrier));
                }
                AsyncInstr::BarrierArrive {
                    barrier,
                    count,
                    expect,
                    state,
                } => {
                    let (barrier, count, expect) = (get(barrier), count.map_or(1, get), expect.map(get));
                    let phase = self.with_engine(|engine, cx| engine.barrier_arrive(cx, who, barrier, count, expect));
                    if let Some(state) = state {
                        self.warps[w].set_lane(state, lane, phase);
                    }
                }
                AsyncInstr::BarrierExpect { barrier, bytes } => {
                    let (barrier, bytes) = (get(barrier), get(bytes));
                    self.with_engine(|engine, cx| engine.barrier_expect(cx, who, barrier, bytes));
                }
                AsyncInstr::BarrierTest {
                    barrier,
                    phase,
                    parity,
                    done,
                } => {
                    let (barrier, phase) = (get(barrier), get(phase));
                    let passed = self.with_engine(|engine, cx| engine.barrier_test(cx, who, barrier, phase, parity));
                    if !passed {
                        failed = Some(barrier);
                    }
                    self.warps[w].set_lane(done, lane, passed.into());
                }
                AsyncInstr::BulkLoad {
                    dst,
                    src,
                    bytes,
                    barrier,
                } => {
                    let (dst, src, bytes, barrier) = (get(dst), get(src), get(bytes), get(barrier));
                    self.with_engine(|engine, cx| engine.bulk_load(cx, who, dst, src, bytes, barrier));
                }
                AsyncInstr::BulkStore { dst, src, bytes } => {
                    let (dst, src, bytes) = (get(dst), get(src), get(bytes));
                    self.with_engine(|engine, cx| engine.bulk_store(cx, who, dst, src, bytes));
                }
                AsyncInstr::BulkCommit => self.engine.bulk_commit(thread),
                AsyncInstr::BulkWait { pending, read } => {
                    self.with_engine(|engine, cx| engine.bulk_wait(cx, thread, pending, read));
                }
            }
        }
        if !matches!(instr, AsyncInstr::BarrierTest { .. }) {
            self.progress += 1;
        } else if let Some(barrier) = failed {
            self.poll(w, f, pc, barrier);
        }
    }

    /// A test of a fragment has failed.
    fn poll(&mut self, w: usize, f: usize, pc: Pc, barrier: u64) {
        let progress = self.progress;
        let polled = &mut self.warps[w].fragments[f].polled;
        let times = if polled.progress == progress {
            polled.times + 1
        } else {
            1
        };
        *polled = Polled {
            progress,
            times,
            pc,
            barrier,
        };
    }

    /// Does nothing happen any more but tests that fail?
    pub(super) fn only_polls(&self) -> bool {
        let mut fragments = self.warps.iter().flat_map(|warp| &warp.fragments);
        self.engine.in_flight() == 0 && fragments.all(|f| f.is_blocked() || self.is_polling(f.polled))
    }

    fn is_polling(&self, polled: Polled) -> bool {
        polled.progress == self.progress && polled.times >= POLLS
    }

    /// Completes operations in flight, now and then: the seed decides which and when.
    pub(super) fn complete_some(&mut self) {
        while self.engine.in_flight() > 0 && self.random.below(4) == 0 {
            let pick = self.random.next();
            self.with_engine(|engine, cx| engine.complete_one(cx, pick));
            self.progress += 1;
        }
    }

    /// Completes all that is in flight.
    pub(super) fn complete_all(&mut self) {
        self.with_engine(|engine, cx| while engine.complete_one(cx, 0) {});
    }

    /// The block's threads have ended.
    pub(super) fn finish_operations(&mut self) {
        self.with_engine(|engine, cx| engine.finish(cx));
    }

    fn with_engine<R>(&mut self, f: impl FnOnce(&mut Engine, &mut Context<'_>) -> R) -> R {
        let mut cx = Context {
            memory: self.env.memory,
            shared: &mut self.shared,
            clocks: &mut self.clocks,
            check_races: self.env.options.check_races,
            faults: Vec::new(),
        };
        let result = f(&mut self.engine, &mut cx);
        for AsyncFault { who, wrong } in cx.faults {
            match wrong {
                Wrong::Access {
                    kind,
                    space,
                    address,
                    bytes,
                    fault,
                } => self.report_fault(who, kind.into(), space, address, bytes, fault),
                Wrong::Barrier(fault) => self.report_misuse(who, fault.to_string()),
                Wrong::Copy(fault) => self.report_misuse(who, fault.to_string()),
            }
        }
        result
    }

    fn report_misuse(&self, who: Who, message: String) {
        let kind = FindingKind::Asynchronous { message };
        self.env.report(who.block, who.thread, who.pc, None, kind);
    }
}
