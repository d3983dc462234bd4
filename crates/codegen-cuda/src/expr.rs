//! The C++ expression of each operation on one element.

use mytriton_ssa::{BinaryOp, CastKind, CmpPred, Scalar, UnaryOp, library_functions};

use crate::ctypes::{register_type, signed_type};

/// An expression and the helper that it calls, if any.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Expr {
    pub text: String,
    pub helper: Option<&'static str>,
}

fn plain(text: String) -> Expr {
    Expr { text, helper: None }
}

fn calling(helper: &'static str, text: String) -> Expr {
    Expr {
        text,
        helper: Some(helper),
    }
}

/// The value of a float as the type that it computes in: `f32` for 16-bit types.
fn wide(scalar: Scalar, x: &str) -> String {
    match scalar {
        Scalar::F16 => format!("__half2float({x})"),
        Scalar::BF16 => format!("__bfloat162float({x})"),
        _ => x.to_owned(),
    }
}

/// A result of the type that a float computes in, rounded once to the float.
fn narrow(scalar: Scalar, x: &str) -> String {
    match scalar {
        Scalar::F16 => format!("__float2half_rn({x})"),
        Scalar::BF16 => format!("__float2bfloat16_rn({x})"),
        _ => x.to_owned(),
    }
}

/// The name of the double precision function, or of its single precision counterpart.
fn function(scalar: Scalar, name: &str) -> String {
    let suffix = if scalar == Scalar::F64 { "" } else { "f" };
    format!("{name}{suffix}")
}

/// A function of one number.
pub(crate) fn unary(op: UnaryOp, scalar: Scalar, x: &str) -> Expr {
    let (name, sqrt) = match op {
        UnaryOp::Abs if scalar.is_int() => {
            let signed = signed_type(scalar);
            return plain(format!("({signed}){x} < 0 ? 0 - {x} : {x}"));
        }
        UnaryOp::Neg => return plain(negated(scalar, x)),
        UnaryOp::Abs => return plain(absolute(scalar, x)),
        UnaryOp::Exp => ("exp", false),
        UnaryOp::Exp2 => ("exp2", false),
        UnaryOp::Expm1 => ("expm1", false),
        UnaryOp::Log => ("log", false),
        UnaryOp::Log2 => ("log2", false),
        UnaryOp::Log10 => ("log10", false),
        UnaryOp::Log1p => ("log1p", false),
        UnaryOp::Sin => ("sin", false),
        UnaryOp::Cos => ("cos", false),
        UnaryOp::Tan => ("tan", false),
        UnaryOp::Tanh => ("tanh", false),
        UnaryOp::Erf => ("erf", false),
        UnaryOp::Sqrt | UnaryOp::SqrtRn => ("", true),
        UnaryOp::Rsqrt => ("rsqrt", false),
        UnaryOp::Floor => ("floor", false),
        UnaryOp::Ceil => ("ceil", false),
        UnaryOp::Trunc => ("trunc", false),
        UnaryOp::Round => ("round", false),
        UnaryOp::RoundEven => ("rint", false),
        UnaryOp::Acos => ("acos", false),
        UnaryOp::Acosh => ("acosh", false),
        UnaryOp::Asin => ("asin", false),
        UnaryOp::Asinh => ("asinh", false),
        UnaryOp::Atan => ("atan", false),
        UnaryOp::Atanh => ("atanh", false),
        UnaryOp::Cbrt => ("cbrt", false),
        UnaryOp::Cosh => ("cosh", false),
        UnaryOp::CosPi => ("cospi", false),
        UnaryOp::Erfc => ("erfc", false),
        UnaryOp::Exp10 => ("exp10", false),
        UnaryOp::Lgamma => ("lgamma", false),
        UnaryOp::Sinh => ("sinh", false),
        UnaryOp::SinPi => ("sinpi", false),
        UnaryOp::Tgamma => ("tgamma", false),
    };
    let name = match (sqrt, scalar) {
        (true, Scalar::F64) => "__dsqrt_rn".to_owned(),
        (true, _) => "__fsqrt_rn".to_owned(),
        _ => function(scalar, name),
    };
    plain(narrow(scalar, &format!("{name}({})", wide(scalar, x))))
}

/// A float with its sign bit flipped. On the bits, as [`absolute`] is: NVRTC 13.0 takes `-x` and `fabs(x)` of a kernel's
/// parameter for operations on integers where the result's bits are compared with 0.
fn negated(scalar: Scalar, x: &str) -> String {
    let sign = format!("0x8{}", "0".repeat(2 * scalar.bytes() as usize - 1));
    from_bits(scalar, &format!("{} ^ {sign}", to_bits(scalar, x)))
}

/// A float with its sign bit cleared.
fn absolute(scalar: Scalar, x: &str) -> String {
    let others = format!("0x7{}", "F".repeat(2 * scalar.bytes() as usize - 1));
    from_bits(scalar, &format!("{} & {others}", to_bits(scalar, x)))
}

/// A function of two numbers; the scalar is the type of the first one.
pub(crate) fn binary(op: BinaryOp, scalar: Scalar, a: &str, b: &str) -> Expr {
    match scalar {
        Scalar::I1 => plain(binary_i1(op, a, b)),
        _ if scalar.is_int() => binary_int(op, scalar, a, b),
        _ => binary_float(op, scalar, a, b),
    }
}

/// Booleans count as 0 and 1; what shifts in from the left is the value itself. `i1 / 0` is false.
fn binary_i1(op: BinaryOp, a: &str, b: &str) -> String {
    use BinaryOp::*;
    match op {
        Add | Sub | Xor => format!("{a} != {b}"),
        Mul | And | DivS | DivU | MinS | MinU => format!("{a} && {b}"),
        Or | MaxS | MaxU => format!("{a} || {b}"),
        Shl | ShrU => format!("{a} && !{b}"),
        ShrS => a.to_owned(),
        // By true there is no remainder, by false no result.
        RemS | RemU => "false".to_owned(),
        Div | DivRn | Min | Max | MinNan | MaxNan | library_functions!() => unreachable!("'{op}' of i1"),
    }
}

fn binary_int(op: BinaryOp, scalar: Scalar, a: &str, b: &str) -> Expr {
    use BinaryOp::*;
    let s = signed_type(scalar);
    match op {
        Add => plain(format!("{a} + {b}")),
        Sub => plain(format!("{a} - {b}")),
        // Promoted to int, 16-bit factors would overflow.
        Mul if scalar == Scalar::I16 => plain(format!("(u32){a} * {b}")),
        Mul => plain(format!("{a} * {b}")),
        And => plain(format!("{a} & {b}")),
        Or => plain(format!("{a} | {b}")),
        Xor => plain(format!("{a} ^ {b}")),
        DivS => calling("mt_div_s", format!("mt_div_s(({s}){a}, ({s}){b})")),
        RemS => calling("mt_rem_s", format!("mt_rem_s(({s}){a}, ({s}){b})")),
        DivU => calling("mt_div_u", format!("mt_div_u({a}, {b})")),
        RemU => calling("mt_rem_u", format!("mt_rem_u({a}, {b})")),
        Shl => calling("mt_shl", format!("mt_shl({a}, {b})")),
        ShrU => calling("mt_shr_u", format!("mt_shr_u({a}, {b})")),
        ShrS => calling("mt_shr_s", format!("mt_shr_s(({s}){a}, {b})")),
        MinS => plain(format!("({s}){a} < ({s}){b} ? {a} : {b}")),
        MaxS => plain(format!("({s}){a} < ({s}){b} ? {b} : {a}")),
        MinU => plain(format!("{a} < {b} ? {a} : {b}")),
        MaxU => plain(format!("{a} < {b} ? {b} : {a}")),
        Div | DivRn | Min | Max | MinNan | MaxNan | library_functions!() => unreachable!("'{op}' of integers"),
    }
}

fn binary_float(op: BinaryOp, scalar: Scalar, a: &str, b: &str) -> Expr {
    use BinaryOp::*;
    let native = !matches!(scalar, Scalar::F16 | Scalar::BF16);
    let (wa, wb) = (wide(scalar, a), wide(scalar, b));
    let helper = |name: &'static str| calling(name, narrow(scalar, &format!("{name}({wa}, {wb})")));
    let called = |name: &str| plain(narrow(scalar, &format!("{}({wa}, {wb})", function(scalar, name))));
    match op {
        Add if native => plain(format!("{a} + {b}")),
        Sub if native => plain(format!("{a} - {b}")),
        Mul if native => plain(format!("{a} * {b}")),
        Add => plain(format!("__hadd_rn({a}, {b})")),
        Sub => plain(format!("__hsub_rn({a}, {b})")),
        Mul => plain(format!("__hmul_rn({a}, {b})")),
        Min => helper("mt_min"),
        Max => helper("mt_max"),
        MinNan => helper("mt_min_nan"),
        MaxNan => helper("mt_max_nan"),
        Rem => called("fmod"),
        Pow => called("pow"),
        Atan2 => called("atan2"),
        Fdim => called("fdim"),
        Hypot => called("hypot"),
        NextAfter => called("nextafter"),
        Remainder => called("remainder"),
        // f32 cannot hold every exponent.
        PowI => {
            let wide_type = if scalar == Scalar::F64 { "f64" } else { "f32" };
            plain(narrow(scalar, &format!("({wide_type})pow((f64){wa}, (f64)(i32){b})")))
        }
        Div | DivRn => {
            let name = if scalar == Scalar::F64 {
                "__ddiv_rn"
            } else {
                "__fdiv_rn"
            };
            plain(narrow(scalar, &format!("{name}({wa}, {wb})")))
        }
        DivS | DivU | RemS | RemU | And | Or | Xor | Shl | ShrS | ShrU | MinS | MaxS | MinU | MaxU => {
            unreachable!("'{op}' of floating-point numbers")
        }
    }
}

/// `a * b + c`, rounded once.
pub(crate) fn fma(scalar: Scalar, a: &str, b: &str, c: &str) -> Expr {
    match scalar {
        Scalar::F16 => plain(format!("__hfma({a}, {b}, {c})")),
        // Not every target has it, and f32 on the way would round twice.
        Scalar::BF16 => {
            let [a, b, c] = [a, b, c].map(|x| wide(scalar, x));
            calling("mt_odd_fma", narrow(scalar, &format!("mt_odd_fma({a}, {b}, {c})")))
        }
        Scalar::F64 => plain(format!("__fma_rn({a}, {b}, {c})")),
        _ => plain(format!("__fmaf_rn({a}, {b}, {c})")),
    }
}

/// A comparison of numbers.
pub(crate) fn compare(pred: CmpPred, scalar: Scalar, a: &str, b: &str) -> Expr {
    let operator = match pred {
        CmpPred::Eq => "==",
        CmpPred::Ne => "!=",
        CmpPred::Lt | CmpPred::LtU => "<",
        CmpPred::Le | CmpPred::LeU => "<=",
        CmpPred::Gt | CmpPred::GtU => ">",
        CmpPred::Ge | CmpPred::GeU => ">=",
    };
    let signed = scalar.is_int() && scalar != Scalar::I1 && matches!(operator, "<" | "<=" | ">" | ">=");
    let (a, b) = if signed && !pred.is_unsigned() {
        let s = signed_type(scalar);
        (format!("({s}){a}"), format!("({s}){b}"))
    } else {
        (wide(scalar, a), wide(scalar, b))
    };
    plain(format!("{a} {operator} {b}"))
}

/// A conversion of a number.
pub(crate) fn cast(kind: CastKind, from: Scalar, to: Scalar, x: &str) -> Expr {
    let (t, s) = (register_type(to), signed_type(from));
    match kind {
        CastKind::SExt if from == Scalar::I1 => plain(format!("{x} ? ({t})-1 : ({t})0")),
        CastKind::SExt => plain(format!("({t})({s}){x}")),
        CastKind::Trunc if to == Scalar::I1 => plain(format!("({x} & 1) != 0")),
        CastKind::ZExt | CastKind::Trunc => plain(format!("({t}){x}")),
        CastKind::FExt => plain(match to {
            Scalar::F64 => format!("(f64){}", wide(from, x)),
            _ => wide(from, x),
        }),
        CastKind::FTrunc => match (from, to) {
            (Scalar::F64, Scalar::F32) => plain(format!("__double2float_rn({x})")),
            (Scalar::F64, _) => calling("mt_odd_f64", narrow(to, &format!("mt_odd_f64({x})"))),
            _ => plain(narrow(to, x)),
        },
        CastKind::SToF | CastKind::UToF => {
            let signed = kind == CastKind::SToF;
            let x = if signed { format!("({s}){x}") } else { x.to_owned() };
            match to {
                Scalar::F32 | Scalar::F64 => plain(format!("({t}){x}")),
                _ => {
                    let helper = if signed { "mt_odd_s" } else { "mt_odd_u" };
                    calling(helper, narrow(to, &format!("{helper}({x})")))
                }
            }
        }
        CastKind::FToS => {
            let text = format!("mt_to_signed<{}>({})", signed_type(to), wide(from, x));
            calling("mt_to_signed", text)
        }
        CastKind::FToU => calling("mt_to_unsigned", format!("mt_to_unsigned<{t}>({})", wide(from, x))),
        CastKind::Bitcast => plain(from_bits(to, &to_bits(from, x))),
    }
}

fn to_bits(from: Scalar, x: &str) -> String {
    match from {
        Scalar::F16 => format!("__half_as_ushort({x})"),
        Scalar::BF16 => format!("__bfloat16_as_ushort({x})"),
        Scalar::F32 => format!("__float_as_uint({x})"),
        Scalar::F64 => format!("(u64)__double_as_longlong({x})"),
        _ => x.to_owned(),
    }
}

fn from_bits(to: Scalar, x: &str) -> String {
    match to {
        Scalar::F16 => format!("__ushort_as_half({x})"),
        Scalar::BF16 => format!("__ushort_as_bfloat16({x})"),
        Scalar::F32 => format!("__uint_as_float({x})"),
        Scalar::F64 => format!("__longlong_as_double((i64)({x}))"),
        _ => x.to_owned(),
    }
}
