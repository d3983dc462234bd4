//! The tables of `docs/language.md` that say what elementwise operations mean: what the table of operations gives.
//!
//! `UPDATE_DOCS=1 cargo test -p mytriton-ssa --test text language_page` writes them anew.

use std::fmt::Write;
use std::path::Path;

use mytriton_ssa::{Accuracy, Approximation, BinaryOp, CastKind, CmpPred, Scalar, UnaryOp};

/// The tables by the names of their marks in the page.
fn tables() -> [(&'static str, String); 4] {
    let both = |scalar: Scalar| {
        let unary = UnaryOp::ALL.iter().filter(move |op| op.domain().contains(scalar));
        let binary = BinaryOp::ALL.iter().filter(move |op| op.domain().contains(scalar));
        let unary = unary.map(|op| (op.name(), op.meaning(), op.accuracy()));
        unary.chain(binary.map(|op| (op.name(), op.meaning(), op.accuracy())))
    };
    let mut ints = "| operation | meaning |\n|---|---|\n".to_owned();
    for (name, meaning, _) in both(Scalar::I32) {
        writeln!(ints, "| `{name}` | {meaning} |").unwrap();
    }
    let mut floats = "| operation | meaning | ulp in `f32` | in `f64` |\n|---|---|---|---|\n".to_owned();
    for (name, meaning, accuracy) in both(Scalar::F32) {
        let double = accuracy.f64;
        writeln!(floats, "| `{name}` | {meaning} | {} | {double} |", single(accuracy)).unwrap();
    }
    let mut comparisons = "| predicate | meaning |\n|---|---|\n".to_owned();
    for pred in CmpPred::ALL {
        writeln!(comparisons, "| `{pred}` | {} |", pred.meaning()).unwrap();
    }
    let mut casts = "| operation | meaning |\n|---|---|\n".to_owned();
    for cast in CastKind::ALL {
        writeln!(casts, "| `{cast}` | {} |", cast.meaning()).unwrap();
    }
    [
        ("integers", ints),
        ("floats", floats),
        ("comparisons", comparisons),
        ("conversions", casts),
    ]
}

fn single(accuracy: Accuracy) -> String {
    match accuracy.approximation {
        None => accuracy.f32.to_string(),
        Some(Approximation::Ulp(ulp)) => ulp.to_string(),
        Some(Approximation::Exp) => "relative 2^-22 + abs(x) 2^-23".to_owned(),
    }
}

#[test]
fn tables_are_those_of_the_operations() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/language.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mut expected = page.clone();
    for (name, table) in tables() {
        let (start, end) = (format!("<!-- table of {name} -->\n"), "<!-- end of table -->\n");
        let (before, rest) = expected.split_once(&start).unwrap_or_else(|| panic!("no {start}"));
        let (_, after) = rest
            .split_once(end)
            .unwrap_or_else(|| panic!("no end of the table of {name}"));
        expected = format!("{before}{start}{table}{end}{after}");
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    assert!(
        page == expected,
        "docs/language.md is not what the table of operations gives: run this with UPDATE_DOCS=1, and commit it"
    );
}
