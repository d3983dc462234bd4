//! `test`: every check, in stages from quick to slow, ending at the first that fails.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
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

/// What a stage says at its end.
#[derive(Default)]
struct Report {
    /// The closing lines of the runners it started.
    closing: Vec<String>,
    /// The parts that it timed by themselves.
    parts: Vec<(&'static str, Duration)>,
}

impl Report {
    /// Runs a part of the stage and times it.
    fn timed<T>(&mut self, part: &'static str, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let start = Instant::now();
        let result = run(self);
        self.parts.push((part, start.elapsed()));
        result
    }
}

impl Stage {
    /// The stage's name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_owned())
    }

    fn run(self, project: &Project, report: &mut Report) -> Result<()> {
        match self {
            Self::Tidy => report.closing.push(tidy::run(project)?),
            Self::Fmt => process::run(&mut project.cargo(["fmt", "--all", "--check"]))?,
            Self::Generated => docs::run(project, true)?,
            Self::Clippy => clippy(project, report)?,
            Self::Test => cargo_test(project, report)?,
            Self::Doc => {
                let mut doc = project.cargo(["doc", "--workspace", "--no-deps"]);
                process::run(doc.env("RUSTDOCFLAGS", "-D warnings"))?;
            }
            Self::Lit => {
                report.timed("build", |_| lit::build(project))?;
                report.timed("run", |report| {
                    lit::run_suite(project, &lit::Options::default(), &mut report.closing)
                })?;
            }
        }
        Ok(())
    }
}

fn clippy(project: &Project, report: &mut Report) -> Result<()> {
    let deny = ["--", "-D", "warnings"];
    report.timed("workspace", |_| {
        process::run(project.cargo(["clippy", "--workspace", "--all-targets"]).args(deny))
    })?;
    // Programs that only load compiled kernels leave the compiler out; that build must not rot.
    report.timed("without the compiler", |_| {
        let facade = ["clippy", "--package", FACADE, "--no-default-features"];
        process::run(project.cargo(facade).args(deny))
    })
}

fn cargo_test(project: &Project, report: &mut Report) -> Result<()> {
    let toolkit = Toolkit::find(project)?;
    println!("checking generated code with {}", toolkit.ptxas_version()?);
    report.timed("build", |_| {
        process::run(&mut project.cargo(["test", "--workspace", "--no-run"]))
    })?;
    let mut test = project.cargo(["test", "--workspace"]);
    // A snapshot that differs is a failure here, never something to accept.
    test.envs(toolkit.environment()).env("INSTA_UPDATE", "no");
    report.timed("run", |report| {
        let closing = &mut report.closing;
        let result = process::run_keeping(&mut test, closing, |line| line.starts_with("test result:"));
        let passed: u32 = closing.iter().filter_map(|line| count(line, "passed")).sum();
        let failed: u32 = closing.iter().filter_map(|line| count(line, "failed")).sum();
        closing.retain(|line| count(line, "passed") != Some(0) || count(line, "failed") != Some(0));
        closing.push(format!("in all: {passed} passed; {failed} failed"));
        result
    })
}

/// The number before a word in `test result: ok. 12 passed; 0 failed; ...`.
fn count(line: &str, word: &str) -> Option<u32> {
    let before = line.split_once(&format!(" {word};"))?.0;
    before.rsplit(' ').next()?.parse().ok()
}

/// A stage that has run.
struct Finished {
    name: String,
    passed: bool,
    elapsed: Duration,
    report: Report,
}

/// The seconds of each stage, then the runners' closing lines.
fn summary(stages: &[Finished], elapsed: Duration) -> String {
    let mut text = String::from("== seconds\n");
    for stage in stages {
        let outcome = if stage.passed { "ok" } else { "FAILED" };
        text += &format!("{:<10} {outcome:<7} {:>7.1}", stage.name, stage.elapsed.as_secs_f64());
        let mut separator = "   ";
        for (part, elapsed) in &stage.report.parts {
            text += &format!("{separator}{part} {:.1}", elapsed.as_secs_f64());
            separator = ", ";
        }
        text.push('\n');
    }
    let passed = stages.iter().all(|stage| stage.passed);
    let outcome = if passed { "ok" } else { "FAILED" };
    text += &format!("{:<10} {outcome:<7} {:>7.1}\n", "in all", elapsed.as_secs_f64());
    text += "\n== results\n";
    for stage in stages.iter().filter(|stage| !stage.report.closing.is_empty()) {
        text += &format!("{}\n", stage.name);
        stage
            .report
            .closing
            .iter()
            .for_each(|line| text += &format!("    {line}\n"));
    }
    text
}

/// Runs the stages in order, and prints a summary at the end.
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
    let mut finished = Vec::new();
    let mut outcome = Ok(());
    for stage in chosen {
        let name = stage.name();
        println!("\n== {name}");
        let begun = Instant::now();
        let mut report = Report::default();
        outcome = stage
            .run(project, &mut report)
            .with_context(|| format!("stage {name} failed (`cargo xtask test --stage {name}` runs it alone)"));
        finished.push(Finished {
            name,
            passed: outcome.is_ok(),
            elapsed: begun.elapsed(),
            report,
        });
        if outcome.is_err() {
            break;
        }
    }
    print!("\n{}", summary(&finished, start.elapsed()));
    outcome
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

    #[test]
    fn summary_has_the_seconds_and_ends_with_the_closing_lines() {
        let report = Report {
            closing: vec!["in all: 12 passed; 1 failed".to_owned()],
            parts: vec![
                ("build", Duration::from_millis(1500)),
                ("run", Duration::from_millis(250)),
            ],
        };
        let stage = |name: &str, passed, millis, report| Finished {
            name: name.to_owned(),
            passed,
            elapsed: Duration::from_millis(millis),
            report,
        };
        let stages = [
            stage("fmt", true, 940, Report::default()),
            stage("test", false, 1760, report),
        ];
        assert_eq!(
            summary(&stages, Duration::from_millis(2700)),
            "== seconds\n\
             fmt        ok          0.9\n\
             test       FAILED      1.8   build 1.5, run 0.2\n\
             in all     FAILED      2.7\n\
             \n\
             == results\n\
             test\n    in all: 12 passed; 1 failed\n"
        );
    }
}
