//! Reductions, scans and movement of elements against plain loops.

mod common;

use common::Bench;
use proptest::prelude::*;

/// A kernel that loads a block of `i32` with these extents from `%x` and stores what `body` calls `%r` to `%out`.
fn kernel(dims: &[u32], body: &str, result: &[u32]) -> String {
    let block = |dims: &[u32], elem: &str| {
        let extents: String = dims.iter().map(|d| format!("{d}x")).collect();
        if dims.is_empty() {
            elem.to_owned()
        } else {
            format!("block<{extents}{elem}>")
        }
    };
    let line = |name: &str, dims: &[u32]| {
        let count: u32 = dims.iter().product();
        let (ints, pointers) = (block(&[count], "i32"), block(&[count], "ptr<i32>"));
        let at = format!("%{name}_at");
        let end = block(dims, "ptr<i32>");
        format!(
            "{at} = range 0, {count}
             %{name}_s = splat %{name} : {pointers}
             %{name}_l = addptr %{name}_s, {at} : {pointers}
             %{name}_p = reshape %{name}_l : {pointers} to {end}
             // {ints}"
        )
    };
    format!(
        "kernel @k(%x: ptr<i32>, %out: ptr<i32>) {{
           {}
           %b = load %x_p : {}
           {}
           {}
           store %out_p, %r : {}
         }}",
        line("x", dims),
        block(dims, "ptr<i32>"),
        line("out", result),
        body.replace("BLOCK", &block(dims, "i32")),
        block(result, "ptr<i32>"),
    )
}

fn run(dims: &[u32], body: &str, result: &[u32], x: &[i32]) -> Vec<i32> {
    let text = kernel(dims, body, result);
    let mut b = Bench::new(&text);
    b.i32s(x);
    let out = b.i32s(&vec![-9; result.iter().product::<u32>() as usize]);
    b.run([1, 1, 1]).unwrap_or_else(|e| panic!("{e}\n{text}"));
    b.read_i32s(out)
}

/// A combine that is neither associative nor commutative, so that it shows the order, the accumulator and its side.
const ORDERED: &str = "(%p, %q) {
  %three = const 3 : i32
  %t = mul %p, %three : i32
  %s = sub %t, %q : i32
  yield %s
}";

fn ordered(p: i32, q: i32) -> i32 {
    p.wrapping_mul(3).wrapping_sub(q)
}

/// The elements of each line along an axis, lines in row-major order, and where they stand.
fn lines(dims: &[u32], axis: usize) -> Vec<Vec<usize>> {
    let count = |d: &[u32]| d.iter().product::<u32>() as usize;
    let (outer, extent, inner) = (count(&dims[..axis]), dims[axis] as usize, count(&dims[axis + 1..]));
    let line = |o: usize, i: usize| (0..extent).map(|e| (o * extent + e) * inner + i).collect();
    (0..outer).flat_map(|o| (0..inner).map(move |i| line(o, i))).collect()
}

fn shapes() -> impl Strategy<Value = (Vec<u32>, usize)> {
    let extent = prop_oneof![3 => 1u32..6, 1 => Just(17u32)];
    prop::collection::vec(extent, 1..=4).prop_flat_map(|dims| {
        let rank = dims.len();
        (Just(dims), 0..rank)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn reductions_go_from_the_first_element_on((dims, axis) in shapes(), seed in any::<i32>()) {
        let count = dims.iter().product::<u32>() as i32;
        let x: Vec<i32> = (0..count).map(|i| (i ^ seed).wrapping_mul(0x9E37_79B1_u32 as i32)).collect();
        let mut result = dims.clone();
        result.remove(axis);
        let found = run(&dims, &format!("%r = reduce %b axis {axis} : BLOCK {ORDERED}"), &result, &x);
        let expected: Vec<i32> = lines(&dims, axis)
            .iter()
            .map(|line| line.iter().map(|&i| x[i]).reduce(ordered).unwrap())
            .collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn scans_keep_every_prefix((dims, axis) in shapes(), reverse in any::<bool>(), seed in any::<i32>()) {
        let count = dims.iter().product::<u32>() as i32;
        let x: Vec<i32> = (0..count).map(|i| (i ^ seed).wrapping_mul(0x9E37_79B1_u32 as i32)).collect();
        let word = if reverse { "reverse" } else { "" };
        let found = run(&dims, &format!("%r = scan %b axis {axis} {word} : BLOCK {ORDERED}"), &dims, &x);
        let mut expected = x.clone();
        for mut line in lines(&dims, axis) {
            if reverse {
                line.reverse();
            }
            for pair in line.windows(2) {
                expected[pair[1]] = ordered(expected[pair[0]], x[pair[1]]);
            }
        }
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn several_blocks_are_combined_together() {
    // The largest and its place; the first of equal ones.
    let body = "
        %k = range 0, 7
        %m, %r = reduce %b, %k axis 0 : block<7xi32>, block<7xi32> (%a, %i, %c, %j) {
          %gt = cmp gt %a, %c : i32
          %eq = cmp eq %a, %c : i32
          %lo = cmp lt %i, %j : i32
          %tie = and %eq, %lo : i1
          %first = or %gt, %tie : i1
          %v = select %first, %a, %c : i32
          %n = select %first, %i, %j : i32
          yield %v, %n
        }";
    assert_eq!(run(&[7], body, &[], &[3, 9, -1, 9, 0, 8, 9]), [1]);
    // What the combine yields may be its arguments, crossed, or a constant.
    let crossed = "%k, %r = reduce %b, %b axis 0 : block<7xi32>, block<7xi32> (%a, %i, %c, %j) { yield %j, %a }";
    assert_eq!(run(&[7], crossed, &[], &[1, 2, 3, 4, 5, 6, 7]), [6]);
    let constant = "%r = scan %b axis 0 : block<3xi32> (%a, %c) { %five = const 5 : i32 yield %five }";
    assert_eq!(run(&[3], constant, &[3], &[1, 2, 3]), [1, 5, 5]);
}

#[test]
fn dimensions_change_places_and_elements_stay_in_order() {
    let x: Vec<i32> = (0..6).collect();
    let body = "%r = transpose %b [1, 0] : block<2x3xi32> to block<3x2xi32>";
    assert_eq!(run(&[2, 3], body, &[3, 2], &x), [0, 3, 1, 4, 2, 5]);
    let body = "%r = reshape %b : block<2x3xi32> to block<3x2xi32>";
    assert_eq!(run(&[2, 3], body, &[3, 2], &x), x);
    let body = "%s = reshape %b : block<1x1xi32> to i32 %r = reshape %s : i32 to block<1xi32>";
    assert_eq!(run(&[1, 1], body, &[1], &[4]), [4]);
}

/// An undefined element makes the results undefined that depend on it, and no others.
#[test]
fn undefined_elements_pass_through_combines() {
    let text = |axis: usize, stored: &str| {
        format!(
            "kernel @k(%x: ptr<i32>, %out: ptr<i32>) {{
               %i = range 0, 4
               %two = const 2 : block<4xi32>
               %zero = const 0 : block<4xi32>
               %one = const 1 : block<4xi32>
               %low = cmp ne %i, %two : block<4xi32>
               %xs = splat %x : block<4xptr<i32>>
               %p = addptr %xs, %i : block<4xptr<i32>>
               %line = load %p, %low : block<4xptr<i32>>
               %b = reshape %line : block<4xi32> to block<2x2xi32>
               %t = transpose %b [1, 0] : block<2x2xi32> to block<2x2xi32>
               %s = reduce %t axis {axis} : block<2x2xi32> (%a, %c) {{ %d = add %a, %c : i32 yield %d }}
               %r = scan %s axis 0 {stored} : block<2xi32> (%a, %c) {{ %d = add %a, %c : i32 yield %d }}
               %j = range 0, 2
               %os = splat %out : block<2xptr<i32>>
               %o = addptr %os, %j : block<2xptr<i32>>
               %c0 = const 0 : block<2xi32>
               %mask = cmp eq %j, %c0 : block<2xi32>
               store %o, %r, %mask : block<2xptr<i32>>
             }}"
        )
    };
    // [[1, 2], [?, 4]] transposed is [[1, ?], [2, 4]]: row 0 and column 1 of it are undefined.
    let outcome = |axis, word| {
        let text = text(axis, word);
        let mut b = Bench::new(&text);
        b.i32s(&[1, 2, 3, 4]);
        let out = b.i32s(&[0, 0]);
        b.run([1, 1, 1]).map(|_| b.read_i32s(out)).map_err(|e| e.to_string())
    };
    assert_eq!(outcome(0, ""), Ok(vec![3, 0]));
    for (axis, word) in [(0, "reverse"), (1, ""), (1, "reverse")] {
        let error = outcome(axis, word).unwrap_err();
        assert!(error.contains("'load'") || error.contains("mask"), "{error}");
    }
}

#[test]
fn a_division_by_zero_in_a_combine_is_told_at_its_place() {
    let text = "kernel @k(%out: ptr<i32>) {
  %b = range 0, 4
  %r = scan %b axis 0 reverse : block<4xi32> (%p, %q) {
    %d = div_s %p, %q : i32
    yield %d
  }
  %os = splat %out : block<4xptr<i32>>
  %o = addptr %os, %b : block<4xptr<i32>>
  store %o, %r : block<4xptr<i32>>
}";
    let mut b = Bench::new(text);
    b.i32s(&[0; 4]);
    insta::assert_snapshot!(b.error([1, 1, 1]), @"k.ssa:4:5: 'div_s' of kernel 'k', program (0, 0, 0): integer division by zero; the result is used as the value of 'store' at k.ssa:9:3");
}
