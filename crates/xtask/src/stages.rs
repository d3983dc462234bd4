//! `test`: every check, in stages from quick to slow, ending at the first that fails.

use std::time::Instant;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::project::{FACADE, Project};
use crate::toolkit::Toolkit;
use crate::{docs, lit, process, tidy};

/// One part of `test`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// Dependency rules and file hygiene
    Tidy,
    /// Formatting (rustfmt)
    Fmt,
    /// The reference pages are what the dialect's definition gives
    Generated,
    /// Lints (clippy), on the workspace and on the facade without its compiler
    Clippy,
    /// Unit, property, snapshot, differential and documentation tests (cargo test)
    Test,
    /// The documentation builds without warnings
    Doc,
    /// IR tests (lit)
    Lit,
}

/// Which stages run.
#[derive(Args)]
pub struct Options {
    /// Run only this stage; may be given several times
    #[arg(long = "stage", value_enum)]
    stages: Vec<Stage>,
}

impl Stage {
    fn name(self) -> String {
        self.to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Runs the stage; `closing` gets the runner's own closing lines.
    fn run(self, project: &Project, closing: &mut Vec<String>) -> Result<()> {
        match self {
            Self::Tidy => closing.push(tidy::run(project)?),
            Self::Fmt => process::run(&mut project.cargo(["fmt", "--all", "--check"]))?,
            Self::Generated => docs::run(project, true)?,
            Self::Clippy => clippy(project)?,
            Self::Test => cargo_test(project, closing)?,
            Self::Doc => {
                let mut doc = project.cargo(["doc", "--workspace", "--no-deps"]);
                process::run(doc.env("RUSTDOCFLAGS", "-D warnings"))?;
            }
            Self::Lit => closing.extend(lit::run(project, &lit::Options::default())?),
        }
        Ok(())
    }
}

fn clippy(project: &Project) -> Result<()> {
    process::run(&mut project.cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    // Programs that only load compiled kernels leave the compiler out; that build must not rot.
    process::run(&mut project.cargo([
        "clippy",
        "--package",
        FACADE,
        "--no-default-features",
        "--",
        "-D",
        "warnings",
    ]))
}

fn cargo_test(project: &Project, closing: &mut Vec<String>) -> Result<()> {
    let toolkit = Toolkit::find(project)?;
    println!("checking generated code with {}", toolkit.ptxas_version()?);
    let mut test = project.cargo(["test", "--workspace"]);
    // A snapshot that differs is a failure here, never something to accept.
    test.envs(toolkit.environment()).env("INSTA_UPDATE", "no");
    let result = process::run_keeping(&mut test, closing, |line| line.starts_with("test result:"));
    let passed: u32 = closing.iter().filter_map(|line| count(line, "passed")).sum();
    let failed: u32 = closing.iter().filter_map(|line| count(line, "failed")).sum();
    closing.retain(|line| count(line, "passed") != Some(0) || count(line, "failed") != Some(0));
    closing.push(format!("in all: {passed} passed; {failed} failed"));
    result
}

/// The number before a word in `test result: ok. 12 passed; 0 failed; ...`.
fn count(line: &str, word: &str) -> Option<u32> {
    let before = line.split_once(&format!(" {word};"))?.0;
    before.rsplit(' ').next()?.parse().ok()
}

/// Runs the stages in order and sums up what each said at its end.
///
/// # Errors
/// A stage fails; those after it are not run.
pub fn run(project: &Project, options: &Options) -> Result<()> {
    let start = Instant::now();
    let all = Stage::value_variants();
    let chosen = all
        .iter()
        .copied()
        .filter(|stage| options.stages.is_empty() || options.stages.contains(stage));
    let mut summary = String::new();
    for stage in chosen {
        println!("\n== {}", stage.name());
        let begun = Instant::now();
        let mut closing = Vec::new();
        let result = stage.run(project, &mut closing);
        let outcome = if result.is_ok() { "ok" } else { "FAILED" };
        summary.push_str(&format!(
            "{:<10} {outcome:<7} {:>6.1} s\n",
            stage.name(),
            begun.elapsed().as_secs_f64()
        ));
        closing
            .iter()
            .for_each(|line| summary.push_str(&format!("    {line}\n")));
        if let Err(error) = result {
            println!("\n== summary\n{summary}");
            let name = stage.name();
            return Err(error.context(format!(
                "stage {name} failed (`cargo xtask test --stage {name}` runs it alone)"
            )));
        }
    }
    println!(
        "\n== summary\n{summary}all chosen stages passed in {:.0} s",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_a_closing_line() {
        let line = "test result: ok. 12 passed; 3 failed; 0 ignored; 0 measured; 1 filtered out; finished in 0.01s";
        assert_eq!(count(line, "passed"), Some(12));
        assert_eq!(count(line, "failed"), Some(3));
        assert_eq!(count("running 3 tests", "passed"), None);
    }
}
