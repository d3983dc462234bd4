//! Which values of a thread with several elements are arrays.
//!
//! Operations on a tile that takes several rounds are written as loops over the rounds, as long as nothing comes in
//! between: a barrier, or the beginning or end of a region. Such a stretch is a *segment*. A value that is only used
//! in the segment that computes it is a variable of the loop; others are arrays with one entry for each round.

use mytriton_ssa::{Kernel, OpId, RegionId, ValueDef, ValueId};
use rustc_hash::FxHashSet;

/// What outlives the segment that computes it.
#[derive(Debug)]
pub(crate) struct Segments {
    outlives: Vec<bool>,
}

impl Segments {
    /// Finds them for a valid kernel with the given barriers.
    pub(crate) fn of(kernel: &Kernel, barriers: &FxHashSet<OpId>) -> Segments {
        let mut walk = Walk {
            kernel,
            barriers,
            segment_of: vec![0; kernel.op_count()],
            current: 0,
        };
        walk.region(kernel.body());
        let mut outlives = vec![false; kernel.value_count()];
        for id in kernel.ops_in_order() {
            for &operand in &kernel.op(id).operands {
                outlives[operand.index()] |= match kernel.value(operand).def {
                    ValueDef::Result { op, .. } => walk.segment_of[op.index()] != walk.segment_of[id.index()],
                    _ => true,
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
    segment_of: Vec<u32>,
    current: u32,
}

impl Walk<'_> {
    fn region(&mut self, region: RegionId) {
        let kernel = self.kernel;
        for &op in &kernel.region(region).ops {
            self.current += u32::from(self.barriers.contains(&op));
            self.segment_of[op.index()] = self.current;
            for &inner in &kernel.op(op).regions {
                self.current += 1;
                self.region(inner);
            }
            self.current += u32::from(!kernel.op(op).regions.is_empty());
        }
    }
}
