//! MLIR modules of the `gpu` stage, as the SIMT executor reads them.

use mytriton_compiler::read_gpu;

/// Reads a module. A kernel that is read has a name.
pub fn probe(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match read_gpu(&text, "fuzz.mlir") {
        Ok(kernels) => assert!(kernels.iter().all(|kernel| !kernel.program.name.is_empty())),
        Err(error) => assert!(!error.is_empty(), "a text is refused without a word"),
    }
}
