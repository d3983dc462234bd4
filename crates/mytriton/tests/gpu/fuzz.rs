//! Random kernels by every way there is: those of the fuzzer, its corpus, and long runs of it.

use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

use mytriton_compiler::{CompileOptions, Form, OptLevel, Target, simt, steps};
use mytriton_fuzz::{
    Arg, Case, Executor, Failure, Fuzzer, Limit, Outputs, Verdict, built_in, corpus, examine, generate,
    has_conflicting_stores, interpret, oracle, rules, seed_of, shrink, write_case,
};
use mytriton_runtime::{Cuda, Error, Function};

use crate::case::{Input, InputArg, LocalMemory};
use crate::check::{Check, Outcome, Setting, failed};
use crate::gpu::{Stop, Way, run_function};
use crate::offline::{self, compile_options, in_form};
use crate::simt::run_program;

/// Kernels of an ordinary run of the suite, and those among them whose code the tools check too.
const KERNELS: usize = 48;
const FOR_TOOLS: usize = 16;
/// Attempts to make a kernel smaller that a GPU runs wrongly.
const SHRINK_ATTEMPTS: usize = 1500;

/// A case's kernel as one of the suite: fusion is off, so that its results are the same everywhere.
pub fn as_suite_case(case: &Case) -> crate::case::Case {
    let mut code = crate::case::Case::new(case.kernel.name.clone(), case.kernel.clone(), |_| Vec::new());
    code.local_memory = LocalMemory::Spills;
    code.warps(case.num_warps)
}

/// Up to the `gpu` stage nothing depends on the target.
pub fn options(case: &Case) -> CompileOptions {
    compile_options(&as_suite_case(case), Target::Sm90a, OptLevel::O3)
}

fn translation(error: impl ToString) -> Failure {
    Failure::Translation(error.to_string())
}

/// What the case's launch is given.
pub fn input(case: &Case) -> Input<'_> {
    let arg = |arg: &Arg| match *arg {
        Arg::Pointer { buffer, offset } => {
            let width = u64::from(case.buffers[buffer].elem.bytes());
            InputArg::Pointer(buffer, offset as u64 * width)
        }
        Arg::Scalar(value) => InputArg::Bits(value.bits()),
    };
    Input {
        buffers: case.buffers.iter().map(|buffer| &buffer.bytes[..]).collect(),
        args: case.args.iter().map(arg).collect(),
    }
}

/// The SIMT executor at the end of the `gpu` stage.
struct Simt {
    optimise: bool,
    seed: u64,
}

impl Executor for Simt {
    fn name(&self) -> String {
        let form = if self.optimise { "" } else { ", unoptimised ssa" };
        format!("simt{form}")
    }

    fn run(&self, case: &Case) -> Result<Outputs, Failure> {
        let kernel = in_form(&case.kernel, self.optimise);
        let program = simt(&kernel, &options(case)).map_err(translation)?;
        run_program(&program, case.grid, &input(case), self.seed).map_err(Failure::Fault)
    }
}

/// After each pass of the compiler by itself, in whatever form it can be run.
struct Steps {
    seed: u64,
}

impl Executor for Steps {
    fn name(&self) -> String {
        "each pass".to_owned()
    }

    fn run(&self, case: &Case) -> Result<Outputs, Failure> {
        let expected = oracle(case)?;
        let mut outputs = expected.clone();
        let kernel = in_form(&case.kernel, true);
        for step in steps(&kernel, &options(case)).map_err(translation)? {
            let (result, precise) = match step.form {
                Form::Ssa(kernel) => (interpret(case, &kernel, true), true),
                Form::Simt(program) => (
                    run_program(&program, case.grid, &input(case), self.seed).map_err(Failure::Fault),
                    false,
                ),
            };
            let after = |text: String| format!("after {}: {text}", step.after);
            outputs = result.map_err(|failure| Failure::Fault(after(failure.to_string())))?;
            // The last one's difference is the caller's to find.
            mytriton_fuzz::compare(case, &outputs, &expected, precise)
                .map_err(|mismatch| Failure::Fault(after(mismatch.to_string())))?;
        }
        Ok(outputs)
    }
}

/// A way on a GPU.
pub struct OnGpu {
    /// The GPU.
    pub cuda: Rc<Cuda>,
    /// The way.
    pub way: Way,
}

impl OnGpu {
    fn run(&self, case: &Case) -> Result<Outputs, Stop> {
        let compiled = self.way.compile(&self.cuda, &as_suite_case(case))?;
        let function = Function::load(&self.cuda, &compiled)?;
        run_function(&self.cuda, &function, case.grid, &input(case))
    }

    /// A smaller case that has wrong results this way too, as a file for the corpus.
    pub fn made_small(&self, case: &Case) -> String {
        let mut fails = |case: &Case| {
            let Ok(expected) = oracle(case) else { return false };
            let comparable = rules(case).is_ok() && has_conflicting_stores(case) == Ok(false);
            comparable
                && self
                    .run(case)
                    .is_ok_and(|outputs| mytriton_fuzz::compare(case, &outputs, &expected, false).is_err())
        };
        let small = shrink(case, SHRINK_ATTEMPTS, &mut fails).case;
        write_case(&small, &[format!("wrong results by {}", self.way.name())])
    }
}

/// Those that need no GPU.
fn executors(seed: u64) -> Vec<Box<dyn Executor>> {
    let mut executors = built_in();
    executors.push(Box::new(Simt { optimise: true, seed }));
    executors.push(Box::new(Simt { optimise: false, seed }));
    executors.push(Box::new(Steps { seed }));
    executors
}

/// Checks of the corpus and of some random kernels: one for each case, by all ways.
pub fn checks(setting: &Setting) -> Result<Vec<Check>, String> {
    let mut checks = Vec::new();
    for (name, case) in corpus().map_err(|error| error.to_string())? {
        checks.push(check_of(format!("corpus::{name}::all"), case, setting));
    }
    for index in 0..KERNELS {
        let case = generate(seed_of(setting.seed, index));
        if setting.cuda.is_none() && index < FOR_TOOLS {
            checks.extend(checks_by_tools(&format!("kernel_{index}"), &case));
        }
        checks.push(check_of(format!("kernel_{index}::all"), case, setting));
    }
    Ok(checks)
}

fn check_of(name: String, case: Case, setting: &Setting) -> Check {
    let (seed, cuda) = (setting.seed, setting.cuda.clone());
    Check {
        name,
        source: case.kernel.to_string().into(),
        run: Box::new(move || check(&case, seed, cuda.as_ref())),
    }
}

/// What ptxas and NVRTC say of a kernel's code.
fn checks_by_tools(name: &str, case: &Case) -> [Check; 2] {
    let code = Rc::new(as_suite_case(case));
    type Tool = fn(&crate::case::Case) -> Outcome;
    let tools: [(&str, Tool); 2] = [("ptxas", offline::ptxas), ("nvrtc", offline::nvrtc)];
    tools.map(|(way, run)| {
        let code = code.clone();
        Check {
            name: format!("{name}::{way}"),
            source: code.kernel.to_string().into(),
            run: Box::new(move || run(&code)),
        }
    })
}

fn check(case: &Case, seed: u64, cuda: Option<&Rc<Cuda>>) -> Outcome {
    let expected = match oracle(case) {
        Ok(expected) => expected,
        Err(failure) => return failed(format!("the interpreter: {failure}")),
    };
    for executor in executors(seed) {
        match examine(&*executor, case, &expected) {
            Verdict::Agrees => {}
            Verdict::Problem(problem) => return failed(format!("{}: {problem}", executor.name())),
            Verdict::Unsupported(what) => return failed(format!("{}: {what}", executor.name())),
        }
    }
    let Some(cuda) = cuda else { return Outcome::Passed };
    let mut wrong = Vec::new();
    for way in Way::ALL {
        let on_gpu = OnGpu {
            cuda: cuda.clone(),
            way,
        };
        let problem = match on_gpu.run(case) {
            Ok(outputs) => match mytriton_fuzz::compare(case, &outputs, &expected, false) {
                Ok(()) => continue,
                Err(mismatch) => {
                    let small = on_gpu.made_small(case);
                    wrong.push(format!("{}: {mismatch}\nmade small:\n{small}", way.name()));
                    continue;
                }
            },
            Err(Stop::Wrong(error)) => error,
            Err(Stop::Missing(error)) => return offline::missing(&error),
            // After it the context is of no use any more.
            Err(Stop::Driver(error @ Error::Kernel { .. })) => {
                wrong.push(format!("{}: {error}", way.name()));
                return Outcome::Fatal(wrong.join("\n"));
            }
            Err(Stop::Driver(error)) => error.to_string(),
        };
        wrong.push(format!("{}: {problem}", way.name()));
    }
    if wrong.is_empty() {
        Outcome::Passed
    } else {
        failed(wrong.join("\n"))
    }
}

/// A long run without a GPU. What it finds is made small and written to files.
pub fn run(seed: u64, limit: Limit, directory: Option<&Path>) -> ExitCode {
    let fuzzer = Fuzzer {
        limit,
        executors: executors(seed),
        ..Fuzzer::new(seed)
    };
    println!("fuzzing, seed {seed}");
    let mut last = 0;
    let (statistics, findings) = fuzzer.run(&mut |statistics| {
        let seconds = statistics.elapsed.as_secs() / 10;
        if seconds > last {
            last = seconds;
            let problems: usize = statistics.executors.values().map(|runs| runs.problems).sum();
            println!("{} cases, {problems} problems", statistics.cases);
        }
    });
    for finding in &findings {
        let ops = finding.case.op_count();
        println!(
            "\nseed {}: {}: {}\n{} operations of {}:",
            finding.seed, finding.executor, finding.problem, ops, finding.original_ops
        );
        let text = write_case(&finding.case, &[format!("{}: {}", finding.executor, finding.problem)]);
        println!("{text}");
        if let Some(directory) = directory {
            let path = directory.join(format!("seed-{}.ssa", finding.seed));
            match std::fs::create_dir_all(directory).and_then(|()| std::fs::write(&path, &text)) {
                Ok(()) => println!("written to {}", path.display()),
                Err(error) => eprintln!("error: {}: {error}", path.display()),
            }
        }
    }
    println!("\n{statistics}");
    let good = findings.is_empty() && statistics.refused.is_empty();
    println!(
        "fuzz result: {}. {} cases; {} findings",
        if good { "ok" } else { "FAILED" },
        statistics.cases,
        findings.len()
    );
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
