//! Addresses in shared memory, for buffers and for operations that exchange elements through it.
//!
//! `tile-allocate-shared` has written down at which byte the memory of each operation begins. An exchange is stores, a
//! barrier, loads. What makes it wait for the loads of the exchange before it in the same bytes is `tile-insert-barriers`.

use melior::dialect::llvm::attributes::{Linkage, linkage};
use melior::dialect::llvm::r#type::array;
use melior::ir::r#type::IntegerType;
use melior::ir::{OperationRef, Region, Type, Value, ValueLike};
use mytriton_tile::emit::{Emitter, result_of};

use crate::interfaces::shared_memory::Footprint;
use crate::ir::{PassResult, error_at, int_attribute};
use crate::lower::conversion::{Conversion, SHARED_SPACE, shared_pointer};
use crate::lower::shared::buffers;
use crate::lower::stored::{from_stored, stored_type, to_stored};
use crate::memory::{BYTES, OFFSET};

/// The symbol.
const NAME: &str = "__mytriton_scratch";

/// Declares the memory.
pub fn declare<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, bytes: u64, alignment: u64) {
    let byte = IntegerType::new(emitter.context, 8).into();
    let ty = array(byte, bytes as u32);
    let linkage = linkage(emitter.context, Linkage::Internal);
    emitter
        .llvm_mlir_global(ty, NAME, linkage, Region::new())
        .with_addr_space(SHARED_SPACE as i32)
        .with_alignment(alignment as i64);
}

/// The address of a use.
#[derive(Clone, Copy)]
pub struct Scratch<'c, 'a> {
    base: Value<'c, 'a>,
}

impl<'c: 'a, 'a> Scratch<'c, 'a> {
    /// Stores a number at a byte offset of the use, an `i32`.
    pub fn store(self, emitter: Emitter<'c, 'a>, offset: Value<'c, 'a>, value: Value<'c, 'a>) {
        let value = to_stored(emitter, value);
        emitter.llvm_store(value, self.at(emitter, offset));
    }

    /// Loads a number of type `element` from a byte offset of the use, an `i32`.
    pub fn load(self, emitter: Emitter<'c, 'a>, offset: Value<'c, 'a>, element: Type<'c>) -> Value<'c, 'a> {
        let address = self.at(emitter, offset);
        let stored = emitter.llvm_load(address, stored_type(emitter, element));
        from_stored(emitter, stored.result(), element)
    }

    /// Where the use begins, an `!llvm.ptr<3>` aligned to 16 bytes.
    pub fn base(self) -> Value<'c, 'a> {
        self.base
    }

    fn at(self, emitter: Emitter<'c, 'a>, offset: Value<'c, 'a>) -> Value<'c, 'a> {
        buffers::at(emitter, self.base, offset)
    }
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    /// The memory through which an operation exchanges elements, from byte `start` of it on.
    ///
    /// # Errors
    /// `tile-allocate-shared` has not given the operation what it takes.
    pub(crate) fn scratch(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        footprint: &Footprint,
        start: u64,
    ) -> PassResult<'c, Scratch<'c, 'a>> {
        let base = self.memory(emitter, op, footprint, start)?;
        Ok(Scratch { base })
    }

    /// The memory of a buffer, an `!llvm.ptr<3>`.
    ///
    /// # Errors
    /// As [`scratch`](Self::scratch).
    pub(crate) fn buffer(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        footprint: &Footprint,
    ) -> PassResult<'c, Value<'c, 'a>> {
        self.facts.alignment = footprint.alignment();
        self.memory(emitter, op, footprint, 0)
    }

    fn memory(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        footprint: &Footprint,
        start: u64,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let Footprint { what, bytes, .. } = footprint;
        let allocated = |name| int_attribute(op, name).and_then(|n| u64::try_from(n).ok());
        let (Some(offset), Some(given)) = (allocated(OFFSET), allocated(BYTES)) else {
            let message = format!("{what} takes {bytes} bytes of shared memory: run tile-allocate-shared first");
            return Err(error_at(op, message));
        };
        if *bytes > given {
            let message = format!(
                "{what} takes {bytes} bytes of shared memory and has been given {given}: run tile-allocate-shared again"
            );
            return Err(error_at(op, message));
        }
        let base = emitter.llvm_mlir_addressof(NAME, shared_pointer(emitter.context));
        Ok(buffers::at_constant(emitter, base.result(), (offset + start) as u32))
    }

    /// Between the stores and the loads of an exchange.
    pub(crate) fn block_barrier(&self, emitter: Emitter<'c, 'a>) {
        emitter.gpu_barrier();
    }

    /// Between the stores and the loads of an exchange in which every warp loads only what it has stored itself, and no
    /// two warps store the same: the warps need not wait for one another (PTX ISA, "bar.warp.sync", which also orders
    /// memory among the lanes). Before the stores too: the loads of the loop's iteration before may be under way.
    pub(crate) fn warp_barrier(&self, emitter: Emitter<'c, 'a>) {
        let all = emitter.int(32, -1);
        emitter.nvvm_bar_warp_sync(all);
    }
}

/// Runs `f` in threads where the condition holds; everywhere without one.
pub fn guarded<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    condition: Option<Value<'c, 'a>>,
    f: impl FnOnce(Emitter<'c, 'a>),
) {
    let Some(condition) = condition else {
        return f(emitter);
    };
    let (region, block) = emitter.region(&[]);
    let inside = emitter.inside(block);
    f(inside);
    inside.scf_yield(&[]);
    emitter.scf_if(condition, &[], region, Region::new());
}

/// What `f` gives in threads where the condition holds, and `other` elsewhere; everywhere the first without a condition.
pub fn where_or<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    condition: Option<Value<'c, 'a>>,
    other: impl FnOnce(Emitter<'c, 'a>) -> Value<'c, 'a>,
    f: impl FnOnce(Emitter<'c, 'a>) -> Value<'c, 'a>,
) -> Value<'c, 'a> {
    let Some(condition) = condition else {
        return f(emitter);
    };
    let (first, inside) = emitter.region(&[]);
    let inside = emitter.inside(inside);
    let value = f(inside);
    inside.scf_yield(&[value]);
    let (second, outside) = emitter.region(&[]);
    let outside = emitter.inside(outside);
    outside.scf_yield(&[other(outside)]);
    let ty = value.r#type();
    let chosen = emitter.scf_if(condition, &[ty], first, second);
    result_of(chosen.operation(), 0)
}
