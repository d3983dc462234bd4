//! `arith`, on numbers and vectors of them: every operation of MLIR 22 but the scaling conversions of 8-bit floats.
//!
//! `minnumf` and `maxnumf` prefer a number to a NaN and order the zeros, as the passes lower them (IEEE 754-2019,
//! minimumNumber); `minimumf` and `maximumf` prefer the NaN. Conversions of floats to integers saturate where `arith`
//! leaves the value open. Signed operations read a boolean as 0 and -1.

use melior::ir::Attribute;
use melior::ir::operation::OperationLike;
use mytriton_simt::program::{Instr, Reg};
use mytriton_ssa::{BinaryOp, CastKind, CmpPred, OpKind, Scalar, UnaryOp};
use mytriton_tile::ops::arith::{self, CmpFPredicate, FastMathFlags};
use mytriton_tile::ops::ub;
use mytriton_tile::{name_of, names};

use crate::attributes;
use crate::decoder::{Decoder, Op, Result, UNKNOWN, Words};

impl Decoder<'_> {
    pub(crate) fn arith(&mut self, view: arith::Op<'_, '_>) -> Result {
        use arith::Op as A;
        let op = view.operation();
        if let Some(kind) = names::elementwise(&name_of(op), None, FastMathFlags::NONE) {
            return self.of_table(op, &kind);
        }
        match view {
            A::CmpI(view) => {
                let row = CmpPred::ALL
                    .iter()
                    .find(|row| row.cmpi() == Some(view.predicate() as i64));
                self.cmpi(op, *row.expect("the table has every predicate"))
            }
            A::CmpF(view) => self.cmpf(op, view.predicate()),
            A::Select(_) => self.arith_select(op),
            A::AddUIExtended(_) => self.add_extended(op),
            A::MulSIExtended(_) => self.mul_extended(op, true),
            A::MulUIExtended(_) => self.mul_extended(op, false),
            A::CeilDivUI(_) => self.rounded_quotient(op, |this, ty, a, b| this.ceil_div_u(ty, a, b)),
            A::CeilDivSI(_) => self.rounded_quotient(op, |this, ty, a, b| this.rounded_div_s(ty, a, b, true)),
            A::FloorDivSI(_) => self.rounded_quotient(op, |this, ty, a, b| this.rounded_div_s(ty, a, b, false)),
            A::IndexCast(_) => self.resized(op, true),
            A::IndexCastUI(_) => self.resized(op, false),
            A::Constant(view) => self.define_constant(op, "value", view.value()),
            // Those of the table.
            A::AddF(_) | A::AddI(_) | A::SubF(_) | A::SubI(_) | A::MulF(_) | A::MulI(_) => Err(self.unknown(op)),
            A::DivF(_) | A::DivSI(_) | A::DivUI(_) | A::RemF(_) | A::RemSI(_) | A::RemUI(_) => Err(self.unknown(op)),
            A::AndI(_) | A::OrI(_) | A::XOrI(_) | A::ShLI(_) | A::ShRSI(_) | A::ShRUI(_) => Err(self.unknown(op)),
            A::MinSI(_) | A::MaxSI(_) | A::MinUI(_) | A::MaxUI(_) | A::NegF(_) => Err(self.unknown(op)),
            A::MinNumF(_) | A::MaxNumF(_) | A::MinimumF(_) | A::MaximumF(_) => Err(self.unknown(op)),
            A::ExtSI(_) | A::ExtUI(_) | A::TruncI(_) | A::ExtF(_) | A::TruncF(_) => Err(self.unknown(op)),
            A::SIToFP(_) | A::UIToFP(_) | A::FPToSI(_) | A::FPToUI(_) | A::Bitcast(_) => Err(self.unknown(op)),
        }
    }

    /// An operation that the table of elementwise operations has.
    pub(crate) fn of_table(&mut self, op: Op<'_, '_>, kind: &OpKind) -> Result {
        match *kind {
            OpKind::Unary(unary) => self.of_one(op, unary),
            OpKind::Binary(binary) => self.of_two(op, binary),
            OpKind::Cast(CastKind::SExt) => self.resized(op, true),
            OpKind::Cast(CastKind::ZExt | CastKind::Trunc) => self.resized(op, false),
            OpKind::Cast(CastKind::Bitcast) => self.renamed(op),
            OpKind::Cast(cast) => self.convert(op, cast),
            ref other => unreachable!("'{}' has no form in the table", other.name()),
        }
    }

    /// A function of two numbers.
    pub(crate) fn of_two(&mut self, op: Op<'_, '_>, binary: BinaryOp) -> Result {
        self.nearest_rounding(op)?;
        let ty = self.result_scalar(op, 0)?;
        self.elementwise(op, |this, [a, b]| this.arithmetic(binary, ty, a, b))
    }

    pub(crate) fn negate(&mut self, op: Op<'_, '_>) -> Result {
        let ty = self.result_scalar(op, 0)?;
        self.elementwise(op, |this, [a]| this.unary(UnaryOp::Neg, ty, a))
    }

    fn add_extended(&mut self, op: Op<'_, '_>) -> Result {
        let ty = self.operand_scalar(op, 0)?;
        self.two_results(op, |this, a, b| {
            let sum = this.binary(BinaryOp::Add, ty, a, b);
            (sum, this.cmp(CmpPred::LtU, ty, sum, a))
        })
    }

    fn mul_extended(&mut self, op: Op<'_, '_>, signed: bool) -> Result {
        let ty = self.operand_scalar(op, 0)?;
        self.two_results(op, |this, a, b| {
            let low = this.binary(BinaryOp::Mul, ty, a, b);
            (low, this.mul_high(signed, ty, a, b))
        })
    }

    /// A quotient that `of` rounds; one of booleans is exact.
    fn rounded_quotient(&mut self, op: Op<'_, '_>, mut of: impl FnMut(&mut Self, Scalar, Reg, Reg) -> Reg) -> Result {
        let ty = self.result_scalar(op, 0)?;
        self.elementwise(op, |this, [a, b]| match ty {
            Scalar::I1 => this.binary(BinaryOp::DivU, ty, a, b),
            _ => of(this, ty, a, b),
        })
    }

    /// An integer of another width.
    pub(crate) fn resized(&mut self, op: Op<'_, '_>, signed: bool) -> Result {
        let (from, to) = (self.operand_scalar(op, 0)?, self.result_scalar(op, 0)?);
        self.elementwise(op, |this, [a]| this.resize(signed, from, to, a))
    }

    /// The result has the registers of the first operand.
    pub(crate) fn renamed(&mut self, op: Op<'_, '_>) -> Result {
        let words = self.operand(op, 0)?;
        self.define(op, 0, words)
    }

    pub(crate) fn ub(&mut self, view: ub::Op<'_, '_>) -> Result {
        match view {
            ub::Op::Poison(_) => self.define_zero(view.operation()),
        }
    }

    /// Defines the result as zeros.
    pub(crate) fn define_zero(&mut self, op: Op<'_, '_>) -> Result {
        let ty = self.result_ty(op, 0)?;
        let zero = self.constant(0);
        self.define(op, 0, std::iter::repeat_n(zero, ty.registers()).collect())
    }

    /// Defines the result as the constant that the attribute of this name gives in the result's type.
    pub(crate) fn define_constant(&mut self, op: Op<'_, '_>, name: &str, value: Attribute<'_>) -> Result {
        let (ty, scalar) = (self.result_ty(op, 0)?, self.result_scalar(op, 0)?);
        let bits = attributes::constant(value, scalar, ty.registers());
        let bits = bits.ok_or_else(|| self.bad_attribute(op, name))?;
        let words = bits.into_iter().map(|bits| self.constant(bits)).collect();
        self.define(op, 0, words)
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

    pub(crate) fn cmpi(&mut self, op: Op<'_, '_>, mut pred: CmpPred) -> Result {
        let ty = self.operand_scalar(op, 0)?;
        if let (Scalar::I1, Some(unsigned)) = (ty, pred.unsigned()) {
            // As signed numbers, true is below false.
            pred = unsigned.swapped();
        }
        self.elementwise(op, |this, [a, b]| this.cmp(pred, ty, a, b))
    }

    pub(crate) fn cmpf(&mut self, op: Op<'_, '_>, pred: CmpFPredicate) -> Result {
        let ty = self.operand_scalar(op, 0)?;
        self.elementwise(op, |this, [a, b]| this.compare_floats(pred, ty, a, b))
    }

    /// Ordered predicates and `une` are instructions, and an unordered one is the opposite of an ordered one.
    fn compare_floats(&mut self, pred: CmpFPredicate, ty: Scalar, a: Reg, b: Reg) -> Reg {
        use CmpFPredicate as P;
        match pred {
            P::AlwaysFalse => self.constant(0),
            P::AlwaysTrue => self.constant(1),
            P::Oeq | P::Ogt | P::Oge | P::Olt | P::Ole | P::Une => {
                let row = CmpPred::ALL.iter().find(|row| row.cmpf() == Some(pred as i64));
                self.cmp(*row.expect("the table has them"), ty, a, b)
            }
            // Less or greater.
            P::One => {
                let less = self.cmp(CmpPred::Lt, ty, a, b);
                let greater = self.cmp(CmpPred::Gt, ty, a, b);
                self.binary(BinaryOp::Or, Scalar::I1, less, greater)
            }
            // Both equal themselves.
            P::Ord => {
                let first = self.cmp(CmpPred::Eq, ty, a, a);
                let second = self.cmp(CmpPred::Eq, ty, b, b);
                self.binary(BinaryOp::And, Scalar::I1, first, second)
            }
            P::Ueq => self.not_compared(P::One, ty, a, b),
            P::Ugt => self.not_compared(P::Ole, ty, a, b),
            P::Uge => self.not_compared(P::Olt, ty, a, b),
            P::Ult => self.not_compared(P::Oge, ty, a, b),
            P::Ule => self.not_compared(P::Ogt, ty, a, b),
            P::Uno => self.not_compared(P::Ord, ty, a, b),
        }
    }

    /// The opposite of an ordered predicate.
    fn not_compared(&mut self, ordered: CmpFPredicate, ty: Scalar, a: Reg, b: Reg) -> Reg {
        let ordered = self.compare_floats(ordered, ty, a, b);
        self.not(ordered)
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

    /// Conversions of which at least one side is a float.
    pub(crate) fn convert(&mut self, op: Op<'_, '_>, kind: CastKind) -> Result {
        self.nearest_rounding(op)?;
        let (from, to) = (self.operand_scalar(op, 0)?, self.result_scalar(op, 0)?);
        self.elementwise(op, |this, [a]| this.converted(kind, from, to, a))
    }

    fn converted(&mut self, kind: CastKind, from: Scalar, to: Scalar, a: Reg) -> Reg {
        match kind {
            CastKind::SToF if from == Scalar::I1 => {
                let wide = self.cast(CastKind::SExt, from, Scalar::I32, a);
                self.cast(kind, Scalar::I32, to, wide)
            }
            CastKind::FToS | CastKind::FToU if to == Scalar::I1 => {
                let wide = self.cast(kind, from, Scalar::I32, a);
                self.cast(CastKind::Trunc, Scalar::I32, to, wide)
            }
            _ => self.cast(kind, from, to, a),
        }
    }
}
