//! Faults of asynchronous products.

use mytriton_simt::matrix::{Accumulator, Fragment, Input, Left, MatrixInstr};
use mytriton_simt::program::{Instr, Space, Special};
use mytriton_ssa::{BinaryOp, CmpPred};

use super::wgmma::{Case, Kernel};
use crate::asm::{run_words, seed, wrong};

fn case() -> Case {
    Case::new(16, Input::BF16, Accumulator::F32)
}

fn a_in_registers() -> Case {
    Case { a: None, ..case() }
}

/// A kernel up to the product, which is issued but not committed.
fn issued(case: &Case) -> Kernel {
    let mut kernel = Kernel::new(case, true);
    kernel.asm.matrix(MatrixInstr::WgmmaFence);
    kernel.issue(case);
    kernel
}

fn commit_and_wait(kernel: &mut Kernel, pending: u32) {
    kernel.asm.matrix(MatrixInstr::WgmmaCommit);
    kernel.asm.matrix(MatrixInstr::WgmmaWait { pending });
}

/// The finding of a kind that a kernel has under every schedule.
fn found(kernel: Kernel, kind: &str) -> String {
    wrong(&kernel.asm.finish(), 1, 128, &kernel.words, kind)
}

#[test]
fn results_read_before_the_wait() {
    let mut kernel = issued(&case());
    kernel.asm.matrix(MatrixInstr::WgmmaCommit);
    kernel.use_reg(kernel.d_regs[3]);
    kernel.asm.matrix(MatrixInstr::WgmmaWait { pending: 0 });
    let issue = issued(&case()).asm.here();
    let text = found(kernel, "pending-register");
    let expected = format!(
        "k:{}:1: 'op' of kernel 'k', block (0, 0, 0), thread (0, 0, 0): uses a register that 'op' at k:{issue}:1, block (0, \
         0, 0), thread (0, 0, 0) is still computing; wait for its group first (4 times at this operation)",
        issue + 2
    );
    assert_eq!(text, expected);
}

/// No commit, so that the wait waits for nothing; and a wait for all but the last group.
#[test]
fn waits_that_do_not_cover_the_product() {
    let mut kernel = issued(&case());
    kernel.asm.matrix(MatrixInstr::WgmmaWait { pending: 0 });
    kernel.store_d();
    found(kernel, "pending-register");
    let mut kernel = issued(&case());
    commit_and_wait(&mut kernel, 1);
    kernel.store_d();
    found(kernel, "pending-register");
}

#[test]
fn operands_in_registers_written_before_the_wait() {
    let mut kernel = issued(&a_in_registers());
    kernel.asm.matrix(MatrixInstr::WgmmaCommit);
    let dst = kernel.a_regs[2];
    kernel.asm.push(Instr::Const { dst, bits: 0 });
    kernel.asm.matrix(MatrixInstr::WgmmaWait { pending: 0 });
    found(kernel, "pending-register");
}

/// A result as the next product's operand; a product of another shape on the same registers.
#[test]
fn products_that_do_not_go_together() {
    let mut kernel = issued(&a_in_registers());
    let regs: Vec<_> = kernel.d_regs[..4].to_vec();
    let list = kernel.asm.list(&regs);
    kernel.a = Left::Registers(Fragment { regs: list, bits: 32 });
    let others: Vec<_> = (0..8).map(|_| kernel.asm.constant(0)).collect();
    kernel.asm.matrix(MatrixInstr::WgmmaFence);
    let wgmma = kernel.product(&a_in_registers(), &others, &others);
    kernel.asm.matrix(MatrixInstr::Wgmma(wgmma));
    commit_and_wait(&mut kernel, 0);
    found(kernel, "pending-register");

    let mut kernel = issued(&case());
    let half: Vec<_> = kernel.d_regs[..4].to_vec();
    let narrow = Case { n: 8, ..case() };
    let wgmma = kernel.product(&narrow, &half, &half);
    kernel.asm.matrix(MatrixInstr::Wgmma(wgmma));
    commit_and_wait(&mut kernel, 0);
    found(kernel, "pending-register");
}

/// Whether it is still in flight or has completed: nobody waited, so that nothing orders the two.
#[test]
fn stores_to_what_the_product_reads() {
    for byte in [0, 64 * 32] {
        let mut kernel = issued(&case());
        kernel.asm.matrix(MatrixInstr::WgmmaCommit);
        let at = kernel.asm.constant(byte);
        kernel.asm.store(Space::Shared, at, at);
        kernel.asm.matrix(MatrixInstr::WgmmaWait { pending: 0 });
        let program = kernel.asm.finish();
        for s in 0..8 {
            let (_, report) = run_words(&program, 1, 128, &kernel.words, seed(s));
            let kinds: Vec<_> = report.findings.iter().map(|finding| finding.kind.name()).collect();
            assert!(kinds.contains(&"in-flight") || kinds.contains(&"race"), "{kinds:?}");
        }
    }
    // After wait and barrier it is nobody's.
    let mut kernel = issued(&case());
    commit_and_wait(&mut kernel, 0);
    kernel.asm.push(Instr::Barrier);
    let zero = kernel.asm.constant(0);
    let at = kernel.asm.own(zero, 0, 4);
    kernel.asm.store(Space::Shared, at, at);
    let (_, report) = run_words(&kernel.asm.finish(), 1, 128, &kernel.words, seed(0));
    assert_eq!(report.findings, []);
}

#[test]
fn writes_that_the_async_proxy_does_not_see() {
    let mut kernel = Kernel::new(&case(), false);
    kernel.asm.matrix(MatrixInstr::WgmmaFence);
    kernel.issue(&case());
    commit_and_wait(&mut kernel, 0);
    found(kernel, "race");
}

#[test]
fn registers_without_a_fence() {
    let message = "a wgmma on registers that were used since the last wgmma.fence";
    for case in [case(), a_in_registers()] {
        let mut kernel = Kernel::new(&case, true);
        kernel.issue(&case);
        commit_and_wait(&mut kernel, 0);
        let text = found(kernel, "asynchronous");
        assert!(text.contains(message), "{text}");
    }
    // A fence, but D is used after it.
    let mut kernel = Kernel::new(&case(), true);
    kernel.asm.matrix(MatrixInstr::WgmmaFence);
    kernel.use_reg(kernel.d_regs[7]);
    kernel.issue(&case());
    commit_and_wait(&mut kernel, 0);
    assert!(found(kernel, "asynchronous").contains(message));
}

#[test]
fn products_that_nobody_waits_for() {
    let mut kernel = issued(&case());
    kernel.asm.matrix(MatrixInstr::WgmmaCommit);
    let text = found(kernel, "asynchronous");
    assert!(
        text.contains("the block may end while the wgmma still reads its shared memory"),
        "{text}"
    );
}

/// Half of each warp; three of the four warps; a block that has no whole group.
#[test]
fn products_without_all_threads() {
    for (special, limit, message) in [
        (Special::Lane, 16, "lanes 0xffff0000 of the mask do not take part"),
        (
            Special::Warp,
            3,
            "a wgmma that only some warps of the group come to, not warp(s) 3",
        ),
    ] {
        let mut kernel = Kernel::new(&case(), true);
        let d = kernel.d_regs.clone();
        let wgmma = kernel.product(&case(), &d, &d);
        let number = kernel.asm.special(special);
        let limit = kernel.asm.constant(limit);
        let cond = kernel.asm.cmp(CmpPred::LtU, number, limit);
        kernel.asm.matrix(MatrixInstr::WgmmaFence);
        kernel
            .asm
            .branch(cond, |asm| asm.matrix(MatrixInstr::Wgmma(wgmma)), |_| {});
        commit_and_wait(&mut kernel, 0);
        let text = found(kernel, "divergent-collective");
        assert!(text.contains(message), "{text}");
    }
    let mut kernel = issued(&case());
    commit_and_wait(&mut kernel, 0);
    let text = wrong(&kernel.asm.finish(), 1, 64, &kernel.words, "asynchronous");
    assert!(text.contains("a warp that has no warp group"), "{text}");
}

/// Warps are named by their numbers in the block.
#[test]
fn warps_of_the_second_group_that_do_not_come() {
    let mut kernel = Kernel::new(&case(), true);
    let d = kernel.d_regs.clone();
    let wgmma = kernel.product(&case(), &d, &d);
    let warp = kernel.asm.special(Special::Warp);
    let limit = kernel.asm.constant(6);
    let cond = kernel.asm.cmp(CmpPred::LtU, warp, limit);
    kernel.asm.matrix(MatrixInstr::WgmmaFence);
    kernel
        .asm
        .branch(cond, |asm| asm.matrix(MatrixInstr::Wgmma(wgmma)), |_| {});
    commit_and_wait(&mut kernel, 0);
    let text = wrong(&kernel.asm.finish(), 1, 256, &kernel.words, "divergent-collective");
    assert!(text.contains("not warp(s) 6, 7"), "{text}");
    // By the first that came.
    assert!(text.contains("thread (128, 0, 0)"), "{text}");
}

/// By warp, and by lane.
#[test]
fn descriptors_that_differ() {
    for (special, kind, message) in [
        (
            Special::Warp,
            "divergent-collective",
            "the warps of a warp group give a wgmma different descriptors",
        ),
        (
            Special::Lane,
            "asynchronous",
            "the lanes of the warp have different descriptors of matrix B",
        ),
    ] {
        let mut kernel = Kernel::new(&case(), true);
        let number = kernel.asm.special(special);
        kernel.descriptors[1] = kernel.asm.binary(BinaryOp::Sub, kernel.descriptors[1], number);
        kernel.asm.matrix(MatrixInstr::WgmmaFence);
        kernel.issue(&case());
        commit_and_wait(&mut kernel, 0);
        let text = found(kernel, kind);
        assert!(text.contains(message), "{text}");
    }
}

/// An address that was not shifted, and one behind the end.
#[test]
fn descriptors_of_no_matrix() {
    let with = |change: u64| {
        let mut kernel = Kernel::new(&case(), true);
        let by = kernel.asm.constant(change);
        kernel.descriptors[1] = kernel.asm.binary(BinaryOp::Add, kernel.descriptors[1], by);
        kernel.asm.matrix(MatrixInstr::WgmmaFence);
        kernel.issue(&case());
        commit_and_wait(&mut kernel, 0);
        kernel
    };
    let text = found(with(1 << 14), "asynchronous");
    assert!(text.contains("of matrix B has bits set that mean nothing"), "{text}");
    let shared = with(0).shared as u64;
    let text = found(with(shared >> 4), "out-of-bounds");
    assert!(
        text.contains(&format!("of shared memory, which has {shared}")),
        "{text}"
    );
}

/// Warps behind the last whole group have none.
#[test]
fn products_of_warps_without_a_group() {
    for (threads, finds) in [(128, false), (96, true), (160, true), (224, true)] {
        let mut kernel = issued(&case());
        commit_and_wait(&mut kernel, 0);
        let (_, report) = run_words(&kernel.asm.finish(), 1, threads, &kernel.words, seed(0));
        let texts = report.findings.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            texts.iter().any(|text| text.contains("has no warp group")),
            finds,
            "{threads}: {texts:?}"
        );
    }
}
