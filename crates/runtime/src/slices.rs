//! Slices and views of `cudarc` as arguments, with its ordering of work between streams.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, SyncOnDrop};

use crate::error::{Error, driver_error};

/// Kept until the work that it is for has been submitted: tells the slice's owner of the use.
pub type Guard<'a> = SyncOnDrop<'a>;

/// A number that names a context in this process as long as the context lives; never zero.
#[inline]
pub fn context_id(context: &CudaContext) -> usize {
    context.cu_ctx() as usize
}

/// Are both the same stream, so that work on them is in order?
#[inline]
pub fn synchronises(a: &CudaStream, b: &CudaStream) -> bool {
    a.cu_stream() == b.cu_stream() && context_id(a.context()) == context_id(b.context())
}

/// Makes the work that `later` gets from now on wait for that which `earlier` has so far.
///
/// # Errors
/// [`Error::Driver`].
pub fn order_after(later: &CudaStream, earlier: &CudaStream) -> Result<(), Error> {
    if synchronises(later, earlier) {
        return Ok(());
    }
    later
        .join(earlier)
        .map_err(|e| driver_error("order the work of two streams", e))
}

/// What is known of a slice or view of `cudarc` when it is passed to a kernel.
pub struct DeviceSlice<'a> {
    /// The address of its first element.
    pub address: u64,
    /// Its context ([`context_id`]).
    pub context: usize,
    /// How its use is told to `cudarc`; none while one stream alone is in use, for then all work is in order.
    pub tracked: Option<Tracked<'a>>,
}

/// A slice whose uses `cudarc` orders by events.
pub enum Tracked<'a> {
    /// The kernel reads it.
    Read(&'a dyn Readable),
    /// The kernel may write it.
    Write(&'a mut dyn Writable),
}

impl<'a> Tracked<'a> {
    /// Makes the stream wait for earlier work on the slice. The guard, when dropped, marks the end of this use.
    pub fn acquire<'s>(self, stream: &'s CudaStream) -> Guard<'s>
    where
        'a: 's,
    {
        match self {
            Tracked::Read(slice) => slice.acquire(stream),
            Tracked::Write(slice) => slice.acquire_mut(stream),
        }
    }
}

/// What can be read.
pub trait Readable {
    /// See [`Tracked::acquire`].
    fn acquire<'s>(&'s self, stream: &'s CudaStream) -> Guard<'s>;
}

/// What can be written.
pub trait Writable {
    /// See [`Tracked::acquire`].
    fn acquire_mut<'s>(&'s mut self, stream: &'s CudaStream) -> Guard<'s>;
}

fn is_tracked(context: &Arc<CudaContext>) -> bool {
    context.is_managing_stream_synchronization()
}

/// The address, without telling `cudarc` of a use: only its own stream waits, for what it waits for anyway.
fn address_of<T>(slice: &impl DevicePtr<T>) -> u64 {
    let (address, guard) = slice.device_ptr(slice.stream());
    // Holds borrows alone. Dropping it would record a use that has not happened yet.
    std::mem::forget(guard);
    address
}

macro_rules! readable {
    ($($ty:ty),*) => {$(
        impl<T> Readable for $ty {
            fn acquire<'s>(&'s self, stream: &'s CudaStream) -> Guard<'s> {
                self.device_ptr(stream).1
            }
        }

        impl<'a, T> From<&'a $ty> for DeviceSlice<'a> {
            #[inline]
            fn from(slice: &'a $ty) -> DeviceSlice<'a> {
                let context = cudarc::driver::DeviceSlice::stream(slice).context();
                DeviceSlice {
                    address: address_of(slice),
                    context: context_id(context),
                    tracked: is_tracked(context).then_some(Tracked::Read(slice)),
                }
            }
        }
    )*};
}

macro_rules! writable {
    ($($ty:ty),*) => {$(
        impl<T> Writable for $ty {
            fn acquire_mut<'s>(&'s mut self, stream: &'s CudaStream) -> Guard<'s> {
                self.device_ptr_mut(stream).1
            }
        }

        impl<'a, T> From<&'a mut $ty> for DeviceSlice<'a> {
            #[inline]
            fn from(slice: &'a mut $ty) -> DeviceSlice<'a> {
                let context = cudarc::driver::DeviceSlice::stream(slice).context();
                let (context, tracked) = (context_id(context), is_tracked(context));
                DeviceSlice {
                    address: address_of(slice),
                    context,
                    tracked: tracked.then_some(Tracked::Write(slice)),
                }
            }
        }
    )*};
}

readable!(CudaSlice<T>, CudaView<'_, T>, CudaViewMut<'_, T>);
writable!(CudaSlice<T>, CudaViewMut<'_, T>);
