//! What the result of one operation is known to be, from what its operands are.

use melior::ir::attribute::{DenseElementsAttribute, IntegerAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Value, ValueLike};
use mytriton_tile::emit::{element_type, result_of, shape_of};
use mytriton_tile::ops::{self, ExpandDimsOp, RangeOp, TransposeOp};
use mytriton_tile::permutation_of;
use mytriton_tile::types::integer;
use smallvec::SmallVec;

use super::{Axis, AxisInfo, CAP, power_of_two_in};
use crate::ir::{int_attribute, pointee_bytes};

/// The facts of an operation's single result; none where nothing is known.
pub(super) fn transfer(op: OperationRef<'_, '_>, name: &str, shape: &[u64], operands: &[AxisInfo]) -> Option<AxisInfo> {
    let extents: SmallVec<[u64; 3]> = if shape.is_empty() {
        SmallVec::from_elem(1, 1)
    } else {
        shape.into()
    };
    let padded = |d: usize| extents[d].next_power_of_two();
    let uniform = |divisibility: u64, constant: Option<i64>| AxisInfo {
        axes: (0..extents.len())
            .map(|d| Axis {
                contiguity: 1,
                divisibility,
                constancy: padded(d),
            })
            .collect(),
        constant,
    };
    // Constants are kept sign-extended.
    let bits = bits_of(result_of(op, 0));
    let wrap = |value: i64| {
        if bits < 64 {
            value << (64 - bits) >> (64 - bits)
        } else {
            value
        }
    };
    match (name, operands) {
        ("arith.constant", []) => {
            let value = op.attribute("value").ok()?;
            let element = match DenseElementsAttribute::try_from(value) {
                Ok(dense) if dense.is_splat() => dense.splat_value(),
                Ok(_) => return None,
                Err(_) => value,
            };
            let value = wrap(IntegerAttribute::try_from(element).ok()?.value());
            Some(uniform(power_of_two_in(value), Some(value)))
        }
        (ops::RANGE, []) => {
            let start = RangeOp::cast(op)?.start().into();
            let axis = Axis {
                contiguity: padded(0),
                divisibility: power_of_two_in(start),
                constancy: 1,
            };
            Some(AxisInfo {
                axes: SmallVec::from_elem(axis, 1),
                constant: None,
            })
        }
        (ops::SPLAT, [x]) => Some(uniform(x.divisibility_of_all(), x.constant)),
        (ops::EXPAND_DIMS, [x]) => {
            let axis = ExpandDimsOp::cast(op)?.axis() as usize;
            let mut info = x.clone();
            info.axes.insert(
                axis,
                Axis {
                    contiguity: 1,
                    divisibility: x.divisibility_of_all(),
                    constancy: 1,
                },
            );
            Some(info)
        }
        (ops::BROADCAST, [x]) => {
            let from = shape_of(op.operand(0).ok()?.r#type())?;
            let mut info = x.clone();
            for (d, axis) in info.axes.iter_mut().enumerate() {
                if from[d] != extents[d] {
                    *axis = Axis {
                        contiguity: 1,
                        divisibility: axis.divisibility_of_groups(1),
                        constancy: padded(d),
                    };
                }
            }
            Some(info)
        }
        (ops::TRANSPOSE, [x]) => {
            let permutation = permutation_of(TransposeOp::cast(op)?)?;
            Some(AxisInfo {
                axes: permutation.iter().map(|&dim| x.axes[dim]).collect(),
                constant: x.constant,
            })
        }
        // Of other tiles nothing is known: runs break where a row ends.
        (ops::RESHAPE, [x]) => x.constant.map(|value| uniform(power_of_two_in(value), Some(value))),
        (ops::CONVERT_LAYOUT | "arith.index_cast", [x]) => Some(x.clone()),
        ("arith.extsi" | "arith.extui", [x]) => {
            let from = bits_of(op.operand(0).ok()?);
            let zero_extended = |c: i64| if from < 64 { c & ((1 << from) - 1) } else { c };
            let constant = if name == "arith.extui" {
                x.constant.map(zero_extended)
            } else {
                x.constant
            };
            // Small integers do overflow, and -1 is followed by 0: aligned runs alone survive that.
            let breaks = from < 32 || name == "arith.extui";
            let cut = |a: &Axis| if breaks { a.in_runs_of(a.divisibility) } else { *a };
            Some(AxisInfo {
                axes: x.axes.iter().map(cut).collect(),
                constant,
            })
        }
        ("arith.trunci", [x]) => {
            // Small integers overflow in the middle of a long run, but not within an aligned one of half their range.
            let longest = 1 << (bits.clamp(1, 31) - 1);
            Some(AxisInfo {
                axes: x.axes.iter().map(|a| a.in_runs_of(longest)).collect(),
                constant: x.constant.map(wrap),
            })
        }
        ("arith.addi", [a, b]) => Some(AxisInfo {
            constant: fold(a, b, i64::wrapping_add).map(wrap),
            ..a.zip(b, |a, b| {
                sum(a, b, a.contiguity.min(b.constancy).max(a.constancy.min(b.contiguity)))
            })
        }),
        ("arith.subi", [a, b]) => Some(AxisInfo {
            constant: fold(a, b, i64::wrapping_sub).map(wrap),
            ..a.zip(b, |a, b| sum(a, b, a.contiguity.min(b.constancy)))
        }),
        (ops::ADDPTR, [p, offset]) => {
            let bytes = pointee_bytes(op.operand(0).ok()?.r#type())?;
            Some(p.zip(offset, |p, o| {
                let contiguity = p.contiguity.min(o.constancy).max(p.constancy.min(o.contiguity));
                let moved = o.divisibility_of_groups(contiguity).saturating_mul(bytes);
                Axis {
                    contiguity,
                    // A run of addresses starts where the run of offsets does; a longer run of pointers is cut in bytes.
                    divisibility: moved.min(if p.contiguity > contiguity {
                        p.divisibility.min(contiguity.saturating_mul(bytes))
                    } else {
                        p.divisibility
                    }),
                    constancy: p.constancy.min(o.constancy),
                }
            }))
        }
        ("arith.muli", [a, b]) => {
            let constant = fold(a, b, i64::wrapping_mul).map(wrap);
            if a.constant == Some(1) {
                return Some(b.clone());
            }
            if b.constant == Some(1) {
                return Some(a.clone());
            }
            Some(AxisInfo {
                constant,
                ..a.zip(b, |a, b| Axis {
                    contiguity: 1,
                    divisibility: a
                        .divisibility_of_groups(1)
                        .saturating_mul(b.divisibility_of_groups(1))
                        .min(CAP),
                    constancy: a.constancy.min(b.constancy),
                })
            })
        }
        (ops::SHL, [a, b]) => {
            let amount = b.constant.filter(|&s| (0..i64::from(bits)).contains(&s))?;
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
                constant: a.constant.map(|c| wrap(c << amount)),
            })
        }
        (ops::DIV_S | ops::DIV_U | "arith.divsi" | "arith.divui", [a, b]) => {
            let divisor = b.constant.filter(|&d| d > 0 && (d as u64).is_power_of_two())? as u64;
            // Truncation toward zero breaks a run of negative values, so that runs survive only when unsigned.
            let unsigned = name.ends_with('u') || name.ends_with("ui");
            let run = |a: &Axis| {
                if unsigned {
                    a.contiguity.min(divisor).min(a.divisibility)
                } else {
                    1
                }
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
        (ops::REM_S | ops::REM_U | "arith.remsi" | "arith.remui", [a, b]) => {
            let divisor = b.constant.filter(|&d| d > 0 && (d as u64).is_power_of_two())? as u64;
            let unsigned = name.ends_with('u') || name.ends_with("ui");
            let axes = a.axes.iter().map(|a| {
                let contiguity = if unsigned {
                    a.contiguity.min(divisor).min(a.divisibility)
                } else {
                    1
                };
                let divisibility = a.divisibility_of_groups(contiguity).min(divisor);
                Axis {
                    contiguity,
                    divisibility,
                    constancy: a.constancy,
                }
            });
            Some(AxisInfo {
                axes: axes.collect(),
                constant: None,
            })
        }
        ("arith.cmpi", [a, b]) => {
            let predicate = int_attribute(op, "predicate")?;
            // Where does `a pred b` change as a runs through consecutive values and b stays? Only at a multiple of both.
            let run = |a: Axis, b: Axis| a.contiguity.min(b.constancy).min(a.divisibility).min(b.divisibility);
            let (below, above) = ([2, 5, 6, 9].contains(&predicate), [3, 4, 7, 8].contains(&predicate));
            Some(a.zip(b, |a, b| {
                let both = a.constancy.min(b.constancy);
                let along = match (below, above) {
                    (true, _) => run(a, b),
                    (_, true) => run(b, a),
                    _ => 1,
                };
                Axis {
                    contiguity: 1,
                    divisibility: 1,
                    constancy: both.max(along),
                }
            }))
        }
        ("arith.select", [condition, a, b]) => {
            let arms = a.meet(b);
            // A scalar condition decides for the whole tile.
            let whole = shape_of(op.operand(0).ok()?.r#type()).is_none();
            let axes = arms.axes.iter().enumerate().map(|(d, arm)| {
                let group = if whole {
                    u64::MAX
                } else {
                    condition.axes.get(d).map_or(1, |c| c.constancy)
                };
                let contiguity = arm.contiguity.min(group);
                let divisibility = arm.divisibility_of_groups(contiguity);
                Axis {
                    contiguity,
                    divisibility,
                    constancy: arm.constancy.min(group),
                }
            });
            Some(AxisInfo {
                axes: axes.collect(),
                constant: None,
            })
        }
        ("arith.andi" | "arith.ori" | "arith.xori", [a, b]) => Some(a.zip(b, |a, b| Axis {
            constancy: a.constancy.min(b.constancy),
            ..Axis::UNKNOWN
        })),
        _ => None,
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

/// The width of an integer, or of the integers in a tile.
fn bits_of(value: Value<'_, '_>) -> u32 {
    integer(element_type(value.r#type())).map_or(64, |ty| ty.width())
}
