//! `tile-optimize-thread-locality`: takes reductions out of loops that combine them (`accumulate`), and proposes layouts in
//! which reductions and scans stay within warps.
//!
//! Where loads are coalesced, warps take the outermost dimension. A reduction along that one has to go through shared
//! memory, with barriers. If other dimensions have registers or lanes to give, exchanging them with the warps leaves the
//! reduction to threads and shuffles, while a warp still asks for the same sectors of memory. The operands are then
//! converted to such a layout, where that makes the reduction cheaper ([`cost::reduction`]); whether the operands are worth it
//! is for `tile-propagate-layouts` to say, which weighs this layout against where the operands come.
//!
//! The order in which a reduction combines is open in the language, so rounding may differ.

mod accumulate;

use melior::ir::operation::OperationLike;
use melior::ir::{BlockRef, OperationRef, Value, ValueLike};
use mytriton_layout::{Coords, DistributedLayout, LinearLayout};
use mytriton_tile::defining_operation;
use mytriton_tile::emit::shape_of;
use mytriton_tile::ops::{LoadOp, TileOp};
use mytriton_tile_sys as sys;

use crate::interfaces::layout::{Relation, relation_of, result_layout};
use crate::ir::{PassResult, blocks_of, error_at, kernels_of, layout_at, ops_of};
use crate::support::cost;
use crate::support::rebuild::{Plan, Variant, has_bodies, origin, rebuild};

/// Runs the pass on a module in the `layout` stage.
pub fn run<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> PassResult<'c> {
    sys::with_context(&module, |context| accumulate::run(context, module))?;
    for kernel in kernels_of(module) {
        let mut proposals = Vec::new();
        for block in blocks_of(kernel) {
            propose(block, &mut proposals)?;
        }
        if proposals.is_empty() {
            continue;
        }
        let mut plan = Plan::of(kernel)?;
        for (op, layout) in proposals {
            let result = result_layout(op, &layout);
            let result = result.map_err(|error| error_at(op, format!("no layout for the result: {error}")))?;
            let mut made = Variant::in_one(op, plan.layouts.id(&layout));
            if let Some(result) = result {
                let result = plan.layouts.id(&result);
                made.results.iter_mut().flatten().for_each(|layout| *layout = result);
            }
            plan.set_variant(op, made);
        }
        sys::with_context(&kernel, |context| rebuild(context, kernel, &plan))?;
    }
    Ok(())
}

fn propose<'c: 'a, 'a>(
    block: BlockRef<'c, 'a>,
    proposals: &mut Vec<(OperationRef<'c, 'a>, DistributedLayout)>,
) -> PassResult<'c> {
    for op in ops_of(block) {
        let axis = match TileOp::cast(op) {
            Some(TileOp::Reduce(reduce)) => Some(reduce.axis() as usize),
            Some(TileOp::Scan(scan)) => Some(scan.axis() as usize),
            _ => None,
        };
        if let Some(axis) = axis
            && let Ok(operand) = op.operand(0)
        {
            let source = source_of(operand);
            let bytes = op.operands().map(|value| cost::element_bytes(value.r#type())).sum();
            if let Some(layout) = layout_at(op, source.r#type())?
                && let Some(better) = local(&layout, axis, bytes)
            {
                proposals.push((op, better));
            }
        }
        if has_bodies(op) {
            for inner in blocks_of(op) {
                propose(inner, proposals)?;
            }
        }
    }
    Ok(())
}

/// The load that a value is computed from, element by element, or the value itself.
fn source_of<'c: 'a, 'a>(value: Value<'c, 'a>) -> Value<'c, 'a> {
    let shape = shape_of(value.r#type());
    let mut source = origin(value);
    while let Some(op) = defining_operation(source) {
        if LoadOp::cast(op).is_some() {
            return source;
        }
        let next = op.operands().find(|operand| shape_of(operand.r#type()) == shape);
        match (relation_of(op), next) {
            (Some(Relation::Elementwise), Some(next)) => source = origin(next),
            _ => break,
        }
    }
    value
}

/// The layout with warps exchanged for what reduces along `axis` at the least cost; none if none costs less.
fn local(layout: &DistributedLayout, axis: usize, bytes: u64) -> Option<DistributedLayout> {
    let mut best = (cost::reduction(layout, axis, bytes), None);
    let mut current = layout.clone();
    // One warp bit after another, each for the best bit there is.
    for _ in 0..layout.num_warps().ilog2() {
        let exchanges = exchanges(&current, axis);
        let cheapest = exchanges
            .into_iter()
            .map(|layout| (cost::reduction(&layout, axis, bytes), layout))
            .min_by_key(|(cost, _)| *cost);
        let Some((cost, layout)) = cheapest else { break };
        current = layout;
        if cost < best.0 {
            best = (cost, Some(current.clone()));
        }
    }
    best.1
}

/// The layouts in which the first warp bit along `axis` has changed places with the last register or lane bit along
/// another dimension.
fn exchanges(layout: &DistributedLayout, axis: usize) -> Vec<DistributedLayout> {
    let bases: [Vec<Coords>; 4] =
        sys::LayoutIndex::ALL.map(|index| layout.linear().bases(index.name()).collect::<Vec<_>>());
    let along = |basis: &Coords| basis.iter().enumerate().all(|(dim, &c)| (c != 0) == (dim == axis));
    let across = |basis: &Coords| basis[axis] == 0 && basis.iter().any(|&c| c != 0);
    let place = |name: &str| sys::LayoutIndex::ALL.iter().position(|index| index.name() == name);
    let Some(warps) = place("warp") else { return Vec::new() };
    let Some(warp) = bases[warps].iter().position(along) else {
        return Vec::new();
    };
    let shape = layout.shape();
    let names: Vec<String> = (0..shape.len()).map(|dim| format!("dim{dim}")).collect();
    let outs: Vec<(&str, u32)> = names.iter().map(String::as_str).zip(shape.iter().copied()).collect();
    let lanes = place("lane").map_or(&[][..], |index| &bases[index][..]);
    // What lies below the lanes is what an access takes at once.
    let within = |basis: &Coords| {
        lanes
            .iter()
            .any(|lane| lane.iter().zip(basis).any(|(&l, &b)| b != 0 && l > b))
    };
    let exchanged = |name: &str| {
        let from = place(name)?;
        let may = |basis: &Coords| across(basis) && (name == "lane" || !within(basis));
        let bit = bases[from].iter().rposition(may)?;
        let mut bases = bases.clone();
        let of_warp = bases[warps][warp].clone();
        let basis = std::mem::replace(&mut bases[from][bit], of_warp);
        bases[warps][warp] = basis;
        let ins = sys::LayoutIndex::ALL.iter().map(|index| index.name()).zip(bases);
        DistributedLayout::new(LinearLayout::from_bases(ins, &outs).ok()?).ok()
    };
    ["register", "lane"].into_iter().filter_map(exchanged).collect()
}
