//! Emitting instructions.

use std::collections::{BTreeMap, VecDeque};

use mytriton_simt::asynchronous::AsyncInstr;
use mytriton_simt::program::{Instr, Pc, Reg, Regs, Special};
use mytriton_ssa::{BinaryOp, CastKind, CmpPred, Scalar, UnaryOp};
use rustc_hash::FxHashMap;

use super::{Decoder, Result};

impl Decoder<'_> {
    pub fn pc(&self) -> Pc {
        self.code.len() as Pc
    }

    pub fn emit(&mut self, instr: Instr) -> Pc {
        self.code.push(instr);
        self.place_of.push(self.here);
        self.pc() - 1
    }

    pub fn emit_async(&mut self, instr: AsyncInstr) {
        self.emit(Instr::Async(Box::new(instr)));
    }

    /// Sets where a branch or jump emitted before goes.
    pub fn patch(&mut self, at: Pc, instr: Instr) {
        self.code[at as usize] = instr;
    }

    pub fn fresh(&mut self) -> Reg {
        self.registers += 1;
        self.registers - 1
    }

    pub fn list(&mut self, words: &[Reg]) -> Regs {
        let start = self.lists.len() as u32;
        self.lists.extend_from_slice(words);
        Regs {
            start,
            len: words.len() as u32,
        }
    }

    /// The register that holds these bits throughout.
    pub fn constant(&mut self, bits: u64) -> Reg {
        if let Some(&known) = self.constant_at.get(&bits) {
            return known;
        }
        let reg = self.fresh();
        self.constants.push((reg, bits, self.here));
        self.constant_at.insert(bits, reg);
        self.constant_of.insert(reg, bits);
        reg
    }

    /// The bits that a register always holds, if it is a constant's.
    pub fn known(&self, reg: Reg) -> Option<u64> {
        self.constant_of.get(&reg).copied()
    }

    /// The register that holds the address at which dynamic shared memory begins.
    pub fn dynamic_base(&mut self) -> Reg {
        if let Some((reg, _)) = self.dynamic_base {
            return reg;
        }
        let reg = self.fresh();
        self.dynamic_base = Some((reg, self.here));
        reg
    }

    pub fn move_to(&mut self, dst: Reg, src: Reg) {
        self.emit(Instr::Move { dst, src });
    }

    pub fn copy(&mut self, src: Reg) -> Reg {
        let dst = self.fresh();
        self.move_to(dst, src);
        dst
    }

    pub fn special(&mut self, which: Special) -> Reg {
        let dst = self.fresh();
        self.emit(Instr::Special { dst, which });
        dst
    }

    pub fn unary(&mut self, op: UnaryOp, ty: Scalar, a: Reg) -> Reg {
        let dst = self.fresh();
        self.emit(Instr::Unary { op, ty, dst, a });
        dst
    }

    pub fn binary(&mut self, op: BinaryOp, ty: Scalar, a: Reg, b: Reg) -> Reg {
        let dst = self.fresh();
        self.emit(Instr::Binary { op, ty, dst, a, b });
        dst
    }

    /// The operation with a constant.
    pub fn binary_const(&mut self, op: BinaryOp, ty: Scalar, a: Reg, b: u64) -> Reg {
        let b = self.constant(b & ty.bit_mask());
        self.binary(op, ty, a, b)
    }

    pub fn cmp(&mut self, pred: CmpPred, ty: Scalar, a: Reg, b: Reg) -> Reg {
        let dst = self.fresh();
        self.emit(Instr::Cmp { pred, ty, dst, a, b });
        dst
    }

    pub fn not(&mut self, truth: Reg) -> Reg {
        self.binary_const(BinaryOp::Xor, Scalar::I1, truth, 1)
    }

    pub fn select(&mut self, cond: Reg, a: Reg, b: Reg) -> Reg {
        let dst = self.fresh();
        self.emit(Instr::Select { dst, cond, a, b });
        dst
    }

    pub fn fma(&mut self, ty: Scalar, [a, b, c]: [Reg; 3]) -> Reg {
        let dst = self.fresh();
        self.emit(Instr::Fma { ty, dst, a, b, c });
        dst
    }

    pub fn cast(&mut self, kind: CastKind, from: Scalar, to: Scalar, a: Reg) -> Reg {
        let dst = self.fresh();
        self.emit(Instr::Cast { kind, from, to, dst, a });
        dst
    }

    /// An integer as one of another width. Zero extension gives no instruction, since upper bits are zero.
    pub fn resize(&mut self, signed: bool, from: Scalar, to: Scalar, a: Reg) -> Reg {
        if to.bits() < from.bits() {
            self.cast(CastKind::Trunc, from, to, a)
        } else if signed && to.bits() > from.bits() {
            self.cast(CastKind::SExt, from, to, a)
        } else {
            a
        }
    }

    /// `a + b` of addresses and offsets, folded where constant.
    pub fn add_offset(&mut self, a: Reg, b: Reg) -> Reg {
        match (self.known(a), self.known(b)) {
            (Some(a), Some(b)) => self.constant(a.wrapping_add(b)),
            (Some(0), None) => b,
            (None, Some(0)) => a,
            _ => self.binary(BinaryOp::Add, Scalar::I64, a, b),
        }
    }

    /// `a * b` of indices and strides, folded where constant.
    pub fn scale(&mut self, a: Reg, b: Reg) -> Reg {
        match (self.known(a), self.known(b)) {
            (Some(a), Some(b)) => self.constant(a.wrapping_mul(b)),
            (Some(0), _) | (_, Some(0)) => self.constant(0),
            (Some(1), None) => b,
            (None, Some(1)) => a,
            _ => self.binary(BinaryOp::Mul, Scalar::I64, a, b),
        }
    }

    /// Moves that happen all at once: a destination may be another's source.
    pub fn parallel_moves(&mut self, moves: impl IntoIterator<Item = (Reg, Reg)>) {
        let mut pending: BTreeMap<Reg, Reg> = moves.into_iter().filter(|(dst, src)| dst != src).collect();
        let mut readers: FxHashMap<Reg, u32> = FxHashMap::default();
        for &src in pending.values() {
            *readers.entry(src).or_default() += 1;
        }
        // What nobody else still reads may be overwritten.
        let unread = |dst: &Reg| !readers.contains_key(dst);
        let mut free: VecDeque<Reg> = pending.keys().copied().filter(unread).collect();
        while !pending.is_empty() {
            while let Some(dst) = free.pop_front() {
                let Some(src) = pending.remove(&dst) else { continue };
                self.move_to(dst, src);
                let left = readers.entry(src).or_default();
                *left = left.saturating_sub(1);
                if *left == 0 {
                    free.push_back(src);
                }
            }
            // Only cycles are left, in which each register has one reader: save one, which is then free.
            let Some((&held, _)) = pending.first_key_value() else {
                break;
            };
            let saved = self.copy(held);
            for src in pending.values_mut().filter(|src| **src == held) {
                *src = saved;
            }
            free.push_back(held);
        }
    }

    /// Emits code that only the lanes run whose condition holds.
    pub fn only_if(&mut self, cond: Reg, body: impl FnOnce(&mut Self) -> Result) -> Result {
        let branch = self.emit(Instr::Join);
        body(self)?;
        let join = self.emit(Instr::Join);
        self.patch(
            branch,
            Instr::Branch {
                cond,
                otherwise: join,
                join,
            },
        );
        Ok(())
    }
}
