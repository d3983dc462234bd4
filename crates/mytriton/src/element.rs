//! The types that buffers hold.

use half::{bf16, f16};

use crate::error::Error;

/// A Rust type whose values are the elements of a [`Buffer`](crate::Buffer): `bool`, `i8` to `i64`, `u8` to `u64`,
/// [`f16`](struct@f16), [`bf16`], `f32` and `f64`.
pub trait Element: mytriton_frontend::Element + PartialEq + std::fmt::Debug + sealed::Bytes {}

// Memory of devices is little-endian, and values are copied as they are.
const _: () = assert!(cfg!(target_endian = "little"), "mytriton needs a little-endian machine");

pub(crate) mod sealed {
    use super::Error;

    /// Values as bytes and back.
    pub trait Bytes: Sized {
        fn as_bytes(values: &[Self]) -> &[u8];

        /// Makes `count` values of the bytes that `fill` writes.
        fn read(count: usize, fill: impl FnOnce(&mut [u8]) -> Result<(), Error>) -> Result<Vec<Self>, Error>;
    }
}

/// A vector of zeros, or an error when the host has no memory for it.
fn zeros<T: bytemuck::Zeroable + Clone>(count: usize) -> Result<Vec<T>, Error> {
    let mut values = Vec::new();
    values.try_reserve_exact(count).map_err(|_| Error::HostMemory {
        bytes: count as u64 * size_of::<T>() as u64,
    })?;
    values.resize(count, T::zeroed());
    Ok(values)
}

macro_rules! plain {
    ($($ty:ty),*) => {$(
        impl Element for $ty {}

        impl sealed::Bytes for $ty {
            fn as_bytes(values: &[Self]) -> &[u8] {
                bytemuck::cast_slice(values)
            }

            fn read(count: usize, fill: impl FnOnce(&mut [u8]) -> Result<(), Error>) -> Result<Vec<Self>, Error> {
                let mut values = zeros::<$ty>(count)?;
                fill(bytemuck::cast_slice_mut(&mut values))?;
                Ok(values)
            }
        }
    )*};
}

plain!(i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64);

impl Element for bool {}

impl sealed::Bytes for bool {
    fn as_bytes(values: &[bool]) -> &[u8] {
        bytemuck::cast_slice(values)
    }

    /// Any byte that is not zero is true, as in kernels.
    fn read(count: usize, fill: impl FnOnce(&mut [u8]) -> Result<(), Error>) -> Result<Vec<bool>, Error> {
        let mut bytes = zeros::<u8>(count)?;
        fill(&mut bytes)?;
        Ok(bytes.into_iter().map(|b| b != 0).collect())
    }
}
