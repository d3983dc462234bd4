//! Runs cases on the GPU.

use mytriton_abi::CompiledKernel;
use mytriton_compiler::OptLevel;
use mytriton_runtime::{Cuda, DeviceBuffer, Error, Function, Params};

use crate::case::{Case, Input, InputArg, Launch};
use crate::check::{Outcome, failed};
use crate::offline::{compile_case, compile_options, cuda_options, in_form, is_missing, missing};

/// A way of a kernel to the GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Through MLIR and LLVM.
    Ptx {
        /// Is the typed SSA optimised first?
        optimised: bool,
        /// How much LLVM optimises.
        opt_level: OptLevel,
    },
    /// Through CUDA C++.
    Cuda,
}

impl Way {
    /// All ways.
    pub const ALL: [Way; 5] = [
        Way::ptx(true, OptLevel::O3),
        Way::ptx(true, OptLevel::O0),
        Way::ptx(false, OptLevel::O3),
        Way::ptx(false, OptLevel::O0),
        Way::Cuda,
    ];

    /// Those through PTX.
    pub const PTX: [Way; 4] = [Way::ALL[0], Way::ALL[1], Way::ALL[2], Way::ALL[3]];

    const fn ptx(optimised: bool, opt_level: OptLevel) -> Way {
        Way::Ptx { optimised, opt_level }
    }

    /// Its name in reports.
    pub fn name(self) -> String {
        match self {
            Way::Ptx { optimised, opt_level } => {
                format!("ptx-{opt_level:?}{}", if optimised { "" } else { "-unoptimised-ssa" })
            }
            Way::Cuda => "cuda-c++".to_owned(),
        }
    }

    /// The case's kernel for the GPU.
    pub fn compile(self, cuda: &Cuda, case: &Case) -> Result<CompiledKernel, Stop> {
        self.compile_for(cuda.target()?, case)
    }

    /// The case's kernel for a GPU of this target.
    pub fn compile_for(self, target: &str, case: &Case) -> Result<CompiledKernel, Stop> {
        match self {
            Way::Ptx { optimised, opt_level } => {
                let kernel = in_form(&case.kernel, optimised);
                let options = compile_options(case, target.parse().map_err(Stop::wrong)?, opt_level);
                Ok(compile_case(case, &kernel, &options).map_err(Stop::wrong)?.kernel)
            }
            Way::Cuda => mytriton::compile(&case.kernel, target, cuda_options(case)).map_err(|error| {
                if is_missing(&error) {
                    Stop::Missing(error.to_string())
                } else {
                    Stop::wrong(error)
                }
            }),
        }
    }
}

/// Why there are no results.
pub enum Stop {
    /// Something is not as it should be.
    Wrong(String),
    /// A tool is missing.
    Missing(String),
    /// What the driver said.
    Driver(Error),
}

impl Stop {
    fn wrong(error: impl ToString) -> Stop {
        Stop::Wrong(error.to_string())
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Driver(error)
    }
}

impl From<Stop> for Outcome {
    fn from(stop: Stop) -> Outcome {
        match stop {
            Stop::Wrong(text) => Outcome::Failed(text),
            Stop::Missing(what) => missing(&what),
            // After it the context is of no use any more.
            Stop::Driver(error @ Error::Kernel { .. }) => Outcome::Fatal(error.to_string()),
            Stop::Driver(error) => failed(error),
        }
    }
}

/// Compiles a case one way for the GPU, runs its launches and compares them with the oracle's results.
pub fn run(cuda: &Cuda, case: &Case, launches: &[Launch], oracle: &[Vec<Vec<u8>>], way: Way) -> Outcome {
    let run = || {
        let function = Function::load(cuda, &way.compile(cuda, case)?)?;
        for (launch, oracle) in launches.iter().zip(oracle) {
            let results = run_function(cuda, &function, launch.grid, &launch.input())?;
            launch.compare(&results, oracle).map_err(Stop::Wrong)?;
        }
        Ok(())
    };
    run().map_or_else(|stop: Stop| stop.into(), |()| Outcome::Passed)
}

/// The buffers after a launch.
pub fn run_function(cuda: &Cuda, function: &Function, grid: [u32; 3], input: &Input<'_>) -> Result<Vec<Vec<u8>>, Stop> {
    let mut buffers = Vec::new();
    for bytes in &input.buffers {
        buffers.push(DeviceBuffer::upload(cuda, bytes)?);
    }
    let mut params = Params::new();
    for arg in &input.args {
        let bits = match *arg {
            InputArg::Pointer(buffer, offset) => buffers[buffer].address() + offset,
            InputArg::Bits(bits) => bits,
        };
        if !params.push(bits) {
            return Err(Stop::wrong("too many arguments"));
        }
    }
    function.launch(cuda.stream(), grid, &mut params)?;
    cuda.synchronize()?;
    let mut results = Vec::new();
    for (buffer, before) in buffers.iter().zip(&input.buffers) {
        let mut bytes = vec![0; before.len()];
        buffer.download(0, &mut bytes)?;
        results.push(bytes);
    }
    Ok(results)
}
