//! The oracle: what the reference interpreter makes of a launch.

use mytriton_interp::{Argument, Memory, Options, Prepared};
use mytriton_ssa::Kernel;

use crate::case::{Arg, Launch};

/// Loop iterations that a program may run: more than any case has.
const MAX_STEPS: u64 = 1 << 20;

/// The buffers after each launch, in the order of [`Launch::buffers`].
pub fn run(kernel: &Kernel, launches: &[Launch]) -> Result<Vec<Vec<Vec<u8>>>, String> {
    let prepared = Prepared::new(kernel.clone()).map_err(|error| error.to_string())?;
    launches
        .iter()
        .map(|launch| run_one(&prepared, launch).map_err(|e| format!("{}: {e}", launch.what)))
        .collect()
}

fn run_one(kernel: &Prepared, launch: &Launch) -> Result<Vec<Vec<u8>>, String> {
    let mut memory = Memory::new();
    let mut args = Vec::new();
    let mut buffers = Vec::new();
    for (index, arg) in launch.args.iter().enumerate() {
        args.push(match arg {
            Arg::Buffer(data) => {
                let name = format!("argument {index}");
                let buffer = memory
                    .add_buffer(name, data.scalar, &data.bytes)
                    .map_err(|e| e.to_string())?;
                buffers.push(buffer);
                Argument::Buffer {
                    buffer,
                    byte_offset: data.skip as u64 * u64::from(data.scalar.bytes()),
                }
            }
            Arg::Scalar(value) => Argument::Scalar(*value),
        });
    }
    let options = Options {
        max_steps: Some(MAX_STEPS),
        // Results that depend on the order of programs could not be compared.
        check_races: true,
    };
    kernel
        .run(launch.grid, &args, &memory, &options)
        .map_err(|e| e.to_string())?;
    buffers
        .into_iter()
        .map(|buffer| memory.read_back(buffer).map_err(|e| e.to_string()))
        .collect()
}
