//! Fragments with values: element-wise operations, reductions, softmax in three forms, conversion and packing.

use mytriton_layout::DistributedLayout;
use mytriton_layout::fragment::{FloatFormat, Fragment, FragmentError, Ownership, pack, unpack};
use proptest::prelude::*;

fn accumulator() -> Ownership {
    Ownership::from_layout(&DistributedLayout::mma_accumulator([16, 8], [1, 1]).unwrap()).unwrap()
}

/// The ways in which a row may be spread, and its axis: in one thread, over a warp in turns, over the lanes and
/// registers of tensor cores, over warps.
fn forms() -> Vec<Ownership> {
    let warps = DistributedLayout::blocked(&[4, 64], &[1, 2], &[2, 16], &[1, 2], &[1, 0]).unwrap();
    vec![
        Ownership::local(3).unwrap(),
        Ownership::local(24).unwrap(),
        Ownership::striped(3).unwrap(),
        Ownership::striped(5).unwrap(),
        accumulator(),
        Ownership::from_layout(&warps).unwrap(),
    ]
}

#[test]
fn local_sums_and_differences() {
    let f = Fragment::new(Ownership::local(3).unwrap(), |at| at[1] as f32 + 1.0);
    let sum = f.reduce(1, |a, b| a + b).unwrap();
    assert_eq!((sum.slots(0), sum.ownership().shape()), (&[6.0][..], &[32, 1][..]));
    let max = f.reduce(1, |a, b| a.max(*b)).unwrap();
    assert_eq!(f.zip(&max, |x, m| x - m).unwrap().slots(31), [-2.0, -1.0, 0.0]);
}

#[test]
fn different_owners_do_not_meet() {
    let local = Fragment::new(Ownership::local(4).unwrap(), |_| 1);
    let turned = Ownership::new(&[32, 4], 32, 4, |thread, slot| {
        [thread, (slot + thread) % 4].into_iter().collect()
    });
    let turned = Fragment::new(turned.unwrap(), |_| 1);
    let e = local.zip(&turned, |a, b| a + b).unwrap_err();
    assert_eq!(
        e.to_string(),
        "tiles [32, 4] and [32, 4] are owned in different ways: slot 0 of thread 1 would need a value of another thread \
         or slot, convert one of the layouts first"
    );
    // Slots in another order are found: that is a choice of registers, the same in all threads.
    let reversed = Ownership::new(&[32, 4], 32, 4, |thread, slot| [thread, 3 - slot].into_iter().collect());
    let reversed = Fragment::new(reversed.unwrap(), |at| at[1]);
    let sums = Fragment::new(Ownership::local(4).unwrap(), |at| at[1]).zip(&reversed, |a, b| a + b);
    assert_eq!(sums.unwrap().slots(7), [0, 2, 4, 6]);
    // The other way round nothing is broadcast: a column does not take a tile.
    let column = local.reduce(1, |a, b| a + b).unwrap();
    assert!(matches!(
        column.zip(&local, |a, b| a + b),
        Err(FragmentError::Unlike { .. })
    ));
    assert!(local.zip(&Fragment::new(accumulator(), |_| 1), |a, b| a + b).is_err());
}

#[test]
fn reductions_agree_with_a_loop() {
    for ownership in forms() {
        let shape = ownership.shape().to_vec();
        let value = |row: u32, column: u32| i64::from(row) * 1009 + i64::from(column * column) - 40;
        let f = Fragment::new(ownership, |at| value(at[0], at[1]));
        for (axis, &extent) in shape.iter().enumerate() {
            let sums = f.reduce(axis, |a, b| a + b).unwrap();
            let least = f.reduce(axis, |a, b| *a.min(b)).unwrap();
            for thread in 0..f.ownership().num_threads() {
                for slot in 0..sums.ownership().num_slots() {
                    let at = sums.ownership().coords(thread, slot);
                    let all = (0..extent).map(|i| if axis == 0 { value(i, at[1]) } else { value(at[0], i) });
                    assert_eq!(sums.slots(thread)[slot as usize], all.clone().sum::<i64>());
                    assert_eq!(Some(least.slots(thread)[slot as usize]), all.min());
                }
            }
        }
    }
}

#[test]
fn permuting_changes_names_only() {
    for ownership in forms() {
        // Sums of these round, and in another order otherwise.
        let f = Fragment::new(ownership, |at| (at[0] as f32 + 0.3).sin() / (at[1] as f32 + 0.7));
        for axis in 0..2 {
            let direct = f.reduce(axis, |a, b| a + b).unwrap();
            let permuted = f.permute(&[1, 0]).unwrap().reduce(1 - axis, |a, b| a + b).unwrap();
            assert_eq!(direct, permuted.permute(&[1, 0]).unwrap());
        }
    }
}

#[test]
fn replicas_are_equal_to_the_bit() {
    let f = Fragment::new(accumulator(), |at| 1.0 / (at[0] * 8 + at[1] + 3) as f32);
    let sum = f.reduce(1, |a, b| a + b).unwrap();
    for row in 0..8 {
        for lane in 0..4 {
            assert_eq!(sum.slots(row * 4 + lane), sum.slots(row * 4));
        }
    }
}

/// The softmax of a row whose masked elements are -inf: p / sum, or 0 where nothing is left.
fn softmax(scores: &Fragment<f32>) -> Fragment<f32> {
    let max = scores.reduce(1, |a, b| a.max(*b)).unwrap();
    let shift = |x: &f32, m: &f32| {
        if *m == f32::NEG_INFINITY {
            f32::NEG_INFINITY
        } else {
            x - m
        }
    };
    let p = scores.zip(&max, |x, m| shift(x, m).exp()).unwrap();
    let sum = p.reduce(1, |a, b| a + b).unwrap();
    p.zip(&sum, |p, sum| if *sum == 0.0 { 0.0 } else { p / sum }).unwrap()
}

#[test]
fn masked_softmax_in_every_form() {
    for ownership in forms() {
        let columns = ownership.shape()[1];
        // Row 0 is whole, row 1 ends early, row 2 is masked altogether.
        let score = |row: u32, column: u32| match row % 3 {
            1 if column >= 2 => f32::NEG_INFINITY,
            2 => f32::NEG_INFINITY,
            _ => (column as f32 * 0.37).cos() * 3.0,
        };
        let p = softmax(&Fragment::new(ownership, |at| score(at[0], at[1])));
        for thread in 0..p.ownership().num_threads() {
            for slot in 0..p.ownership().num_slots() {
                let (at, found) = (p.ownership().coords(thread, slot), p.slots(thread)[slot as usize]);
                let weight = |column| f64::from(score(at[0], column)).exp();
                let total: f64 = (0..columns).map(weight).sum();
                let expected = if total == 0.0 { 0.0 } else { weight(at[1]) / total };
                assert!((f64::from(found) - expected).abs() < 1e-6, "{found} for {expected}");
                assert!(at[0] % 3 != 2 || found == 0.0);
            }
        }
    }
}

/// The state of an online softmax: the maximum so far, and the sum of exponentials relative to it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    max: f32,
    sum: f32,
}

const EMPTY: State = State {
    max: f32::NEG_INFINITY,
    sum: 0.0,
};

fn merge(a: &State, b: &State) -> State {
    let max = a.max.max(b.max);
    // An empty state adds nothing; its difference to the new maximum may be no number.
    let scaled = |state: &State| {
        if state.max == f32::NEG_INFINITY {
            0.0
        } else {
            state.sum * (state.max - max).exp()
        }
    };
    State {
        max,
        sum: scaled(a) + scaled(b),
    }
}

#[test]
fn online_softmax() {
    let score = |x: f32| {
        if x == f32::NEG_INFINITY {
            EMPTY
        } else {
            State { max: x, sum: 1.0 }
        }
    };
    let two = merge(&merge(&EMPTY, &score(0.0)), &score(0.0));
    assert_eq!(two, State { max: 0.0, sum: 2.0 });
    assert_eq!(1.0 / two.sum, 0.5);
    assert_eq!(merge(&EMPTY, &EMPTY), EMPTY);
    // As a reduction of states, in every form, over a row of which some is masked.
    for ownership in forms() {
        let value = |column: u32| {
            if column % 3 == 2 {
                f32::NEG_INFINITY
            } else {
                (column as f32).sqrt()
            }
        };
        let columns = ownership.shape()[1];
        let states = Fragment::new(ownership, |at| score(value(at[1])))
            .reduce(1, merge)
            .unwrap();
        let max = (0..columns).map(value).fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = (0..columns).map(|column| (value(column) - max).exp()).sum();
        for thread in 0..states.ownership().num_threads() {
            for state in states.slots(thread) {
                assert_eq!(state.max, max);
                assert!((state.sum - sum).abs() < 1e-5 * sum, "{state:?} for {sum}");
            }
        }
    }
}

#[test]
fn ownerships_that_are_not_linear_say_why() {
    let told = |ownership: &Ownership| ownership.require_layout().unwrap_err().to_string();
    assert_eq!(
        told(&Ownership::local(3).unwrap()),
        "3 slots per thread: a linear layout has a power of two of them"
    );
    let padded = Ownership::strided(&[3], &[(4, 1)], &[]).unwrap_err();
    assert_eq!(padded.to_string(), "thread 3, slot 0 owns [3], outside of the tile [3]");
    let wrapped = Ownership::new(&[3], 4, 1, |thread, _| [thread % 3].into_iter().collect()).unwrap();
    assert_eq!(
        told(&wrapped),
        "not linear: dimension dim0 has size 3: sizes of a layout are powers of two from 1 to 2^31"
    );
    let swapped = Ownership::new(&[4], 4, 1, |thread, _| {
        [[0, 1, 3, 2][thread as usize]].into_iter().collect()
    })
    .unwrap();
    assert!(swapped.require_layout().is_ok(), "0, 1, 3, 1 ^ 3");
    let three = Ownership::new(&[8], 8, 1, |thread, _| {
        [[0, 1, 2, 3, 4, 5, 7, 6][thread as usize]].into_iter().collect()
    });
    assert_eq!(
        told(&three.unwrap()),
        "not linear: slot 0 of thread 6 owns [7], the xor of what its bits own is [6]"
    );
}

const FORMATS: [FloatFormat; 4] = [
    FloatFormat::F16,
    FloatFormat::BF16,
    FloatFormat::E4M3,
    FloatFormat::E5M2,
];

#[test]
fn every_code_survives() {
    for format in FORMATS {
        let sign = 1u32 << (format.bits() - 1);
        for code in 0..sign {
            let value = format.decode(code as u16);
            if value.is_nan() {
                assert_eq!(format.encode(value), (sign - 1) as u16);
                continue;
            }
            // Infinities of saturating formats are read, and never made.
            let expected = if value.is_infinite() && format.bits() == 8 {
                format.encode(format.largest())
            } else {
                code as u16
            };
            assert_eq!(format.encode(value), expected, "{format:?} {code:#x}");
            assert_eq!(format.encode(-value), expected | sign as u16);
            assert_eq!(format.decode(code as u16 | sign as u16), -value);
        }
    }
}

#[test]
fn every_midpoint_rounds_to_even() {
    for format in FORMATS {
        let largest = format.encode(format.largest());
        for code in 0..largest {
            let (low, high) = (format.decode(code), format.decode(code + 1));
            assert!(low < high);
            let middle = (f64::from(low) + f64::from(high)) / 2.0;
            let middle_f32 = middle as f32;
            assert_eq!(f64::from(middle_f32), middle, "exact");
            assert_eq!(format.encode(middle_f32), code + (code & 1), "{format:?} {code:#x}");
            assert_eq!(format.encode(middle_f32.next_down()), code);
            assert_eq!(format.encode(middle_f32.next_up()), code + 1);
        }
    }
}

#[test]
fn beyond_the_largest() {
    for (format, half_way, after) in [
        (FloatFormat::F16, 65520.0, 0x7c00),
        (FloatFormat::BF16, f32::from_bits(0x7f7f_8000), 0x7f80),
        (FloatFormat::E4M3, 464.0, 0x7e),
        (FloatFormat::E5M2, 61440.0, 0x7b),
    ] {
        for x in [half_way, half_way * 1.001, f32::MAX, f32::INFINITY] {
            assert_eq!(format.encode(x), after, "{format:?} {x}");
        }
        assert_eq!(
            format.encode(format.largest().next_up()),
            format.encode(format.largest())
        );
    }
    assert_eq!(FloatFormat::E5M2.decode(0x7c), f32::INFINITY);
    assert!(FloatFormat::E5M2.decode(0x7d).is_nan() && FloatFormat::E4M3.decode(0xff).is_nan());
    assert_eq!(FloatFormat::BF16.encode(f32::from_bits(1)), 0, "the least of binary32");
    assert_eq!(
        FloatFormat::BF16.encode(f32::from_bits(0x8001)),
        1,
        "a subnormal of both, rounded up"
    );
}

proptest! {
    #[test]
    fn encoding_keeps_the_order(x in any::<f32>(), y in any::<f32>()) {
        for format in FORMATS {
            let (a, b) = (format.decode(format.encode(x)), format.decode(format.encode(y)));
            prop_assert!(x.is_nan() || y.is_nan() || (x <= y) <= (a <= b));
        }
    }

    #[test]
    fn packing_keeps_every_bit(slots in prop::collection::vec(any::<u16>(), 0..40), wide in any::<bool>()) {
        let bits = if wide { 16 } else { 8 };
        let kept: Vec<u16> = slots.iter().map(|slot| if wide { *slot } else { slot & 0xff }).collect();
        let words = pack(&kept, bits);
        prop_assert_eq!(words.len(), kept.len().div_ceil(32 / bits as usize));
        prop_assert_eq!(unpack(&words, bits, kept.len()), kept);
    }
}
