//! `gpu`: a thread's position, barriers, shuffles, and dynamic shared memory. Reductions of the dialect are not known.

use melior::ir::operation::OperationLike;
use mytriton_simt::program::{Instr, Reg, Shuffle, Special};
use mytriton_ssa::{BinaryOp, Scalar};
use mytriton_tile::ops::gpu::{self, Dimension, ShuffleMode, ShuffleOp};

use crate::decoder::{Decoder, Op, Result, UNKNOWN, Words};

/// Threads of a warp.
pub(crate) const LANES: u64 = 32;

impl Decoder<'_> {
    pub(crate) fn gpu(&mut self, view: gpu::Op<'_, '_>) -> Result {
        use gpu::Op as G;
        let op = view.operation();
        let reg = match view {
            G::ThreadId(view) => self.special(Special::ThreadId(axis(view.dimension()))),
            G::BlockId(view) => self.special(Special::BlockId(axis(view.dimension()))),
            G::BlockDim(view) => self.special(Special::BlockDim(axis(view.dimension()))),
            G::GridDim(view) => self.special(Special::GridDim(axis(view.dimension()))),
            G::GlobalId(view) => {
                let axis = axis(view.dimension());
                let block = self.special(Special::BlockId(axis));
                let threads = self.special(Special::BlockDim(axis));
                let first = self.binary(BinaryOp::Mul, Scalar::I64, block, threads);
                let thread = self.special(Special::ThreadId(axis));
                self.binary(BinaryOp::Add, Scalar::I64, first, thread)
            }
            G::LaneId(_) => self.special(Special::Lane),
            G::SubgroupId(_) => self.special(Special::Warp),
            G::NumSubgroups(_) => self.warps_of_block(),
            G::SubgroupSize(_) => self.constant(LANES),
            G::Barrier(_) => {
                self.emit(Instr::Barrier);
                return Ok(());
            }
            G::Shuffle(view) => return self.gpu_shuffle(view),
            G::DynamicSharedMemory(_) => {
                let base = self.dynamic_base();
                let ty = self.result_ty(op, 0)?;
                let mut words: Words = smallvec::smallvec![base];
                words.resize(ty.registers(), UNKNOWN);
                return self.define(op, 0, words);
            }
            G::GPUFunc(_) | G::GPUModule(_) | G::Return(_) => return Err(self.unknown(op)),
        };
        self.define_reg(op, 0, reg)
    }

    fn gpu_shuffle(&mut self, view: ShuffleOp<'_, '_>) -> Result {
        let op = view.operation();
        let mode = match view.mode() {
            ShuffleMode::Xor => Shuffle::Xor,
            ShuffleMode::Up => Shuffle::Up,
            ShuffleMode::Down => Shuffle::Down,
            ShuffleMode::Idx => Shuffle::Index,
        };
        let (lane, width) = (self.operand_reg(op, 1)?, self.operand_reg(op, 2)?);
        let source = self.operand(op, 0)?;
        let (words, in_range) = self.shuffled(mode, &source, lane, width, None);
        self.define(op, 0, words)?;
        self.define_reg(op, 1, in_range)
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

/// The number of a dimension.
fn axis(dimension: Dimension) -> u8 {
    match dimension {
        Dimension::X => 0,
        Dimension::Y => 1,
        Dimension::Z => 2,
    }
}

/// Whether an operation has an operand of this number.
pub(crate) fn has_operand(op: Op<'_, '_>, index: usize) -> bool {
    index < op.operand_count()
}
