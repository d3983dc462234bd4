//! How each operation ties the layouts of its operands and results together: the one place that passes on layouts ask.
//!
//! A new operation gets its [`Rule`] here, and where its tiles change shape, its cases in [`operand_layout`] and
//! [`result_layout`].

use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, TypeLike, ValueLike};
use mytriton_layout::{DistributedLayout, LayoutError};
use mytriton_tile::emit::{result_of, shape_of};
use mytriton_tile::ops::TileOp;
use mytriton_tile::permutation_of;

use crate::ir::name_of;
use crate::pair;
use crate::shape::{keeps_places, padded};

/// What the layouts of an operation's tiles have to do with one another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Every thread computes its elements of the results from those it has of the operands. All results share a layout, any
    /// one, and [`operand_layout`] says which layouts of the operands that takes. So the operation may be repeated, once for
    /// each layout in which the result is wanted. Ranges and splats take no tiles; scalars have no layouts.
    Follows,
    /// The layout of the operand `by` decides that of the results, see [`result_layout`]. Operands of its shape have its
    /// layout, others any.
    Settles {
        /// The operand's index.
        by: usize,
    },
    /// Elements move between threads anyhow: operands may have any layout (those of one shape the same) and results any.
    Moves,
    /// An access of global memory: all its tiles have one layout.
    Accesses,
    /// Control flow: what is passed along has at both ends one layout, any.
    Passes,
}

/// The rule of an operation; none for operations that layouts do not know.
pub fn rule_of(op: OperationRef<'_, '_>) -> Option<Rule> {
    let name = name_of(op);
    if let Some(tile) = TileOp::cast(op) {
        return match tile {
            TileOp::Load(_) | TileOp::Store(_) => Some(Rule::Accesses),
            TileOp::Reduce(_) | TileOp::Scan(_) => Some(Rule::Settles { by: 0 }),
            TileOp::Reshape(reshape) => {
                let shapes = [reshape.source(), reshape.result()].map(|value| shape_of(value.r#type()));
                match shapes {
                    [Some(from), Some(to)] if keeps_places(&from, &to) => Some(Rule::Follows),
                    [None, None] => Some(Rule::Follows),
                    _ => Some(Rule::Moves),
                }
            }
            TileOp::ConvertLayout(_) | TileOp::Histogram(_) => Some(Rule::Moves),
            // An element goes where its index is.
            TileOp::Gather(_) => Some(Rule::Settles { by: 1 }),
            TileOp::Alloc(_) | TileOp::Dealloc(_) | TileOp::LocalLoad(_) | TileOp::LocalStore(_) => Some(Rule::Moves),
            TileOp::Split(split) if shape_of(split.first().r#type()).is_none() => Some(Rule::Moves),
            TileOp::Yield(_) => None,
            _ => Some(Rule::Follows),
        };
    }
    match name.as_str() {
        "func.return" => Some(Rule::Passes),
        "gpu.barrier" => Some(Rule::Moves),
        _ if name.starts_with("scf.") => Some(Rule::Passes),
        _ if name.starts_with("arith.") || name.starts_with("math.") => Some(Rule::Follows),
        _ => None,
    }
}

/// The layout in which an operation that [`Follows`](Rule::Follows) wants operand `index`, a tile, for results in `result`.
/// Nothing moves then.
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
    match TileOp::cast(op) {
        Some(TileOp::ExpandDims(expand)) => result.slice(expand.axis() as usize),
        Some(TileOp::Broadcast(_)) => {
            let extents: Vec<u32> = shape().iter().map(|&extent| extent as u32).collect();
            let stretched = result.broadcast_operand(&extents)?;
            // Registers that hold the same element would be loaded and computed again and again.
            DistributedLayout::new(stretched.linear().remove_zero_bases("register")?)
        }
        Some(TileOp::Reshape(_)) => result.reshape(&padded(&shape())),
        Some(TileOp::Transpose(transpose)) => {
            let permutation = permutation_of(transpose).unwrap_or_default();
            let mut back = vec![0; permutation.len()];
            for (of_result, &of_operand) in permutation.iter().enumerate() {
                back[of_operand] = of_result;
            }
            result.permute(&back)
        }
        Some(TileOp::Join(_)) => Ok(pair::halves_of_joined(result)?.unwrap_or_else(|| result.clone())),
        Some(TileOp::Split(_)) => pair::pair_of(result),
        _ => Ok(result.clone()),
    }
}

/// The layout that the results come to have where operand `index` (the deciding one of an operation that
/// [`Settles`](Rule::Settles)) has `operand` and nothing moves. None where it leaves that open: what a broadcast stretches
/// may go to any lane. Of a result that is a scalar all threads have a copy: none as well.
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
    match TileOp::cast(op) {
        Some(TileOp::ExpandDims(expand)) => operand.expand_dims(expand.axis() as usize).map(Some),
        Some(TileOp::Broadcast(_)) => Ok(None),
        Some(TileOp::Reduce(reduce)) => operand.slice(reduce.axis() as usize).map(Some),
        Some(TileOp::Reshape(reshape)) => match shape_of(reshape.result().r#type()) {
            Some(shape) => operand.reshape(&padded(&shape)).map(Some),
            None => Ok(None),
        },
        Some(TileOp::Transpose(transpose)) => {
            let permutation = permutation_of(transpose).unwrap_or_default();
            operand.permute(&permutation).map(Some)
        }
        Some(TileOp::Join(_)) => pair::pair_of(operand).map(Some),
        Some(TileOp::Split(_)) => Ok(pair::halves_of_split(operand)),
        _ => Ok(Some(operand.clone())),
    }
}
