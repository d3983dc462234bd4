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
//!    or not, and those who need an element of the result read it: of a gather, where the index says. Tiles that do not fit
//!    there go in *windows* of lines along the axis. A histogram has its counts there.
//!
//! A `join` is relabelled, too: the coordinate along the new dimension chooses between the two operands.

#![warn(clippy::wildcard_enum_match_arm)]

use mytriton_ssa::{Elem, Kernel, OpData, OpId, OpKind, Permutation, Scalar, ValueId};

use crate::demand::Demands;
use crate::error::{CudaError, SharedTile};
use crate::threads::{Ownership, Projection, Threads};

/// Static shared memory that a block may have on every target.
pub(crate) const MAX_SHARED_BYTES: u64 = mytriton_abi::STATIC_SHARED_BYTES as u64;

/// How elements come to those who need them, where it takes more than computing them there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Move {
    /// Each thread has what it needs, under another index.
    Kept,
    /// Through shared memory.
    Staged,
    /// Through shared memory that holds some lines along the axis at a time.
    Windowed,
}

/// What an operation does with the coordinates of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Movement {
    /// Each element of a result stands where those are that it comes from; or there are none.
    None,
    ExpandDims {
        axis: usize,
    },
    Broadcast,
    Reshape,
    Transpose {
        permutation: Permutation,
    },
    Reduce {
        axis: usize,
    },
    Scan {
        axis: usize,
        reverse: bool,
    },
    Join,
    Split,
    Gather {
        axis: usize,
    },
    Histogram,
}

impl Movement {
    pub(crate) fn of(kind: &OpKind) -> Movement {
        match *kind {
            OpKind::ExpandDims { axis } => Movement::ExpandDims { axis },
            OpKind::Broadcast => Movement::Broadcast,
            OpKind::Reshape => Movement::Reshape,
            OpKind::Transpose { permutation } => Movement::Transpose { permutation },
            OpKind::Reduce { axis } => Movement::Reduce { axis },
            OpKind::Scan { axis, reverse } => Movement::Scan { axis, reverse },
            OpKind::Join => Movement::Join,
            OpKind::Split => Movement::Split,
            OpKind::Gather { axis } => Movement::Gather { axis },
            OpKind::Histogram => Movement::Histogram,
            OpKind::Const(_) | OpKind::ProgramId(_) | OpKind::NumPrograms(_) | OpKind::Range { .. } => Movement::None,
            OpKind::Splat | OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Fma => Movement::None,
            OpKind::Cmp(_) | OpKind::Select | OpKind::Cast(_) => Movement::None,
            OpKind::AddPtr | OpKind::Load | OpKind::Store => Movement::None,
            OpKind::For | OpKind::If | OpKind::While | OpKind::Yield | OpKind::Condition => Movement::None,
        }
    }
}

/// The operands whose tiles go through shared memory: of a gather not its index, which those who read there hold; of a
/// histogram none, as only counts are there.
pub(crate) fn staged(op: &OpData) -> &[ValueId] {
    match Movement::of(&op.kind) {
        Movement::Gather { .. } => &op.operands[..1],
        Movement::Histogram => &[],
        Movement::Reduce { .. } | Movement::Scan { .. } | Movement::Reshape | Movement::Split => &op.operands,
        Movement::ExpandDims { .. } | Movement::Broadcast | Movement::Transpose { .. } | Movement::Join => &[],
        Movement::None => &[],
    }
}

/// How many operands are moved, or counted, as whole tiles; those after them are held by whoever needs the result.
pub(crate) fn moved_operands(op: &OpData) -> usize {
    match Movement::of(&op.kind) {
        Movement::Gather { .. } => 1,
        Movement::Reduce { .. } | Movement::Scan { .. } | Movement::Reshape | Movement::Split => op.operands.len(),
        Movement::Histogram => op.operands.len(),
        Movement::ExpandDims { .. } | Movement::Broadcast | Movement::Transpose { .. } | Movement::Join => 0,
        Movement::None => 0,
    }
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
    let labels: Vec<Option<u8>> = match Movement::of(&op.kind) {
        Movement::ExpandDims { axis } => others(axis).collect(),
        Movement::Join => others(extents.len()).collect(),
        Movement::Broadcast => dims.to_vec(),
        Movement::Transpose { permutation } => {
            let mut labels = vec![None; extents.len()];
            for (axis, dim) in permutation.axes().zip(dims) {
                labels[axis] = *dim;
            }
            labels
        }
        _ if !is_relabelled(kernel, op) => return None,
        Movement::Reduce { axis } => {
            let mut labels = dims.to_vec();
            labels.insert(axis, None);
            labels
        }
        Movement::Scan { .. } => dims.to_vec(),
        Movement::Reshape => {
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
        Movement::Split | Movement::Gather { .. } | Movement::Histogram => return None,
        Movement::None => return None,
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
    match Movement::of(&op.kind) {
        Movement::ExpandDims { .. } | Movement::Broadcast | Movement::Transpose { .. } | Movement::Join => true,
        Movement::Reduce { axis } | Movement::Scan { axis, .. } => shape.dims()[axis] == 1,
        Movement::Reshape => {
            let result = kernel.ty(op.results[0]).shape;
            let long = |extent: &&u32| **extent > 1;
            shape.dims().iter().filter(long).eq(result.dims().iter().filter(long))
        }
        Movement::Split | Movement::Gather { .. } | Movement::Histogram => false,
        Movement::None => false,
    }
}

/// May the operation need its operands' tile shared out over all threads?
pub(crate) fn is_moved(kernel: &Kernel, op: &OpData) -> bool {
    match Movement::of(&op.kind) {
        Movement::Reduce { .. } | Movement::Scan { .. } | Movement::Reshape => !is_relabelled(kernel, op),
        Movement::Split | Movement::Gather { .. } | Movement::Histogram => true,
        Movement::ExpandDims { .. } | Movement::Broadcast | Movement::Transpose { .. } | Movement::Join => false,
        Movement::None => false,
    }
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
    } else if Staging::of(kernel, op).window.is_some() {
        Some(Move::Windowed)
    } else {
        Some(Move::Staged)
    }
}

/// The extent of the axis along which an operation combines or chooses, and how far apart neighbours are in the row-major tile; for
/// a reshape every element stands alone.
pub(crate) fn axis(kernel: &Kernel, op: &OpData) -> (u64, u64) {
    let shape = kernel.ty(op.operands[0]).shape;
    let axis = match Movement::of(&op.kind) {
        Movement::Reduce { axis } | Movement::Scan { axis, .. } | Movement::Gather { axis } => axis,
        Movement::Split => shape.rank() - 1,
        Movement::Reshape | Movement::Histogram => return (1, 1),
        Movement::ExpandDims { .. } | Movement::Broadcast | Movement::Transpose { .. } | Movement::Join => {
            return (1, 1);
        }
        Movement::None => return (1, 1),
    };
    let extents = &shape.dims()[axis..];
    let stride = extents[1..].iter().map(|&extent| u64::from(extent)).product();
    (extents[0].into(), stride)
}

/// The tile in which the elements of a result are, and how far from the place that its coordinates give: a split finds its
/// second half next to the first one.
pub(crate) fn place_of(op: &OpData, result: usize) -> (usize, usize) {
    match Movement::of(&op.kind) {
        Movement::Split => (0, result),
        Movement::Reduce { .. } | Movement::Scan { .. } | Movement::Reshape => (result, 0),
        Movement::Gather { .. } | Movement::Histogram => (result, 0),
        Movement::ExpandDims { .. } | Movement::Broadcast | Movement::Transpose { .. } | Movement::Join => (result, 0),
        Movement::None => (result, 0),
    }
}

/// The use of shared memory by an operation that moves elements. Different ones share the memory: no two are at work at
/// once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Staging {
    /// Where the tile of each operand begins.
    pub offsets: Vec<u64>,
    /// What they take in all.
    pub bytes: u64,
    /// How many lines along the axis are there at a time, if not all of them.
    pub window: Option<u64>,
}

impl Staging {
    /// Of whole tiles where they fit, else of as few windows of lines as possible. At least one line has to fit.
    pub(crate) fn of(kernel: &Kernel, op: &OpData) -> Staging {
        if op.kind == OpKind::Histogram {
            return Staging::of_counts(kernel.ty(op.results[0]).shape.elements() as u64);
        }
        let (extent, _) = axis(kernel, op);
        let lines = kernel.ty(op.operands[0]).shape.elements() as u64 / extent;
        let whole = Staging::of_lines(kernel, op, lines);
        if whole.bytes <= MAX_SHARED_BYTES {
            return whole;
        }
        let line = Staging::of_lines(kernel, op, 1).bytes;
        // Several lines need no more padding than one.
        let most = (MAX_SHARED_BYTES / line).max(1);
        let window = lines.div_ceil(lines.div_ceil(most));
        Staging {
            window: Some(window),
            ..Staging::of_lines(kernel, op, window)
        }
    }

    /// Of so many counts: all of them, or as few windows as possible.
    fn of_counts(bins: u64) -> Staging {
        let width = element_bytes(Elem::Scalar(Scalar::I32));
        let windows = bins.div_ceil(MAX_SHARED_BYTES / width);
        let window = bins.div_ceil(windows);
        Staging {
            offsets: Vec::new(),
            bytes: window * width,
            window: (windows > 1).then_some(window),
        }
    }

    fn of_lines(kernel: &Kernel, op: &OpData, lines: u64) -> Staging {
        let (extent, _) = axis(kernel, op);
        let mut bytes = 0u64;
        let mut offset = |&operand: &ValueId| {
            let width = element_bytes(kernel.ty(operand).elem);
            let start = bytes.next_multiple_of(width);
            bytes = start + lines * extent * width;
            start
        };
        let offsets = staged(op).iter().map(&mut offset).collect();
        Staging {
            offsets,
            bytes,
            window: None,
        }
    }
}

/// The bytes of an element in registers and shared memory.
pub(crate) fn element_bytes(elem: Elem) -> u64 {
    match elem {
        Elem::Scalar(scalar) => scalar.bytes().into(),
        Elem::Ptr(_) => 8,
    }
}

/// The shared memory that a kernel needs, in bytes: that of the operation with the most. Errors when a block has not
/// so much.
pub(crate) fn shared_bytes(kernel: &Kernel, demands: &Demands) -> Result<u64, CudaError> {
    let mut most = 0;
    for id in kernel.ops_in_order() {
        if !matches!(demands.moved(id), Some(Move::Staged | Move::Windowed)) {
            continue;
        }
        let bytes = Staging::of(kernel, kernel.op(id)).bytes;
        if bytes > MAX_SHARED_BYTES {
            return Err(too_large(kernel, id, bytes));
        }
        most = most.max(bytes);
    }
    Ok(most)
}

fn too_large(kernel: &Kernel, id: OpId, bytes: u64) -> CudaError {
    let op = kernel.op(id);
    let (extent, _) = axis(kernel, op);
    let tile = |&operand: &ValueId| SharedTile {
        name: kernel.value(operand).name.clone(),
        ty: kernel.ty(operand),
        bytes: element_bytes(kernel.ty(operand).elem) * extent,
    };
    CudaError::SharedMemory {
        kernel: kernel.name.clone(),
        operation: op.kind.name(),
        place: kernel.describe_loc(op.loc),
        tiles: staged(op).iter().map(tile).collect(),
        bytes,
        limit: MAX_SHARED_BYTES,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mytriton_ssa::parse_module;

    /// The ownership of the operand of the last operation, by the dimension that each of its has; results have the root's.
    fn labels(ops: &str) -> Option<Vec<Option<u8>>> {
        let module = parse_module(&format!("kernel @k() {{\n{ops}\n}}"), "k.ssa").unwrap();
        let kernel = &module.kernels[0];
        let op = kernel.op(*kernel.region(kernel.body()).ops.last()?);
        let whole = Ownership::whole(0, kernel.ty(op.results[0]).shape.dims());
        match relabelled(kernel, op, op.operands[0], whole)? {
            Ownership::Tile { projection, .. } => Some(projection.dims().to_vec()),
            Ownership::Uniform => None,
        }
    }

    #[test]
    fn coordinates_that_follow_one_by_one() {
        let x = "%x = const 1 : tile<4x1x8xi32>\n";
        let sum = "(%a, %b) { %c = add %a, %b : i32 yield %c }";
        for (op, expected) in [
            (
                "%y = transpose %x [2, 0, 1] : tile<4x1x8xi32> to tile<8x4x1xi32>".to_owned(),
                [Some(1), None, Some(0)],
            ),
            (
                "%y = broadcast %x : tile<4x1x8xi32> to tile<4x3x8xi32>".to_owned(),
                [Some(0), None, Some(2)],
            ),
            (
                "%y = expand_dims %x, 0 : tile<4x1x8xi32> to tile<1x4x1x8xi32>".to_owned(),
                [Some(1), None, Some(3)],
            ),
            (
                "%y = reshape %x : tile<4x1x8xi32> to tile<1x4x8xi32>".to_owned(),
                [Some(1), None, Some(2)],
            ),
            (
                format!("%y = reduce %x axis 1 : tile<4x1x8xi32> {sum}"),
                [Some(0), None, Some(1)],
            ),
            (
                format!("%y = scan %x axis 1 : tile<4x1x8xi32> {sum}"),
                [Some(0), None, Some(2)],
            ),
        ] {
            assert_eq!(labels(&format!("{x}{op}")).as_deref(), Some(&expected[..]), "{op}");
        }
        for op in [
            "%y = reshape %x : tile<4x1x8xi32> to tile<8x4xi32>".to_owned(),
            format!("%y = reduce %x axis 0 : tile<4x1x8xi32> {sum}"),
            format!("%y = scan %x axis 2 reverse : tile<4x1x8xi32> {sum}"),
        ] {
            assert_eq!(labels(&format!("{x}{op}")), None, "{op}");
        }
    }

    fn staging(ty: &str, axis: usize) -> Staging {
        let text = format!(
            "kernel @k() {{
               %x = const 1 : tile<{ty}xi8>
               %y = const 1 : tile<{ty}xi64>
               %s, %t = reduce %x, %y axis {axis} : tile<{ty}xi8>, tile<{ty}xi64> (%a, %b, %c, %d) {{ yield %a, %b }}
             }}"
        );
        let module = parse_module(&text, "k.ssa").unwrap();
        let kernel = &module.kernels[0];
        let last = kernel.region(kernel.body()).ops.last().unwrap();
        Staging::of(kernel, kernel.op(*last))
    }

    #[test]
    fn tiles_lie_one_after_another() {
        let whole = staging("5x17", 1);
        assert_eq!(
            (whole.offsets, whole.bytes, whole.window),
            (vec![0, 88], 88 + 85 * 8, None)
        );
        // A line of 100 takes 904 bytes, so that 54 fit: two windows of 50 are enough.
        let part = staging("100x100", 1);
        assert_eq!(
            (part.offsets, part.bytes, part.window),
            (vec![0, 5000], 45000, Some(50))
        );
        assert_eq!(staging("100x100", 0).window, Some(50));
        assert!(staging("3x6000", 1).bytes > MAX_SHARED_BYTES);
        assert_eq!(
            staging("3x6000", 0).window,
            Some(1500),
            "27 bytes for a line, or 32 with padding"
        );
    }
}
