//! Arguments as they were asked for, on a device, and arrays back from it.

use std::path::{Path, PathBuf};

use bytemuck::Pod;
use mytriton::frontend::ScalarValue;
use mytriton::{Arg, Buffer, Device, Element, bf16, f16};
use mytriton_ssa::{Const, Scalar};

use crate::arguments::Bound;
use crate::npy;

/// What an argument is.
pub enum Data {
    /// A number.
    Scalar(Const),
    /// An array.
    Array(Content),
}

/// An array as it is before a launch.
pub struct Content {
    /// The type of the elements.
    pub scalar: Scalar,
    /// The same in NumPy's spelling.
    pub descr: String,
    /// The extents.
    pub shape: Vec<u64>,
    /// How many elements.
    pub elements: usize,
    /// They, little-endian; none of zeros.
    pub bytes: Option<Vec<u8>>,
    file: Option<PathBuf>,
}

/// An argument that is ready to be launched with.
pub enum Argument {
    /// A number.
    Scalar(Const),
    /// Memory of the device.
    Array(Array),
}

/// An array on a device.
pub struct Array {
    /// What it held before the launch.
    pub content: Content,
    buffer: Box<dyn Memory>,
}

/// A buffer of some type.
trait Memory {
    fn argument(&self) -> Arg<'_>;
    fn read_back(&self) -> Result<Vec<u8>, mytriton::Error>;
}

impl<T: Element + Pod> Memory for Buffer<T> {
    fn argument(&self) -> Arg<'_> {
        Arg::from(self)
    }

    fn read_back(&self) -> Result<Vec<u8>, mytriton::Error> {
        Ok(bytemuck::cast_slice(&self.to_vec()?).to_vec())
    }
}

/// Booleans: any byte that is not zero is true.
struct Booleans(Buffer<bool>);

impl Memory for Booleans {
    fn argument(&self) -> Arg<'_> {
        Arg::from(&self.0)
    }

    fn read_back(&self) -> Result<Vec<u8>, mytriton::Error> {
        Ok(self.0.to_vec()?.into_iter().map(u8::from).collect())
    }
}

/// Makes memory of `elements` zeros, or with the given content.
fn memory(
    device: &Device,
    scalar: Scalar,
    elements: usize,
    content: Option<&[u8]>,
) -> Result<Box<dyn Memory>, mytriton::Error> {
    fn typed<T: Element + Pod>(
        device: &Device,
        elements: usize,
        content: Option<&[u8]>,
    ) -> Result<Box<dyn Memory>, mytriton::Error> {
        Ok(Box::new(match content {
            Some(bytes) => {
                // At addresses that are good for the type.
                let mut values = vec![T::zeroed(); elements];
                bytemuck::cast_slice_mut(&mut values).copy_from_slice(bytes);
                device.upload(&values)?
            }
            None => device.zeros::<T>(elements)?,
        }))
    }
    // Integers have no sign: either type of Rust's will do.
    match scalar {
        Scalar::I1 => {
            let booleans = content.map(|bytes| bytes.iter().map(|&byte| byte != 0).collect::<Vec<_>>());
            Ok(Box::new(Booleans(match booleans {
                Some(booleans) => device.upload(&booleans)?,
                None => device.zeros(elements)?,
            })))
        }
        Scalar::I8 => typed::<i8>(device, elements, content),
        Scalar::I16 => typed::<i16>(device, elements, content),
        Scalar::I32 => typed::<i32>(device, elements, content),
        Scalar::I64 => typed::<i64>(device, elements, content),
        Scalar::F16 => typed::<f16>(device, elements, content),
        Scalar::BF16 => typed::<bf16>(device, elements, content),
        Scalar::F32 => typed::<f32>(device, elements, content),
        Scalar::F64 => typed::<f64>(device, elements, content),
    }
}

impl Data {
    /// Reads or makes what was asked for. The error is what is wrong with it.
    pub fn new(bound: &Bound<'_>) -> Result<Data, String> {
        let content = match bound {
            Bound::Scalar(value) => return Ok(Data::Scalar(*value)),
            Bound::File(path, scalar) => {
                let read = npy::read(path, *scalar).map_err(|e| format!("{} {e}", path.display()))?;
                Content {
                    scalar: *scalar,
                    descr: read.descr,
                    shape: read.shape,
                    elements: read.bytes.len() / scalar.bytes() as usize,
                    bytes: Some(read.bytes),
                    file: Some(path.clone()),
                }
            }
            Bound::Generated(generator, scalar) => {
                let bytes = npy::element_count(&generator.shape)
                    .and_then(|elements| elements.checked_mul(u64::from(scalar.bytes())))
                    .and_then(|bytes| isize::try_from(bytes).ok());
                let too_large = || format!("shape ({}) does not fit into memory", npy::shape_text(&generator.shape));
                let elements = bytes.ok_or_else(too_large)? as usize / scalar.bytes() as usize;
                Content {
                    scalar: *scalar,
                    descr: npy::descr_of(*scalar).to_owned(),
                    shape: generator.shape.clone(),
                    elements,
                    bytes: generator.random(*scalar, elements).map_err(|_| too_large())?,
                    file: None,
                }
            }
        };
        Ok(Data::Array(content))
    }
}

impl Argument {
    /// Reads or makes what was asked for, on the device. The error is what is wrong with it.
    pub fn new(device: &Device, bound: &Bound<'_>) -> Result<Argument, String> {
        Ok(match Data::new(bound)? {
            Data::Scalar(value) => Argument::Scalar(value),
            Data::Array(content) => {
                let buffer = memory(device, content.scalar, content.elements, content.bytes.as_deref());
                Argument::Array(Array {
                    buffer: buffer.map_err(|e| e.to_string())?,
                    content,
                })
            }
        })
    }

    /// The same for the launch.
    pub fn launch_argument(&self) -> Arg<'_> {
        match self {
            Argument::Scalar(value) => Arg::from(ScalarValue {
                dtype: value.scalar().into(),
                bits: value.bits(),
            }),
            Argument::Array(array) => array.buffer.argument(),
        }
    }
}

impl Array {
    /// The elements, little-endian, after all launches.
    pub fn read_back(&self) -> Result<Vec<u8>, mytriton::Error> {
        self.buffer.read_back()
    }
}

impl Content {
    /// How many elements are not what they were before the launch.
    pub fn changed_elements(&self, after: &[u8]) -> usize {
        let width = self.scalar.bytes() as usize;
        let after = after.chunks_exact(width);
        match &self.bytes {
            Some(before) => after
                .zip(before.chunks_exact(width))
                .filter(|(after, before)| after != before)
                .count(),
            None => after.filter(|element| element.iter().any(|&byte| byte != 0)).count(),
        }
    }

    /// The file that it came from.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }
}
