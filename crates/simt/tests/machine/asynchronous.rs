//! Copies that complete later: right pipelines have no findings, each with one part left out has.

use mytriton_simt::asynchronous::AsyncInstr;
use mytriton_simt::program::{Fence, Instr, Reg, Space, Special};
use mytriton_ssa::{BinaryOp, CmpPred};

use crate::asm::{Asm, right, run_words, seed, wrong};

/// The parts of a program that may be left out.
#[derive(Clone, Copy, PartialEq)]
enum Without {
    Nothing,
    Wait,
    Barrier,
    ProxyFence,
    Expect,
    Bytes,
    Init,
    InitFence,
    LastBarrier,
}

fn asynchronous(asm: &mut Asm, instr: AsyncInstr) {
    asm.push(Instr::Async(Box::new(instr)));
}

/// Each of 64 threads copies the word of its number by "cp.async", and takes that of its neighbour, in four rounds of two
/// buffers, the next copy being in flight while the one before is used.
fn pipelined(without: Without) -> Asm {
    let mut asm = Asm::new();
    let base = asm.param();
    asm.shared(2 * 256);
    let tid = asm.tid();
    let [zero, one] = [0, 1].map(|c| asm.constant(c));
    let neighbour = asm.binary(BinaryOp::Xor, tid, one);
    let mut sum = zero;
    let issue = |asm: &mut Asm, round: u64| {
        let [from, to] = [round * 256, round % 2 * 256].map(|c| asm.constant(c));
        let src = asm.at(base, tid, 4);
        let src = asm.binary(BinaryOp::Add, src, from);
        let dst = asm.at(to, tid, 4);
        asynchronous(
            asm,
            AsyncInstr::Copy {
                dst,
                src,
                bytes: 4,
                valid: None,
            },
        );
        asynchronous(asm, AsyncInstr::CommitGroup);
    };
    issue(&mut asm, 0);
    for round in 0..4 {
        if round < 3 {
            issue(&mut asm, round + 1);
        }
        if without != Without::Wait {
            let pending = u32::from(round < 3);
            asynchronous(&mut asm, AsyncInstr::WaitGroup { pending });
        }
        if without != Without::Barrier {
            asm.push(Instr::Barrier);
        }
        let buffer = asm.constant(round % 2 * 256);
        let at = asm.at(buffer, neighbour, 4);
        let value = asm.load(Space::Shared, at);
        sum = asm.binary(BinaryOp::Add, sum, value);
        if without != Without::LastBarrier {
            asm.push(Instr::Barrier);
        }
    }
    let out = asm.constant(4 * 256);
    let to = asm.at(base, tid, 4);
    let to = asm.binary(BinaryOp::Add, to, out);
    asm.store(Space::Global, to, sum);
    asm
}

fn words() -> Vec<u32> {
    (0..256).map(|i| i * 3).chain([0; 64]).collect()
}

#[test]
fn groups_of_copies() {
    let out = right(&pipelined(Without::Nothing).finish(), 1, 64, &words());
    let expected: Vec<u32> = (0..64).map(|t| (0..4).map(|r| (r * 64 + (t ^ 1)) * 3).sum()).collect();
    assert_eq!(out[256..], expected);
    // Nobody waited: the copy is in flight still, or its completion unknown to the reader. The next copy into a buffer
    // must come after all have read the last one.
    for without in [Without::Wait, Without::Barrier, Without::LastBarrier] {
        let program = pipelined(without).finish();
        for s in 0..8 {
            let (_, report) = run_words(&program, 1, 64, &words(), seed(s));
            let kinds: Vec<&str> = report.findings.iter().map(|f| f.kind.name()).collect();
            assert!(
                kinds.iter().any(|&kind| kind == "in-flight" || kind == "race"),
                "{kinds:?}"
            );
        }
    }
}

fn wait_for(asm: &mut Asm, barrier: Reg, parity: Reg) {
    let done = asm.reg();
    let zero = asm.constant(0);
    asm.repeat(
        |asm| {
            asynchronous(
                asm,
                AsyncInstr::BarrierTest {
                    barrier,
                    phase: parity,
                    parity: true,
                    done,
                },
            );
            asm.cmp(CmpPred::Eq, done, zero)
        },
        |_| {},
    );
}

/// Thread 0 copies 512 bytes in bulk; all 128 threads wait for them at an mbarrier, reverse them in shared memory, and
/// thread 0 copies them back in bulk.
fn bulk(without: Without) -> Asm {
    let mut asm = Asm::new();
    let base = asm.param();
    asm.shared(528);
    let tid = asm.tid();
    let [zero, one, last, bytes] = [0, 1, 127, 512].map(|c| asm.constant(c));
    let expected = asm.constant(if without == Without::Bytes { 520 } else { 512 });
    let barrier = asm.constant(512);
    let leader = asm.cmp(CmpPred::Eq, tid, zero);
    asm.branch(
        leader,
        |asm| {
            if without != Without::Init {
                asynchronous(asm, AsyncInstr::BarrierInit { barrier, count: one });
            }
            if without != Without::InitFence {
                asm.push(Instr::Fence(Fence::AsyncProxy));
            }
        },
        |_| {},
    );
    asm.push(Instr::Barrier);
    asm.branch(
        leader,
        |asm| {
            asynchronous(
                asm,
                AsyncInstr::BarrierArrive {
                    barrier,
                    count: None,
                    expect: (without != Without::Expect).then_some(expected),
                    state: None,
                },
            );
            asynchronous(
                asm,
                AsyncInstr::BulkLoad {
                    dst: zero,
                    src: base,
                    bytes,
                    barrier,
                },
            );
        },
        |_| {},
    );
    if without != Without::Wait {
        wait_for(&mut asm, barrier, zero);
    }
    let at = asm.at(zero, tid, 4);
    let other = asm.binary(BinaryOp::Sub, last, tid);
    let from = asm.at(zero, other, 4);
    let value = asm.load(Space::Shared, from);
    asm.push(Instr::Barrier);
    asm.store(Space::Shared, at, value);
    if without != Without::ProxyFence {
        asm.push(Instr::Fence(Fence::AsyncProxy));
    }
    if without != Without::Barrier {
        asm.push(Instr::Barrier);
    }
    asm.branch(
        leader,
        |asm| {
            asynchronous(
                asm,
                AsyncInstr::BulkStore {
                    dst: base,
                    src: zero,
                    bytes,
                },
            );
            asynchronous(asm, AsyncInstr::BulkCommit);
            if without != Without::LastBarrier {
                asynchronous(
                    asm,
                    AsyncInstr::BulkWait {
                        pending: 0,
                        read: false,
                    },
                );
            }
        },
        |_| {},
    );
    asm
}

fn kinds_of_bulk(without: Without) -> Vec<Vec<&'static str>> {
    let program = bulk(without).finish();
    let words: Vec<u32> = (0..128).collect();
    let kinds = (0..12).map(|s| {
        let (_, report) = run_words(&program, 1, 128, &words, seed(s));
        report.findings.iter().map(|f| f.kind.name()).collect()
    });
    kinds.collect()
}

fn all_have(without: Without, any: &[&str]) {
    for (seed, kinds) in kinds_of_bulk(without).iter().enumerate() {
        assert!(kinds.iter().any(|kind| any.contains(kind)), "seed {seed}: {kinds:?}");
    }
}

#[test]
fn bulk_copies_and_mbarriers() {
    let words: Vec<u32> = (0..128).collect();
    let out = right(&bulk(Without::Nothing).finish(), 1, 128, &words);
    assert_eq!(out, words.into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn bulk_copies_that_nobody_waits_for() {
    all_have(Without::Wait, &["in-flight", "race"]);
    all_have(Without::LastBarrier, &["asynchronous"]);
    let words = [0; 128];
    let text = wrong(&bulk(Without::LastBarrier).finish(), 1, 128, &words, "asynchronous");
    assert!(
        text.contains("the block may end while the copy still accesses"),
        "{text}"
    );
}

#[test]
fn writes_that_the_async_proxy_does_not_see() {
    all_have(Without::ProxyFence, &["race"]);
    all_have(Without::Barrier, &["race", "in-flight"]);
    all_have(Without::InitFence, &["race"]);
}

#[test]
fn mbarriers_that_nobody_made() {
    all_have(Without::Init, &["asynchronous"]);
}

/// The phase waits for 8 bytes that do not come.
#[test]
fn phases_that_never_end() {
    let text = wrong(&bulk(Without::Bytes).finish(), 1, 128, &[0; 128], "deadlock");
    let reason = "128 thread(s) wait for 0 arrival(s) and 8 byte(s) more at the mbarrier at byte 512 of shared memory at 'op' at k:";
    assert!(text.contains(reason), "{text}");
}

/// The bytes may come before they are expected, but the phase may then be over too early.
#[test]
fn phases_that_end_too_early() {
    all_have(Without::Expect, &["in-flight", "race", "deadlock", "asynchronous"]);
}

/// What belongs to an mbarrier is nobody else's.
#[test]
fn ordinary_accesses_to_mbarriers() {
    let mut asm = Asm::new();
    let _base = asm.param();
    asm.shared(8);
    let [zero, one] = [0, 1].map(|c| asm.constant(c));
    let lane = asm.special(Special::Lane);
    let first = asm.cmp(CmpPred::Eq, lane, zero);
    asm.branch(
        first,
        |asm| {
            asynchronous(
                asm,
                AsyncInstr::BarrierInit {
                    barrier: zero,
                    count: one,
                },
            );
            asm.store(Space::Shared, zero, one);
        },
        |_| {},
    );
    let text = wrong(&asm.finish(), 1, 32, &[0], "mbarrier-access");
    assert!(
        text.contains("writes byte 0 of shared memory, which is part of an mbarrier"),
        "{text}"
    );
}
