//! Index arithmetic as formulas.

use mytriton_layout::{IndexBuilder, IndexPlan, LinearLayout};

/// `name = formula`, one line for each output dimension.
pub(super) fn formulas(layout: &LinearLayout) -> Vec<(String, String)> {
    let plan = IndexPlan::new(layout);
    let axis = |axis: &mytriton_layout::AxisPlan| {
        let value = axis.emit(&mut Formula, |_, input| Term::atom(input.to_string()));
        (axis.dim.to_string(), value.text)
    };
    plan.axes().iter().map(axis).collect()
}

struct Formula;

/// A formula, and whether it needs brackets within another.
#[derive(Clone)]
struct Term {
    text: String,
    compound: bool,
}

impl Term {
    fn atom(text: String) -> Term {
        Term { text, compound: false }
    }

    fn of(left: Term, operator: &str, right: Term) -> Term {
        Term {
            text: format!("{} {operator} {}", left.bracketed(), right.bracketed()),
            compound: true,
        }
    }

    /// A sum of sums needs no brackets.
    fn sum(left: Term, operator: &str, right: Term) -> Term {
        Term {
            text: format!("{} {operator} {}", left.text_in_sum(operator), right.bracketed()),
            compound: true,
        }
    }

    fn bracketed(&self) -> String {
        if self.compound {
            format!("({})", self.text)
        } else {
            self.text.clone()
        }
    }

    fn text_in_sum(&self, operator: &str) -> String {
        if self.text.contains(&format!(" {operator} ")) {
            self.text.clone()
        } else {
            self.bracketed()
        }
    }
}

impl IndexBuilder for Formula {
    type Value = Term;

    fn constant(&mut self, value: u32) -> Term {
        Term::atom(value.to_string())
    }

    fn and(&mut self, x: Term, mask: u32) -> Term {
        Term::of(x, "&", Term::atom(mask.to_string()))
    }

    fn shl(&mut self, x: Term, amount: u32) -> Term {
        Term::of(x, "<<", Term::atom(amount.to_string()))
    }

    fn shr(&mut self, x: Term, amount: u32) -> Term {
        Term::of(x, ">>", Term::atom(amount.to_string()))
    }

    fn or_disjoint(&mut self, x: Term, y: Term) -> Term {
        Term::sum(x, "|", y)
    }

    fn xor(&mut self, x: Term, y: Term) -> Term {
        Term::sum(x, "^", y)
    }
}
