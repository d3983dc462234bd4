//! Instructions that touch nothing but registers.

use std::array::from_fn;

use super::alu::{self, lanes_where};
use super::warp::Warp;
use crate::program::{Instr, Special};

/// What a thread's position is made of.
#[derive(Clone, Copy)]
pub(super) struct Position {
    pub block_id: [u32; 3],
    pub block_dim: [u32; 3],
    pub grid_dim: [u32; 3],
    pub warp: u32,
}

impl Position {
    /// The number of a thread in its block, along the axes.
    pub fn thread(&self, lane: usize) -> [u32; 3] {
        thread_id(self.block_dim, self.warp * 32 + lane as u32)
    }
}

/// The position of thread number `thread` of a block: x varies fastest.
pub(super) fn thread_id([x, y, _]: [u32; 3], thread: u32) -> [u32; 3] {
    [thread % x, thread / x % y, thread / x / y]
}

impl Warp {
    /// Runs an instruction for the lanes of the mask, if it is one of registers alone.
    #[inline]
    pub fn compute(&mut self, instr: &Instr, mask: u32, position: &Position) -> bool {
        match *instr {
            Instr::Const { dst, bits } => self.set(dst, [bits; 32], mask),
            Instr::Move { dst, src } => self.set(dst, *self.row(src), mask),
            Instr::Special { dst, which } => {
                let row = match which {
                    Special::ThreadId(axis) => from_fn(|lane| u64::from(position.thread(lane)[usize::from(axis)])),
                    Special::BlockId(axis) => [u64::from(position.block_id[usize::from(axis)]); 32],
                    Special::BlockDim(axis) => [u64::from(position.block_dim[usize::from(axis)]); 32],
                    Special::GridDim(axis) => [u64::from(position.grid_dim[usize::from(axis)]); 32],
                    Special::Lane => from_fn(|lane| lane as u64),
                    Special::Warp => [u64::from(position.warp); 32],
                    Special::ActiveMask => [u64::from(self.live); 32],
                };
                self.set(dst, row, mask);
            }
            Instr::Unary { op, ty, dst, a } => self.set(dst, alu::unary(op, ty, self.row(a), mask), mask),
            Instr::Binary { op, ty, dst, a, b } => {
                self.set(dst, alu::binary(op, ty, self.row(a), self.row(b), mask), mask);
            }
            Instr::MulHigh { signed, ty, dst, a, b } => {
                self.set(dst, alu::mul_high(signed, ty, self.row(a), self.row(b)), mask);
            }
            Instr::Fma { ty, dst, a, b, c } => {
                self.set(dst, alu::fma(ty, self.row(a), self.row(b), self.row(c), mask), mask);
            }
            Instr::Cmp { pred, ty, dst, a, b } => {
                self.set(dst, alu::compare(pred, ty, self.row(a), self.row(b)), mask);
            }
            Instr::Select { dst, cond, a, b } => {
                self.set(dst, alu::select(self.row(cond), self.row(a), self.row(b)), mask);
            }
            Instr::Cast { kind, from, to, dst, a } => {
                self.set(dst, alu::cast(kind, from, to, self.row(a), mask), mask);
            }
            _ => return false,
        }
        true
    }

    /// The lanes of the mask where a condition holds.
    pub fn lanes_where(&self, cond: u32, mask: u32) -> u32 {
        lanes_where(mask, self.row(cond))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_numbered_along_x_then_y_then_z() {
        let numbers = (0..5).flat_map(|z| (0..4).flat_map(move |y| (0..3).map(move |x| [x, y, z])));
        for (thread, expected) in (0..).zip(numbers) {
            assert_eq!(thread_id([3, 4, 5], thread), expected);
        }
    }
}
