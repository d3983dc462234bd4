//! Opening a GPU.

use std::fmt;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};
use cudarc::driver::{CudaContext, CudaStream, DriverError};

use crate::error::{Error, driver_error, version_text};
use crate::target::best_target;

/// The oldest driver with every function that is called: 11.4 (asynchronous allocation, primary contexts).
const OLDEST_DRIVER: i32 = 11_040;

/// A GPU, opened: its primary context, which this process shares with everything else that uses it, and a stream.
pub struct Cuda {
    stream: Arc<CudaStream>,
    name: String,
    capability: (u32, u32),
    driver: i32,
    shared_limit: u64,
}

/// How much memory a GPU has, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryInfo {
    /// What can still be allocated.
    pub free: u64,
    /// All of it.
    pub total: u64,
}

impl Cuda {
    /// Is the driver's library there? It says nothing about GPUs.
    pub fn has_driver() -> bool {
        // SAFETY: opens the driver's library by its names, whose initialisers have no requirements on the caller.
        unsafe { sys::is_culib_present() }
    }

    /// How many GPUs the driver finds.
    ///
    /// # Errors
    /// [`Error::NoDriver`], [`Error::DriverTooOld`], [`Error::Driver`].
    pub fn count() -> Result<usize, Error> {
        initialise()?;
        match CudaContext::device_count() {
            Ok(count) => Ok(count.max(0) as usize),
            Err(DriverError(CUresult::CUDA_ERROR_NO_DEVICE)) => Ok(0),
            Err(error) => Err(driver_error("count the GPUs", error)),
        }
    }

    /// Opens GPU number `ordinal` with its default stream.
    ///
    /// # Errors
    /// [`Error::NoDriver`], [`Error::DriverTooOld`], [`Error::NoDevice`], [`Error::Driver`].
    pub fn open(ordinal: usize) -> Result<Cuda, Error> {
        let count = Cuda::count()?;
        if ordinal >= count {
            return Err(Error::NoDevice { ordinal, count });
        }
        let context = CudaContext::new(ordinal).map_err(|e| driver_error("open the GPU", e))?;
        Cuda::from_stream(context.default_stream())
    }

    /// The GPU of a stream, which becomes the one that work goes to.
    ///
    /// # Errors
    /// [`Error::DriverTooOld`], [`Error::Driver`].
    pub fn from_stream(stream: Arc<CudaStream>) -> Result<Cuda, Error> {
        let context = stream.context();
        let ask = |e| driver_error("ask the GPU for its properties", e);
        let (major, minor) = context.compute_capability().map_err(ask)?;
        let shared_limit = context
            .attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
            .map_err(ask)?;
        Ok(Cuda {
            name: context.name().map_err(ask)?,
            capability: (major.max(0) as u32, minor.max(0) as u32),
            driver: initialise()?,
            shared_limit: shared_limit.max(0) as u64,
            stream,
        })
    }

    /// The stream that work goes to where no other is named.
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// The context.
    pub fn context(&self) -> &Arc<CudaContext> {
        self.stream.context()
    }

    /// The GPU's number.
    pub fn ordinal(&self) -> usize {
        self.context().ordinal()
    }

    /// The GPU's name as NVIDIA writes it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its compute capability, major and minor.
    pub fn capability(&self) -> (u32, u32) {
        self.capability
    }

    /// The newest CUDA version that the driver supports, such as `13.0`.
    pub fn driver_version(&self) -> String {
        version_text(self.driver)
    }

    /// The most shared memory that a block can have, in bytes.
    pub fn shared_limit(&self) -> u64 {
        self.shared_limit
    }

    /// The target to compile for.
    ///
    /// # Errors
    /// [`Error::DeviceTooOld`].
    pub fn target(&self) -> Result<&'static str, Error> {
        best_target(self.capability).ok_or_else(|| Error::DeviceTooOld {
            device: self.name.clone(),
            capability: self.capability,
        })
    }

    /// How much memory there is.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn memory(&self) -> Result<MemoryInfo, Error> {
        let info = self.context().mem_get_info();
        let (free, total) = info.map_err(|e| driver_error("ask for the GPU's memory", e))?;
        Ok(MemoryInfo {
            free: free as u64,
            total: total as u64,
        })
    }

    /// Waits until all work of the stream has ended.
    ///
    /// # Errors
    /// [`Error::Kernel`] when a kernel launched before failed; [`Error::Driver`].
    pub fn synchronize(&self) -> Result<(), Error> {
        (self.stream.synchronize()).map_err(|e| driver_error("wait for the GPU", e))
    }
}

impl fmt::Debug for Cuda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.capability;
        write!(
            f,
            "Cuda({}: {}, compute capability {major}.{minor})",
            self.ordinal(),
            self.name
        )
    }
}

/// Starts the driver and gives the CUDA version that it supports.
fn initialise() -> Result<i32, Error> {
    // Calls below would panic without the library.
    if !Cuda::has_driver() {
        return Err(Error::NoDriver);
    }
    let mut version = 0;
    // SAFETY: the library is there, and this function may be called before any other; it writes one number.
    let result = unsafe { sys::cuDriverGetVersion(&mut version) }.result();
    result.map_err(|e| driver_error("ask for the driver's version", e))?;
    if version < OLDEST_DRIVER {
        return Err(Error::DriverTooOld {
            found: version_text(version),
            needed: version_text(OLDEST_DRIVER),
        });
    }
    match cudarc::driver::result::init() {
        Ok(()) => Ok(version),
        // A driver without a GPU refuses to start; callers count none then.
        Err(DriverError(CUresult::CUDA_ERROR_NO_DEVICE)) => Ok(version),
        Err(error) => Err(driver_error("start the driver", error)),
    }
}
