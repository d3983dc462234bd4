//! Memory on the GPU.

use std::sync::Arc;

use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaSlice, CudaStream, CudaView, DevicePtr, DriverError};

use crate::device::Cuda;
use crate::error::{Error, driver_error};
use crate::slices::{order_after, synchronises};

/// Bytes on a GPU, freed with the value. Work on it is ordered by the stream that it was made on.
#[derive(Debug)]
pub struct DeviceBuffer {
    slice: CudaSlice<u8>,
    address: u64,
    len: u64,
}

impl DeviceBuffer {
    /// A buffer of `len` bytes that are zero.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Driver`].
    pub fn zeros(cuda: &Cuda, len: u64) -> Result<DeviceBuffer, Error> {
        let slice = cuda.stream().alloc_zeros::<u8>(size(len));
        Ok(DeviceBuffer::new(
            slice.map_err(|e| allocation_error(cuda, len, e))?,
            len,
        ))
    }

    /// A buffer with the given content. The bytes may be changed as soon as this returns.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Driver`].
    pub fn upload(cuda: &Cuda, bytes: &[u8]) -> Result<DeviceBuffer, Error> {
        let len = bytes.len() as u64;
        // SAFETY: nothing reads the memory before the copy below, which comes first on the same stream.
        let slice = unsafe { cuda.stream().alloc::<u8>(size(len)) };
        let mut buffer = DeviceBuffer::new(slice.map_err(|e| allocation_error(cuda, len, e))?, len);
        let copied = cuda.stream().memcpy_htod(bytes, &mut buffer.slice);
        copied.map_err(|e| driver_error("copy to the GPU", e))?;
        Ok(buffer)
    }

    fn new(slice: CudaSlice<u8>, len: u64) -> DeviceBuffer {
        let address = {
            let (address, guard) = slice.device_ptr(slice.stream());
            drop(guard);
            address
        };
        DeviceBuffer { slice, address, len }
    }

    /// The address of the first byte, a multiple of 256.
    #[inline]
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The size in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Has it no bytes?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The stream that work on it is ordered by.
    #[inline]
    pub fn stream(&self) -> &Arc<CudaStream> {
        self.slice.stream()
    }

    fn view(&self, offset: u64, bytes: usize) -> Result<CudaView<'_, u8>, Error> {
        let range = || Error::CopyRange {
            offset,
            bytes: bytes as u64,
            len: self.len,
        };
        let end = offset
            .checked_add(bytes as u64)
            .filter(|&end| end <= self.len)
            .ok_or_else(range)?;
        self.slice.try_slice(offset as usize..end as usize).ok_or_else(range)
    }

    /// Copies bytes from `offset` on to the host, as many as `out` has, after all work on the buffer before.
    ///
    /// # Errors
    /// [`Error::CopyRange`]; [`Error::Kernel`] when a kernel launched before failed; [`Error::Driver`].
    pub fn download(&self, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        let view = self.view(offset, out.len())?;
        if out.is_empty() {
            return Ok(());
        }
        let copied = self.stream().memcpy_dtoh(&view, out);
        copied.map_err(|e| driver_error("copy from the GPU", e))?;
        (self.stream().synchronize()).map_err(|e| driver_error("copy from the GPU", e))
    }

    /// Copies bytes of the host into the buffer from `offset` on, after all work on the buffer before. They may be
    /// changed as soon as this returns.
    ///
    /// # Errors
    /// [`Error::CopyRange`], [`Error::Driver`].
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let view = self.view(offset, bytes.len())?;
        if bytes.is_empty() {
            return Ok(());
        }
        let stream = self.stream();
        (stream.context().bind_to_thread()).map_err(|e| driver_error("copy to the GPU", e))?;
        let (address, _guard) = view.device_ptr(stream);
        // SAFETY: the view is of `bytes.len()` bytes of an allocation that lives as long as `self`. Kernels and copies on
        // the buffer's stream are ordered before and after this one. The source is pageable memory, which the driver
        // has read when the call returns.
        let copied = unsafe { cudarc::driver::result::memcpy_htod_async(address, bytes, stream.cu_stream()) };
        copied.map_err(|e| driver_error("copy to the GPU", e))
    }

    /// Makes `stream` wait for all work on the buffer so far. A no-op on the buffer's own stream.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn acquire(&self, stream: &CudaStream) -> Result<(), Error> {
        order_after(stream, self.stream())
    }

    /// Makes later work on the buffer wait for the work of `stream` so far. A no-op on the buffer's own stream.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn release(&self, stream: &CudaStream) -> Result<(), Error> {
        order_after(self.stream(), stream)
    }

    /// Does using it on `stream` need [`DeviceBuffer::acquire`] and [`DeviceBuffer::release`]?
    #[inline]
    pub fn needs_ordering(&self, stream: &CudaStream) -> bool {
        !synchronises(self.stream(), stream)
    }
}

/// Allocations of no bytes are refused by the driver. A length beyond the address space fails as out of memory.
fn size(len: u64) -> usize {
    usize::try_from(len.max(1)).unwrap_or(usize::MAX)
}

fn allocation_error(cuda: &Cuda, asked: u64, error: DriverError) -> Error {
    match error.0 {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
            let info = cuda.memory();
            let (free, total) = info.map_or((0, 0), |m| (m.free, m.total));
            Error::OutOfMemory {
                device: cuda.name().to_owned(),
                asked,
                free,
                total,
            }
        }
        _ => driver_error("allocate memory on the GPU", error),
    }
}
