//! Lanes that go different ways.

use mytriton_simt::program::{Instr, Space, Special};
use mytriton_ssa::{BinaryOp, CmpPred};

use crate::asm::{Asm, right};

/// Threads of the tests: two warps and a part of one.
const THREADS: u32 = 77;

fn store_at_tid(asm: &mut Asm, base: u32, tid: u32, value: u32) {
    let at = asm.at(base, tid, 4);
    asm.store(Space::Global, at, value);
}

#[test]
fn arms_of_a_branch_within_arms() {
    let mut asm = Asm::new();
    let base = asm.param();
    let tid = asm.tid();
    let result = asm.reg();
    let (one, two) = (asm.constant(1), asm.constant(2));
    let odd = asm.binary(BinaryOp::And, tid, one);
    let ten = asm.constant(10);
    let small = asm.cmp(CmpPred::Lt, tid, ten);
    asm.branch(
        odd,
        |asm| {
            asm.branch(
                small,
                |asm| {
                    let src = asm.binary(BinaryOp::Mul, tid, ten);
                    asm.push(Instr::Move { dst: result, src });
                },
                |asm| {
                    asm.push(Instr::Move { dst: result, src: one });
                },
            );
        },
        |asm| {
            let src = asm.binary(BinaryOp::Add, tid, two);
            asm.push(Instr::Move { dst: result, src });
        },
    );
    store_at_tid(&mut asm, base, tid, result);
    let out = right(&asm.finish(), 1, THREADS, &[0; THREADS as usize]);
    let expected = (0..THREADS).map(|t| match (t % 2 == 1, t < 10) {
        (true, true) => 10 * t,
        (true, false) => 1,
        (false, _) => t + 2,
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

/// Lane t runs t iterations, within which every iteration runs as many again of an inner loop.
#[test]
fn lanes_leave_loops_one_after_another() {
    let mut asm = Asm::new();
    let base = asm.param();
    let tid = asm.tid();
    let (zero, one) = (asm.constant(0), asm.constant(1));
    let (i, j, sum) = (asm.reg(), asm.reg(), asm.reg());
    asm.push(Instr::Move { dst: i, src: zero });
    asm.push(Instr::Move { dst: sum, src: zero });
    asm.repeat(
        |asm| asm.cmp(CmpPred::Lt, i, tid),
        |asm| {
            asm.push(Instr::Move { dst: j, src: zero });
            asm.repeat(
                |asm| asm.cmp(CmpPred::Lt, j, i),
                |asm| {
                    let src = asm.binary(BinaryOp::Add, sum, j);
                    asm.push(Instr::Move { dst: sum, src });
                    let src = asm.binary(BinaryOp::Add, j, one);
                    asm.push(Instr::Move { dst: j, src });
                },
            );
            let src = asm.binary(BinaryOp::Add, i, one);
            asm.push(Instr::Move { dst: i, src });
        },
    );
    store_at_tid(&mut asm, base, tid, sum);
    let out = right(&asm.finish(), 1, THREADS, &[0; THREADS as usize]);
    let expected = (0..THREADS).map(|t| (0..t).map(|i| (0..i).sum::<u32>()).sum());
    assert_eq!(out, expected.collect::<Vec<u32>>());
}

/// Registers are few however long the code is, and what is alive across a loop survives it.
#[test]
fn registers_are_shared_by_what_is_not_alive_together() {
    let mut asm = Asm::new();
    let base = asm.param();
    let tid = asm.tid();
    let (zero, one, five) = (asm.constant(0), asm.constant(1), asm.constant(5));
    let kept = asm.binary(BinaryOp::Add, tid, five);
    let (i, x) = (asm.reg(), asm.reg());
    asm.push(Instr::Move { dst: i, src: zero });
    asm.push(Instr::Move { dst: x, src: tid });
    asm.repeat(
        |asm| asm.cmp(CmpPred::Lt, i, five),
        |asm| {
            for _ in 0..200 {
                let src = asm.binary(BinaryOp::Xor, x, kept);
                let src = asm.binary(BinaryOp::Add, src, one);
                asm.push(Instr::Move { dst: x, src });
            }
            let src = asm.binary(BinaryOp::Add, i, one);
            asm.push(Instr::Move { dst: i, src });
        },
    );
    store_at_tid(&mut asm, base, tid, x);
    let program = asm.finish();
    assert!(program.registers < 20, "{}", program.registers);
    let out = right(&program, 1, THREADS, &[0; THREADS as usize]);
    let expected = (0..THREADS).map(|t| (0..1000).fold(t, |x, _| (x ^ (t + 5)) + 1));
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[test]
fn positions_in_grid_and_block() {
    let mut asm = Asm::new();
    let base = asm.param();
    let (tid, block, dim) = (
        asm.tid(),
        asm.special(Special::BlockId(0)),
        asm.special(Special::BlockDim(0)),
    );
    let (lane, warp) = (asm.special(Special::Lane), asm.special(Special::Warp));
    let first = asm.binary(BinaryOp::Mul, block, dim);
    let number = asm.binary(BinaryOp::Add, first, tid);
    let hundred = asm.constant(100);
    let value = asm.binary(BinaryOp::Mul, warp, hundred);
    let value = asm.binary(BinaryOp::Add, value, lane);
    store_at_tid(&mut asm, base, number, value);
    let out = right(&asm.finish(), 3, 40, &[0; 120]);
    let expected = (0..120).map(|n| (n % 40) / 32 * 100 + (n % 40) % 32);
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[test]
fn a_grid_without_blocks_does_nothing() {
    let mut asm = Asm::new();
    let base = asm.param();
    let tid = asm.tid();
    store_at_tid(&mut asm, base, tid, tid);
    assert_eq!(right(&asm.finish(), 0, THREADS, &[9; 77]), [9; 77]);
}
