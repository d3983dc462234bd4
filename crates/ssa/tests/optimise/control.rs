//! Control flow, merging, dead code and motion out of loops.

use mytriton_ssa::{OptLevel, optimise};

use crate::cases::{canonical, kernel_becomes, optimised, parse};

/// A kernel with an input and an output of `i32` and some scalars.
fn kernel(body: &str) -> String {
    format!("kernel @k(%p: ptr<i32>, %q: ptr<i32>, %x: i32, %y: i32, %c: i1) {{\n{body}\n}}")
}

#[track_caller]
fn becomes(before: &str, after: &str) {
    kernel_becomes(&kernel(before), &kernel(after));
}

#[track_caller]
fn stays(body: &str) {
    becomes(body, body);
}

const BOUNDS: &str = "%0 = const 0 : i32\n %1 = const 1 : i32\n %8 = const 8 : i32\n";

#[test]
fn an_if_on_a_constant_is_the_arm_it_takes() {
    for (condition, after) in [
        (
            "true",
            "store %p, %x : ptr<i32>\n %s = add %x, %y : i32\n store %q, %s : ptr<i32>",
        ),
        ("false", "store %q, %y : ptr<i32>"),
    ] {
        becomes(
            &format!(
                "%t = const {condition} : i1
                 %r = if %t -> (i32) {{
                   store %p, %x : ptr<i32>
                   %s = add %x, %y : i32
                   yield %s
                 }} else {{ yield %y }}
                 store %q, %r : ptr<i32>"
            ),
            after,
        );
    }
}

#[test]
fn arms_that_compute_nothing_are_selected() {
    becomes(
        "%r, %s = if %c -> (i32, i32) { %a = const 4 : i32\n yield %a, %x } else { yield %y, %x }
         store %p, %r : ptr<i32>
         store %q, %s : ptr<i32>",
        "%a = const 4 : i32
         %r = select %c, %a, %y : i32
         store %p, %r : ptr<i32>
         store %q, %x : ptr<i32>",
    );
    becomes("if %c { } else { }", "");
}

#[test]
fn arms_that_agree_give_what_they_agree_on() {
    becomes(
        "%r, %s = if %c -> (i32, i32) {
           store %p, %x : ptr<i32>
           %a = const 4 : i32
           yield %a, %x
         } else {
           %b = const 4 : i32
           yield %b, %x
         }
         %t = add %r, %s : i32
         store %q, %t : ptr<i32>",
        "%a = const 4 : i32
         if %c { store %p, %x : ptr<i32> }
         %t = add %x, %a : i32
         store %q, %t : ptr<i32>",
    );
}

#[test]
fn loops_without_a_trip_give_the_initial_values() {
    for (lower, upper) in [("%8", "%0"), ("%8", "%8"), ("%x", "%x")] {
        becomes(
            &format!(
                "{BOUNDS} %r = for %i = {lower} to {upper} step %1 : i32 carry (%a = %x : i32) {{
                   store %p, %a : ptr<i32>
                   yield %i
                 }}
                 store %q, %r : ptr<i32>"
            ),
            "store %q, %x : ptr<i32>",
        );
    }
    // A step that turns out to be zero: unspecified, and no trip here.
    becomes(
        "%z = sub %x, %x : i32\n for %i = %x to %y step %z : i32 { store %p, %i : ptr<i32> }",
        "",
    );
}

#[test]
fn a_loop_with_one_trip_is_its_body() {
    let body = |start: &str, step: &str| {
        format!(
            "%s = const {start} : i32\n %e = const 2147483647 : i32\n %d = const {step} : i32
             %r = for %i = %s to %e step %d : i32 carry (%a = %x : i32) {{
               %n = mul %a, %i : i32
               store %p, %a : ptr<i32>
               yield %n
             }}
             store %q, %r : ptr<i32>"
        )
    };
    // The index after the trip is beyond i32.
    becomes(
        &body("2147483640", "100"),
        "%s = const 2147483640 : i32
         %n = mul %x, %s : i32
         store %p, %x : ptr<i32>
         store %q, %n : ptr<i32>",
    );
    stays(&body("2147483640", "6"));
}

#[test]
fn carried_values_that_never_change() {
    becomes(
        &format!(
            "{BOUNDS} %r, %s = for %i = %0 to %x step %1 : i32 carry (%a = %y : i32, %b = %x : i32) {{
               %t = add %b, %a : i32
               store %p, %t : ptr<i32>
               yield %a, %x
             }}
             %u = mul %r, %s : i32
             store %q, %u : ptr<i32>"
        ),
        "%0 = const 0 : i32\n %1 = const 1 : i32
         %t = add %x, %y : i32
         for %i = %0 to %x step %1 : i32 { store %p, %t : ptr<i32> }
         %u = mul %y, %x : i32
         store %q, %u : ptr<i32>",
    );
    becomes(
        "%0 = const 0 : i32
         %r, %s = while (%a = %x : i32, %b = %y : i32) {
           %t = cmp lt %0, %a : i32
           condition %t, %a, %b
         } do (%d : i32, %e : i32) {
           %n = sub %d, %e : i32
           yield %n, %e
         }
         store %p, %r : ptr<i32>
         store %q, %s : ptr<i32>",
        "%0 = const 0 : i32
         %r = while (%a = %x : i32) {
           %t = cmp gt %a, %0 : i32
           condition %t, %a
         } do (%d : i32) {
           %n = sub %d, %y : i32
           yield %n
         }
         store %p, %r : ptr<i32>
         store %q, %y : ptr<i32>",
    );
}

#[test]
fn a_while_that_is_false_at_once_is_its_test() {
    becomes(
        "%r = while (%a = %x : i32) {
           store %p, %a : ptr<i32>
           %f = const false : i1
           condition %f, %a
         } do (%d : i32) { yield %y }
         store %q, %r : ptr<i32>",
        "store %p, %x : ptr<i32>\n store %q, %x : ptr<i32>",
    );
}

#[test]
fn whiles_stay_and_unused_loops_go() {
    let endless = "%t = const true : i1\n while () { condition %t } do () { }";
    stays(endless);
    becomes(
        &format!(
            "{BOUNDS} %r = for %i = %0 to %x step %1 : i32 carry (%a = %x : i32) {{
               %n = mul %a, %i : i32
               yield %n
             }}
             %l = load %p : ptr<i32>
             %u = if %c -> (i32) {{ %n = mul %r, %x : i32\n yield %n }} else {{ yield %l }}"
        ),
        "",
    );
    // A while keeps the loop around it, and that its bounds.
    stays(
        "%0 = const 0 : i32\n %1 = const 1 : i32
         %t = const true : i1
         for %i = %0 to %x step %1 : i32 { while () { condition %t } do () { } }",
    );
}

#[test]
fn dead_carried_values_and_results_go() {
    becomes(
        &format!(
            "{BOUNDS} %r, %s, %t = for %i = %0 to %8 step %1 : i32 carry (%a = %x : i32, %b = %x : i32, %d = %y : i32) {{
               %n = mul %a, %i : i32
               %m = mul %b, %d : i32
               %o = add %d, %i : i32
               yield %n, %m, %o
             }}
             store %p, %t : ptr<i32>
             %u, %v = if %c -> (i32, i32) {{
               %m = mul %x, %y : i32\n %n = sub %x, %y : i32\n yield %m, %n
             }} else {{ yield %x, %x }}
             store %q, %v : ptr<i32>"
        ),
        &format!(
            "{BOUNDS} %t = for %i = %0 to %8 step %1 : i32 carry (%d = %y : i32) {{
               %o = add %d, %i : i32
               yield %o
             }}
             store %p, %t : ptr<i32>
             %v = if %c -> (i32) {{ %n = sub %x, %y : i32\n yield %n }} else {{ yield %x }}
             store %q, %v : ptr<i32>"
        ),
    );
}

#[test]
fn equal_operations_merge() {
    becomes(
        "%a = add %x, %y : i32\n %b = add %y, %x : i32\n %d = mul %a, %b : i32
         if %c { %e = add %x, %y : i32\n store %q, %e : ptr<i32> }
         store %p, %d : ptr<i32>",
        "%a = add %x, %y : i32\n %d = mul %a, %a : i32
         if %c { store %q, %a : ptr<i32> }
         store %p, %d : ptr<i32>",
    );
    // What one arm computes is not there for the other, nor after.
    stays(
        "if %c { %a = add %x, %y : i32\n store %p, %a : ptr<i32> } else { %a2 = add %x, %y : i32\n store %q, %a2 : ptr<i32> }
         %b = add %x, %y : i32
         store %q, %b : ptr<i32>",
    );
    stays("%a = sub %x, %y : i32\n %b = sub %y, %x : i32\n store %p, %a : ptr<i32>\n store %q, %b : ptr<i32>");
    // What stood before a region is there after it too.
    becomes(
        "%a = add %x, %y : i32\n store %p, %a : ptr<i32>
         if %c { %d = mul %x, %y : i32\n store %p, %d : ptr<i32> }
         %b = add %x, %y : i32\n store %q, %b : ptr<i32>",
        "%a = add %x, %y : i32\n store %p, %a : ptr<i32>
         if %c { %d = mul %x, %y : i32\n store %p, %d : ptr<i32> }
         store %q, %a : ptr<i32>",
    );
}

/// A loop that stores nothing changes nothing that was loaded before it.
#[test]
fn loads_merge_over_loops_that_do_not_store() {
    let kernel = |again: &str, use_of: &str| {
        format!(
            "%0 = const 0 : i32\n %1 = const 1 : i32
             %a = load %p : ptr<i32>
             %s = for %i = %0 to %x step %1 : i32 carry (%sum = %0 : i32) {{
               {again}
               %d = mul {use_of}, %i : i32
               %e = add %sum, %d : i32
               yield %e
             }}
             store %q, %s : ptr<i32>
             store %p, %a : ptr<i32>"
        )
    };
    becomes(&kernel("%b = load %p : ptr<i32>", "%b"), &kernel("", "%a"));
    // Nor does one whose branches load alone.
    let branches = |load: &str, loaded: &str| {
        kernel(
            &format!(
                "%t = cmp lt_u %i, %y : i32\n %b = if %t -> (i32) {{ {load} yield {loaded} }} else {{ yield %y }}"
            ),
            "%b",
        )
    };
    becomes(
        &branches("%l = load %p : ptr<i32>\n %m = mul %l, %i : i32\n", "%m"),
        &branches("%m = mul %a, %i : i32\n", "%m"),
    );
}

#[test]
fn loads_merge_between_stores_alone() {
    becomes(
        "%a = load %p : ptr<i32>\n %b = load %p : ptr<i32>\n %d = sub %a, %b : i32\n %e = add %d, %b : i32
         store %q, %e : ptr<i32>",
        "%a = load %p : ptr<i32>\n store %q, %a : ptr<i32>",
    );
    stays(
        "%a = load %p : ptr<i32>\n store %q, %x : ptr<i32>\n %b = load %p : ptr<i32>\n %d = mul %a, %b : i32\n store %q, %d : ptr<i32>",
    );
    stays(
        "%a = load %p : ptr<i32>
         if %c { store %q, %x : ptr<i32> }
         %b = load %p : ptr<i32>
         %d = mul %a, %b : i32
         store %q, %d : ptr<i32>",
    );
    // The second trip's load sees the first trip's store.
    stays(
        "%0 = const 0 : i32\n %1 = const 1 : i32
         %a = load %p : ptr<i32>
         for %i = %0 to %x step %1 : i32 {
           %b = load %p : ptr<i32>
           %d = mul %a, %b : i32
           store %q, %d : ptr<i32>
         }",
    );
    stays(
        "%a = load %p : ptr<i32>
         while () {
           %b = load %p : ptr<i32>
           %t = cmp lt %a, %b : i32
           condition %t
         } do () { store %q, %x : ptr<i32> }",
    );
}

#[test]
fn invariants_leave_every_loop_they_can() {
    becomes(
        &format!(
            "{BOUNDS} for %i = %0 to %x step %1 : i32 {{
               for %j = %0 to %i step %1 : i32 {{
                 %a = mul %x, %y : i32
                 %b = add %a, %i : i32
                 %d = add %b, %j : i32
                 %s = splat %d : tile<4xi32>
                 %r = range 0, 4
                 %e = add %s, %r : tile<4xi32>
                 %z = splat %p : tile<4xptr<i32>>
                 %at = addptr %z, %r : tile<4xptr<i32>>
                 store %at, %e : tile<4xptr<i32>>
               }}
             }}"
        ),
        "%0 = const 0 : i32\n %1 = const 1 : i32
         %a = mul %x, %y : i32
         %r = range 0, 4
         %z = splat %p : tile<4xptr<i32>>
         %at = addptr %z, %r : tile<4xptr<i32>>
         for %i = %0 to %x step %1 : i32 {
           %b = add %a, %i : i32
           for %j = %0 to %i step %1 : i32 {
             %d = add %b, %j : i32
             %s = splat %d : tile<4xi32>
             %e = add %s, %r : tile<4xi32>
             store %at, %e : tile<4xptr<i32>>
           }
         }",
    );
}

#[test]
fn a_division_leaves_a_loop_only_if_it_cannot_fail() {
    let body = |divisor: &str| {
        format!(
            "%0 = const 0 : i32\n %1 = const 1 : i32\n %3 = const 3 : i32\n %m = const -1 : i32
             for %i = %0 to %x step %1 : i32 {{
               %d = div_s %y, {divisor} : i32
               store %p, %d : ptr<i32>
             }}"
        )
    };
    let text = |divisor| canonical(&optimised(&parse(&kernel(&body(divisor))), OptLevel::Full));
    let (safe, unknown, overflow) = (text("%3"), text("%x"), text("%m"));
    let at = |text: &str, what: &str| text.find(what).unwrap();
    assert!(at(&safe, "DivS") < at(&safe, "For"), "{safe}");
    assert!(at(&unknown, "DivS") > at(&unknown, "For"), "{unknown}");
    assert!(at(&overflow, "DivS") > at(&overflow, "For"), "{overflow}");
}

#[test]
fn levels() {
    let text = kernel(
        "%0 = const 0 : i32\n %a = add %x, %0 : i32\n %b = mul %a, %y : i32\n %d = mul %a, %y : i32\n %e = sub %b, %d : i32
         store %p, %e : ptr<i32>",
    );
    let before = parse(&text);
    assert_eq!(canonical(&optimised(&before, OptLevel::None)), canonical(&before));
    assert_eq!(optimised(&before, OptLevel::Basic).ops_in_order().len(), 4);
    assert_eq!(optimised(&before, OptLevel::Full).ops_in_order().len(), 2);
}

#[test]
fn names_survive_on_what_replaces_them() {
    let mut kernel = parse(&kernel(
        "%0 = const 0 : i32\n %t = load %p : ptr<i32>\n %sum = add %t, %0 : i32\n store %q, %sum : ptr<i32>",
    ));
    let t = kernel.ops_in_order()[1];
    let t = kernel.op(t).results[0];
    let had = kernel.value(t).name.clone();
    optimise(&mut kernel, OptLevel::Full);
    assert_eq!(kernel.value(t).name, had);
    assert_eq!(kernel.ops_in_order().len(), 2);
}

/// Long chains and many operations: the walk is linear, so this takes milliseconds.
#[test]
fn large_kernels() {
    let mut body = String::from("%v0 = load %p : ptr<i32>\n");
    for i in 1..6000 {
        body += &format!(
            "%c{i} = const {} : i32\n %v{i} = {} %v{}, %c{i} : i32\n",
            i % 7,
            if i % 5 == 0 { "xor" } else { "add" },
            i - 1
        );
    }
    body += "store %q, %v5999 : ptr<i32>";
    let before = parse(&kernel(&body));
    let start = std::time::Instant::now();
    let mut after = before.clone();
    optimise(&mut after, OptLevel::Full);
    let took = start.elapsed();
    assert!(took.as_millis() < 2000, "{took:?}");
    // Four sums in a row become one, and x ^ 0 goes.
    let (before, after) = (before.ops_in_order().len(), after.ops_in_order().len());
    assert!(after * 4 < before, "{before} {after}");
}

/// Where equal constants are not merged, they are two values that are equal all the same.
#[test]
fn a_choice_between_equal_constants_is_no_condition() {
    for value in ["true", "false"] {
        let text = format!(
            "kernel @k(%p: ptr<i1>, %c: i1) {{
               %x = const {value} : i1
               %y = const {value} : i1
               %r = select %c, %x, %y : i1
               store %p, %r : ptr<i1>
             }}"
        );
        let result = optimised(&parse(&text), OptLevel::Basic);
        assert_eq!(canonical(&result), canonical(&parse(&text)));
    }
}
