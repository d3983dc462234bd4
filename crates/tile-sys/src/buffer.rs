//! `!tile.buffer`, the type of tiles in shared memory.

use crate::{attributes::emit_error, ffi};
use melior::ir::{Location, Type, TypeLike};
use std::slice;

/// `!tile.buffer` of a shape and element type, with a layout of these bases of `offset`, from the lowest bit up, one
/// coordinate per dimension after another. `None` if they are no layout of such a tile; a diagnostic at `location`
/// then says why.
pub fn buffer_type<'c>(location: Location<'c>, shape: &[i64], element: Type<'c>, offset: &[i32]) -> Option<Type<'c>> {
    let rank = shape.len();
    if rank == 0 || !offset.len().is_multiple_of(rank) {
        let message = format!("each basis of a buffer of rank {rank} needs {rank} coordinates");
        emit_error(location, &message);
        return None;
    }
    // SAFETY: the location and type are live and of one context; the arrays have the lengths that are given, and the
    // callee copies them.
    unsafe {
        Type::from_option_raw(ffi::mytritonTileBufferTypeGetChecked(
            location.to_raw(),
            rank,
            shape.as_ptr(),
            element.to_raw(),
            offset.len() / rank,
            offset.as_ptr(),
        ))
    }
}

/// A `!tile.buffer`, to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferRef<'c> {
    ty: Type<'c>,
}

impl<'c> BufferRef<'c> {
    /// The buffer type that a type is; `None` for any other.
    pub fn new(ty: Type<'c>) -> Option<Self> {
        // SAFETY: the type is live.
        unsafe { ffi::mytritonTypeIsATileBuffer(ty.to_raw()) }.then_some(Self { ty })
    }

    /// The type of its elements.
    pub fn element(self) -> Type<'c> {
        // SAFETY: `new` checked that the type is a buffer.
        unsafe { Type::from_raw(ffi::mytritonTileBufferTypeGetElement(self.ty.to_raw())) }
    }

    /// Its extents.
    pub fn shape(self) -> &'c [i64] {
        // SAFETY: `new` checked that the type is a buffer. Types are immutable and their storage lives as long as their
        // context, which `'c` does not outlive; it has as many extents as dimensions.
        unsafe {
            let rank = ffi::mytritonTileBufferTypeGetRank(self.ty.to_raw());
            slice::from_raw_parts(ffi::mytritonTileBufferTypeGetShape(self.ty.to_raw()), rank)
        }
    }

    /// The bases of `offset` in its layout, from the lowest bit up, a coordinate for each dimension.
    pub fn offset_bases(self) -> slice::ChunksExact<'c, i32> {
        self.bases(0)
    }

    /// The bases of `block` in its layout.
    pub fn block_bases(self) -> slice::ChunksExact<'c, i32> {
        self.bases(1)
    }

    fn bases(self, index: u32) -> slice::ChunksExact<'c, i32> {
        let mut count = 0;
        // SAFETY: as in `shape`; `index` is 0 or 1, and there are `count` coordinates.
        let flat = unsafe {
            let bases = ffi::mytritonTileBufferTypeGetBases(self.ty.to_raw(), index, &mut count);
            if count == 0 {
                &[]
            } else {
                slice::from_raw_parts(bases, count)
            }
        };
        flat.chunks_exact(self.shape().len())
    }
}
