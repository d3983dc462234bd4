//! Layouts that are none: each is an error which names the basis or the size at fault, where it is built and where it meets a
//! tile.

use mytriton_layout::staging::{Matrices, Staging};
use mytriton_layout::{ConversionPlan, Dim, DistributedLayout, IndexPlan, LayoutError, LinearLayout, ReductionPlan};

fn layout(text: &str) -> DistributedLayout {
    text.parse().unwrap()
}

#[test]
fn bases_of_another_rank_or_beyond_a_size() {
    let built = |bases: &[&[u32]]| {
        let bases = bases.iter().map(|basis| basis.to_vec());
        LinearLayout::from_bases([("lane", bases)], &[("dim0", 4), ("dim1", 8)])
    };
    let rank = built(&[&[1, 0], &[2]]).unwrap_err();
    assert_eq!(
        rank.to_string(),
        "basis lane[1] = [2]: has 1 coordinates, the layout has 2 output dimensions"
    );
    assert!(matches!(
        rank,
        LayoutError::BasisRank {
            index: 1,
            expected: 2,
            ..
        }
    ));
    let range = built(&[&[1, 0], &[0, 1], &[2, 8]]).unwrap_err();
    assert_eq!(
        range.to_string(),
        "basis lane[2] = [2, 8]: coordinate 1 is outside of 0..8"
    );
    assert!(matches!(
        range,
        LayoutError::BasisRange {
            index: 2,
            axis: 1,
            size: 8,
            ..
        }
    ));
    let size = LinearLayout::from_bases([("lane", [[1u32]])], &[("dim0", 6)]).unwrap_err();
    assert!(matches!(size, LayoutError::NotPowerOfTwo { size: 6, .. }), "{size}");
    let twice = LinearLayout::from_bases([("lane", [[1u32]]), ("lane", [[1]])], &[("dim0", 2)]).unwrap_err();
    assert!(matches!(twice, LayoutError::DuplicateDim { .. }), "{twice}");
}

#[test]
fn elements_that_nobody_owns() {
    let linear = LinearLayout::from_bases([("register", [[1u32]]), ("lane", [[4]])], &[("dim0", 8)]).unwrap();
    let error = DistributedLayout::new(linear).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the layout is not surjective: its rank is 2 of 3 output bits, nothing maps to (dim0 = 2)"
    );
    // The same layout of a smaller and of a larger tile.
    let text = "{register = [1], lane = [2]}";
    assert!(DistributedLayout::parse_with_shape(text, &[4]).is_ok());
    for (shape, wanted) in [
        (&[8][..], "nothing maps to (dim0 = 4)"),
        (&[2], "coordinate 0 is outside of 0..2"),
        (&[4, 1], "coordinate"),
    ] {
        let error = DistributedLayout::parse_with_shape(text, shape)
            .unwrap_err()
            .to_string();
        assert!(error.contains(wanted), "{shape:?}: {error}");
    }
}

#[test]
fn tiles_that_do_not_meet() {
    let (a, b) = (
        layout("{register = [1, 2], lane = [4], warp = [8]}"),
        layout("{register = [1], lane = [2], warp = [4]}"),
    );
    let error = ConversionPlan::new(&a, &b).unwrap_err();
    assert_eq!(
        error.to_string(),
        "dimension dim0 has size 16 on the left and 8 on the right"
    );
    assert!(Staging::choose(&a, &b, 4, Matrices::NONE).is_err());
    let error = ReductionPlan::from_layout(&a, 1).unwrap_err();
    assert_eq!(error.to_string(), "reduced layout: axis 1 is outside of 0..1");
}

/// An error names both sizes, or both lists of dimensions, as they are.
#[test]
fn sizes_and_names_in_errors() {
    let linear: LinearLayout = "{register = [[1, 0], [0, 1]], lane = [[2, 0], [4, 0]]}"
        .parse()
        .unwrap();
    let text = |error: LayoutError| error.to_string();
    assert_eq!(
        text(linear.shrink_out("dim0", 16).unwrap_err()),
        "dimension dim0 has size 8 on the left and 16 on the right"
    );
    assert_eq!(
        text(linear.grow_out("dim0", 2, "lane").unwrap_err()),
        "dimension dim0 has size 8 on the left and 2 on the right"
    );
    assert_eq!(linear.shrink_out("dim0", 8).unwrap(), linear, "not larger");
    assert_eq!(linear.grow_out("dim0", 8, "lane").unwrap(), linear, "not smaller");
    assert_eq!(
        text(linear.resize_outs(&[("dim0", 8)], "warp").unwrap_err()),
        "the layout has no input dimension warp: it has register, lane"
    );
    assert_eq!(
        text(IndexPlan::new(&linear).without("warp").unwrap_err()),
        "the layout has no input dimension warp: it has register, lane"
    );
    // Written outputs against those of a tile: the first size that differs, or the names.
    for (written, shape, wanted) in [
        (
            "dim0 = 4, dim1 = 4",
            [4, 8],
            "dimension dim1 has size 4 on the left and 8 on the right",
        ),
        (
            "dim0 = 4, dim1 = 4",
            [8, 4],
            "dimension dim0 has size 4 on the left and 8 on the right",
        ),
        (
            "dim0 = 4, x = 2",
            [8, 2],
            "the dimensions differ: dim0, x against dim0, dim1",
        ),
        (
            "dim1 = 4, dim0 = 4",
            [4, 4],
            "the dimensions differ: dim1, dim0 against dim0, dim1",
        ),
    ] {
        let layout = format!("{{lane = [[1, 0], [0, 1]]}} -> {{{written}}}");
        assert_eq!(
            text(LinearLayout::parse_with_shape(&layout, &shape).unwrap_err()),
            wanted
        );
    }
}

#[test]
fn debug_output_is_the_text_form() {
    let text = "{register = [[1]], lane = [[2]], warp = [], block = []}";
    assert_eq!(format!("{:?}", layout(text)), text);
    assert_eq!(format!("{:?}", layout(text).linear()), text);
    assert_eq!(format!("{:?}", Dim::LANE), "lane");
}
