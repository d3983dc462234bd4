//! In which layout values end up being wanted, if nothing moves on the way.

use melior::ir::operation::OperationLike;
use melior::ir::{BlockRef, OperationRef, TypeLike, Value, ValueLike};
use mytriton_tile::emit::result_of;

use super::{Propagation, groups_of};
use crate::interfaces::layout::{Relation, relation_of};
use crate::ir::{PassResult, blocks_of, key, ops_of};
use crate::support::cost::tile_bytes;
use crate::support::rebuild::{LayoutId, has_bodies, origin};

/// How often hints are passed around loops.
const PASSES: usize = 3;

impl Propagation<'_> {
    pub(super) fn hints<'c: 'a, 'a>(&mut self, body: BlockRef<'c, 'a>) -> PassResult<'c> {
        for _ in 0..PASSES {
            if !self.hints_of_block(body)? {
                break;
            }
        }
        Ok(())
    }

    /// Did a hint change that goes around a loop?
    fn hints_of_block<'c: 'a, 'a>(&mut self, block: BlockRef<'c, 'a>) -> PassResult<'c, bool> {
        let mut changed = false;
        for op in ops_of(block).into_iter().rev() {
            match relation_of(op) {
                Some(Relation::Memory) => {
                    for operand in op.operands() {
                        if let Some(layout) = self.plan.current(op, operand.r#type())? {
                            let weight = tile_bytes(operand.r#type()).saturating_mul(self.runs_of(op));
                            self.hint(operand, layout, weight);
                        }
                    }
                }
                Some(Relation::Elementwise) => self.follow(op, 0)?,
                // Of a scan. Where a reduction's operand goes is not up to its result.
                Some(Relation::AnchoredBy(anchor)) if same_shape(op, anchor) => self.follow(op, anchor)?,
                Some(Relation::ControlFlow) if has_bodies(op) => {
                    let groups = groups_of(op);
                    let pass = |this: &mut Self| {
                        let mut changed = false;
                        for group in &groups {
                            let hints = group
                                .received
                                .iter()
                                .filter_map(|value| this.hints.get(&key(*value)).copied());
                            if let Some((layout, weight)) = hints.max_by_key(|&(_, weight)| weight) {
                                for passed in group.passed.iter().rev() {
                                    changed |= this.hint(passed.value, layout, weight);
                                }
                            }
                        }
                        changed
                    };
                    pass(self);
                    for inner in blocks_of(op).into_iter().rev() {
                        changed |= self.hints_of_block(inner)?;
                    }
                    changed |= pass(self);
                }
                Some(Relation::AnchoredBy(_) | Relation::LayoutBarrier | Relation::ControlFlow) | None => {}
            }
        }
        Ok(changed)
    }

    fn runs_of(&self, op: OperationRef<'_, '_>) -> u64 {
        match op.result_count() {
            // A store runs at least as often as what it stores is made.
            0 => op.operand(1).map_or(1, |value| self.runs(origin(value))),
            _ => self.runs(result_of(op, 0)),
        }
    }

    fn follow<'c: 'a, 'a>(&mut self, op: OperationRef<'c, 'a>, first: usize) -> PassResult<'c> {
        let hints = op
            .results()
            .filter_map(|result| self.hints.get(&key(result.into())).copied());
        let Some((layout, weight)) = hints.max_by_key(|&(_, weight)| weight) else {
            return Ok(());
        };
        for (index, operand) in op.operands().enumerate().skip(first) {
            if operand.r#type().is_ranked_tensor() {
                let wanted = self.operand_in(op, index, layout)?;
                self.hint(operand, wanted, weight);
            }
        }
        Ok(())
    }

    /// The weightiest hint holds, of equal ones the first.
    fn hint(&mut self, value: Value<'_, '_>, layout: LayoutId, weight: u64) -> bool {
        let value = key(origin(value));
        match self.hints.get(&value) {
            Some(&(_, before)) if before >= weight => false,
            _ => {
                self.hints.insert(value, (layout, weight));
                true
            }
        }
    }
}

fn same_shape(op: OperationRef<'_, '_>, anchor: usize) -> bool {
    use mytriton_tile::emit::shape_of;
    let operand = op.operand(anchor).ok().and_then(|value| shape_of(value.r#type()));
    operand.is_some() && op.result_count() > 0 && operand == shape_of(result_of(op, 0).r#type())
}
