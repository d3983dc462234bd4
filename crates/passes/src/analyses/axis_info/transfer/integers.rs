//! Integer arithmetic.

use melior::ir::ValueLike;
use mytriton_tile::emit::shape_of;
use mytriton_tile::ops::arith::{self, CmpIPredicate, Op};

use super::{Axis, AxisInfo, ResultType, bits_of};
use crate::analyses::axis_info::{CAP, power_of_two_in};
use crate::ir::integer_everywhere;

/// Operations of `arith`.
pub fn transfer_arith(op: arith::Op<'_, '_>, result: &ResultType, operands: &[AxisInfo]) -> Option<AxisInfo> {
    match (op, operands) {
        (Op::Constant(constant), []) => transfer_constant(constant, result),
        (Op::IndexCast(_), [x]) => Some(x.clone()),
        (Op::ExtSI(extend), [x]) => Some(sign_extend(bits_of(extend.r#in()), x)),
        (Op::ExtUI(extend), [x]) => Some(zero_extend(bits_of(extend.r#in()), x)),
        (Op::TruncI(_), [x]) => Some(truncate(result, x)),
        (Op::AddI(_), [a, b]) => Some(add(result, a, b)),
        (Op::SubI(_), [a, b]) => Some(subtract(result, a, b)),
        (Op::MulI(_), [a, b]) => Some(multiply(result, a, b)),
        (Op::DivSI(_), [a, b]) => divide(a, b, true),
        (Op::DivUI(_), [a, b]) => divide(a, b, false),
        (Op::RemSI(_), [a, b]) => remainder(a, b, true),
        (Op::RemUI(_), [a, b]) => remainder(a, b, false),
        (Op::CmpI(compare), [a, b]) => Some(transfer_compare(compare.predicate(), a, b)),
        (Op::Select(select), [condition, a, b]) => Some(transfer_select(select, condition, a, b)),
        (Op::AndI(_) | Op::OrI(_) | Op::XOrI(_), [a, b]) => Some(a.zip(b, |a, b| Axis {
            constancy: a.constancy.min(b.constancy),
            ..Axis::UNKNOWN
        })),
        // Bits, extremes and rounded quotients keep nothing that is of use.
        (
            Op::AddUIExtended(_)
            | Op::Bitcast(_)
            | Op::CeilDivSI(_)
            | Op::CeilDivUI(_)
            | Op::FloorDivSI(_)
            | Op::FPToSI(_)
            | Op::FPToUI(_)
            | Op::IndexCastUI(_)
            | Op::MaxSI(_)
            | Op::MaxUI(_)
            | Op::MinSI(_)
            | Op::MinUI(_)
            | Op::MulSIExtended(_)
            | Op::MulUIExtended(_)
            | Op::ShLI(_)
            | Op::ShRSI(_)
            | Op::ShRUI(_),
            _,
        ) => None,
        // Of floats nothing is known.
        (
            Op::AddF(_)
            | Op::CmpF(_)
            | Op::DivF(_)
            | Op::ExtF(_)
            | Op::MaximumF(_)
            | Op::MaxNumF(_)
            | Op::MinimumF(_)
            | Op::MinNumF(_)
            | Op::MulF(_)
            | Op::NegF(_)
            | Op::RemF(_)
            | Op::SIToFP(_)
            | Op::SubF(_)
            | Op::TruncF(_)
            | Op::UIToFP(_),
            _,
        ) => None,
        // The verifier allows no other number of operands.
        (
            Op::Constant(_)
            | Op::IndexCast(_)
            | Op::ExtSI(_)
            | Op::ExtUI(_)
            | Op::TruncI(_)
            | Op::AddI(_)
            | Op::SubI(_)
            | Op::MulI(_)
            | Op::DivSI(_)
            | Op::DivUI(_)
            | Op::RemSI(_)
            | Op::RemUI(_)
            | Op::CmpI(_)
            | Op::Select(_)
            | Op::AndI(_)
            | Op::OrI(_)
            | Op::XOrI(_),
            _,
        ) => None,
    }
}

fn transfer_constant(constant: arith::ConstantOp<'_, '_>, result: &ResultType) -> Option<AxisInfo> {
    let value = result.wrap(integer_everywhere(constant.value())?);
    Some(result.uniform(power_of_two_in(value), Some(value)))
}

/// Small integers do overflow, in the middle of a run that is not aligned.
fn sign_extend(from: u32, x: &AxisInfo) -> AxisInfo {
    match from < 32 {
        true => AxisInfo {
            constant: x.constant,
            ..x.in_aligned_runs()
        },
        false => x.clone(),
    }
}

/// -1 is followed by 0: aligned runs alone survive that.
fn zero_extend(from: u32, x: &AxisInfo) -> AxisInfo {
    let extended = |c: i64| if from < 64 { c & ((1 << from) - 1) } else { c };
    AxisInfo {
        constant: x.constant.map(extended),
        ..x.in_aligned_runs()
    }
}

fn truncate(result: &ResultType, x: &AxisInfo) -> AxisInfo {
    // Small integers overflow in the middle of a long run, but not within an aligned one of half their range.
    let longest = 1 << (result.bits.clamp(1, 31) - 1);
    AxisInfo {
        axes: x.axes.iter().map(|a| a.in_runs_of(longest)).collect(),
        constant: x.constant.map(|value| result.wrap(value)),
    }
}

fn add(result: &ResultType, a: &AxisInfo, b: &AxisInfo) -> AxisInfo {
    AxisInfo {
        constant: fold(a, b, i64::wrapping_add).map(|value| result.wrap(value)),
        ..a.zip(b, |a, b| {
            sum(a, b, a.contiguity.min(b.constancy).max(a.constancy.min(b.contiguity)))
        })
    }
}

fn subtract(result: &ResultType, a: &AxisInfo, b: &AxisInfo) -> AxisInfo {
    AxisInfo {
        constant: fold(a, b, i64::wrapping_sub).map(|value| result.wrap(value)),
        ..a.zip(b, |a, b| sum(a, b, a.contiguity.min(b.constancy)))
    }
}

fn multiply(result: &ResultType, a: &AxisInfo, b: &AxisInfo) -> AxisInfo {
    if a.constant == Some(1) {
        return b.clone();
    }
    if b.constant == Some(1) {
        return a.clone();
    }
    AxisInfo {
        constant: fold(a, b, i64::wrapping_mul).map(|value| result.wrap(value)),
        ..a.zip(b, |a, b| Axis {
            contiguity: 1,
            divisibility: a
                .divisibility_of_groups(1)
                .saturating_mul(b.divisibility_of_groups(1))
                .min(CAP),
            constancy: a.constancy.min(b.constancy),
        })
    }
}

pub fn shift_left(result: &ResultType, a: &AxisInfo, b: &AxisInfo) -> Option<AxisInfo> {
    let amount = b.constant.filter(|&s| (0..i64::from(result.bits)).contains(&s))?;
    let axes = a.axes.iter().map(|a| Axis {
        contiguity: if amount == 0 { a.contiguity } else { 1 },
        divisibility: match amount {
            0 => a.divisibility,
            _ => a.divisibility_of_groups(1).saturating_mul(1 << amount.min(30)).min(CAP),
        },
        constancy: a.constancy,
    });
    Some(AxisInfo {
        axes: axes.collect(),
        constant: a.constant.map(|c| result.wrap(c << amount)),
    })
}

/// A divisor of which something is known: a power of two.
fn power_of_two(b: &AxisInfo) -> Option<u64> {
    b.constant
        .filter(|&d| d > 0 && (d as u64).is_power_of_two())
        .map(|d| d as u64)
}

pub fn divide(a: &AxisInfo, b: &AxisInfo, signed: bool) -> Option<AxisInfo> {
    let divisor = power_of_two(b)?;
    // Truncation toward zero breaks a run of negative values, so that runs survive only when unsigned.
    let run = |a: &Axis| match signed {
        true => 1,
        false => a.contiguity.min(divisor).min(a.divisibility),
    };
    let axes = a.axes.iter().map(|a| Axis {
        contiguity: 1,
        divisibility: (a.divisibility_of_groups(1) / divisor).max(1),
        constancy: a.constancy.max(run(a)),
    });
    Some(AxisInfo {
        axes: axes.collect(),
        constant: None,
    })
}

pub fn remainder(a: &AxisInfo, b: &AxisInfo, signed: bool) -> Option<AxisInfo> {
    let divisor = power_of_two(b)?;
    let axes = a.axes.iter().map(|a| {
        let contiguity = match signed {
            true => 1,
            false => a.contiguity.min(divisor).min(a.divisibility),
        };
        Axis {
            contiguity,
            divisibility: a.divisibility_of_groups(contiguity).min(divisor),
            constancy: a.constancy,
        }
    });
    Some(AxisInfo {
        axes: axes.collect(),
        constant: None,
    })
}

fn transfer_compare(predicate: CmpIPredicate, a: &AxisInfo, b: &AxisInfo) -> AxisInfo {
    use CmpIPredicate as P;
    // Where does `a pred b` change as a runs through consecutive values and b stays? Only at a multiple of both.
    let run = |a: Axis, b: Axis| a.contiguity.min(b.constancy).min(a.divisibility).min(b.divisibility);
    a.zip(b, |a, b| {
        let along = match predicate {
            P::Slt | P::Sge | P::Ult | P::Uge => run(a, b),
            P::Sle | P::Sgt | P::Ule | P::Ugt => run(b, a),
            P::Eq | P::Ne => 1,
        };
        Axis {
            contiguity: 1,
            divisibility: 1,
            constancy: a.constancy.min(b.constancy).max(along),
        }
    })
}

fn transfer_select(select: arith::SelectOp<'_, '_>, condition: &AxisInfo, a: &AxisInfo, b: &AxisInfo) -> AxisInfo {
    let arms = a.meet(b);
    // A scalar condition decides for the whole tile.
    let whole = shape_of(select.condition().r#type()).is_none();
    let axes = arms.axes.iter().enumerate().map(|(d, arm)| {
        let group = if whole {
            u64::MAX
        } else {
            condition.axes.get(d).map_or(1, |c| c.constancy)
        };
        let contiguity = arm.contiguity.min(group);
        Axis {
            contiguity,
            divisibility: arm.divisibility_of_groups(contiguity),
            constancy: arm.constancy.min(group),
        }
    });
    AxisInfo {
        axes: axes.collect(),
        constant: None,
    }
}

fn sum(a: Axis, b: Axis, contiguity: u64) -> Axis {
    Axis {
        contiguity,
        divisibility: a
            .divisibility_of_groups(contiguity)
            .min(b.divisibility_of_groups(contiguity)),
        constancy: a.constancy.min(b.constancy),
    }
}

fn fold(a: &AxisInfo, b: &AxisInfo, f: impl Fn(i64, i64) -> i64) -> Option<i64> {
    Some(f(a.constant?, b.constant?))
}
