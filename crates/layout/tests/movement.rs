//! Conversions and bank conflicts: each derived twice, or carried out on a table.

mod executed;

use executed::{enumerated_ways, random_layout, ways};
use mytriton_layout::staging::{Access, Form, Matrices, Staging, access_ways, max_access};
use mytriton_layout::{
    ConversionPlan, DistributedLayout, HardwareSwizzle, LinearLayout, Movement, Swizzle, hardware_swizzled, swizzled,
};
use proptest::prelude::*;

fn layout(text: &str) -> DistributedLayout {
    text.parse().unwrap()
}

fn accumulator() -> DistributedLayout {
    DistributedLayout::mma_accumulator([16, 8], [1, 1]).unwrap()
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
    // A register that repeats another goes: what is left stands where it stood, but there is one register less.
    let repeated = layout("{register = [1, 2, 0], lane = [4, 8], warp = [16]}");
    let plan = ConversionPlan::new(&repeated, &a).unwrap();
    assert_eq!(plan.movement(), Movement::Registers);
    assert_eq!(plan.register_sources().unwrap(), [0, 1, 2, 3]);
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
    assert_eq!(ways, enumerated_ways(threads, shared, bytes, vector));
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

#[test]
fn accesses_are_at_most_16_bytes() {
    let threads = DistributedLayout::blocked(&[32, 64], &[1, 64], &[32, 1], &[1, 1], &[1, 0]).unwrap();
    let shared = swizzled(&[32, 64], &[1, 0], Swizzle::NONE).unwrap();
    for bytes in [1, 2, 4, 8, 16] {
        assert_eq!(max_access(&threads, &shared, bytes).unwrap(), 16 / bytes);
    }
}

/// Each access of a warp takes a wavefront for every word of a lane, as often as its conflict says.
#[test]
fn conflicts_cost_wavefronts() {
    let threads = DistributedLayout::blocked(&[32, 64], &[1, 64], &[32, 1], &[1, 1], &[1, 0]).unwrap();
    let shared = swizzled(&[32, 64], &[1, 0], Swizzle::NONE).unwrap();
    for (bytes, vector, ways, count, wavefronts) in [(4, 4, 8, 16, 512), (4, 1, 32, 64, 2048), (2, 8, 8, 8, 256)] {
        assert_eq!(conflicts(&threads, &shared, bytes, vector), ways);
        let form = Form::Vector(vector);
        let access = Access { form, ways };
        assert_eq!(
            (access.count(&threads, bytes), access.wavefronts(&threads, bytes)),
            (count, wavefronts)
        );
    }
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
}
