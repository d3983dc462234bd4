//! `tile.gather`: the source lies in shared memory in row-major order, from where each thread loads what its indices name.

use melior::ir::r#type::IntegerType;
use melior::ir::{OperationRef, Type, Value, ValueLike};
use mytriton_layout::DistributedLayout;
use mytriton_tile::emit::{CmpI, Emitter, element_type, shape_of, with_element};
use mytriton_tile::ops::GatherOp;

use super::Conversion;
use super::local::stored_bytes;
use super::scratch::guarded;
use super::thread::{extract, from_elements};
use crate::ir::{PassResult, error_at, layout_at};

/// The bytes of shared memory that the source of a gather takes: its elements, without padding.
pub fn scratch_bytes(source: Type<'_>) -> u64 {
    let elements: u64 = shape_of(source).unwrap_or_default().iter().product();
    elements * stored_bytes(element_type(source))
}

/// Byte offsets of a thread's elements in row-major order, a vector of `i32`, and where they are elements of the tile: in all
/// if it is none. Offsets of what is no element are 0, so that they may be loaded from.
struct Offsets<'c, 'a> {
    bytes: Value<'c, 'a>,
    inside: Option<Value<'c, 'a>>,
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    pub(super) fn gather(
        &mut self,
        emitter: Emitter<'c, 'a>,
        gather: GatherOp<'c, '_>,
        operands: &[Value<'c, 'a>],
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let op = gather.operation();
        let (source, index) = (gather.source().r#type(), gather.index().r#type());
        let (Some(from), Some(to)) = (layout_at(op, source)?, layout_at(op, index)?) else {
            return Err(error_at(op, "a tile is expected"));
        };
        let extents = shape_of(source).unwrap_or_default();
        let axis = gather.axis() as usize;
        let element = element_type(ty);
        let scratch = self.scratch(emitter, op, "the gather", scratch_bytes(source))?;

        let own: Vec<_> = (0..extents.len())
            .map(|axis| self.along(emitter, op, &from, axis))
            .collect::<PassResult<_>>()?;
        let store_at = offsets(emitter, &own, &extents, &from.shape(), stored_bytes(element));
        let free = from.register_free_mask();
        for register in (0..from.num_registers()).filter(|register| register & free == 0) {
            let value = extract(emitter, operands[0], register);
            let offset = extract(emitter, store_at.bytes, register);
            let inside = store_at.inside.map(|inside| extract(emitter, inside, register));
            // Threads that hold the same element write the same value.
            guarded(emitter, inside, |emitter| scratch.store(emitter, offset, value));
        }
        self.stored(emitter, scratch);

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
        let load_at = offsets(emitter, &named, &extents, &wide, stored_bytes(element));
        let represents = to.register_representatives();
        let mut values: Vec<Value<'c, 'a>> = Vec::new();
        for register in 0..to.num_registers() {
            let first = represents[register as usize];
            values.push(match first < register {
                true => values[first as usize],
                false => scratch.load(emitter, extract(emitter, load_at.bytes, register), element),
            });
        }
        Ok(from_elements(emitter, &values, ty))
    }

    fn along(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        layout: &DistributedLayout,
        axis: usize,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let at = self.thread.coordinates(emitter, layout, axis);
        at.map_err(|e| error_at(op, e.to_string()))
    }
}

/// The offsets of elements of `bytes` each at coordinates along every axis, which are vectors of integers below `bounds`; of
/// those that are all below the extents the element counts.
fn offsets<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    coordinates: &[Value<'c, 'a>],
    extents: &[u64],
    bounds: &[u32],
    bytes: u64,
) -> Offsets<'c, 'a> {
    let mut stride = bytes;
    let mut sum: Option<Value<'c, 'a>> = None;
    let mut inside: Option<Value<'c, 'a>> = None;
    for ((&at, &extent), &bound) in coordinates.iter().zip(extents).zip(bounds).rev() {
        // In the wider of both types the extent is one of its numbers.
        let at = resized(emitter, at, |bits| bits.max(32));
        if extent < u64::from(bound) {
            let end = emitter.int_like(at.r#type(), extent as i64);
            let below = emitter.cmpi(CmpI::Ult, at, end);
            inside = Some(inside.map_or(below, |inside| emitter.binary("arith.andi", inside, below)));
        }
        let at = resized(emitter, at, |_| 32);
        let scale = emitter.int_like(at.r#type(), stride as i64);
        let term = emitter.binary("arith.muli", at, scale);
        sum = Some(sum.map_or(term, |sum| emitter.binary("arith.addi", sum, term)));
        stride *= extent;
    }
    let mut bytes = sum.expect("a tile has a dimension");
    if let Some(inside) = inside {
        let zero = emitter.int_like(bytes.r#type(), 0);
        bytes = emitter.select(inside, bytes, zero);
    }
    Offsets { bytes, inside }
}

/// A number or vector of numbers, unsigned, in another width.
fn resized<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    value: Value<'c, 'a>,
    width: impl FnOnce(u32) -> u32,
) -> Value<'c, 'a> {
    let bits = IntegerType::try_from(element_type(value.r#type())).map_or(32, |ty| ty.width());
    let wanted = width(bits);
    let ty = with_element(value.r#type(), IntegerType::new(emitter.context, wanted).into());
    match wanted.cmp(&bits) {
        std::cmp::Ordering::Less => emitter.value("arith.trunci", &[value], ty, &[]),
        std::cmp::Ordering::Equal => value,
        std::cmp::Ordering::Greater => emitter.value("arith.extui", &[value], ty, &[]),
    }
}
