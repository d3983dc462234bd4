//! Moving a tile to another layout: nothing, a reorder of registers, or an exchange through shared memory.

use melior::ir::{OperationRef, Type, Value, ValueLike};
use mytriton_layout::DistributedLayout;
use mytriton_tile::emit::{CmpI, Emitter, element_type, shape_of};
use mytriton_tile::ops::{ConvertLayoutOp, ReshapeOp};

use super::Conversion;
use super::local::stored_bytes;
use super::regroup::{held, layouts};
use super::scratch::guarded;
use super::thread::{extract, from_elements};
use crate::ir::{PassResult, error_at, layout_at};
use crate::shape::keeps_places;

/// Where a thread's elements stand in row-major order.
struct Places<'c, 'a> {
    /// Byte offset of every register's element, a vector.
    offsets: Value<'c, 'a>,
    /// Which of them are elements, where some lie in the padding and offsets count without it.
    inside: Option<Value<'c, 'a>>,
}

/// The tiles between which elements move: layout and extents. Their elements are counted with the padding, or, where
/// `None`, extents are the layout's.
struct Side<'l> {
    layout: &'l DistributedLayout,
    extents: Option<Vec<u64>>,
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
        // Where registers do not hold what is wanted, why not is of no interest.
        if let Ok(picked) = held(&from, &to, <[u32]>::to_vec) {
            return Ok(self.permuted(emitter, operand, &picked));
        }
        let [from, to] = [&from, &to].map(|layout| Side { layout, extents: None });
        self.through_shared(emitter, op, "converting the layout", operand, [from, to], ty)
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
        let [wide, narrow] = shapes;
        let from = Side {
            layout: &from,
            extents: Some(wide),
        };
        let to = Side {
            layout: &to,
            extents: Some(narrow),
        };
        self.through_shared(emitter, op, "the reshape", operand, [from, to], ty)
    }

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
        let elements: u64 = match &from.extents {
            Some(extents) => extents.iter().product(),
            None => from.layout.shape().iter().map(|&extent| u64::from(extent)).product(),
        };
        let scratch = self.scratch(emitter, op, what, elements * bytes)?;
        let store_at = self.places(emitter, op, &from, bytes)?;
        let load_at = self.places(emitter, op, &to, bytes)?;
        let free = from.layout.register_free_mask();
        for register in (0..from.layout.num_registers()).filter(|r| r & free == 0) {
            let value = extract(emitter, operand, register);
            let offset = extract(emitter, store_at.offsets, register);
            let inside = store_at.inside.map(|inside| extract(emitter, inside, register));
            // Threads that hold the same element write the same value.
            guarded(emitter, inside, |emitter| scratch.store(emitter, offset, value));
        }
        self.stored(emitter, scratch);
        let represents = to.layout.register_representatives();
        let mut values: Vec<Value<'c, 'a>> = Vec::new();
        for register in 0..to.layout.num_registers() {
            let first = represents[register as usize];
            values.push(match first < register {
                true => values[first as usize],
                false => scratch.load(emitter, extract(emitter, load_at.offsets, register), element),
            });
        }
        Ok(from_elements(emitter, &values, ty))
    }

    fn places(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        side: &Side<'_>,
        bytes: u64,
    ) -> PassResult<'c, Places<'c, 'a>> {
        let wide: Vec<u64> = side.layout.shape().iter().map(|&extent| u64::from(extent)).collect();
        let extents = side.extents.as_ref().unwrap_or(&wide);
        let mut stride = bytes;
        let mut sum: Option<Value<'c, 'a>> = None;
        let mut inside: Option<Value<'c, 'a>> = None;
        for axis in (0..extents.len()).rev() {
            let at = self
                .thread
                .coordinates(emitter, side.layout, axis)
                .map_err(|e| error_at(op, e.to_string()))?;
            let scale = emitter.int_like(at.r#type(), stride as i64);
            let term = emitter.binary("arith.muli", at, scale);
            sum = Some(sum.map_or(term, |sum| emitter.binary("arith.addi", sum, term)));
            stride *= extents[axis];
            if extents[axis] != wide[axis] {
                let end = emitter.int_like(at.r#type(), extents[axis] as i64);
                let below = emitter.cmpi(CmpI::Ult, at, end);
                inside = Some(inside.map_or(below, |inside| emitter.binary("arith.andi", inside, below)));
            }
        }
        let mut offsets = sum.ok_or_else(|| error_at(op, "a tile has a dimension"))?;
        if let Some(inside) = inside {
            let zero = emitter.int_like(offsets.r#type(), 0);
            offsets = emitter.select(inside, offsets, zero);
        }
        Ok(Places { offsets, inside })
    }
}
