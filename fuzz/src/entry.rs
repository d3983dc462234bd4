//! The start of the targets that link MLIR.

use std::ffi::{c_char, c_int};

type Target = unsafe extern "C" fn(*const u8, usize) -> c_int;

unsafe extern "C" {
    fn LLVMFuzzerRunDriver(argc: *mut c_int, argv: *mut *mut *mut c_char, target: Target) -> c_int;
    fn LLVMFuzzerTestOneInput(data: *const u8, size: usize) -> c_int;
}

/// libFuzzer's `main`. One of MLIR's libraries has a `main` too, that of mlir-opt, and the linker would take the one that
/// it comes to first; this crate stands before both.
// SAFETY: the system calls it once with the arguments of the process, as the C standard says.
#[unsafe(no_mangle)]
extern "C" fn main(mut argc: c_int, mut argv: *mut *mut c_char) -> c_int {
    // SAFETY: both pointers are to the arguments of the process, which live as long as it; the target is the function
    // that `fuzz_target!` defines.
    unsafe { LLVMFuzzerRunDriver(&mut argc, &mut argv, LLVMFuzzerTestOneInput) }
}
