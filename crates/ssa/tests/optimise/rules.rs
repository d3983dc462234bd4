//! One case for each equation, and for each that does not hold.

use crate::cases::{becomes, kernel_becomes, stays};

const INTS: [&str; 4] = ["i8", "i16", "i32", "i64"];
const FLOATS: [&str; 4] = ["f16", "bf16", "f32", "f64"];

#[test]
fn folds_constants() {
    for ty in INTS {
        becomes(
            ty,
            ty,
            "%a = const 7 : $; %c = const 3 : $; %r = rem_s %a, %c : $ => %r",
            "%r = const 1 : $ => %r",
        );
        becomes(
            ty,
            "i1",
            "%a = const 7 : $; %c = const -3 : $; %r = cmp lt_u %a, %c : $ => %r",
            "%r = const true : i1 => %r",
        );
        // Unspecified: left for the CPU device to report.
        stays(
            ty,
            ty,
            "%a = const 7 : $; %c = const 0 : $; %r = div_s %a, %c : $ => %r",
        );
    }
    for ty in FLOATS {
        becomes(
            ty,
            ty,
            "%a = const 0.5 : $; %r = fma %a, %a, %a : $ => %r",
            "%r = const 0.75 : $ => %r",
        );
        becomes(
            ty,
            ty,
            "%a = const -1.0 : $; %r = exp2 %a : $ => %r",
            "%r = const 0.5 : $ => %r",
        );
        becomes(
            ty,
            "i8",
            "%a = const 1000.0 : $; %r = f_to_s %a : $ to i8 => %r",
            "%r = const 127 : i8 => %r",
        );
    }
}

#[test]
fn folds_constant_tiles() {
    let kernel = |ops: &str| {
        format!(
            "kernel @k(%p: ptr<i32>) {{ %q = splat %p : tile<2x4xptr<i32>>\n {ops}\n store %q, %r : tile<2x4xptr<i32>> }}"
        )
    };
    kernel_becomes(
        &kernel(
            "%a = range 5, 6
             %s = const 2 : i32
             %t = splat %s : tile<1xi32>
             %u = mul %a, %t : tile<1xi32>
             %v = expand_dims %u, 0 : tile<1xi32> to tile<1x1xi32>
             %r = broadcast %v : tile<1x1xi32> to tile<2x4xi32>",
        ),
        &kernel("%r = const 10 : tile<2x4xi32>"),
    );
}

#[test]
fn shapes() {
    let kernel = |ops: &str| {
        format!(
            "kernel @k(%p: ptr<i32>, %x: i32) {{ %q = splat %p : tile<2x4xptr<i32>>\n {ops}\n store %q, %r : tile<2x4xptr<i32>> }}"
        )
    };
    kernel_becomes(
        &kernel(
            "%a = splat %x : tile<4xi32>
             %v = expand_dims %a, 0 : tile<4xi32> to tile<1x4xi32>
             %r = broadcast %v : tile<1x4xi32> to tile<2x4xi32>",
        ),
        &kernel("%r = splat %x : tile<2x4xi32>"),
    );
    let from_range = "%a = range 0, 4
         %v = expand_dims %a, 0 : tile<4xi32> to tile<1x4xi32>";
    kernel_becomes(
        &kernel(&format!(
            "{from_range}
             %w = broadcast %v : tile<1x4xi32> to tile<1x4xi32>
             %r = broadcast %w : tile<1x4xi32> to tile<2x4xi32>"
        )),
        &kernel(&format!(
            "{from_range}\n %r = broadcast %v : tile<1x4xi32> to tile<2x4xi32>"
        )),
    );
    // In two steps that both stretch.
    let stretched = |steps: &str| {
        kernel(&format!(
            "%a = range 0, 4
             %u = reshape %a : tile<4xi32> to tile<1x1x4xi32>
             {steps}
             %s = reshape %v : tile<2x3x4xi32> to tile<3x8xi32>
             %r = reduce %s axis 0 : tile<3x8xi32> (%m, %n) {{ %o = add %m, %n : i32\n yield %o }}"
        ))
        .replace("2x4xptr", "8xptr")
    };
    kernel_becomes(
        &stretched(
            "%b = broadcast %u : tile<1x1x4xi32> to tile<1x3x4xi32>
             %v = broadcast %b : tile<1x3x4xi32> to tile<2x3x4xi32>",
        ),
        &stretched("%v = broadcast %u : tile<1x1x4xi32> to tile<2x3x4xi32>"),
    );
    // To its own shape alone.
    let once = |step: &str, last: &str| {
        kernel(&format!(
            "%a = range 0, 8\n {step} %r = reshape {last} : tile<8xi32> to tile<2x4xi32>"
        ))
    };
    kernel_becomes(
        &once("%b = broadcast %a : tile<8xi32> to tile<8xi32>\n", "%b"),
        &once("", "%a"),
    );
}

#[test]
fn pairs() {
    let kernel = |ops: &str| {
        format!(
            "kernel @k(%p: ptr<i32>, %x: i32, %y: i32) {{
               %q = splat %p : tile<4x2xptr<i32>>
               {ops}
               store %q, %r : tile<4x2xptr<i32>>
             }}"
        )
    };
    kernel_becomes(
        &kernel("%a = splat %x : tile<4xi32>\n %r = join %a, %a : tile<4xi32>"),
        "kernel @k(%p: ptr<i32>, %x: i32, %y: i32) {
           %q = splat %p : tile<4x2xptr<i32>>
           %r = splat %x : tile<4x2xi32>
           store %q, %r : tile<4x2xptr<i32>>
         }",
    );
    let different =
        kernel("%a = splat %x : tile<4xi32>\n %b = splat %y : tile<4xi32>\n %r = join %a, %b : tile<4xi32>");
    kernel_becomes(&different, &different);
    // Halves that are joined again, in their order and in the other one.
    let ramp = "%0 = range 0, 8\n %t = reshape %0 : tile<8xi32> to tile<4x2xi32>\n";
    let joined = |order: &str| {
        kernel(&format!(
            "{ramp} %u, %v = split %t : tile<4x2xi32>\n %r = join {order} : tile<4xi32>"
        ))
    };
    kernel_becomes(&joined("%u, %v"), &kernel(ramp).replace("%r", "%t"));
    kernel_becomes(&joined("%v, %u"), &joined("%v, %u"));
    // The first half of one tile, and the second of another.
    let mixed = kernel(&format!(
        "{ramp} %1 = range 1, 9\n %w = reshape %1 : tile<8xi32> to tile<4x2xi32>
         %u, %v = split %t : tile<4x2xi32>\n %k, %l = split %w : tile<4x2xi32>
         %r = join %u, %l : tile<4xi32>"
    ));
    kernel_becomes(&mixed, &mixed);
}

#[test]
fn integer_identities() {
    for ty in INTS {
        for (constant, op) in [
            ("0", "add"),
            ("0", "sub"),
            ("1", "mul"),
            ("1", "div_s"),
            ("1", "div_u"),
            ("0", "or"),
            ("0", "xor"),
            ("-1", "and"),
            ("0", "shl"),
            ("0", "shr_s"),
            ("0", "shr_u"),
            ("-1", "min_u"),
            ("0", "max_u"),
        ] {
            becomes(
                ty,
                ty,
                &format!("%c = const {constant} : $; %r = {op} %x, %c : $ => %r"),
                " => %x",
            );
        }
        for (constant, op) in [
            ("0", "mul"),
            ("0", "and"),
            ("-1", "or"),
            ("0", "min_u"),
            ("-1", "max_u"),
        ] {
            becomes(
                ty,
                ty,
                &format!("%c = const {constant} : $; %r = {op} %c, %x : $ => %r"),
                &format!("%c = const {constant} : $ => %c"),
            );
        }
        for (before, after) in [
            ("%r = sub %x, %x : $ => %r", "%r = const 0 : $ => %r"),
            ("%r = xor %x, %x : $ => %r", "%r = const 0 : $ => %r"),
            ("%r = and %x, %x : $ => %r", "=> %x"),
            ("%r = or %x, %x : $ => %r", "=> %x"),
            ("%r = min_s %x, %x : $ => %r", "=> %x"),
            ("%r = max_u %x, %x : $ => %r", "=> %x"),
            (
                "%c = const 1 : $; %r = rem_s %x, %c : $ => %r",
                "%r = const 0 : $ => %r",
            ),
            (
                "%c = const 1 : $; %r = rem_u %x, %c : $ => %r",
                "%r = const 0 : $ => %r",
            ),
            (
                "%c = const 100 : $; %r = shl %c, %x : $; %d = const 0 : $; %s = mul %r, %d : $ => %s",
                "%r = const 0 : $ => %r",
            ),
            (
                "%c = const 0 : $; %r = shr_s %c, %x : $ => %r",
                "%r = const 0 : $ => %r",
            ),
            ("%c = const 64 : $; %r = shl %x, %c : $ => %r", "%r = const 0 : $ => %r"),
            (
                "%c = const -1 : $; %r = shr_u %x, %c : $ => %r",
                "%r = const 0 : $ => %r",
            ),
            ("%r = abs %x : $; %s = abs %r : $ => %s", "%r = abs %x : $ => %r"),
            (
                "%c = const 3 : $; %r = add %c, %x : $ => %r",
                "%c = const 3 : $; %r = add %x, %c : $ => %r",
            ),
            (
                "%c = const 3 : $; %r = add %x, %c : $; %s = add %c, %r : $ => %s",
                "%c = const 6 : $; %s = add %x, %c : $ => %s",
            ),
            (
                "%c = const 100 : $; %r = mul %x, %c : $; %s = mul %r, %c : $ => %s",
                if ty == "i8" {
                    "%c = const 16 : $; %s = mul %x, %c : $ => %s"
                } else {
                    "%c = const 10000 : $; %s = mul %x, %c : $ => %s"
                },
            ),
        ] {
            becomes(ty, ty, before, after);
        }
        stays(ty, ty, "%c = const 64 : $; %r = shr_s %x, %c : $ => %r");
        stays(ty, ty, "%r = div_s %x, %x : $ => %r");
        stays(ty, ty, "%c = const 0 : $; %r = rem_u %c, %x : $ => %r");
        stays(ty, ty, "%c = const 1 : $; %r = sub %c, %x : $ => %r");
    }
    for (op, identity, absorbing) in [("min_s", "127", "-128"), ("max_s", "-128", "127")] {
        becomes(
            "i8",
            "i8",
            &format!("%c = const {identity} : $; %r = {op} %x, %c : $ => %r"),
            "=> %x",
        );
        becomes(
            "i8",
            "i8",
            &format!("%c = const {absorbing} : $; %r = {op} %x, %c : $ => %r"),
            &format!("%c = const {absorbing} : $ => %c"),
        );
    }
    // i1: product is and, and true its identity element.
    becomes("i1", "i1", "%c = const true : $; %r = mul %x, %c : $ => %r", "=> %x");
    becomes("i1", "i1", "%c = const true : $; %r = and %x, %c : $ => %r", "=> %x");
    // As unsigned the lesser and the greater of booleans are and and or; true is the largest.
    becomes("i1", "i1", "%c = const true : $; %r = min_u %x, %c : $ => %r", "=> %x");
    becomes("i1", "i1", "%c = const true : $; %r = div_u %x, %c : $ => %r", "=> %x");
    becomes(
        "i1",
        "i1",
        "%c = const true : $; %r = max_u %x, %c : $ => %r",
        "%c = const true : $ => %c",
    );
    becomes(
        "i1",
        "i1",
        "%c = const true : $; %r = cmp gt_u %x, %c : $ => %r",
        "%r = const false : $ => %r",
    );
}

#[test]
fn float_identities() {
    for ty in FLOATS {
        for (before, after) in [
            ("%c = const -0.0 : $; %r = add %c, %x : $ => %r", "=> %x"),
            ("%c = const 0.0 : $; %r = sub %x, %c : $ => %r", "=> %x"),
            ("%c = const 1.0 : $; %r = mul %x, %c : $ => %r", "=> %x"),
            ("%c = const 1.0 : $; %r = div %x, %c : $ => %r", "=> %x"),
            ("%c = const 1.0 : $; %r = div_rn %x, %c : $ => %r", "=> %x"),
            ("%r = neg %x : $; %s = neg %r : $ => %s", "=> %x"),
            ("%r = neg %x : $; %s = abs %r : $ => %s", "%s = abs %x : $ => %s"),
            (
                "%r = floor %x : $; %s = round_even %r : $ => %s",
                "%r = floor %x : $ => %r",
            ),
            ("%r = min %x, %x : $ => %r", "=> %x"),
            ("%r = max_nan %x, %x : $ => %r", "=> %x"),
            (
                "%c = const 4.0 : $; %r = div %x, %c : $ => %r",
                "%c = const 0.25 : $; %r = mul %x, %c : $ => %r",
            ),
            (
                "%c = const -0.5 : $; %r = div_rn %x, %c : $ => %r",
                "%c = const -2.0 : $; %r = mul %x, %c : $ => %r",
            ),
            (
                "%c = const -0.0 : $; %r = sub %c, %x : $ => %r",
                "%r = neg %x : $ => %r",
            ),
            (
                "%n = neg %y : $; %r = add %x, %n : $ => %r",
                "%r = sub %x, %y : $ => %r",
            ),
            (
                "%n = neg %y : $; %r = add %n, %x : $ => %r",
                "%r = sub %x, %y : $ => %r",
            ),
            (
                "%n = neg %y : $; %r = sub %x, %n : $ => %r",
                "%r = add %x, %y : $ => %r",
            ),
            (
                "%m = neg %x : $; %n = neg %y : $; %r = mul %m, %n : $ => %r",
                "%r = mul %x, %y : $ => %r",
            ),
            (
                "%c = const 1.0 : $; %r = fma %x, %c, %y : $ => %r",
                "%r = add %x, %y : $ => %r",
            ),
            (
                "%c = const 1.0 : $; %r = fma %c, %x, %y : $ => %r",
                "%r = add %x, %y : $ => %r",
            ),
            (
                "%c = const -0.0 : $; %r = fma %x, %y, %c : $ => %r",
                "%r = mul %x, %y : $ => %r",
            ),
        ] {
            becomes(ty, ty, before, after);
        }
        for case in [
            "%c = const 0.0 : $; %r = add %x, %c : $ => %r",
            "%c = const -0.0 : $; %r = sub %x, %c : $ => %r",
            "%c = const 0.0 : $; %r = sub %c, %x : $ => %r",
            "%c = const 0.0 : $; %r = mul %x, %c : $ => %r",
            "%c = const 3.0 : $; %r = div %x, %c : $ => %r",
            "%c = const 0.0 : $; %r = div %x, %c : $ => %r",
            "%c = const 0.0 : $; %r = fma %x, %y, %c : $ => %r",
            "%r = sub %x, %x : $ => %r",
            "%r = div %x, %x : $ => %r",
            "%c = const 0.5 : $; %r = add %x, %c : $; %s = add %r, %c : $ => %s",
            "%c = const 0.5 : $; %r = mul %x, %c : $; %s = mul %r, %c : $ => %s",
            "%p = mul %x, %y : $; %r = add %p, %z : $ => %r",
            "%n = neg %x : $; %r = mul %n, %y : $ => %r",
        ] {
            stays(ty, ty, case);
        }
    }
    becomes(
        "f32",
        "f32",
        "%c = const 0x7F800000 : $; %r = min_nan %x, %c : $ => %r",
        "=> %x",
    );
    stays("f32", "f32", "%c = const 0x7F800000 : $; %r = min %x, %c : $ => %r");
    // 2^-149, whose inverse f32 cannot hold.
    stays("f32", "f32", "%c = const 0x1 : $; %r = div %x, %c : $ => %r");
}

#[test]
fn comparisons() {
    for ty in INTS {
        for (pred, value) in [
            ("eq", "true"),
            ("le", "true"),
            ("ge_u", "true"),
            ("ne", "false"),
            ("lt", "false"),
            ("gt_u", "false"),
        ] {
            becomes(
                ty,
                "i1",
                &format!("%r = cmp {pred} %x, %x : $ => %r"),
                &format!("%r = const {value} : i1 => %r"),
            );
        }
        for (pred, constant, value) in [
            ("lt_u", 0, "false"),
            ("ge_u", 0, "true"),
            ("gt_u", -1, "false"),
            ("le_u", -1, "true"),
        ] {
            becomes(
                ty,
                "i1",
                &format!("%c = const {constant} : $; %r = cmp {pred} %x, %c : $ => %r"),
                &format!("%r = const {value} : i1 => %r"),
            );
        }
        becomes(
            ty,
            "i1",
            "%c = const 5 : $; %r = cmp lt %c, %x : $ => %r",
            "%c = const 5 : $; %r = cmp gt %x, %c : $ => %r",
        );
    }
    for ty in FLOATS {
        becomes(ty, "i1", "%r = cmp lt %x, %x : $ => %r", "%r = const false : i1 => %r");
        becomes(ty, "i1", "%r = cmp gt %x, %x : $ => %r", "%r = const false : i1 => %r");
        for pred in ["eq", "ne", "le", "ge"] {
            stays(ty, "i1", &format!("%r = cmp {pred} %x, %x : $ => %r"));
        }
    }
    becomes(
        "f16",
        "i1",
        "%c = const 0x7E00 : $; %r = cmp ge %x, %c : $ => %r",
        "%r = const false : i1 => %r",
    );
    becomes(
        "f16",
        "i1",
        "%c = const 0x7E00 : $; %r = cmp ne %c, %x : $ => %r",
        "%r = const true : i1 => %r",
    );
    for (case, after) in [
        ("%c = const true : i1; %r = cmp eq %x, %c : i1 => %r", "=> %x"),
        ("%c = const false : i1; %r = cmp ne %x, %c : i1 => %r", "=> %x"),
        (
            "%c = const false : i1; %r = cmp eq %x, %c : i1 => %r",
            "%c = const true : i1; %r = xor %x, %c : i1 => %r",
        ),
    ] {
        becomes("i1", "i1", case, after);
    }
}

#[test]
fn selections() {
    for ty in INTS.into_iter().chain(FLOATS) {
        for (before, after) in [
            ("%r = select %b, %x, %x : $ => %r", "=> %x"),
            ("%c = const true : i1; %r = select %c, %x, %y : $ => %r", "=> %x"),
            ("%c = const false : i1; %r = select %c, %x, %y : $ => %r", "=> %y"),
            (
                "%t = const true : i1; %n = xor %b, %t : i1; %r = select %n, %x, %y : $ => %r",
                "%r = select %b, %y, %x : $ => %r",
            ),
        ] {
            becomes(ty, ty, before, after);
        }
    }
    becomes(
        "i1",
        "i1",
        "%t = const true : i1; %f = const false : i1; %r = select %b, %t, %f : i1 => %r",
        "=> %b",
    );
    becomes(
        "i1",
        "i1",
        "%t = const true : i1; %f = const false : i1; %r = select %b, %f, %t : i1 => %r",
        "%t = const true : i1; %r = xor %b, %t : i1 => %r",
    );
    // Where the one arm is open, an and would leave more open.
    stays("i1", "i1", "%f = const false : i1; %r = select %b, %x, %f : i1 => %r");
}

#[test]
fn casts_that_cancel() {
    for (ty, out, before, after) in [
        (
            "i8",
            "i64",
            "%a = zext %x : i8 to i16; %r = zext %a : i16 to i64 => %r",
            "%r = zext %x : i8 to i64 => %r",
        ),
        (
            "i8",
            "i64",
            "%a = sext %x : i8 to i16; %r = sext %a : i16 to i64 => %r",
            "%r = sext %x : i8 to i64 => %r",
        ),
        (
            "i8",
            "i64",
            "%a = zext %x : i8 to i16; %r = sext %a : i16 to i64 => %r",
            "%r = zext %x : i8 to i64 => %r",
        ),
        (
            "i64",
            "i8",
            "%a = trunc_int %x : i64 to i16; %r = trunc_int %a : i16 to i8 => %r",
            "%r = trunc_int %x : i64 to i8 => %r",
        ),
        (
            "i16",
            "i16",
            "%a = sext %x : i16 to i64; %r = trunc_int %a : i64 to i16 => %r",
            "=> %x",
        ),
        (
            "i16",
            "i8",
            "%a = zext %x : i16 to i64; %r = trunc_int %a : i64 to i8 => %r",
            "%r = trunc_int %x : i16 to i8 => %r",
        ),
        (
            "i16",
            "i32",
            "%a = sext %x : i16 to i64; %r = trunc_int %a : i64 to i32 => %r",
            "%r = sext %x : i16 to i32 => %r",
        ),
        (
            "f16",
            "f64",
            "%a = fext %x : f16 to f32; %r = fext %a : f32 to f64 => %r",
            "%r = fext %x : f16 to f64 => %r",
        ),
        (
            "f16",
            "f16",
            "%a = fext %x : f16 to f32; %r = ftrunc %a : f32 to f16 => %r",
            "=> %x",
        ),
        (
            "bf16",
            "f32",
            "%a = fext %x : bf16 to f64; %r = ftrunc %a : f64 to f32 => %r",
            "%r = fext %x : bf16 to f32 => %r",
        ),
        (
            "f32",
            "f16",
            "%a = fext %x : f32 to f64; %r = ftrunc %a : f64 to f16 => %r",
            "%r = ftrunc %x : f32 to f16 => %r",
        ),
        (
            "i16",
            "bf16",
            "%a = bitcast %x : i16 to f16; %r = bitcast %a : f16 to bf16 => %r",
            "%r = bitcast %x : i16 to bf16 => %r",
        ),
        (
            "i32",
            "i32",
            "%a = bitcast %x : i32 to f32; %r = bitcast %a : f32 to i32 => %r",
            "=> %x",
        ),
        (
            "i8",
            "f32",
            "%a = zext %x : i8 to i32; %r = s_to_f %a : i32 to f32 => %r",
            "%r = u_to_f %x : i8 to f32 => %r",
        ),
        (
            "i8",
            "f32",
            "%a = sext %x : i8 to i32; %r = s_to_f %a : i32 to f32 => %r",
            "%r = s_to_f %x : i8 to f32 => %r",
        ),
        (
            "f16",
            "i32",
            "%a = fext %x : f16 to f32; %r = f_to_u %a : f32 to i32 => %r",
            "%r = f_to_u %x : f16 to i32 => %r",
        ),
    ] {
        becomes(ty, out, before, after);
    }
    for (ty, out, case) in [
        // Two roundings.
        (
            "f64",
            "f16",
            "%a = ftrunc %x : f64 to f32; %r = ftrunc %a : f32 to f16 => %r",
        ),
        (
            "i64",
            "f16",
            "%a = s_to_f %x : i64 to f32; %r = ftrunc %a : f32 to f16 => %r",
        ),
        (
            "f32",
            "f32",
            "%a = ftrunc %x : f32 to f16; %r = fext %a : f16 to f32 => %r",
        ),
        (
            "f16",
            "bf16",
            "%a = fext %x : f16 to f32; %r = ftrunc %a : f32 to bf16 => %r",
        ),
        // The upper half differs.
        (
            "i16",
            "i64",
            "%a = sext %x : i16 to i32; %r = zext %a : i32 to i64 => %r",
        ),
        // True is -1 here.
        (
            "i1",
            "f32",
            "%a = sext %x : i1 to i32; %r = s_to_f %a : i32 to f32 => %r",
        ),
        (
            "i8",
            "f32",
            "%a = sext %x : i8 to i32; %r = u_to_f %a : i32 to f32 => %r",
        ),
    ] {
        stays(ty, out, case);
    }
}

#[test]
fn pointers() {
    let kernel = |ops: &str, ptr: &str| {
        format!("kernel @k(%p: ptr<f32>, %x: f32, %i: i64) {{ {ops}\n store {ptr}, %x : ptr<f32> }}")
    };
    for (before, at, after, to) in [
        ("%c = const 0 : i32\n %q = addptr %p, %c : ptr<f32>", "%q", "", "%p"),
        (
            "%c = const 3 : i32\n %q = addptr %p, %c : ptr<f32>\n %r = addptr %q, %c : ptr<f32>",
            "%r",
            "%c = const 6 : i32\n %r = addptr %p, %c : ptr<f32>",
            "%r",
        ),
        (
            "%c = const 0x7FFFFFFFFFFFFFFF : i64\n %q = addptr %p, %c : ptr<f32>\n %r = addptr %q, %c : ptr<f32>",
            "%r",
            "%c = const -2 : i64\n %r = addptr %p, %c : ptr<f32>",
            "%r",
        ),
        // 100 + 100 wraps in i8.
        (
            "%c = const 100 : i8\n %q = addptr %p, %c : ptr<f32>\n %r = addptr %q, %c : ptr<f32>",
            "%r",
            "%c = const 100 : i8\n %q = addptr %p, %c : ptr<f32>\n %r = addptr %q, %c : ptr<f32>",
            "%r",
        ),
        (
            "%c = const 1 : i64\n %q = addptr %p, %i : ptr<f32>\n %r = addptr %q, %c : ptr<f32>",
            "%r",
            "%c = const 1 : i64\n %q = addptr %p, %i : ptr<f32>\n %r = addptr %q, %c : ptr<f32>",
            "%r",
        ),
    ] {
        kernel_becomes(&kernel(before, at), &kernel(after, to));
    }
}

#[test]
fn masks_that_are_constant() {
    let kernel = |ops: &str| {
        format!(
            "kernel @k(%p: ptr<f32>, %x: f32) {{
               %q = splat %p : tile<4xptr<f32>>
               %v = splat %x : tile<4xf32>
               {ops}
             }}"
        )
    };
    let mask = |value: &str| format!("%b = const {value} : i1\n %m = splat %b : tile<4xi1>\n");
    let (yes, no) = (mask("true"), mask("false"));
    let write = "store %q, %r : tile<4xptr<f32>>";
    kernel_becomes(
        &kernel(&format!("{yes} %r = load %q, %m, %v : tile<4xptr<f32>>\n {write}")),
        "kernel @k(%p: ptr<f32>, %x: f32) { %q = splat %p : tile<4xptr<f32>>\n %r = load %q : tile<4xptr<f32>>
           store %q, %r : tile<4xptr<f32>> }",
    );
    kernel_becomes(
        &kernel(&format!("{no} %r = load %q, %m, %v : tile<4xptr<f32>>\n {write}")),
        &kernel("store %q, %v : tile<4xptr<f32>>"),
    );
    kernel_becomes(
        &kernel(&format!("{yes} store %q, %v, %m : tile<4xptr<f32>>")),
        &kernel("store %q, %v : tile<4xptr<f32>>"),
    );
    kernel_becomes(
        &kernel(&format!("{no} store %q, %v, %m : tile<4xptr<f32>>")),
        "kernel @k(%p: ptr<f32>, %x: f32) {}",
    );
}
