//! Threads that exchange values: shuffles, votes, barriers, atomics.

use mytriton_simt::program::{AtomicOp, Fence, Instr, Order, Reg, Shuffle, Space, Special, Vote};
use mytriton_ssa::{BinaryOp, CmpPred, Scalar};

use crate::asm::{Asm, BOTH, RELAXED, right};

/// What PTX says of a shuffle: the source lane, and whether it is in range.
fn source(mode: Shuffle, lane: u32, by: u32, width: u32) -> (u32, bool) {
    let (clamp, segment) = (if mode == Shuffle::Up { 0 } else { 0x1F }, (32 - width) & 0x1F);
    let last = (lane & segment) | (clamp & !segment & 0x1F);
    let first = lane & segment;
    let (from, fits) = match mode {
        Shuffle::Up => (lane.wrapping_sub(by), lane as i64 - i64::from(by) >= i64::from(last)),
        Shuffle::Down => (lane + by, lane + by <= last),
        Shuffle::Xor => (lane ^ by, lane ^ by <= last),
        Shuffle::Index => {
            let from = first | (by & !segment & 0x1F);
            (from, from <= last)
        }
    };
    if fits { (from, true) } else { (lane, false) }
}

#[test]
fn shuffles_of_every_kind_and_width() {
    for mode in [Shuffle::Xor, Shuffle::Up, Shuffle::Down, Shuffle::Index] {
        for width in [1, 2, 4, 8, 16, 32] {
            for by in [0, 1, 3, 8, 17, 31] {
                let mut asm = Asm::new();
                let base = asm.param();
                let tid = asm.tid();
                let (dst, in_range) = (asm.reg(), asm.reg());
                let (lane, width_reg, hundred) =
                    (asm.constant(by.into()), asm.constant(width.into()), asm.constant(100));
                asm.push(Instr::Shuffle {
                    mode,
                    dst,
                    in_range,
                    src: tid,
                    lane,
                    width: width_reg,
                    mask: None,
                });
                let flag = asm.binary(BinaryOp::Mul, in_range, hundred);
                let value = asm.binary(BinaryOp::Add, dst, flag);
                let at = asm.at(base, tid, 4);
                asm.store(Space::Global, at, value);
                let out = right(&asm.finish(), 1, 32, &[0; 32]);
                for lane in 0..32 {
                    let (from, fits) = source(mode, lane, by, width);
                    let expected = from + 100 * u32::from(fits);
                    assert_eq!(out[lane as usize], expected, "{mode:?} {by} width {width} lane {lane}");
                }
            }
        }
    }
}

#[test]
fn votes() {
    // Lanes 0 to 6 of the second warp, of which those with an odd number hold.
    for (vote, expected) in [
        (Vote::All, 0),
        (Vote::Any, 1),
        (Vote::Uniform, 0),
        (Vote::Ballot, 0b010_1010),
        (Vote::Reduce(BinaryOp::Add), 3),
        (Vote::Reduce(BinaryOp::MaxU), 1),
    ] {
        let mut asm = Asm::new();
        let base = asm.param();
        let tid = asm.tid();
        let one = asm.constant(1);
        let src = asm.binary(BinaryOp::And, tid, one);
        store_vote(&mut asm, vote, src, base, tid);
        let out = right(&asm.finish(), 1, 39, &[0; 39]);
        assert_eq!(out[32..], [expected; 7], "{vote:?}");
    }
}

/// Votes on `src` with all lanes and stores what each thread gets at its own word.
fn store_vote(asm: &mut Asm, vote: Vote, src: Reg, base: Reg, tid: Reg) {
    let dst = asm.reg();
    asm.push(Instr::Vote {
        vote,
        dst,
        src,
        mask: None,
    });
    let at = asm.at(base, tid, 4);
    asm.store(Space::Global, at, dst);
}

/// Of lanes that agree on true or on false, and of those that do not.
#[test]
fn votes_of_lanes_that_agree() {
    for (number, [all, any, uniform]) in [(0, [0, 0, 1]), (1, [1, 1, 1]), (2, [0, 1, 0])] {
        for (vote, expected) in [(Vote::All, all), (Vote::Any, any), (Vote::Uniform, uniform)] {
            let mut asm = Asm::new();
            let base = asm.param();
            let tid = asm.tid();
            // The lanes below `number` hold, or all of them.
            let limit = asm.constant(if number == 1 { 32 } else { number });
            let src = asm.cmp(CmpPred::LtU, tid, limit);
            store_vote(&mut asm, vote, src, base, tid);
            let out = right(&asm.finish(), 1, 32, &[9; 32]);
            assert_eq!(out, [expected; 32], "{vote:?} {number}");
        }
    }
}

#[test]
fn matches_and_elections_within_a_mask() {
    let mut asm = Asm::new();
    let base = asm.param();
    let tid = asm.tid();
    let (three, mask) = (asm.constant(3), asm.constant(0xFF));
    let eight = asm.constant(8);
    let first = asm.cmp(CmpPred::Lt, tid, eight);
    let (same, elected) = (asm.reg(), asm.reg());
    asm.branch(
        first,
        |asm| {
            let src = asm.binary(BinaryOp::And, tid, three);
            asm.push(Instr::Vote {
                vote: Vote::Match,
                dst: same,
                src,
                mask: Some(mask),
            });
            asm.push(Instr::Vote {
                vote: Vote::Elect,
                dst: elected,
                src,
                mask: Some(mask),
            });
            let value = asm.at(same, elected, 1000);
            let at = asm.at(base, tid, 4);
            asm.store(Space::Global, at, value);
        },
        |_| {},
    );
    let out = right(&asm.finish(), 1, 32, &[0; 32]);
    let expected: Vec<u32> = (0..8).map(|t| (0x11 << (t % 4)) + 1000 * u32::from(t == 0)).collect();
    assert_eq!(out[..8], expected);
    assert_eq!(out[8..], [0; 24]);
}

/// Reverses 128 words through shared memory.
pub fn reverse(barrier: bool) -> Asm {
    let mut asm = Asm::new();
    let base = asm.param();
    asm.shared(512);
    let tid = asm.tid();
    let (zero, last) = (asm.constant(0), asm.constant(127));
    let from = asm.at(base, tid, 4);
    let word = asm.load(Space::Global, from);
    let at = asm.at(zero, tid, 4);
    asm.store(Space::Shared, at, word);
    if barrier {
        asm.push(Instr::Barrier);
    }
    let other = asm.binary(BinaryOp::Sub, last, tid);
    let at = asm.at(zero, other, 4);
    let word = asm.load(Space::Shared, at);
    asm.store(Space::Global, from, word);
    asm
}

#[test]
fn barriers_order_what_threads_do() {
    let words: Vec<u32> = (0..128).map(|i| i * i).collect();
    let out = right(&reverse(true).finish(), 1, 128, &words);
    assert_eq!(out, words.into_iter().rev().collect::<Vec<_>>());
}

/// Warp 0 makes numbers that warp 1 takes, over numbered barriers in a loop, two buffers deep.
#[test]
fn producers_and_consumers_meet_at_numbered_barriers() {
    let mut asm = Asm::new();
    let base = asm.param();
    asm.shared(128);
    let (warp, lane) = (asm.special(Special::Warp), asm.special(Special::Lane));
    let [zero, one, full, empty, all, rounds] = [0, 1, 1, 2, 64, 5].map(|c| asm.constant(c));
    let at = asm.at(zero, lane, 4);
    let (i, sum) = (asm.reg(), asm.reg());
    asm.push(Instr::Move { dst: i, src: zero });
    asm.push(Instr::Move { dst: sum, src: zero });
    let is_producer = asm.cmp(CmpPred::Eq, warp, zero);
    let meet = |asm: &mut Asm, id, wait| {
        asm.push(Instr::NamedBarrier {
            id,
            threads: Some(all),
            wait,
        });
    };
    let next = |asm: &mut Asm| {
        let src = asm.binary(BinaryOp::Add, i, one);
        asm.push(Instr::Move { dst: i, src });
    };
    asm.branch(
        is_producer,
        |asm| {
            asm.repeat(
                |asm| asm.cmp(CmpPred::Lt, i, rounds),
                |asm| {
                    meet(asm, empty, true);
                    let value = asm.binary(BinaryOp::Add, i, lane);
                    asm.store(Space::Shared, at, value);
                    meet(asm, full, false);
                    next(asm);
                },
            );
        },
        |asm| {
            asm.repeat(
                |asm| asm.cmp(CmpPred::Lt, i, rounds),
                |asm| {
                    meet(asm, empty, false);
                    meet(asm, full, true);
                    let value = asm.load(Space::Shared, at);
                    let src = asm.binary(BinaryOp::Add, sum, value);
                    asm.push(Instr::Move { dst: sum, src });
                    next(asm);
                },
            );
            let to = asm.at(base, lane, 4);
            asm.store(Space::Global, to, sum);
        },
    );
    let out = right(&asm.finish(), 1, 64, &[0; 32]);
    assert_eq!(out, (0..32).map(|l| 10 + 5 * l).collect::<Vec<_>>());
}

#[test]
fn warp_barriers_order_lanes_and_meet_across_arms() {
    let mut asm = Asm::new();
    let base = asm.param();
    asm.shared(128);
    let tid = asm.tid();
    let [zero, one, sixteen, mask] = [0, 1, 16, 0xFFFF_FFFF].map(|c| asm.constant(c));
    let at = asm.at(zero, tid, 4);
    let low = asm.cmp(CmpPred::Lt, tid, sixteen);
    asm.branch(
        low,
        |asm| {
            asm.store(Space::Shared, at, tid);
            asm.push(Instr::WarpBarrier { mask });
        },
        |asm| {
            let value = asm.binary(BinaryOp::Add, tid, one);
            asm.store(Space::Shared, at, value);
            asm.push(Instr::WarpBarrier { mask });
        },
    );
    let other = asm.binary(BinaryOp::Xor, tid, sixteen);
    let from = asm.at(zero, other, 4);
    let value = asm.load(Space::Shared, from);
    let to = asm.at(base, tid, 4);
    asm.store(Space::Global, to, value);
    let out = right(&asm.finish(), 1, 32, &[0; 32]);
    let expected = (0..32).map(|t| if t < 16 { t + 17 } else { t - 16 });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[test]
fn atomics_of_all_blocks_add_up() {
    let mut asm = Asm::new();
    let base = asm.param();
    let one = asm.constant(1);
    let dst = asm.reg();
    asm.push(Instr::Atomic {
        space: Space::Global,
        op: AtomicOp::Binary(BinaryOp::Add),
        ty: Scalar::I32,
        dst,
        address: base,
        value: one,
        order: RELAXED,
    });
    assert_eq!(right(&asm.finish(), 9, 70, &[5]), [635]);
}

/// A lock in word 0 guards the counter in word 1; every block of the grid takes it once.
pub fn locked(acquire_release: bool) -> Asm {
    locked_by(if acquire_release { BOTH } else { RELAXED }, false)
}

/// The same with atomics of an order, and perhaps with a fence behind the one that takes the lock. Before the one that
/// gives it back there always is one.
fn locked_by(order: Order, fence: bool) -> Asm {
    let mut asm = Asm::new();
    let base = asm.param();
    let [zero, one, four] = [0, 1, 4].map(|c| asm.constant(c));
    let tid = asm.tid();
    let counter = asm.binary(BinaryOp::Add, base, four);
    let first = asm.cmp(CmpPred::Eq, tid, zero);
    asm.branch(
        first,
        |asm| {
            let taken = asm.reg();
            asm.repeat(
                |asm| {
                    asm.push(Instr::CompareExchange {
                        space: Space::Global,
                        bytes: 4,
                        dst: taken,
                        address: base,
                        expected: zero,
                        value: one,
                        order,
                    });
                    asm.cmp(CmpPred::Ne, taken, zero)
                },
                |_| {},
            );
            if fence {
                asm.push(Instr::Fence(Fence::Memory));
            }
            let old = asm.load(Space::Global, counter);
            let new = asm.binary(BinaryOp::Add, old, one);
            asm.store(Space::Global, counter, new);
            asm.push(Instr::Fence(Fence::Memory));
            asm.push(Instr::Atomic {
                space: Space::Global,
                op: AtomicOp::Exchange,
                ty: Scalar::I32,
                dst: taken,
                address: base,
                value: zero,
                order,
            });
        },
        |_| {},
    );
    asm
}

#[test]
fn locks_between_blocks_order_what_they_guard() {
    assert_eq!(right(&locked(true).finish(), 12, 32, &[0, 30]), [0, 42]);
    // Fences make relaxed atomics as good.
    assert_eq!(right(&locked_by(RELAXED, true).finish(), 12, 32, &[0, 30]), [0, 42]);
}

/// What an atomic gives, and what it leaves; a compare-and-exchange where the number is the expected one, and where not.
#[test]
fn atomics_of_every_kind() {
    let all_ones = 0xFFFF_FFFF;
    for space in [Space::Global, Space::Shared] {
        for (instr, old, left) in [
            (None, 5, 9),
            (None, 6, 6),
            (Some(AtomicOp::Exchange), 5, 9),
            (Some(AtomicOp::Binary(BinaryOp::Add)), all_ones, 8),
            (Some(AtomicOp::Binary(BinaryOp::And)), 0b1100, 0b1000),
            (Some(AtomicOp::Binary(BinaryOp::Or)), 0b1100, 0b1101),
            (Some(AtomicOp::Binary(BinaryOp::Xor)), 0b1100, 0b0101),
            (Some(AtomicOp::Binary(BinaryOp::MinS)), all_ones, all_ones),
            (Some(AtomicOp::Binary(BinaryOp::MinU)), all_ones, 9),
            (Some(AtomicOp::Binary(BinaryOp::MaxS)), all_ones, 9),
        ] {
            let mut asm = Asm::new();
            let base = asm.param();
            asm.shared(4);
            let [zero, four, five, nine] = [0, 4, 5, 9].map(|c| asm.constant(c));
            let address = if space == Space::Global { base } else { zero };
            let before = asm.constant(u64::from(old));
            asm.store(space, address, before);
            let dst = asm.reg();
            asm.push(match instr {
                Some(op) => Instr::Atomic {
                    space,
                    op,
                    ty: Scalar::I32,
                    dst,
                    address,
                    value: nine,
                    order: RELAXED,
                },
                None => Instr::CompareExchange {
                    space,
                    bytes: 4,
                    dst,
                    address,
                    expected: five,
                    value: nine,
                    order: RELAXED,
                },
            });
            let after = asm.load(space, address);
            asm.store(Space::Global, base, dst);
            let second = asm.binary(BinaryOp::Add, base, four);
            asm.store(Space::Global, second, after);
            assert_eq!(
                right(&asm.finish(), 1, 1, &[0; 2]),
                [old, left],
                "{instr:?} in {space:?}"
            );
        }
    }
}

/// Slices of the schedule end anywhere, before, at and behind barriers: a value goes round the block, a place each time.
#[test]
fn barriers_in_loops_under_every_schedule() {
    const ROUNDS: u32 = 500;
    let mut asm = Asm::new();
    let base = asm.param();
    asm.shared(512);
    let tid = asm.tid();
    let [zero, one, all, rounds] = [0, 1, 127, u64::from(ROUNDS)].map(|c| asm.constant(c));
    let at = asm.at(zero, tid, 4);
    let next = asm.binary(BinaryOp::Add, tid, one);
    let next = asm.binary(BinaryOp::And, next, all);
    let from = asm.at(zero, next, 4);
    let (i, value) = (asm.reg(), asm.reg());
    asm.push(Instr::Move { dst: i, src: zero });
    asm.push(Instr::Move { dst: value, src: tid });
    asm.repeat(
        |asm| asm.cmp(CmpPred::Lt, i, rounds),
        |asm| {
            asm.store(Space::Shared, at, value);
            asm.push(Instr::Barrier);
            let src = asm.load(Space::Shared, from);
            asm.push(Instr::Move { dst: value, src });
            asm.push(Instr::Barrier);
            let src = asm.binary(BinaryOp::Add, i, one);
            asm.push(Instr::Move { dst: i, src });
        },
    );
    let to = asm.at(base, tid, 4);
    asm.store(Space::Global, to, value);
    let out = right(&asm.finish(), 1, 128, &[0; 128]);
    assert_eq!(out, (0..128).map(|t| (t + ROUNDS) % 128).collect::<Vec<_>>());
}
