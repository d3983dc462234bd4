//! Reductions and scans. A `tile.reduce` goes by the plan that the `layout` crate derives from who owns what.
//!
//! Each thread combines its own elements, lanes exchange what they have by xor shuffles, after which all of them have the
//! result, and warps read what the others have from shared memory, each combining in the same order. So the result is
//! where the layout without the axis wants it, replicas included.

pub mod combiner;
mod scan;
pub mod warps;

use melior::ir::{Value, ValueLike};
use mytriton_layout::staging::Matrices;
use mytriton_layout::{DistributedLayout, ReductionPlan, WarpPartials, source_registers};
use mytriton_tile::emit::{Emitter, element_type, shape_of};
use mytriton_tile::ops::ReduceOp;

use crate::interfaces::shared_memory::{Footprint, UsesSharedMemory};
use crate::ir::{PassResult, error_at, key, layout_at, tile_layout_at};
use crate::lower::conversion::Conversion;
use crate::lower::reduce::combiner::{Combiner, Partial, Validity};
use crate::lower::reduce::warps::WarpTable;
use crate::lower::stored::stored_bytes;
use crate::lower::thread::{extract, from_elements};

/// How a reduction is carried out.
struct Plan<'c, 'o> {
    combiner: Combiner<'c, 'o>,
    /// The layout of the operands.
    layout: DistributedLayout,
    /// That of the result, where the operands' leaves it.
    kept: DistributedLayout,
    threads: ReductionPlan,
    axis: usize,
    extent: u64,
    /// What warps exchange; `None` where each has all that it combines.
    exchange: Option<WarpTable>,
}

impl<'c: 'o, 'o> Plan<'c, 'o> {
    fn new(reduce: ReduceOp<'c, 'o>) -> PassResult<'c, Self> {
        let op = reduce.operation();
        let axis = reduce.axis() as usize;
        let ty = reduce.operands().next().map(|value| value.r#type());
        let ty = ty.ok_or_else(|| error_at(op, "a reduction has an operand"))?;
        let layout = tile_layout_at(op, ty)?;
        let extent = shape_of(ty).and_then(|shape| shape.get(axis).copied()).unwrap_or(1);
        let (threads, kept) = ReductionPlan::from_layout(&layout, axis).map_err(|e| error_at(op, e.to_string()))?;
        let combiner = Combiner::new(reduce.combine());
        let exchange = (!threads.warp_bits.is_empty()).then(|| {
            let validity = Validity::along(&layout, axis, extent);
            let of_group = |group: &Vec<u32>| {
                let of_slots = group.iter().map(|&slot| combiner.filled(validity[slot as usize]));
                of_slots.fold(Validity::Never, Validity::or)
            };
            let partials = WarpPartials::new(&kept, &threads.warp_bits, 0);
            let elements = reduce
                .operands()
                .map(|value| stored_bytes(element_type(value.r#type())));
            WarpTable::new(partials, elements, threads.slot_groups.iter().map(of_group))
        });
        Ok(Plan {
            combiner,
            layout,
            kept,
            threads,
            axis,
            extent,
            exchange,
        })
    }
}

impl<'c> UsesSharedMemory<'c> for ReduceOp<'c, '_> {
    fn footprint(self, _: Matrices) -> PassResult<'c, Option<Footprint>> {
        let plan = Plan::new(self)?;
        Ok(plan.exchange.as_ref().map(table_footprint))
    }
}

fn table_footprint(table: &WarpTable) -> Footprint {
    Footprint::of_block("the reduction", table.bytes)
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    pub(crate) fn reduce(
        &mut self,
        emitter: Emitter<'c, 'a>,
        reduce: ReduceOp<'c, '_>,
        operands: &[Value<'c, 'a>],
    ) -> PassResult<'c> {
        let op = reduce.operation();
        let plan = Plan::new(reduce)?;
        let Plan {
            combiner, layout, kept, ..
        } = &plan;
        let validity = self.validity_along(emitter, op, layout, plan.axis, plan.extent)?;
        let mut partials = Vec::new();
        for group in &plan.threads.slot_groups {
            let of_slot = |&slot: &u32| {
                let values = operands.iter().map(|&vector| extract(emitter, vector, slot)).collect();
                let validity = validity[slot as usize];
                self.filled(emitter, combiner, Partial { values, validity })
            };
            let slots = group.iter().map(of_slot).collect();
            partials.push(self.tree(emitter, combiner, slots)?);
        }
        for &bit in &plan.threads.lane_bits {
            partials = self.with_lane(emitter, combiner, &partials, bit)?;
        }
        if let Some(table) = &plan.exchange {
            let scratch = self.scratch(emitter, op, &table_footprint(table), 0)?;
            partials = self
                .parts_of_warps(emitter, table, scratch, &partials)
                .into_iter()
                .map(|parts| self.tree(emitter, combiner, parts))
                .collect::<PassResult<_>>()?;
        }

        for (index, result) in reduce.results().enumerate() {
            let value = match layout_at(op, result.r#type())? {
                None => partials[0].values[index],
                Some(wanted) => {
                    let picked = source_registers(kept, &wanted, <[u32]>::to_vec);
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
        combiner: &Combiner<'c, '_>,
        partials: &[Partial<'c, 'a>],
        bit: u32,
    ) -> PassResult<'c, Vec<Partial<'c, 'a>>> {
        let others = self.shuffled(emitter, partials, 1 << bit);
        let lower = match combiner.is_commutative() {
            true => None,
            false => self.thread.is_zero_in(emitter, 1 << bit),
        };
        let both = partials.iter().zip(&others);
        both.map(|(own, other)| match lower {
            None => self.join(emitter, combiner, own, other),
            Some(lower) => {
                let left = Partial::choose(emitter, lower, own, other);
                let right = Partial::choose(emitter, lower, other, own);
                self.join(emitter, combiner, &left, &right)
            }
        })
        .collect()
    }
}
