//! `tile-assign-layouts`: gives every tensor of a kernel a layout, the same for all of a shape. Numerics do not change.
//!
//! The default of a shape is blocked: lanes along the last dimension, neighbouring elements in neighbouring lanes; what
//! lanes remain go on to the dimension before it. Warps are spread over the outermost dimensions first, so that a row
//! stays within a warp where there are rows enough. Where operations tie layouts together (`expand_dims`, `broadcast`,
//! `reduce`, `reshape`, ...), `tile.convert_layout` stands around them.
//!
//! Only shapes count here. Which layouts memory wants, and which conversions are needed after all, later passes decide.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockRef, OperationRef, Type, TypeLike, ValueLike};
use mytriton_layout::{DistributedLayout, LayoutError};
use mytriton_tile::emit::{argument_of, shape_of};
use mytriton_tile::types::tensor;
use mytriton_tile_sys as sys;
use rustc_hash::FxHashMap;

use crate::interfaces::layout::{Relation, operand_layout, relation_of, result_layout};
use crate::ir::{PassResult, blocks_of, error_at, kernels_of, name_of, num_warps_of, ops_of};
use crate::support::blocked::blocked;
use crate::support::rebuild::{LayoutId, Plan, Variant, has_bodies, rebuild};

/// Runs the pass on a module.
pub fn run<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> PassResult<'c> {
    for kernel in kernels_of(module) {
        let mut assign = Assign {
            plan: Plan::default(),
            defaults: FxHashMap::default(),
            num_warps: num_warps_of(kernel),
        };
        for block in blocks_of(kernel) {
            assign.block(kernel, block)?;
        }
        sys::with_context(&kernel, |context| rebuild(context, kernel, &assign.plan))?;
    }
    Ok(())
}

struct Assign {
    plan: Plan,
    defaults: FxHashMap<Vec<u64>, LayoutId>,
    num_warps: u32,
}

impl Assign {
    /// The default layout of a tile; `None` for non-tiles.
    fn default_of<'c>(&mut self, op: OperationRef<'c, '_>, ty: Type<'c>) -> PassResult<'c, Option<LayoutId>> {
        if !ty.is_ranked_tensor() {
            return Ok(None);
        }
        let Some(shape) = shape_of(ty) else {
            return Err(error_at(op, format!("no layout for {ty}: its extents must be static")));
        };
        if let Some(&layout) = self.defaults.get(&shape) {
            return Ok(Some(layout));
        }
        let axis = shape.len().saturating_sub(1);
        let layout = blocked(&shape, axis, 1, self.num_warps);
        let layout = layout.map_err(|error| error_at(op, format!("no layout for {ty}: {error}")))?;
        let layout = self.plan.layouts.id(&layout);
        self.defaults.insert(shape, layout);
        Ok(Some(layout))
    }

    fn block<'c: 'a, 'a>(&mut self, parent: OperationRef<'c, 'a>, block: BlockRef<'c, 'a>) -> PassResult<'c> {
        for argument in (0..block.argument_count()).map(|index| argument_of(block, index)) {
            if let Some(layout) = self.default_of(parent, argument.r#type())? {
                self.plan.argument(argument, layout);
            }
        }
        for op in ops_of(block) {
            self.op(op)?;
            if has_bodies(op) {
                for inner in blocks_of(op) {
                    self.block(op, inner)?;
                }
            }
        }
        Ok(())
    }

    fn op<'c: 'a, 'a>(&mut self, op: OperationRef<'c, 'a>) -> PassResult<'c> {
        let types = || {
            op.operands()
                .map(|v| v.r#type())
                .chain(op.results().map(|r| r.r#type()))
        };
        for ty in types() {
            if tensor(ty).is_some_and(|tensor| tensor.encoding().is_some()) {
                let message = format!("{ty} has a layout already: this pass starts from tiles without");
                return Err(error_at(op, message));
            }
        }
        let name = name_of(op);
        let rule = relation_of(op).ok_or_else(|| error_at(op, format!("the layout passes do not know '{name}'")))?;
        if !types().any(|ty| ty.is_ranked_tensor()) {
            return Ok(());
        }
        let mut made = Variant::default();
        for result in op.results() {
            made.results.push(self.default_of(op, result.r#type())?);
        }
        for operand in op.operands() {
            made.operands.push(self.default_of(op, operand.r#type())?);
        }
        let misfit = |error: LayoutError| error_at(op, format!("no layout for a tile of '{name}': {error}"));
        match rule {
            Relation::Elementwise => {
                if let Some(layout) = made.results.first().copied().flatten() {
                    let layout = self.plan.layouts.get(layout).clone();
                    for (index, of_operand) in made.operands.iter_mut().enumerate() {
                        if of_operand.is_some() {
                            let wanted = operand_layout(op, index, &layout).map_err(misfit)?;
                            *of_operand = Some(self.plan.layouts.id(&wanted));
                        }
                    }
                }
            }
            Relation::AnchoredBy(anchor) => {
                let deciding = made.operands.get(anchor).copied().flatten();
                let deciding: Option<DistributedLayout> = deciding.map(|id| self.plan.layouts.get(id).clone());
                let settled = deciding
                    .map(|layout| result_layout(op, &layout))
                    .transpose()
                    .map_err(misfit)?;
                if let Some(settled) = settled.flatten() {
                    let settled = self.plan.layouts.id(&settled);
                    made.results.iter_mut().flatten().for_each(|layout| *layout = settled);
                }
            }
            Relation::LayoutBarrier | Relation::Memory | Relation::ControlFlow => {}
        }
        self.plan.add_variant(op, made);
        Ok(())
    }
}
