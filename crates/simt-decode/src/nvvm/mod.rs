//! `nvvm`: special registers, barriers, warp-wide operations, matrices, asynchronous copies and mbarriers.
//!
//! Scopes of clusters mean the block, since clusters are of one block; cache hints are ignored. Tensor
//! copies are not known.

mod asynchronous;
mod matrix;
mod warp;

use mytriton_simt::program::{Reg, Special};
use mytriton_ssa::{BinaryOp, Scalar};

use crate::decoder::{Decoder, Op, Result};
use crate::gpu::LANES;

/// All lanes of a warp.
const ALL_LANES: u64 = 0xFFFF_FFFF;

impl Decoder<'_> {
    pub(crate) fn nvvm(&mut self, op: Op<'_, '_>, name: &str) -> Result<bool> {
        if let Some(register) = name.strip_prefix("read.ptx.sreg.") {
            return self.special_register(op, register);
        }
        // A family of operations by the first word of its names has a function in a file of its own.
        match name.split_once('.').map_or(name, |(first, _)| first) {
            "barrier0" | "barrier" | "bar" | "fence" | "memory" => self.synchronise(op, name),
            "shfl" | "vote" | "redux" | "elect" | "match" => self.across_lanes(op, name),
            "mbarrier" => self.mbarrier(op, name),
            "cp" => self.copy_async(op, name),
            "ldmatrix" | "stmatrix" | "mma" | "wgmma" => self.matrix(op, name),
            _ => Ok(false),
        }
    }

    fn special_register(&mut self, op: Op<'_, '_>, register: &str) -> Result<bool> {
        let (kind, axis) = match register.rsplit_once('.') {
            Some((kind, "x")) => (kind, 0),
            Some((kind, "y")) => (kind, 1),
            Some((kind, "z")) => (kind, 2),
            _ => (register, 0),
        };
        let reg = match kind {
            "tid" => self.special(Special::ThreadId(axis)),
            "ntid" => self.special(Special::BlockDim(axis)),
            "ctaid" => self.special(Special::BlockId(axis)),
            "nctaid" => self.special(Special::GridDim(axis)),
            "laneid" => self.special(Special::Lane),
            "warpid" => self.special(Special::Warp),
            "warpsize" => self.constant(LANES),
            "nwarpid" => self.warps_of_block(),
            "lanemask.eq" | "lanemask.le" | "lanemask.lt" | "lanemask.ge" | "lanemask.gt" => self.lane_mask(kind),
            _ => return Ok(false),
        };
        self.define_reg(op, 0, reg)?;
        Ok(true)
    }

    /// Masks of the lanes at, below or above the thread's own.
    fn lane_mask(&mut self, kind: &str) -> Reg {
        let ty = Scalar::I32;
        let lane = self.special(Special::Lane);
        let one = self.constant(1);
        let own = self.binary(BinaryOp::Shl, ty, one, lane);
        let below = self.binary_const(BinaryOp::Sub, ty, own, 1);
        match kind {
            "lanemask.eq" => own,
            "lanemask.lt" => below,
            "lanemask.le" => self.binary(BinaryOp::Or, ty, own, below),
            "lanemask.ge" => self.binary_const(BinaryOp::Xor, ty, below, ALL_LANES),
            _ => {
                let up_to = self.binary(BinaryOp::Or, ty, own, below);
                self.binary_const(BinaryOp::Xor, ty, up_to, ALL_LANES)
            }
        }
    }
}
