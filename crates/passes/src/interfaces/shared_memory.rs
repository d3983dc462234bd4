//! What an operation takes of shared memory.
//!
//! A [`Footprint`] follows from the operation's plan, which its family in [`lower`](crate::lower) derives from the operation
//! and its layouts alone. `tile-allocate-shared` places it; the lowering of the operation carries out the same plan.

use melior::ir::OperationRef;
use mytriton_layout::staging::Matrices;
use mytriton_tile::ops::TileOp;

use crate::ir::{PassResult, blocks_of, matrices_of, ops_of};

/// The alignment in bytes of memory that lives for one operation.
pub const SCRATCH_ALIGNMENT: u64 = 16;

/// The alignment in bytes of buffers: the 32 banks, so that a layout meets the same ones wherever its buffer lies.
pub const BUFFER_ALIGNMENT: u64 = 128;

/// An operation that, in some layouts at least, takes shared memory.
pub trait UsesSharedMemory<'c> {
    /// What it takes in its layouts, given the instructions for matrices that the GPU has.
    ///
    /// # Errors
    /// It has no plan: its tiles have no layouts, or such as it cannot work on.
    fn footprint(self, matrices: Matrices) -> PassResult<'c, Option<Footprint>>;
}

/// Shared memory that an operation takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Footprint {
    /// What takes it, for messages.
    pub what: &'static str,
    /// How many bytes.
    pub bytes: u64,
    /// How long it is taken.
    pub lifetime: Lifetime,
    /// Whether every warp loads only what it has stored itself, so that the block needs no barrier.
    pub within_warps: bool,
}

/// How long shared memory is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifetime {
    /// While the operation runs.
    Operation,
    /// From the operation, which allocates a buffer, to the buffer's last use.
    Buffer,
}

impl Footprint {
    /// Memory through which all threads of a block exchange elements while an operation runs.
    pub fn of_block(what: &'static str, bytes: u64) -> Self {
        Footprint {
            what,
            bytes,
            lifetime: Lifetime::Operation,
            within_warps: false,
        }
    }

    /// What its offset has to be a multiple of, in bytes.
    pub fn alignment(&self) -> u64 {
        match self.lifetime {
            Lifetime::Operation => SCRATCH_ALIGNMENT,
            Lifetime::Buffer => BUFFER_ALIGNMENT,
        }
    }
}

/// The operations of a kernel in the `layout` stage that take shared memory, in the order of the text.
///
/// # Errors
/// An operation has no plan: its tiles have no layouts, or such as it cannot work on.
pub fn footprints_of<'c: 'a, 'a>(
    kernel: OperationRef<'c, 'a>,
) -> PassResult<'c, Vec<(OperationRef<'c, 'a>, Footprint)>> {
    let mut found = Vec::new();
    collect(kernel, matrices_of(kernel), &mut found)?;
    Ok(found)
}

fn collect<'c: 'a, 'a>(
    op: OperationRef<'c, 'a>,
    matrices: Matrices,
    found: &mut Vec<(OperationRef<'c, 'a>, Footprint)>,
) -> PassResult<'c> {
    for inner in blocks_of(op).into_iter().flat_map(ops_of) {
        match TileOp::cast(inner) {
            Some(tile) => found.extend(tile.footprint(matrices)?.map(|footprint| (inner, footprint))),
            None => collect(inner, matrices, found)?,
        }
    }
    Ok(())
}

impl<'c> UsesSharedMemory<'c> for TileOp<'c, '_> {
    fn footprint(self, matrices: Matrices) -> PassResult<'c, Option<Footprint>> {
        match self {
            TileOp::ConvertLayout(op) => op.footprint(matrices),
            TileOp::Reshape(op) => op.footprint(matrices),
            TileOp::Split(op) => op.footprint(matrices),
            TileOp::Gather(op) => op.footprint(matrices),
            TileOp::Histogram(op) => op.footprint(matrices),
            TileOp::Reduce(op) => op.footprint(matrices),
            TileOp::Scan(op) => op.footprint(matrices),
            TileOp::Alloc(op) => op.footprint(matrices),
            TileOp::Store(_)
            | TileOp::Load(_)
            | TileOp::ProgramId(_)
            | TileOp::NumPrograms(_)
            | TileOp::Range(_)
            | TileOp::Splat(_)
            | TileOp::ExpandDims(_)
            | TileOp::Broadcast(_)
            | TileOp::Transpose(_)
            | TileOp::Join(_)
            | TileOp::Yield(_)
            | TileOp::AddPtr(_)
            | TileOp::PtrToInt(_)
            | TileOp::Dealloc(_)
            | TileOp::LocalLoad(_)
            | TileOp::LocalStore(_)
            | TileOp::Shl(_)
            | TileOp::ShrS(_)
            | TileOp::ShrU(_)
            | TileOp::DivS(_)
            | TileOp::DivU(_)
            | TileOp::RemS(_)
            | TileOp::RemU(_)
            | TileOp::UnaryFunction(_)
            | TileOp::BinaryFunction(_)
            | TileOp::FpToSi(_)
            | TileOp::FpToUi(_) => Ok(None),
        }
    }
}
