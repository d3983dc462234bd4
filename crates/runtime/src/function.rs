//! Loading kernels, and launching them with as little between caller and driver as possible.

use std::ffi::{CString, c_void};
use std::fmt;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUfunction_attribute as FunctionAttribute, CUjit_option, CUresult};
use cudarc::driver::{CudaContext, CudaStream, DriverError};
use mytriton_abi::{Code, CompiledKernel, STATIC_SHARED_BYTES};

use crate::device::Cuda;
use crate::error::{Error, driver_error};
use crate::grid::{GridError, MAX_GRID};
use crate::params::Params;
use crate::slices::context_id;

/// What the driver's compiler may write about an error.
const LOG_BYTES: usize = 8 * 1024;

/// A module of the driver, unloaded with the value.
struct Module {
    handle: sys::CUmodule,
    context: Arc<CudaContext>,
}

// SAFETY: the driver's handles can be used from every thread; the value has no other state.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl Drop for Module {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: the handle is of a module of this context that was loaded and not yet unloaded; functions of it
            // hold the module, so none is left. Work in flight keeps its code until it ends.
            let unloaded = unsafe { sys::cuModuleUnload(self.handle) }.result();
            self.context.record_err(unloaded);
        }
    }
}

/// A kernel loaded on a GPU.
pub struct Function {
    handle: sys::CUfunction,
    module: Module,
    name: String,
    threads: u32,
    shared_bytes: u32,
    params: usize,
}

// SAFETY: as for `Module`, which the handle belongs to.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Function({}, {} threads, {} parameters)",
            self.name, self.threads, self.params
        )
    }
}

impl Function {
    /// Loads a kernel. The driver compiles PTX now, which takes milliseconds, or finds it in its own cache on disk.
    ///
    /// # Errors
    /// [`Error::Artefact`], [`Error::WrongTarget`], [`Error::PtxTooNew`], [`Error::Load`] with the compiler's log,
    /// [`Error::Resources`], [`Error::Driver`].
    pub fn load(cuda: &Cuda, kernel: &CompiledKernel) -> Result<Function, Error> {
        let _span = tracing::debug_span!("load", kernel = %kernel.name).entered();
        kernel.validate()?;
        if u64::from(kernel.shared_bytes) > cuda.shared_limit() {
            return Err(Error::Resources {
                kernel: kernel.name.clone(),
                what: "bytes of shared memory",
                needed: kernel.shared_bytes.into(),
                limit: cuda.shared_limit(),
                device: cuda.name().to_owned(),
                advice: "use smaller tiles or fewer stages",
            });
        }
        let context = cuda.context();
        context.bind_to_thread().map_err(|e| driver_error("load a kernel", e))?;
        let module = load_module(cuda, kernel)?;
        let fail = |e: DriverError| match e.0 {
            CUresult::CUDA_ERROR_NOT_FOUND => load_error(kernel, "the code has no entry of that name", ""),
            _ => load_error(kernel, &format!("{:?}", e.0), ""),
        };
        // The name has no zero: `validate` checks it.
        let name = CString::new(kernel.name.as_str()).map_err(|_| load_error(kernel, "its name has a zero", ""))?;
        let mut handle = MaybeUninit::uninit();
        // SAFETY: the module is loaded, the name ends with a zero, and the handle is written when the call succeeds.
        let handle = unsafe {
            let found = sys::cuModuleGetFunction(handle.as_mut_ptr(), module.handle, name.as_ptr());
            found.result().map_err(fail)?;
            handle.assume_init()
        };
        let function = Function {
            handle,
            module,
            name: kernel.name.clone(),
            threads: kernel.threads,
            shared_bytes: kernel.shared_bytes,
            params: kernel.params.len(),
        };
        let limit = function.attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?;
        if kernel.threads > limit {
            return Err(Error::Resources {
                kernel: kernel.name.clone(),
                what: "threads of a block",
                needed: kernel.threads.into(),
                limit: limit.into(),
                device: cuda.name().to_owned(),
                advice: "its registers do not suffice for more; use fewer warps or smaller tiles",
            });
        }
        if kernel.shared_bytes > STATIC_SHARED_BYTES {
            let attribute = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the handle is of a loaded function, and the value is within the device's limit.
            let set = unsafe { sys::cuFuncSetAttribute(handle, attribute, kernel.shared_bytes as i32) };
            set.result().map_err(|e| driver_error("reserve shared memory", e))?;
        }
        Ok(function)
    }

    fn attribute(&self, attribute: FunctionAttribute) -> Result<u32, Error> {
        let mut value = 0;
        // SAFETY: the handle is of a loaded function, and the call writes one number.
        let read = unsafe { sys::cuFuncGetAttribute(&mut value, attribute, self.handle) };
        read.result()
            .map_err(|e| driver_error("ask for a kernel's properties", e))?;
        Ok(value.max(0) as u32)
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Threads of a block.
    pub fn threads(&self) -> u32 {
        self.threads
    }

    /// Registers of a thread.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn registers(&self) -> Result<u32, Error> {
        self.attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_NUM_REGS)
    }

    /// Bytes of local memory of a thread: registers that did not fit.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn spilled_bytes(&self) -> Result<u32, Error> {
        self.attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
    }

    /// Submits one program for each cell of the grid to the stream and returns; a grid with a zero submits nothing.
    ///
    /// Arguments must fit the kernel's parameters one by one: their number alone is checked here. Nothing is allocated
    /// or locked between caller and driver.
    ///
    /// # Errors
    /// [`Error::ArgumentCount`], [`Error::Grid`], [`Error::OtherContext`]; [`Error::Kernel`] when a kernel launched before
    /// failed; [`Error::Driver`].
    #[inline]
    pub fn launch(&self, stream: &CudaStream, grid: [u32; 3], params: &mut Params) -> Result<(), Error> {
        let [x, y, z] = grid;
        if params.len() != self.params
            || x > MAX_GRID[0]
            || y > MAX_GRID[1]
            || z > MAX_GRID[2]
            || context_id(stream.context()) != context_id(&self.module.context)
        {
            return Err(self.launch_error(grid, params.len()));
        }
        if x == 0 || y == 0 || z == 0 {
            return Ok(());
        }
        // Compares the thread's current context with ours, and sets it where another library has changed it.
        if let Err(error) = stream.context().bind_to_thread() {
            return Err(driver_error("launch a kernel", error));
        }
        let launched = params.with_pointers(|pointers| {
            // SAFETY: the function is loaded in the stream's context, which is current. There are as many pointers as
            // the kernel has parameters, each to 8 initialised bytes, which the driver copies during the call. Grid and
            // block are within the limits, and shared memory was reserved when loading.
            unsafe {
                sys::cuLaunchKernel(
                    self.handle,
                    x,
                    y,
                    z,
                    self.threads,
                    1,
                    1,
                    self.shared_bytes,
                    stream.cu_stream(),
                    pointers,
                    ptr::null_mut(),
                )
            }
        });
        match launched {
            CUresult::CUDA_SUCCESS => Ok(()),
            error => Err(driver_error("launch a kernel", DriverError(error))),
        }
    }

    #[cold]
    fn launch_error(&self, grid: [u32; 3], found: usize) -> Error {
        let kernel = self.name.clone();
        if found != self.params {
            return Error::ArgumentCount {
                kernel,
                expected: self.params,
                found,
            };
        }
        match (0..3).find(|&i| grid[i] > MAX_GRID[i]) {
            Some(i) => Error::Grid {
                kernel,
                error: GridError {
                    axis: ['x', 'y', 'z'][i],
                    extent: grid[i].into(),
                    limit: MAX_GRID[i],
                },
            },
            None => Error::OtherContext { kernel },
        }
    }
}

/// Loads the code into the current context.
fn load_module(cuda: &Cuda, kernel: &CompiledKernel) -> Result<Module, Error> {
    // The driver reads PTX up to a zero; a cubin says itself how long it is.
    let text;
    let image: *const c_void = match &kernel.code {
        Code::Ptx(ptx) => {
            text = CString::new(ptx.as_str()).map_err(|_| load_error(kernel, "its PTX has a zero character", ""))?;
            text.as_ptr().cast()
        }
        Code::Cubin(bytes) if bytes.starts_with(b"\x7FELF") => bytes.as_ptr().cast(),
        Code::Cubin(_) => return Err(load_error(kernel, "its code is no cubin", "")),
    };
    let mut log = vec![0u8; LOG_BYTES];
    let mut options = [
        CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
        CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    ];
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), ptr::without_provenance_mut(LOG_BYTES)];
    let mut handle = MaybeUninit::uninit();
    // SAFETY: the image is a text that ends with a zero, or an ELF file in memory; it lives until after the call. The
    // driver writes at most LOG_BYTES to the log. Options and values are arrays of the given length. The handle is
    // written when the call succeeds.
    let loaded = unsafe {
        sys::cuModuleLoadDataEx(
            handle.as_mut_ptr(),
            image,
            options.len() as u32,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    let log = String::from_utf8_lossy(log.split(|&b| b == 0).next().unwrap_or_default()).into_owned();
    match loaded {
        CUresult::CUDA_SUCCESS => Ok(Module {
            // SAFETY: written by the successful call.
            handle: unsafe { handle.assume_init() },
            context: cuda.context().clone(),
        }),
        CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => Err(Error::PtxTooNew {
            kernel: kernel.name.clone(),
            ptx: ptx_version(&kernel.code).unwrap_or_default(),
            driver: cuda.driver_version(),
        }),
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU => {
            let (major, minor) = cuda.capability();
            Err(Error::WrongTarget {
                kernel: kernel.name.clone(),
                target: kernel.target.clone(),
                device: format!("{} (compute capability {major}.{minor})", cuda.name()),
            })
        }
        error => match driver_error("load a kernel", DriverError(error)) {
            Error::Driver { name, .. } => Err(load_error(kernel, &name, &log)),
            other => Err(other),
        },
    }
}

/// What a PTX text says after `.version`.
fn ptx_version(code: &Code) -> Option<String> {
    let Code::Ptx(text) = code else { return None };
    let line = text.lines().find_map(|line| line.trim().strip_prefix(".version"))?;
    Some(line.trim().to_owned())
}

fn load_error(kernel: &CompiledKernel, reason: &str, log: &str) -> Error {
    Error::Load {
        kernel: kernel.name.clone(),
        target: kernel.target.clone(),
        reason: reason.to_owned(),
        log: log.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ptx_version_is_found_behind_comments() {
        let code = Code::Ptx("//\n// Generated\n.version 8.4\n.target sm_90a\n".to_owned());
        assert_eq!(ptx_version(&code).as_deref(), Some("8.4"));
        assert_eq!(ptx_version(&Code::Ptx(".target sm_90a".to_owned())), None);
        assert_eq!(ptx_version(&Code::Cubin(vec![1])), None);
    }
}
