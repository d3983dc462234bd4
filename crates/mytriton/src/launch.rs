//! The way from a call to a running kernel. What happens at every launch is short; what happens at the first is not.

use mytriton_frontend::{ConstexprValue, KernelDef, Specialization};
use mytriton_interp::{Argument, Prepared};
use mytriton_runtime::cudarc::driver::CudaStream;
use mytriton_runtime::{Cuda, Function, Params, check_grid};
use mytriton_ssa::{Const, Kernel, OptLevel, optimise, verify};
use smallvec::SmallVec;

use crate::arg::{Arg, Order, Value};
use crate::cache::{Executable, KernelCache, Key};
use crate::error::Error;
use crate::grid::Grid;
use crate::options::{LaunchOptions, Launcher, On, Place};
use crate::signature::{mismatch, parameters};
#[cfg(feature = "jit")]
use crate::simt_device::SimtKernel;
use crate::{cpu, jit};

/// Launches a kernel that `#[kernel]` defines; its `launch` calls this. `args` are the arguments passed at launch in order,
/// `constexprs` the types and values that it is compiled for.
///
/// # Errors
/// Every [`Error`] that concerns arguments, grids, building, compiling, loading and launching; on the CPU device and
/// the SIMT device also those of the kernel's run.
#[inline]
pub fn launch(
    on: impl Launcher,
    def: &'static KernelDef,
    cache: &'static KernelCache,
    grid: Grid,
    args: &[Arg<'_>],
    constexprs: &[ConstexprValue],
) -> Result<(), Error> {
    launch_on(on.on(), def, cache, grid, args, constexprs)
}

fn launch_on(
    on: On<'_>,
    def: &'static KernelDef,
    cache: &'static KernelCache,
    grid: Grid,
    args: &[Arg<'_>],
    constexprs: &[ConstexprValue],
) -> Result<(), Error> {
    let grid = check_grid(grid.extents).map_err(|error| Error::Grid {
        kernel: def.name.to_owned(),
        error,
    })?;
    let place = on.place.id();
    match on.place {
        Place::Cuda { stream, cuda } => {
            let mut params = Params::new();
            let facts = fit(def, constexprs, args, place, |bits, _| params.push(bits))?;
            if grid.contains(&0) {
                return Ok(());
            }
            let key = Key {
                place,
                facts,
                options: on.options,
                constexprs,
            };
            let executable = cache.get(key, || prepare_cuda(def, &key, stream, cuda))?;
            let Executable::Cuda(function) = executable else {
                // Forms for the CPU are kept under its own place.
                return Err(Error::NoCompiler {
                    kernel: def.name.to_owned(),
                });
            };
            submit(function, stream, grid, &mut params, args)
        }
        Place::Cpu => {
            check_options(on.options)?;
            let mut values: SmallVec<[Argument; 16]> = SmallVec::new();
            fit(def, constexprs, args, place, |_, arg| {
                values.push(cpu_argument(arg));
                true
            })?;
            if grid.contains(&0) {
                return Ok(());
            }
            // Facts and options change no result, so one form serves all.
            let key = Key {
                place,
                facts: Specialization::NONE,
                options: LaunchOptions::DEFAULT,
                constexprs,
            };
            let executable = cache.get(key, || {
                // As it was written: what the optimiser removes could be an error that should be found.
                Ok(Executable::Cpu(Prepared::new(build(def, &key)?)?))
            })?;
            match executable {
                Executable::Cpu(kernel) => cpu::run(kernel, grid, &values),
                _ => Err(Error::NoCompiler {
                    kernel: def.name.to_owned(),
                }),
            }
        }
        #[cfg(feature = "jit")]
        Place::Simt(simt) => {
            check_options(on.options)?;
            let mut values: SmallVec<[u64; 16]> = SmallVec::new();
            let facts = fit(def, constexprs, args, place, |bits, _| {
                values.push(bits);
                true
            })?;
            if grid.contains(&0) {
                return Ok(());
            }
            // What is compiled depends on the same as for a GPU; how it is run, on more.
            let key = Key {
                place,
                facts,
                options: on.options,
                constexprs,
            };
            let executable = cache.get(key, || {
                let kernel = SimtKernel::compile(build(def, &key)?, on.options)?;
                Ok(Executable::Simt(Box::new(kernel)))
            })?;
            match executable {
                Executable::Simt(kernel) => kernel.launch(grid, &values, &simt),
                _ => Err(Error::NoCompiler {
                    kernel: def.name.to_owned(),
                }),
            }
        }
    }
}

/// Checks the arguments, passes the bits of each to `push`, and gives the facts that hold for them.
#[inline]
fn fit(
    def: &'static KernelDef,
    constexprs: &[ConstexprValue],
    args: &[Arg<'_>],
    place: usize,
    mut push: impl FnMut(u64, &Arg<'_>) -> bool,
) -> Result<Specialization, Error> {
    let mut facts = Specialization::NONE;
    let mut index = 0;
    for (is_pointer, dtype) in parameters(def, constexprs) {
        let Some(arg) = args.get(index) else {
            return Err(mismatch(def, constexprs, args, index, place));
        };
        let (bits, specialised) = match arg.value {
            Value::Ptr {
                address,
                dtype: found,
                place: at,
            } if is_pointer && Some(found) == dtype && at == place => (address, true),
            Value::Scalar(value) if !is_pointer && Some(value.dtype) == dtype => (value.bits, value.dtype.is_int()),
            _ => return Err(mismatch(def, constexprs, args, index, place)),
        };
        if specialised && bits % 16 == 0 {
            facts = facts.with_divisible_by_16(index);
        }
        if !push(bits, arg) {
            return Err(mismatch(def, constexprs, args, index, place));
        }
        index += 1;
    }
    if index != args.len() {
        return Err(mismatch(def, constexprs, args, index, place));
    }
    Ok(facts)
}

/// Submits a launch, in order with other work on its memory.
#[inline]
pub(crate) fn submit(
    function: &Function,
    stream: &CudaStream,
    grid: [u32; 3],
    params: &mut Params,
    args: &[Arg<'_>],
) -> Result<(), Error> {
    if args.iter().any(|arg| arg.needs_ordering(stream)) {
        return submit_ordered(function, stream, grid, params, args);
    }
    Ok(function.launch(stream, grid, params)?)
}

/// The same when memory is used on several streams: the launch waits for earlier work on it, later work for the launch.
#[cold]
fn submit_ordered(
    function: &Function,
    stream: &CudaStream,
    grid: [u32; 3],
    params: &mut Params,
    args: &[Arg<'_>],
) -> Result<(), Error> {
    let mut buffers = Vec::new();
    let mut guards = Vec::new();
    for arg in args {
        match arg.order.take() {
            Some(Order::Buffer(buffer)) => {
                buffer.acquire(stream)?;
                buffers.push(buffer);
            }
            Some(Order::Tracked(slice)) => guards.push(slice.acquire(stream)),
            None => {}
        }
    }
    function.launch(stream, grid, params)?;
    drop(guards);
    for buffer in buffers {
        buffer.release(stream)?;
    }
    Ok(())
}

/// An argument whose type fits, for the interpreter.
pub(crate) fn cpu_argument(arg: &Arg<'_>) -> Argument {
    match arg.value {
        Value::Ptr { address, .. } => Argument::Address(address),
        Value::Scalar(value) => Argument::Scalar(Const::from_bits(value.dtype.scalar(), value.bits)),
    }
}

pub(crate) fn check_options(options: LaunchOptions) -> Result<(), Error> {
    match options.num_warps {
        1 | 2 | 4 | 8 | 16 | 32 => Ok(()),
        other => Err(Error::NumWarps(other)),
    }
}

/// The kernel's typed SSA.
fn build(def: &'static KernelDef, key: &Key<'_>) -> Result<Kernel, Error> {
    let _span = tracing::debug_span!("build", kernel = def.name).entered();
    let kernel = (def.build)(key.constexprs, &key.facts)?;
    verify(&kernel)?;
    Ok(kernel)
}

fn prepare_cuda(
    def: &'static KernelDef,
    key: &Key<'_>,
    stream: &CudaStream,
    cuda: Option<&Cuda>,
) -> Result<Executable, Error> {
    check_options(key.options)?;
    let opened;
    let cuda = match cuda {
        Some(cuda) => cuda,
        // Of the same context as the stream, which is what matters for loading.
        None => {
            opened = Cuda::from_stream(stream.context().default_stream())?;
            &opened
        }
    };
    let kernel = build(def, key)?;
    Ok(Executable::Cuda(compile_and_load(kernel, cuda, key.options)?))
}

/// A verified kernel, optimised, compiled and loaded.
pub(crate) fn compile_and_load(mut kernel: Kernel, cuda: &Cuda, options: LaunchOptions) -> Result<Function, Error> {
    optimise(&mut kernel, OptLevel::Full);
    let compiled = jit::compile(&kernel, cuda.target()?, options)?;
    Ok(Function::load(cuda, &compiled)?)
}
