//! Arithmetic on narrow integers that ptxas gets wrong is in no PTX.

use mytriton_codegen_ptx::{OptLevel, Options, Target, narrow};

use crate::{compile_with, elementwise};

/// Nothing that ptxas gets wrong is in the PTX of an elementwise kernel.
#[track_caller]
fn assert_right(ty: &str, body: &str, opt_level: OptLevel) {
    let options = Options {
        opt_level,
        ..Options::new(Target::Sm90a)
    };
    let text = compile_with(&elementwise(ty, body, ""), &options)
        .unwrap_or_else(|error| panic!("{opt_level:?}, {ty}, {body}\n{error}"))
        .text;
    assert_eq!(narrow::find(&text), None, "{opt_level:?}, {ty}, {body}\n{text}");
}

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
                assert_eq!(narrow::find(&text), None, "{ty}, {body}\n{text}");
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
            assert_right(ty, &body, opt_level);
        }
    }
}

/// Whatever leads to it, no minimum, maximum, absolute value or sign extension has a 16-bit register as its result.
#[test]
fn narrow_instructions_are_widened() {
    for ty in ["i8", "i16", "vector<2xi16>", "vector<4xi8>"] {
        let element = if ty.contains("i8") { "i8" } else { "i16" };
        let mask = ty.replace(element, "i1");
        let constant = |name: &str, value: &str| match ty.starts_with("vector") {
            true => format!("%{name} = llvm.mlir.constant(dense<{value}> : {ty}) : {ty} \n"),
            false => format!("%{name} = llvm.mlir.constant({value} : {ty}) : {ty} \n"),
        };
        let seven = constant("c", "7");
        let mut bodies = Vec::new();
        for operand in ["%y", "%c"] {
            for name in ["smin", "smax", "umin", "umax"] {
                bodies.push(format!(
                    "{seven} %e = llvm.intr.{name}(%x, {operand}) : ({ty}, {ty}) -> {ty} \n \
                     %m = llvm.icmp \"eq\" %e, {operand} : {ty} \n %r = llvm.select %m, %x, %e : {mask}, {ty}"
                ));
            }
            bodies.push(format!(
                "{seven} %m = llvm.icmp \"sgt\" %x, {operand} : {ty} \n %r = llvm.select %m, %x, {operand} : {mask}, {ty}"
            ));
            for name in ["uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"] {
                bodies.push(format!(
                    "{seven} %r = \"llvm.intr.{name}\"(%x, {operand}) : ({ty}, {ty}) -> {ty}"
                ));
            }
            bodies.push(format!("{seven} %r = llvm.ashr %x, {operand} : {ty}"));
            bodies.push(format!("{seven} %r = llvm.sdiv %x, {operand} : {ty}"));
        }
        let zero = constant("z", "0");
        bodies.push(format!(
            "{zero} %n = llvm.sub %z, %x : {ty} \n %m = llvm.icmp \"slt\" %x, %z : {ty} \n \
             %r = llvm.select %m, %n, %x : {mask}, {ty}"
        ));
        for body in bodies {
            for opt_level in [OptLevel::O0, OptLevel::O3] {
                assert_right(ty, &body, opt_level);
            }
        }
    }
}

#[test]
fn widened_instructions_are_those_of_32_bits() {
    let text = "\tld.global.b16 \t%rs1, [%rd1];\n\tmax.s16 \t%rs2, %rs1, 7;\n\tmin.u16 \t%rs3, %rs1, %rs2;\n\tmax.u16 \t%rs3, %rs1, -2;\n\tmax.s16 \t%rs3, %rs1, -2;\n\
                \tabs.s16 \t%rs4, %rs3;\n\tcvt.s8.s32 \t%rs5, %r1;\n\tcvt.s16.s8 \t%rs6, %rs5;\n\tcvt.s8.s32 \t%r1, %r2;\n";
    insta::assert_snapshot!(narrow::widen(text));
    let others = "\tadd.s16 \t%rs1, %rs2, 1;\n\tmin.f16 \t%rs1, %rs2, %rs3;\n\tmin.s32 \t%r1, %r2, %r3;\n";
    assert_eq!(narrow::widen(others), others);
}

#[test]
fn what_ptxas_gets_wrong_is_found() {
    let found = |line: &str| narrow::find(&format!("\tmov.u32 %r1, %r2;\n\t{line}\n\tret;\n")).map(str::to_owned);
    for right in [
        "min.s32 %r1, %r2, %r3;",
        "@%p1 max.u32 \t%r1, %r2, %r3;",
        "add.f16x2 %r1, %r2, %r3;",
        "min.f16 %rs1, %rs2, %rs3;",
        "fma.rn.bf16x2 %r1, %r2, %r3, %r4;",
        "add.s16 %rs1, %rs2, 1;",
        "cvt.s32.s8 %r1, %rs2;",
    ] {
        assert_eq!(found(right), None);
    }
    for wrong in [
        "add.s16x2 %r1, %r2, %r3;",
        "@%p1 add.u16x2 \t%r1, %r2, %r3;",
        "max.s16x2 %r1, %r2, %r3;",
        "max.s16 \t%rs1, %rs2, 7;",
        "@!%p1 min.u16 %rs1, %rs2, %rs3;",
        "abs.s16 %rs1, %rs2;",
        "cvt.s8.s32 %rs1, %r3;",
        "cvt.s16.s8 %rs1, %rs3;",
    ] {
        assert_eq!(found(wrong), Some(wrong.to_owned()));
    }
}
