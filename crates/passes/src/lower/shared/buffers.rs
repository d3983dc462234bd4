//! Buffers: tiles that threads store to shared memory and load from there.

use melior::ir::r#type::IntegerType;
use melior::ir::{OperationRef, Type, Value, ValueLike};
use mytriton_layout::LinearLayout;
use mytriton_layout::staging::{Form, Matrices};
use mytriton_tile::emit::{Emitter, result_of};
use mytriton_tile::layout::shared_layout_of;
use mytriton_tile::ops::{AllocOp, LocalLoadOp, LocalStoreOp};
use mytriton_tile_sys as sys;

use crate::interfaces::shared_memory::{Footprint, Lifetime, UsesSharedMemory};
use crate::ir::{PassResult, error_at, tile_layout_at};
use crate::lower::conversion::Conversion;
use crate::lower::conversion::lowered_scalar;
use crate::lower::shared::access::{Direction, best_access};
use crate::lower::shared::scratch::guarded;
use crate::lower::stored::stored_bytes;

impl<'c> UsesSharedMemory<'c> for AllocOp<'c, '_> {
    fn footprint(self, _: Matrices) -> PassResult<'c, Option<Footprint>> {
        plan(self).map(Some)
    }
}

/// All offsets of the buffer's layout, padding included.
fn plan<'c>(alloc: AllocOp<'c, '_>) -> PassResult<'c, Footprint> {
    let (shared, element) = buffer_of(alloc.operation(), alloc.result())?;
    Ok(Footprint {
        what: "a buffer",
        bytes: u64::from(shared.in_size("offset")) * stored_bytes(element),
        lifetime: Lifetime::Buffer,
        within_warps: false,
    })
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    pub(crate) fn alloc(&mut self, emitter: Emitter<'c, 'a>, alloc: AllocOp<'c, '_>) -> PassResult<'c, Value<'c, 'a>> {
        let op = alloc.operation();
        let (shared, element) = buffer_of(op, alloc.result())?;
        let element = lowered_scalar(self.context, element);
        let base = self.buffer(emitter, op, &plan(alloc)?)?;
        if let Some(init) = alloc.init() {
            self.put(emitter, op, init, (&shared, element), base)?;
        }
        Ok(base)
    }

    pub(crate) fn local_store(&mut self, emitter: Emitter<'c, 'a>, store: LocalStoreOp<'c, '_>) -> PassResult<'c> {
        let op = store.operation();
        let (shared, element) = buffer_of(op, store.buffer())?;
        let element = lowered_scalar(self.context, element);
        let base = self.value(op, store.buffer())?;
        self.put(emitter, op, store.source(), (&shared, element), base)
    }

    pub(crate) fn local_load(
        &mut self,
        emitter: Emitter<'c, 'a>,
        load: LocalLoadOp<'c, '_>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let op = load.operation();
        let (shared, element) = buffer_of(op, load.buffer())?;
        let element = lowered_scalar(self.context, element);
        let base = self.value(op, load.buffer())?;
        let threads = tile_layout_at(op, load.result().r#type())?;
        let accesses = self.accesses(emitter, op, (&threads, &shared), element, Direction::Load)?;
        Ok(accesses.load(emitter, base, self.lowered(op, load.result().r#type())?))
    }

    /// Stores a tile to the buffer at `base`.
    fn put(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        tile: Value<'c, '_>,
        (shared, element): (&LinearLayout, Type<'c>),
        base: Value<'c, 'a>,
    ) -> PassResult<'c> {
        let threads = tile_layout_at(op, tile.r#type())?;
        let values = self.value(op, tile)?;
        let accesses = self.accesses(emitter, op, (&threads, shared), element, Direction::Store)?;
        // Of warps that hold the same one is enough; of lanes all do it in one instruction.
        let first = self.thread.is_zero_in(emitter, threads.warp_free_mask() << 5);
        guarded(emitter, first, |emitter| accesses.store(emitter, values, base));
        Ok(())
    }
}

/// The layout and the element type of a buffer.
fn buffer_of<'c>(op: OperationRef<'c, '_>, buffer: Value<'c, '_>) -> PassResult<'c, (LinearLayout, Type<'c>)> {
    let ty = buffer.r#type();
    let layout = shared_layout_of(ty).map_err(|e| error_at(op, format!("the layout of {ty}: {e}")))?;
    match (layout, sys::BufferRef::new(ty)) {
        (Some(layout), Some(buffer)) => Ok((layout, buffer.element())),
        _ => Err(error_at(op, "a buffer is expected")),
    }
}

/// Do a tile's threads access a buffer by matrices, where lanes touch what others of their warp have?
///
/// # Errors
/// The layouts of the buffer and the tile are not those of one tile.
pub fn is_by_matrices<'c>(
    op: OperationRef<'c, '_>,
    (buffer, tile): (Value<'c, '_>, Value<'c, '_>),
    direction: Direction,
    matrices: Matrices,
) -> PassResult<'c, bool> {
    let (shared, element) = buffer_of(op, buffer)?;
    let access = best_access(
        &tile_layout_at(op, tile.r#type())?,
        &shared,
        element,
        direction,
        matrices,
    );
    let access = access.map_err(|e| error_at(op, format!("the layout in shared memory: {e}")))?;
    Ok(matches!(access.form, Form::Matrices { .. }))
}

/// The address `offset` bytes, an `i32`, behind a pointer.
pub fn at<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, base: Value<'c, 'a>, offset: Value<'c, 'a>) -> Value<'c, 'a> {
    byte_pointer(emitter, base, &[offset], INDEX_OF_OPERAND)
}

/// The address a constant number of bytes behind a pointer.
pub fn at_constant<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, base: Value<'c, 'a>, offset: u32) -> Value<'c, 'a> {
    match offset {
        0 => base,
        _ => byte_pointer(emitter, base, &[], offset as i32),
    }
}

/// The constant index of `llvm.getelementptr` that stands for an operand.
const INDEX_OF_OPERAND: i32 = i32::MIN;

/// `llvm.getelementptr` over bytes.
fn byte_pointer<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    base: Value<'c, 'a>,
    offset: &[Value<'c, 'a>],
    index: i32,
) -> Value<'c, 'a> {
    let byte = IntegerType::new(emitter.context, 8).into();
    let pointer = emitter.llvm_getelementptr(base, offset, &[index], byte, base.r#type());
    result_of(pointer.operation(), 0)
}
