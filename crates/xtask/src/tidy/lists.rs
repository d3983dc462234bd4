//! Lists in the documentation that repeat what the code has: examples, commands, crates, stages, passes.

use std::collections::BTreeSet;

use clap::ValueEnum;

use super::dependencies::{LAYERS, Layer};
use super::{Finding, Source};
use crate::stages::Stage;

const README: &str = "README.md";
const ARCHITECTURE: &str = "docs/architecture.md";
const TESTING: &str = "docs/testing.md";

/// Compares each list with what it repeats.
pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let text = |path: &str| {
        let source = sources.iter().find(|source| source.path == path);
        source.map_or("", |source| source.text.as_str())
    };
    let architecture = text(ARCHITECTURE);
    let lists = [
        List {
            page: README,
            what: "example",
            listed: examples_linked(text(README)),
            actual: examples(sources),
        },
        List {
            page: README,
            what: "command of mytriton",
            listed: names(text(README), "command"),
            actual: variants(text("crates/cli/src/main.rs"), "enum Command {"),
        },
        List {
            page: ARCHITECTURE,
            what: "stage",
            listed: names(architecture, "stage"),
            actual: variants(text("crates/compiler/src/stage.rs"), "pub enum Stage {"),
        },
        List {
            page: ARCHITECTURE,
            what: "pass",
            listed: names(architecture, "pass"),
            actual: passes(text("crates/passes/src/registry.rs")),
        },
        List {
            page: ARCHITECTURE,
            what: "crate and what it may see",
            listed: rows(architecture, "crate").iter().map(|row| crate_row(row)).collect(),
            actual: LAYERS.iter().map(layer_row).collect(),
        },
        List {
            page: TESTING,
            what: "stage of `cargo xtask test`",
            listed: names(text(TESTING), "stage"),
            actual: Stage::value_variants().iter().map(|stage| stage.name()).collect(),
        },
    ];
    lists.iter().flat_map(List::findings).collect()
}

struct List {
    page: &'static str,
    /// What an entry is.
    what: &'static str,
    listed: BTreeSet<String>,
    actual: BTreeSet<String>,
}

impl List {
    fn findings(&self) -> Vec<Finding> {
        let finding = |message: String| Finding::on_file(self.page, message);
        if self.actual.is_empty() {
            return vec![finding(format!(
                "no {} was found in the code to compare its list with",
                self.what
            ))];
        }
        let missing = self.actual.difference(&self.listed);
        let missing = missing.map(|entry| finding(format!("lacks the {} {entry}", self.what)));
        let extra = self.listed.difference(&self.actual);
        let extra = extra.map(|entry| finding(format!("lists the {} {entry}, which is not there", self.what)));
        missing.chain(extra).collect()
    }
}

/// The body of the Markdown table whose header begins with this cell.
fn rows<'a>(page: &'a str, header: &str) -> Vec<Vec<&'a str>> {
    fn cells(line: &str) -> Vec<&str> {
        let line = line.trim().trim_start_matches('|').trim_end_matches('|');
        line.split('|').map(str::trim).collect()
    }
    let lines = page
        .lines()
        .skip_while(|line| !line.starts_with('|') || cells(line)[0] != header);
    let body = lines.skip(2).take_while(|line| line.starts_with('|'));
    body.map(cells).collect()
}

/// The first word in backticks of each row.
fn names(page: &str, header: &str) -> BTreeSet<String> {
    let first = |row: &Vec<&str>| quoted(row[0]).next()?.split(' ').next().map(str::to_owned);
    rows(page, header).iter().filter_map(first).collect()
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn crate_row(row: &[&str]) -> String {
    let cell = |at: usize| row.get(at).copied().unwrap_or_default();
    let mut sees: Vec<&str> = cell(2).split(", ").filter(|name| !name.is_empty()).collect();
    sees.sort_unstable();
    describe(quoted(cell(0)).next().unwrap_or_default(), &sees, cell(3) == "yes")
}

fn layer_row(layer: &Layer) -> String {
    let mut sees = layer.may_see.to_vec();
    sees.sort_unstable();
    describe(layer.name, &sees, layer.mlir)
}

fn describe(name: &str, sees: &[&str], mlir: bool) -> String {
    let mlir = if mlir { "with MLIR" } else { "without MLIR" };
    format!("{name} ({mlir}; sees: {})", sees.join(", "))
}

/// The programs under `examples/`.
fn examples(sources: &[Source]) -> BTreeSet<String> {
    let program = |source: &Source| {
        let name = source.path.strip_prefix("examples/")?.strip_suffix(".rs")?;
        match name.split_once('/') {
            Some((directory, "main")) => Some(directory.to_owned()),
            None if source.text.contains("fn main(") => Some(name.to_owned()),
            _ => None,
        }
    };
    sources.iter().filter_map(program).collect()
}

/// The examples that a page links to.
fn examples_linked(page: &str) -> BTreeSet<String> {
    let targets = page
        .split("](examples/")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let programs = targets.filter_map(|target| target.strip_suffix(".rs"));
    programs.map(|name| name.trim_end_matches("/main").to_owned()).collect()
}

/// The variants of an enum as clap and the stages spell them: `GpuTest` is `gpu-test`.
fn variants(text: &str, head: &str) -> BTreeSet<String> {
    let body = text
        .split_once(head)
        .map_or("", |(_, rest)| rest.split("\n}").next().unwrap_or_default());
    let name = |line: &str| {
        let name = line.trim().split(['(', ',', ' ']).next().unwrap_or_default();
        name.starts_with(|c: char| c.is_ascii_uppercase()).then(|| kebab(name))
    };
    body.lines().filter_map(name).collect()
}

fn kebab(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.push(c.to_ascii_lowercase());
    }
    text
}

/// The names that `pass! { function, "name", ... }` defines.
fn passes(registry: &str) -> BTreeSet<String> {
    let definitions = registry.split("\npass! {").skip(1);
    let name = |definition: &str| definition.split('"').nth(1).map(str::to_owned);
    definitions.filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn what_is_missing_or_too_much_is_named() {
        let list = List {
            page: README,
            what: "example",
            listed: set(&["a", "c"]),
            actual: set(&["a", "b"]),
        };
        let findings: Vec<String> = list.findings().iter().map(ToString::to_string).collect();
        assert_eq!(
            findings,
            [
                "README.md: lacks the example b",
                "README.md: lists the example c, which is not there"
            ]
        );
        let nothing = List {
            actual: set(&[]),
            ..list
        };
        assert!(nothing.findings()[0].message.contains("no example was found"));
    }

    #[test]
    fn tables_are_found_by_their_first_cell() {
        let page = "| other | x |\n|---|---|\n| `o` | 1 |\n\n| stage | made by |\n|---|---|\n| `a b` | it |\n| `c` | `d` |\n\n| `e` |\n";
        assert_eq!(names(page, "stage"), set(&["a", "c"]));
        assert_eq!(names(page, "crate"), set(&[]));
        let crates = "| crate | duty | sees | MLIR |\n|---|---|---|---|\n| `tile` | faces | ssa, layout | yes |\n";
        let row = &rows(crates, "crate")[0];
        assert_eq!(crate_row(row), "tile (with MLIR; sees: layout, ssa)");
    }

    #[test]
    fn names_are_read_off_the_code() {
        let text = "#[x]\nenum Command {\n    /// Does A\n    GpuTest(a::A),\n    B {\n        c: i32,\n    },\n}\nenum D {\n    E,\n}\n";
        assert_eq!(variants(text, "enum Command {"), set(&["b", "gpu-test"]));
        let registry = "\npass! {\n    /// See\n    tile_a,\n    \"tile-a\",\n    \"Does a.\",\n    a::run\n}\n";
        assert_eq!(passes(registry), set(&["tile-a"]));
    }

    #[test]
    fn examples_are_programs() {
        let source = |path: &str, text: &str| Source {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        let sources = [
            source("examples/a.rs", "pub fn main() {}"),
            source("examples/b/main.rs", "fn main() {}"),
            source("examples/b/other.rs", ""),
            source("examples/all.rs", "pub mod a;"),
        ];
        assert_eq!(examples(&sources), set(&["a", "b"]));
        assert_eq!(
            examples_linked("[a](examples/a.rs) and [b](examples/b/main.rs), [k](examples/kernels)"),
            set(&["a", "b"])
        );
    }
}
