//! `math`: the functions that typed SSA has, and those that few instructions make.

use mytriton_simt::program::Reg;
use mytriton_ssa::{BinaryOp, CmpPred, Const, Scalar, UnaryOp};
use mytriton_tile::ops::arith::FastMathFlags;
use mytriton_tile::ops::math;
use mytriton_tile::{name_of, names};

use crate::decoder::{Decoder, Op, Result};

impl Decoder<'_> {
    pub(crate) fn math(&mut self, view: math::Op<'_, '_>) -> Result {
        use math::Op as M;
        let op = view.operation();
        if let Some(kind) = names::elementwise(&name_of(op), None, FastMathFlags::NONE) {
            return self.of_table(op, &kind);
        }
        match view {
            M::Fma(_) => self.each(op, |this, ty, operands| this.fma(ty, operands)),
            M::CopySign(_) => self.each(op, |this, ty, [a, b]| this.copysign(ty, a, b)),
            M::IsNaN(_) => self.each(op, |this, ty, [a]| this.cmp(CmpPred::Ne, ty, a, a)),
            M::IsInf(_) => self.each(op, |this, ty, [a]| this.beside_infinity(CmpPred::Eq, ty, a)),
            M::IsFinite(_) => self.each(op, |this, ty, [a]| this.beside_infinity(CmpPred::Lt, ty, a)),
            M::CtPop(_) => self.each(op, |this, ty, [a]| this.population(ty, a)),
            M::CountLeadingZeros(_) => self.each(op, |this, ty, [a]| this.leading_zeros(ty, a)),
            M::CountTrailingZeros(_) => self.each(op, |this, ty, [a]| this.trailing_zeros(ty, a)),
            // Those of the table.
            M::AbsF(_) | M::AbsI(_) | M::Acos(_) | M::Acosh(_) | M::Asin(_) | M::Asinh(_) => Err(self.unknown(op)),
            M::Atan(_) | M::Atan2(_) | M::Atanh(_) | M::Cbrt(_) | M::Ceil(_) | M::Cos(_) => Err(self.unknown(op)),
            M::Cosh(_) | M::Erf(_) | M::Erfc(_) | M::Exp(_) | M::Exp2(_) | M::ExpM1(_) => Err(self.unknown(op)),
            M::Floor(_) | M::FPowI(_) | M::Log(_) | M::Log10(_) | M::Log1p(_) | M::Log2(_) => Err(self.unknown(op)),
            M::PowF(_) | M::Round(_) | M::RoundEven(_) | M::Rsqrt(_) | M::Sin(_) | M::Sinh(_) => Err(self.unknown(op)),
            M::Sqrt(_) | M::Tan(_) | M::Tanh(_) | M::Trunc(_) => Err(self.unknown(op)),
        }
    }

    /// A function of one number.
    pub(crate) fn of_one(&mut self, op: Op<'_, '_>, unary: UnaryOp) -> Result {
        match self.operand_scalar(op, 0)? {
            // The absolute value of -1 wraps: a boolean is its own.
            Scalar::I1 => self.renamed(op),
            ty => self.elementwise(op, |this, [a]| this.unary(unary, ty, a)),
        }
    }

    /// The result's numbers, each of those of the operands at its place, whose type `of` is given.
    pub(crate) fn each<const N: usize>(
        &mut self,
        op: Op<'_, '_>,
        mut of: impl FnMut(&mut Self, Scalar, [Reg; N]) -> Reg,
    ) -> Result {
        let ty = self.operand_scalar(op, 0)?;
        self.elementwise(op, |this, operands| of(this, ty, operands))
    }

    /// Compares the size of a float with infinity.
    fn beside_infinity(&mut self, pred: CmpPred, ty: Scalar, a: Reg) -> Reg {
        let size = self.unary(UnaryOp::Abs, ty, a);
        let infinity = self.constant(Const::from_f64(ty, f64::INFINITY).bits());
        self.cmp(pred, ty, size, infinity)
    }

    /// The size of one float with the sign of another.
    pub(crate) fn copysign(&mut self, ty: Scalar, a: Reg, b: Reg) -> Reg {
        let bits = integer_of(ty);
        let sign = 1 << (ty.bits() - 1);
        let size = self.binary_const(BinaryOp::And, bits, a, sign - 1);
        let sign = self.binary_const(BinaryOp::And, bits, b, sign);
        self.binary(BinaryOp::Or, bits, size, sign)
    }

    /// How many bits are set: sums of neighbours in ever wider fields (Warren, "Hacker's Delight", 5-1).
    pub(crate) fn population(&mut self, ty: Scalar, a: Reg) -> Reg {
        if ty == Scalar::I1 {
            return a;
        }
        let wide = Scalar::I64;
        let mut sum = a;
        for (width, mask) in [
            (1, 0x5555_5555_5555_5555),
            (2, 0x3333_3333_3333_3333),
            (4, 0x0F0F_0F0F_0F0F_0F0F),
        ] {
            let low = self.binary_const(BinaryOp::And, wide, sum, mask);
            let high = self.binary_const(BinaryOp::ShrU, wide, sum, width);
            let high = self.binary_const(BinaryOp::And, wide, high, mask);
            sum = self.binary(BinaryOp::Add, wide, low, high);
        }
        let all = self.binary_const(BinaryOp::Mul, wide, sum, 0x0101_0101_0101_0101);
        self.binary_const(BinaryOp::ShrU, wide, all, 56)
    }

    /// The zeros above the highest set bit: those left when all below it are set.
    pub(crate) fn leading_zeros(&mut self, ty: Scalar, a: Reg) -> Reg {
        let mut smeared = a;
        let mut distance = 1;
        while distance < ty.bits() {
            let shifted = self.binary_const(BinaryOp::ShrU, ty, smeared, u64::from(distance));
            smeared = self.binary(BinaryOp::Or, ty, smeared, shifted);
            distance *= 2;
        }
        let zeros = self.binary_const(BinaryOp::Xor, ty, smeared, ty.bit_mask());
        self.population(ty, zeros)
    }

    /// The zeros below the lowest set bit: the ones of `(a - 1) & ~a`.
    pub(crate) fn trailing_zeros(&mut self, ty: Scalar, a: Reg) -> Reg {
        let less = self.binary_const(BinaryOp::Sub, ty, a, 1);
        let inverse = self.binary_const(BinaryOp::Xor, ty, a, ty.bit_mask());
        let below = self.binary(BinaryOp::And, ty, less, inverse);
        self.population(ty, below)
    }
}

/// The integer type of the same width.
pub(crate) fn integer_of(ty: Scalar) -> Scalar {
    match ty.bits() {
        1 => Scalar::I1,
        8 => Scalar::I8,
        16 => Scalar::I16,
        32 => Scalar::I32,
        _ => Scalar::I64,
    }
}
