//! Single checks, and what comes of them.

use std::cell::OnceCell;
use std::fmt::Display;
use std::rc::Rc;

use mytriton_runtime::Cuda;
use mytriton_ssa::{BinaryOp, Kernel, OpId, OpKind};
use serde::{Deserialize, Serialize};

use crate::case::{Case, Launch};
use crate::gpu::{self, Way};
use crate::{bad_input, compare, cudarc_memory, device_fuzz, examples, fuzz, offline, oracle, simt, suite};

/// What comes of a check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// As it should be.
    Passed,
    /// Not as it should be, and why.
    Failed(String),
    /// The same, and nothing more can be done in this process.
    Fatal(String),
    /// Not run, as something is missing.
    Ignored(String),
}

/// A failure.
pub fn failed(why: impl Display) -> Outcome {
    Outcome::Failed(why.to_string())
}

/// Where checks run.
pub struct Setting {
    /// The seed of all random numbers.
    pub seed: u64,
    /// The GPU, unless code is only checked by tools.
    pub cuda: Option<Rc<Cuda>>,
}

/// A check: its name within the group, and what it does.
pub struct Check {
    /// The name.
    pub name: String,
    /// Runs it.
    pub run: Box<dyn FnOnce() -> Outcome>,
    /// What a failure is reported with: the kernel's text.
    pub source: Rc<str>,
}

/// The names of all groups.
pub fn group_names(gpu: bool) -> Vec<String> {
    let mut names: Vec<String> = suite::groups().into_iter().map(|group| group.name).collect();
    names.insert(0, "rules".to_owned());
    names.push("fuzz".to_owned());
    if gpu {
        names.extend(["bad-input", "cudarc", "examples"].map(str::to_owned));
    }
    names
}

/// The checks of a group, always in the same order.
pub fn checks_of(group: &str, setting: &Setting) -> Result<Vec<Check>, String> {
    match group {
        "rules" => {
            return Ok(vec![
                function("comparison", || result(compare::self_check())),
                function("a_wrong_kernel_is_found", || result(wrong_kernel())),
                function("fuzzing_goes_on_after_faults", || {
                    result(device_fuzz::goes_on_after_faults())
                }),
                function("a_missing_barrier_is_found", || {
                    result(simt::a_missing_barrier_is_found())
                }),
                function("transpositions_have_no_bank_conflicts", || {
                    result(simt::transpositions_have_no_bank_conflicts())
                }),
                function("given_layouts_have_no_bank_conflicts", || {
                    result(simt::given_layouts_have_no_bank_conflicts())
                }),
            ]);
        }
        "fuzz" => return fuzz::checks(setting),
        "bad-input" => return Ok(bad_input::checks()),
        "cudarc" => return Ok(cudarc_memory::checks()),
        "examples" => return Ok(examples::checks(setting.seed)),
        _ => {}
    }
    let groups = suite::groups();
    let Some(found) = groups.iter().find(|g| g.name == group) else {
        return Err(format!("there is no group '{group}'"));
    };
    let cases = (found.cases)(setting.seed)?;
    let mut checks = Vec::new();
    for case in cases {
        checks.extend(of_case(case, setting));
    }
    Ok(checks)
}

/// A check that is a function.
pub fn function(name: &str, run: impl FnOnce() -> Outcome + 'static) -> Check {
    Check {
        name: name.to_owned(),
        run: Box::new(run),
        source: "".into(),
    }
}

/// The outcome of a function that says what is wrong.
pub fn result(result: Result<(), impl Display>) -> Outcome {
    result.map_or_else(failed, |()| Outcome::Passed)
}

/// A kernel that adds where it should multiply must not pass for the right one, neither beside the oracle nor as one.
fn wrong_kernel() -> Result<(), String> {
    let group = suite::groups()
        .into_iter()
        .find(|group| group.name == "shapes-warps")
        .ok_or("no such group")?;
    let case = (group.cases)(1)?.into_iter().next().ok_or("no such case")?;
    let mut wrong = case.kernel.clone();
    let product = |op: &OpId| wrong.op(*op).kind == OpKind::Binary(BinaryOp::Mul) && is_float(&wrong, *op);
    let op = wrong
        .ops_in_order()
        .into_iter()
        .rfind(product)
        .ok_or("the kernel multiplies nothing")?;
    wrong.op_mut(op).kind = OpKind::Binary(BinaryOp::Add);
    let launches = case.launches(1);
    let (right, wrong) = (oracle::run(&case.kernel, &launches)?, oracle::run(&wrong, &launches)?);
    for (launch, (right, wrong)) in launches.iter().zip(right.iter().zip(&wrong)) {
        launch.compare(right, right)?;
        launch.check_expected(right)?;
        let Err(found) = launch.compare(wrong, right) else {
            // One element alone may be a zero or a NaN, of which sum and product are the same.
            if launch.outputs[0].range.len() < 8 {
                continue;
            }
            return Err(format!("{}: the wrong result passes", launch.what));
        };
        if !found.contains("(square ") || !found.contains("should be") || launch.check_expected(wrong).is_ok() {
            return Err(format!("a wrong result is reported as: {found}"));
        }
    }
    // A byte changed beyond the output is a mistake too.
    let mut stray = right[0].clone();
    let last = stray[1].len() - 1;
    stray[1][last] ^= 1;
    match launches[0].compare(&stray, &right[0]) {
        Err(found) if found.contains("no output") => Ok(()),
        found => Err(format!("a stray write is reported as: {found:?}")),
    }
}

fn is_float(kernel: &Kernel, op: OpId) -> bool {
    kernel.op(op).results.iter().all(|&value| kernel.ty(value).is_float())
}

/// A case with what its checks share, computed when the first needs it.
struct Shared {
    case: Case,
    seed: u64,
    launches: OnceCell<Vec<Launch>>,
    oracle: OnceCell<Result<Vec<Vec<Vec<u8>>>, String>>,
}

impl Shared {
    fn launches(&self) -> &[Launch] {
        self.launches.get_or_init(|| self.case.launches(self.seed))
    }

    fn oracle(&self) -> Result<&[Vec<Vec<u8>>], String> {
        let oracle = self
            .oracle
            .get_or_init(|| oracle::run(&self.case.kernel, self.launches()));
        oracle.as_deref().map_err(Clone::clone)
    }

    /// The interpreter against what the case expects, and itself on the optimised kernel.
    fn interpret(&self) -> Result<(), String> {
        let oracle = self.oracle()?;
        for (launch, oracle) in self.launches().iter().zip(oracle) {
            launch.check_expected(oracle)?;
        }
        let optimised = oracle::run(&offline::optimised(&self.case.kernel), self.launches());
        let optimised = optimised.map_err(|error| format!("optimised: {error}"))?;
        for ((launch, oracle), found) in self.launches().iter().zip(oracle).zip(&optimised) {
            launch
                .compare(found, oracle)
                .map_err(|error| format!("optimised: {error}"))?;
        }
        Ok(())
    }
}

fn of_case(case: Case, setting: &Setting) -> Vec<Check> {
    let source: Rc<str> = case.kernel.to_string().into();
    let name = case.name.clone();
    let shared = Rc::new(Shared {
        case,
        seed: setting.seed,
        launches: OnceCell::new(),
        oracle: OnceCell::new(),
    });
    let mut checks = Vec::new();
    let mut add = |what: &str, run: Box<dyn FnOnce() -> Outcome>| {
        checks.push(Check {
            name: format!("{name}::{what}"),
            run,
            source: source.clone(),
        });
    };
    let s = shared.clone();
    add("interpreter", Box::new(move || result(s.interpret())));
    for (what, optimise) in [("simt", true), ("simt-unoptimised-ssa", false)] {
        let s = shared.clone();
        let run = move || match s.oracle() {
            Ok(oracle) => simt::run(&s.case, s.launches(), oracle, optimise, s.seed),
            Err(error) => failed(error),
        };
        add(what, Box::new(run));
    }
    match &setting.cuda {
        Some(cuda) => {
            for way in Way::ALL {
                let (s, cuda) = (shared.clone(), cuda.clone());
                let run = move || match s.oracle() {
                    Ok(oracle) => gpu::run(&cuda, &s.case, s.launches(), oracle, way),
                    Err(error) => failed(error),
                };
                add(&way.name(), Box::new(run));
            }
        }
        None => {
            let s = shared.clone();
            add("ptxas", Box::new(move || offline::ptxas(&s.case)));
            add("nvrtc", Box::new(move || offline::nvrtc(&shared.case)));
        }
    }
    checks
}
