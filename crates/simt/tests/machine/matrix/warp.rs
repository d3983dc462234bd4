//! "mma.sync", "ldmatrix" and "stmatrix".

use mytriton_layout::DistributedLayout;
use mytriton_simt::Options;
use mytriton_simt::matrix::{Accumulator, Fragment, Input, MatrixInstr, Mma};
use mytriton_simt::program::{Instr, Space, Special};
use mytriton_ssa::{BinaryOp, CmpPred};

use super::{Matrix, a, b, bits, bits_of_sum, c, pack, product, sum};
use crate::asm::{Asm, right, run_words, seed, wrong};

/// The elements of a matrix that lie in a lane, in order.
fn share(layout: &DistributedLayout, lane: u32, count: usize, of: impl Fn(usize, usize) -> u32) -> Vec<u32> {
    let at = |index: u32| layout.coords(index, lane, 0);
    (0..count as u32)
        .map(|index| of(at(index)[0] as usize, at(index)[1] as usize))
        .collect()
}

/// Each lane's words, one lane after another.
fn shares(layout: &DistributedLayout, count: usize, width: u32, of: impl Fn(usize, usize) -> u32) -> Vec<u32> {
    (0..32)
        .flat_map(|lane| pack(&share(layout, lane, count, &of), width))
        .collect()
}

fn check_mma(k: usize, inputs: [Input; 2], accumulator: Accumulator) {
    let [left, right_type] = inputs;
    let per_word = 32 / left.bits();
    let (ma, mb, mc) = (a(16, k, left), b(k, 8, right_type), c(16, 8));
    let la = DistributedLayout::mma_operand_a([16, k as u32], [1, 1], per_word).unwrap();
    let lb = DistributedLayout::mma_operand_b([k as u32, 8], [1, 1], per_word).unwrap();
    let ld = DistributedLayout::mma_accumulator([16, 8], [1, 1]).unwrap();
    let mut words = shares(&la, k / 2, left.bits(), |i, k| bits(left, ma[i][k]));
    words.extend(shares(&lb, k / 4, left.bits(), |k, j| bits(right_type, mb[k][j])));
    let width = accumulator.bits();
    words.extend(shares(&ld, 4, width, |i, j| bits_of_sum(accumulator, mc[i][j])));
    let (in_a, in_b) = (k / 2 / per_word as usize, k / 4 / per_word as usize);
    let in_d = 4 * width as usize / 32;
    let inputs_end = words.len();
    words.extend(vec![0; 32 * in_d]);

    let mut asm = Asm::new();
    let base = asm.param();
    let mut offset = 0;
    let mut fragment = |asm: &mut Asm, count: usize| {
        let regs = asm.load_own(base, offset, count);
        offset += 32 * 4 * count as u64;
        let regs = asm.list(&regs);
        Fragment { regs, bits: 32 }
    };
    let (a, b, c) = (
        fragment(&mut asm, in_a),
        fragment(&mut asm, in_b),
        fragment(&mut asm, in_d),
    );
    let results: Vec<_> = (0..in_d).map(|_| asm.reg()).collect();
    let d = Fragment {
        regs: asm.list(&results),
        bits: 32,
    };
    let mma = Mma {
        k: k as u16,
        inputs,
        accumulator,
        saturate: false,
        d,
        a,
        b,
        c,
    };
    assert_eq!(mma.check(), Ok(()));
    asm.matrix(MatrixInstr::Mma(mma));
    asm.store_own(base, 4 * inputs_end as u64, &results);
    let out = right(&asm.finish(), 1, 32, &words);
    let expected = sum(&product(&ma, &mb), &mc);
    let expected = shares(&ld, 4, width, |i, j| bits_of_sum(accumulator, expected[i][j]));
    assert_eq!(out[inputs_end..], expected, "k {k} of {inputs:?} to {accumulator:?}");
}

#[test]
fn products_of_a_warp() {
    use Accumulator::{F16, F32, S32};
    for (k, input, accumulator) in [
        (16, Input::F16, F32),
        (16, Input::F16, F16),
        (8, Input::F16, F32),
        (8, Input::F16, F16),
        (16, Input::BF16, F32),
        (8, Input::BF16, F32),
        (8, Input::TF32, F32),
        (4, Input::TF32, F32),
        (32, Input::S8, S32),
        (16, Input::S8, S32),
        (32, Input::U8, S32),
        (32, Input::E4M3, F32),
        (32, Input::E5M2, F32),
        (32, Input::E4M3, F16),
    ] {
        check_mma(k, [input; 2], accumulator);
    }
    check_mma(32, [Input::U8, Input::S8], S32);
    check_mma(32, [Input::S8, Input::U8], S32);
    check_mma(32, [Input::E5M2, Input::E4M3], F32);
}

/// Copies so many 8x8 matrices by "ldmatrix" and "stmatrix", each transposed or not. Rows of a matrix are 48 bytes apart.
fn copy(count: usize, transpose: [bool; 2]) -> Asm {
    let mut asm = Asm::new();
    let base = asm.param();
    let bytes = 8 * 48 * 4;
    asm.shared(2 * bytes as u32);
    // 16 bytes of each row.
    let lane = asm.special(Special::Lane);
    let row = asm.own(base, 0, 16);
    let words: Vec<_> = (0..4)
        .map(|word| {
            let by = asm.constant(4 * word);
            let at = asm.binary(BinaryOp::Add, row, by);
            asm.load(Space::Global, at)
        })
        .collect();
    let zero = asm.constant(0);
    let to = asm.at(zero, lane, 48);
    for (word, &value) in words.iter().enumerate() {
        let by = asm.constant(4 * word as u64);
        let at = asm.binary(BinaryOp::Add, to, by);
        asm.store(Space::Shared, at, value);
    }
    let all = asm.constant(u32::MAX.into());
    asm.push(Instr::WarpBarrier { mask: all });
    let regs: Vec<_> = (0..count).map(|_| asm.reg()).collect();
    let list = asm.list(&regs);
    asm.matrix(MatrixInstr::Load {
        dst: list,
        address: to,
        transpose: transpose[0],
    });
    let second = asm.constant(bytes);
    let other = asm.at(second, lane, 48);
    asm.matrix(MatrixInstr::Store {
        src: list,
        address: other,
        transpose: transpose[1],
    });
    asm.push(Instr::WarpBarrier { mask: all });
    let few = asm.constant(8 * count as u64);
    let written = asm.cmp(CmpPred::LtU, lane, few);
    asm.branch(
        written,
        |asm| {
            for word in 0..4 {
                let by = asm.constant(4 * word);
                let at = asm.binary(BinaryOp::Add, other, by);
                let value = asm.load(Space::Shared, at);
                let out = asm.own(base, 512 + 4 * word, 16);
                asm.store(Space::Global, out, value);
            }
        },
        |_| {},
    );
    asm
}

#[test]
fn matrices_to_registers_and_back() {
    let element = |matrix: usize, row: usize, column: usize| (matrix * 1000 + row * 37 + column * 5) as u32;
    let image = |matrices: usize, transposed: bool| -> Vec<u32> {
        let rows = (0..matrices).flat_map(|matrix| (0..8).map(move |row| (matrix, row)));
        let elements = rows.flat_map(|(matrix, row)| {
            (0..8).map(move |column| match transposed {
                false => element(matrix, row, column),
                true => element(matrix, column, row),
            })
        });
        pack(&elements.collect::<Vec<_>>(), 16)
    };
    for count in [1, 2, 4] {
        for transpose in [[false, false], [true, false], [false, true], [true, true]] {
            let mut words = image(4, false);
            words.extend([0; 128]);
            let out = right(&copy(count, transpose).finish(), 1, 32, &words);
            let expected = image(count, transpose[0] != transpose[1]);
            assert_eq!(out[128..][..expected.len()], expected, "{count} {transpose:?}");
            assert!(out[128 + expected.len()..].iter().all(|&word| word == 0));
        }
    }
}

/// Rows 48 bytes apart lie in different banks.
#[test]
fn accesses_of_matrices_are_counted() {
    let options = Options {
        count_accesses: true,
        ..seed(0)
    };
    let (_, report) = run_words(&copy(4, [false; 2]).finish(), 1, 32, &[1; 256], options);
    let wide = report
        .accesses
        .iter()
        .filter(|count| count.bytes == 16 && count.space == Space::Shared);
    let wide: Vec<_> = wide
        .map(|count| (count.store, count.lanes, count.transactions, count.excess()))
        .collect();
    assert_eq!(wide, [(false, 32, 4, 0), (true, 32, 4, 0)]);
}

/// The words of a lane are those that "mma.sync" wants: four matrices are an A operand of 16-bit elements.
#[test]
fn matrices_are_operands() {
    let a: Matrix = a(16, 16, Input::F16);
    let rows = |i: usize, k: usize| (0..8).flat_map(move |row| (0..8).map(move |column| (i + row, k + column)));
    // In the order of the instruction's operand: below first, then to the right.
    let order = [(0, 0), (8, 0), (0, 8), (8, 8)];
    let elements: Vec<u32> = order
        .into_iter()
        .flat_map(|(i, k)| rows(i, k))
        .map(|(i, k)| bits(Input::F16, a[i][k]))
        .collect();
    let mut words = pack(&elements, 16);
    words.extend([0; 128]);
    let mut asm = Asm::new();
    let base = asm.param();
    asm.shared(512);
    let values = asm.load_own(base, 0, 4);
    let zero = asm.constant(0);
    let lane = asm.special(Special::Lane);
    let to = asm.at(zero, lane, 16);
    let src = asm.list(&values);
    asm.push(Instr::Store {
        space: Space::Shared,
        bytes: 4,
        src,
        address: to,
        guard: None,
    });
    let regs: Vec<_> = (0..4).map(|_| asm.reg()).collect();
    let dst = asm.list(&regs);
    asm.matrix(MatrixInstr::Load {
        dst,
        address: to,
        transpose: false,
    });
    asm.store_own(base, 512, &regs);
    let out = right(&asm.finish(), 1, 32, &words);
    let layout = DistributedLayout::mma_operand_a([16, 16], [1, 1], 2).unwrap();
    assert_eq!(out[128..], shares(&layout, 8, 16, |i, k| bits(Input::F16, a[i][k])));
}

/// Half of the warp, rows that are not aligned, rows outside of shared memory, rows of other lanes without a barrier.
#[test]
fn faults_of_matrices() {
    let load = |shared: u32, scale: u64, first: u64, few: bool| {
        let mut asm = Asm::new();
        let _base = asm.param();
        asm.shared(shared);
        let lane = asm.special(Special::Lane);
        let first = asm.constant(first);
        let address = asm.at(first, lane, scale);
        let value = asm.constant(7);
        let zero = asm.constant(0);
        let dst = asm.reg();
        let dst = asm.list(&[dst]);
        let own = asm.at(zero, lane, 4);
        asm.store(Space::Shared, own, value);
        if few {
            let sixteen = asm.constant(16);
            let cond = asm.cmp(CmpPred::LtU, lane, sixteen);
            asm.branch(
                cond,
                |asm| {
                    asm.matrix(MatrixInstr::Load {
                        dst,
                        address,
                        transpose: false,
                    });
                },
                |_| {},
            );
        } else {
            asm.matrix(MatrixInstr::Load {
                dst,
                address,
                transpose: false,
            });
        }
        asm.finish()
    };
    let text = wrong(&load(128, 16, 0, true), 1, 32, &[0], "divergent-collective");
    assert!(text.contains("lanes 0xffff0000 of the mask do not take part"), "{text}");
    let text = wrong(&load(192, 16, 8, false), 1, 32, &[0], "misaligned");
    assert!(
        text.contains("reads 16 bytes at once at byte 8 of shared memory"),
        "{text}"
    );
    let text = wrong(&load(128, 32, 0, false), 1, 32, &[0], "out-of-bounds");
    assert!(
        text.contains("reads 16 bytes at byte 128 of shared memory, which has 128"),
        "{text}"
    );
    wrong(&load(128, 16, 0, false), 1, 32, &[0], "race");
}
