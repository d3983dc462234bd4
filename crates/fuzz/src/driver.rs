//! Fuzzing: many cases, every executor, and what came of it.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::case::Case;
use crate::coverage::Coverage;
use crate::executor::{Executor, Problem, Verdict, examine, oracle};
use crate::generate::generate;
use crate::random::Random;
use crate::shrink::{persists, shrink};

/// When to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// After so many cases.
    Cases(usize),
    /// After the cases that are running when this time has passed.
    Time(Duration),
}

/// A run of the fuzzer: its settings.
pub struct Fuzzer {
    /// Decides every case of the run.
    pub seed: u64,
    /// When to stop.
    pub limit: Limit,
    /// What to compare with the oracle.
    pub executors: Vec<Box<dyn Executor>>,
    /// How many findings to shrink and report; the run stops when there are so many.
    pub max_findings: usize,
    /// Attempts to make one finding smaller; 0 reports it as it is.
    pub shrink_attempts: usize,
}

/// A case on which an executor does not agree with the oracle.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The seed for [`generate`].
    pub seed: u64,
    /// The executor's name.
    pub executor: String,
    /// What is wrong, of the smaller case.
    pub problem: Problem,
    /// The smallest case that was found to show it.
    pub case: Case,
    /// Operations of the case as it was generated.
    pub original_ops: usize,
}

/// How often an executor ran.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Runs {
    /// Cases on which it agreed with the oracle.
    pub agreed: usize,
    /// Cases on which it did not.
    pub problems: usize,
    /// Cases that it does not support.
    pub unsupported: usize,
}

/// What came of a run.
#[derive(Clone, Default, Debug)]
pub struct Statistics {
    /// Cases that ran.
    pub cases: usize,
    /// Their operations, constants and terminators included.
    pub ops: usize,
    /// By the executor's name.
    pub executors: BTreeMap<String, Runs>,
    /// What the cases covered.
    pub coverage: Coverage,
    /// Seeds whose case the oracle refused, with its reason: mistakes of the generator.
    pub refused: Vec<(u64, String)>,
    /// How long it took, shrinking included.
    pub elapsed: Duration,
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.elapsed.as_secs_f64();
        let rate = self.cases as f64 / seconds.max(1e-9);
        writeln!(
            f,
            "{} cases, {} operations, {seconds:.1} s, {rate:.0} cases/s",
            self.cases, self.ops
        )?;
        for (name, runs) in &self.executors {
            let Runs {
                agreed,
                problems,
                unsupported,
            } = runs;
            writeln!(
                f,
                "{name}: {agreed} agreed, {problems} problems, {unsupported} unsupported"
            )?;
        }
        for (seed, reason) in &self.refused {
            writeln!(f, "the oracle refuses the case of seed {seed}: {reason}")?;
        }
        Ok(())
    }
}

/// One case's part of the statistics, and what was found.
struct Outcome {
    seed: u64,
    case: Case,
    verdicts: Result<Vec<Verdict>, String>,
}

/// The seed of a run's case with this number.
pub fn seed_of(run: u64, index: usize) -> u64 {
    let mut random = Random::new(run);
    Random::new(random.bits() ^ index as u64).bits()
}

impl Fuzzer {
    /// A run with the built-in executors, 200 cases and 10 findings.
    pub fn new(seed: u64) -> Fuzzer {
        Fuzzer {
            seed,
            limit: Limit::Cases(200),
            executors: crate::executor::built_in(),
            max_findings: 10,
            shrink_attempts: 4000,
        }
    }

    /// Runs cases in parallel (in the current `rayon` thread pool) until the limit, or until there are enough findings.
    /// Between batches of cases `progress` hears how far it is. The findings are in the order of the cases.
    pub fn run(&self, progress: &mut dyn FnMut(&Statistics)) -> (Statistics, Vec<Finding>) {
        let start = Instant::now();
        let mut statistics = Statistics::default();
        for executor in &self.executors {
            statistics.executors.insert(executor.name(), Runs::default());
        }
        let mut findings = Vec::new();
        let batch = rayon::current_num_threads() * 16;
        let mut next = 0;
        loop {
            let end = match self.limit {
                Limit::Cases(cases) => cases.min(next + batch),
                Limit::Time(time) if start.elapsed() < time => next + batch,
                Limit::Time(_) => next,
            };
            if next == end || findings.len() >= self.max_findings {
                break;
            }
            let outcomes: Vec<Outcome> = (next..end).into_par_iter().map(|index| self.case(index)).collect();
            next = end;
            for outcome in outcomes {
                self.count(&mut statistics, &outcome);
                self.report(outcome, &mut findings);
            }
            statistics.elapsed = start.elapsed();
            progress(&statistics);
        }
        (statistics, findings)
    }

    fn case(&self, index: usize) -> Outcome {
        let seed = seed_of(self.seed, index);
        let case = generate(seed);
        let verdicts = match oracle(&case) {
            Ok(expected) => {
                let executors = self.executors.iter();
                Ok(executors
                    .map(|executor| examine(&**executor, &case, &expected))
                    .collect())
            }
            Err(refusal) => Err(refusal.to_string()),
        };
        Outcome { seed, case, verdicts }
    }

    fn count(&self, statistics: &mut Statistics, outcome: &Outcome) {
        statistics.cases += 1;
        statistics.ops += outcome.case.op_count();
        let verdicts = match &outcome.verdicts {
            Ok(verdicts) => verdicts,
            Err(refusal) => {
                statistics.refused.push((outcome.seed, refusal.clone()));
                return;
            }
        };
        statistics.coverage.add(&Coverage::of(&outcome.case));
        for (executor, verdict) in self.executors.iter().zip(verdicts) {
            let runs = statistics.executors.entry(executor.name()).or_default();
            match verdict {
                Verdict::Agrees => runs.agreed += 1,
                Verdict::Problem(_) => runs.problems += 1,
                Verdict::Unsupported(_) => runs.unsupported += 1,
            }
        }
    }

    fn report(&self, outcome: Outcome, findings: &mut Vec<Finding>) {
        let Ok(verdicts) = outcome.verdicts else {
            return;
        };
        for (executor, verdict) in self.executors.iter().zip(verdicts) {
            let Verdict::Problem(problem) = verdict else {
                continue;
            };
            if findings.len() >= self.max_findings {
                return;
            }
            let mut last = problem.clone();
            let small = shrink(
                &outcome.case,
                self.shrink_attempts,
                &mut persists(&**executor, &problem, &mut last),
            );
            findings.push(Finding {
                seed: outcome.seed,
                executor: executor.name(),
                problem: last,
                original_ops: outcome.case.op_count(),
                case: small.case,
            });
        }
    }
}

impl Finding {
    /// The text of a corpus file for it.
    pub fn to_text(&self) -> String {
        let notes = [
            format!("{}: {}", self.executor, self.problem),
            format!("seed {}, {} operations before shrinking", self.seed, self.original_ops),
        ];
        crate::corpus::write_case(&self.case, &notes)
    }
}
