//! The launch side that `#[kernel]` writes calls to, on the reference interpreter: what the crate `mytriton` provides, as
//! small as it can be.

use std::cell::RefCell;
use std::fmt;

use mytriton_frontend::{ConstexprValue, Element, KernelDef, ScalarValue, Specialization};
use mytriton_interp::{Argument, BufferId, Memory, Options};
use mytriton_ssa::Const;

pub use mytriton_frontend as frontend;

/// Memory, and what has been launched on it.
pub struct Device {
    memory: RefCell<Memory>,
}

/// Elements in the device's memory.
pub struct Buffer<T> {
    id: BufferId,
    element: std::marker::PhantomData<T>,
}

impl Device {
    pub fn new() -> Device {
        Device {
            memory: RefCell::new(Memory::new()),
        }
    }

    pub fn buffer<T: Element>(&self, values: &[T]) -> Buffer<T> {
        let scalar = T::DTYPE.scalar();
        let width = scalar.bytes() as usize;
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|v| v.to_bits().to_le_bytes()[..width].to_vec())
            .collect();
        let id = self.memory.borrow_mut().add_buffer("buffer", scalar, &bytes).unwrap();
        Buffer {
            id,
            element: std::marker::PhantomData,
        }
    }

    /// The elements' bits.
    pub fn read<T: Element>(&self, buffer: &Buffer<T>) -> Vec<u64> {
        let width = T::DTYPE.scalar().bytes() as usize;
        let bytes = self.memory.borrow().read_back(buffer.id).unwrap();
        let bits = |chunk: &[u8]| chunk.iter().rev().fold(0, |bits, &b| bits << 8 | u64::from(b));
        bytes.chunks(width).map(bits).collect()
    }

    pub fn read_f32(&self, buffer: &Buffer<f32>) -> Vec<f32> {
        self.read(buffer)
            .into_iter()
            .map(|b| f32::from_bits(b as u32))
            .collect()
    }

    pub fn read_i32(&self, buffer: &Buffer<i32>) -> Vec<i32> {
        self.read(buffer).into_iter().map(|b| b as i32).collect()
    }
}

pub trait Launcher {
    fn device(&self) -> &Device;
}

impl Launcher for &Device {
    fn device(&self) -> &Device {
        self
    }
}

#[derive(Clone, Copy)]
pub struct Grid(pub u32);

impl From<u32> for Grid {
    fn from(extent: u32) -> Grid {
        Grid(extent)
    }
}

pub trait PtrArg<T> {
    fn arg(&mut self) -> Arg<'_>;
}

impl<T> PtrArg<T> for &Buffer<T> {
    fn arg(&mut self) -> Arg<'_> {
        Arg::Ptr(self.id, std::marker::PhantomData)
    }
}

impl<T> PtrArg<T> for &mut Buffer<T> {
    fn arg(&mut self) -> Arg<'_> {
        Arg::Ptr(self.id, std::marker::PhantomData)
    }
}

pub enum Arg<'a> {
    Ptr(BufferId, std::marker::PhantomData<&'a ()>),
    Scalar(ScalarValue),
}

impl From<ScalarValue> for Arg<'_> {
    fn from(value: ScalarValue) -> Self {
        Arg::Scalar(value)
    }
}

#[derive(Debug)]
pub struct LaunchError(String);

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub struct KernelCache;

impl KernelCache {
    pub const fn new() -> KernelCache {
        KernelCache
    }
}

pub fn launch(
    on: impl Launcher,
    def: &'static KernelDef,
    _cache: &'static KernelCache,
    grid: Grid,
    args: &[Arg<'_>],
    constexprs: &[ConstexprValue],
) -> Result<(), LaunchError> {
    let mut facts = Specialization::NONE;
    let mut values = Vec::new();
    for (i, arg) in args.iter().enumerate() {
        values.push(match arg {
            Arg::Ptr(id, _) => Argument::buffer(*id),
            Arg::Scalar(value) => {
                if value.dtype.is_int() && value.bits % 16 == 0 {
                    facts = facts.with_divisible_by_16(i);
                }
                Argument::Scalar(Const::from_bits(value.dtype.scalar(), value.bits))
            }
        });
    }
    let kernel = (def.build)(constexprs, &facts).map_err(|e| LaunchError(e.to_string()))?;
    let device = on.device();
    let memory = device.memory.borrow();
    mytriton_interp::run(&kernel, [grid.0, 1, 1], &values, &memory, &Options::default())
        .map_err(|e| LaunchError(e.to_string()))
}
