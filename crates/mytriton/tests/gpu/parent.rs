//! Runs the groups in processes of their own, several at a time. A check that kills its process, or does not end, is a
//! failure of that check alone: the rest of its group goes on in a new process.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::check::Outcome;
use crate::options::Options;
use crate::worker::{MARK, Message};

/// Of what a dead process wrote, so much is reported.
const TAIL: usize = 2000;

/// One check that was run.
pub struct Entry {
    /// `group::case::way`.
    pub name: String,
    /// What came of it.
    pub outcome: Outcome,
    /// How long it took.
    pub seconds: f64,
    /// The kernel's text, if it failed.
    pub source: String,
}

/// All checks of all groups, and how many were filtered out. Prints each as it ends.
pub fn run(groups: &[String], options: &Options, jobs: usize, cuda: bool) -> (Vec<Entry>, usize) {
    let queue = Mutex::new(groups.iter());
    let results = Mutex::new((Vec::new(), 0));
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, groups.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(group) = next else { break };
                    run_group(group, options, cuda, &results);
                }
            });
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}

type Results = Mutex<(Vec<Entry>, usize)>;

fn add(results: &Results, entry: Entry) {
    let word = match &entry.outcome {
        Outcome::Passed => "ok".to_owned(),
        Outcome::Ignored(why) => format!("ignored: {why}"),
        Outcome::Failed(why) | Outcome::Fatal(why) => format!("FAILED\n    {}", why.replace('\n', "\n    ")),
    };
    let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
    println!("test {} ... {word}", entry.name);
    results.0.push(entry);
}

fn run_group(group: &str, options: &Options, cuda: bool, results: &Results) {
    let mut from = 0;
    loop {
        let mut open: Option<(usize, String)> = None;
        let ended = match spawn(group, options, cuda, from) {
            Ok(child) => watch(child, options.patience, |message| match message {
                Message::Begin { index, name } => open = Some((index, name)),
                Message::End {
                    outcome,
                    seconds,
                    source,
                    ..
                } => {
                    let Some((index, name)) = open.take() else { return };
                    from = index + 1;
                    add(
                        results,
                        Entry {
                            name,
                            outcome,
                            seconds,
                            source,
                        },
                    );
                }
                Message::Done { filtered } => results.lock().unwrap_or_else(PoisonError::into_inner).1 += filtered,
                Message::Broken(_) => {}
            }),
            Err(error) => Ended::Broken(format!("cannot start a process: {error}")),
        };
        match (ended, open) {
            (Ended::Done, None) => return,
            // It stopped after a check that made its GPU context useless.
            (Ended::Early(_), None) if from > 0 && last_is_fatal(results, group) => {}
            (Ended::Early(why), Some((index, name))) => {
                from = index + 1;
                let outcome = Outcome::Failed(format!("the process ended: {why}"));
                add(
                    results,
                    Entry {
                        name,
                        outcome,
                        seconds: 0.0,
                        source: String::new(),
                    },
                );
            }
            (Ended::Hung, Some((index, name))) => {
                from = index + 1;
                let outcome = Outcome::Failed(format!("it did not end within {} s", options.patience.as_secs()));
                add(
                    results,
                    Entry {
                        name,
                        outcome,
                        seconds: options.patience.as_secs_f64(),
                        source: String::new(),
                    },
                );
            }
            (Ended::Early(why) | Ended::Broken(why), _) => return give_up(group, why, results),
            (Ended::Done | Ended::Hung, _) => return give_up(group, "it says nothing".to_owned(), results),
        }
    }
}

fn give_up(group: &str, why: String, results: &Results) {
    let name = format!("{group}::start");
    add(
        results,
        Entry {
            name,
            outcome: Outcome::Failed(why),
            seconds: 0.0,
            source: String::new(),
        },
    );
}

fn last_is_fatal(results: &Results, group: &str) -> bool {
    let results = results.lock().unwrap_or_else(PoisonError::into_inner);
    let last = results
        .0
        .iter()
        .rev()
        .find(|entry| entry.name.starts_with(&format!("{group}::")));
    last.is_some_and(|entry| matches!(entry.outcome, Outcome::Fatal(_)))
}

fn spawn(group: &str, options: &Options, cuda: bool, from: usize) -> std::io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--worker", group, "--from", &from.to_string()]);
    command.args(["--seed", &options.seed.unwrap_or_default().to_string()]);
    command.args(cuda.then_some("--gpu"));
    command.args(options.exact.then_some("--exact")).args(&options.filters);
    for filter in &options.skipped {
        command.args(["--skip", filter]);
    }
    // Several processes share the cores; MLIR and the interpreter would each take all of them.
    command.env("RAYON_NUM_THREADS", "2");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// How a process ended.
pub enum Ended {
    /// It said that all is done.
    Done,
    /// It ended without, and what is known of it.
    Early(String),
    /// It was killed as nothing came from it any more.
    Hung,
    /// It could not begin.
    Broken(String),
}

/// Passes a process's messages on until it ends, or says nothing for longer than `patience`.
pub fn watch(mut child: Child, patience: Duration, mut on: impl FnMut(Message)) -> Ended {
    let (sender, messages) = mpsc::channel();
    let stdout = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let Some(stdout) = stdout else { return };
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let message = line
                .strip_prefix(MARK)
                .and_then(|text| serde_json::from_str::<Message>(text).ok());
            if message.is_some_and(|message| sender.send(message).is_err()) {
                return;
            }
        }
    });
    let stderr = child.stderr.take();
    let errors = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut stderr) = stderr {
            let _ = stderr.read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    });
    let mut ended = None;
    loop {
        match messages.recv_timeout(patience) {
            Ok(message) => {
                match &message {
                    Message::Done { .. } => ended = Some(Ended::Done),
                    Message::Broken(why) => ended = Some(Ended::Broken(why.clone())),
                    _ => {}
                }
                on(message);
            }
            Err(RecvTimeoutError::Timeout) => {
                let _ = child.kill();
                ended = Some(Ended::Hung);
                break;
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let status = child.wait();
    let _ = reader.join();
    let errors = errors.join().unwrap_or_default();
    ended.unwrap_or_else(|| {
        let status = status.map_or_else(|e| e.to_string(), |status| status.to_string());
        let start = errors.len().saturating_sub(TAIL);
        let start = (start..errors.len())
            .find(|&i| errors.is_char_boundary(i))
            .unwrap_or(errors.len());
        Ended::Early(format!("{status}\n{}", errors[start..].trim()))
    })
}
