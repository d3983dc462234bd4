//! `nvvm`: special registers, barriers, warp-wide operations, matrices, asynchronous copies and mbarriers.
//!
//! Scopes of clusters mean the block, since clusters are of one block; cache hints are ignored. Tensor
//! copies are not known.

mod asynchronous;
mod matrix;
mod warp;

use mytriton_simt::asynchronous::AsyncInstr;
use mytriton_simt::matrix::MatrixInstr;
use mytriton_simt::program::{Fence, Instr, Special};
use mytriton_ssa::{BinaryOp, Scalar};
use mytriton_tile::ops::nvvm;

use crate::decoder::{Decoder, Op, Result};
use crate::gpu::LANES;

/// All lanes of a warp.
const ALL_LANES: u64 = 0xFFFF_FFFF;

impl Decoder<'_> {
    pub(crate) fn nvvm(&mut self, view: nvvm::Op<'_, '_>) -> Result {
        use nvvm::Op as N;
        let op = view.operation();
        match view {
            N::ThreadIdX(_) => self.define_special(op, Special::ThreadId(0)),
            N::ThreadIdY(_) => self.define_special(op, Special::ThreadId(1)),
            N::ThreadIdZ(_) => self.define_special(op, Special::ThreadId(2)),
            N::BlockDimX(_) => self.define_special(op, Special::BlockDim(0)),
            N::BlockDimY(_) => self.define_special(op, Special::BlockDim(1)),
            N::BlockDimZ(_) => self.define_special(op, Special::BlockDim(2)),
            N::BlockIdX(_) => self.define_special(op, Special::BlockId(0)),
            N::BlockIdY(_) => self.define_special(op, Special::BlockId(1)),
            N::BlockIdZ(_) => self.define_special(op, Special::BlockId(2)),
            N::GridDimX(_) => self.define_special(op, Special::GridDim(0)),
            N::GridDimY(_) => self.define_special(op, Special::GridDim(1)),
            N::GridDimZ(_) => self.define_special(op, Special::GridDim(2)),
            N::LaneId(_) => self.define_special(op, Special::Lane),
            N::WarpId(_) => self.define_special(op, Special::Warp),
            N::WarpSize(_) => {
                let lanes = self.constant(LANES);
                self.define_reg(op, 0, lanes)
            }
            N::WarpDim(_) => {
                let warps = self.warps_of_block();
                self.define_reg(op, 0, warps)
            }
            N::LaneMaskEq(_) => self.lane_mask(op, Lanes::Own),
            N::LaneMaskLt(_) => self.lane_mask(op, Lanes::Below),
            N::LaneMaskLe(_) => self.lane_mask(op, Lanes::UpToOwn),
            N::LaneMaskGe(_) => self.lane_mask(op, Lanes::FromOwn),
            N::LaneMaskGt(_) => self.lane_mask(op, Lanes::Above),
            N::Barrier0(_) => {
                self.emit(Instr::Barrier);
                Ok(())
            }
            N::Barrier(view) => self.barrier(view),
            N::BarrierArrive(view) => self.barrier_arrive(view),
            N::SyncWarp(_) => {
                let mask = self.operand_reg(op, 0)?;
                self.emit(Instr::WarpBarrier { mask });
                Ok(())
            }
            N::FenceProxy(view) => self.fence_proxy(view),
            N::FenceMbarrierInit(_) | N::FenceScCluster(_) | N::Membar(_) => {
                self.emit(Instr::Fence(Fence::Memory));
                Ok(())
            }
            N::Shfl(view) => self.shfl(view),
            N::VoteSync(view) => self.vote_sync(view),
            N::Redux(view) => self.redux(view),
            N::ElectSync(view) => self.elect(view),
            N::MatchSync(view) => self.match_sync(view),
            N::MBarrierInit(view) => self.mbarrier_init(view),
            N::MBarrierInval(_) => self.mbarrier_inval(op),
            N::MBarrierExpectTx(_) => self.mbarrier_expect(op),
            N::MBarrierArrive(view) => self.mbarrier_arrive(op, view.relaxed()),
            N::MBarrierArriveNocomplete(_) => self.mbarrier_arrive(op, None),
            N::MBarrierArriveExpectTx(view) => self.mbarrier_arrive_expect(view),
            N::MBarrierTestWait(view) => self.mbarrier_test(op, view.relaxed()),
            N::MBarrierTryWait(view) => self.mbarrier_test(op, view.relaxed()),
            N::MBarrierTryWaitParity(_) => self.mbarrier_wait(op),
            N::CpAsync(view) => self.cp_async(view),
            N::CpAsyncCommitGroup(_) => self.asynchronous(AsyncInstr::CommitGroup),
            N::CpAsyncWaitGroup(view) => self.wait_group(view),
            N::CpAsyncBulkCommitGroup(_) => self.asynchronous(AsyncInstr::BulkCommit),
            N::CpAsyncBulkWaitGroup(view) => self.bulk_wait_group(view),
            N::CpAsyncBulkGlobalToSharedCluster(view) => self.bulk_load(view),
            N::CpAsyncBulkSharedCTAToGlobal(view) => self.bulk_store(view),
            N::LdMatrix(view) => self.load_matrices(view),
            N::StMatrix(view) => self.store_matrices(view),
            N::Mma(view) => self.mma(view),
            N::WgmmaMmaAsync(view) => self.wgmma(view),
            N::WgmmaFenceAligned(_) => self.emit_matrix(MatrixInstr::WgmmaFence),
            N::WgmmaGroupSyncAligned(_) => self.emit_matrix(MatrixInstr::WgmmaCommit),
            N::WgmmaWaitGroupSync(view) => self.wgmma_wait(view),
        }
    }

    fn define_special(&mut self, op: Op<'_, '_>, which: Special) -> Result {
        let reg = self.special(which);
        self.define_reg(op, 0, reg)
    }

    /// A mask of the lanes at, below or above the thread's own.
    fn lane_mask(&mut self, op: Op<'_, '_>, lanes: Lanes) -> Result {
        let ty = Scalar::I32;
        let lane = self.special(Special::Lane);
        let one = self.constant(1);
        let own = self.binary(BinaryOp::Shl, ty, one, lane);
        let below = self.binary_const(BinaryOp::Sub, ty, own, 1);
        let mask = match lanes {
            Lanes::Own => own,
            Lanes::Below => below,
            Lanes::UpToOwn => self.binary(BinaryOp::Or, ty, own, below),
            Lanes::FromOwn => self.binary_const(BinaryOp::Xor, ty, below, ALL_LANES),
            Lanes::Above => {
                let up_to = self.binary(BinaryOp::Or, ty, own, below);
                self.binary_const(BinaryOp::Xor, ty, up_to, ALL_LANES)
            }
        };
        self.define_reg(op, 0, mask)
    }
}

/// Which lanes of a warp a mask has, seen from a thread's own.
#[derive(Clone, Copy)]
enum Lanes {
    Own,
    Below,
    UpToOwn,
    FromOwn,
    Above,
}
