//! Taking vectors apart, compared with what LLVM's own scalarizer makes of the same functions.

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use mytriton_codegen_ptx::machine::machine;
use mytriton_codegen_ptx::{OptLevel, Target, scalars};

fn parse<'ll>(context: &'ll Context, text: &str) -> Module<'ll> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(format!("{text}\0").as_bytes(), "test");
    context
        .create_module_from_ir(buffer)
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The module's text without what the order of declarations, of which there may be more than are used, changes.
fn finished(module: &Module<'_>, passes: &str) -> String {
    let machine = machine(Target::Sm90a, OptLevel::O3).unwrap();
    module
        .run_passes(passes, &machine, PassBuilderOptions::create())
        .unwrap();
    module.verify().unwrap_or_else(|error| panic!("{error}\n{module:?}"));
    let text = module.to_string();
    let body = text.lines().skip_while(|line| !line.starts_with("define"));
    body.take_while(|line| !line.starts_with("declare"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Ours and LLVM's form of a module, without what is dead.
fn both(text: &str) -> [String; 2] {
    let context = Context::create();
    let (ours, llvms) = (parse(&context, text), parse(&context, text));
    scalars::take_apart(&ours, |_| true).unwrap();
    [
        finished(&ours, "function(dce),strip-dead-prototypes"),
        finished(&llvms, "function(scalarizer<no-load-store>,dce),strip-dead-prototypes"),
    ]
}

#[track_caller]
fn is_as_llvms(text: &str) -> String {
    let [ours, llvms] = both(text);
    // LLVM names what it makes, which its own dialect need not.
    assert_eq!(unnamed(&ours), unnamed(&llvms), "of\n{text}");
    ours
}

/// The text with values numbered in order of their definition.
fn unnamed(text: &str) -> String {
    let mut numbers = std::collections::HashMap::new();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let (before, name) = rest.split_at(at);
        let end = name[1..].find(|c| !is_name(c)).map_or(name.len(), |end| end + 1);
        let next = numbers.len();
        let number = *numbers.entry(&name[..end]).or_insert(next);
        out += &format!("{before}%{number}");
        rest = &name[end..];
    }
    out + rest
}

/// A function that loads two vectors, computes by `body` `%r` of them, and stores that. The assembly in between keeps the
/// extractions of lanes, which come after the loads, apart from what is computed: LLVM mixes them where both come together.
fn elementwise(ty: &str, result: &str, body: &str) -> String {
    format!(
        "define ptx_kernel void @k(ptr %p, ptr %q, i1 %c) {{\n  %x = load {ty}, ptr %p\n  %y = load {ty}, ptr %q\n  \
         call void asm sideeffect \"\", \"\"()\n           {body}\n  store {result} %r, ptr %p\n  ret void\n}}\n"
    )
}

#[test]
fn each_operation_is_taken_apart_as_llvm_does() {
    let integer = [
        "add",
        "add nuw nsw",
        "sub nsw",
        "mul nuw",
        "udiv exact",
        "sdiv",
        "urem",
        "srem",
        "shl nsw",
        "lshr exact",
        "ashr",
        "and",
        "or",
        "or disjoint",
        "xor",
    ];
    for operation in integer {
        let text = is_as_llvms(&elementwise(
            "<4 x i32>",
            "<4 x i32>",
            &format!("%r = {operation} <4 x i32> %x, %y"),
        ));
        assert_eq!(text.matches(&format!("{operation} i32")).count(), 4, "{text}");
    }
    for operation in ["fadd", "fsub contract", "fmul fast", "fdiv arcp afn", "frem"] {
        let text = is_as_llvms(&elementwise(
            "<3 x float>",
            "<3 x float>",
            &format!("%r = {operation} <3 x float> %x, %y"),
        ));
        assert_eq!(text.matches(&format!("{operation} float")).count(), 3, "{text}");
    }
    let one = [
        ("<2 x float>", "<2 x float>", "%r = fneg nsz <2 x float> %x"),
        ("<2 x i64>", "<2 x i64>", "%r = freeze <2 x i64> %x"),
        ("<2 x i64>", "<2 x i16>", "%r = trunc nuw <2 x i64> %x to <2 x i16>"),
        ("<2 x i8>", "<2 x i32>", "%r = zext nneg <2 x i8> %x to <2 x i32>"),
        ("<2 x i8>", "<2 x i32>", "%r = sext <2 x i8> %x to <2 x i32>"),
        ("<2 x half>", "<2 x float>", "%r = fpext <2 x half> %x to <2 x float>"),
        (
            "<2 x double>",
            "<2 x float>",
            "%r = fptrunc <2 x double> %x to <2 x float>",
        ),
        ("<2 x float>", "<2 x i32>", "%r = fptoui <2 x float> %x to <2 x i32>"),
        ("<2 x float>", "<2 x i32>", "%r = fptosi <2 x float> %x to <2 x i32>"),
        ("<2 x i32>", "<2 x float>", "%r = uitofp <2 x i32> %x to <2 x float>"),
        ("<2 x i32>", "<2 x float>", "%r = sitofp <2 x i32> %x to <2 x float>"),
        ("<2 x i32>", "<2 x float>", "%r = bitcast <2 x i32> %x to <2 x float>"),
        ("<2 x i32>", "<4 x bfloat>", "%r = bitcast <2 x i32> %x to <4 x bfloat>"),
        ("<8 x i8>", "<2 x i32>", "%r = bitcast <8 x i8> %x to <2 x i32>"),
        ("<4 x i32>", "<4 x i1>", "%r = icmp samesign ult <4 x i32> %x, %y"),
        ("<4 x float>", "<4 x i1>", "%r = fcmp nnan ole <4 x float> %x, %y"),
        (
            "<4 x float>",
            "<4 x float>",
            "%r = select i1 %c, <4 x float> %x, <4 x float> %y",
        ),
        (
            "<4 x i32>",
            "<4 x i32>",
            "%m = icmp slt <4 x i32> %x, %y\n  %r = select <4 x i1> %m, <4 x i32> %x, <4 x i32> <i32 1, i32 2, i32 poison, i32 4>",
        ),
    ];
    for (ty, result, body) in one {
        let text = is_as_llvms(&elementwise(ty, result, body));
        let operation = body
            .rsplit("%r = ")
            .next()
            .and_then(|text| text.split(" <").next())
            .unwrap();
        assert!(
            !text.contains(&format!("{operation} <")) || operation == "bitcast",
            "{text}"
        );
    }
}

#[test]
fn intrinsics_are_taken_apart_as_llvm_does() {
    for (name, ty, arguments) in [
        (
            "fma.v4f32",
            "<4 x float>",
            "<4 x float> %x, <4 x float> %y, <4 x float> %x",
        ),
        ("fabs.v4f32", "<4 x float>", "<4 x float> %x"),
        ("maximumnum.v4f32", "<4 x float>", "<4 x float> %x, <4 x float> %y"),
        ("smin.v2i16", "<2 x i16>", "<2 x i16> %x, <2 x i16> %y"),
        ("ctlz.v2i32", "<2 x i32>", "<2 x i32> %x, i1 false"),
        ("abs.v2i32", "<2 x i32>", "<2 x i32> %x, i1 true"),
    ] {
        let parameters = arguments
            .replace(" %x", "")
            .replace(" %y", "")
            .replace(" false", "")
            .replace(" true", "");
        let body = format!("%r = call {ty} @llvm.{name}({arguments})");
        let text = elementwise(ty, ty, &body) + &format!("declare {ty} @llvm.{name}({parameters})\n");
        let text = is_as_llvms(&text);
        assert!(!text.contains(&format!("@llvm.{name}")), "{text}");
    }
}

/// Lanes that move, in straight code and through loops; what reads a whole vector gets one.
#[test]
fn moves_are_taken_apart_as_llvm_does() {
    let straight = "define ptx_kernel void @k(ptr %p, i32 %n) {
      %a = load <4 x i32>, ptr %p
      %b = load <2 x i32>, ptr %p
      %one = insertelement <4 x i32> poison, i32 %n, i64 0
      %splat = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
      %sum = add <4 x i32> %a, %splat
      %mix = shufflevector <4 x i32> %sum, <4 x i32> %a, <4 x i32> <i32 7, i32 poison, i32 2, i32 0>
      %late = extractelement <4 x i32> %mix, i64 3
      %set = insertelement <4 x i32> %sum, i32 %late, i64 1
      %both = add <4 x i32> %set, %sum
      %e = extractelement <2 x i32> %b, i64 1
      %f = extractelement <2 x i32> %b, i64 0
      %g = sub i32 %e, %f
      %more = insertelement <4 x i32> %both, i32 %g, i64 2
      store <4 x i32> %more, ptr %p
      %u = call i32 asm sideeffect \"mov $0, $1;\", \"=r,r\"(i32 %late)
      store i32 %u, ptr %p
      ret void
    }\n";
    is_as_llvms(straight);
    let looping = "define ptx_kernel void @k(ptr %p, i32 %n) {
    entry:
      %a = load <2 x float>, ptr %p
      br label %head
    head:
      %i = phi i32 [ 0, %entry ], [ %next, %head ]
      %x = phi fast <2 x float> [ <float 1.0, float 2.0>, %entry ], [ %y, %head ]
      %y = fadd <2 x float> %x, %a
      %next = add i32 %i, 1
      %more = icmp slt i32 %next, %n
      br i1 %more, label %head, label %end
    end:
      store <2 x float> %y, ptr %p
      ret void
    }\n";
    let text = is_as_llvms(looping);
    assert_eq!(text.matches("phi fast float").count(), 2, "{text}");
}

/// What has no scalar form stays, on vectors that are put together: here an index that is not known.
#[test]
fn what_stays_gets_its_vectors() {
    let text = "define ptx_kernel void @k(ptr %p, i32 %n) {
      %a = load <4 x i32>, ptr %p
      %b = add <4 x i32> %a, %a
      %c = extractelement <4 x i32> %b, i32 %n
      store i32 %c, ptr %p
      ret void
    }\n";
    let context = Context::create();
    let module = parse(&context, text);
    scalars::take_apart(&module, |_| true).unwrap();
    let text = finished(&module, "function(dce)");
    assert_eq!(text.matches("add i32").count(), 4, "{text}");
    assert_eq!(text.matches("insertelement").count(), 4, "{text}");
    assert!(
        text.contains("extractelement <4 x i32> %") && text.contains("i32 %n"),
        "{text}"
    );
}

/// A chain of 2^17 insertions is taken apart; a copy of its lanes for each would need 256 GiB.
#[test]
fn long_chains_are_taken_apart() {
    use std::fmt::Write;
    const LANES: usize = 1 << 17;
    let mut text = "define ptx_kernel void @k(ptr %p, float %x) {\n".to_owned();
    let mut vector = "poison".to_owned();
    for lane in 0..LANES {
        let _ = writeln!(
            text,
            "  %v{lane} = insertelement <{LANES} x float> {vector}, float %x, i64 {lane}"
        );
        vector = format!("%v{lane}");
    }
    let _ = writeln!(text, "  %s = fadd <{LANES} x float> {vector}, {vector}");
    let _ = writeln!(text, "  %e = extractelement <{LANES} x float> %s, i64 {}", LANES - 1);
    text += "  store float %e, ptr %p\n  ret void\n}\n";
    let context = Context::create();
    let module = parse(&context, &text);
    scalars::take_apart(&module, |_| true).unwrap();
    let text = module.to_string();
    assert_eq!(text.matches("fadd float").count(), LANES);
    assert!(!text.contains("insertelement"));
}
