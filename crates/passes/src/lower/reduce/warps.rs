//! What warps have combined, each for itself, read by all of them through shared memory.

use melior::ir::{Type, Value, ValueLike};
use mytriton_layout::WarpPartials;
use mytriton_tile::emit::Emitter;
use mytriton_tile::ops::arith;

use crate::lower::conversion::Conversion;
use crate::lower::reduce::combiner::{Partial, Validity};
use crate::lower::shared::scratch::{Scratch, guarded};

/// The arrays in shared memory through which warps read what the others have combined: the plan of an exchange.
///
/// An array has the parts of a warp after one another, and in those the tuples of the threads, so that neighbouring threads
/// use neighbouring words.
pub struct WarpTable {
    /// Who holds what.
    pub partials: WarpPartials,
    /// Tuples that each thread holds.
    tuples: u64,
    /// An array for each operand of the combiner, and one for validity where that differs between threads.
    columns: Vec<Column>,
    /// The bytes of all arrays.
    pub bytes: u64,
}

/// One array, of the numbers of an operand or of whether they are valid.
#[derive(Clone, Copy)]
struct Column {
    start: u64,
    element_bytes: u64,
}

/// The bytes that an `i1` takes in memory.
const FLAG_BYTES: u64 = 1;

impl WarpTable {
    /// For tuples of elements of so many bytes each, given the validity of each tuple that a thread holds.
    pub fn new(
        partials: WarpPartials,
        element_bytes: impl IntoIterator<Item = u64>,
        validity: impl IntoIterator<Item = Validity>,
    ) -> Self {
        let validity: Vec<Validity> = validity.into_iter().collect();
        let tuples = validity.len() as u64;
        let records = (partials.num_parts() * tuples) << partials.distinct.len();
        let flag = validity.contains(&Validity::Where(())).then_some(FLAG_BYTES);
        let mut bytes = 0u64;
        let mut columns = Vec::new();
        for element_bytes in element_bytes.into_iter().chain(flag) {
            let start = bytes.next_multiple_of(element_bytes);
            bytes = start + records * element_bytes;
            columns.push(Column { start, element_bytes });
        }
        WarpTable {
            partials,
            tuples,
            columns,
            bytes,
        }
    }
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    /// For each tuple that a thread holds, what each of the warps has of it, in order.
    pub(crate) fn parts_of_warps(
        &self,
        emitter: Emitter<'c, 'a>,
        table: &WarpTable,
        scratch: Scratch<'c, 'a>,
        partials: &[Partial<'c, 'a>],
    ) -> Vec<Vec<Partial<'c, 'a>>> {
        let WarpTable {
            partials: warps,
            tuples,
            columns,
            ..
        } = table;
        let threads = 1u64 << warps.distinct.len();
        let thread = self.thread.gathered(emitter, &warps.distinct);
        let part = self.thread.gathered(emitter, &warps.reduced);
        let scale = emitter.int_like(part.r#type(), (tuples * threads) as i64);
        let own = emitter.binary(arith::MULI, part, scale);
        let own = emitter.binary(arith::ADDI, own, thread);
        let at = |emitter: Emitter<'c, 'a>, index: Value<'c, 'a>, column: &Column, record: u64| {
            let bytes = emitter.int_like(index.r#type(), column.element_bytes as i64);
            let scaled = emitter.binary(arith::MULI, index, bytes);
            let start = (column.start + record * column.element_bytes) as i64;
            emitter.binary(arith::ADDI, scaled, emitter.int_like(index.r#type(), start))
        };
        let writer = self.thread.is_zero_in(emitter, warps.copies);
        guarded(emitter, writer, |emitter| {
            for (tuple, partial) in partials.iter().enumerate() {
                let flag = partial.validity.value(emitter);
                for (column, value) in columns.iter().zip(partial.values.iter().copied().chain([flag])) {
                    scratch.store(emitter, at(emitter, own, column, tuple as u64 * threads), value);
                }
            }
        });
        self.block_barrier(emitter);
        let load = |tuple: u64, part: u64, column: &Column, element: Type<'c>| {
            let offset = at(emitter, thread, column, (part * tuples + tuple) * threads);
            scratch.load(emitter, offset, element)
        };
        let parts_of = |(tuple, partial): (usize, &Partial<'c, 'a>)| {
            let part = |part| {
                let (values, flags) = columns.split_at(partial.values.len());
                let elements = partial.values.iter().map(|value| value.r#type());
                Partial {
                    values: values
                        .iter()
                        .zip(elements)
                        .map(|(column, element)| load(tuple as u64, part, column, element))
                        .collect(),
                    validity: match (partial.validity, flags) {
                        (Validity::Where(flag), [column]) => {
                            Validity::Where(load(tuple as u64, part, column, flag.r#type()))
                        }
                        (known, _) => known,
                    },
                }
            };
            (0..warps.num_parts()).map(part).collect()
        };
        partials.iter().enumerate().map(parts_of).collect()
    }
}
