//! Edits of one operation.

use mytriton_ssa::{Const, Elem, Flow, OpKind, Type};
use rustc_hash::FxHashMap;

use crate::tree::{Body, Node, Tree, Val};

/// Replacements for values, to apply to the whole tree after an edit.
type Map = FxHashMap<Val, Val>;

/// Changes the operation at an index of a region in the way that a variant says.
pub(super) type Edit = fn(&mut Tree, &mut Body, usize, usize, &mut Map) -> Edited;

/// The numbers that are simpler than others, the simplest first.
const SIMPLE: [i128; 3] = [0, 1, -1];

/// What an edit did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Edited {
    /// It changed something.
    Yes,
    /// This variant does not fit, a later one may.
    Skip,
    /// There are no more variants for this operation.
    End,
}

/// Puts the content of a loop or branch in its place: one arm, one turn, none.
pub(super) fn unwrap(_: &mut Tree, body: &mut Body, at: usize, variant: usize, map: &mut Map) -> Edited {
    let node = &body.nodes[at];
    let (operands, results) = (node.operands.clone(), node.results.clone());
    // Which region runs once, with what its arguments become; or what the results become without it.
    let (region, values) = match (&node.kind, variant) {
        (OpKind::For, 0) => (None, operands[3..].to_vec()),
        (OpKind::While, 0) => (None, operands),
        (OpKind::For, 1) => (Some(0), [&operands[..1], &operands[3..]].concat()),
        (OpKind::While, 1 | 2) => (Some(variant - 1), operands),
        (OpKind::If, 0 | 1) => (Some(variant), Vec::new()),
        _ => return Edited::End,
    };
    let mut node = body.nodes.remove(at);
    let Some(region) = region else {
        map.extend(results.into_iter().zip(values));
        return Edited::Yes;
    };
    let mut inner = std::mem::take(&mut node.bodies[region]);
    let Some(end) = inner.nodes.pop() else {
        return Edited::Skip;
    };
    map.extend(inner.args.into_iter().zip(values));
    let skip = usize::from(end.kind == OpKind::Condition);
    map.extend(results.into_iter().zip(end.operands[skip..].iter().copied()));
    body.nodes.splice(at..at, inner.nodes);
    Edited::Yes
}

/// Replaces the result of an operation by something simpler, or takes masks from an access.
pub(super) fn simplify(tree: &mut Tree, body: &mut Body, at: usize, variant: usize, map: &mut Map) -> Edited {
    let node = &mut body.nodes[at];
    if !node.bodies.is_empty() {
        return simplify_results(tree, body, at, variant);
    }
    // An edit of the operation itself comes before what may replace it.
    let mut variant = variant;
    let own = match node.kind {
        OpKind::Store if node.operands.len() > 2 => true,
        OpKind::Load | OpKind::Histogram if node.operands.len() > 1 => true,
        OpKind::Range { start, .. } if start != 0 => true,
        _ => false,
    };
    if own && variant == 0 {
        match &mut node.kind {
            OpKind::Range { start, end } => (*start, *end) = (0, *end - *start),
            _ => drop(node.operands.pop()),
        }
        return Edited::Yes;
    }
    variant -= usize::from(own);
    match node.kind {
        OpKind::Store => return simplify_stored(tree, body, at, variant),
        OpKind::Split => return simplify_results(tree, body, at, variant),
        OpKind::Const(value) => {
            let simpler = SIMPLE.map(|number| Const::from_int(value.scalar(), number));
            let known = simpler.iter().position(|&simple| simple == value);
            if variant >= known.unwrap_or(simpler.len()) {
                return Edited::End;
            }
            node.kind = OpKind::Const(simpler[variant]);
            return Edited::Yes;
        }
        _ if node.kind.is_terminator() => return Edited::End,
        _ => {}
    }
    let result = node.results[0];
    let mut choices = replacements(tree, tree.ty(result), &node.operands);
    if node.kind == OpKind::Splat && tree.params.iter().any(|param| node.operands == [param.value]) {
        choices.retain(|choice| !matches!(choice, Choice::SplatParam(_)));
    }
    let (kind, operands) = match choices.get(variant) {
        None => return Edited::End,
        Some(&Choice::Value(value)) => {
            map.insert(result, value);
            body.nodes.remove(at);
            return Edited::Yes;
        }
        Some(&Choice::Number(value)) => (OpKind::Const(value), Vec::new()),
        Some(&Choice::SplatParam(param)) => (OpKind::Splat, vec![param]),
    };
    (node.kind, node.operands) = (kind, operands);
    Edited::Yes
}

/// Something to take in place of a result.
enum Choice {
    Number(Const),
    Value(Val),
    /// A pointer parameter in every element.
    SplatParam(Val),
}

fn replacements(tree: &Tree, ty: Type, operands: &[Val]) -> Vec<Choice> {
    let mut choices = Vec::new();
    if let Elem::Scalar(scalar) = ty.elem {
        choices.push(Choice::Number(Const::zero(scalar)));
    }
    choices.extend(
        operands
            .iter()
            .copied()
            .filter(|&v| tree.ty(v) == ty)
            .map(Choice::Value),
    );
    let params = || tree.params.iter().map(|param| param.value);
    match ty.elem {
        Elem::Scalar(scalar) => {
            choices.extend(
                SIMPLE[1..]
                    .iter()
                    .map(|&number| Choice::Number(Const::from_int(scalar, number))),
            );
        }
        Elem::Ptr(_) if ty.is_scalar() => choices.extend(params().filter(|&v| tree.ty(v) == ty).map(Choice::Value)),
        Elem::Ptr(_) => {
            let fitting = params().filter(|&v| tree.ty(v) == ty.element());
            choices.extend(fitting.map(Choice::SplatParam));
        }
    }
    choices
}

/// Replaces a number that a store stores by a constant, when what computes it is needed otherwise.
fn simplify_stored(tree: &mut Tree, body: &mut Body, at: usize, variant: usize) -> Edited {
    let stored = body.nodes[at].operands[1];
    let is_const = |node: &Node| node.results == [stored] && matches!(node.kind, OpKind::Const(_));
    let Some(scalar) = tree.ty(stored).as_scalar().filter(|_| !body.nodes.iter().any(is_const)) else {
        return Edited::End;
    };
    if variant >= SIMPLE.len() {
        return Edited::End;
    }
    let (value, constant) = constant(tree, stored, Const::from_int(scalar, SIMPLE[variant]));
    body.nodes[at].operands[1] = value;
    body.nodes.insert(at, constant);
    Edited::Yes
}

/// Replaces a result of a loop or branch by zero.
fn simplify_results(tree: &mut Tree, body: &mut Body, at: usize, variant: usize) -> Edited {
    let Some(&result) = body.nodes[at].results.get(variant) else {
        return Edited::End;
    };
    let Some(scalar) = tree.ty(result).as_scalar() else {
        return Edited::Skip;
    };
    let (value, constant) = constant(tree, result, Const::zero(scalar));
    if !replace_uses(&mut body.nodes[at + 1..], result, value) {
        return Edited::Skip;
    }
    body.nodes.insert(at, constant);
    Edited::Yes
}

/// A constant of a value's type, and the operation that makes it.
fn constant(tree: &mut Tree, like: Val, number: Const) -> (Val, Node) {
    let value = tree.value(tree.ty(like));
    let node = Node {
        kind: OpKind::Const(number),
        operands: Vec::new(),
        results: vec![value],
        bodies: Vec::new(),
    };
    (value, node)
}

/// Replaces the uses of a value in some operations; was there any?
fn replace_uses(nodes: &mut [Node], from: Val, to: Val) -> bool {
    let mut any = false;
    for node in nodes {
        for operand in node.operands.iter_mut().filter(|operand| **operand == from) {
            *operand = to;
            any = true;
        }
        for inner in &mut node.bodies {
            any |= replace_uses(&mut inner.nodes, from, to);
        }
    }
    any
}

/// Takes one value from those that a loop or branch carries; it keeps its first value instead.
pub(super) fn drop_carried(tree: &mut Tree, body: &mut Body, at: usize, variant: usize, map: &mut Map) -> Edited {
    let node = &mut body.nodes[at];
    // Operands in front of the carried ones, and each region's arguments in front of them.
    let (control, arguments) = match node.kind.flow() {
        Flow::CountedLoop => (3, 1),
        Flow::OpenLoop => (0, 0),
        Flow::Branch => (1, 0),
        Flow::Combiner | Flow::Straight | Flow::Terminator => return Edited::End,
    };
    if variant >= node.results.len() {
        return Edited::End;
    }
    let result = node.results.remove(variant);
    let is_branch = node.kind == OpKind::If;
    let initial = (!is_branch).then(|| node.operands.remove(control + variant));
    for inner in &mut node.bodies {
        if let Some(initial) = initial {
            let arg = inner.args.remove(arguments + variant);
            map.insert(arg, initial);
        }
        if let Some(end) = inner.nodes.last_mut() {
            let skip = usize::from(end.kind == OpKind::Condition);
            end.operands.remove(skip + variant);
        }
    }
    if let Some(initial) = initial {
        map.insert(result, initial);
        return Edited::Yes;
    }
    let Some(scalar) = tree.ty(result).as_scalar() else {
        return Edited::Skip;
    };
    let (value, constant) = constant(tree, result, Const::zero(scalar));
    body.nodes.insert(at, constant);
    map.insert(result, value);
    Edited::Yes
}
