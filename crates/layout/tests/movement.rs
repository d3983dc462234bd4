//! Reductions, conversions and bank conflicts: each derived twice, or carried out on a table.

use mytriton_layout::fragment::{FragmentError, Ownership};
use mytriton_layout::staging::{Access, Form, Matrices, Staging, access_ways, enumerated_ways, max_access, ways};
use mytriton_layout::{
    ConversionPlan, DistributedLayout, HardwareSwizzle, LinearLayout, Movement, ReductionPlan, Swizzle,
    hardware_swizzled, swizzled,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn layout(text: &str) -> DistributedLayout {
    text.parse().unwrap()
}

fn accumulator() -> DistributedLayout {
    DistributedLayout::mma_accumulator([16, 8], [1, 1]).unwrap()
}

fn patch() -> Ownership {
    Ownership::strided(&[16, 8], &[(8, 2), (4, 32)], &[(2, 1), (2, 16)]).unwrap()
}

#[test]
fn ownership_tables() {
    let local = Ownership::local(3).unwrap();
    assert_eq!(local.shape(), [32, 3]);
    assert_eq!(local.coords(5, 2)[..], [5, 2]);
    let striped = Ownership::striped(3).unwrap();
    assert_eq!(striped.shape(), [1, 96]);
    assert_eq!(striped.coords(5, 2)[..], [0, 69]);
    assert_eq!(striped.permute(&[1, 0]).unwrap().coords(5, 2)[..], [69, 0]);
    assert_eq!(striped.to_layout(), None, "three slots are not linear");
    let patch = patch();
    assert_eq!(patch.coords(1, 0)[..], [2, 0]);
    assert_eq!(patch.coords(8, 0)[..], [0, 2]);
    assert_eq!(patch.coords(31, 3)[..], [15, 7]);
    let fitted = Ownership::striped(4).unwrap().to_layout().unwrap();
    assert_eq!(Ownership::from_layout(&fitted).unwrap(), Ownership::striped(4).unwrap());
}

#[test]
fn bad_ownerships_are_named() {
    assert_eq!(
        Ownership::strided(&[16, 8], &[(32, 2)], &[(2, 1)])
            .unwrap_err()
            .to_string(),
        "nobody owns element [0, 4] of the tile [16, 8]"
    );
    assert_eq!(
        Ownership::strided(&[4, 2], &[(4, 2)], &[(4, 1)])
            .unwrap_err()
            .to_string(),
        "thread 3, slot 2 owns [0, 2], outside of the tile [4, 2]"
    );
    assert!(matches!(Ownership::local(0), Err(FragmentError::Size { .. })));
    assert!(matches!(
        Ownership::strided(&[3], &[(3, 1)], &[]),
        Err(FragmentError::Size { threads: 3, .. })
    ));
    assert!(matches!(Ownership::striped(u32::MAX), Err(FragmentError::Size { .. })));
    assert!(matches!(patch().permute(&[0]), Err(FragmentError::Axes { .. })));
}

#[track_caller]
fn reduces(ownership: &Ownership, axis: usize, groups: &[&[u32]], lane_bits: &[u32]) {
    let (plan, result) = ReductionPlan::from_ownership(ownership, axis).unwrap();
    assert_eq!(plan.slot_groups, groups);
    assert_eq!(plan.lane_bits, lane_bits);
    assert_eq!(plan.warp_bits, []);
    carry_out(ownership, axis, &plan, &result);
    // Where the table is linear, the bases say the same.
    if let Some(layout) = ownership.to_layout() {
        let (from_bases, result_layout) = ReductionPlan::from_layout(&layout, axis).unwrap();
        assert_eq!(from_bases, plan);
        assert_eq!(
            Ownership::from_layout(&result_layout.expand_dims(axis).unwrap()).unwrap(),
            result
        );
    }
}

/// Sums distinct powers of a small base along the axis as the plan says, and compares with the sum over the tile.
fn carry_out(ownership: &Ownership, axis: usize, plan: &ReductionPlan, result: &Ownership) {
    let value = |coords: &[u32]| coords.iter().fold(1u64, |v, &c| v * 1009 + u64::from(c) * u64::from(c));
    let mut expected: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    let mut seen = std::collections::BTreeSet::new();
    let threads = ownership.num_threads();
    for thread in 0..threads {
        for slot in 0..ownership.num_slots() {
            let coords = ownership.coords(thread, slot).to_vec();
            if seen.insert(coords.clone()) {
                let mut kept = coords.clone();
                kept[axis] = 0;
                *expected.entry(kept).or_default() += value(&coords);
            }
        }
    }
    let sum = |thread, group: &Vec<u32>| {
        group
            .iter()
            .map(|&slot| value(ownership.coords(thread, slot)))
            .sum::<u64>()
    };
    let mut partial: Vec<Vec<u64>> = (0..threads)
        .map(|thread| plan.slot_groups.iter().map(|group| sum(thread, group)).collect())
        .collect();
    let steps = plan
        .lane_bits
        .iter()
        .copied()
        .chain(plan.warp_bits.iter().map(|bit| bit + 5));
    for bit in steps {
        let before = partial.clone();
        for (thread, groups) in partial.iter_mut().enumerate() {
            for (group, value) in groups.iter_mut().enumerate() {
                *value += before[thread ^ (1 << bit)][group];
            }
        }
    }
    for thread in 0..threads {
        for slot in 0..result.num_slots() {
            let total = partial[thread as usize][slot as usize];
            assert_eq!(total, expected[&result.coords(thread, slot).to_vec()]);
        }
        for slot in 0..ownership.num_slots() {
            let mut kept = ownership.coords(thread, slot).clone();
            kept[axis] = 0;
            assert_eq!(
                *result.coords(thread, plan.group_of_slot[slot as usize]),
                kept,
                "broadcasting back"
            );
        }
    }
}

#[test]
fn reduction_plans() {
    let (local, striped) = (Ownership::local(3).unwrap(), Ownership::striped(3).unwrap());
    reduces(&local, 1, &[&[0, 1, 2]], &[]);
    reduces(&local, 0, &[&[0], &[1], &[2]], &[0, 1, 2, 3, 4]);
    reduces(&striped, 1, &[&[0, 1, 2]], &[0, 1, 2, 3, 4]);
    let c = Ownership::from_layout(&accumulator()).unwrap();
    reduces(&c, 1, &[&[0, 1], &[2, 3]], &[0, 1]);
    reduces(&c, 0, &[&[0, 2], &[1, 3]], &[2, 3, 4]);
    reduces(&patch(), 1, &[&[0, 2], &[1, 3]], &[3, 4]);
    reduces(&patch(), 0, &[&[0, 1], &[2, 3]], &[0, 1, 2]);
    // Permuting the axes changes nothing but their names.
    reduces(&striped.permute(&[1, 0]).unwrap(), 0, &[&[0, 1, 2]], &[0, 1, 2, 3, 4]);
    for n in [1, 4, 5, 24] {
        let all: Vec<u32> = (0..n).collect();
        reduces(&Ownership::local(n).unwrap(), 1, &[&all], &[]);
    }
    assert!(matches!(
        ReductionPlan::from_ownership(&local, 2),
        Err(FragmentError::Axes { .. })
    ));
    assert!(ReductionPlan::from_layout(&accumulator(), 2).is_err());
}

#[test]
fn reductions_across_warps_say_so() {
    let l = DistributedLayout::blocked(&[2, 1024], &[1, 4], &[1, 32], &[1, 4], &[1, 0]).unwrap();
    let (plan, result) = ReductionPlan::from_layout(&l, 1).unwrap();
    assert_eq!((plan.lane_bits, plan.warp_bits), (vec![0, 1, 2, 3, 4], vec![0, 1]));
    assert_eq!(
        result.to_string(),
        "{register = [[1]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []}"
    );
}

#[test]
fn replicas_are_not_counted_twice() {
    // Lane bit 1 and register bit 1 repeat what is there already.
    let l = layout("{register = [[0, 1], [0, 0]], lane = [[0, 2], [0, 2], [1, 0], [2, 0], [4, 0]]}");
    let (plan, _) = ReductionPlan::from_layout(&l, 1).unwrap();
    assert_eq!(
        (&plan.slot_groups[..], &plan.lane_bits[..]),
        (&[vec![0, 1]][..], &[0][..])
    );
    reduces(&Ownership::from_layout(&l).unwrap(), 1, &[&[0, 1]], &[0]);
}

#[test]
fn entangled_reductions_are_refused() {
    // Lane bit 0 changes the column and, with it, the row that register bit 0 owns.
    let l = layout("{register = [[1, 0]], lane = [[1, 1]]}");
    let e = ReductionPlan::from_layout(&l, 1).unwrap_err();
    assert!(e.to_string().contains("convert the layout first"), "{e}");
    let table = Ownership::from_layout(&l).unwrap();
    assert_eq!(
        ReductionPlan::from_ownership(&table, 1),
        Err(FragmentError::Entangled { axis: 1 })
    );
    assert!(ReductionPlan::from_ownership(&table, 0).is_ok());
    let blocks = layout("{register = [1], block = [2]}");
    assert!(ReductionPlan::from_layout(&blocks, 0).is_err());
    assert!(matches!(
        Ownership::from_layout(&blocks),
        Err(FragmentError::Blocks { blocks: 2 })
    ));
}

#[test]
fn conversions_use_the_nearest_means() {
    let a = layout("{register = [1, 2], lane = [4, 8], warp = [16]}");
    let movement = |text: &str| ConversionPlan::new(&a, &layout(text)).unwrap().movement();
    assert_eq!(
        movement("{register = [1, 2], lane = [4, 8], warp = [16]}"),
        Movement::None
    );
    assert_eq!(
        movement("{register = [2, 1], lane = [4, 8], warp = [16]}"),
        Movement::Registers
    );
    assert_eq!(
        movement("{register = [1, 2, 0], lane = [4, 8], warp = [16]}"),
        Movement::Registers
    );
    assert_eq!(
        movement("{register = [1, 4], lane = [2, 8], warp = [16]}"),
        Movement::Lanes
    );
    assert_eq!(
        movement("{register = [1, 16], lane = [4, 8], warp = [2]}"),
        Movement::Warps
    );
    let plan = ConversionPlan::new(&a, &layout("{register = [1, 2, 0], lane = [4, 8], warp = [16]}")).unwrap();
    assert_eq!(plan.unique_registers(), [0, 1, 2, 3]);
    assert_eq!(plan.representatives(), [0, 1, 2, 3, 0, 1, 2, 3]);
    assert_eq!(plan.register_sources().unwrap(), [0, 1, 2, 3, 0, 1, 2, 3]);
    // A replica in every lane: lanes that want different elements find them at home.
    let everywhere = layout("{register = [1], lane = [0]}");
    let split = ConversionPlan::new(&everywhere, &layout("{lane = [1]}")).unwrap();
    assert_eq!(split.movement(), Movement::Registers);
    assert_eq!(split.register_sources(), None, "the register depends on the lane");
    let e = ConversionPlan::new(&a, &layout("{register = [1, 2, 16], lane = [4, 8]}")).unwrap_err();
    assert_eq!(
        e.to_string(),
        "dimension warp has size 2 on the left and 1 on the right"
    );
    assert!(ConversionPlan::new(&a, &layout("{register = [1], lane = [2, 4], warp = [8]}")).is_err());
}

#[test]
fn a_product_feeds_the_next_without_movement() {
    let c = DistributedLayout::mma_accumulator([64, 64], [4, 1]).unwrap();
    let a = DistributedLayout::mma_operand_a([64, 64], [4, 1], 2).unwrap();
    assert_eq!(ConversionPlan::new(&c, &a).unwrap().movement(), Movement::None);
}

fn conflicts(threads: &DistributedLayout, shared: &LinearLayout, bytes: u32, vector: u32) -> u32 {
    let ways = access_ways(threads, shared, bytes, vector).unwrap();
    assert_eq!(ways, enumerated_ways(threads, shared, bytes, vector).unwrap());
    ways
}

#[test]
fn transposing_through_shared_memory() {
    let rows = DistributedLayout::blocked(&[16, 32], &[1, 1], &[1, 32], &[1, 1], &[1, 0]).unwrap();
    let column_pairs = DistributedLayout::blocked(&[16, 32], &[1, 1], &[16, 2], &[1, 1], &[0, 1]).unwrap();
    for (vec, max_phase, read) in [(1, 1, 16), (1, 16, 2), (2, 16, 1)] {
        let shared = swizzled(
            &[16, 32],
            &[1, 0],
            Swizzle {
                vec,
                per_phase: 1,
                max_phase,
            },
        )
        .unwrap();
        assert_eq!(conflicts(&rows, &shared, 4, 1), 1);
        assert_eq!(conflicts(&column_pairs, &shared, 4, 1), read);
    }
}

#[test]
fn hardware_swizzles_serve_matrix_loads() {
    // Eight lanes read 16 bytes each from eight consecutive rows, as ldmatrix does.
    let l = layout(
        "{register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [0, 8], [0, 16]], warp = [[0, 32]]}",
    );
    let shared = hardware_swizzled([8, 64], 2, HardwareSwizzle::B128).unwrap();
    assert_eq!(max_access(&l, &shared, 2).unwrap(), 8);
    assert_eq!(conflicts(&l, &shared, 2, 8), 1);
    let plain = swizzled(&[8, 64], &[1, 0], Swizzle::NONE).unwrap();
    assert_eq!(conflicts(&l, &plain, 2, 8), 8);
    let e = access_ways(&l, &shared, 2, 16).unwrap_err();
    assert_eq!(
        e.to_string(),
        "shared layout: accesses of 16 elements: a power of two up to 8 is possible here"
    );
    assert!(max_access(&l, &shared, 3).is_err());
}

#[test]
fn wide_accesses_are_served_in_parts() {
    let packed: Vec<u32> = (0..32).map(|lane| lane * 16).collect();
    assert_eq!(ways(&packed, 16), 1);
    let strided: Vec<u32> = (0..32).map(|lane| lane * 32).collect();
    assert_eq!((ways(&strided, 16), ways(&strided, 8), ways(&strided, 4)), (2, 4, 8));
    assert_eq!(ways(&[], 4), 1);
}

#[track_caller]
fn vector_of(access: Access) -> u32 {
    match access.form {
        Form::Vector(vector) => vector,
        matrices => panic!("{matrices:?} where there are none"),
    }
}

#[track_caller]
fn no_conflicts(src: &DistributedLayout, dst: &DistributedLayout, bytes: u32) -> Staging {
    let staging = Staging::choose(src, dst, bytes, Matrices::NONE).unwrap();
    assert!(staging.layout.is_invertible());
    for (threads, access) in [(src, staging.store), (dst, staging.load)] {
        let vector = vector_of(access);
        assert!(max_access(threads, &staging.layout, bytes).unwrap() >= vector);
        assert_eq!(conflicts(threads, &staging.layout, bytes, vector), 1);
        assert_eq!(access.ways, 1);
    }
    staging
}

#[test]
fn chosen_layouts_have_no_conflicts() {
    let transpose = |rows: u32, columns: u32, vector: u32| {
        let lanes = 32 / (columns / vector).min(32);
        let src = DistributedLayout::blocked(&[rows, columns], &[1, vector], &[lanes, 32 / lanes], &[4, 1], &[1, 0]);
        let lanes = 32 / (rows / vector).min(32);
        let dst = DistributedLayout::blocked(&[rows, columns], &[vector, 1], &[32 / lanes, lanes], &[1, 4], &[0, 1]);
        (src.unwrap(), dst.unwrap())
    };
    let (src, dst) = transpose(128, 128, 16);
    no_conflicts(&src, &dst, 1);
    let (src, dst) = transpose(128, 128, 8);
    no_conflicts(&src, &dst, 2);
    let (src, dst) = transpose(32, 16, 4);
    no_conflicts(&src, &dst, 4);
    let blocked = DistributedLayout::blocked(&[16, 16], &[1, 8], &[16, 2], &[1, 1], &[1, 0]).unwrap();
    let mma = DistributedLayout::mma_operand_a([16, 16], [1, 1], 2).unwrap();
    let staging = no_conflicts(&blocked, &mma, 2);
    let vectors = (vector_of(staging.store), vector_of(staging.load));
    assert_eq!(vectors, (8, 2), "both hold pairs of columns, the source rows of eight");
    let same = no_conflicts(&blocked, &blocked, 2);
    assert_eq!((vector_of(same.store), vector_of(same.load)), (8, 8), "16 bytes");
    assert!(
        Staging::choose(&blocked, &accumulator(), 2, Matrices::NONE).is_err(),
        "different tiles"
    );
    assert!(Staging::choose(&blocked, &mma, 32, Matrices::NONE).is_err());
}

/// A random owner of a 16x16 tile: a bijection of 2^8 indices with a few replicas.
fn random_layout() -> impl Strategy<Value = DistributedLayout> {
    let steps = prop::collection::vec((0usize..8, 0usize..8), 0..40);
    (steps, prop::collection::vec(any::<u8>(), 2), any::<[bool; 2]>()).prop_map(|(steps, extra, zero)| {
        let mut bases: Vec<u8> = (0..8).map(|bit| 1 << bit).collect();
        for (to, from) in steps {
            if to != from {
                bases[to] ^= bases[from];
            }
        }
        let at = |b: u8| [u32::from(b & 15), u32::from(b >> 4)];
        let extra: Vec<u8> = extra
            .into_iter()
            .zip(zero)
            .map(|(x, zero)| if zero { 0 } else { x })
            .collect();
        let register = [at(bases[0]), at(extra[0]), at(bases[1])].to_vec();
        let lane = [bases[2], bases[3], extra[1], bases[4], bases[5]].map(at).to_vec();
        let warp = [bases[6], bases[7]].map(at).to_vec();
        let ins = [("register", register), ("lane", lane), ("warp", warp)];
        DistributedLayout::new(LinearLayout::from_bases(ins, &[("dim0", 16), ("dim1", 16)]).expect("in range"))
            .expect("the bijection spans the tile")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn conversions_find_every_element(src in random_layout(), dst in random_layout()) {
        let plan = ConversionPlan::new(&src, &dst).unwrap();
        for register in 0..dst.num_registers() {
            for thread in 0..128 {
                let (lane, warp) = (thread % 32, thread / 32);
                let from = plan.source().apply_in_order(&[register, lane, warp]);
                prop_assert_eq!(src.coords(from[0], from[1], from[2]), dst.coords(register, lane, warp));
                prop_assert!(plan.movement() >= Movement::Warps || from[2] == warp);
                prop_assert!(plan.movement() >= Movement::Lanes || from[1] == lane);
                prop_assert!(plan.movement() >= Movement::Registers || from[0] == register);
            }
            let twin = plan.representatives()[register as usize];
            prop_assert!(plan.unique_registers().contains(&twin));
            prop_assert_eq!(dst.coords(register, 5, 3), dst.coords(twin, 5, 3));
        }
        prop_assert_eq!(ConversionPlan::new(&src, &src).unwrap().movement(), Movement::None);
    }

    #[test]
    fn staging_never_conflicts(src in random_layout(), dst in random_layout(), bytes in 0u32..4) {
        no_conflicts(&src, &dst, 1 << bytes);
    }

    #[test]
    fn conflicts_counted_twice_agree(threads in random_layout(), vec in 0u32..3, phase in 0u32..3, phases in 0u32..4, bytes in 0u32..4) {
        let swizzle = Swizzle { vec: 1 << vec, per_phase: 1 << phase, max_phase: 1 << phases };
        let shared = swizzled(&[16, 16], &[1, 0], swizzle).unwrap();
        let widest = max_access(&threads, &shared, 1 << bytes).unwrap();
        let mut vector = 1;
        while vector <= widest {
            conflicts(&threads, &shared, 1 << bytes, vector);
            vector *= 2;
        }
    }

    #[test]
    fn conflicts_agree_in_any_shared_layout(
        threads in random_layout(),
        steps in prop::collection::vec((0usize..8, 0usize..8), 0..40),
        bytes in 0u32..5,
    ) {
        let mut bases: Vec<[u32; 2]> = (0..4).map(|bit| [0, 1 << bit]).chain((0..4).map(|bit| [1 << bit, 0])).collect();
        for (to, from) in steps {
            if to != from {
                bases[to] = [bases[to][0] ^ bases[from][0], bases[to][1] ^ bases[from][1]];
            }
        }
        let shared = LinearLayout::from_bases([("offset", bases)], &[("dim0", 16), ("dim1", 16)]).unwrap();
        let widest = max_access(&threads, &shared, 1 << bytes).unwrap();
        for vector in (0..5).map(|bit| 1 << bit).filter(|&vector| vector <= widest) {
            conflicts(&threads, &shared, 1 << bytes, vector);
        }
    }

    #[test]
    fn reductions_derived_twice_agree(l in random_layout(), axis in 0usize..2) {
        let table = Ownership::from_layout(&l).unwrap();
        prop_assert_eq!(table.to_layout(), Some(l.clone()));
        match (ReductionPlan::from_layout(&l, axis), ReductionPlan::from_ownership(&table, axis)) {
            (Ok((plan, result)), Ok((enumerated, owners))) => {
                prop_assert_eq!(&plan, &enumerated);
                prop_assert_eq!(&Ownership::from_layout(&result.expand_dims(axis).unwrap()).unwrap(), &owners);
                carry_out(&table, axis, &plan, &owners);
            }
            (Err(_), Err(_)) => {}
            (bases, table) => prop_assert!(false, "bases: {bases:?}, table: {table:?}"),
        }
    }
}
