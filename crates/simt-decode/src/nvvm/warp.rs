//! Barriers, fences, and what the lanes of a warp do together.

use melior::ir::operation::OperationLike;
use mytriton_simt::program::{Fence, Instr, Reg, Shuffle, Vote};
use mytriton_ssa::{BinaryOp, CmpPred, Scalar};

use super::ALL_LANES;
use crate::attributes;
use crate::decoder::{Decoder, Op, Result};
use crate::gpu::{LANES, has_operand};

impl Decoder<'_> {
    pub(super) fn synchronise(&mut self, op: Op<'_, '_>, name: &str) -> Result<bool> {
        match name {
            "barrier0" => {
                self.emit(Instr::Barrier);
            }
            "barrier" => self.barrier(op)?,
            "barrier.arrive" => {
                let last = op.operand_count().saturating_sub(1);
                let threads = Some(self.operand_reg(op, last)?);
                let id = if last > 0 {
                    self.operand_reg(op, 0)?
                } else {
                    self.constant(0)
                };
                self.emit(Instr::NamedBarrier {
                    id,
                    threads,
                    wait: false,
                });
            }
            "bar.warp.sync" => {
                let mask = self.operand_reg(op, 0)?;
                self.emit(Instr::WarpBarrier { mask });
            }
            "fence.proxy" => match attributes::word(op, "kind").as_deref() {
                Some("async" | "async.shared" | "async.global") => {
                    self.emit(Instr::Fence(Fence::AsyncProxy));
                }
                _ => return Err(self.bad_attribute(op, "kind")),
            },
            "fence.mbarrier.init" | "fence.sc.cluster" | "memory.barrier" => {
                self.emit(Instr::Fence(Fence::Memory));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn barrier(&mut self, op: Op<'_, '_>) -> Result {
        if op.has_attribute("reductionOp") {
            return Err(self.bad_attribute(op, "reductionOp"));
        }
        let segments = self.segments(op)?;
        let operand = |this: &Self, segment: usize| match segments.get(segment) {
            Some(range) if !range.is_empty() => this.operand_reg(op, range.start).map(Some),
            _ => Ok(None),
        };
        let (id, threads) = (operand(self, 0)?, operand(self, 1)?);
        let id = match id {
            Some(id) => id,
            None => self.constant(0),
        };
        if threads.is_none() && self.known(id) == Some(0) {
            self.emit(Instr::Barrier);
            return Ok(());
        }
        self.emit(Instr::NamedBarrier {
            id,
            threads,
            wait: true,
        });
        Ok(())
    }

    pub(super) fn across_lanes(&mut self, op: Op<'_, '_>, name: &str) -> Result<bool> {
        match name {
            "shfl.sync" => self.shfl(op)?,
            "vote.sync" => {
                let vote = match attributes::word(op, "kind").as_deref() {
                    Some("any") => Vote::Any,
                    Some("all") => Vote::All,
                    Some("ballot") => Vote::Ballot,
                    Some("uni") => Vote::Uniform,
                    _ => return Err(self.bad_attribute(op, "kind")),
                };
                let (mask, src) = (self.operand_reg(op, 0)?, self.operand_reg(op, 1)?);
                let dst = self.vote(vote, src, mask);
                self.define_reg(op, 0, dst)?;
            }
            "redux.sync" => {
                let combine = match attributes::word(op, "kind").as_deref() {
                    Some("add") => BinaryOp::Add,
                    Some("and") => BinaryOp::And,
                    Some("or") => BinaryOp::Or,
                    Some("xor") => BinaryOp::Xor,
                    Some("max") => BinaryOp::MaxS,
                    Some("min") => BinaryOp::MinS,
                    Some("umax") => BinaryOp::MaxU,
                    Some("umin") => BinaryOp::MinU,
                    // Of floats, which are newer than every target of the compiler.
                    _ => return Err(self.bad_attribute(op, "kind")),
                };
                let (src, mask) = (self.operand_reg(op, 0)?, self.operand_reg(op, 1)?);
                let dst = self.vote(Vote::Reduce(combine), src, mask);
                self.define_reg(op, 0, dst)?;
            }
            "elect.sync" => {
                let mask = if has_operand(op, 0) {
                    self.operand_reg(op, 0)?
                } else {
                    self.constant(ALL_LANES)
                };
                let src = self.constant(1);
                let dst = self.vote(Vote::Elect, src, mask);
                self.define_reg(op, 0, dst)?;
            }
            "match.sync" => {
                let (mask, src) = (self.operand_reg(op, 0)?, self.operand_reg(op, 1)?);
                let same = self.vote(Vote::Match, src, mask);
                match attributes::word(op, "kind").as_deref() {
                    Some("any") => self.define_reg(op, 0, same)?,
                    Some("all") => {
                        // All lanes have the same number when those with the own one are all.
                        let yes = self.constant(1);
                        let all = self.vote(Vote::Ballot, yes, mask);
                        let equal = self.cmp(CmpPred::Eq, Scalar::I32, same, all);
                        let none = self.constant(0);
                        let lanes = self.select(equal, same, none);
                        self.define(op, 0, smallvec::smallvec![lanes, equal])?;
                    }
                    _ => return Err(self.bad_attribute(op, "kind")),
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn vote(&mut self, vote: Vote, src: Reg, mask: Reg) -> Reg {
        let dst = self.fresh();
        self.emit(Instr::Vote {
            vote,
            dst,
            src,
            mask: Some(mask),
        });
        dst
    }

    /// `shfl.sync`. Its fourth operand packs a clamp into bits 0 to 4 and a mask of lane bits into bits 8 to 12: of those
    /// the executor knows the ones for segments of 2^n lanes, as CUDA's functions make them.
    fn shfl(&mut self, op: Op<'_, '_>) -> Result {
        let (mode, clamp) = match attributes::word(op, "kind").as_deref() {
            Some("bfly") => (Shuffle::Xor, 31),
            Some("up") => (Shuffle::Up, 0),
            Some("down") => (Shuffle::Down, 31),
            Some("idx") => (Shuffle::Index, 31),
            _ => return Err(self.bad_attribute(op, "kind")),
        };
        let (mask, source) = (self.operand_reg(op, 0)?, self.operand(op, 1)?);
        let (lane, packed) = (self.operand_reg(op, 2)?, self.operand_reg(op, 3)?);
        let width = self.known(packed).and_then(|packed| {
            let width = LANES - ((packed >> 8) & 31);
            (packed & !0x1F00 == clamp && width.is_power_of_two()).then_some(width)
        });
        let Some(width) = width else {
            let message = format!(
                "the executor does not know this mask and clamp of 'nvvm.shfl.sync': a constant of (32 - width) * 256 + \
                 {clamp} for a width of a power of two"
            );
            return Err(self.error(op, message));
        };
        let width = self.constant(width);
        let (mut words, in_range) = self.shuffled(mode, &source, lane, width, Some(mask));
        if op.has_attribute("return_value_and_is_valid") {
            words.push(in_range);
        }
        self.define(op, 0, words)
    }
}
