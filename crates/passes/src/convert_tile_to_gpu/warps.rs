//! What warps have combined, each for itself, read by all of them through shared memory.

use melior::ir::r#type::IntegerType;
use melior::ir::{OperationRef, Type, Value, ValueLike};
use mytriton_layout::WarpPartials;
use mytriton_tile::emit::Emitter;

use super::Conversion;
use super::combine::{Live, Partial};
use super::scratch::guarded;
use super::stored::stored_bytes;
use crate::ir::PassResult;

/// One array in shared memory, of the numbers of an operand or of whether they are live.
struct Column<'c> {
    element: Type<'c>,
    start: u64,
    bytes: u64,
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    /// For each tuple that a thread holds, what each of the warps has of it, in order.
    ///
    /// A column has the parts of a warp after one another, and in those the tuples of the threads, so that neighbouring
    /// threads use neighbouring words.
    pub(super) fn parts_of_warps(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        what: &str,
        partials: &[Partial<'c, 'a>],
        warps: &WarpPartials,
    ) -> PassResult<'c, Vec<Vec<Partial<'c, 'a>>>> {
        let (tuples, threads) = (partials.len() as u64, 1u64 << warps.distinct.len());
        let records = warps.num_parts() * tuples * threads;
        let Some(first) = partials.first() else {
            return Ok(Vec::new());
        };
        let mut elements: Vec<Type<'c>> = first.values.iter().map(|value| value.r#type()).collect();
        if partials.iter().any(|partial| matches!(partial.live, Live::Where(_))) {
            elements.push(IntegerType::new(self.context, 1).into());
        }
        let mut end = 0u64;
        let mut columns = Vec::new();
        for element in elements {
            let bytes = stored_bytes(element);
            let start = end.next_multiple_of(bytes);
            end = start + records * bytes;
            columns.push(Column { element, start, bytes });
        }
        let scratch = self.scratch(emitter, op, what, end)?;

        let thread = self.thread.gathered(emitter, &warps.distinct);
        let part = self.thread.gathered(emitter, &warps.reduced);
        let scale = emitter.int_like(part.r#type(), (tuples * threads) as i64);
        let own = emitter.binary("arith.muli", part, scale);
        let own = emitter.binary("arith.addi", own, thread);
        let at = |emitter: Emitter<'c, 'a>, index: Value<'c, 'a>, column: &Column<'c>, record: u64| {
            let bytes = emitter.int_like(index.r#type(), column.bytes as i64);
            let scaled = emitter.binary("arith.muli", index, bytes);
            let start = emitter.int_like(index.r#type(), (column.start + record * column.bytes) as i64);
            emitter.binary("arith.addi", scaled, start)
        };
        let writer = self.thread.is_zero_in(emitter, warps.copies);
        guarded(emitter, writer, |emitter| {
            for (tuple, partial) in partials.iter().enumerate() {
                let flag = partial.live.value(emitter);
                for (column, value) in columns.iter().zip(partial.values.iter().copied().chain([flag])) {
                    scratch.store(emitter, at(emitter, own, column, tuple as u64 * threads), value);
                }
            }
        });
        self.stored(emitter);
        let load = |tuple: u64, part: u64, column: &Column<'c>| {
            let offset = at(emitter, thread, column, (part * tuples + tuple) * threads);
            scratch.load(emitter, offset, column.element)
        };
        let parts_of = |(tuple, partial): (usize, &Partial<'c, 'a>)| {
            let part = |part| {
                let (values, flags) = columns.split_at(partial.values.len());
                Partial {
                    values: values.iter().map(|column| load(tuple as u64, part, column)).collect(),
                    live: match (partial.live, flags) {
                        (Live::Where(_), [flag]) => Live::Where(load(tuple as u64, part, flag)),
                        (live, _) => live,
                    },
                }
            };
            (0..warps.num_parts()).map(part).collect()
        };
        Ok(partials.iter().enumerate().map(parts_of).collect())
    }
}
