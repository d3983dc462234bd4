//! `tile.join` and `tile.split`: every thread has what it needs, so registers are chosen. Scalars, which all threads get, may
//! go through shared memory.

use melior::ir::attribute::DenseI64ArrayAttribute;
use melior::ir::{OperationRef, Type, Value, ValueLike};
use mytriton_layout::{DistributedLayout, source_registers};
use mytriton_tile::emit::{CmpI, Emitter, element_type};
use mytriton_tile::ops::{JoinOp, SplitOp};

use super::Conversion;
use super::stored::stored_bytes;
use super::thread::{extract, pick};
use crate::ir::{PassResult, error_at, key, layout_at};

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    pub(super) fn joined(
        &self,
        emitter: Emitter<'c, 'a>,
        join: JoinOp<'c, '_>,
        operands: &[Value<'c, 'a>],
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let op = join.operation();
        let to = layout_at(op, join.result().r#type())?.ok_or_else(|| error_at(op, "a tile is expected"))?;
        let last = to.rank() - 1;
        let halves = match layout_at(op, join.first().r#type())? {
            None => [0, 1].map(|half| emitter.value("vector.broadcast", &[operands[half]], ty, &[])),
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
    pub(super) fn split(
        &mut self,
        emitter: Emitter<'c, 'a>,
        split: SplitOp<'c, '_>,
        operand: Value<'c, 'a>,
        ty: Type<'c>,
    ) -> PassResult<'c> {
        let op = split.operation();
        let from = layout_at(op, split.source().r#type())?.ok_or_else(|| error_at(op, "a tile is expected"))?;
        let halves = match layout_at(op, split.first().r#type())? {
            None => self.scalars_of(emitter, op, &from, operand)?,
            Some(to) => {
                let mut halves = [operand; 2];
                for (half, value) in (0..).zip(&mut halves) {
                    let place = |at: &[u32]| [at, &[half]].concat();
                    let picked = source_registers(&from, &to, place).map_err(|e| error_at(op, e.to_string()))?;
                    *value = pick(emitter, operand, &picked, ty);
                }
                halves
            }
        };
        for (result, value) in [split.first(), split.second()].into_iter().zip(halves) {
            self.values.insert(key(result), value);
        }
        Ok(())
    }

    /// Both elements of a tile of rank 1, for all threads: through shared memory unless each has them.
    fn scalars_of(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        layout: &DistributedLayout,
        operand: Value<'c, 'a>,
    ) -> PassResult<'c, [Value<'c, 'a>; 2]> {
        let registers: Vec<u32> = (0..layout.num_registers()).collect();
        if !varies_between_threads(layout, 0) {
            let holds = |at| {
                registers
                    .iter()
                    .copied()
                    .find(|&register| layout.coords(register, 0, 0)[..] == [at])
            };
            let missing = || error_at(op, "a thread lacks an element of what is split");
            let [first, second] = [holds(0).ok_or_else(missing)?, holds(1).ok_or_else(missing)?];
            return Ok([first, second].map(|register| extract(emitter, operand, register)));
        }
        let element = element_type(operand.r#type());
        let bytes = stored_bytes(element) as i64;
        let scratch = self.scratch(emitter, op, "the split", 2 * bytes as u64)?;
        let at = self
            .thread
            .coordinates(emitter, layout, 0)
            .map_err(|e| error_at(op, e.to_string()))?;
        let scale = emitter.int_like(at.r#type(), bytes);
        let offsets = emitter.binary("arith.muli", at, scale);
        let free = layout.register_free_mask();
        // Threads that hold the same element write the same value.
        for register in registers.into_iter().filter(|register| register & free == 0) {
            let value = extract(emitter, operand, register);
            scratch.store(emitter, extract(emitter, offsets, register), value);
        }
        self.stored(emitter);
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
    let mask = DenseI64ArrayAttribute::new(emitter.context, &mask);
    emitter.value("vector.shuffle", &vectors, ty, &[("mask", mask.into())])
}
