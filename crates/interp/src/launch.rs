//! Launching a grid: arguments are checked, then programs run in parallel.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use mytriton_ssa::{Const, Elem, Kernel, Type, verify};
use rayon::prelude::*;

use crate::access::Accessor;
use crate::error::{ArgumentProblem, InterpError};
use crate::machine::{Machine, Plan};
use crate::memory::{BufferId, Memory};
use crate::races::Shadow;
use crate::report::Reporter;
use crate::tile::Tile;

/// The largest extents of a grid, those of CUDA devices.
pub const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];

/// An argument of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A pointer into a buffer.
    Buffer {
        /// The buffer.
        buffer: BufferId,
        /// How many bytes from its first one; beyond the end is fine as long as it is not accessed.
        byte_offset: u64,
    },
    /// A pointer as a plain address of this memory ([`Memory::address`]).
    Address(u64),
    /// A number of exactly the parameter's type.
    Scalar(Const),
}

impl Argument {
    /// A pointer to the first element of a buffer.
    pub const fn buffer(buffer: BufferId) -> Argument {
        Argument::Buffer { buffer, byte_offset: 0 }
    }
}

/// What to check beyond what is always checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The most loop iterations, of all its loops together, that a program may run. Default: no limit.
    pub max_steps: Option<u64>,
    /// Report programs that access the same bytes so that their order matters. Programs then run one after another,
    /// and memory that they touch needs twelve times itself in addition. Default: off.
    pub check_races: bool,
}

/// A kernel that was verified and prepared once, to be launched many times.
#[derive(Clone, Debug)]
pub struct Prepared {
    kernel: Arc<Kernel>,
    plan: Arc<Plan>,
}

impl Prepared {
    /// Verifies a kernel. Errors with [`InterpError::InvalidKernel`] when it breaks a rule.
    pub fn new(kernel: impl Into<Arc<Kernel>>) -> Result<Prepared, InterpError> {
        let kernel = kernel.into();
        verify(&kernel)?;
        let plan = Arc::new(Plan::new(&kernel));
        Ok(Prepared { kernel, plan })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Runs the kernel once for each index of the grid (extents along x, y and z) and returns when all programs have
    /// ended. A grid without programs does nothing. Programs run in parallel in the current `rayon` thread pool.
    ///
    /// Errors when arguments or grid do not fit, or when a program faults: see [`InterpError`].
    pub fn run(
        &self,
        grid: [u32; 3],
        args: &[Argument],
        memory: &Memory,
        options: &Options,
    ) -> Result<(), InterpError> {
        Launch::new(&self.kernel, &self.plan, grid, args, memory, *options)?.run()
    }
}

/// Verifies a kernel and runs it, as [`Prepared::run`] does.
pub fn run(
    kernel: &Kernel,
    grid: [u32; 3],
    args: &[Argument],
    memory: &Memory,
    options: &Options,
) -> Result<(), InterpError> {
    verify(kernel)?;
    Launch::new(kernel, &Plan::new(kernel), grid, args, memory, *options)?.run()
}

/// A launch whose arguments fit.
struct Launch<'a> {
    kernel: &'a Kernel,
    plan: &'a Plan,
    grid: [u32; 3],
    values: Vec<Tile>,
    args: &'a [Argument],
    memory: &'a Memory,
    options: Options,
}

impl<'a> Launch<'a> {
    fn new(
        kernel: &'a Kernel,
        plan: &'a Plan,
        grid: [u32; 3],
        args: &'a [Argument],
        memory: &'a Memory,
        options: Options,
    ) -> Result<Launch<'a>, InterpError> {
        let name = || kernel.name.clone();
        for ((axis, extent), limit) in ['x', 'y', 'z'].into_iter().zip(grid).zip(MAX_GRID) {
            if extent > limit {
                return Err(InterpError::Grid {
                    kernel: name(),
                    axis,
                    extent,
                    limit,
                });
            }
        }
        if args.len() != kernel.params().len() {
            return Err(InterpError::ArgumentCount {
                kernel: name(),
                expected: kernel.params().len(),
                found: args.len(),
            });
        }
        let mut values = Vec::with_capacity(args.len());
        for (index, (param, arg)) in kernel.params().iter().zip(args).enumerate() {
            let value = value_of(arg, kernel.ty(param.value), param.divisibility, memory);
            values.push(value.map_err(|problem| InterpError::Argument {
                kernel: name(),
                index,
                name: param.name.clone(),
                problem,
            })?);
        }
        Ok(Launch {
            kernel,
            plan,
            grid,
            values,
            args,
            memory,
            options,
        })
    }

    fn run(&self) -> Result<(), InterpError> {
        // Below 2^63 by the limits.
        let total = self.grid.iter().map(|&extent| u64::from(extent)).product::<u64>();
        let threads = if self.options.check_races {
            1
        } else {
            rayon::current_num_threads() as u64
        };
        if self.options.check_races && total > Shadow::MAX_PROGRAMS {
            return Err(InterpError::RaceCheckGrid {
                kernel: self.kernel.name.clone(),
                programs: total,
                limit: Shadow::MAX_PROGRAMS,
            });
        }
        let chunk = chunk(total, threads);
        let progress = Progress {
            total,
            chunk,
            next: AtomicU64::new(0),
            first_bad: AtomicU64::new(u64::MAX),
            error: Mutex::new(None),
        };
        match threads.min(total.div_ceil(chunk)) {
            0 => {}
            1 => self.work(&progress),
            workers => (0..workers as usize)
                .into_par_iter()
                .with_max_len(1)
                .for_each(|_| self.work(&progress)),
        }
        let error = progress.error.into_inner().unwrap_or_else(PoisonError::into_inner);
        error.map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Runs chunks of programs until none is left.
    fn work(&self, progress: &Progress) {
        let shadow = RefCell::new(Shadow::default());
        let accessor = Accessor {
            memory: self.memory,
            races: self.options.check_races.then_some((&shadow, 0)),
        };
        let mut machine = None;
        while let Some(numbers) = progress.next_chunk() {
            // Not before there is something to do: it computes what programs have in common.
            let machine = machine.get_or_insert_with(|| {
                let max_steps = self.options.max_steps;
                Machine::new(self.kernel, self.plan, self.grid, &self.values, accessor, max_steps)
            });
            for number in numbers {
                if number > progress.first_bad.load(Relaxed) {
                    return;
                }
                let program = index_of(number, self.grid);
                if let Err(trap) = machine.run(program, number) {
                    let reporter = Reporter {
                        kernel: self.kernel,
                        args: self.args,
                        memory: self.memory,
                        grid: self.grid,
                        machine,
                    };
                    progress.fail(number, || {
                        InterpError::Program(Box::new(reporter.report(*trap, program)))
                    });
                    return;
                }
            }
        }
    }
}

/// How many programs a thread takes at once: enough that threads seldom meet, few enough that they end together.
fn chunk(total: u64, threads: u64) -> u64 {
    (total / (threads * 8)).clamp(1, 256)
}

/// The index in the grid of the program with a number, x fastest.
pub(crate) fn index_of(number: u64, grid: [u32; 3]) -> [u32; 3] {
    let [x, y] = [grid[0], grid[1]].map(u64::from);
    [number % x, number / x % y, number / x / y].map(|i| i as u32)
}

/// What the threads of a launch share.
struct Progress {
    total: u64,
    /// Programs that a thread takes at once.
    chunk: u64,
    /// The first program that no thread has taken.
    next: AtomicU64,
    /// The lowest number of a program that faulted so far. Programs after it need not run; those before it must,
    /// for the error of the first one to be reported whatever the threads do.
    first_bad: AtomicU64,
    error: Mutex<Option<(u64, InterpError)>>,
}

impl Progress {
    fn next_chunk(&self) -> Option<std::ops::Range<u64>> {
        let start = self.next.fetch_add(self.chunk, Relaxed);
        let wanted = self.total.min(self.first_bad.load(Relaxed));
        (start < wanted).then(|| start..(start + self.chunk).min(self.total))
    }

    fn fail(&self, number: u64, error: impl FnOnce() -> InterpError) {
        self.first_bad.fetch_min(number, Relaxed);
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|&(earlier, _)| number < earlier) {
            *first = Some((number, error()));
        }
    }
}

/// The value of a parameter, or why the argument does not fit it.
fn value_of(arg: &Argument, ty: Type, divisibility: u32, memory: &Memory) -> Result<Tile, ArgumentProblem> {
    let mismatch = |found: String| Err(ArgumentProblem::Type { expected: ty, found });
    let (tile, number) = match (*arg, ty.elem) {
        (Argument::Scalar(value), Elem::Scalar(scalar)) if value.scalar() == scalar => {
            (Tile::from_const(value), value.as_signed())
        }
        (Argument::Scalar(value), _) => return mismatch(format!("the {} {value}", value.scalar())),
        (_, Elem::Scalar(_)) => return mismatch("a pointer".to_owned()),
        (Argument::Buffer { buffer, byte_offset }, _) => {
            let base = memory.address(buffer).map_err(|_| ArgumentProblem::NoSuchBuffer)?;
            let address = base.wrapping_add(byte_offset) as i64;
            (Tile::scalar(address), Some(address))
        }
        (Argument::Address(address), _) => (Tile::scalar(address as i64), Some(address as i64)),
    };
    match number {
        Some(number) if number % i64::from(divisibility.max(1)) != 0 => Err(ArgumentProblem::Divisibility {
            value: match ty.elem {
                Elem::Ptr(_) => format!("address {number:#x}"),
                Elem::Scalar(_) => number.to_string(),
            },
            divisibility,
        }),
        _ => Ok(tile),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every thread gets several, and none takes many at once.
    #[test]
    fn programs_are_handed_out_in_chunks() {
        for threads in [1, 2, 7, 64] {
            for total in [1, 5, 100, 1000, 100_000, 1 << 40] {
                let chunk = chunk(total, threads);
                assert!((1..=256).contains(&chunk), "{total} for {threads}: {chunk}");
                let chunks = total.div_ceil(chunk);
                assert!(
                    chunks >= total.min(8 * threads),
                    "{total} for {threads}: {chunks} chunks"
                );
            }
        }
        assert_eq!(chunk(1 << 40, 64), 256);
        assert_eq!(chunk(1600, 2), 100);
    }

    fn progress(total: u64, chunk: u64) -> Progress {
        Progress {
            total,
            chunk,
            next: AtomicU64::new(0),
            first_bad: AtomicU64::new(u64::MAX),
            error: Mutex::new(None),
        }
    }

    #[test]
    fn every_program_is_in_one_chunk() {
        let all = progress(10, 4);
        let chunks = [(); 5].map(|()| all.next_chunk());
        assert_eq!(chunks, [Some(0..4), Some(4..8), Some(8..10), None, None]);
        // After one that faulted none is taken any more.
        let some = progress(10, 2);
        assert_eq!(some.next_chunk(), Some(0..2));
        some.fail(3, || InterpError::RaceCheckGrid {
            kernel: String::new(),
            programs: 3,
            limit: 0,
        });
        assert_eq!([some.next_chunk(), some.next_chunk()], [Some(2..4), None]);
    }

    /// Whichever thread comes first, the error is that of the lowest program.
    #[test]
    fn the_first_fault_of_a_grid_is_kept() {
        let progress = progress(10, 1);
        for program in [5, 7, 3, 4] {
            progress.fail(program, || InterpError::RaceCheckGrid {
                kernel: String::new(),
                programs: program,
                limit: 0,
            });
        }
        let error = progress.error.into_inner().unwrap();
        assert!(
            matches!(error, Some((3, InterpError::RaceCheckGrid { programs: 3, .. }))),
            "{error:?}"
        );
        assert_eq!(progress.first_bad.into_inner(), 3);
    }
}
