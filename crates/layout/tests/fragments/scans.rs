//! Scans: plans carried out, and layouts that are refused.

use mytriton_layout::{DistributedLayout, FragmentError, LinearLayout, ScanPlan, ScanStep, WarpPartials};
use proptest::prelude::*;

use crate::layout;
use crate::values::Values;

/// Each element is the list of those before it and itself.
fn lists_what_is_before(layout: &DistributedLayout, axis: usize) {
    let single = Values::new(layout, |at| vec![at.to_vec()]);
    let scanned = single.scan(axis, |a, b| [&a[..], b].concat()).unwrap();
    for (mut at, found) in scanned.elements() {
        let own = at[axis];
        let expected = (0..=own).map(|c| {
            at[axis] = c;
            at.to_vec()
        });
        assert_eq!(*found, expected.collect::<Vec<_>>(), "{layout} along {axis}");
    }
}

#[test]
fn steps_follow_the_bits_of_the_coordinate() {
    let l = layout("{register = [1, 32], lane = [2, 4, 0, 8, 0], warp = [16, 64]}");
    let plan = ScanPlan::new(&l, 0).unwrap();
    assert_eq!((&plan.row[..], &plan.starts[..]), (&[1][..], &[0, 2][..]));
    let warps = |reduced, distinct: &[u32], copies| {
        ScanStep::Warps(WarpPartials {
            reduced,
            distinct: distinct.to_vec(),
            copies,
        })
    };
    // Of 128 threads: bits 0 to 4 are lanes, 5 and 6 warps. Lanes know the same by then, and warp bit 0 by the end.
    assert_eq!(
        plan.steps,
        [
            ScanStep::Lanes { bit: 0 },
            ScanStep::Lanes { bit: 1 },
            ScanStep::Lanes { bit: 3 },
            warps(vec![5], &[6], 0b001_1111),
            ScanStep::Registers { mask: 2 },
            warps(vec![6], &[], 0b011_1111),
        ]
    );
    lists_what_is_before(&l, 0);
    // Warp bits that follow one another are joined at once.
    let l = layout("{register = [8], lane = [1], warp = [2, 4]}");
    let plan = ScanPlan::new(&l, 0).unwrap();
    assert_eq!((plan.row.len(), &plan.starts[..]), (0, &[0, 1][..]));
    assert_eq!(plan.steps.len(), 3);
    assert!(matches!(&plan.steps[1], ScanStep::Warps(warps) if warps.reduced == [1, 2] && warps.num_parts() == 4));
    lists_what_is_before(&l, 0);
}

#[test]
fn layouts_without_a_plan() {
    let refused = |text: &str| ScanPlan::new(&layout(text), 1).unwrap_err();
    let bit = |input, bit| FragmentError::ScanBit { axis: 1, input, bit };
    assert_eq!(
        refused("{register = [[0, 1], [1, 0]], lane = [[1, 2]]}"),
        bit("lane", 0),
        "with another coordinate"
    );
    assert_eq!(
        refused("{register = [[0, 1], [0, 3]], lane = [[1, 0]]}"),
        bit("register", 1),
        "two bits"
    );
    assert_eq!(
        refused("{register = [[0, 1]], warp = [[1, 0], [0, 1]]}"),
        bit("warp", 1),
        "a replica"
    );
    assert_eq!(
        refused("{register = [[0, 1]], block = [[0, 2]]}"),
        FragmentError::ScanBlocks { axis: 1 }
    );
    assert_eq!(
        refused("{register = [[0, 1], [1, 0]], lane = [[1, 2]]}").to_string(),
        "a scan along axis 1 takes a layout in which each bit of that coordinate is one bit of the register, lane or \
         warp; lane bit 0 is none: convert the layout first"
    );
}

/// An 8x8 tile whose coordinate bits are bits of the register, lane and warp in any order, among bits that replicate.
fn permuted_layout() -> impl Strategy<Value = DistributedLayout> {
    let bits: Vec<[u32; 2]> = (0..3)
        .flat_map(|bit| [[0, 1 << bit], [1 << bit, 0]])
        .chain([[0, 0]; 3])
        .collect();
    (Just(bits).prop_shuffle(), 0usize..4, 0usize..4).prop_map(|(bits, registers, lanes)| {
        let (register, rest) = bits.split_at(registers);
        let (lane, warp) = rest.split_at(lanes);
        let ins = [("register", register), ("lane", lane), ("warp", warp)];
        let ins = ins.map(|(name, bases)| (name, bases.to_vec()));
        let linear = LinearLayout::from_bases(ins, &[("dim0", 8), ("dim1", 8)]).expect("in range");
        DistributedLayout::new(linear).expect("all bits are there")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn scans_list_what_is_before(l in permuted_layout(), axis in 0usize..2) {
        lists_what_is_before(&l, axis);
    }
}
