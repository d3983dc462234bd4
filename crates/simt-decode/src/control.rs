//! Control flow: `scf.for`, `scf.if`, `scf.while`, `scf.index_switch`, `scf.execute_region`, `cf.assert`.
//!
//! What a loop carries is in registers that each round assigns anew; all else is assigned once. Results of a branch are
//! moved at the end of each side.

use std::sync::Arc;

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{RegionLike, Value};
use mytriton_simt::program::{Instr, Pc, Reg};
use mytriton_ssa::{BinaryOp, CmpPred, Scalar};
use mytriton_tile::emit::argument_of;
use mytriton_tile::name_of;
use mytriton_tile::ops::cf;
use mytriton_tile::ops::scf::{self, ConditionOp, ForOp, IndexSwitchOp};

use crate::decoder::{Decoder, Op, Result, UNKNOWN, Words};

impl Decoder<'_> {
    pub(crate) fn scf(&mut self, view: scf::Op<'_, '_>) -> Result {
        match view {
            scf::Op::For(view) => self.scf_for(view),
            scf::Op::If(view) => self.scf_if(view.operation()),
            scf::Op::While(view) => self.scf_while(view.operation()),
            scf::Op::IndexSwitch(view) => self.index_switch(view),
            scf::Op::ExecuteRegion(view) => self.execute_region(view.operation()),
            scf::Op::Yield(_) | scf::Op::Condition(_) => Err(self.unknown(view.operation())),
        }
    }

    pub(crate) fn cf(&mut self, view: cf::Op<'_, '_>) -> Result {
        let op = view.operation();
        match view {
            cf::Op::Assert(view) => {
                let cond = self.operand_reg(op, 0)?;
                self.emit(Instr::Assert {
                    cond,
                    message: Arc::from(view.msg()),
                });
                Ok(())
            }
            cf::Op::Branch(_) | cf::Op::CondBranch(_) | cf::Op::Switch(_) => Err(self.unknown(op)),
        }
    }

    fn execute_region(&mut self, op: Op<'_, '_>) -> Result {
        let end = self.region(op, 0)?;
        let values = self.passed_on(end, 0)?;
        for (index, words) in values.into_iter().enumerate() {
            self.define(op, index, words)?;
        }
        Ok(())
    }

    /// The operands of a terminator from the `first` on.
    fn passed_on(&self, terminator: Option<Op<'_, '_>>, first: usize) -> Result<Vec<Words>> {
        let Some(terminator) = terminator else {
            return Ok(Vec::new());
        };
        let operands = (first..terminator.operand_count()).map(|index| self.operand(terminator, index));
        operands.collect()
    }

    /// Registers of its own for a value that is carried, of the same form as the given ones.
    fn carried(&mut self, op: Op<'_, '_>, words: &[Reg]) -> Result<Words> {
        if words.contains(&UNKNOWN) {
            let message = format!(
                "'{}' carries dynamic shared memory, whose size is not known: carry a memref.view of it",
                name_of(op)
            );
            return Err(self.error(op, message));
        }
        Ok(words.iter().map(|_| self.fresh()).collect())
    }

    /// Moves values into carried registers, all at once.
    fn carry(&mut self, op: Op<'_, '_>, to: &[Words], from: &[Words]) -> Result {
        let matches = to.len() == from.len() && to.iter().zip(from).all(|(a, b)| a.len() == b.len());
        if !matches || from.iter().flatten().any(|&reg| reg == UNKNOWN) {
            return Err(self.error(op, format!("'{}' passes on other values than it takes", name_of(op))));
        }
        self.parallel_moves(to.iter().flatten().copied().zip(from.iter().flatten().copied()));
        Ok(())
    }

    fn arguments<'c: 'a, 'a>(&self, op: Op<'c, 'a>, region: usize) -> Result<Vec<Value<'c, 'a>>> {
        let block = op.region(region).ok().and_then(|region| region.first_block());
        let block = block.ok_or_else(|| self.error(op, format!("'{}' has no body", name_of(op))))?;
        Ok((0..block.argument_count())
            .map(|index| argument_of(block, index))
            .collect())
    }

    fn branch(&mut self, at: Pc, cond: Reg, otherwise: Pc, join: Pc) {
        self.patch(at, Instr::Branch { cond, otherwise, join });
    }

    fn scf_for(&mut self, view: ForOp<'_, '_>) -> Result {
        let op = view.operation();
        let (lower, upper, step) = (
            self.operand_reg(op, 0)?,
            self.operand_reg(op, 1)?,
            self.operand_reg(op, 2)?,
        );
        let ty = self.operand_scalar(op, 0)?;
        let mut initial = Vec::new();
        for index in 3..op.operand_count() {
            initial.push(self.operand(op, index)?);
        }
        let index = self.fresh();
        self.move_to(index, lower);
        let carried = initial
            .iter()
            .map(|words| self.carried(op, words))
            .collect::<Result<Vec<_>>>()?;
        self.carry(op, &carried, &initial)?;
        let arguments = self.arguments(op, 0)?;
        self.bind(arguments[0], smallvec::smallvec![index]);
        for (&argument, words) in arguments[1..].iter().zip(&carried) {
            self.bind(argument, words.clone());
        }

        let pred = if view.unsigned_cmp() { CmpPred::LtU } else { CmpPred::Lt };
        let head = self.pc();
        let inside = self.cmp(pred, ty, index, upper);
        let branch = self.emit(Instr::Join);
        let end = self.region(op, 0)?;
        self.at(op);
        let next = self.passed_on(end, 0)?;
        self.carry(op, &carried, &next)?;
        self.emit(Instr::Binary {
            op: BinaryOp::Add,
            ty,
            dst: index,
            a: index,
            b: step,
        });
        self.emit(Instr::Jump { to: head });
        let exit = self.emit(Instr::Join);
        self.branch(branch, inside, exit, exit);
        for (number, words) in carried.into_iter().enumerate() {
            self.define(op, number, words)?;
        }
        Ok(())
    }

    fn scf_if(&mut self, op: Op<'_, '_>) -> Result {
        let cond = self.operand_reg(op, 0)?;
        let branch = self.emit(Instr::Join);
        let end = self.region(op, 0)?;
        let values = self.passed_on(end, 0)?;
        self.at(op);
        let results = values
            .iter()
            .map(|words| self.carried(op, words))
            .collect::<Result<Vec<_>>>()?;
        self.carry(op, &results, &values)?;
        let has_else = op.region(1).is_ok_and(|region| region.first_block().is_some());
        if has_else {
            let jump = self.emit(Instr::Join);
            let otherwise = self.pc();
            let end = self.region(op, 1)?;
            let values = self.passed_on(end, 0)?;
            self.at(op);
            self.carry(op, &results, &values)?;
            let join = self.emit(Instr::Join);
            self.patch(jump, Instr::Jump { to: join });
            self.branch(branch, cond, otherwise, join);
        } else {
            let join = self.emit(Instr::Join);
            self.branch(branch, cond, join, join);
        }
        for (index, words) in results.into_iter().enumerate() {
            self.define(op, index, words)?;
        }
        Ok(())
    }

    fn scf_while(&mut self, op: Op<'_, '_>) -> Result {
        let initial = (0..op.operand_count())
            .map(|index| self.operand(op, index))
            .collect::<Result<Vec<_>>>()?;
        let carried = initial
            .iter()
            .map(|words| self.carried(op, words))
            .collect::<Result<Vec<_>>>()?;
        self.carry(op, &carried, &initial)?;
        for (argument, words) in self.arguments(op, 0)?.into_iter().zip(&carried) {
            self.bind(argument, words.clone());
        }
        let head = self.pc();
        let test = self.region(op, 0)?;
        let missing = || self.error(op, "'scf.while' has no condition");
        let test = test
            .filter(|test| ConditionOp::cast(*test).is_some())
            .ok_or_else(missing)?;
        let cond = self.operand_reg(test, 0)?;
        // A lane that leaves keeps what its last round passed on: nothing needs moving.
        let forwarded = self.passed_on(Some(test), 1)?;
        for (argument, words) in self.arguments(op, 1)?.into_iter().zip(&forwarded) {
            self.bind(argument, words.clone());
        }
        self.at(op);
        let branch = self.emit(Instr::Join);
        let end = self.region(op, 1)?;
        self.at(op);
        let next = self.passed_on(end, 0)?;
        self.carry(op, &carried, &next)?;
        self.emit(Instr::Jump { to: head });
        let exit = self.emit(Instr::Join);
        self.branch(branch, cond, exit, exit);
        for (index, words) in forwarded.into_iter().enumerate() {
            self.define(op, index, words)?;
        }
        Ok(())
    }

    /// A chain of comparisons. The first region is the default one.
    fn index_switch(&mut self, view: IndexSwitchOp<'_, '_>) -> Result {
        let (op, cases) = (view.operation(), view.cases());
        let selector = self.operand_reg(op, 0)?;
        let mut results: Option<Vec<Words>> = None;
        let mut open = Vec::new();
        let regions = (1..=cases.len()).chain([0]);
        for region in regions {
            let branch = (region > 0).then(|| {
                let case = self.constant(cases[region - 1] as u64);
                let cond = self.cmp(CmpPred::Eq, Scalar::I64, selector, case);
                (self.emit(Instr::Join), cond)
            });
            let end = self.region(op, region)?;
            let values = self.passed_on(end, 0)?;
            self.at(op);
            let into = match results.take() {
                Some(results) => results,
                None => values
                    .iter()
                    .map(|words| self.carried(op, words))
                    .collect::<Result<Vec<_>>>()?,
            };
            self.carry(op, &into, &values)?;
            results = Some(into);
            if let Some((branch, cond)) = branch {
                let jump = self.emit(Instr::Join);
                open.push((branch, cond, jump, self.pc()));
            }
        }
        // Each comparison parts lanes anew, which come together in the reverse order.
        for (branch, cond, jump, otherwise) in open.into_iter().rev() {
            let join = self.emit(Instr::Join);
            self.patch(jump, Instr::Jump { to: join });
            self.branch(branch, cond, otherwise, join);
        }
        for (index, words) in results.unwrap_or_default().into_iter().enumerate() {
            self.define(op, index, words)?;
        }
        Ok(())
    }
}
