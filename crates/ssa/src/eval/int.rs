//! Integers: two's complement, wrapping.

use crate::constant::Const;
use crate::op::{BinaryOp, CmpPred, UnaryOp};

fn signed(x: Const) -> i64 {
    x.as_signed().expect("an integer")
}

pub(super) fn unary(op: UnaryOp, x: Const) -> Const {
    assert_eq!(op, UnaryOp::Abs, "{op} is not defined for {}", x.scalar());
    Const::from_bits(x.scalar(), signed(x).wrapping_abs() as u64)
}

pub(super) fn binary(op: BinaryOp, a: Const, b: Const) -> Option<Const> {
    let scalar = a.scalar();
    let (x, y) = (a.bits(), b.bits());
    let bits = match op {
        // The lower bits of a sum or product depend on the operands' lower bits alone; `from_bits` drops the rest.
        // Of `i1` that leaves exclusive or (add, sub) and and (mul).
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::DivS | BinaryOp::RemS => {
            let (x, y) = (signed(a), signed(b));
            let smallest = -1i64 << (scalar.bits() - 1);
            if y == 0 || (y == -1 && x == smallest) {
                return None;
            }
            (if op == BinaryOp::DivS { x / y } else { x % y }) as u64
        }
        BinaryOp::DivU => x.checked_div(y)?,
        BinaryOp::RemU => x.checked_rem(y)?,
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Shl => shift_amount(y).map_or(0, |by| x << by),
        BinaryOp::ShrU => shift_amount(y).map_or(0, |by| x >> by),
        // Sign-extended to 64 bits, a shift by 63 leaves copies of the sign in every type.
        BinaryOp::ShrS => (signed(a) >> y.min(63)) as u64,
        BinaryOp::MinS => return Some(if signed(a) <= signed(b) { a } else { b }),
        BinaryOp::MaxS => return Some(if signed(a) >= signed(b) { a } else { b }),
        BinaryOp::MinU => x.min(y),
        BinaryOp::MaxU => x.max(y),
        BinaryOp::Div | BinaryOp::DivRn | BinaryOp::Min | BinaryOp::Max | BinaryOp::MinNan | BinaryOp::MaxNan => {
            panic!("{op} is not defined for {scalar}")
        }
        library_functions!() => panic!("{op} is not defined for {scalar}"),
    };
    Some(Const::from_bits(scalar, bits))
}

/// The amount, if less than 64: narrower types lose what leaves them when the bits are cut to the type.
fn shift_amount(amount: u64) -> Option<u32> {
    (amount < 64).then_some(amount as u32)
}

pub(super) fn cmp(pred: CmpPred, a: Const, b: Const) -> bool {
    let (s, t) = (signed(a), signed(b));
    let (x, y) = (a.bits(), b.bits());
    match pred {
        CmpPred::Eq => x == y,
        CmpPred::Ne => x != y,
        CmpPred::Lt => s < t,
        CmpPred::Le => s <= t,
        CmpPred::Gt => s > t,
        CmpPred::Ge => s >= t,
        CmpPred::LtU => x < y,
        CmpPred::LeU => x <= y,
        CmpPred::GtU => x > y,
        CmpPred::GeU => x >= y,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::BinaryOp::*;
    use crate::types::Scalar;

    fn i8c(v: i32) -> Const {
        Const::from_int(Scalar::I8, i128::from(v))
    }

    /// Every pair of `i8` against `i32` arithmetic, which has room for each exact result.
    #[test]
    fn every_pair_of_i8() {
        for a in -128i32..128 {
            for b in -128i32..128 {
                let (ua, ub) = (a & 0xFF, b & 0xFF);
                let divides = b != 0 && !(a == -128 && b == -1);
                let amount = ub.min(31);
                let expected = [
                    (Add, Some(a + b)),
                    (Sub, Some(a - b)),
                    (Mul, Some(a * b)),
                    (DivS, divides.then(|| a / b)),
                    (RemS, divides.then(|| a % b)),
                    (DivU, (b != 0).then(|| ua / ub)),
                    (RemU, (b != 0).then(|| ua % ub)),
                    (And, Some(a & b)),
                    (Or, Some(a | b)),
                    (Xor, Some(a ^ b)),
                    (Shl, Some(if ub < 8 { a << ub } else { 0 })),
                    (ShrS, Some(a >> amount)),
                    (ShrU, Some(ua >> amount)),
                    (MinS, Some(a.min(b))),
                    (MaxS, Some(a.max(b))),
                    (MinU, Some(ua.min(ub))),
                    (MaxU, Some(ua.max(ub))),
                ];
                for (op, expected) in expected {
                    assert_eq!(binary(op, i8c(a), i8c(b)), expected.map(i8c), "{op} {a} {b}");
                }
                for (pred, expected) in [
                    (CmpPred::Eq, a == b),
                    (CmpPred::Ne, a != b),
                    (CmpPred::Lt, a < b),
                    (CmpPred::Le, a <= b),
                    (CmpPred::Gt, a > b),
                    (CmpPred::Ge, a >= b),
                    (CmpPred::LtU, ua < ub),
                    (CmpPred::LeU, ua <= ub),
                    (CmpPred::GtU, ua > ub),
                    (CmpPred::GeU, ua >= ub),
                ] {
                    assert_eq!(cmp(pred, i8c(a), i8c(b)), expected, "{pred} {a} {b}");
                }
            }
            assert_eq!(unary(UnaryOp::Abs, i8c(a)), i8c(a.abs()), "abs {a}");
        }
    }

    #[test]
    fn the_languages_own_numbers() {
        let i32c = Const::i32;
        assert_eq!(binary(Add, i32c(i32::MAX), i32c(1)), Some(i32c(-2147483648)));
        assert_eq!(binary(Sub, i8c(1), i8c(2)).map(Const::bits), Some(255));
        assert_eq!(binary(DivS, i32c(-7), i32c(2)), Some(i32c(-3)));
        assert_eq!(binary(RemS, i32c(-7), i32c(3)), Some(i32c(-1)));
        assert_eq!(binary(RemS, i32c(7), i32c(-3)), Some(i32c(1)));
        // cdiv(-5, 4) = (-5 + 3) / 4
        assert_eq!(binary(DivS, i32c(-2), i32c(4)), Some(i32c(0)));
        assert_eq!(unary(UnaryOp::Abs, i32c(i32::MIN)), i32c(i32::MIN));
        for scalar in [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64] {
            let min = Const::from_int(scalar, -1 << (scalar.bits() - 1));
            let minus_one = Const::from_int(scalar, -1);
            let zero = Const::zero(scalar);
            for op in [DivS, RemS] {
                assert_eq!(binary(op, min, minus_one), None, "{op} {scalar}");
            }
            for op in [DivS, RemS, DivU, RemU] {
                assert_eq!(binary(op, min, zero), None, "{op} {scalar}");
            }
        }
    }

    #[test]
    fn shifts_are_total_in_every_width() {
        for scalar in [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64] {
            let width = scalar.bits();
            let minus_two = Const::from_int(scalar, -2);
            for amount in [i128::from(width), i128::from(width) + 1, 100, -1] {
                let by = Const::from_int(scalar, amount);
                assert_eq!(
                    binary(Shl, minus_two, by),
                    Some(Const::zero(scalar)),
                    "{scalar} {amount}"
                );
                assert_eq!(
                    binary(ShrU, minus_two, by),
                    Some(Const::zero(scalar)),
                    "{scalar} {amount}"
                );
                assert_eq!(
                    binary(ShrS, minus_two, by),
                    Some(Const::from_int(scalar, -1)),
                    "{scalar} {amount}"
                );
            }
            let by = Const::from_int(scalar, i128::from(width) - 1);
            let top = binary(Shl, Const::from_int(scalar, 1), by).unwrap();
            assert_eq!(top.bits(), 1 << (width - 1));
        }
    }

    #[test]
    fn truth_values() {
        for a in [false, true] {
            for b in [false, true] {
                let eval = |op| binary(op, Const::bool(a), Const::bool(b)).map(|c| c.bits() != 0);
                assert_eq!(eval(Add), Some(a ^ b));
                assert_eq!(eval(Sub), Some(a ^ b));
                assert_eq!(eval(Mul), Some(a & b));
                assert_eq!(eval(MinU), Some(a.min(b)));
                assert_eq!(eval(MaxU), Some(a.max(b)));
                assert_eq!(eval(ShrU), Some(a && !b));
                assert_eq!(eval(Shl), Some(a && !b));
                assert_eq!(eval(DivU), b.then_some(a));
                assert_eq!(eval(RemU), b.then_some(false));
                assert_eq!(cmp(CmpPred::LtU, Const::bool(a), Const::bool(b)), !a & b);
                assert_eq!(cmp(CmpPred::GeU, Const::bool(a), Const::bool(b)), a | !b);
            }
        }
    }
}
