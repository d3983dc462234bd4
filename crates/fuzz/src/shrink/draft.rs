//! A case that is being changed.

use mytriton_ssa::OpKind;
use rustc_hash::FxHashSet;

use super::nodes::{Edit, Edited};
use crate::case::{Arg, Buffer, Case};
use crate::tree::{Body, Node, Tree, Val};

/// A case with its kernel as a tree.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub tree: Tree,
    pub grid: [u32; 3],
    pub num_warps: u32,
    pub buffers: Vec<Buffer>,
    pub args: Vec<Arg>,
}

impl Draft {
    pub fn of(case: &Case) -> Draft {
        Draft {
            tree: Tree::of(&case.kernel),
            grid: case.grid,
            num_warps: case.num_warps,
            buffers: case.buffers.clone(),
            args: case.args.clone(),
        }
    }

    /// The case; none if a value is used where it is not defined.
    pub fn case(&self) -> Option<Case> {
        Some(Case {
            kernel: self.tree.kernel()?,
            grid: self.grid,
            num_warps: self.num_warps,
            buffers: self.buffers.clone(),
            args: self.args.clone(),
        })
    }

    /// Removes dead operations, and parameters and buffers that nothing uses.
    pub fn tidy(&mut self) {
        self.tree.prune();
        let used = self.used();
        let keep: Vec<bool> = self
            .tree
            .params
            .iter()
            .map(|param| used.contains(&param.value))
            .collect();
        retain(&mut self.tree.params, &keep);
        retain(&mut self.args, &keep);
        let mut numbers = vec![None; self.buffers.len()];
        let mut kept = 0;
        for arg in &mut self.args {
            if let Arg::Pointer { buffer, .. } = arg {
                *buffer = *numbers[*buffer].get_or_insert_with(|| {
                    kept += 1;
                    kept - 1
                });
            }
        }
        let mut order: Vec<(usize, Buffer)> = (numbers.into_iter().zip(std::mem::take(&mut self.buffers)))
            .filter_map(|(number, buffer)| Some((number?, buffer)))
            .collect();
        order.sort_by_key(|(number, _)| *number);
        self.buffers = order.into_iter().map(|(_, buffer)| buffer).collect();
    }

    /// The number of stores, and of loads that nothing uses, at any depth.
    pub fn count_effects(&self) -> usize {
        let used = self.used();
        self.tree.nodes().iter().filter(|node| is_effect(node, &used)).count()
    }

    /// Removes some of those by their numbers in program order.
    pub fn remove_effects(&mut self, which: std::ops::Range<usize>) {
        fn walk(body: &mut Body, number: &mut usize, which: &std::ops::Range<usize>, used: &FxHashSet<Val>) {
            body.nodes.retain_mut(|node| {
                let mut keep = true;
                if is_effect(node, used) {
                    keep = !which.contains(number);
                    *number += 1;
                }
                node.bodies
                    .iter_mut()
                    .for_each(|inner| walk(inner, number, which, used));
                keep
            });
        }
        let used = self.used();
        walk(&mut self.tree.body, &mut 0, &which, &used);
    }

    fn used(&self) -> FxHashSet<Val> {
        self.tree
            .nodes()
            .iter()
            .flat_map(|node| node.operands.iter().copied())
            .collect()
    }

    /// Applies a variant of an edit to the operation at a position in program order.
    pub fn edit(&mut self, position: usize, variant: usize, edit: Edit) -> Edited {
        let mut body = std::mem::take(&mut self.tree.body);
        let mut left = position;
        let edited = at(&mut self.tree, &mut body, &mut left, variant, edit);
        self.tree.body = body;
        match edited {
            Some((edited, map)) => {
                self.tree.replace(&map);
                edited
            }
            None => Edited::End,
        }
    }
}

/// Is it a store, or a load whose value nothing uses?
fn is_effect(node: &Node, used: &FxHashSet<Val>) -> bool {
    node.kind == OpKind::Store || (node.kind == OpKind::Load && !used.contains(&node.results[0]))
}

type Map = rustc_hash::FxHashMap<Val, Val>;

fn at(tree: &mut Tree, body: &mut Body, left: &mut usize, variant: usize, edit: Edit) -> Option<(Edited, Map)> {
    for index in 0..body.nodes.len() {
        if *left == 0 {
            let mut map = Map::default();
            let edited = edit(tree, body, index, variant, &mut map);
            return Some((edited, map));
        }
        *left -= 1;
        for inner in 0..body.nodes[index].bodies.len() {
            let mut taken = std::mem::take(&mut body.nodes[index].bodies[inner]);
            let found = at(tree, &mut taken, left, variant, edit);
            body.nodes[index].bodies[inner] = taken;
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

fn retain<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    items.retain(|_| *keep.next().unwrap_or(&true));
}
