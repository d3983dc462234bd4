//! `tile.join` and `tile.split`: every thread has what it needs, so registers are chosen. Scalars, which all threads get, may
//! go through shared memory.

use melior::ir::{OperationRef, Type, Value, ValueLike};
use mytriton_layout::staging::Matrices;
use mytriton_layout::{DistributedLayout, source_registers};
use mytriton_tile::emit::{CmpI, Emitter, element_type};
use mytriton_tile::ops::{JoinOp, SplitOp, arith, vector};

use crate::interfaces::shared_memory::{Footprint, UsesSharedMemory};
use crate::ir::{PassResult, error_at, key, layout_at, tile_layout_at};
use crate::lower::conversion::Conversion;
use crate::lower::shared::scratch::Scratch;
use crate::lower::stored::stored_bytes;
use crate::lower::thread::{extract, pick};

/// How a split is carried out.
enum SplitPlan {
    /// The halves are tiles in this layout, whose elements every thread has.
    Tiles(Box<DistributedLayout>),
    /// The halves are scalars, which every thread has in these registers.
    Registers([u32; 2]),
    /// The halves are scalars, which go through shared memory.
    Shared(Footprint),
}

impl<'c> UsesSharedMemory<'c> for SplitOp<'c, '_> {
    fn footprint(self, _: Matrices) -> PassResult<'c, Option<Footprint>> {
        let op = self.operation();
        let from = tile_layout_at(op, self.source().r#type())?;
        Ok(match split_plan(self, &from)? {
            SplitPlan::Tiles(_) | SplitPlan::Registers(_) => None,
            SplitPlan::Shared(footprint) => Some(footprint),
        })
    }
}

fn split_plan<'c>(split: SplitOp<'c, '_>, from: &DistributedLayout) -> PassResult<'c, SplitPlan> {
    let op = split.operation();
    if let Some(to) = layout_at(op, split.first().r#type())? {
        return Ok(SplitPlan::Tiles(Box::new(to)));
    }
    if varies_between_threads(from, 0) {
        let bytes = stored_bytes(element_type(split.source().r#type()));
        return Ok(SplitPlan::Shared(Footprint::of_block("the split", 2 * bytes)));
    }
    let holds = |at| (0..from.num_registers()).find(|&register| from.coords(register, 0, 0)[..] == [at]);
    match (holds(0), holds(1)) {
        (Some(first), Some(second)) => Ok(SplitPlan::Registers([first, second])),
        _ => Err(error_at(op, "a thread lacks an element of what is split")),
    }
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    pub(crate) fn joined(
        &self,
        emitter: Emitter<'c, 'a>,
        join: JoinOp<'c, '_>,
        operands: &[Value<'c, 'a>],
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let op = join.operation();
        let to = tile_layout_at(op, join.result().r#type())?;
        let last = to.rank() - 1;
        let halves = match layout_at(op, join.first().r#type())? {
            None => [0, 1].map(|half| emitter.value(vector::BROADCAST, &[operands[half]], ty, &[])),
            Some(from) => {
                let place = |at: &[u32]| at[..last].to_vec();
                let picked = source_registers(&from, &to, place).map_err(|e| error_at(op, e.to_string()))?;
                [0, 1].map(|half| pick(emitter, operands[half], &picked, ty))
            }
        };
        let is_second = |register| to.coords(register, 0, 0)[last];
        if !varies_between_threads(&to, last) {
            let count = to.num_registers();
            let picked: Vec<u32> = (0..count)
                .map(|register| register + count * is_second(register))
                .collect();
            return Ok(shuffle(emitter, halves, &picked, ty));
        }
        let at = self
            .thread
            .coordinates(emitter, &to, last)
            .map_err(|e| error_at(op, e.to_string()))?;
        let zero = emitter.int_like(at.r#type(), 0);
        let is_first = emitter.cmpi(CmpI::Eq, at, zero);
        Ok(emitter.select(is_first, halves[0], halves[1]))
    }

    /// Enters the values of both results.
    pub(crate) fn split(
        &mut self,
        emitter: Emitter<'c, 'a>,
        split: SplitOp<'c, '_>,
        operand: Value<'c, 'a>,
        ty: Type<'c>,
    ) -> PassResult<'c> {
        let op = split.operation();
        let from = tile_layout_at(op, split.source().r#type())?;
        let halves = match split_plan(split, &from)? {
            SplitPlan::Tiles(to) => {
                let mut halves = [operand; 2];
                for (half, value) in (0..).zip(&mut halves) {
                    let place = |at: &[u32]| [at, &[half]].concat();
                    let picked = source_registers(&from, &to, place).map_err(|e| error_at(op, e.to_string()))?;
                    *value = pick(emitter, operand, &picked, ty);
                }
                halves
            }
            SplitPlan::Registers(registers) => registers.map(|register| extract(emitter, operand, register)),
            SplitPlan::Shared(footprint) => {
                let scratch = self.scratch(emitter, op, &footprint, 0)?;
                self.scalars_of(emitter, op, &from, operand, scratch)?
            }
        };
        for (result, value) in [split.first(), split.second()].into_iter().zip(halves) {
            self.values.insert(key(result), value);
        }
        Ok(())
    }

    /// Both elements of a tile of rank 1, for all threads, through shared memory.
    fn scalars_of(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        layout: &DistributedLayout,
        operand: Value<'c, 'a>,
        scratch: Scratch<'c, 'a>,
    ) -> PassResult<'c, [Value<'c, 'a>; 2]> {
        let element = element_type(operand.r#type());
        let bytes = stored_bytes(element) as i64;
        let at = self
            .thread
            .coordinates(emitter, layout, 0)
            .map_err(|e| error_at(op, e.to_string()))?;
        let scale = emitter.int_like(at.r#type(), bytes);
        let offsets = emitter.binary(arith::MULI, at, scale);
        let free = layout.register_free_mask();
        // Threads that hold the same element write the same value.
        for register in (0..layout.num_registers()).filter(|register| register & free == 0) {
            let value = extract(emitter, operand, register);
            scratch.store(emitter, extract(emitter, offsets, register), value);
        }
        self.block_barrier(emitter);
        Ok([0, bytes].map(|offset| scratch.load(emitter, emitter.int(32, offset), element)))
    }
}

/// Do threads have different coordinates along `axis` in the same register?
fn varies_between_threads(layout: &DistributedLayout, axis: usize) -> bool {
    let mut indices = ["lane", "warp"].into_iter();
    indices.any(|index| layout.linear().bases(index).any(|basis| basis[axis] != 0))
}

/// The vector of the elements of two, those of the second counted behind the first's.
fn shuffle<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    vectors: [Value<'c, 'a>; 2],
    picked: &[u32],
    ty: Type<'c>,
) -> Value<'c, 'a> {
    let mask: Vec<i64> = picked.iter().map(|&index| i64::from(index)).collect();
    emitter.vector_shuffle(vectors[0], vectors[1], &mask, ty).result()
}
