//! How elementwise operations of typed SSA are written in the tile stage: their table ([`MlirForm`]), read in both
//! directions.
//!
//! `arith` and `math` are used where they mean the same; the integer operations whose `arith` versions are undefined at
//! the corners, and the functions that `math` lacks, are the dialect's own. Two flags carry the choice of accuracy: `arcp`
//! on `arith.divf` allows 2 ulp, `afn` on `math.sqrt` allows the approximation; without them both are correctly rounded.

use melior::ir::OperationRef;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::OperationLike;
use mytriton_ssa::{BinaryOp, CastKind, FastMath, MlirForm, OpKind, UnaryOp};

use crate::ops::arith::FastMathFlags;

/// The attribute that names the function of a `tile.unary_function` or `tile.binary_function`.
pub const FUNCTION: &str = "function";

/// The function that a `tile.unary_function` or `tile.binary_function` names; none for other operations.
pub fn function<'c>(op: OperationRef<'c, '_>) -> Option<StringAttribute<'c>> {
    op.attribute(FUNCTION).and_then(StringAttribute::try_from).ok()
}

/// A flag of the table as one of MLIR.
pub fn fast_math(flag: FastMath) -> FastMathFlags {
    match flag {
        FastMath::ApproximateFunction => FastMathFlags::AFN,
        FastMath::Reciprocal => FastMathFlags::ARCP,
    }
}

/// Every operation that the table has a form for, with it: those on integers and those on floats.
fn forms() -> impl Iterator<Item = (OpKind, MlirForm)> {
    let unary = (UnaryOp::ALL.iter()).map(|&op| (OpKind::Unary(op), [op.int_form(), op.float_form()]));
    let binary = (BinaryOp::ALL.iter()).map(|&op| (OpKind::Binary(op), [op.int_form(), op.float_form()]));
    let casts = (CastKind::ALL.iter()).map(|&op| (OpKind::Cast(op), [op.form(), None]));
    let all = unary.chain(binary).chain(casts);
    all.flat_map(|(kind, forms)| forms.into_iter().flatten().map(move |form| (kind.clone(), form)))
}

/// The operation of typed SSA that an operation of MLIR is, by its name, the function that it names, and its fast-math
/// flags; one that ours refine counts as ours.
pub fn elementwise(name: &str, function: Option<&str>, flags: FastMathFlags) -> Option<OpKind> {
    let mut unflagged = None;
    for (kind, form) in forms() {
        let named = form.name == name || form.refines == Some(name);
        if !named || form.function != function {
            continue;
        }
        match form.flag {
            Some(flag) if flags.contains(fast_math(flag)) => return Some(kind),
            Some(_) => {}
            None => unflagged = unflagged.or(Some(kind)),
        }
    }
    unflagged
}

/// The function of the mathematics library that computes an operation of MLIR on floats, if one does.
pub fn library(name: &str, function: Option<&str>) -> Option<&'static str> {
    match elementwise(name, function, FastMathFlags::NONE)? {
        OpKind::Unary(op) => op.library(),
        OpKind::Binary(op) => op.library(),
        OpKind::Cast(_) => None,
        ref other => unreachable!("'{}' has no form in the table", other.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops;

    /// What the table says of the dialect's own operations is what ODS says.
    #[test]
    fn own_operations_are_those_of_the_dialect() {
        let own = [
            ops::DIV_S,
            ops::DIV_U,
            ops::REM_S,
            ops::REM_U,
            ops::SHL,
            ops::SHR_S,
            ops::SHR_U,
            ops::FP_TO_SI,
            ops::FP_TO_UI,
            ops::UNARY_FUNCTION,
            ops::BINARY_FUNCTION,
        ];
        for (kind, form) in forms().filter(|(_, form)| form.name.starts_with("tile.")) {
            assert!(own.contains(&form.name), "{} of {}", form.name, kind.name());
        }
    }

    /// Each form reads back as the operation that it was written for.
    #[test]
    fn forms_are_told_apart() {
        for (kind, form) in forms() {
            let flags = form.flag.map_or(FastMathFlags::NONE, fast_math);
            let read = elementwise(form.name, form.function, flags);
            assert_eq!(read.as_ref(), Some(&kind), "{}", form.name);
            if let Some(refined) = form.refines {
                assert_eq!(elementwise(refined, None, FastMathFlags::NONE), Some(kind), "{refined}");
            }
        }
    }
}
