//! Operations one by one: each appended to the region that is open.

use mytriton_ssa::{BinaryOp, CastKind, CmpPred, Const, Elem, OpKind, Scalar, Shape, Type, result_type};

use super::{Generator, Known};
use crate::rule::Rule;
use crate::tree::{Body, Node, Val};

impl Generator {
    /// Appends an operation and gives its result. The generator only asks for what is well-typed.
    pub fn op(&mut self, kind: OpKind, operands: &[Val], requested: Option<Type>) -> Val {
        let types: Vec<Type> = operands.iter().map(|&v| self.tree.ty(v)).collect();
        let result = match result_type(&kind, &types, requested) {
            Ok(Some(result)) => result,
            other => unreachable!("'{}' of {types:?} gives {other:?}", kind.name()),
        };
        let value = self.tree.value(result);
        self.work += self.trips * result.shape.elements().max(4);
        self.append(kind, operands, vec![value], Vec::new());
        value
    }

    /// Appends an operation with results and regions of its own.
    pub fn append(&mut self, kind: OpKind, operands: &[Val], results: Vec<Val>, bodies: Vec<Body>) {
        self.used.extend(operands.iter().copied());
        let node = Node {
            kind,
            operands: operands.to_vec(),
            results,
            bodies,
        };
        self.open.last_mut().expect("a region is open").nodes.push(node);
    }

    pub fn ty(&self, value: Val) -> Type {
        self.tree.ty(value)
    }

    pub fn scalar_of(&self, value: Val) -> Scalar {
        self.ty(value).as_scalar().expect("a number")
    }

    pub fn constant(&mut self, value: Const, ty: Type) -> Val {
        self.op(OpKind::Const(value), &[], Some(ty))
    }

    /// An integer constant of a type, in every element.
    pub fn int(&mut self, value: i64, ty: Type) -> Val {
        let scalar = ty.as_scalar().expect("an integer type");
        self.constant(Const::from_int(scalar, i128::from(value)), ty)
    }

    pub fn binary(&mut self, op: BinaryOp, a: Val, b: Val) -> Val {
        self.op(OpKind::Binary(op), &[a, b], None)
    }

    /// The operation with an integer constant on its right.
    pub fn with_int(&mut self, op: BinaryOp, a: Val, b: i64) -> Val {
        let ty = self.ty(a);
        let b = self.int(b, ty);
        self.binary(op, a, b)
    }

    pub fn cmp(&mut self, pred: CmpPred, a: Val, b: Val) -> Val {
        self.op(OpKind::Cmp(pred), &[a, b], None)
    }

    pub fn select(&mut self, condition: Val, a: Val, b: Val) -> Val {
        self.op(OpKind::Select, &[condition, a, b], None)
    }

    pub fn splat(&mut self, scalar: Val, shape: Shape) -> Val {
        if shape.is_scalar() {
            return scalar;
        }
        let ty = self.ty(scalar).with_shape(shape);
        self.op(OpKind::Splat, &[scalar], Some(ty))
    }

    /// A value of the same rank with extents of 1 stretched.
    pub fn broadcast(&mut self, tile: Val, shape: Shape) -> Val {
        if self.ty(tile).shape == shape {
            return tile;
        }
        let ty = self.ty(tile).with_shape(shape);
        self.op(OpKind::Broadcast, &[tile], Some(ty))
    }

    pub fn addptr(&mut self, pointer: Val, offset: Val) -> Val {
        self.op(OpKind::AddPtr, &[pointer, offset], None)
    }

    /// An integer as another integer type, by its sign.
    pub fn resize(&mut self, value: Val, to: Scalar) -> Val {
        let ty = self.ty(value).with_scalar(to);
        let cast = match to.bits().cmp(&self.scalar_of(value).bits()) {
            std::cmp::Ordering::Equal => return value,
            std::cmp::Ordering::Less => CastKind::Trunc,
            std::cmp::Ordering::Greater => CastKind::SExt,
        };
        self.op(OpKind::Cast(cast), &[value], Some(ty))
    }

    pub fn load(&mut self, pointer: Val, mask: Option<Val>, other: Option<Val>) -> Val {
        let operands: Vec<Val> = [Some(pointer), mask, other].into_iter().flatten().collect();
        // Loads cost more than arithmetic.
        self.work += 3 * self.trips * self.ty(pointer).shape.elements();
        self.op(OpKind::Load, &operands, None)
    }

    pub fn store(&mut self, pointer: Val, value: Val, mask: Option<Val>) {
        let operands: Vec<Val> = [Some(pointer), Some(value), mask].into_iter().flatten().collect();
        self.work += 4 * self.trips * self.ty(pointer).shape.elements();
        self.append(OpKind::Store, &operands, Vec::new(), Vec::new());
    }

    /// A value stretched to a shape, if its own fits into it: dimensions of extent 1 are put in where they are missing.
    pub fn stretch(&mut self, value: Val, shape: Shape) -> Option<Val> {
        let from = self.ty(value).shape;
        if from.is_scalar() {
            if shape.is_scalar() || !self.random.one_in(4) {
                return Some(self.splat(value, shape));
            }
            // By way of a tile of one element.
            let mut tile = self.splat(value, Shape::new(&[1]).ok()?);
            while self.ty(tile).shape.rank() < shape.rank() {
                tile = self.op(OpKind::ExpandDims { axis: 0 }, &[tile], None);
            }
            return Some(self.broadcast(tile, shape));
        }
        let mut missing = Vec::new();
        let mut dims = from.dims().iter().peekable();
        for (axis, &extent) in shape.dims().iter().enumerate() {
            if dims.next_if(|&&d| d == extent || d == 1).is_none() {
                missing.push(axis);
            }
        }
        if dims.next().is_some() {
            return None;
        }
        let mut tile = value;
        for axis in missing {
            tile = self.op(OpKind::ExpandDims { axis }, &[tile], None);
        }
        Some(self.broadcast(tile, shape))
    }

    /// What is known of a value.
    pub fn known(&self, value: Val) -> Known {
        self.known.get(&value).copied().unwrap_or_default()
    }

    /// Puts a value among those in scope.
    pub fn keep(&mut self, value: Val, known: Known) -> Val {
        if known != Known::default() {
            self.known.insert(value, known);
        }
        self.pool.push(value);
        value
    }

    /// Puts a computed value in scope: exact, defined, and if a float perhaps a NaN.
    pub fn keep_computed(&mut self, value: Val) -> Val {
        let loose_nan = self.ty(value).is_float();
        self.keep(
            value,
            Known {
                loose_nan,
                ..Known::default()
            },
        )
    }

    /// Is a value exact and defined everywhere, so that anything may take it?
    pub fn is_plain(&self, value: Val) -> bool {
        let known = self.known(value);
        known.when.is_none() && known.rule == Rule::Exact
    }

    /// Adds a parameter for a number and gives its value.
    pub fn number_param(&mut self, value: Const) -> Val {
        let name = format!("s{}", self.args.len());
        self.args.push(super::launch::Planned::Scalar(value));
        let scalar = value.scalar();
        let value = self.tree.param(name, Elem::Scalar(scalar));
        self.numbers.push(value);
        value
    }
}
