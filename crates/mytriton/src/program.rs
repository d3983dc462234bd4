//! Kernels that do not come from `#[kernel]`: typed SSA of other front ends and files, and kernels compiled ahead of time.

use mytriton_abi::{CompiledKernel, ParamInfo, params_of};
use mytriton_interp::{Argument, Prepared};
use mytriton_runtime::{Function, Params, check_grid};
#[cfg(feature = "jit")]
use mytriton_simt::Report;
use mytriton_ssa::{Kernel, OptLevel, optimise, verify};
use smallvec::SmallVec;

use crate::arg::{Arg, Value};
use crate::cache::Executable;
use crate::device::{Device, Inner};
use crate::error::Error;
use crate::grid::Grid;
use crate::launch::{check_options, compile_and_load, cpu_argument, submit};
use crate::options::{LaunchOptions, Launcher, Place};
use crate::signature::{check, place_name};
#[cfg(feature = "jit")]
use crate::{SimtOptions, simt_device::SimtKernel};
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
    /// Where it was loaded.
    device: Device,
}

impl Program {
    pub(crate) fn load(device: &Device, kernel: &Kernel, options: LaunchOptions) -> Result<Program, Error> {
        check_options(options)?;
        verify(kernel)?;
        let params = params_of(kernel);
        let executable = match &device.inner {
            Inner::Cpu => Executable::Cpu(Prepared::new(kernel.clone())?),
            #[cfg(feature = "jit")]
            Inner::Simt(_) => Executable::Simt(Box::new(SimtKernel::compile(kernel.clone(), options)?)),
            Inner::Cuda(cuda) => Executable::Cuda(compile_and_load(kernel.clone(), cuda, options)?),
        };
        Ok(Program::new(device, kernel.name.clone(), params, executable))
    }

    pub(crate) fn load_compiled(device: &Device, kernel: &CompiledKernel) -> Result<Program, Error> {
        kernel.validate()?;
        let Some(cuda) = device.as_cuda() else {
            let place = device.on().place.id();
            return Err(Error::CompiledOnCpu {
                kernel: kernel.name.clone(),
                device: place_name(place, place),
                target: kernel.target.clone(),
            });
        };
        let executable = Executable::Cuda(Function::load(cuda, kernel)?);
        let (name, params) = (kernel.name.clone(), kernel.params.clone());
        Ok(Program::new(device, name, params, executable))
    }

    fn new(device: &Device, name: String, params: Vec<ParamInfo>, executable: Executable) -> Program {
        Program {
            name,
            params,
            executable,
            device: device.clone(),
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

    /// The function on the GPU, if it was loaded on one.
    pub fn function(&self) -> Option<&Function> {
        match &self.executable {
            Executable::Cuda(function) => Some(function),
            _ => None,
        }
    }

    /// Launches it on the device that it was loaded on.
    ///
    /// # Errors
    /// [`Error::ArgumentCount`], [`Error::Argument`], [`Error::Grid`]; on a GPU those of submitting, on the other devices
    /// those of the kernel's run.
    pub fn launch(&self, grid: impl Into<Grid>, args: &[Arg<'_>]) -> Result<(), Error> {
        self.run(self.device.on().place, grid.into(), args)
    }

    /// Launches it on another stream of the same GPU, or on its device.
    ///
    /// # Errors
    /// [`Error::OtherDevice`], and those of [`Program::launch`].
    pub fn launch_on(&self, on: impl Launcher, grid: impl Into<Grid>, args: &[Arg<'_>]) -> Result<(), Error> {
        let (home, place) = (self.device.on().place.id(), on.on().place.id());
        if place != home {
            return Err(Error::OtherDevice {
                kernel: self.name.clone(),
                loaded: place_name(home, place),
                launched: place_name(place, place),
            });
        }
        self.run(on.on().place, grid.into(), args)
    }

    /// Runs it on the SIMT device that it was loaded on, and gives everything that was found and counted. Faults of the
    /// kernel are no error here; where there are some, buffers hold what was written until then.
    ///
    /// # Errors
    /// [`Error::NotSimt`] unless it was loaded on the SIMT device; [`Error::ArgumentCount`], [`Error::Argument`],
    /// [`Error::Grid`], [`Error::SimtLaunch`].
    #[cfg(feature = "jit")]
    pub fn check(&self, grid: impl Into<Grid>, args: &[Arg<'_>]) -> Result<Report, Error> {
        self.check_with(self.device.as_simt().unwrap_or(&SimtOptions::default()), grid, args)
    }

    /// The same with other options, such as another seed.
    ///
    /// # Errors
    /// As [`Program::check`].
    #[cfg(feature = "jit")]
    pub fn check_with(&self, options: &SimtOptions, grid: impl Into<Grid>, args: &[Arg<'_>]) -> Result<Report, Error> {
        let Executable::Simt(kernel) = &self.executable else {
            let place = self.device.on().place.id();
            return Err(Error::NotSimt {
                kernel: self.name.clone(),
                loaded: place_name(place, place),
            });
        };
        let grid = self.fit(grid.into(), args)?;
        kernel.check(grid, &bits_of(args), options)
    }

    /// Checks grid and arguments.
    fn fit(&self, grid: Grid, args: &[Arg<'_>]) -> Result<[u32; 3], Error> {
        let grid = check_grid(grid.extents).map_err(|error| Error::Grid {
            kernel: self.name.clone(),
            error,
        })?;
        check(&self.name, &self.params, args, self.device.on().place.id())?;
        Ok(grid)
    }

    fn run(&self, place: Place<'_>, grid: Grid, args: &[Arg<'_>]) -> Result<(), Error> {
        let grid = self.fit(grid, args)?;
        match (&self.executable, place) {
            (Executable::Cuda(function), Place::Cuda { stream, .. }) => {
                let mut params = Params::new();
                // There is room: a kernel with more parameters is not loaded.
                let _ = args.iter().all(|arg| params.push(bits_of_one(arg)));
                submit(function, stream, grid, &mut params, args)
            }
            (Executable::Cpu(kernel), _) => {
                let values: SmallVec<[Argument; 16]> = args.iter().map(cpu_argument).collect();
                cpu::run(kernel, grid, &values)
            }
            #[cfg(feature = "jit")]
            (Executable::Simt(kernel), Place::Simt(options)) => kernel.launch(grid, &bits_of(args), &options),
            (_, place) => Err(Error::OtherDevice {
                kernel: self.name.clone(),
                loaded: place_name(self.device.on().place.id(), place.id()),
                launched: place_name(place.id(), place.id()),
            }),
        }
    }
}

fn bits_of_one(arg: &Arg<'_>) -> u64 {
    match arg.value {
        Value::Ptr { address, .. } => address,
        Value::Scalar(value) => value.bits,
    }
}

#[cfg(feature = "jit")]
fn bits_of(args: &[Arg<'_>]) -> SmallVec<[u64; 16]> {
    args.iter().map(bits_of_one).collect()
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
