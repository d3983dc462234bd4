//! Memory of a device.

use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeBounds};
use std::sync::Arc;

use mytriton_runtime::{Cuda, DeviceBuffer, context_id};

use crate::cpu::CpuBuffer;
use crate::device::{Device, Inner};
use crate::element::Element;
use crate::error::Error;
use crate::options::CPU;
#[cfg(feature = "jit")]
use crate::{options::SIMT, simt_device::SimtBuffer};

/// Elements in a device's memory, freed with the value.
///
/// It is passed to kernels by reference. Kernels may write through either kind of reference; by convention `&mut` says
/// that they do.
#[derive(Debug)]
pub struct Buffer<T> {
    storage: Storage,
    /// The address of the first element, and the place that it is of: what a launch needs.
    pub(crate) address: u64,
    pub(crate) place: usize,
    len: usize,
    element: PhantomData<T>,
}

#[derive(Debug)]
enum Storage {
    Cpu(CpuBuffer),
    #[cfg(feature = "jit")]
    Simt(SimtBuffer),
    Cuda {
        buffer: DeviceBuffer,
        // Keeps the GPU open.
        cuda: Arc<Cuda>,
    },
}

impl<T: Element> Buffer<T> {
    pub(crate) fn upload(device: &Device, values: &[T]) -> Result<Buffer<T>, Error> {
        let bytes = T::as_bytes(values);
        let storage = match &device.inner {
            Inner::Cpu => Storage::Cpu(CpuBuffer::upload(T::DTYPE.scalar(), bytes)?),
            #[cfg(feature = "jit")]
            Inner::Simt(options) => Storage::Simt(SimtBuffer::upload(*options, bytes)?),
            Inner::Cuda(cuda) => Storage::Cuda {
                buffer: DeviceBuffer::upload(cuda, bytes)?,
                cuda: cuda.clone(),
            },
        };
        Ok(Buffer::new(storage, values.len()))
    }

    pub(crate) fn zeros(device: &Device, len: usize) -> Result<Buffer<T>, Error> {
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        let storage = match &device.inner {
            Inner::Cpu => Storage::Cpu(CpuBuffer::zeros(T::DTYPE.scalar(), len as u64)?),
            #[cfg(feature = "jit")]
            Inner::Simt(options) => Storage::Simt(SimtBuffer::zeros(*options, bytes)?),
            Inner::Cuda(cuda) => Storage::Cuda {
                buffer: DeviceBuffer::zeros(cuda, bytes)?,
                cuda: cuda.clone(),
            },
        };
        Ok(Buffer::new(storage, len))
    }

    fn new(storage: Storage, len: usize) -> Buffer<T> {
        let (address, place) = match &storage {
            Storage::Cpu(buffer) => (buffer.address(), CPU),
            #[cfg(feature = "jit")]
            Storage::Simt(buffer) => (buffer.address(), SIMT),
            Storage::Cuda { buffer, cuda } => (buffer.address(), context_id(cuda.context())),
        };
        Buffer {
            storage,
            address,
            place,
            len,
            element: PhantomData,
        }
    }

    /// Copies all elements to the host, after all work before.
    ///
    /// # Errors
    /// [`Error::HostMemory`]; [`Error::Runtime`] when a kernel launched before failed.
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        self.as_view().to_vec()
    }

    /// Copies values of the host to the buffer, which has as many elements.
    ///
    /// # Errors
    /// [`Error::Length`]; [`Error::Runtime`] when a kernel launched before failed.
    pub fn copy_from(&mut self, values: &[T]) -> Result<(), Error> {
        if values.len() != self.len {
            return Err(Error::Length {
                found: values.len(),
                len: self.len,
            });
        }
        let bytes = T::as_bytes(values);
        match &self.storage {
            Storage::Cpu(buffer) => buffer.write(0, bytes),
            #[cfg(feature = "jit")]
            Storage::Simt(buffer) => buffer.write(0, bytes),
            Storage::Cuda { buffer, .. } => Ok(buffer.write(0, bytes)?),
        }
    }

    /// A part of the buffer: passed to a kernel, its pointer is to the part's first element. Kernels are compiled for
    /// what is known of addresses, so a part that begins at a multiple of 16 bytes may run faster than one that does
    /// not.
    ///
    /// # Errors
    /// [`Error::Range`] when the buffer has no such part.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<View<'_, T>, Error> {
        self.as_view().slice(range)
    }

    /// The whole buffer as a view.
    pub fn as_view(&self) -> View<'_, T> {
        View {
            buffer: self,
            start: 0,
            len: self.len,
        }
    }

    /// The device.
    pub fn device(&self) -> Device {
        let inner = match &self.storage {
            Storage::Cpu(_) => Inner::Cpu,
            #[cfg(feature = "jit")]
            Storage::Simt(buffer) => Inner::Simt(buffer.options),
            Storage::Cuda { cuda, .. } => Inner::Cuda(cuda.clone()),
        };
        Device { inner }
    }
}

impl<T> Buffer<T> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Has it no elements?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub(crate) fn on_gpu(&self) -> Option<&DeviceBuffer> {
        match &self.storage {
            Storage::Cuda { buffer, .. } => Some(buffer),
            _ => None,
        }
    }
}

/// A part of a [`Buffer`].
#[derive(Debug)]
pub struct View<'a, T> {
    pub(crate) buffer: &'a Buffer<T>,
    start: usize,
    len: usize,
}

impl<T> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for View<'_, T> {}

impl<T> View<'_, T> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Has it no elements?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub(crate) fn address(&self) -> u64 {
        self.buffer.address + (self.start * size_of::<T>()) as u64
    }
}

impl<'a, T: Element> View<'a, T> {
    /// Copies the elements to the host, after all work before.
    ///
    /// # Errors
    /// As [`Buffer::to_vec`].
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        let offset = (self.start * size_of::<T>()) as u64;
        T::read(self.len, |out| match &self.buffer.storage {
            Storage::Cpu(buffer) => buffer.read(offset, out),
            #[cfg(feature = "jit")]
            Storage::Simt(buffer) => buffer.read(offset, out),
            Storage::Cuda { buffer, .. } => Ok(buffer.download(offset, out)?),
        })
    }

    /// A part of the part.
    ///
    /// # Errors
    /// [`Error::Range`] when there is no such part.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<View<'a, T>, Error> {
        let Range { start, end } = resolve(range, self.len);
        if start > end || end > self.len {
            let len = self.len;
            return Err(Error::Range { start, end, len });
        }
        Ok(View {
            buffer: self.buffer,
            start: self.start + start,
            len: end - start,
        })
    }
}

fn resolve(range: impl RangeBounds<usize>, len: usize) -> Range<usize> {
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.saturating_add(1),
        Bound::Excluded(&end) => end,
        Bound::Unbounded => len,
    };
    start..end
}
