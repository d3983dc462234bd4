//! Functions that are called: LLVM's intrinsics (`llvm.call_intrinsic "llvm.fabs.f32"`, `llvm.intr.fabs`) and the
//! mathematics library (`__mytriton_exp_f32`).

use melior::ir::operation::OperationLike;
use mytriton_simt::program::{Instr, Reg};
use mytriton_ssa::{BinaryOp, CastKind, CmpPred, Scalar, UnaryOp};
use mytriton_tile::name_of;
use mytriton_tile::ops::llvm::{CallIntrinsicOp, CallOp};

use crate::decoder::{Decoder, Op, Result};

/// What an intrinsic does with each number.
#[derive(Clone, Copy)]
enum Does {
    Unary(UnaryOp),
    Binary(BinaryOp),
    /// `a * b + c`, rounded once.
    Fma,
    /// A saturating conversion.
    Cast(CastKind),
    CopySign,
    Population,
    LeadingZeros,
    TrailingZeros,
    /// The upper half of a product.
    MulHigh {
        signed: bool,
    },
}

/// Intrinsics by their name without `llvm.` and without the types at the end.
const INTRINSICS: &[(&str, Does)] = &[
    ("nvvm.ex2.approx", Does::Unary(UnaryOp::Exp2)),
    ("nvvm.lg2.approx", Does::Unary(UnaryOp::Log2)),
    ("nvvm.sqrt.approx", Does::Unary(UnaryOp::Sqrt)),
    ("nvvm.sqrt.rn", Does::Unary(UnaryOp::SqrtRn)),
    ("nvvm.rsqrt.approx", Does::Unary(UnaryOp::Rsqrt)),
    ("nvvm.div.full", Does::Binary(BinaryOp::Div)),
    ("nvvm.div.approx", Does::Binary(BinaryOp::Div)),
    ("nvvm.div.rn", Does::Binary(BinaryOp::DivRn)),
    ("nvvm.fmin", Does::Binary(BinaryOp::Min)),
    ("nvvm.fmax", Does::Binary(BinaryOp::Max)),
    ("nvvm.fma.rn", Does::Fma),
    ("nvvm.mulhi.i", Does::MulHigh { signed: true }),
    ("nvvm.mulhi.ui", Does::MulHigh { signed: false }),
    ("nvvm.mulhi.ll", Does::MulHigh { signed: true }),
    ("nvvm.mulhi.ull", Does::MulHigh { signed: false }),
    ("fabs", Does::Unary(UnaryOp::Abs)),
    ("abs", Does::Unary(UnaryOp::Abs)),
    ("sqrt", Does::Unary(UnaryOp::SqrtRn)),
    ("floor", Does::Unary(UnaryOp::Floor)),
    ("ceil", Does::Unary(UnaryOp::Ceil)),
    ("trunc", Does::Unary(UnaryOp::Trunc)),
    ("round", Does::Unary(UnaryOp::Round)),
    ("roundeven", Does::Unary(UnaryOp::RoundEven)),
    ("rint", Does::Unary(UnaryOp::RoundEven)),
    ("nearbyint", Does::Unary(UnaryOp::RoundEven)),
    ("exp", Does::Unary(UnaryOp::Exp)),
    ("exp2", Does::Unary(UnaryOp::Exp2)),
    ("log", Does::Unary(UnaryOp::Log)),
    ("log2", Does::Unary(UnaryOp::Log2)),
    ("log10", Does::Unary(UnaryOp::Log10)),
    ("sin", Does::Unary(UnaryOp::Sin)),
    ("cos", Does::Unary(UnaryOp::Cos)),
    ("tan", Does::Unary(UnaryOp::Tan)),
    ("tanh", Does::Unary(UnaryOp::Tanh)),
    ("pow", Does::Binary(BinaryOp::Pow)),
    ("minimumnum", Does::Binary(BinaryOp::Min)),
    ("maximumnum", Does::Binary(BinaryOp::Max)),
    ("minnum", Does::Binary(BinaryOp::Min)),
    ("maxnum", Does::Binary(BinaryOp::Max)),
    ("minimum", Does::Binary(BinaryOp::MinNan)),
    ("maximum", Does::Binary(BinaryOp::MaxNan)),
    ("smin", Does::Binary(BinaryOp::MinS)),
    ("smax", Does::Binary(BinaryOp::MaxS)),
    ("umin", Does::Binary(BinaryOp::MinU)),
    ("umax", Does::Binary(BinaryOp::MaxU)),
    ("fma", Does::Fma),
    ("copysign", Does::CopySign),
    ("ctpop", Does::Population),
    ("ctlz", Does::LeadingZeros),
    ("cttz", Does::TrailingZeros),
    ("fptosi.sat", Does::Cast(CastKind::FToS)),
    ("fptoui.sat", Does::Cast(CastKind::FToU)),
];

/// An intrinsic's name without the types at the end: `sqrt.v4f32` is `sqrt`, `nvvm.sqrt.approx.f` is `nvvm.sqrt.approx`.
fn base_name(name: &str) -> &str {
    let is_type = |part: &str| {
        let part = match part
            .strip_prefix('v')
            .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()))
        {
            Some(element) if !element.is_empty() => element,
            _ => part,
        };
        matches!(part, "f" | "d" | "bf16") || part.parse::<Scalar>().is_ok()
    };
    let mut base = name;
    while let Some((front, last)) = base.rsplit_once('.') {
        if !is_type(last) {
            break;
        }
        base = front;
    }
    base
}

impl Decoder<'_> {
    /// `llvm.call_intrinsic`.
    pub(crate) fn call_intrinsic(&mut self, view: CallIntrinsicOp<'_, '_>) -> Result {
        let (op, name) = (view.operation(), view.intrin());
        let known = name.strip_prefix("llvm.").map(base_name);
        let does = known.and_then(|name| INTRINSICS.iter().find(|row| row.0 == name));
        match does {
            Some(&(_, does)) => self.apply(op, does),
            None => Err(self.error(op, format!("the executor does not know intrinsic '{name}'"))),
        }
    }

    /// An intrinsic that is an operation: its name has the intrinsic's.
    pub(crate) fn intrinsic_operation(&mut self, op: Op<'_, '_>) -> Result {
        let name = name_of(op);
        let known = name.strip_prefix("llvm.intr.");
        let does = known.and_then(|name| INTRINSICS.iter().find(|row| row.0 == name));
        match does {
            Some(&(_, does)) => self.apply(op, does),
            None => Err(self.unknown(op)),
        }
    }

    pub(crate) fn assume(&mut self, op: Op<'_, '_>) -> Result {
        let cond = self.operand_reg(op, 0)?;
        self.emit(Instr::Assert {
            cond,
            message: "what llvm.intr.assume promises".into(),
        });
        Ok(())
    }

    fn apply(&mut self, op: Op<'_, '_>, does: Does) -> Result {
        let (from, to) = (self.operand_scalar(op, 0)?, self.result_scalar(op, 0)?);
        match does {
            Does::Unary(unary) => self.elementwise(op, |this, [a]| this.unary(unary, from, a)),
            Does::Binary(binary) => self.elementwise(op, |this, [a, b]| this.arithmetic(binary, from, a, b)),
            Does::Fma => self.elementwise(op, |this, operands| this.fma(from, operands)),
            Does::Cast(kind) => self.elementwise(op, |this, [a]| this.saturated(kind, from, to, a)),
            Does::CopySign => self.elementwise(op, |this, [a, b]| this.copysign(from, a, b)),
            Does::Population => self.elementwise(op, |this, [a]| this.population(from, a)),
            Does::LeadingZeros => self.elementwise(op, |this, [a]| this.leading_zeros(from, a)),
            Does::TrailingZeros => self.elementwise(op, |this, [a]| this.trailing_zeros(from, a)),
            Does::MulHigh { signed } => self.elementwise(op, |this, [a, b]| this.mul_high(signed, from, a, b)),
        }
    }

    /// `llvm.fpto{s,u}i.sat`: to a boolean, the nearest of its range, -1 and 0 or 0 and 1.
    fn saturated(&mut self, kind: CastKind, from: Scalar, to: Scalar, a: Reg) -> Reg {
        if to != Scalar::I1 {
            return self.cast(kind, from, to, a);
        }
        let zero = self.constant(0);
        let wide = self.cast(kind, from, Scalar::I32, a);
        let pred = if kind == CastKind::FToS {
            CmpPred::Lt
        } else {
            CmpPred::Ne
        };
        self.cmp(pred, Scalar::I32, wide, zero)
    }

    /// `llvm.call` of the mathematics library.
    pub(crate) fn call(&mut self, view: CallOp<'_, '_>) -> Result {
        let op = view.operation();
        let Some(callee) = view.callee() else {
            return Err(self.error(op, "the executor does not know calls through pointers"));
        };
        let unknown = || format!("the executor does not know function '@{callee}'");
        let function = callee
            .strip_prefix("__mytriton_")
            .and_then(|rest| rest.rsplit_once('_'));
        let Some((function, of)) = function else {
            return Err(self.error(op, unknown()));
        };
        let ty = self.operand_scalar(op, 0)?;
        if of.parse() != Ok(ty) {
            return Err(self.error(op, unknown()));
        }
        let unary = UnaryOp::ALL.iter().find(|op| op.library() == Some(function));
        let binary = BinaryOp::ALL.iter().find(|op| op.library() == Some(function));
        match (unary, binary) {
            (Some(&unary), _) if op.result_count() == 1 => self.elementwise(op, |this, [a]| this.unary(unary, ty, a)),
            (_, Some(&binary)) => self.elementwise(op, |this, [a, b]| this.binary(binary, ty, a, b)),
            _ => Err(self.error(op, unknown())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::base_name;

    #[test]
    fn types_are_cut_off_the_names_of_intrinsics() {
        let names = [
            ("fabs.v4f32", "fabs"),
            ("fptosi.sat.i32.f32", "fptosi.sat"),
            ("fptoui.sat.v2i64.v2f64", "fptoui.sat"),
            ("nvvm.ex2.approx.f32", "nvvm.ex2.approx"),
            ("nvvm.ex2.approx.ftz.f", "nvvm.ex2.approx.ftz"),
            ("nvvm.div.full", "nvvm.div.full"),
            ("fma.bf16", "fma"),
        ];
        for (name, base) in names {
            assert_eq!(base_name(name), base);
        }
    }
}
