//! Layouts that are none: each is an error which names the basis or the size at fault, where it is built and where it meets a
//! tile.

use mytriton_layout::staging::{Matrices, Staging};
use mytriton_layout::{ConversionPlan, DistributedLayout, LayoutError, LinearLayout, ReductionPlan};

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
