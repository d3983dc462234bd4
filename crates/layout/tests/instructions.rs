//! Fragments of tensor core instructions against the formulas of the PTX ISA, "Matrix Fragments for mma" and "wgmma":
//! with g = lane / 4 and t = lane % 4, which element is in register i.

use mytriton_layout::{DistributedLayout, LayoutError, Swizzle, swizzled};
use proptest::prelude::*;

/// (row, column) of register i.
type Formula = fn(g: u32, t: u32, i: u32) -> [u32; 2];

#[track_caller]
fn follows(layout: Result<DistributedLayout, LayoutError>, registers: u32, formula: Formula) {
    let layout = layout.unwrap();
    assert_eq!((layout.num_registers(), layout.num_lanes()), (registers, 32));
    for lane in 0..32 {
        for i in 0..registers {
            let expected = formula(lane / 4, lane % 4, i);
            assert_eq!(layout.coords(i, lane, 0)[..], expected, "lane {lane}, register {i}");
        }
    }
}

const ONE_WARP: [u32; 2] = [1, 1];

#[test]
fn accumulators_of_m16n8() {
    let c = DistributedLayout::mma_accumulator([16, 8], ONE_WARP);
    follows(c, 4, |g, t, i| [if i < 2 { g } else { g + 8 }, 2 * t + (i & 1)]);
}

#[test]
fn operands_of_16_bits() {
    // m16n8k8 and m16n8k16.
    let a = |k| DistributedLayout::mma_operand_a([16, k], ONE_WARP, 2);
    follows(a(8), 4, |g, t, i| [if i < 2 { g } else { g + 8 }, 2 * t + (i & 1)]);
    follows(a(16), 8, |g, t, i| {
        let row = if matches!(i, 0 | 1 | 4 | 5) { g } else { g + 8 };
        [row, 2 * t + (i & 1) + if i < 4 { 0 } else { 8 }]
    });
    let b = |k| DistributedLayout::mma_operand_b([k, 8], ONE_WARP, 2);
    follows(b(8), 2, |g, t, i| [2 * t + i, g]);
    follows(b(16), 4, |g, t, i| [2 * t + (i & 1) + if i < 2 { 0 } else { 8 }, g]);
}

#[test]
fn operands_of_32_bits() {
    // tf32: m16n8k4 and m16n8k8.
    let a = |k| DistributedLayout::mma_operand_a([16, k], ONE_WARP, 1);
    follows(a(4), 2, |g, t, i| [g + 8 * i, t]);
    follows(a(8), 4, |g, t, i| {
        [
            if matches!(i, 0 | 2) { g } else { g + 8 },
            t + if i < 2 { 0 } else { 4 },
        ]
    });
    let b = |k| DistributedLayout::mma_operand_b([k, 8], ONE_WARP, 1);
    follows(b(4), 1, |g, t, _| [t, g]);
    follows(b(8), 2, |g, t, i| [t + 4 * i, g]);
}

#[test]
fn operands_of_8_bits() {
    // m16n8k16 and m16n8k32, for integers and for both float formats.
    let a = |k| DistributedLayout::mma_operand_a([16, k], ONE_WARP, 4);
    follows(a(16), 8, |g, t, i| [if i < 4 { g } else { g + 8 }, 4 * t + (i & 3)]);
    follows(a(32), 16, |g, t, i| {
        let row = if matches!(i, 0..4 | 8..12) { g } else { g + 8 };
        [row, 4 * t + (i & 3) + if i < 8 { 0 } else { 16 }]
    });
    let b = |k| DistributedLayout::mma_operand_b([k, 8], ONE_WARP, 4);
    follows(b(16), 4, |g, t, i| [4 * t + i, g]);
    follows(b(32), 8, |g, t, i| [4 * t + (i & 3) + if i < 4 { 0 } else { 16 }, g]);
}

#[test]
fn warp_groups() {
    for n in [8, 16, 64, 256] {
        let d = DistributedLayout::wgmma_accumulator([64, n], [4, 1], n).unwrap();
        assert_eq!(d.num_registers(), n / 2);
        for thread in 0..128 {
            let (warp, g, t) = (thread / 32, thread % 32 / 4, thread % 4);
            for i in 0..n / 2 {
                let expected = [16 * warp + g + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * t + i % 2];
                assert_eq!(d.coords(i, thread % 32, warp)[..], expected);
            }
        }
    }
    // K is 32 bytes: 8 of tf32, 16 of 16 bits, 32 of 8 bits.
    for (k, width) in [(8, 1), (16, 2), (32, 4)] {
        let a = DistributedLayout::wgmma_operand_a([64, k], [4, 1], width).unwrap();
        let one = DistributedLayout::mma_operand_a([16, k], ONE_WARP, width).unwrap();
        for thread in 0..128 {
            for i in 0..4 * width {
                let (lane, warp) = (thread % 32, thread / 32);
                let of_one = one.coords(i, lane, 0);
                assert_eq!(a.coords(i, lane, warp)[..], [of_one[0] + 16 * warp, of_one[1]]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn swizzles_are_a_formula(
        rows in 0u32..6, columns in 0u32..7, vec in 0u32..4, per_phase in 0u32..3, max_phase in 0u32..4,
    ) {
        let [rows, columns, vec, per_phase, max_phase] = [rows, columns, vec, per_phase, max_phase].map(|bits| 1 << bits);
        let layout = swizzled(&[rows, columns], &[1, 0], Swizzle { vec, per_phase, max_phase }).unwrap();
        for offset in 0..rows * columns {
            let (row, column) = (offset / columns, offset % columns);
            let phase = row / per_phase % max_phase;
            // Whole vectors change places, as far as the row reaches.
            let swapped = (column ^ (phase * vec)) % columns;
            prop_assert_eq!(&layout.apply_in_order(&[offset])[..], [row, swapped]);
        }
        prop_assert!(layout.is_invertible());
    }

    #[test]
    fn slices_drop_a_coordinate(rows in 0u32..3, lanes in 0u32..6, axis in 0usize..2) {
        let layout = DistributedLayout::blocked(
            &[32, 64], &[1 << rows, 2], &[1 << lanes, 1 << (5 - lanes)], &[2, 2], &[1, 0],
        ).unwrap();
        let slice = layout.slice(axis).unwrap();
        prop_assert_eq!(slice.shape()[0], layout.shape()[1 - axis]);
        for thread in 0..128 {
            let kept = |l: &DistributedLayout, axis: usize| {
                let mut all: Vec<u32> =
                    (0..l.num_registers()).map(|i| l.coords(i, thread % 32, thread / 32)[axis]).collect();
                all.sort_unstable();
                all.dedup();
                all
            };
            prop_assert_eq!(kept(&slice, 0), kept(&layout, 1 - axis));
        }
    }
}

#[test]
fn deep_tiles_are_instructions_side_by_side() {
    // The next instruction's operand is in the next registers, whichever of the two depths the hardware runs.
    let a = DistributedLayout::mma_operand_a([16, 32], ONE_WARP, 2).unwrap();
    let (shallow, deep) = (
        DistributedLayout::mma_operand_a([16, 8], ONE_WARP, 2).unwrap(),
        DistributedLayout::mma_operand_a([16, 16], ONE_WARP, 2).unwrap(),
    );
    for lane in 0..32 {
        for i in 0..16 {
            let (s, d) = (shallow.coords(i % 4, lane, 0), deep.coords(i % 8, lane, 0));
            assert_eq!(a.coords(i, lane, 0)[..], [s[0], s[1] + 8 * (i / 4)]);
            assert_eq!(a.coords(i, lane, 0)[..], [d[0], d[1] + 16 * (i / 8)]);
        }
    }
}
