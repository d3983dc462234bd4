//! Ways to run a case, and how the results of two are compared.

use std::panic::{AssertUnwindSafe, catch_unwind};

use mytriton_interp::{Argument, Memory, Options, run};
use mytriton_ssa::{Kernel, OptLevel, Phase, Scalar, optimise, parse_module, verify};

use crate::case::{Arg, Case, bits_at};
use crate::rule::Rule;

/// Loop iterations that a program may run: more than any case has.
pub const MAX_STEPS: u64 = 1 << 14;

/// The buffers after a launch, in the order of [`Case::buffers`].
pub type Outputs = Vec<Vec<u8>>;

/// A way to run a case.
pub trait Executor: Sync {
    /// Its name, which findings and corpus files carry: one line.
    fn name(&self) -> String;

    /// Runs the case and gives what is in its buffers afterwards.
    fn run(&self, case: &Case) -> Result<Outputs, Failure>;

    /// Does it compute approximate functions exactly as the oracle does, so that all results have the same bits?
    fn is_precise(&self) -> bool {
        false
    }
}

/// Why an executor gives no result. A panic counts as one of these too.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// The kernel could not be translated, or its translation is not valid.
    #[error("translation: {0}")]
    Translation(String),
    /// The run found a fault: an access out of bounds, a race, an undefined value, a deadlock.
    #[error("fault: {0}")]
    Fault(String),
    /// It panicked.
    #[error("panic: {0}")]
    Panic(String),
    /// It does not know something that the kernel does, or a tool is not installed: no finding, but counted.
    #[error("unsupported: {0}")]
    Unsupported(String),
}

/// What is wrong with an executor's run of a case.
#[derive(Clone, PartialEq, Debug)]
pub enum Problem {
    /// It gave no result.
    Failure(Failure),
    /// It gave other results than the oracle.
    Mismatch(Mismatch),
}

impl Problem {
    /// Is it of the same kind? Shrinking keeps the kind, so that it does not slip to another problem.
    pub fn is_like(&self, other: &Problem) -> bool {
        match (self, other) {
            (Problem::Failure(a), Problem::Failure(b)) => std::mem::discriminant(a) == std::mem::discriminant(b),
            (Problem::Mismatch(_), Problem::Mismatch(_)) => true,
            _ => false,
        }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Problem::Failure(failure) => failure.fmt(f),
            Problem::Mismatch(mismatch) => mismatch.fmt(f),
        }
    }
}

/// The first element that differs.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error(
    "buffer {buffer} ({elem}, {rule}), element {index}: {got}, should be {wanted}; {count} element(s) of the buffer differ"
)]
pub struct Mismatch {
    /// The buffer's number.
    pub buffer: usize,
    /// The type of its elements.
    pub elem: Scalar,
    /// How they are compared.
    pub rule: Rule,
    /// The first element that differs.
    pub index: usize,
    /// What the executor made of it.
    pub got: String,
    /// What the oracle did.
    pub wanted: String,
    /// How many of the buffer differ.
    pub count: usize,
}

/// Compares results with the oracle's: by each buffer's rule, or bit by bit (but for NaNs) if `precise`. Says where
/// they first differ.
pub fn compare(case: &Case, got: &Outputs, oracle: &Outputs, precise: bool) -> Result<(), Mismatch> {
    for (number, buffer) in case.buffers.iter().enumerate() {
        let elem = buffer.elem;
        let rule = if precise { Rule::Exact } else { buffer.rule };
        let (got, oracle) = (got.get(number).map_or(&[][..], |b| b), &oracle[number]);
        let mismatch = |index, got, wanted, count| Mismatch {
            buffer: number,
            elem,
            rule,
            index,
            got,
            wanted,
            count,
        };
        if got.len() != oracle.len() {
            let (got, wanted) = (format!("{} bytes", got.len()), format!("{} bytes", oracle.len()));
            return Err(mismatch(0, got, wanted, buffer.len()));
        }
        if got == oracle {
            continue;
        }
        let differs = |&index: &usize| {
            let (found, wanted) = (bits_at(elem, got, index), bits_at(elem, oracle, index));
            // A boolean is stored as 0 or 1: another true byte is a mistake.
            let accepts = |a, b| elem != Scalar::I1 && rule.accepts(constant(elem, a), constant(elem, b));
            found != wanted && !accepts(found, wanted)
        };
        let mut wrong = (0..buffer.len()).filter(differs);
        if let Some(index) = wrong.next() {
            let show = |bytes| {
                let bits = bits_at(elem, bytes, index);
                let digits = elem.bytes() as usize * 2;
                format!("{} (0x{bits:0digits$X})", constant(elem, bits))
            };
            return Err(mismatch(index, show(got), show(oracle), 1 + wrong.count()));
        }
    }
    Ok(())
}

fn constant(elem: Scalar, bits: u64) -> mytriton_ssa::Const {
    match elem {
        Scalar::I1 => mytriton_ssa::Const::bool(bits != 0),
        _ => mytriton_ssa::Const::from_bits(elem, bits),
    }
}

/// Runs an executor and compares. None when all is well or the executor does not support the kernel.
pub fn examine(executor: &dyn Executor, case: &Case, oracle: &Outputs) -> Verdict {
    // A panicking compiler is a finding like any other; the case is not used by the closure's caller in between.
    let result = catch_unwind(AssertUnwindSafe(|| executor.run(case))).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        Err(Failure::Panic(text.unwrap_or("without a message").to_owned()))
    });
    match result {
        Ok(outputs) => match compare(case, &outputs, oracle, executor.is_precise()) {
            Ok(()) => Verdict::Agrees,
            Err(mismatch) => Verdict::Problem(Problem::Mismatch(mismatch)),
        },
        Err(Failure::Unsupported(what)) => Verdict::Unsupported(what),
        Err(failure) => Verdict::Problem(Problem::Failure(failure)),
    }
}

/// What came of one executor's run of one case.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// The oracle's results.
    Agrees,
    /// A finding.
    Problem(Problem),
    /// The executor does not know the kernel's operations.
    Unsupported(String),
}

/// Runs a kernel in place of the case's own on the reference interpreter.
pub fn interpret(case: &Case, kernel: &Kernel, check_races: bool) -> Result<Outputs, Failure> {
    let fault = |e: &dyn std::fmt::Display| Failure::Fault(e.to_string());
    let mut memory = Memory::new();
    let mut buffers = Vec::with_capacity(case.buffers.len());
    for (index, data) in case.buffers.iter().enumerate() {
        let buffer = memory.add_buffer(format!("buffer {index}"), data.elem, &data.bytes);
        buffers.push(buffer.map_err(|e| fault(&e))?);
    }
    let args: Vec<Argument> = (case.args.iter())
        .map(|arg| match *arg {
            Arg::Pointer { buffer, offset } => Argument::Buffer {
                buffer: buffers[buffer],
                byte_offset: offset as u64 * u64::from(case.buffers[buffer].elem.bytes()),
            },
            Arg::Scalar(value) => Argument::Scalar(value),
        })
        .collect();
    let options = Options {
        max_steps: Some(MAX_STEPS),
        check_races,
    };
    run(kernel, case.grid, &args, &memory, &options).map_err(|e| fault(&e))?;
    buffers
        .into_iter()
        .map(|buffer| memory.read_back(buffer).map_err(|e| fault(&e)))
        .collect()
}

/// The oracle: the reference interpreter on the kernel as it is, with the check for races between programs. A case that
/// it finds fault with is no case.
pub fn oracle(case: &Case) -> Result<Outputs, Failure> {
    case.check().map_err(|e| Failure::Translation(e.to_string()))?;
    interpret(case, &case.kernel, true)
}

/// The interpreter after the optimiser of typed SSA, whose result must be valid, and stay as it is when optimised again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Optimised(pub OptLevel);

impl Executor for Optimised {
    fn name(&self) -> String {
        format!("ssa {:?}", self.0).to_lowercase()
    }

    fn run(&self, case: &Case) -> Result<Outputs, Failure> {
        let mut kernel = case.kernel.clone();
        optimise(&mut kernel, self.0);
        verify(&kernel).map_err(|e| Failure::Translation(format!("the optimised kernel is not valid: {e}")))?;
        let once = kernel.to_string();
        let mut again = kernel.clone();
        optimise(&mut again, self.0);
        if again.to_string() != once {
            let message = format!("optimising again changes the kernel from\n{once}to\n{again}");
            return Err(Failure::Translation(message));
        }
        interpret(case, &kernel, false)
    }

    fn is_precise(&self) -> bool {
        true
    }
}

/// The interpreter after each phase of the optimiser's first rounds by itself, so that a wrong phase is named that a later
/// one would have hidden.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EachPhase;

/// Rounds that [`EachPhase`] looks at; few kernels change in more.
const ROUNDS: usize = 3;

impl Executor for EachPhase {
    fn name(&self) -> String {
        "ssa each phase".to_owned()
    }

    fn run(&self, case: &Case) -> Result<Outputs, Failure> {
        let mut kernel = case.kernel.clone();
        let expected = interpret(case, &kernel, false)?;
        let mut outputs = expected.clone();
        for _ in 0..ROUNDS {
            let mut changed = false;
            for phase in Phase::of(OptLevel::Full) {
                if !phase.run(&mut kernel) {
                    continue;
                }
                changed = true;
                let after = |text: String| format!("after {phase:?}: {text}");
                verify(&kernel).map_err(|e| Failure::Translation(after(e.to_string())))?;
                outputs = interpret(case, &kernel, false).map_err(|e| Failure::Fault(after(e.to_string())))?;
                compare(case, &outputs, &expected, true).map_err(|e| Failure::Fault(after(e.to_string())))?;
            }
            if !changed {
                break;
            }
        }
        Ok(outputs)
    }

    fn is_precise(&self) -> bool {
        true
    }
}

/// The interpreter on the kernel printed and read back, which must print the same again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextRoundTrip;

impl Executor for TextRoundTrip {
    fn name(&self) -> String {
        "ssa text".to_owned()
    }

    fn run(&self, case: &Case) -> Result<Outputs, Failure> {
        let text = case.kernel.to_string();
        let mut module = parse_module(&text, "printed.ssa").map_err(|e| Failure::Translation(e.to_string()))?;
        let [kernel] = &mut module.kernels[..] else {
            let message = format!("{} kernels were read back", module.kernels.len());
            return Err(Failure::Translation(message));
        };
        let again = kernel.to_string();
        if again != text {
            return Err(Failure::Translation(format!(
                "printed\n{text}and after reading it\n{again}"
            )));
        }
        interpret(case, kernel, false)
    }

    fn is_precise(&self) -> bool {
        true
    }
}

/// The executors that need nothing beyond typed SSA and its interpreter.
pub fn built_in() -> Vec<Box<dyn Executor>> {
    vec![
        Box::new(Optimised(OptLevel::Basic)),
        Box::new(Optimised(OptLevel::Full)),
        Box::new(EachPhase),
        Box::new(TextRoundTrip),
    ]
}
