//! The figures: a table for people and JSON for programs.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use mytriton::runtime::Cuda;
use serde_json::{Value, json};

/// What was measured so far. Lines are printed as they come.
pub struct Output {
    text: String,
    facts: Value,
    figures: Vec<Value>,
}

impl Output {
    /// Nothing yet, on this GPU.
    pub fn new(cuda: &Cuda) -> Output {
        let commit = std::env::var("MYTRITON_COMMIT")
            .ok()
            .or(option_env!("MYTRITON_COMMIT").map(str::to_owned));
        let commit = commit.unwrap_or_else(|| "not given".to_owned());
        let mut output = Output {
            text: String::new(),
            facts: json!({ "device": cuda.name(), "driver": cuda.driver_version(), "commit": commit }),
            figures: Vec::new(),
        };
        output.line(&format!(
            "{}, driver for CUDA {}, commit {commit}",
            cuda.name(),
            cuda.driver_version()
        ));
        output
    }

    /// A line of text.
    pub fn line(&mut self, line: &str) {
        println!("{line}");
        let _ = writeln!(self.text, "{line}");
    }

    /// A figure: what was measured at which size, how it was done, and the value in a unit.
    pub fn figure(&mut self, what: &str, size: &str, how: &str, value: f64, unit: &str, more: &str) {
        self.line(&format!(
            "{what:<10} {size:<20} {how:<28} {value:>10.3} {unit:<5} {more}"
        ));
        self.figures
            .push(json!({ "what": what, "size": size, "who": how, "value": value, "unit": unit }));
    }

    /// Writes the report, if one is wanted.
    pub fn finish(self, report: Option<&Path>) -> Result<()> {
        let Some(path) = report else { return Ok(()) };
        let mut json_path = path.as_os_str().to_owned();
        json_path.push(".json");
        let all = json!({ "facts": self.facts, "figures": self.figures });
        std::fs::write(path, self.text).with_context(|| format!("cannot write {}", path.display()))?;
        std::fs::write(&json_path, format!("{all:#}\n")).context("cannot write the JSON beside the report")
    }
}

/// The middle one; of an even number the upper middle.
pub fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// In milliseconds.
pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// In microseconds.
pub fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
