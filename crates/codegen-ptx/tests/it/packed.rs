//! Arithmetic on packed narrow integers, which ptxas gets wrong, is in no PTX.

use mytriton_codegen_ptx::{OptLevel, Options, Target, packed};

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
                assert_eq!(packed::find(&text), None, "{ty}, {body}\n{text}");
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

/// Instruction selection makes sums of much else, at every level.
#[test]
fn nothing_else_becomes_a_packed_sum() {
    let constant =
        |name: &str, values: &str, ty: &str| format!("%{name} = llvm.mlir.constant(dense<{values}> : {ty}) : {ty}\n");
    let mut bodies = Vec::new();
    for ty in ["vector<2xi16>", "vector<4xi16>", "vector<2xi8>", "vector<4xi8>"] {
        let same = ty.replace("i16", "i32").replace("i8", "i32");
        let mask = ty.replace("i16", "i1").replace("i8", "i1");
        let three = constant("c", "3", ty);
        let wide = |name: &str| format!("%{name}w = llvm.zext %{name} : {ty} to {same}\n");
        // Wider arithmetic that is truncated.
        for operation in ["add", "sub", "mul", "shl"] {
            bodies.push((
                ty,
                format!(
                    "{} {} %w = llvm.{operation} %xw, %d : {same} \n %r = llvm.trunc %w : {same} to {ty}",
                    wide("x"),
                    constant("d", "2", &same)
                ),
            ));
        }
        bodies.push((ty, format!("{three} %r = llvm.mul %x, %c : {ty}")));
        bodies.push((ty, format!("{} %r = llvm.shl %x, %c : {ty}", constant("c", "1", ty))));
        // Selections between neighbours, comparisons as numbers, differences as limits.
        bodies.push((
            ty,
            format!(
                "{three} {} %m = llvm.icmp \"slt\" %x, %y : {ty} \n %r = llvm.select %m, %c, %d : {mask}, {ty}",
                constant("d", "2", ty)
            ),
        ));
        bodies.push((ty, format!(
            "%m = llvm.icmp \"slt\" %x, %y : {ty} \n %z = llvm.zext %m : {mask} to {ty} \n %r = llvm.add %z, %x : {ty}"
        )));
        bodies.push((
            ty,
            format!("{three} %m = llvm.intr.umax(%x, %c) : ({ty}, {ty}) -> {ty} \n %r = llvm.sub %m, %c : {ty}"),
        ));
        bodies.push((ty, format!("{three} %a = llvm.and %x, %c : {ty} \n %b = llvm.shl %y, %c : {ty} \n %r = llvm.or disjoint %a, %b : {ty}")));
        bodies.push((
            ty,
            format!("%r = \"llvm.intr.abs\"(%x) <{{is_int_min_poison = false}}> : ({ty}) -> {ty}"),
        ));
        for intrinsic in ["uadd.sat", "ssub.sat"] {
            bodies.push((
                ty,
                format!("%r = \"llvm.intr.{intrinsic}\"(%x, %y) : ({ty}, {ty}) -> {ty}"),
            ));
        }
    }
    for (ty, body) in bodies {
        for opt_level in [OptLevel::O0, OptLevel::O1, OptLevel::O2, OptLevel::O3] {
            let options = Options {
                opt_level,
                ..Options::new(Target::Sm90a)
            };
            let text = compile_with(&elementwise(ty, &body, ""), &options)
                .unwrap_or_else(|error| panic!("{opt_level:?}, {ty}, {body}\n{error}"))
                .text;
            assert_eq!(packed::find(&text), None, "{opt_level:?}, {ty}, {body}\n{text}");
        }
    }
}

#[test]
fn packed_minima_are_told_from_sums() {
    let found = |line: &str| packed::find(&format!("\tmov.u32 %r1, %r2;\n\t{line}\n\tret;\n")).map(str::to_owned);
    for right in [
        "min.s16x2 %r1, %r2, %r3;",
        "@%p1 max.u16x2 \t%r1, %r2, %r3;",
        "add.f16x2 %r1, %r2, %r3;",
        "fma.rn.bf16x2 %r1, %r2, %r3, %r4;",
        "add.s16 %rs1, %rs2, 1;",
    ] {
        assert_eq!(found(right), None);
    }
    for wrong in ["add.s16x2 %r1, %r2, %r3;", "@%p1 add.u16x2 \t%r1, %r2, %r3;"] {
        assert_eq!(found(wrong), Some(wrong.to_owned()));
    }
}
