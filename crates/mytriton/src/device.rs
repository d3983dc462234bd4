//! Devices.

use std::fmt;
use std::sync::Arc;

use mytriton_abi::CompiledKernel;
use mytriton_runtime::cudarc::driver::CudaStream;
use mytriton_runtime::{Cuda, MemoryInfo};
use mytriton_ssa::Kernel;

#[cfg(feature = "jit")]
use crate::SimtOptions;
use crate::buffer::Buffer;
use crate::element::Element;
use crate::error::Error;
use crate::options::LaunchOptions;
use crate::program::Program;

/// What kernels run on: a GPU, or the CPU. A clone is the same device.
#[derive(Clone)]
pub struct Device {
    pub(crate) inner: Inner,
}

#[derive(Clone)]
pub(crate) enum Inner {
    Cpu,
    #[cfg(feature = "jit")]
    Simt(SimtOptions),
    Cuda(Arc<Cuda>),
}

impl Device {
    /// The CPU device: a reference interpreter, which needs no GPU and no compiler. It checks what GPUs do not: accesses
    /// out of bounds or misaligned and the use of undefined values are errors that name the kernel's line, the program
    /// and the element. Launches return when all programs have ended.
    pub fn cpu() -> Device {
        Device { inner: Inner::Cpu }
    }

    /// The SIMT device: kernels are compiled as for a GPU, and what goes on to PTX is executed on the CPU, thread by thread
    /// in warps. It needs no GPU and finds what GPUs hide: data races, accesses out of bounds or misaligned, barriers that
    /// not all threads come to, deadlocks. A launch that finds something is an error ([`Error::Simt`]) that names the
    /// kernel's line, block, thread and address. Launches return when all blocks have ended, one launch at a time.
    #[cfg(feature = "jit")]
    pub fn simt() -> Device {
        Device::simt_with(SimtOptions::default())
    }

    /// The SIMT device with options: what is looked for, on how many threads of the host, and the seed that decides which
    /// of the threads that can go on does so. Devices with other options share memory.
    #[cfg(feature = "jit")]
    pub fn simt_with(options: SimtOptions) -> Device {
        Device {
            inner: Inner::Simt(options),
        }
    }

    /// GPU number `ordinal`, with its default stream. Launches return at once; work is done in order.
    ///
    /// # Errors
    /// [`Error::Runtime`] when there is no driver, it is too old, or there is no such GPU.
    pub fn cuda(ordinal: usize) -> Result<Device, Error> {
        Ok(Device {
            inner: Inner::Cuda(Arc::new(Cuda::open(ordinal)?)),
        })
    }

    /// The GPU of a stream of `cudarc`, which work goes to.
    ///
    /// # Errors
    /// [`Error::Runtime`] when the driver does not answer.
    pub fn from_stream(stream: Arc<CudaStream>) -> Result<Device, Error> {
        Ok(Device {
            inner: Inner::Cuda(Arc::new(Cuda::from_stream(stream)?)),
        })
    }

    /// The device that the environment variable `MYTRITON_DEVICE` names (`cpu`, `simt`, `cuda`, `cuda:1`); without it
    /// GPU 0, or the CPU where there is none.
    ///
    /// # Errors
    /// [`Error::DeviceName`] when the variable names no device, [`Error::Runtime`] when the GPU that it names cannot be
    /// opened, [`Error::NoSimt`] for `simt` in builds without the feature `jit`.
    // Not the trait's method: a device asked for and missing must not be replaced silently.
    #[allow(clippy::should_implement_trait)]
    pub fn default() -> Result<Device, Error> {
        let wanted = std::env::var_os("MYTRITON_DEVICE").unwrap_or_default();
        match Choice::parse(&wanted.to_string_lossy())? {
            Choice::Cpu => Ok(Device::cpu()),
            #[cfg(feature = "jit")]
            Choice::Simt => Ok(Device::simt()),
            #[cfg(not(feature = "jit"))]
            Choice::Simt => Err(Error::NoSimt),
            Choice::Cuda(ordinal) => Device::cuda(ordinal),
            Choice::Any => Ok(Device::cuda(0).unwrap_or_else(|reason| {
                tracing::info!(%reason, "no GPU: the CPU device is used");
                Device::cpu()
            })),
        }
    }

    /// Is this the CPU device?
    pub fn is_cpu(&self) -> bool {
        matches!(self.inner, Inner::Cpu)
    }

    /// Its name, for people.
    pub fn name(&self) -> String {
        match &self.inner {
            Inner::Cpu => "CPU (reference interpreter)".to_owned(),
            #[cfg(feature = "jit")]
            Inner::Simt(_) => "CPU (SIMT executor)".to_owned(),
            Inner::Cuda(cuda) => cuda.name().to_owned(),
        }
    }

    /// The GPU, if it is one.
    pub fn as_cuda(&self) -> Option<&Cuda> {
        match &self.inner {
            Inner::Cuda(cuda) => Some(cuda),
            _ => None,
        }
    }

    /// The options of the SIMT device, if this is it.
    #[cfg(feature = "jit")]
    pub fn as_simt(&self) -> Option<&SimtOptions> {
        match &self.inner {
            Inner::Simt(options) => Some(options),
            _ => None,
        }
    }

    /// The stream that work goes to, if it is a GPU.
    pub fn stream(&self) -> Option<&Arc<CudaStream>> {
        self.as_cuda().map(Cuda::stream)
    }

    /// The GPU's memory; `None` for the other devices, whose memory is the host's.
    ///
    /// # Errors
    /// [`Error::Runtime`] when the driver does not answer.
    pub fn memory(&self) -> Result<Option<MemoryInfo>, Error> {
        Ok(self.as_cuda().map(Cuda::memory).transpose()?)
    }

    /// Copies values to a new buffer.
    ///
    /// # Errors
    /// Out of memory, or a kernel launched before failed ([`Error::Runtime`], [`Error::CpuMemory`], [`Error::SimtMemory`]).
    pub fn upload<T: Element>(&self, values: &[T]) -> Result<Buffer<T>, Error> {
        Buffer::upload(self, values)
    }

    /// A new buffer of `len` zeros.
    ///
    /// # Errors
    /// As [`Device::upload`].
    pub fn zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>, Error> {
        Buffer::zeros(self, len)
    }

    /// Waits until all launches have ended. Copies to the host do so by themselves.
    ///
    /// # Errors
    /// [`Error::Runtime`] when a kernel launched before failed.
    pub fn synchronize(&self) -> Result<(), Error> {
        Ok(self.as_cuda().map_or(Ok(()), Cuda::synchronize)?)
    }

    /// Prepares a kernel in typed SSA, as front ends and files give it, for launches. It is compiled as it is, for the
    /// facts that its parameters state.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::NumWarps`], and but for the CPU device those of compiling and loading.
    pub fn load(&self, kernel: &Kernel, options: LaunchOptions) -> Result<Program, Error> {
        Program::load(self, kernel, options)
    }

    /// Prepares a kernel that was compiled ahead of time for launches.
    ///
    /// # Errors
    /// [`Error::CompiledOnCpu`] unless this is a GPU; [`Error::Runtime`] when the GPU cannot run it.
    pub fn load_compiled(&self, kernel: &CompiledKernel) -> Result<Program, Error> {
        Program::load_compiled(self, kernel)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.inner {
            Inner::Cpu => f.write_str("Device(cpu)"),
            #[cfg(feature = "jit")]
            Inner::Simt(options) => write!(f, "Device(simt, seed {})", options.seed),
            Inner::Cuda(cuda) => write!(f, "Device({cuda:?})"),
        }
    }
}

#[derive(PartialEq, Eq, Debug)]
enum Choice {
    Any,
    Cpu,
    Simt,
    Cuda(usize),
}

impl Choice {
    fn parse(text: &str) -> Result<Choice, Error> {
        match text.split_once(':') {
            None if text.is_empty() => Ok(Choice::Any),
            None if text == "cpu" => Ok(Choice::Cpu),
            None if text == "simt" => Ok(Choice::Simt),
            None if text == "cuda" => Ok(Choice::Cuda(0)),
            Some(("cuda", ordinal)) if ordinal.bytes().all(|b| b.is_ascii_digit()) => ordinal
                .parse()
                .map(Choice::Cuda)
                .map_err(|_| Error::DeviceName(text.to_owned())),
            _ => Err(Error::DeviceName(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices() {
        for (text, choice) in [
            ("", Choice::Any),
            ("cpu", Choice::Cpu),
            ("simt", Choice::Simt),
            ("cuda", Choice::Cuda(0)),
            ("cuda:0", Choice::Cuda(0)),
            ("cuda:12", Choice::Cuda(12)),
        ] {
            assert_eq!(Choice::parse(text).unwrap(), choice);
        }
        for text in [
            "CPU",
            "gpu",
            "cuda:",
            "cuda:+1",
            "cuda:-1",
            "cuda:x",
            "cpu:0",
            "simt:0",
            "cuda:99999999999999999999999",
        ] {
            let error = Choice::parse(text).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("MYTRITON_DEVICE is '{text}': it must be cpu, simt, cuda, or cuda:N with the number of a GPU")
            );
        }
    }
}
