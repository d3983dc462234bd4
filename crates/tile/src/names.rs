//! How operations of typed SSA are spelt in the tile stage: one table, read in both directions.
//!
//! `arith` and `math` are used where they mean the same; the integer operations whose `arith` versions are undefined at
//! the corners are the dialect's own. Two flags carry the choice of accuracy: `arcp` on `arith.divf` allows 2 ulp,
//! `afn` on `math.sqrt` allows the approximation; without them both are correctly rounded.

use mytriton_ssa::{BinaryOp, CastKind, CmpPred, UnaryOp};

use crate::ops;

/// What a fast-math flag on an operation says.
pub const FAST_DIVISION: &str = "arcp";
/// What a fast-math flag on a square root says.
pub const FAST_SQRT: &str = "afn";

/// Functions of one number: SSA operation, name, flag. Integer `abs` is `math.absi` instead.
pub const UNARY: &[(UnaryOp, &str, Option<&str>)] = &[
    (UnaryOp::Neg, "arith.negf", None),
    (UnaryOp::Abs, "math.absf", None),
    (UnaryOp::Exp, "math.exp", None),
    (UnaryOp::Exp2, "math.exp2", None),
    (UnaryOp::Expm1, "math.expm1", None),
    (UnaryOp::Log, "math.log", None),
    (UnaryOp::Log2, "math.log2", None),
    (UnaryOp::Log10, "math.log10", None),
    (UnaryOp::Log1p, "math.log1p", None),
    (UnaryOp::Sin, "math.sin", None),
    (UnaryOp::Cos, "math.cos", None),
    (UnaryOp::Tan, "math.tan", None),
    (UnaryOp::Tanh, "math.tanh", None),
    (UnaryOp::Erf, "math.erf", None),
    (UnaryOp::Sqrt, "math.sqrt", Some(FAST_SQRT)),
    (UnaryOp::SqrtRn, "math.sqrt", None),
    (UnaryOp::Rsqrt, "math.rsqrt", None),
    (UnaryOp::Floor, "math.floor", None),
    (UnaryOp::Ceil, "math.ceil", None),
    (UnaryOp::Trunc, "math.trunc", None),
    (UnaryOp::Round, "math.round", None),
    (UnaryOp::RoundEven, "math.roundeven", None),
];

/// SSA operation, name on integers, name on floats, flag.
pub type BinaryRow = (
    BinaryOp,
    Option<&'static str>,
    Option<&'static str>,
    Option<&'static str>,
);

/// Functions of two numbers.
pub const BINARY: &[BinaryRow] = &[
    (BinaryOp::Add, Some("arith.addi"), Some("arith.addf"), None),
    (BinaryOp::Sub, Some("arith.subi"), Some("arith.subf"), None),
    (BinaryOp::Mul, Some("arith.muli"), Some("arith.mulf"), None),
    (BinaryOp::Div, None, Some("arith.divf"), Some(FAST_DIVISION)),
    (BinaryOp::DivRn, None, Some("arith.divf"), None),
    (BinaryOp::Rem, None, Some("arith.remf"), None),
    (BinaryOp::DivS, Some(ops::DIV_S), None, None),
    (BinaryOp::DivU, Some(ops::DIV_U), None, None),
    (BinaryOp::RemS, Some(ops::REM_S), None, None),
    (BinaryOp::RemU, Some(ops::REM_U), None, None),
    (BinaryOp::And, Some("arith.andi"), None, None),
    (BinaryOp::Or, Some("arith.ori"), None, None),
    (BinaryOp::Xor, Some("arith.xori"), None, None),
    (BinaryOp::Shl, Some(ops::SHL), None, None),
    (BinaryOp::ShrS, Some(ops::SHR_S), None, None),
    (BinaryOp::ShrU, Some(ops::SHR_U), None, None),
    (BinaryOp::MinS, Some("arith.minsi"), None, None),
    (BinaryOp::MaxS, Some("arith.maxsi"), None, None),
    (BinaryOp::MinU, Some("arith.minui"), None, None),
    (BinaryOp::MaxU, Some("arith.maxui"), None, None),
    (BinaryOp::Min, None, Some("arith.minnumf"), None),
    (BinaryOp::Max, None, Some("arith.maxnumf"), None),
    (BinaryOp::MinNan, None, Some("arith.minimumf"), None),
    (BinaryOp::MaxNan, None, Some("arith.maximumf"), None),
    (BinaryOp::Pow, None, Some("math.powf"), None),
];

/// Names that read as an SSA operation but are never written: `arith`'s own versions, which ours refine.
pub const BINARY_READ_ONLY: &[(BinaryOp, &str)] = &[
    (BinaryOp::DivS, "arith.divsi"),
    (BinaryOp::DivU, "arith.divui"),
    (BinaryOp::RemS, "arith.remsi"),
    (BinaryOp::RemU, "arith.remui"),
    (BinaryOp::Shl, "arith.shli"),
    (BinaryOp::ShrS, "arith.shrsi"),
    (BinaryOp::ShrU, "arith.shrui"),
];

/// Conversions: SSA kind and name.
pub const CASTS: &[(CastKind, &str)] = &[
    (CastKind::SExt, "arith.extsi"),
    (CastKind::ZExt, "arith.extui"),
    (CastKind::Trunc, "arith.trunci"),
    (CastKind::FExt, "arith.extf"),
    (CastKind::FTrunc, "arith.truncf"),
    (CastKind::SToF, "arith.sitofp"),
    (CastKind::UToF, "arith.uitofp"),
    (CastKind::FToS, ops::FP_TO_SI),
    (CastKind::FToU, ops::FP_TO_UI),
    (CastKind::Bitcast, "arith.bitcast"),
];

/// Conversions that read as an SSA one but are never written.
pub const CASTS_READ_ONLY: &[(CastKind, &str)] = &[(CastKind::FToS, "arith.fptosi"), (CastKind::FToU, "arith.fptoui")];

/// Integer comparisons: SSA predicate and the number of `arith.cmpi`'s.
pub const CMPI: &[(CmpPred, i64)] = &[
    (CmpPred::Eq, 0),
    (CmpPred::Ne, 1),
    (CmpPred::Lt, 2),
    (CmpPred::Le, 3),
    (CmpPred::Gt, 4),
    (CmpPred::Ge, 5),
    (CmpPred::LtU, 6),
    (CmpPred::LeU, 7),
    (CmpPred::GtU, 8),
    (CmpPred::GeU, 9),
];

/// Float comparisons: SSA predicate and the number of `arith.cmpf`'s (ordered, and `une`).
pub const CMPF: &[(CmpPred, i64)] = &[
    (CmpPred::Eq, 1),
    (CmpPred::Gt, 2),
    (CmpPred::Ge, 3),
    (CmpPred::Lt, 4),
    (CmpPred::Le, 5),
    (CmpPred::Ne, 13),
];
