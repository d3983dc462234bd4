//! The peers: another program that measures what it is told to, one JSON object a line each way.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::cases::Work;
use crate::settings::Settings;

/// The longest time that an answer may take: the first one loads libraries, others compile some kernels.
const PATIENCE: Duration = Duration::from_secs(180);

/// A running program.
pub struct Peers {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<String>,
    /// Why it can be asked no more.
    lost: Option<String>,
    /// Its libraries.
    pub versions: BTreeMap<String, String>,
}

/// What a program says of itself.
#[derive(Deserialize)]
struct Hello {
    device: String,
    versions: BTreeMap<String, String>,
}

/// Who has prepared a piece of work, results checked, and who has failed to.
#[derive(Deserialize)]
pub struct Prepared {
    /// Those that can be measured.
    pub peers: Vec<Peer>,
    /// Why others cannot.
    pub problems: Vec<String>,
}

/// One that can be measured.
#[derive(Deserialize)]
pub struct Peer {
    /// Its name.
    pub who: String,
    /// The configuration that it chose.
    pub config: String,
}

/// Times in milliseconds.
#[derive(Deserialize)]
struct Times {
    times: Vec<f64>,
}

/// Cold compilation, in milliseconds.
#[derive(Deserialize)]
pub struct Compiled {
    /// The first one of that kernel in the process.
    pub first: f64,
    /// The following ones, with empty caches too.
    pub times: Vec<f64>,
}

impl Peers {
    /// Starts it.
    ///
    /// # Errors
    /// It cannot be started, lacks a library, or uses another GPU.
    pub fn start(command: &[String], device: &str, settings: &Settings) -> Result<Peers> {
        let (program, arguments) = command.split_first().context("--peers names no program")?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {program}"))?;
        let requests = child.stdin.take().context("it has no input")?;
        let output = child.stdout.take().context("it has no output")?;
        let (sender, answers) = channel();
        thread::spawn(move || {
            let lines = BufReader::new(output).lines();
            // An error or nobody listening any more: there is nothing left to do.
            let _ = lines.map_while(Result::ok).try_for_each(|line| sender.send(line));
        });
        let mut peers = Peers {
            child,
            requests,
            answers,
            lost: None,
            versions: BTreeMap::new(),
        };
        let hello: Hello = peers.ask(&json!({
            "do": "hello", "repetitions": settings.repetitions, "trial": settings.trial, "finals": settings.finals, "batches": settings.batches,
            "compilations": settings.compilations, "seed": settings.seed,
        }))?;
        if hello.device != device {
            bail!("they use {}, not {device}", hello.device);
        }
        peers.versions = hello.versions;
        Ok(peers)
    }

    /// Makes the operands of a piece of work, checks results, and finds the best configurations.
    pub fn prepare(&mut self, work: &Work, bytes: u64) -> Result<Prepared> {
        self.ask(&json!({ "do": "prepare", "work": work, "bytes": bytes }))
    }

    /// Milliseconds of the launches of one of those that have prepared.
    pub fn measure(&mut self, who: &str) -> Result<Vec<f64>> {
        Ok(self.ask::<Times>(&json!({ "do": "measure", "who": who }))?.times)
    }

    /// Frees the operands.
    pub fn release(&mut self) -> Result<()> {
        self.ask::<Value>(&json!({ "do": "release" })).map(drop)
    }

    /// Compiles a kernel again and again with nothing kept, to machine code.
    pub fn compile(&mut self, kernel: &str) -> Result<Compiled> {
        self.ask(&json!({ "do": "compile", "kernel": kernel }))
    }

    /// The host's time of a launch of an addition, in milliseconds: a median for each batch, by who it is.
    pub fn launch(&mut self) -> Result<BTreeMap<String, Vec<f64>>> {
        self.ask(&json!({ "do": "launch" }))
    }

    fn ask<T: DeserializeOwned>(&mut self, request: &Value) -> Result<T> {
        if let Some(reason) = &self.lost {
            bail!("{reason}");
        }
        let answer = self
            .exchange(request)
            .inspect_err(|error| self.lost = Some(format!("{error:#}")))?;
        if let Some(error) = answer["error"].as_str() {
            bail!("{error}");
        }
        let known = answer.to_string();
        serde_json::from_value(answer).with_context(|| format!("not understood: {known}"))
    }

    fn exchange(&mut self, request: &Value) -> Result<Value> {
        let ended = || anyhow!("the peers' program has ended");
        writeln!(self.requests, "{request}").map_err(|_| ended())?;
        let line = self.answers.recv_timeout(PATIENCE).map_err(|error| match error {
            RecvTimeoutError::Timeout => anyhow!("the peers' program gave no answer for {} s", PATIENCE.as_secs()),
            RecvTimeoutError::Disconnected => ended(),
        })?;
        serde_json::from_str(&line).with_context(|| format!("the peers' program said: {line}"))
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        // It has nothing to save.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(script: &str) -> Result<Peers> {
        let command = ["sh", "-c", script].map(str::to_owned);
        Peers::start(&command, "a GPU", &Settings::full(1))
    }

    const HELLO: &str = r#"read line; echo '{"device": "a GPU", "versions": {"torch": "2"}}'; "#;

    #[test]
    fn answers_are_read_line_by_line() {
        let rest = r#"read line; echo '{"times": [1.5, 2]}'; read line; echo '{"error": "no memory"}'; read line"#;
        let mut peers = start(&format!("{HELLO}{rest}")).unwrap();
        assert_eq!(peers.versions["torch"], "2");
        assert_eq!(peers.measure("torch").unwrap(), [1.5, 2.0]);
        assert_eq!(peers.measure("torch").unwrap_err().to_string(), "no memory");
    }

    #[test]
    fn a_program_that_ends_is_noticed() {
        let mut peers = start(HELLO).unwrap();
        for _ in 0..2 {
            assert!(peers.measure("torch").unwrap_err().to_string().contains("ended"));
        }
        assert!(start("exit 1").is_err());
    }

    #[test]
    fn another_gpu_is_refused() {
        let script = HELLO.replace("a GPU", "another");
        let message = start(&script).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(message.contains("another, not a GPU"), "{message}");
        assert!(Peers::start(&["no-such-program-here".into()], "a GPU", &Settings::full(1)).is_err());
    }
}
