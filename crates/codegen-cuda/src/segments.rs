//! Which values of a thread with several elements are arrays.
//!
//! Operations on a tile that takes several rounds are written as loops over the rounds, as long as nothing comes in
//! between: a barrier, elements that move between threads, or the beginning or end of a region. Such a stretch is a *segment*. A value that is only used
//! in the segment that computes it is a variable of the loop; others are arrays with one entry for each round.

#![warn(clippy::wildcard_enum_match_arm)]

use mytriton_ssa::{Kernel, OpId, RegionId, ValueDef, ValueId};
use rustc_hash::FxHashSet;

use crate::demand::Demands;
use crate::moves::{Move, moved_operands};

/// What outlives the segment that computes it.
#[derive(Debug)]
pub(crate) struct Segments {
    outlives: Vec<bool>,
}

impl Segments {
    /// Finds them for a valid kernel with the given barriers.
    pub(crate) fn of(kernel: &Kernel, barriers: &FxHashSet<OpId>, demands: &Demands) -> Segments {
        let mut walk = Walk {
            kernel,
            barriers,
            demands,
            segment_of: vec![(0, 0); kernel.op_count()],
            current: 0,
        };
        walk.region(kernel.body());
        let mut outlives = vec![false; kernel.value_count()];
        for id in kernel.ops_in_order() {
            let data = kernel.op(id);
            let (takes, gives) = walk.segment_of[id.index()];
            for (number, &operand) in data.operands.iter().enumerate() {
                // What is not moved, the index of a gather, is looked at where the result is read.
                let moves = demands.moved(id).is_some();
                let used = if moves && number >= moved_operands(data) {
                    gives
                } else {
                    takes
                };
                outlives[operand.index()] |= match kernel.value(operand).def {
                    ValueDef::Result { op, .. } => walk.segment_of[op.index()].1 != used,
                    ValueDef::Param(_) | ValueDef::Arg { .. } => true,
                };
            }
        }
        Segments { outlives }
    }

    /// Is a value, the result of an operation without regions, used after its segment?
    pub(crate) fn outlives(&self, value: ValueId) -> bool {
        self.outlives[value.index()]
    }
}

struct Walk<'a> {
    kernel: &'a Kernel,
    barriers: &'a FxHashSet<OpId>,
    demands: &'a Demands,
    /// Of each operation: where it takes its operands, and where it gives its results.
    segment_of: Vec<(u32, u32)>,
    current: u32,
}

impl Walk<'_> {
    fn region(&mut self, region: RegionId) {
        let kernel = self.kernel;
        for &op in &kernel.region(region).ops {
            self.current += u32::from(self.barriers.contains(&op));
            match self.demands.moved(op) {
                // The owners write their elements to shared memory before they read others there.
                Some(Move::Staged) => {
                    self.segment_of[op.index()] = (self.current, self.current + 1);
                    self.current += 1;
                    continue;
                }
                Some(Move::Windowed) => {
                    self.segment_of[op.index()] = (self.current + 1, self.current + 2);
                    self.current += 2;
                    continue;
                }
                Some(Move::Kept) => self.current += 1,
                None => {}
            }
            self.segment_of[op.index()] = (self.current, self.current);
            // What an isolated region computes is no tile.
            if kernel.op(op).kind.is_isolated() {
                continue;
            }
            for &inner in &kernel.op(op).regions {
                self.current += 1;
                self.region(inner);
            }
            self.current += u32::from(!kernel.op(op).regions.is_empty());
        }
    }
}
