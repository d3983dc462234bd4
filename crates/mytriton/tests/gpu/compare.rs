//! When two results count as the same: by the rules of the fuzzer, and one more.

use mytriton_ssa::Const;

/// How an output is compared with the oracle's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rule {
    /// By what computed it.
    Of(mytriton_fuzz::Rule),
    /// The same bits as the oracle has there, or as it has so many elements further: `x * y + z` rounded twice or once.
    Either(usize),
    /// Within an error, in parts of the oracle's result and by itself: what adds up rounding on the way. Values that are
    /// not finite agree with their like alone.
    Near {
        /// A part of the result's magnitude.
        relative: f64,
        /// Besides.
        absolute: f64,
    },
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
            Rule::Near { relative, absolute } => {
                let near = |got: f64, oracle: f64| (got - oracle).abs() <= relative * oracle.abs() + absolute;
                let finite = |value: Const| value.as_f64().filter(|value| value.is_finite());
                exact(oracle)
                    || finite(got)
                        .zip(finite(oracle))
                        .is_some_and(|(got, oracle)| near(got, oracle))
            }
        }
    }
}

/// Checks that one of two is told from a third, and what is near from what is not.
pub fn self_check() -> Result<(), String> {
    let f = Const::f32;
    let either = |got| Rule::Either(1).accepts(f(got), f(1.0), Some(f(2.0)));
    match (either(1.0), either(2.0), either(3.0), either(f32::NAN)) {
        (true, true, false, false) => {}
        found => return Err(format!("one of two: {found:?}")),
    }
    let rule = Rule::Near {
        relative: 0.125,
        absolute: 1.0,
    };
    let pairs = [(9.0, 8.0), (6.0, 8.0), (5.9, 8.0), (10.1, 8.0), (0.5, 0.0), (-0.5, 0.5)];
    let found = pairs.map(|(got, oracle)| rule.accepts(f(got), f(oracle), None));
    if found != [true, true, false, false, true, true] {
        return Err(format!("near: {found:?}"));
    }
    let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX];
    let same = |i: usize, j: usize| rule.accepts(f(special[i]), f(special[j]), None) == (i == j);
    match (0..16).all(|pair| same(pair / 4, pair % 4)) {
        true => Ok(()),
        false => Err("near: values that are not finite".to_owned()),
    }
}
