//! `tile.gather`: within warps by shuffles, where the layouts are such that no element comes from another warp and few
//! registers may hold it. Else the source lies in shared memory in row-major order, from where each thread loads what its
//! indices name.

use melior::ir::{Type, Value, ValueLike};
use mytriton_layout::staging::Matrices;
use mytriton_layout::{DistributedLayout, LayoutError, WarpGather};
use mytriton_tile::emit::{CmpI, Emitter, element_type, shape_of};
use mytriton_tile::ops::{GatherOp, arith};

use crate::interfaces::shared_memory::{Footprint, UsesSharedMemory};
use crate::ir::{PassResult, error_at, tile_layout_at};
use crate::lower::conversion::Conversion;
use crate::lower::exchange::shuffle::From;
use crate::lower::shared::row_major::{load_rows, offsets, resized};
use crate::lower::stored::stored_bytes;
use crate::lower::thread::{extract, from_elements};

/// How a gather is carried out, between the layouts of its source and its index.
enum Plan {
    /// By shuffles within warps.
    Lanes(Box<WarpGather>),
    /// Through shared memory, which holds the source without its padding.
    Rows(Footprint),
}

impl<'c> UsesSharedMemory<'c> for GatherOp<'c, '_> {
    fn footprint(self, _: Matrices) -> PassResult<'c, Option<Footprint>> {
        let (from, to) = layouts_of(self)?;
        Ok(match plan(self, &from, &to) {
            Plan::Lanes(_) => None,
            Plan::Rows(footprint) => Some(footprint),
        })
    }
}

fn plan(gather: GatherOp<'_, '_>, from: &DistributedLayout, to: &DistributedLayout) -> Plan {
    if let Some(exchange) = within_warps(from, to, gather.axis() as usize) {
        return Plan::Lanes(Box::new(exchange));
    }
    let source = gather.source().r#type();
    let elements: u64 = shape_of(source).unwrap_or_default().iter().product();
    Plan::Rows(Footprint::of_block(
        "the gather",
        elements * stored_bytes(element_type(source)),
    ))
}

/// The layouts of the source and of the index.
fn layouts_of<'c>(gather: GatherOp<'c, '_>) -> PassResult<'c, (DistributedLayout, DistributedLayout)> {
    let op = gather.operation();
    let (source, index) = (gather.source().r#type(), gather.index().r#type());
    Ok((tile_layout_at(op, source)?, tile_layout_at(op, index)?))
}

/// Shuffles that take as long as the two barriers which they spare.
const BARRIERS: usize = 16;

/// Registers of which a thread chooses at most, with a selection for each but one.
const MOST_CHOICES: usize = 16;

/// The exchange of a gather within warps, if there is one that takes no longer than shared memory.
fn within_warps(from: &DistributedLayout, to: &DistributedLayout, axis: usize) -> Option<WarpGather> {
    let plan = WarpGather::new(from, to, axis)?;
    let [stored, loaded] = [from, to].map(|layout| layout.unique_registers().len());
    let sent = match plan.keeps_lanes {
        true => 0,
        false => loaded * plan.num_choices(),
    };
    (plan.num_choices() <= MOST_CHOICES && sent <= stored + loaded + BARRIERS).then_some(plan)
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    pub(crate) fn gather(
        &self,
        emitter: Emitter<'c, 'a>,
        gather: GatherOp<'c, '_>,
        operands: &[Value<'c, 'a>],
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let op = gather.operation();
        let (from, to) = layouts_of(gather)?;
        let extents = shape_of(gather.source().r#type()).unwrap_or_default();
        let axis = gather.axis() as usize;
        let footprint = match plan(gather, &from, &to) {
            Plan::Lanes(exchange) => {
                let size = from.shape()[axis];
                let gathered = self.by_shuffles(emitter, &exchange, (&to, size), operands, ty);
                return gathered.map_err(|e| error_at(op, e.to_string()));
            }
            Plan::Rows(footprint) => footprint,
        };
        let scratch = self.scratch(emitter, op, &footprint, 0)?;

        let bytes = stored_bytes(element_type(ty));
        let store_at = self.offsets_of(emitter, op, &from, &extents, bytes)?;
        self.store_rows(emitter, &from, operands[0], &store_at, scratch);

        let mut named = Vec::new();
        for axis_of_index in 0..extents.len() {
            named.push(match axis_of_index == axis {
                true => operands[1],
                false => self.along(emitter, op, &to, axis_of_index)?,
            });
        }
        // Whatever an index is, what is loaded is of the source.
        let mut wide: Vec<u32> = to.shape().to_vec();
        wide[axis] = u32::MAX;
        let load_at = offsets(emitter, &named, &extents, &wide, bytes);
        Ok(load_rows(emitter, &to, ty, &load_at, scratch))
    }

    /// The gather of `operands`, source and index, by a plan: the index in layout `to`, the source's padded extent along the
    /// axis `size`.
    fn by_shuffles(
        &self,
        emitter: Emitter<'c, 'a>,
        plan: &WarpGather,
        (to, size): (&DistributedLayout, u32),
        operands: &[Value<'c, 'a>],
        ty: Type<'c>,
    ) -> Result<Value<'c, 'a>, LayoutError> {
        // Whatever an index is, a lane and register of it are.
        let named = resized(emitter, operands[1], |_| 32);
        let low = emitter.int_like(named.r#type(), i64::from(size - 1));
        let named = emitter.binary(arith::ANDI, named, low);
        let of_thread = match plan.keeps_lanes {
            true => None,
            false => Some(self.thread.share(emitter, &plan.lane_of_thread, 0)?),
        };
        let represents = to.register_representatives();
        let mut values: Vec<Value<'c, 'a>> = Vec::new();
        for register in 0..to.num_registers() {
            let first = represents[register as usize];
            if first < register {
                values.push(values[first as usize]);
                continue;
            }
            let index = extract(emitter, named, register);
            let candidates = plan.candidates[register as usize].iter();
            let mut found: Vec<Value<'c, 'a>> = candidates.map(|&held| extract(emitter, operands[0], held)).collect();
            if let Some(of_thread) = of_thread {
                let of_index = self.thread.of_index(emitter, &plan.lane_of_index, 0, index);
                let mut lane = emitter.binary(arith::XORI, of_thread, of_index);
                let of_register = plan.lane_of_thread.apply_in_order(&[register, 0, 0])[0];
                if of_register != 0 {
                    let of_register = emitter.int_like(lane.r#type(), of_register.into());
                    lane = emitter.binary(arith::XORI, lane, of_register);
                }
                found = self.exchanged(emitter, &found, From::Lane(lane));
            }
            for &bit in &plan.choosing {
                let mask = emitter.int_like(index.r#type(), 1 << bit);
                let zero = emitter.int_like(index.r#type(), 0);
                let masked = emitter.binary(arith::ANDI, index, mask);
                let upper = emitter.cmpi(CmpI::Ne, masked, zero);
                // The choices of a bit alternate.
                let pairs = found.chunks(2).map(|pair| emitter.select(upper, pair[1], pair[0]));
                found = pairs.collect();
            }
            values.push(found[0]);
        }
        Ok(from_elements(emitter, &values, ty))
    }
}
