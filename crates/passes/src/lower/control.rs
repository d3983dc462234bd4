//! Control flow: the same operations, around the regions of one thread.
//!
//! A loop whose step is not 1 counts its iterations instead, and computes its index from their number: the sum of index and
//! step could wrap around beyond the upper bound, and the loop would never end. With step 1 the index meets the bound.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockRef, OperationRef, Region, RegionLike, Type, Value, ValueLike};
use mytriton_tile::defining_operation;
use mytriton_tile::emit::{CmpI, Emitter, argument_of, result_of};
use mytriton_tile::ops::{arith, scf};

use crate::ir::{PassResult, integer_everywhere, key};
use crate::lower::conversion::Conversion;

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    pub(crate) fn control_flow(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        operands: &[Value<'c, 'a>],
        types: &[Type<'c>],
    ) -> PassResult<'c> {
        if scf::ForOp::cast(op).is_some_and(|op| !steps_by_one(op.step())) {
            return self.counted(emitter, op, operands, types);
        }
        let mut regions = Vec::new();
        for old in op.regions() {
            let Some(old) = old.first_block() else {
                regions.push(Region::new());
                continue;
            };
            let (region, block) = self.region_like(emitter, op, old)?;
            self.block(emitter.inside(block), old)?;
            regions.push(region);
        }
        let new = emitter.like(op, operands, types, regions);
        self.take_results(op, new);
        Ok(())
    }

    /// A loop over lower, lower + step, ... below upper, as one over the number of the iteration.
    fn counted(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        operands: &[Value<'c, 'a>],
        types: &[Type<'c>],
    ) -> PassResult<'c> {
        let [lower, upper, step] = [operands[0], operands[1], operands[2]];
        let ty = lower.r#type();
        let [zero, one] = [0, 1].map(|value| emitter.int_like(ty, value));
        // The distance of two numbers fits into as many bits without a sign. A step that is not positive is a mistake of the
        // kernel's; 0 must not become a division by it, of which a compiler may make anything.
        let distance = emitter.binary(arith::SUBI, upper, lower);
        let before_last = emitter.binary(arith::SUBI, distance, one);
        let divisor = emitter.binary(arith::MAXUI, step, one);
        let whole = emitter.binary(arith::DIVUI, before_last, divisor);
        let iterations = emitter.binary(arith::ADDI, whole, one);
        let any = emitter.cmpi(CmpI::Slt, lower, upper);
        let iterations = emitter.select(any, iterations, zero);

        let Some(old) = op.regions().next().and_then(|region| region.first_block()) else {
            return Ok(());
        };
        let (region, block) = self.region_like(emitter, op, old)?;
        let inside = emitter.inside(block);
        let offset = inside.binary(arith::MULI, argument_of(block, 0), step);
        let index = inside.binary(arith::ADDI, lower, offset);
        self.values.insert(key(argument_of(old, 0)), index);
        self.block(inside, old)?;
        let mut operands = operands.to_vec();
        operands[..3].copy_from_slice(&[zero, iterations, one]);
        let unsigned = [("unsignedCmp", emitter.unit())];
        let new = emitter.op_with_regions(scf::FOR, &operands, types, &unsigned, vec![region]);
        self.take_results(op, new);
        Ok(())
    }

    /// An empty region with a block of the converted arguments, which stand for the old block's from here on.
    fn region_like(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        old: BlockRef<'c, '_>,
    ) -> PassResult<'c, (Region<'c>, BlockRef<'c, 'a>)> {
        let arguments: Vec<Value> = (0..old.argument_count()).map(|i| argument_of(old, i)).collect();
        let types = arguments
            .iter()
            .map(|v| self.lowered(op, v.r#type()))
            .collect::<PassResult<Vec<_>>>()?;
        let (region, block) = emitter.region(&types);
        for (index, argument) in arguments.into_iter().enumerate() {
            self.values.insert(key(argument), argument_of(block, index));
        }
        Ok((region, block))
    }

    fn take_results(&mut self, op: OperationRef<'c, '_>, new: OperationRef<'c, 'a>) {
        for (index, result) in op.results().enumerate() {
            self.values.insert(key(result.into()), result_of(new, index));
        }
    }
}

/// Is a loop's step the constant 1?
fn steps_by_one(step: Value<'_, '_>) -> bool {
    let constant = defining_operation(step).and_then(arith::ConstantOp::cast);
    constant.and_then(|constant| integer_everywhere(constant.value())) == Some(1)
}
