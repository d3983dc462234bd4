//! Matrix instructions of a warp that are done when the next one begins, and the tiles that lanes' registers make.

use super::access::who;
use super::alu::Row;
use super::block::{Block, thread};
use super::tally::Tally;
use super::warp::Warp;
use crate::finding::{Accessed, FindingKind};
use crate::matrix::{
    Accumulator, Fragment, Input, MatrixInstr, Mma, ROWS, Tile, coords_a, coords_b, coords_d, multiply, slot,
};
use crate::program::{Pc, Program, Reg, Regs, Space};

/// Bytes of a row of an 8x8 matrix.
const ROW: usize = 16;
/// All lanes.
pub(super) const WHOLE: u32 = u32::MAX;

impl Block<'_> {
    pub fn matrix(&mut self, w: usize, pc: Pc, mask: u32, instr: &MatrixInstr, tally: &mut Tally) {
        if mask != WHOLE {
            let kind = FindingKind::DivergentCollective {
                missing: !mask,
                message: "a matrix instruction without all lanes of its warp".to_owned(),
            };
            self.report(pc, thread(w, mask.trailing_zeros() as usize), None, kind);
            return;
        }
        match *instr {
            MatrixInstr::Load {
                dst,
                address,
                transpose,
            } => self.load_matrices(w, pc, dst, address, transpose, tally),
            MatrixInstr::Store {
                src,
                address,
                transpose,
            } => {
                self.store_matrices(w, pc, src, address, transpose, tally);
            }
            MatrixInstr::Mma(ref mma) => self.mma(w, mma),
            MatrixInstr::Wgmma(ref wgmma) => self.wgmma(w, pc, wgmma),
            MatrixInstr::WgmmaFence => self.products.warps[w].fence(),
            MatrixInstr::WgmmaCommit => self.products.warps[w].commit(),
            MatrixInstr::WgmmaWait { pending } => self.wgmma_wait(w, pending),
        }
    }

    fn count_rows(&self, tally: &mut Tally, pc: Pc, addresses: &[u64]) {
        if self.env.options.count_accesses {
            let rows: Vec<(u64, u32)> = addresses.iter().map(|&address| (address, ROW as u32)).collect();
            tally.access(pc, Space::Shared, &rows);
        }
    }

    /// To the shadow of memory a row is read by the lane that gives its address.
    fn load_matrices(&mut self, w: usize, pc: Pc, dst: Regs, address: Reg, transpose: bool, tally: &mut Tally) {
        let program = self.env.program;
        let addresses = *self.warps[w].row(address);
        let dst = program.regs(dst);
        self.count_rows(tally, pc, &addresses[..8 * dst.len()]);
        for (number, &dst) in dst.iter().enumerate() {
            let mut matrix = [[0; ROW]; 8];
            for (row, bytes) in matrix.iter_mut().enumerate() {
                let lane = 8 * number + row;
                let who = who(self.number, w, lane, pc);
                if let Err(fault) = self.shared.load(&self.clocks, who, addresses[lane], bytes) {
                    self.report_fault(who, Accessed::Read, Space::Shared, addresses[lane], ROW as u32, fault);
                }
            }
            let words: Row = std::array::from_fn(|lane| {
                let [low, high] = halves(lane, transpose).map(|(row, at)| {
                    let row = &matrix[row];
                    u64::from(u16::from_le_bytes([row[2 * at], row[2 * at + 1]]))
                });
                low | high << 16
            });
            self.warps[w].set(dst, words, WHOLE);
        }
    }

    fn store_matrices(&mut self, w: usize, pc: Pc, src: Regs, address: Reg, transpose: bool, tally: &mut Tally) {
        let program = self.env.program;
        let addresses = *self.warps[w].row(address);
        let src = program.regs(src);
        self.count_rows(tally, pc, &addresses[..8 * src.len()]);
        for (number, &src) in src.iter().enumerate() {
            let mut matrix = [[0; ROW]; 8];
            for (lane, &word) in self.warps[w].row(src).iter().enumerate() {
                for ((row, at), part) in halves(lane, transpose).into_iter().zip([word, word >> 16]) {
                    matrix[row][2 * at..2 * at + 2].copy_from_slice(&(part as u16).to_le_bytes());
                }
            }
            for (row, bytes) in matrix.iter().enumerate() {
                let lane = 8 * number + row;
                let who = who(self.number, w, lane, pc);
                if let Err(fault) = self.shared.store(&self.clocks, who, addresses[lane], bytes) {
                    self.report_fault(
                        who,
                        Accessed::Written,
                        Space::Shared,
                        addresses[lane],
                        ROW as u32,
                        fault,
                    );
                }
            }
        }
    }

    fn mma(&mut self, w: usize, mma: &Mma) {
        let program = self.env.program;
        let warp = &mut self.warps[w];
        let [left, right] = mma.inputs;
        let k = usize::from(mma.k);
        let a = warp.tile(program, mma.a, left, (ROWS, k), coords_a);
        let b = warp.tile(program, mma.b, right, (k, 8), coords_b);
        let sums = multiply(&a, &b, false);
        warp.add(program, mma.accumulator, mma.saturate, &sums, 8, Some(mma.c), mma.d);
    }
}

/// Row and column of the two elements of an 8x8 matrix that are a lane's word.
const fn halves(lane: usize, transpose: bool) -> [(usize, usize); 2] {
    let (row, column) = (lane / 4, 2 * (lane % 4));
    match transpose {
        false => [(row, column), (row, column + 1)],
        true => [(column, row), (column + 1, row)],
    }
}

impl Warp {
    /// The matrix of so many rows and columns of which the fragment is each lane's share.
    pub fn tile(
        &self,
        program: &Program,
        of: Fragment,
        input: Input,
        (rows, columns): (usize, usize),
        coords: fn(usize, usize, usize) -> (usize, usize),
    ) -> Tile {
        let mut tile = Tile::new(rows, columns);
        let regs = program.regs(of.regs);
        let per_word = (32 / input.bits()) as usize;
        for index in 0..rows * columns / 32 {
            let (reg, low) = slot(index, input.bits(), of.bits);
            for (lane, &number) in self.row(regs[reg]).iter().enumerate() {
                let (row, column) = coords(lane, index, per_word);
                tile.set(row, column, input.value((number >> low) as u32));
            }
        }
        tile
    }

    /// Sets the elements of `d`, of so many columns, to sums and those of `c`, if there is one.
    #[allow(clippy::too_many_arguments)]
    pub fn add(
        &mut self,
        program: &Program,
        accumulator: Accumulator,
        saturate: bool,
        sums: &Tile,
        columns: usize,
        c: Option<Fragment>,
        d: Fragment,
    ) {
        let bits = accumulator.bits();
        let all = u64::MAX >> (64 - bits);
        // A register at a time: each is whole before the next begins, so that `c` may be `d`.
        let mut row: Row = [0; 32];
        for index in 0..ROWS * columns / 32 {
            let old = c.map(|c| {
                let (reg, low) = slot(index, bits, c.bits);
                (self.row(program.regs(c.regs)[reg]), low)
            });
            let (reg, low) = slot(index, bits, d.bits);
            for (lane, number) in row.iter_mut().enumerate() {
                let (i, j) = coords_d(lane, index);
                let old = old.map(|(row, low)| (row[lane] >> low & all) as u32);
                *number |= u64::from(accumulator.sum(sums.get(i, j), old, saturate)) << low;
            }
            if low + bits == u32::from(d.bits) {
                self.set(program.regs(d.regs)[reg], row, WHOLE);
                row = [0; 32];
            }
        }
    }
}
