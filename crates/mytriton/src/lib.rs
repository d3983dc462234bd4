//! Tile kernels for NVIDIA GPUs: write, compile, launch.
//!
//! A kernel says what one program of a grid does to tiles of elements; the compiler decides which thread has which
//! element. Kernels are plain Rust functions:
//!
//! ```
//! use mytriton::prelude::*;
//!
//! #[kernel]
//! fn saxpy(x: Ptr<f32>, y: Ptr<f32>, a: f32, n: i32, #[constexpr] BLOCK: i32) {
//!     let at = program_id(0) * BLOCK + range(0, BLOCK);
//!     let mask = at < n;
//!     let sum = a * load(x + at).mask(mask) + load(y + at).mask(mask);
//!     store(y + at, sum).mask(mask);
//! }
//!
//! // A GPU where there is one, else the CPU.
//! let device = Device::default()?;
//! # // Examples run everywhere, also where there is a GPU and no compiler.
//! # let device = Device::cpu();
//! let n = 1000;
//! let x = device.upload(&vec![1.0f32; n])?;
//! let mut y = device.upload(&(0..n).map(|i| i as f32).collect::<Vec<_>>())?;
//! saxpy::launch(&device, Grid(n.div_ceil(256)), &x, &mut y, 2.0, n as i32, 256)?;
//! assert_eq!(y.to_vec()?[..3], [2.0, 3.0, 4.0]);
//! # Ok::<(), mytriton::Error>(())
//! ```
//!
//! * **Devices** ([`Device`]): `Device::cuda(0)`, `Device::cpu()`; `Device::default()` picks, and the environment variable
//!   `MYTRITON_DEVICE` decides. The CPU device checks every access of a kernel; `Device::simt()` runs compiled kernels
//!   thread by thread without a GPU, and finds races, deadlocks and the like.
//! * **Memory**: [`Buffer`]s of a device. Streams, slices and views of [`cudarc`] are accepted as they are.
//! * **Launches**: arguments are checked against the kernel's parameters. A kernel is compiled when it is first launched
//!   with other compile-time values, or with arguments of which other facts hold (divisibility by 16); launching it
//!   again costs a fraction of a microsecond more than the driver's own call. [`Launcher`] has the options.
//! * **Other kernels** ([`Program`]): typed SSA made by the builder or read from files, and kernels compiled ahead of
//!   time ([`compile`], [`CompiledKernel`]).
//! * **Errors** ([`Error`]) say what is wrong, where, and what to do.

mod arg;
mod buffer;
mod cache;
mod cpu;
mod device;
mod element;
mod error;
mod grid;
mod jit;
mod launch;
mod options;
mod program;
mod signature;
#[cfg(feature = "jit")]
mod simt_device;

pub use arg::{Arg, PtrArg};
pub use buffer::{Buffer, View};
pub use cache::KernelCache;
pub use device::Device;
pub use element::Element;
pub use error::{ArgumentProblem, Error};
pub use grid::{Extent, Grid, UpToThree};
pub use half::{bf16, f16};
pub use launch::launch;
pub use mytriton_abi as abi;
pub use mytriton_abi::CompiledKernel;
pub use mytriton_frontend as frontend;
pub use mytriton_frontend::DType;
pub use mytriton_interp as interp;
pub use mytriton_macros::kernel;
pub use mytriton_runtime as runtime;
pub use mytriton_runtime::cudarc;
#[cfg(feature = "jit")]
pub use mytriton_simt as simt;
#[cfg(feature = "jit")]
pub use mytriton_simt::Options as SimtOptions;
pub use mytriton_ssa as ssa;
pub use options::{Backend, LaunchOptions, Launcher, On};
pub use program::{Program, compile};

/// What a kernel's `launch` reports.
pub type LaunchError = Error;

/// What most programs with kernels need.
pub mod prelude {
    pub use crate::{Backend, Buffer, DType, Device, Element, Error, Grid, Launcher, bf16, f16, kernel};
}
