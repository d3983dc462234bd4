//! `tile-infer-axis-info`: writes down what [`axis_info`](crate::analyses::axis_info) knows of the integers and addresses of a kernel,
//! for readers and tests. The passes that use the analysis run it themselves.
//!
//! An operation of one result, an integer or pointer of which anything is known, gets the attribute `axis_info`: along each
//! dimension contiguity, divisibility and constancy. It belongs to no dialect and means nothing to other passes.

use melior::Context;
use melior::ir::attribute::StringAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationMutLike};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, BlockRef, OperationRef, ValueLike};
use mytriton_tile::emit::{element_type, result_of};
use mytriton_tile_sys as sys;

use crate::analyses::axis_info::{Axis, AxisInfos};
use crate::ir::{PassResult, blocks_of, kernels_of, ops_of};
use crate::support::rebuild::has_bodies;

/// Runs the pass on a module.
pub fn run<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> PassResult<'c> {
    for kernel in kernels_of(module) {
        let infos = AxisInfos::analyze(kernel);
        sys::with_context(&kernel, |context| {
            for block in blocks_of(kernel) {
                annotate(context, block, &infos);
            }
        });
    }
    Ok(())
}

fn annotate<'c: 'a, 'a>(context: &'c Context, block: BlockRef<'c, 'a>, infos: &AxisInfos) {
    let mut next = block.first_operation_mut();
    for seen in ops_of(block) {
        let Some(mut op) = next else { break };
        next = op.next_in_block_mut();
        if has_bodies(seen) {
            for inner in blocks_of(seen) {
                annotate(context, inner, infos);
            }
        } else if let Some(note) = note_of(context, seen, infos) {
            op.set_attribute("axis_info", note);
        }
    }
}

fn note_of<'c>(context: &'c Context, op: OperationRef<'c, '_>, infos: &AxisInfos) -> Option<Attribute<'c>> {
    if op.result_count() != 1 {
        return None;
    }
    let element = element_type(result_of(op, 0).r#type());
    if IntegerType::try_from(element).is_err() && sys::ptr_pointee(element).is_none() {
        return None;
    }
    let info = infos.get(result_of(op, 0));
    let nothing = Axis {
        contiguity: 1,
        divisibility: 1,
        constancy: 1,
    };
    if info.constant.is_none() && info.axes.iter().all(|axis| *axis == nothing) {
        return None;
    }
    let list = |f: fn(&Axis) -> u64| {
        info.axes
            .iter()
            .map(|axis| f(axis).to_string())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut text = format!(
        "contiguity [{}], divisibility [{}], constancy [{}]",
        list(|axis| axis.contiguity),
        list(|axis| axis.divisibility),
        list(|axis| axis.constancy)
    );
    if let Some(value) = info.constant {
        text += &format!(", constant {value}");
    }
    Some(StringAttribute::new(context, &text).into())
}
