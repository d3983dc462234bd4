//! Operations that give elements other coordinates, and what each takes.
//!
//! Three kinds, from cheap to dear:
//!
//! 1. *Relabelled*: every dimension of the operand is one of the result's or has extent 1 (`broadcast`,
//!    `expand_dims`, `transpose`, reshapes that put in or drop dimensions of extent 1, reductions and scans over one
//!    element). Whoever needs an element of the result computes the operand's at its place: nothing moves.
//! 2. *Kept*: a `reshape` whose result is needed by row-major index alone. The threads share out both tiles by that
//!    index, so that each has what it needs.
//! 3. *Staged*: all others. The owners of the operand's tile write it to shared memory, the threads combine it there
//!    or not, and those who need an element of the result read it.

use mytriton_ssa::{Elem, Kernel, OpData, OpId, OpKind, ValueId};

use crate::demand::Demands;
use crate::error::{CudaError, SharedTile};
use crate::threads::{Ownership, Projection, Threads};

/// Static shared memory that a block may have on every target (CUDA C++ Programming Guide, technical specifications).
pub(crate) const MAX_SHARED_BYTES: u64 = 48 * 1024;

/// How elements come to those who need them, where it takes more than computing them there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Move {
    /// Each thread has what it needs, under another index.
    Kept,
    /// Through shared memory.
    Staged,
}

/// The ownership of an operand that gives the result in one, if the operation is relabelled; for operations that leave
/// coordinates alone, none.
pub(crate) fn relabelled(kernel: &Kernel, op: &OpData, operand: ValueId, result: Ownership) -> Option<Ownership> {
    let shape = kernel.ty(operand).shape;
    let extents = shape.dims();
    let result_extents = kernel.ty(op.results[0]).shape;
    let Ownership::Tile { root, projection } = result else {
        // Everybody has the only element.
        return is_relabelled(kernel, op).then_some(Ownership::Uniform);
    };
    let dims = projection.dims();
    let others = |axis: usize| {
        dims.iter()
            .enumerate()
            .filter(move |(i, _)| *i != axis)
            .map(|(_, dim)| *dim)
    };
    let labels: Vec<Option<u8>> = match &op.kind {
        OpKind::ExpandDims { axis } => others(*axis).collect(),
        OpKind::Broadcast => dims.to_vec(),
        OpKind::Transpose { permutation } => {
            let mut labels = vec![None; extents.len()];
            for (axis, dim) in permutation.axes().zip(dims) {
                labels[axis] = *dim;
            }
            labels
        }
        _ if !is_relabelled(kernel, op) => return None,
        OpKind::Reduce { axis } => {
            let mut labels = dims.to_vec();
            labels.insert(*axis, None);
            labels
        }
        OpKind::Scan { .. } => dims.to_vec(),
        _ => {
            let mut long = dims
                .iter()
                .zip(result_extents.dims())
                .filter(|(_, extent)| **extent > 1);
            let label = |&extent: &u32| {
                if extent > 1 {
                    long.next().and_then(|(dim, _)| *dim)
                } else {
                    None
                }
            };
            extents.iter().map(label).collect()
        }
    };
    // A dimension of extent 1 has one element, which everybody has.
    let labels = labels
        .into_iter()
        .zip(extents)
        .map(|(dim, &extent)| dim.filter(|_| extent > 1));
    let projection = Projection::new(labels);
    Some(Ownership::Tile { root, projection })
}

/// Does the operation give every element other coordinates that follow from the old ones one by one?
fn is_relabelled(kernel: &Kernel, op: &OpData) -> bool {
    let Some(&operand) = op.operands.first() else {
        return false;
    };
    let shape = kernel.ty(operand).shape;
    match op.kind {
        OpKind::ExpandDims { .. } | OpKind::Broadcast | OpKind::Transpose { .. } => true,
        OpKind::Reduce { axis } | OpKind::Scan { axis, .. } => shape.dims()[axis] == 1,
        OpKind::Reshape => {
            let result = kernel.ty(op.results[0]).shape;
            let long = |extent: &&u32| **extent > 1;
            shape.dims().iter().filter(long).eq(result.dims().iter().filter(long))
        }
        _ => false,
    }
}

/// May the operation need its operands' tile shared out over all threads?
pub(crate) fn is_moved(kernel: &Kernel, op: &OpData) -> bool {
    let moves = matches!(op.kind, OpKind::Reduce { .. } | OpKind::Scan { .. } | OpKind::Reshape);
    moves && !is_relabelled(kernel, op)
}

/// What a moved operation takes whose results are needed in the given ownerships.
pub(crate) fn classify(kernel: &Kernel, op: &OpData, threads: &Threads, demands: &Demands) -> Option<Move> {
    let mut needed = op.results.iter().flat_map(|&result| demands.get(result)).peekable();
    needed.peek()?;
    let shape = kernel.ty(op.results[0]).shape;
    let by_index = |ownership: &Ownership| match ownership {
        Ownership::Tile { root, .. } => {
            threads.roots[*root].shape == shape.dims() && *ownership == Ownership::whole(*root, shape.dims())
        }
        Ownership::Uniform => false,
    };
    if op.kind == OpKind::Reshape && needed.all(by_index) {
        Some(Move::Kept)
    } else {
        Some(Move::Staged)
    }
}

/// Where in shared memory a staged operation has the tiles of its operands, and how many bytes these take in all. Tiles
/// of different operations share the memory: no two are in use at once.
pub(crate) fn offsets(kernel: &Kernel, op: &OpData) -> (Vec<u64>, u64) {
    let mut end = 0u64;
    let mut offset = |&operand: &ValueId| {
        let width = element_bytes(kernel.ty(operand).elem);
        let start = end.next_multiple_of(width);
        end = start + tile_bytes(kernel, operand);
        start
    };
    let offsets = op.operands.iter().map(&mut offset).collect();
    (offsets, end)
}

/// The bytes of an element in registers and shared memory.
pub(crate) fn element_bytes(elem: Elem) -> u64 {
    match elem {
        Elem::Scalar(scalar) => scalar.bytes().into(),
        Elem::Ptr(_) => 8,
    }
}

fn tile_bytes(kernel: &Kernel, value: ValueId) -> u64 {
    let ty = kernel.ty(value);
    element_bytes(ty.elem) * ty.shape.elements() as u64
}

/// The shared memory that a kernel needs, in bytes: that of the staged operation with the largest tiles. Errors when
/// there is not so much.
pub(crate) fn shared_bytes(kernel: &Kernel, demands: &Demands) -> Result<u64, CudaError> {
    let mut most = 0;
    for id in kernel.ops_in_order() {
        if demands.moved(id) != Some(Move::Staged) {
            continue;
        }
        let op = kernel.op(id);
        let (_, bytes) = offsets(kernel, op);
        if bytes > MAX_SHARED_BYTES {
            return Err(too_large(kernel, id, bytes));
        }
        most = most.max(bytes);
    }
    Ok(most)
}

fn too_large(kernel: &Kernel, id: OpId, bytes: u64) -> CudaError {
    let op = kernel.op(id);
    let tile = |&operand: &ValueId| SharedTile {
        name: kernel.value(operand).name.clone(),
        ty: kernel.ty(operand),
        bytes: tile_bytes(kernel, operand),
    };
    CudaError::SharedMemory {
        kernel: kernel.name.clone(),
        operation: op.kind.name(),
        place: kernel.describe_loc(op.loc),
        tiles: op.operands.iter().map(tile).collect(),
        bytes,
        limit: MAX_SHARED_BYTES,
    }
}
