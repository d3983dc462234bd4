//! Counts of a run, kept by each worker for itself and added up at the end.

use rustc_hash::FxHashMap;

use crate::matrix::MatrixInstr;
use crate::program::{Instr, Pc, Program, Space};
use crate::report::{AccessCount, Report, cost};

/// Counts of one instruction.
#[derive(Clone, Copy, Default)]
struct Count {
    warps: u64,
    lanes: u64,
    transactions: u64,
    ideal: u64,
}

#[derive(Default)]
pub(super) struct Tally {
    pub thread_instructions: u64,
    pub warp_instructions: u64,
    accesses: Vec<Count>,
}

impl Tally {
    pub fn new(program: &Program) -> Tally {
        Tally {
            accesses: vec![Count::default(); program.code.len()],
            ..Tally::default()
        }
    }

    /// Counts an access of a warp: addresses and sizes of its lanes.
    pub fn access(&mut self, pc: Pc, space: Space, lanes: &[(u64, u32)]) {
        if lanes.is_empty() {
            return;
        }
        let (transactions, ideal) = cost(space, lanes);
        let count = &mut self.accesses[pc as usize];
        count.warps += 1;
        count.lanes += lanes.len() as u64;
        count.transactions += transactions;
        count.ideal += ideal;
    }

    pub fn merge(mut self, other: Tally) -> Tally {
        self.thread_instructions += other.thread_instructions;
        self.warp_instructions += other.warp_instructions;
        for (mine, other) in self.accesses.iter_mut().zip(other.accesses) {
            mine.warps += other.warps;
            mine.lanes += other.lanes;
            mine.transactions += other.transactions;
            mine.ideal += other.ideal;
        }
        self
    }

    /// The instructions of one operation and access size are one entry.
    pub fn report(self, program: &Program) -> Report {
        let mut entries: Vec<AccessCount> = Vec::new();
        let mut known: FxHashMap<(u32, Space, bool, u32), usize> = FxHashMap::default();
        for (pc, count) in self.accesses.iter().enumerate() {
            let Some((space, store, bytes)) = access_of(&program.code[pc]).filter(|_| count.warps > 0) else {
                continue;
            };
            let key = (program.place_of[pc], space, store, bytes);
            let at = *known.entry(key).or_insert_with(|| {
                entries.push(AccessCount {
                    place: program.place(pc as Pc).clone(),
                    space,
                    store,
                    bytes,
                    warps: 0,
                    lanes: 0,
                    transactions: 0,
                    ideal: 0,
                });
                entries.len() - 1
            });
            let entry = &mut entries[at];
            entry.warps += count.warps;
            entry.lanes += count.lanes;
            entry.transactions += count.transactions;
            entry.ideal += count.ideal;
        }
        Report {
            thread_instructions: self.thread_instructions,
            warp_instructions: self.warp_instructions,
            accesses: entries,
            ..Report::default()
        }
    }
}

/// Space, whether it stores, and bytes per lane.
fn access_of(instr: &Instr) -> Option<(Space, bool, u32)> {
    match *instr {
        Instr::Load { space, bytes, dst, .. } => Some((space, false, u32::from(bytes) * dst.len)),
        Instr::Store { space, bytes, src, .. } => Some((space, true, u32::from(bytes) * src.len)),
        Instr::Atomic { space, ty, .. } => Some((space, true, ty.bytes())),
        Instr::CompareExchange { space, bytes, .. } => Some((space, true, u32::from(bytes))),
        Instr::Matrix(ref matrix) => match **matrix {
            MatrixInstr::Load { .. } => Some((Space::Shared, false, 16)),
            MatrixInstr::Store { .. } => Some((Space::Shared, true, 16)),
            _ => None,
        },
        _ => None,
    }
}
