//! Loading and launching compiled kernels on a GPU, through the driver alone.
//!
//! The driver's library is opened when it is first needed, so programs that use this crate start on machines without
//! one; [`Cuda::open`] then says so. Streams and slices of `cudarc` are used as they are.
//!
//! This crate holds the project's `unsafe` code for the GPU. A kernel is trusted as any machine code is: what it
//! does with the addresses that it is given is not checked here.

pub mod baseline;
mod device;
mod error;
mod function;
mod grid;
mod memory;
pub mod nvrtc;
mod params;
mod slices;
mod target;
mod timing;

pub use cudarc;
pub use device::{Cuda, MemoryInfo};
pub use error::{Error, driver_error};
pub use function::Function;
pub use grid::{GridError, MAX_GRID, check_grid};
pub use memory::DeviceBuffer;
pub use params::Params;
pub use slices::{DeviceSlice, Guard, Tracked, context_id, order_after, synchronises};
pub use target::{TARGETS, best_target};
pub use timing::Timer;
