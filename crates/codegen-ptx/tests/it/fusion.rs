//! The fusion option.

use mytriton_codegen_ptx::{Options, Target};

use crate::{compile_with, elementwise};

fn ptx(body: &str, ty: &str, fp_fusion: bool) -> String {
    compile_with(
        &elementwise(ty, body, ""),
        &Options {
            fp_fusion,
            ..Options::new(Target::Sm90)
        },
    )
    .unwrap()
    .text
}

#[test]
fn multiplication_and_addition_fuse_only_when_allowed() {
    for (ty, suffix) in [
        ("f32", "f32"),
        ("f64", "f64"),
        ("f16", "f16"),
        ("vector<2xf16>", "f16x2"),
    ] {
        let body = format!("%m = llvm.fmul %x, %y : {ty} \n %r = llvm.fadd %m, %x : {ty}");
        assert!(ptx(&body, ty, true).contains(&format!("fma.rn.{suffix}")));
        let apart = ptx(&body, ty, false);
        assert!(!apart.contains("fma."), "{apart}");
        // With a rounding modifier, so that ptxas does not fuse them either.
        assert!(
            apart.contains(&format!("mul.rn.{suffix}")) && apart.contains(&format!("add.rn.{suffix}")),
            "{apart}"
        );
    }
}

#[test]
fn the_option_overrides_the_flags_of_the_module() {
    let flags = "{fastmathFlags = #llvm.fastmath<contract>}";
    let body = format!("%m = llvm.fmul %x, %y {flags} : f32 \n %r = llvm.fadd %m, %x {flags} : f32");
    assert!(!ptx(&body, "f32", false).contains("fma."));
}

#[test]
fn fmuladd_follows_the_option_and_fma_does_not() {
    for ty in ["f32", "vector<4xf32>"] {
        let choice = format!("%r = llvm.intr.fmuladd(%x, %y, %x) : ({ty}, {ty}, {ty}) -> {ty}");
        assert!(ptx(&choice, ty, true).contains("fma.rn.f32"));
        let apart = ptx(&choice, ty, false);
        assert!(!apart.contains("fma.") && apart.contains("mul.rn.f32"), "{apart}");
        let always = format!("%r = llvm.intr.fma(%x, %y, %x) : ({ty}, {ty}, {ty}) -> {ty}");
        assert!(ptx(&always, ty, false).contains("fma.rn.f32"));
    }
}
