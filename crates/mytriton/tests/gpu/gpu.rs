//! Runs cases on the GPU.

use mytriton_abi::CompiledKernel;
use mytriton_compiler::{OptLevel, compile};
use mytriton_runtime::{Cuda, DeviceBuffer, Error, Function, Params};
use mytriton_ssa::Kernel;

use crate::case::{Arg, Case, Launch};
use crate::check::{Outcome, failed};
use crate::offline::{compile_options, cuda_options, is_missing, missing, optimised};

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
}

/// Compiles a case one way for the GPU, runs its launches and compares them with the oracle's results.
pub fn run(cuda: &Cuda, case: &Case, launches: &[Launch], oracle: &[Vec<Vec<u8>>], way: Way) -> Outcome {
    let target = match cuda.target() {
        Ok(target) => target,
        Err(error) => return failed(error),
    };
    let compiled = match way {
        Way::Ptx {
            optimised: optimise,
            opt_level,
        } => {
            let kernel: Kernel = if optimise {
                optimised(&case.kernel)
            } else {
                case.kernel.clone()
            };
            match target
                .parse()
                .map(|target| compile(&kernel, &compile_options(case, target, opt_level)))
            {
                Ok(Ok(compiled)) => compiled.kernel,
                Ok(Err(error)) => return failed(error),
                Err(error) => return failed(error),
            }
        }
        Way::Cuda => match mytriton::compile(&case.kernel, target, cuda_options(case)) {
            Ok(compiled) => compiled,
            Err(error) if is_missing(&error) => return missing(&error.to_string()),
            Err(error) => return failed(error),
        },
    };
    match run_compiled(cuda, &compiled, launches, oracle) {
        Ok(()) => Outcome::Passed,
        Err(Stop::Wrong(text)) => Outcome::Failed(text),
        // After it the context is of no use any more.
        Err(Stop::Driver(error @ Error::Kernel { .. })) => Outcome::Fatal(error.to_string()),
        Err(Stop::Driver(error)) => failed(error),
    }
}

enum Stop {
    Wrong(String),
    Driver(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Driver(error)
    }
}

fn run_compiled(
    cuda: &Cuda,
    compiled: &CompiledKernel,
    launches: &[Launch],
    oracle: &[Vec<Vec<u8>>],
) -> Result<(), Stop> {
    let function = Function::load(cuda, compiled)?;
    for (launch, oracle) in launches.iter().zip(oracle) {
        let mut params = Params::new();
        let mut buffers = Vec::new();
        for arg in &launch.args {
            let bits = match arg {
                Arg::Buffer(data) => {
                    let buffer = DeviceBuffer::upload(cuda, &data.bytes)?;
                    let address = buffer.address() + data.skip as u64 * u64::from(data.scalar.bytes());
                    buffers.push((buffer, data.bytes.len()));
                    address
                }
                Arg::Scalar(value) => value.bits(),
            };
            if !params.push(bits) {
                return Err(Stop::Wrong("too many arguments".to_owned()));
            }
        }
        function.launch(cuda.stream(), launch.grid, &mut params)?;
        cuda.synchronize()?;
        let mut results = Vec::new();
        for (buffer, len) in buffers {
            let mut bytes = vec![0; len];
            buffer.download(0, &mut bytes)?;
            results.push(bytes);
        }
        launch.compare(&results, oracle).map_err(Stop::Wrong)?;
    }
    Ok(())
}
