//! Every file of the lit suite is a test: it has a `RUN:` line, or lit fails on it or passes it over.

use super::{Finding, Source};

const SUITE: &str = "lit-tests/";

/// Checks a file of the suite. Its configuration, its pages and what lies in `Inputs/` are no tests.
pub(super) fn check(source: &Source) -> Option<Finding> {
    let inside = source.path.strip_prefix(SUITE)?;
    let name = inside.rsplit('/').next().unwrap_or(inside);
    let no_test = name.starts_with("lit.") || name.ends_with(".md") || inside.split('/').any(|part| part == "Inputs");
    let runs = source
        .text
        .lines()
        .any(|line| line.split_once("RUN:").is_some_and(|(_, what)| !what.trim().is_empty()));
    (!no_test && !runs).then(|| {
        Finding::on_file(
            &source.path,
            "has no RUN: line; add one, or move it into Inputs/ if a test reads it",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(path: &str, text: &str) -> bool {
        check(&Source {
            path: path.to_owned(),
            text: text.to_owned(),
        })
        .is_none()
    }

    #[test]
    fn tests_have_a_run_line() {
        assert!(passes("lit-tests/a/b.mlir", "// RUN: mytriton-opt %s | FileCheck %s\n"));
        assert!(!passes("lit-tests/a/b.mlir", "// CHECK: x\n"));
        assert!(!passes("lit-tests/a/b.mlir", "// RUN:\n"));
    }

    #[test]
    fn other_files_need_none() {
        for path in [
            "lit-tests/lit.cfg.py",
            "lit-tests/a/lit.local.cfg",
            "lit-tests/a/Inputs/b.npy",
            "lit-tests/README.md",
        ] {
            assert!(passes(path, "x\n"), "{path}");
        }
        assert!(passes("docs/a.mlir", "x\n"));
    }
}
