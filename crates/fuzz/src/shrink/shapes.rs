//! Smaller shapes, the same everywhere in the kernel.

use mytriton_ssa::{Const, OpKind, Shape};
use rustc_hash::FxHashMap;

use super::Shrinker;
use crate::tree::{Body, Tree, Val};

impl Shrinker<'_> {
    /// Tries scalars in place of all tiles, then smaller extents, each of the extents that there are.
    pub(super) fn shapes(&mut self) {
        let widest = self
            .draft
            .tree
            .types
            .iter()
            .flat_map(|ty| ty.shape.dims().to_vec())
            .max();
        for element in 0..widest.unwrap_or(0).min(ELEMENTS) {
            let mut draft = self.draft.clone();
            if scalarise(&mut draft.tree, element as i32) && self.attempt(draft) {
                return;
            }
        }
        self.flatten();
        let mut extents: Vec<u32> = (self.draft.tree.types.iter())
            .flat_map(|ty| ty.shape.dims().to_vec())
            .filter(|&extent| extent > 1)
            .collect();
        extents.sort_unstable();
        extents.dedup();
        for mut extent in extents.into_iter().rev() {
            for to in [|_| 1, |extent: u32| extent / 2, |extent: u32| extent - 1] {
                while extent > 1 && self.left > 0 {
                    let smaller = to(extent);
                    let mut draft = self.draft.clone();
                    if !resize(&mut draft.tree, extent, smaller) || !self.attempt(draft) {
                        break;
                    }
                    extent = smaller;
                }
            }
        }
        self.flatten();
    }

    fn flatten(&mut self) {
        let mut draft = self.draft.clone();
        if flatten(&mut draft.tree) {
            self.attempt(draft);
        }
    }
}

/// Replaces an extent by another one wherever it stands. False if it stands nowhere.
fn resize(tree: &mut Tree, from: u32, to: u32) -> bool {
    fn ranges(body: &mut Body, from: u32, to: u32) {
        for node in &mut body.nodes {
            if let OpKind::Range { start, end } = &mut node.kind
                && end.abs_diff(*start) == from
            {
                *end = *start + to as i32;
            }
            node.bodies.iter_mut().for_each(|inner| ranges(inner, from, to));
        }
    }
    let mut any = false;
    for ty in &mut tree.types {
        let dims: Vec<u32> = ty
            .shape
            .dims()
            .iter()
            .map(|&d| if d == from { to } else { d })
            .collect();
        if dims != ty.shape.dims()
            && let Ok(shape) = Shape::new(&dims)
        {
            ty.shape = shape;
            any = true;
        }
    }
    ranges(&mut tree.body, from, to);
    any
}

/// How many elements are tried as the one that is left of each tile.
const ELEMENTS: u32 = 8;

/// Makes every tile a scalar: its element at that index, as far as ranges say. False if there is no tile.
fn scalarise(tree: &mut Tree, element: i32) -> bool {
    if tree.types.iter().all(|ty| ty.is_scalar()) {
        return false;
    }
    let mut map = FxHashMap::default();
    take_elements(&mut tree.body, element, &mut map);
    for ty in &mut tree.types {
        ty.shape = Shape::SCALAR;
    }
    tree.replace(&map);
    true
}

fn take_elements(body: &mut Body, element: i32, map: &mut FxHashMap<Val, Val>) {
    body.nodes.retain_mut(|node| {
        node.bodies
            .iter_mut()
            .for_each(|inner| take_elements(inner, element, map));
        match node.kind {
            OpKind::Splat | OpKind::ExpandDims { .. } | OpKind::Broadcast => {
                map.insert(node.results[0], node.operands[0]);
                false
            }
            OpKind::Range { start, end } => {
                node.kind = OpKind::Const(Const::i32(start + element.min(end - start - 1)));
                true
            }
            _ => true,
        }
    });
}

/// Makes every tile one of rank 1. False if one varies along several dimensions, or none has more than one.
fn flatten(tree: &mut Tree) -> bool {
    let flat = |shape: Shape| {
        let mut wide = shape.dims().iter().copied().filter(|&extent| extent > 1);
        let extent = wide.next().unwrap_or(1);
        (!shape.is_scalar() && wide.next().is_none())
            .then(|| Shape::new(&[extent]).ok())
            .flatten()
    };
    if tree.types.iter().all(|ty| ty.shape.rank() <= 1) {
        return false;
    }
    for ty in tree.types.iter_mut().filter(|ty| !ty.is_scalar()) {
        let Some(shape) = flat(ty.shape) else {
            return false;
        };
        ty.shape = shape;
    }
    // What only put dimensions in is the same value now.
    let mut map = FxHashMap::default();
    drop_expansions(&mut tree.body, &mut map);
    tree.replace(&map);
    true
}

fn drop_expansions(body: &mut Body, map: &mut FxHashMap<Val, Val>) {
    body.nodes.retain_mut(|node| {
        node.bodies.iter_mut().for_each(|inner| drop_expansions(inner, map));
        let drop = matches!(node.kind, OpKind::ExpandDims { .. });
        if drop {
            map.insert(node.results[0], node.operands[0]);
        }
        !drop
    });
}
