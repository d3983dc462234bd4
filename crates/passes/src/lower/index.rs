//! Program ids, ranges and addresses.

use melior::ir::r#type::IntegerType;
use melior::ir::{Type, Value, ValueLike};
use mytriton_tile::emit::{Emitter, element_type, with_element};
use mytriton_tile::ops::{AddPtrOp, Axis, RangeOp, arith, gpu};

use crate::ir::{PassResult, error_at, layout_at, pointee_bytes};
use crate::lower::conversion::Conversion;
use crate::lower::elementwise::register_classes::RegisterClasses;

/// The dimension of the launch grid that an axis of the program's is.
pub(crate) fn dimension(axis: Axis) -> gpu::Dimension {
    match axis {
        Axis::X => gpu::Dimension::X,
        Axis::Y => gpu::Dimension::Y,
        Axis::Z => gpu::Dimension::Z,
    }
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    /// An `index` as an i32.
    pub(crate) fn as_i32(&self, emitter: Emitter<'c, 'a>, index: Value<'c, 'a>) -> Value<'c, 'a> {
        let ty = IntegerType::new(self.context, 32).into();
        emitter.arith_index_cast(index, ty).result()
    }

    pub(crate) fn range(
        &self,
        emitter: Emitter<'c, 'a>,
        range: RangeOp<'c, '_>,
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let op = range.operation();
        let layout = layout_at(op, range.result().r#type())?.ok_or_else(|| error_at(op, "a range is a tile"))?;
        let coordinates = self
            .thread
            .coordinates(emitter, &layout, 0)
            .map_err(|e| error_at(op, e.to_string()))?;
        if range.start() == 0 {
            return Ok(coordinates);
        }
        let start = emitter.int_like(ty, range.start().into());
        Ok(emitter.binary(arith::ADDI, coordinates, start))
    }

    /// address + sign-extended offset * bytes of an element, in 64 bits.
    pub(crate) fn addptr(&self, emitter: Emitter<'c, 'a>, addptr: AddPtrOp<'c, '_>) -> PassResult<'c, Value<'c, 'a>> {
        let op = addptr.operation();
        let bytes = pointee_bytes(addptr.pointer().r#type()).ok_or_else(|| error_at(op, "a pointer is expected"))?;
        let (address, mut offset) = (self.value(op, addptr.pointer())?, self.value(op, addptr.offset())?);
        let wide: Type = IntegerType::new(self.context, 64).into();
        let mut address = address;
        let all = with_element(address.r#type(), wide);
        let uniform = layout_at(op, addptr.pointer().r#type())?.and_then(|layout| {
            let info = |value| self.infos.get(value);
            RegisterClasses::stepped(&layout, &info(addptr.pointer()), &info(addptr.offset()))
        });
        if let Some(uniform) = &uniform {
            (address, offset) = (uniform.gather(emitter, address), uniform.gather(emitter, offset));
        }
        let ty = address.r#type();
        if element_type(offset.r#type()) != wide {
            offset = emitter.value(arith::EXTSI, &[offset], ty, &[]);
        }
        if bytes > 1 {
            let bytes = emitter.int_like(ty, bytes as i64);
            offset = emitter.binary(arith::MULI, offset, bytes);
        }
        let moved = emitter.binary(arith::ADDI, address, offset);
        Ok(match uniform {
            Some(uniform) => uniform.spread(emitter, moved, all, bytes as i64),
            None => moved,
        })
    }
}
