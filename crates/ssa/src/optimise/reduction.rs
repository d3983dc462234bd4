//! Reductions and scans: those of one element, those that are computed twice, and what their combines hold.

use smallvec::smallvec;

use super::simplify::Simplifier;
use crate::kernel::OpId;
use crate::op::OpKind;

/// `reduce x... (a..., b...) { yield c... }` and `scan`
pub(super) fn visit(simplifier: &mut Simplifier<'_>, op: OpId) {
    let data = simplifier.kernel.op(op).clone();
    let (axis, is_scan) = match data.kind {
        OpKind::Reduce { axis } => (axis, false),
        OpKind::Scan { axis, .. } => (axis, true),
        ref other => unreachable!("'{}' is neither a reduction nor a scan", other.name()),
    };
    if simplifier.kernel.ty(data.operands[0]).shape.dims()[axis] == 1 {
        simplifier.changed = true;
        for (&result, &x) in data.results.iter().zip(&data.operands) {
            // scan of one element = x; reduce of one element = reshape x without the axis
            let value = if is_scan {
                x
            } else {
                let ty = simplifier.kernel.ty(result);
                simplifier.emit(OpKind::Reshape, smallvec![x], ty, data.loc)
            };
            simplifier.replace(result, value);
        }
        return;
    }
    simplifier.isolated_region(data.regions[0]);
    match simplifier.equal(op) {
        // reduce x f ... reduce x f = reduce x f
        Some(equal) => {
            for (index, &result) in data.results.iter().enumerate() {
                let value = simplifier.kernel.op(equal).results[index];
                simplifier.replace(result, value);
            }
        }
        None => simplifier.out.push(op),
    }
}
