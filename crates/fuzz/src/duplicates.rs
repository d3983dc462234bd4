//! Stores whose outcome is not determined: several elements with one address and different values.
//!
//! The interpreter stores elements in order, so that the last one wins, and has no reason to object. Here every store of
//! a tile is followed by a load of the same elements; where one does not find its own value, another one went over it.

use mytriton_ssa::{CastKind, CmpPred, Const, Elem, OpKind, Scalar, Type};

use crate::case::{Arg, Buffer, Case};
use crate::executor::{Failure, interpret};
use crate::tree::{Body, Node, Tree, Val};

/// Does an element of a store go over another one of the same store with a different value, in this launch? Floats count
/// as different when their bits are. The case must be one that the oracle runs.
pub fn has_conflicting_stores(case: &Case) -> Result<bool, Failure> {
    let mut tree = Tree::of(&case.kernel);
    let flag = tree.param("conflict".to_owned(), Elem::Ptr(Scalar::I32));
    let mut body = std::mem::take(&mut tree.body);
    instrument(&mut tree, &mut body, flag);
    tree.body = body;
    let kernel = tree.kernel().expect("only what is defined is used");
    let mut watched = case.clone();
    watched.args.push(Arg::Pointer {
        buffer: case.buffers.len(),
        offset: 0,
    });
    watched.buffers.push(Buffer::of_bits(Scalar::I32, [0]));
    let outputs = interpret(&watched, &kernel, false)?;
    Ok(outputs.last().is_some_and(|flag| flag[0] != 0))
}

fn instrument(tree: &mut Tree, body: &mut Body, flag: Val) {
    for mut node in std::mem::take(&mut body.nodes) {
        for inner in &mut node.bodies {
            instrument(tree, inner, flag);
        }
        let watch = node.kind == OpKind::Store && !tree.ty(node.operands[0]).is_scalar();
        let operands = node.operands.clone();
        body.nodes.push(node);
        if watch {
            check_store(tree, body, &operands, flag);
        }
    }
}

fn check_store(tree: &mut Tree, body: &mut Body, operands: &[Val], flag: Val) {
    let (pointers, stored, mask) = (operands[0], operands[1], operands.get(2).copied());
    let ty = tree.ty(stored);
    let truth = ty.with_scalar(Scalar::I1);
    let mut op = |kind: OpKind, operands: &[Val], ty: Type| {
        let value = tree.value(ty);
        body.nodes.push(Node {
            kind,
            operands: operands.to_vec(),
            results: vec![value],
            bodies: Vec::new(),
        });
        value
    };
    let read: Vec<Val> = [Some(pointers), mask].into_iter().flatten().collect();
    let mut sides = [stored, op(OpKind::Load, &read, ty)];
    let bits = match ty.as_scalar() {
        Some(Scalar::F16 | Scalar::BF16) => Some(Scalar::I16),
        Some(Scalar::F32) => Some(Scalar::I32),
        Some(Scalar::F64) => Some(Scalar::I64),
        _ => None,
    };
    if let Some(bits) = bits {
        sides = sides.map(|side| op(OpKind::Cast(CastKind::Bitcast), &[side], ty.with_scalar(bits)));
    }
    let mut differs = op(OpKind::Cmp(CmpPred::Ne), &sides, truth);
    if let Some(mask) = mask {
        let no = op(OpKind::Const(Const::bool(false)), &[], truth);
        differs = op(OpKind::Select, &[mask, differs, no], truth);
    }
    let flag_ty = tree_pointer(ty);
    let flags = op(OpKind::Splat, &[flag], flag_ty);
    let one = op(OpKind::Const(Const::i32(1)), &[], ty.with_scalar(Scalar::I32));
    body.nodes.push(Node {
        kind: OpKind::Store,
        operands: vec![flags, one, differs],
        results: Vec::new(),
        bodies: Vec::new(),
    });
}

/// Pointers to the flag in the shape of a type.
fn tree_pointer(ty: Type) -> Type {
    Type::ptr(Scalar::I32).with_shape(ty.shape)
}

#[cfg(test)]
mod tests {
    use mytriton_ssa::parse_module;

    use super::*;

    fn conflicts(body: &str) -> bool {
        let text = format!(
            "kernel @k(%p: ptr<f32>) {{
               %r = range 0, 4
               %b = splat %p : tile<4xptr<f32>>
               {body}
            }}"
        );
        let case = Case {
            kernel: parse_module(&text, "k.ssa").unwrap().kernels.remove(0),
            grid: [1; 3],
            num_warps: 1,
            buffers: vec![Buffer::of_bits(Scalar::F32, [0; 4])],
            args: vec![Arg::Pointer { buffer: 0, offset: 0 }],
        };
        has_conflicting_stores(&case).unwrap()
    }

    #[test]
    fn conflicts_are_found() {
        let values = "%v = s_to_f %r : tile<4xi32> to tile<4xf32>";
        let same = "%v = const 1.5 : tile<4xf32>";
        let apart = "%a = addptr %b, %r : tile<4xptr<f32>>";
        let store = "store %a, %v : tile<4xptr<f32>>";
        let one_place = store.replace("%a", "%b");
        assert!(!conflicts(&format!("{values} {apart} {store}")));
        assert!(!conflicts(&format!("{same} {one_place}")));
        assert!(conflicts(&format!("{values} {one_place}")));
        // Under a mask of one element it is fine, of two it is not; in a branch as well.
        for (limit, expected) in [(1, false), (2, true)] {
            let mask = format!("%n = const {limit} : tile<4xi32> %m = cmp lt %r, %n : tile<4xi32>");
            let masked = one_place.replace("%v :", "%v, %m :");
            assert_eq!(conflicts(&format!("{values} {mask} {masked}")), expected);
            let branch = format!("%t = const true : i1 {values} {mask} if %t {{ {masked} }}");
            assert_eq!(conflicts(&branch), expected);
        }
    }
}
