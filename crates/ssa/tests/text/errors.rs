//! What the parser says of wrong texts.

use mytriton_ssa::{MAX_NESTING, ParseErrorKind, Scalar, parse_module};

fn error(text: &str) -> String {
    parse_module(text, "k.ssa").expect_err("the text is wrong").to_string()
}

/// The message of a wrong operation in an otherwise right kernel, without the line shown.
#[track_caller]
fn of_op(op: &str) -> String {
    let text = format!("kernel @k(%p: ptr<f32>, %x: f32, %n: i32, %c: i1) {{\n{op}\n}}");
    let error = error(&text);
    error.lines().next().unwrap().trim_start_matches("k.ssa:").to_owned()
}

#[test]
fn shows_the_place() {
    let text = "kernel @k(%x: f32) {\n\t%0 = add %x, %y : f32\n}";
    insta::assert_snapshot!(error(text), @r#"
    k.ssa:2:15: %y is not defined here: values are defined before their use, in the same or an enclosing region
      |
    2 | 	%0 = add %x, %y : f32
      | 	             ^
    "#);
    let error = parse_module(text, "k.ssa").unwrap_err();
    assert_eq!((error.line, error.column, &text[error.span.clone()]), (2, 15, "%y"));
    assert!(matches!(error.kind, ParseErrorKind::Undefined(ref name) if name == "%y"));
}

#[test]
fn long_lines_are_cut_around_the_place() {
    let text = format!("kernel @k() {{ /{} }}", "x".repeat(1000));
    assert!(error(&text).lines().all(|line| line.chars().count() < 200));
    let text = format!(
        "kernel @k() {{ {} ? }}",
        "// é\n".repeat(3) + &"%a = range 0, 4 ".repeat(200)
    );
    let shown = error(&text);
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines.iter().all(|line| line.chars().count() < 200), "{shown}");
}

#[test]
fn structure() {
    let errors = [
        "module {}",
        "kernel @k(",
        "kernel @k(%x) {}",
        "kernel @k(%0: i32) {}",
        "kernel @k(%x: tile<4xf32>) {}",
        "kernel @k(%x: i32 {divisibility = 12}) {}",
        "kernel @k(%x: f32 {divisibility = 16}) {}",
        "kernel @k(%x: i32, %x: i32) {}",
        "kernel @k() {} kernel @k() {}",
        "kernel k() {}",
        "kernel @k() { ! }",
        "kernel @k() { - 1 }",
        "kernel @k() {} loc(\"f:1)",
        "kernel @k() {} loc(\"\\q\":1)",
        "kernel @k() {} loc(\"f\":0)",
        "kernel @k() { %0a = range 0, 4 }",
    ]
    .map(|text| error(text).lines().next().unwrap().to_owned());
    insta::assert_snapshot!(errors.join("\n"), @r#"
    k.ssa:1:1: expected 'kernel @name(...) { ... }', found 'module'
    k.ssa:1:11: expected a parameter, '%name: type', found the end of the text
    k.ssa:1:13: expected ':', found ')'
    k.ssa:1:11: a parameter has a name that starts with a letter or underscore, not a number
    k.ssa:1:15: a parameter is one number or pointer, not a tile: tile<4xf32>
    k.ssa:1:35: divisibility is a power of two below 2^32
    k.ssa:1:1: parameter 'x' is of type f32, which has no divisibility
    k.ssa:1:20: %x is defined already, in line 1
    k.ssa:1:23: a kernel @k stands above already
    k.ssa:1:8: expected the kernel's name, '@name', found 'k'
    k.ssa:1:15: unexpected character '!'
    k.ssa:1:15: unexpected character '-'
    k.ssa:1:20: the string does not end on its line
    k.ssa:1:20: an escape is one of \", \\, \n, \t and \u{hexadecimal}
    k.ssa:1:24: a line number is from 1 to 4294967295
    k.ssa:1:15: a value's name is '%' and a number, or a letter or underscore, then letters, digits and underscores
    "#);
}

#[test]
fn operations() {
    let errors = [
        "%0 = mul %x, %x",
        "%0 = mul %x, %x : f64",
        "%0 = mul %x, %n : f32",
        "%0 = mul %x : f32",
        "%0 = mul : f32",
        "%0 = mul %x, : f32",
        "%0 = mulh %x, %x : f32",
        "mul %x, %x : f32",
        "%0, %1 = mul %x, %x : f32",
        "%0 = store %p, %x : ptr<f32>",
        "%x = mul %x, %x : f32",
        "%0 = const 1 : f32",
        "%0 = const 1ex5 : f32",
        "%0 = const 1.5 : i32",
        "%0 = const 256 : i8",
        "%0 = const 1e40 : f32",
        "%0 = const 0x10000 : f16",
        "%0 = const 1 : i1",
        "%0 = const 1 : ptr<f32>",
        "%0 = const 1 : tile<0xi32>",
        "%0 = const 1 : tile<4xi31>",
        "%0 = const 1 : tile<4>",
        "%0 = const 1 : tile<1048577xi32>",
        "%0 = const 1 : tile<1x1x1x1x1x1xi32>",
        "%0 = program_id w",
        "%0 = cmp less %x, %x : f32",
        "%0 = cmp lt_u %x, %x : f32",
        "%0 = cmp lt %c, %c : i1",
        "%0 = min_s %c, %c : i1",
        "%0 = s_to_f %c : i1 to f32",
        "%0 = range 4, 4",
        "%0 = range 0, 99999999999",
        "%0 = splat %x : f32",
        "%0 = fext %n : i32 to f64",
        "%0 = fext %x : f32 to f16",
        "%0 = fext %x : f32",
        "%0 = load %p, %n : ptr<f32>",
        "store %p, %n : ptr<f32>",
    ]
    .map(of_op);
    insta::assert_snapshot!(errors.join("\n"), @r#"
    3:1: expected ':', found '}'
    2:19: the first operand is f32, not f64
    2:6: the operands of 'mul' have one type: f32 and i32 differ
    2:6: 'mul' takes 2 operand(s), not 1
    2:6: 'mul' takes 2 operand(s), not 0
    2:14: expected a value, '%name', found ':'
    2:6: unknown operation 'mulh'
    2:1: 'mul' gives 1 result here, but none stand to the left of it
    2:1: 'mul' gives 1 result here, but 2 stand to the left of '='
    2:1: 'store' gives no result here, but 1 stand to the left of '='
    2:1: %x is defined already, in line 1
    2:12: '1' is no f32: write 1.0, 1e-3 or bits, 0x...
    2:12: '1ex5' is no f32: write 1.0, 1e-3 or bits, 0x...
    2:12: '1.5' is no i32: write a whole number or bits, 0x...
    2:12: 256 does not fit into i8 (-128 to 255)
    2:12: 1e40 is beyond f32; infinity is written as its bits, 0x...
    2:12: '0x10000' is not the bits of an f16
    2:12: an i1 is 'true' or 'false', not '1'
    2:16: a constant is a number, not ptr<f32>
    2:21: extent 0 in dimension 0: every extent of a tile is at least 1
    2:21: expected an element type after the extents (i1, i8, i16, i32, i64, f16, bf16, f32, f64 or ptr<...>), found 'i31'
    2:21: expected extents and an element type, such as 64x32xf32, found '4'
    2:21: a tile of 1048577 elements: at most 1048576 are possible; use a smaller tile and a larger grid
    2:21: a tile of rank 6: at most 5 dimensions are possible
    2:17: expected the grid dimension 'x', 'y' or 'z', found 'w'
    2:10: expected a predicate (eq, ne, lt, le, gt, ge, lt_u, le_u, gt_u, ge_u), found 'less'
    2:6: 'cmp' takes integers, not f32
    2:6: 'lt' is a signed operation, and i1 has no sign: use lt_u
    2:6: 'min_s' is a signed operation, and i1 has no sign: use min_u
    2:6: 's_to_f' of i1 cannot give f32: it goes from a signed integer to a float; i1 has no sign: use u_to_f
    2:6: 'range': range 4, 4 is empty: the end is above the start
    2:15: the end of the range is from -2147483648 to 2147483647
    2:6: 'splat' of f32 cannot give f32: the result is a tile of the operand's type
    2:6: 'fext' of i32 cannot give f64: it goes from a float to a wider one
    2:6: 'fext' of f32 cannot give f16: it goes from a float to a wider one
    3:1: expected 'to', found '}'
    2:6: the mask of 'load' is i1 here, not i32
    2:1: the value of 'store' is f32 here, not i32
    "#);
}

#[test]
fn regions() {
    let errors = [
        "yield",
        "if %n { }",
        "%0 = if %c -> (f32) { yield %x }",
        "%0 = if %c -> (f32) { yield %x } else { }",
        "%0 = if %c -> (f32) { yield %x } else { yield %n }",
        "%0 = if %c -> (f32) { yield %x, %x } else { yield %x }",
        "if %c -> (f32) { yield %x } else { yield %x }",
        "if %c { yield yield }",
        "if %c { condition %c }",
        "if %c { %a = neg %x : f32 } %b = neg %a : f32",
        "for %i = %x to %x step %x : f32 { }",
        "for %i = %n to %n step %n : i64 { }",
        "for %i = %n to %n step %n : i32 { %i = neg %x : f32 }",
        "%z = const 0 : i32 for %i = %n to %n step %z : i32 { }",
        "%a = for %i = %n to %n step %n : i32 carry (%s = %x : i32) { yield %s }",
        "%a = for %i = %n to %n step %n : i32 carry (%s = %x : f32) { yield %i }",
        "%a = for %i = %n to %n step %n : i32 carry (%s = %x : f32 %t) { yield %i }",
        "%a, %b = for %i = %n to %n step %n : i32 carry (%s = %x : f32) { yield %s }",
        "while () { condition } do () { }",
        "while () { condition %n } do () { }",
        "while () { } do () { }",
        "%w = while (%a = %x : f32) { condition %c, %a } do (%b: i32) { yield %x }",
        "%w = while (%a = %x : f32) { condition %c } do (%b: f32) { yield %x }",
    ]
    .map(of_op);
    insta::assert_snapshot!(errors.join("\n"), @r#"
    2:1: 'yield' does not stand here: it ends other regions
    2:1: the condition of 'if' is i1 here, not i32
    3:1: expected 'else', since the 'if' has results, found '}'
    2:41: expected an operation, or 'yield' with 1 value(s), found '}'
    2:6: value 0 of 'if' is f32, but its else branch passes on i32: a carried value keeps its exact type and shape
    2:23: this region yields 1 value(s), not 2
    2:1: 'if' gives 1 result here, but none stand to the left of it
    2:15: expected '}' after the end of the region, found 'yield'
    2:9: 'condition' does not stand here: it ends other regions
    2:38: %a is not defined here: values are defined before their use, in the same or an enclosing region
    2:1: the bounds and step of 'for' are scalars of one integer type, not f32, f32 and f32
    2:29: the lower bound is i32, not i64
    2:35: %i is defined already, in line 2
    2:20: the step of 'for' is 0: it must be at least 1
    2:55: the initial value is f32, not i32
    2:6: value 0 of 'for' is f32, but its body passes on i32: a carried value keeps its exact type and shape
    2:59: expected ',' or ')', found '%t'
    2:1: 'for' gives 1 result here, but 2 stand to the left of '='
    2:22: expected the condition, a value of type i1, found '}'
    2:12: the condition of 'condition' is i1 here, not i32
    2:12: expected an operation, or 'condition' with an i1 and the carried values, found '}'
    2:6: the arguments of its body are (f32), not (i32)
    2:6: 'while' carries 1 value(s), but its test passes on 0
    "#);
}

#[test]
fn nesting_is_limited() {
    let nested = |depth: usize| {
        let (open, close) = ("if %c { ".repeat(depth), "} ".repeat(depth));
        format!("kernel @k(%c: i1) {{ {open}{close}}}")
    };
    parse_module(&nested(MAX_NESTING), "k.ssa").unwrap();
    let error = parse_module(&nested(MAX_NESTING + 1), "k.ssa").unwrap_err();
    assert_eq!(error.kind, ParseErrorKind::Nesting(MAX_NESTING));
    // Far deeper than any stack.
    assert!(parse_module(&nested(1_000_000), "k.ssa").is_err());
}

#[test]
fn what_is_quoted_does_not_steer_the_terminal() {
    for control in ['\x1b', '\0', '\r', '\u{7f}', '\u{9b}'] {
        for text in [
            format!("kernel \"{control}\""),
            format!("?{control}"),
            format!("kernel @k() {{ /* {control}"),
            format!("kernel @k() {{ }} loc(\"\\{control}\":1)"),
            format!("kernel @k() {{ }} loc(\"{control}\" 1)"),
            format!("// {control}\nkernel @k{control}"),
        ] {
            let shown = parse_module(&text, "k.ssa").unwrap_err().to_string();
            assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
        }
    }
}

/// In time that grows with the length of a text, not with its square: a second instead of minutes.
#[test]
fn long_texts_are_read_at_a_stretch() {
    const COUNT: usize = 20_000;
    let lines = |line: fn(usize) -> String| (0..COUNT).map(line).collect::<String>();
    let module = parse_module(&lines(|i| format!("kernel @k{i}() {{}}\n")), "k.ssa").unwrap();
    assert_eq!(module.kernels.len(), COUNT);
    let kernel = |ops: String| {
        parse_module(&format!("kernel @k(%c: i1) {{\n{ops}}}"), "k.ssa")
            .unwrap()
            .kernels
    };
    let places = kernel(lines(|i| format!("  %{i} = program_id x loc(\"f{i}\":1)\n")));
    // The text itself is one more.
    assert_eq!(places[0].files.len(), COUNT + 1);
    let names = kernel(lines(|i| format!("  %same_{i} = program_id x\n")));
    assert_eq!(names[0].value_count(), COUNT + 1);
    let scopes = kernel(lines(|_| "  if %c { %same = program_id x }\n".to_owned()));
    let printed = scopes[0].to_string();
    assert!(printed.contains("%same_1 =") && !printed.contains("%same_20000 ="));
}

#[test]
fn reductions() {
    let tile = "%v = splat %x : tile<2x3xf32>";
    let errors = [
        "%0 = reduce axis 0 : f32 (%a, %b) { yield %a }",
        "%0 = reduce %v 0 : tile<2x3xf32> (%a, %b) { yield %a }",
        "%0 = reduce %v axis 2 : tile<2x3xf32> (%a, %b) { yield %a }",
        "%0 = reduce %v axis 0 : tile<2x3xi32> (%a, %b) { yield %a }",
        "%0 = reduce %v, %v axis 0 : tile<2x3xf32> (%a, %b) { yield %a }",
        "%0, %1 = reduce %v axis 0 : tile<2x3xf32> (%a, %b) { yield %a }",
        "%0 = reduce %v axis 0 : tile<2x3xf32> (%a) { yield %a }",
        "%0, %1 = reduce %v, %v axis 0 : tile<2x3xf32>, tile<2x3xf32> (%a, %b) { yield %a, %b }",
        "%0 = reduce %v axis 0 : tile<2x3xf32> (%a, %b) { }",
        "%0 = reduce %v axis 0 : tile<2x3xf32> (%a, %b) { yield %n }",
        "%0 = reduce %x axis 0 : f32 (%a, %b) { yield %a }",
        "%0 = reduce %v axis 0 reverse : tile<2x3xf32> (%a, %b) { yield %a }",
        "%0 = scan %v axis 0 backwards : tile<2x3xf32> (%a, %b) { yield %a }",
        "%0 = reshape %v : tile<2x3xf32> to tile<7xf32>",
        "%0 = transpose %v : tile<2x3xf32> to tile<3x2xf32>",
        "%0 = transpose %v [1, 1] : tile<2x3xf32> to tile<3x2xf32>",
        "%0 = transpose %v [0] : tile<2x3xf32> to tile<3x2xf32>",
        "%0 = transpose %v [1, 0] : tile<2x3xf32> to tile<2x3xf32>",
    ]
    .map(|op| of_op(&format!("{tile} {op}")));
    insta::assert_snapshot!(errors.join("\n"), @r#"
    2:43: expected the tiles to combine, '%name, ...', found 'axis'
    2:46: expected 'axis', found '0'
    2:36: 'reduce': axis 2 is outside of a tile of rank 2
    2:55: operand 0 is tile<2x3xf32>, not tile<2x3xi32>
    2:73: expected ',', found '('
    2:31: 'reduce' gives 1 result here, but 2 stand to the left of '='
    2:69: the combiner takes 2 arguments here, not 1: two for each operand
    2:92: the combiner takes 4 arguments here, not 2: two for each operand
    2:80: expected an operation, or 'yield' with 1 value(s), found '}'
    2:36: value 0 of 'reduce' is f32, but its combiner passes on i32: a carried value keeps its exact type and shape
    2:36: 'reduce' takes tiles of numbers, not f32
    2:53: expected ':', found 'reverse'
    2:51: expected ':', found 'backwards'
    2:36: 'reshape' of tile<2x3xf32> cannot give tile<7xf32>: a reshape keeps the element type and the number of elements
    2:49: expected '[', found ':'
    2:49: [1, 1] is no order of at most 5 dimensions: each number from 0 to one less than their count stands in it once
    2:36: 'transpose': the order [0] is one of 1 dimension(s), the operand has 2
    2:75: the result is tile<3x2xf32>, not tile<2x3xf32>
    "#);
}

#[test]
fn elements_from_elsewhere() {
    let tile = "%v = splat %x : tile<2x3xf32> %w = splat %n : tile<2x3xi32> %q = splat %n : tile<2x2xi32>";
    let errors = [
        "%0 = join %v, %w : tile<2x3xf32>",
        "%0 = join %v : tile<2x3xf32>",
        "%0 = splat %n : tile<1x1x1x1x1xi32> %1 = join %0, %0 : tile<1x1x1x1x1xi32>",
        "%0, %1 = split %v : tile<2x3xf32>",
        "%0, %1 = split %x : f32",
        "%0 = split %q : tile<2x2xi32>",
        "%0 = gather %v, %w : tile<2x3xf32> to tile<2x3xf32>",
        "%0 = gather %v, %w axis 2 : tile<2x3xf32> to tile<2x3xf32>",
        "%0 = gather %v, %v axis 1 : tile<2x3xf32> to tile<2x3xf32>",
        "%0 = gather %v, %q axis 0 : tile<2x3xf32> to tile<2x2xf32>",
        "%0 = gather %v, %q axis 1 : tile<2x3xf32> to tile<2x3xf32>",
        "%0 = gather %x, %q axis 0 : f32 to tile<2x2xf32>",
        "%0 = histogram %v : tile<2x3xf32> to tile<8xi32>",
        "%0 = histogram %w : tile<2x3xi32> to tile<8xi64>",
        "%0 = histogram %w : tile<2x3xi32> to tile<2x4xi32>",
        "%0 = histogram %w, %w : tile<2x3xi32> to tile<8xi32>",
        "%0 = histogram %n : i32 to tile<8xi32>",
    ]
    .map(|op| of_op(&format!("{tile} {op}")));
    insta::assert_snapshot!(errors.join("\n"), @r#"
    2:96: the operands of 'join' have one type: tile<2x3xf32> and tile<2x3xi32> differ
    2:96: 'join' takes 2 operand(s), not 1
    2:132: 'join': a tile of rank 6: at most 5 dimensions are possible
    2:100: 'split' takes a tile whose last extent is 2, not tile<2x3xf32>
    2:100: 'split' takes a tile whose last extent is 2, not f32
    2:91: 'split' gives 2 results here, but 1 stand to the left of '='
    2:110: expected 'axis', found ':'
    2:96: 'gather': axis 2 is outside of a tile of rank 2
    2:96: 'gather' takes a tile of i8, i16, i32 or i64 as its index, not tile<2x3xf32>
    2:96: 'gather': the extents of operand and index are equal, but along axis 0: [2x3] and [2x2] differ
    2:136: the result is tile<2x2xf32>, not tile<2x3xf32>
    2:96: 'gather' takes a tile of numbers first, not f32
    2:96: 'histogram' takes a tile of integers, not tile<2x3xf32>
    2:96: 'histogram' of tile<2x3xi32> cannot give tile<8xi64>: it counts into a tile of i32 of rank 1, an element for each bin
    2:96: 'histogram' of tile<2x3xi32> cannot give tile<2x4xi32>: it counts into a tile of i32 of rank 1, an element for each bin
    2:96: the mask of 'histogram' is tile<2x3xi1> here, not tile<2x3xi32>
    2:96: 'histogram' takes a tile of integers, not i32
    "#);
}

/// Which forms of a literal a type has: a table of all.
#[test]
fn literals_of_each_type() {
    let reads = |literal: &str, scalar: Scalar| {
        let text = format!("kernel @k() {{\n%c = const {literal} : {scalar}\n}}");
        parse_module(&text, "k.ssa").is_ok()
    };
    for scalar in Scalar::ALL {
        let (int, float) = (scalar.is_int() && scalar != Scalar::I1, scalar.is_float());
        for (literal, allowed) in [
            ("true", scalar == Scalar::I1),
            ("false", scalar == Scalar::I1),
            ("yes", false),
            ("7", int),
            ("-1", int),
            ("2.0", float),
            ("-1e-1", float),
            ("0x1", true),
            ("0x1FFFFFFFFFFFFFFFF", false),
        ] {
            assert_eq!(reads(literal, scalar), allowed, "{literal} : {scalar}");
        }
        // At the limits of an integer, signed or not, and one beyond.
        if int {
            let (low, high) = (-1i128 << (scalar.bits() - 1), (1i128 << scalar.bits()) - 1);
            for (value, allowed) in [(low, true), (high, true), (low - 1, false), (high + 1, false)] {
                assert_eq!(reads(&value.to_string(), scalar), allowed, "{value} : {scalar}");
            }
        }
    }
}

/// In front of a point or an exponent's sign, digits alone are numbers.
#[test]
fn literals_of_no_type() {
    for literal in [
        "-", "-x", "1e", "1e+", "1e+x", "1ex5", "1e5x", "1.x", ".5", "1.5.", "+1", "1x", "0xg",
    ] {
        for scalar in [Scalar::I32, Scalar::F32] {
            let text = format!("kernel @k() {{\n%c = const {literal} : {scalar}\n}}");
            assert!(parse_module(&text, "k.ssa").is_err(), "{literal} : {scalar}");
        }
    }
    for literal in ["1e5", "1E5", "1e+5", "1e-5", "1.0e5", "-1.5E-05"] {
        let text = format!("kernel @k() {{\n%c = const {literal} : f32\n}}");
        assert!(parse_module(&text, "k.ssa").is_ok(), "{literal}");
    }
}

/// Just above halfway between two numbers of `f32`, by less than `f64` holds: rounded to `f64` first, it would be a tie.
#[test]
fn literals_are_rounded_once() {
    let text = "kernel @k() {\n%c = const 1.00000005960464477539062500000000001 : f32\n}";
    let module = parse_module(text, "k.ssa").unwrap();
    assert!(module.to_string().contains("const 1.0000001 : f32"), "{module}");
}

#[test]
fn what_was_found_is_shown_up_to_a_length() {
    let found = |length: usize| {
        error(&format!("kernel {}", "x".repeat(length)))
            .lines()
            .next()
            .unwrap()
            .to_owned()
    };
    let (all, cut) = ("x".repeat(40), format!("{}...", "x".repeat(40)));
    assert_eq!(
        found(40),
        format!("k.ssa:1:8: expected the kernel's name, '@name', found '{all}'")
    );
    assert_eq!(
        found(41),
        format!("k.ssa:1:8: expected the kernel's name, '@name', found '{cut}'")
    );
}

/// The marked part of the text: what could not be read, to where reading ended.
#[test]
fn wrong_tokens_are_marked() {
    for (text, marked) in [
        ("kernel @k() { ! }", "!"),
        ("kernel @k() { %0a = range 0, 4 }", "%0a"),
        ("kernel @1k() {}", "@1k"),
        ("kernel @k() {} loc(\"f:1)\n", "\"f:1)"),
    ] {
        let error = parse_module(text, "k.ssa").unwrap_err();
        assert_eq!(&text[error.span.clone()], marked, "{error}");
    }
}

/// What shape and memory operations take: each right form, and the same wrong in one respect.
#[test]
fn operands_fit_or_are_refused() {
    let operands = "%s = splat %x : tile<4xf32> %i = splat %n : tile<4xi32> %q = splat %p : tile<4xptr<f32>>
        %one = splat %x : tile<1x4xf32> %b = cmp lt_u %n, %n : i32";
    for (op, fits) in [
        ("addptr %p, %n : ptr<f32>", true),
        ("addptr %p, %x : ptr<f32>", false),
        ("addptr %p, %b : ptr<f32>", false),
        ("addptr %p, %p : ptr<f32>", false),
        ("addptr %n, %n : i32", false),
        ("addptr %q, %i : tile<4xptr<f32>>", true),
        ("addptr %q, %n : tile<4xptr<f32>>", false),
        ("addptr %p, %i : ptr<f32>", false),
        ("cmp eq %p, %p : ptr<f32>", true),
        ("cmp ne %q, %q : tile<4xptr<f32>>", true),
        ("cmp lt %p, %p : ptr<f32>", false),
        ("cmp lt_u %p, %p : ptr<f32>", false),
        ("cmp lt %n, %n : i32", true),
        ("broadcast %one : tile<1x4xf32> to tile<3x4xf32>", true),
        ("broadcast %one : tile<1x4xf32> to tile<1x4xf32>", true),
        ("broadcast %one : tile<1x4xf32> to tile<3x8xf32>", false),
        ("broadcast %one : tile<1x4xf32> to tile<3x4xi32>", false),
        ("broadcast %one : tile<1x4xf32> to tile<3x4x1xf32>", false),
        ("broadcast %one : tile<1x4xf32> to tile<1xf32>", false),
        ("broadcast %s : tile<4xf32> to tile<4x4xf32>", false),
        ("broadcast %x : f32 to tile<4xf32>", false),
        ("broadcast %x : f32 to f32", false),
        ("splat %x : tile<2x2xf32>", true),
        ("splat %x : tile<2x2xi32>", false),
        ("splat %s : tile<4x4xf32>", false),
        ("expand_dims %s, 1 : tile<4xf32> to tile<4x1xf32>", true),
        ("expand_dims %s, 2 : tile<4xf32> to tile<4x1xf32>", false),
        ("expand_dims %x, 0 : f32 to tile<1xf32>", false),
        ("reshape %s : tile<4xf32> to tile<2x2xf32>", true),
        ("reshape %s : tile<4xf32> to tile<2x2xi32>", false),
        ("reshape %s : tile<4xf32> to tile<2x3xf32>", false),
        ("select %b, %s, %s : tile<4xf32>", true),
        ("select %n, %s, %s : tile<4xf32>", false),
        ("select %b, %s, %i : tile<4xf32>", false),
        ("bitcast %s : tile<4xf32> to tile<4xi32>", true),
        ("bitcast %s : tile<4xf32> to tile<2x2xi32>", false),
        ("bitcast %p : ptr<f32> to i64", false),
    ] {
        let text = format!("kernel @k(%p: ptr<f32>, %x: f32, %n: i32) {{ {operands} %r = {op} }}");
        let read = parse_module(&text, "k.ssa");
        assert_eq!(read.is_ok(), fits, "{op}: {:?}", read.err().map(|e| e.to_string()));
    }
}
