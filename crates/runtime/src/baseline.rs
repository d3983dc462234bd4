//! What a launch costs at the least: `cuLaunchKernel` in a loop, with nothing around it. Measurements compare with it.

use std::ffi::c_void;
use std::fmt::Write;
use std::ptr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{CudaContext, CudaFunction, CudaStream, DriverError};
use cudarc::nvrtc::Ptx;

use crate::device::Cuda;
use crate::error::{Error, driver_error};

/// Threads of a block of the kernel launched.
const THREADS: u32 = 128;

/// A kernel that does nothing, with arguments of 8 bytes each, and the array of pointers to them that the driver takes.
pub struct LaunchFloor {
    // Holds the module, and so the code.
    function: CudaFunction,
    context: Arc<CudaContext>,
    values: Vec<u64>,
}

impl LaunchFloor {
    /// Loads the kernel with so many parameters.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn new(cuda: &Cuda, arguments: usize) -> Result<LaunchFloor, Error> {
        let load = |e| driver_error("load the empty kernel", e);
        let module = cuda
            .context()
            .load_module(Ptx::from_src(empty_kernel(arguments)))
            .map_err(load)?;
        let function = module.load_function("empty").map_err(load)?;
        Ok(LaunchFloor {
            function,
            context: cuda.context().clone(),
            values: vec![0; arguments],
        })
    }

    /// Submits the kernel so often, one program each, and gives the host's time for all calls together. It does not
    /// wait for the GPU: more than about a thousand launches at once find the driver's queue full.
    ///
    /// # Errors
    /// [`Error::OtherContext`], [`Error::Kernel`], [`Error::Driver`].
    pub fn launch(&mut self, stream: &CudaStream, times: u32) -> Result<Duration, Error> {
        if stream.context().cu_ctx() != self.context.cu_ctx() {
            return Err(Error::OtherContext {
                kernel: "empty".to_owned(),
            });
        }
        let fail = |e| driver_error("launch the empty kernel", e);
        self.context.bind_to_thread().map_err(fail)?;
        let mut pointers: Vec<*mut c_void> = self
            .values
            .iter_mut()
            .map(|value| ptr::from_mut(value).cast())
            .collect();
        let handle = self.function.cu_function();
        let start = Instant::now();
        for _ in 0..times {
            // SAFETY: the kernel is loaded in the stream's context, which is current, and has as many parameters of 8
            // bytes as there are pointers, each to a live value.
            let launched = unsafe {
                sys::cuLaunchKernel(
                    handle,
                    1,
                    1,
                    1,
                    THREADS,
                    1,
                    1,
                    0,
                    stream.cu_stream(),
                    pointers.as_mut_ptr(),
                    ptr::null_mut(),
                )
            };
            if launched != CUresult::CUDA_SUCCESS {
                return Err(fail(DriverError(launched)));
            }
        }
        Ok(start.elapsed())
    }

    /// How many parameters the kernel has.
    pub fn arguments(&self) -> usize {
        self.values.len()
    }
}

impl std::fmt::Debug for LaunchFloor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LaunchFloor({} arguments, {:?})", self.arguments(), self.function)
    }
}

/// PTX of a kernel without instructions, for every GPU.
fn empty_kernel(arguments: usize) -> String {
    let mut text = String::from(".version 7.4\n.target sm_75\n.address_size 64\n.visible .entry empty(");
    for index in 0..arguments {
        let comma = if index == 0 { "" } else { ", " };
        let _ = write!(text, "{comma}.param .u64 p{index}");
    }
    text.push_str(")\n{\n  ret;\n}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::empty_kernel;

    #[test]
    fn the_empty_kernel_has_its_parameters() {
        assert!(empty_kernel(0).contains("empty()"));
        assert!(empty_kernel(3).contains("empty(.param .u64 p0, .param .u64 p1, .param .u64 p2)"));
    }
}
