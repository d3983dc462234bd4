//! Combines of reductions and scans that give the same bits in every order.
//!
//! Executors choose the order in which a reduction combines, so that its result says something only where the order does
//! not matter. Whether a combiner is associative (and, for reductions, commutative) cannot be read off its operations; the
//! generator therefore uses those of a list, and [`Combine::of`] recognises them again in a kernel.

use mytriton_ssa::{BinaryOp, CastKind, CmpPred, Const, OpKind, Scalar, Type, result_type};

use crate::tree::{Body, Node, Tree, Val};

/// A combiner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Combine {
    /// One operation. A float sum is exact only of small whole numbers.
    Op(BinaryOp),
    /// The better of two elements with their indices (`i32`), the lower index of equal ones, NaN below all numbers.
    Best {
        /// The largest, or the smallest?
        max: bool,
    },
    /// Of integers, `x -> a x + b` after one another: not commutative.
    Affine,
    /// The right one: not commutative.
    Last,
}

impl Combine {
    /// Everything that combines elements of these types, in a scan or in a reduction.
    pub fn all(elements: &[Scalar], scan: bool) -> Vec<Combine> {
        use BinaryOp::*;
        let ops = [Add, Mul, And, Or, Xor, MinS, MaxS, MinU, MaxU, Min, Max, MinNan, MaxNan];
        let mut all = Vec::new();
        match *elements {
            [scalar] => {
                let ty = Type::scalar(scalar);
                let fits = |op: &BinaryOp| {
                    let exact = *op != Mul || !scalar.is_float();
                    exact && result_type(&OpKind::Binary(*op), &[ty; 2], None).is_ok()
                };
                all.extend(ops.into_iter().filter(fits).map(Combine::Op));
                if scan {
                    all.push(Combine::Last);
                }
            }
            [a, b] => {
                if b == Scalar::I32 {
                    all.extend([Combine::Best { max: true }, Combine::Best { max: false }]);
                }
                if scan && a == b && a.is_int() {
                    all.push(Combine::Affine);
                }
            }
            _ => {}
        }
        all
    }

    /// The one that a reduction or scan has, if it is of the list and its operands are such that every order gives the
    /// same bits.
    pub fn of(tree: &Tree, node: &Node) -> Option<Combine> {
        let scan = match node.kind {
            OpKind::Reduce { .. } => false,
            OpKind::Scan { .. } => true,
            _ => return None,
        };
        let elements: Option<Vec<Scalar>> = node.operands.iter().map(|&v| tree.ty(v).as_scalar()).collect();
        let elements = elements?;
        let body = node.bodies.first()?;
        let combine = Combine::all(&elements, scan).into_iter().find(|combine| {
            let mut own = Tree::default();
            let expected = combine.body(&mut own, &elements);
            same(tree, body, &own, &expected)
        })?;
        let float = elements[0].is_float();
        let fits = match combine {
            Combine::Op(BinaryOp::Add) if float => is_small(tree, node),
            // Zeros of different signs are equal, so that the indices must not be.
            Combine::Best { .. } if float => is_index(tree, node.operands[1]),
            _ => true,
        };
        fits.then_some(combine)
    }

    /// Its region.
    pub fn body(self, tree: &mut Tree, elements: &[Scalar]) -> Body {
        let args: Vec<Val> = (elements.iter().chain(elements))
            .map(|&scalar| tree.value(Type::scalar(scalar)))
            .collect();
        let mut region = Region {
            tree,
            nodes: Vec::new(),
        };
        let (a, b) = args.split_at(elements.len());
        let yielded = match self {
            Combine::Op(op) => vec![region.op(OpKind::Binary(op), &[a[0], b[0]])],
            Combine::Last => b.to_vec(),
            Combine::Affine => {
                let factor = region.op(OpKind::Binary(BinaryOp::Mul), &[a[0], b[0]]);
                let moved = region.op(OpKind::Binary(BinaryOp::Mul), &[a[1], b[0]]);
                vec![factor, region.op(OpKind::Binary(BinaryOp::Add), &[moved, b[1]])]
            }
            Combine::Best { max } => region.better(a, b, max, elements[0]),
        };
        let mut nodes = region.nodes;
        nodes.push(Node {
            kind: OpKind::Yield,
            operands: yielded,
            results: Vec::new(),
            bodies: Vec::new(),
        });
        Body { args, nodes }
    }
}

/// A region in the making.
struct Region<'a> {
    tree: &'a mut Tree,
    nodes: Vec<Node>,
}

impl Region<'_> {
    fn op(&mut self, kind: OpKind, operands: &[Val]) -> Val {
        let types: Vec<Type> = operands.iter().map(|&v| self.tree.ty(v)).collect();
        let Ok(Some(ty)) = result_type(&kind, &types, None) else {
            unreachable!("'{}' of {types:?} in a combiner", kind.name())
        };
        let result = self.tree.value(ty);
        self.nodes.push(Node {
            kind,
            operands: operands.to_vec(),
            results: vec![result],
            bodies: Vec::new(),
        });
        result
    }

    fn better(&mut self, a: &[Val], b: &[Val], max: bool, scalar: Scalar) -> Vec<Val> {
        let beyond = match (max, scalar) {
            (true, Scalar::I1) => CmpPred::GtU,
            (false, Scalar::I1) => CmpPred::LtU,
            (true, _) => CmpPred::Gt,
            (false, _) => CmpPred::Lt,
        };
        let (and, or) = (OpKind::Binary(BinaryOp::And), OpKind::Binary(BinaryOp::Or));
        let mut wins = self.op(OpKind::Cmp(beyond), &[a[0], b[0]]);
        let mut equal = self.op(OpKind::Cmp(CmpPred::Eq), &[a[0], b[0]]);
        if scalar.is_float() {
            let a_number = self.op(OpKind::Cmp(CmpPred::Eq), &[a[0], a[0]]);
            let a_nan = self.op(OpKind::Cmp(CmpPred::Ne), &[a[0], a[0]]);
            let b_nan = self.op(OpKind::Cmp(CmpPred::Ne), &[b[0], b[0]]);
            let over_nan = self.op(and.clone(), &[a_number, b_nan]);
            wins = self.op(or.clone(), &[wins, over_nan]);
            let both = self.op(and.clone(), &[a_nan, b_nan]);
            equal = self.op(or.clone(), &[equal, both]);
        }
        let first = self.op(OpKind::Cmp(CmpPred::Lt), &[a[1], b[1]]);
        let tie = self.op(and, &[equal, first]);
        let takes = self.op(or, &[wins, tie]);
        vec![
            self.op(OpKind::Select, &[takes, a[0], b[0]]),
            self.op(OpKind::Select, &[takes, a[1], b[1]]),
        ]
    }
}

/// Are two regions the same but for the numbers of their values?
fn same(left_tree: &Tree, left: &Body, right_tree: &Tree, right: &Body) -> bool {
    let mut pairs: Vec<(Val, Val)> = left.args.iter().copied().zip(right.args.iter().copied()).collect();
    left.args.len() == right.args.len()
        && left.nodes.len() == right.nodes.len()
        && left.nodes.iter().zip(&right.nodes).all(|(x, y)| {
            let known = |v: &Val, w: &Val| pairs.contains(&(*v, *w));
            let same = x.kind == y.kind
                && x.operands.len() == y.operands.len()
                && x.operands.iter().zip(&y.operands).all(|(v, w)| known(v, w))
                && x.results.len() == y.results.len()
                && x.results
                    .iter()
                    .zip(&y.results)
                    .all(|(&v, &w)| left_tree.ty(v) == right_tree.ty(w));
            pairs.extend(x.results.iter().copied().zip(y.results.iter().copied()));
            same
        })
}

/// The largest element of float sums.
pub(crate) const SMALL: u64 = 7;

/// Do so many whole numbers up to [`SMALL`] add up exactly in a type?
pub(crate) fn adds_up(extent: u32, scalar: Scalar) -> bool {
    u64::from(extent) * SMALL <= 2 << crate::random::digits(scalar)
}

/// Is the operand of a float sum made of integers that were cut to [`SMALL`], few enough for their type?
fn is_small(tree: &Tree, node: &Node) -> bool {
    let (OpKind::Reduce { axis } | OpKind::Scan { axis, .. }) = node.kind else {
        return false;
    };
    let ty = tree.ty(node.operands[0]);
    let fits = ty.shape.dims().get(axis).zip(ty.as_scalar());
    let cut = || {
        let cast = tree.definition(node.operands[0])?;
        let cut = tree.definition(*cast.operands.first()?)?;
        let limit = tree.definition(*cut.operands.get(1)?)?;
        let (OpKind::Cast(CastKind::UToF), OpKind::Binary(BinaryOp::And), OpKind::Const(limit)) =
            (&cast.kind, &cut.kind, &limit.kind)
        else {
            return None;
        };
        limit.as_unsigned().filter(|&limit| limit <= SMALL)
    };
    fits.is_some_and(|(&extent, scalar)| adds_up(extent, scalar)) && cut().is_some()
}

/// Is it the index along a dimension: a range, stretched?
fn is_index(tree: &Tree, value: Val) -> bool {
    match tree.definition(value) {
        Some(node) => match node.kind {
            OpKind::Range { .. } => true,
            OpKind::ExpandDims { .. } | OpKind::Broadcast => is_index(tree, node.operands[0]),
            // What these give may hold an index twice, or another number.
            OpKind::Const(_) | OpKind::ProgramId(_) | OpKind::NumPrograms(_) | OpKind::Splat => false,
            OpKind::Reshape | OpKind::Transpose { .. } | OpKind::Reduce { .. } | OpKind::Scan { .. } => false,
            OpKind::Join | OpKind::Split | OpKind::Gather { .. } | OpKind::Histogram => false,
            OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Fma | OpKind::Cmp(_) | OpKind::Select => false,
            OpKind::Cast(_) | OpKind::AddPtr | OpKind::Load | OpKind::Store => false,
            OpKind::For | OpKind::If | OpKind::While | OpKind::Yield | OpKind::Condition => false,
        },
        None => false,
    }
}

/// The constant that integers are cut with.
pub(crate) fn small(scalar: Scalar) -> Const {
    Const::from_int(scalar, i128::from(SMALL))
}

#[cfg(test)]
mod tests {
    use mytriton_ssa::{eval_binary, eval_cmp, eval_select};
    use rustc_hash::FxHashMap;

    use super::*;
    use crate::random::Random;

    /// The combination of two elements.
    fn combined(body: &Body, left: &[Const], right: &[Const]) -> Vec<Const> {
        let given = left.iter().chain(right).copied();
        let mut values: FxHashMap<Val, Const> = body.args.iter().copied().zip(given).collect();
        for node in &body.nodes {
            let x: Vec<Const> = node.operands.iter().map(|v| values[v]).collect();
            let value = match node.kind {
                OpKind::Binary(op) => eval_binary(op, x[0], x[1]).expect("defined"),
                OpKind::Cmp(pred) => Const::bool(eval_cmp(pred, x[0], x[1])),
                OpKind::Select => eval_select(x[0], x[1], x[2]),
                OpKind::Yield => return x,
                ref other => unreachable!("{}", other.name()),
            };
            values.insert(node.results[0], value);
        }
        unreachable!("a combiner yields")
    }

    fn same_bits(a: &[Const], b: &[Const]) -> bool {
        a.iter().zip(b).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
    }

    /// Every combine of the list is associative, and commutative where it is offered for reductions.
    #[test]
    fn the_order_does_not_matter() {
        let mut random = Random::new(1);
        let mut tried = 0;
        for scalar in Scalar::ALL {
            for (elements, scan) in [
                (vec![scalar], false),
                (vec![scalar], true),
                (vec![scalar, Scalar::I32], false),
                (vec![scalar; 2], true),
            ] {
                for combine in Combine::all(&elements, scan) {
                    let mut tree = Tree::default();
                    let body = combine.body(&mut tree, &elements);
                    tried += 1;
                    for _ in 0..200 {
                        let mut index = 0;
                        let [a, b, c] = [(); 3].map(|()| {
                            index += 1;
                            let mut element: Vec<Const> = elements.iter().map(|&s| random.element(s)).collect();
                            match combine {
                                Combine::Op(BinaryOp::Add) if scalar.is_float() => {
                                    element[0] = Const::from_int(scalar, random.below(SMALL as usize + 1) as i128);
                                }
                                Combine::Best { .. } => element[1] = Const::i32(index),
                                _ => {}
                            }
                            element
                        });
                        let join = |x: &[Const], y: &[Const]| combined(&body, x, y);
                        let (left, right) = (join(&join(&a, &b), &c), join(&a, &join(&b, &c)));
                        assert!(same_bits(&left, &right), "{combine:?} of {a:?} {b:?} {c:?}");
                        if !scan {
                            assert!(same_bits(&join(&a, &b), &join(&b, &a)), "{combine:?} of {a:?} {b:?}");
                        }
                    }
                }
            }
        }
        assert!(tried > 150, "{tried}");
    }
}
