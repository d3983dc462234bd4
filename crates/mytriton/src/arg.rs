//! Arguments of launches.

use std::cell::Cell;
use std::fmt;

use mytriton_frontend::{DType, Element, ScalarValue};
use mytriton_runtime::cudarc::driver::{CudaSlice, CudaStream, CudaView, CudaViewMut};
use mytriton_runtime::{DeviceBuffer, DeviceSlice, Tracked};

use crate::buffer::{Buffer, View};

/// An argument: a number, or a pointer to elements of a buffer.
///
/// `#[kernel]` makes them by itself. For a [`Program`](crate::Program) they are written as `Arg::from(2.5f32)` and
/// `Arg::from(&buffer)`.
pub struct Arg<'a> {
    pub(crate) value: Value,
    /// How work on the memory is ordered. A launch takes it.
    pub(crate) order: Cell<Option<Order<'a>>>,
}

#[derive(Clone, Copy)]
pub(crate) enum Value {
    Scalar(ScalarValue),
    Ptr {
        address: u64,
        dtype: DType,
        /// Where the memory is, as [`Place::id`](crate::options::Place::id).
        place: usize,
    },
}

pub(crate) enum Order<'a> {
    /// By the buffer's own stream.
    Buffer(&'a DeviceBuffer),
    /// By `cudarc`, with several streams in use.
    Tracked(Tracked<'a>),
}

impl Arg<'_> {
    /// Is ordering needed for a launch on this stream?
    #[inline]
    pub(crate) fn needs_ordering(&self, stream: &CudaStream) -> bool {
        let order = self.order.take();
        let needed = match &order {
            None => false,
            Some(Order::Buffer(buffer)) => buffer.needs_ordering(stream),
            Some(Order::Tracked(_)) => true,
        };
        self.order.set(order);
        needed
    }
}

impl fmt::Debug for Arg<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Value::Scalar(value) => write!(f, "Arg({}, bits {:#x})", value.dtype, value.bits),
            Value::Ptr { address, dtype, .. } => write!(f, "Arg(Ptr<{dtype}>, {address:#x})"),
        }
    }
}

impl From<ScalarValue> for Arg<'_> {
    #[inline]
    fn from(value: ScalarValue) -> Self {
        Arg {
            value: Value::Scalar(value),
            order: Cell::new(None),
        }
    }
}

macro_rules! scalars {
    ($($ty:ty),*) => {$(
        impl From<$ty> for Arg<'_> {
            #[inline]
            fn from(value: $ty) -> Self {
                Arg::from(ScalarValue::new(value))
            }
        }
    )*};
}

scalars!(
    bool,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    half::f16,
    half::bf16,
    f32,
    f64
);

impl<'a, T: Element> From<&'a Buffer<T>> for Arg<'a> {
    #[inline]
    fn from(buffer: &'a Buffer<T>) -> Self {
        pointer::<T>(buffer.address, buffer.place, buffer.on_gpu().map(Order::Buffer))
    }
}

impl<'a, T: Element> From<&'a mut Buffer<T>> for Arg<'a> {
    #[inline]
    fn from(buffer: &'a mut Buffer<T>) -> Self {
        Arg::from(&*buffer)
    }
}

impl<'a, T: Element> From<View<'a, T>> for Arg<'a> {
    #[inline]
    fn from(view: View<'a, T>) -> Self {
        let buffer = view.buffer;
        pointer::<T>(view.address(), buffer.place, buffer.on_gpu().map(Order::Buffer))
    }
}

fn pointer<T: Element>(address: u64, place: usize, order: Option<Order<'_>>) -> Arg<'_> {
    Arg {
        value: Value::Ptr {
            address,
            dtype: T::DTYPE,
            place,
        },
        order: Cell::new(order),
    }
}

fn of_slice<'a, T: Element>(slice: impl Into<DeviceSlice<'a>>) -> Arg<'a> {
    let slice = slice.into();
    pointer::<T>(slice.address, slice.context, slice.tracked.map(Order::Tracked))
}

/// What can be passed for a parameter `Ptr<T>`: a [`Buffer`] or [`View`], and slices and views of `cudarc`.
///
/// `cudarc` orders the work of several streams by what each one reads and writes: with it, pass `&mut` what the kernel
/// writes.
pub trait PtrArg<T: Element> {
    /// The argument.
    fn arg(&mut self) -> Arg<'_>;
}

impl<T: Element> PtrArg<T> for &Buffer<T> {
    #[inline]
    fn arg(&mut self) -> Arg<'_> {
        Arg::from(&**self)
    }
}

impl<T: Element> PtrArg<T> for &mut Buffer<T> {
    #[inline]
    fn arg(&mut self) -> Arg<'_> {
        Arg::from(&**self)
    }
}

impl<T: Element> PtrArg<T> for View<'_, T> {
    #[inline]
    fn arg(&mut self) -> Arg<'_> {
        Arg::from(*self)
    }
}

impl<T: Element> PtrArg<T> for &View<'_, T> {
    #[inline]
    fn arg(&mut self) -> Arg<'_> {
        Arg::from(**self)
    }
}

macro_rules! shared_slices {
    ($($ty:ty),*) => {$(
        impl<T: Element> PtrArg<T> for &$ty {
            #[inline]
            fn arg(&mut self) -> Arg<'_> {
                of_slice::<T>(&**self)
            }
        }

        impl<'a, T: Element> From<&'a $ty> for Arg<'a> {
            #[inline]
            fn from(slice: &'a $ty) -> Self {
                of_slice::<T>(slice)
            }
        }
    )*};
}

macro_rules! unique_slices {
    ($($ty:ty),*) => {$(
        impl<T: Element> PtrArg<T> for &mut $ty {
            #[inline]
            fn arg(&mut self) -> Arg<'_> {
                of_slice::<T>(&mut **self)
            }
        }

        impl<'a, T: Element> From<&'a mut $ty> for Arg<'a> {
            #[inline]
            fn from(slice: &'a mut $ty) -> Self {
                of_slice::<T>(slice)
            }
        }
    )*};
}

shared_slices!(CudaSlice<T>, CudaView<'_, T>, CudaViewMut<'_, T>);
unique_slices!(CudaSlice<T>, CudaViewMut<'_, T>);
