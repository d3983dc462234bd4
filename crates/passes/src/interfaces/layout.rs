//! How each operation ties the layouts of its operands and results together.

use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, TypeLike, ValueLike};
use mytriton_layout::{DistributedLayout, LayoutError};
use mytriton_tile::emit::{result_of, shape_of};
use mytriton_tile::ops::{AnyOp, ExpandDimsOp, ReduceOp, ReshapeOp, TileOp, TransposeOp, func, gpu};
use mytriton_tile::permutation_of;

use crate::support::pair;
use crate::support::shape::{keeps_places, padded};

/// What the layouts of an operation's tiles have to do with one another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// Every thread computes its elements of the results from those it has of the operands. All results share a layout, any
    /// one, and [`operand_layout`] says which layouts of the operands that takes. So the operation may be repeated, once for
    /// each layout in which the result is wanted. Ranges and splats take no tiles; scalars have no layouts.
    Elementwise,
    /// The layout of the operand of this index decides that of the results, see [`result_layout`]. Operands of its shape have
    /// its layout, others any.
    AnchoredBy(usize),
    /// Elements move between threads anyway: operands may have any layout (those of one shape the same) and results any.
    LayoutBarrier,
    /// An access of global memory: all its tiles have one layout.
    Memory,
    /// Control flow: what is passed along has one layout at both ends, any.
    ControlFlow,
}

/// The relation of an operation; `None` for operations that layouts do not know.
pub fn relation_of(op: OperationRef<'_, '_>) -> Option<Relation> {
    match AnyOp::cast(op)? {
        AnyOp::Tile(tile) => relation_of_tile(tile),
        AnyOp::Arith(_) | AnyOp::Math(_) => Some(Relation::Elementwise),
        AnyOp::Scf(_) | AnyOp::Func(func::Op::Return(_)) => Some(Relation::ControlFlow),
        AnyOp::Gpu(gpu::Op::Barrier(_)) => Some(Relation::LayoutBarrier),
        // Not of the `layout` stage.
        AnyOp::Func(func::Op::Func(_))
        | AnyOp::Gpu(_)
        | AnyOp::Cf(_)
        | AnyOp::Llvm(_)
        | AnyOp::Memref(_)
        | AnyOp::Nvvm(_)
        | AnyOp::Ub(_)
        | AnyOp::Vector(_) => None,
    }
}

fn relation_of_tile(tile: TileOp<'_, '_>) -> Option<Relation> {
    match tile {
        TileOp::Load(_) | TileOp::Store(_) => Some(Relation::Memory),
        TileOp::Reduce(_) | TileOp::Scan(_) => Some(Relation::AnchoredBy(0)),
        // An element goes where its index is.
        TileOp::Gather(_) => Some(Relation::AnchoredBy(1)),
        TileOp::Reshape(reshape) => {
            let shapes = [reshape.source(), reshape.result()].map(|value| shape_of(value.r#type()));
            match shapes {
                [Some(from), Some(to)] if keeps_places(&from, &to) => Some(Relation::Elementwise),
                [None, None] => Some(Relation::Elementwise),
                [Some(_) | None, Some(_) | None] => Some(Relation::LayoutBarrier),
            }
        }
        TileOp::Split(split) if shape_of(split.first().r#type()).is_none() => Some(Relation::LayoutBarrier),
        TileOp::ConvertLayout(_)
        | TileOp::Histogram(_)
        | TileOp::Alloc(_)
        | TileOp::Dealloc(_)
        | TileOp::LocalLoad(_)
        | TileOp::LocalStore(_) => Some(Relation::LayoutBarrier),
        TileOp::Yield(_) => None,
        TileOp::Split(_)
        | TileOp::Join(_)
        | TileOp::ExpandDims(_)
        | TileOp::Broadcast(_)
        | TileOp::Transpose(_)
        | TileOp::ProgramId(_)
        | TileOp::NumPrograms(_)
        | TileOp::Range(_)
        | TileOp::Splat(_)
        | TileOp::AddPtr(_)
        | TileOp::PtrToInt(_)
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
        | TileOp::FpToUi(_) => Some(Relation::Elementwise),
    }
}

/// Which places of an operand and of a result correspond.
enum Correspondence<'c, 'a> {
    /// The same.
    Same,
    ExpandDims(ExpandDimsOp<'c, 'a>),
    Broadcast,
    Reduce(ReduceOp<'c, 'a>),
    Reshape(ReshapeOp<'c, 'a>),
    Transpose(TransposeOp<'c, 'a>),
    Join,
    Split,
}

fn correspondence_of<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> Correspondence<'c, 'a> {
    let Some(tile) = TileOp::cast(op) else {
        return Correspondence::Same;
    };
    match tile {
        TileOp::ExpandDims(op) => Correspondence::ExpandDims(op),
        TileOp::Broadcast(_) => Correspondence::Broadcast,
        TileOp::Reduce(op) => Correspondence::Reduce(op),
        TileOp::Reshape(op) => Correspondence::Reshape(op),
        TileOp::Transpose(op) => Correspondence::Transpose(op),
        TileOp::Join(_) => Correspondence::Join,
        TileOp::Split(_) => Correspondence::Split,
        TileOp::Load(_)
        | TileOp::Store(_)
        | TileOp::Scan(_)
        | TileOp::Gather(_)
        | TileOp::ConvertLayout(_)
        | TileOp::Histogram(_)
        | TileOp::Alloc(_)
        | TileOp::Dealloc(_)
        | TileOp::LocalLoad(_)
        | TileOp::LocalStore(_)
        | TileOp::Yield(_)
        | TileOp::ProgramId(_)
        | TileOp::NumPrograms(_)
        | TileOp::Range(_)
        | TileOp::Splat(_)
        | TileOp::AddPtr(_)
        | TileOp::PtrToInt(_)
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
        | TileOp::FpToUi(_) => Correspondence::Same,
    }
}

/// The layout in which an [`Elementwise`](Relation::Elementwise) operation, or a scan, wants operand `index`, a tile, for
/// results in `result`. Nothing moves then.
///
/// # Errors
/// Those of the algebra, for a layout that does not fit the result.
pub fn operand_layout(
    op: OperationRef<'_, '_>,
    index: usize,
    result: &DistributedLayout,
) -> Result<DistributedLayout, LayoutError> {
    let shape = || {
        let operand = op.operand(index).ok();
        operand.and_then(|value| shape_of(value.r#type())).unwrap_or_default()
    };
    match correspondence_of(op) {
        Correspondence::Same => Ok(result.clone()),
        Correspondence::ExpandDims(expand) => result.slice(expand.axis() as usize),
        Correspondence::Broadcast => {
            let extents: Vec<u32> = shape().iter().map(|&extent| extent as u32).collect();
            let stretched = result.broadcast_operand(&extents)?;
            // Registers that hold the same element would be loaded and computed again and again.
            DistributedLayout::new(stretched.linear().remove_zero_bases("register")?)
        }
        Correspondence::Reduce(reduce) => result.expand_dims(reduce.axis() as usize),
        Correspondence::Reshape(_) => result.reshape(&padded(&shape())),
        Correspondence::Transpose(transpose) => {
            let permutation = permutation_of(transpose).unwrap_or_default();
            let mut back = vec![0; permutation.len()];
            for (of_result, &of_operand) in permutation.iter().enumerate() {
                back[of_operand] = of_result;
            }
            result.permute(&back)
        }
        Correspondence::Join => Ok(pair::halves_of_joined(result)?.unwrap_or_else(|| result.clone())),
        Correspondence::Split => pair::pair_of(result),
    }
}

/// The layout that the results come to have where the operand that decides ([`AnchoredBy`](Relation::AnchoredBy), or any of
/// an elementwise operation) has `operand` and nothing moves. `None` where the operand leaves that open: what a broadcast
/// stretches may go to any lane. Of a result that is a scalar all threads have a copy: `None` as well.
///
/// # Errors
/// Those of the algebra, for a layout that does not fit the operand.
pub fn result_layout(
    op: OperationRef<'_, '_>,
    operand: &DistributedLayout,
) -> Result<Option<DistributedLayout>, LayoutError> {
    if op.result_count() == 0 || !result_of(op, 0).r#type().is_ranked_tensor() {
        return Ok(None);
    }
    match correspondence_of(op) {
        Correspondence::Same => Ok(Some(operand.clone())),
        Correspondence::ExpandDims(expand) => operand.expand_dims(expand.axis() as usize).map(Some),
        Correspondence::Broadcast => Ok(None),
        Correspondence::Reduce(reduce) => operand.slice(reduce.axis() as usize).map(Some),
        Correspondence::Reshape(reshape) => match shape_of(reshape.result().r#type()) {
            Some(shape) => operand.reshape(&padded(&shape)).map(Some),
            None => Ok(None),
        },
        Correspondence::Transpose(transpose) => {
            let permutation = permutation_of(transpose).unwrap_or_default();
            operand.permute(&permutation).map(Some)
        }
        Correspondence::Join => pair::pair_of(operand).map(Some),
        Correspondence::Split => Ok(pair::halves_of_split(operand)),
    }
}
