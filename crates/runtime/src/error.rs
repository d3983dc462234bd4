//! What can go wrong on a GPU, told in the user's terms.

use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

use crate::grid::GridError;

/// Why something on a GPU failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The driver's library is not there.
    #[error(
        "no NVIDIA driver: the library libcuda.so.1 is not found. Install the driver, or use Device::cpu() \
         (MYTRITON_DEVICE=cpu)"
    )]
    NoDriver,
    /// The driver is older than what this crate calls.
    #[error("the NVIDIA driver supports CUDA {found}, at least CUDA {needed} is needed: update the driver")]
    DriverTooOld {
        /// The newest CUDA version that the driver supports.
        found: String,
        /// The oldest one that serves.
        needed: String,
    },
    /// There is no GPU with that number.
    #[error(
        "no GPU {ordinal}: {}",
        match count {
            0 => "the driver finds none (is CUDA_VISIBLE_DEVICES set?)".to_owned(),
            1 => "there is one, number 0".to_owned(),
            n => format!("there are {n}, numbers 0 to {}", n - 1),
        }
    )]
    NoDevice {
        /// The number asked for.
        ordinal: usize,
        /// How many GPUs there are.
        count: usize,
    },
    /// The GPU is older than the oldest one that kernels are compiled for.
    #[error("{device} has compute capability {}.{}: kernels are compiled for 7.5 and later", capability.0, capability.1)]
    DeviceTooOld {
        /// The device's name.
        device: String,
        /// Its compute capability.
        capability: (u32, u32),
    },
    /// The GPU's memory does not suffice.
    #[error("out of memory on {device}: {asked} bytes asked for, {free} of {total} are free")]
    OutOfMemory {
        /// The device's name.
        device: String,
        /// How many bytes were asked for.
        asked: u64,
        /// How many were free just after.
        free: u64,
        /// How many there are.
        total: u64,
    },
    /// The driver is too old for the PTX version of a kernel.
    #[error(
        "the driver (CUDA {driver}) is too old for the PTX version {ptx} of kernel '{kernel}': update the driver, or \
         compile for an older target"
    )]
    PtxTooNew {
        /// The kernel's name.
        kernel: String,
        /// The PTX version.
        ptx: String,
        /// The newest CUDA version that the driver supports.
        driver: String,
    },
    /// The kernel was compiled for another GPU.
    #[error("kernel '{kernel}' was compiled for {target}, which {device} does not run: compile it for that GPU")]
    WrongTarget {
        /// The kernel's name.
        kernel: String,
        /// What it was compiled for.
        target: String,
        /// The device's name and compute capability.
        device: String,
    },
    /// The driver refuses the code.
    #[error("the driver cannot load kernel '{kernel}' for {target}: {reason}{}", log_text(log))]
    Load {
        /// The kernel's name.
        kernel: String,
        /// What it was compiled for.
        target: String,
        /// The driver's error.
        reason: String,
        /// What the driver's compiler wrote.
        log: String,
    },
    /// The kernel asks for more than the GPU has.
    #[error("kernel '{kernel}' needs {needed} {what}, {device} has at most {limit}: {advice}")]
    Resources {
        /// The kernel's name.
        kernel: String,
        /// Of what.
        what: &'static str,
        /// How much it needs.
        needed: u64,
        /// How much there is.
        limit: u64,
        /// The device's name.
        device: String,
        /// What to change.
        advice: &'static str,
    },
    /// The facts of a compiled kernel cannot be true.
    #[error(transparent)]
    Artefact(#[from] mytriton_abi::Error),
    /// The wrong number of arguments.
    #[error("kernel '{kernel}' takes {expected} argument(s), not {found}")]
    ArgumentCount {
        /// The kernel's name.
        kernel: String,
        /// How many parameters it has.
        expected: usize,
        /// How many arguments there are.
        found: usize,
    },
    /// The grid is beyond the limits.
    #[error("kernel '{kernel}': {error}")]
    Grid {
        /// The kernel's name.
        kernel: String,
        /// Which limit.
        error: GridError,
    },
    /// The stream belongs to another context than the kernel.
    #[error("kernel '{kernel}' was loaded on another GPU or context than the stream's: load it there too")]
    OtherContext {
        /// The kernel's name.
        kernel: String,
    },
    /// A copy between host and GPU memory of different sizes, or outside of the buffer.
    #[error("a copy of {bytes} bytes at byte {offset} of a GPU buffer of {len} bytes")]
    CopyRange {
        /// Where it begins.
        offset: u64,
        /// How many bytes it has.
        bytes: u64,
        /// The buffer's size.
        len: u64,
    },
    /// A kernel did what the GPU does not allow; the context cannot be used any more.
    #[error(
        "a kernel launched before failed on the GPU: {what}. The process must open the GPU anew after this; run the \
         kernel on Device::cpu() to see the line, program and index"
    )]
    Kernel {
        /// What happened.
        what: &'static str,
    },
    /// NVRTC failed.
    #[error(transparent)]
    Nvrtc(#[from] crate::nvrtc::Error),
    /// Any other error of the driver.
    #[error("cannot {action}: the driver reports {name} ({code})")]
    Driver {
        /// What was tried.
        action: &'static str,
        /// The error's name in the driver's documentation.
        name: String,
        /// Its number.
        code: u32,
    },
}

fn log_text(log: &str) -> String {
    match log.trim() {
        "" => String::new(),
        log => format!("\n{log}"),
    }
}

/// Puts what the driver reports into the user's terms. `action` says what was tried, as in "cannot {action}".
pub fn driver_error(action: &'static str, error: DriverError) -> Error {
    use CUresult as E;
    let kernel = |what| Error::Kernel { what };
    match error.0 {
        E::CUDA_ERROR_ILLEGAL_ADDRESS => kernel("it accessed memory outside of every buffer"),
        E::CUDA_ERROR_MISALIGNED_ADDRESS => kernel("it accessed a misaligned address"),
        E::CUDA_ERROR_ILLEGAL_INSTRUCTION => kernel("it executed an illegal instruction"),
        E::CUDA_ERROR_INVALID_ADDRESS_SPACE => kernel("it accessed an address of another memory space"),
        E::CUDA_ERROR_HARDWARE_STACK_ERROR => kernel("its stack overflowed"),
        E::CUDA_ERROR_LAUNCH_TIMEOUT => kernel("it took longer than the driver allows"),
        E::CUDA_ERROR_ASSERT => kernel("an assertion in it does not hold"),
        E::CUDA_ERROR_LAUNCH_FAILED | E::CUDA_ERROR_INVALID_PC => kernel("it faulted"),
        E::CUDA_ERROR_STUB_LIBRARY => Error::NoDriver,
        other => Error::Driver {
            action,
            name: format!("{other:?}"),
            code: other as u32,
        },
    }
}

/// A version as the driver numbers it: 12040 is 12.4.
pub(crate) fn version_text(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_read_as_the_toolkit_writes_them() {
        assert_eq!(version_text(12_040), "12.4");
        assert_eq!(version_text(13_000), "13.0");
        assert_eq!(version_text(11_080), "11.8");
    }

    #[test]
    fn a_faulting_kernel_is_told_from_a_failed_call() {
        let error = driver_error("wait for the GPU", DriverError(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS));
        assert!(matches!(error, Error::Kernel { .. }));
        let error = driver_error("wait for the GPU", DriverError(CUresult::CUDA_ERROR_NOT_PERMITTED));
        assert_eq!(
            error.to_string(),
            "cannot wait for the GPU: the driver reports CUDA_ERROR_NOT_PERMITTED (800)"
        );
        assert!(matches!(
            driver_error("start the driver", DriverError(CUresult::CUDA_ERROR_STUB_LIBRARY)),
            Error::NoDriver
        ));
    }

    #[test]
    fn the_numbers_of_gpus_read_as_sentences() {
        let text = |count| Error::NoDevice { ordinal: 3, count }.to_string();
        assert!(text(0).contains("the driver finds none"));
        assert_eq!(text(1), "no GPU 3: there is one, number 0");
        assert_eq!(text(2), "no GPU 3: there are 2, numbers 0 to 1");
    }
}
