use super::*;

fn refused(text: &str) -> Option<Reason> {
    check(text).err().map(|refusal| refusal.reason)
}

/// Levels that a text of so many repetitions is refused for, and that one of fewer is not.
fn refused_beyond(least: usize, make: impl Fn(usize) -> String) {
    assert_eq!(refused(&make(least)), Some(Reason::Nesting), "{}", make(3));
    assert_eq!(refused(&make(least - 1)), None, "{}", make(3));
    assert_eq!(refused(&make(100_000)), Some(Reason::Nesting), "{}", make(3));
}

#[test]
fn everything_that_nests_counts() {
    for open in [
        "[",
        "(",
        "module {\n",
        "tuple<",
        "tuple< // a comment\n",
        "\"[[\" (",
        "// comment\r[",
    ] {
        refused_beyond(MAX_NESTING + 1, |levels| open.repeat(levels));
    }
    // The map's own brackets come on top.
    for operator in ["-", "1 + ", "d0 * ", "d0 mod 7 floordiv ", "(d0) - "] {
        let levels = operator
            .matches(['+', '-', '*'])
            .count()
            .max(operator.matches("mod").count() * 2);
        let map = |count: usize| format!("affine_map<(d0) -> ({}d0)>", operator.repeat(count));
        assert_eq!(refused(&map((MAX_NESTING - 3) / levels)), None, "{operator}");
        assert_eq!(refused(&map(MAX_NESTING / levels)), Some(Reason::Nesting), "{operator}");
    }
    refused_beyond(MAX_NESTING / 2, |levels| "(d0 + ".repeat(levels) + "(");
}

#[test]
fn aliases_nest_without_brackets() {
    let chain = |name: char, first: &str, next: &dyn Fn(usize) -> String, levels: usize| {
        let line = |i: usize| format!("{name}a{} = {}\n", i + 1, next(i));
        format!("{name}a0 = {first}\n") + &(0..levels).map(line).collect::<String>()
    };
    for (name, first, next) in [
        ('#', "1 : i32", "[NAME]"),
        ('#', "1 : i32", "{x =\n // [\n NAME}"),
        ('#', "unit", "loc(fused[\"x\"(NAME)])"),
        ('!', "i32", "tuple<NAME>"),
        ('!', "i32", "() ->\n NAME"),
        ('!', "i32", "!llvm.ptr<\n>\n: NAME"),
    ] {
        let made = |levels| chain(name, first, &|i| next.replace("NAME", &format!("{name}a{i}")), levels);
        assert_eq!(refused(&made(20)), None, "{next}");
        assert_eq!(refused(&made(MAX_NESTING + 1)), Some(Reason::Nesting), "{next}");
    }
    // Aliases one after another are no deeper than each of them, whatever they are used in.
    let flat: String = (0..1000).map(|i| format!("#a{i} = [1, {{x = 2}}]\n")).collect();
    let used: String = (0..1000)
        .map(|i| format!("  \"x\"() {{a = #a{i}}} : () -> ()\n"))
        .collect();
    assert_eq!(refused(&format!("{flat}module {{\n{used}}}")), None);
}

#[test]
fn aliases_that_double_are_found() {
    let doubling = |lines: usize| {
        let line = |i: usize| format!("!t{} = tuple<!t{i}, !t{i}>\n", i + 1);
        "!t0 = i32\n".to_owned() + &(0..lines).map(line).collect::<String>()
    };
    assert_eq!(refused(&doubling(12)), None);
    let found = check(&doubling(40)).unwrap_err();
    assert_eq!(found.reason, Reason::Expansion);
    assert!(found.line < 25, "{found:?}");
}

#[test]
fn what_does_not_nest_does_not_count() {
    for flat in [
        "// [",
        "\"[\\\"[\"",
        "@\"f(\" !\"<\" #\"[\"",
        "{}",
        "(i32) -> i32",
        "[x >= 0]",
        "a->b",
        "%0 = arith.constant -1 : i32",
        "%1 = arith.constant dense<-1.0e+5> : tensor<4xf32>",
        "memref<*xf32, affine_map<(d0) -> (d0 + 1)>>",
        "cf.switch %x : i32, [default: ^b, -1: ^c]",
        "#a = -1 : i32",
        "#set = affine_set<(d0) : (d0 - 1 >= 0, d0 > = 0)>",
        "loc(#loc)",
        "{-# dialect_resources: {builtin: {a: \"0x08\"}} #-}",
    ] {
        assert_eq!(refused(&format!("{flat}\n").repeat(4 * MAX_NESTING)), None, "{flat}");
    }
}

#[test]
fn nothing_hides_a_bracket() {
    // Closers that the parser never sees, or takes for something else.
    for open in [
        "[\"]\", ",
        "[ // ]\n",
        "[affine_set<(d0) : (d0 > = 0, d0 > = 0, d0 >= 0)>, ",
        "[@\"]\" ",
        "[) } > ",
        "(() -> ",
        "[!a-> ",
        "#tile<//>, [\n",
    ] {
        assert_eq!(refused(&open.repeat(MAX_NESTING + 2)), Some(Reason::Nesting), "{open}");
    }
}

#[test]
fn the_place_is_that_of_the_level() {
    let deep = |before: &str, open: &str| {
        let refusal = check(&format!("{before}{}", open.repeat(MAX_NESTING + 1))).unwrap_err();
        (refusal.line, refusal.column)
    };
    assert_eq!(deep("\n  ", "["), (2, MAX_NESTING + 3));
    assert_eq!(deep("", "{\n"), (MAX_NESTING + 1, 1));
}

#[test]
fn arrays_that_mlir_fails_on() {
    for text in [
        "{a = array<index: 1>}",
        "array < // c\n index>",
        "!i = index\n#a = array<!i: 1>",
        "[array<i32: 1>, array<\tindex",
        // Zeros separate words too.
        "array\0<\0index: 1>",
    ] {
        assert_eq!(refused(text), Some(Reason::Array), "{text}");
    }
    for text in [
        "array<i32: 1, 2>",
        "array<i1>",
        "!llvm.array<2 x i8>",
        "(index, array)",
        "array index",
        "array(<index>)",
    ] {
        assert_eq!(refused(text), None, "{text}");
    }
}

#[test]
fn every_end_of_a_text_is_one() {
    const TEXT: &str = "#a = [1 : i32, {x = \"s\\\"\\0A\"}] // c (\r\n!t = tuple<i32, !llvm.ptr<3>>\n#\"q\\\" = 1\n\
        module @\"m\\\" {%0:2 = \"x\"() {a = #a, b = affine_map<(d0) -> (d0 mod 7 - 1)>} : () -> (!t, f32)}\\";
    for end in 0..=TEXT.len() {
        assert_eq!(refused(&TEXT[..end]), None, "{}", &TEXT[..end]);
        // One character less, or another, anywhere.
        for at in 0..end.min(TEXT.len() - 1) {
            for other in ["", "\\", "\"", "<", "\n", "é"] {
                let _ = check(&format!("{}{other}{}", &TEXT[..at], &TEXT[at + 1..end.max(at + 1)]));
            }
        }
    }
}
