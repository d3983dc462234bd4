//! When two results count as the same: by the rules of the fuzzer, and one more.

use mytriton_ssa::Const;

/// How an output is compared with the oracle's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rule {
    /// By what computed it.
    Of(mytriton_fuzz::Rule),
    /// The same bits as the oracle has there, or as it has so many elements further: `x * y + z` rounded twice or once.
    Either(usize),
}

impl Rule {
    /// The same bits, or both NaN.
    pub const EXACT: Rule = Rule::Of(mytriton_fuzz::Rule::Exact);

    /// Does a result count as the oracle's? `alternative` is what [`Rule::Either`] looks at.
    pub fn accepts(self, got: Const, oracle: Const, alternative: Option<Const>) -> bool {
        let exact = |wanted| mytriton_fuzz::Rule::Exact.accepts(got, wanted);
        match self {
            Rule::Of(rule) => rule.accepts(got, oracle),
            Rule::Either(_) => exact(oracle) || alternative.is_some_and(exact),
        }
    }
}

/// Checks that one of two is told from a third.
pub fn self_check() -> Result<(), String> {
    let f = Const::f32;
    let either = |got| Rule::Either(1).accepts(f(got), f(1.0), Some(f(2.0)));
    match (either(1.0), either(2.0), either(3.0), either(f32::NAN)) {
        (true, true, false, false) => Ok(()),
        found => Err(format!("one of two: {found:?}")),
    }
}
