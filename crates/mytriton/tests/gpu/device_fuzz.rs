//! Fuzzing on a device: many random kernels in each of several processes.
//!
//! Every process takes each so-many-th case of the run. Threads compile the next cases while one thread runs those that are
//! compiled, in order, and compares their results with the interpreter's. A process tells its parent which cases it has
//! begun and what came of each. A case is its seed, so that the parent can write down one that its process did not
//! survive: where a process dies or says nothing for too long, the cases that it had begun run again, each in a process of
//! its own, and the rest of its share goes on in a new one.
//!
//! Without a GPU the SIMT executor takes its place, which tests all but the GPU.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, ExitCode, Stdio};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use mytriton_abi::CompiledKernel;
use mytriton_compiler::simt;
use mytriton_fuzz::{Case, Limit, Outputs, generate, oracle, seed_of, write_case};
use mytriton_runtime::{Cuda, Error, Function};
use mytriton_simt::Program;
use rayon::prelude::*;

use crate::check::Outcome;
use crate::fuzz::{OnGpu, as_suite_case, input, options as compile_options};
use crate::gpu::{Stop, Way, run_function};
use crate::offline::in_form;
use crate::options::{Fault, Options};
use crate::parent::{Ended, watch};
use crate::simt::run_program;
use crate::worker::{Message, tell};

/// The name of such a process's group.
pub const GROUP: &str = "device-fuzz";
/// Cases that are compiled at once, while as many before them run.
const BATCH: usize = 16;
/// Wrong results that one process makes small.
const MADE_SMALL: usize = 3;

/// What runs the kernels of a process.
enum Device {
    Gpu(Rc<Cuda>),
    Simt { seed: u64 },
}

/// A kernel in the form that runs, by the name of the way there.
enum Code {
    Gpu(Way, Box<CompiledKernel>),
    Simt(&'static str, Box<Program>),
}

impl Code {
    fn way(&self) -> String {
        match self {
            Code::Gpu(way, _) => way.name(),
            Code::Simt(name, _) => (*name).to_owned(),
        }
    }
}

/// A case that is ready to run: what it should give, and its code by each way; or what was found before.
struct Ready {
    index: usize,
    case: Case,
    code: Result<(Outputs, Vec<Code>), String>,
}

/// The cases of one process: `from`, `from + step`, ...
fn share(options: &Options) -> impl Iterator<Item = usize> + use<> {
    let end = match options.fuzz {
        Some(Limit::Cases(cases)) => cases,
        Some(Limit::Time(_)) | None => usize::MAX,
    };
    (options.from..end).step_by(options.step.max(1))
}

/// Runs a share as a process of its own.
pub fn work(options: &Options) -> ExitCode {
    match run_share(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&Message::Broken(error));
            ExitCode::FAILURE
        }
    }
}

fn run_share(options: &Options) -> Result<(), String> {
    let start = Instant::now();
    let seed = options.seed.unwrap_or_default();
    let (device, target) = if options.gpu {
        let cuda = Cuda::open(0).map_err(|error| error.to_string())?;
        let target = cuda.target().map_err(|error| error.to_string())?.to_owned();
        (Device::Gpu(Rc::new(cuda)), Some(target))
    } else {
        (Device::Simt { seed }, None)
    };
    let in_time = || match options.fuzz {
        Some(Limit::Time(time)) => start.elapsed() < time,
        Some(Limit::Cases(_)) | None => true,
    };
    std::thread::scope(|scope| {
        let (sender, batches) = sync_channel::<Vec<Ready>>(1);
        scope.spawn(|| {
            // Goes with this thread, which tells the other one that nothing more comes.
            let sender = sender;
            let mut indices = share(options);
            while in_time() {
                let batch: Vec<usize> = indices.by_ref().take(BATCH).collect();
                let ready = |index: usize| prepare(index, seed, target.as_deref(), options);
                let batch: Vec<Ready> = batch.into_par_iter().map(ready).collect();
                if batch.is_empty() || sender.send(batch).is_err() {
                    return;
                }
            }
        });
        let mut small = 0;
        for ready in batches.iter().flatten() {
            let begun = Instant::now();
            let outcome = examine(&device, &ready, options, &mut small);
            let (bad, fatal) = (outcome != Outcome::Passed, matches!(outcome, Outcome::Fatal(_)));
            tell(&Message::End {
                index: ready.index,
                outcome,
                seconds: begun.elapsed().as_secs_f64(),
                source: if bad {
                    write_case(&ready.case, &[])
                } else {
                    String::new()
                },
            });
            if fatal {
                // The context is of no use any more, and threads that compile are not waited for.
                std::process::exit(1);
            }
        }
    });
    tell(&Message::Done { filtered: 0 });
    Ok(())
}

/// Compiles a case by each way. A panic is a finding like any other.
fn prepare(index: usize, run: u64, target: Option<&str>, options: &Options) -> Ready {
    let seed = seed_of(run, index);
    tell(&Message::Begin {
        index,
        name: format!("seed {seed}"),
    });
    options.plant(Fault::DiesCompiling, index);
    let case = generate(seed);
    let code = catch_unwind(AssertUnwindSafe(|| {
        let expected = oracle(&case).map_err(|failure| format!("the interpreter: {failure}"))?;
        Ok((expected, code_of(&case, target)?))
    }));
    let code = code.unwrap_or_else(|_| Err("the compiler panicked".to_owned()));
    Ready { index, case, code }
}

fn code_of(case: &Case, target: Option<&str>) -> Result<Vec<Code>, String> {
    let Some(target) = target else {
        let forms = [("simt", true), ("simt, unoptimised ssa", false)].into_iter();
        return forms
            .map(|(name, optimise)| {
                let program = simt(&in_form(&case.kernel, optimise), &compile_options(case));
                let program = program.map_err(|error| format!("{name}: {error}"))?;
                Ok(Code::Simt(name, Box::new(program)))
            })
            .collect();
    };
    let suite = as_suite_case(case);
    Way::PTX
        .into_iter()
        .map(|way| match way.compile_for(target, &suite) {
            Ok(kernel) => Ok(Code::Gpu(way, Box::new(kernel))),
            Err(Stop::Wrong(error) | Stop::Missing(error)) => Err(format!("{}: {error}", way.name())),
            Err(Stop::Driver(error)) => Err(format!("{}: {error}", way.name())),
        })
        .collect()
}

fn examine(device: &Device, ready: &Ready, options: &Options, small: &mut usize) -> Outcome {
    options.plant(Fault::Dies, ready.index);
    options.plant(Fault::Hangs, ready.index);
    let (expected, code) = match &ready.code {
        Ok(found) => found,
        Err(error) => return Outcome::Failed(error.clone()),
    };
    for code in code {
        let way = code.way();
        let mut outputs = match execute(device, code, &ready.case) {
            Ok(outputs) => outputs,
            Err(Stop::Driver(error @ Error::Kernel { .. })) => return Outcome::Fatal(format!("{way}: {error}")),
            Err(Stop::Driver(error)) => return Outcome::Failed(format!("{way}: {error}")),
            Err(Stop::Wrong(error) | Stop::Missing(error)) => return Outcome::Failed(format!("{way}: {error}")),
        };
        if options.is_planted(Fault::Wrong, ready.index)
            && let Some(byte) = outputs.iter_mut().flatten().next()
        {
            *byte ^= 1;
        }
        if let Err(mismatch) = mytriton_fuzz::compare(&ready.case, &outputs, expected, false) {
            let mut text = format!("{way}: {mismatch}");
            if let (Device::Gpu(cuda), Code::Gpu(way, _)) = (device, code)
                && *small < MADE_SMALL
            {
                *small += 1;
                let cuda = cuda.clone();
                text += &format!("\nmade small:\n{}", OnGpu { cuda, way: *way }.made_small(&ready.case));
            }
            return Outcome::Failed(text);
        }
    }
    Outcome::Passed
}

fn execute(device: &Device, code: &Code, case: &Case) -> Result<Outputs, Stop> {
    match (device, code) {
        (Device::Gpu(cuda), Code::Gpu(_, kernel)) => {
            let function = Function::load(cuda, kernel)?;
            run_function(cuda, &function, case.grid, &input(case))
        }
        (Device::Simt { seed }, Code::Simt(_, program)) => {
            run_program(program, case.grid, &input(case), *seed).map_err(Stop::Wrong)
        }
        (Device::Gpu(_), Code::Simt(name, _)) => Err(Stop::Wrong(format!("{name} is no code for a GPU"))),
        (Device::Simt { .. }, Code::Gpu(way, _)) => Err(Stop::Wrong(format!("{} is code for a GPU", way.name()))),
    }
}

/// What all processes together have found.
#[derive(Default)]
struct Findings {
    cases: AtomicUsize,
    texts: Mutex<Vec<String>>,
}

/// Fuzzes in processes of their own, and says what came of it.
pub fn run(seed: u64, limit: Limit, options: &Options, gpu: bool, processes: usize) -> ExitCode {
    let (start, findings) = (Instant::now(), Findings::default());
    println!("fuzzing in {processes} process(es), seed {seed}");
    let parent = Parent {
        seed,
        limit,
        options,
        gpu,
        processes,
        start,
        findings: &findings,
    };
    std::thread::scope(|scope| {
        for first in 0..processes {
            let parent = &parent;
            scope.spawn(move || parent.share(first));
        }
    });
    let cases = findings.cases.load(Ordering::Relaxed);
    let found = findings.texts.lock().unwrap_or_else(PoisonError::into_inner).len();
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "fuzz result: {}. {cases} cases in {seconds:.0} s, {:.1} each second; {found} findings",
        if found == 0 { "ok" } else { "FAILED" },
        cases as f64 / seconds.max(1e-9)
    );
    if found == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

struct Parent<'a> {
    seed: u64,
    limit: Limit,
    options: &'a Options,
    gpu: bool,
    processes: usize,
    start: Instant,
    findings: &'a Findings,
}

impl Parent<'_> {
    /// One process's share, in as many processes one after the other as it takes.
    fn share(&self, first: usize) {
        let mut from = first;
        loop {
            let limit = match self.limit {
                Limit::Time(time) => match time.checked_sub(self.start.elapsed()) {
                    Some(left) if !left.is_zero() => Limit::Time(left),
                    Some(_) | None => return,
                },
                Limit::Cases(cases) if from < cases => Limit::Cases(cases),
                Limit::Cases(_) => return,
            };
            let (ended, next, last) = self.process(from, self.processes, limit);
            let why = match ended {
                Ended::Done => return,
                Ended::Broken(why) => return self.found(None, &why, None),
                Ended::Early(why) => why,
                Ended::Hung => "it hangs".to_owned(),
            };
            let Some(last) = last else {
                return self.found(None, &why, None);
            };
            // Threads begin cases in any order: one before the last that was begun may not have been.
            for index in (next..=last).step_by(self.processes) {
                let (ended, next, _) = self.process(index, 1, Limit::Cases(index + 1));
                let why = match ended {
                    // It told of the case before it ended.
                    _ if next > index => continue,
                    Ended::Hung => "it does not end".to_owned(),
                    Ended::Early(why) | Ended::Broken(why) => format!("its process ended: {why}"),
                    Ended::Done => "its process left it out".to_owned(),
                };
                self.findings.cases.fetch_add(1, Ordering::Relaxed);
                self.found(Some(index), &why, None);
            }
            from = last + self.processes;
        }
    }

    /// Runs one process to its end: how it ended, the first case that it told nothing of, and the last that it began.
    fn process(&self, from: usize, step: usize, limit: Limit) -> (Ended, usize, Option<usize>) {
        let (mut next, mut last) = (from, None);
        let child = match self.command(from, step, limit).and_then(|mut command| command.spawn()) {
            Ok(child) => child,
            Err(error) => return (Ended::Broken(format!("cannot start a process: {error}")), next, last),
        };
        let ended = watch(child, self.options.patience, |message| match message {
            Message::Begin { index, .. } => last = last.max(Some(index)),
            Message::End {
                index, outcome, source, ..
            } => {
                // They run in order.
                next = index + step;
                let cases = self.findings.cases.fetch_add(1, Ordering::Relaxed) + 1;
                if cases.is_multiple_of(1000) {
                    println!("{cases} cases, {:.0} s", self.start.elapsed().as_secs_f64());
                }
                match outcome {
                    Outcome::Passed | Outcome::Ignored(_) => {}
                    Outcome::Failed(why) | Outcome::Fatal(why) => self.found(Some(index), &why, Some(&source)),
                }
            }
            Message::Done { .. } | Message::Broken(_) => {}
        });
        (ended, next, last)
    }

    fn command(&self, from: usize, step: usize, limit: Limit) -> std::io::Result<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        let limit = match limit {
            Limit::Cases(cases) => cases.to_string(),
            Limit::Time(time) => format!("{}s", time.as_secs().max(1)),
        };
        let numbers = [
            ("--from", from.to_string()),
            ("--step", step.to_string()),
            ("--fuzz", limit),
        ];
        command.args(["--worker", GROUP, "--seed", &self.seed.to_string()]);
        for (name, number) in numbers {
            command.args([name, &number]);
        }
        command.args(self.gpu.then_some("--gpu"));
        for (fault, index) in &self.options.planted {
            command.args(["--plant", &format!("{}@{index}", fault.name())]);
        }
        // The processes share the cores.
        command.env("RAYON_NUM_THREADS", "2");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Ok(command)
    }

    /// Reports a finding, and writes its case to a file.
    fn found(&self, index: Option<usize>, why: &str, source: Option<&str>) {
        let seed = index.map(|index| seed_of(self.seed, index));
        let text = match (seed, source) {
            (_, Some(source)) => source.to_owned(),
            (Some(seed), None) => write_case(&generate(seed), &[]),
            (None, None) => String::new(),
        };
        let name = seed.map_or_else(|| "start".to_owned(), |seed| format!("seed-{seed}"));
        println!("\nfinding {name}: {why}\n{text}");
        if let (Some(directory), Some(_)) = (&self.options.findings, seed) {
            let notes: String = why.lines().map(|line| format!("// {line}\n")).collect();
            let path = directory.join(format!("{name}.ssa"));
            let written = std::fs::create_dir_all(directory).and_then(|()| std::fs::write(&path, notes + &text));
            match written {
                Ok(()) => println!("written to {}", path.display()),
                Err(error) => eprintln!("error: {}: {error}", path.display()),
            }
        }
        let mut texts = self.findings.texts.lock().unwrap_or_else(PoisonError::into_inner);
        texts.push(name);
    }
}

/// Cases that kill their process, never end or have wrong results are found, and all others run all the same.
pub fn goes_on_after_faults() -> Result<(), String> {
    const SEED: u64 = 5;
    const CASES: usize = 12;
    let planted = [
        (Fault::Dies, 2),
        (Fault::Hangs, 5),
        (Fault::Wrong, 7),
        (Fault::DiesCompiling, 10),
    ];
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut command = Command::new(std::env::current_exe().map_err(|error| error.to_string())?);
    command.args(["--isolated", "--fuzz", &CASES.to_string(), "--seed", &SEED.to_string()]);
    command.args(["--jobs", "2", "--patience", "20"]);
    command.arg("--findings").arg(directory.path());
    for (fault, index) in planted {
        command.args(["--plant", &format!("{}@{index}", fault.name())]);
    }
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    if output.status.success() || !text.contains(&format!("FAILED. {CASES} cases")) || !text.contains("4 findings") {
        return Err(format!(
            "{}\n{text}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    for (fault, index) in planted {
        let path = directory.path().join(format!("seed-{}.ssa", seed_of(SEED, index)));
        let written = std::fs::read_to_string(&path).map_err(|error| format!("{fault:?}: {error}\n{text}"))?;
        if !written.contains("kernel @") {
            return Err(format!("{fault:?}: {written}"));
        }
    }
    Ok(())
}
