//! Moving a tile to another layout: nothing, a reorder of registers, shuffles, or an exchange through shared memory.
//! `mytriton_layout::ConversionPlan` says which, and how.

use melior::ir::r#type::IntegerType;
use melior::ir::{OperationRef, Type, Value, ValueLike};
use mytriton_layout::staging::Matrices;
use mytriton_layout::{ConversionPlan, DistributedLayout, LayoutError, Means, SharedExchange, SharedMemory, Turn};
use mytriton_tile::emit::{Emitter, element_type, shape_of};
use mytriton_tile::ops::{ConvertLayoutOp, ReshapeOp};
use rustc_hash::FxHashMap;

use super::local::at;
use super::regroup::layouts;
use super::row_major::load_rows;
use super::scratch::{STATIC_SHARED_BYTES, guarded, where_or};
use super::stored::stored_bytes;
use super::thread::{extract, from_elements, pick};
use super::{Conversion, LANES};
use crate::ir::{PassResult, error_at, layout_at};
use crate::shape::keeps_places;

/// How tiles of such elements are moved from one layout to another. What shared memory it takes, this says alone.
///
/// # Errors
/// The layouts are of one tile, and of the same lanes and warps.
pub fn conversion_means(
    from: &DistributedLayout,
    to: &DistributedLayout,
    element: Type<'_>,
    matrices: Matrices,
) -> Result<Means, LayoutError> {
    let memory = SharedMemory {
        bytes: STATIC_SHARED_BYTES,
        matrices,
    };
    ConversionPlan::new(from, to)?.means(stored_bytes(element) as u32, memory)
}

/// A vector of zeros.
fn zero<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, ty: Type<'c>) -> Value<'c, 'a> {
    match IntegerType::try_from(element_type(ty)) {
        Ok(_) => emitter.int_like(ty, 0),
        Err(_) => emitter.float_like(ty, 0.0),
    }
}

/// The tiles between which elements move: layout and extents. Elements are counted without the padding.
struct Side<'l> {
    layout: &'l DistributedLayout,
    extents: Vec<u64>,
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    pub(super) fn convert_layout(
        &mut self,
        emitter: Emitter<'c, 'a>,
        convert: ConvertLayoutOp<'c, '_>,
        operand: Value<'c, 'a>,
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let op = convert.operation();
        let (from, to) = layouts(op)?;
        self.moved(emitter, op, "converting the layout", operand, [&from, &to], ty)
    }

    /// A tile in another layout.
    fn moved(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        what: &str,
        operand: Value<'c, 'a>,
        [from, to]: [&DistributedLayout; 2],
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let failed = |e: LayoutError| error_at(op, format!("{what}: {e}"));
        match conversion_means(from, to, element_type(ty), self.matrices).map_err(failed)? {
            Means::Registers(sources) => Ok(pick(emitter, operand, &sources, ty)),
            Means::Lanes(exchange) => self.between_lanes(emitter, operand, &exchange, ty).map_err(failed),
            Means::Shared(exchange) => {
                let values = self.in_rounds(emitter, op, what, operand, &exchange)?;
                let all = to.register_representatives().into_iter();
                let all: Option<Vec<Value<'c, 'a>>> = all.map(|register| values.get(&register).copied()).collect();
                let all = all.ok_or_else(|| error_at(op, format!("{what}: a register is filled in no round")))?;
                Ok(from_elements(emitter, &all, ty))
            }
        }
    }

    /// The registers of the destination that the rounds fill.
    fn in_rounds(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        what: &str,
        operand: Value<'c, 'a>,
        exchange: &SharedExchange,
    ) -> PassResult<'c, FxHashMap<u32, Value<'c, 'a>>> {
        let (element, staging) = (element_type(operand.r#type()), &exchange.staging);
        let mut values: FxHashMap<u32, Value<'c, 'a>> = FxHashMap::default();
        let scratch = self.scratch(emitter, op, what, exchange.bytes)?;
        let base = match exchange.within_warps && exchange.bytes > exchange.piece_bytes {
            true => self.piece(emitter, scratch.base(), exchange.bytes, exchange.piece_bytes),
            false => scratch.base(),
        };
        let [stored, loaded] = [(&exchange.src, &staging.layout), (&exchange.dst, &staging.layout)];
        let stores = self.accesses_of(emitter, op, stored, element, staging.store.form)?;
        let loads = self.accesses_of(emitter, op, loaded, element, staging.load.form)?;
        for (round, (stored, loaded)) in exchange.stored.iter().zip(&exchange.loaded).enumerate() {
            // The loads of the round before are over; those of the same warp in a loop's round before, too.
            match exchange.within_warps {
                true => self.warp_barrier(emitter),
                false if round > 0 => self.stored(emitter),
                false => {}
            }
            let turn = self.turn(emitter, &stored.turns);
            guarded(emitter, turn, |emitter| {
                let part = Type::vector(&[stored.registers.len() as u64], element);
                stores.store(emitter, pick(emitter, operand, &stored.registers, part), base);
            });
            match exchange.within_warps {
                true => self.stored_by_warps(emitter),
                false => self.stored(emitter),
            }
            let part = Type::vector(&[loaded.registers.len() as u64], element);
            let turn = self.turn(emitter, &loaded.turns);
            // Threads whose turn it is not have loaded before, or will.
            let before = |emitter| {
                let all = loaded.registers.iter().map(|register| values.get(register).copied());
                match all.collect::<Option<Vec<_>>>() {
                    Some(before) => from_elements(emitter, &before, part),
                    None => zero(emitter, part),
                }
            };
            let part = where_or(emitter, turn, before, |emitter| loads.load(emitter, base, part));
            for (at, &register) in (0..).zip(&loaded.registers) {
                values.insert(register, extract(emitter, part, at));
            }
        }
        Ok(values)
    }

    /// Whether it is a thread's turn; none if it is that of all.
    fn turn(&self, emitter: Emitter<'c, 'a>, turns: &[Turn]) -> Option<Value<'c, 'a>> {
        let conditions = turns.iter().map(|turn| {
            let mask = turn.lanes | turn.warps << LANES.ilog2();
            let is_odd = self.thread.is_odd_in(emitter, mask);
            match turn.odd {
                true => is_odd,
                false => emitter.binary("arith.xori", is_odd, emitter.int(1, 1)),
            }
        });
        conditions.reduce(|all, condition| emitter.binary("arith.andi", all, condition))
    }

    /// Where the piece of memory of a thread's own warp begins.
    fn piece(&self, emitter: Emitter<'c, 'a>, base: Value<'c, 'a>, bytes: u64, piece_bytes: u64) -> Value<'c, 'a> {
        let first = LANES.ilog2();
        let warps = (bytes / piece_bytes).ilog2();
        let warp = self
            .thread
            .gathered(emitter, &(first..first + warps).collect::<Vec<_>>());
        let scale = emitter.int_like(warp.r#type(), piece_bytes as i64);
        at(emitter, base, emitter.binary("arith.muli", warp, scale))
    }

    /// `tile.reshape`: of the layout alone where that is possible, else through shared memory.
    pub(super) fn reshape(
        &mut self,
        emitter: Emitter<'c, 'a>,
        reshape: ReshapeOp<'c, '_>,
        operand: Value<'c, 'a>,
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let op = reshape.operation();
        let (source, result) = (reshape.source().r#type(), reshape.result().r#type());
        let (from, to) = match (layout_at(op, source)?, layout_at(op, result)?) {
            (None, None) => return Ok(operand),
            // All registers hold the one element.
            (Some(_), None) => return Ok(extract(emitter, operand, 0)),
            (None, Some(_)) => return Ok(emitter.value("vector.broadcast", &[operand], ty, &[])),
            (Some(from), Some(to)) => (from, to),
        };
        let shapes = [source, result].map(|ty| shape_of(ty).unwrap_or_default());
        if keeps_places(&shapes[0], &shapes[1]) {
            let (wide, narrow) = (to.shape(), from.shape());
            let source = |at: &[u32]| {
                let mut index = at
                    .iter()
                    .zip(&wide)
                    .fold(0, |index, (&at, &extent)| index * extent + at);
                let mut place = vec![0; narrow.len()];
                for (place, &extent) in place.iter_mut().zip(&narrow).rev() {
                    (*place, index) = (index % extent, index / extent);
                }
                place
            };
            return self.regroup(emitter, op, operand, ty, source);
        }
        // Without padding, the operand's tile in the result's shape is in another layout.
        if shapes.iter().flatten().all(|extent| extent.is_power_of_two()) {
            let from = from.reshape(&to.shape()).map_err(|e| error_at(op, e.to_string()))?;
            return self.moved(emitter, op, "the reshape", operand, [&from, &to], ty);
        }
        let [wide, narrow] = shapes;
        let from = Side {
            layout: &from,
            extents: wide,
        };
        let to = Side {
            layout: &to,
            extents: narrow,
        };
        self.through_shared(emitter, op, "the reshape", operand, [from, to], ty)
    }

    /// Through shared memory in row-major order, element by element: between shapes of different padding, whose places are
    /// not linear in one another's bits.
    fn through_shared(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        what: &str,
        operand: Value<'c, 'a>,
        [from, to]: [Side<'_>; 2],
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let element = element_type(ty);
        let bytes = stored_bytes(element);
        let elements: u64 = from.extents.iter().product();
        let scratch = self.scratch(emitter, op, what, elements * bytes)?;
        let store_at = self.offsets_of(emitter, op, from.layout, &from.extents, bytes)?;
        let load_at = self.offsets_of(emitter, op, to.layout, &to.extents, bytes)?;
        self.store_rows(emitter, from.layout, operand, &store_at, scratch);
        Ok(load_rows(emitter, to.layout, ty, &load_at, scratch))
    }
}
