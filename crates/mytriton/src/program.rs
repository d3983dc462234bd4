//! Kernels that do not come from `#[kernel]`: typed SSA of other front ends and files, and kernels compiled ahead of time.

use std::sync::Arc;

use mytriton_abi::{CompiledKernel, ParamInfo};
use mytriton_interp::{Argument, Prepared};
use mytriton_runtime::cudarc::driver::CudaStream;
use mytriton_runtime::{Function, Params, check_grid, context_id};
use mytriton_ssa::{Kernel, OptLevel, optimise, verify};
use smallvec::SmallVec;

use crate::arg::{Arg, Value};
use crate::cache::Executable;
use crate::device::{Device, Inner};
use crate::error::Error;
use crate::grid::Grid;
use crate::launch::{check_options, compile_and_load, cpu_argument, submit};
use crate::options::{CPU, LaunchOptions, Launcher, Place};
use crate::signature::{check, params_of, place_name};
use crate::{cpu, jit};

/// A kernel loaded on a device, to be launched with arguments that are checked against its parameters then.
///
/// ```
/// use mytriton::{Arg, Device, LaunchOptions, ssa};
///
/// let module = ssa::parse_module(
///     "kernel @double(%x: ptr<i32>) {
///        %pid = program_id x
///        %p = addptr %x, %pid : ptr<i32>
///        %v = load %p : ptr<i32>
///        %w = add %v, %v : i32
///        store %p, %w : ptr<i32>
///     }",
///     "double.ssa",
/// )?;
/// let device = Device::cpu();
/// let x = device.upload(&[21, 4])?;
/// let double = device.load(&module.kernels[0], LaunchOptions::default())?;
/// double.launch(2, &[Arg::from(&x)])?;
/// assert_eq!(x.to_vec()?, [42, 8]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Program {
    name: String,
    params: Vec<ParamInfo>,
    executable: Executable,
    place: usize,
    stream: Option<Arc<CudaStream>>,
}

impl Program {
    pub(crate) fn load(device: &Device, kernel: &Kernel, options: LaunchOptions) -> Result<Program, Error> {
        check_options(options)?;
        verify(kernel)?;
        let params = params_of(kernel);
        let executable = match &device.inner {
            Inner::Cpu => Executable::Cpu(Prepared::new(kernel.clone())?),
            Inner::Cuda(cuda) => Executable::Cuda(compile_and_load(kernel.clone(), cuda, options)?),
        };
        Ok(Program::new(device, kernel.name.clone(), params, executable))
    }

    pub(crate) fn load_compiled(device: &Device, kernel: &CompiledKernel) -> Result<Program, Error> {
        kernel.validate()?;
        match &device.inner {
            Inner::Cpu => Err(Error::CompiledOnCpu {
                kernel: kernel.name.clone(),
                target: kernel.target.clone(),
            }),
            Inner::Cuda(cuda) => {
                let executable = Executable::Cuda(Function::load(cuda, kernel)?);
                Ok(Program::new(
                    device,
                    kernel.name.clone(),
                    kernel.params.clone(),
                    executable,
                ))
            }
        }
    }

    fn new(device: &Device, name: String, params: Vec<ParamInfo>, executable: Executable) -> Program {
        let stream = device.stream().cloned();
        Program {
            name,
            params,
            executable,
            place: stream.as_ref().map_or(CPU, |s| context_id(s.context())),
            stream,
        }
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its parameters.
    pub fn params(&self) -> &[ParamInfo] {
        &self.params
    }

    /// The function on the GPU, unless it was loaded on the CPU device.
    pub fn function(&self) -> Option<&Function> {
        match &self.executable {
            Executable::Cpu(_) => None,
            Executable::Cuda(function) => Some(function),
        }
    }

    /// Launches it on the device that it was loaded on.
    ///
    /// # Errors
    /// [`Error::ArgumentCount`], [`Error::Argument`], [`Error::Grid`]; on the CPU device those of the kernel's run, on a
    /// GPU those of submitting.
    pub fn launch(&self, grid: impl Into<Grid>, args: &[Arg<'_>]) -> Result<(), Error> {
        self.run(self.stream.as_deref(), grid.into(), args)
    }

    /// Launches it on another stream of the same GPU, or on its device.
    ///
    /// # Errors
    /// [`Error::OtherDevice`], and those of [`Program::launch`].
    pub fn launch_on(&self, on: impl Launcher, grid: impl Into<Grid>, args: &[Arg<'_>]) -> Result<(), Error> {
        let on = on.on();
        let place = on.place.id();
        if place != self.place {
            return Err(Error::OtherDevice {
                kernel: self.name.clone(),
                loaded: place_name(self.place, place),
                launched: place_name(place, place),
            });
        }
        let stream = match on.place {
            Place::Cpu => None,
            Place::Cuda { stream, .. } => Some(stream),
        };
        self.run(stream, grid.into(), args)
    }

    fn run(&self, stream: Option<&CudaStream>, grid: Grid, args: &[Arg<'_>]) -> Result<(), Error> {
        let grid = check_grid(grid.extents).map_err(|error| Error::Grid {
            kernel: self.name.clone(),
            error,
        })?;
        check(&self.name, &self.params, args, self.place)?;
        match (&self.executable, stream) {
            (Executable::Cuda(function), Some(stream)) => {
                let mut params = Params::new();
                // There is room: a kernel with more parameters is not loaded.
                let _ = args.iter().all(|arg| {
                    params.push(match arg.value {
                        Value::Ptr { address, .. } => address,
                        Value::Scalar(value) => value.bits,
                    })
                });
                submit(function, stream, grid, &mut params, args)
            }
            (Executable::Cpu(kernel), _) => {
                let values: SmallVec<[Argument; 16]> = args.iter().map(cpu_argument).collect();
                cpu::run(kernel, grid, &values)
            }
            (Executable::Cuda(_), None) => Err(Error::OtherDevice {
                kernel: self.name.clone(),
                loaded: "a GPU",
                launched: "the CPU device",
            }),
        }
    }
}

/// Compiles a kernel ahead of time for a target such as `sm_90a`; no GPU is needed. It is optimised first. What it gives
/// is saved to a file and loaded by programs that need no compiler ([`Device::load_compiled`]).
///
/// # Errors
/// [`Error::Invalid`], [`Error::NumWarps`], and those of compiling; [`Error::NoCompiler`] in builds without the feature
/// `jit`.
pub fn compile(kernel: &Kernel, target: &str, options: LaunchOptions) -> Result<CompiledKernel, Error> {
    check_options(options)?;
    verify(kernel)?;
    let mut kernel = kernel.clone();
    optimise(&mut kernel, OptLevel::Full);
    jit::compile(&kernel, target, options)
}
