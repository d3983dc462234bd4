//! One benchmark: results are checked, configurations chosen, and then everyone is timed in turn.

use std::fmt;

use anyhow::{Context, Result, bail, ensure};
use mytriton::abi::{Code as MachineCode, CompiledKernel};
use mytriton::cudarc::driver::CudaSlice;
use mytriton::frontend::ScalarValue;
use mytriton::prelude::*;
use mytriton::{Arg, LaunchOptions, Program, compile};

use crate::cases::{Candidate, Case, Plan};
use crate::inputs::Source;
use crate::peers::{Peer, Peers};
use crate::ptx::global_accesses;
use crate::report::{self, Code, Entry, Role, median};
use crate::settings::Settings;
use crate::timing::Stopwatch;

/// Candidates that take so many times as long as the fastest may be faster in truth.
const NEARLY: f64 = 1.03;

/// What all benchmarks share.
pub struct Bench<'a> {
    device: &'a Device,
    target: &'static str,
    settings: Settings,
    stopwatch: Stopwatch,
    /// What the driver copies, and where to.
    copied: (CudaSlice<u64>, CudaSlice<u64>),
}

/// A result is not what it should be.
#[derive(Debug)]
struct WrongResult;

impl fmt::Display for WrongResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("wrong result")
    }
}

/// A candidate on the device.
struct Loaded {
    label: String,
    steps: Vec<(Program, Vec<ScalarValue>, Grid)>,
    code: Code,
}

impl<'a> Bench<'a> {
    /// For benchmarks that move at most so many bytes.
    pub fn new(device: &'a Device, settings: Settings, most_bytes: u64) -> Result<Bench<'a>> {
        let target = device.as_cuda().context("the device is no GPU")?.target()?;
        let stopwatch = Stopwatch::new(device, settings.repetitions.max(settings.trial))?;
        let stream = device.stream().context("the device is no GPU")?;
        let words = (most_bytes / 2).div_ceil(8) as usize;
        // Not zeros: moving bits that change takes power, and so clocks.
        let source = Source::new(settings.seed, 100);
        let random: Vec<u64> = (0..words).map(|i| source.bits(i)).collect();
        let copied = (stream.clone_htod(&random)?, stream.alloc_zeros(words)?);
        Ok(Bench {
            device,
            target,
            settings,
            stopwatch,
            copied,
        })
    }

    /// Measures one benchmark. What fails becomes a problem of it, and the others are measured.
    pub fn run(&mut self, plan: &Plan, peers: Option<&mut Peers>) -> report::Case {
        let mut record = report::Case {
            bench: plan.work.bench.to_owned(),
            size: plan.work.size(),
            unit: plan.unit(),
            bytes: Some(plan.bytes),
            entries: Vec::new(),
            problems: Vec::new(),
            wrong: false,
        };
        if let Err(error) = self.fill(plan, peers, &mut record) {
            record.problems.push(format!("{error:#}"));
        }
        record
    }

    fn fill(&mut self, plan: &Plan, mut peers: Option<&mut Peers>, record: &mut report::Case) -> Result<()> {
        let case = plan
            .make(self.device, self.settings.seed)
            .context("cannot make the operands")?;
        let ours = match self.choose(&*case, record) {
            Ok(ours) => Some(ours),
            Err(error) => {
                record.problems.push(format!("mytriton: {error:#}"));
                None
            }
        };
        let mut theirs: Vec<(Peer, Vec<Vec<f64>>)> = Vec::new();
        if let Some(peers) = &mut peers {
            match peers.prepare(&plan.work, plan.bytes) {
                Ok(prepared) => {
                    record.problems.extend(prepared.problems);
                    theirs.extend(prepared.peers.into_iter().map(|peer| (peer, Vec::new())));
                }
                Err(error) => record.problems.push(format!("peers: {error:#}")),
            }
        }
        let (mut our_times, mut copy_times) = (Vec::new(), Vec::new());
        for _ in 0..self.settings.rounds {
            copy_times.push(self.copy(plan.bytes)?);
            if let Some(ours) = &ours {
                our_times.push(self.time(&*case, ours, self.settings.repetitions)?);
            }
            for (peer, times) in &mut theirs {
                match peers.as_mut().map(|peers| peers.measure(&peer.who)) {
                    Some(Ok(round)) => times.push(round),
                    Some(Err(error)) => record.problems.push(format!("{}: {error:#}", peer.who)),
                    None => {}
                }
            }
        }
        let entry =
            |who: &str, role, times: &[Vec<f64>]| Entry::from_times(who, role, record.unit, record.bytes, times);
        let mut entries = Vec::new();
        if let Some(ours) = ours {
            let made = entry("mytriton", Role::Ours, &our_times);
            entries.extend(made.map(|entry| Entry {
                config: ours.label,
                code: Some(ours.code),
                ..entry
            }));
        }
        for (peer, times) in theirs {
            let made = entry(&peer.who, Role::Peer, &times);
            entries.extend(made.map(|entry| Entry {
                config: peer.config,
                ..entry
            }));
        }
        entries.extend(entry("driver's copy", Role::Yardstick, &copy_times));
        record.entries = entries;
        if let Some(peers) = peers {
            peers.release()?;
        }
        Ok(())
    }

    /// The fastest of a benchmark's candidates whose results are right. A wrong one is a problem even where others are
    /// right. Those that are nearly as fast as the fastest are timed again, in turn.
    fn choose(&mut self, case: &dyn Case, record: &mut report::Case) -> Result<Loaded> {
        let mut tried: Vec<(f64, Loaded)> = Vec::new();
        for candidate in case.candidates()? {
            let label = candidate.label.clone();
            match self.try_candidate(case, candidate) {
                Ok(timed) => tried.push(timed),
                Err(error) => {
                    record.wrong |= error.is::<WrongResult>();
                    record.problems.push(format!("mytriton, {label}: {error:#}"));
                }
            }
        }
        let fastest = tried.iter().map(|&(time, _)| time).fold(f64::INFINITY, f64::min);
        tried.retain(|&(time, _)| time <= fastest * NEARLY);
        let mut times = vec![Vec::new(); tried.len()];
        for _ in 0..self.settings.finals {
            for ((_, loaded), times) in tried.iter().zip(&mut times) {
                times.extend(self.time(case, loaded, self.settings.trial)?);
            }
        }
        let finalists = tried.into_iter().zip(&times);
        let timed = finalists.map(|((first, loaded), times)| (median(times).unwrap_or(first), loaded));
        let best = timed.min_by(|(a, _), (b, _)| a.total_cmp(b));
        let (_, best) = best.context("no configuration works")?;
        case.poison(self.device)?;
        launch(case, &best)?;
        if let Err(error) = case.check(true) {
            record.wrong = true;
            return Err(error.context(WrongResult).context(best.label));
        }
        Ok(best)
    }

    fn try_candidate(&mut self, case: &dyn Case, candidate: Candidate) -> Result<(f64, Loaded)> {
        let loaded = self.load(candidate)?;
        case.poison(self.device)?;
        launch(case, &loaded)?;
        case.check(false).context(WrongResult)?;
        let times = self.time(case, &loaded, self.settings.trial)?;
        Ok((median(&times).context("nothing was timed")?, loaded))
    }

    fn load(&self, candidate: Candidate) -> Result<Loaded> {
        let options = LaunchOptions {
            num_warps: candidate.num_warps,
            ..LaunchOptions::DEFAULT
        };
        let mut code = None;
        let mut steps = Vec::new();
        for step in candidate.steps {
            let compiled = compile(&step.kernel, self.target, options)?;
            let program = self.device.load_compiled(&compiled)?;
            // Of several launches the first one does the most.
            if code.is_none() {
                code = Some(code_of(&compiled, &program)?);
            }
            steps.push((program, step.scalars, step.grid));
        }
        Ok(Loaded {
            label: candidate.label,
            steps,
            code: code.context("a candidate without a launch")?,
        })
    }

    fn time(&mut self, case: &dyn Case, loaded: &Loaded, repetitions: usize) -> Result<Vec<f64>> {
        self.stopwatch.time(repetitions, || launch(case, loaded))
    }

    /// Milliseconds of the driver's copies that read and write as many bytes.
    fn copy(&mut self, bytes: u64) -> Result<Vec<f64>> {
        let stream = self.device.stream().context("the device is no GPU")?;
        let words = (bytes / 2).div_ceil(8) as usize;
        let (from, to) = &mut self.copied;
        ensure!(words <= from.len(), "more bytes than were said");
        let repetitions = self.settings.repetitions;
        self.stopwatch.time(repetitions, || {
            Ok(stream.memcpy_dtod(&from.slice(..words), &mut to.slice_mut(..words))?)
        })
    }
}

fn launch(case: &dyn Case, loaded: &Loaded) -> Result<()> {
    for (index, (program, scalars, grid)) in loaded.steps.iter().enumerate() {
        let mut args = case.pointers(index);
        args.extend(scalars.iter().map(|&value| Arg::from(value)));
        program.launch(*grid, &args)?;
    }
    Ok(())
}

fn code_of(compiled: &CompiledKernel, program: &Program) -> Result<Code> {
    let function = program.function().context("the program is on no GPU")?;
    let MachineCode::Ptx(ptx) = &compiled.code else {
        bail!("the compiler gave no PTX");
    };
    let (loads, stores) = global_accesses(ptx);
    Ok(Code {
        registers: function.registers()?,
        local_bytes: function.spilled_bytes()?,
        shared_bytes: compiled.shared_bytes,
        loads,
        stores,
    })
}
