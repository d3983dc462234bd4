//! Matrix instructions against products computed as they are defined, and their faults planted and found.

mod faults;
mod group;
mod warp;
mod wgmma;

use half::{bf16, f16};
use mytriton_simt::matrix::{Accumulator, Input, MatrixInstr};
use mytriton_simt::program::{Instr, Reg, Regs, Space};
use mytriton_ssa::BinaryOp;

use crate::asm::Asm;

/// A matrix of small integers.
type Matrix = Vec<Vec<i32>>;

fn matrix(rows: usize, columns: usize, of: impl Fn(i32, i32) -> i32) -> Matrix {
    (0..rows as i32)
        .map(|i| (0..columns as i32).map(|j| of(i, j)).collect())
        .collect()
}

/// A is no multiple, transposed or mirrored form of anything else here. All numbers are small enough for every type.
fn a(rows: usize, k: usize, input: Input) -> Matrix {
    let least = if input == Input::U8 { 0 } else { -3 };
    matrix(rows, k, |i, k| (3 * i + 5 * k + i * k / 4) % 7 + least)
}

fn b(k: usize, columns: usize, input: Input) -> Matrix {
    let least = if input == Input::U8 { 0 } else { -2 };
    matrix(k, columns, |k, j| (2 * k + 3 * j + k * j / 8) % 5 + least)
}

fn c(rows: usize, columns: usize) -> Matrix {
    matrix(rows, columns, |i, j| (7 * i + j) % 13 - 6)
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    matrix(a.len(), b[0].len(), |i, j| {
        (0..b.len()).map(|k| a[i as usize][k] * b[k][j as usize]).sum()
    })
}

fn sum(a: &Matrix, b: &Matrix) -> Matrix {
    matrix(a.len(), a[0].len(), |i, j| {
        a[i as usize][j as usize] + b[i as usize][j as usize]
    })
}

fn bits(input: Input, number: i32) -> u32 {
    let sign = |bits: u32| if number < 0 { bits | 0x80 } else { bits };
    let size = number.unsigned_abs() as usize;
    match input {
        Input::F16 => f16::from_f32(number as f32).to_bits().into(),
        Input::BF16 => bf16::from_f32(number as f32).to_bits().into(),
        // The lower bits do not matter.
        Input::TF32 => (number as f32).to_bits() | 0x155,
        Input::S8 | Input::U8 => number as u8 as u32,
        Input::E4M3 => sign([0, 0x38, 0x40, 0x44][size]),
        Input::E5M2 => sign([0, 0x3C, 0x40, 0x42][size]),
    }
}

fn bits_of_sum(accumulator: Accumulator, number: i32) -> u32 {
    match accumulator {
        Accumulator::F32 => (number as f32).to_bits(),
        Accumulator::F16 => f16::from_f32(number as f32).to_bits().into(),
        Accumulator::S32 => number as u32,
    }
}

/// Puts elements of so many bits into words, the first into the lowest bits.
fn pack(elements: &[u32], bits: u32) -> Vec<u32> {
    let per_word = (32 / bits) as usize;
    let words = elements.chunks(per_word);
    words
        .map(|chunk| {
            (0..)
                .zip(chunk)
                .fold(0, |word, (i, &element)| word | element << (i * bits))
        })
        .collect()
}

impl Asm {
    fn matrix(&mut self, instr: MatrixInstr) {
        self.push(Instr::Matrix(Box::new(instr)));
    }

    /// Byte `offset + t * scale` from a base on, `t` being the thread's number in its warp group.
    fn own(&mut self, base: Reg, offset: u64, scale: u64) -> Reg {
        let (tid, last, offset) = (self.tid(), self.constant(127), self.constant(offset));
        let tid = self.binary(BinaryOp::And, tid, last);
        let at = self.at(base, tid, scale);
        self.binary(BinaryOp::Add, at, offset)
    }

    /// Loads `count` words of each thread from global memory, those of a thread one after another.
    fn load_own(&mut self, base: Reg, offset: u64, count: usize) -> Vec<Reg> {
        let address = self.own(base, offset, 4 * count as u64);
        let regs: Vec<Reg> = (0..count).map(|_| self.reg()).collect();
        let dst = self.list(&regs);
        self.push(Instr::Load {
            space: Space::Global,
            bytes: 4,
            dst,
            address,
            guard: None,
            other: Regs::default(),
        });
        regs
    }

    fn store_own(&mut self, base: Reg, offset: u64, regs: &[Reg]) {
        let address = self.own(base, offset, 4 * regs.len() as u64);
        let src = self.list(regs);
        self.push(Instr::Store {
            space: Space::Global,
            bytes: 4,
            src,
            address,
            guard: None,
        });
    }
}
