//! How wide a thread's accesses of memory may be.

use melior::ir::{OperationRef, Value, ValueLike};
use mytriton_tile::ops::{LoadOp, StoreOp};

use crate::analyses::axis_info::AxisInfos;
use crate::ir::pointee_bytes;

/// The bytes of the widest access of one thread, to global or to shared memory.
pub const ACCESS_BYTES: u64 = 16;

/// The pointer and the mask of a load or store; none for other operations.
pub fn pointer_and_mask<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> Option<(Value<'c, 'a>, Option<Value<'c, 'a>>)> {
    match (LoadOp::cast(op), StoreOp::cast(op)) {
        (Some(load), _) => Some((load.pointer(), load.mask())),
        (_, Some(store)) => Some((store.pointer(), store.mask())),
        _ => None,
    }
}

/// How many neighbours along `axis` one access of a load or store may take, by what is known of its pointers and mask.
pub fn vector_along(op: OperationRef<'_, '_>, axis: usize, infos: &AxisInfos) -> Option<u64> {
    let (pointer, mask) = pointer_and_mask(op)?;
    let element_bytes = pointee_bytes(pointer.r#type())?;
    let along = *infos.get(pointer).axes.get(axis)?;
    let certain = mask.map_or(u64::MAX, |mask| {
        infos.get(mask).axes.get(axis).map_or(1, |a| a.constancy)
    });
    let vector = (ACCESS_BYTES / element_bytes)
        .min(along.contiguity)
        .min(along.divisibility / element_bytes)
        .min(certain);
    Some(vector.max(1))
}
