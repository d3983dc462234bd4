//! Integer operations that are defined at every corner, from `arith`'s, which are not.

use melior::ir::r#type::IntegerType;
use melior::ir::{Value, ValueLike};
use mytriton_tile::emit::{CmpI, Emitter, element_type};

use super::Conversion;

impl<'c: 'a, 'a> Conversion<'c, 'a> {
    /// Shifts and divisions; none for other operations.
    pub(super) fn integer(
        &self,
        emitter: Emitter<'c, 'a>,
        name: &str,
        operands: &[Value<'c, 'a>],
    ) -> Option<Value<'c, 'a>> {
        let &[a, b] = operands else { return None };
        let ty = a.r#type();
        let width = i64::from(IntegerType::try_from(element_type(ty)).ok()?.width());
        let constant = |value: i64| emitter.int_like(ty, value);
        if width == 1 && (name.starts_with("tile.div") || name.starts_with("tile.rem")) {
            // The only divisor with a defined result is 1.
            return Some(if name.starts_with("tile.div") { a } else { constant(0) });
        }
        Some(match name {
            // A shift by the width or more brings in nothing but zeros, or the sign.
            "tile.shl" | "tile.shr_u" => {
                let shift = if name == "tile.shl" { "arith.shli" } else { "arith.shrui" };
                let (limit, zero) = (constant(width), constant(0));
                // The width of an i1 wraps to 1 - 1: compare with the largest amount instead.
                let fits = if width == 1 {
                    emitter.cmpi(CmpI::Eq, b, zero)
                } else {
                    emitter.cmpi(CmpI::Ult, b, limit)
                };
                let amount = emitter.select(fits, b, zero);
                let shifted = emitter.binary(shift, a, amount);
                emitter.select(fits, shifted, zero)
            }
            "tile.shr_s" => {
                let last = constant(width - 1);
                let amount = emitter.binary("arith.minui", b, last);
                emitter.binary("arith.shrsi", a, amount)
            }
            // Division by zero and INT_MIN / -1 are undefined in LLVM and may give anything here: divide by 1 instead.
            "tile.div_u" | "tile.rem_u" => {
                let by = if name == "tile.div_u" { "arith.divui" } else { "arith.remui" };
                let (zero, one) = (constant(0), constant(1));
                let bad = emitter.cmpi(CmpI::Eq, b, zero);
                let divisor = emitter.select(bad, one, b);
                emitter.binary(by, a, divisor)
            }
            "tile.div_s" | "tile.rem_s" => {
                let by = if name == "tile.div_s" { "arith.divsi" } else { "arith.remsi" };
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
