//! Dead code elimination.
//!
//! 1. Mark: writes and `while` loops are needed (a `while` may never end, which can be seen), and with them the
//!    operations whose regions hold them, the values they use, and so on. A carried value or a result of a region's
//!    operation is live by itself: a loop that is needed for one of them does not need the others. So it is with what a
//!    reduction combines together: an operand whose elements no live result depends on goes.
//! 2. Sweep: what is not marked goes; a region's operation with dead values among live ones is built anew without them.
//!
//! A `for` ends, so an unused one goes. Unused loads go. Numerics do not change.

#![warn(clippy::wildcard_enum_match_arm)]

use smallvec::SmallVec;

use crate::kernel::{Kernel, OpId, RegionId, ValueDef, ValueId};
use crate::op::{Flow, OpKind};

/// Removes every operation, carried value and result of a region's operation that no store, nor the end of a `while`,
/// depends on. Was there any?
pub(super) fn remove_dead(kernel: &mut Kernel) -> bool {
    let mut marker = Marker {
        kernel,
        values: vec![false; kernel.value_count()],
        ops: vec![false; kernel.op_count()],
        holders: Vec::new(),
        parents: vec![None; kernel.op_count()],
        work: Vec::new(),
    };
    let mut roots = Vec::new();
    marker.survey(kernel.body(), None, &mut roots);
    for op in roots {
        marker.need(op);
    }
    marker.run();
    let Marker { values, ops, .. } = marker;
    let body = kernel.body();
    let mut sweeper = Sweeper {
        replaced: vec![None; kernel.value_count()],
        kernel,
        values,
        ops,
        changed: false,
    };
    sweeper.region(body);
    sweeper.changed
}

struct Marker<'k> {
    kernel: &'k Kernel,
    values: Vec<bool>,
    ops: Vec<bool>,
    /// The operation that holds each region.
    holders: Vec<Option<OpId>>,
    /// The operation whose region each operation stands in.
    parents: Vec<Option<OpId>>,
    work: Vec<ValueId>,
}

impl Marker<'_> {
    fn survey(&mut self, region: RegionId, holder: Option<OpId>, roots: &mut Vec<OpId>) {
        if self.holders.len() <= region.index() {
            self.holders.resize(region.index() + 1, None);
        }
        self.holders[region.index()] = holder;
        for &op in &self.kernel.region(region).ops {
            self.parents[op.index()] = holder;
            let data = self.kernel.op(op);
            if data.kind.is_observable() {
                roots.push(op);
            }
            for &inner in &data.regions {
                self.survey(inner, Some(op), roots);
            }
        }
    }

    /// The operation runs: so do those around it, and what decides over its running is live.
    fn need(&mut self, op: OpId) {
        let mut next = Some(op);
        while let Some(op) = next {
            if std::mem::replace(&mut self.ops[op.index()], true) {
                return;
            }
            let kernel = self.kernel;
            let data = kernel.op(op);
            let decisive = match data.kind.flow() {
                Flow::CountedLoop | Flow::Branch | Flow::Combiner => &data.operands[..fixed_operands(&data.kind)],
                Flow::OpenLoop => &[passed(kernel, data.regions[0], 0)],
                Flow::Straight | Flow::Terminator => &data.operands[..],
            };
            decisive.iter().for_each(|&v| self.use_value(v));
            next = self.parents[op.index()];
        }
    }

    fn use_value(&mut self, value: ValueId) {
        if !std::mem::replace(&mut self.values[value.index()], true) {
            self.work.push(value);
        }
    }

    fn run(&mut self) {
        while let Some(value) = self.work.pop() {
            match self.kernel.value(value).def {
                ValueDef::Param(_) => {}
                ValueDef::Result { op, index } => {
                    self.need(op);
                    self.use_slot(op, index);
                }
                ValueDef::Arg { region, index } => {
                    let holder = self.holders[region.index()].expect("the body has no arguments");
                    self.need(holder);
                    let data = self.kernel.op(holder);
                    if let Some(slot) = index.checked_sub(fixed_args(&data.kind)) {
                        // A combiner has two arguments for each result.
                        self.use_slot(holder, slot % data.results.len());
                    }
                }
            }
        }
    }

    /// The carried value or result is live: so is all that is passed to it.
    fn use_slot(&mut self, op: OpId, slot: usize) {
        let kernel = self.kernel;
        let data = kernel.op(op);
        if data.kind.flow() != Flow::Branch && !data.regions.is_empty() {
            self.use_value(data.operands[fixed_operands(&data.kind) + slot]);
        }
        for &region in &data.regions {
            self.use_value(passed(kernel, region, slot + fixed_passed(kernel, region)));
        }
    }
}

/// What the terminator of a region passes on at a position.
fn passed(kernel: &Kernel, region: RegionId, i: usize) -> ValueId {
    kernel.op(terminator(kernel, region)).operands[i]
}

fn terminator(kernel: &Kernel, region: RegionId) -> OpId {
    *kernel.region(region).ops.last().expect("a region ends in a terminator")
}

/// How many operands stand before those of the carried values: bounds and step, or the condition.
fn fixed_operands(kind: &OpKind) -> usize {
    match kind.flow() {
        Flow::CountedLoop => 3,
        Flow::Branch => 1,
        Flow::OpenLoop | Flow::Combiner | Flow::Straight | Flow::Terminator => 0,
    }
}

/// How many arguments of a region stand before the carried values: the index.
fn fixed_args(kind: &OpKind) -> usize {
    match kind.flow() {
        Flow::CountedLoop => 1,
        Flow::Branch | Flow::OpenLoop | Flow::Combiner | Flow::Straight | Flow::Terminator => 0,
    }
}

/// How many operands of a region's terminator stand before those passed on: the condition.
fn fixed_passed(kernel: &Kernel, region: RegionId) -> usize {
    usize::from(kernel.op(terminator(kernel, region)).kind == OpKind::Condition)
}

struct Sweeper<'k> {
    kernel: &'k mut Kernel,
    /// The liveness of values, by the ids from before the sweep.
    values: Vec<bool>,
    ops: Vec<bool>,
    /// The values that stand for those of operations built anew.
    replaced: Vec<Option<ValueId>>,
    changed: bool,
}

impl Sweeper<'_> {
    fn region(&mut self, region: RegionId) {
        let ops = std::mem::take(&mut self.kernel.region_mut(region).ops);
        let mut out = Vec::with_capacity(ops.len());
        for op in ops {
            let kind = &self.kernel.op(op).kind;
            if !kind.is_terminator() && !self.ops[op.index()] {
                self.changed = true;
                continue;
            }
            let has_regions = kind.region_count() > 0;
            let op = if has_regions { self.without_dead_slots(op) } else { op };
            for operand in &mut self.kernel.op_mut(op).operands {
                // An operation built here has ids that the map does not reach; they are final.
                if let Some(Some(new)) = self.replaced.get(operand.index()) {
                    *operand = *new;
                }
            }
            if has_regions {
                for inner in self.kernel.op(op).regions.clone() {
                    self.region(inner);
                }
            }
            out.push(op);
        }
        self.kernel.region_mut(region).ops = out;
    }

    /// The operation, or if some of its carried values or results are dead another one without them.
    fn without_dead_slots(&mut self, op: OpId) -> OpId {
        let data = self.kernel.op(op).clone();
        let (operands, args) = (fixed_operands(&data.kind), fixed_args(&data.kind));
        let count = data.results.len();
        let kept: SmallVec<[bool; 8]> = (0..count)
            .map(|slot| {
                let mut ids = vec![data.results[slot]];
                for &region in &data.regions {
                    let carried = &self.kernel.region(region).args[args..];
                    ids.extend(carried.iter().skip(slot).step_by(count));
                }
                ids.iter().any(|v| self.values[v.index()])
            })
            .collect();
        if kept.iter().all(|&k| k) {
            return op;
        }
        self.changed = true;
        let keep = |fixed: usize, list: &[ValueId]| -> SmallVec<[ValueId; 8]> {
            let is_kept = |i: usize| i < fixed || kept[(i - fixed) % count];
            list.iter()
                .enumerate()
                .filter(|(i, _)| is_kept(*i))
                .map(|(_, &v)| v)
                .collect()
        };

        let mut regions = SmallVec::<[RegionId; 2]>::new();
        for &region in &data.regions {
            let fixed = fixed_passed(self.kernel, region);
            let end = terminator(self.kernel, region);
            let passed = keep(fixed, &self.kernel.op(end).operands);
            self.kernel.op_mut(end).operands = passed.into_iter().collect();
            let old = keep(args, &self.kernel.region(region).args);
            let types: Vec<_> = old.iter().map(|&v| self.kernel.ty(v)).collect();
            let new_region = self.kernel.new_region(types);
            let new = self.kernel.region(new_region).args.clone();
            self.stand_in(&old, &new);
            self.kernel.region_mut(new_region).ops = std::mem::take(&mut self.kernel.region_mut(region).ops);
            regions.push(new_region);
        }
        let operands = keep(operands, &data.operands);
        let old = keep(0, &data.results);
        let types: Vec<_> = old.iter().map(|&v| self.kernel.ty(v)).collect();
        let new_op = self.kernel.new_op(data.kind, operands, types, regions, data.loc);
        let new: SmallVec<[ValueId; 8]> = self.kernel.op(new_op).results.iter().copied().collect();
        self.stand_in(&old, &new);
        new_op
    }

    fn stand_in(&mut self, old: &[ValueId], new: &[ValueId]) {
        for (&old, &new) in old.iter().zip(new) {
            self.replaced[old.index()] = Some(new);
            if let Some(name) = self.kernel.value(old).name.clone() {
                self.kernel.set_name(new, name);
            }
        }
    }
}
