//! The typing rule of every operation without regions: result types from operand types. Builder and verifier share it.

#![warn(clippy::wildcard_enum_match_arm)]

mod elementwise;
mod leaves;
mod memory;
mod shapes;

use smallvec::{SmallVec, smallvec};

use crate::op::{CastKind, Domain, OpKind};
use crate::types::{Scalar, Type};

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
    let of = Operation {
        op: kind.name(),
        operands,
        requested,
    };
    let ty = match kind {
        OpKind::Const(c) => of.constant(c)?,
        OpKind::ProgramId(_) | OpKind::NumPrograms(_) => of.program()?,
        OpKind::Range { start, end } => of.range(*start, *end)?,
        OpKind::Splat => of.splat()?,
        OpKind::ExpandDims { axis } => of.expand_dims(*axis)?,
        OpKind::Broadcast => of.broadcast()?,
        OpKind::Reshape => of.reshape()?,
        OpKind::Transpose { permutation } => of.transpose(permutation)?,
        OpKind::Join => of.join()?,
        OpKind::Split => of.split()?,
        OpKind::Gather { axis } => of.gather(*axis)?,
        OpKind::Histogram => of.histogram()?,
        OpKind::Unary(unary) => of.unary(*unary)?,
        OpKind::Binary(binary) => of.binary(*binary)?,
        OpKind::Fma => of.fma()?,
        OpKind::Cmp(pred) => of.compare(*pred)?,
        OpKind::Select => of.select()?,
        OpKind::Cast(cast) => of.cast(*cast)?,
        OpKind::AddPtr => of.addptr()?,
        OpKind::Load => of.load()?,
        OpKind::Store => {
            of.store()?;
            return Ok(None);
        }
        OpKind::Reduce { .. } | OpKind::Scan { .. } => return Ok(None),
        OpKind::For | OpKind::If | OpKind::While | OpKind::Yield | OpKind::Condition => return Ok(None),
    };
    Ok(Some(ty))
}

/// An operation whose type is asked for.
struct Operation<'a> {
    op: &'static str,
    operands: &'a [Type],
    requested: Option<Type>,
}

impl Operation<'_> {
    /// Refuses other numbers of operands than those for which `ok` holds.
    fn arity(&self, expected: &'static str, ok: bool) -> Result<(), TypeError> {
        if ok {
            return Ok(());
        }
        Err(TypeError::Arity {
            op: self.op,
            expected,
            found: self.operands.len(),
        })
    }

    /// The type that the result is to have, where the operands do not determine it.
    fn want(&self) -> Result<Type, TypeError> {
        self.requested.ok_or_else(|| TypeError::Attribute {
            op: self.op,
            what: "the type of the result must be given".to_owned(),
        })
    }
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
    use crate::op::{BinaryOp, CmpPred};

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
