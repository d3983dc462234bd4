//! Barriers of blocks and warps, and threads that wait for ever.

use super::alu::lanes;
use super::block::{Block, Next, thread};
use super::warp::{Fragment, Polled, Wait};
use crate::clock::Knowledge;
use crate::finding::{FindingKind, Waiting};
use crate::program::{Instr, Pc, Reg};

/// Numbered barriers of a block (PTX ISA, "barrier").
pub(super) const NAMED: u64 = 16;
/// The number that the block's barrier has among them.
const BLOCK_BARRIER: u32 = 0;

/// The state of the block's numbered barriers.
#[derive(Default)]
pub(super) struct NamedBarriers {
    open: [Option<Open>; NAMED as usize],
}

/// A barrier that threads have come to, and that waits for more.
struct Open {
    /// How many must come.
    expected: u32,
    arrived: u32,
    /// What those that came had done.
    done: Knowledge,
    first: Pc,
}

impl Block<'_> {
    /// Threads of the block that have not ended.
    fn live(&self) -> u32 {
        self.warps.iter().map(|warp| warp.live.count_ones()).sum()
    }

    /// A warp of which only some lanes come to a barrier for whole warps.
    fn check_whole(&self, w: usize, pc: Pc, mask: u32, what: &str) {
        let missing = self.warps[w].live & !mask;
        if missing != 0 {
            let message = format!(
                "{what} in divergent code: lanes {missing:#010x} of the warp do not come to it with the others; move it out of \
                 the branch or loop"
            );
            let first = mask.trailing_zeros() as usize;
            self.report(pc, thread(w, first), None, FindingKind::DivergentBarrier { message });
        }
    }

    pub fn barrier(&mut self, w: usize, f: usize, pc: Pc, mask: u32) -> Next {
        self.check_whole(w, pc, mask, "barrier");
        if self.named.open[BLOCK_BARRIER as usize].is_some() {
            let message = "the block's barrier while threads wait at the barrier with its number, 0".to_owned();
            self.report(
                pc,
                thread(w, mask.trailing_zeros() as usize),
                None,
                FindingKind::DivergentBarrier { message },
            );
        }
        self.warps[w].fragments[f].wait = Wait::Barrier;
        self.release_barrier();
        Next::Stop
    }

    /// Lets everybody go on if the block's barrier is what all threads wait at.
    fn release_barrier(&mut self) {
        let waiting = || {
            let fragments = self
                .warps
                .iter()
                .enumerate()
                .flat_map(|(w, warp)| warp.fragments.iter().map(move |f| (w, f)));
            fragments.filter(|(_, fragment)| fragment.wait == Wait::Barrier)
        };
        let arrived: u32 = waiting().map(|(_, fragment)| fragment.mask.count_ones()).sum();
        if arrived == 0 || arrived != self.live() {
            return;
        }
        let mut places =
            waiting().map(|(w, fragment)| (fragment.pc, thread(w, fragment.mask.trailing_zeros() as usize)));
        if let Some((pc, first)) = places.next()
            && let Some((other, _)) = places.find(|place| place.0 != pc)
        {
            let at = self.env.site(self.number, first, other);
            let message = format!(
                "barrier in divergent code: other threads of the block come to another barrier, '{}'{}; every thread must come \
                 to the same one",
                at.place.op,
                at.place.at.map_or_else(String::new, |(file, line, column)| format!(
                    " at {file}:{line}:{column}"
                )),
            );
            self.report(pc, first, Some(other), FindingKind::DivergentBarrier { message });
        }
        self.clocks.barrier_all();
        for warp in &mut self.warps {
            for fragment in &mut warp.fragments {
                fragment.wait = Wait::Ready;
                fragment.pc += 1;
            }
        }
    }

    /// Threads have ended: those that wait for all that have not may be able to go on.
    pub fn threads_ended(&mut self) {
        self.release_barrier();
        for w in 0..self.warps.len() {
            self.release_lanes(w);
        }
    }

    pub fn named_barrier(&mut self, w: usize, f: usize, pc: Pc, mask: u32, instr: &Instr) -> Next {
        let Instr::NamedBarrier { id, threads, wait } = *instr else {
            return Next::On;
        };
        self.check_whole(w, pc, mask, "numbered barrier");
        let lane = mask.trailing_zeros() as usize;
        let first = thread(w, lane);
        let warp = &self.warps[w];
        let id = warp.row(id)[lane];
        let all = (self.warps.len() * 32) as u64;
        let expected = threads.map_or(all, |threads| warp.row(threads)[lane]);
        let problem = if id >= NAMED {
            Some(format!("barrier number {id}; a block has {NAMED}, from 0"))
        } else if expected == 0 || !expected.is_multiple_of(32) || expected > all {
            Some(format!(
                "a barrier of {expected} threads: it must be a multiple of 32, at most the block's {all}"
            ))
        } else {
            let open = self.named.open[id as usize].as_ref();
            open.filter(|open| u64::from(open.expected) != expected).map(|open| {
                let other = self.env.site(self.number, first, open.first);
                format!(
                    "barrier {id} of {expected} threads, which others ('{}') came to as one of {}",
                    other.place.op, open.expected
                )
            })
        };
        if let Some(message) = problem {
            self.report(pc, first, None, FindingKind::DivergentBarrier { message });
            return Next::On;
        }
        let mut done: Option<Knowledge> = None;
        for lane in lanes(mask) {
            let mine = self.clocks.release(thread(w, lane));
            match &mut done {
                Some(done) => done.join(&mine),
                None => done = Some(mine),
            }
        }
        let Some(done) = done else { return Next::On };
        let open = match &mut self.named.open[id as usize] {
            Some(open) => {
                open.done.join(&done);
                open
            }
            none => none.insert(Open {
                expected: expected as u32,
                arrived: 0,
                done,
                first: pc,
            }),
        };
        // Whole warps are counted.
        open.arrived += 32;
        if wait {
            self.warps[w].fragments[f].wait = Wait::Named(id as u32);
        }
        if open.arrived >= open.expected
            && let Some(open) = self.named.open[id as usize].take()
        {
            self.release_named(id as u32, &open.done);
        }
        if wait { Next::Stop } else { Next::On }
    }

    fn release_named(&mut self, id: u32, done: &Knowledge) {
        for (w, warp) in self.warps.iter_mut().enumerate() {
            for fragment in warp.fragments.iter_mut().filter(|f| f.wait == Wait::Named(id)) {
                for lane in lanes(fragment.mask) {
                    self.clocks.acquire(thread(w, lane), done);
                }
                fragment.wait = Wait::Ready;
                fragment.pc += 1;
            }
        }
    }

    pub fn warp_barrier(&mut self, w: usize, f: usize, pc: Pc, mask: u32, wanted: Reg) -> Next {
        let Some(wanted) = self.agreed_mask(w, pc, mask, wanted, "warp barrier") else {
            return Next::On;
        };
        self.warps[w].fragments[f].wait = Wait::Lanes(wanted);
        self.release_lanes(w);
        Next::Stop
    }

    /// The mask that all lanes give; none, with a finding, where they disagree or are not in it.
    pub fn agreed_mask(&self, w: usize, pc: Pc, mask: u32, wanted: Reg, what: &str) -> Option<u32> {
        let row = self.warps[w].row(wanted);
        let first = mask.trailing_zeros() as usize;
        let agreed = row[first] as u32;
        if lanes(mask).any(|lane| row[lane] as u32 != agreed) {
            let message = format!("the lanes of a {what} give different masks");
            self.report(
                pc,
                thread(w, first),
                None,
                FindingKind::DivergentCollective { missing: 0, message },
            );
            return None;
        }
        if mask & !agreed != 0 {
            let message = format!("a {what} in lanes that are not in its mask {agreed:#010x}");
            let kind = FindingKind::DivergentCollective { missing: 0, message };
            self.report(pc, thread(w, (mask & !agreed).trailing_zeros() as usize), None, kind);
            return None;
        }
        Some(agreed)
    }

    /// Lets lanes of a warp go on that wait for one another and are all there.
    fn release_lanes(&mut self, w: usize) {
        let warp = &mut self.warps[w];
        let masks: Vec<u32> = warp
            .fragments
            .iter()
            .filter_map(|f| match f.wait {
                Wait::Lanes(mask) => Some(mask),
                _ => None,
            })
            .collect();
        for mask in masks {
            let here = |f: &&mut super::warp::Fragment| f.wait == Wait::Lanes(mask);
            let there: u32 = warp
                .fragments
                .iter_mut()
                .filter(here)
                .map(|f| f.mask)
                .fold(0, |a, b| a | b);
            if there == 0 || there != mask & warp.live {
                continue;
            }
            let threads: Vec<u32> = lanes(there).map(|lane| thread(w, lane)).collect();
            self.clocks.barrier(&threads);
            for fragment in warp.fragments.iter_mut().filter(here) {
                fragment.wait = Wait::Ready;
                fragment.pc += 1;
            }
        }
    }

    pub fn report_deadlock(&self) {
        let mut groups: Vec<(Pc, u32, Waiting)> = Vec::new();
        for (w, warp) in self.warps.iter().enumerate() {
            for fragment in &warp.fragments {
                let threads = fragment.mask.count_ones();
                let (pc, reason) = self.waits_for(warp.live, fragment);
                if let Some((.., group)) = groups
                    .iter_mut()
                    .find(|group| group.0 == pc && group.2.reason == reason)
                {
                    group.threads += threads;
                    continue;
                }
                let first = thread(w, fragment.mask.trailing_zeros() as usize);
                let site = self.env.site(self.number, first, pc);
                groups.push((pc, first, Waiting { site, threads, reason }));
            }
        }
        groups.sort_by_key(|group| group.0);
        if let Some(&(pc, first, _)) = groups.first() {
            let waiting = groups.into_iter().map(|group| group.2).collect();
            self.report(pc, first, None, FindingKind::Deadlock { waiting });
        }
    }

    /// Where a fragment waits, and what for.
    fn waits_for(&self, live: u32, fragment: &Fragment) -> (Pc, String) {
        let reason = match fragment.wait {
            Wait::Ready => {
                let Polled { pc, barrier, .. } = fragment.polled;
                let (arrivals, bytes) = self.engine.waits_for(barrier).unwrap_or_default();
                let what = format!(
                    "for {arrivals} arrival(s) and {bytes} byte(s) more at the mbarrier at byte {barrier} of shared memory"
                );
                return (pc, what);
            }
            Wait::Barrier => "for all threads of the block".to_owned(),
            Wait::Named(id) => {
                let open = self.named.open[id as usize].as_ref();
                let (arrived, expected) = open.map_or((0, 0), |open| (open.arrived, open.expected));
                format!("at barrier {id}, which {arrived} of {expected} threads have come to,")
            }
            Wait::Lanes(mask) => format!("for lanes {:#010x} of their warp", mask & live & !fragment.mask),
        };
        (fragment.pc, reason)
    }

    pub fn report_endless(&self, w: usize) {
        let warp = &self.warps[w];
        if let Some(fragment) = warp.fragments.first() {
            let first = thread(w, fragment.mask.trailing_zeros() as usize);
            self.report(fragment.pc, first, None, FindingKind::Endless { steps: warp.steps });
        }
    }
}
