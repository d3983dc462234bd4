//! Sums of packed narrow integers, which ptxas gets wrong, are in no PTX.

use mytriton_codegen_ptx::{OptLevel, Options, Target};

use crate::{compile_with, elementwise};

#[test]
fn no_packed_sums_are_selected() {
    for ty in ["vector<2xi16>", "vector<8xi16>", "vector<2xi8>", "vector<4xi8>"] {
        for body in [
            format!("%r = llvm.add %x, %y : {ty}"),
            format!("%r = llvm.sub %x, %y : {ty}"),
            format!("%c = llvm.mlir.constant(dense<3> : {ty}) : {ty} \n %r = llvm.add %x, %c : {ty}"),
            // Scalar sums that LLVM may put together.
            format!(
                "%c = llvm.mlir.constant(dense<3> : {ty}) : {ty} \n %m = llvm.mul %x, %y : {ty} \n \
                 %s = llvm.sub %m, %c : {ty} \n %r = llvm.add %s, %x : {ty}"
            ),
        ] {
            for (target, opt_level) in [
                (Target::Sm90a, OptLevel::O3),
                (Target::Sm90, OptLevel::O0),
                (Target::Sm80, OptLevel::O3),
            ] {
                let options = Options {
                    opt_level,
                    ..Options::new(target)
                };
                let text = compile_with(&elementwise(ty, &body, ""), &options).unwrap().text;
                assert!(
                    !text.contains("add.s16x2") && !text.contains("add.u16x2"),
                    "{ty}, {body}\n{text}"
                );
                assert!(
                    text.contains("add.s16") || text.contains("sub.s16"),
                    "{ty}, {body}\n{text}"
                );
            }
        }
    }
}

/// Those of floats stay packed.
#[test]
fn packed_floats_stay() {
    let body = "%r = llvm.fadd %x, %y : vector<2xf16>";
    let text = compile_with(&elementwise("vector<2xf16>", body, ""), &Options::new(Target::Sm90a))
        .unwrap()
        .text;
    assert!(text.contains("add.f16x2") || text.contains("add.rn.f16x2"), "{text}");
}
