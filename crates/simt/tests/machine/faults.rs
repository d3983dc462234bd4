//! Every fault planted once: found with its place, under every schedule. That the right program has no finding is
//! tested beside it.

use mytriton_simt::program::{Instr, Regs, Shuffle, Space};
use mytriton_simt::{FindingKind, Options, Report};
use mytriton_ssa::{BinaryOp, CmpPred};

use crate::asm::{Asm, BOTH, run_words, seed, wrong};
use crate::exchange::{locked, reverse};

#[test]
fn a_race_in_shared_memory() {
    let words = [0; 128];
    let text = wrong(&reverse(false).finish(), 1, 128, &words, "race");
    assert!(text.contains("data race") && text.contains("shared memory"), "{text}");
    // Either of the two accesses may come second.
    assert!(text.starts_with("k:11:1: ") || text.starts_with("k:16:1: "), "{text}");
    assert!(text.contains("k:11:1") && text.contains("k:16:1"), "{text}");
}

/// Lanes of a warp are no more ordered than threads of several.
#[test]
fn a_race_within_a_warp() {
    let mut asm = Asm::new();
    let base = asm.param();
    asm.shared(128);
    let tid = asm.tid();
    let [zero, one] = [0, 1].map(|c| asm.constant(c));
    let at = asm.at(zero, tid, 4);
    asm.store(Space::Shared, at, tid);
    let other = asm.binary(BinaryOp::Xor, tid, one);
    let from = asm.at(zero, other, 4);
    let value = asm.load(Space::Shared, from);
    let to = asm.at(base, tid, 4);
    asm.store(Space::Global, to, value);
    let text = wrong(&asm.finish(), 1, 32, &[0; 32], "race");
    assert!(text.contains("reads byte"), "{text}");
}

#[test]
fn a_race_between_blocks() {
    let mut asm = Asm::new();
    let base = asm.param();
    let block = asm.special(mytriton_simt::program::Special::BlockId(0));
    asm.store(Space::Global, base, block);
    let text = wrong(&asm.finish(), 4, 1, &[7], "race");
    assert!(text.contains("buffer 'x'") && text.contains("written"), "{text}");
}

/// The same value from everywhere is what replicated tiles do.
#[test]
fn equal_values_do_not_race() {
    let mut asm = Asm::new();
    let base = asm.param();
    let five = asm.constant(5);
    asm.store(Space::Global, base, five);
    assert_eq!(crate::asm::right(&asm.finish(), 4, 64, &[7]), [5]);
}

#[test]
fn a_lock_without_acquire_and_release() {
    let text = wrong(&locked(false).finish(), 12, 32, &[0, 0], "race");
    assert!(text.starts_with("k:13:1: ") || text.starts_with("k:15:1: "), "{text}");
    assert!(text.contains("of buffer 'x'"), "{text}");
}

#[test]
fn out_of_bounds_and_misaligned() {
    let mut asm = Asm::new();
    let base = asm.param();
    let tid = asm.tid();
    let at = asm.at(base, tid, 4);
    asm.store(Space::Global, at, tid);
    let program = asm.finish();
    assert_eq!(
        crate::asm::right(&program, 1, 10, &[0; 10]),
        (0..10).collect::<Vec<_>>()
    );
    assert_eq!(
        wrong(&program, 1, 11, &[0; 10], "out-of-bounds"),
        "k:5:1: 'op' of kernel 'k', block (0, 0, 0), thread (10, 0, 0): out of bounds: writes 4 bytes at byte 40 of buffer 'x', \
         which has 40; is a mask missing?"
    );
    let mut asm = Asm::new();
    let base = asm.param();
    let tid = asm.tid();
    let at = asm.at(base, tid, 4);
    let (a, b) = (asm.reg(), asm.reg());
    let dst = asm.list(&[a, b]);
    asm.push(Instr::Load {
        space: Space::Global,
        bytes: 4,
        dst,
        address: at,
        guard: None,
        other: Regs::default(),
    });
    let text = wrong(&asm.finish(), 1, 2, &[0; 10], "misaligned");
    assert!(
        text.contains("thread (1, 0, 0): misaligned: reads 8 bytes at once at byte 4"),
        "{text}"
    );
}

#[test]
fn shared_memory_beyond_its_end_and_before_it_is_written() {
    let mut asm = Asm::new();
    let base = asm.param();
    asm.shared(64);
    let tid = asm.tid();
    let zero = asm.constant(0);
    let at = asm.at(zero, tid, 4);
    let value = asm.load(Space::Shared, at);
    let to = asm.at(base, tid, 4);
    asm.store(Space::Global, to, value);
    let program = asm.finish();
    let text = wrong(&program, 1, 16, &[0; 17], "uninitialised");
    assert!(
        text.starts_with("k:6:1: 'op' of kernel 'k', block (0, 0, 0), thread (0, 0, 0): reads byte 0"),
        "{text}"
    );
    let text = wrong(&program, 1, 17, &[0; 17], "out-of-bounds");
    assert!(
        text.contains("thread (16, 0, 0)") && text.contains("shared memory, which has 64"),
        "{text}"
    );
}

/// A barrier in lanes below `n`.
fn barrier_below(n: u64) -> Asm {
    let mut asm = Asm::new();
    let _base = asm.param();
    let tid = asm.tid();
    let n = asm.constant(n);
    let below = asm.cmp(CmpPred::Lt, tid, n);
    asm.branch(
        below,
        |asm| {
            asm.push(Instr::Barrier);
        },
        |_| {},
    );
    // Without this the others would end, and the barrier be complete.
    asm.push(Instr::Barrier);
    asm
}

#[test]
fn a_barrier_in_some_lanes_of_a_warp() {
    let text = wrong(&barrier_below(40).finish(), 1, 64, &[0], "divergent-barrier");
    assert!(
        text.starts_with("k:5:1: 'op' of kernel 'k', block (0, 0, 0), thread (32, 0, 0): barrier in divergent code"),
        "{text}"
    );
}

#[test]
fn barriers_at_different_places() {
    let text = wrong(&barrier_below(32).finish(), 1, 64, &[0], "divergent-barrier");
    assert!(
        text.contains("other threads of the block come to another barrier, 'op' at k:"),
        "{text}"
    );
}

#[test]
fn a_barrier_that_all_warps_come_to() {
    let (_, report) = run_words(&barrier_below(64).finish(), 1, 64, &[0], seed(0));
    assert_eq!(report.findings, []);
}

#[test]
fn a_deadlock_names_who_waits_for_what() {
    let mut asm = Asm::new();
    let _base = asm.param();
    let [one, all] = [1, 64].map(|c| asm.constant(c));
    let tid = asm.tid();
    let below = asm.cmp(CmpPred::Lt, tid, all);
    asm.branch(
        below,
        |asm| {
            asm.push(Instr::NamedBarrier {
                id: one,
                threads: Some(all),
                wait: true,
            });
        },
        |_| {},
    );
    let program = asm.finish();
    let (_, report) = run_words(&program, 1, 64, &[0], seed(0));
    assert_eq!(report.findings, []);
    let text = wrong(&program, 1, 32, &[0], "divergent-barrier");
    assert!(text.contains("a barrier of 64 threads"), "{text}");

    let mut asm = Asm::new();
    let _base = asm.param();
    let tid = asm.tid();
    let [one, two, all, middle] = [1, 2, 64, 32].map(|c| asm.constant(c));
    let below = asm.cmp(CmpPred::Lt, tid, middle);
    let wait = |asm: &mut Asm, id| {
        asm.push(Instr::NamedBarrier {
            id,
            threads: Some(all),
            wait: true,
        });
    };
    // Each waits for the other first.
    asm.branch(below, |asm| wait(asm, one), |asm| wait(asm, two));
    let text = wrong(&asm.finish(), 1, 64, &[0], "deadlock");
    assert!(text.contains("deadlock: no thread of the block can go on"), "{text}");
    for part in [
        "32 thread(s) wait at barrier 1, which 32 of 64 threads have come to,",
        "32 thread(s) wait at barrier 2, which 32 of 64 threads have come to,",
        "thread (0, 0, 0)",
        "thread (32, 0, 0)",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_shuffle_in_some_lanes() {
    let mut asm = Asm::new();
    let _base = asm.param();
    let tid = asm.tid();
    let [one, all, some] = [1, 32, 20].map(|c| asm.constant(c));
    let below = asm.cmp(CmpPred::Lt, tid, some);
    let (dst, in_range) = (asm.reg(), asm.reg());
    asm.branch(
        below,
        |asm| {
            asm.push(Instr::Shuffle {
                mode: Shuffle::Xor,
                dst,
                in_range,
                src: tid,
                lane: one,
                width: all,
                mask: None,
            });
        },
        |_| {},
    );
    let text = wrong(&asm.finish(), 1, 32, &[0], "divergent-collective");
    assert!(text.contains("shuffle in divergent code: lanes 0xfff00000"), "{text}");
}

#[test]
fn a_loop_that_does_not_end() {
    let mut asm = Asm::new();
    let _base = asm.param();
    let one = asm.constant(1);
    asm.repeat(|_| one, |_| {});
    let text = wrong(&asm.finish(), 1, 32, &[0], "endless");
    assert!(text.contains("has not ended after"), "{text}");
}

#[test]
fn promises_that_do_not_hold() {
    let mut asm = Asm::new();
    let _base = asm.param();
    let tid = asm.tid();
    let three = asm.constant(3);
    let cond = asm.cmp(CmpPred::Lt, tid, three);
    asm.push(Instr::Assert {
        cond,
        message: "tid < 3".into(),
    });
    let text = wrong(&asm.finish(), 1, 8, &[0], "assertion");
    assert_eq!(
        text,
        "k:4:1: 'op' of kernel 'k', block (0, 0, 0), thread (3, 0, 0): tid < 3 (5 times at this operation)"
    );
}

/// With one worker and one seed every run is the same, schedule and findings alike.
#[test]
fn runs_repeat() {
    let program = reverse(false).finish();
    let run = |s| -> (Vec<u32>, Report) { run_words(&program, 3, 128, &[1; 128], seed(s)) };
    for s in 0..4 {
        let ((a, first), (b, second)) = (run(s), run(s));
        assert_eq!(a, b);
        assert_eq!(first.findings, second.findings);
    }
}

#[test]
fn accesses_are_counted() {
    let options = Options {
        count_accesses: true,
        ..seed(0)
    };
    let (_, report) = run_words(&reverse(true).finish(), 1, 128, &[1; 128], options);
    let by_space = |space| report.accesses.iter().filter(move |a| a.space == space);
    for access in by_space(Space::Global) {
        assert_eq!(
            (access.warps, access.lanes, access.transactions, access.excess()),
            (4, 128, 16, 0)
        );
    }
    for access in by_space(Space::Shared) {
        assert_eq!(
            (access.warps, access.lanes, access.transactions, access.excess()),
            (4, 128, 4, 0)
        );
    }
    assert_eq!(report.accesses.len(), 4);
}

/// Reads and writes, those that exchange among the writes, with the bytes of a lane.
#[test]
fn accesses_are_told_apart() {
    let mut asm = Asm::new();
    let base = asm.param();
    let tid = asm.tid();
    let at = asm.at(base, tid, 8);
    let (expected, value) = (asm.constant(0), asm.constant(7));
    let loaded = asm.load(Space::Global, at);
    asm.store(Space::Global, at, loaded);
    for bytes in [4, 8] {
        let dst = asm.reg();
        asm.push(Instr::CompareExchange {
            space: Space::Global,
            bytes,
            dst,
            address: at,
            expected,
            value,
            order: BOTH,
        });
    }
    let options = Options {
        count_accesses: true,
        ..seed(0)
    };
    let (_, report) = run_words(&asm.finish(), 1, 64, &[0; 128], options);
    assert_eq!(report.findings, []);
    let counted: Vec<_> = report
        .accesses
        .iter()
        .map(|a| (a.store, a.bytes, a.warps, a.lanes))
        .collect();
    assert_eq!(
        counted,
        [(false, 4, 2, 64), (true, 4, 2, 64), (true, 4, 2, 64), (true, 8, 2, 64)]
    );
}

/// However the blocks run, a finding is at its first thread in the order of the grid.
#[test]
fn the_first_thread_of_the_grid_is_named() {
    let mut asm = Asm::new();
    let base = asm.param();
    let tid = asm.tid();
    let block = asm.special(mytriton_simt::program::Special::BlockId(0));
    let [two, five] = [2, 5].map(|c| asm.constant(c));
    // Block 0 from thread 5 on, block 1 from thread 3 on, block 2 from thread 1 on.
    let shift = asm.binary(BinaryOp::Mul, block, two);
    let number = asm.binary(BinaryOp::Add, tid, shift);
    let is_wrong = asm.cmp(CmpPred::Ge, number, five);
    let at = asm.at(base, is_wrong, 4);
    asm.store(Space::Global, at, five);
    let text = wrong(&asm.finish(), 3, 40, &[0], "out-of-bounds");
    assert!(text.contains("block (0, 0, 0), thread (5, 0, 0)"), "{text}");
    assert!(text.contains(&format!("({} times", 35 + 37 + 39)), "{text}");
}

/// Lanes of two masks wait apart, and others not at all.
#[test]
fn barriers_of_a_part_of_a_warp() {
    for (masks, kind) in [
        ([0xFF, 0xFF00], None),
        ([0x1FF, 0xFF00], Some("")),
        ([0xFE, 0xFF00], Some("")),
    ] {
        let mut asm = Asm::new();
        let base = asm.param();
        asm.shared(128);
        let tid = asm.tid();
        let [zero, one, eight, sixteen] = [0, 1, 8, 16].map(|c| asm.constant(c));
        let [low, high] = masks.map(|mask| asm.constant(mask));
        let some = asm.cmp(CmpPred::Lt, tid, sixteen);
        asm.branch(
            some,
            |asm| {
                let at = asm.at(zero, tid, 4);
                asm.store(Space::Shared, at, tid);
                let first = asm.cmp(CmpPred::Lt, tid, eight);
                let barrier = |mask| {
                    move |asm: &mut Asm| {
                        asm.push(Instr::WarpBarrier { mask });
                    }
                };
                asm.branch(first, barrier(low), barrier(high));
                let other = asm.binary(BinaryOp::Xor, tid, one);
                let from = asm.at(zero, other, 4);
                let value = asm.load(Space::Shared, from);
                let to = asm.at(base, tid, 4);
                asm.store(Space::Global, to, value);
            },
            |_| {},
        );
        let program = asm.finish();
        if kind.is_none() {
            let expected: Vec<u32> = (0..16).map(|t| t ^ 1).collect();
            assert_eq!(crate::asm::right(&program, 1, 32, &[0; 16]), expected);
        } else {
            let (_, report) = run_words(&program, 1, 32, &[0; 16], seed(1));
            assert!(!report.findings.is_empty(), "{masks:?}");
        }
    }
}

/// A shuffle's lanes are in the mask that they give.
#[test]
fn shuffles_in_lanes_beyond_their_mask() {
    let mut asm = Asm::new();
    let base = asm.param();
    let tid = asm.tid();
    let [one, mask, width] = [1, 0xFFFF_FFDF, 32].map(|c| asm.constant(c));
    let (dst, in_range) = (asm.reg(), asm.reg());
    asm.push(Instr::Shuffle {
        mode: Shuffle::Xor,
        dst,
        in_range,
        src: tid,
        lane: one,
        width,
        mask: Some(mask),
    });
    let to = asm.at(base, tid, 4);
    asm.store(Space::Global, to, dst);
    let (_, report) = run_words(&asm.finish(), 1, 32, &[0; 32], seed(0));
    let text = report.findings[0].to_string();
    assert!(text.contains("in lanes that are not in its mask 0xffffffdf"), "{text}");
    assert!(text.contains("thread (5, 0, 0)"), "{text}");
}

/// A shuffle takes from lanes that take part.
#[test]
fn shuffles_from_lanes_that_do_not_take_part() {
    let mut asm = Asm::new();
    let base = asm.param();
    let tid = asm.tid();
    let [four, eight, mask, width] = [4, 8, 0xFF, 32].map(|c| asm.constant(c));
    let first = asm.cmp(CmpPred::Lt, tid, eight);
    let (dst, in_range) = (asm.reg(), asm.reg());
    asm.branch(
        first,
        |asm| {
            asm.push(Instr::Shuffle {
                mode: Shuffle::Down,
                dst,
                in_range,
                src: tid,
                lane: four,
                width,
                mask: Some(mask),
            });
            let to = asm.at(base, tid, 4);
            asm.store(Space::Global, to, in_range);
        },
        |_| {},
    );
    let (out, report) = run_words(&asm.finish(), 1, 32, &[9; 32], seed(0));
    assert_eq!(out[..9], [1, 1, 1, 1, 1, 1, 1, 1, 9]);
    let text = report.findings[0].to_string();
    assert!(text.contains("thread (4, 0, 0)"), "{text}");
    assert!(text.contains("shuffle from lane 8, which does not take part"), "{text}");
    assert!(
        matches!(
            report.findings[0].kind,
            FindingKind::DivergentCollective { missing: 0x100, .. }
        ),
        "{:?}",
        report.findings[0].kind
    );
}

/// Counts are those of all blocks, whichever of the host's threads ran them.
#[test]
fn counts_of_all_blocks_add_up() {
    for (width, sectors, ideal) in [(1, 40, 5), (2, 40, 10), (4, 40, 20)] {
        let mut asm = Asm::new();
        let base = asm.param();
        let tid = asm.tid();
        let at = asm.at(base, tid, 64);
        let regs: Vec<_> = (0..width).map(|_| asm.reg()).collect();
        let list = asm.list(&regs);
        let (space, bytes, guard) = (Space::Global, 4, None);
        asm.push(Instr::Load {
            space,
            bytes,
            dst: list,
            address: at,
            guard,
            other: Regs::default(),
        });
        asm.push(Instr::Store {
            space,
            bytes,
            src: list,
            address: at,
            guard,
        });
        let program = asm.finish();
        for (blocks, workers) in [(1, 1), (3, 1), (9, 3)] {
            let options = Options {
                // Blocks store what others load, but the same zeros.
                check_races: false,
                count_accesses: true,
                workers,
                ..seed(0)
            };
            let (_, report) = run_words(&program, blocks, 40, &[0; 16 * 40], options);
            assert_eq!(report.findings, []);
            // 40 threads are two warps; what each accesses lies in a sector of its own.
            let blocks = u64::from(blocks);
            for (access, store) in report.accesses.iter().zip([false, true]) {
                assert_eq!((access.bytes, access.store), (4 * width, store));
                let counts = [
                    access.warps,
                    access.lanes,
                    access.transactions,
                    access.ideal,
                    access.excess(),
                ];
                let of_a_block = [2, 40, sectors, ideal, sectors - ideal];
                assert_eq!(counts, of_a_block.map(|count| count * blocks), "{access:?}");
            }
            assert_eq!(report.accesses.len(), 2);
            let instructions = program.code.len() as u64;
            assert_eq!(report.warp_instructions, 2 * blocks * instructions);
            assert_eq!(report.thread_instructions, 40 * blocks * instructions);
        }
    }
}
