//! Reduction plans derived from the table of who owns what, element by element.

use mytriton_layout::{Coords, DistributedLayout, ReductionPlan};
use proptest::prelude::*;

use crate::executed::random_layout;
use crate::values::coords;

/// The plan by enumeration; `None` where threads group their registers in different ways, or elements would change
/// register and thread at once.
pub fn enumerated_plan(layout: &DistributedLayout, axis: usize) -> Option<ReductionPlan> {
    let (threads, slots) = (layout.num_lanes() * layout.num_warps(), layout.num_registers());
    let kept = |thread, slot| -> Coords {
        let mut coords = coords(layout, thread, slot);
        coords[axis] = 0;
        coords
    };
    // Slot groups of thread 0; every thread must have the same.
    let mut slot_groups: Vec<Vec<u32>> = Vec::new();
    for slot in 0..slots {
        let group = slot_groups.iter().position(|group| kept(0, group[0]) == kept(0, slot));
        let Some(group) = group else {
            slot_groups.push(vec![slot]);
            continue;
        };
        let group = &mut slot_groups[group];
        if (0..threads).any(|thread| kept(thread, slot) != kept(thread, group[0])) {
            return None;
        }
        let replica_of = |thread| {
            group
                .iter()
                .find(|&&earlier| coords(layout, thread, earlier) == coords(layout, thread, slot))
        };
        let replica = replica_of(0);
        if (1..threads).any(|thread| replica_of(thread) != replica) {
            return None;
        }
        if replica.is_none() {
            group.push(slot);
        }
    }
    // The reduced coordinates that each thread has combined so far, by group.
    let along =
        |thread, group: &Vec<u32>| sorted(group.iter().map(|&slot| coords(layout, thread, slot)[axis]).collect());
    let mut held: Vec<Vec<Vec<u32>>> = (0..threads)
        .map(|thread| slot_groups.iter().map(|group| along(thread, group)).collect())
        .collect();
    let (mut lane_bits, mut warp_bits) = (Vec::new(), Vec::new());
    for bit in 0..threads.ilog2() {
        let partner = |thread: u32| thread ^ 1 << bit;
        let same_result = |thread| {
            slot_groups
                .iter()
                .all(|group| kept(thread, group[0]) == kept(partner(thread), group[0]))
        };
        let replicates = |thread| held[thread as usize] == held[partner(thread) as usize];
        if !(0..threads).all(same_result) || (0..threads).all(replicates) {
            continue;
        }
        let joined: Option<Vec<Vec<Vec<u32>>>> = (0..threads)
            .map(|thread| {
                let pairs = held[thread as usize].iter().zip(&held[partner(thread) as usize]);
                let union = |(a, b): (&Vec<u32>, &Vec<u32>)| {
                    let disjoint = a.iter().all(|c| !b.contains(c));
                    disjoint.then(|| sorted([&a[..], b].concat()))
                };
                pairs.map(union).collect()
            })
            .collect();
        held = joined?;
        match bit.checked_sub(layout.num_lanes().ilog2()) {
            Some(warp_bit) => warp_bits.push(warp_bit),
            None => lane_bits.push(bit),
        }
    }
    let all: Vec<u32> = (0..layout.shape()[axis]).collect();
    held.iter()
        .flatten()
        .all(|covered| *covered == all)
        .then_some(ReductionPlan {
            slot_groups,
            lane_bits,
            warp_bits,
        })
}

fn sorted(mut values: Vec<u32>) -> Vec<u32> {
    values.sort_unstable();
    values
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn reductions_derived_twice_agree(l in random_layout(), axis in 0usize..2) {
        let from_bases = ReductionPlan::from_layout(&l, axis).ok();
        prop_assert_eq!(from_bases.map(|(plan, _)| plan), enumerated_plan(&l, axis));
    }
}
