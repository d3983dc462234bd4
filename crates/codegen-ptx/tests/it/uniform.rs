//! What ptxas gets wrong of uniform values is replaced where a value may be one, and left everywhere else.

use mytriton_codegen_ptx::uniform;

/// A kernel's text with lines after those that say where `%r1` and `%rd1` (of a thread) and `%r2` and `%rd2` (of all
/// threads) come from.
fn text(lines: &str) -> String {
    format!(
        "\tmov.u32 \t%r1, %tid.x;\n\tld.param.b32 \t%r2, [k_param_0];\n\tld.param.b64 \t%rd2, [k_param_1];\n\
         \tmul.wide.u32 \t%rd3, %r1, 4;\n\tadd.s64 \t%rd1, %rd2, %rd3;\n{lines}\n\tret;\n"
    )
}

/// What becomes of the lines.
fn corrected(lines: &str) -> String {
    let text = uniform::correct(text(lines)).unwrap_or_else(|error| panic!("{lines}\n{error}"));
    assert_eq!(uniform::correct(text.clone()), Ok(text.clone()), "a second time");
    text
}

#[test]
fn the_halves_of_uniform_words_are_shifted() {
    insta::assert_snapshot!(corrected(
        "\tld.shared.v4.b16 \t{%rs1, %rs2, %rs3, %rs4}, [scratch];\n\tld.shared.v2.b16 \t{%rs5, %rs6}, [%rd2+8];\n\
         \tmov.b32 \t{_, %rs7}, %r2;\n\tmov.b64 \t{%rs8, _, _, %rs9}, %rd2;\n\
         \t@%p1 ld.global.nc.v2.b16 \t{%rs10, %rs11}, [%rd2];"
    ));
}

#[test]
fn signs_of_uniform_floats_are_bits() {
    insta::assert_snapshot!(corrected(
        "\tabs.f32 \t%r3, %r2;\n\tneg.f32 \t%r4, %r2;\n\tabs.f64 \t%rd4, %rd2;\n\t@%p1 neg.f64 \t%rd5, %rd2;"
    ));
    for own in [
        "abs.f32 \t%r3, %r1;",
        "neg.f32 \t%r3, %r1;",
        "abs.f64 \t%rd3, %rd1;",
        "neg.f64 \t%rd3, %rd1;",
    ] {
        let line = format!("\t{own}");
        assert_eq!(corrected(&line), text(&line));
    }
}

#[test]
fn only_words_of_a_thread_are_left() {
    for (line, left) in [
        ("ld.shared.v2.b16 \t{%rs1, %rs2}, [%rd1+8];", true),
        ("ld.shared.v2.b16 \t{%rs1, %rs2}, [%rd2+8];", false),
        ("mov.b32 \t{%rs1, %rs2}, %r1;", true),
        ("mov.b32 \t{%rs1, %rs2}, %r2;", false),
        // No halves.
        ("mov.b64 \t{%r3, %r4}, %rd2;", true),
        ("ld.shared.v2.b32 \t{%r3, %r4}, [scratch];", true),
        ("mov.b32 \t%r3, {%rs1, %rs2};", true),
        // What a thread computes or reads from its own address is its own.
        ("xor.b32 \t%r3, %r2, %r1;\n\tmov.b32 \t{_, %rs1}, %r3;", true),
        ("ld.shared.b32 \t%r3, [%rd1];\n\tmov.b32 \t{_, %rs1}, %r3;", true),
        ("ld.shared.b32 \t%r3, [scratch+4];\n\tmov.b32 \t{_, %rs1}, %r3;", false),
        ("mov.u32 \t%r3, %laneid;\n\tmov.b32 \t{_, %rs1}, %r3;", true),
        ("mov.u32 \t%r3, %ctaid.x;\n\tmov.b32 \t{_, %rs1}, %r3;", false),
        (
            "setp.lt.s32 \t%p1, %r1, 4;\n\tselp.b32 \t%r3, %r2, 7, %p1;\n\tmov.b32 \t{_, %rs1}, %r3;",
            true,
        ),
        // Of results, each is.
        (
            "ld.shared.v2.b32 \t{%r3, %r4}, [%rd1];\n\tmov.b32 \t{_, %rs1}, %r4;",
            true,
        ),
        (
            "shfl.sync.bfly.b32 \t%r3|%p1, %r1, 1, 31, -1;\n\tmov.b32 \t{_, %rs1}, %r3;",
            true,
        ),
        // What moves between threads may be one value for all.
        (
            "shfl.sync.bfly.b32 \t%r3, %r2, 1, 31, -1;\n\tmov.b32 \t{_, %rs1}, %r3;",
            false,
        ),
        (
            "shfl.sync.idx.b32 \t%r3, %r1, 0, 31, -1;\n\tmov.b32 \t{_, %rs1}, %r3;",
            false,
        ),
        ("redux.sync.add.s32 \t%r3, %r1, -1;\n\tmov.b32 \t{_, %rs1}, %r3;", false),
        (
            "vote.sync.ballot.b32 \t%r3, %p1, -1;\n\tmov.b32 \t{_, %rs1}, %r3;",
            false,
        ),
        ("and.b32 \t%r3, %r1, 0;\n\tmov.b32 \t{_, %rs1}, %r3;", false),
        // An address that a thread's value is stored to does not become the thread's.
        (
            "st.shared.b32 \t[%rd2], %r1;\n\tld.shared.v2.b16 \t{%rs1, %rs2}, [%rd2];",
            false,
        ),
        // A loop carries the value up.
        (
            "mov.b32 \t%r3, %r2;\n$L1:\n\tmov.b32 \t{_, %rs1}, %r3;\n\tadd.s32 \t%r4, %r3, %r1;\n\tmov.b32 \t%r3, %r4;\n\t@%p1 bra \t$L1;",
            true,
        ),
        (
            "mov.b32 \t%r3, %r2;\n$L1:\n\tmov.b32 \t{_, %rs1}, %r3;\n\tadd.s32 \t%r4, %r3, 1;\n\tmov.b32 \t%r3, %r4;\n\t@%p1 bra \t$L1;",
            false,
        ),
    ] {
        let line = format!("\t{line}");
        assert_eq!(corrected(&line) == text(&line), left, "{line}");
    }
}

/// A register of one name in another function is another register.
#[test]
fn each_function_has_its_registers() {
    let unpack = "\tmov.b32 \t{_, %rs1}, %r1;\n";
    let function = |name: &str, source: &str, unpack: &str| {
        format!(".visible .entry {name}(\n)\n{{\n\tmov.u32 \t%r1, {source};\n{unpack}\tret;\n}}\n")
    };
    let (own, uniform) = (function("a", "%tid.x", unpack), function("b", "%ctaid.x", unpack));
    for functions in [format!("{own}{uniform}"), format!("{uniform}{own}")] {
        let text = uniform::correct(functions).unwrap();
        assert!(text.contains(&own) && !text.contains(&uniform), "{text}");
    }
}

#[test]
fn several_instructions_on_a_line_are_refused() {
    let lines = "\t{ .reg .b16 %low; mov.b32 {%rs1, %rs2}, %r2; }";
    assert!(uniform::correct(text(lines)).is_err());
    let lines = "\t{ .reg .b16 %low; mov.b32 {%rs1, %rs2}, %r1; }";
    assert_eq!(uniform::correct(text(lines)), Ok(text(lines)));
}
