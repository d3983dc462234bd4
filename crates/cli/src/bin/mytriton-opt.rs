//! MLIR's optimiser driver with the tile dialect and every pass of this project.

fn main() -> std::process::ExitCode {
    mytriton_compiler::opt_main(std::env::args_os())
}
