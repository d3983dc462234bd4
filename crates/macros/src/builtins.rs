//! The builtins that kernels call: their names and numbers of arguments. Each is a method of the front end's `Site`.

use std::ops::RangeInclusive;

use proc_macro2::{Ident, Span};
use syn::{Error, Result};

use crate::advice;

/// A builtin function. As a method (`x.exp()`), the receiver is its first argument.
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    /// The numbers of arguments that it takes.
    pub(crate) arity: RangeInclusive<usize>,
    /// Can it be called as a method?
    pub(crate) method: bool,
    /// The methods of `Site`, from the least number of arguments on.
    targets: [&'static str; 3],
    /// Is the last argument a closure that combines two elements?
    pub(crate) combines: bool,
}

const fn function(name: &'static str, arity: usize) -> Builtin {
    Builtin {
        name,
        arity: arity..=arity,
        method: false,
        targets: [name; 3],
        combines: false,
    }
}

/// A reduction, with an axis or over all elements. These are no methods: `x.max(y)` reads as the larger of two.
const fn reduction(name: &'static str, all: &'static str) -> Builtin {
    Builtin {
        targets: [all, name, name],
        arity: 1..=2,
        ..function(name, 2)
    }
}

/// A reduction or scan by a closure.
const fn combining(name: &'static str, all: Option<&'static str>) -> Builtin {
    let (least, first) = match all {
        Some(all) => (2, all),
        None => (3, name),
    };
    Builtin {
        targets: [first, name, name],
        arity: least..=3,
        combines: true,
        ..function(name, 3)
    }
}

const fn both(name: &'static str, arity: usize) -> Builtin {
    Builtin {
        method: true,
        ..function(name, arity)
    }
}

/// A builtin whose last arguments may be left out: its methods of `Site`, from `least` arguments on.
const fn growing(name: &'static str, least: usize, most: usize, targets: [&'static str; 3]) -> Builtin {
    Builtin {
        arity: least..=most,
        targets,
        ..both(name, most)
    }
}

const fn alias(name: &'static str, target: &'static str, arity: usize) -> Builtin {
    Builtin {
        targets: [target; 3],
        ..both(name, arity)
    }
}

/// `load` and `store` are here too; what follows them (`.mask(..)`) is read with them.
static BUILTINS: &[Builtin] = &[
    function("program_id", 1),
    function("num_programs", 1),
    function("range", 2),
    function("splat", 2),
    function("full", 3),
    function("zeros", 2),
    both("zeros_like", 1),
    function("load", 1),
    function("store", 2),
    function("where_", 3),
    function("select", 3),
    both("minimum", 2),
    both("maximum", 2),
    both("minimum_nan", 2),
    both("maximum_nan", 2),
    both("clamp", 3),
    both("fma", 3),
    both("cdiv", 2),
    both("sigmoid", 1),
    both("silu", 1),
    both("gelu", 1),
    both("relu", 1),
    both("cast", 2),
    alias("to", "cast", 2),
    both("bitcast", 2),
    both("expand_dims", 2),
    both("broadcast_to", 2),
    both("reshape", 2),
    both("permute", 2),
    both("trans", 1),
    both("join", 2),
    both("split", 1),
    both("interleave", 2),
    both("cat", 2),
    both("ravel", 1),
    both("flip", 2),
    both("gather", 3),
    growing("histogram", 2, 3, ["histogram", "histogram_masked", ""]),
    growing("sort", 1, 3, ["sort", "sort_along", "sort_ordered"]),
    both("topk", 2),
    growing("softmax", 1, 2, ["softmax", "softmax_along", ""]),
    reduction("sum", "sum_all"),
    reduction("max", "max_all"),
    reduction("min", "min_all"),
    reduction("argmax", "argmax_all"),
    reduction("argmin", "argmin_all"),
    reduction("max_with_index", "max_with_index_all"),
    reduction("min_with_index", "min_with_index_all"),
    reduction("xor_sum", "xor_sum_all"),
    reduction("reduce_or", "reduce_or_all"),
    reduction("reduce_and", "reduce_and_all"),
    reduction("any", "any_all"),
    reduction("all", "all_all"),
    function("cumsum", 2),
    function("cumsum_reverse", 2),
    function("cumprod", 2),
    function("cumprod_reverse", 2),
    combining("reduce", Some("reduce_all")),
    combining("associative_scan", None),
    combining("associative_scan_reverse", None),
];

/// The builtin of an operation, if the table gives it one of its name.
macro_rules! builtin {
    (other $name:ident $arity:literal) => {
        None
    };
    (method $name:ident $arity:literal) => {
        Some(both(stringify!($name), $arity))
    };
}

macro_rules! elementwise_operations {
    (
        unary { $($u:ident $u_name:ident $u_takes:ident $u_builtin:ident $u_int:tt $u_float:tt $u_library:tt
            $u_error:tt $u_meaning:literal;)* }
        binary { $($b:ident $b_name:ident $b_takes:ident $b_second:ident $b_builtin:ident $b_reads:tt
            $b_undefined:tt $b_order:tt $b_identity:tt $b_int:tt $b_float:tt $b_library:tt $b_error:tt
            $b_meaning:literal;)* }
        comparisons { $($comparisons:tt)* }
        casts { $($casts:tt)* }
    ) => {
        /// Those that the table of elementwise operations lists.
        static ELEMENTWISE: &[Option<Builtin>] = &[
            $(builtin!($u_builtin $u_name 1),)*
            $(builtin!($b_builtin $b_name 2),)*
        ];
    };
}

include!("../../ssa/src/op/elementwise.in");

fn builtins() -> impl Iterator<Item = &'static Builtin> {
    BUILTINS.iter().chain(ELEMENTWISE.iter().flatten())
}

/// Words that are read by their position rather than as builtins.
pub(crate) const SPECIAL: &[&str] = &["static_range", "static_assert", "mask", "other", "at"];

pub(crate) fn find(name: &str) -> Option<&'static Builtin> {
    builtins().find(|b| b.name == name && b.name != "to")
}

pub(crate) fn find_method(name: &Ident) -> Result<&'static Builtin> {
    if let Some(builtin) = builtins().find(|b| *name == b.name && b.method) {
        return Ok(builtin);
    }
    let text = name.to_string();
    let names = builtins().filter(|b| b.method).map(|b| b.name);
    let advice = match (
        nearest(&text, names.chain(["mask", "other", "at"])),
        advice::of_method(&text),
    ) {
        (Some(near), _) => format!("; did you mean `{near}`?"),
        (None, Some(advice)) => format!(": {advice}"),
        (None, None) if find(&text).is_some() => format!(": it is a function, `{text}(..)`"),
        (None, None) => ": device functions are called as functions".to_owned(),
    };
    Err(Error::new(
        name.span(),
        format!("no builtin method `{text}` in kernels{advice}"),
    ))
}

impl Builtin {
    /// The method of `Site` for so many arguments.
    pub(crate) fn target(&self, found: usize) -> &'static str {
        let place = found.saturating_sub(*self.arity.start());
        self.targets[place.min(self.targets.len() - 1)]
    }

    /// Checks the number of arguments, the receiver of a method counted.
    pub(crate) fn check(&self, span: Span, found: usize, method: bool) -> Result<()> {
        if self.arity.contains(&found) {
            return Ok(());
        }
        let less = usize::from(method);
        let (least, most, found) = (self.arity.start() - less, self.arity.end() - less, found - less);
        let plural = if most == 1 { "" } else { "s" };
        let wanted = if least == most {
            most.to_string()
        } else {
            let counts: Vec<String> = (least..=most).map(|n| n.to_string()).collect();
            counts.join(" or ")
        };
        let dot = if method { "." } else { "" };
        let advice = match advice::of_arguments(self.name, found) {
            Some(advice) if !method => format!("; {advice}"),
            _ => String::new(),
        };
        Err(Error::new(
            span,
            format!(
                "`{dot}{}` takes {wanted} argument{plural}, not {found}{advice}",
                self.name
            ),
        ))
    }
}

/// The name nearest to a misspelt one, if one is near.
fn nearest<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names
        .map(|n| (distance(text, n), n))
        .filter(|&(d, _)| d * 3 < text.len())
        .min()
        .map(|(_, n)| n)
}

/// The least number of insertions, deletions and replacements that turn one name into the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_find_their_neighbour() {
        let names = || ["exp", "exp2", "maximum", "minimum"].into_iter();
        assert_eq!(nearest("maxmum", names()), Some("maximum"));
        assert_eq!(nearest("epx2", names()), None);
        assert_eq!(nearest("exp3", names()), Some("exp"));
        assert_eq!(nearest("ex", names()), None);
        assert_eq!(nearest("gather", names()), None);
    }

    #[test]
    fn distances() {
        assert_eq!(distance("load", "load"), 0);
        assert_eq!(distance("lod", "load"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("store", "stare"), 1);
    }
}
