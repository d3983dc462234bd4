//! `tile.gather`: the source lies in shared memory in row-major order, from where each thread loads what its indices name.

use melior::ir::{Type, Value, ValueLike};
use mytriton_tile::emit::{Emitter, element_type, shape_of};
use mytriton_tile::ops::GatherOp;

use super::Conversion;
use super::local::stored_bytes;
use super::row_major::{load_rows, offsets};
use crate::ir::{PassResult, error_at, layout_at};

/// The bytes of shared memory that the source of a gather takes: its elements, without padding.
fn scratch_bytes(source: Type<'_>) -> u64 {
    let elements: u64 = shape_of(source).unwrap_or_default().iter().product();
    elements * stored_bytes(element_type(source))
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

        let bytes = stored_bytes(element);
        let store_at = self.offsets_of(emitter, op, &from, &extents, bytes)?;
        self.store_rows(emitter, &from, operands[0], &store_at, scratch);

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
        let load_at = offsets(emitter, &named, &extents, &wide, bytes);
        Ok(load_rows(emitter, &to, ty, &load_at, scratch))
    }
}
