//! Passes for textual pipelines, and the tools that run them.

use crate::ffi;
use melior::pass::Pass;
use mlir_sys::MlirPass;
use std::{
    ffi::{CString, OsString, c_char, c_int, c_void},
    os::unix::ffi::OsStringExt,
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
};

/// Why a tool did not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// MLIR's drivers add their options to one list per process.
    #[error("a process can run one MLIR tool, once: start another process")]
    SecondRun,
    /// No argument may contain a zero byte, and there must be fewer than 2^31.
    #[error("command-line argument {index} cannot be passed on: it contains a zero byte, or there are too many")]
    Argument {
        /// Its position, the program's name being 0.
        index: usize,
    },
}

/// Makes a pass known to textual pipelines (`--pass-pipeline`, reproducers), under the argument that the passes of
/// `factory` have. Each kind of pass needs a type id of its own; passes are told apart by it.
pub fn register_pass(factory: fn() -> Pass) {
    unsafe extern "C" fn create(user_data: *mut c_void) -> MlirPass {
        // SAFETY: `user_data` is the function pointer that `register_pass` passed, and nothing else calls this.
        let factory = unsafe { std::mem::transmute::<*mut c_void, fn() -> Pass>(user_data) };
        factory().to_raw()
    }
    // SAFETY: a function pointer is valid for the whole process, and `create` matches the callback's type.
    unsafe { ffi::mytritonRegisterPass(create, factory as *mut c_void) }
}

/// Makes the upstream passes known to textual pipelines that pipelines over our dialects use: canonicalize, cse, licm,
/// sccp, inline and the other general ones; those of arith, func, math, scf, vector and llvm; and the conversions from
/// scf to cf, and from arith, cf, func, gpu, index, math, memref, nvvm, ub and vector to nvvm and llvm.
pub fn register_upstream_passes() {
    // SAFETY: the function has no preconditions; registering a pass again changes nothing.
    unsafe { ffi::mytritonRegisterUpstreamPasses() }
}

/// Runs MLIR's optimiser driver: `mytriton-opt`. `args` begins with the program's name; `register_passes` is called
/// once, after the upstream passes are registered, to add passes with [`register_pass`].
///
/// # Errors
/// [`ToolError`]; what is wrong with the input or the options is reported on standard error and is an exit code.
pub fn opt_main(
    args: impl IntoIterator<Item = OsString>,
    register_passes: impl FnOnce(),
) -> Result<ExitCode, ToolError> {
    run(args, ffi::mytritonOptMain, || {
        register_upstream_passes();
        register_passes();
    })
}

/// Runs MLIR's language server on standard input and output: `mytriton-lsp`. `args` begins with the program's name.
///
/// # Errors
/// As [`opt_main`].
pub fn lsp_main(args: impl IntoIterator<Item = OsString>) -> Result<ExitCode, ToolError> {
    run(args, ffi::mytritonLspMain, || ())
}

fn run(
    args: impl IntoIterator<Item = OsString>,
    tool: unsafe extern "C" fn(c_int, *mut *mut c_char) -> c_int,
    prepare: impl FnOnce(),
) -> Result<ExitCode, ToolError> {
    static STARTED: AtomicBool = AtomicBool::new(false);
    let strings = to_c_strings(args)?;
    let mut pointers: Vec<*mut c_char> = strings.iter().map(|string| string.as_ptr().cast_mut()).collect();
    let count = c_int::try_from(pointers.len()).map_err(|_| ToolError::Argument { index: pointers.len() })?;
    pointers.push(std::ptr::null_mut());
    if STARTED.swap(true, Ordering::SeqCst) {
        return Err(ToolError::SecondRun);
    }
    prepare();
    // SAFETY: `pointers` holds `count` terminated strings and a null pointer, all alive until the call returns; the
    // drivers do not write to them. The call is the only one of the process.
    let status = unsafe { tool(count, pointers.as_mut_ptr()) };
    Ok(ExitCode::from(u8::try_from(status).unwrap_or(1)))
}

fn to_c_strings(args: impl IntoIterator<Item = OsString>) -> Result<Vec<CString>, ToolError> {
    let convert =
        |(index, arg): (usize, OsString)| CString::new(arg.into_vec()).map_err(|_| ToolError::Argument { index });
    args.into_iter().enumerate().map(convert).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zero_byte_in_an_argument_is_an_error() {
        let args = ["tool", "a\0b"].map(OsString::from);
        assert_eq!(to_c_strings(args), Err(ToolError::Argument { index: 1 }));
    }
}
