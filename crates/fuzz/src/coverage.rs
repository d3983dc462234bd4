//! What cases cover: which operations on which types reach memory, in which shapes, with which launches.

#![warn(clippy::wildcard_enum_match_arm)]

use std::collections::BTreeMap;

use mytriton_ssa::{Effects, Elem, Flow, OpKind};
use rustc_hash::FxHashSet;

use crate::case::Case;
use crate::combine::Combine;
use crate::generate::Combination;
use crate::tree::{Body, Node, Tree, Val, has_store};

/// How often each thing came up, in operations on which a store depends. Keys are words of the language: `add of i8`,
/// `load masked`, `rank 2`, `for`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Coverage {
    counts: BTreeMap<String, usize>,
}

impl Coverage {
    /// What one case covers.
    pub fn of(case: &Case) -> Coverage {
        let mut coverage = Coverage::default();
        let tree = Tree::of(&case.kernel);
        let live = live(&tree);
        for node in tree.nodes() {
            let reaches = node.kind == OpKind::Store
                || node.results.iter().any(|v| live.contains(v))
                || node.bodies.iter().any(has_store)
                || node.kind.is_terminator();
            if reaches {
                coverage.add_node(&tree, node);
            }
        }
        let axes = case.grid.iter().filter(|&&extent| extent > 1).count();
        coverage.count(format!("grid of {axes} axes"));
        coverage.count(format!("{} warps", case.num_warps));
        coverage
    }

    fn count(&mut self, what: String) {
        *self.counts.entry(what).or_default() += 1;
    }

    fn add_node(&mut self, tree: &Tree, node: &Node) {
        for &value in &node.results {
            let ty = tree.ty(value);
            self.count(format!("rank {}", ty.shape.rank()));
        }
        match &node.kind {
            OpKind::Load => self.count(["load", "load masked", "load with other"][node.operands.len() - 1].to_owned()),
            OpKind::Store => self.count(["store", "store masked"][node.operands.len() - 2].to_owned()),
            OpKind::ProgramId(axis) | OpKind::NumPrograms(axis) => self.count(format!("{} {axis}", node.kind.name())),
            OpKind::For | OpKind::If | OpKind::While if node.results.is_empty() => {
                self.count(format!("{} without results", node.kind.name()));
            }
            OpKind::Splat
            | OpKind::ExpandDims { .. }
            | OpKind::Broadcast
            | OpKind::Reshape
            | OpKind::Transpose { .. }
            | OpKind::Join
            | OpKind::Split
            | OpKind::Gather { .. }
            | OpKind::For
            | OpKind::If
            | OpKind::While => {
                for &value in &node.results {
                    let pointer = match tree.ty(value).elem {
                        Elem::Ptr(_) => " of pointers",
                        Elem::Scalar(_) => "",
                    };
                    self.count(format!("{}{pointer}", node.kind.name()));
                }
            }
            OpKind::Histogram => {
                let form = ["histogram", "histogram masked"][node.operands.len() - 1];
                self.count(form.to_owned());
            }
            OpKind::Reduce { .. } | OpKind::Scan { .. } => self.count_combine(tree, node),
            OpKind::Const(_) | OpKind::Range { .. } | OpKind::Yield | OpKind::Condition => {
                self.count(node.kind.name().to_owned());
            }
            kind @ (OpKind::Unary(_)
            | OpKind::Binary(_)
            | OpKind::Fma
            | OpKind::Cmp(_)
            | OpKind::Select
            | OpKind::Cast(_)
            | OpKind::AddPtr) => {
                let operand = node.operands[if *kind == OpKind::Select { 1 } else { 0 }];
                match tree.ty(operand).elem {
                    Elem::Ptr(_) => {
                        let pred = if let OpKind::Cmp(pred) = kind {
                            format!(" {pred}")
                        } else {
                            String::new()
                        };
                        self.count(format!("{}{pred} of a pointer", kind.name()));
                    }
                    Elem::Scalar(operand) => {
                        let to = if let OpKind::Cast(_) = kind {
                            tree.ty(node.results[0]).as_scalar()
                        } else {
                            None
                        };
                        let kind = kind.clone();
                        self.count(Combination { kind, operand, to }.to_string());
                    }
                }
            }
        }
    }

    /// A reduction or scan: by its combiner, of its first type.
    fn count_combine(&mut self, tree: &Tree, node: &Node) {
        let reversed = matches!(node.kind, OpKind::Scan { reverse: true, .. });
        let name = if reversed { "scan reverse" } else { node.kind.name() };
        self.count(format!("{name} of {}", tree.ty(node.operands[0]).element()));
        let combine = match Combine::of(tree, node) {
            Some(Combine::Op(op)) => op.name(),
            Some(Combine::Best { max: true }) => "largest with index",
            Some(Combine::Best { max: false }) => "smallest with index",
            Some(Combine::Affine) => "affine",
            Some(Combine::Last) => "last",
            None => "another combine",
        };
        self.count(format!("{} by {combine}", node.kind.name()));
    }

    /// Adds what another one covers.
    pub fn add(&mut self, other: &Coverage) {
        for (what, count) in &other.counts {
            *self.counts.entry(what.clone()).or_default() += count;
        }
    }

    /// How often a thing came up.
    pub fn get(&self, what: &str) -> usize {
        self.counts.get(what).copied().unwrap_or(0)
    }

    /// Everything that came up, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.counts.iter().map(|(what, &count)| (what.as_str(), count))
    }
}

/// The values on which a store depends.
fn live(tree: &Tree) -> FxHashSet<Val> {
    let mut live = FxHashSet::default();
    loop {
        let before = live.len();
        mark(&tree.body, &[], &mut live);
        if live.len() == before {
            return live;
        }
    }
}

/// Adds what a region's stores depend on. `passed_to` are the values that its terminator's operands become.
fn mark(body: &Body, passed_to: &[Vec<Val>], live: &mut FxHashSet<Val>) {
    for node in body.nodes.iter().rev() {
        match node.kind.flow() {
            Flow::Straight if node.kind.effects() == Effects::Writes => live.extend(node.operands.iter().copied()),
            Flow::Terminator => {
                let skip = usize::from(node.kind == OpKind::Condition);
                live.extend(node.operands[..skip].iter().copied());
                for (operand, becomes) in node.operands[skip..].iter().zip(passed_to) {
                    if becomes.iter().any(|v| live.contains(v)) {
                        live.insert(*operand);
                    }
                }
            }
            Flow::CountedLoop | Flow::Branch | Flow::OpenLoop => mark_holder(node, live),
            Flow::Straight | Flow::Combiner => {
                if node.results.iter().any(|v| live.contains(v)) {
                    live.extend(node.operands.iter().copied());
                }
            }
        }
    }
}

fn mark_holder(node: &Node, live: &mut FxHashSet<Val>) {
    let matters = node.results.iter().any(|v| live.contains(v)) || node.bodies.iter().any(has_store);
    // The operands that are carried, the arguments that they become, and what decides.
    let (control, carried) = match node.kind.flow() {
        Flow::CountedLoop => (3, 1),
        Flow::Branch => (1, 0),
        Flow::OpenLoop | Flow::Combiner | Flow::Straight | Flow::Terminator => (0, 0),
    };
    if matters {
        live.extend(node.operands[..control].iter().copied());
    }
    let args: Vec<&[Val]> = node
        .bodies
        .iter()
        .map(|b| b.args.get(carried..).unwrap_or_default())
        .collect();
    let becomes: Vec<Vec<Val>> = (0..node.results.len())
        .map(|i| {
            let args = args.iter().filter_map(|args| args.get(i));
            args.copied().chain([node.results[i]]).collect()
        })
        .collect();
    for inner in node.bodies.iter().rev() {
        mark(inner, &becomes, live);
    }
    for (operand, becomes) in node.operands[control..].iter().zip(&becomes) {
        if becomes.iter().any(|v| live.contains(v)) {
            live.insert(*operand);
        }
    }
}
