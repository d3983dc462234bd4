//! Reductions: known plans, and plans carried out.

use mytriton_layout::{DistributedLayout, ReductionPlan};
use proptest::prelude::*;

use crate::enumerated::enumerated_plan;
use crate::executed::random_layout;
use crate::values::Values;
use crate::{forms, layout};

/// Values whose sums along an axis tell which elements were added, and how often.
fn value(at: &[u32]) -> i64 {
    at.iter().fold(7, |value, &c| value * 1009 + i64::from(c * c))
}

/// The plan has these groups and lane bits, and gives the sums.
#[track_caller]
fn reduces(layout: &DistributedLayout, axis: usize, groups: &[&[u32]], lane_bits: &[u32]) {
    let (plan, _) = ReductionPlan::from_layout(layout, axis).unwrap();
    assert_eq!(
        (&plan.slot_groups[..], &plan.lane_bits[..], &plan.warp_bits[..]),
        (
            &groups.iter().map(|group| group.to_vec()).collect::<Vec<_>>()[..],
            lane_bits,
            &[][..]
        )
    );
    assert_eq!(enumerated_plan(layout, axis), Some(plan));
    sums(layout, axis);
}

fn sums(layout: &DistributedLayout, axis: usize) {
    let extent = layout.shape()[axis];
    let sums = Values::new(layout, value).reduce(axis, |a, b| a + b).unwrap();
    for (mut at, &sum) in sums.elements() {
        let expected = (0..extent).map(|c| {
            at[axis] = c;
            value(&at)
        });
        assert_eq!(sum, expected.sum::<i64>());
    }
}

/// Blocks of a cluster may share out a kept axis, and not the reduced one.
#[test]
fn blocks_of_a_cluster() {
    let shared_out =
        layout("{register = [[0, 1]], lane = [[0, 2]], warp = [[0, 4], [1, 0]], block = [[2, 0], [4, 0]]}");
    let (plan, result) = ReductionPlan::from_layout(&shared_out, 1).unwrap();
    assert_eq!((plan.lane_bits, plan.warp_bits), (vec![0], vec![0]));
    assert_eq!((result.num_blocks(), &result.shape()[..]), (4, &[8][..]));
    let error = ReductionPlan::from_layout(&shared_out, 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "reduced layout: the axis spans several thread blocks"
    );
    // Blocks that repeat what others hold reduce it each for itself.
    let repeated = layout("{register = [[0, 1]], lane = [[1, 0]], block = [[0, 1], [0, 0]]}");
    assert!(ReductionPlan::from_layout(&repeated, 1).is_ok() && ReductionPlan::from_layout(&repeated, 0).is_ok());
}

#[test]
fn plans() {
    let [local, striped, accumulator, _] = &forms()[..] else {
        panic!("four forms")
    };
    reduces(local, 1, &[&[0, 1, 2, 3]], &[]);
    reduces(local, 0, &[&[0], &[1], &[2], &[3]], &[0, 1, 2, 3, 4]);
    reduces(striped, 1, &[&[0, 1, 2, 3]], &[0, 1, 2, 3, 4]);
    reduces(
        &striped.permute(&[1, 0]).unwrap(),
        0,
        &[&[0, 1, 2, 3]],
        &[0, 1, 2, 3, 4],
    );
    reduces(accumulator, 1, &[&[0, 1], &[2, 3]], &[0, 1]);
    reduces(accumulator, 0, &[&[0, 2], &[1, 3]], &[2, 3, 4]);
    // A register that changes both coordinates: groups are not of registers that differ in one bit.
    let slanted = layout("{register = [[1, 0], [1, 1]], lane = [[2, 0], [4, 0], [8, 0], [0, 2], [0, 4]]}");
    reduces(&slanted, 1, &[&[0, 3], &[1, 2]], &[3, 4]);
    let patch = layout("{register = [[1, 0], [0, 1]], lane = [[2, 0], [4, 0], [8, 0], [0, 2], [0, 4]]}");
    reduces(&patch, 1, &[&[0, 2], &[1, 3]], &[3, 4]);
    reduces(&patch, 0, &[&[0, 1], &[2, 3]], &[0, 1, 2]);
    // Lane bit 1 and register bit 1 repeat what is there already.
    let replicated = layout("{register = [[0, 1], [0, 0]], lane = [[0, 2], [0, 2], [1, 0], [2, 0], [4, 0]]}");
    reduces(&replicated, 1, &[&[0, 1]], &[0]);
}

#[test]
fn results_lie_where_their_operands_did() {
    let l = DistributedLayout::blocked(&[2, 1024], &[1, 4], &[1, 32], &[1, 4], &[1, 0]).unwrap();
    let (plan, result) = ReductionPlan::from_layout(&l, 1).unwrap();
    assert_eq!((plan.lane_bits, plan.warp_bits), (vec![0, 1, 2, 3, 4], vec![0, 1]));
    assert_eq!(
        result.to_string(),
        "{register = [[1]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []}"
    );
    sums(&l, 1);
}

#[test]
fn reductions_that_need_a_conversion_are_refused() {
    // Lane bit 0 changes the column and, with it, the row that register bit 0 owns.
    let l = layout("{register = [[1, 0]], lane = [[1, 1]]}");
    let refused = |layout: &DistributedLayout, axis| ReductionPlan::from_layout(layout, axis).unwrap_err().to_string();
    let e = refused(&l, 1);
    assert!(e.contains("convert the layout first"), "{e}");
    assert_eq!(enumerated_plan(&l, 1), None);
    assert!(ReductionPlan::from_layout(&l, 0).is_ok());
    let e = refused(&layout("{register = [1], block = [2]}"), 0);
    assert_eq!(e, "reduced layout: the axis spans several thread blocks");
    // Blocks that only replicate are no obstacle.
    assert!(ReductionPlan::from_layout(&layout("{register = [1], block = [0]}"), 0).is_ok());
    assert_eq!(refused(&l, 2), "reduced layout: axis 2 is outside of 0..2");
}

#[test]
fn permuting_changes_names_only() {
    for layout in forms() {
        // Sums of these round, and in another order otherwise.
        let element = |at: &[u32]| (at[0] as f32 + 0.3).sin() / (at[1] as f32 + 0.7);
        for axis in 0..2 {
            let direct = Values::new(&layout, element).reduce(axis, |a, b| a + b).unwrap();
            let permuted = Values::new(&layout.permute(&[1, 0]).unwrap(), |at| element(&[at[1], at[0]]));
            let permuted = permuted.reduce(1 - axis, |a, b| a + b).unwrap();
            assert_eq!(direct.threads, permuted.threads);
            assert_eq!(direct.layout, permuted.layout.permute(&[1, 0]).unwrap());
        }
    }
}

#[test]
fn replicas_are_equal_to_the_bit() {
    let accumulator = &forms()[2];
    let f = Values::new(accumulator, |at| 1.0 / (at[0] * 8 + at[1] + 3) as f32);
    let sum = f.reduce(1, |a, b| a + b).unwrap();
    for row in 0..8 {
        for lane in 0..4 {
            assert_eq!(sum.threads[row * 4 + lane], sum.threads[row * 4]);
        }
    }
}

#[test]
fn differences_to_a_maximum() {
    let f = Values::new(&forms()[0], |at| at[1] as f32 + 1.0);
    assert_eq!(f.reduce(1, |a, b| a + b).unwrap().threads[0], [10.0]);
    let max = f.reduce(1, |a, b| a.max(*b)).unwrap();
    assert_eq!(f.zip(&max, |x, m| x - m).unwrap().threads[31], [-3.0, -2.0, -1.0, 0.0]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn plans_add_each_element_once(l in random_layout(), axis in 0usize..2) {
        if ReductionPlan::from_layout(&l, axis).is_ok() {
            sums(&l, axis);
        }
    }
}
