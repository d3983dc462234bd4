//! Identities of arithmetic.
//!
//! Floats: exact for every operand, signs of zero and infinities included, and NaN stays NaN. Not here, because false:
//! `x + 0.0 = x` (`-0.0 + 0.0` is `0.0`), `x * 0.0 = 0.0` (NaN, infinity, sign), `x - x = 0.0` (NaN, infinity),
//! `0.0 - x = neg x` (`0.0 - 0.0` is `0.0`), `x / x = 1.0`, and any change of order. Joining a product and a sum into
//! `fma` is for code generation, which knows whether it is allowed.

use smallvec::smallvec;

use super::simplify::{Rewrite, Simplifier, Subject};
use crate::constant::Const;
use crate::eval::eval_binary;
use crate::kernel::ValueId;
use crate::op::{BinaryOp, OpKind, UnaryOp};

/// Equations of unary and binary operations and `fma`.
pub(super) fn rewrite(simplifier: &mut Simplifier<'_>, subject: &Subject) -> Option<Rewrite> {
    match (&subject.kind, &subject.operands[..]) {
        (&OpKind::Unary(op), &[x]) => unary(simplifier, op, x),
        (&OpKind::Binary(op), &[x, y]) => commute(simplifier, op, x, y)
            .or_else(|| equal_operands(op, subject, x, y))
            .or_else(|| with_constant(simplifier, op, x, y))
            .or_else(|| reassociate(simplifier, subject, op, x, y))
            .or_else(|| reciprocal(simplifier, subject, op, x, y))
            .or_else(|| signs(simplifier, subject, op, x, y)),
        (OpKind::Fma, &[x, y, z]) => fma(simplifier, x, y, z),
        _ => None,
    }
}

fn binary(op: BinaryOp, x: ValueId, y: ValueId) -> Option<Rewrite> {
    Some(Rewrite::Op(OpKind::Binary(op), smallvec![x, y]))
}

/// The operand of the unary operation `op` that gives `value`.
fn operand_of(simplifier: &Simplifier<'_>, op: UnaryOp, value: ValueId) -> Option<ValueId> {
    match simplifier.definition(value)? {
        (OpKind::Unary(found), operands) if *found == op => Some(operands[0]),
        _ => None,
    }
}

fn unary(simplifier: &Simplifier<'_>, op: UnaryOp, x: ValueId) -> Option<Rewrite> {
    use UnaryOp::*;
    match op {
        // neg (neg x) = x: it flips one bit
        Neg => Some(Rewrite::Value(operand_of(simplifier, Neg, x)?)),
        // abs (abs x) = abs x, of integers too: abs INT_MIN is INT_MIN
        Abs if operand_of(simplifier, Abs, x).is_some() => Some(Rewrite::Value(x)),
        // abs (neg x) = abs x
        Abs => Some(Rewrite::Op(
            OpKind::Unary(Abs),
            smallvec![operand_of(simplifier, Neg, x)?],
        )),
        // f (g x) = g x where both round to an integer: g x is one
        Floor | Ceil | Trunc | Round | RoundEven => {
            let inner = [Floor, Ceil, Trunc, Round, RoundEven];
            let integral = inner.into_iter().any(|g| operand_of(simplifier, g, x).is_some());
            integral.then_some(Rewrite::Value(x))
        }
        _ => None,
    }
}

/// A constant goes to the right of a commutative operation, where the other equations look for it.
fn commute(simplifier: &Simplifier<'_>, op: BinaryOp, x: ValueId, y: ValueId) -> Option<Rewrite> {
    let constant = |v| simplifier.kernel.as_const(v).is_some();
    // c + x = x + c
    if op.is_commutative() && constant(x) && !constant(y) {
        binary(op, y, x)
    } else {
        None
    }
}

fn equal_operands(op: BinaryOp, subject: &Subject, x: ValueId, y: ValueId) -> Option<Rewrite> {
    use BinaryOp::*;
    if x != y {
        return None;
    }
    match op {
        // x & x = x, x | x = x, min x x = x, max x x = x, of floats too: NaN gives NaN
        And | Or | MinS | MaxS | MinU | MaxU | Min | Max | MinNan | MaxNan => Some(Rewrite::Value(x)),
        // x ^ x = 0, x - x = 0 (integers)
        Xor => Some(Rewrite::Const(Const::zero(subject.ty.as_scalar()?))),
        Sub if subject.ty.is_int() => Some(Rewrite::Const(Const::zero(subject.ty.as_scalar()?))),
        _ => None,
    }
}

/// Identity elements and absorbing constants.
fn with_constant(simplifier: &Simplifier<'_>, op: BinaryOp, x: ValueId, y: ValueId) -> Option<Rewrite> {
    use BinaryOp::*;
    // 0 << x = 0, 0 >> x = 0, 0 / x = 0, 0 % x = 0 hold too, but the last two would hide a division by zero
    if let (Shl | ShrS | ShrU, Some(left)) = (op, simplifier.kernel.as_const(x))
        && left.bits() == 0
    {
        return Some(Rewrite::Const(left));
    }
    let c = simplifier.kernel.as_const(y)?;
    let scalar = c.scalar();
    let int = scalar.is_int();
    let bits = c.bits();
    let ones = scalar.bit_mask();
    let (smallest, largest) = (1 << (scalar.bits() - 1), ones >> 1);
    // x + 0 = x, x + -0.0 = x, x * 1 = x, x / 1.0 = x, x << 0 = x, x & ~0 = x, min x MAX = x, min x NaN = x, ...: the table
    // of operations has them all
    if op.identity(scalar) == Some(c) {
        return Some(Rewrite::Value(x));
    }
    let absorbing = match op {
        // x * 0 = 0 (integers), x & 0 = 0, x | ~0 = ~0
        Mul => int && bits == 0,
        And => bits == 0,
        Or => bits == ones,
        // min x MIN = MIN, max x MAX = MAX
        MinU => bits == 0,
        MaxU => bits == ones,
        MinS => bits == smallest,
        MaxS => bits == largest,
        _ => false,
    };
    if absorbing {
        return Some(Rewrite::Const(c));
    }
    match op {
        // x << c = 0, x >> c = 0 (unsigned), c at least the width
        Shl | ShrU if bits >= u64::from(scalar.bits()) => Some(Rewrite::Const(Const::zero(scalar))),
        // x % 1 = 0 (integers)
        RemS | RemU if bits == 1 => Some(Rewrite::Const(Const::zero(scalar))),
        _ => None,
    }
}

/// Constants of one chain come together; integers alone, where every order gives the same.
fn reassociate(
    simplifier: &mut Simplifier<'_>,
    subject: &Subject,
    op: BinaryOp,
    x: ValueId,
    y: ValueId,
) -> Option<Rewrite> {
    use BinaryOp::*;
    if !subject.ty.is_int() || !matches!(op, Add | Mul | And | Or | Xor | MinS | MaxS | MinU | MaxU) {
        return None;
    }
    let outer = simplifier.kernel.as_const(y)?;
    let (&OpKind::Binary(found), &[inner, constant]) = simplifier.definition(x)? else {
        return None;
    };
    if found != op {
        return None;
    }
    let constant = simplifier.kernel.as_const(constant)?;
    // (x + c) + d = x + (c + d), and so for *, &, |, ^, min, max
    let joined = eval_binary(op, constant, outer)?;
    let joined = simplifier.constant(joined, subject.ty, subject.loc);
    binary(op, inner, joined)
}

/// A division by a power of two is a product.
fn reciprocal(
    simplifier: &mut Simplifier<'_>,
    subject: &Subject,
    op: BinaryOp,
    x: ValueId,
    y: ValueId,
) -> Option<Rewrite> {
    if !matches!(op, BinaryOp::Div | BinaryOp::DivRn) {
        return None;
    }
    let c = simplifier.kernel.as_const(y)?;
    let v = c.as_f64()?;
    let power_of_two = v.is_finite() && libm::frexp(v).0.abs() == 0.5;
    let inverse = Const::from_f64(c.scalar(), 1.0 / v);
    if !power_of_two || inverse.as_f64()? * v != 1.0 {
        return None;
    }
    // x / c = x * (1 / c), c and 1 / c powers of two of the type: the exact results are equal, so the rounded ones
    // are. (A quotient of bf16 that f32 would round first is too small for that to show.)
    let inverse = simplifier.constant(inverse, subject.ty, subject.loc);
    binary(BinaryOp::Mul, x, inverse)
}

/// Signs of floats that an operation absorbs.
fn signs(simplifier: &mut Simplifier<'_>, subject: &Subject, op: BinaryOp, x: ValueId, y: ValueId) -> Option<Rewrite> {
    use BinaryOp::*;
    if !subject.ty.is_float() {
        return None;
    }
    let minus_zero = Const::from_f64(subject.ty.as_scalar()?, -0.0);
    let negated = |v| operand_of(simplifier, UnaryOp::Neg, v);
    match op {
        // -0.0 - x = neg x
        Sub if simplifier.kernel.as_const(x) == Some(minus_zero) => {
            Some(Rewrite::Op(OpKind::Unary(UnaryOp::Neg), smallvec![y]))
        }
        // x - neg y = x + y
        Sub => binary(Add, x, negated(y)?),
        // x + neg y = x - y, neg x + y = y - x
        Add => match (negated(x), negated(y)) {
            (_, Some(y)) => binary(Sub, x, y),
            (Some(x), None) => binary(Sub, y, x),
            _ => None,
        },
        // neg x * neg y = x * y, and so for /
        Mul | Div | DivRn => binary(op, negated(x)?, negated(y)?),
        _ => None,
    }
}

fn fma(simplifier: &Simplifier<'_>, x: ValueId, y: ValueId, z: ValueId) -> Option<Rewrite> {
    let is = |v, number| {
        let c = simplifier.kernel.as_const(v)?;
        (c == Const::from_f64(c.scalar(), number)).then_some(())
    };
    // fma 1.0 x z = x + z, fma x 1.0 z = x + z: the product is exact
    if is(x, 1.0).is_some() {
        return binary(BinaryOp::Add, y, z);
    }
    if is(y, 1.0).is_some() {
        return binary(BinaryOp::Add, x, z);
    }
    // fma x y -0.0 = x * y: adding -0.0 changes nothing, and one rounding stays one
    is(z, -0.0)?;
    binary(BinaryOp::Mul, x, y)
}
