//! What the result of one operation is known to be, from what its operands are.

mod integers;
mod shapes;

use melior::ir::{OperationRef, Value, ValueLike};
use mytriton_tile::emit::{element_type, result_of, shape_of};
use mytriton_tile::ops::{AnyOp, TileOp};
use mytriton_tile::types::integer;
use smallvec::SmallVec;

use super::{Axis, AxisInfo};

/// The facts of an operation's single result; `None` where nothing is known.
pub(super) fn transfer(op: OperationRef<'_, '_>, operands: &[AxisInfo]) -> Option<AxisInfo> {
    let result = ResultType::of(result_of(op, 0));
    match AnyOp::cast(op)? {
        AnyOp::Tile(tile) => transfer_tile(tile, &result, operands),
        AnyOp::Arith(arith) => integers::transfer_arith(arith, &result, operands),
        // Floats, and what is not of the stages that are analysed.
        AnyOp::Math(_)
        | AnyOp::Cf(_)
        | AnyOp::Func(_)
        | AnyOp::Gpu(_)
        | AnyOp::Llvm(_)
        | AnyOp::Memref(_)
        | AnyOp::Nvvm(_)
        | AnyOp::Scf(_)
        | AnyOp::Ub(_)
        | AnyOp::Vector(_) => None,
    }
}

fn transfer_tile(tile: TileOp<'_, '_>, result: &ResultType, operands: &[AxisInfo]) -> Option<AxisInfo> {
    match (tile, operands) {
        (TileOp::Range(range), []) => Some(shapes::range(range, result)),
        (TileOp::Splat(_), [x]) => Some(result.uniform(x.divisibility_of_all(), x.constant)),
        (TileOp::ExpandDims(expand), [x]) => Some(shapes::expand_dims(expand, x)),
        (TileOp::Broadcast(broadcast), [x]) => shapes::broadcast(broadcast, result, x),
        (TileOp::Transpose(transpose), [x]) => shapes::transpose(transpose, x),
        (TileOp::Reshape(_), [x]) => shapes::reshape(result, x),
        (TileOp::ConvertLayout(_), [x]) => Some(x.clone()),
        (TileOp::AddPtr(addptr), [pointer, offset]) => shapes::addptr(addptr, pointer, offset),
        (TileOp::Shl(_), [a, b]) => integers::shift_left(result, a, b),
        (TileOp::DivS(_), [a, b]) => integers::divide(a, b, true),
        (TileOp::DivU(_), [a, b]) => integers::divide(a, b, false),
        (TileOp::RemS(_), [a, b]) => integers::remainder(a, b, true),
        (TileOp::RemU(_), [a, b]) => integers::remainder(a, b, false),
        // What memory holds, other threads have, or bits make of numbers is not known.
        (
            TileOp::Load(_)
            | TileOp::LocalLoad(_)
            | TileOp::ProgramId(_)
            | TileOp::NumPrograms(_)
            | TileOp::Join(_)
            | TileOp::Split(_)
            | TileOp::Gather(_)
            | TileOp::Histogram(_)
            | TileOp::Reduce(_)
            | TileOp::Scan(_)
            | TileOp::PtrToInt(_)
            | TileOp::ShrS(_)
            | TileOp::ShrU(_)
            | TileOp::UnaryFunction(_)
            | TileOp::BinaryFunction(_)
            | TileOp::FpToSi(_)
            | TileOp::FpToUi(_),
            _,
        ) => None,
        // Without a number as its result.
        (TileOp::Store(_) | TileOp::LocalStore(_) | TileOp::Alloc(_) | TileOp::Dealloc(_) | TileOp::Yield(_), _) => {
            None
        }
        // The verifier allows no other number of operands.
        (
            TileOp::Range(_)
            | TileOp::Splat(_)
            | TileOp::ExpandDims(_)
            | TileOp::Broadcast(_)
            | TileOp::Transpose(_)
            | TileOp::Reshape(_)
            | TileOp::ConvertLayout(_)
            | TileOp::AddPtr(_)
            | TileOp::Shl(_)
            | TileOp::DivS(_)
            | TileOp::DivU(_)
            | TileOp::RemS(_)
            | TileOp::RemU(_),
            _,
        ) => None,
    }
}

/// What transfer functions ask of a result's type.
struct ResultType {
    /// Along each dimension; a scalar counts as a tile of one element.
    extents: SmallVec<[u64; 3]>,
    /// The width of its integers.
    bits: u32,
}

impl ResultType {
    fn of(result: Value<'_, '_>) -> Self {
        let shape = shape_of(result.r#type()).filter(|shape| !shape.is_empty());
        ResultType {
            extents: shape.map_or_else(|| SmallVec::from_elem(1, 1), SmallVec::from_vec),
            bits: bits_of(result),
        }
    }

    fn padded(&self, dim: usize) -> u64 {
        self.extents[dim].next_power_of_two()
    }

    /// The same number everywhere, a multiple of `divisibility`.
    fn uniform(&self, divisibility: u64, constant: Option<i64>) -> AxisInfo {
        let axis = |dim| Axis {
            contiguity: 1,
            divisibility,
            constancy: self.padded(dim),
        };
        AxisInfo {
            axes: (0..self.extents.len()).map(axis).collect(),
            constant,
        }
    }

    /// A number as its type holds it: constants are kept sign-extended.
    fn wrap(&self, value: i64) -> i64 {
        match self.bits {
            64.. => value,
            bits => value << (64 - bits) >> (64 - bits),
        }
    }
}

/// The width of an integer, or of the integers in a tile.
fn bits_of(value: Value<'_, '_>) -> u32 {
    integer(element_type(value.r#type())).map_or(64, |ty| ty.width())
}
