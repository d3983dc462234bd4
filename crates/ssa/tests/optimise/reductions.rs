//! Reductions, scans and movement of elements.

use mytriton_ssa::{OpKind, OptLevel};

use crate::cases::{kernel_becomes, optimised, parse};

/// A kernel that stores a tile or scalar `%r` of `i32` through pointers of the type; `%x` is a tile.
fn kernel(dims: &str, ops: &str) -> String {
    let of = |elem: &str| {
        if dims.is_empty() {
            elem.to_owned()
        } else {
            format!("tile<{dims}x{elem}>")
        }
    };
    let pointers = match dims {
        "" => "%q = addptr %p, %n : ptr<i32>".to_owned(),
        _ => format!("%q = splat %p : {}", of("ptr<i32>")),
    };
    format!(
        "kernel @k(%p: ptr<i32>, %n: i32) {{ {pointers}\n {ops}\n store %q, %r : {} }}",
        of("ptr<i32>")
    )
}

const SUM: &str = "(%a, %b) { %c = add %a, %b : i32 yield %c }";

#[test]
fn reshapes() {
    let x = "%x = range 0, 8\n";
    let to =
        |dims: &str, ops: &str, same: &str| kernel_becomes(&kernel(dims, &format!("{x}{ops}")), &kernel(dims, same));
    to(
        "2x4",
        "%y = reshape %x : tile<8xi32> to tile<4x2xi32>
         %z = expand_dims %y, 1 : tile<4x2xi32> to tile<4x1x2xi32>
         %r = reshape %z : tile<4x1x2xi32> to tile<2x4xi32>",
        &format!("{x} %r = reshape %x : tile<8xi32> to tile<2x4xi32>"),
    );
    // store needs the value, so that nothing but the range is left.
    kernel_becomes(
        &kernel(
            "8",
            &format!(
                "{x} %y = reshape %x : tile<8xi32> to tile<4x2xi32> %r = reshape %y : tile<4x2xi32> to tile<8xi32>"
            ),
        ),
        &kernel("8", "%r = range 0, 8"),
    );
    to(
        "2x4",
        "%s = splat %n : tile<8xi32> %r = reshape %s : tile<8xi32> to tile<2x4xi32>",
        "%r = splat %n : tile<2x4xi32>",
    );
    to(
        "1x1",
        "%r = reshape %n : i32 to tile<1x1xi32>",
        "%r = splat %n : tile<1x1xi32>",
    );
    to(
        "2x4",
        "%c = const 3 : tile<8xi32> %r = reshape %c : tile<8xi32> to tile<2x4xi32>",
        "%r = const 3 : tile<2x4xi32>",
    );
    // Through one element and back.
    let scalar = "%s = splat %n : tile<1x1xi32> %t = reshape %s : tile<1x1xi32> to i32 %r = add %t, %t : i32";
    kernel_becomes(&kernel("", scalar), &kernel("", "%r = add %n, %n : i32"));
}

#[test]
fn transposes() {
    let x = "%v = range 0, 8 %x = reshape %v : tile<8xi32> to tile<2x4x1xi32>";
    let check = |dims: &str, before: &str, after: &str| {
        kernel_becomes(
            &kernel(dims, &format!("{x} {before}")),
            &kernel(dims, &format!("{x} {after}")),
        );
    };
    check(
        "1x4x2",
        "%y = transpose %x [1, 2, 0] : tile<2x4x1xi32> to tile<4x1x2xi32>
         %r = transpose %y [1, 0, 2] : tile<4x1x2xi32> to tile<1x4x2xi32>",
        "%r = transpose %x [2, 1, 0] : tile<2x4x1xi32> to tile<1x4x2xi32>",
    );
    // There and back.
    kernel_becomes(
        &kernel(
            "2x4x1",
            &format!(
                "{x} %y = transpose %x [1, 2, 0] : tile<2x4x1xi32> to tile<4x1x2xi32>
                 %r = transpose %y [2, 0, 1] : tile<4x1x2xi32> to tile<2x4x1xi32>"
            ),
        ),
        &kernel(
            "2x4x1",
            "%v = range 0, 8 %r = reshape %v : tile<8xi32> to tile<2x4x1xi32>",
        ),
    );
    kernel_becomes(
        &kernel(
            "4x2",
            "%s = splat %n : tile<2x4xi32> %r = transpose %s [1, 0] : tile<2x4xi32> to tile<4x2xi32>",
        ),
        &kernel("4x2", "%r = splat %n : tile<4x2xi32>"),
    );
}

#[test]
fn one_element_needs_no_combine() {
    let x = "%v = range 0, 8 %x = reshape %v : tile<8xi32> to tile<8x1xi32>";
    kernel_becomes(
        &kernel("8", &format!("{x} %r = reduce %x axis 1 : tile<8x1xi32> {SUM}")),
        &kernel("8", "%r = range 0, 8"),
    );
    kernel_becomes(
        &kernel("8x1", &format!("{x} %r = scan %x axis 1 reverse : tile<8x1xi32> {SUM}")),
        &kernel("8x1", &x.replace("%x", "%r")),
    );
}

#[test]
fn combines_are_simplified_by_themselves() {
    // A constant outside is not the one inside, and neither moves.
    let text = |combine: &str, rest: &str| {
        kernel(
            "",
            &format!(
                "%three = const 3 : i32 %x = range 0, 8 %s = reduce %x axis 0 : tile<8xi32> (%a, %b) {{ {combine} }} {rest}"
            ),
        )
    };
    let rest = "%r = mul %s, %three : i32";
    kernel_becomes(
        &text(
            "%i = const 3 : i32 %o = const 1 : i32 %m = mul %a, %o : i32 %c = add %m, %b : i32 %d = add %m, %b : i32 %e = mul %c, %d : i32 %f = mul %e, %i : i32 yield %f",
            rest,
        ),
        &text(
            "%i = const 3 : i32 %c = add %a, %b : i32 %e = mul %c, %c : i32 %f = mul %e, %i : i32 yield %f",
            rest,
        ),
    );
}

#[test]
fn equal_reductions_merge() {
    let sum = |name: &str| format!("{name} = reduce %x axis 0 : tile<8xi32> {SUM}\n");
    let count = |ops: &str, level| {
        let kernel = optimised(&parse(&kernel("", &format!("%x = range 0, 8\n {ops}"))), level);
        let kinds = kernel.ops_in_order().into_iter().map(|op| kernel.op(op).kind.clone());
        kinds.filter(OpKind::is_isolated).count()
    };
    let twice = format!("{}{}%r = mul %s, %t : i32", sum("%s"), sum("%t"));
    assert_eq!(count(&twice, OptLevel::Full), 1);
    assert_eq!(count(&twice, OptLevel::Basic), 2);
    // Another operation, other operands of it, another constant, another axis or direction.
    let other = |combine: &str| {
        let t = format!("%t = reduce %x axis 0 : tile<8xi32> (%a, %b) {{ {combine} yield %c }}\n");
        count(&format!("{}{t}%r = mul %s, %t : i32", sum("%s")), OptLevel::Full)
    };
    assert_eq!(other("%c = add %b, %a : i32"), 2);
    assert_eq!(other("%c = mul %a, %b : i32"), 2);
    assert_eq!(other("%d = const 1 : i32 %c = add %a, %d : i32"), 2);
    let scans = "%s = scan %x axis 0 : tile<8xi32> (%a, %b) { yield %a }
        %t = scan %x axis 0 reverse : tile<8xi32> (%a, %b) { yield %a }
        %u = mul %s, %t : tile<8xi32>
        %r = reduce %u axis 0 : tile<8xi32> (%a, %b) { yield %a }";
    assert_eq!(count(scans, OptLevel::Full), 3);
}

#[test]
fn what_no_result_depends_on_goes() {
    // The index of the largest needs the values, the largest not the indices.
    let both = |yielded: &str, used: &str| {
        kernel(
            "",
            &format!(
                "%x = range 0, 8 %k = range 8, 16
                 %s, %t = reduce %x, %k axis 0 : tile<8xi32>, tile<8xi32> (%a, %i, %b, %j) {{
                   %g = cmp gt %a, %b : i32
                   %v = select %g, %a, %b : i32
                   %w = select %g, %i, %j : i32
                   yield {yielded}
                 }}
                 %r = add %{used}, %n : i32"
            ),
        )
    };
    let alone = "%x = range 0, 8
        %s = reduce %x axis 0 : tile<8xi32> (%a, %b) {
          %g = cmp gt %a, %b : i32
          %v = select %g, %a, %b : i32
          yield %v
        }
        %r = add %s, %n : i32";
    kernel_becomes(&both("%v, %w", "s"), &kernel("", alone));
    kernel_becomes(&both("%v, %w", "t"), &both("%v, %w", "t"));
    kernel_becomes(
        &kernel(
            "",
            &format!("%x = range 0, 8 %s = reduce %x axis 0 : tile<8xi32> {SUM} %r = abs %n : i32"),
        ),
        &kernel("", "%r = abs %n : i32"),
    );
}

#[test]
fn invariant_reductions_leave_loops_whole() {
    let text = |before: &str, inside: &str| {
        format!(
            "kernel @k(%p: ptr<i32>, %n: i32) {{
               %zero = const 0 : i32
               %one = const 1 : i32
               %x = range 0, 8
               {before}
               for %i = %zero to %n step %one : i32 {{ {inside} %q = addptr %p, %i : ptr<i32> store %q, %s : ptr<i32> }}
             }}"
        )
    };
    let with = |op: &str| {
        format!(
            "%s = reduce %x axis 0 : tile<8xi32> (%a, %b) {{ %c = {op} %a, %b : i32 %d = add %c, %b : i32 yield %d }}"
        )
    };
    kernel_becomes(&text("", &with("add")), &text(&with("add"), ""));
    // One that may divide by zero is no check to make earlier.
    kernel_becomes(&text("", &with("div_s")), &text("", &with("div_s")));
}

#[test]
fn joins_and_splits() {
    let x = "%v = range 0, 8 %x = reshape %v : tile<8xi32> to tile<4x2xi32>";
    let pair = "%v = range 0, 4 %w = range 4, 8";
    let check = |dims: &str, before: &str, after: &str| kernel_becomes(&kernel(dims, before), &kernel(dims, after));
    // There and back, both ways.
    check(
        "4x2",
        &format!("{x} %a, %b = split %x : tile<4x2xi32> %r = join %a, %b : tile<4xi32>"),
        "%v = range 0, 8 %r = reshape %v : tile<8xi32> to tile<4x2xi32>",
    );
    check(
        "4",
        &format!(
            "{pair} %j = join %v, %w : tile<4xi32> %a, %b = split %j : tile<4x2xi32> %r = sub %b, %a : tile<4xi32>"
        ),
        &format!("{pair} %r = sub %w, %v : tile<4xi32>"),
    );
    // The other way round it is another tile.
    let swapped = format!("{x} %a, %b = split %x : tile<4x2xi32> %r = join %b, %a : tile<4xi32>");
    check("4x2", &swapped, &swapped);
    // Of one value.
    check(
        "4x2",
        "%s = splat %n : tile<4xi32> %r = join %s, %s : tile<4xi32>",
        "%r = splat %n : tile<4x2xi32>",
    );
    check(
        "4",
        "%s = splat %n : tile<4x2xi32> %a, %b = split %s : tile<4x2xi32> %v = range 0, 4 %c = mul %a, %v : tile<4xi32>
         %r = sub %c, %b : tile<4xi32>",
        "%s = splat %n : tile<4xi32> %v = range 0, 4 %c = mul %s, %v : tile<4xi32> %r = sub %c, %s : tile<4xi32>",
    );
    check(
        "",
        "%s = splat %n : tile<2xi32> %a, %b = split %s : tile<2xi32> %r = mul %a, %b : i32",
        "%r = mul %n, %n : i32",
    );
    check(
        "4x2",
        "%c = const 3 : tile<4xi32> %d = const 3 : tile<4xi32> %r = join %c, %d : tile<4xi32>",
        "%r = const 3 : tile<4x2xi32>",
    );
    let different = "%c = const 3 : tile<4xi32> %d = const 4 : tile<4xi32> %r = join %c, %d : tile<4xi32>";
    check("4x2", different, different);
    check(
        "4",
        "%c = const 3 : tile<4x2xi32> %a, %r = split %c : tile<4x2xi32>",
        "%r = const 3 : tile<4xi32>",
    );
    // Equal splits are one.
    check(
        "4",
        &format!(
            "{x} %a, %b = split %x : tile<4x2xi32> %c, %d = split %x : tile<4x2xi32> %r = sub %a, %d : tile<4xi32>"
        ),
        &format!("{x} %a, %b = split %x : tile<4x2xi32> %r = sub %a, %b : tile<4xi32>"),
    );
}

#[test]
fn histograms() {
    let check = |before: &str, after: &str| {
        let x = "%x = range 0, 8";
        kernel_becomes(
            &kernel("4", &format!("{x} {before}")),
            &kernel("4", &format!("{x} {after}")),
        );
    };
    let plain = "%r = histogram %x : tile<8xi32> to tile<4xi32>";
    check(
        "%m = const true : tile<8xi1> %r = histogram %x, %m : tile<8xi32> to tile<4xi32>",
        plain,
    );
    kernel_becomes(
        &kernel(
            "4",
            "%x = range 0, 8 %m = const false : tile<8xi1> %r = histogram %x, %m : tile<8xi32> to tile<4xi32>",
        ),
        &kernel("4", "%r = const 0 : tile<4xi32>"),
    );
}

/// A gather whose index may be outside of the tile does not run where the program would not have run it.
#[test]
fn gathers_stay_in_their_loop() {
    let text = kernel(
        "4",
        "%x = range 0, 8 %i = splat %n : tile<4xi32> %z = const 0 : i32 %o = const 1 : i32 %v = range 0, 4
         %r = for %k = %z to %n step %o : i32 carry (%a = %v : tile<4xi32>) {
           %g = gather %x, %i axis 0 : tile<8xi32> to tile<4xi32>
           %b = add %a, %g : tile<4xi32>
           yield %b
         }",
    );
    let kernel = optimised(&parse(&text), OptLevel::Full);
    let body = &kernel.region(kernel.body()).ops;
    assert!(body.iter().all(|&op| kernel.op(op).kind.name() != "gather"), "{kernel}");
}
