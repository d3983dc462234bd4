//! Accesses of memory, and which of them have to be told apart by a barrier.

use melior::ir::block::{BlockArgument, BlockLike};
use melior::ir::{OperationRef, TypeLike, Value, ValueLike};
use mytriton_layout::DistributedLayout;
use mytriton_layout::staging::Matrices;
use mytriton_tile::defining_operation;
use mytriton_tile::emit::shape_of;
use mytriton_tile::ops::{TileOp, func};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::analyses::strides::StrideInfos;
use crate::ir::{PassResult, int_attribute, key, layout_at, pointee_bytes};
use crate::lower::shared::{access::Direction, buffers::is_by_matrices};
use crate::memory::{BYTES, OFFSET};

/// An access since the last barrier.
#[derive(Clone, PartialEq)]
pub struct Access {
    store: bool,
    memory: Memory,
    /// Which threads access what, where that is known.
    mapping: Option<ThreadMapping>,
}

/// Which memory is accessed.
#[derive(Clone, PartialEq)]
enum Memory {
    Global,
    /// From the first byte to before the second.
    Shared(u64, u64),
    /// Any of both.
    Anywhere,
}

/// Which thread accesses which bytes. Accesses that go the same way need not be ordered: a byte that two of them have in
/// common is the same thread's in both, or the same warp's, which then sees to it by itself.
#[derive(Clone, PartialEq)]
enum ThreadMapping {
    /// Of global memory, by threads that own their elements.
    Pointers(AddressExpr, DistributedLayout),
    /// Of the buffer that begins at an offset, by threads that own their elements. The type has the layout.
    Buffer(u64, usize, DistributedLayout),
    /// Of the operation with this identity, in which every warp keeps to its own bytes.
    Warps(usize),
}

/// How addresses come about. Equal places mean: two elements with one address have the same coordinates.
#[derive(Clone, PartialEq)]
struct AddressExpr {
    /// The value that the addresses start from; none for arguments of the kernel, which all count as one.
    base: Option<usize>,
    /// The offsets that are added to it.
    offsets: SmallVec<[usize; 2]>,
    element_bytes: u64,
}

impl Access {
    /// Must a barrier stand between the two?
    pub fn conflicts(&self, other: &Access) -> bool {
        let meet = match (&self.memory, &other.memory) {
            (Memory::Global, Memory::Global) => true,
            (Memory::Shared(start, end), Memory::Shared(from, to)) => start < to && from < end,
            (Memory::Anywhere, _) | (_, Memory::Anywhere) => true,
            (Memory::Global, Memory::Shared(..)) | (Memory::Shared(..), Memory::Global) => false,
        };
        let same_thread = self.mapping.is_some() && self.mapping == other.mapping;
        meet && (self.store || other.store) && !same_thread
    }

    /// The same access where the values of a loop's inside mean nothing: in its next iteration they are others. Shared
    /// memory lies where it does in all iterations.
    pub fn seen_from_outside(mut self, inside: &FxHashSet<usize>) -> Self {
        if let Some(ThreadMapping::Pointers(place, _)) = &self.mapping {
            let mut values = place.base.into_iter().chain(place.offsets.iter().copied());
            if values.any(|value| inside.contains(&value)) {
                self.mapping = None;
            }
        }
        self
    }

    /// Of any memory, by any thread.
    pub fn anywhere(store: bool) -> Self {
        Access {
            store,
            memory: Memory::Anywhere,
            mapping: None,
        }
    }

    /// Of global memory at the addresses of `pointer`.
    pub fn of_pointers<'c: 'a, 'a>(
        strides: &mut StrideInfos,
        op: OperationRef<'c, 'a>,
        pointer: Value<'c, 'a>,
        store: bool,
    ) -> PassResult<'c, Self> {
        let layout = owned(op, pointer)?;
        let mapping = place_of(strides, pointer).zip(layout);
        Ok(Access {
            store,
            memory: Memory::Global,
            mapping: mapping.map(|(place, layout)| ThreadMapping::Pointers(place, layout)),
        })
    }

    /// Of what an operation that exchanges elements takes of shared memory.
    pub fn of_exchange<'c: 'a, 'a>(op: OperationRef<'c, 'a>, store: bool, within_warps: bool) -> Self {
        let (start, end) = bytes_of(op);
        Access {
            store,
            memory: Memory::Shared(start, end),
            mapping: within_warps.then(|| ThreadMapping::Warps(op.to_raw().ptr as usize)),
        }
    }

    /// Of a tile between threads and the buffers that may be meant, given the operations that allocate them, with the
    /// instructions for matrices that there are.
    pub fn of_buffers<'c: 'a, 'a>(
        op: OperationRef<'c, 'a>,
        store: bool,
        buffers: &[OperationRef<'c, 'a>],
        (buffer, tile): (Value<'c, 'a>, Value<'c, 'a>),
        matrices: Matrices,
    ) -> PassResult<'c, Vec<Self>> {
        let direction = if store { Direction::Store } else { Direction::Load };
        let by_matrices = is_by_matrices(op, (buffer, tile), direction, matrices)?;
        let owned = owned(op, tile)?.filter(|_| !by_matrices);
        let ty = buffer.r#type().to_raw().ptr as usize;
        let access = |alloc: &OperationRef<'c, 'a>| {
            let (start, end) = bytes_of(*alloc);
            let mapping = owned.clone().filter(|_| buffers.len() == 1);
            Access {
                store,
                memory: Memory::Shared(start, end),
                mapping: mapping.map(|layout| ThreadMapping::Buffer(start, ty, layout)),
            }
        };
        Ok(buffers.iter().map(access).collect())
    }
}

/// The layout of a tile of which every element is one thread's.
fn owned<'c>(op: OperationRef<'c, '_>, tile: Value<'c, '_>) -> PassResult<'c, Option<DistributedLayout>> {
    let layout = layout_at(op, tile.r#type())?;
    Ok(layout.filter(|l| l.lane_free_mask() | l.warp_free_mask() == 0))
}

/// The bytes of shared memory that an operation has been given: any, if none have been yet.
fn bytes_of<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> (u64, u64) {
    let number = |name| int_attribute(op, name).and_then(|n| u64::try_from(n).ok());
    match (number(OFFSET), number(BYTES)) {
        (Some(offset), Some(bytes)) => (offset, offset + bytes),
        _ => (0, u64::MAX),
    }
}

fn place_of<'c: 'a, 'a>(strides: &mut StrideInfos, pointers: Value<'c, 'a>) -> Option<AddressExpr> {
    let shape = shape_of(pointers.r#type())?;
    let element_bytes = pointee_bytes(pointers.r#type())?;
    let (mut pointer, mut offsets, mut of_tiles) = (pointers, SmallVec::new(), Vec::new());
    while let Some(step) = defining_operation(pointer).and_then(TileOp::cast) {
        match step {
            TileOp::AddPtr(addptr) => {
                let offset = addptr.offset();
                offsets.push(key(offset));
                if shape_of(offset.r#type()).is_some() {
                    of_tiles.push(offset);
                }
                pointer = addptr.pointer();
            }
            TileOp::Splat(splat) => pointer = splat.source(),
            _ => break,
        }
    }
    let one_base = shape_of(pointer.r#type()).is_none();
    let base = if is_kernel_argument(pointer) {
        None
    } else {
        Some(key(pointer))
    };
    (one_base && strides.is_injective(&of_tiles, &shape)).then_some(AddressExpr {
        base,
        offsets,
        element_bytes,
    })
}

fn is_kernel_argument(value: Value<'_, '_>) -> bool {
    // melior prints a value that is none, for an error.
    let Some(Ok(argument)) = value.is_block_argument().then(|| BlockArgument::try_from(value)) else {
        return false;
    };
    let owner = argument.owner().parent_operation();
    owner.is_some_and(|owner| func::FuncOp::cast(owner).is_some())
}
