//! What can be checked of generated code without a GPU: ptxas and NVRTC accept it, and nothing is spilled.

use mytriton::{Backend, LaunchOptions};
use mytriton_codegen_ptx::ptxas::Ptxas;
use mytriton_compiler::{CompileError, CompileOptions, Compiled, OptLevel, Target, compile, compile_given_layouts};
use mytriton_runtime::nvrtc;
use mytriton_ssa::{Kernel, optimise};

use crate::case::{Case, LocalMemory};
use crate::check::{Outcome, failed};

/// The targets that every case's code is checked for.
const TARGETS: [Target; 5] = [Target::Sm75, Target::Sm80, Target::Sm86, Target::Sm89, Target::Sm90a];
/// Those of which each case's is checked for one: their code differs in what few kernels use.
const IN_TURN: [Target; 4] = [Target::Sm90, Target::Sm100, Target::Sm103, Target::Sm120];

/// The targets that a case's code is checked for.
fn targets(case: &Case) -> Vec<Target> {
    match case.long {
        true => vec![Target::Sm90a],
        false => [&TARGETS[..], &[one_of(&IN_TURN, case)]].concat(),
    }
}

/// One of the targets, by the case's name, so that a case is always checked for the same ones.
fn one_of(targets: &[Target], case: &Case) -> Target {
    let turn: usize = case.name.bytes().map(usize::from).sum();
    targets[turn % targets.len()]
}

/// Set where the tools must be there.
const REQUIRED: [&str; 2] = ["MYTRITON_REQUIRE_TOOLS", "CI"];

fn required() -> bool {
    REQUIRED.iter().any(|name| std::env::var_os(name).is_some())
}

/// What comes of a missing tool: a failure where tools are required, else a check that was not run.
pub fn missing(what: &str) -> Outcome {
    if required() {
        Outcome::Failed(what.to_owned())
    } else {
        Outcome::Ignored(what.to_owned())
    }
}

/// The kernel as launches compile it.
pub fn optimised(kernel: &Kernel) -> Kernel {
    let mut kernel = kernel.clone();
    optimise(&mut kernel, mytriton_ssa::OptLevel::Full);
    kernel
}

/// The kernel as launches compile it, or as its front end made it.
pub fn in_form(kernel: &Kernel, optimise: bool) -> Kernel {
    if optimise { optimised(kernel) } else { kernel.clone() }
}

/// The options of a case for the PTX path.
pub fn compile_options(case: &Case, target: Target, opt_level: OptLevel) -> CompileOptions {
    CompileOptions {
        num_warps: case.warps,
        fp_fusion: case.fusion,
        opt_level,
        max_thread_registers: match case.local_memory {
            LocalMemory::Nothing | LocalMemory::Table => CompileOptions::MAX_THREAD_REGISTERS,
            // A random kernel may need any number.
            LocalMemory::Spills => u32::MAX,
        },
        ..CompileOptions::new(target)
    }
}

/// The case's kernel, in some form, as PTX.
pub fn compile_case(case: &Case, kernel: &Kernel, options: &CompileOptions) -> Result<Compiled, CompileError> {
    match &case.layouts {
        None => compile(kernel, options),
        Some(text) => compile_given_layouts(kernel, text, options),
    }
}

/// PTX for the targets, through ptxas: no warnings, no spills, no stack.
pub fn ptxas(case: &Case) -> Outcome {
    let ptxas = match Ptxas::find() {
        Ok(ptxas) => ptxas,
        Err(error) => return missing(&error.to_string()),
    };
    let kernel = optimised(&case.kernel);
    for target in targets(case) {
        let compiled = match compile_case(case, &kernel, &compile_options(case, target, OptLevel::O3)) {
            Ok(compiled) => compiled,
            Err(error) => return failed(format!("{target}: {error}")),
        };
        let text = String::from_utf8_lossy(compiled.kernel.code.as_bytes()).into_owned();
        let report = match ptxas.check(&text, target) {
            Ok(report) => report,
            Err(error) => return failed(format!("{target}: {error}\n{text}")),
        };
        if !report.warnings.is_empty() {
            return failed(format!("{target}: ptxas warns: {}", report.warnings.join("; ")));
        }
        if report.kernels.len() != 1 {
            return failed(format!("{target}: {} kernels in the PTX", report.kernels.len()));
        }
        let used = &report.kernels[0];
        let spilled = used.spill_store_bytes + used.spill_load_bytes > 0;
        let refused = match case.local_memory {
            LocalMemory::Nothing => spilled || used.stack_bytes > 0,
            LocalMemory::Table => spilled,
            LocalMemory::Spills => false,
        };
        if refused {
            return failed(format!("{target}: registers do not suffice: {used:?}"));
        }
    }
    // Without optimisation the code must be accepted too; it may use whatever it likes.
    let plain = compile_case(case, &case.kernel, &compile_options(case, Target::Sm80, OptLevel::O0));
    match plain.map(|c| ptxas.check(&String::from_utf8_lossy(c.kernel.code.as_bytes()), Target::Sm80)) {
        Ok(Ok(_)) => Outcome::Passed,
        Ok(Err(error)) => failed(format!("without optimisation: {error}")),
        Err(error) => failed(format!("without optimisation: {error}")),
    }
}

/// The options of a case for the CUDA C++ path.
pub fn cuda_options(case: &Case) -> LaunchOptions {
    LaunchOptions {
        num_warps: case.warps,
        backend: Backend::CudaCpp,
        fp_fusion: case.fusion,
    }
}

/// Is the error that something of the CUDA toolkit is missing?
pub fn is_missing(error: &mytriton::Error) -> bool {
    matches!(
        error,
        mytriton::Error::CudaHeaders { .. }
            | mytriton::Error::Runtime(mytriton_runtime::Error::Nvrtc(nvrtc::Error::Missing))
    )
}

/// CUDA C++ through NVRTC. Its text is the same for all targets: it is compiled for the oldest, which has the fewest
/// instructions, and for one of the others.
pub fn nvrtc(case: &Case) -> Outcome {
    let [oldest, others @ ..] = &Target::ALL;
    for target in [*oldest, one_of(others, case)] {
        match mytriton::compile(&case.kernel, target.name(), cuda_options(case)) {
            Ok(_) => {}
            Err(error) if is_missing(&error) => return missing(&error.to_string()),
            Err(error) => return failed(format!("{target}: {error}")),
        }
    }
    Outcome::Passed
}
