//! `arith`, on numbers and vectors of them: every operation of MLIR 22 but the scaling conversions of 8-bit floats.
//!
//! `minnumf` and `maxnumf` prefer a number to a NaN and order the zeros, as the passes lower them (IEEE 754-2019,
//! minimumNumber); `minimumf` and `maximumf` prefer the NaN. Conversions of floats to integers saturate where `arith`
//! leaves the value open. Signed operations read a truth value as 0 and -1.

use melior::ir::operation::OperationLike;
use mytriton_simt::program::{Instr, Reg};
use mytriton_ssa::{BinaryOp, CastKind, CmpPred, Scalar, UnaryOp};

use crate::attributes;
use crate::decoder::{Decoder, Op, Result, UNKNOWN, Words};

/// Functions of two numbers: name, operation.
const BINARY: &[(&str, BinaryOp)] = &[
    ("addi", BinaryOp::Add),
    ("subi", BinaryOp::Sub),
    ("muli", BinaryOp::Mul),
    ("divsi", BinaryOp::DivS),
    ("divui", BinaryOp::DivU),
    ("remsi", BinaryOp::RemS),
    ("remui", BinaryOp::RemU),
    ("andi", BinaryOp::And),
    ("ori", BinaryOp::Or),
    ("xori", BinaryOp::Xor),
    ("shli", BinaryOp::Shl),
    ("shrsi", BinaryOp::ShrS),
    ("shrui", BinaryOp::ShrU),
    ("minsi", BinaryOp::MinS),
    ("maxsi", BinaryOp::MaxS),
    ("minui", BinaryOp::MinU),
    ("maxui", BinaryOp::MaxU),
    ("addf", BinaryOp::Add),
    ("subf", BinaryOp::Sub),
    ("mulf", BinaryOp::Mul),
    ("divf", BinaryOp::DivRn),
    ("remf", BinaryOp::Rem),
    ("minnumf", BinaryOp::Min),
    ("maxnumf", BinaryOp::Max),
    ("minimumf", BinaryOp::MinNan),
    ("maximumf", BinaryOp::MaxNan),
];

/// The predicates of `cmpi`, by number.
const CMPI: [CmpPred; 10] = [
    CmpPred::Eq,
    CmpPred::Ne,
    CmpPred::Lt,
    CmpPred::Le,
    CmpPred::Gt,
    CmpPred::Ge,
    CmpPred::LtU,
    CmpPred::LeU,
    CmpPred::GtU,
    CmpPred::GeU,
];

impl Decoder<'_> {
    pub(crate) fn arith(&mut self, op: Op<'_, '_>, name: &str) -> Result<bool> {
        if let Some(&(_, binary)) = BINARY.iter().find(|row| row.0 == name) {
            self.nearest_rounding(op)?;
            let ty = self.result_scalar(op, 0)?;
            self.elementwise(op, |this, [a, b]| this.arithmetic(binary, ty, a, b))?;
            return Ok(true);
        }
        match name {
            "constant" => self.arith_constant(op)?,
            "negf" => {
                let ty = self.result_scalar(op, 0)?;
                self.elementwise(op, |this, [a]| this.unary(UnaryOp::Neg, ty, a))?;
            }
            "cmpi" => self.cmpi(op)?,
            "cmpf" => self.cmpf(op)?,
            "select" => self.arith_select(op)?,
            "addui_extended" => {
                let ty = self.operand_scalar(op, 0)?;
                self.two_results(op, |this, a, b| {
                    let sum = this.binary(BinaryOp::Add, ty, a, b);
                    (sum, this.cmp(CmpPred::LtU, ty, sum, a))
                })?;
            }
            "mulsi_extended" | "mului_extended" => {
                let ty = self.operand_scalar(op, 0)?;
                self.two_results(op, |this, a, b| {
                    let low = this.binary(BinaryOp::Mul, ty, a, b);
                    (low, this.mul_high(name == "mulsi_extended", ty, a, b))
                })?;
            }
            "ceildivui" | "ceildivsi" | "floordivsi" => {
                let ty = self.result_scalar(op, 0)?;
                self.elementwise(op, |this, [a, b]| match name {
                    _ if ty == Scalar::I1 => this.binary(BinaryOp::DivU, ty, a, b),
                    "ceildivui" => this.ceil_div_u(ty, a, b),
                    _ => this.rounded_div_s(ty, a, b, name == "ceildivsi"),
                })?;
            }
            "extsi" | "extui" | "trunci" | "index_cast" | "index_castui" => {
                let (from, to) = (self.operand_scalar(op, 0)?, self.result_scalar(op, 0)?);
                let signed = matches!(name, "extsi" | "index_cast");
                self.elementwise(op, |this, [a]| this.resize(signed, from, to, a))?;
            }
            "extf" | "truncf" | "sitofp" | "uitofp" | "fptosi" | "fptoui" => self.convert(op, name)?,
            "bitcast" => {
                let words = self.operand(op, 0)?;
                self.define(op, 0, words)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `ub.poison`.
    pub(crate) fn ub(&mut self, op: Op<'_, '_>, name: &str) -> Result<bool> {
        if name != "poison" {
            return Ok(false);
        }
        self.define_zero(op)?;
        Ok(true)
    }

    /// Defines the result as zeros.
    pub(crate) fn define_zero(&mut self, op: Op<'_, '_>) -> Result {
        let ty = self.result_ty(op, 0)?;
        let zero = self.constant(0);
        self.define(op, 0, std::iter::repeat_n(zero, ty.registers()).collect())
    }

    fn arith_constant(&mut self, op: Op<'_, '_>) -> Result {
        let words = self.constant_value(op, "value")?;
        self.define(op, 0, words)
    }

    /// The registers of the constant that an attribute gives in the type of the result.
    pub(crate) fn constant_value(&mut self, op: Op<'_, '_>, name: &str) -> Result<Words> {
        let (ty, scalar) = (self.result_ty(op, 0)?, self.result_scalar(op, 0)?);
        let value = op.attribute(name).map_err(|_| self.bad_attribute(op, name))?;
        let bits = attributes::constant(value, scalar, ty.registers());
        let bits = bits.ok_or_else(|| self.bad_attribute(op, name))?;
        Ok(bits.into_iter().map(|bits| self.constant(bits)).collect())
    }

    fn nearest_rounding(&self, op: Op<'_, '_>) -> Result {
        // 0 is to_nearest_even.
        if op.has_attribute("roundingmode") && attributes::integer(op, "roundingmode") != Some(0) {
            return Err(self.bad_attribute(op, "roundingmode"));
        }
        Ok(())
    }

    /// An operation of two numbers as `arith` means it.
    pub(crate) fn arithmetic(&mut self, op: BinaryOp, ty: Scalar, a: Reg, b: Reg) -> Reg {
        if ty == Scalar::I1 {
            match op {
                // As signed numbers, true is -1 and below false.
                BinaryOp::MinS => return self.binary(BinaryOp::Or, ty, a, b),
                BinaryOp::MaxS => return self.binary(BinaryOp::And, ty, a, b),
                BinaryOp::ShrS => return a,
                _ => {}
            }
            let unsigned = op.unsigned().unwrap_or(op);
            return self.binary(unsigned, ty, a, b);
        }
        self.binary(op, ty, a, b)
    }

    pub(crate) fn mul_high(&mut self, signed: bool, ty: Scalar, a: Reg, b: Reg) -> Reg {
        if ty == Scalar::I1 {
            // The product, 0 or 1, fits into the lower of the two bits.
            return self.constant(0);
        }
        let dst = self.fresh();
        self.emit(Instr::MulHigh { signed, ty, dst, a, b });
        dst
    }

    fn two_results(&mut self, op: Op<'_, '_>, mut of: impl FnMut(&mut Self, Reg, Reg) -> (Reg, Reg)) -> Result {
        let (a, b) = (self.operand(op, 0)?, self.operand(op, 1)?);
        let (first, second): (Words, Words) = a.iter().zip(&b).map(|(&a, &b)| of(self, a, b)).unzip();
        self.define(op, 0, first)?;
        self.define(op, 1, second)
    }

    /// `a == 0 ? 0 : (a - 1) / b + 1`.
    fn ceil_div_u(&mut self, ty: Scalar, a: Reg, b: Reg) -> Reg {
        let zero = self.constant(0);
        let less = self.binary_const(BinaryOp::Sub, ty, a, 1);
        let quotient = self.binary(BinaryOp::DivU, ty, less, b);
        let above = self.binary_const(BinaryOp::Add, ty, quotient, 1);
        let is_zero = self.cmp(CmpPred::Eq, ty, a, zero);
        self.select(is_zero, zero, above)
    }

    /// The quotient toward zero, corrected where the remainder says that the exact one lies on the other side.
    fn rounded_div_s(&mut self, ty: Scalar, a: Reg, b: Reg, up: bool) -> Reg {
        let zero = self.constant(0);
        let quotient = self.binary(BinaryOp::DivS, ty, a, b);
        let remainder = self.binary(BinaryOp::RemS, ty, a, b);
        let inexact = self.cmp(CmpPred::Ne, ty, remainder, zero);
        // Below zero when the exact quotient is negative, that is above the one toward zero.
        let signs = self.binary(BinaryOp::Xor, ty, a, b);
        let side = self.cmp(if up { CmpPred::Ge } else { CmpPred::Lt }, ty, signs, zero);
        let wrong = self.binary(BinaryOp::And, Scalar::I1, inexact, side);
        let step = if up { 1 } else { u64::MAX };
        let other = self.binary_const(BinaryOp::Add, ty, quotient, step);
        self.select(wrong, other, quotient)
    }

    pub(crate) fn cmpi(&mut self, op: Op<'_, '_>) -> Result {
        let number = attributes::integer(op, "predicate").and_then(|number| usize::try_from(number).ok());
        let pred = number.and_then(|number| CMPI.get(number).copied());
        let mut pred = pred.ok_or_else(|| self.bad_attribute(op, "predicate"))?;
        let ty = self.operand_scalar(op, 0)?;
        if let (Scalar::I1, Some(unsigned)) = (ty, pred.unsigned()) {
            // As signed numbers, true is below false.
            pred = unsigned.swapped();
        }
        self.elementwise(op, |this, [a, b]| this.cmp(pred, ty, a, b))
    }

    pub(crate) fn cmpf(&mut self, op: Op<'_, '_>) -> Result {
        let number = attributes::integer(op, "predicate").filter(|number| (0..16).contains(number));
        let number = number.ok_or_else(|| self.bad_attribute(op, "predicate"))?;
        let ty = self.operand_scalar(op, 0)?;
        self.elementwise(op, |this, [a, b]| this.compare_floats(number, ty, a, b))
    }

    /// The predicates of `cmpf` by number. Ordered ones and `une` are instructions, and an unordered one is the opposite
    /// of an ordered one.
    fn compare_floats(&mut self, number: i64, ty: Scalar, a: Reg, b: Reg) -> Reg {
        let ordered = match number {
            0 | 15 => return self.constant(u64::from(number == 15)),
            1 => CmpPred::Eq,
            2 => CmpPred::Gt,
            3 => CmpPred::Ge,
            4 => CmpPred::Lt,
            5 => CmpPred::Le,
            // one: less or greater.
            6 => {
                let less = self.cmp(CmpPred::Lt, ty, a, b);
                let greater = self.cmp(CmpPred::Gt, ty, a, b);
                return self.binary(BinaryOp::Or, Scalar::I1, less, greater);
            }
            // ord: both equal themselves.
            7 => {
                let first = self.cmp(CmpPred::Eq, ty, a, a);
                let second = self.cmp(CmpPred::Eq, ty, b, b);
                return self.binary(BinaryOp::And, Scalar::I1, first, second);
            }
            13 => CmpPred::Ne,
            unordered => {
                // ueq, ugt, uge, ult, ule, uno: not one, ole, olt, oge, ogt, ord.
                let opposite = match unordered {
                    8 => 6,
                    9 => 5,
                    10 => 4,
                    11 => 3,
                    12 => 2,
                    _ => 7,
                };
                let ordered = self.compare_floats(opposite, ty, a, b);
                return self.not(ordered);
            }
        };
        self.cmp(ordered, ty, a, b)
    }

    pub(crate) fn arith_select(&mut self, op: Op<'_, '_>) -> Result {
        let (cond, a, b) = (self.operand(op, 0)?, self.operand(op, 1)?, self.operand(op, 2)?);
        if [&a, &b].iter().any(|words| words.contains(&UNKNOWN)) {
            let message = "a choice of dynamic shared memory, whose size is not known: choose memref.views of it";
            return Err(self.error(op, message));
        }
        let words = self.selected(&cond, &a, &b);
        self.define(op, 0, words)
    }

    /// Selects number by number, with one condition for all or one for each.
    pub(crate) fn selected(&mut self, cond: &[Reg], a: &[Reg], b: &[Reg]) -> Words {
        let of = |i: usize| if cond.len() == 1 { cond[0] } else { cond[i] };
        (0..a.len().min(b.len()))
            .map(|i| self.select(of(i), a[i], b[i]))
            .collect()
    }

    /// Conversions of which at least one side is a float, by the name in `arith`.
    pub(crate) fn convert(&mut self, op: Op<'_, '_>, name: &str) -> Result {
        self.nearest_rounding(op)?;
        let (from, to) = (self.operand_scalar(op, 0)?, self.result_scalar(op, 0)?);
        self.elementwise(op, |this, [a]| this.converted(name, from, to, a))
    }

    pub(crate) fn converted(&mut self, name: &str, from: Scalar, to: Scalar, a: Reg) -> Reg {
        match name {
            "extf" => self.cast(CastKind::FExt, from, to, a),
            "truncf" => self.cast(CastKind::FTrunc, from, to, a),
            "uitofp" => self.cast(CastKind::UToF, from, to, a),
            "sitofp" if from == Scalar::I1 => {
                let wide = self.cast(CastKind::SExt, from, Scalar::I32, a);
                self.cast(CastKind::SToF, Scalar::I32, to, wide)
            }
            "sitofp" => self.cast(CastKind::SToF, from, to, a),
            _ => {
                let kind = if name == "fptosi" {
                    CastKind::FToS
                } else {
                    CastKind::FToU
                };
                if to == Scalar::I1 {
                    let wide = self.cast(kind, from, Scalar::I32, a);
                    return self.cast(CastKind::Trunc, Scalar::I32, to, wide);
                }
                self.cast(kind, from, to, a)
            }
        }
    }
}
