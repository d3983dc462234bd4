//! MLIR's language server with the tile dialect.

fn main() -> std::process::ExitCode {
    mytriton_compiler::lsp_main(std::env::args_os())
}
