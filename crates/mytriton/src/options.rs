//! Where and how a kernel is launched.

use std::sync::Arc;

use mytriton_runtime::cudarc::driver::CudaStream;
use mytriton_runtime::{Cuda, context_id};

#[cfg(feature = "jit")]
use crate::SimtOptions;
use crate::device::{Device, Inner};

/// The compiler that makes GPU code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Backend {
    /// MLIR and LLVM: the compiler proper.
    #[default]
    Mlir,
    /// CUDA C++ and NVRTC: a second, independent one to compare with. It needs NVRTC.
    CudaCpp,
}

/// How a kernel is compiled for GPUs and the SIMT device; the CPU device takes no notice. None of it changes what a kernel means, but for the
/// rounding that [`LaunchOptions::fp_fusion`] allows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LaunchOptions {
    /// Warps of 32 threads that run one program: a power of two from 1 to 32. Default: 4.
    pub num_warps: u32,
    /// The compiler. Default: [`Backend::Mlir`].
    pub backend: Backend,
    /// May `x * y + z` be rounded once instead of twice? Default: yes.
    pub fp_fusion: bool,
}

impl LaunchOptions {
    /// The defaults.
    pub const DEFAULT: LaunchOptions = LaunchOptions {
        num_warps: 4,
        backend: Backend::Mlir,
        fp_fusion: true,
    };
}

impl Default for LaunchOptions {
    fn default() -> LaunchOptions {
        LaunchOptions::DEFAULT
    }
}

/// What kernels can be launched on: a [`Device`], a stream of `cudarc`, and either with options ([`On`]).
pub trait Launcher {
    /// The place and the default options.
    fn on(&self) -> On<'_>;

    /// The same with so many warps for each program: `kernel::launch(device.num_warps(8), ..)`.
    fn num_warps(&self, num_warps: u32) -> On<'_> {
        self.on().num_warps(num_warps)
    }

    /// The same with another compiler.
    fn backend(&self, backend: Backend) -> On<'_> {
        self.on().backend(backend)
    }

    /// The same with fused multiplication and addition allowed or not.
    fn fp_fusion(&self, fp_fusion: bool) -> On<'_> {
        self.on().fp_fusion(fp_fusion)
    }

    /// The same with all options.
    fn options(&self, options: LaunchOptions) -> On<'_> {
        On { options, ..self.on() }
    }
}

/// A place to launch on, with options.
#[derive(Clone, Copy, Debug)]
pub struct On<'a> {
    pub(crate) place: Place<'a>,
    pub(crate) options: LaunchOptions,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    Cpu,
    #[cfg(feature = "jit")]
    Simt(SimtOptions),
    Cuda {
        stream: &'a CudaStream,
        /// The GPU, where it was opened by us.
        cuda: Option<&'a Cuda>,
    },
}

/// The [`Place::id`] of the CPU device; contexts of GPUs have others.
pub(crate) const CPU: usize = 0;
/// That of the SIMT device.
pub(crate) const SIMT: usize = 1;

impl Place<'_> {
    /// A number that memory of the place has too.
    #[inline]
    pub(crate) fn id(&self) -> usize {
        match self {
            Place::Cpu => CPU,
            #[cfg(feature = "jit")]
            Place::Simt(_) => SIMT,
            Place::Cuda { stream, .. } => context_id(stream.context()),
        }
    }
}

impl On<'_> {
    /// The same with so many warps for each program.
    #[inline]
    pub fn num_warps(mut self, num_warps: u32) -> Self {
        self.options.num_warps = num_warps;
        self
    }

    /// The same with another compiler.
    #[inline]
    pub fn backend(mut self, backend: Backend) -> Self {
        self.options.backend = backend;
        self
    }

    /// The same with fused multiplication and addition allowed or not.
    #[inline]
    pub fn fp_fusion(mut self, fp_fusion: bool) -> Self {
        self.options.fp_fusion = fp_fusion;
        self
    }
}

impl Launcher for On<'_> {
    #[inline]
    fn on(&self) -> On<'_> {
        *self
    }
}

impl Launcher for Device {
    #[inline]
    fn on(&self) -> On<'_> {
        let place = match &self.inner {
            Inner::Cpu => Place::Cpu,
            #[cfg(feature = "jit")]
            Inner::Simt(options) => Place::Simt(*options),
            Inner::Cuda(cuda) => Place::Cuda {
                stream: cuda.stream(),
                cuda: Some(cuda),
            },
        };
        On {
            place,
            options: LaunchOptions::DEFAULT,
        }
    }
}

impl Launcher for CudaStream {
    #[inline]
    fn on(&self) -> On<'_> {
        On {
            place: Place::Cuda {
                stream: self,
                cuda: None,
            },
            options: LaunchOptions::DEFAULT,
        }
    }
}

impl Launcher for Arc<CudaStream> {
    #[inline]
    fn on(&self) -> On<'_> {
        (**self).on()
    }
}

impl<L: Launcher + ?Sized> Launcher for &L {
    #[inline]
    fn on(&self) -> On<'_> {
        (**self).on()
    }
}
