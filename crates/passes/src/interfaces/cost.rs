//! How much an operation works for each register of its result.

use melior::ir::OperationRef;
use mytriton_tile::ops::{AnyOp, TileOp, arith, math};

/// The weight of one register's work in an elementwise operation, in the unit of [`cost`](crate::support::cost): 0 where
/// registers are but renamed.
pub fn weight(op: OperationRef<'_, '_>) -> u64 {
    match AnyOp::cast(op) {
        Some(AnyOp::Tile(tile)) => weight_of_tile(tile),
        Some(AnyOp::Arith(arith::Op::Constant(_))) => 0,
        Some(AnyOp::Arith(arith::Op::DivF(_) | arith::Op::RemF(_))) => DIVISION,
        Some(AnyOp::Math(math::Op::AbsF(_) | math::Op::Floor(_) | math::Op::Ceil(_) | math::Op::Fma(_))) => 1,
        Some(AnyOp::Math(_)) => FUNCTION,
        Some(
            AnyOp::Arith(_)
            | AnyOp::Cf(_)
            | AnyOp::Func(_)
            | AnyOp::Gpu(_)
            | AnyOp::Llvm(_)
            | AnyOp::Memref(_)
            | AnyOp::Nvvm(_)
            | AnyOp::Scf(_)
            | AnyOp::Ub(_)
            | AnyOp::Vector(_),
        )
        | None => 1,
    }
}

/// A division or remainder, of integers or floats.
const DIVISION: u64 = 12;

/// A function of floats that is no instruction.
const FUNCTION: u64 = 16;

fn weight_of_tile(tile: TileOp<'_, '_>) -> u64 {
    match tile {
        TileOp::Splat(_) | TileOp::ExpandDims(_) | TileOp::Broadcast(_) | TileOp::Reshape(_) | TileOp::Transpose(_) => {
            0
        }
        // A multiplication and a sum of 64 bits.
        TileOp::AddPtr(_) => 2,
        TileOp::DivS(_) | TileOp::DivU(_) | TileOp::RemS(_) | TileOp::RemU(_) => DIVISION,
        TileOp::UnaryFunction(_) | TileOp::BinaryFunction(_) => FUNCTION,
        TileOp::Range(_)
        | TileOp::ProgramId(_)
        | TileOp::NumPrograms(_)
        | TileOp::Join(_)
        | TileOp::Split(_)
        | TileOp::PtrToInt(_)
        | TileOp::Shl(_)
        | TileOp::ShrS(_)
        | TileOp::ShrU(_)
        | TileOp::FpToSi(_)
        | TileOp::FpToUi(_) => 1,
        // Not elementwise: accesses, exchanges and reductions have costs of their own, and are not repeated by weight.
        TileOp::Load(_)
        | TileOp::Store(_)
        | TileOp::Reduce(_)
        | TileOp::Scan(_)
        | TileOp::Gather(_)
        | TileOp::ConvertLayout(_)
        | TileOp::Histogram(_)
        | TileOp::Alloc(_)
        | TileOp::Dealloc(_)
        | TileOp::LocalLoad(_)
        | TileOp::LocalStore(_)
        | TileOp::Yield(_) => 1,
    }
}
