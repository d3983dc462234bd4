//! Operations on shapes and addresses.

use melior::ir::ValueLike;
use mytriton_tile::emit::shape_of;
use mytriton_tile::ops::{AddPtrOp, BroadcastOp, ExpandDimsOp, RangeOp, TransposeOp};
use mytriton_tile::permutation_of;
use smallvec::SmallVec;

use super::{Axis, AxisInfo, ResultType};
use crate::analyses::axis_info::power_of_two_in;
use crate::ir::pointee_bytes;

pub fn range(range: RangeOp<'_, '_>, result: &ResultType) -> AxisInfo {
    let axis = Axis {
        contiguity: result.padded(0),
        divisibility: power_of_two_in(range.start().into()),
        constancy: 1,
    };
    AxisInfo {
        axes: SmallVec::from_elem(axis, 1),
        constant: None,
    }
}

pub fn expand_dims(expand: ExpandDimsOp<'_, '_>, x: &AxisInfo) -> AxisInfo {
    let mut info = x.clone();
    let axis = Axis {
        contiguity: 1,
        divisibility: x.divisibility_of_all(),
        constancy: 1,
    };
    info.axes.insert(expand.axis() as usize, axis);
    info
}

pub fn broadcast(broadcast: BroadcastOp<'_, '_>, result: &ResultType, x: &AxisInfo) -> Option<AxisInfo> {
    let from = shape_of(broadcast.source().r#type())?;
    let mut info = x.clone();
    for (dim, axis) in info.axes.iter_mut().enumerate() {
        if from[dim] != result.extents[dim] {
            *axis = Axis {
                contiguity: 1,
                divisibility: axis.divisibility_of_groups(1),
                constancy: result.padded(dim),
            };
        }
    }
    Some(info)
}

pub fn transpose(transpose: TransposeOp<'_, '_>, x: &AxisInfo) -> Option<AxisInfo> {
    let permutation = permutation_of(transpose)?;
    Some(AxisInfo {
        axes: permutation.iter().map(|&dim| x.axes[dim]).collect(),
        constant: x.constant,
    })
}

/// Only a constant survives: runs break where a row ends.
pub fn reshape(result: &ResultType, x: &AxisInfo) -> Option<AxisInfo> {
    let value = x.constant?;
    Some(result.uniform(power_of_two_in(value), Some(value)))
}

pub fn addptr(addptr: AddPtrOp<'_, '_>, pointer: &AxisInfo, offset: &AxisInfo) -> Option<AxisInfo> {
    let bytes = pointee_bytes(addptr.pointer().r#type())?;
    Some(pointer.zip(offset, |p, o| {
        let contiguity = p.contiguity.min(o.constancy).max(p.constancy.min(o.contiguity));
        let moved = o.divisibility_of_groups(contiguity).saturating_mul(bytes);
        Axis {
            contiguity,
            // A run of addresses starts where the run of offsets does; a longer run of pointers is cut in bytes.
            divisibility: moved.min(if p.contiguity > contiguity {
                p.divisibility.min(contiguity.saturating_mul(bytes))
            } else {
                p.divisibility
            }),
            constancy: p.constancy.min(o.constancy),
        }
    }))
}
