//! Kernels as trees that are easy to make and to change: an operation owns its regions, values are numbers.
//!
//! The generator builds one, the shrinker takes pieces out of it. Nothing is checked here; what comes out is verified
//! as a [`Kernel`].
//!
//! A kernel itself would not do: the shrinker changes the types of all values at once and removes parameters, arguments
//! and results, so that until the attempt is checked a value may have no definition. Typed SSA only adds to its arenas, and
//! each value records its place among the parameters, arguments or results that it belongs to; removal would have to
//! renumber them, which no pass of the compiler needs.

#![warn(clippy::wildcard_enum_match_arm)]

use mytriton_ssa::{Effects, Elem, Kernel, Loc, OpKind, RegionId, Type, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Val(u32);

/// An operation.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub kind: OpKind,
    pub operands: Vec<Val>,
    pub results: Vec<Val>,
    pub bodies: Vec<Body>,
}

/// A region; the last operation of every one but a kernel's is a terminator.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub args: Vec<Val>,
    pub nodes: Vec<Node>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub name: String,
    pub value: Val,
    pub divisibility: u32,
}

/// A kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub name: String,
    pub params: Vec<Param>,
    pub types: Vec<Type>,
    pub body: Body,
}

impl Tree {
    /// A new value of a type.
    pub fn value(&mut self, ty: Type) -> Val {
        self.types.push(ty);
        Val(self.types.len() as u32 - 1)
    }

    pub fn ty(&self, value: Val) -> Type {
        self.types[value.0 as usize]
    }

    /// The operation that gives a value, at any depth; none of parameters and arguments.
    pub fn definition(&self, value: Val) -> Option<&Node> {
        fn find(body: &Body, value: Val) -> Option<&Node> {
            let nodes = body.nodes.iter();
            let found = |node| -> Option<&Node> {
                let node: &Node = node;
                if node.results.contains(&value) {
                    return Some(node);
                }
                node.bodies.iter().find_map(|inner| find(inner, value))
            };
            nodes.into_iter().find_map(found)
        }
        find(&self.body, value)
    }

    /// Adds a parameter and gives its value.
    pub fn param(&mut self, name: String, elem: Elem) -> Val {
        let value = self.value(Type {
            elem,
            shape: Default::default(),
        });
        self.params.push(Param {
            name,
            value,
            divisibility: 1,
        });
        value
    }

    /// The tree of a kernel.
    pub fn of(kernel: &Kernel) -> Tree {
        let mut tree = Tree {
            name: kernel.name.clone(),
            ..Tree::default()
        };
        let mut map = FxHashMap::default();
        for param in kernel.params() {
            let value = tree.param(param.name.clone(), kernel.ty(param.value).elem);
            tree.params.last_mut().expect("just added").divisibility = param.divisibility;
            map.insert(param.value, value);
        }
        tree.body = tree.read(kernel, kernel.body(), &mut map);
        tree
    }

    fn read(&mut self, kernel: &Kernel, region: RegionId, map: &mut FxHashMap<ValueId, Val>) -> Body {
        let new = |tree: &mut Tree, map: &mut FxHashMap<ValueId, Val>, ids: &[ValueId]| -> Vec<Val> {
            let values = ids.iter().map(|&id| {
                let value = tree.value(kernel.ty(id));
                map.insert(id, value);
                value
            });
            values.collect()
        };
        let data = kernel.region(region);
        let args = new(self, map, &data.args);
        let mut nodes = Vec::with_capacity(data.ops.len());
        for &op in &data.ops {
            let op = kernel.op(op);
            let operands = op.operands.iter().map(|id| map[id]).collect();
            let bodies = op.regions.iter().map(|&inner| self.read(kernel, inner, map)).collect();
            nodes.push(Node {
                kind: op.kind.clone(),
                operands,
                results: new(self, map, &op.results),
                bodies,
            });
        }
        Body { args, nodes }
    }

    /// The kernel; none if a value is used where it is not defined.
    pub fn kernel(&self) -> Option<Kernel> {
        let mut kernel = Kernel::new(self.name.clone());
        let mut map = FxHashMap::default();
        for param in &self.params {
            let value = kernel.add_param(param.name.clone(), self.ty(param.value).elem);
            map.insert(param.value, value);
        }
        for (param, new) in self.params.iter().zip(kernel.params_mut()) {
            new.divisibility = param.divisibility;
        }
        let body = kernel.body();
        self.write(&self.body, &mut kernel, body, &mut map)?;
        Some(kernel)
    }

    fn write(
        &self,
        body: &Body,
        kernel: &mut Kernel,
        region: RegionId,
        map: &mut FxHashMap<Val, ValueId>,
    ) -> Option<()> {
        for node in &body.nodes {
            let operands: Option<Vec<ValueId>> = node.operands.iter().map(|v| map.get(v).copied()).collect();
            let mut regions = Vec::with_capacity(node.bodies.len());
            for inner in &node.bodies {
                let id = kernel.new_region(inner.args.iter().map(|&arg| self.ty(arg)));
                map.extend(inner.args.iter().copied().zip(kernel.region(id).args.iter().copied()));
                self.write(inner, kernel, id, map)?;
                regions.push(id);
            }
            let types: Vec<Type> = node.results.iter().map(|&v| self.ty(v)).collect();
            let op = kernel.new_op(node.kind.clone(), operands?, types, regions, Loc::UNKNOWN);
            map.extend(node.results.iter().copied().zip(kernel.op(op).results.iter().copied()));
            kernel.region_mut(region).ops.push(op);
        }
        Some(())
    }

    /// Replaces operands everywhere.
    pub fn replace(&mut self, map: &FxHashMap<Val, Val>) {
        fn walk(body: &mut Body, map: &FxHashMap<Val, Val>) {
            for node in &mut body.nodes {
                for operand in &mut node.operands {
                    while let Some(&new) = map.get(operand) {
                        *operand = new;
                    }
                }
                node.bodies.iter_mut().for_each(|inner| walk(inner, map));
            }
        }
        if !map.is_empty() {
            walk(&mut self.body, map);
        }
    }

    /// Every operation in program order, the holder of a region before its content.
    pub fn nodes(&self) -> Vec<&Node> {
        fn walk<'a>(body: &'a Body, out: &mut Vec<&'a Node>) {
            for node in &body.nodes {
                out.push(node);
                node.bodies.iter().for_each(|inner| walk(inner, out));
            }
        }
        let mut out = Vec::new();
        walk(&self.body, &mut out);
        out
    }

    /// Removes operations without effect whose results nothing uses. Loads stay: they may fault.
    pub fn prune(&mut self) {
        fn sweep(body: &mut Body, live: &mut FxHashSet<Val>) {
            let mut at = body.nodes.len();
            while at > 0 {
                at -= 1;
                let node = &mut body.nodes[at];
                let used =
                    node.kind.is_terminator() || is_access(node) || node.results.iter().any(|v| live.contains(v));
                if !used {
                    body.nodes.remove(at);
                    continue;
                }
                live.extend(node.operands.iter().copied());
                node.bodies.iter_mut().rev().for_each(|inner| sweep(inner, live));
            }
        }
        sweep(&mut self.body, &mut FxHashSet::default());
    }
}

/// Does a region hold a store, at any depth?
pub(crate) fn has_store(body: &Body) -> bool {
    body.nodes.iter().any(|node| match node.kind.effects() {
        Effects::Writes => true,
        Effects::OfRegions => node.bodies.iter().any(has_store),
        Effects::None | Effects::Reads => false,
    })
}

/// Does it read or write memory, or does what it holds, at any depth?
fn is_access(node: &Node) -> bool {
    match node.kind.effects() {
        Effects::Reads | Effects::Writes => true,
        Effects::OfRegions => node.bodies.iter().any(|body| body.nodes.iter().any(is_access)),
        Effects::None => false,
    }
}
