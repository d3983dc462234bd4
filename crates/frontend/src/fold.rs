//! Arithmetic among compile-time constants. Integers are exact, floats are `f64`; a number bound to a type wraps or
//! rounds to it after each operation.

use mytriton_ssa::{BinaryOp, Const, Scalar, UnaryOp, eval_binary, eval_unary};

use crate::arith::{BinOp, CmpOp};
use crate::dtype::{DType, Kind};
use crate::literal::{Literal, Number, Own};

/// The tie of a result to a type, from the operands': a firm one wins, then a declared one.
fn joined(a: Literal, b: Literal) -> Own {
    match (a.own, b.own) {
        (Own::Fixed(x), Own::Fixed(y)) => Own::Fixed(x.promote(y)),
        (Own::Fixed(x), _) => Own::Fixed(b.type_with(x).map_or(x, |t| x.promote(t))),
        (_, Own::Fixed(y)) => Own::Fixed(a.type_with(y).map_or(y, |t| y.promote(t))),
        (Own::Declared(x), Own::Declared(y)) if x == y => Own::Declared(x),
        (Own::Declared(x), Own::Free) | (Own::Free, Own::Declared(x)) => Own::Declared(x),
        _ => Own::Free,
    }
}

/// Binds a result. A declared type of another kind than the value is let go.
fn bound(value: Number, own: Own) -> Literal {
    match own {
        Own::Fixed(dtype) => Literal::fixed(value, dtype),
        Own::Declared(dtype) if dtype.kind() != value.kind() => Literal::free(value),
        own => Literal { value, own },
    }
}

pub(crate) fn binary(op: BinOp, a: Literal, b: Literal) -> Result<Literal, String> {
    let mut own = joined(a, b);
    let halves = matches!(own, Own::Fixed(DType::F16 | DType::BF16));
    if halves && matches!(op, BinOp::Div | BinOp::Rem) {
        own = Own::Fixed(DType::F32);
    }
    let fixed = matches!(own, Own::Fixed(_));
    let kind = a.value.kind().max(b.value.kind());
    let value = match kind {
        Kind::Float => Number::Float(float_binary(op, a.value.to_f64(), b.value.to_f64())?),
        Kind::Bool if matches!(op, BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor) => {
            let (x, y) = (a.value == Number::Bool(true), b.value == Number::Bool(true));
            Number::Bool(match op {
                BinOp::BitAnd => x & y,
                BinOp::BitOr => x | y,
                _ => x ^ y,
            })
        }
        _ => {
            let (x, y) = (a.value.as_int().unwrap_or(0), b.value.as_int().unwrap_or(0));
            let value = int_binary(op, x, y, own)?;
            let what = || format!("{x} {} {y} is beyond what is computed at compile time", op.symbol());
            match value {
                Some(value) => Number::Int(value),
                None if fixed => Number::Int(x.wrapping_mul(y)),
                None => return Err(what()),
            }
        }
    };
    Ok(bound(value, own))
}

fn float_binary(op: BinOp, x: f64, y: f64) -> Result<f64, String> {
    Ok(match op {
        BinOp::Add => x + y,
        BinOp::Sub => x - y,
        BinOp::Mul => x * y,
        BinOp::Div => x / y,
        BinOp::Rem => x % y,
        _ => return Err(format!("'{}' takes integers, not floating-point numbers", op.symbol())),
    })
}

/// None where an exact product or sum overflows.
fn int_binary(op: BinOp, x: i128, y: i128, own: Own) -> Result<Option<i128>, String> {
    let by_zero = || format!("{x} {} 0: division by zero", op.symbol());
    Ok(match op {
        BinOp::Add => x.checked_add(y),
        BinOp::Sub => x.checked_sub(y),
        BinOp::Mul => x.checked_mul(y),
        BinOp::Div => Some(x.checked_div(y).ok_or_else(by_zero)?),
        BinOp::Rem => Some(x.checked_rem(y).ok_or_else(by_zero)?),
        BinOp::BitAnd => Some(x & y),
        BinOp::BitOr => Some(x | y),
        BinOp::BitXor => Some(x ^ y),
        BinOp::Shl | BinOp::Shr => {
            let width = match own {
                Own::Fixed(dtype) => dtype.bits(),
                _ => 127,
            };
            let amount = u32::try_from(y).map_err(|_| format!("a shift by {y}: the amount is 0 or more"))?;
            let beyond = amount >= width;
            match op {
                BinOp::Shr if beyond => Some(if x < 0 { -1 } else { 0 }),
                BinOp::Shr => Some(x >> amount),
                _ if beyond && (matches!(own, Own::Fixed(_)) || x == 0) => Some(0),
                _ if beyond => None,
                // Exact: a left shift that loses bits is an overflow unless the type wraps.
                _ => match own {
                    Own::Fixed(_) => Some(x << amount),
                    _ => x.checked_mul(1i128.checked_shl(amount).unwrap_or(i128::MAX)),
                },
            }
        }
    })
}

pub(crate) fn compare(op: CmpOp, a: Number, b: Number) -> bool {
    fn holds<T: PartialOrd>(op: CmpOp, x: T, y: T) -> bool {
        match op {
            CmpOp::Eq => x == y,
            CmpOp::Ne => x != y,
            CmpOp::Lt => x < y,
            CmpOp::Le => x <= y,
            CmpOp::Gt => x > y,
            CmpOp::Ge => x >= y,
        }
    }
    match (a.as_int(), b.as_int()) {
        (Some(x), Some(y)) => holds(op, x, y),
        _ => holds(op, a.to_f64(), b.to_f64()),
    }
}

pub(crate) fn neg(a: Literal) -> Literal {
    match a.value {
        Number::Float(v) => bound(Number::Float(-v), a.own),
        value => bound(Number::Int(-value.as_int().unwrap_or(0)), a.own),
    }
}

pub(crate) fn not(a: Literal) -> Result<Literal, String> {
    match a.value {
        Number::Bool(b) => Ok(Literal {
            value: Number::Bool(!b),
            ..a
        }),
        Number::Int(i) => Ok(bound(Number::Int(!i), a.own)),
        Number::Float(v) => Err(format!("'!' takes integers and bool, not {v:?}")),
    }
}

/// A float function of a number. An integer literal (such as a constexpr) counts as a float here, one bound to its type
/// does not: it is none, as a run-time integer would be.
pub(crate) fn unary(op: UnaryOp, a: Literal) -> Option<Literal> {
    if let (UnaryOp::Abs, Number::Int(v)) = (op, a.value) {
        return Some(bound(Number::Int(v.abs()), a.own));
    }
    let fixed_int = matches!(a.own, Own::Fixed(t) if !t.is_float());
    if fixed_int || a.value.kind() == Kind::Bool {
        return None;
    }
    let y = eval_unary(op, Const::from_f64(Scalar::F64, a.value.to_f64()));
    Some(bound(Number::Float(y.as_f64()?), a.own))
}

/// A function of two floats, or of a float and an integer, in double precision.
pub(crate) fn function_of_two(op: BinaryOp, a: Literal, b: Literal) -> Literal {
    let second = op.second_operand(Scalar::F64);
    let b = Const::from_f64(second, b.value.to_f64());
    let value = eval_binary(op, Const::from_f64(Scalar::F64, a.value.to_f64()), b);
    Literal::free(Number::Float(value.and_then(Const::as_f64).unwrap_or(f64::NAN)))
}

#[cfg(test)]
mod tests {
    use mytriton_ssa::{CmpPred, eval_cmp};
    use proptest::prelude::*;

    use super::*;

    const OPS: [BinOp; 8] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::Rem,
        BinOp::BitAnd,
        BinOp::BitOr,
        BinOp::BitXor,
    ];

    fn operation(op: BinOp, dtype: DType) -> Option<BinaryOp> {
        let unsigned = dtype.is_unsigned();
        Some(match op {
            BinOp::Add => BinaryOp::Add,
            BinOp::Sub => BinaryOp::Sub,
            BinOp::Mul => BinaryOp::Mul,
            BinOp::Div if dtype.is_float() => BinaryOp::DivRn,
            BinOp::Rem if dtype.is_float() => BinaryOp::Rem,
            BinOp::Div => [BinaryOp::DivS, BinaryOp::DivU][usize::from(unsigned)],
            BinOp::Rem => [BinaryOp::RemS, BinaryOp::RemU][usize::from(unsigned)],
            _ if dtype.is_float() => return None,
            BinOp::BitAnd => BinaryOp::And,
            BinOp::BitOr => BinaryOp::Or,
            BinOp::BitXor => BinaryOp::Xor,
            BinOp::Shl | BinOp::Shr => return None,
        })
    }

    fn literal(dtype: DType, bits: u64) -> Literal {
        let value = Number::from_const(Const::from_bits(dtype.scalar(), bits), dtype);
        Literal {
            value,
            own: Own::Fixed(dtype),
        }
    }

    proptest! {
        /// What is folded here is what the operation would give at run time.
        #[test]
        fn typed_numbers_fold_as_operations_compute(
            op in proptest::sample::select(&OPS[..]),
            dtype in proptest::sample::select(&DType::ALL[1..]),
            a in any::<u64>(),
            b in prop_oneof![any::<u64>(), 0u64..9],
        ) {
            let (x, y) = (literal(dtype, a), literal(dtype, b));
            let halves = matches!(dtype, DType::F16 | DType::BF16) && matches!(op, BinOp::Div | BinOp::Rem);
            let (Some(ssa), false) = (operation(op, dtype), halves) else { return Ok(()) };
            let constant = |l: Literal| l.value.cast(dtype);
            let computed = eval_binary(ssa, constant(x), constant(y));
            match (binary(op, x, y), computed) {
                (Ok(folded), Some(computed)) => {
                    prop_assert_eq!(folded.own, Own::Fixed(dtype));
                    let folded = constant(folded);
                    prop_assert!(folded == computed || folded.is_nan() && computed.is_nan(), "{:?} {:?}", folded, computed);
                }
                // Division by zero, and the least number by -1 (which wraps here).
                (Err(_), computed) => prop_assert!(computed.is_none() || dtype.is_float()),
                (Ok(_), None) => prop_assert!(y.value == Number::Int(-1)),
            }
        }

        #[test]
        fn numbers_compare_as_operations_do(
            dtype in proptest::sample::select(&DType::ALL[1..]),
            a in any::<u64>(),
            b in any::<u64>(),
        ) {
            let (x, y) = (literal(dtype, a), literal(dtype, b));
            let less = if dtype.is_unsigned() { CmpPred::LtU } else { CmpPred::Lt };
            for (op, pred) in [(CmpOp::Lt, less), (CmpOp::Eq, CmpPred::Eq), (CmpOp::Ne, CmpPred::Ne)] {
                let computed = eval_cmp(pred, x.value.cast(dtype), y.value.cast(dtype));
                prop_assert_eq!(compare(op, x.value, y.value), computed);
            }
        }
    }

    #[test]
    fn untyped_integers_are_exact() {
        let int = |v| Literal::free(Number::Int(v));
        let value = |op, a, b| binary(op, int(a), int(b)).map(|l| l.value);
        assert_eq!(value(BinOp::Mul, 1 << 62, 4), Ok(Number::Int(1 << 64)));
        assert_eq!(value(BinOp::Div, -7, 2), Ok(Number::Int(-3)));
        assert_eq!(value(BinOp::Rem, -7, 3), Ok(Number::Int(-1)));
        assert_eq!(value(BinOp::Shl, 1, 40), Ok(Number::Int(1 << 40)));
        assert_eq!(value(BinOp::Shr, -8, 200), Ok(Number::Int(-1)));
        assert!(
            value(BinOp::Mul, i128::MAX, 2)
                .unwrap_err()
                .contains("beyond what is computed")
        );
        assert!(value(BinOp::Shl, 1, 127).is_err());
        assert!(value(BinOp::Rem, 1, 0).unwrap_err().contains("division by zero"));
    }
}
