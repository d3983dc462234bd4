//! Runs cases on the SIMT executor: the threads' code as it goes on to PTX, with all checks.

use mytriton::f16;
use mytriton_compiler::{CompileError, OptLevel, Target, simt, simt_given_layouts};
use mytriton_simt::matrix::MatrixInstr;
use mytriton_simt::program::{Fence, Instr, Space};
use mytriton_simt::report::AccessCount;
use mytriton_simt::{Launch as Blocks, Memory, Options, Program, run as execute};
use mytriton_ssa::Kernel;

use crate::case::{Case, Input, InputArg, Launch};
use crate::check::{Outcome, failed};
use crate::offline::{compile_options, in_form};
use crate::suite::conversions::turned_whole;

/// Instructions of a warp: more than any case runs.
const MAX_STEPS: u64 = 1 << 24;

/// The buffers after a launch, unless something is wrong.
pub fn run_program(program: &Program, grid: [u32; 3], input: &Input<'_>, seed: u64) -> Result<Vec<Vec<u8>>, String> {
    Ok(run_counted(program, grid, input, seed, false)?.0)
}

/// The same with the counts of accesses, if they are asked for.
fn run_counted(
    program: &Program,
    grid: [u32; 3],
    input: &Input<'_>,
    seed: u64,
    count_accesses: bool,
) -> Result<(Vec<Vec<u8>>, Vec<AccessCount>), String> {
    let mut memory = Memory::new();
    let mut buffers = Vec::new();
    for (index, bytes) in input.buffers.iter().enumerate() {
        let buffer = memory.add_buffer(format!("buffer {index}"), bytes);
        buffers.push(buffer.map_err(|error| error.to_string())?);
    }
    let mut args = Vec::new();
    for arg in &input.args {
        args.push(match *arg {
            InputArg::Pointer(buffer, offset) => {
                memory.address(buffers[buffer]).map_err(|error| error.to_string())? + offset
            }
            InputArg::Bits(bits) => bits,
        });
    }
    let blocks = Blocks {
        grid,
        block: program
            .block
            .ok_or("the program does not say how many threads it needs")?,
        dynamic_shared_bytes: 0,
    };
    let options = Options {
        seed,
        workers: 1,
        max_steps: MAX_STEPS,
        count_accesses,
        ..Options::default()
    };
    let report = execute(program, blocks, &args, &memory, &options).map_err(|error| error.to_string())?;
    if !report.findings.is_empty() {
        let findings: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
        return Err(findings.join("\n"));
    }
    let contents = buffers.into_iter().map(|buffer| memory.read_back(buffer));
    let contents = contents.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    Ok((contents, report.accesses))
}

/// Compiles a case to the `gpu` stage, runs its launches there and compares them with the oracle's results.
pub fn run(case: &Case, launches: &[Launch], oracle: &[Vec<Vec<u8>>], optimise: bool, seed: u64) -> Outcome {
    let kernel = in_form(&case.kernel, optimise);
    // What depends on the target are the instructions for matrices: with all, and without those that store.
    let targets: &[Target] = match case.layouts {
        None => &[Target::Sm90a],
        Some(_) => &[Target::Sm90a, Target::Sm80],
    };
    for &target in targets {
        let program = match program_of(case, &kernel, target) {
            Ok(program) => program,
            Err(error) => return failed(format!("{target}: {error}")),
        };
        for (launch, oracle) in launches.iter().zip(oracle) {
            let result =
                run_program(&program, launch.grid, &launch.input(), seed).and_then(|got| launch.compare(&got, oracle));
            if let Err(error) = result {
                return failed(format!("{target}, {}: {error}", launch.what));
            }
        }
    }
    Outcome::Passed
}

fn program_of(case: &Case, kernel: &Kernel, target: Target) -> Result<Program, CompileError> {
    let options = compile_options(case, target, OptLevel::O3);
    match &case.layouts {
        None => simt(kernel, &options),
        Some(text) => simt_given_layouts(kernel, text, &options),
    }
}

/// What threads exchange through shared memory, they do without bank conflicts, and one side with 16 bytes at once: a
/// transposition of 64x64 numbers of 32 bits, of 128x128 of 16 and of 8.
pub fn transpositions_have_no_bank_conflicts() -> Result<(), String> {
    let cases = [
        turned_whole::<f32>((64, 64), 4),
        turned_whole::<f16>((128, 128), 4),
        turned_whole::<i8>((128, 128), 4),
    ];
    for case in cases {
        let case = case.map_err(|error| error.to_string())?;
        let kernel = in_form(&case.kernel, true);
        let program = program_of(&case, &kernel, Target::Sm90a).map_err(|error| error.to_string())?;
        for launch in case.launches(1) {
            let (_, accesses) = run_counted(&program, launch.grid, &launch.input(), 1, true)?;
            let shared: Vec<&AccessCount> = accesses.iter().filter(|count| count.space == Space::Shared).collect();
            let widest = shared.iter().map(|count| count.bytes).max();
            let excess: u64 = shared.iter().map(|count| count.excess()).sum();
            if widest != Some(16) || excess > 0 {
                return Err(format!("{} of {}: {shared:#?}", case.name, launch.what));
            }
        }
    }
    Ok(())
}

/// Conversions between given layouts have no bank conflicts either; a transposition of 16-bit elements takes 16 bytes at once
/// on both sides, on the one by matrices.
pub fn given_layouts_have_no_bank_conflicts() -> Result<(), String> {
    for case in crate::suite::layouts::cases()? {
        for target in [Target::Sm90a, Target::Sm80] {
            let program = program_of(&case, &case.kernel, target).map_err(|error| error.to_string())?;
            for launch in case.launches(1) {
                let (_, accesses) = run_counted(&program, launch.grid, &launch.input(), 1, true)?;
                let shared = || accesses.iter().filter(|count| count.space == Space::Shared);
                let narrow = case.name.starts_with("rows_to_columns_f16") && shared().any(|count| count.bytes < 16);
                if narrow || shared().any(|count| count.excess() > 0) {
                    let shared: Vec<&AccessCount> = shared().collect();
                    return Err(format!("{}, {target}: {shared:#?}", case.name));
                }
            }
        }
    }
    Ok(())
}

/// Without the barrier between a tile's way into shared memory and out of it, the threads' code has a race; it must be
/// found whatever the schedule, and nothing must be found with it.
pub fn a_missing_barrier_is_found() -> Result<(), String> {
    let group = crate::suite::groups()
        .into_iter()
        .find(|group| group.name == "conversions-transpose");
    let cases = (group.ok_or("no such group")?.cases)(1)?;
    let mut tried = 0;
    for case in cases {
        let kernel = in_form(&case.kernel, true);
        let program = program_of(&case, &kernel, Target::Sm90a).map_err(|error| error.to_string())?;
        let Some(without) = without_barrier_before_load(&program) else {
            continue;
        };
        // One small enough for a single thread of the grid moves nothing between threads.
        let Some(launch) = case.launches(1).into_iter().max_by_key(|launch| launch.grid) else {
            continue;
        };
        tried += 1;
        for seed in 0..4 {
            run_program(&program, launch.grid, &launch.input(), seed)?;
            match run_program(&without, launch.grid, &launch.input(), seed) {
                Err(found) if found.contains("data race") => {}
                found => {
                    return Err(format!("{}, seed {seed}: without the barrier: {found:?}", case.name));
                }
            }
        }
    }
    if tried == 0 {
        return Err("no kernel of the group goes through shared memory".to_owned());
    }
    Ok(())
}

/// The program without the last barrier before its first load from shared memory.
fn without_barrier_before_load(program: &Program) -> Option<Program> {
    let shared_load = |instr: &Instr| match instr {
        Instr::Load { space, .. } => *space == Space::Shared,
        Instr::Matrix(matrix) => matches!(**matrix, MatrixInstr::Load { .. }),
        _ => false,
    };
    let load = program.code.iter().position(shared_load)?;
    let barrier = program.code[..load]
        .iter()
        .rposition(|instr| *instr == Instr::Barrier)?;
    let mut without = program.clone();
    // A fence of the thread's own accesses orders nothing between threads here.
    without.code[barrier] = Instr::Fence(Fence::Memory);
    Some(without)
}
