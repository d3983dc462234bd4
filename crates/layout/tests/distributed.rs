//! Constructors of distributed and shared layouts against the bases they must have.

use mytriton_layout::{
    Dim, DistributedLayout, HardwareSwizzle, IndexBuilder, IndexPlan, LinearLayout, Swizzle, hardware_swizzled,
    swizzled,
};
use proptest::prelude::*;

const MMA_LANES: &str = "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]";

#[track_caller]
fn is(layout: mytriton_layout::DistributedLayout, expected: &str) {
    assert_eq!(layout.to_string(), expected.replace("MMA", MMA_LANES));
}

fn blocked1(size: u32, per_thread: u32, lanes: u32, warps: u32) -> DistributedLayout {
    DistributedLayout::blocked(&[size], &[per_thread], &[lanes], &[warps], &[0]).unwrap()
}

#[test]
fn blocked_one_dimensional() {
    is(
        blocked1(16, 1, 4, 4),
        "{register = [], lane = [[1], [2]], warp = [[4], [8]], block = []}",
    );
    is(
        blocked1(128, 1, 4, 4),
        "{register = [[16], [32], [64]], lane = [[1], [2]], warp = [[4], [8]], block = []}",
    );
    is(
        blocked1(8, 4, 4, 4),
        "{register = [[1], [2]], lane = [[4], [0]], warp = [[0], [0]], block = []}",
    );
    is(
        blocked1(32, 2, 4, 1),
        "{register = [[1], [8], [16]], lane = [[2], [4]], warp = [], block = []}",
    );
}

#[test]
fn blocked_two_dimensional() {
    let l = DistributedLayout::blocked(&[32, 32], &[1, 1], &[1, 32], &[4, 1], &[1, 0]).unwrap();
    assert_eq!(
        l.to_string(),
        "{register = [[4, 0], [8, 0], [16, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], \
         warp = [[1, 0], [2, 0]], block = []}"
    );
    assert!(l.linear().is_invertible());
    assert_eq!(l.coords(5, 3, 2)[..], [22, 3]);
    assert_eq!(
        (l.num_registers(), l.num_lanes(), l.num_warps(), l.num_blocks()),
        (8, 32, 4, 1)
    );
    // The order decides which axis wraps first.
    let columns = DistributedLayout::blocked(&[8, 8], &[2, 1], &[2, 2], &[1, 1], &[0, 1]).unwrap();
    is(
        columns,
        "{register = [[1, 0], [4, 0], [0, 2], [0, 4]], lane = [[2, 0], [0, 1]], warp = [], block = []}",
    );
}

#[test]
fn blocked_pads_extents() {
    let l = DistributedLayout::blocked(&[19, 37], &[1, 1], &[1, 32], &[4, 1], &[1, 0]).unwrap();
    assert_eq!(l.shape()[..], [32, 64]);
}

#[test]
fn blocked_rejects_bad_parameters() {
    let e = |shape: &[u32], per: &[u32], order: &[usize]| {
        DistributedLayout::blocked(shape, per, &[32], &[4], order)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        e(&[64], &[3], &[0]),
        "blocked layout: size_per_thread [3]: 3 is not a power of two"
    );
    assert_eq!(
        e(&[64], &[1], &[1]),
        "blocked layout: order [1] is not a permutation of the axes 0..1"
    );
    assert_eq!(
        e(&[64, 2], &[1], &[0]),
        "blocked layout: size_per_thread [1] has not the rank of the shape [64, 2]"
    );
    assert_eq!(
        e(&[0], &[1], &[0]),
        "dimension dim0 has size 0: sizes of a layout are powers of two from 1 to 2^31"
    );
    assert!(DistributedLayout::blocked(&[u32::MAX], &[1], &[32], &[4], &[0]).is_err());
}

#[test]
fn default_layouts_use_every_thread_they_can() {
    let l = DistributedLayout::blocked_default(&[1024], 4, 32, 4).unwrap();
    assert_eq!(l, blocked1(1024, 4, 32, 4));
    // 256 elements on 128 threads: two each, not four with half of the threads idle.
    assert_eq!(
        DistributedLayout::blocked_default(&[256], 4, 32, 4).unwrap(),
        blocked1(256, 2, 32, 4)
    );
    let tiny = DistributedLayout::blocked_default(&[8], 4, 32, 4).unwrap();
    assert_eq!(
        (tiny.num_registers(), tiny.lane_free_mask(), tiny.warp_free_mask()),
        (1, 0b11000, 0b11)
    );
    let plane = DistributedLayout::blocked_default(&[16, 32], 4, 32, 4).unwrap();
    let expected = DistributedLayout::blocked(&[16, 32], &[1, 4], &[4, 8], &[4, 1], &[1, 0]).unwrap();
    assert_eq!(plane, expected);
    // Warps go on where lanes ended, within one row.
    let long_rows = DistributedLayout::blocked_default(&[2, 1024], 4, 32, 4).unwrap();
    let expected = DistributedLayout::blocked(&[2, 1024], &[1, 4], &[1, 32], &[1, 4], &[1, 0]).unwrap();
    assert_eq!(long_rows, expected);
    let cube = DistributedLayout::blocked_default(&[4, 2, 8], 1, 32, 2).unwrap();
    assert!(cube.linear().is_invertible() && cube.num_registers() == 1);
    assert!(DistributedLayout::blocked_default(&[], 1, 32, 4).is_err());
    assert!(DistributedLayout::blocked_default(&[8], 3, 32, 4).is_err());
}

#[test]
fn mma_accumulators() {
    is(
        DistributedLayout::mma_accumulator([32, 32], [1, 1]).unwrap(),
        "{register = [[0, 1], [8, 0], [0, 8], [0, 16], [16, 0]], MMA, warp = [], block = []}",
    );
    is(
        DistributedLayout::wgmma_accumulator([64, 16], [4, 1], 16).unwrap(),
        "{register = [[0, 1], [8, 0], [0, 8]], MMA, warp = [[16, 0], [32, 0]], block = []}",
    );
    is(
        DistributedLayout::wgmma_accumulator([64, 32], [4, 2], 32).unwrap(),
        "{register = [[0, 1], [8, 0], [0, 8], [0, 16]], MMA, warp = [[16, 0], [32, 0], [0, 0]], block = []}",
    );
}

#[test]
fn mma_operands() {
    is(
        DistributedLayout::mma_operand_a([16, 16], [1, 1], 2).unwrap(),
        "{register = [[0, 1], [8, 0], [0, 8]], MMA, warp = [], block = []}",
    );
    is(
        DistributedLayout::mma_operand_b([16, 8], [1, 1], 2).unwrap(),
        "{register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = []}",
    );
    is(
        DistributedLayout::mma_operand_a([16, 64], [1, 1], 8).unwrap(),
        "{register = [[0, 1], [0, 2], [0, 4], [8, 0], [0, 32]], \
         lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [], block = []}",
    );
    is(
        DistributedLayout::wgmma_operand_a([64, 16], [4, 1], 2).unwrap(),
        "{register = [[0, 1], [8, 0], [0, 8]], MMA, warp = [[16, 0], [32, 0]], block = []}",
    );
    // tf32, m16n8k8: a0 (g, t), a1 (g + 8, t), a2 (g, t + 4), a3 (g + 8, t + 4) for lane 4 g + t.
    let tf32 = DistributedLayout::mma_operand_a([16, 8], [1, 1], 1).unwrap();
    let held: Vec<_> = (0..4)
        .map(|r| (tf32.coords(r, 6, 0)[0], tf32.coords(r, 6, 0)[1]))
        .collect();
    assert_eq!(held, [(1, 2), (9, 2), (1, 6), (9, 6)]);
}

#[test]
fn mma_warps_share_operands() {
    // The operands' warps must hold the rows and columns that the accumulator's warps compute.
    let (c, a, b) = (
        DistributedLayout::mma_accumulator([64, 64], [2, 2]).unwrap(),
        DistributedLayout::mma_operand_a([64, 16], [2, 2], 2).unwrap(),
        DistributedLayout::mma_operand_b([16, 64], [2, 2], 2).unwrap(),
    );
    let rows = |l: &DistributedLayout, warp, axis: usize| {
        let mut all: Vec<u32> = (0..l.num_registers() * 32)
            .map(|i| l.coords(i / 32, i % 32, warp)[axis])
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    for warp in 0..4 {
        assert_eq!(rows(&c, warp, 0), rows(&a, warp, 0));
        assert_eq!(rows(&c, warp, 1), rows(&b, warp, 1));
    }
}

#[test]
fn adjacent_accumulators_are_an_operand() {
    let c = DistributedLayout::mma_accumulator([16, 16], [1, 1]).unwrap();
    assert_eq!(c, DistributedLayout::mma_operand_a([16, 16], [1, 1], 2).unwrap());
}

#[test]
fn mma_rejects_bad_parameters() {
    assert_eq!(
        DistributedLayout::wgmma_accumulator([64, 16], [2, 1], 16)
            .unwrap_err()
            .to_string(),
        "wgmma accumulator layout: warps [2, 1]: a warp group needs a multiple of 4 warps along M"
    );
    for n in [0, 4, 24, 512] {
        assert_eq!(
            DistributedLayout::wgmma_accumulator([64, 64], [4, 1], n)
                .unwrap_err()
                .to_string(),
            format!("wgmma accumulator layout: n {n} is not a power of two from 8 to 256")
        );
    }
    for warps in [[0, 1], [1, 3]] {
        assert_eq!(
            DistributedLayout::mma_accumulator([16, 8], warps)
                .unwrap_err()
                .to_string(),
            format!("mma accumulator layout: warps {warps:?} are not powers of two")
        );
    }
    assert!(DistributedLayout::mma_operand_a([16, 8], [1, 1], 0).is_err());
    assert!(DistributedLayout::mma_operand_b([16, 8], [1, 1], 1 << 31).is_err());
}

#[test]
fn slices() {
    let a = DistributedLayout::mma_operand_a([16, 16], [1, 1], 2).unwrap();
    is(
        a.slice(1).unwrap(),
        "{register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [], block = []}",
    );
    is(
        a.slice(0).unwrap(),
        "{register = [[1], [8]], lane = [[2], [4], [0], [0], [0]], warp = [], block = []}",
    );
    assert_eq!(
        a.slice(2).unwrap_err().to_string(),
        "slice layout: axis 2 is outside of 0..2"
    );
}

#[test]
fn expand_permute_reshape() {
    let l = DistributedLayout::mma_accumulator([16, 8], [1, 1]).unwrap();
    let column = l.slice(1).unwrap().expand_dims(1).unwrap();
    is(
        column,
        "{register = [[8, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = []}",
    );
    assert_eq!(l.expand_dims(0).unwrap().shape()[..], [1, 16, 8]);
    assert_eq!(l.expand_dims(2).unwrap().shape()[..], [16, 8, 1]);
    assert!(l.expand_dims(3).is_err());
    let t = l.permute(&[1, 0]).unwrap();
    assert_eq!(t.shape()[..], [8, 16]);
    for register in 0..4 {
        for lane in 0..32 {
            let (a, b) = (l.coords(register, lane, 0), t.coords(register, lane, 0));
            assert_eq!((a[0], a[1]), (b[1], b[0]));
            let flat = l.reshape(&[128]).unwrap().coords(register, lane, 0);
            assert_eq!(flat[..], [a[0] * 8 + a[1]]);
        }
    }
    assert!(l.permute(&[0]).is_err() && l.reshape(&[64]).is_err());
}

#[test]
fn broadcast_operands_follow_the_result() {
    let big = DistributedLayout::blocked(&[16, 32], &[1, 4], &[4, 8], &[2, 1], &[1, 0]).unwrap();
    let row = big.broadcast_operand(&[1, 32]).unwrap();
    assert_eq!(row.shape()[..], [1, 32]);
    for r in 0..big.num_registers() {
        for lane in 0..32 {
            for warp in 0..2 {
                let (b, s) = (big.coords(r, lane, warp), row.coords(r, lane, warp));
                assert_eq!(s[..], [0, b[1]]);
            }
        }
    }
    assert_eq!(row.unique_registers().len(), 4);
    assert_eq!(big.broadcast_operand(&[16, 32]).unwrap(), big);
    assert_eq!(big.broadcast_operand(&[16, 29]).unwrap(), big, "29 is padded to 32");
    assert_eq!(
        big.broadcast_operand(&[8, 32]).unwrap_err().to_string(),
        "broadcast layout: an operand of shape [8, 32] does not broadcast to [16, 32]"
    );
}

#[test]
fn replicas() {
    let l: DistributedLayout = "{register = [1, 0, 1], lane = [2, 1], warp = [0, 4]}".parse().unwrap();
    assert_eq!(l.register_representatives(), [0, 1, 0, 1, 1, 0, 1, 0]);
    assert_eq!(l.unique_registers(), [0, 1]);
    assert_eq!(
        (
            l.lane_free_mask(),
            l.warp_free_mask(),
            l.linear().free_variable_mask("block")
        ),
        (0b10, 0b01, 0)
    );
    assert!(
        "{register = [2]}".parse::<DistributedLayout>().is_err(),
        "nobody owns 1"
    );
    assert!("{offset = [1]}".parse::<DistributedLayout>().is_err());
}

#[test]
fn vectors_of_registers() {
    let l = DistributedLayout::blocked(&[4, 64], &[2, 4], &[1, 8], &[1, 1], &[1, 0]).unwrap();
    assert_eq!((l.max_vector_width(0), l.max_vector_width(1)), (4, 4));
    let groups = l.register_groups(1, 4).unwrap();
    assert_eq!(groups[1][..], [4, 5, 6, 7]);
    // A register order that is not the tile's: the group follows the coordinates.
    let swapped: DistributedLayout = "{register = [2, 1], lane = [4]}".parse().unwrap();
    assert_eq!(swapped.register_groups(0, 4).unwrap()[0][..], [0, 2, 1, 3]);
    // A lane that flips the position within the group would make the order depend on the thread.
    let crossed: DistributedLayout = "{register = [1, 2], lane = [5]}".parse().unwrap();
    assert_eq!(crossed.max_vector_width(0), 1);
    assert_eq!(crossed.register_groups(0, 2), None);
    assert_eq!(crossed.register_groups(0, 3), None);
    assert_eq!(crossed.register_groups(1, 1), None);
}

#[test]
fn swizzled_shared_layouts() {
    let columns = "[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]";
    for (vec, per_phase, rows) in [
        (1, 1, "[1, 1], [2, 2], [4, 0], [8, 0], [16, 0]"),
        (1, 2, "[1, 0], [2, 1], [4, 2], [8, 0], [16, 0]"),
        (2, 2, "[1, 0], [2, 2], [4, 4], [8, 0], [16, 0]"),
    ] {
        let l = swizzled(
            &[32, 32],
            &[1, 0],
            Swizzle {
                vec,
                per_phase,
                max_phase: 4,
            },
        )
        .unwrap();
        assert_eq!(l.to_string(), format!("{{offset = [{columns}, {rows}]}}"));
        assert!(l.is_invertible());
    }
    let l = swizzled(
        &[4, 8],
        &[1, 0],
        Swizzle {
            vec: 2,
            per_phase: 1,
            max_phase: 4,
        },
    )
    .unwrap();
    assert_eq!(l.to_string(), "{offset = [[0, 1], [0, 2], [0, 4], [1, 2], [2, 4]]}");
    let column_major = swizzled(&[2, 4], &[0, 1], Swizzle::NONE).unwrap();
    assert_eq!(column_major.to_string(), "{offset = [[1, 0], [0, 1], [0, 2]]}");
    assert!(swizzled(&[4, 6], &[1, 0], Swizzle::NONE).is_err());
    assert!(swizzled(&[4, 8], &[1, 1], Swizzle::NONE).is_err());
    assert!(
        swizzled(
            &[4, 8],
            &[1, 0],
            Swizzle {
                vec: 0,
                per_phase: 1,
                max_phase: 1
            }
        )
        .is_err()
    );
}

#[test]
fn hardware_swizzles() {
    for (bytes, columns, width, rows) in [
        (2, 16, HardwareSwizzle::B32, [[1, 0], [2, 0], [4, 8]]),
        (2, 32, HardwareSwizzle::B64, [[1, 0], [2, 8], [4, 16]]),
        (2, 64, HardwareSwizzle::B128, [[1, 8], [2, 16], [4, 32]]),
        (4, 32, HardwareSwizzle::B128, [[1, 4], [2, 8], [4, 16]]),
    ] {
        let l = hardware_swizzled([8, columns], bytes, width).unwrap();
        let bases: Vec<_> = l.bases("offset").map(|b| [b[0], b[1]]).collect();
        let (low, high) = bases.split_at(columns.trailing_zeros() as usize);
        assert!((0..).zip(low).all(|(bit, basis)| *basis == [0, 1 << bit]));
        assert_eq!(high, rows);
    }
    assert!(
        hardware_swizzled([8, 32], 2, HardwareSwizzle::B128).is_err(),
        "narrower than the pattern"
    );
    assert!(hardware_swizzled([8, 64], 3, HardwareSwizzle::B128).is_err());
}

#[test]
fn hardware_swizzles_are_a_formula_on_bytes() {
    for width in [HardwareSwizzle::B32, HardwareSwizzle::B64, HardwareSwizzle::B128] {
        for element in [1, 2, 4, 8] {
            let columns = width.bytes() / element;
            let place = hardware_swizzled([16, columns], element, width)
                .unwrap()
                .pseudo_invert()
                .unwrap();
            for row in 0..16 {
                for column in 0..columns {
                    let a = (row * columns + column) * element;
                    let expected = a ^ (((a >> 7) & (width.bytes() / 16 - 1)) << 4);
                    let offset = place.apply(&[("dim0", row), ("dim1", column)]).unwrap()[0];
                    assert_eq!(
                        offset * element,
                        expected,
                        "{width:?}, {element} bytes, ({row}, {column})"
                    );
                }
            }
        }
    }
}

/// Writes the emitted arithmetic as text.
struct Text;

impl IndexBuilder for Text {
    type Value = String;
    fn constant(&mut self, value: u32) -> String {
        value.to_string()
    }
    fn and(&mut self, x: String, mask: u32) -> String {
        format!("({x} & {mask})")
    }
    fn shl(&mut self, x: String, amount: u32) -> String {
        format!("({x} << {amount})")
    }
    fn shr(&mut self, x: String, amount: u32) -> String {
        format!("({x} >> {amount})")
    }
    fn or_disjoint(&mut self, x: String, y: String) -> String {
        format!("{x} | {y}")
    }
    fn xor(&mut self, x: String, y: String) -> String {
        format!("{x} ^ {y}")
    }
}

fn emit(plan: &IndexPlan) -> Vec<String> {
    plan.axes()
        .iter()
        .map(|axis| axis.emit(&mut Text, |_, input| input.to_string()))
        .collect()
}

#[test]
fn index_arithmetic() {
    let l = DistributedLayout::blocked(&[1024], &[4], &[32], &[4], &[0]).unwrap();
    let plan = IndexPlan::new(l.linear());
    assert_eq!(
        emit(&plan),
        ["(register & 3) | ((register & 4) << 7) | (lane << 2) | (warp << 7)"]
    );
    let threads = plan.without("register").unwrap();
    assert_eq!(emit(&threads), ["(lane << 2) | (warp << 7)"]);
    assert!(threads.without("register").is_err());

    let mma = DistributedLayout::mma_accumulator([16, 8], [1, 1]).unwrap();
    let plan = IndexPlan::new(mma.linear()).without("register").unwrap();
    assert_eq!(emit(&plan), ["(lane >> 2)", "((lane & 3) << 1)"]);

    let swizzle = swizzled(
        &[4, 8],
        &[1, 0],
        Swizzle {
            vec: 2,
            per_phase: 1,
            max_phase: 4,
        },
    )
    .unwrap();
    assert_eq!(
        emit(&IndexPlan::new(&swizzle)),
        ["(offset >> 3)", "(offset & 7) ^ ((offset & 24) >> 2)"]
    );
    assert_eq!(
        emit(&IndexPlan::new(&"{lane = [[0, 1]]}".parse().unwrap())),
        ["0", "lane"]
    );
}

fn random_layout() -> impl Strategy<Value = LinearLayout> {
    let bases = || prop::collection::vec((0u32..16, 0u32..64).prop_map(|(a, b)| [a, b]), 0..5);
    prop::array::uniform3(bases()).prop_map(|bases| {
        let ins = ["register", "lane", "warp"].into_iter().zip(bases);
        LinearLayout::from_bases(ins, &[("dim0", 16), ("dim1", 64)]).expect("in range")
    })
}

/// A layout whose registers span four columns, mixed with others; threads and blocks own the rest in any way.
fn vector_layout() -> impl Strategy<Value = DistributedLayout> {
    let coordinate = || (0u32..16, 0u32..16).prop_map(|(a, b)| [a, 4 * b]);
    let registers = (
        prop::collection::vec(coordinate(), 2),
        prop::collection::vec((0usize..4, 0usize..4), 0..12),
    );
    let threads = prop::collection::vec(coordinate(), 0..3);
    (registers, threads.clone(), threads).prop_map(|((more, steps), lane, warp)| {
        let mut register = vec![[0, 1], [0, 2], more[0], more[1]];
        for (to, from) in steps {
            if to != from {
                register[to] = [register[to][0] ^ register[from][0], register[to][1] ^ register[from][1]];
            }
        }
        let block = [1, 2, 4, 8].iter().flat_map(|&b| [[b, 0], [0, 4 * b]]).collect();
        let ins = [("register", register), ("lane", lane), ("warp", warp), ("block", block)];
        let linear = LinearLayout::from_bases(ins, &[("dim0", 16), ("dim1", 64)]).expect("in range");
        DistributedLayout::new(linear).expect("registers and blocks span the tile")
    })
}

/// Evaluates the emitted arithmetic, and checks what the builder is promised.
struct Machine;

impl IndexBuilder for Machine {
    type Value = u32;
    fn constant(&mut self, value: u32) -> u32 {
        value
    }
    fn and(&mut self, x: u32, mask: u32) -> u32 {
        x & mask
    }
    fn shl(&mut self, x: u32, amount: u32) -> u32 {
        x << amount
    }
    fn shr(&mut self, x: u32, amount: u32) -> u32 {
        x >> amount
    }
    fn or_disjoint(&mut self, x: u32, y: u32) -> u32 {
        assert_eq!(x & y, 0);
        x + y
    }
    fn xor(&mut self, x: u32, y: u32) -> u32 {
        x ^ y
    }
}

proptest! {
    #[test]
    fn index_plans_compute_the_layout(l in random_layout(), index in any::<[u32; 3]>()) {
        let plan = IndexPlan::new(&l);
        let names = ["register", "lane", "warp"];
        let index: Vec<(&str, u32)> = names.into_iter().zip(index).map(|(n, i)| (n, i % l.in_size(n))).collect();
        let value = |_: &mut Machine, input: &Dim| index.iter().find(|(name, _)| input == name).unwrap().1;
        let emitted = |plan: &IndexPlan| -> Vec<u32> {
            plan.axes().iter().map(|axis| axis.emit(&mut Machine, value)).collect()
        };
        prop_assert_eq!(&emitted(&plan)[..], &l.apply(&index).unwrap()[..]);
        for left_out in 0..3 {
            let mut rest = index.clone();
            rest[left_out].1 = 0;
            let expected = l.apply(&rest).unwrap();
            prop_assert_eq!(&emitted(&plan.without(names[left_out]).unwrap())[..], &expected[..]);
        }
    }

    #[test]
    fn groups_hold_consecutive_elements(l in vector_layout(), width in 0u32..4) {
        prop_assert!(l.max_vector_width(1) >= 4);
        let width = 1 << width;
        for axis in 0..2 {
            prop_assert_eq!(l.register_groups(axis, width).is_some(), width <= l.max_vector_width(axis));
            let Some(groups) = l.register_groups(axis, width) else { continue };
            let mut all: Vec<u32> = groups.iter().flatten().copied().collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..l.num_registers()).collect::<Vec<_>>());
            for group in groups {
                for lane in 0..l.num_lanes() {
                    for warp in 0..l.num_warps() {
                        let mut first = l.coords(group[0], lane, warp);
                        prop_assert_eq!(first[axis] % width, 0);
                        for &register in &group {
                            prop_assert_eq!(&l.coords(register, lane, warp), &first);
                            first[axis] += 1;
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn blocked_layouts_cover_the_tile(
        shape in prop::array::uniform2(1u32..40),
        per_thread in prop::array::uniform2(0u32..3),
        lanes in 0u32..6,
        warps in 0u32..3,
        swap in any::<bool>(),
    ) {
        let order = if swap { [0, 1] } else { [1, 0] };
        let per_thread = per_thread.map(|bits| 1 << bits);
        let (threads, warps) = ([1 << (5 - lanes), 1 << lanes], [1 << warps, 1 << (2 - warps)]);
        let l = DistributedLayout::blocked(&shape, &per_thread, &threads, &warps, &order).unwrap();
        // Every element has one owner among the threads that write and their distinct registers.
        let mut owned = Vec::new();
        for warp in 0..4 {
            for lane in 0..32 {
                if lane & l.lane_free_mask() != 0 || warp & l.warp_free_mask() != 0 {
                    continue;
                }
                owned.extend(l.unique_registers().into_iter().map(|r| l.coords(r, lane, warp).to_vec()));
            }
        }
        owned.sort_unstable();
        let padded = shape.map(u32::next_power_of_two);
        let all: Vec<_> = (0..padded[0]).flat_map(|r| (0..padded[1]).map(move |c| vec![r, c])).collect();
        prop_assert_eq!(owned, all);
        prop_assert_eq!(&l.shape()[..], &padded[..]);
        prop_assert_eq!(l.clone(), l.to_string().parse::<DistributedLayout>().unwrap());
    }
}
