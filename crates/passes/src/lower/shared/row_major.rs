//! Tiles in shared memory in row-major order, element by element: for what no swizzled layout is made, since places are not
//! linear in the bits of registers and threads.

use melior::ir::r#type::IntegerType;
use melior::ir::{OperationRef, Type, Value, ValueLike};
use mytriton_layout::DistributedLayout;
use mytriton_tile::emit::{CmpI, Emitter, element_type, with_element};
use mytriton_tile::ops::arith;

use crate::ir::{PassResult, error_at};
use crate::lower::conversion::Conversion;
use crate::lower::shared::scratch::{Scratch, guarded};
use crate::lower::thread::{extract, from_elements};

/// Byte offsets of a thread's elements, a vector of `i32`, and where they are elements of the tile: in all if it is none.
/// Offsets of what is no element are 0, so that they may be loaded from.
pub struct Offsets<'c, 'a> {
    bytes: Value<'c, 'a>,
    inside: Option<Value<'c, 'a>>,
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    /// The coordinates along `axis` of a thread's elements.
    pub(crate) fn along(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        layout: &DistributedLayout,
        axis: usize,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let at = self.thread.coordinates(emitter, layout, axis);
        at.map_err(|e| error_at(op, e.to_string()))
    }

    /// The offsets of a thread's elements of `bytes` each in a tile of `extents`, padded in the layout.
    pub(crate) fn offsets_of(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        layout: &DistributedLayout,
        extents: &[u64],
        bytes: u64,
    ) -> PassResult<'c, Offsets<'c, 'a>> {
        let along = (0..extents.len()).map(|axis| self.along(emitter, op, layout, axis));
        let coordinates = along.collect::<PassResult<Vec<_>>>()?;
        Ok(offsets(emitter, &coordinates, extents, &layout.shape(), bytes))
    }

    /// Stores a tile, and waits for all threads.
    pub(crate) fn store_rows(
        &self,
        emitter: Emitter<'c, 'a>,
        layout: &DistributedLayout,
        tile: Value<'c, 'a>,
        offsets: &Offsets<'c, 'a>,
        scratch: Scratch<'c, 'a>,
    ) {
        let free = layout.register_free_mask();
        for register in (0..layout.num_registers()).filter(|register| register & free == 0) {
            let value = extract(emitter, tile, register);
            let offset = extract(emitter, offsets.bytes, register);
            let inside = offsets.inside.map(|inside| extract(emitter, inside, register));
            // Threads that hold the same element write the same value.
            guarded(emitter, inside, |emitter| scratch.store(emitter, offset, value));
        }
        self.block_barrier(emitter);
    }
}

/// Loads a tile of type `ty`, an element that several registers hold once.
pub fn load_rows<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    layout: &DistributedLayout,
    ty: Type<'c>,
    offsets: &Offsets<'c, 'a>,
    scratch: Scratch<'c, 'a>,
) -> Value<'c, 'a> {
    let represents = layout.register_representatives();
    let mut values: Vec<Value<'c, 'a>> = Vec::new();
    for register in 0..layout.num_registers() {
        let first = represents[register as usize];
        values.push(match first < register {
            true => values[first as usize],
            false => scratch.load(emitter, extract(emitter, offsets.bytes, register), element_type(ty)),
        });
    }
    from_elements(emitter, &values, ty)
}

/// The offsets of elements of `bytes` each at coordinates along every axis, which are vectors of integers below `bounds`; of
/// those that are all below the extents the element counts.
pub fn offsets<'c: 'a, 'a>(
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
            inside = Some(inside.map_or(below, |inside| emitter.binary(arith::ANDI, inside, below)));
        }
        let at = resized(emitter, at, |_| 32);
        let scale = emitter.int_like(at.r#type(), stride as i64);
        let term = emitter.binary(arith::MULI, at, scale);
        sum = Some(sum.map_or(term, |sum| emitter.binary(arith::ADDI, sum, term)));
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
pub fn resized<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    value: Value<'c, 'a>,
    width: impl FnOnce(u32) -> u32,
) -> Value<'c, 'a> {
    let bits = IntegerType::try_from(element_type(value.r#type())).map_or(32, |ty| ty.width());
    let wanted = width(bits);
    let ty = with_element(value.r#type(), IntegerType::new(emitter.context, wanted).into());
    match wanted.cmp(&bits) {
        std::cmp::Ordering::Less => emitter.value(arith::TRUNCI, &[value], ty, &[]),
        std::cmp::Ordering::Equal => value,
        std::cmp::Ordering::Greater => emitter.value(arith::EXTUI, &[value], ty, &[]),
    }
}
