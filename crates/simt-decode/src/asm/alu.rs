//! Arithmetic, moves and conversions.

use mytriton_simt::program::Reg;
use mytriton_ssa::{BinaryOp, CastKind, CmpPred, Scalar, UnaryOp};

use super::parse::{Operand, Statement};
use super::{Asm, scalar_of};
use crate::math::integer_of;

/// Functions of one number, with what stands between name and type.
const UNARY: &[(&[&str], UnaryOp)] = &[
    (&["abs"], UnaryOp::Abs),
    (&["ex2", "approx"], UnaryOp::Exp2),
    (&["lg2", "approx"], UnaryOp::Log2),
    (&["rsqrt", "approx"], UnaryOp::Rsqrt),
    (&["sqrt", "approx"], UnaryOp::Sqrt),
    (&["sqrt", "rn"], UnaryOp::SqrtRn),
];

/// Functions of two numbers on signed integers, unsigned integers or bits, and floats.
type BinaryRow = (
    &'static [&'static str],
    Option<BinaryOp>,
    Option<BinaryOp>,
    Option<BinaryOp>,
);

const BINARY: &[BinaryRow] = &[
    (&["add"], Some(BinaryOp::Add), Some(BinaryOp::Add), Some(BinaryOp::Add)),
    (&["sub"], Some(BinaryOp::Sub), Some(BinaryOp::Sub), Some(BinaryOp::Sub)),
    (&["mul"], None, None, Some(BinaryOp::Mul)),
    (&["add", "rn"], None, None, Some(BinaryOp::Add)),
    (&["sub", "rn"], None, None, Some(BinaryOp::Sub)),
    (&["mul", "rn"], None, None, Some(BinaryOp::Mul)),
    (&["mul", "lo"], Some(BinaryOp::Mul), Some(BinaryOp::Mul), None),
    (&["div", "full"], None, None, Some(BinaryOp::Div)),
    (&["div", "rn"], None, None, Some(BinaryOp::DivRn)),
    (
        &["min"],
        Some(BinaryOp::MinS),
        Some(BinaryOp::MinU),
        Some(BinaryOp::Min),
    ),
    (
        &["max"],
        Some(BinaryOp::MaxS),
        Some(BinaryOp::MaxU),
        Some(BinaryOp::Max),
    ),
    (&["min", "NaN"], None, None, Some(BinaryOp::MinNan)),
    (&["max", "NaN"], None, None, Some(BinaryOp::MaxNan)),
    (&["and"], None, Some(BinaryOp::And), None),
    (&["or"], None, Some(BinaryOp::Or), None),
    (&["xor"], None, Some(BinaryOp::Xor), None),
];

impl Asm<'_, '_> {
    /// Everything whose results are registers.
    pub(super) fn compute(&mut self, statement: &Statement, guard: Option<Reg>) -> Option<()> {
        let opcode: Vec<&str> = statement.opcode.iter().map(String::as_str).collect();
        let (&suffix, name) = opcode.split_last()?;
        let ty = scalar_of(suffix)?;
        let operands = &statement.operands[..];
        match (name, operands) {
            (["mov"], [to, from]) => self.mov(ty, to, from, guard),
            (["selp"], [to, a, b, cond]) => {
                let (a, b, cond) = (self.value(a, ty)?, self.value(b, ty)?, self.value(cond, Scalar::I1)?);
                let made = self.decoder.select(cond, a, b);
                self.write(to, ty, made, guard)
            }
            (["setp", pred], [to, a, b]) => {
                let pred = compare(pred, suffix)?;
                let (a, b) = (self.value(a, ty)?, self.value(b, ty)?);
                let made = self.decoder.cmp(pred, ty, a, b);
                self.write(to, Scalar::I1, made, guard)
            }
            (["cvt", middle @ ..], [to, from]) => self.convert(middle, suffix, to, from, guard),
            (["not"], [to, a]) => {
                let a = self.value(a, ty)?;
                let made = self
                    .decoder
                    .binary_const(BinaryOp::Xor, integer_of(ty), a, ty.bit_mask());
                self.write(to, ty, made, guard)
            }
            (["neg"], [to, a]) => {
                let a = self.value(a, ty)?;
                let made = if ty.is_float() {
                    self.decoder.unary(UnaryOp::Neg, ty, a)
                } else {
                    let zero = self.decoder.constant(0);
                    self.decoder.binary(BinaryOp::Sub, ty, zero, a)
                };
                self.write(to, ty, made, guard)
            }
            (["shl" | "shr"], [to, a, amount]) if ty.bits() >= 32 => {
                let (a, amount) = (self.value(a, ty)?, self.value(amount, Scalar::I32)?);
                let shift = match (name[0], suffix.starts_with('s')) {
                    ("shl", _) => BinaryOp::Shl,
                    (_, true) => BinaryOp::ShrS,
                    (_, false) => BinaryOp::ShrU,
                };
                // Larger amounts mean the width, of which the executor's shifts make nothing.
                let most = self.decoder.constant(u64::from(ty.bits() - 1));
                let cut = self.decoder.binary(BinaryOp::MinU, Scalar::I32, amount, most);
                let mut made = self.decoder.binary(shift, ty, a, cut);
                if shift != BinaryOp::ShrS {
                    let (beyond, zero) = (
                        self.decoder.cmp(CmpPred::GtU, Scalar::I32, amount, most),
                        self.decoder.constant(0),
                    );
                    made = self.decoder.select(beyond, zero, made);
                }
                self.write(to, ty, made, guard)
            }
            (["mul", "hi"], [to, a, b]) if ty.is_int() => {
                let (a, b) = (self.value(a, ty)?, self.value(b, ty)?);
                let made = self.decoder.mul_high(suffix.starts_with('s'), ty, a, b);
                self.write(to, ty, made, guard)
            }
            (["mul" | "mad", "wide"], [to, a, b, rest @ ..]) if ty.is_int() => {
                let wide = match ty {
                    Scalar::I16 => Scalar::I32,
                    Scalar::I32 => Scalar::I64,
                    _ => return None,
                };
                let (a, b) = (self.value(a, ty)?, self.value(b, ty)?);
                let signed = suffix.starts_with('s');
                let [a, b] = [a, b].map(|value| self.decoder.resize(signed, ty, wide, value));
                let made = self.decoder.binary(BinaryOp::Mul, wide, a, b);
                let made = self.plus(name[0], wide, made, rest)?;
                self.write(to, wide, made, guard)
            }
            (["mad", "lo"], [to, a, b, rest @ ..]) if ty.is_int() => {
                let (a, b) = (self.value(a, ty)?, self.value(b, ty)?);
                let made = self.decoder.binary(BinaryOp::Mul, ty, a, b);
                let made = self.plus("mad", ty, made, rest)?;
                self.write(to, ty, made, guard)
            }
            (["fma", "rn"], [to, a, b, c]) if ty.is_float() => {
                let operands = [self.value(a, ty)?, self.value(b, ty)?, self.value(c, ty)?];
                let made = self.decoder.fma(ty, operands);
                self.write(to, ty, made, guard)
            }
            (_, [to, a]) => {
                let &(_, function) = UNARY.iter().find(|row| row.0 == name)?;
                if ty.is_int() && function != UnaryOp::Abs {
                    return None;
                }
                let a = self.value(a, ty)?;
                let made = self.decoder.unary(function, ty, a);
                self.write(to, ty, made, guard)
            }
            (_, [to, a, b]) => {
                let row = BINARY.iter().find(|row| row.0 == name)?;
                let function = match suffix.as_bytes()[0] {
                    b's' => row.1,
                    b'u' | b'p' => row.2,
                    // Untyped bits are for and, or and xor.
                    b'b' if ty.is_int() => row.2.filter(|_| row.1.is_none()),
                    _ => row.3,
                };
                let (a, b) = (self.value(a, ty)?, self.value(b, ty)?);
                let made = self.decoder.binary(function?, ty, a, b);
                self.write(to, ty, made, guard)
            }
            _ => None,
        }
    }

    /// The third operand that `mad` has and `mul` does not.
    fn plus(&mut self, name: &str, ty: Scalar, product: Reg, rest: &[Operand]) -> Option<Reg> {
        match (name, rest) {
            ("mul", []) => Some(product),
            ("mad", [c]) => {
                let c = self.value(c, ty)?;
                Some(self.sum(ty, product, c))
            }
            _ => None,
        }
    }

    fn mov(&mut self, ty: Scalar, to: &Operand, from: &Operand, guard: Option<Reg>) -> Option<()> {
        // Of a list of several, each has its share of the bits.
        let part = |count: usize| {
            let bits = ty.bits() as usize / count.max(1);
            let parts = [Scalar::I8, Scalar::I16, Scalar::I32];
            parts.into_iter().find(|part| count > 1 && part.bits() as usize == bits)
        };
        let ty = integer_of(ty);
        match (to, from) {
            (Operand::List(items), from) => {
                let narrow = part(items.len())?;
                let whole = self.value(from, ty)?;
                let parts = self.decoder.parted(whole, ty, narrow);
                for (item, value) in items.iter().zip(parts) {
                    self.write(item, narrow, value, guard)?;
                }
                Some(())
            }
            (to, Operand::List(items)) => {
                let narrow = part(items.len())?;
                let parts = items
                    .iter()
                    .map(|item| self.value(item, narrow))
                    .collect::<Option<Vec<_>>>()?;
                let whole = self.decoder.joined(&parts, narrow, ty);
                self.write(to, ty, whole, guard)
            }
            (to, Operand::Name(name)) if self.slot(name).is_none() => {
                let value = self.special(name)?;
                self.write(to, ty, value, guard)
            }
            (to, from) => {
                let value = self.value(from, ty)?;
                self.write(to, ty, value, guard)
            }
        }
    }

    /// `cvt.u64.u32`, `cvt.rn.f16.f32`: between integers, and between floats.
    fn convert(&mut self, middle: &[&str], from: &str, to: &Operand, a: &Operand, guard: Option<Reg>) -> Option<()> {
        let (target, rounding) = middle.split_last()?;
        let (source, target) = (scalar_of(from)?, scalar_of(target)?);
        let a = self.value(a, source)?;
        let made = match (source.is_float(), target.is_float(), rounding) {
            (false, false, []) => self.decoder.resize(from.starts_with('s'), source, target, a),
            (true, true, []) if target.bits() > source.bits() => self.decoder.cast(CastKind::FExt, source, target, a),
            (true, true, ["rn"]) if target.bits() < source.bits() => {
                self.decoder.cast(CastKind::FTrunc, source, target, a)
            }
            (false, true, ["rn"]) => {
                let kind = if from.starts_with('s') {
                    CastKind::SToF
                } else {
                    CastKind::UToF
                };
                self.decoder.cast(kind, source, target, a)
            }
            _ => return None,
        };
        self.write(to, target, made, guard)
    }
}

/// The comparison that `setp` makes of a type. Those that hold of NaNs are `ne` of bits and `neu` of floats.
fn compare(pred: &str, suffix: &str) -> Option<CmpPred> {
    let float = suffix.starts_with("f") || suffix == "bf16";
    let unsigned = suffix.starts_with('u');
    Some(match pred {
        "eq" => CmpPred::Eq,
        "ne" if !float => CmpPred::Ne,
        "neu" if float => CmpPred::Ne,
        "lt" if unsigned => CmpPred::LtU,
        "le" if unsigned => CmpPred::LeU,
        "gt" if unsigned => CmpPred::GtU,
        "ge" if unsigned => CmpPred::GeU,
        "lo" if unsigned => CmpPred::LtU,
        "ls" if unsigned => CmpPred::LeU,
        "hi" if unsigned => CmpPred::GtU,
        "hs" if unsigned => CmpPred::GeU,
        // An order of untyped bits is none.
        "lt" if !suffix.starts_with('b') || float => CmpPred::Lt,
        "le" if !suffix.starts_with('b') || float => CmpPred::Le,
        "gt" if !suffix.starts_with('b') || float => CmpPred::Gt,
        "ge" if !suffix.starts_with('b') || float => CmpPred::Ge,
        _ => return None,
    })
}
