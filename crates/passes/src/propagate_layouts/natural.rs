//! In which layout values come to be, if nothing moves.

use melior::ir::operation::OperationLike;
use melior::ir::{BlockRef, OperationRef, TypeLike, Value, ValueLike};
use mytriton_tile::emit::{result_of, shape_of};

use super::{Group, Propagation, cost, groups_of};
use crate::ir::{PassResult, blocks_of, key, ops_of};
use crate::rebuild::{LayoutId, has_bodies, op_key, origin};
use crate::rules::{Rule, rule_of};

impl Propagation<'_> {
    pub(super) fn naturals<'c: 'a, 'a>(&mut self, body: BlockRef<'c, 'a>) -> PassResult<'c> {
        // What a loop carries is settled once, at its end; what depends on that is found in the next round.
        loop {
            self.extra.clear();
            if !self.naturals_of_block(body)? {
                self.extra.clear();
                return Ok(());
            }
        }
    }

    /// Was a loop's carried value settled?
    fn naturals_of_block<'c: 'a, 'a>(&mut self, block: BlockRef<'c, 'a>) -> PassResult<'c, bool> {
        let mut changed = false;
        for op in ops_of(block) {
            match rule_of(op) {
                Some(Rule::Accesses) => self.current_results(op)?,
                Some(Rule::Follows) => self.follows(op)?,
                Some(Rule::Settles { by }) => self.settles(op, by)?,
                Some(Rule::Moves) => {
                    for result in op.results().map(Value::from) {
                        if result.r#type().is_ranked_tensor() {
                            let layout = match self.hint_of(result) {
                                Some(layout) => layout,
                                None => self.home_of(op, result)?,
                            };
                            self.natural.insert(key(result), layout);
                        }
                    }
                }
                Some(Rule::Passes) if has_bodies(op) => {
                    for inner in blocks_of(op) {
                        changed |= self.naturals_of_block(inner)?;
                    }
                    for group in groups_of(op) {
                        changed |= self.settle(op, &group)?;
                    }
                }
                _ => {}
            }
        }
        Ok(changed)
    }

    fn current_results<'c>(&mut self, op: OperationRef<'c, '_>) -> PassResult<'c> {
        for result in op.results().map(Value::from) {
            if let Some(layout) = self.plan.current(op, result.r#type())? {
                self.natural.insert(key(result), layout);
            }
        }
        Ok(())
    }

    /// The layout that takes the least of the operands, of those in which they come.
    fn follows<'c: 'a, 'a>(&mut self, op: OperationRef<'c, 'a>) -> PassResult<'c> {
        let mut candidates: Vec<LayoutId> = Vec::new();
        for operand in op.operands() {
            if let Some(natural) = self.natural_of(origin(operand))
                && let Some(layout) = self.result_in(op, natural)?
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
                self.natural.insert(key(result), layout);
            }
        }
        Ok(())
    }

    /// A reduction or scan: where the operands come, or where they are now, whichever costs less.
    fn settles<'c: 'a, 'a>(&mut self, op: OperationRef<'c, 'a>, by: usize) -> PassResult<'c> {
        let Ok(deciding) = op.operand(by) else { return Ok(()) };
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
            for result in op.results() {
                self.natural.insert(key(result.into()), layout);
            }
        }
        Ok(())
    }

    /// Where control flow passes values: in the layout in which a body makes them, or else in which they enter.
    fn settle<'c: 'a, 'a>(&mut self, op: OperationRef<'c, 'a>, group: &Group<'c, 'a>) -> PassResult<'c, bool> {
        let Some(&first) = group.received.first() else {
            return Ok(false);
        };
        if self.natural_of(first).is_some() {
            return Ok(false);
        }
        let hint = group.received.iter().find_map(|&value| self.hint_of(value));
        let made_in = |entering: bool| {
            let passed = group.passed.iter().filter(move |passed| (passed.end == 0) == entering);
            passed.filter_map(|passed| self.natural_of(origin(passed.value)))
        };
        let made = made_in(false)
            .find(|&layout| hint == Some(layout))
            .or(made_in(false).next());
        let layout = match made.or(made_in(true).next()).or(hint) {
            Some(layout) => layout,
            None => self.home_of(op, first)?,
        };
        for &value in &group.received {
            self.natural.insert(key(value), layout);
        }
        Ok(true)
    }
}
