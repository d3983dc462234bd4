//! In which layouts each operation is made.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockRef, OperationRef, TypeLike, Value, ValueLike};
use mytriton_tile::defining_operation;
use mytriton_tile::emit::{result_of, shape_of};
use mytriton_tile::ops::ConvertLayoutOp;
use smallvec::SmallVec;

use super::{Propagation, groups_of};
use crate::interfaces::layout::{Relation, relation_of};
use crate::ir::{PassResult, blocks_of, key, op_key, ops_of};
use crate::support::cost;
use crate::support::rebuild::{LayoutId, Variant, has_bodies, origin};

impl Propagation<'_> {
    pub(super) fn decide<'c: 'a, 'a>(&mut self, block: BlockRef<'c, 'a>) -> PassResult<'c> {
        for op in ops_of(block).into_iter().rev() {
            if ConvertLayoutOp::cast(op).is_some() {
                continue;
            }
            match relation_of(op) {
                Some(Relation::Memory) if op.result_count() == 0 => self.store(op)?,
                Some(Relation::Memory | Relation::Elementwise) => self.repeatable(op)?,
                Some(Relation::AnchoredBy(anchor)) => self.anchored(op, anchor)?,
                Some(Relation::LayoutBarrier) => self.moving(op)?,
                Some(Relation::ControlFlow) if has_bodies(op) => self.control_flow(op)?,
                // Their operands are decided with the operation around them.
                Some(Relation::ControlFlow) | None => {}
            }
        }
        Ok(())
    }

    fn demand(&mut self, value: Value<'_, '_>, layout: LayoutId) {
        let demands = self.demands.entry(key(origin(value))).or_default();
        if !demands.contains(&layout) {
            demands.push(layout);
        }
    }

    fn make<'c>(&mut self, op: OperationRef<'c, '_>, made: Variant) {
        for (value, layout) in op.operands().zip(made.operands.clone()) {
            if let Some(layout) = layout {
                self.demand(value, layout);
            }
        }
        self.plan.add_variant(op, made);
    }

    /// The layouts in which any of the results is wanted, in order.
    fn demanded(&self, op: OperationRef<'_, '_>) -> Vec<LayoutId> {
        let mut all = Vec::new();
        for layout in op
            .results()
            .filter_map(|result| self.demands.get(&key(result.into())))
            .flatten()
        {
            if !all.contains(layout) {
                all.push(*layout);
            }
        }
        all
    }

    /// Loads, and operations that follow.
    fn repeatable<'c: 'a, 'a>(&mut self, op: OperationRef<'c, 'a>) -> PassResult<'c> {
        if op.result_count() == 0 || !result_of(op, 0).r#type().is_ranked_tensor() {
            return self.giving_scalars(op);
        }
        let result: Value = result_of(op, 0);
        let demanded = self.demanded(op);
        let Some(forward) = self.forward_layout_of(result) else {
            for layout in demanded {
                self.make_in(op, layout)?;
            }
            return Ok(());
        };
        let bytes = cost::element_bytes(result.r#type());
        let only = demanded.len() == 1;
        let mut repeated = Vec::new();
        let mut in_forward = demanded.contains(&forward);
        for &layout in demanded.iter().filter(|&&layout| layout != forward) {
            let moved = self
                .conversion(forward, layout, bytes)
                .saturating_mul(self.runs(result));
            // A load is made twice at most.
            let allowed = relation_of(op) == Some(Relation::Elementwise) || repeated.is_empty();
            let again = match allowed {
                true => self.repeated(op, Some(forward), layout, only, 0)?,
                false => None,
            };
            match again {
                // Of equals, the conversion nearer to memory.
                Some(again) if again < moved || only && again == moved => repeated.push(layout),
                _ => in_forward = true,
            }
        }
        if in_forward {
            self.make_in(op, forward)?;
        }
        for layout in repeated {
            self.make_in(op, layout)?;
        }
        Ok(())
    }

    fn make_in<'c: 'a, 'a>(&mut self, op: OperationRef<'c, 'a>, layout: LayoutId) -> PassResult<'c> {
        let mut made = Variant::in_one(op, layout);
        for (index, of_operand) in made.operands.iter_mut().enumerate() {
            if of_operand.is_some() {
                *of_operand = Some(self.operand_in(op, index, layout)?);
            }
        }
        self.make(op, made);
        Ok(())
    }

    /// An operation of tiles that gives scalars: operands where they come.
    fn giving_scalars<'c: 'a, 'a>(&mut self, op: OperationRef<'c, 'a>) -> PassResult<'c> {
        let used = op.results().any(|result| self.uses.contains_key(&key(result.into())));
        let tiles = op.operands().any(|operand| operand.r#type().is_ranked_tensor());
        if used && tiles {
            let made = self.operands_at_home(op)?;
            self.make(op, made);
        }
        Ok(())
    }

    /// Operands of one shape in one layout, in which the first of them comes; results without.
    fn operands_at_home<'c: 'a, 'a>(&mut self, op: OperationRef<'c, 'a>) -> PassResult<'c, Variant> {
        let mut made = Variant::default();
        let operands: Vec<Value> = op.operands().collect();
        for (index, &operand) in operands.iter().enumerate() {
            let shape = shape_of(operand.r#type());
            let same = |&before: &usize| shape_of(operands[before].r#type()) == shape;
            made.operands.push(match (&shape, (0..index).find(same)) {
                _ if !operand.r#type().is_ranked_tensor() => None,
                (_, Some(before)) => made.operands[before],
                _ => Some(self.home_of(op, origin(operand))?),
            });
        }
        made.results.extend(op.results().map(|_| None));
        Ok(made)
    }

    fn anchored<'c: 'a, 'a>(&mut self, op: OperationRef<'c, 'a>, anchor: usize) -> PassResult<'c> {
        let used = op.results().any(|result| self.uses.contains_key(&key(result.into())));
        let scalars = op.results().all(|result| !result.r#type().is_ranked_tensor());
        if !(scalars && used) && self.demanded(op).is_empty() {
            return Ok(());
        }
        let mut made = self.operands_at_home(op)?;
        let shape = op.operand(anchor).ok().and_then(|value| shape_of(value.r#type()));
        let taken = self.taken.get(&op_key(op)).copied();
        for (operand, layout) in op.operands().zip(&mut made.operands) {
            if layout.is_some() && shape_of(operand.r#type()) == shape {
                *layout = taken;
            }
        }
        let forward = op
            .results()
            .next()
            .and_then(|result| self.forward_layout_of(result.into()));
        for (result, layout) in op.results().zip(&mut made.results) {
            *layout = forward.filter(|_| result.r#type().is_ranked_tensor());
        }
        self.make(op, made);
        Ok(())
    }

    fn moving<'c: 'a, 'a>(&mut self, op: OperationRef<'c, 'a>) -> PassResult<'c> {
        let tiles = op.results().filter(|result| result.r#type().is_ranked_tensor()).count();
        if tiles > 0 && self.demanded(op).is_empty() {
            return Ok(());
        }
        let mut made = self.operands_at_home(op)?;
        let wanted = self.demanded(op);
        for (result, layout) in op.results().zip(&mut made.results) {
            // It moves anyhow: to where it is wanted, if that is one place.
            let forward = self.forward_layout_of(result.into());
            *layout = match wanted[..] {
                _ if !result.r#type().is_ranked_tensor() => None,
                [only] => Some(only),
                _ => forward.or(wanted.first().copied()),
            };
        }
        if made.operands.iter().any(Option::is_some) || made.results.iter().any(Option::is_some) {
            self.make(op, made);
        }
        Ok(())
    }

    /// Where coalesced, or where the value comes if that costs less and touches no more memory.
    fn store<'c: 'a, 'a>(&mut self, op: OperationRef<'c, 'a>) -> PassResult<'c> {
        let Ok(value) = op.operand(1) else { return Ok(()) };
        let Some(current) = self.plan.current(op, value.r#type())? else {
            return Ok(());
        };
        let mut best = (self.operands_in(op, current)?, current);
        if let Some(forward) = self.forward_layout_of(origin(value))
            && forward != current
            && let Some(moved) = self.moved_access(op, current, forward, true)
        {
            let cost = moved.saturating_add(self.operands_in(op, forward)?);
            if cost < best.0 {
                best = (cost, forward);
            }
        }
        self.make(op, Variant::in_one(op, best.1));
        Ok(())
    }

    fn operands_in<'c: 'a, 'a>(&mut self, op: OperationRef<'c, 'a>, layout: LayoutId) -> PassResult<'c, u64> {
        let tiles = op.operands().filter(|operand| operand.r#type().is_ranked_tensor());
        let wanted: Vec<(Value, LayoutId)> = tiles.map(|operand| (origin(operand), layout)).collect();
        self.extra_of(&wanted, 0)
    }

    /// Every end of what is passed gets the layout that was settled for it, before the bodies are decided.
    fn control_flow<'c: 'a, 'a>(&mut self, op: OperationRef<'c, 'a>) -> PassResult<'c> {
        let none = |op: OperationRef<'c, 'a>| Variant {
            operands: SmallVec::from_elem(None, op.operand_count()),
            results: SmallVec::from_elem(None, op.result_count()),
        };
        let mut ends = vec![(op, none(op))];
        ends.extend(
            blocks_of(op)
                .into_iter()
                .filter_map(|block| block.terminator())
                .map(|end| (end, none(end))),
        );
        for group in groups_of(op) {
            let Some(layout) = group.received.first().and_then(|&value| self.forward_layout_of(value)) else {
                continue;
            };
            for passed in &group.passed {
                let (_, made) = &mut ends[passed.end];
                made.operands[passed.operand] = Some(layout);
            }
            for &value in &group.received {
                if defining_operation(value).is_none() {
                    self.plan.argument(value, layout);
                }
            }
        }
        for (result, layout) in op.results().zip(&mut ends[0].1.results) {
            *layout = self.forward_layout_of(result.into());
        }
        for (end, made) in ends {
            self.make(end, made);
        }
        for block in blocks_of(op).into_iter().rev() {
            self.decide(block)?;
        }
        Ok(())
    }
}
