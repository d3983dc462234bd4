//! How long compiling takes, from Rust to machine code, when nothing of the kernel is kept.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use mytriton::abi::Code;
use mytriton::frontend::{ConstexprValue, KernelDef, Specialization};
use mytriton::prelude::*;
use mytriton::runtime::{Cuda, Function};
use mytriton::ssa::{OptLevel, optimise, verify};
use mytriton_compiler::{CompileOptions, Compiled, compile};

use crate::kernels;
use crate::peers::Peers;
use crate::report::{Case, Entry, Role, Unit, median};
use crate::settings::Settings;

/// A kernel that is compiled.
pub struct Plan {
    /// As the peers' script calls it, and as it is called in the record.
    pub name: &'static str,
    definition: &'static KernelDef,
    constexprs: Vec<ConstexprValue>,
    num_warps: u32,
}

impl Plan {
    /// What the record's cases begin with.
    pub fn title(&self) -> String {
        format!("compile {}", self.name)
    }
}

/// The kernels compiled, the same as the peers'.
pub fn plans() -> Vec<Plan> {
    vec![
        Plan {
            name: "add f32",
            definition: kernels::add::definition(),
            constexprs: vec![DType::F32.into(), 1024.into()],
            num_warps: 4,
        },
        Plan {
            name: "softmax bf16 4096",
            definition: kernels::softmax::definition(),
            constexprs: vec![DType::BF16.into(), 1.into(), 4096.into()],
            num_warps: 8,
        },
    ]
}

/// One compilation: all steps with their times, and the whole.
struct Run {
    steps: Vec<(&'static str, Duration)>,
    /// To PTX.
    total: Duration,
    /// The driver's own compilation, PTX to machine code.
    driver: Duration,
}

/// Measures ours and then the peers'. The first case is to PTX, the others to machine code.
pub fn measure(cuda: &Cuda, plan: &Plan, settings: &Settings, peers: Option<&mut Peers>) -> Result<[Case; 3]> {
    let case = |size: &str| Case {
        bench: "compile".to_owned(),
        size: format!("{}, {size}", plan.name),
        unit: Unit::Milliseconds,
        bytes: None,
        entries: Vec::new(),
        problems: Vec::new(),
        wrong: false,
    };
    let [mut to_ptx, mut whole, mut first_whole] = [case("to PTX"), case("to machine code"), case("the first time")];
    let first = run(cuda, plan, 0)?;
    let runs: Vec<Run> = (1..=settings.compilations)
        .map(|number| run(cuda, plan, number))
        .collect::<Result<_>>()?;
    print(plan.name, &first, &runs);
    let entry = |who: &str, role, times: Vec<f64>| Entry::from_times(who, role, Unit::Milliseconds, None, &[times]);
    let of = |time: &dyn Fn(&Run) -> Duration| runs.iter().map(|run| ms(time(run))).collect();
    to_ptx
        .entries
        .extend(entry("mytriton", Role::Ours, of(&|run| run.total)));
    whole
        .entries
        .extend(entry("mytriton", Role::Ours, of(&|run| run.total + run.driver)));
    first_whole
        .entries
        .extend(entry("mytriton", Role::Ours, vec![ms(first.total + first.driver)]));
    match peers.map(|peers| peers.compile(plan.name)) {
        Some(Ok(compiled)) => {
            whole.entries.extend(entry("triton", Role::Peer, compiled.times));
            first_whole
                .entries
                .extend(entry("triton", Role::Peer, vec![compiled.first]));
        }
        Some(Err(error)) => whole.problems.push(format!("peers: {error:#}")),
        None => {}
    }
    Ok([to_ptx, whole, first_whole])
}

/// The steps, for those who look for time.
fn print(name: &str, first: &Run, runs: &[Run]) {
    println!("\ncold compilation of {name}, {} times, in ms\n", runs.len() + 1);
    println!("{:<28} {:>9} {:>9}", "", "first", "median");
    let row = |name: &str, first: Duration, times: Vec<f64>| {
        println!(
            "{name:<28} {:>9.3} {:>9.3}",
            ms(first),
            median(&times).unwrap_or(f64::NAN)
        );
    };
    for (index, &(step, time)) in first.steps.iter().enumerate() {
        row(step, time, runs.iter().map(|run| ms(run.steps[index].1)).collect());
    }
    row(
        "all, to PTX",
        first.total,
        runs.iter().map(|run| ms(run.total)).collect(),
    );
    row(
        "driver: PTX to machine code",
        first.driver,
        runs.iter().map(|run| ms(run.driver)).collect(),
    );
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn run(cuda: &Cuda, plan: &Plan, number: usize) -> Result<Run> {
    let target = cuda.target()?.parse().ok().context("the GPU's target is not known")?;
    let start = Instant::now();
    // The same facts as the peers': pointers and lengths, which all parameters are, are divisible by 16.
    let parameters = 0..plan.definition.runtime_params().count();
    let facts = parameters.fold(Specialization::NONE, Specialization::with_divisible_by_16);
    let mut kernel = (plan.definition.build)(&plan.constexprs, &facts)?;
    verify(&kernel)?;
    let built = start.elapsed();
    optimise(&mut kernel, OptLevel::Full);
    let optimised = start.elapsed();
    let options = CompileOptions {
        num_warps: plan.num_warps,
        ..CompileOptions::new(target)
    };
    let Compiled {
        kernel: mut compiled,
        times,
    } = compile(&kernel, &options)?;
    let total = start.elapsed();
    // The driver keeps what it compiled on disk: another text is compiled anew.
    if let Code::Ptx(text) = &mut compiled.code {
        let salt = std::process::id();
        *text = format!("// {salt} {number} {:?}\n{text}", Instant::now());
    }
    let start = Instant::now();
    Function::load(cuda, &compiled)?;
    let driver = start.elapsed();
    let mut steps = vec![
        ("Rust to typed SSA", built),
        ("typed SSA, optimised", optimised - built),
    ];
    steps.extend(times.steps());
    Ok(Run { steps, total, driver })
}
