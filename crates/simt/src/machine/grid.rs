//! A launch: the blocks of a grid, on as many threads of the host as are wanted.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::block::Block;
use super::tally::Tally;
use super::warp::Warp;
use crate::finding::{Finding, FindingKind, Site};
use crate::matrix::Uses;
use crate::memory::Memory;
use crate::program::{Instr, Pc, Program, Space};
use crate::report::Report;

/// The most threads of a block.
pub const MAX_THREADS: u32 = 1024;
/// The most bytes of shared memory of a block: those of sm_90.
pub const MAX_SHARED_BYTES: u32 = 227 * 1024;
/// Blocks that a worker keeps going at once where blocks may wait for one another.
const RESIDENT: u64 = 16;

/// What to launch a kernel on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Launch {
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Bytes of shared memory behind the static variables.
    pub dynamic_shared_bytes: u32,
}

/// How to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Decides which of the threads that can go on does so, and when what is asynchronous completes.
    pub seed: u64,
    /// Threads of the host; 0 for as many as it has processors. With one, and with the same seed, every run is the same.
    pub workers: usize,
    /// Instructions that a warp may run.
    pub max_steps: u64,
    /// Look for data races?
    pub check_races: bool,
    /// Count sectors and bank conflicts of accesses?
    pub count_accesses: bool,
    /// The run ends when so many different things are found.
    pub max_findings: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: 0,
            workers: 0,
            max_steps: 1 << 28,
            check_races: true,
            count_accesses: false,
            max_findings: 16,
        }
    }
}

/// What a kernel cannot be run with.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)] // The messages name the fields.
pub enum LaunchError {
    #[error("kernel '{kernel}' has {expected} parameters, but {given} arguments are given")]
    Arguments {
        kernel: String,
        expected: usize,
        given: usize,
    },
    #[error("argument {index} of kernel '{kernel}' does not fit into the {bits} bits of its parameter")]
    ArgumentBits { kernel: String, index: usize, bits: u32 },
    #[error("a grid of {grid:?} blocks: each number must be at most 2^31 - 1 (x) or 65535 (y, z)")]
    Grid { grid: [u32; 3] },
    #[error("a grid of {grid:?} blocks of {threads} threads is more than the executor can number (2^32 threads)")]
    TooManyThreads { grid: [u32; 3], threads: u32 },
    #[error("blocks of {block:?} threads: each number must be at least 1, and their product at most {MAX_THREADS}")]
    Block { block: [u32; 3] },
    #[error("kernel '{kernel}' is compiled for blocks of {expected:?} threads, not {given:?}")]
    KnownBlock {
        kernel: String,
        expected: [u32; 3],
        given: [u32; 3],
    },
    #[error("{bytes} bytes of shared memory; a block has at most {MAX_SHARED_BYTES}")]
    Shared { bytes: u64 },
}

/// What makes findings one: operation, kind, and the other operation where two are involved.
type FoundKey = (Pc, &'static str, Option<Pc>);

/// Findings so far, each kind at each operation once, with the number of the thread in the grid.
#[derive(Default)]
struct Found {
    list: Vec<(FoundKey, u64, Finding)>,
}

/// What the blocks of a launch share.
pub(super) struct Env<'a> {
    pub program: &'a Program,
    pub kernel: Arc<str>,
    pub launch: Launch,
    pub args: &'a [u64],
    pub memory: &'a Memory,
    pub options: Options,
    /// May blocks wait for one another?
    pub across_blocks: bool,
    pub shared_bytes: u32,
    /// Of programs with wgmmas.
    pub uses: Uses,
    found: Mutex<Found>,
    stop: AtomicBool,
}

impl Env<'_> {
    /// Threads of a block.
    pub fn threads(&self) -> u32 {
        self.launch.block.iter().product()
    }

    /// The position of block number `block`: x varies fastest.
    pub fn block_id(&self, block: u32) -> [u32; 3] {
        let [x, y, _] = self.launch.grid;
        [block % x, block / x % y, block / x / y]
    }

    pub fn site(&self, block: u32, thread: u32, pc: Pc) -> Site {
        Site {
            place: self.program.place(pc).clone(),
            block: self.block_id(block),
            thread: super::compute::thread_id(self.launch.block, thread),
        }
    }

    /// Notes a finding. `other` is the other operation, where two are involved.
    pub fn report(&self, block: u32, thread: u32, pc: Pc, other: Option<Pc>, kind: FindingKind) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (pc, kind.name(), other);
        let number = u64::from(block) * u64::from(self.threads()) + u64::from(thread);
        if let Some((_, first, finding)) = found.list.iter_mut().find(|entry| entry.0 == key) {
            finding.count += 1;
            // The first thread in the order of the grid, however the host runs the blocks.
            if number < *first {
                *first = number;
                finding.site = self.site(block, thread, pc);
                finding.kind = kind;
            }
            return;
        }
        let finding = Finding {
            kernel: self.kernel.clone(),
            kind,
            site: self.site(block, thread, pc),
            count: 1,
        };
        found.list.push((key, number, finding));
        if found.list.len() >= self.options.max_findings {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Is it no use to go on?
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Runs a kernel. A grid without blocks does nothing. `args` are the bits of the arguments, pointers being addresses of `memory`.
///
/// A kernel with faults is no error: they are in the report. Where it has some, memory is not to be relied on.
///
/// # Errors
/// What does not fit the kernel or the hardware.
pub fn run(
    program: &Program,
    launch: Launch,
    args: &[u64],
    memory: &Memory,
    options: &Options,
) -> Result<Report, LaunchError> {
    let shared_bytes = check(program, launch, args)?;
    memory.begin_launch();
    let env = Env {
        program,
        kernel: program.name.as_str().into(),
        launch,
        args,
        memory,
        options: *options,
        across_blocks: synchronises_across_blocks(program),
        shared_bytes,
        uses: Uses::new(program),
        found: Mutex::default(),
        stop: AtomicBool::new(false),
    };
    let blocks: u64 = launch.grid.iter().map(|&n| u64::from(n)).product();
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let workers = if options.workers == 0 {
        processors()
    } else {
        options.workers
    };
    let workers = workers.min(usize::try_from(blocks).unwrap_or(usize::MAX));
    let next = AtomicU64::new(0);
    let tally = if workers <= 1 {
        work(&env, &next, blocks)
    } else {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..workers)
                .map(|_| scope.spawn(|| work(&env, &next, blocks)))
                .collect();
            let tallies = threads.into_iter().map(|thread| match thread.join() {
                Ok(tally) => tally,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            tallies.fold(Tally::new(program), Tally::merge)
        })
    };
    let mut found = env.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.list.sort_by_key(|entry| entry.0);
    let mut report = tally.report(program);
    report.findings = found.list.into_iter().map(|entry| entry.2).collect();
    report.shared_bytes = shared_bytes;
    report.live_words = program.live_words;
    Ok(report)
}

/// Runs blocks until none is left.
fn work(env: &Env<'_>, next: &AtomicU64, blocks: u64) -> Tally {
    let mut tally = Tally::new(env.program);
    let resident = if env.across_blocks { RESIDENT } else { 1 };
    let mut running: Vec<Block<'_>> = Vec::new();
    let mut idle: Vec<Vec<Warp>> = Vec::new();
    let mut at = 0;
    loop {
        while (running.len() as u64) < resident {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= blocks {
                break;
            }
            running.push(Block::new(env, number as u32, idle.pop().unwrap_or_default()));
        }
        if running.is_empty() || env.stopped() {
            return tally;
        }
        at = (at + 1) % running.len();
        if !running[at].advance(&mut tally) {
            idle.push(running.swap_remove(at).warps);
        }
    }
}

/// Are there atomic operations on global memory, which blocks can wait for one another with?
fn synchronises_across_blocks(program: &Program) -> bool {
    program.code.iter().any(|instr| {
        matches!(
            instr,
            Instr::Atomic {
                space: Space::Global,
                ..
            } | Instr::CompareExchange {
                space: Space::Global,
                ..
            }
        )
    })
}

/// Gives the bytes of a block's shared memory.
fn check(program: &Program, launch: Launch, args: &[u64]) -> Result<u32, LaunchError> {
    let kernel = || program.name.clone();
    if args.len() != program.params.len() {
        return Err(LaunchError::Arguments {
            kernel: kernel(),
            expected: program.params.len(),
            given: args.len(),
        });
    }
    for (index, (param, &arg)) in program.params.iter().zip(args).enumerate() {
        if param.bits < 64 && arg >> param.bits != 0 {
            return Err(LaunchError::ArgumentBits {
                kernel: kernel(),
                index,
                bits: param.bits,
            });
        }
    }
    let Launch { grid, block, .. } = launch;
    let most = [i32::MAX as u32, 65535, 65535];
    if grid.iter().zip(most).any(|(&n, most)| n > most) {
        return Err(LaunchError::Grid { grid });
    }
    let product = |dims: [u32; 3]| dims.iter().fold(1u64, |all, &n| all.saturating_mul(u64::from(n)));
    let threads = product(block);
    if threads == 0 || threads > u64::from(MAX_THREADS) {
        return Err(LaunchError::Block { block });
    }
    if let Some(expected) = program.block
        && expected != block
    {
        return Err(LaunchError::KnownBlock {
            kernel: kernel(),
            expected,
            given: block,
        });
    }
    // The shadow of memory has 32 bits for the number of a warp in the grid.
    if product(grid).saturating_mul(threads) > 1 << 32 {
        return Err(LaunchError::TooManyThreads {
            grid,
            threads: threads as u32,
        });
    }
    let bytes = u64::from(program.shared_bytes) + u64::from(launch.dynamic_shared_bytes);
    if bytes > u64::from(MAX_SHARED_BYTES) {
        return Err(LaunchError::Shared { bytes });
    }
    Ok(bytes as u32)
}
