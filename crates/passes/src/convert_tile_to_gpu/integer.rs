//! Integer operations that are defined at every corner, from `arith`'s, which are not.

use melior::ir::r#type::IntegerType;
use melior::ir::{Value, ValueLike};
use mytriton_tile::emit::{CmpI, Emitter, element_type};
use mytriton_tile::ops::TileOp;

use super::Conversion;

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    /// The dialect's shifts and divisions; none for its other operations.
    pub(super) fn integer(
        &self,
        emitter: Emitter<'c, 'a>,
        op: TileOp<'c, '_>,
        operands: &[Value<'c, 'a>],
    ) -> Option<Value<'c, 'a>> {
        let &[a, b] = operands else { return None };
        let ty = a.r#type();
        let width = i64::from(IntegerType::try_from(element_type(ty)).ok()?.width());
        let constant = |value: i64| emitter.int_like(ty, value);
        Some(match op {
            // The only divisor of i1s with a defined result is 1.
            TileOp::DivS(_) | TileOp::DivU(_) if width == 1 => a,
            TileOp::RemS(_) | TileOp::RemU(_) if width == 1 => constant(0),
            // A shift by the width or more brings in nothing but zeros, or the sign.
            TileOp::Shl(_) | TileOp::ShrU(_) => {
                let shift = if matches!(op, TileOp::Shl(_)) {
                    "arith.shli"
                } else {
                    "arith.shrui"
                };
                // The amount is cut to the width less 1 rather than chosen by the guard: LLVM 22's NVPTX backend takes
                // a guarded shift for PTX's clamping one, whose 32-bit amount drops the upper half of a 64-bit one.
                let (last, zero) = (constant(width - 1), constant(0));
                let amount = emitter.binary("arith.minui", b, last);
                let shifted = emitter.binary(shift, a, amount);
                let beyond = emitter.cmpi(CmpI::Ugt, b, last);
                emitter.select(beyond, zero, shifted)
            }
            TileOp::ShrS(_) => {
                let last = constant(width - 1);
                let amount = emitter.binary("arith.minui", b, last);
                emitter.binary("arith.shrsi", a, amount)
            }
            // Division by zero and INT_MIN / -1 are undefined in LLVM and may give anything here: divide by 1 instead.
            TileOp::DivU(_) | TileOp::RemU(_) => {
                let by = if matches!(op, TileOp::DivU(_)) {
                    "arith.divui"
                } else {
                    "arith.remui"
                };
                let (zero, one) = (constant(0), constant(1));
                let bad = emitter.cmpi(CmpI::Eq, b, zero);
                let divisor = emitter.select(bad, one, b);
                emitter.binary(by, a, divisor)
            }
            TileOp::DivS(_) | TileOp::RemS(_) => {
                let by = if matches!(op, TileOp::DivS(_)) {
                    "arith.divsi"
                } else {
                    "arith.remsi"
                };
                let (zero, one, minus_one) = (constant(0), constant(1), constant(-1));
                let least = constant(if width == 64 { i64::MIN } else { -(1 << (width - 1)) });
                let by_zero = emitter.cmpi(CmpI::Eq, b, zero);
                let is_least = emitter.cmpi(CmpI::Eq, a, least);
                let by_minus_one = emitter.cmpi(CmpI::Eq, b, minus_one);
                let overflow = emitter.binary("arith.andi", is_least, by_minus_one);
                let bad = emitter.binary("arith.ori", by_zero, overflow);
                let divisor = emitter.select(bad, one, b);
                emitter.binary(by, a, divisor)
            }
            _ => return None,
        })
    }
}
