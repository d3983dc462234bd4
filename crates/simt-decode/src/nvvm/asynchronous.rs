//! Copies that complete later, and the mbarriers and groups that they complete on.

use melior::ir::operation::OperationLike;
use mytriton_simt::asynchronous::AsyncInstr;
use mytriton_simt::program::{Instr, Reg, Space};
use mytriton_ssa::Scalar;
use mytriton_tile::name_of;

use crate::attributes;
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

    /// The instruction, for the lanes alone whose predicate (operand `index`, if it is there) holds.
    fn predicated(&mut self, op: Op<'_, '_>, index: usize, instr: AsyncInstr) -> Result {
        if !has_operand(op, index) {
            self.emit_async(instr);
            return Ok(());
        }
        let cond = self.operand_reg(op, index)?;
        self.only_if(cond, |this| {
            this.emit_async(instr);
            Ok(())
        })
    }

    pub(super) fn mbarrier(&mut self, op: Op<'_, '_>, name: &str) -> Result<bool> {
        if attributes::flag(op, "relaxed") {
            return Err(self.bad_attribute(op, "relaxed"));
        }
        // Shared forms have a suffix of their own in older versions.
        let name = name.strip_suffix(".shared").unwrap_or(name);
        match name {
            "mbarrier.init" => {
                let (barrier, count) = (self.shared_operand(op, 0)?, self.operand_reg(op, 1)?);
                self.predicated(op, 2, AsyncInstr::BarrierInit { barrier, count })?;
            }
            "mbarrier.inval" => {
                let barrier = self.shared_operand(op, 0)?;
                self.emit_async(AsyncInstr::BarrierInvalidate { barrier });
            }
            "mbarrier.expect_tx" => {
                let (barrier, bytes) = (self.shared_operand(op, 0)?, self.operand_reg(op, 1)?);
                self.emit_async(AsyncInstr::BarrierExpect { barrier, bytes });
            }
            "mbarrier.arrive" | "mbarrier.arrive.nocomplete" => {
                let barrier = self.shared_operand(op, 0)?;
                let count = if has_operand(op, 1) {
                    Some(self.operand_reg(op, 1)?)
                } else {
                    None
                };
                let state = self.state(op)?;
                self.emit_async(AsyncInstr::BarrierArrive {
                    barrier,
                    count,
                    expect: None,
                    state,
                });
            }
            "mbarrier.arrive.expect_tx" => {
                let barrier = self.shared_operand(op, 0)?;
                let expect = Some(self.operand_reg(op, 1)?);
                let state = self.state(op)?;
                let arrive = AsyncInstr::BarrierArrive {
                    barrier,
                    count: None,
                    expect,
                    state,
                };
                self.predicated(op, 2, arrive)?;
            }
            "mbarrier.test.wait" | "mbarrier.try_wait" => {
                let (barrier, phase) = (self.shared_operand(op, 0)?, self.operand_reg(op, 1)?);
                let parity = self.operand_scalar(op, 1)? == Scalar::I32;
                let done = self.fresh();
                self.emit_async(AsyncInstr::BarrierTest {
                    barrier,
                    phase,
                    parity,
                    done,
                });
                self.define_reg(op, 0, done)?;
            }
            "mbarrier.try_wait.parity" => {
                // The operation is the loop around the instruction.
                let (barrier, phase) = (self.shared_operand(op, 0)?, self.operand_reg(op, 1)?);
                self.wait_for(barrier, phase, true);
            }
            _ => return Ok(false),
        }
        Ok(true)
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

    pub(super) fn copy_async(&mut self, op: Op<'_, '_>, name: &str) -> Result<bool> {
        match name {
            "cp.async.shared.global" => {
                let (dst, src) = (self.shared_operand(op, 0)?, self.address_in(op, 1, Space::Global)?);
                let bytes = attributes::integer(op, "size").and_then(|size| u8::try_from(size).ok());
                let bytes = bytes.filter(|bytes| matches!(bytes, 4 | 8 | 16));
                let bytes = bytes.ok_or_else(|| self.bad_attribute(op, "size"))?;
                let valid = if has_operand(op, 2) {
                    Some(self.operand_reg(op, 2)?)
                } else {
                    None
                };
                self.emit_async(AsyncInstr::Copy { dst, src, bytes, valid });
            }
            "cp.async.commit.group" => self.emit_async(AsyncInstr::CommitGroup),
            "cp.async.wait.group" => {
                let pending = self.pending(op, "n")?;
                self.emit_async(AsyncInstr::WaitGroup { pending });
            }
            "cp.async.bulk.commit.group" => self.emit_async(AsyncInstr::BulkCommit),
            "cp.async.bulk.wait_group" => {
                let pending = self.pending(op, "group")?;
                let read = op.has_attribute("read");
                self.emit_async(AsyncInstr::BulkWait { pending, read });
            }
            "cp.async.bulk.shared.cluster.global" => {
                if self.segments(op)?.get(4).is_some_and(|multicast| !multicast.is_empty()) {
                    return Err(self.error(
                        op,
                        format!("the executor does not know the multicast of '{}'", name_of(op)),
                    ));
                }
                let (dst, src) = (self.shared_operand(op, 0)?, self.address_in(op, 1, Space::Global)?);
                let (barrier, bytes) = (self.shared_operand(op, 2)?, self.operand_reg(op, 3)?);
                self.emit_async(AsyncInstr::BulkLoad {
                    dst,
                    src,
                    bytes,
                    barrier,
                });
            }
            "cp.async.bulk.global.shared.cta" => {
                if self.segments(op)?.get(4).is_some_and(|mask| !mask.is_empty()) {
                    return Err(self.error(
                        op,
                        format!("the executor does not know the byte mask of '{}'", name_of(op)),
                    ));
                }
                let (dst, src) = (self.address_in(op, 0, Space::Global)?, self.shared_operand(op, 1)?);
                let bytes = self.operand_reg(op, 2)?;
                self.emit_async(AsyncInstr::BulkStore { dst, src, bytes });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn pending(&self, op: Op<'_, '_>, name: &str) -> Result<u32> {
        let pending = attributes::integer(op, name).and_then(|pending| u32::try_from(pending).ok());
        pending.ok_or_else(|| self.bad_attribute(op, name))
    }
}
