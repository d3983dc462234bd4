//! What can go wrong, in the user's terms.

use mytriton_frontend::FrontendError;
use mytriton_interp::{InterpError, MemoryError};
use mytriton_ssa::VerifyErrors;

/// Everything that this crate reports. Devices and buffers stay usable after each, but for
/// [`RuntimeError::Kernel`](mytriton_runtime::Error::Kernel), after which a GPU must be opened by a new process.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The kernel's source has mistakes, told by line and column.
    #[error(transparent)]
    Build(#[from] FrontendError),
    /// The kernel's typed SSA is not valid.
    #[error("the kernel is not valid: {0}")]
    Invalid(#[from] VerifyErrors),
    /// The CPU device found a fault: the message names the kernel's line, the program and the element.
    #[error(transparent)]
    Interp(#[from] InterpError),
    /// The CPU device's memory.
    #[error("CPU device: {0}")]
    CpuMemory(#[from] MemoryError),
    /// The CPU device's threads cannot be started.
    #[error("the threads of the CPU device cannot be started: {0}")]
    CpuThreads(String),
    /// The SIMT device found faults of a kernel: a line for each, with the kernel's line, the block, the thread and what
    /// to do. Buffers keep what was written until then.
    #[cfg(feature = "jit")]
    #[error("{}", lines(&report.findings))]
    Simt {
        /// The kernel's name.
        kernel: String,
        /// What was found and counted.
        report: Box<mytriton_simt::Report>,
    },
    /// The SIMT device cannot run such a launch.
    #[cfg(feature = "jit")]
    #[error("SIMT device: {0}")]
    SimtLaunch(#[from] mytriton_simt::LaunchError),
    /// The SIMT device's memory.
    #[cfg(feature = "jit")]
    #[error("SIMT device: {0}")]
    SimtMemory(#[from] mytriton_simt::MemoryError),
    /// `MYTRITON_DEVICE` asks for the SIMT device, which this build does not have.
    #[error("MYTRITON_DEVICE is 'simt', and this build of mytriton has no MLIR compiler: enable its feature `jit`")]
    NoSimt,
    /// The SIMT device runs what the MLIR compiler makes.
    #[error("kernel '{kernel}': the SIMT device runs what the MLIR compiler makes; Backend::CudaCpp is for GPUs")]
    SimtBackend {
        /// The kernel's name.
        kernel: String,
    },
    /// A check of a kernel that was loaded on another device.
    #[error(
        "kernel '{kernel}' was loaded on {loaded}: the SIMT device alone checks kernels, load it on Device::simt()"
    )]
    NotSimt {
        /// The kernel's name.
        kernel: String,
        /// Where it was loaded.
        loaded: &'static str,
    },
    /// The GPU, its driver, or NVRTC.
    #[error(transparent)]
    Runtime(#[from] mytriton_runtime::Error),
    /// A compiled kernel cannot be read, written or used.
    #[error(transparent)]
    Artefact(#[from] mytriton_abi::Error),
    /// A kernel cannot be compiled: the message names the stage and, where it is known, the source line.
    #[cfg(feature = "jit")]
    #[error(transparent)]
    Compile(#[from] mytriton_compiler::CompileError),
    /// A kernel has no form in CUDA C++.
    #[error(transparent)]
    CudaCpp(#[from] mytriton_codegen_cuda::CudaError),
    /// The CUDA C++ backend needs headers that are not found.
    #[error(
        "kernel '{kernel}' needs the headers {headers} of the CUDA toolkit: set MYTRITON_CUDA_INCLUDE to their directory"
    )]
    CudaHeaders {
        /// The kernel's name.
        kernel: String,
        /// The files.
        headers: String,
    },
    /// A target that kernels cannot be compiled for.
    #[error("unknown target '{target}': it is one of {known}")]
    Target {
        /// The target asked for.
        target: String,
        /// Those that are possible.
        known: String,
    },
    /// This build has no compiler.
    #[error(
        "kernel '{kernel}' must be compiled for the GPU, and this build of mytriton has no MLIR compiler: enable its \
         feature `jit`, load a kernel compiled ahead of time, use Backend::CudaCpp where NVRTC is there, or Device::cpu()"
    )]
    NoCompiler {
        /// The kernel's name.
        kernel: String,
    },
    /// A kernel compiled for GPUs on another device.
    #[error("kernel '{kernel}' was compiled for {target}: {device} runs kernels from their source alone")]
    CompiledOnCpu {
        /// The kernel's name.
        kernel: String,
        /// The device.
        device: &'static str,
        /// What it was compiled for.
        target: String,
    },
    /// The wrong number of arguments.
    #[error("kernel '{kernel}' takes {expected} argument(s) ({names}), not {found}")]
    ArgumentCount {
        /// The kernel's name.
        kernel: String,
        /// How many it takes.
        expected: usize,
        /// Their names.
        names: String,
        /// How many there are.
        found: usize,
    },
    /// An argument that does not fit its parameter.
    #[error("kernel '{kernel}', argument {index} (`{name}`): {problem}")]
    Argument {
        /// The kernel's name.
        kernel: String,
        /// The argument's number among those passed at launch, from 0.
        index: usize,
        /// The parameter's name.
        name: String,
        /// Why it does not fit.
        problem: ArgumentProblem,
    },
    /// The grid is beyond the limits.
    #[error("kernel '{kernel}': {error}")]
    Grid {
        /// The kernel's name.
        kernel: String,
        /// Which limit.
        error: mytriton_runtime::GridError,
    },
    /// A number of warps that no block can have.
    #[error("num_warps is {0}: it must be a power of two from 1 to 32")]
    NumWarps(u32),
    /// A loaded kernel launched on another device than the one it was loaded on.
    #[error("kernel '{kernel}' was loaded on {loaded}, and is launched on {launched}: load it there too")]
    OtherDevice {
        /// The kernel's name.
        kernel: String,
        /// Where it was loaded.
        loaded: &'static str,
        /// Where it is launched.
        launched: &'static str,
    },
    /// `MYTRITON_DEVICE` names no device.
    #[error("MYTRITON_DEVICE is '{0}': it must be cpu, simt, cuda, or cuda:N with the number of a GPU")]
    DeviceName(String),
    /// A copy from or to a part of a buffer that is not there.
    #[error("elements {start} to {end} of a buffer of {len}")]
    Range {
        /// The first element.
        start: usize,
        /// The one after the last.
        end: usize,
        /// How many the buffer has.
        len: usize,
    },
    /// A copy into a buffer of another length.
    #[error("{found} elements copied to a buffer of {len}: the lengths must be equal")]
    Length {
        /// How many elements there are to copy.
        found: usize,
        /// How many the buffer has.
        len: usize,
    },
    /// The host has no memory left.
    #[error("the host has no memory for {bytes} bytes")]
    HostMemory {
        /// How many bytes were asked for.
        bytes: u64,
    },
}

/// Why an argument does not fit its parameter.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ArgumentProblem {
    /// A number for a pointer, a pointer for a number, or another element type.
    #[error("the parameter is {expected}, the argument {found}")]
    Type {
        /// The parameter's type.
        expected: String,
        /// The argument's.
        found: String,
    },
    /// A buffer of another device.
    #[error("the buffer is on {buffer}, the launch on {launch}: make the buffer there")]
    Device {
        /// Where the buffer is.
        buffer: &'static str,
        /// Where the kernel is launched.
        launch: &'static str,
    },
    /// A fact that the kernel was compiled for does not hold.
    #[error("{value} is not a multiple of {divisibility}, which this kernel was compiled for")]
    Divisibility {
        /// The number or address.
        value: String,
        /// What it should be a multiple of.
        divisibility: u32,
    },
}

/// A line for each finding. One operation of a kernel is often several of a thread's: what these have in common is said
/// once.
#[cfg(feature = "jit")]
fn lines(findings: &[mytriton_simt::Finding]) -> String {
    let key = |finding: &mytriton_simt::Finding| (finding.kind.name(), finding.site.place.clone());
    let mut told = rustc_hash::FxHashSet::default();
    let first = findings.iter().filter(|finding| told.insert(key(finding)));
    first.map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
