//! Program ids, ranges and addresses.

use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, OperationRef, Type, Value, ValueLike};
use mytriton_tile::emit::{Emitter, element_type, result_of, with_element};
use mytriton_tile_sys as sys;

use super::Conversion;
use crate::ir::{PassResult, error_at, int_attribute, layout_at, pointee_bytes};

impl<'c: 'a, 'a> Conversion<'c, 'a> {
    pub(super) fn program(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        name: &str,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let axis = op.attribute("axis").ok().and_then(sys::axis_of);
        let axis = axis.ok_or_else(|| error_at(op, format!("'{name}' has no axis")))?;
        let letter = match axis {
            sys::Axis::X => "x",
            sys::Axis::Y => "y",
            sys::Axis::Z => "z",
        };
        let dimension = Attribute::parse(self.context, &format!("#gpu<dim {letter}>")).expect("an attribute of gpu");
        let source = if name == "tile.program_id" { "gpu.block_id" } else { "gpu.grid_dim" };
        let index = emitter.value(source, &[], Type::index(self.context), &[("dimension", dimension)]);
        Ok(emitter.value("arith.index_cast", &[index], IntegerType::new(self.context, 32).into(), &[]))
    }

    pub(super) fn range(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let result: Value = result_of(op, 0);
        let layout = layout_at(op, result.r#type())?.ok_or_else(|| error_at(op, "a range is a tile"))?;
        let coordinates = self.thread.coordinates(emitter, &layout, 0).map_err(|e| error_at(op, e.to_string()))?;
        match int_attribute(op, "start") {
            None | Some(0) => Ok(coordinates),
            Some(start) => {
                let start = emitter.int_like(ty, start);
                Ok(emitter.binary("arith.addi", coordinates, start))
            }
        }
    }

    /// address + sign-extended offset * bytes of an element, in 64 bits.
    pub(super) fn addptr(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        operands: &[Value<'c, 'a>],
    ) -> PassResult<'c, Value<'c, 'a>> {
        let pointer = op.operand(0).map_err(|e| error_at(op, e.to_string()))?;
        let bytes = pointee_bytes(pointer.r#type()).ok_or_else(|| error_at(op, "a pointer is expected"))?;
        let &[address, mut offset] = operands else { return Err(error_at(op, "two operands are expected")) };
        let wide: Type = IntegerType::new(self.context, 64).into();
        let ty = with_element(address.r#type(), wide);
        if element_type(offset.r#type()) != wide {
            offset = emitter.value("arith.extsi", &[offset], ty, &[]);
        }
        if bytes > 1 {
            let bytes = emitter.int_like(ty, bytes as i64);
            offset = emitter.binary("arith.muli", offset, bytes);
        }
        Ok(emitter.binary("arith.addi", address, offset))
    }
}
