//! Arithmetic of a warp: one operation over the numbers of 32 lanes.
//!
//! Results are computed for all lanes, active or not, where that costs nothing; the caller keeps those of active lanes.
//! NaNs that arithmetic makes are those of the hardware, all ones but for the sign (PTX ISA, "add" and others), not
//! those of the reference interpreter: code that depended on their bits would show.

use std::array::from_fn;

use half::{bf16, f16};
use mytriton_ssa::{BinaryOp, CastKind, CmpPred, Const, Scalar, UnaryOp, library_functions};
use mytriton_ssa::{eval_binary, eval_cast, eval_fma, eval_unary};

/// One register of a warp: a number per lane.
pub(super) type Row = [u64; 32];

/// What nothing may rely on: the result of shifts by the width or more, of integer division by zero.
pub(super) const ARBITRARY: u64 = 0xA5A5_5A5A_C3C3_3C3C;

/// The bits of a number of the type.
pub(super) const fn mask_of(ty: Scalar) -> u64 {
    match ty {
        Scalar::I1 => 1,
        _ => u64::MAX >> (64 - 8 * ty.bytes()),
    }
}

const fn bits_of(ty: Scalar) -> u32 {
    mask_of(ty).count_ones()
}

/// The number's sign in all bits above it.
const fn signed(bits: u32, x: u64) -> i64 {
    let unused = 64 - bits;
    ((x << unused) as i64) >> unused
}

fn each(mask: u32, mut f: impl FnMut(usize) -> u64) -> Row {
    from_fn(|lane| if mask >> lane & 1 != 0 { f(lane) } else { 0 })
}

fn f32_of(x: u64) -> f32 {
    f32::from_bits(x as u32)
}

fn of_f32(x: f32) -> u64 {
    u64::from(if x.is_nan() { 0x7FFF_FFFF } else { x.to_bits() })
}

fn f64_of(x: u64) -> f64 {
    f64::from_bits(x)
}

fn of_f64(x: f64) -> u64 {
    if x.is_nan() { 0x7FFF_FFFF_FFFF_FFFF } else { x.to_bits() }
}

/// The hardware's NaN in place of any that arithmetic made.
fn canonical(x: Const) -> u64 {
    let bits = x.bits();
    match x.scalar() {
        Scalar::F16 if f16::from_bits(bits as u16).is_nan() => 0x7FFF,
        Scalar::BF16 if bf16::from_bits(bits as u16).is_nan() => 0x7FFF,
        Scalar::F32 => of_f32(f32_of(bits)),
        Scalar::F64 => of_f64(f64_of(bits)),
        _ => bits,
    }
}

pub(super) fn unary(op: UnaryOp, ty: Scalar, a: &Row, mask: u32) -> Row {
    let bits = bits_of(ty);
    if ty.is_int() {
        // The only one on integers is the absolute value.
        let all = mask_of(ty);
        return from_fn(|i| signed(bits, a[i]).unsigned_abs() & all);
    }
    let sign = 1 << (bits - 1);
    match op {
        UnaryOp::Neg => from_fn(|i| a[i] ^ sign),
        UnaryOp::Abs => from_fn(|i| a[i] & !sign),
        _ => each(mask, |i| canonical(eval_unary(op, Const::from_bits(ty, a[i])))),
    }
}

pub(super) fn binary(op: BinaryOp, ty: Scalar, a: &Row, b: &Row, mask: u32) -> Row {
    if ty.is_int() {
        return integers(op, ty, a, b);
    }
    match (op, ty) {
        (BinaryOp::Add, Scalar::F32) => from_fn(|i| of_f32(f32_of(a[i]) + f32_of(b[i]))),
        (BinaryOp::Sub, Scalar::F32) => from_fn(|i| of_f32(f32_of(a[i]) - f32_of(b[i]))),
        (BinaryOp::Mul, Scalar::F32) => from_fn(|i| of_f32(f32_of(a[i]) * f32_of(b[i]))),
        (BinaryOp::Div | BinaryOp::DivRn, Scalar::F32) => from_fn(|i| of_f32(f32_of(a[i]) / f32_of(b[i]))),
        (BinaryOp::Add, Scalar::F64) => from_fn(|i| of_f64(f64_of(a[i]) + f64_of(b[i]))),
        (BinaryOp::Sub, Scalar::F64) => from_fn(|i| of_f64(f64_of(a[i]) - f64_of(b[i]))),
        (BinaryOp::Mul, Scalar::F64) => from_fn(|i| of_f64(f64_of(a[i]) * f64_of(b[i]))),
        (BinaryOp::Div | BinaryOp::DivRn, Scalar::F64) => from_fn(|i| of_f64(f64_of(a[i]) / f64_of(b[i]))),
        _ => each(mask, |i| {
            let second = op.second_operand(ty);
            let (a, b) = (Const::from_bits(ty, a[i]), Const::from_bits(second, b[i]));
            // Floats have a result always.
            eval_binary(op, a, b).map_or(0, canonical)
        }),
    }
}

fn integers(op: BinaryOp, ty: Scalar, a: &Row, b: &Row) -> Row {
    let (all, bits) = (mask_of(ty), bits_of(ty));
    let s = |x: u64| signed(bits, x);
    match op {
        BinaryOp::Add => from_fn(|i| a[i].wrapping_add(b[i]) & all),
        BinaryOp::Sub => from_fn(|i| a[i].wrapping_sub(b[i]) & all),
        BinaryOp::Mul => from_fn(|i| a[i].wrapping_mul(b[i]) & all),
        BinaryOp::And => from_fn(|i| a[i] & b[i]),
        BinaryOp::Or => from_fn(|i| a[i] | b[i]),
        BinaryOp::Xor => from_fn(|i| a[i] ^ b[i]),
        BinaryOp::MinU => from_fn(|i| a[i].min(b[i])),
        BinaryOp::MaxU => from_fn(|i| a[i].max(b[i])),
        BinaryOp::MinS => per(a, b, |a, b| s(a).min(s(b)) as u64 & all),
        BinaryOp::MaxS => per(a, b, |a, b| s(a).max(s(b)) as u64 & all),
        BinaryOp::Shl => shifted(ty, a, b, |a, n| a << n),
        BinaryOp::ShrU => shifted(ty, a, b, |a, n| a >> n),
        BinaryOp::ShrS => shifted(ty, a, b, |a, n| (s(a) >> n) as u64),
        BinaryOp::DivU => divided(all, a, b, |a, b| a.checked_div(b)),
        BinaryOp::RemU => divided(all, a, b, |a, b| a.checked_rem(b)),
        BinaryOp::DivS => divided(all, a, b, |a, b| divide(bits, s(a), s(b), i64::wrapping_div)),
        BinaryOp::RemS => divided(all, a, b, |a, b| divide(bits, s(a), s(b), i64::wrapping_rem)),
        // Those of floats, which no decoded program has on integers.
        BinaryOp::Div
        | BinaryOp::DivRn
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::MinNan
        | BinaryOp::MaxNan
        | library_functions!() => [ARBITRARY & all; 32],
    }
}

fn per(a: &Row, b: &Row, f: impl Fn(u64, u64) -> u64) -> Row {
    from_fn(|i| f(a[i], b[i]))
}

fn shifted(ty: Scalar, a: &Row, b: &Row, f: impl Fn(u64, u32) -> u64) -> Row {
    let (all, bits) = (mask_of(ty), u64::from(bits_of(ty)));
    per(a, b, |a, amount| {
        let result = if amount < bits { f(a, amount as u32) } else { ARBITRARY };
        result & all
    })
}

fn divided(all: u64, a: &Row, b: &Row, f: impl Fn(u64, u64) -> Option<u64>) -> Row {
    per(a, b, |a, b| f(a, b).unwrap_or(ARBITRARY) & all)
}

/// None by zero, and of the least number by -1.
fn divide(bits: u32, a: i64, b: i64, f: fn(i64, i64) -> i64) -> Option<u64> {
    let overflows = b == -1 && a == signed(bits, 1 << (bits - 1));
    (b != 0 && !overflows).then(|| f(a, b) as u64)
}

pub(super) fn mul_high(is_signed: bool, ty: Scalar, a: &Row, b: &Row) -> Row {
    let (all, bits) = (mask_of(ty), bits_of(ty));
    from_fn(|i| {
        let product = if is_signed {
            (i128::from(signed(bits, a[i])) * i128::from(signed(bits, b[i]))) as u128
        } else {
            u128::from(a[i]) * u128::from(b[i])
        };
        (product >> bits) as u64 & all
    })
}

pub(super) fn fma(ty: Scalar, a: &Row, b: &Row, c: &Row, mask: u32) -> Row {
    match ty {
        Scalar::F64 => each(mask, |i| of_f64(f64_of(a[i]).mul_add(f64_of(b[i]), f64_of(c[i])))),
        // The product of two f32 is exact in f64; rounding the sum to odd there lets the second rounding be the only one.
        Scalar::F32 => from_fn(|i| of_f32(fma_f32(f32_of(a[i]), f32_of(b[i]), f32_of(c[i])))),
        _ => each(mask, |i| {
            let [a, b, c] = [a[i], b[i], c[i]].map(|bits| Const::from_bits(ty, bits));
            canonical(eval_fma(a, b, c))
        }),
    }
}

/// `a * b + c` rounded once, without the library call that hosts lacking the instruction would make (Boldo, Melquiond,
/// "Emulation of a FMA and correctly rounded sums", 2008).
fn fma_f32(a: f32, b: f32, c: f32) -> f32 {
    let (product, addend) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + addend;
    // Knuth's error of a sum: exact where nothing overflows, which products of f32 cannot in f64.
    let rest = sum - product;
    let error = (product - (sum - rest)) + (addend - rest);
    let bits = sum.to_bits();
    if error == 0.0 || !sum.is_finite() || bits & 1 != 0 {
        return sum as f32;
    }
    // To odd: toward the error, for the even neighbour is not the sum.
    let up = error.is_sign_positive() == sum.is_sign_positive();
    f64::from_bits(if up { bits + 1 } else { bits - 1 }) as f32
}

pub(super) fn compare(pred: CmpPred, ty: Scalar, a: &Row, b: &Row) -> Row {
    if ty.is_int() {
        let bits = bits_of(ty);
        let s = |x: u64| signed(bits, x);
        return match pred {
            CmpPred::Eq => from_fn(|i| u64::from(a[i] == b[i])),
            CmpPred::Ne => from_fn(|i| u64::from(a[i] != b[i])),
            CmpPred::Lt => from_fn(|i| u64::from(s(a[i]) < s(b[i]))),
            CmpPred::Le => from_fn(|i| u64::from(s(a[i]) <= s(b[i]))),
            CmpPred::Gt => from_fn(|i| u64::from(s(a[i]) > s(b[i]))),
            CmpPred::Ge => from_fn(|i| u64::from(s(a[i]) >= s(b[i]))),
            CmpPred::LtU => from_fn(|i| u64::from(a[i] < b[i])),
            CmpPred::LeU => from_fn(|i| u64::from(a[i] <= b[i])),
            CmpPred::GtU => from_fn(|i| u64::from(a[i] > b[i])),
            CmpPred::GeU => from_fn(|i| u64::from(a[i] >= b[i])),
        };
    }
    match ty {
        Scalar::F16 => floats(pred, a, b, |x| f16::from_bits(x as u16)),
        Scalar::BF16 => floats(pred, a, b, |x| bf16::from_bits(x as u16)),
        Scalar::F32 => floats(pred, a, b, f32_of),
        _ => floats(pred, a, b, f64_of),
    }
}

/// Ordered comparisons, but for `ne`.
fn floats<T: PartialOrd>(pred: CmpPred, a: &Row, b: &Row, of: impl Fn(u64) -> T) -> Row {
    let compare = |f: fn(&T, &T) -> bool| -> Row { from_fn(|i| u64::from(f(&of(a[i]), &of(b[i])))) };
    match pred {
        CmpPred::Eq => compare(T::eq),
        CmpPred::Ne => compare(T::ne),
        CmpPred::Lt | CmpPred::LtU => compare(T::lt),
        CmpPred::Le | CmpPred::LeU => compare(T::le),
        CmpPred::Gt | CmpPred::GtU => compare(T::gt),
        CmpPred::Ge | CmpPred::GeU => compare(T::ge),
    }
}

pub(super) fn cast(kind: CastKind, from: Scalar, to: Scalar, a: &Row, mask: u32) -> Row {
    let (all, bits) = (mask_of(to), bits_of(from));
    match (kind, from, to) {
        (CastKind::SExt, ..) => from_fn(|i| signed(bits, a[i]) as u64 & all),
        (CastKind::ZExt | CastKind::Bitcast, ..) => *a,
        (CastKind::Trunc, ..) => from_fn(|i| a[i] & all),
        (CastKind::FExt, Scalar::F32, Scalar::F64) => from_fn(|i| of_f64(f64::from(f32_of(a[i])))),
        (CastKind::FTrunc, Scalar::F64, Scalar::F32) => from_fn(|i| of_f32(f64_of(a[i]) as f32)),
        (CastKind::FExt, Scalar::BF16, Scalar::F32) => from_fn(|i| of_f32(f32_of(a[i] << 16))),
        (CastKind::SToF, _, Scalar::F32) => from_fn(|i| of_f32(signed(bits, a[i]) as f32)),
        (CastKind::SToF, _, Scalar::F64) => from_fn(|i| of_f64(signed(bits, a[i]) as f64)),
        (CastKind::UToF, _, Scalar::F32) => from_fn(|i| of_f32(a[i] as f32)),
        (CastKind::UToF, _, Scalar::F64) => from_fn(|i| of_f64(a[i] as f64)),
        _ => each(mask, |i| canonical(eval_cast(kind, Const::from_bits(from, a[i]), to))),
    }
}

pub(super) fn select(cond: &Row, a: &Row, b: &Row) -> Row {
    from_fn(|i| if cond[i] & 1 != 0 { a[i] } else { b[i] })
}

/// The lanes of a mask where a condition holds.
pub(super) fn lanes_where(mask: u32, cond: &Row) -> u32 {
    let mut set = 0;
    for (lane, bits) in cond.iter().enumerate() {
        set |= (*bits as u32 & 1) << lane;
    }
    set & mask
}

/// The lanes of a mask, in order.
pub(super) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = left.checked_sub(1).map(|_| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(lane)
    })
}
