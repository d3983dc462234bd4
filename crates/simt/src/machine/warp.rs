//! A warp: its registers, and its *fragments* - lanes that go on together.
//!
//! Lanes part where a branch sends them different ways and come together again at the branch's join, each part as its
//! own fragment that the scheduler may run whenever it likes. That is what GPUs with independent thread scheduling
//! promise, and no more: parts of a warp are in lockstep only while they are together.

use smallvec::SmallVec;

use super::alu::Row;
use crate::program::{Pc, Reg};

/// Where parted lanes come together.
#[derive(Clone, Debug)]
pub(super) struct Meeting {
    /// Position of the join.
    join: Pc,
    /// The lanes that parted.
    expected: u32,
    /// Those that have come.
    arrived: u32,
}

/// Why a fragment does not go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wait {
    /// It can go on.
    Ready,
    /// At the block's barrier.
    Barrier,
    /// At a numbered barrier.
    Named(u32),
    /// For the lanes of the mask.
    Lanes(u32),
}

/// Tests of an mbarrier that failed one after another.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Polled {
    /// The block's progress when they did.
    pub progress: u64,
    pub times: u32,
    /// The last one, and the mbarrier.
    pub pc: Pc,
    pub barrier: u64,
}

/// Lanes of a warp that go on together.
#[derive(Clone, Debug)]
pub(super) struct Fragment {
    /// The next instruction; of one that waits, the instruction that it waits at.
    pub pc: Pc,
    /// Its lanes.
    pub mask: u32,
    pub wait: Wait,
    pub polled: Polled,
    /// The meetings that its lanes will come to, the innermost last.
    meetings: SmallVec<[u32; 4]>,
}

impl Fragment {
    /// Does it wait for others?
    pub fn is_blocked(&self) -> bool {
        self.wait != Wait::Ready
    }
}

/// A warp of a block.
pub(super) struct Warp {
    rows: Vec<Row>,
    /// Lanes that have not ended.
    pub live: u32,
    pub fragments: Vec<Fragment>,
    meetings: Vec<Meeting>,
    free: Vec<u32>,
    /// Instructions run.
    pub steps: u64,
}

impl Warp {
    /// A warp of so many registers, which [`Warp::start`] puts to the beginning of the kernel.
    pub fn new(registers: u32) -> Warp {
        Warp {
            rows: vec![[0; 32]; registers as usize],
            live: 0,
            fragments: Vec::new(),
            meetings: Vec::new(),
            free: Vec::new(),
            steps: 0,
        }
    }

    /// Begins the kernel with these lanes. What registers hold is arbitrary.
    pub fn start(&mut self, lanes: u32) {
        self.live = lanes;
        self.meetings.clear();
        self.free.clear();
        self.fragments.clear();
        self.fragments.push(Fragment {
            pc: 0,
            mask: lanes,
            wait: Wait::Ready,
            polled: Polled::default(),
            meetings: SmallVec::new(),
        });
        self.steps = 0;
    }

    pub fn row(&self, reg: Reg) -> &Row {
        &self.rows[reg as usize]
    }

    /// Keeps the numbers of the lanes of the mask.
    pub fn set(&mut self, reg: Reg, row: Row, mask: u32) {
        let old = &mut self.rows[reg as usize];
        if mask == u32::MAX {
            *old = row;
            return;
        }
        for (lane, (old, new)) in old.iter_mut().zip(row).enumerate() {
            if mask >> lane & 1 != 0 {
                *old = new;
            }
        }
    }

    pub fn set_lane(&mut self, reg: Reg, lane: usize, value: u64) {
        self.rows[reg as usize][lane] = value;
    }

    /// Parts a fragment: `taken` of its lanes, some but not all, go on at the next instruction, the others at `otherwise`.
    pub fn part(&mut self, fragment: usize, taken: u32, otherwise: Pc, join: Pc) {
        let current = &mut self.fragments[fragment];
        let others = current.mask & !taken;
        // Lanes that leave a loop one after another have one meeting.
        let known = current
            .meetings
            .last()
            .is_some_and(|&m| self.meetings[m as usize].join == join);
        if !known {
            let meeting = Meeting {
                join,
                expected: current.mask,
                arrived: 0,
            };
            let id = match self.free.pop() {
                Some(id) => {
                    self.meetings[id as usize] = meeting;
                    id
                }
                None => {
                    self.meetings.push(meeting);
                    self.meetings.len() as u32 - 1
                }
            };
            current.meetings.push(id);
        }
        let mut parted = current.clone();
        current.mask = taken;
        current.pc += 1;
        parted.mask = others;
        parted.pc = otherwise;
        self.fragments.push(parted);
    }

    /// A fragment comes to a join. It goes on, alone or with all that were parted, or stays for the others: then it is
    /// gone, and the result false.
    pub fn join(&mut self, fragment: usize) -> bool {
        let current = &mut self.fragments[fragment];
        let here = |id: &u32| self.meetings[*id as usize].join == current.pc;
        let Some(id) = current.meetings.last().copied().filter(here) else {
            return true;
        };
        let meeting = &mut self.meetings[id as usize];
        meeting.arrived |= current.mask;
        if meeting.arrived != meeting.expected {
            self.fragments.swap_remove(fragment);
            return false;
        }
        current.mask = meeting.expected;
        current.meetings.pop();
        self.free.push(id);
        true
    }

    /// The lanes of a fragment end.
    pub fn end(&mut self, fragment: usize) {
        let ended = self.fragments.swap_remove(fragment).mask;
        self.live &= !ended;
    }
}
