//! The process of one group: runs its checks and tells the parent of each, one line of JSON at a time.

use std::io::{self, Write};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Instant;

use mytriton_runtime::Cuda;
use serde::{Deserialize, Serialize};

use crate::check::{Outcome, Setting, checks_of};
use crate::options::Options;

/// What begins the lines for the parent: other lines on the standard output are a library's.
pub const MARK: &str = "@check ";

/// What a worker tells.
#[derive(Debug, Serialize, Deserialize)]
pub enum Message {
    /// A check begins.
    Begin {
        /// Its number in the group.
        index: usize,
        /// Its full name.
        name: String,
    },
    /// A check that began has ended.
    End {
        /// Its number.
        index: usize,
        /// What came of it.
        outcome: Outcome,
        /// How long it took.
        seconds: f64,
        /// The kernel, if it failed.
        source: String,
    },
    /// All checks of the group are done.
    Done {
        /// How many the filters left out.
        filtered: usize,
    },
    /// There is nothing to run, and why.
    Broken(String),
}

/// Tells the parent.
pub fn tell(message: &Message) {
    // A parent that is gone needs no answer.
    if let Ok(line) = serde_json::to_string(message) {
        let mut out = io::stdout().lock();
        let _ = writeln!(out, "{MARK}{line}");
        let _ = out.flush();
    }
}

/// Runs the group.
pub fn run(group: &str, options: &Options) -> ExitCode {
    match run_checks(group, options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&Message::Broken(error));
            ExitCode::FAILURE
        }
    }
}

fn run_checks(group: &str, options: &Options) -> Result<(), String> {
    let cuda = match options.gpu {
        true => Some(Rc::new(Cuda::open(0).map_err(|error| error.to_string())?)),
        false => None,
    };
    let setting = Setting {
        seed: options.seed.unwrap_or_default(),
        cuda,
    };
    let mut filtered = 0;
    for (index, check) in checks_of(group, &setting)?.into_iter().enumerate() {
        let name = format!("{group}::{}", check.name);
        if !options.wants(&name) {
            filtered += 1;
            continue;
        }
        if index < options.from {
            continue;
        }
        tell(&Message::Begin { index, name });
        let start = Instant::now();
        let outcome = (check.run)();
        let bad = matches!(outcome, Outcome::Failed(_) | Outcome::Fatal(_));
        let fatal = matches!(outcome, Outcome::Fatal(_));
        tell(&Message::End {
            index,
            outcome,
            seconds: start.elapsed().as_secs_f64(),
            source: if bad { check.source.to_string() } else { String::new() },
        });
        if fatal {
            // The parent starts another process for the rest.
            return Ok(());
        }
    }
    tell(&Message::Done { filtered });
    Ok(())
}
