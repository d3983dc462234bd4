//! Rules for Rust code: where `unsafe` may be, and what must not be left behind.

use super::rust_text::{code_only, is_word};
use super::{Finding, Source};

/// The crates whose duty is an interface to foreign code.
const UNSAFE_ALLOWED: &[&str] = &["crates/tile-sys/", "crates/runtime/", "crates/codegen-ptx/"];

/// Macros that mark unfinished work.
const UNFINISHED: &[&str] = &["todo", "unimplemented", "dbg"];

/// Checks a Rust file; others pass.
pub(super) fn check(source: &Source) -> Vec<Finding> {
    if source.extension() != "rs" {
        return Vec::new();
    }
    let may_be_unsafe = UNSAFE_ALLOWED.iter().any(|allowed| source.path.starts_with(allowed));
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(code_only(&source.text).lines()) {
        let mut found = |message: String| findings.push(Finding::on_line(&source.path, number, message));
        if !may_be_unsafe && words(line).any(|(word, _)| word == "unsafe") {
            found(format!(
                "`unsafe` outside {}; give those a safe function to call",
                UNSAFE_ALLOWED.join(", ")
            ));
        }
        for (word, _) in words(line).filter(|(word, after)| UNFINISHED.contains(word) && after.starts_with('!')) {
            found(format!("`{word}!` is left in"));
        }
        // Literals are blanked: the picture of a tab in a snapshot may be one.
        if line.contains('\t') {
            found("tab; indent with spaces".to_owned());
        }
        if ignores_test(line) {
            found("an ignored test; mend or remove it".to_owned());
        }
    }
    findings
}

/// The words of a line, each with what follows it.
fn words(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c| !is_word(c));
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        (!word.is_empty()).then_some((word, after))
    })
}

fn ignores_test(line: &str) -> bool {
    let joined: String = line.split_whitespace().collect();
    joined
        .match_indices("#[ignore")
        .any(|(at, found)| joined[at + found.len()..].starts_with([']', '=']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(path: &str, text: &str) -> Vec<String> {
        let source = Source {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        check(&source).into_iter().map(|finding| finding.to_string()).collect()
    }

    #[test]
    fn unsafe_only_at_foreign_interfaces() {
        let text = "fn a() {\n    unsafe { b() }\n}\n";
        assert_eq!(problems("crates/tile-sys/src/a.rs", text), [""; 0]);
        let found = problems("crates/tile/src/a.rs", text);
        assert!(
            found.len() == 1 && found[0].starts_with("crates/tile/src/a.rs:2: `unsafe` outside"),
            "{found:?}"
        );
        assert_eq!(
            problems("crates/ssa/src/a.rs", "#![forbid(unsafe_code)] // unsafe\n"),
            [""; 0]
        );
        assert_eq!(
            problems("crates/ssa/src/a.cpp", text),
            [""; 0],
            "other languages are not read"
        );
    }

    #[test]
    fn unfinished_work() {
        assert_eq!(
            problems("a.rs", "todo!(); my_todo!();\n"),
            ["a.rs:1: `todo!` is left in"]
        );
        assert_eq!(problems("a.rs", "let a = dbg!(b);\nunimplemented!(\"c\");\n").len(), 2);
        assert_eq!(problems("a.rs", "let todo = \"todo!()\"; // dbg!\n"), [""; 0]);
    }

    #[test]
    fn tabs_in_code() {
        assert_eq!(
            problems("a.rs", "fn a() {\n\tb();\n}\n"),
            ["a.rs:2: tab; indent with spaces"]
        );
        assert_eq!(problems("a.rs", "let a = \"\n\tb\";\n"), [""; 0]);
        assert_eq!(problems("Makefile", "a:\n\tb\n"), [""; 0]);
    }

    #[test]
    fn ignored_tests() {
        assert_eq!(
            problems("a.rs", "#[test]\n#[ignore]\nfn a() {}\n"),
            ["a.rs:2: an ignored test; mend or remove it"]
        );
        assert_eq!(problems("a.rs", "#[ignore = \"slow\"]\n").len(), 1);
        assert_eq!(problems("a.rs", "#[ignored]\nlet ignore = 1;\n"), [""; 0]);
    }
}
