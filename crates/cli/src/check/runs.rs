//! Runs of a kernel on fresh copies of its arguments.

use std::time::{Duration, Instant};

use mytriton::interp;
use mytriton::simt::{self, Program, Report};
use mytriton_ssa::Kernel;

use crate::array::Data;
use crate::error::Error;

/// What all runs have in common.
pub struct Inputs {
    /// The parameters' names and what they get.
    pub data: Vec<(String, Data)>,
    /// Programs, or blocks, along x, y and z.
    pub grid: [u32; 3],
}

/// The arrays after a run, for each parameter; none of numbers.
pub type Arrays = Vec<Option<Vec<u8>>>;

/// A run on the SIMT executor.
pub struct Ran {
    /// What was found and counted.
    pub report: Report,
    /// What is in memory.
    pub arrays: Arrays,
    /// How long it took.
    pub elapsed: Duration,
}

fn memory(error: impl std::fmt::Display) -> Error {
    Error::new(error.to_string())
}

/// Runs a kernel on the interpreter, and looks for races between programs. The inner error is what is wrong with the
/// kernel.
pub fn interpret(
    inputs: &Inputs,
    kernel: &Kernel,
    max_steps: u64,
) -> Result<Result<Arrays, interp::InterpError>, Error> {
    let mut device = interp::Memory::new();
    let (mut arguments, mut buffers) = (Vec::new(), Vec::new());
    for (name, data) in &inputs.data {
        let buffer = match data {
            Data::Scalar(value) => {
                arguments.push(interp::Argument::Scalar(*value));
                None
            }
            Data::Array(array) => {
                let buffer = match &array.bytes {
                    Some(bytes) => device.add_buffer(name, array.scalar, bytes),
                    None => device.add_zeros(name, array.scalar, array.elements as u64),
                };
                let buffer = buffer.map_err(memory)?;
                arguments.push(interp::Argument::buffer(buffer));
                Some(buffer)
            }
        };
        buffers.push(buffer);
    }
    let options = interp::Options {
        max_steps: Some(max_steps),
        check_races: true,
    };
    if let Err(error) = interp::run(kernel, inputs.grid, &arguments, &device, &options) {
        return Ok(Err(error));
    }
    let read = |buffer: Option<interp::BufferId>| buffer.map(|buffer| device.read_back(buffer)).transpose();
    let arrays: Result<Arrays, _> = buffers.into_iter().map(read).collect();
    arrays.map(Ok).map_err(memory)
}

/// Runs a program on the SIMT executor.
pub fn execute(
    inputs: &Inputs,
    program: &Program,
    block: [u32; 3],
    dynamic_shared_bytes: u32,
    options: &simt::Options,
) -> Result<Ran, Error> {
    let mut device = simt::Memory::new();
    let (mut arguments, mut buffers) = (Vec::new(), Vec::new());
    for (name, data) in &inputs.data {
        let buffer = match data {
            Data::Scalar(value) => {
                arguments.push(value.bits());
                None
            }
            Data::Array(array) => {
                let buffer = match &array.bytes {
                    Some(bytes) => device.add_buffer(name, bytes),
                    None => device.add_zeros(name, array.elements as u64 * u64::from(array.scalar.bytes())),
                };
                let buffer = buffer.map_err(memory)?;
                arguments.push(device.address(buffer).map_err(memory)?);
                Some(buffer)
            }
        };
        buffers.push(buffer);
    }
    let launch = simt::Launch {
        grid: inputs.grid,
        block,
        dynamic_shared_bytes,
    };
    let start = Instant::now();
    let report = simt::run(program, launch, &arguments, &device, options).map_err(memory)?;
    let elapsed = start.elapsed();
    let read = |buffer: Option<simt::BufferId>| buffer.map(|buffer| device.read_back(buffer)).transpose();
    let arrays: Result<Arrays, _> = buffers.into_iter().map(read).collect();
    Ok(Ran {
        report,
        arrays: arrays.map_err(memory)?,
        elapsed,
    })
}
