//! `gpu`: a thread's position, barriers, shuffles, and dynamic shared memory. Reductions of the dialect are not known.

use melior::ir::operation::OperationLike;
use mytriton_simt::program::{Instr, Reg, Shuffle, Special};
use mytriton_ssa::{BinaryOp, Scalar};

use crate::attributes;
use crate::decoder::{Decoder, Op, Result, UNKNOWN, Words};

/// Threads of a warp.
pub(crate) const LANES: u64 = 32;

impl Decoder<'_> {
    pub(crate) fn gpu(&mut self, op: Op<'_, '_>, name: &str) -> Result<bool> {
        match name {
            "thread_id" | "block_id" | "block_dim" | "grid_dim" | "global_id" => {
                let axis = self.axis(op)?;
                let reg = match name {
                    "thread_id" => self.special(Special::ThreadId(axis)),
                    "block_id" => self.special(Special::BlockId(axis)),
                    "block_dim" => self.special(Special::BlockDim(axis)),
                    "grid_dim" => self.special(Special::GridDim(axis)),
                    _ => {
                        let block = self.special(Special::BlockId(axis));
                        let threads = self.special(Special::BlockDim(axis));
                        let first = self.binary(BinaryOp::Mul, Scalar::I64, block, threads);
                        let thread = self.special(Special::ThreadId(axis));
                        self.binary(BinaryOp::Add, Scalar::I64, first, thread)
                    }
                };
                self.define_reg(op, 0, reg)?;
            }
            "lane_id" => {
                let reg = self.special(Special::Lane);
                self.define_reg(op, 0, reg)?;
            }
            "subgroup_id" => {
                let reg = self.special(Special::Warp);
                self.define_reg(op, 0, reg)?;
            }
            "num_subgroups" => {
                let reg = self.warps_of_block();
                self.define_reg(op, 0, reg)?;
            }
            "subgroup_size" => {
                let reg = self.constant(LANES);
                self.define_reg(op, 0, reg)?;
            }
            "barrier" => {
                self.emit(Instr::Barrier);
            }
            "shuffle" => {
                let mode = match attributes::word(op, "mode").as_deref() {
                    Some("xor") => Shuffle::Xor,
                    Some("up") => Shuffle::Up,
                    Some("down") => Shuffle::Down,
                    Some("idx") => Shuffle::Index,
                    _ => return Err(self.bad_attribute(op, "mode")),
                };
                let (lane, width) = (self.operand_reg(op, 1)?, self.operand_reg(op, 2)?);
                let source = self.operand(op, 0)?;
                let (words, in_range) = self.shuffled(mode, &source, lane, width, None);
                self.define(op, 0, words)?;
                self.define_reg(op, 1, in_range)?;
            }
            "dynamic_shared_memory" => {
                let base = self.dynamic_base();
                let ty = self.result_ty(op, 0)?;
                let mut words: Words = smallvec::smallvec![base];
                words.resize(ty.registers(), UNKNOWN);
                self.define(op, 0, words)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn axis(&self, op: Op<'_, '_>) -> Result<u8> {
        match attributes::word(op, "dimension").as_deref() {
            Some("x") => Ok(0),
            Some("y") => Ok(1),
            Some("z") => Ok(2),
            _ => Err(self.bad_attribute(op, "dimension")),
        }
    }

    /// The warps of the block, the last of which may not be whole.
    pub(crate) fn warps_of_block(&mut self) -> Reg {
        let [x, y, z] = [0, 1, 2].map(|axis| self.special(Special::BlockDim(axis)));
        let plane = self.binary(BinaryOp::Mul, Scalar::I64, x, y);
        let threads = self.binary(BinaryOp::Mul, Scalar::I64, plane, z);
        let rounded = self.binary_const(BinaryOp::Add, Scalar::I64, threads, LANES - 1);
        self.binary_const(BinaryOp::ShrU, Scalar::I64, rounded, u64::from(LANES.ilog2()))
    }

    /// Numbers of another lane, and whether that lane was in range.
    pub(crate) fn shuffled(
        &mut self,
        mode: Shuffle,
        source: &[Reg],
        lane: Reg,
        width: Reg,
        mask: Option<Reg>,
    ) -> (Words, Reg) {
        let mut words = Words::new();
        let mut first = None;
        for &src in source {
            let (dst, in_range) = (self.fresh(), self.fresh());
            first.get_or_insert(in_range);
            words.push(dst);
            self.emit(Instr::Shuffle {
                mode,
                dst,
                in_range,
                src,
                lane,
                width,
                mask,
            });
        }
        let in_range = first.unwrap_or_else(|| self.constant(1));
        (words, in_range)
    }
}

/// Whether an operation has an operand of this number.
pub(crate) fn has_operand(op: Op<'_, '_>, index: usize) -> bool {
    index < op.operand_count()
}
