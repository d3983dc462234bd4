//! When two results count as the same.
//!
//! | what a result comes from | rule |
//! |---|---|
//! | integers, booleans, moves, casts, comparisons, `select` | the same bits |
//! | floats that the table of operations says to be exact or correctly rounded, without fusion | the same bits; a NaN for a NaN |
//! | functions of `f32` | the bound of the table in ulps, half an ulp more as the oracle rounds too |
//! | `exp` of `f32` | relative 2^-22 + abs x 2^-23 |
//! | functions of `f64` | the bound of the table, and 1 ulp of the oracle's |
//! | functions of `f16` and `bf16` | 1 ulp: the `f32` result may lie beyond a boundary of rounding |

use std::fmt;
use std::str::FromStr;

use mytriton_ssa::{Accuracy, Approximation, Const, OpKind, Scalar};

use crate::random::digits;

/// How results are compared with the oracle's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rule {
    /// The same bits, or both NaN.
    Exact,
    /// So many units in the last place of a type, counted at the oracle's result: the type of the function that was
    /// computed, which an exact conversion may have widened since.
    Ulp {
        /// The type whose unit it is.
        of: Scalar,
        /// How many.
        bound: f64,
        /// Is the unit never less than that of 1?
        from_one: bool,
    },
    /// The bound of `exp` in `f32`, from the result.
    Exp,
}

impl Rule {
    /// The rule for the result of an operation whose operands are exact and of a type.
    pub fn of(kind: &OpKind, operand: Scalar) -> Rule {
        match kind {
            OpKind::Unary(_) | OpKind::Binary(_) if operand.is_int() => Rule::Exact,
            OpKind::Unary(op) => by_accuracy(op.accuracy(), operand),
            OpKind::Binary(op) => by_accuracy(op.accuracy(), operand),
            OpKind::Const(_) | OpKind::ProgramId(_) | OpKind::NumPrograms(_) | OpKind::Range { .. } => Rule::Exact,
            OpKind::Splat | OpKind::ExpandDims { .. } | OpKind::Broadcast | OpKind::Reshape => Rule::Exact,
            OpKind::Transpose { .. } | OpKind::Join | OpKind::Split | OpKind::Gather { .. } => Rule::Exact,
            OpKind::Histogram | OpKind::Reduce { .. } | OpKind::Scan { .. } => Rule::Exact,
            OpKind::Fma | OpKind::Cmp(_) | OpKind::Select | OpKind::Cast(_) => Rule::Exact,
            OpKind::AddPtr | OpKind::Load | OpKind::Store => Rule::Exact,
            OpKind::For | OpKind::If | OpKind::While | OpKind::Yield | OpKind::Condition => Rule::Exact,
        }
    }

    /// The rule that allows what either allows; none if that cannot be said.
    pub fn join(self, other: Rule) -> Option<Rule> {
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Rule::Exact, rule) | (rule, Rule::Exact) => Some(rule),
            (
                Rule::Ulp { of, bound, from_one },
                Rule::Ulp {
                    of: other,
                    bound: second,
                    from_one: second_from_one,
                },
            ) if of == other => Some(Rule::Ulp {
                of,
                bound: bound.max(second),
                from_one: from_one || second_from_one,
            }),
            _ => None,
        }
    }

    /// Does a result count as the oracle's?
    pub fn accepts(self, got: Const, oracle: Const) -> bool {
        if got == oracle || (got.is_nan() && oracle.is_nan()) {
            return true;
        }
        match self {
            Rule::Exact => false,
            Rule::Ulp { of, bound, from_one } => near(of, got, oracle, |exact| {
                let least = if from_one { 1.0 } else { 0.0 };
                bound * ulp(of, exact.abs().max(least))
            }),
            Rule::Exp => near(Scalar::F32, got, oracle, |exact| {
                // The argument, from the result; where that is denormal its digits end first.
                let argument = exact.abs().max(f64::from(f32::MIN_POSITIVE)).ln().abs();
                let relative = 2f64.powi(-22) + argument * 2f64.powi(-23);
                exact.abs() * relative + ulp(Scalar::F32, exact)
            }),
        }
    }
}

/// The rule for a function of floats: what the compiler and CUDA's functions both hold, and the oracle's own rounding (half a
/// unit in `f32`, which it computes in `f64`; one in `f64`).
fn by_accuracy(accuracy: Accuracy, operand: Scalar) -> Rule {
    let (bound, rounding) = match operand {
        Scalar::F64 => (accuracy.f64.max(accuracy.cuda.1), 1.0),
        _ => match accuracy.approximation {
            Some(Approximation::Exp) if operand == Scalar::F32 => return Rule::Exp,
            Some(Approximation::Ulp(ulp)) => (ulp.max(accuracy.cuda.0), 0.5),
            Some(Approximation::Exp) | None => (accuracy.f32.max(accuracy.cuda.0), 0.5),
        },
    };
    if bound <= 0.5 {
        // Correctly rounded, as the oracle is.
        return Rule::Exact;
    }
    let bound = match operand {
        // The result in `f32` may lie beyond a boundary of rounding.
        Scalar::F16 | Scalar::BF16 => 1.0,
        _ => bound + rounding,
    };
    Rule::Ulp {
        of: operand,
        bound,
        from_one: accuracy.from_one,
    }
}

fn near(of: Scalar, got: Const, oracle: Const, bound: impl Fn(f64) -> f64) -> bool {
    let (Some(got), Some(exact)) = (got.as_f64(), oracle.as_f64()) else {
        return false;
    };
    if got.is_nan() || exact.is_nan() || (got == 0.0 && exact == 0.0) {
        // One NaN alone, or zeros of two signs.
        return false;
    }
    // An infinity stands for the number after the largest, so that results at the edge may fall on either side.
    let finite = |value: f64| {
        if value.is_infinite() {
            beyond(of).copysign(value)
        } else {
            value
        }
    };
    let (got, exact) = (finite(got), finite(exact));
    (got - exact).abs() <= bound(exact)
}

/// The exponents of the smallest denormal and of infinity.
fn exponents(scalar: Scalar) -> (i32, i32) {
    match scalar {
        Scalar::F16 => (-24, 16),
        Scalar::BF16 => (-133, 128),
        Scalar::F32 => (-149, 128),
        _ => (-1074, 1023),
    }
}

/// What infinity stands for: two to its exponent, in `f64` the largest number there is.
fn beyond(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F64 => f64::MAX,
        _ => 2f64.powi(exponents(scalar).1),
    }
}

/// The unit in the last place of a finite value.
fn ulp(scalar: Scalar, value: f64) -> f64 {
    let (least, top) = exponents(scalar);
    let exponent = if value == 0.0 { least } else { exponent(value).min(top) };
    let power = (exponent - digits(scalar) as i32).max(least);
    // Powers of two below the normal ones need two steps.
    2f64.powi(power / 2) * 2f64.powi(power - power / 2)
}

/// e with 2^e <= abs value < 2^(e+1).
fn exponent(value: f64) -> i32 {
    let biased = (value.to_bits() >> 52 & 0x7FF) as i32;
    match biased {
        0 => 63 - (value.to_bits() << 1 >> 1).leading_zeros() as i32 - 1074,
        _ => biased - 1023,
    }
}

/// Prints `exact`, `exp`, `2.5 ulp of f32`, or `6.5 ulp of f32 from 1`.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::Exact => f.write_str("exact"),
            Rule::Exp => f.write_str("exp"),
            Rule::Ulp { of, bound, from_one } => {
                write!(f, "{bound} ulp of {of}")?;
                f.write_str(if *from_one { " from 1" } else { "" })
            }
        }
    }
}

/// A text that is no rule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{0}' is no rule: 'exact', 'exp' or 'NUMBER ulp of TYPE [from 1]' is expected")]
pub struct UnknownRule(pub String);

impl FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(text: &str) -> Result<Rule, UnknownRule> {
        let ulps = || {
            let (bound, of) = text.split_once(" ulp of ")?;
            let (of, from_one) = of.strip_suffix(" from 1").map_or((of, false), |of| (of, true));
            let (bound, of) = (bound.parse().ok()?, of.parse().ok()?);
            Some(Rule::Ulp { of, bound, from_one })
        };
        match text {
            "exact" => Ok(Rule::Exact),
            "exp" => Ok(Rule::Exp),
            _ => ulps().ok_or_else(|| UnknownRule(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use mytriton_ssa::{BinaryOp, UnaryOp};

    use super::*;

    const F32: fn(f64) -> Rule = |bound| Rule::Ulp {
        of: Scalar::F32,
        bound,
        from_one: false,
    };
    const FROM_ONE: Rule = Rule::Ulp {
        of: Scalar::F32,
        bound: 2.0,
        from_one: true,
    };

    #[test]
    fn tells_what_differs() {
        let f = Const::f32;
        let next = |v: f32, steps: i32| f(f32::from_bits(v.to_bits().wrapping_add_signed(steps)));
        let wide = |v: f64| Const::from_f64(Scalar::F64, v);
        let f16 = |bits| Const::from_bits(Scalar::F16, bits);
        let half = Rule::Ulp {
            of: Scalar::F16,
            bound: 1.0,
            from_one: false,
        };
        let cases = [
            (Rule::Exact, f(1.0), f(1.0), true),
            (Rule::Exact, next(1.0, 1), f(1.0), false),
            (Rule::Exact, f(0.0), f(-0.0), false),
            (
                Rule::Exact,
                Const::from_bits(Scalar::F32, 0xFFC0_0001),
                f(f32::NAN),
                true,
            ),
            (Rule::Exact, f(f32::NAN), f(f32::INFINITY), false),
            (F32(2.5), next(1.0, 2), f(1.0), true),
            (F32(2.5), next(1.0, 3), f(1.0), false),
            (F32(2.5), f(0.0), f(-0.0), false),
            (F32(2.5), f(f32::NAN), f(1.0), false),
            (F32(2.5), f(f32::INFINITY), f(f32::MAX), true),
            (F32(2.5), f(f32::INFINITY), f(f32::NEG_INFINITY), false),
            (F32(2.5), next(0.0, 2), f(0.0), true),
            (F32(2.5), next(0.0, 3), f(0.0), false),
            // A result of f32 that was widened since.
            (F32(2.5), wide(1.0 + 2f64.powi(-22)), wide(1.0), true),
            (F32(2.5), wide(1.0 + 2f64.powi(-21)), wide(1.0), false),
            (FROM_ONE, f(2f32.powi(-22)), f(0.0), true),
            (FROM_ONE, f(2f32.powi(-21)), f(0.0), false),
            (FROM_ONE, next(4.0, 2), f(4.0), true),
            (FROM_ONE, next(4.0, 3), f(4.0), false),
            (half, f16(0x7C00), f16(0x7BFF), true),
            (half, f16(0x7C00), f16(0x7BFE), false),
            (Rule::Exp, next(1.0, 3), f(1.0), true),
            (Rule::Exp, next(1.0, 8), f(1.0), false),
            (Rule::Exp, next(1e30, 60), f(1e30), true),
            (Rule::Exp, next(1e30, 200), f(1e30), false),
        ];
        for (rule, got, oracle, expected) in cases {
            assert_eq!(rule.accepts(got, oracle), expected, "{rule:?}: {got:?} for {oracle:?}");
        }
    }

    #[test]
    fn joins_and_reads_back() {
        assert_eq!(Rule::Exact.join(F32(2.5)), Some(F32(2.5)));
        assert_eq!(F32(2.5).join(F32(3.5)), Some(F32(3.5)));
        assert_eq!(Rule::Exp.join(F32(3.5)), None);
        for rule in [Rule::Exact, Rule::Exp, F32(2.5), FROM_ONE] {
            assert_eq!(rule.to_string().parse(), Ok(rule));
        }
        assert!("2 ulps".parse::<Rule>().is_err());
    }

    #[test]
    fn only_functions_have_room() {
        for (op, scalar, exact) in [
            (UnaryOp::Sqrt, Scalar::F64, true),
            (UnaryOp::Sqrt, Scalar::F32, false),
            (UnaryOp::SqrtRn, Scalar::F32, true),
            (UnaryOp::Sin, Scalar::F16, false),
        ] {
            assert_eq!(
                Rule::of(&OpKind::Unary(op), scalar) == Rule::Exact,
                exact,
                "{op} {scalar}"
            );
        }
        assert_eq!(Rule::of(&OpKind::Binary(BinaryOp::Div), Scalar::F64), Rule::Exact);
        assert_ne!(Rule::of(&OpKind::Binary(BinaryOp::Div), Scalar::BF16), Rule::Exact);
    }
}
