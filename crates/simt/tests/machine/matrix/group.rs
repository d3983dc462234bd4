//! Products of warp groups that are right.

use mytriton_layout::HardwareSwizzle;
use mytriton_simt::matrix::{Accumulator, Input, MatrixInstr};
use mytriton_simt::program::{Instr, Reg};
use mytriton_ssa::{BinaryOp, CmpPred, Scalar};

use super::wgmma::{Case, Kernel, Lie, PLAIN, shares_of_d};
use super::{Matrix, matrix, product, sum};
use crate::asm::{Asm, right};

fn expected(case: &Case) -> Matrix {
    let (a, b, c) = case.matrices();
    let sign = if case.negate[0] == case.negate[1] { 1 } else { -1 };
    let product = product(&a, &b);
    let product = matrix(64, case.n, |i, j| sign * product[i as usize][j as usize]);
    if case.adds { sum(&product, &c) } else { product }
}

fn check(case: &Case) {
    let mut kernel = Kernel::new(case, true);
    kernel.asm.matrix(MatrixInstr::WgmmaFence);
    kernel.issue(case);
    kernel.asm.matrix(MatrixInstr::WgmmaCommit);
    kernel.asm.matrix(MatrixInstr::WgmmaWait { pending: 0 });
    let at = kernel.store_d();
    let out = right(&kernel.asm.finish(), 1, 128, &kernel.words);
    assert!(out[at..] == shares_of_d(case, &expected(case)), "{case:?}");
}

#[test]
fn every_type() {
    use Accumulator::{F16, F32, S32};
    for (n, input, accumulator) in [
        (8, Input::F16, F32),
        (64, Input::BF16, F32),
        (16, Input::TF32, F32),
        (32, Input::E4M3, F32),
        (8, Input::E5M2, F32),
        (32, Input::S8, S32),
        (24, Input::U8, S32),
        (16, Input::F16, F16),
        (8, Input::E4M3, F16),
    ] {
        check(&Case::new(n, input, accumulator));
        let in_registers = Case {
            a: None,
            ..Case::new(n, input, accumulator)
        };
        check(&in_registers);
    }
    let mixed = Case {
        inputs: [Input::E5M2, Input::E4M3],
        ..Case::new(24, Input::E5M2, F32)
    };
    check(&mixed);
    let mixed = Case {
        inputs: [Input::U8, Input::S8],
        ..Case::new(48, Input::U8, S32)
    };
    check(&mixed);
}

#[test]
fn every_n() {
    for n in [24, 40, 96, 136, 256] {
        check(&Case::new(n, Input::BF16, Accumulator::F32));
    }
}

fn lies(transposed: bool) -> impl Iterator<Item = Lie> {
    let swizzles = [
        None,
        Some(HardwareSwizzle::B32),
        Some(HardwareSwizzle::B64),
        Some(HardwareSwizzle::B128),
    ];
    swizzles.into_iter().map(move |swizzle| Lie { swizzle, transposed })
}

#[test]
fn every_swizzle_of_both_operands() {
    for (n, input, accumulator) in [
        (64, Input::F16, Accumulator::F32),
        (32, Input::TF32, Accumulator::F32),
        (32, Input::S8, Accumulator::S32),
    ] {
        for lie in lies(false) {
            let case = Case::new(n, input, accumulator);
            check(&Case {
                a: Some(lie),
                ..case.clone()
            });
            check(&Case { b: lie, ..case });
        }
    }
}

#[test]
fn every_swizzle_of_transposed_operands() {
    for lie in lies(true) {
        let case = Case::new(128, Input::BF16, Accumulator::F32);
        check(&Case {
            a: Some(lie),
            n: 8,
            ..case.clone()
        });
        check(&Case { b: lie, ..case.clone() });
        check(&Case {
            a: Some(lie),
            b: lie,
            ..case
        });
    }
}

#[test]
fn signs_and_scale_d() {
    for negate in [[true, false], [false, true], [true, true]] {
        for adds in [true, false] {
            let case = Case::new(16, Input::F16, Accumulator::F32);
            check(&Case { negate, adds, ..case });
        }
    }
}

/// Four products in a loop that add to one D, each waited for while the next is in flight, with more to do in between.
#[test]
fn sums_in_a_loop() {
    let case = Case::new(32, Input::BF16, Accumulator::F32);
    let mut kernel = Kernel::new(&case, true);
    let wgmma = {
        let d = kernel.d_regs.clone();
        kernel.product(&case, &d, &d)
    };
    let [zero, one, rounds] = [0, 1, 4].map(|c| kernel.asm.constant(c));
    let count = kernel.asm.reg();
    kernel.asm.push(Instr::Move { dst: count, src: zero });
    kernel.asm.matrix(MatrixInstr::WgmmaFence);
    kernel.asm.repeat(
        |asm| asm.cmp(CmpPred::LtU, count, rounds),
        |asm| {
            asm.matrix(MatrixInstr::Wgmma(wgmma));
            asm.matrix(MatrixInstr::WgmmaCommit);
            // Values of a round, which must not get registers of the product.
            let mut value = count;
            for _ in 0..40 {
                value = asm.binary(BinaryOp::Add, value, one);
            }
            asm.matrix(MatrixInstr::WgmmaWait { pending: 1 });
            asm.push(Instr::Binary {
                op: BinaryOp::Add,
                ty: Scalar::I64,
                dst: count,
                a: count,
                b: one,
            });
        },
    );
    kernel.asm.matrix(MatrixInstr::WgmmaWait { pending: 0 });
    let at = kernel.store_d();
    let out = right(&kernel.asm.finish(), 1, 128, &kernel.words);
    let (a, b, c) = case.matrices();
    let once = product(&a, &b);
    let expected = matrix(64, 32, |i, j| {
        4 * once[i as usize][j as usize] + c[i as usize][j as usize]
    });
    assert!(out[at..] == shares_of_d(&case, &expected));
}

/// As it is decoded: results are values of their own, and what the loop carries is moved at its end, while it is pending.
#[test]
fn sums_that_a_loop_carries() {
    let case = Case::new(16, Input::BF16, Accumulator::F32);
    let mut kernel = Kernel::new(&case, true);
    let carried: Vec<Reg> = (0..8).map(|_| kernel.asm.reg()).collect();
    let results: [Vec<Reg>; 2] = [0, 1].map(|_| (0..8).map(|_| kernel.asm.reg()).collect());
    let first = kernel.product(&case, &carried, &results[0]);
    let second = kernel.product(&case, &results[0], &results[1]);
    let [zero, one, rounds] = [0, 1, 3].map(|c| kernel.asm.constant(c));
    let count = kernel.asm.reg();
    let move_all = |asm: &mut Asm, to: &[Reg], from: &[Reg]| {
        for (&dst, &src) in to.iter().zip(from) {
            asm.push(Instr::Move { dst, src });
        }
    };
    kernel.asm.push(Instr::Move { dst: count, src: zero });
    move_all(&mut kernel.asm, &carried, &kernel.d_regs);
    kernel.asm.matrix(MatrixInstr::WgmmaFence);
    kernel.asm.repeat(
        |asm| asm.cmp(CmpPred::LtU, count, rounds),
        |asm| {
            for wgmma in [first, second] {
                asm.matrix(MatrixInstr::Wgmma(wgmma));
                asm.matrix(MatrixInstr::WgmmaCommit);
            }
            asm.matrix(MatrixInstr::WgmmaWait { pending: 1 });
            move_all(asm, &carried, &results[1]);
            let next = asm.binary(BinaryOp::Add, count, one);
            asm.push(Instr::Move { dst: count, src: next });
        },
    );
    kernel.asm.matrix(MatrixInstr::WgmmaWait { pending: 0 });
    // C is wanted once more, so that it cannot be what the loop carries.
    let added: Vec<Reg> = carried.iter().map(|_| kernel.asm.reg()).collect();
    for ((&dst, &a), &b) in added.iter().zip(&carried).zip(&kernel.d_regs) {
        kernel.asm.push(Instr::Binary {
            op: BinaryOp::Add,
            ty: Scalar::F32,
            dst,
            a,
            b,
        });
    }
    kernel.d_regs = added;
    let at = kernel.store_d();
    let out = right(&kernel.asm.finish(), 1, 128, &kernel.words);
    let (a, b, c) = case.matrices();
    let once = product(&a, &b);
    let expected = matrix(64, 16, |i, j| {
        6 * once[i as usize][j as usize] + 2 * c[i as usize][j as usize]
    });
    assert!(out[at..] == shares_of_d(&case, &expected));
}

/// A D that nobody reads keeps its registers until the wait, although other values want some.
#[test]
fn registers_of_results_that_nobody_reads() {
    let case = Case {
        a: None,
        ..Case::new(16, Input::BF16, Accumulator::F32)
    };
    let mut kernel = Kernel::new(&case, true);
    kernel.asm.matrix(MatrixInstr::WgmmaFence);
    let d: Vec<Reg> = (0..8).map(|_| kernel.asm.reg()).collect();
    let c = kernel.d_regs.clone();
    // D is not C: the numbers of C stay.
    let wgmma = kernel.product(&case, &c, &d);
    kernel.asm.matrix(MatrixInstr::Wgmma(wgmma));
    kernel.asm.matrix(MatrixInstr::WgmmaCommit);
    let one = kernel.asm.constant(1);
    let others: Vec<_> = (0..40).map(|_| kernel.asm.binary(BinaryOp::Add, one, one)).collect();
    for pair in others.windows(2) {
        kernel.asm.binary(BinaryOp::Add, pair[0], pair[1]);
    }
    kernel.asm.matrix(MatrixInstr::WgmmaWait { pending: 0 });
    let at = kernel.store_d();
    let out = right(&kernel.asm.finish(), 1, 128, &kernel.words);
    assert!(out[at..] == shares_of_d(&case, &case.matrices().2));
}

/// Where the numbers of C are wanted afterwards, the result has registers of its own, which begin with them.
#[test]
fn results_in_other_registers_than_c() {
    let case = Case::new(16, Input::BF16, Accumulator::F32);
    let mut kernel = Kernel::new(&case, true);
    kernel.asm.matrix(MatrixInstr::WgmmaFence);
    let d: Vec<Reg> = (0..8).map(|_| kernel.asm.reg()).collect();
    let c = kernel.d_regs.clone();
    let wgmma = kernel.product(&case, &c, &d);
    kernel.asm.matrix(MatrixInstr::Wgmma(wgmma));
    kernel.asm.matrix(MatrixInstr::WgmmaCommit);
    kernel.asm.matrix(MatrixInstr::WgmmaWait { pending: 0 });
    let c_at = kernel.store_d();
    kernel.d_regs = d;
    let d_at = kernel.store_d();
    let out = right(&kernel.asm.finish(), 1, 128, &kernel.words);
    assert!(out[c_at..d_at] == shares_of_d(&case, &case.matrices().2));
    assert!(out[d_at..] == shares_of_d(&case, &expected(&case)));
}

/// Two products in flight at once, of two warp groups that do the same, down to what they store.
#[test]
fn two_products_of_two_warp_groups() {
    let case = Case {
        b: Lie {
            swizzle: Some(HardwareSwizzle::B128),
            ..PLAIN
        },
        ..Case::new(8, Input::BF16, Accumulator::F32)
    };
    let mut kernel = Kernel::new(&case, true);
    kernel.asm.matrix(MatrixInstr::WgmmaFence);
    for _ in 0..2 {
        kernel.issue(&case);
        kernel.asm.matrix(MatrixInstr::WgmmaCommit);
    }
    kernel.asm.matrix(MatrixInstr::WgmmaWait { pending: 0 });
    let at = kernel.store_d();
    let out = right(&kernel.asm.finish(), 1, 256, &kernel.words);
    let (a, b, c) = case.matrices();
    let twice = sum(&product(&a, &b), &product(&a, &b));
    assert!(out[at..] == shares_of_d(&case, &sum(&twice, &c)));
}
