//! The entry points of `mytriton-opt` and `mytriton-lsp`.

use std::ffi::OsString;
use std::process::ExitCode;

use mytriton_tile_sys as sys;

/// Runs `mytriton-opt`: MLIR's optimiser driver with the tile dialect and every pass of this project.
pub fn opt_main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    finish(sys::opt_main(args, mytriton_passes::registry::register_all))
}

/// Runs `mytriton-lsp`: MLIR's language server with the tile dialect.
pub fn lsp_main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    finish(sys::lsp_main(args))
}

fn finish(result: Result<ExitCode, sys::ToolError>) -> ExitCode {
    result.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}
