//! `tile.histogram`: bins in shared memory, which threads clear, then count up by atomic additions, then read.

use melior::ir::r#type::IntegerType;
use melior::ir::{Type, Value, ValueLike};
use mytriton_layout::staging::Matrices;
use mytriton_tile::emit::{CmpI, Emitter, element_type, shape_of, with_element};
use mytriton_tile::ops::llvm::{AtomicBinOp, AtomicOrdering};
use mytriton_tile::ops::{HistogramOp, arith, vector};

use crate::LANES;
use crate::interfaces::shared_memory::{Footprint, UsesSharedMemory};
use crate::ir::{PassResult, error_at, tile_layout_at};
use crate::lower::conversion::Conversion;
use crate::lower::shared::buffers;
use crate::lower::shared::scratch::guarded;
use crate::lower::thread::{extract, from_elements};

/// The bytes of a bin.
const BIN_BYTES: u64 = 4;

/// Shared memory for a count of every bin.
fn plan(histogram: HistogramOp<'_, '_>) -> Footprint {
    Footprint::of_block("the histogram", num_bins(histogram) * BIN_BYTES)
}

impl<'c> UsesSharedMemory<'c> for HistogramOp<'c, '_> {
    fn footprint(self, _: Matrices) -> PassResult<'c, Option<Footprint>> {
        Ok(Some(plan(self)))
    }
}

fn num_bins(histogram: HistogramOp<'_, '_>) -> u64 {
    shape_of(histogram.result().r#type())
        .unwrap_or_default()
        .iter()
        .product()
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    pub(crate) fn histogram(
        &mut self,
        emitter: Emitter<'c, 'a>,
        histogram: HistogramOp<'c, '_>,
        operands: &[Value<'c, 'a>],
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let op = histogram.operation();
        let (source, result) = (histogram.source().r#type(), histogram.result().r#type());
        let (from, to) = (tile_layout_at(op, source)?, tile_layout_at(op, result)?);
        let i32_type: Type<'c> = IntegerType::new(self.context, 32).into();
        let bins = num_bins(histogram);
        let scratch = self.scratch(emitter, op, &plan(histogram), 0)?;

        // Each thread clears the bins of its number, and those that lie a block of threads behind one another.
        let threads = u64::from(from.num_warps() * LANES);
        let zero = emitter.int(32, 0);
        for first in (0..bins).step_by(threads as usize) {
            let bin = self.thread.id;
            let rest = bins - first;
            let exists = (rest < threads).then(|| {
                let end = emitter.int(32, rest as i64);
                emitter.cmpi(CmpI::Ult, bin, end)
            });
            guarded(emitter, exists, |emitter| {
                let first = emitter.int(32, first as i64);
                let offset = byte_offset(emitter, emitter.binary(arith::ADDI, bin, first));
                scratch.store(emitter, offset, zero);
            });
        }
        self.block_barrier(emitter);

        let counted = self.elements_counted(emitter, histogram, operands, bins)?;
        let free = from.register_free_mask();
        let one = emitter.int(32, 1);
        for register in (0..from.num_registers()).filter(|register| register & free == 0) {
            let condition = counted.map(|counted| extract(emitter, counted, register));
            guarded(emitter, condition, |emitter| {
                let number = extract(emitter, operands[0], register);
                let bits = bits_of(number.r#type());
                let bin = match bits {
                    32 => number,
                    _ if bits < 32 => emitter.value(arith::EXTUI, &[number], i32_type, &[]),
                    _ => emitter.value(arith::TRUNCI, &[number], i32_type, &[]),
                };
                let address = buffers::at(emitter, scratch.base(), byte_offset(emitter, bin));
                // In any order with others, for the threads of the block.
                emitter
                    .llvm_atomicrmw(address, one, AtomicBinOp::Add, AtomicOrdering::Monotonic, i32_type)
                    .with_syncscope("block");
            });
        }
        self.block_barrier(emitter);

        let at = self
            .thread
            .coordinates(emitter, &to, 0)
            .map_err(|e| error_at(op, e.to_string()))?;
        let last = bins as i64 - 1;
        let represents = to.register_representatives();
        let mut values: Vec<Value<'c, 'a>> = Vec::new();
        for register in 0..to.num_registers() {
            let first = represents[register as usize];
            values.push(match first < register {
                true => values[first as usize],
                false => {
                    let mut bin = extract(emitter, at, register);
                    // Padding reads some bin.
                    if !bins.is_power_of_two() {
                        bin = emitter.binary(arith::MINUI, bin, emitter.int(32, last));
                    }
                    scratch.load(emitter, byte_offset(emitter, bin), i32_type)
                }
            });
        }
        Ok(from_elements(emitter, &values, ty))
    }

    /// Which of a thread's elements it counts, a vector of `i1`: those of the tile, not of its padding, that have a bin and
    /// whose mask holds, in one of the threads that hold them. None for all.
    fn elements_counted(
        &self,
        emitter: Emitter<'c, 'a>,
        histogram: HistogramOp<'c, '_>,
        operands: &[Value<'c, 'a>],
        bins: u64,
    ) -> PassResult<'c, Option<Value<'c, 'a>>> {
        let op = histogram.operation();
        let source = histogram.source().r#type();
        let layout = tile_layout_at(op, source)?;
        let mut conditions: Vec<Value<'c, 'a>> = operands.get(1).copied().into_iter().collect();
        let numbers = operands[0].r#type();
        let bits = bits_of(element_type(numbers));
        if bits == 64 || bins < 1 << bits {
            let end = emitter.int_like(numbers, bins as i64);
            conditions.push(emitter.cmpi(CmpI::Ult, operands[0], end));
        }
        for (axis, &extent) in shape_of(source).unwrap_or_default().iter().enumerate() {
            if extent.is_power_of_two() {
                continue;
            }
            let at = self
                .thread
                .coordinates(emitter, &layout, axis)
                .map_err(|e| error_at(op, e.to_string()))?;
            let end = emitter.int_like(at.r#type(), extent as i64);
            conditions.push(emitter.cmpi(CmpI::Ult, at, end));
        }
        if let Some(owner) = self.thread.is_owner(emitter, &layout) {
            let ty = with_element(numbers, IntegerType::new(self.context, 1).into());
            conditions.push(emitter.value(vector::BROADCAST, &[owner], ty, &[]));
        }
        let both = |a, b| emitter.binary(arith::ANDI, a, b);
        Ok(conditions.into_iter().reduce(both))
    }
}

fn bits_of(ty: Type<'_>) -> u32 {
    IntegerType::try_from(ty).map_or(64, |ty| ty.width())
}

fn byte_offset<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, bin: Value<'c, 'a>) -> Value<'c, 'a> {
    let bytes = emitter.int(32, BIN_BYTES as i64);
    emitter.binary(arith::MULI, bin, bytes)
}
