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

/// Nothing converts them: they are selected.
#[test]
fn floats_of_booleans_are_selected() {
    for (ty, integer) in [("f16", "i16"), ("bf16", "i16"), ("f32", "i32"), ("f64", "i64")] {
        for (extend, convert, one) in [("sext", "sitofp", -1.0_f64), ("zext", "uitofp", 1.0)] {
            for vector in [1, 2, 8] {
                let of = |element: &str| match vector {
                    1 => element.to_owned(),
                    _ => format!("vector<{vector}x{element}>"),
                };
                let (float, booleans, whole, narrow) = (of(ty), of("i1"), of(integer), of("i8"));
                // Both as LLVM gets it and as it makes it.
                for body in [
                    format!("%r = llvm.{convert} %b : {booleans} to {float}"),
                    format!(
                        "%i = llvm.{extend} %b : {booleans} to {narrow} \n %r = llvm.{convert} %i : {narrow} to {float}"
                    ),
                ] {
                    let body = format!(
                        "%bx = llvm.bitcast %x : {float} to {whole} \n %by = llvm.bitcast %y : {float} to {whole}
                         %b = llvm.icmp \"slt\" %bx, %by : {whole} \n {body}"
                    );
                    let is_direct = !body.contains("%i =");
                    for opt_level in [OptLevel::O3, OptLevel::O0] {
                        let options = Options {
                            opt_level,
                            ..Options::new(Target::Sm90a)
                        };
                        let text = compile_with(&elementwise(&float, &body, ""), &options).unwrap().text;
                        if is_direct || opt_level == OptLevel::O3 {
                            assert!(!text.contains("cvt.rn."), "{body}\n{text}");
                            let bits = match ty {
                                "f16" => format!("0x{:04X}", half::f16::from_f64(one).to_bits()),
                                "bf16" => format!("0x{:04X}", half::bf16::from_f64(one).to_bits()),
                                "f32" => format!("0f{:08X}", (one as f32).to_bits()),
                                _ => format!("0d{:016X}", one.to_bits()),
                            };
                            assert!(text.contains(&bits), "{bits}, {body}\n{text}");
                        }
                    }
                }
            }
        }
    }
}
