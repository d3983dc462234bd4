//! MLIR modules of the `tile` stage, as the compiler reads them.

use mytriton_compiler::read_mlir;
use mytriton_ssa::{PrintOptions, parse_module};

/// Reads a module. What is read is typed SSA, whose text is the same kernels.
pub fn probe(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match read_mlir(&text, "fuzz.mlir") {
        Ok(module) => {
            let options = PrintOptions { locations: true };
            let printed = module.display(options).to_string();
            let again = parse_module(&printed, "fuzz.ssa").expect("what was read is valid, and can be printed");
            assert_eq!(again.display(options).to_string(), printed);
        }
        Err(error) => assert!(!error.is_empty(), "a text is refused without a word"),
    }
}
