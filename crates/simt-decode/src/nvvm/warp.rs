//! Barriers, fences, and what the lanes of a warp do together.

use melior::ir::Value;
use mytriton_simt::program::{Fence, Instr, Reg, Shuffle, Vote};
use mytriton_ssa::{BinaryOp, CmpPred, Scalar};
use mytriton_tile::ops::nvvm::{
    BarrierArriveOp, BarrierOp, ElectSyncOp, FenceProxyOp, MatchSyncKind, MatchSyncOp, ProxyKind, ReduxKind, ReduxOp,
    ShflKind, ShflOp, VoteSyncKind, VoteSyncOp,
};

use super::ALL_LANES;
use crate::decoder::{Decoder, Op, Result};
use crate::gpu::LANES;

impl Decoder<'_> {
    pub(super) fn barrier_arrive(&mut self, view: BarrierArriveOp<'_, '_>) -> Result {
        let op = view.operation();
        let threads = Some(self.reg(op, view.number_of_threads())?);
        let id = self.barrier_id(op, view.barrier_id())?;
        self.emit(Instr::NamedBarrier {
            id,
            threads,
            wait: false,
        });
        Ok(())
    }

    /// The number of a barrier: 0 if none is given.
    fn barrier_id(&mut self, op: Op<'_, '_>, id: Option<Value<'_, '_>>) -> Result<Reg> {
        match id {
            Some(id) => self.reg(op, id),
            None => Ok(self.constant(0)),
        }
    }

    pub(super) fn fence_proxy(&mut self, view: FenceProxyOp<'_, '_>) -> Result {
        match view.kind() {
            ProxyKind::Async | ProxyKind::AsyncShared | ProxyKind::AsyncGlobal => {
                self.emit(Instr::Fence(Fence::AsyncProxy));
                Ok(())
            }
            ProxyKind::Alias | ProxyKind::Tensormap | ProxyKind::Generic => {
                Err(self.bad_attribute(view.operation(), "kind"))
            }
        }
    }

    pub(super) fn barrier(&mut self, view: BarrierOp<'_, '_>) -> Result {
        let op = view.operation();
        if view.reduction_op().is_some() {
            return Err(self.bad_attribute(op, "reductionOp"));
        }
        let threads = view
            .number_of_threads()
            .map(|threads| self.reg(op, threads))
            .transpose()?;
        let id = self.barrier_id(op, view.barrier_id())?;
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

    pub(super) fn vote_sync(&mut self, view: VoteSyncOp<'_, '_>) -> Result {
        let op = view.operation();
        let vote = match view.kind() {
            VoteSyncKind::Any => Vote::Any,
            VoteSyncKind::All => Vote::All,
            VoteSyncKind::Ballot => Vote::Ballot,
            VoteSyncKind::Uni => Vote::Uniform,
        };
        let (mask, src) = (self.operand_reg(op, 0)?, self.operand_reg(op, 1)?);
        let dst = self.vote(vote, src, mask);
        self.define_reg(op, 0, dst)
    }

    pub(super) fn redux(&mut self, view: ReduxOp<'_, '_>) -> Result {
        let op = view.operation();
        let combiner = match view.kind() {
            ReduxKind::Add => BinaryOp::Add,
            ReduxKind::And => BinaryOp::And,
            ReduxKind::Or => BinaryOp::Or,
            ReduxKind::Xor => BinaryOp::Xor,
            ReduxKind::Max => BinaryOp::MaxS,
            ReduxKind::Min => BinaryOp::MinS,
            ReduxKind::Umax => BinaryOp::MaxU,
            ReduxKind::Umin => BinaryOp::MinU,
            // Newer than every target of the compiler.
            ReduxKind::Fmin | ReduxKind::Fmax => return Err(self.bad_attribute(op, "kind")),
        };
        let (src, mask) = (self.operand_reg(op, 0)?, self.operand_reg(op, 1)?);
        let dst = self.vote(Vote::Reduce(combiner), src, mask);
        self.define_reg(op, 0, dst)
    }

    pub(super) fn elect(&mut self, view: ElectSyncOp<'_, '_>) -> Result {
        let op = view.operation();
        let mask = match view.membermask() {
            Some(mask) => self.reg(op, mask)?,
            None => self.constant(ALL_LANES),
        };
        let src = self.constant(1);
        let dst = self.vote(Vote::Elect, src, mask);
        self.define_reg(op, 0, dst)
    }

    pub(super) fn match_sync(&mut self, view: MatchSyncOp<'_, '_>) -> Result {
        let op = view.operation();
        let (mask, src) = (self.operand_reg(op, 0)?, self.operand_reg(op, 1)?);
        let same = self.vote(Vote::Match, src, mask);
        match view.kind() {
            MatchSyncKind::Any => self.define_reg(op, 0, same),
            MatchSyncKind::All => {
                // All lanes have the same number when those with the own one are all.
                let yes = self.constant(1);
                let all = self.vote(Vote::Ballot, yes, mask);
                let equal = self.cmp(CmpPred::Eq, Scalar::I32, same, all);
                let none = self.constant(0);
                let lanes = self.select(equal, same, none);
                self.define(op, 0, smallvec::smallvec![lanes, equal])
            }
        }
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
    pub(super) fn shfl(&mut self, view: ShflOp<'_, '_>) -> Result {
        let op = view.operation();
        let (mode, clamp) = match view.kind() {
            ShflKind::Bfly => (Shuffle::Xor, 31),
            ShflKind::Up => (Shuffle::Up, 0),
            ShflKind::Down => (Shuffle::Down, 31),
            ShflKind::Idx => (Shuffle::Index, 31),
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
        if view.return_value_and_is_valid() {
            words.push(in_range);
        }
        self.define(op, 0, words)
    }
}
