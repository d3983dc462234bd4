//! Reductions, scans and movement of elements against plain loops.

mod common;

use common::Bench;
use proptest::prelude::*;

/// A kernel that loads a tile of `i32` with these extents from `%x` and stores what `body` calls `%r` to `%out`.
fn kernel(dims: &[u32], body: &str, result: &[u32]) -> String {
    let tile = |dims: &[u32], elem: &str| {
        let extents: String = dims.iter().map(|d| format!("{d}x")).collect();
        if dims.is_empty() {
            elem.to_owned()
        } else {
            format!("tile<{extents}{elem}>")
        }
    };
    let line = |name: &str, dims: &[u32]| {
        let count: u32 = dims.iter().product();
        let (ints, pointers) = (tile(&[count], "i32"), tile(&[count], "ptr<i32>"));
        let at = format!("%{name}_at");
        let end = tile(dims, "ptr<i32>");
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
        tile(dims, "ptr<i32>"),
        line("out", result),
        body.replace("BLOCK", &tile(dims, "i32")),
        tile(result, "ptr<i32>"),
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

/// A combiner that is neither associative nor commutative, so that it shows the order, the accumulator and its side.
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn joined_elements_are_neighbours_and_split_again(dims in prop::collection::vec(1u32..6, 0..=4), seed in any::<i32>()) {
        let count = dims.iter().product::<u32>() as i32;
        let x: Vec<i32> = (0..count).map(|i| (i ^ seed).wrapping_mul(0x9E37_79B1_u32 as i32)).collect();
        let mut wide = dims.clone();
        wide.push(2);
        let joined = run(&dims, "%n = sub %b, %b : BLOCK %m = sub %n, %b : BLOCK %r = join %b, %m : BLOCK", &wide, &x);
        let pairs: Vec<i32> = x.iter().flat_map(|&v| [v, v.wrapping_neg()]).collect();
        prop_assert_eq!(&joined, &pairs);
        // The second half, then the first one.
        for (body, which) in [("%q, %r = split %b : BLOCK", 1), ("%r, %q = split %b : BLOCK", 0)] {
            let half = run(&wide, body, &dims, &joined);
            let expected: Vec<i32> = joined.iter().skip(which).step_by(2).copied().collect();
            prop_assert_eq!(half, expected);
        }
    }

    #[test]
    fn gathers_choose_along_their_axis((dims, axis) in shapes(), seed in any::<i32>()) {
        let count = dims.iter().product::<u32>() as i32;
        let x: Vec<i32> = (0..count).map(|i| (i ^ seed).wrapping_mul(0x9E37_79B1_u32 as i32)).collect();
        let extent = dims[axis];
        let body = format!(
            "%e = const {extent} : BLOCK %i = rem_u %b, %e : BLOCK %r = gather %b, %i axis {axis} : BLOCK to BLOCK"
        );
        let found = run(&dims, &body, &dims, &x);
        let mut expected = x.clone();
        for line in lines(&dims, axis) {
            for &at in &line {
                expected[at] = x[line[(x[at] as u32 % extent) as usize]];
            }
        }
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn histograms_count_what_is_inside(dims in prop::collection::vec(1u32..6, 1..=4), bins in 1u32..20, seed in any::<i32>()) {
        let count = dims.iter().product::<u32>() as i32;
        let x: Vec<i32> = (0..count).map(|i| (i ^ seed).wrapping_mul(0x9E37_79B1_u32 as i32) >> 27).collect();
        let counts = |kept: &dyn Fn(i32) -> bool| -> Vec<i32> {
            (0..bins as i32).map(|bin| x.iter().filter(|&&v| v == bin && kept(v)).count() as i32).collect()
        };
        let plain = format!("%r = histogram %b : BLOCK to tile<{bins}xi32>");
        prop_assert_eq!(run(&dims, &plain, &[bins], &x), counts(&|_| true));
        let dims_text: String = dims.iter().map(|d| format!("{d}x")).collect();
        let masked = format!(
            "%t = const 3 : BLOCK %h = and %b, %t : BLOCK %m = cmp ne %h, %t : BLOCK
             %w = trunc_int %b : BLOCK to tile<{dims_text}i8>
             %r = histogram %w, %m : tile<{dims_text}i8> to tile<{bins}xi32>"
        );
        prop_assert_eq!(run(&dims, &masked, &[bins], &x), counts(&|v| v & 3 != 3));
    }
}

/// Index and result may be longer or shorter than the tile.
#[test]
fn gathers_of_another_extent() {
    let x = [10, 11, 12, 20, 21, 22];
    let body = "%i = const 2 : tile<2x1xi64> %r = gather %b, %i axis 1 : tile<2x3xi32> to tile<2x1xi32>";
    assert_eq!(run(&[2, 3], body, &[2, 1], &x), [12, 22]);
    let body = "%l = range 0, 15 %t = const 2 : tile<15xi32> %m = rem_u %l, %t : tile<15xi32>
        %n = trunc_int %m : tile<15xi32> to tile<15xi8>
        %i = reshape %n : tile<15xi8> to tile<5x3xi8> %r = gather %b, %i axis 0 : tile<2x3xi32> to tile<5x3xi32>";
    let expected = [10, 21, 12, 20, 11, 22, 10, 21, 12, 20, 11, 22, 10, 21, 12];
    assert_eq!(run(&[2, 3], body, &[5, 3], &x), expected);
}

/// Every index is read as unsigned; one that is outside of the axis is told where it stands, when its element is used.
#[test]
fn an_index_outside_of_the_tile() {
    let text = |mask: &str, scalar: &str| {
        format!(
            "kernel @k(%x: ptr<i32>, %i: ptr<{scalar}>, %out: ptr<i32>) {{
  %l = range 0, 4
  %xs = splat %x : tile<4xptr<i32>>
  %xp = addptr %xs, %l : tile<4xptr<i32>>
  %b = load %xp : tile<4xptr<i32>>
  %is = splat %i : tile<4xptr<{scalar}>>
  %ip = addptr %is, %l : tile<4xptr<{scalar}>>
  %at = load %ip : tile<4xptr<{scalar}>>
  %r = gather %b, %at axis 0 : tile<4xi32> to tile<4xi32>
  %os = splat %out : tile<4xptr<i32>>
  %o = addptr %os, %l : tile<4xptr<i32>>
  %two = const 2 : tile<4xi32>
  %m = cmp ne %l, %two : tile<4xi32>
  store %o, %r{mask} : tile<4xptr<i32>>
}}"
        )
    };
    let outcome = |mask: &str, indices: &[i32; 4]| {
        let mut b = Bench::new(&text(mask, "i32"));
        b.i32s(&[5, 6, 7, 8]);
        b.i32s(indices);
        let out = b.i32s(&[0; 4]);
        b.run([1, 1, 1]).map(|_| b.read_i32s(out)).map_err(|e| e.to_string())
    };
    assert_eq!(outcome("", &[3, 0, 2, 0]), Ok(vec![8, 5, 7, 5]));
    assert_eq!(outcome(", %m", &[3, 0, -1, 0]), Ok(vec![8, 5, 0, 5]));
    for outside in [4, -1, i32::MAX, i32::MIN] {
        let error = outcome("", &[3, 0, outside, 0]).unwrap_err();
        assert_eq!(
            error,
            "k.ssa:9:3: 'gather' of kernel 'k', program (0, 0, 0), element (2): the index is outside of axis 0 of \
             tile<4xi32>; the result is used as the value of 'store' at k.ssa:14:3"
        );
    }
    let mut b = Bench::new(&text("", "i8"));
    b.i32s(&[5, 6, 7, 8]);
    b.bytes(mytriton_ssa::Scalar::I8, &[3, 0, 255, 1]);
    b.i32s(&[0; 4]);
    assert!(b.error([1, 1, 1]).contains("element (2): the index is outside"));
}

/// One undefined element that may count makes every bin undefined; one that is masked off does not.
#[test]
fn undefined_elements_are_not_counted() {
    let outcome = |mask: &str| {
        let text = format!(
            "kernel @k(%x: ptr<i32>, %out: ptr<i32>) {{
               %i = range 0, 4
               %two = const 2 : tile<4xi32>
               %low = cmp lt %i, %two : tile<4xi32>
               %xs = splat %x : tile<4xptr<i32>>
               %p = addptr %xs, %i : tile<4xptr<i32>>
               %b = load %p, %low : tile<4xptr<i32>>
               %r = histogram %b{mask} : tile<4xi32> to tile<4xi32>
               %os = splat %out : tile<4xptr<i32>>
               %o = addptr %os, %i : tile<4xptr<i32>>
               store %o, %r : tile<4xptr<i32>>
             }}"
        );
        let mut b = Bench::new(&text);
        b.i32s(&[3, 1, 1, 1]);
        let out = b.i32s(&[9; 4]);
        b.run([1, 1, 1]).map(|_| b.read_i32s(out)).map_err(|e| e.to_string())
    };
    assert_eq!(outcome(", %low"), Ok(vec![0, 1, 0, 1]));
    let error = outcome("").unwrap_err();
    assert!(
        error.contains("the mask of 'load' at k.ssa:7:16 does not hold"),
        "{error}"
    );
}

#[test]
fn several_tiles_are_combined_together() {
    // The largest and its place; the first of equal ones.
    let body = "
        %k = range 0, 7
        %m, %r = reduce %b, %k axis 0 : tile<7xi32>, tile<7xi32> (%a, %i, %c, %j) {
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
    // What the combiner yields may be its arguments, crossed, or a constant.
    let crossed = "%k, %r = reduce %b, %b axis 0 : tile<7xi32>, tile<7xi32> (%a, %i, %c, %j) { yield %j, %a }";
    assert_eq!(run(&[7], crossed, &[], &[1, 2, 3, 4, 5, 6, 7]), [6]);
    let constant = "%r = scan %b axis 0 : tile<3xi32> (%a, %c) { %five = const 5 : i32 yield %five }";
    assert_eq!(run(&[3], constant, &[3], &[1, 2, 3]), [1, 5, 5]);
}

#[test]
fn dimensions_change_places_and_elements_stay_in_order() {
    let x: Vec<i32> = (0..6).collect();
    let body = "%r = transpose %b [1, 0] : tile<2x3xi32> to tile<3x2xi32>";
    assert_eq!(run(&[2, 3], body, &[3, 2], &x), [0, 3, 1, 4, 2, 5]);
    let body = "%r = reshape %b : tile<2x3xi32> to tile<3x2xi32>";
    assert_eq!(run(&[2, 3], body, &[3, 2], &x), x);
    let body = "%s = reshape %b : tile<1x1xi32> to i32 %r = reshape %s : i32 to tile<1xi32>";
    assert_eq!(run(&[1, 1], body, &[1], &[4]), [4]);
}

/// An undefined element makes the results undefined that depend on it, and no others.
#[test]
fn undefined_elements_pass_through_combines() {
    let text = |axis: usize, stored: &str| {
        format!(
            "kernel @k(%x: ptr<i32>, %out: ptr<i32>) {{
               %i = range 0, 4
               %two = const 2 : tile<4xi32>
               %zero = const 0 : tile<4xi32>
               %one = const 1 : tile<4xi32>
               %low = cmp ne %i, %two : tile<4xi32>
               %xs = splat %x : tile<4xptr<i32>>
               %p = addptr %xs, %i : tile<4xptr<i32>>
               %line = load %p, %low : tile<4xptr<i32>>
               %b = reshape %line : tile<4xi32> to tile<2x2xi32>
               %t = transpose %b [1, 0] : tile<2x2xi32> to tile<2x2xi32>
               %s = reduce %t axis {axis} : tile<2x2xi32> (%a, %c) {{ %d = add %a, %c : i32 yield %d }}
               %r = scan %s axis 0 {stored} : tile<2xi32> (%a, %c) {{ %d = add %a, %c : i32 yield %d }}
               %j = range 0, 2
               %os = splat %out : tile<2xptr<i32>>
               %o = addptr %os, %j : tile<2xptr<i32>>
               %c0 = const 0 : tile<2xi32>
               %mask = cmp eq %j, %c0 : tile<2xi32>
               store %o, %r, %mask : tile<2xptr<i32>>
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

/// In every line of a scan, the elements from the undefined one on.
#[test]
fn undefined_elements_reach_the_end_of_their_line() {
    const DIMS: [usize; 2] = [3, 5];
    let outcome = |undefined: usize, stored: usize| {
        let text = format!(
            "kernel @k(%x: ptr<i32>, %out: ptr<i32>) {{
               %i = range 0, 15
               %u = const {undefined} : tile<15xi32>
               %s = const {stored} : tile<15xi32>
               %defined = cmp ne %i, %u : tile<15xi32>
               %chosen = cmp eq %i, %s : tile<15xi32>
               %xs = splat %x : tile<15xptr<i32>>
               %p = addptr %xs, %i : tile<15xptr<i32>>
               %line = load %p, %defined : tile<15xptr<i32>>
               %b = reshape %line : tile<15xi32> to tile<3x5xi32>
               %r = scan %b axis 1 : tile<3x5xi32> (%a, %c) {{ %d = add %a, %c : i32 yield %d }}
               %q = reshape %r : tile<3x5xi32> to tile<15xi32>
               %os = splat %out : tile<15xptr<i32>>
               %o = addptr %os, %i : tile<15xptr<i32>>
               store %o, %q, %chosen : tile<15xptr<i32>>
             }}"
        );
        let mut b = Bench::new(&text);
        b.i32s(&[1; 15]);
        b.i32s(&[0; 15]);
        b.run([1, 1, 1]).is_ok()
    };
    for undefined in 0..DIMS[0] * DIMS[1] {
        for stored in 0..DIMS[0] * DIMS[1] {
            let reached = undefined / DIMS[1] == stored / DIMS[1] && undefined <= stored;
            assert_eq!(outcome(undefined, stored), !reached, "{undefined} {stored}");
        }
    }
}

#[test]
fn a_division_by_zero_in_a_combine_is_told_at_its_place() {
    let text = "kernel @k(%out: ptr<i32>) {
  %b = range 0, 4
  %r = scan %b axis 0 reverse : tile<4xi32> (%p, %q) {
    %z = sub %q, %q : i32
    %d = div_s %p, %z : i32
    yield %d
  }
  %os = splat %out : tile<4xptr<i32>>
  %o = addptr %os, %b : tile<4xptr<i32>>
  store %o, %r : tile<4xptr<i32>>
}";
    let mut b = Bench::new(text);
    b.i32s(&[0; 4]);
    insta::assert_snapshot!(b.error([1, 1, 1]), @"k.ssa:5:5: 'div_s' of kernel 'k', program (0, 0, 0): integer division by zero; the result is used as the value of 'store' at k.ssa:10:3");
}
