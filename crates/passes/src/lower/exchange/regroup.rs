//! Operations after which every register holds an element that the thread had before: `expand_dims`, `broadcast`,
//! `transpose`, and a `reshape` that moves nothing.

use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Type, Value, ValueLike};
use mytriton_layout::{DistributedLayout, source_registers};
use mytriton_tile::emit::{Emitter, result_of};
use mytriton_tile::ops::TransposeOp;
use mytriton_tile::permutation_of;

use crate::ir::{PassResult, error_at, tile_layout_at};
use crate::lower::conversion::Conversion;
use crate::lower::thread;

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    /// An operation whose result has at each place the operand's element at `source` of it.
    pub(crate) fn regroup(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        operand: Value<'c, 'a>,
        ty: Type<'c>,
        source: impl Fn(&[u32]) -> Vec<u32>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let (from, to) = layouts(op)?;
        let picked = source_registers(&from, &to, source).map_err(|e| error_at(op, e.to_string()))?;
        Ok(thread::pick(emitter, operand, &picked, ty))
    }

    /// `expand_dims`, which adds dimension `axis`, and `broadcast`.
    pub(crate) fn stretched(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        axis: Option<usize>,
        operand: Value<'c, 'a>,
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let shape = layouts(op)?.0.shape();
        // Without the new dimension, and at 0 in stretched ones.
        let source = |coordinates: &[u32]| -> Vec<u32> {
            let kept = coordinates
                .iter()
                .enumerate()
                .filter(|&(d, _)| Some(d) != axis)
                .map(|(_, &c)| c);
            kept.zip(&shape)
                .map(|(c, &size)| if size == 1 { 0 } else { c })
                .collect()
        };
        self.regroup(emitter, op, operand, ty, source)
    }

    pub(crate) fn transpose(
        &self,
        emitter: Emitter<'c, 'a>,
        transpose: TransposeOp<'c, '_>,
        operand: Value<'c, 'a>,
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let op = transpose.operation();
        let permutation = permutation_of(transpose).ok_or_else(|| error_at(op, "'permutation' is none"))?;
        let source = |at: &[u32]| {
            let mut place = vec![0; at.len()];
            for (&dim, &at) in permutation.iter().zip(at) {
                place[dim] = at;
            }
            place
        };
        self.regroup(emitter, op, operand, ty, source)
    }
}

/// The layouts of an operation's operand and result.
pub fn layouts<'c>(op: OperationRef<'c, '_>) -> PassResult<'c, (DistributedLayout, DistributedLayout)> {
    let result: Value = result_of(op, 0);
    let operand = op.operand(0).map_err(|e| error_at(op, e.to_string()))?.r#type();
    Ok((tile_layout_at(op, operand)?, tile_layout_at(op, result.r#type())?))
}
