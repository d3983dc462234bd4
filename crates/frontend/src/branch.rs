//! Branches: `if` on a compile-time constant takes one arm, on a run-time value both.

use mytriton_ssa::{OpKind, RegionId, Shape, ValueId};

use crate::carry::{at_assignment, takes};
use crate::dtype::{DType, ValueType};
use crate::expr::{Expr, IntoExpr, Repr};
use crate::literal::Number;
use crate::site::{Operand, Site, describe};
use crate::staged::{Staged, leaves_of, named_leaves};

/// A branch whose arms are being built.
#[derive(Debug)]
pub struct Branch<'k> {
    site: Site<'k>,
    mode: Mode<'k>,
}

#[derive(Debug)]
enum Mode<'k> {
    /// Known now: only this arm is built.
    Known(bool),
    /// Both arms are built.
    Run {
        /// None when the condition is a mistake.
        condition: Option<ValueId>,
        /// The variables' values before the branch.
        before: Vec<Expr<'k>>,
        then: Option<(RegionId, Vec<Expr<'k>>)>,
        otherwise: Option<RegionId>,
    },
}

fn values<'k>(vars: &mut [&mut dyn Staged<'k>]) -> Vec<Expr<'k>> {
    named_leaves(&[], vars).into_iter().map(|(_, leaf)| *leaf).collect()
}

impl<'k> Site<'k> {
    /// Begins an `if`. `vars` are the variables from outside that its arms assign.
    pub fn begin_if(self, condition: impl IntoExpr<'k>, vars: &mut [&mut dyn Staged<'k>]) -> Branch<'k> {
        let condition = self.lift(condition);
        if let Some(Number::Bool(known)) = condition.known() {
            return Branch {
                site: self,
                mode: Mode::Known(known),
            };
        }
        let built = (|| {
            let operand = self.operand("if", condition)?;
            self.require_bool("the condition of if", operand)?;
            if !operand.shape().is_scalar() {
                let got = describe(condition);
                return self.fail(format!(
                    "the condition of if is one bool, not {got}: choose element by element with `where_`"
                ));
            }
            self.convert(operand, DType::Bool, Shape::SCALAR)
        })();
        Branch {
            site: self,
            mode: Mode::Run {
                condition: built,
                before: values(vars),
                then: None,
                otherwise: None,
            },
        }
    }
}

impl<'k> Branch<'k> {
    /// Is the first arm to be built? Call this first, and build the arm if it says so.
    pub fn enter_then(&mut self) -> bool {
        match &mut self.mode {
            Mode::Known(known) => *known,
            Mode::Run { then, .. } => {
                let (region, _) = self.site.k.open_region(&[]);
                *then = Some((region, Vec::new()));
                true
            }
        }
    }

    /// Is the second arm to be built? Call this next, with the variables as the first arm left them.
    pub fn enter_else(&mut self, vars: &mut [&mut dyn Staged<'k>]) -> bool {
        match &mut self.mode {
            Mode::Known(known) => !*known,
            Mode::Run {
                before,
                then,
                otherwise,
                ..
            } => {
                if let Some((_, after)) = then {
                    *after = values(vars);
                }
                self.site.k.close_region();
                for ((_, leaf), before) in named_leaves(&[], vars).into_iter().zip(before) {
                    *leaf = *before;
                }
                *otherwise = Some(self.site.k.open_region(&[]).0);
                true
            }
        }
    }

    /// Ends the branch: the variables, and the branch's own value, become what the arms made of them. The values of arms
    /// that were not built are none.
    pub fn finish<T: Staged<'k>>(
        self,
        names: &'static [&'static str],
        vars: &mut [&mut dyn Staged<'k>],
        then_value: Option<T>,
        else_value: Option<T>,
    ) -> T {
        let site = self.site;
        let (condition, before, then, otherwise) = match self.mode {
            Mode::Known(_) => return then_value.or(else_value).unwrap_or_else(|| T::poison(site.k)),
            Mode::Run {
                condition,
                before,
                then: Some(then),
                otherwise: Some(otherwise),
            } => (condition, before, then, otherwise),
            Mode::Run { .. } => return T::poison(site.k),
        };
        let (then_region, then_vars) = then;
        let mut then_value = then_value.unwrap_or_else(|| T::poison(site.k));
        let mut else_value = else_value.unwrap_or_else(|| T::poison(site.k));

        let mut merge = Merge {
            site,
            slots: Vec::new(),
        };
        for (i, (name, leaf)) in named_leaves(names, vars).into_iter().enumerate() {
            let before = before.get(i).copied();
            merge.add(Some(&name), before, then_vars[i], *leaf);
        }
        let own = leaves_of(&mut then_value).into_iter().map(|l| *l).collect::<Vec<_>>();
        for (then, other) in own.into_iter().zip(leaves_of(&mut else_value)) {
            merge.add(None, None, then, *other);
        }
        // The second arm's region is still open.
        let else_ids = merge.operands(false);
        site.k.terminate(site.loc, OpKind::Yield, &else_ids);
        site.k.close_region();
        site.k.reopen_region(then_region);
        let then_ids = merge.operands(true);
        site.k.terminate(site.loc, OpKind::Yield, &then_ids);
        site.k.close_region();

        let types = merge.types();
        let results = match condition {
            Some(condition) => {
                site.k
                    .emit_with_regions(site.loc, OpKind::If, &[condition], &types, &[then_region, otherwise])
            }
            None => vec![Repr::Poison; types.len()],
        };
        let mut merged = merge.results(&results).into_iter();
        for ((name, leaf), result) in named_leaves(names, vars).into_iter().zip(merged.by_ref()) {
            if let Repr::Value { id, .. } = result.repr {
                site.k.set_name(id, &name);
            }
            *leaf = result;
        }
        for (leaf, result) in leaves_of(&mut else_value).into_iter().zip(merged) {
            *leaf = result;
        }
        else_value
    }
}

/// What becomes of one leaf where the arms meet.
enum Slot<'k> {
    /// Both arms agree on it without a result.
    Same(Expr<'k>),
    /// It becomes a result of this type.
    Result {
        then: Operand,
        otherwise: Operand,
        ty: ValueType,
    },
}

struct Merge<'k> {
    site: Site<'k>,
    slots: Vec<Slot<'k>>,
}

impl<'k> Merge<'k> {
    fn add(&mut self, name: Option<&str>, before: Option<Expr<'k>>, then: Expr<'k>, other: Expr<'k>) {
        let slot = if then.repr == other.repr {
            Some(Slot::Same(other))
        } else {
            self.join(name, before, then, other)
        };
        self.slots.push(slot.unwrap_or(Slot::Same(self.site.poison())));
    }

    fn join(&self, name: Option<&str>, before: Option<Expr<'k>>, then: Expr<'k>, other: Expr<'k>) -> Option<Slot<'k>> {
        let site = self.site;
        // The mistake, if it is one, stands where the later arm assigned, or else where the earlier did.
        let assigned = match before {
            Some(before) if other.repr == before.repr => then.assigned,
            _ => other.assigned,
        };
        let at = at_assignment(site, assigned);
        let as_operand = |e: Expr<'k>| match e.repr {
            Repr::Value { id, ty, .. } => Some(Operand::Value(id, ty)),
            Repr::Literal(literal) => Some(Operand::Literal(literal)),
            _ => None,
        };
        if then.is_poison() || other.is_poison() {
            return None;
        }
        let agreed = match (as_operand(then), as_operand(other)) {
            (Some(x @ Operand::Value(_, a)), Some(y @ Operand::Value(_, b))) if a == b => Some((x, y, a)),
            (Some(x @ Operand::Value(_, ty)), Some(y @ Operand::Literal(literal)))
            | (Some(x @ Operand::Literal(literal)), Some(y @ Operand::Value(_, ty)))
                if ty.shape.is_scalar() && takes(literal, ty) =>
            {
                Some((x, y, ty))
            }
            (Some(x @ Operand::Literal(_)), Some(y @ Operand::Literal(_))) => {
                Some((x, y, ValueType::scalar(at.promote("if", &[x, y])?)))
            }
            _ => None,
        };
        if let Some((then, otherwise, ty)) = agreed {
            return Some(Slot::Result { then, otherwise, ty });
        }
        let what = name.map_or("the value of this if".to_owned(), |n| format!("`{n}`"));
        at.fail(format!(
            "{what} is {} after the first branch and {} after the second: branches agree in type and shape exactly",
            describe(then),
            describe(other)
        ))
    }

    /// The values that an arm passes on, made in its region.
    fn operands(&self, first: bool) -> Vec<ValueId> {
        let mut ids = Vec::new();
        for slot in &self.slots {
            if let Slot::Result { then, otherwise, ty } = slot {
                let operand = if first { *then } else { *otherwise };
                ids.extend(match (operand, ty.dtype()) {
                    (Operand::Value(id, _), _) => Some(id),
                    (literal, Some(dtype)) => self.site.convert(literal, dtype, ty.shape),
                    (_, None) => None,
                });
            }
        }
        ids
    }

    fn types(&self) -> Vec<ValueType> {
        let ty = |slot: &Slot<'k>| match slot {
            Slot::Result { ty, .. } => Some(*ty),
            Slot::Same(_) => None,
        };
        self.slots.iter().filter_map(ty).collect()
    }

    fn results(self, results: &[Repr]) -> Vec<Expr<'k>> {
        let mut results = results.iter();
        let k = self.site.k;
        let expr = |slot| match slot {
            Slot::Same(expr) => expr,
            Slot::Result { .. } => Expr::new(k, results.next().copied().unwrap_or(Repr::Poison)),
        };
        self.slots.into_iter().map(expr).collect()
    }
}
