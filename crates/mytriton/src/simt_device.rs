//! The SIMT device: its memory, and launches on it.
//!
//! There is one memory for the process, as of the CPU device, and one launch at a time, which holds it: the executor
//! finds races by what the threads of a launch do to memory, so two launches at once would be taken for one.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use mytriton_abi::{ParamInfo, ParamKind, params_of};
use mytriton_compiler::{CompileOptions, Target};
use mytriton_simt::program::Program;
use mytriton_simt::{BufferId, FindingKind, Launch, Memory, MemoryError, Options, Report, run};
use mytriton_ssa::{Kernel, OptLevel, optimise};
use smallvec::SmallVec;

use crate::error::Error;
use crate::options::{Backend, LaunchOptions};

#[derive(Default)]
struct Device {
    memory: Memory,
    /// The name of each buffer in `memory`, by its address.
    names: BTreeMap<u64, String>,
    /// How many buffers there were.
    count: u64,
}

// A panic elsewhere leaves no half-done change: buffers are added and removed as a whole.
fn device() -> MutexGuard<'static, Device> {
    static DEVICE: OnceLock<Mutex<Device>> = OnceLock::new();
    let device = DEVICE.get_or_init(Mutex::default);
    device.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A buffer of the SIMT device, removed with the value.
#[derive(Debug)]
pub(crate) struct SimtBuffer {
    id: BufferId,
    address: u64,
    /// Of the device that it was made on.
    pub(crate) options: Options,
}

impl SimtBuffer {
    pub(crate) fn upload(options: Options, bytes: &[u8]) -> Result<SimtBuffer, Error> {
        SimtBuffer::add(options, |memory, name| memory.add_buffer(name, bytes))
    }

    pub(crate) fn zeros(options: Options, bytes: u64) -> Result<SimtBuffer, Error> {
        SimtBuffer::add(options, |memory, name| memory.add_zeros(name, bytes))
    }

    fn add(
        options: Options,
        add: impl FnOnce(&mut Memory, String) -> Result<BufferId, MemoryError>,
    ) -> Result<SimtBuffer, Error> {
        let mut device = device();
        // Names tell buffers apart; launches put those of parameters in their place.
        let name = format!("#{}", device.count);
        let id = add(&mut device.memory, name.clone())?;
        let address = device.memory.address(id)?;
        device.names.insert(address, name);
        device.count += 1;
        Ok(SimtBuffer { id, address, options })
    }

    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    pub(crate) fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        Ok(device().memory.read(self.id, offset, out)?)
    }

    pub(crate) fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        Ok(device().memory.write(self.id, offset, bytes)?)
    }
}

impl Drop for SimtBuffer {
    fn drop(&mut self) {
        let mut device = device();
        device.names.remove(&self.address);
        // It exists: nothing else removes it.
        let _ = device.memory.remove_buffer(self.id);
    }
}

/// A kernel compiled for the SIMT executor.
#[derive(Debug)]
pub(crate) struct SimtKernel {
    program: Program,
    params: Vec<ParamInfo>,
    /// Threads of a block.
    threads: u32,
}

impl SimtKernel {
    /// Compiles a verified kernel as for a GPU: it is optimised first.
    pub(crate) fn compile(mut kernel: Kernel, options: LaunchOptions) -> Result<SimtKernel, Error> {
        if options.backend != Backend::Mlir {
            return Err(Error::SimtBackend { kernel: kernel.name });
        }
        optimise(&mut kernel, OptLevel::Full);
        // No stage before PTX depends on the GPU.
        let compile_options = CompileOptions {
            num_warps: options.num_warps,
            fp_fusion: options.fp_fusion,
            ..CompileOptions::new(Target::Sm90a)
        };
        Ok(SimtKernel {
            program: mytriton_compiler::simt(&kernel, &compile_options)?,
            params: params_of(&kernel),
            threads: 32 * options.num_warps,
        })
    }

    /// Runs it on arguments that fit its parameters, and says what was found.
    pub(crate) fn check(&self, grid: [u32; 3], args: &[u64], options: &Options) -> Result<Report, Error> {
        if grid.contains(&0) {
            return Ok(Report::default());
        }
        let device = device();
        let launch = Launch {
            grid,
            block: self.program.block.unwrap_or([self.threads, 1, 1]),
            dynamic_shared_bytes: 0,
        };
        let mut report = run(&self.program, launch, args, &device.memory, options)?;
        let names = self.argument_names(&device, args);
        for finding in &mut report.findings {
            if let FindingKind::Race { memory, .. }
            | FindingKind::InFlight { memory, .. }
            | FindingKind::OutOfBounds { memory, .. }
            | FindingKind::Misaligned { memory, .. } = &mut finding.kind
            {
                for (buffer, param) in &names {
                    *memory = memory.replace(&format!("'{buffer}'"), &format!("'{param}'"));
                }
            }
        }
        Ok(report)
    }

    /// Runs it; what is found is an error.
    pub(crate) fn launch(&self, grid: [u32; 3], args: &[u64], options: &Options) -> Result<(), Error> {
        let report = self.check(grid, args, options)?;
        if report.findings.is_empty() {
            return Ok(());
        }
        Err(Error::Simt {
            kernel: self.program.name.clone(),
            report: Box::new(report),
        })
    }

    /// The buffers that pointers among the arguments are of, with the names of their parameters.
    fn argument_names(&self, device: &Device, args: &[u64]) -> SmallVec<[(String, &str); 16]> {
        let pointers = self
            .params
            .iter()
            .zip(args)
            .filter(|(param, _)| matches!(param.kind, ParamKind::Pointer(_)));
        let named = pointers.filter_map(|(param, &address)| {
            let (_, buffer) = device.names.range(..=address).next_back()?;
            Some((buffer.clone(), param.name.as_str()))
        });
        named.collect()
    }
}
