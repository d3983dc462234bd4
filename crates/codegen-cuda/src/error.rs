//! Why a kernel has no CUDA C++ form.

use mytriton_ssa::VerifyErrors;

/// Why [`generate`](crate::generate) gives no source.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// The kernel breaks a rule of the IR.
    #[error("the kernel is not valid: {0}")]
    InvalidKernel(#[from] VerifyErrors),
    /// The blocks that a thread keeps across barriers and control flow need more memory than a thread can have.
    #[error(
        "kernel '{kernel}' keeps {bytes} bytes of blocks per thread, and a thread has at most {limit}: use smaller \
         blocks and a larger grid"
    )]
    TooLarge {
        /// The kernel's name.
        kernel: String,
        /// What the arrays of one thread take.
        bytes: u64,
        /// What a thread may have.
        limit: u64,
    },
}
