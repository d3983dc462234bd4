//! Who has to hold what, from the stores backwards.
//!
//! Most operations compute an element of their result from one element of each operand, at coordinates that follow from
//! the result's. So a value can be computed in each ownership that its uses ask for, and no element moves between
//! threads: `broadcast`, `expand_dims` and `transpose` turn the ownership of their result into another of their operand.
//! A range that serves as rows and as columns is simply computed twice.
//!
//! Reductions, scans, reshapes, splits and histograms ([`moves`](crate::moves)) ask for their operands' whole tile, shared
//! out over all threads, whatever their results are needed for; so does a gather, but for its index, which is needed where
//! the result is.
//!
//! What nobody asks for is not computed: it has no ownership.

#![warn(clippy::wildcard_enum_match_arm)]

use mytriton_ssa::{Flow, Kernel, OpData, OpId, OpKind, RegionId, ValueDef, ValueId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::moves::{self, Move};
use crate::threads::{Ownership, Threads};

/// The ownerships of every value.
#[derive(Debug)]
pub(crate) struct Demands {
    of: Vec<SmallVec<[Ownership; 1]>>,
    moves: FxHashMap<OpId, Move>,
}

impl Demands {
    /// Collects them for a valid kernel.
    pub(crate) fn of(kernel: &Kernel, threads: &Threads) -> Demands {
        let mut holders = vec![None; kernel.region_count()];
        let ops = kernel.ops_in_order();
        for &op in &ops {
            for &region in &kernel.op(op).regions {
                holders[region.index()] = Some(op);
            }
        }
        let mut collector = Collector {
            kernel,
            threads,
            holders: &holders,
            demands: Demands {
                of: vec![SmallVec::new(); kernel.value_count()],
                moves: FxHashMap::default(),
            },
            work: Vec::new(),
        };
        for &op in &ops {
            let data = kernel.op(op);
            match data.kind {
                OpKind::Store => {
                    let ownership = threads.stores.get(&op).copied().unwrap_or(Ownership::Uniform);
                    collector.demand_all(&data.operands, ownership);
                }
                OpKind::For => collector.demand_all(&data.operands[..3], Ownership::Uniform),
                OpKind::If | OpKind::Condition => collector.demand(data.operands[0], Ownership::Uniform),
                // Run where their results are needed.
                OpKind::Const(_) | OpKind::ProgramId(_) | OpKind::NumPrograms(_) | OpKind::Range { .. } => {}
                OpKind::Splat | OpKind::ExpandDims { .. } | OpKind::Broadcast | OpKind::Reshape => {}
                OpKind::Transpose { .. } | OpKind::Join | OpKind::Split | OpKind::Gather { .. } => {}
                OpKind::Histogram | OpKind::Reduce { .. } | OpKind::Scan { .. } => {}
                OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Fma => {}
                OpKind::Cmp(_) | OpKind::Select | OpKind::Cast(_) | OpKind::AddPtr => {}
                OpKind::Load | OpKind::While | OpKind::Yield => {}
            }
        }
        collector.run();
        let mut demands = collector.demands;
        for op in ops {
            if moves::is_moved(kernel, kernel.op(op))
                && let Some(how) = moves::classify(kernel, kernel.op(op), threads, &demands)
            {
                demands.moves.insert(op, how);
            }
        }
        demands
    }

    /// How an operation moves elements, if it does and any of its results is needed.
    pub(crate) fn moved(&self, op: OpId) -> Option<Move> {
        self.moves.get(&op).copied()
    }

    /// The ownerships that a value is needed in, in no particular but a reproducible order.
    pub(crate) fn get(&self, value: ValueId) -> &[Ownership] {
        &self.of[value.index()]
    }
}

struct Collector<'a> {
    kernel: &'a Kernel,
    threads: &'a Threads,
    /// The operation that holds each region.
    holders: &'a [Option<OpId>],
    demands: Demands,
    work: Vec<(ValueId, Ownership)>,
}

impl Collector<'_> {
    fn demand(&mut self, value: ValueId, ownership: Ownership) {
        let ownership = if self.kernel.ty(value).is_scalar() {
            Ownership::Uniform
        } else {
            ownership
        };
        let known = &mut self.demands.of[value.index()];
        if !known.contains(&ownership) {
            known.push(ownership);
            self.work.push((value, ownership));
        }
    }

    fn demand_all(&mut self, values: &[ValueId], ownership: Ownership) {
        for &value in values {
            self.demand(value, ownership);
        }
    }

    fn run(&mut self) {
        while let Some((value, ownership)) = self.work.pop() {
            match self.kernel.value(value).def {
                ValueDef::Param(_) => {}
                ValueDef::Result { op, index } => self.result(self.kernel.op(op), index, ownership),
                ValueDef::Arg { region, index } => self.argument(region, index, ownership),
            }
        }
    }

    fn result(&mut self, op: &OpData, index: usize, ownership: Ownership) {
        match &op.kind {
            _ if moves::is_moved(self.kernel, op) => {
                let shape = self.kernel.ty(op.operands[0]).shape;
                if let Some(root) = self.threads.root_of(shape.dims()) {
                    let whole = Ownership::whole(root, shape.dims());
                    let (moved, kept) = op.operands.split_at(moves::moved_operands(op));
                    self.demand_all(moved, whole);
                    self.demand_all(kept, ownership);
                }
            }
            OpKind::Join => {
                for &operand in &op.operands {
                    if let Some(other) = moves::relabelled(self.kernel, op, operand, ownership) {
                        self.demand(operand, other);
                    }
                }
            }
            OpKind::For => self.for_value(op, index, ownership),
            OpKind::If => {
                for &region in &op.regions {
                    self.demand_passed(region, index, ownership);
                }
            }
            OpKind::While => self.while_passed(op, index, ownership),
            OpKind::Const(_)
            | OpKind::ProgramId(_)
            | OpKind::NumPrograms(_)
            | OpKind::Range { .. }
            | OpKind::Splat
            | OpKind::ExpandDims { .. }
            | OpKind::Broadcast
            | OpKind::Reshape
            | OpKind::Transpose { .. }
            | OpKind::Reduce { .. }
            | OpKind::Scan { .. }
            | OpKind::Split
            | OpKind::Gather { .. }
            | OpKind::Histogram
            | OpKind::Unary(_)
            | OpKind::Binary(_)
            | OpKind::Fma
            | OpKind::Cmp(_)
            | OpKind::Select
            | OpKind::Cast(_)
            | OpKind::AddPtr
            | OpKind::Load => match op.operands.get(index) {
                Some(&operand) if let Some(other) = moves::relabelled(self.kernel, op, operand, ownership) => {
                    self.demand(operand, other);
                }
                Some(_) | None => self.demand_all(&op.operands, ownership),
            },
            OpKind::Store | OpKind::Yield | OpKind::Condition => {
                unreachable!("'{}' has no result", op.kind.name())
            }
        }
    }

    fn argument(&mut self, region: RegionId, index: usize, ownership: Ownership) {
        let Some(holder) = self.holders[region.index()] else {
            return;
        };
        let op = self.kernel.op(holder);
        match op.kind.flow() {
            // Argument 0 is the index, which the bounds give.
            Flow::CountedLoop if index > 0 => self.for_value(op, index - 1, ownership),
            Flow::OpenLoop if op.regions[0] == region => {
                self.demand(op.operands[index], ownership);
                self.demand_passed(op.regions[1], index, ownership);
            }
            Flow::OpenLoop => self.while_passed(op, index, ownership),
            // The function of a combiner has its arguments; the others have none.
            Flow::CountedLoop | Flow::Combiner | Flow::Branch | Flow::Straight | Flow::Terminator => {}
        }
    }

    /// A carried value of a `for`: initial value, argument, yielded value and result go together.
    fn for_value(&mut self, op: &OpData, index: usize, ownership: Ownership) {
        self.demand(op.operands[index + 3], ownership);
        self.demand(op.results[index], ownership);
        self.demand(self.kernel.region(op.regions[0]).args[index + 1], ownership);
        self.demand_passed(op.regions[0], index, ownership);
    }

    /// What the test of a `while` passes on is the body's argument and the result.
    fn while_passed(&mut self, op: &OpData, index: usize, ownership: Ownership) {
        self.demand(op.results[index], ownership);
        self.demand(self.kernel.region(op.regions[1]).args[index], ownership);
        self.demand_passed(op.regions[0], index + 1, ownership);
    }

    /// An operand of a region's terminator.
    fn demand_passed(&mut self, region: RegionId, index: usize, ownership: Ownership) {
        if let Some(&end) = self.kernel.region(region).ops.last() {
            self.demand(self.kernel.op(end).operands[index], ownership);
        }
    }
}
