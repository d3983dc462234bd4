//! `math`: the functions that typed SSA has, and those that few instructions make.

use mytriton_simt::program::Reg;
use mytriton_ssa::{BinaryOp, CmpPred, Scalar, UnaryOp};

use crate::decoder::{Decoder, Op, Result};

/// Functions of one float: name, operation.
const UNARY: &[(&str, UnaryOp)] = &[
    ("absi", UnaryOp::Abs),
    ("absf", UnaryOp::Abs),
    ("exp", UnaryOp::Exp),
    ("exp2", UnaryOp::Exp2),
    ("expm1", UnaryOp::Expm1),
    ("log", UnaryOp::Log),
    ("log2", UnaryOp::Log2),
    ("log10", UnaryOp::Log10),
    ("log1p", UnaryOp::Log1p),
    ("sin", UnaryOp::Sin),
    ("cos", UnaryOp::Cos),
    ("tan", UnaryOp::Tan),
    ("tanh", UnaryOp::Tanh),
    ("erf", UnaryOp::Erf),
    ("sqrt", UnaryOp::SqrtRn),
    ("rsqrt", UnaryOp::Rsqrt),
    ("floor", UnaryOp::Floor),
    ("ceil", UnaryOp::Ceil),
    ("trunc", UnaryOp::Trunc),
    ("round", UnaryOp::Round),
    ("roundeven", UnaryOp::RoundEven),
];

impl Decoder<'_> {
    pub(crate) fn math(&mut self, op: Op<'_, '_>, name: &str) -> Result<bool> {
        let ty = self.operand_scalar(op, 0)?;
        if let Some(&(_, function)) = UNARY.iter().find(|row| row.0 == name) {
            if ty == Scalar::I1 {
                // abs of -1 wraps: a truth value is its own.
                let words = self.operand(op, 0)?;
                self.define(op, 0, words)?;
                return Ok(true);
            }
            self.elementwise(op, |this, [a]| this.unary(function, ty, a))?;
            return Ok(true);
        }
        match name {
            "fma" => self.elementwise(op, |this, operands| this.fma(ty, operands))?,
            "powf" => self.elementwise(op, |this, [a, b]| this.binary(BinaryOp::Pow, ty, a, b))?,
            "copysign" => self.elementwise(op, |this, [a, b]| this.copysign(ty, a, b))?,
            "isnan" => self.elementwise(op, |this, [a]| this.cmp(CmpPred::Ne, ty, a, a))?,
            "isinf" | "isfinite" => {
                let pred = if name == "isinf" { CmpPred::Eq } else { CmpPred::Lt };
                self.elementwise(op, |this, [a]| {
                    let size = this.unary(UnaryOp::Abs, ty, a);
                    let infinity = this.constant(mytriton_ssa::Const::from_f64(ty, f64::INFINITY).bits());
                    this.cmp(pred, ty, size, infinity)
                })?;
            }
            "ctpop" | "ctlz" | "cttz" => self.elementwise(op, |this, [a]| match name {
                "ctpop" => this.population(ty, a),
                "ctlz" => this.leading_zeros(ty, a),
                _ => this.trailing_zeros(ty, a),
            })?,
            _ => return Ok(false),
        }
        Ok(true)
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
