//! Differential tests: the same kernels through every way there is, compared.
//!
//! Each case is a kernel with launches whose inputs are random, new with every seed. The reference interpreter is the
//! oracle; where a case knows its result otherwise, that checks the oracle. Everywhere the SIMT executor runs the threads'
//! code. On a machine with a GPU the kernel goes there through PTX, with and without optimisation, and through CUDA C++.
//! On others ptxas and NVRTC check the code.
//!
//! The executable needs nothing but the driver, so it can be carried. What each result is compared by: `mytriton_fuzz::Rule`.

mod bad_input;
mod case;
mod check;
mod compare;
mod cudarc_memory;
mod device_fuzz;
mod examples;
mod fuzz;
mod gpu;
mod offline;
mod options;
mod oracle;
mod parent;
mod report;
mod simt;
mod suite;
mod values;
mod worker;

use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use mytriton_runtime::Cuda;

use crate::options::{HELP, Options};
use crate::report::Facts;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    if options.help {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    match &options.worker {
        Some(group) if group == device_fuzz::GROUP => device_fuzz::work(&options),
        Some(group) => worker::run(group, &options),
        None => run(options),
    }
}

/// The GPU, unless there is none or it is not wanted.
fn open(options: &Options) -> Result<Option<Cuda>, String> {
    let none = options.offline || !Cuda::has_driver() || matches!(Cuda::count(), Ok(0));
    if none {
        Ok(None)
    } else {
        Cuda::open(0).map(Some).map_err(|error| error.to_string())
    }
}

fn run(mut options: Options) -> ExitCode {
    let cuda = match open(&options) {
        Ok(cuda) => cuda,
        Err(error) => {
            eprintln!("error: the GPU cannot be used: {error}");
            return ExitCode::FAILURE;
        }
    };
    let report = options
        .report
        .clone()
        .or_else(|| std::env::var_os("MYTRITON_REPORT").map(PathBuf::from));
    if report.is_some() && cuda.is_none() && !options.offline {
        eprintln!("error: a report was asked for, but there is no GPU to run on; --offline reports what tools check");
        return ExitCode::FAILURE;
    }
    let seed = options.seed.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        now.as_nanos() as u64 % 1_000_000_000
    });
    options.seed = Some(seed);
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    // On a GPU the processes share it, and each has a context there.
    let most = if cuda.is_some() { (cores / 2).clamp(1, 8) } else { cores };
    let jobs = options.jobs.unwrap_or(most);
    if let Some(limit) = options.fuzz {
        return if cuda.is_some() || options.isolated {
            device_fuzz::run(seed, limit, &options, cuda.is_some(), jobs)
        } else {
            fuzz::run(seed, limit, options.findings.as_deref())
        };
    }
    let groups = check::group_names(cuda.is_some());
    if options.list {
        return list(&groups, &options, cuda);
    }
    let facts = Facts::collect(cuda.as_ref(), options.commit.as_deref(), seed);
    println!("device: {}; seed {seed}\n", facts.device);
    let start = Instant::now();
    let (entries, filtered) = parent::run(&groups, &options, jobs, cuda.is_some());
    let seconds = start.elapsed().as_secs_f64();
    let (closing, good) = report::closing_line(&entries, filtered, seconds);
    if let Some(path) = report
        && let Err(error) = report::write(&path, &facts, &entries, &closing, seconds)
    {
        eprintln!("error: the report cannot be written to {}: {error}", path.display());
        return ExitCode::FAILURE;
    }
    if !good {
        println!("\nto see a failure again: --seed {seed} --exact NAME");
    }
    println!("\n{closing}");
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the names of the checks that would run.
fn list(groups: &[String], options: &Options, cuda: Option<Cuda>) -> ExitCode {
    let setting = check::Setting {
        seed: options.seed.unwrap_or_default(),
        cuda: cuda.map(Rc::new),
    };
    for group in groups {
        match check::checks_of(group, &setting) {
            Ok(checks) => {
                let names = checks.iter().map(|check| format!("{group}::{}", check.name));
                names
                    .filter(|name| options.wants(name))
                    .for_each(|name| println!("{name}: test"));
            }
            Err(error) => {
                eprintln!("error: {group}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
