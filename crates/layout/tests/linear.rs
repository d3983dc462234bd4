//! The algebra of linear layouts against tables worked by hand.

use mytriton_layout::{LayoutError, LinearLayout};

fn layout(text: &str) -> LinearLayout {
    text.parse().unwrap()
}

/// A one-dimensional layout with the single input `a` and the smallest output `x`.
fn line(bases: &[u32]) -> LinearLayout {
    LinearLayout::infer_from_bases([("a", bases.iter().map(|&b| [b]))], &["x"]).unwrap()
}

fn identity(size: u32) -> LinearLayout {
    LinearLayout::identity1d(size, "a", "x").unwrap()
}

#[test]
fn swizzle_table() {
    let l = layout("{lane = [[1, 1], [2, 2]], warp = [[0, 1], [0, 2]]}");
    let table = [
        [[0, 0], [0, 1], [0, 2], [0, 3]],
        [[1, 1], [1, 0], [1, 3], [1, 2]],
        [[2, 2], [2, 3], [2, 0], [2, 1]],
        [[3, 3], [3, 2], [3, 1], [3, 0]],
    ];
    for (lane, row) in (0..).zip(table) {
        for (warp, expected) in (0..).zip(row) {
            assert_eq!(l.apply(&[("lane", lane), ("warp", warp)]).unwrap()[..], expected);
            assert_eq!(l.apply_in_order(&[lane, warp])[..], expected);
            assert_eq!(
                l.apply_flat(u64::from(lane | warp << 2)),
                u64::from(expected[0] | expected[1] << 2)
            );
        }
    }
    assert!(l.is_invertible());
}

#[test]
fn zero_bases_do_not_matter() {
    let l = layout("{lane = [[1], [2]], warp = [[0], [0]]}");
    for lane in 0..4 {
        for warp in 0..4 {
            assert_eq!(l.apply(&[("lane", lane), ("warp", warp)]).unwrap()[..], [lane]);
        }
    }
    assert!(l.is_surjective() && !l.is_invertible());
}

#[test]
fn indices_are_checked() {
    let l = layout("{lane = [[1], [2]]}");
    assert_eq!(
        l.apply(&[("lane", 4)]).unwrap_err().to_string(),
        "index 4 of lane is outside of 0..4"
    );
    assert_eq!(
        l.apply(&[("warp", 0)]).unwrap_err().to_string(),
        "the layout has no input dimension warp: it has lane"
    );
}

#[test]
fn simple_constructors() {
    assert_eq!(identity(8), line(&[1, 2, 4]));
    assert_eq!(
        LinearLayout::strided1d(4, 4, "a", "x").unwrap().to_string(),
        "{a = [[4], [8]]} -> {x = 16}"
    );
    assert_eq!(
        LinearLayout::zeros1d(4, "a", "x", 8).unwrap().to_string(),
        "{a = [[0], [0]]} -> {x = 8}"
    );
    assert_eq!(LinearLayout::empty().to_string(), "{}");
    assert!(matches!(
        LinearLayout::identity1d(3, "a", "x"),
        Err(LayoutError::NotPowerOfTwo { size: 3, .. })
    ));
    assert!(matches!(
        LinearLayout::identity1d(0, "a", "x"),
        Err(LayoutError::NotPowerOfTwo { size: 0, .. })
    ));
    assert!(LinearLayout::identity1d(1 << 31, "a", "x").is_ok());
}

#[test]
fn compose_maps_each_basis() {
    let inner = layout("{in1 = [[1, 1], [0, 1]], in2 = [[1, 0], [1, 2]]} -> {out1 = 2, out2 = 4}");
    let outer = layout("{out1 = [[2, 2], [1, 0]], out2 = [[1, 1], [2, 1]]}");
    let both = inner.compose(&outer).unwrap();
    assert_eq!(both.to_string(), "{in1 = [[3, 3], [1, 1]], in2 = [[2, 2], [0, 3]]}");
    assert!(!both.is_surjective());
    let e = both.require_surjective().unwrap_err();
    assert_eq!(
        e.to_string(),
        "the layout is not surjective: its rank is 3 of 4 output bits, nothing maps to (dim0 = 1, dim1 = 0)"
    );
}

#[test]
fn compose_needs_fitting_dimensions() {
    let (a, b) = (layout("{a = [[4]]} -> {x = 8}"), layout("{x = [[1]]} -> {y = 2}"));
    assert_eq!(
        a.compose(&b).unwrap_err().to_string(),
        "dimension x has size 8 on the left and 2 on the right"
    );
    assert_eq!(
        b.compose(&a).unwrap_err().to_string(),
        "the dimensions differ: y against a"
    );
}

#[test]
fn product_concatenates_bits() {
    let p = identity(4).product(&identity(2)).unwrap();
    assert_eq!(p, identity(8));
    let lanes = LinearLayout::identity1d(4, "lane", "x").unwrap();
    let both = layout("{register = [[1]], lane = [[2]]} -> {x = 4}")
        .product(&lanes)
        .unwrap();
    assert_eq!(
        both.to_string(),
        "{register = [[1]], lane = [[2], [4], [8]]} -> {x = 16}"
    );
    // The order of the right factor holds where the left has no opinion.
    let both = lanes
        .product(&layout("{register = [[1]], lane = [[2]]} -> {x = 4}"))
        .unwrap();
    assert_eq!(
        both.to_string(),
        "{register = [[4]], lane = [[1], [2], [8]]} -> {x = 16}"
    );
    let big = LinearLayout::identity1d(1 << 31, "a", "x").unwrap();
    assert!(matches!(big.product(&big), Err(LayoutError::TooManyBits { .. })));
}

#[test]
fn reshape_keeps_the_flat_coordinate() {
    let l = layout("{a = [1, 4, 8], b = [3]}");
    let r = l.reshape_outs(&[("dim0", 2), ("dim1", 8)]).unwrap();
    assert_eq!(r.to_string(), "{a = [[1, 0], [0, 2], [0, 4]], b = [[1, 1]]}");
    assert_eq!(r.flatten_outs("dim0").unwrap(), l);
    assert_eq!(
        l.reshape_outs(&[("dim0", 8)]).unwrap_err().to_string(),
        "cannot reshape 2^4 indices into 2^3"
    );
}

#[test]
fn row_major_reshape_cuts_from_the_last_dimension() {
    // Element (i, j) of 4x8 is i * 8 + j; as 2x16 it is (i / 2, (i % 2) * 8 + j).
    let l = layout("{a = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]}");
    let r = l.reshape_outs_row_major(&[2, 16]).unwrap();
    assert_eq!(r.to_string(), "{a = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]]}");
}

#[test]
fn transposes_move_whole_dimensions() {
    let l = layout("{a = [[1, 2]], b = [[0, 1]]}");
    let outs = l.transpose_outs(&["dim1", "dim0"]).unwrap();
    assert_eq!(outs.to_string(), "{a = [[2, 1]], b = [[1, 0]]} -> {dim1 = 4, dim0 = 2}");
    assert_eq!(
        l.transpose_ins(&["b", "a"]).unwrap().to_string(),
        "{b = [[0, 1]], a = [[1, 2]]}"
    );
    assert!(outs.is_equivalent(&l) && outs != l);
    assert!(l.transpose_ins(&["a"]).is_err() && l.transpose_ins(&["a", "a"]).is_err());
}

#[test]
fn invert_and_compose_vectors() {
    let solve = |r: &[u32], s: &[u32]| {
        let s = LinearLayout::infer_from_bases([("offset", s.iter().map(|&b| [b]))], &["x"]).unwrap();
        let r = line(r);
        let c = r.invert_and_compose(&s).unwrap();
        assert!(c.compose(&s).unwrap().is_equivalent(&r));
        c
    };
    assert_eq!(
        solve(&[2, 1, 4], &[4, 1, 2]).to_string(),
        "{a = [[4], [2], [1]]} -> {offset = 8}"
    );
    assert_eq!(
        solve(&[2, 1, 4], &[0, 2, 1, 4]).to_string(),
        "{a = [[2], [4], [8]]} -> {offset = 16}"
    );
    assert_eq!(
        solve(&[1, 2, 4], &[0, 4, 1, 2]).to_string(),
        "{a = [[4], [8], [2]]} -> {offset = 16}"
    );
    let e = line(&[1, 2]).invert_and_compose(&line(&[1])).unwrap_err();
    assert_eq!(
        e.to_string(),
        "basis a[1] = [2] is not in the image of the layout to be inverted"
    );
}

#[test]
fn inverses() {
    let l = layout("{lane = [[1, 1], [2, 2]], warp = [[0, 1], [0, 2]]}");
    let back = l.pseudo_invert().unwrap();
    assert_eq!(
        back.to_string(),
        "{dim0 = [[1, 1], [2, 2]], dim1 = [[0, 1], [0, 2]]} -> {lane = 4, warp = 4}"
    );
    assert_eq!(
        layout("{a = [[1], [0]]} -> {x = 4}")
            .pseudo_invert()
            .unwrap_err()
            .to_string(),
        "the layout is not invertible: 2 input bits, 2 output bits, rank 1"
    );
    assert_eq!(
        line(&[0, 1, 1]).pseudo_invert().unwrap().to_string(),
        "{x = [[2]]} -> {a = 8}"
    );
}

#[test]
fn free_variables() {
    let zeros = |size| LinearLayout::zeros1d(size, "a", "x", 1).unwrap();
    let product = [zeros(4), identity(4), zeros(2)]
        .iter()
        .fold(identity(2), |l, r| l.product(r).unwrap());
    assert_eq!(product.free_variable_mask("a"), 0b100110);
    // A basis that repeats an earlier one is free too.
    let l = layout("{register = [1, 2], lane = [3, 4], warp = [4]}");
    let masks: Vec<_> = l
        .free_variable_masks()
        .map(|(d, m)| (d.as_str().to_owned(), m))
        .collect();
    assert_eq!(
        masks,
        [
            ("register".to_owned(), 0),
            ("lane".to_owned(), 1),
            ("warp".to_owned(), 1)
        ]
    );
}

#[test]
fn resizing() {
    let l = layout("{register = [8, 4, 1], lane = [2, 16]}");
    let small = l.resize_outs(&[("dim0", 8)], "register").unwrap();
    assert_eq!(small.to_string(), "{register = [[0], [4], [1]], lane = [[2], [0]]}");
    let large = small.resize_outs(&[("dim0", 32)], "register").unwrap();
    assert_eq!(
        large.to_string(),
        "{register = [[0], [4], [1], [8], [16]], lane = [[2], [0]]}"
    );
    assert!(l.shrink_out("dim0", 64).is_err() && l.grow_out("dim0", 16, "lane").is_err());
    let two = layout("{a = [[3, 3, 3]]}").shrink_out("dim1", 2).unwrap();
    assert_eq!(two.to_string(), "{a = [[3, 1, 3]]}");
}

#[test]
fn parts() {
    let l = layout("{register = [[0, 1]], lane = [[0, 2], [1, 0]], warp = [[2, 0]]}");
    let part = l.sublayout(&["lane", "warp"], &["dim1"]).unwrap();
    assert_eq!(part.to_string(), "{lane = [[2], [0]], warp = [[0]]} -> {dim1 = 4}");
    assert!(l.sublayout_is_zero(&["register"], &["dim0"]) && !l.sublayout_is_zero(&["lane"], &["dim0"]));
    assert!(l.sublayout(&["block"], &[]).is_err());
    let rest = layout("{register = [0, 1, 0], lane = [0, 2]}")
        .remove_zero_bases("register")
        .unwrap();
    assert_eq!(rest.to_string(), "{register = [[1]], lane = [[0], [2]]}");
}

#[test]
fn new_dimensions_have_size_1() {
    let a = layout("{a = [1, 2]}");
    let unit = a.unsqueeze_in("z").unwrap().unsqueeze_out("dim1").unwrap();
    assert_eq!(unit.to_string(), "{a = [[1, 0], [2, 0]], z = []}");
    assert!(unit.is_equivalent(&a));
    assert!(a.unsqueeze_in("a").is_err() && a.unsqueeze_out("dim0").is_err());
}

#[test]
fn limits_are_errors() {
    let wide = (0..40).map(|_| [0u32]);
    assert!(matches!(
        LinearLayout::from_bases([("a", wide)], &[("x", 1)]),
        Err(LayoutError::TooManyBits {
            what: "input",
            bits: 40
        })
    ));
    let e = LinearLayout::from_bases::<&str, [[u32; 1]; 0], _>([], &[("x", 0)]).unwrap_err();
    assert_eq!(
        e.to_string(),
        "dimension x has size 0: sizes of a layout are powers of two from 1 to 2^31"
    );
}
