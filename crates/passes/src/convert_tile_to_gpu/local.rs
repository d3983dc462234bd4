//! Tiles between registers and shared memory: what a thread stores or loads where, in accesses of up to 16 bytes.
//!
//! The byte offset of a register's element is linear over the bits of register, lane and warp. Registers that lie next
//! to one another in every thread make one access. What lane and warp contribute is computed once; the constant of an
//! access is added to it as far as it has no bits in common with that (an addition goes into the instruction's
//! immediate offset), and the rest, which a swizzle has, by an exclusive or.

use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{OperationRef, Type, Value, ValueLike};
use mytriton_layout::{Dim, DistributedLayout, LinearLayout, RegisterGroup, staging};
use mytriton_tile::emit::{CmpI, Emitter, element_type};
use mytriton_tile::layout::shared_layout_of;
use mytriton_tile::ops::{AllocOp, LocalLoadOp, LocalStoreOp};
use mytriton_tile::types::ssa_scalar;
use mytriton_tile_sys as sys;
use rustc_hash::FxHashMap;

use super::scratch::guarded;
use super::thread::{extract, from_elements, pick};
use super::{Conversion, lowered_scalar};
use crate::ir::{PassResult, error_at, layout_at};

/// The most bytes of an access.
const ACCESS_BYTES: u64 = 16;

/// The bytes that a number of this type takes in memory; a truth value takes one, a pointer eight.
pub fn stored_bytes(element: Type<'_>) -> u64 {
    ssa_scalar(element).map_or(8, |scalar| u64::from(scalar.bytes()))
}

/// The bytes that a tile takes under a shared layout: all offsets of one block, padding included.
pub fn tile_bytes(shared: &LinearLayout, element: Type<'_>) -> u64 {
    u64::from(shared.in_size("offset")) * stored_bytes(element)
}

/// What a thread accesses of a tile in shared memory.
pub struct Accesses<'c, 'a> {
    element: Type<'c>,
    /// The registers of every access, in the order of their offsets, with the byte offset that they contribute.
    groups: Vec<(RegisterGroup, u32)>,
    /// For every register the first one that holds the same element.
    represents: Vec<u32>,
    /// The byte offset that lane and warp contribute.
    of_thread: Value<'c, 'a>,
    /// The bits that it may have.
    thread_bits: u32,
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    /// The accesses by which threads store or load all of a tile, whose element in the `gpu` stage is `element`.
    ///
    /// # Errors
    /// The shared layout has to hold every element that the threads have, in one thread block.
    pub(super) fn accesses(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        threads: &DistributedLayout,
        shared: &LinearLayout,
        element: Type<'c>,
    ) -> PassResult<'c, Accesses<'c, 'a>> {
        let widest = staging::max_access(threads, shared, stored_bytes(element) as u32);
        let vector = widest.map_err(|e| error_at(op, format!("the layout in shared memory: {e}")))?;
        self.accesses_of(emitter, op, threads, shared, element, vector)
    }

    /// As [`accesses`](Self::accesses), each of `vector` elements.
    pub(super) fn accesses_of(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        threads: &DistributedLayout,
        shared: &LinearLayout,
        element: Type<'c>,
        vector: u32,
    ) -> PassResult<'c, Accesses<'c, 'a>> {
        let failed = |e: mytriton_layout::LayoutError| error_at(op, format!("the layout in shared memory: {e}"));
        let bytes = stored_bytes(element) as u32;
        let map = staging::offsets(threads, shared).map_err(failed)?;
        if threads.num_blocks() > 1 || map.out_size("block") > 1 {
            return Err(error_at(op, "a tile in the shared memory of several thread blocks"));
        }
        let map = map.flatten_outs(Dim::out(0)).map_err(failed)?;
        let groups = staging::accesses(threads, shared, vector).map_err(failed)?;
        let free = threads.register_free_mask();
        let groups = groups
            .into_iter()
            .filter(|group| group.iter().all(|register| register & free == 0))
            .map(|group| {
                let offset = map.apply_in_order(&[group[0]])[0] * bytes;
                (group, offset)
            });
        let groups = groups.collect();
        let bits = ["lane", "warp"].map(|input| map.bases(input).fold(0, |bits, basis| bits | basis[0]));
        let share = self.thread.share(emitter, &map, 0).map_err(failed)?;
        let scale = emitter.int_like(share.r#type(), i64::from(bytes));
        Ok(Accesses {
            element,
            groups,
            represents: threads.register_representatives(),
            of_thread: emitter.binary("arith.muli", share, scale),
            thread_bits: (bits[0] | bits[1]) * bytes,
        })
    }
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    pub(super) fn alloc(&mut self, emitter: Emitter<'c, 'a>, alloc: AllocOp<'c, '_>) -> PassResult<'c, Value<'c, 'a>> {
        let op = alloc.operation();
        let (shared, element) = self.buffer_of(op, alloc.result())?;
        let base = self.buffer(emitter, op, tile_bytes(&shared, element))?;
        if let Some(init) = alloc.init() {
            self.put(emitter, op, init, (&shared, element), base)?;
        }
        Ok(base)
    }

    pub(super) fn local_store(&mut self, emitter: Emitter<'c, 'a>, store: LocalStoreOp<'c, '_>) -> PassResult<'c> {
        let op = store.operation();
        let (shared, element) = self.buffer_of(op, store.buffer())?;
        let base = self.value(op, store.buffer())?;
        self.put(emitter, op, store.source(), (&shared, element), base)
    }

    pub(super) fn local_load(
        &mut self,
        emitter: Emitter<'c, 'a>,
        load: LocalLoadOp<'c, '_>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let op = load.operation();
        let (shared, element) = self.buffer_of(op, load.buffer())?;
        let base = self.value(op, load.buffer())?;
        let threads = threads_of(op, load.result())?;
        let accesses = self.accesses(emitter, op, &threads, &shared, element)?;
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
        let threads = threads_of(op, tile)?;
        let values = self.value(op, tile)?;
        let accesses = self.accesses(emitter, op, &threads, shared, element)?;
        // Of warps that hold the same one is enough; of lanes all do it in one instruction.
        let first = self.thread.is_zero_in(emitter, threads.warp_free_mask() << 5);
        guarded(emitter, first, |emitter| accesses.store(emitter, values, base));
        Ok(())
    }

    /// The layout of a buffer, and its element in the `gpu` stage.
    fn buffer_of(&self, op: OperationRef<'c, '_>, buffer: Value<'c, '_>) -> PassResult<'c, (LinearLayout, Type<'c>)> {
        let ty = buffer.r#type();
        let layout = shared_layout_of(ty).map_err(|e| error_at(op, format!("the layout of {ty}: {e}")))?;
        match (layout, sys::BufferRef::new(ty)) {
            (Some(layout), Some(buffer)) => Ok((layout, lowered_scalar(self.context, buffer.element()))),
            _ => Err(error_at(op, "a buffer is expected")),
        }
    }
}

fn threads_of<'c>(op: OperationRef<'c, '_>, tile: Value<'c, '_>) -> PassResult<'c, DistributedLayout> {
    layout_at(op, tile.r#type())?.ok_or_else(|| error_at(op, "a tile is expected"))
}

impl<'c: 'a, 'a> Accesses<'c, 'a> {
    /// Stores a thread's share of a tile (a vector) to the tile at `base`, an `!llvm.ptr<3>` aligned to 16 bytes. Threads
    /// that hold the same element store the same.
    pub fn store(&self, emitter: Emitter<'c, 'a>, values: Value<'c, 'a>, base: Value<'c, 'a>) {
        let mut addresses = FxHashMap::default();
        let stored = stored_type(emitter, self.element);
        for (group, offset) in &self.groups {
            let part = Type::vector(&[group.len() as u64], self.element);
            let mut value = match group[..] {
                [register] => extract(emitter, values, register),
                _ => pick(emitter, values, group, part),
            };
            if stored != self.element {
                let wide = if group.len() == 1 {
                    stored
                } else {
                    Type::vector(&[group.len() as u64], stored)
                };
                value = emitter.value("arith.extui", &[value], wide, &[]);
            }
            let address = self.address(emitter, &mut addresses, base, *offset);
            emitter.op(
                "llvm.store",
                &[value, address],
                &[],
                &[self.alignment(emitter, group.len())],
            );
        }
    }

    /// Loads a thread's share, a vector of type `ty`, of the tile at `base`.
    pub fn load(&self, emitter: Emitter<'c, 'a>, base: Value<'c, 'a>, ty: Type<'c>) -> Value<'c, 'a> {
        let mut addresses = FxHashMap::default();
        let stored = stored_type(emitter, self.element);
        let mut elements: Vec<Option<Value<'c, 'a>>> = vec![None; self.represents.len()];
        for (group, offset) in &self.groups {
            let loaded = if group.len() == 1 {
                stored
            } else {
                Type::vector(&[group.len() as u64], stored)
            };
            let address = self.address(emitter, &mut addresses, base, *offset);
            let mut value = emitter.value("llvm.load", &[address], loaded, &[self.alignment(emitter, group.len())]);
            if stored != self.element {
                let zero = emitter.int_like(loaded, 0);
                value = emitter.cmpi(CmpI::Ne, value, zero);
            }
            for (at, &register) in (0..).zip(group) {
                elements[register as usize] = Some(extract(emitter, value, at));
            }
        }
        let of_register =
            |&register: &u32| elements[register as usize].expect("accesses cover the registers of a layout");
        let elements: Vec<_> = self.represents.iter().map(of_register).collect();
        debug_assert_eq!(element_type(ty), self.element);
        from_elements(emitter, &elements, ty)
    }

    /// Where an access begins to which registers contribute `offset`.
    fn address(
        &self,
        emitter: Emitter<'c, 'a>,
        known: &mut FxHashMap<u32, Value<'c, 'a>>,
        base: Value<'c, 'a>,
        offset: u32,
    ) -> Value<'c, 'a> {
        let crossed = offset & self.thread_bits;
        let start = *known.entry(crossed).or_insert_with(|| {
            let mut own = self.of_thread;
            if crossed != 0 {
                let constant = emitter.int(32, i64::from(crossed));
                own = emitter.binary("arith.xori", own, constant);
            }
            at(emitter, base, own)
        });
        match offset & !self.thread_bits {
            0 => start,
            rest => at_constant(emitter, start, rest),
        }
    }

    fn alignment(&self, emitter: Emitter<'c, 'a>, count: usize) -> (&'static str, melior::ir::Attribute<'c>) {
        let bytes = (count as u64 * stored_bytes(self.element)).min(ACCESS_BYTES);
        ("alignment", emitter.i64_attribute(bytes as i64))
    }
}

/// The type by which an element lies in memory: a truth value is a byte.
fn stored_type<'c>(emitter: Emitter<'c, '_>, element: Type<'c>) -> Type<'c> {
    let is_truth = IntegerType::try_from(element).is_ok_and(|int| int.width() == 1);
    match is_truth {
        true => IntegerType::new(emitter.context, 8).into(),
        false => element,
    }
}

/// The address `offset` bytes, an `i32`, behind a pointer.
pub fn at<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, base: Value<'c, 'a>, offset: Value<'c, 'a>) -> Value<'c, 'a> {
    element_pointer(emitter, &[base, offset], i32::MIN)
}

/// The address a constant number of bytes behind a pointer.
pub fn at_constant<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, base: Value<'c, 'a>, offset: u32) -> Value<'c, 'a> {
    match offset {
        0 => base,
        _ => element_pointer(emitter, &[base], offset as i32),
    }
}

/// `llvm.getelementptr` over bytes; the index is a constant, or `i32::MIN` where an operand gives it.
fn element_pointer<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, operands: &[Value<'c, 'a>], index: i32) -> Value<'c, 'a> {
    let byte: Type = IntegerType::new(emitter.context, 8).into();
    let attributes = [
        (
            "rawConstantIndices",
            DenseI32ArrayAttribute::new(emitter.context, &[index]).into(),
        ),
        ("elem_type", emitter.type_attribute(byte)),
    ];
    emitter.value("llvm.getelementptr", operands, operands[0].r#type(), &attributes)
}
