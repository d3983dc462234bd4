//! Moving a tile to another layout: nothing, a reorder of registers, shuffles, or an exchange through shared memory.
//! `mytriton_layout::ConversionPlan` says which, and how. `tile.convert_layout` is no more than that; a `tile.reshape` may
//! be.

pub mod join;
mod lanes;
pub mod regroup;
pub mod shuffle;

use melior::ir::r#type::IntegerType;
use melior::ir::{OperationRef, Type, Value, ValueLike};
use mytriton_layout::staging::Matrices;
use mytriton_layout::{
    ConversionKind, ConversionPlan, DistributedLayout, LanePredicate, LayoutError, SharedExchange, SharedMemory,
};
use mytriton_tile::emit::{Emitter, element_type, shape_of};
use mytriton_tile::ops::{ConvertLayoutOp, ReshapeOp, arith, vector};
use rustc_hash::FxHashMap;

use crate::LANES;
use crate::interfaces::shared_memory::{Footprint, UsesSharedMemory};
use crate::ir::{PassResult, error_at, layout_at};
use crate::lower::conversion::Conversion;
use crate::lower::exchange::regroup::layouts;
use crate::lower::shared::buffers::at;
use crate::lower::shared::row_major::load_rows;
use crate::lower::shared::scratch::{Scratch, guarded, where_or};
use crate::lower::stored::stored_bytes;
use crate::lower::thread::{extract, from_elements, pick};
use crate::memory::STATIC_SHARED_BYTES;
use crate::support::shape::keeps_places;

/// What takes shared memory, in messages.
const CONVERSION: &str = "converting the layout";
const RESHAPE: &str = "the reshape";

/// How tiles of such elements move from one layout to another.
///
/// # Errors
/// The layouts have to be of one tile, and of the same lanes and warps.
fn kind_of<'c>(
    op: OperationRef<'c, '_>,
    what: &str,
    [from, to]: [&DistributedLayout; 2],
    element: Type<'_>,
    matrices: Matrices,
) -> PassResult<'c, ConversionKind> {
    let memory = SharedMemory {
        bytes: STATIC_SHARED_BYTES,
        matrices,
    };
    let kind = ConversionPlan::new(from, to).and_then(|plan| plan.kind(stored_bytes(element) as u32, memory));
    kind.map_err(|error| error_at(op, format!("{what}: {error}")))
}

/// What a way of moving a tile takes of shared memory.
fn kind_footprint(what: &'static str, kind: &ConversionKind) -> Option<Footprint> {
    match kind {
        ConversionKind::Registers(_) | ConversionKind::Lanes(_) => None,
        ConversionKind::Shared(exchange) => Some(exchange_footprint(what, exchange)),
    }
}

fn exchange_footprint(what: &'static str, exchange: &SharedExchange) -> Footprint {
    Footprint {
        within_warps: exchange.within_warps,
        ..Footprint::of_block(what, exchange.bytes)
    }
}

impl<'c> UsesSharedMemory<'c> for ConvertLayoutOp<'c, '_> {
    fn footprint(self, matrices: Matrices) -> PassResult<'c, Option<Footprint>> {
        let kind = convert_layout_plan(self, matrices)?;
        Ok(kind_footprint(CONVERSION, &kind))
    }
}

fn convert_layout_plan<'c>(convert: ConvertLayoutOp<'c, '_>, matrices: Matrices) -> PassResult<'c, ConversionKind> {
    let op = convert.operation();
    let (from, to) = layouts(op)?;
    let element = element_type(convert.result().r#type());
    kind_of(op, CONVERSION, [&from, &to], element, matrices)
}

/// How a reshape is carried out.
enum ReshapePlan {
    /// A scalar becomes a scalar.
    Scalar,
    /// A tile of one element, which all registers hold, becomes a scalar.
    ToScalar,
    /// A scalar becomes a tile of one element.
    FromScalar,
    /// Every element keeps its row-major place: registers of the same thread are picked.
    Places([DistributedLayout; 2]),
    /// Without padding, the operand's tile in the result's shape is in another layout: it is converted to the result's.
    Convert {
        to: DistributedLayout,
        kind: ConversionKind,
    },
    /// Through shared memory in row-major order, element by element: between shapes of different padding, whose places are
    /// not linear in one another's bits.
    Rows { from: Side, to: Side, footprint: Footprint },
}

/// The tile at one end of an exchange in row-major order: layout, and extents without the padding.
struct Side {
    layout: DistributedLayout,
    extents: Vec<u64>,
}

impl<'c> UsesSharedMemory<'c> for ReshapeOp<'c, '_> {
    fn footprint(self, matrices: Matrices) -> PassResult<'c, Option<Footprint>> {
        Ok(match reshape_plan(self, matrices)? {
            ReshapePlan::Scalar | ReshapePlan::ToScalar | ReshapePlan::FromScalar | ReshapePlan::Places(_) => None,
            ReshapePlan::Convert { kind, .. } => kind_footprint(RESHAPE, &kind),
            ReshapePlan::Rows { footprint, .. } => Some(footprint),
        })
    }
}

fn reshape_plan<'c>(reshape: ReshapeOp<'c, '_>, matrices: Matrices) -> PassResult<'c, ReshapePlan> {
    let op = reshape.operation();
    let types = [reshape.source().r#type(), reshape.result().r#type()];
    let (from, to) = match (layout_at(op, types[0])?, layout_at(op, types[1])?) {
        (None, None) => return Ok(ReshapePlan::Scalar),
        (Some(_), None) => return Ok(ReshapePlan::ToScalar),
        (None, Some(_)) => return Ok(ReshapePlan::FromScalar),
        (Some(from), Some(to)) => (from, to),
    };
    let shapes = types.map(|ty| shape_of(ty).unwrap_or_default());
    if keeps_places(&shapes[0], &shapes[1]) {
        return Ok(ReshapePlan::Places([from, to]));
    }
    let element = element_type(types[1]);
    if shapes.iter().flatten().all(|extent| extent.is_power_of_two()) {
        let from = from.reshape(&to.shape()).map_err(|e| error_at(op, e.to_string()))?;
        let kind = kind_of(op, RESHAPE, [&from, &to], element, matrices)?;
        return Ok(ReshapePlan::Convert { to, kind });
    }
    let elements: u64 = shapes[0].iter().product();
    let [wide, narrow] = shapes;
    Ok(ReshapePlan::Rows {
        from: Side {
            layout: from,
            extents: wide,
        },
        to: Side {
            layout: to,
            extents: narrow,
        },
        footprint: Footprint::of_block(RESHAPE, elements * stored_bytes(element)),
    })
}

/// A vector of zeros.
fn zero<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, ty: Type<'c>) -> Value<'c, 'a> {
    match IntegerType::try_from(element_type(ty)) {
        Ok(_) => emitter.int_like(ty, 0),
        Err(_) => emitter.float_like(ty, 0.0),
    }
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    pub(crate) fn convert_layout(
        &mut self,
        emitter: Emitter<'c, 'a>,
        convert: ConvertLayoutOp<'c, '_>,
        operand: Value<'c, 'a>,
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let op = convert.operation();
        let kind = convert_layout_plan(convert, self.matrices)?;
        let (_, to) = layouts(op)?;
        self.moved(emitter, op, CONVERSION, operand, (&kind, &to), ty)
    }

    /// A tile moved to layout `to`.
    fn moved(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        what: &'static str,
        operand: Value<'c, 'a>,
        (kind, to): (&ConversionKind, &DistributedLayout),
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let failed = |e: LayoutError| error_at(op, format!("{what}: {e}"));
        match kind {
            ConversionKind::Registers(sources) => Ok(pick(emitter, operand, sources, ty)),
            ConversionKind::Lanes(exchange) => self.between_lanes(emitter, operand, exchange, ty).map_err(failed),
            ConversionKind::Shared(exchange) => {
                let scratch = self.scratch(emitter, op, &exchange_footprint(what, exchange), 0)?;
                let values = self.in_rounds(emitter, op, scratch, operand, exchange)?;
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
        scratch: Scratch<'c, 'a>,
        operand: Value<'c, 'a>,
        exchange: &SharedExchange,
    ) -> PassResult<'c, FxHashMap<u32, Value<'c, 'a>>> {
        let (element, staging) = (element_type(operand.r#type()), &exchange.staging);
        let mut values: FxHashMap<u32, Value<'c, 'a>> = FxHashMap::default();
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
                false if round > 0 => self.block_barrier(emitter),
                false => {}
            }
            let predicate = self.predicate(emitter, &stored.predicates);
            guarded(emitter, predicate, |emitter| {
                let part = Type::vector(&[stored.registers.len() as u64], element);
                stores.store(emitter, pick(emitter, operand, &stored.registers, part), base);
            });
            match exchange.within_warps {
                true => self.warp_barrier(emitter),
                false => self.block_barrier(emitter),
            }
            let part = Type::vector(&[loaded.registers.len() as u64], element);
            let predicate = self.predicate(emitter, &loaded.predicates);
            // Threads that take no part have loaded before, or will.
            let before = |emitter| {
                let all = loaded.registers.iter().map(|register| values.get(register).copied());
                match all.collect::<Option<Vec<_>>>() {
                    Some(before) => from_elements(emitter, &before, part),
                    None => zero(emitter, part),
                }
            };
            let part = where_or(emitter, predicate, before, |emitter| loads.load(emitter, base, part));
            for (at, &register) in (0..).zip(&loaded.registers) {
                values.insert(register, extract(emitter, part, at));
            }
        }
        Ok(values)
    }

    /// Whether a thread takes part; none if all do.
    fn predicate(&self, emitter: Emitter<'c, 'a>, predicates: &[LanePredicate]) -> Option<Value<'c, 'a>> {
        let conditions = predicates.iter().map(|predicate| {
            let mask = predicate.lanes | predicate.warps << LANES.ilog2();
            let is_odd = self.thread.is_odd_in(emitter, mask);
            match predicate.odd {
                true => is_odd,
                false => emitter.binary(arith::XORI, is_odd, emitter.int(1, 1)),
            }
        });
        conditions.reduce(|all, condition| emitter.binary(arith::ANDI, all, condition))
    }

    /// Where the piece of memory of a thread's own warp begins.
    fn piece(&self, emitter: Emitter<'c, 'a>, base: Value<'c, 'a>, bytes: u64, piece_bytes: u64) -> Value<'c, 'a> {
        let first = LANES.ilog2();
        let warps = (bytes / piece_bytes).ilog2();
        let warp = self
            .thread
            .gathered(emitter, &(first..first + warps).collect::<Vec<_>>());
        let scale = emitter.int_like(warp.r#type(), piece_bytes as i64);
        at(emitter, base, emitter.binary(arith::MULI, warp, scale))
    }

    pub(crate) fn reshape(
        &mut self,
        emitter: Emitter<'c, 'a>,
        reshape: ReshapeOp<'c, '_>,
        operand: Value<'c, 'a>,
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let op = reshape.operation();
        match reshape_plan(reshape, self.matrices)? {
            ReshapePlan::Scalar => Ok(operand),
            ReshapePlan::ToScalar => Ok(extract(emitter, operand, 0)),
            ReshapePlan::FromScalar => Ok(emitter.value(vector::BROADCAST, &[operand], ty, &[])),
            ReshapePlan::Places([from, to]) => {
                let (wide, narrow) = (to.shape(), from.shape());
                let source = |at: &[u32]| row_major_place(at, &wide, &narrow);
                self.regroup(emitter, op, operand, ty, source)
            }
            ReshapePlan::Convert { to, kind } => self.moved(emitter, op, RESHAPE, operand, (&kind, &to), ty),
            ReshapePlan::Rows { from, to, footprint } => {
                let bytes = stored_bytes(element_type(ty));
                let scratch = self.scratch(emitter, op, &footprint, 0)?;
                let store_at = self.offsets_of(emitter, op, &from.layout, &from.extents, bytes)?;
                let load_at = self.offsets_of(emitter, op, &to.layout, &to.extents, bytes)?;
                self.store_rows(emitter, &from.layout, operand, &store_at, scratch);
                Ok(load_rows(emitter, &to.layout, ty, &load_at, scratch))
            }
        }
    }
}

/// The coordinates in a tile of shape `to` of the element that has coordinates `at` in a tile of shape `from`, both counted
/// in row-major order.
fn row_major_place(at: &[u32], from: &[u32], to: &[u32]) -> Vec<u32> {
    let mut index = at.iter().zip(from).fold(0, |index, (&at, &extent)| index * extent + at);
    let mut place = vec![0; to.len()];
    for (place, &extent) in place.iter_mut().zip(to).rev() {
        (*place, index) = (index % extent, index / extent);
    }
    place
}
