//! Which results can be compared, and how: the flow of inexactness through a kernel.
//!
//! Two things are not the same on every executor: the result of an approximate function, within its bound, and the
//! payload and sign of a NaN that arithmetic gave. A kernel is comparable when both only reach places that do not
//! amplify them:
//! - an approximate result may be moved, stored, loaded, selected, negated, made absolute and widened, and nothing else;
//! - a NaN's bits may not be looked at: `bitcast` takes no value that can be such a NaN. (`select(x == x, x, 0)` takes
//!   it out.)
//!
//! A third is the order in which reductions and scans combine: only combines are let through that give the same bits in
//! every order ([`Combine`]).

#![warn(clippy::wildcard_enum_match_arm)]

use mytriton_ssa::{CastKind, CmpPred, OpKind, UnaryOp};
use rustc_hash::FxHashMap;

use crate::case::{Arg, Case};
use crate::combine::Combine;
use crate::rule::Rule;
use crate::tree::{Body, Node, Tree, Val};

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Facts {
    rule: Rule,
    /// May it be a NaN whose bits are unspecified?
    loose_nan: bool,
    /// The buffers that it may point to, a bit each.
    buffers: u128,
}

impl Facts {
    const EXACT: Facts = Facts {
        rule: Rule::Exact,
        loose_nan: false,
        buffers: 0,
    };

    fn join(self, other: Facts) -> Result<Facts, Uncomparable> {
        let rule = self.rule.join(other.rule);
        Ok(Facts {
            rule: rule.ok_or_else(|| Uncomparable::new("results of functions with different bounds meet"))?,
            loose_nan: self.loose_nan || other.loose_nan,
            buffers: self.buffers | other.buffers,
        })
    }
}

/// Why a kernel's results cannot be compared.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Uncomparable(String);

impl Uncomparable {
    fn new(message: impl Into<String>) -> Uncomparable {
        Uncomparable(message.into())
    }
}

/// How each buffer of a case has to be compared after a launch: `Exact`, or the widest of the bounds of what may be
/// stored there. Errors when an inexact value decides something or is computed with.
pub fn rules(case: &Case) -> Result<Vec<Rule>, Uncomparable> {
    if case.buffers.len() > 128 {
        return Err(Uncomparable::new("more than 128 buffers"));
    }
    let tree = Tree::of(&case.kernel);
    let mut flow = Flow {
        values: FxHashMap::default(),
        memory: vec![Facts::EXACT; case.buffers.len()],
        changed: false,
    };
    for (param, arg) in tree.params.iter().zip(&case.args) {
        let buffers = match *arg {
            Arg::Pointer { buffer, .. } => 1 << buffer,
            Arg::Scalar(_) => 0,
        };
        flow.set(
            param.value,
            Facts {
                buffers,
                ..Facts::EXACT
            },
        )?;
    }
    // Facts only ever grow, and each of them has few steps to do so.
    loop {
        flow.changed = false;
        flow.body(&tree, &tree.body, &[])?;
        if !flow.changed {
            return Ok(flow.memory.iter().map(|facts| facts.rule).collect());
        }
    }
}

struct Flow {
    values: FxHashMap<Val, Facts>,
    memory: Vec<Facts>,
    changed: bool,
}

impl Flow {
    fn get(&self, value: Val) -> Facts {
        self.values.get(&value).copied().unwrap_or(Facts::EXACT)
    }

    fn set(&mut self, value: Val, facts: Facts) -> Result<(), Uncomparable> {
        let old = self.get(value);
        let new = old.join(facts)?;
        if new != old {
            self.values.insert(value, new);
            self.changed = true;
        }
        Ok(())
    }

    fn pass(&mut self, from: &[Val], to: &[Val]) -> Result<(), Uncomparable> {
        for (&from, &to) in from.iter().zip(to) {
            let facts = self.get(from);
            self.set(to, facts)?;
        }
        Ok(())
    }

    fn body(&mut self, tree: &Tree, body: &Body, passed_to: &[&[Val]]) -> Result<(), Uncomparable> {
        for node in &body.nodes {
            match node.kind {
                OpKind::Yield => {
                    for to in passed_to {
                        self.pass(&node.operands, to)?;
                    }
                }
                OpKind::Condition => {
                    self.exact(node, &node.operands[..1])?;
                    for to in passed_to {
                        self.pass(&node.operands[1..], to)?;
                    }
                }
                OpKind::For => {
                    self.exact(node, &node.operands[..3])?;
                    let inner = &node.bodies[0];
                    self.pass(&node.operands[3..], &inner.args[1..])?;
                    self.pass(&node.operands[3..], &node.results)?;
                    self.body(tree, inner, &[&inner.args[1..], &node.results])?;
                }
                OpKind::If => {
                    self.exact(node, &node.operands)?;
                    for inner in &node.bodies {
                        self.body(tree, inner, &[&node.results])?;
                    }
                }
                OpKind::While => {
                    let [test, inner] = &node.bodies[..] else { continue };
                    self.pass(&node.operands, &test.args)?;
                    self.body(tree, test, &[&inner.args, &node.results])?;
                    self.body(tree, inner, &[&test.args])?;
                }
                OpKind::Store => self.store(node)?,
                OpKind::Const(_)
                | OpKind::ProgramId(_)
                | OpKind::NumPrograms(_)
                | OpKind::Range { .. }
                | OpKind::Splat
                | OpKind::ExpandDims { .. }
                | OpKind::Broadcast
                | OpKind::Reshape
                | OpKind::Transpose { .. }
                | OpKind::Reduce { .. }
                | OpKind::Scan { .. }
                | OpKind::Join
                | OpKind::Split
                | OpKind::Gather { .. }
                | OpKind::Histogram
                | OpKind::Unary(_)
                | OpKind::Binary(_)
                | OpKind::Fma
                | OpKind::Cmp(_)
                | OpKind::Select
                | OpKind::Cast(_)
                | OpKind::AddPtr
                | OpKind::Load => {
                    let facts = self.result(tree, node)?;
                    for &result in &node.results {
                        // A reduction gives floats and integers together.
                        let loose_nan = facts.loose_nan && (node.bodies.is_empty() || tree.ty(result).is_float());
                        self.set(result, Facts { loose_nan, ..facts })?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Refuses approximate operands.
    fn exact(&self, node: &Node, operands: &[Val]) -> Result<(), Uncomparable> {
        if operands.iter().all(|&v| self.get(v).rule == Rule::Exact) {
            return Ok(());
        }
        let message = format!("'{}' takes the result of an approximate function", node.kind.name());
        Err(Uncomparable(message))
    }

    fn store(&mut self, node: &Node) -> Result<(), Uncomparable> {
        self.exact(node, &node.operands[..1])?;
        self.exact(node, node.operands.get(2..).unwrap_or_default())?;
        let (buffers, value) = (self.get(node.operands[0]).buffers, self.get(node.operands[1]));
        for index in (0..self.memory.len()).filter(|i| buffers >> i & 1 == 1) {
            let new = self.memory[index].join(value)?;
            self.changed |= new != self.memory[index];
            self.memory[index] = new;
        }
        Ok(())
    }

    fn result(&self, tree: &Tree, node: &Node) -> Result<Facts, Uncomparable> {
        let all = |operands: &[Val]| {
            let mut facts = operands.iter().map(|&v| self.get(v));
            facts.try_fold(Facts::EXACT, Facts::join)
        };
        let is_float = node.results.iter().any(|&v| tree.ty(v).is_float());
        let computed = Facts {
            loose_nan: is_float,
            ..Facts::EXACT
        };
        Ok(match &node.kind {
            OpKind::Const(_) => Facts::EXACT,
            OpKind::Splat | OpKind::ExpandDims { .. } | OpKind::Broadcast => self.get(node.operands[0]),
            OpKind::Reshape | OpKind::Transpose { .. } => self.get(node.operands[0]),
            OpKind::Join => all(&node.operands)?,
            OpKind::Split => self.get(node.operands[0]),
            OpKind::Gather { .. } => {
                self.exact(node, &node.operands[1..])?;
                self.get(node.operands[0])
            }
            OpKind::Reduce { .. } | OpKind::Scan { .. } => {
                self.exact(node, &node.operands)?;
                if Combine::of(tree, node).is_none() {
                    let name = node.kind.name();
                    let message = format!("'{name}' combines in a way that may depend on the order");
                    return Err(Uncomparable(message));
                }
                computed
            }
            OpKind::Select => {
                self.exact(node, &node.operands[..1])?;
                let facts = all(&node.operands[1..])?;
                Facts {
                    loose_nan: facts.loose_nan && !self.drops_nan(tree, node),
                    ..facts
                }
            }
            OpKind::Unary(UnaryOp::Neg | UnaryOp::Abs) | OpKind::Cast(CastKind::FExt) => Facts {
                loose_nan: is_float,
                ..self.get(node.operands[0])
            },
            OpKind::AddPtr => {
                self.exact(node, &node.operands[1..])?;
                self.get(node.operands[0])
            }
            OpKind::Load => {
                self.exact(node, &node.operands[..1])?;
                self.exact(node, node.operands.get(1..2).unwrap_or_default())?;
                let buffers = self.get(node.operands[0]).buffers;
                let read = (0..self.memory.len()).filter(|i| buffers >> i & 1 == 1);
                let mut facts = all(node.operands.get(2..).unwrap_or_default())?;
                for index in read {
                    facts = facts.join(self.memory[index])?;
                }
                Facts { buffers: 0, ..facts }
            }
            OpKind::Cast(CastKind::Bitcast) => {
                self.exact(node, &node.operands)?;
                if self.get(node.operands[0]).loose_nan {
                    return Err(Uncomparable::new("'bitcast' looks at a NaN that arithmetic gave"));
                }
                Facts::EXACT
            }
            OpKind::Unary(_) | OpKind::Binary(_) => {
                self.exact(node, &node.operands)?;
                let operand = tree.ty(node.operands[0]).as_scalar();
                Facts {
                    rule: operand.map_or(Rule::Exact, |scalar| Rule::of(&node.kind, scalar)),
                    ..computed
                }
            }
            OpKind::ProgramId(_) | OpKind::NumPrograms(_) | OpKind::Range { .. } => computed,
            OpKind::Histogram | OpKind::Fma | OpKind::Cmp(_) => {
                self.exact(node, &node.operands)?;
                computed
            }
            OpKind::Cast(
                CastKind::SExt
                | CastKind::ZExt
                | CastKind::Trunc
                | CastKind::FTrunc
                | CastKind::SToF
                | CastKind::UToF
                | CastKind::FToS
                | CastKind::FToU,
            ) => {
                self.exact(node, &node.operands)?;
                computed
            }
            OpKind::Store | OpKind::For | OpKind::If | OpKind::While | OpKind::Yield | OpKind::Condition => {
                unreachable!("'{}' is followed by itself", node.kind.name())
            }
        })
    }

    /// Is it `select(x == x, x, y)` with a `y` that is no loose NaN?
    fn drops_nan(&self, tree: &Tree, node: &Node) -> bool {
        let [condition, x, other] = node.operands[..] else {
            return false;
        };
        let equals_itself = |node: &&Node| {
            node.results == [condition] && node.kind == OpKind::Cmp(CmpPred::Eq) && node.operands == [x, x]
        };
        !self.get(other).loose_nan && tree.nodes().iter().any(equals_itself)
    }
}

#[cfg(test)]
mod tests {
    use mytriton_ssa::{Scalar, parse_module};

    use super::*;
    use crate::case::Buffer;

    fn rules_of(body: &str) -> Result<Vec<Rule>, String> {
        let text = format!("kernel @k(%a: ptr<f32>, %b: ptr<f32>, %c: ptr<i32>) {{ {body} }}");
        let case = Case {
            kernel: parse_module(&text, "k.ssa").unwrap().kernels.remove(0),
            grid: [1; 3],
            num_warps: 1,
            buffers: [Scalar::F32, Scalar::F32, Scalar::I32]
                .map(|elem| Buffer::of_bits(elem, [0]))
                .into(),
            args: (0..3).map(|buffer| Arg::Pointer { buffer, offset: 0 }).collect(),
        };
        rules(&case).map_err(|e| e.to_string())
    }

    const SIN: Rule = Rule::Ulp {
        of: Scalar::F32,
        bound: 2.5,
        from_one: false,
    };

    #[test]
    fn approximate_results_may_be_moved() {
        let text = "%x = load %a : ptr<f32> %s = sin %x : f32 %n = neg %s : f32 store %b, %n : ptr<f32>";
        assert_eq!(rules_of(text), Ok(vec![Rule::Exact, SIN, Rule::Exact]));
        // Around a loop, through memory.
        let text = "%x = load %a : ptr<f32> %z = const 0 : i32 %o = const 1 : i32
            %r = for %i = %z to %o step %o : i32 carry (%v = %x : f32) {
                %w = load %b : ptr<f32>  store %a, %w : ptr<f32>  %s = sin %x : f32  yield %s
            }
            store %b, %r : ptr<f32>";
        assert!(
            rules_of(text)
                .unwrap_err()
                .contains("'sin' takes the result of an approximate function")
        );
        let text = text
            .replace("sin %x", "abs %v")
            .replace("yield %s", "%t = cos %cst yield %t");
        let text = text
            .replace("%x = load", "%cst = const 2.0 : f32 %x = load")
            .replace("cos %cst", "cos %cst : f32");
        assert_eq!(rules_of(&text), Ok(vec![SIN, SIN, Rule::Exact]));
    }

    #[test]
    fn approximate_results_may_not_decide() {
        for (body, what) in [
            (
                "%s = sin %x : f32 %t = add %s, %x : f32 store %b, %t : ptr<f32>",
                "'add' takes",
            ),
            ("%s = sin %x : f32 %t = cmp lt %s, %x : f32 if %t { }", "'cmp' takes"),
            (
                "%s = sin %x : f32 %t = f_to_s %s : f32 to i32 store %c, %t : ptr<i32>",
                "'f_to_s' takes",
            ),
            (
                "%s = sin %x : f32 %t = exp %x : f32 store %b, %s : ptr<f32> store %b, %t : ptr<f32>",
                "different bounds",
            ),
            (
                "%v = splat %x : tile<4xf32> %s = reduce %v axis 0 : tile<4xf32> (%p, %q) { %t = add %p, %q : f32 yield %t }
                 store %b, %s : ptr<f32>",
                "'reduce' combines in a way that may depend on the order",
            ),
            (
                "%v = range 0, 4 %s = reduce %v axis 0 : tile<4xi32> (%p, %q) { yield %q } store %c, %s : ptr<i32>",
                "'reduce' combines",
            ),
            (
                "%s = add %x, %x : f32 %t = bitcast %s : f32 to i32 store %c, %t : ptr<i32>",
                "'bitcast' looks at a NaN",
            ),
        ] {
            let error = rules_of(&format!("%x = load %a : ptr<f32> {body}")).unwrap_err();
            assert!(error.contains(what), "{body}: {error}");
        }
    }

    #[test]
    fn bits_of_numbers_may_be_looked_at() {
        // What was loaded from memory that is not written, and what is no NaN.
        let exact = Ok(vec![Rule::Exact; 3]);
        let text = "%x = load %a : ptr<f32> %t = bitcast %x : f32 to i32 store %c, %t : ptr<i32>";
        assert_eq!(rules_of(text), exact);
        let text = "%x = load %a : ptr<f32> %s = add %x, %x : f32 %q = cmp eq %s, %s : f32 %y = select %q, %s, %x : f32
            %t = bitcast %y : f32 to i32 store %c, %t : ptr<i32>";
        assert_eq!(rules_of(text), exact);
        let error = rules_of(&format!("{} store %a, %s : ptr<f32>", text)).unwrap_err();
        assert!(error.contains("NaN"), "{error}");
    }
}
