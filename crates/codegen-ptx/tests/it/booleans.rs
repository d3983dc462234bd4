//! Vectors of booleans that are read as vectors of other integers stay in registers.

use mytriton_codegen_ptx::{OptLevel, Options, Target};

use crate::{compile_with, elementwise};

#[test]
fn parts_of_booleans_need_no_stack() {
    for (part, at) in [("i4", 0), ("i4", 1), ("i2", 3)] {
        let parts = 8 / part[1..].parse::<u32>().unwrap();
        let body = format!(
            "%zero = llvm.mlir.constant(dense<0.0> : vector<8xf16>) : vector<8xf16>
             %b = llvm.fcmp \"une\" %x, %zero : vector<8xf16>
             %v = llvm.bitcast %b : vector<8xi1> to vector<{parts}x{part}>
             %at = llvm.mlir.constant({at} : i32) : i32
             %e = llvm.extractelement %v[%at : i32] : vector<{parts}x{part}>
             %none = llvm.mlir.constant(0 : {part}) : {part}
             %c = llvm.icmp \"ne\" %e, %none : {part}
             %r = llvm.select %c, %x, %y : i1, vector<8xf16>"
        );
        for opt_level in [OptLevel::O3, OptLevel::O0] {
            let options = Options {
                opt_level,
                ..Options::new(Target::Sm75)
            };
            let text = compile_with(&elementwise("vector<8xf16>", &body, ""), &options)
                .unwrap()
                .text;
            assert!(!text.contains("__local_depot"), "{part} {at} {opt_level:?}\n{text}");
        }
    }
}
