//! Reductions that a loop combines into one result: `total += sum(x)` in every iteration.
//!
//! Threads combine what they hold, element by element, into a tile that the loop carries; it is reduced once, after the loop,
//! and combined with the loop's initial value. That saves the shuffles and barriers of all iterations but one. The tile
//! starts as identity elements, so that a loop without iterations gives its initial value.
//!
//! Elements then combine in another order. The language leaves the order within a reduction open, but not that of its
//! results: only operations whose result is the same bits in every order qualify, which excludes sums and products of
//! floats.

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Block, BlockRef, OperationRef, Region, RegionLike, Type, Value, ValueLike};
use mytriton_layout::ReductionPlan;
use mytriton_tile::emit::{Emitter, argument_of, result_of};
use mytriton_tile::ops::{ConvertLayoutOp, ReduceOp, scf};
use mytriton_tile::{Identity, defining_operation};
use rustc_hash::FxHashMap;

use crate::ir::{
    PassResult, blocks_of, copy_of_combiner, error_at, kernels_of, key, layout_at, name_of, op_key, ops_of, replace_op,
};
use crate::support::cost;
use crate::support::rebuild::has_bodies;

/// Bytes of registers that a thread keeps such a tile in at most.
const MOST_BYTES: u64 = 64;

/// Loops within loops: each rewrite takes a reduction out of one.
const REWRITES: usize = 4;

/// Takes reductions out of loops in a module in the `layout` stage.
///
/// # Errors
/// A tile without a layout.
pub fn run<'c: 'a, 'a>(context: &'c Context, module: OperationRef<'c, 'a>) -> PassResult<'c> {
    for _ in 0..REWRITES {
        let mut changed = false;
        for kernel in kernels_of(module) {
            let mut found = FxHashMap::default();
            let mut uses = FxHashMap::default();
            count_uses(kernel, &mut uses);
            find(kernel, &uses, &mut found)?;
            if !found.is_empty() {
                rewrite(context, kernel, &found)?;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    Ok(())
}

/// A loop-carried value that is combined with a reduction in each iteration.
#[derive(Clone, Copy)]
struct Accumulation<'c, 'a> {
    /// Which of the carried values.
    carried: usize,
    /// The combination with the reduction's result.
    combine: OperationRef<'c, 'a>,
    /// Which of its operands is the carried value.
    operand: usize,
    /// What its result goes through before.
    convert: Option<OperationRef<'c, 'a>>,
    reduce: OperationRef<'c, 'a>,
    identity: Identity,
}

type Found<'c, 'a> = FxHashMap<usize, Vec<Accumulation<'c, 'a>>>;

fn count_uses<'c: 'a, 'a>(op: OperationRef<'c, 'a>, uses: &mut FxHashMap<usize, u32>) {
    for block in blocks_of(op) {
        for op in ops_of(block) {
            for value in op.operands() {
                *uses.entry(key(value)).or_default() += 1;
            }
            count_uses(op, uses);
        }
    }
}

fn find<'c: 'a, 'a>(
    op: OperationRef<'c, 'a>,
    uses: &FxHashMap<usize, u32>,
    found: &mut Found<'c, 'a>,
) -> PassResult<'c> {
    for block in blocks_of(op) {
        for op in ops_of(block) {
            if scf::ForOp::cast(op).is_some()
                && let Some(&body) = blocks_of(op).first()
                && let Some(end) = body.terminator()
            {
                for carried in 0..end.operand_count() {
                    if let Some(accumulation) = accumulation(body, end, carried, uses)? {
                        found.entry(op_key(op)).or_default().push(accumulation);
                    }
                }
            }
            if has_bodies(op) {
                find(op, uses, found)?;
            }
        }
    }
    Ok(())
}

/// What becomes of a carried value in each iteration, if that is such a combination and nothing else uses it.
fn accumulation<'c: 'a, 'a>(
    body: BlockRef<'c, 'a>,
    end: OperationRef<'c, 'a>,
    carried: usize,
    uses: &FxHashMap<usize, u32>,
) -> PassResult<'c, Option<Accumulation<'c, 'a>>> {
    // A value that stands in the body and is used once.
    let made_here = |value: Value<'c, 'a>| {
        let op = defining_operation(value)?;
        let here = op.block().is_some_and(|block| block == body);
        (here && uses.get(&key(value)) == Some(&1)).then_some(op)
    };
    let argument = argument_of(body, carried + 1);
    let Some(combine) = end.operand(carried).ok().and_then(made_here) else {
        return Ok(None);
    };
    let name = name_of(combine);
    let operands: Vec<Value<'c, 'a>> = combine.operands().collect();
    let (Some(identity), &[a, b], Some(&1)) = (
        Identity::of(combine).filter(|identity| identity.is_of_any_order()),
        &operands[..],
        uses.get(&key(argument)),
    ) else {
        return Ok(None);
    };
    let (operand, other) = match [a, b].iter().position(|&value| key(value) == key(argument)) {
        Some(operand) => (operand, [b, a][operand]),
        None => return Ok(None),
    };
    let Some(mut made) = made_here(other) else {
        return Ok(None);
    };
    let mut convert = None;
    if let Some(conversion) = ConvertLayoutOp::cast(made) {
        convert = Some(made);
        match made_here(conversion.source()) {
            Some(source) => made = source,
            None => return Ok(None),
        }
    }
    let Some(reduce) = ReduceOp::cast(made).filter(|reduce| is_single_operation(reduce.combine(), &name)) else {
        return Ok(None);
    };
    Ok(is_profitable(reduce)?.then_some(Accumulation {
        carried,
        combine,
        operand,
        convert,
        reduce: made,
        identity,
    }))
}

/// Is a combiner of one operand this operation on its two elements?
fn is_single_operation<'c: 'a, 'a>(combine: BlockRef<'c, 'a>, name: &str) -> bool {
    let Some(value) = combine.terminator().and_then(|end| end.operand(0).ok()) else {
        return false;
    };
    combine.argument_count() == 2
        && defining_operation(value).is_some_and(|op| {
            let mut operands: Vec<usize> = op.operands().map(key).collect();
            let mut both = [0, 1].map(|argument| key(argument_of(combine, argument)));
            operands.sort_unstable();
            both.sort_unstable();
            name_of(op) == name && operands == both
        })
}

/// Do threads exchange numbers in the reduction, and can they keep their share of its operand in registers?
fn is_profitable<'c: 'a, 'a>(reduce: ReduceOp<'c, 'a>) -> PassResult<'c, bool> {
    let op = reduce.operation();
    let Some(ty) = reduce.operands().next().map(|value| value.r#type()) else {
        return Ok(false);
    };
    let Some(layout) = layout_at(op, ty)? else {
        return Ok(false);
    };
    let held = u64::from(layout.num_registers()) * cost::element_bytes(ty);
    let plan = ReductionPlan::from_layout(&layout, reduce.axis() as usize);
    let exchanges = plan.is_ok_and(|(plan, _)| !plan.lane_bits.is_empty() || !plan.warp_bits.is_empty());
    Ok(exchanges && held <= MOST_BYTES)
}

/// Makes the kernel again, with tiles carried instead.
fn rewrite<'c: 'a, 'a>(context: &'c Context, kernel: OperationRef<'c, 'a>, found: &Found<'c, 'a>) -> PassResult<'c> {
    let Some(&body) = blocks_of(kernel).first() else {
        return Ok(());
    };
    let mut rewrite = Rewrite {
        found,
        reduces: FxHashMap::default(),
        values: FxHashMap::default(),
    };
    for accumulation in found.values().flatten() {
        let Accumulation { combine, convert, .. } = accumulation;
        for op in [Some(*combine), *convert].into_iter().flatten() {
            rewrite.reduces.insert(op_key(op), None);
        }
        rewrite.reduces.insert(op_key(accumulation.reduce), Some(*accumulation));
    }
    let arguments: Vec<Value<'c, 'a>> = (0..body.argument_count()).map(|i| argument_of(body, i)).collect();
    let types: Vec<_> = arguments
        .iter()
        .map(|value| (value.r#type(), value.location()))
        .collect();
    let region = Region::new();
    let block = region.append_block(Block::new(&types));
    for (index, &argument) in arguments.iter().enumerate() {
        rewrite.values.insert(key(argument), argument_of(block, index));
    }
    rewrite.block(Emitter::new(context, block, kernel.location()), body)?;
    replace_op(kernel, region);
    Ok(())
}

struct Rewrite<'c, 'a, 'f> {
    /// By the loop.
    found: &'f Found<'c, 'a>,
    /// Operations that leave their loop; in place of the reduction a combination of tiles stays.
    reduces: FxHashMap<usize, Option<Accumulation<'c, 'a>>>,
    values: FxHashMap<usize, Value<'c, 'a>>,
}

impl<'c: 'a, 'a> Rewrite<'c, 'a, '_> {
    fn value(&self, op: OperationRef<'c, 'a>, old: Value<'c, 'a>) -> PassResult<'c, Value<'c, 'a>> {
        let new = self.values.get(&key(old)).copied();
        new.ok_or_else(|| error_at(op, format!("an operand of '{}' is defined after it", name_of(op))))
    }

    fn operands(&self, op: OperationRef<'c, 'a>) -> PassResult<'c, Vec<Value<'c, 'a>>> {
        op.operands().map(|value| self.value(op, value)).collect()
    }

    fn block(&mut self, emitter: Emitter<'c, 'a>, old: BlockRef<'c, 'a>) -> PassResult<'c> {
        for op in ops_of(old) {
            let emitter = emitter.at(op.location());
            match self.reduces.get(&op_key(op)) {
                None => self.op(emitter, op)?,
                Some(None) => {}
                Some(&Some(accumulation)) => self.accumulate(emitter, old, accumulation)?,
            }
        }
        Ok(())
    }

    /// The combination of an iteration's tile with the carried one, in place of its reduction.
    fn accumulate(
        &mut self,
        emitter: Emitter<'c, 'a>,
        body: BlockRef<'c, 'a>,
        accumulation: Accumulation<'c, 'a>,
    ) -> PassResult<'c> {
        let carried = self.value(accumulation.reduce, argument_of(body, accumulation.carried + 1))?;
        let tile = self.operands(accumulation.reduce)?[0];
        let combined = emitter.like(accumulation.combine, &[carried, tile], &[carried.r#type()], Vec::new());
        let result = result_of(accumulation.combine, 0);
        self.values.insert(key(result), result_of(combined, 0));
        Ok(())
    }

    fn op(&mut self, emitter: Emitter<'c, 'a>, op: OperationRef<'c, 'a>) -> PassResult<'c> {
        let accumulations = self.found.get(&op_key(op)).map_or(&[][..], Vec::as_slice);
        let mut operands = self.operands(op)?;
        let mut types: Vec<Type<'c>> = op.results().map(|result| result.r#type()).collect();
        // Behind bounds and step.
        let first = operands.len().saturating_sub(types.len());
        let began: Vec<Value<'c, 'a>> = operands[first..].to_vec();
        for accumulation in accumulations {
            let tile = accumulation.reduce.operand(0).map(|value| value.r#type());
            let tile = tile.map_err(|error| error_at(op, error.to_string()))?;
            types[accumulation.carried] = tile;
            operands[first + accumulation.carried] = accumulation.identity.constant(emitter, tile);
        }
        let mut regions = Vec::new();
        for region in op.regions() {
            let Some(block) = region.first_block() else {
                regions.push(Region::new());
                continue;
            };
            if !has_bodies(op) {
                regions.push(copy_of_combiner(emitter, block));
                continue;
            }
            let arguments: Vec<Value<'c, 'a>> = (0..block.argument_count()).map(|i| argument_of(block, i)).collect();
            let mut of_arguments: Vec<Type<'c>> = arguments.iter().map(|value| value.r#type()).collect();
            for accumulation in accumulations {
                of_arguments[accumulation.carried + 1] = types[accumulation.carried];
            }
            let (region, inside) = emitter.region(&of_arguments);
            for (index, &argument) in arguments.iter().enumerate() {
                self.values.insert(key(argument), argument_of(inside, index));
            }
            self.block(emitter.inside(inside), block)?;
            regions.push(region);
        }
        let new = emitter.like(op, &operands, &types, regions);
        for (index, result) in op.results().enumerate() {
            self.values.insert(key(result.into()), result_of(new, index));
        }
        for accumulation in accumulations {
            let tile = result_of(new, accumulation.carried);
            let total = reduced(emitter, accumulation, tile, began[accumulation.carried]);
            self.values.insert(key(result_of(op, accumulation.carried)), total);
        }
        Ok(())
    }
}

/// The reduction of a loop's tile, combined with what the loop began with.
fn reduced<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    accumulation: &Accumulation<'c, 'a>,
    tile: Value<'c, 'a>,
    began: Value<'c, 'a>,
) -> Value<'c, 'a> {
    let again = |op: OperationRef<'c, 'a>, operands: &[Value<'c, 'a>]| {
        let emitter = emitter.at(op.location());
        let types: Vec<Type<'c>> = op.results().map(|result| result.r#type()).collect();
        let regions = blocks_of(op).into_iter().map(|block| copy_of_combiner(emitter, block));
        result_of(emitter.like(op, operands, &types, regions.collect()), 0)
    };
    let mut total = again(accumulation.reduce, &[tile]);
    if let Some(convert) = accumulation.convert {
        total = again(convert, &[total]);
    }
    let operands = match accumulation.operand {
        0 => [began, total],
        _ => [total, began],
    };
    again(accumulation.combine, &operands)
}
