//! The typing rule of every operation without regions: result types from operand types. Builder and verifier share it.

#![warn(clippy::wildcard_enum_match_arm)]

use smallvec::{SmallVec, smallvec};

use crate::op::{BinaryOp, CastKind, CmpPred, Domain, OpKind};
use crate::types::{Elem, Scalar, Shape, Type};

/// Why operands do not fit an operation.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TypeError {
    /// The wrong number of operands.
    #[error("'{op}' takes {expected} operand(s), not {found}")]
    Arity {
        /// The operation's name.
        op: &'static str,
        /// How many it takes.
        expected: &'static str,
        /// How many there are.
        found: usize,
    },
    /// An operand of a kind that the operation is not defined for.
    #[error("'{op}' takes {expected}, not {found}")]
    Operand {
        /// The operation's name.
        op: &'static str,
        /// What it takes.
        expected: &'static str,
        /// The type found.
        found: Type,
    },
    /// A signed operation on booleans.
    #[error("'{op}' is a signed operation, and i1 has no sign: use {instead}")]
    Unsigned {
        /// The operation's name, or the predicate's.
        op: &'static str,
        /// The name of the unsigned one.
        instead: &'static str,
    },
    /// Operands that should have one type.
    #[error("the operands of '{op}' have one type: {left} and {right} differ")]
    Mismatch {
        /// The operation's name.
        op: &'static str,
        /// The one operand's type.
        left: Type,
        /// The other's.
        right: Type,
    },
    /// An operand (mask, condition, value ...) that must have a type given by another operand.
    #[error("the {role} of '{op}' is {expected} here, not {found}")]
    Role {
        /// The operation's name.
        op: &'static str,
        /// What the operand is for.
        role: &'static str,
        /// The type that it must have.
        expected: Type,
        /// The type found.
        found: Type,
    },
    /// A result type that the operation cannot give.
    #[error("'{op}' of {from} cannot give {to}: {why}")]
    Result {
        /// The operation's name.
        op: &'static str,
        /// The operand's type.
        from: Type,
        /// The type asked for.
        to: Type,
        /// What would be right.
        why: &'static str,
    },
    /// An attribute out of its range.
    #[error("'{op}': {what}")]
    Attribute {
        /// The operation's name.
        op: &'static str,
        /// What is wrong with it.
        what: String,
    },
}

/// The result type of an operation without regions; none for those without a result. `requested` is the type asked
/// for, needed by constants, `splat`, `broadcast`, `reshape`, `histogram` and casts, whose operands do not determine it, and
/// otherwise unused. Of an operation with several results (`split`, whose types are one) it is that of each:
/// [`result_types`] has them all.
///
/// `for`, `if`, `while`, reductions ([`reduction_types`]), scans and the terminators are checked by the verifier, which
/// sees their regions.
pub fn result_type(kind: &OpKind, operands: &[Type], requested: Option<Type>) -> Result<Option<Type>, TypeError> {
    let op = kind.name();
    let arity = |expected: &'static str, ok: bool| {
        if ok {
            Ok(())
        } else {
            Err(TypeError::Arity {
                op,
                expected,
                found: operands.len(),
            })
        }
    };
    let want = || {
        requested.ok_or_else(|| TypeError::Attribute {
            op,
            what: "the type of the result must be given".to_owned(),
        })
    };
    Ok(Some(match kind {
        OpKind::Const(c) => {
            arity("0", operands.is_empty())?;
            let ty = requested.unwrap_or(Type::scalar(c.scalar()));
            if ty.elem != Elem::Scalar(c.scalar()) {
                let from = Type::scalar(c.scalar());
                return Err(TypeError::Result {
                    op,
                    from,
                    to: ty,
                    why: "the element type is the constant's",
                });
            }
            ty
        }
        OpKind::ProgramId(_) | OpKind::NumPrograms(_) => {
            arity("0", operands.is_empty())?;
            Type::I32
        }
        OpKind::Range { start, end } => {
            arity("0", operands.is_empty())?;
            let extent = i64::from(*end) - i64::from(*start);
            let what = || format!("range {start}, {end} is empty: the end is above the start");
            let extent = u32::try_from(extent).ok().filter(|&e| e > 0);
            let extent = extent.ok_or_else(|| TypeError::Attribute { op, what: what() })?;
            let shape = Shape::new(&[extent]).map_err(|e| TypeError::Attribute {
                op,
                what: e.to_string(),
            })?;
            Type::I32.with_shape(shape)
        }
        OpKind::Splat => {
            arity("1", operands.len() == 1)?;
            let (from, to) = (operands[0], want()?);
            if !from.is_scalar() {
                return Err(TypeError::Operand {
                    op,
                    expected: "a scalar",
                    found: from,
                });
            }
            if to.elem != from.elem || to.is_scalar() {
                return Err(TypeError::Result {
                    op,
                    from,
                    to,
                    why: "the result is a tile of the operand's type",
                });
            }
            to
        }
        OpKind::ExpandDims { axis } => {
            arity("1", operands.len() == 1)?;
            let from = operands[0];
            if from.is_scalar() {
                return Err(TypeError::Operand {
                    op,
                    expected: "a tile",
                    found: from,
                });
            }
            let shape = from.shape.expand(*axis).map_err(|e| TypeError::Attribute {
                op,
                what: e.to_string(),
            })?;
            from.with_shape(shape)
        }
        OpKind::Broadcast => {
            arity("1", operands.len() == 1)?;
            let (from, to) = (operands[0], want()?);
            let (a, b) = (from.shape.dims(), to.shape.dims());
            let stretches = a.len() == b.len() && a.iter().zip(b).all(|(&x, &y)| x == y || x == 1);
            if from.is_scalar() || from.elem != to.elem || !stretches {
                let why = "it stretches extents of 1 and changes nothing else";
                return Err(TypeError::Result { op, from, to, why });
            }
            to
        }
        OpKind::Reshape => {
            arity("1", operands.len() == 1)?;
            let (from, to) = (operands[0], want()?);
            if to.elem != from.elem || to.shape.elements() != from.shape.elements() {
                let why = "a reshape keeps the element type and the number of elements";
                return Err(TypeError::Result { op, from, to, why });
            }
            to
        }
        OpKind::Transpose { permutation } => {
            arity("1", operands.len() == 1)?;
            let from = operands[0];
            let shape = permutation.apply(&from.shape).filter(|_| !from.is_scalar());
            from.with_shape(shape.ok_or_else(|| {
                let (rank, given) = (from.shape.rank(), permutation.rank());
                let what = format!("the order {permutation} is one of {given} dimension(s), the operand has {rank}");
                TypeError::Attribute { op, what }
            })?)
        }
        OpKind::Join => {
            arity("2", operands.len() == 2)?;
            same(op, operands[0], operands[1])?;
            let shape = operands[0].shape.append(2).map_err(|e| TypeError::Attribute {
                op,
                what: e.to_string(),
            })?;
            operands[0].with_shape(shape)
        }
        OpKind::Split => {
            arity("1", operands.len() == 1)?;
            let found = operands[0];
            let expected = "a tile whose last extent is 2";
            let Some((2, rest)) = found.shape.dims().split_last() else {
                return Err(TypeError::Operand { op, expected, found });
            };
            found.with_shape(found.shape.without(rest.len()).expect("it is a dimension"))
        }
        OpKind::Gather { axis } => {
            arity("2", operands.len() == 2)?;
            gathered(op, *axis, operands[0], operands[1])?
        }
        OpKind::Histogram => {
            arity("1 to 2", (1..=2).contains(&operands.len()))?;
            let (from, to) = (operands[0], want()?);
            if from.is_scalar() || !from.is_int() {
                let expected = "a tile of integers";
                return Err(TypeError::Operand {
                    op,
                    expected,
                    found: from,
                });
            }
            if let Some(&mask) = operands.get(1) {
                role(op, "mask", from.with_scalar(Scalar::I1), mask)?;
            }
            if to.as_scalar() != Some(Scalar::I32) || to.shape.rank() != 1 {
                let why = "it counts into a tile of i32 of rank 1, an element for each bin";
                return Err(TypeError::Result { op, from, to, why });
            }
            to
        }
        OpKind::Unary(unary) => {
            arity("1", operands.len() == 1)?;
            in_domain(op, unary.domain(), operands[0])?;
            if operands[0].as_scalar() == Some(Scalar::I1) {
                return Err(TypeError::Operand {
                    op,
                    expected: "integers wider than i1",
                    found: operands[0],
                });
            }
            operands[0]
        }
        OpKind::Binary(binary) => {
            arity("2", operands.len() == 2)?;
            in_domain(op, binary.domain(), operands[0])?;
            let first = operands[0].as_scalar().expect("operations on numbers");
            let second = operands[0].with_scalar(binary.second_operand(first));
            if second == operands[0] {
                same(op, operands[0], operands[1])?;
            } else {
                role(op, "second operand", second, operands[1])?;
            }
            signed(op, binary.unsigned().map(BinaryOp::name), operands[0])?;
            operands[0]
        }
        OpKind::Fma => {
            arity("3", operands.len() == 3)?;
            in_domain(op, Domain::Float, operands[0])?;
            same(op, operands[0], operands[1])?;
            same(op, operands[0], operands[2])?;
            operands[0]
        }
        OpKind::Cmp(pred) => {
            arity("2", operands.len() == 2)?;
            same(op, operands[0], operands[1])?;
            let ty = operands[0];
            if ty.pointee().is_some() && !pred.is_equality() {
                return Err(TypeError::Operand {
                    op,
                    expected: "numbers (pointers compare by eq and ne alone)",
                    found: ty,
                });
            }
            if pred.is_unsigned() {
                in_domain(op, Domain::Int, ty)?;
            }
            signed(pred.name(), pred.unsigned().map(CmpPred::name), ty)?;
            ty.with_scalar(Scalar::I1)
        }
        OpKind::Select => {
            arity("3", operands.len() == 3)?;
            same(op, operands[1], operands[2])?;
            let expected = operands[1].with_scalar(Scalar::I1);
            if operands[0] != expected && operands[0] != Type::I1 {
                return Err(TypeError::Role {
                    op,
                    role: "condition",
                    expected,
                    found: operands[0],
                });
            }
            operands[1]
        }
        OpKind::Cast(cast) => {
            arity("1", operands.len() == 1)?;
            let (from, to) = (operands[0], want()?);
            if from.shape != to.shape {
                return Err(TypeError::Result {
                    op,
                    from,
                    to,
                    why: "a cast keeps the shape",
                });
            }
            let (Some(a), Some(b)) = (from.as_scalar(), to.as_scalar()) else {
                return Err(TypeError::Result {
                    op,
                    from,
                    to,
                    why: "casts are between numbers",
                });
            };
            if let Some(why) = cast_refusal(*cast, a, b) {
                return Err(TypeError::Result { op, from, to, why });
            }
            to
        }
        OpKind::AddPtr => {
            arity("2", operands.len() == 2)?;
            let (ptr, offset) = (operands[0], operands[1]);
            if ptr.pointee().is_none() {
                return Err(TypeError::Operand {
                    op,
                    expected: "a pointer first",
                    found: ptr,
                });
            }
            if !offset.is_int() || offset.as_scalar() == Some(Scalar::I1) {
                return Err(TypeError::Operand {
                    op,
                    expected: "an offset of i8, i16, i32 or i64",
                    found: offset,
                });
            }
            if offset.shape != ptr.shape {
                let expected = offset.with_shape(ptr.shape);
                return Err(TypeError::Role {
                    op,
                    role: "offset",
                    expected,
                    found: offset,
                });
            }
            ptr
        }
        OpKind::Load => {
            arity("1 to 3", (1..=3).contains(&operands.len()))?;
            let value = pointee(op, operands[0])?;
            if let Some(&mask) = operands.get(1) {
                role(op, "mask", value.with_scalar(Scalar::I1), mask)?;
            }
            if let Some(&other) = operands.get(2) {
                role(op, "other", value, other)?;
            }
            value
        }
        OpKind::Store => {
            arity("2 to 3", (2..=3).contains(&operands.len()))?;
            let value = pointee(op, operands[0])?;
            role(op, "value", value, operands[1])?;
            if let Some(&mask) = operands.get(2) {
                role(op, "mask", value.with_scalar(Scalar::I1), mask)?;
            }
            return Ok(None);
        }
        OpKind::Reduce { .. } | OpKind::Scan { .. } => return Ok(None),
        OpKind::For | OpKind::If | OpKind::While | OpKind::Yield | OpKind::Condition => return Ok(None),
    }))
}

/// The types of all results of an operation without regions; `requested` is the first one's, as for [`result_type`].
pub fn result_types(
    kind: &OpKind,
    operands: &[Type],
    requested: Option<Type>,
) -> Result<SmallVec<[Type; 2]>, TypeError> {
    let Some(each) = result_type(kind, operands, requested)? else {
        return Ok(SmallVec::new());
    };
    Ok(match kind {
        OpKind::Split => smallvec![each, each],
        OpKind::Const(_)
        | OpKind::ProgramId(_)
        | OpKind::NumPrograms(_)
        | OpKind::Range { .. }
        | OpKind::Splat
        | OpKind::ExpandDims { .. }
        | OpKind::Broadcast
        | OpKind::Reshape
        | OpKind::Transpose { .. }
        | OpKind::Join
        | OpKind::Gather { .. }
        | OpKind::Histogram
        | OpKind::Unary(_)
        | OpKind::Binary(_)
        | OpKind::Fma
        | OpKind::Cmp(_)
        | OpKind::Select
        | OpKind::Cast(_)
        | OpKind::AddPtr
        | OpKind::Load => smallvec![each],
        // Without results, or with those that their regions give: none of them comes here.
        OpKind::Store | OpKind::Yield | OpKind::Condition => SmallVec::new(),
        OpKind::Reduce { .. } | OpKind::Scan { .. } | OpKind::For | OpKind::If | OpKind::While => SmallVec::new(),
    })
}

/// The type of what a gather along an axis gives.
fn gathered(op: &'static str, axis: usize, source: Type, index: Type) -> Result<Type, TypeError> {
    if source.is_scalar() || source.as_scalar().is_none() {
        let expected = "a tile of numbers first";
        return Err(TypeError::Operand {
            op,
            expected,
            found: source,
        });
    }
    if index.is_scalar() || !index.is_int() || index.as_scalar() == Some(Scalar::I1) {
        let expected = "a tile of i8, i16, i32 or i64 as its index";
        return Err(TypeError::Operand {
            op,
            expected,
            found: index,
        });
    }
    let without = |ty: Type| ty.shape.without(axis);
    let rest = without(source).map_err(|e| TypeError::Attribute {
        op,
        what: e.to_string(),
    })?;
    if index.shape.rank() != source.shape.rank() || without(index) != Ok(rest) {
        let (from, to) = (source.shape, index.shape);
        let what =
            format!("the extents of operand and index are equal, but along axis {axis}: [{from}] and [{to}] differ");
        return Err(TypeError::Attribute { op, what });
    }
    Ok(source.with_shape(index.shape))
}

/// How many tiles can be reduced or scanned together.
pub const MAX_REDUCED: usize = 4;

/// The result types of [`OpKind::Reduce`] and [`OpKind::Scan`], one for each operand.
///
/// # Panics
/// For any other operation.
pub fn reduction_types(kind: &OpKind, operands: &[Type]) -> Result<Vec<Type>, TypeError> {
    let op = kind.name();
    #[expect(clippy::wildcard_enum_match_arm, reason = "there are two of them")]
    let (axis, keeps_shape) = match *kind {
        OpKind::Reduce { axis } => (axis, false),
        OpKind::Scan { axis, .. } => (axis, true),
        ref other => unreachable!("'{}' is neither a reduction nor a scan", other.name()),
    };
    if !(1..=MAX_REDUCED).contains(&operands.len()) {
        return Err(TypeError::Arity {
            op,
            expected: "1 to 4",
            found: operands.len(),
        });
    }
    let first = operands[0];
    for &found in operands {
        if found.is_scalar() || found.as_scalar().is_none() {
            let expected = "tiles of numbers";
            return Err(TypeError::Operand { op, expected, found });
        }
        if found.shape != first.shape {
            let (left, right) = (first.shape, found.shape);
            let what = format!("tiles that are combined together have one shape: [{left}] and [{right}] differ");
            return Err(TypeError::Attribute { op, what });
        }
    }
    let shape = first.shape.without(axis).map_err(|e| TypeError::Attribute {
        op,
        what: e.to_string(),
    })?;
    let result = |ty: &Type| if keeps_shape { *ty } else { ty.with_shape(shape) };
    Ok(operands.iter().map(result).collect())
}

fn in_domain(op: &'static str, domain: Domain, ty: Type) -> Result<(), TypeError> {
    if ty.as_scalar().is_some_and(|scalar| domain.contains(scalar)) {
        Ok(())
    } else {
        Err(TypeError::Operand {
            op,
            expected: domain.describe(),
            found: ty,
        })
    }
}

/// Refuses `i1` where the operation has an unsigned form to use instead, being signed itself.
fn signed(op: &'static str, instead: Option<&'static str>, ty: Type) -> Result<(), TypeError> {
    match instead {
        Some(instead) if ty.as_scalar() == Some(Scalar::I1) => Err(TypeError::Unsigned { op, instead }),
        _ => Ok(()),
    }
}

fn same(op: &'static str, left: Type, right: Type) -> Result<(), TypeError> {
    if left == right {
        Ok(())
    } else {
        Err(TypeError::Mismatch { op, left, right })
    }
}

fn role(op: &'static str, role: &'static str, expected: Type, found: Type) -> Result<(), TypeError> {
    if found == expected {
        Ok(())
    } else {
        Err(TypeError::Role {
            op,
            role,
            expected,
            found,
        })
    }
}

/// The type that a pointer or tile of pointers loads.
fn pointee(op: &'static str, ptr: Type) -> Result<Type, TypeError> {
    match ptr.pointee() {
        Some(scalar) => Ok(ptr.with_scalar(scalar)),
        None => Err(TypeError::Operand {
            op,
            expected: "a pointer or a tile of pointers first",
            found: ptr,
        }),
    }
}

/// Why a cast does not go from the one type to the other; none when it does.
fn cast_refusal(cast: CastKind, from: Scalar, to: Scalar) -> Option<&'static str> {
    let (ok, why) = match cast {
        CastKind::SExt | CastKind::ZExt => (
            from.is_int() && to.is_int() && from.bits() < to.bits(),
            "it goes from an integer to a wider one",
        ),
        CastKind::Trunc => (
            from.is_int() && to.is_int() && from.bits() > to.bits(),
            "it goes from an integer to a narrower one",
        ),
        CastKind::FExt => (
            from.is_float() && to.is_float() && from.bits() < to.bits(),
            "it goes from a float to a wider one",
        ),
        CastKind::FTrunc => (
            from.is_float() && to.is_float() && from.bits() > to.bits(),
            "it goes from a float to a narrower one",
        ),
        CastKind::SToF => (
            from.is_int() && from != Scalar::I1 && to.is_float(),
            "it goes from a signed integer to a float; i1 has no sign: use u_to_f",
        ),
        CastKind::UToF => (from.is_int() && to.is_float(), "it goes from an integer to a float"),
        CastKind::FToS | CastKind::FToU => (
            from.is_float() && to.is_int() && to != Scalar::I1,
            "it goes from a float to an integer; for i1 compare with zero",
        ),
        CastKind::Bitcast => (
            from != to && from.bits() == to.bits(),
            "it goes between two types of one width",
        ),
    };
    if ok { None } else { Some(why) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every cast between any two types.
    #[test]
    fn casts_go_where_their_names_say() {
        let width = |scalar| match scalar {
            Scalar::I1 => 1,
            Scalar::I8 => 8,
            Scalar::I16 | Scalar::F16 | Scalar::BF16 => 16,
            Scalar::I32 | Scalar::F32 => 32,
            Scalar::I64 | Scalar::F64 => 64,
        };
        for (from, to) in Scalar::ALL
            .into_iter()
            .flat_map(|from| Scalar::ALL.map(|to| (from, to)))
        {
            let ints = from.is_int() && to.is_int();
            let floats = from.is_float() && to.is_float();
            let (wider, narrower) = (width(to) > width(from), width(to) < width(from));
            for (kind, expected) in [
                (CastKind::SExt, ints && wider),
                (CastKind::ZExt, ints && wider),
                (CastKind::Trunc, ints && narrower),
                (CastKind::FExt, floats && wider),
                (CastKind::FTrunc, floats && narrower),
                (CastKind::SToF, from.is_int() && from != Scalar::I1 && to.is_float()),
                (CastKind::UToF, from.is_int() && to.is_float()),
                (CastKind::FToS, from.is_float() && to.is_int() && to != Scalar::I1),
                (CastKind::FToU, from.is_float() && to.is_int() && to != Scalar::I1),
                (CastKind::Bitcast, from != to && !wider && !narrower),
            ] {
                let kind = OpKind::Cast(kind);
                let [from_tile, to_tile] = [from, to].map(|scalar| Type::tile(scalar, &[4]).unwrap());
                for (from, to) in [(Type::scalar(from), Type::scalar(to)), (from_tile, to_tile)] {
                    let found = result_type(&kind, &[from], Some(to));
                    assert_eq!(found.is_ok(), expected, "{kind:?} of {from} to {to}");
                    assert!(!expected || found == Ok(Some(to)));
                }
                assert!(result_type(&kind, &[from_tile], Some(Type::scalar(to))).is_err());
            }
        }
    }

    /// Every operation of two numbers on every type: which read a sign, and that `i1` alone is refused for it.
    #[test]
    fn truth_values_have_no_sign() {
        let unsigned = |kind: &OpKind, ty: Type| match result_type(kind, &[ty, ty], None) {
            Err(e @ TypeError::Unsigned { .. }) => Some(e.to_string()),
            _ => None,
        };
        let kinds = BinaryOp::ALL.iter().map(|&op| OpKind::Binary(op));
        let kinds = kinds.chain(CmpPred::ALL.iter().map(|&pred| OpKind::Cmp(pred)));
        let mut refused = Vec::new();
        for kind in kinds {
            for scalar in Scalar::ALL.into_iter().filter(|&s| s != Scalar::I1) {
                assert_eq!(unsigned(&kind, Type::scalar(scalar)), None, "{kind:?} of {scalar}");
            }
            let tile = Type::tile(Scalar::I1, &[4]).unwrap();
            assert_eq!(
                unsigned(&kind, Type::I1).is_some(),
                unsigned(&kind, tile).is_some(),
                "{kind:?}"
            );
            refused.extend(unsigned(&kind, Type::I1));
        }
        let line = |op, instead| format!("'{op}' is a signed operation, and i1 has no sign: use {instead}");
        let expected = [
            ("div_s", "div_u"),
            ("rem_s", "rem_u"),
            ("shr_s", "shr_u"),
            ("min_s", "min_u"),
            ("max_s", "max_u"),
            ("lt", "lt_u"),
            ("le", "le_u"),
            ("gt", "gt_u"),
            ("ge", "ge_u"),
        ];
        assert_eq!(refused, expected.map(|(op, instead)| line(op, instead)));
        let to_i32 = |kind| result_type(&OpKind::Cast(kind), &[Type::I1], Some(Type::I32));
        assert_eq!(to_i32(CastKind::SExt), Ok(Some(Type::I32)));
        for kind in [BinaryOp::DivU, BinaryOp::ShrU, BinaryOp::MaxU, BinaryOp::Shl] {
            assert_eq!(
                result_type(&OpKind::Binary(kind), &[Type::I1; 2], None),
                Ok(Some(Type::I1))
            );
        }
    }
}
