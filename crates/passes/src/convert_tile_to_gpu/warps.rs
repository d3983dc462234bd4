//! What warps have combined, each for itself, read by all of them through shared memory.

use melior::ir::r#type::IntegerType;
use melior::ir::{OperationRef, Type, Value, ValueLike};
use mytriton_layout::DistributedLayout;
use mytriton_tile::emit::Emitter;

use super::combine::{Live, Partial};
use super::scratch::guarded;
use super::stored::stored_bytes;
use super::{Conversion, LANES};
use crate::ir::PassResult;

/// Which threads hold what before an exchange, by bits of the thread's number in its block.
pub struct Holders {
    /// Bits, from low to high, that number the warps to read from.
    pub across: Vec<u32>,
    /// Bits that tell threads with different tuples apart. Threads that differ in others hold the same.
    pub apart: u32,
    /// All bits.
    pub all: u32,
}

impl Holders {
    /// Of partial results in the given layout: `across` bits of the warp hold parts of the same tuple, and the `same` bits of
    /// the thread nothing that differs.
    pub fn new(layout: &DistributedLayout, across: &[u32], same: u32) -> Self {
        let across: Vec<u32> = across.iter().map(|bit| LANES.ilog2() + bit).collect();
        let moves = |input: &str| {
            let bases = layout.linear().bases(input).enumerate();
            bases.fold(0, |bits, (bit, basis)| match basis.iter().any(|&c| c != 0) {
                true => bits | 1 << bit,
                false => bits,
            })
        };
        let apart: u32 = moves("lane") | moves("warp") << LANES.ilog2();
        let taken = across.iter().fold(same, |bits, bit| bits | 1 << bit);
        Holders {
            across,
            apart: apart & !taken,
            all: layout.num_warps() * LANES - 1,
        }
    }

    fn num_parts(&self) -> u64 {
        1 << self.across.len()
    }
}

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
        holders: &Holders,
    ) -> PassResult<'c, Vec<Vec<Partial<'c, 'a>>>> {
        let apart: Vec<u32> = (0..32).filter(|bit| holders.apart >> bit & 1 != 0).collect();
        let (tuples, threads) = (partials.len() as u64, 1u64 << apart.len());
        let records = holders.num_parts() * tuples * threads;
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

        let thread = self.thread.gathered(emitter, &apart);
        let part = self.thread.gathered(emitter, &holders.across);
        let scale = emitter.int_like(part.r#type(), (tuples * threads) as i64);
        let own = emitter.binary("arith.muli", part, scale);
        let own = emitter.binary("arith.addi", own, thread);
        let at = |emitter: Emitter<'c, 'a>, index: Value<'c, 'a>, column: &Column<'c>, record: u64| {
            let bytes = emitter.int_like(index.r#type(), column.bytes as i64);
            let scaled = emitter.binary("arith.muli", index, bytes);
            let start = emitter.int_like(index.r#type(), (column.start + record * column.bytes) as i64);
            emitter.binary("arith.addi", scaled, start)
        };
        let across = holders.across.iter().fold(0, |bits, bit| bits | 1 << bit);
        let writer = self.thread.is_zero_in(emitter, holders.all & !(holders.apart | across));
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
            (0..holders.num_parts()).map(part).collect()
        };
        Ok(partials.iter().enumerate().map(parts_of).collect())
    }
}
