//! Program ids, ranges and addresses.

use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, OperationRef, Type, Value, ValueLike};
use mytriton_tile::emit::{Emitter, element_type, with_element};
use mytriton_tile::ops::{AddPtrOp, RangeOp};
use mytriton_tile_sys as sys;

use super::Conversion;
use super::uniform::Uniform;
use crate::ir::{PassResult, error_at, layout_at, pointee_bytes};

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    /// What the `gpu` operation `source` says of an axis, as an i32.
    pub(super) fn program(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        axis: Attribute<'c>,
        source: &str,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let axis = sys::axis_of(axis).ok_or_else(|| error_at(op, "'axis' is no axis of the grid"))?;
        let letter = match axis {
            sys::Axis::X => "x",
            sys::Axis::Y => "y",
            sys::Axis::Z => "z",
        };
        let dimension = Attribute::parse(self.context, &format!("#gpu<dim {letter}>")).expect("an attribute of gpu");
        let index = emitter.value(source, &[], Type::index(self.context), &[("dimension", dimension)]);
        Ok(emitter.value(
            "arith.index_cast",
            &[index],
            IntegerType::new(self.context, 32).into(),
            &[],
        ))
    }

    pub(super) fn range(
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
        Ok(emitter.binary("arith.addi", coordinates, start))
    }

    /// address + sign-extended offset * bytes of an element, in 64 bits.
    pub(super) fn addptr(&self, emitter: Emitter<'c, 'a>, addptr: AddPtrOp<'c, '_>) -> PassResult<'c, Value<'c, 'a>> {
        let op = addptr.operation();
        let bytes = pointee_bytes(addptr.pointer().r#type()).ok_or_else(|| error_at(op, "a pointer is expected"))?;
        let (address, mut offset) = (self.value(op, addptr.pointer())?, self.value(op, addptr.offset())?);
        let wide: Type = IntegerType::new(self.context, 64).into();
        let mut address = address;
        let all = with_element(address.r#type(), wide);
        let uniform = layout_at(op, addptr.pointer().r#type())?.and_then(|layout| {
            let info = |value| self.infos.get(value);
            Uniform::stepped(&layout, &info(addptr.pointer()), &info(addptr.offset()))
        });
        if let Some(uniform) = &uniform {
            (address, offset) = (uniform.gather(emitter, address), uniform.gather(emitter, offset));
        }
        let ty = address.r#type();
        if element_type(offset.r#type()) != wide {
            offset = emitter.value("arith.extsi", &[offset], ty, &[]);
        }
        if bytes > 1 {
            let bytes = emitter.int_like(ty, bytes as i64);
            offset = emitter.binary("arith.muli", offset, bytes);
        }
        let moved = emitter.binary("arith.addi", address, offset);
        Ok(match uniform {
            Some(uniform) => uniform.spread(emitter, moved, all, bytes as i64),
            None => moved,
        })
    }
}
