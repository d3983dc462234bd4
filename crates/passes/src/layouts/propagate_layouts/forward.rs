//! Forward layouts: in which layout values are produced if nothing moves.

use melior::ir::operation::OperationLike;
use melior::ir::{BlockRef, OperationRef, TypeLike, Value, ValueLike};
use mytriton_tile::emit::{result_of, shape_of};
use smallvec::SmallVec;

use super::{Group, Propagation, groups_of};
use crate::interfaces::layout::{Relation, relation_of};
use crate::ir::{PassResult, blocks_of, key, op_key, ops_of};
use crate::support::cost;
use crate::support::rebuild::{LayoutId, has_bodies, origin};

impl Propagation<'_> {
    pub(super) fn forward_layouts<'c: 'a, 'a>(&mut self, body: BlockRef<'c, 'a>) -> PassResult<'c> {
        // What a loop carries is settled once, at its end; what depends on that is found in the next walk. What is made
        // of other things carried waits for these, as long as any can be settled without.
        let mut all = false;
        loop {
            self.extra.clear();
            self.tentative.clear();
            let outcome = self.forward_layouts_of_block(body, all)?;
            match outcome {
                Outcome {
                    settled: false,
                    waits: false,
                } => break,
                Outcome { settled, .. } => all = !settled,
            }
        }
        self.extra.clear();
        Ok(())
    }

    /// One walk; `all` settles what depends on tentative values too.
    fn forward_layouts_of_block<'c: 'a, 'a>(&mut self, block: BlockRef<'c, 'a>, all: bool) -> PassResult<'c, Outcome> {
        let mut outcome = Outcome::default();
        for op in ops_of(block) {
            match relation_of(op) {
                Some(Relation::Memory) => self.current_results(op)?,
                Some(Relation::Elementwise) => self.elementwise_forward(op)?,
                Some(Relation::AnchoredBy(anchor)) => self.anchored_forward(op, anchor)?,
                Some(Relation::LayoutBarrier) => {
                    for result in op.results().map(Value::from) {
                        if result.r#type().is_ranked_tensor() {
                            let layout = match self.hint_of(result) {
                                Some(layout) => layout,
                                None => self.home_of(op, result)?,
                            };
                            self.give(result, layout, false);
                        }
                    }
                }
                Some(Relation::ControlFlow) if has_bodies(op) => {
                    let groups = groups_of(op);
                    for group in &groups {
                        self.set_tentative(group);
                    }
                    for inner in blocks_of(op) {
                        outcome.add(self.forward_layouts_of_block(inner, all)?);
                    }
                    for group in &groups {
                        outcome.add(self.settle(op, group, all)?);
                    }
                }
                Some(Relation::ControlFlow) | None => {}
            }
        }
        Ok(outcome)
    }

    fn give(&mut self, value: Value<'_, '_>, layout: LayoutId, tentative: bool) {
        self.forward.insert(key(value), layout);
        if tentative {
            self.tentative.insert(key(value));
        } else {
            self.tentative.remove(&key(value));
        }
    }

    fn is_tentative(&self, value: Value<'_, '_>) -> bool {
        self.tentative.contains(&key(value))
    }

    /// Until it is known in which layout a loop makes a value, the one in which it enters.
    fn set_tentative(&mut self, group: &Group<'_, '_>) {
        if group
            .received
            .first()
            .is_none_or(|&first| self.settled.contains(&key(first)))
        {
            return;
        }
        let mut entering = group.passed.iter().filter(|passed| passed.end == 0);
        if let Some(layout) = entering.find_map(|passed| self.forward_layout_of(origin(passed.value))) {
            for &value in &group.received {
                self.give(value, layout, true);
            }
        }
    }

    fn current_results<'c>(&mut self, op: OperationRef<'c, '_>) -> PassResult<'c> {
        for result in op.results().map(Value::from) {
            if let Some(layout) = self.plan.current(op, result.r#type())? {
                self.give(result, layout, false);
            }
        }
        Ok(())
    }

    /// The layout that takes the least of the operands, of those in which they come, tentative ones included.
    fn elementwise_forward<'c: 'a, 'a>(&mut self, op: OperationRef<'c, 'a>) -> PassResult<'c> {
        let has_forward_layout = |operand: &Value<'c, 'a>| self.forward_layout_of(origin(*operand)).is_some();
        let sources: Vec<Value> = op.operands().filter(has_forward_layout).map(origin).collect();
        let tentative = sources.iter().all(|&source| self.is_tentative(source));
        let mut candidates: Vec<LayoutId> = Vec::new();
        for source in sources {
            if self.is_tentative(source) == tentative
                && let Some(forward) = self.forward_layout_of(source)
                && let Some(layout) = self.result_in(op, forward)?
                && !candidates.contains(&layout)
            {
                candidates.push(layout);
            }
        }
        let hint = op.results().find_map(|result| self.hint_of(result.into()));
        let mut best: Option<(u64, bool, LayoutId)> = None;
        for &layout in &candidates {
            let mut cost = 0;
            if candidates.len() > 1 {
                let mut wanted = Vec::new();
                for (index, operand) in op.operands().enumerate() {
                    if operand.r#type().is_ranked_tensor() {
                        wanted.push((origin(operand), self.operand_in(op, index, layout)?));
                    }
                }
                cost = self.extra_of(&wanted, 0)?;
            }
            let unwanted = hint != Some(layout);
            if best.is_none_or(|(least, worse, _)| (cost, unwanted) < (least, worse)) {
                best = Some((cost, unwanted, layout));
            }
        }
        if let Some((.., layout)) = best {
            for result in op
                .results()
                .map(Value::from)
                .filter(|result| result.r#type().is_ranked_tensor())
            {
                self.give(result, layout, tentative);
            }
        }
        Ok(())
    }

    /// A reduction or scan: where the operands come, or where they are now, whichever costs less.
    fn anchored_forward<'c: 'a, 'a>(&mut self, op: OperationRef<'c, 'a>, anchor: usize) -> PassResult<'c> {
        let Ok(deciding) = op.operand(anchor) else {
            return Ok(());
        };
        let shape = shape_of(deciding.r#type());
        let mut candidates = vec![self.home_of(op, origin(deciding))?];
        candidates.extend(self.plan.current(op, deciding.r#type())?);
        candidates.dedup();
        let mut best: Option<(u64, LayoutId)> = None;
        let runs = op.results().next().map_or(1, |result| self.runs(result.into()));
        for &layout in &candidates {
            let mut cost = 0;
            if candidates.len() > 1 {
                cost = self.reduction(op, layout).saturating_mul(runs);
                for operand in op.operands().filter(|operand| shape_of(operand.r#type()) == shape) {
                    cost = cost.saturating_add(self.extra(origin(operand), layout, 0)?);
                }
                if let Some(result) = self.result_in(op, layout)?
                    && let Some(hint) = self.hint_of(result_of(op, 0))
                {
                    let bytes = cost::element_bytes(result_of(op, 0).r#type());
                    cost = cost.saturating_add(self.conversion(result, hint, bytes).saturating_mul(runs));
                }
            }
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, layout));
            }
        }
        let Some((_, taken)) = best else { return Ok(()) };
        self.taken.insert(op_key(op), taken);
        if let Some(layout) = self.result_in(op, taken)? {
            let tentative = self.is_tentative(origin(deciding));
            for result in op.results() {
                self.give(result.into(), layout, tentative);
            }
        }
        Ok(())
    }

    /// Where control flow passes values: in the layout in which a body makes them, or else in which they enter.
    fn settle<'c: 'a, 'a>(
        &mut self,
        op: OperationRef<'c, 'a>,
        group: &Group<'c, 'a>,
        all: bool,
    ) -> PassResult<'c, Outcome> {
        let Some(&first) = group.received.first() else {
            return Ok(Outcome::default());
        };
        if self.settled.contains(&key(first)) {
            return Ok(Outcome::default());
        }
        let hint = group.received.iter().find_map(|&value| self.hint_of(value));
        let made_in = |entering: bool| {
            let passed = group.passed.iter().filter(move |passed| (passed.end == 0) == entering);
            passed.map(|passed| origin(passed.value))
        };
        let known = |tentative: bool| {
            let made = made_in(false).filter(|&value| self.is_tentative(value) == tentative);
            let layouts: SmallVec<[LayoutId; 2]> = made.filter_map(|value| self.forward_layout_of(value)).collect();
            let hinted = layouts.iter().copied().find(|&layout| hint == Some(layout));
            hinted.or(layouts.first().copied())
        };
        let made = match (known(false), known(true)) {
            (Some(made), _) => Some(made),
            (None, Some(_)) if !all => {
                return Ok(Outcome {
                    settled: false,
                    waits: true,
                });
            }
            (None, tentative) => tentative,
        };
        let entering = made_in(true).find_map(|value| self.forward_layout_of(value));
        let layout = match made.or(entering).or(hint) {
            Some(layout) => layout,
            None => self.home_of(op, first)?,
        };
        for &value in &group.received {
            self.give(value, layout, false);
            self.settled.insert(key(value));
        }
        Ok(Outcome {
            settled: true,
            waits: false,
        })
    }
}

/// What came of a walk.
#[derive(Clone, Copy, Default)]
struct Outcome {
    /// Was something settled that control flow passes?
    settled: bool,
    /// Does something wait for what it is made of?
    waits: bool,
}

impl Outcome {
    fn add(&mut self, other: Outcome) {
        self.settled |= other.settled;
        self.waits |= other.waits;
    }
}
