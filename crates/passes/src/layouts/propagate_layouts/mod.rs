//! `tile-propagate-layouts`: chooses one layout after another so that little has to move. Numerics do not change.
//!
//! Existing conversions are ignored: values are equal modulo layout. What is fixed to begin with is where loads and stores
//! want their tiles (`tile-coalesce-memory`). Then:
//!
//! 1. *Hints*, against the order of operations: in which layout a value ends up being wanted, if nothing moves on the way.
//! 2. *Forward layouts*, along the order (`forward`): in which a value comes to be if nothing moves. A range, a splat or a
//!    constant has none, it is made in any. Reductions choose where to take their operands, by cost. What loops carry
//!    and branches give lies where the loop's body or the branch makes it, so that conversions are outside of loops; until
//!    that is known they are tentatively where they enter.
//! 3. *Decisions*, against the order (`decide`): every value knows by then in which layouts it is wanted. Each that is not
//!    its forward one is either made by the operation once more from operands in other layouts, or converted; whichever
//!    costs less, with all that it takes of the operands ([`cost`]). Of two equal ways the one nearer to memory is taken, so
//!    that a conversion comes before a widening, a broadcast, or a loop, and after a reduction or a narrowing. A load may be
//!    repeated if its tile is small, and moved if it touches no more memory that way. Stores of small tiles may take what
//!    they get.
//!
//! What nobody wants is not made again. Each step walks the kernel a few times, once more for loops within loops; the cost
//! of a value in a layout is computed once.

mod decide;
mod forward;
mod hints;

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockRef, OperationRef, TypeLike, Value, ValueLike};
use mytriton_tile::defining_operation;
use mytriton_tile::emit::{argument_of, result_of};
use mytriton_tile::ops::{ConvertLayoutOp, LoadOp, TileOp, scf};
use mytriton_tile_sys as sys;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analyses::axis_info::AxisInfos;
use crate::interfaces::cost::weight;
use crate::interfaces::layout::{Relation, operand_layout, relation_of, result_layout};
use crate::ir::{PassResult, blocks_of, error_at, is_loop, kernels_of, key, name_of, op_key, ops_of};
use crate::support::cost::{self, AccessCost, LOOP};
use crate::support::rebuild::{LayoutId, Plan, has_bodies, origin, rebuild};

/// Loads of at most so many bytes may be repeated: they stay in the first level of the cache.
const SMALL_BYTES: u64 = 4096;

/// How far operations may be repeated backwards from a use.
const CHAIN: usize = 64;

/// Runs the pass on a module in the `layout` stage.
pub fn run<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> PassResult<'c> {
    for kernel in kernels_of(module) {
        let Some(body) = blocks_of(kernel).first().copied() else {
            continue;
        };
        let infos = AxisInfos::analyze(kernel);
        let mut propagation = Propagation::new(&infos);
        propagation.survey(body, 1);
        propagation.hints(body)?;
        propagation.forward_layouts(body)?;
        propagation.decide(body)?;
        sys::with_context(&kernel, |context| rebuild(context, kernel, &propagation.plan))?;
    }
    Ok(())
}

/// Values that control flow gives one layout: what is passed in, and what it is inside and behind.
struct Group<'c, 'a> {
    passed: Vec<Passed<'c, 'a>>,
    received: Vec<Value<'c, 'a>>,
}

/// An operand of the operation itself (end 0), or of what ends its block `end - 1`.
struct Passed<'c, 'a> {
    end: usize,
    operand: usize,
    value: Value<'c, 'a>,
}

/// The groups of an operation of `scf`, of tiles alone.
fn groups_of<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> Vec<Group<'c, 'a>> {
    let blocks = blocks_of(op);
    let mut ends = vec![Some(op)];
    ends.extend(blocks.iter().map(|block| block.terminator()));
    let pass = |end: usize, operand: usize| {
        let value = ends.get(end).copied().flatten()?.operand(operand).ok()?;
        Some(Passed { end, operand, value })
    };
    let argument = |block: usize, index: usize| {
        let block = blocks.get(block)?;
        (index < block.argument_count()).then(|| argument_of(*block, index))
    };
    let result = |index: usize| Some(result_of(op, index));
    let mut groups = Vec::new();
    let mut group = |passed: Vec<Option<Passed<'c, 'a>>>, received: [Option<Value<'c, 'a>>; 2]| {
        let received: Vec<Value> = received.into_iter().flatten().collect();
        if received.first().is_some_and(|value| value.r#type().is_ranked_tensor()) {
            let passed = passed.into_iter().flatten().collect();
            groups.push(Group { passed, received });
        }
    };
    match scf::Op::cast(op) {
        Some(scf::Op::For(_)) => {
            for index in 0..op.result_count() {
                group(
                    vec![pass(0, 3 + index), pass(1, index)],
                    [argument(0, 1 + index), result(index)],
                );
            }
        }
        Some(scf::Op::While(_)) => {
            for index in 0..op.operand_count() {
                group(vec![pass(0, index), pass(2, index)], [argument(0, index), None]);
            }
            for index in 0..op.result_count() {
                group(vec![pass(1, 1 + index)], [argument(1, index), result(index)]);
            }
        }
        Some(
            scf::Op::If(_)
            | scf::Op::IndexSwitch(_)
            | scf::Op::ExecuteRegion(_)
            | scf::Op::Condition(_)
            | scf::Op::Yield(_),
        )
        | None => {
            for index in 0..op.result_count() {
                let given = (1..ends.len()).map(|end| pass(end, index)).collect();
                group(given, [result(index), None]);
            }
        }
    }
    groups
}

struct Propagation<'i> {
    plan: Plan,
    infos: &'i AxisInfos,
    /// How often a value is used, and its operation runs.
    uses: FxHashMap<usize, u32>,
    runs: FxHashMap<usize, u64>,
    /// The layout in which most of a value is wanted, and how much that is.
    hints: FxHashMap<usize, (LayoutId, u64)>,
    forward: FxHashMap<usize, LayoutId>,
    /// Values whose forward layout rests on that of a value which control flow passes and that is not `settled` yet.
    tentative: FxHashSet<usize>,
    settled: FxHashSet<usize>,
    /// Where an operation that settles takes its deciding operand.
    taken: FxHashMap<usize, LayoutId>,
    /// The layouts in which a value is wanted, by the decisions so far.
    demands: FxHashMap<usize, Vec<LayoutId>>,
    extra: FxHashMap<(usize, LayoutId), u64>,
    conversions: FxHashMap<(LayoutId, LayoutId, u64), u64>,
    accesses: FxHashMap<(usize, LayoutId), Option<AccessCost>>,
    operand_layouts: FxHashMap<(usize, usize, LayoutId), LayoutId>,
}

impl<'i> Propagation<'i> {
    fn new(infos: &'i AxisInfos) -> Self {
        Propagation {
            plan: Plan::default(),
            infos,
            uses: FxHashMap::default(),
            runs: FxHashMap::default(),
            hints: FxHashMap::default(),
            forward: FxHashMap::default(),
            tentative: FxHashSet::default(),
            settled: FxHashSet::default(),
            taken: FxHashMap::default(),
            demands: FxHashMap::default(),
            extra: FxHashMap::default(),
            conversions: FxHashMap::default(),
            accesses: FxHashMap::default(),
            operand_layouts: FxHashMap::default(),
        }
    }

    /// Counts uses and loops.
    fn survey(&mut self, block: BlockRef<'_, '_>, runs: u64) {
        for argument in (0..block.argument_count()).map(|index| argument_of(block, index)) {
            self.runs.insert(key(argument), runs);
        }
        for op in ops_of(block) {
            if ConvertLayoutOp::cast(op).is_some() {
                continue;
            }
            // An operation that takes a value twice uses it once.
            let mut used: Vec<usize> = op.operands().map(|value| key(origin(value))).collect();
            used.sort_unstable();
            used.dedup();
            for value in used {
                *self.uses.entry(value).or_default() += 1;
            }
            for result in op.results() {
                self.runs.insert(key(result.into()), runs);
            }
            let looped = is_loop(op);
            if has_bodies(op) {
                for inner in blocks_of(op) {
                    self.survey(
                        inner,
                        if looped {
                            runs.saturating_mul(LOOP).min(1 << 20)
                        } else {
                            runs
                        },
                    );
                }
            }
        }
    }

    fn runs(&self, value: Value<'_, '_>) -> u64 {
        self.runs.get(&key(value)).copied().unwrap_or(1)
    }

    fn forward_layout_of(&self, value: Value<'_, '_>) -> Option<LayoutId> {
        self.forward.get(&key(value)).copied()
    }

    fn hint_of(&self, value: Value<'_, '_>) -> Option<LayoutId> {
        self.hints.get(&key(value)).map(|&(layout, _)| layout)
    }

    /// Where a value lies if it is up to it.
    fn home_of<'c>(&mut self, op: OperationRef<'c, '_>, value: Value<'c, '_>) -> PassResult<'c, LayoutId> {
        if let Some(layout) = self.forward_layout_of(value).or_else(|| self.hint_of(value)) {
            return Ok(layout);
        }
        let current = self.plan.current(op, value.r#type())?;
        current.ok_or_else(|| error_at(op, "a tile is expected"))
    }

    fn operand_in<'c>(&mut self, op: OperationRef<'c, '_>, index: usize, result: LayoutId) -> PassResult<'c, LayoutId> {
        if let Some(&known) = self.operand_layouts.get(&(op_key(op), index, result)) {
            return Ok(known);
        }
        let wanted = operand_layout(op, index, self.plan.layouts.get(result)).map_err(|error| {
            let name = name_of(op);
            error_at(op, format!("no layout for the operand of '{name}': {error}"))
        })?;
        let wanted = self.plan.layouts.id(&wanted);
        self.operand_layouts.insert((op_key(op), index, result), wanted);
        Ok(wanted)
    }

    fn result_in<'c>(&mut self, op: OperationRef<'c, '_>, operand: LayoutId) -> PassResult<'c, Option<LayoutId>> {
        let result = result_layout(op, self.plan.layouts.get(operand)).map_err(|error| {
            let name = name_of(op);
            error_at(op, format!("no layout for the result of '{name}': {error}"))
        })?;
        Ok(result.map(|layout| self.plan.layouts.id(&layout)))
    }

    fn conversion(&mut self, from: LayoutId, to: LayoutId, bytes: u64) -> u64 {
        let layouts = &self.plan.layouts;
        let compute = || cost::conversion(layouts.get(from), layouts.get(to), bytes);
        *self.conversions.entry((from, to, bytes)).or_insert_with(compute)
    }

    fn access(&mut self, op: OperationRef<'_, '_>, layout: LayoutId) -> Option<AccessCost> {
        let (layouts, infos) = (&self.plan.layouts, self.infos);
        let compute = || cost::access(op, layouts.get(layout), infos);
        *self.accesses.entry((op_key(op), layout)).or_insert_with(compute)
    }

    fn work(&self, op: OperationRef<'_, '_>, layout: LayoutId) -> u64 {
        weight(op) * u64::from(self.plan.layouts.get(layout).num_registers())
    }

    /// What it costs to have a value in a layout, too, given that it is in its forward one.
    fn extra<'c: 'a, 'a>(&mut self, value: Value<'c, 'a>, to: LayoutId, depth: usize) -> PassResult<'c, u64> {
        let forward = self.forward_layout_of(value);
        if forward == Some(to) {
            return Ok(0);
        }
        if let Some(&known) = self.extra.get(&(key(value), to)) {
            return Ok(known);
        }
        let moved = forward.map(|from| {
            let bytes = cost::element_bytes(value.r#type());
            self.conversion(from, to, bytes).saturating_mul(self.runs(value))
        });
        let only = self.uses.get(&key(value)) == Some(&1);
        let repeated = match defining_operation(value) {
            Some(op) if depth < CHAIN => self.repeated(op, forward, to, only, depth)?,
            _ => None,
        };
        let least = match (moved, repeated) {
            (Some(moved), Some(repeated)) => moved.min(repeated),
            (moved, repeated) => moved.or(repeated).unwrap_or(0),
        };
        self.extra.insert((key(value), to), least);
        Ok(least)
    }

    /// What it costs to make a result in `to` by its operation, too, or instead if it is the `only` one wanted; none if that
    /// is not allowed.
    fn repeated<'c: 'a, 'a>(
        &mut self,
        op: OperationRef<'c, 'a>,
        forward: Option<LayoutId>,
        to: LayoutId,
        only: bool,
        depth: usize,
    ) -> PassResult<'c, Option<u64>> {
        let result: Value = result_of(op, 0);
        let mut cost = match relation_of(op) {
            Some(Relation::Elementwise) => {
                let instead = forward.filter(|_| only).map_or(0, |forward| self.work(op, forward));
                self.work(op, to).saturating_sub(instead)
            }
            Some(Relation::Memory) => {
                let Some(forward) = forward else { return Ok(None) };
                let Some(cost) = self.moved_access(op, forward, to, only) else {
                    return Ok(None);
                };
                cost
            }
            _ => return Ok(None),
        };
        cost = cost.saturating_mul(self.runs(result));
        let mut wanted = Vec::new();
        for (index, operand) in op.operands().enumerate() {
            if operand.r#type().is_ranked_tensor() {
                wanted.push((origin(operand), self.operand_in(op, index, to)?));
            }
        }
        Ok(Some(cost.saturating_add(self.extra_of(&wanted, depth + 1)?)))
    }

    /// What it costs to have values in layouts, each counted once.
    fn extra_of<'c: 'a, 'a>(&mut self, wanted: &[(Value<'c, 'a>, LayoutId)], depth: usize) -> PassResult<'c, u64> {
        let mut cost = 0u64;
        for (index, &(value, layout)) in wanted.iter().enumerate() {
            let again = |&(before, of): &(Value, LayoutId)| key(before) == key(value) && of == layout;
            if !wanted[..index].iter().any(again) {
                cost = cost.saturating_add(self.extra(value, layout, depth)?);
            }
        }
        Ok(cost)
    }

    /// What a load or store in `to` costs, more than in `from` if it is there `instead`; none if it touches too much memory.
    fn moved_access(&mut self, op: OperationRef<'_, '_>, from: LayoutId, to: LayoutId, instead: bool) -> Option<u64> {
        let (before, after) = (self.access(op, from)?, self.access(op, to)?);
        let tile = LoadOp::cast(op)
            .map(|load| load.result())
            .or_else(|| op.operand(1).ok())?;
        let small = cost::tile_bytes(tile.r#type()) <= SMALL_BYTES;
        match instead {
            true if small || after.sectors <= before.sectors => Some(after.cost.saturating_sub(before.cost)),
            false if small => Some(after.cost),
            _ => None,
        }
    }

    /// The cost of a reduction or scan that takes its operands in a layout.
    fn reduction<'c>(&self, op: OperationRef<'c, '_>, layout: LayoutId) -> u64 {
        let axis = match TileOp::cast(op) {
            Some(TileOp::Reduce(reduce)) => reduce.axis(),
            Some(TileOp::Scan(scan)) => scan.axis(),
            _ => return 0,
        };
        let bytes = op.operands().map(|value| cost::element_bytes(value.r#type())).sum();
        cost::reduction(self.plan.layouts.get(layout), axis as usize, bytes)
    }
}
