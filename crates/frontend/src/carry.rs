//! Values carried through loops: what both kinds of loop share.

use mytriton_ssa::{Loc, OpKind, ValueId};

use crate::dtype::ValueType;
use crate::expr::{Expr, Repr};
use crate::literal::Literal;
use crate::site::{Operand, Site};
use crate::staged::{Staged, named_leaves};

/// One leaf of the variables that a loop body assigns.
#[derive(Clone, Debug)]
pub(crate) enum Carried {
    /// A run-time value, by its type.
    Value(ValueType),
    /// What cannot change at run time: an element type, or the result of a mistake.
    Fixed(Repr),
}

/// The variables that a loop carries.
#[derive(Debug)]
pub(crate) struct CarriedSet {
    names: &'static [&'static str],
    leaves: Vec<Carried>,
}

impl CarriedSet {
    /// Prepares variables for a loop, and gives their values before it. A compile-time constant becomes a run-time value
    /// of its own type.
    pub(crate) fn start<'k>(
        site: Site<'k>,
        names: &'static [&'static str],
        vars: &mut [&mut dyn Staged<'k>],
    ) -> (CarriedSet, Vec<ValueId>) {
        let (mut leaves, mut initial) = (Vec::new(), Vec::new());
        for (name, leaf) in named_leaves(names, vars) {
            let value = match leaf.repr {
                Repr::DType(_) | Repr::Poison => None,
                _ => (site.operand(&format!("loop variable `{name}`"), *leaf)).and_then(|o| site.materialise(o)),
            };
            match value {
                Some((id, ty)) => {
                    initial.push(id);
                    leaves.push(Carried::Value(ty));
                }
                None => leaves.push(Carried::Fixed(match leaf.repr {
                    Repr::DType(_) => leaf.repr,
                    _ => Repr::Poison,
                })),
            }
        }
        (CarriedSet { names, leaves }, initial)
    }

    /// The types of the carried values.
    pub(crate) fn types(&self) -> Vec<ValueType> {
        let ty = |c: &Carried| match c {
            Carried::Value(ty) => Some(*ty),
            Carried::Fixed(_) => None,
        };
        self.leaves.iter().filter_map(ty).collect()
    }

    /// Sets the variables to the given values: a region's arguments or the loop's results.
    pub(crate) fn set<'k>(&self, site: Site<'k>, values: &[Repr], vars: &mut [&mut dyn Staged<'k>]) {
        let mut values = values.iter();
        for ((name, leaf), carried) in named_leaves(self.names, vars).into_iter().zip(&self.leaves) {
            let repr = match carried {
                Carried::Value(_) => values.next().copied().unwrap_or(Repr::Poison),
                Carried::Fixed(repr) => *repr,
            };
            if let Repr::Value { id, .. } = repr {
                site.k.set_name(id, &name);
            }
            *leaf = Expr::new(site.k, repr);
        }
    }

    /// The variables' values at the end of a region, to be passed on; where one has changed its type, the mistake is
    /// noted at its assignment and `fallback`, the value at the region's start, is passed on.
    pub(crate) fn pass_on<'k>(
        &self,
        site: Site<'k>,
        fallback: &[Repr],
        vars: &mut [&mut dyn Staged<'k>],
    ) -> Vec<ValueId> {
        let mut fallback = fallback.iter();
        let mut passed = Vec::new();
        for ((name, leaf), carried) in named_leaves(self.names, vars).into_iter().zip(&self.leaves) {
            match carried {
                Carried::Value(ty) => {
                    let start = fallback.next().copied();
                    let value = self.next_value(site, &name, *leaf, *ty);
                    passed.extend(value.or(match start {
                        Some(Repr::Value { id, .. }) => Some(id),
                        _ => None,
                    }));
                }
                Carried::Fixed(before) if leaf.repr != *before && *before != Repr::Poison && !leaf.is_poison() => {
                    let at = at_assignment(site, leaf.assigned);
                    at.error(format!(
                        "`{name}` is {} before the loop and is assigned {leaf} in it: an element type cannot change at run time",
                        Expr::new(site.k, *before)
                    ));
                }
                Carried::Fixed(_) => {}
            }
        }
        passed
    }

    fn next_value<'k>(&self, site: Site<'k>, name: &str, leaf: Expr<'k>, ty: ValueType) -> Option<ValueId> {
        let at = at_assignment(site, leaf.assigned);
        match at.operand(&format!("loop variable `{name}`"), leaf)? {
            Operand::Value(id, found) if found == ty => Some(id),
            Operand::Literal(literal) if ty.shape.is_scalar() && takes(literal, ty) => {
                at.convert(Operand::Literal(literal), ty.dtype()?, ty.shape)
            }
            _ => at.fail(format!(
                "`{name}` is {ty} before the loop and is assigned {} here: a loop-carried variable keeps its exact type \
                 and shape{}",
                leaf_text(leaf),
                advice(name, leaf, ty)
            )),
        }
    }
}

/// The place of an assignment, or of the whole statement where there was none.
pub(crate) fn at_assignment(site: Site<'_>, assigned: Loc) -> Site<'_> {
    if assigned.is_known() {
        Site { loc: assigned, ..site }
    } else {
        site
    }
}

/// Does a compile-time constant take this type?
pub(crate) fn takes(literal: Literal, ty: ValueType) -> bool {
    ty.dtype()
        .is_some_and(|dtype| literal.type_with(dtype).is_ok_and(|t| t == dtype))
}

fn leaf_text(leaf: Expr<'_>) -> String {
    match leaf.repr {
        Repr::Literal(literal) => format!("the number {}", literal.value),
        _ => leaf.to_string(),
    }
}

fn advice(name: &str, leaf: Expr<'_>, ty: ValueType) -> String {
    let Some(found) = leaf.ty() else {
        return if ty.shape.is_scalar() {
            String::new()
        } else {
            "; assign `full(..)` of that shape".to_owned()
        };
    };
    match (found.dtype(), ty.dtype()) {
        (Some(dtype), Some(_)) if found.shape != ty.shape => {
            format!("; start with `let mut {name} = full(.., {dtype})` of the right shape")
        }
        (Some(dtype), Some(before)) if found.shape.is_scalar() => {
            format!("; start with `let mut {name}: {dtype} = ..`, or assign `.. as {before}`")
        }
        (Some(_), Some(before)) => format!("; assign `.. as {before}`, or start with the other type"),
        _ => String::new(),
    }
}

/// Ends a loop's region with the values that the variables have.
pub(crate) fn close<'k>(site: Site<'k>, terminator: OpKind, operands: &[ValueId]) {
    site.k.terminate(site.loc, terminator, operands);
    site.k.close_region();
}
