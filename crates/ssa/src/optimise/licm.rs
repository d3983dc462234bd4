//! Loop-invariant code motion: what has one value in every trip of a `for` or `while` is computed once, before it.
//!
//! Only pure operations move, so results cannot change when the loop runs no trip. Integer divisions move only if they
//! cannot be by zero or overflow, and gathers do not: one that no trip reached would be an error on the CPU device. Loads
//! stay. Arms of an
//! `if` keep what they compute. Numerics do not change.

#![warn(clippy::wildcard_enum_match_arm)]

use crate::kernel::{Kernel, OpId, RegionId};
use crate::op::OpKind;

/// Moves invariant operations out of every loop, out of several at once where they can. Did anything move?
pub(super) fn hoist_invariants(kernel: &mut Kernel) -> bool {
    let body = kernel.body();
    let mut hoister = Hoister {
        depth: vec![0; kernel.value_count()],
        kernel,
        moved: false,
    };
    hoister.region(body, 0);
    hoister.moved
}

struct Hoister<'k> {
    kernel: &'k mut Kernel,
    /// In how many regions each value's definition stands. Of the values in sight at a point, those of a lower depth
    /// are defined in a region around it.
    depth: Vec<u32>,
    moved: bool,
}

impl Hoister<'_> {
    /// Walks a region at a depth, inner loops first, so that what leaves an inner loop can leave the outer one too.
    fn region(&mut self, region: RegionId, depth: u32) {
        for &arg in &self.kernel.region(region).args {
            self.depth[arg.index()] = depth;
        }
        let ops = std::mem::take(&mut self.kernel.region_mut(region).ops);
        let mut out = Vec::with_capacity(ops.len());
        for op in ops {
            let regions = self.kernel.op(op).regions.clone();
            let is_loop = self.kernel.op(op).kind.is_loop();
            for inner in regions {
                self.region(inner, depth + 1);
                if is_loop {
                    self.hoist(inner, depth, &mut out);
                }
            }
            self.define(op, depth);
            out.push(op);
        }
        self.kernel.region_mut(region).ops = out;
    }

    /// Moves the invariant operations of a loop's region to the end of the list around the loop, which is at `depth`.
    fn hoist(&mut self, region: RegionId, depth: u32, out: &mut Vec<OpId>) {
        let mut ops = std::mem::take(&mut self.kernel.region_mut(region).ops);
        ops.retain(|&op| {
            let data = self.kernel.op(op);
            let invariant = data.kind.is_pure()
                && data.operands.iter().all(|v| self.depth[v.index()] <= depth)
                && never_fails(self.kernel, op);
            if invariant {
                self.define(op, depth);
                out.push(op);
                self.moved = true;
            }
            !invariant
        });
        self.kernel.region_mut(region).ops = ops;
    }

    fn define(&mut self, op: OpId, depth: u32) {
        for &result in &self.kernel.op(op).results {
            self.depth[result.index()] = depth;
        }
    }
}

/// Has a pure operation, with all that its regions hold, a specified value for all operands of its types that its
/// constant operands leave open?
fn never_fails(kernel: &Kernel, op: OpId) -> bool {
    let data = kernel.op(op);
    match data.kind {
        OpKind::Binary(binary) => match binary.undefined() {
            None => true,
            Some(undefined) => {
                let divisor = kernel.as_const(data.operands[1]);
                divisor.is_some_and(|c| !undefined.may_be_for(c))
            }
        },
        // Its index may be outside of the tile.
        OpKind::Gather { .. } => false,
        OpKind::Reduce { .. } | OpKind::Scan { .. } => {
            let mut inner = data.regions.iter().flat_map(|&r| &kernel.region(r).ops);
            inner.all(|&op| never_fails(kernel, op))
        }
        OpKind::Const(_)
        | OpKind::ProgramId(_)
        | OpKind::NumPrograms(_)
        | OpKind::Range { .. }
        | OpKind::Splat
        | OpKind::ExpandDims { .. }
        | OpKind::Broadcast
        | OpKind::Reshape
        | OpKind::Transpose { .. }
        | OpKind::Join
        | OpKind::Split
        | OpKind::Histogram
        | OpKind::Unary(_)
        | OpKind::Fma
        | OpKind::Cmp(_)
        | OpKind::Select
        | OpKind::Cast(_)
        | OpKind::AddPtr
        // The last of a region passes values on.
        | OpKind::Yield
        | OpKind::Condition => true,
        OpKind::Load | OpKind::Store | OpKind::For | OpKind::If | OpKind::While => false,
    }
}
