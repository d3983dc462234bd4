//! The report of a run: where it was, what was run, and everything that is wrong, with what it takes to see it again.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use mytriton_abi::Code;
use mytriton_codegen_ptx::ptxas::{Ptxas, parse_version};
use mytriton_runtime::{Cuda, nvrtc};
use serde_json::json;

use crate::check::Outcome;
use crate::parent::Entry;

/// Facts about a run.
pub struct Facts {
    /// The commit that the program was built from.
    pub commit: String,
    /// The GPU with its memory, or that there is none.
    pub device: String,
    /// The driver.
    pub driver: String,
    /// The PTX assembler of the tools.
    pub ptxas: String,
    /// The CUDA C++ compiler.
    pub nvrtc: String,
    /// The seed.
    pub seed: u64,
}

impl Facts {
    /// Asks around.
    pub fn collect(cuda: Option<&Cuda>, commit: Option<&str>, seed: u64) -> Facts {
        let built = option_env!("MYTRITON_COMMIT").map(str::to_owned);
        let set = std::env::var("MYTRITON_COMMIT").ok();
        let commit = commit
            .map(str::to_owned)
            .or(set)
            .or(built)
            .unwrap_or_else(|| "not given".to_owned());
        let device = cuda.map_or_else(
            || "none: code is checked by tools".to_owned(),
            |cuda| {
                let (major, minor) = cuda.capability();
                let memory = cuda.memory().map_or(0, |memory| memory.total >> 30);
                format!("{}, compute capability {major}.{minor}, {memory} GiB", cuda.name())
            },
        );
        let version = cuda.map_or_else(|| "none".to_owned(), driver);
        Facts {
            commit,
            device,
            driver: version,
            ptxas: Ptxas::find()
                .and_then(|p| p.version())
                .unwrap_or_else(|_| "not there".to_owned()),
            nvrtc: nvrtc_version().unwrap_or_else(|| "not there".to_owned()),
            seed,
        }
    }

    fn rows(&self) -> [(&'static str, String); 6] {
        [
            ("commit", self.commit.clone()),
            ("device", self.device.clone()),
            ("driver", self.driver.clone()),
            ("ptxas", self.ptxas.clone()),
            ("NVRTC", self.nvrtc.clone()),
            ("seed", self.seed.to_string()),
        ]
    }
}

/// NVRTC says its version at the top of the PTX that it makes.
fn nvrtc_version() -> Option<String> {
    let options = nvrtc::Options {
        target: "sm_80".to_owned(),
        output: nvrtc::Output::Ptx,
        ..nvrtc::Options::default()
    };
    match nvrtc::compile("extern \"C\" __global__ void nothing() {}", "nothing", &options) {
        Ok(Code::Ptx(text)) => Some(
            text.lines()
                .map(parse_version)
                .find(|v| !v.is_empty())
                .unwrap_or_default(),
        ),
        _ => None,
    }
}

/// The driver's own version and that of CUDA which it supports.
fn driver(cuda: &Cuda) -> String {
    let query = ["--query-gpu=driver_version", "--format=csv,noheader"];
    let output = Command::new("nvidia-smi")
        .args(query)
        .output()
        .ok()
        .filter(|output| output.status.success());
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let number = text
        .as_deref()
        .and_then(|text| text.lines().next())
        .unwrap_or("unknown")
        .trim();
    format!("{number}, CUDA {}", cuda.driver_version())
}

/// How many checks of a way passed, failed and were not run.
#[derive(Default)]
struct Count {
    passed: usize,
    failed: usize,
    ignored: usize,
    seconds: f64,
}

impl Count {
    fn add(&mut self, entry: &Entry) {
        match entry.outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed(_) | Outcome::Fatal(_) => self.failed += 1,
            Outcome::Ignored(_) => self.ignored += 1,
        }
        self.seconds += entry.seconds;
    }
}

/// The closing line of Rust's test runner, and whether all is well.
pub fn closing_line(entries: &[Entry], filtered: usize, seconds: f64) -> (String, bool) {
    let mut all = Count::default();
    entries.iter().for_each(|entry| all.add(entry));
    let word = if all.failed == 0 { "ok" } else { "FAILED" };
    let line = format!(
        "test result: {word}. {} passed; {} failed; {} ignored; 0 measured; {filtered} filtered out; finished in \
         {seconds:.2}s",
        all.passed, all.failed, all.ignored
    );
    (line, all.failed == 0)
}

/// Writes the report to `path`, and as JSON beside it.
pub fn write(path: &Path, facts: &Facts, entries: &[Entry], closing: &str, seconds: f64) -> std::io::Result<()> {
    std::fs::write(path, markdown(facts, entries, closing))?;
    let mut name = path.as_os_str().to_owned();
    name.push(".json");
    let checks: Vec<_> = entries
        .iter()
        .map(|entry| json!({ "name": entry.name, "outcome": entry.outcome, "seconds": entry.seconds, "kernel": entry.source }))
        .collect();
    let facts: BTreeMap<_, _> = facts.rows().into_iter().collect();
    let report = json!({ "facts": facts, "result": closing, "seconds": seconds, "checks": checks });
    std::fs::write(name, format!("{report:#}\n"))
}

fn markdown(facts: &Facts, entries: &[Entry], closing: &str) -> String {
    let mut text = String::from("# Differential tests\n\n| | |\n|---|---|\n");
    for (name, value) in facts.rows() {
        let _ = writeln!(text, "| {name} | {value} |");
    }
    let _ = writeln!(
        text,
        "\n{closing}\n\n| way | passed | failed | not run | seconds |\n|---|---|---|---|---|"
    );
    let mut ways: BTreeMap<&str, Count> = BTreeMap::new();
    let mut groups: BTreeMap<&str, Count> = BTreeMap::new();
    for entry in entries {
        let mut parts = entry.name.split("::");
        let group = parts.next().unwrap_or_default();
        ways.entry(parts.nth(1).unwrap_or("other")).or_default().add(entry);
        groups.entry(group).or_default().add(entry);
    }
    rows(&mut text, ways);
    text += "\n| group | passed | failed | not run | seconds |\n|---|---|---|---|---|\n";
    rows(&mut text, groups);
    for entry in entries {
        let (Outcome::Failed(why) | Outcome::Fatal(why)) = &entry.outcome else {
            continue;
        };
        let _ = writeln!(text, "\n## {}\n\n```text\n{}\n```", entry.name, why.trim_end());
        let _ = writeln!(text, "\nAgain: `--seed {} --exact {}`", facts.seed, entry.name);
        if !entry.source.is_empty() {
            let _ = writeln!(text, "\n```text\n{}\n```", entry.source.trim_end());
        }
    }
    text
}

fn rows(text: &mut String, counts: BTreeMap<&str, Count>) {
    for (name, count) in counts {
        let Count {
            passed,
            failed,
            ignored,
            seconds,
        } = count;
        let _ = writeln!(text, "| {name} | {passed} | {failed} | {ignored} | {seconds:.1} |");
    }
}
