//! Mistakes that are found when a kernel is built: each is told at its line and column, all of them at once.

#![allow(non_snake_case, unused_variables)]

#[path = "support/facade.rs"]
#[allow(dead_code)]
mod facade;

use mytriton_frontend::FrontendError;
use mytriton_macros::kernel;

/// The findings as "line offset from the kernel:column: message".
fn findings(line: u32, result: Result<mytriton_ssa::Kernel, FrontendError>) -> Vec<String> {
    let error = result.expect_err("the kernel has a mistake");
    let describe = |d: &mytriton_frontend::Diagnostic| {
        let mut place = d.place.rsplitn(3, ':');
        let (column, at) = (place.next().unwrap(), place.next().unwrap());
        assert!(place.next().unwrap().ends_with("errors.rs"), "{}", d.place);
        let mut text = format!("{}:{column}: {}", at.parse::<u32>().unwrap() - line, d.message);
        d.notes
            .iter()
            .for_each(|n| text += &format!(" [{}]", n.split(',').next().unwrap()));
        text
    };
    error.diagnostics.iter().map(describe).collect()
}

/// Checks the findings of a kernel, built with the given compile-time values.
macro_rules! finds {
    ($kernel:ident($($value:expr),*), [$($expected:expr),* $(,)?]) => {
        let found = findings($kernel::definition().line, $kernel::build($($value),*));
        assert_eq!(found, [$($expected),*], "\n{}", found.join("\n"));
    };
}

#[kernel(crate = crate::facade)]
fn carried(x: Ptr<f64>, n: i32) {
    let mut acc = 0.0;
    let mut tile = zeros([4], f32);
    for k in 0..n {
        acc += load(x + k);
        tile = 1;
        tile = zeros([8], f32);
    }
    let mut i = 0i64;
    while i < n {
        i = 0.5;
    }
}

#[test]
fn carried_variables_keep_their_type() {
    finds!(
        carried(),
        [
            "4:9: `acc` is f32 before the loop and is assigned f64 here: a loop-carried variable keeps its exact type and \
         shape; start with `let mut acc: f64 = ..`, or assign `.. as f32`",
            "6:9: `tile` is f32[4] before the loop and is assigned f32[8] here: a loop-carried variable keeps its exact type \
         and shape; start with `let mut tile = full(.., f32)` of the right shape",
            "10:9: `i` is i64 before the loop and is assigned the number 0.5 here: a loop-carried variable keeps its exact \
         type and shape",
        ]
    );
}

#[kernel(crate = crate::facade)]
fn branches(n: i32, x: f32, #[constexpr] FLAG: bool) {
    let mut a = 0;
    if n > 0 {
        a = x;
    } else {
        a = n;
    }
    let b = if n > 1 { x } else { range(0, 4) };
    if range(0, 4) < n {}
    if n {}
    if FLAG {
        let c = x + full([2, 2], 300, u8) & 1;
    }
    while true {}
}

#[test]
fn branches_agree() {
    finds!(
        branches(false),
        [
            "5:9: `a` is a run-time f32 after the first branch and a run-time i32 after the second: branches agree in type \
         and shape exactly",
            "7:13: the value of this if is a run-time f32 after the first branch and a run-time i32[4] after the second: \
         branches agree in type and shape exactly",
            "8:5: the condition of if is one bool, not a run-time bool[4]: choose element by element with `where_`",
            "9:5: the condition of if is a bool, not i32: compare with 0",
            "13:5: the condition of while is always true: the loop never ends",
        ]
    );
    let all = findings(0, branches::build(true));
    assert!(
        all.iter()
            .any(|m| m.ends_with("300 does not fit u8, whose values are 0 to 255")),
        "{all:?}"
    );
}

#[kernel(crate = crate::facade)]
fn types(p: Ptr<f32>, a: i8, b: u32, h: f16, c: i32, f: f32) {
    let _ = (a & 255, c + 3000000000, b * -1, h + 1e6);
    let _ = (b / c, f & 1, c << -1, 1 / 0);
    let _ = (p + p, p + f, f - p, p * 2, exp(c), -p);
    let _ = (range(0, 4) + range(0, 8), range(4, 4), range(0, c));
}

#[kernel(crate = crate::facade)]
fn builtins(p: Ptr<f32>, h: f16, c: i32, f: f32) {
    let _ = (load(c), load(p).other(0.0), load(p).mask(c), program_id(3));
    store(p, range(0, 4));
    let _ = (f32 + 1, c.to(7), c.at(.., None), c && true, bitcast(h, f32));
    let wrong: i32 = f;
    let _ = (zeros([0], f32), zeros([2048, 2048], f32));
    let _ = (fma(c, c, c), full([4], p, f32));
    for k in range(0, c, 0) {}
    for k in range(0, f) {}
    let _ = (!f, cdiv(f, 2), static_range_free(c));
}

#[kernel(device, crate = crate::facade)]
fn static_range_free(#[constexpr] N: i32) -> Tile {
    N + 1
}

#[test]
fn operand_types() {
    finds!(
        types(),
        [
            "1:16: 255 does not fit i8, whose values are -128 to 127",
            "1:25: 3000000000 does not fit i32, whose values are -2147483648 to 2147483647",
            "1:41: -1 does not fit u32, whose values are 0 to 4294967295",
            "1:49: 1000000.0 does not fit f16: it would become infinite",
            "2:16: '/' of u32 and i32: division of integers of different sign is ambiguous; convert one of them",
            "2:23: '&' takes integers or bool, not f32",
            "2:30: a shift by -1: the amount is 0 or more",
            "2:39: 1 / 0: division by zero",
            "3:16: '+' of Ptr<f32> and Ptr<f32>: only an integer can be added to or taken from a pointer",
            "3:23: the offset from a pointer is an integer, not f32",
            "3:30: '-' of f32 and Ptr<f32>: only an integer can be added to or taken from a pointer",
            "3:37: '*' of Ptr<f32> and 2: only an integer can be added to or taken from a pointer",
            "3:42: exp takes floating-point numbers, not i32: convert it first (`as f32`)",
            "3:50: '-' takes numbers, not Ptr<f32>",
            "4:26: '+': shapes [4] and [8] do not broadcast: extents that meet are equal or 1",
            "4:41: range(4, 4) is empty: the end is above the start",
            "4:54: the end of range must be a compile-time integer (a literal or #[constexpr] \
         parameter), not a run-time i32",
        ]
    );
    finds!(
        builtins(),
        [
            "1:14: load takes a pointer or a tile of pointers first, not a run-time i32",
            "1:23: load: `.other(..)` needs a `.mask(..)`: without one no element takes it",
            "1:43: the mask of load is a bool, not i32: compare with 0",
            "1:60: program_id(3): a grid has the axes 0, 1 and 2",
            "2:5: store: the value of shape [4] does not broadcast to the pointers, Ptr<f32>",
            "3:18: '+' takes values, not the type f32",
            "3:25: a cast takes an element type such as f32, not the number 7",
            "3:34: the index keeps 1 dimension(s) (`..`), but this is a run-time i32: one `..` for each dimension, `None` for \
         each new one",
            "3:50: '&&' takes bool, not a run-time i32: compare with 0",
            "3:59: bitcast of f16 (16 bits) to f32 (32 bits): the widths are equal",
            "4:16: the annotation says a scalar i32, the value is f32: convert it (`as i32`)",
            "5:14: extent 0 in dimension 0: every extent of a tile is at least 1",
            "5:31: a tile of 4194304 elements: at most 1048576 are possible; use a smaller tile and a larger grid",
            "6:14: fma takes floating-point numbers, not i32",
            "6:28: a cast takes numbers, not Ptr<f32>",
            "7:5: a loop with step 0 never ends",
            "8:5: the bounds and step of a loop are integer scalars",
            "9:14: '!' takes integers and bool, not f32",
            "9:18: cdiv takes integers, not a run-time f32",
            "9:30: `N` is a constexpr parameter: it takes a compile-time constant, not a run-time i32",
        ]
    );
}

#[kernel(device, crate = crate::facade)]
fn endless(x: Tile) -> Tile {
    endless(x + 1)
}

#[kernel(device, crate = crate::facade)]
fn inner(x: Tile) -> Tile {
    exp(x)
}

#[kernel(crate = crate::facade)]
fn calls(n: i32) {
    let _ = inner(n);
    let _ = endless(n);
    static_assert(1 > 2, "one is less");
    for i in static_range(0, 100000000) {}
}

#[test]
fn mistakes_in_device_functions_name_their_calls() {
    let error = calls::build().unwrap_err();
    let found: Vec<_> = error.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        found,
        [
            "exp takes floating-point numbers, not i32: convert it first (`as f32`)",
            "calls of device functions nest 64 deep: 'endless' seems to call itself without end (a run-time condition does \
         not end recursion, as both of its branches are compiled)",
            "static_assert failed: one is less",
            "static_range of 100000000 rounds: at most 65536 are unrolled; use a run-time loop",
        ]
    );
    let line = calls::definition().line;
    assert_eq!(error.diagnostics[0].notes.len(), 1);
    let note = &error.diagnostics[0].notes[0];
    assert!(note.starts_with("in 'inner', called at"), "{note}");
    assert!(note.ends_with(&format!("errors.rs:{}:13", line + 1)), "{note}");
    let text = error.to_string();
    let first = format!("kernel 'calls' cannot be built: {}", error.diagnostics[0].place);
    assert!(text.starts_with(&first), "{text}");
}

#[kernel(crate = crate::facade)]
fn reductions(p: Ptr<f16>, n: i32) {
    let v = load(p + range(0, 16)).reshape([4, 4]);
    let a = sum(v, 2);
    let b = sum(n);
    let c = max(v, n);
    let d = xor_sum(v, 0);
    let e = reduce(v, 0, |a, b| a * n);
    let f = reduce(v, 0, |a, b| (a + b) as f32);
    let g = reduce(v, 0, |a, b| a + load(p));
    let h = reduce(v, 0, |a, b| if a < b { a } else { b });
    let i = reduce(v, 0, |a, b| 1e9);
    let j = reduce((v, range(0, 3)), 0, |a, b| a);
    let k = argmax(p + range(0, 4));
    let l = reshape(v, [3, 5]);
    let m = permute(v, [0, 0]);
    let o = trans(range(0, 4));
    let q = associative_scan(v, 0, |a, b| sum(v + a));
}

#[test]
fn reductions_say_what_is_wrong() {
    finds!(
        reductions(),
        [
            "2:13: sum of f16[4, 4] along axis 2: the axis is -2 to 1",
            "3:13: sum takes a tile, not a run-time i32",
            "4:13: max(x, axis) reduces along an axis, a compile-time integer, not a run-time \
             i32; of two values use `maximum(a, b)`",
            "5:13: xor_sum takes integers or bool, not f16[4, 4]",
            "6:35: '*' got a value from outside the combiner, which sees its arguments and compile-time constants alone: apply the value before or after the reduction, or combine it too",
            "7:13: the combiner of reduce gives a run-time f32, but the elements are f16: convert it (`as f16`), \
             or the tile before",
            "8:37: load got a value from outside the combiner, which sees its arguments and compile-time constants alone: apply the value before or after the reduction, or combine it too",
            "9:33: the combiner of reduce computes with numbers, element by element: no memory, tiles, program \
             ids, loops or branches ('if'): choose with `where_`",
            "10:13: 1000000000.0 does not fit f16: it would become infinite",
            "11:13: reduce: shapes [4x4] and [3] do not broadcast: extents that meet are equal or 1",
            "12:13: argmax takes numbers, not Ptr<f16>[4]",
            "13:13: reshape of f16[4, 4] to [3, 5]: it has 16 element(s), the shape 15",
            "14:13: permute of f16[4, 4] by [0, 0]: the order names each of its 2 dimension(s) once",
            "15:13: trans exchanges the last two dimensions: i32[4] has one",
            "16:49: '+' got a value from outside the combiner, which sees its arguments and compile-time constants alone: apply the value before or after the reduction, or combine it too",
        ]
    );
}

#[kernel(crate = crate::facade)]
fn rearrangements(p: Ptr<f32>, n: i32) {
    let v = load(p + range(0, 16)).reshape([4, 4]);
    let i = range(0, 4);
    let a = join(v, range(0, 3));
    let b = split(v);
    let c = cat(v, i);
    let d = flip(v, 2);
    let e = gather(v, v, 0);
    let f = gather(v, i, 0);
    let g = gather(v, i.at(.., None), 0);
    let h = histogram(v, 4);
    let j = histogram(i, n);
    let k = histogram(i, 0);
    let l = histogram(i, 4, v);
    let m = histogram(i, 4, v > 0.0);
    let o = sort(v, 2);
    let q = sort(v, 0, n);
    let r = topk(v, 5);
    let s = topk(n, 5);
    let t = softmax(i);
    let u = sort(p + i);
    let w = zeros_like(p);
}

#[test]
fn rearrangements_say_what_is_wrong() {
    finds!(
        rearrangements(),
        [
            "3:13: join: shapes [4x4] and [3] do not broadcast: extents that meet are equal or 1",
            "4:13: split of f32[4, 4]: it halves a tile whose last extent is 2",
            "5:13: cat takes two tiles of rank 1, not f32[4, 4] and i32[4]",
            "6:13: flip of f32[4, 4] along axis 2: the axis is -2 to 1",
            "7:13: the index of gather is a tile of integers, not f32[4, 4]",
            "8:13: gather along axis 0: the extents of tile and index are equal, but along the axis; [4, \
             4] and [4] are not",
            "9:13: gather along axis 0: the extents of tile and index are equal, but along the axis; [4, \
             4] and [4, 1] are not",
            "10:13: histogram takes a tile of integers, not f32[4, 4]",
            "11:13: the number of bins must be a compile-time integer (a literal or \
             #[constexpr] parameter), not a run-time i32",
            "12:13: histogram into 0 bins: it takes 1 or more",
            "13:13: the mask of histogram is a bool, not f32[4, 4]: compare with 0",
            "14:13: the mask of histogram, of shape [4, 4], does not broadcast to [4]",
            "15:13: sort of f32[4, 4] along axis 2: the axis is -2 to 1",
            "16:13: the last argument of sort, `descending`, is a compile-time bool, \
             not a run-time i32",
            "17:13: topk of f32[4, 4] takes 1 to 4 elements of the last dimension, not 5",
            "18:13: topk takes a tile, not a run-time i32",
            "19:13: softmax takes floating-point numbers, not a run-time i32[4]: convert it first (`as f32`)",
            "20:13: sort takes numbers, not Ptr<f32>[4]",
            "21:13: zeros_like takes numbers, not Ptr<f32>",
        ]
    );
}

#[kernel(crate = crate::facade)]
fn functions(x: Ptr<f16>, n: Ptr<i64>) {
    let v = load(x);
    store(x, nextafter(v, 1.0));
    store(x, v.powi(load(n)));
    store(x, v.powi(0.5));
    store(x, hypot(load(n), 1));
}

#[test]
fn functions_take_the_types_that_they_are_defined_for() {
    finds!(
        functions(),
        [
            "2:14: nextafter takes f32 and f64, not f16: convert it first (`as f32`)",
            "3:16: the exponent of powi is an integer that an i32 holds, not a run-time i64: convert it first (`as i32`), or \
             use pow",
            "4:16: the exponent of powi is an integer that an i32 holds, not the number 0.5: convert it first (`as i32`), or \
             use pow",
            "5:14: hypot takes floating-point numbers, not i64",
        ]
    );
}
