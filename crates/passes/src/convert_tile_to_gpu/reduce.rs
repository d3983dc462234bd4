//! `tile.reduce`, by the plan that the `layout` crate derives from who owns what.
//!
//! Each thread combines its own elements, lanes exchange what they have by xor shuffles, after which all of them have the
//! result, and warps read what the others have from shared memory, each combining in the same order. So the result is
//! where the layout without the axis wants it, replicas included.

use melior::ir::Value;
use melior::ir::ValueLike;
use mytriton_layout::{ReductionPlan, WarpPartials, source_registers};
use mytriton_tile::emit::{Emitter, shape_of};
use mytriton_tile::ops::ReduceOp;

use super::Conversion;
use super::combine::{Combine, Partial};
use super::thread::{extract, from_elements};
use crate::ir::{PassResult, error_at, key, layout_at};

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    pub(super) fn reduce(
        &mut self,
        emitter: Emitter<'c, 'a>,
        reduce: ReduceOp<'c, '_>,
        operands: &[Value<'c, 'a>],
    ) -> PassResult<'c> {
        let op = reduce.operation();
        let axis = reduce.axis() as usize;
        let ty = reduce.operands().next().map(|value| value.r#type());
        let ty = ty.ok_or_else(|| error_at(op, "a reduction has an operand"))?;
        let layout = layout_at(op, ty)?.ok_or_else(|| error_at(op, "a tile is expected"))?;
        let extent = shape_of(ty).and_then(|shape| shape.get(axis).copied()).unwrap_or(1);
        let (plan, kept) = ReductionPlan::from_layout(&layout, axis).map_err(|e| error_at(op, e.to_string()))?;
        let combine = Combine::new(reduce.combine());

        let live = self.live(emitter, op, &layout, axis, extent)?;
        let mut partials = Vec::new();
        for group in &plan.slot_groups {
            let of_slot = |&slot: &u32| {
                let values = operands.iter().map(|&vector| extract(emitter, vector, slot)).collect();
                let live = live[slot as usize];
                self.filled(emitter, &combine, Partial { values, live })
            };
            let slots = group.iter().map(of_slot).collect();
            partials.push(self.tree(emitter, &combine, slots)?);
        }
        for &bit in &plan.lane_bits {
            partials = self.with_lane(emitter, &combine, &partials, bit)?;
        }
        if !plan.warp_bits.is_empty() {
            let warps = WarpPartials::new(&kept, &plan.warp_bits, 0);
            let parts = self.parts_of_warps(emitter, op, "the reduction", &partials, &warps)?;
            partials = parts
                .into_iter()
                .map(|parts| self.tree(emitter, &combine, parts))
                .collect::<PassResult<_>>()?;
        }

        for (index, result) in reduce.results().enumerate() {
            let value = match layout_at(op, result.r#type())? {
                None => partials[0].values[index],
                Some(wanted) => {
                    let picked = source_registers(&kept, &wanted, <[u32]>::to_vec);
                    let picked = picked.map_err(|e| error_at(op, e.to_string()))?;
                    let values: Vec<_> = picked
                        .iter()
                        .map(|&group| partials[group as usize].values[index])
                        .collect();
                    from_elements(emitter, &values, self.lowered(op, result.r#type())?)
                }
            };
            self.values.insert(key(result), value);
        }
        Ok(())
    }

    /// What a thread has, combined with what the lane has whose number differs in this bit.
    fn with_lane(
        &mut self,
        emitter: Emitter<'c, 'a>,
        combine: &Combine<'c, '_>,
        partials: &[Partial<'c, 'a>],
        bit: u32,
    ) -> PassResult<'c, Vec<Partial<'c, 'a>>> {
        let others = self.shuffled(emitter, partials, 1 << bit);
        let lower = match combine.commutative() {
            true => None,
            false => self.thread.is_zero_in(emitter, 1 << bit),
        };
        let both = partials.iter().zip(&others);
        both.map(|(own, other)| match lower {
            None => self.join(emitter, combine, own, other),
            Some(lower) => {
                let left = Partial::choose(emitter, lower, own, other);
                let right = Partial::choose(emitter, lower, other, own);
                self.join(emitter, combine, &left, &right)
            }
        })
        .collect()
    }
}
