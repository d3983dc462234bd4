//! Copies that complete later, and the mbarriers and groups that they complete on.

use melior::ir::Value;
use melior::ir::operation::OperationLike;
use mytriton_simt::asynchronous::AsyncInstr;
use mytriton_simt::program::{Instr, Reg, Space};
use mytriton_ssa::Scalar;
use mytriton_tile::name_of;
use mytriton_tile::ops::nvvm::{
    CpAsyncBulkGlobalToSharedClusterOp, CpAsyncBulkSharedCTAToGlobalOp, CpAsyncBulkWaitGroupOp, CpAsyncOp,
    CpAsyncWaitGroupOp, MBarrierArriveExpectTxOp, MBarrierInitOp,
};

use crate::decoder::{Decoder, Op, Result};
use crate::gpu::has_operand;
use crate::types::Ty;

impl Decoder<'_> {
    /// An operand that is an address in shared memory.
    pub(super) fn shared_operand(&mut self, op: Op<'_, '_>, index: usize) -> Result<Reg> {
        self.address_in(op, index, Space::Shared)
    }

    fn address_in(&mut self, op: Op<'_, '_>, index: usize, space: Space) -> Result<Reg> {
        match &*self.operand_ty(op, index)? {
            Ty::Pointer(Some(known)) if *known == space => self.operand_reg(op, index),
            _ => {
                let wanted = if space == Space::Shared {
                    "!llvm.ptr<3>"
                } else {
                    "!llvm.ptr<1>"
                };
                let message = format!(
                    "'{}' through {}: the executor keeps global and shared memory apart, so use {wanted}",
                    name_of(op),
                    self.operand_type(op, index)?
                );
                Err(self.error(op, message))
            }
        }
    }

    /// The instruction, for the lanes alone whose predicate, if there is one, holds.
    fn predicated(&mut self, op: Op<'_, '_>, predicate: Option<Value<'_, '_>>, instr: AsyncInstr) -> Result {
        let Some(predicate) = predicate else {
            return self.asynchronous(instr);
        };
        let cond = self.reg(op, predicate)?;
        self.only_if(cond, |this| this.asynchronous(instr))
    }

    pub(super) fn asynchronous(&mut self, instr: AsyncInstr) -> Result {
        self.emit_async(instr);
        Ok(())
    }

    pub(super) fn mbarrier_init(&mut self, view: MBarrierInitOp<'_, '_>) -> Result {
        let op = view.operation();
        let (barrier, count) = (self.shared_operand(op, 0)?, self.operand_reg(op, 1)?);
        self.predicated(op, view.predicate(), AsyncInstr::BarrierInit { barrier, count })
    }

    pub(super) fn mbarrier_inval(&mut self, op: Op<'_, '_>) -> Result {
        let barrier = self.shared_operand(op, 0)?;
        self.asynchronous(AsyncInstr::BarrierInvalidate { barrier })
    }

    pub(super) fn mbarrier_expect(&mut self, op: Op<'_, '_>) -> Result {
        let (barrier, bytes) = (self.shared_operand(op, 0)?, self.operand_reg(op, 1)?);
        self.asynchronous(AsyncInstr::BarrierExpect { barrier, bytes })
    }

    /// An error for an operation that orders nothing.
    fn not_relaxed(&self, op: Op<'_, '_>, relaxed: Option<bool>) -> Result {
        match relaxed {
            Some(true) => Err(self.bad_attribute(op, "relaxed")),
            Some(false) | None => Ok(()),
        }
    }

    pub(super) fn mbarrier_arrive(&mut self, op: Op<'_, '_>, relaxed: Option<bool>) -> Result {
        self.not_relaxed(op, relaxed)?;
        let barrier = self.shared_operand(op, 0)?;
        let count = match has_operand(op, 1) {
            true => Some(self.operand_reg(op, 1)?),
            false => None,
        };
        let state = self.state(op)?;
        self.asynchronous(AsyncInstr::BarrierArrive {
            barrier,
            count,
            expect: None,
            state,
        })
    }

    pub(super) fn mbarrier_arrive_expect(&mut self, view: MBarrierArriveExpectTxOp<'_, '_>) -> Result {
        let op = view.operation();
        self.not_relaxed(op, view.relaxed())?;
        let barrier = self.shared_operand(op, 0)?;
        let expect = Some(self.operand_reg(op, 1)?);
        let state = self.state(op)?;
        let arrive = AsyncInstr::BarrierArrive {
            barrier,
            count: None,
            expect,
            state,
        };
        self.predicated(op, view.predicate(), arrive)
    }

    pub(super) fn mbarrier_test(&mut self, op: Op<'_, '_>, relaxed: Option<bool>) -> Result {
        self.not_relaxed(op, relaxed)?;
        let (barrier, phase) = (self.shared_operand(op, 0)?, self.operand_reg(op, 1)?);
        let parity = self.operand_scalar(op, 1)? == Scalar::I32;
        let done = self.fresh();
        self.emit_async(AsyncInstr::BarrierTest {
            barrier,
            phase,
            parity,
            done,
        });
        self.define_reg(op, 0, done)
    }

    /// The loop around the instruction that tests.
    pub(super) fn mbarrier_wait(&mut self, op: Op<'_, '_>) -> Result {
        let (barrier, phase) = (self.shared_operand(op, 0)?, self.operand_reg(op, 1)?);
        self.wait_for(barrier, phase, true);
        Ok(())
    }

    /// The register for the state that an arrival gives, if it is wanted.
    fn state(&mut self, op: Op<'_, '_>) -> Result<Option<Reg>> {
        if op.result_count() == 0 {
            return Ok(None);
        }
        let state = self.fresh();
        self.define_reg(op, 0, state)?;
        Ok(Some(state))
    }

    /// Tests an mbarrier's phase until it has completed.
    fn wait_for(&mut self, barrier: Reg, phase: Reg, parity: bool) {
        let head = self.pc();
        let done = self.fresh();
        self.emit_async(AsyncInstr::BarrierTest {
            barrier,
            phase,
            parity,
            done,
        });
        let again = self.not(done);
        let branch = self.emit(Instr::Join);
        self.emit(Instr::Jump { to: head });
        let exit = self.emit(Instr::Join);
        self.patch(
            branch,
            Instr::Branch {
                cond: again,
                otherwise: exit,
                join: exit,
            },
        );
    }

    pub(super) fn cp_async(&mut self, view: CpAsyncOp<'_, '_>) -> Result {
        let op = view.operation();
        let (dst, src) = (self.shared_operand(op, 0)?, self.address_in(op, 1, Space::Global)?);
        let bytes = u8::try_from(view.size())
            .ok()
            .filter(|bytes| matches!(bytes, 4 | 8 | 16));
        let bytes = bytes.ok_or_else(|| self.bad_attribute(op, "size"))?;
        let valid = view.cp_size().map(|size| self.reg(op, size)).transpose()?;
        self.asynchronous(AsyncInstr::Copy { dst, src, bytes, valid })
    }

    pub(super) fn wait_group(&mut self, view: CpAsyncWaitGroupOp<'_, '_>) -> Result {
        let pending = self.pending(view.operation(), "n", view.n().into())?;
        self.asynchronous(AsyncInstr::WaitGroup { pending })
    }

    pub(super) fn bulk_wait_group(&mut self, view: CpAsyncBulkWaitGroupOp<'_, '_>) -> Result {
        let pending = self.pending(view.operation(), "group", view.group().into())?;
        let read = view.read();
        self.asynchronous(AsyncInstr::BulkWait { pending, read })
    }

    pub(super) fn bulk_load(&mut self, view: CpAsyncBulkGlobalToSharedClusterOp<'_, '_>) -> Result {
        let op = view.operation();
        if view.multicast_mask().is_some() {
            let message = format!("the executor does not know the multicast of '{}'", name_of(op));
            return Err(self.error(op, message));
        }
        let (dst, src) = (self.shared_operand(op, 0)?, self.address_in(op, 1, Space::Global)?);
        let (barrier, bytes) = (self.shared_operand(op, 2)?, self.operand_reg(op, 3)?);
        self.asynchronous(AsyncInstr::BulkLoad {
            dst,
            src,
            bytes,
            barrier,
        })
    }

    pub(super) fn bulk_store(&mut self, view: CpAsyncBulkSharedCTAToGlobalOp<'_, '_>) -> Result {
        let op = view.operation();
        if view.byte_mask().is_some() {
            let message = format!("the executor does not know the byte mask of '{}'", name_of(op));
            return Err(self.error(op, message));
        }
        let (dst, src) = (self.address_in(op, 0, Space::Global)?, self.shared_operand(op, 1)?);
        let bytes = self.operand_reg(op, 2)?;
        self.asynchronous(AsyncInstr::BulkStore { dst, src, bytes })
    }

    /// A number of groups that may be pending, which the attribute of this name has.
    pub(super) fn pending(&self, op: Op<'_, '_>, name: &str, number: i64) -> Result<u32> {
        u32::try_from(number).map_err(|_| self.bad_attribute(op, name))
    }
}
