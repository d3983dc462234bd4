//! Random valid kernels that use every operation.

use std::cell::RefCell;

use mytriton_ssa::{
    Axis, BinaryOp, BuildError, Builder, CastKind, CmpPred, Const, Domain, Elem, Kernel, Loc, OpData, OpKind,
    Permutation, Scalar, Shape, Type, UnaryOp, ValueId, result_type,
};
use proptest::prelude::*;

const SHAPES: [&[u32]; 6] = [&[], &[4], &[1], &[2, 3], &[1, 8], &[2, 1, 4]];
const NAMES: [&str; 9] = ["x", "acc", "acc", "c0", "c0_1", "i", "0", "", "größe"];

/// Kernels from a list of numbers that decide everything, so that failures shrink.
pub fn kernels() -> impl Strategy<Value = Kernel> {
    prop::collection::vec(any::<u32>(), 0..400).prop_map(|data| generate(&data))
}

pub fn generate(data: &[u32]) -> Kernel {
    let mut generator = Generator {
        b: Builder::new("generated"),
        data: data.iter(),
        pool: Vec::new(),
    };
    generator.kernel();
    generator.b.finish()
}

/// The type of the second operand, given that of the first.
fn second_operand(op: BinaryOp, first: Type) -> Type {
    let scalar = first.as_scalar().expect("a number");
    first.with_scalar(op.second_operand(scalar))
}

struct Generator<'a> {
    b: Builder,
    data: std::slice::Iter<'a, u32>,
    /// The values in scope.
    pool: Vec<ValueId>,
}

impl<'a> Generator<'a> {
    fn next(&mut self) -> u32 {
        self.data.next().copied().unwrap_or(0)
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.next() as usize % from.len()].clone()
    }

    fn kernel(&mut self) {
        let files = ["kernel.rs", "a \"b\"\\\t\u{1}.rs"];
        for file in files {
            self.b.kernel_mut().file_index(file);
        }
        for scalar in Scalar::ALL {
            for elem in [Elem::Scalar(scalar), Elem::Ptr(scalar)] {
                let name = format!("p{}", self.pool.len());
                let value = self.b.param(name, elem);
                self.pool.push(value);
            }
        }
        for index in 0..self.pool.len() {
            let ty = self.b.ty(self.pool[index]);
            if ty.pointee().is_some() || (ty.is_int() && ty != Type::I1) {
                let divisibility = 1 << (self.next() % 32);
                self.b.kernel_mut().params_mut()[index].divisibility = divisibility;
            }
        }
        self.b.kernel_mut().loc = self.loc();
        while self.data.len() > 0 {
            self.step(0);
        }
    }

    fn loc(&mut self) -> Loc {
        let line = self.next() % 50;
        if line == 0 {
            return Loc::UNKNOWN;
        }
        Loc {
            file: self.next() % 2,
            line,
            col: self.next() % 3,
        }
    }

    fn keep(&mut self, value: ValueId) -> ValueId {
        if self.next().is_multiple_of(4) {
            let name = self.pick(&NAMES);
            self.b.kernel_mut().set_name(value, name);
        }
        self.pool.push(value);
        value
    }

    fn shape(&mut self) -> Shape {
        let dims = self.pick(&SHAPES);
        Shape::new(dims).unwrap()
    }

    fn scalar(&mut self, domain: Domain) -> Scalar {
        let fits = |s: &Scalar| domain.contains(*s) && (domain != Domain::Int || *s != Scalar::I1);
        let all: Vec<Scalar> = Scalar::ALL.into_iter().filter(fits).collect();
        self.pick(&all)
    }

    /// A value of the type: one in scope, or a new constant or splat.
    fn of(&mut self, ty: Type) -> ValueId {
        let fitting: Vec<ValueId> = self.pool.iter().copied().filter(|&v| self.b.ty(v) == ty).collect();
        if !fitting.is_empty() && !self.next().is_multiple_of(4) {
            return self.pick(&fitting);
        }
        let value = match ty.elem {
            Elem::Scalar(scalar) => {
                let bits = u64::from(self.next()) << 32 | u64::from(self.next());
                let bits = self.pick(&[bits, bits & 3, u64::MAX, 0, 1 << 63 | 1 << 31 | 1 << 15]);
                self.b.constant_of(Const::from_bits(scalar, bits), ty).unwrap()
            }
            Elem::Ptr(scalar) => {
                let base = self.b.kernel().params()[2 * scalar as usize + 1].value;
                if ty.is_scalar() {
                    return base;
                }
                self.b.splat(base, ty).unwrap()
            }
        };
        self.keep(value)
    }

    fn any(&mut self) -> ValueId {
        let pool = self.pool.clone();
        self.pick(&pool)
    }

    fn any_type(&mut self) -> Type {
        let shape = self.shape();
        let scalar = self.pick(&Scalar::ALL);
        let elem = self.pick(&[Elem::Scalar(scalar), Elem::Scalar(scalar), Elem::Ptr(scalar)]);
        Type { elem, shape }
    }

    fn floats(&mut self) -> Type {
        Type::scalar(self.scalar(Domain::Float)).with_shape(self.shape())
    }

    /// A type that the operation takes `count` operands of, the second one of `powi` aside.
    fn accepted(&mut self, kind: &OpKind, count: usize) -> Type {
        let takes = |s: &Scalar| {
            let mut types = vec![Type::scalar(*s); count];
            if let OpKind::Binary(op) = kind {
                types[1] = Type::scalar(op.second_operand(*s));
            }
            result_type(kind, &types, None).is_ok()
        };
        let all: Vec<Scalar> = Scalar::ALL.into_iter().filter(takes).collect();
        Type::scalar(self.pick(&all)).with_shape(self.shape())
    }

    fn step(&mut self, depth: usize) {
        let loc = self.loc();
        self.b.set_loc(loc);
        let value = match self.next() % 28 {
            0 => {
                let axis = self.pick(Axis::ALL);
                self.b.program_id(axis)
            }
            1 => {
                let axis = self.pick(Axis::ALL);
                self.b.num_programs(axis)
            }
            2 => {
                let start = self.next() as i32 / 2;
                self.b.range(start, start + 4)
            }
            3 => {
                let ty = self.any_type();
                let scalar = self.of(ty.element());
                let shape = Shape::new(self.pick(&SHAPES[1..])).unwrap();
                self.b.splat(scalar, ty.with_shape(shape))
            }
            4 => {
                let mut ty = self.any_type();
                ty.shape = Shape::new(self.pick(&SHAPES[1..])).unwrap();
                let tile = self.of(ty);
                let axis = self.next() as usize % (ty.shape.rank() + 1);
                self.b.expand_dims(tile, axis)
            }
            5 => {
                let ty = self.any_type().with_shape(Shape::new(&[1, 8]).unwrap());
                let tile = self.of(ty);
                self.b.broadcast(tile, ty.with_shape(Shape::new(&[4, 8]).unwrap()))
            }
            6 | 7 => {
                let op = self.pick(UnaryOp::ALL);
                let ty = self.accepted(&OpKind::Unary(op), 1);
                let x = self.of(ty);
                self.b.unary(op, x)
            }
            8..=10 => {
                let op = self.pick(BinaryOp::ALL);
                let ty = self.accepted(&OpKind::Binary(op), 2);
                let (x, y) = (self.of(ty), self.of(second_operand(op, ty)));
                self.b.binary(op, x, y)
            }
            11 => {
                let ty = self.floats();
                let [x, y, z] = [(); 3].map(|()| self.of(ty));
                self.b.fma(x, y, z)
            }
            12 => {
                let pred = self.pick(CmpPred::ALL);
                let ty = self.accepted(&OpKind::Cmp(pred), 2);
                let (x, y) = (self.of(ty), self.of(ty));
                self.b.cmp(pred, x, y)
            }
            13 => {
                let ty = self.any_type();
                let shape = self.pick(&[ty.shape, Shape::SCALAR]);
                let condition = self.of(Type::I1.with_shape(shape));
                let (x, y) = (self.of(ty), self.of(ty));
                self.b.select(condition, x, y)
            }
            14 | 15 => return self.cast(),
            16 => {
                let mut ty = self.any_type();
                ty.elem = Elem::Ptr(self.pick(&Scalar::ALL));
                let offset = self.scalar(Domain::Int);
                let (ptr, offset) = (self.of(ty), self.of(ty.with_scalar(offset)));
                self.b.addptr(ptr, offset)
            }
            17 | 18 => return self.memory(),
            19 => return self.for_loop(depth),
            20 => return self.if_else(depth),
            22 | 23 => return self.reduction(),
            26 | 27 => return self.choice(),
            24 => {
                let ty = self.any_type();
                let x = self.of(ty);
                let n = ty.shape.elements() as u32;
                let shape = match n {
                    1 => self.pick(&[Shape::SCALAR, Shape::new(&[1, 1]).unwrap()]),
                    n => Shape::new(&[2, n / 2]).unwrap(),
                };
                self.b.reshape(x, shape)
            }
            25 => {
                let ty = self.any_type().with_shape(Shape::new(&[2, 1, 4]).unwrap());
                let x = self.of(ty);
                let order = self.pick(&[[0, 1, 2], [2, 0, 1], [1, 0, 2]]);
                self.b.transpose(x, Permutation::new(&order).unwrap())
            }
            _ => return self.while_loop(depth),
        };
        self.keep(value.unwrap());
    }

    /// Elements that come from elsewhere: joined, split, gathered and counted.
    fn choice(&mut self) {
        let results = match self.next() % 4 {
            0 => {
                let ty = self.any_type();
                let (x, y) = (self.of(ty), self.of(ty));
                vec![self.b.join(x, y).unwrap()]
            }
            1 => {
                let shape = self.pick(&[&[2][..], &[4, 2], &[1, 3, 2]]);
                let ty = self.any_type().with_shape(Shape::new(shape).unwrap());
                let x = self.of(ty);
                self.b.split(x).unwrap().to_vec()
            }
            2 => {
                let (from, to, axis) = self.pick(&[([4, 8], [4, 3], 1), ([4, 8], [1, 8], 0), ([4, 8], [4, 8], 1)]);
                let x = Type::scalar(self.pick(&Scalar::ALL)).with_shape(Shape::new(&from).unwrap());
                let index = Type::scalar(self.scalar(Domain::Int)).with_shape(Shape::new(&to).unwrap());
                let (x, index) = (self.of(x), self.of(index));
                vec![self.b.gather(x, index, axis).unwrap()]
            }
            _ => {
                let shape = Shape::new(self.pick(&SHAPES[1..])).unwrap();
                let scalar = self.pick(&[Scalar::I1, Scalar::I8, Scalar::I64]);
                let x = self.of(Type::scalar(scalar).with_shape(shape));
                let mask = self
                    .next()
                    .is_multiple_of(2)
                    .then(|| self.of(Type::I1.with_shape(shape)));
                let bins = 1 + self.next() % 20;
                vec![self.b.histogram(x, bins, mask).unwrap()]
            }
        };
        for value in results {
            self.keep(value);
        }
    }

    fn reduction(&mut self) {
        let mut shape = self.shape();
        if shape.is_scalar() {
            shape = Shape::new(&[4]).unwrap();
        }
        let count = 1 + self.next() % 4;
        let types: Vec<Type> = (0..count)
            .map(|_| Type::scalar(self.pick(&Scalar::ALL)).with_shape(shape))
            .collect();
        let tiles: Vec<ValueId> = types.iter().map(|&ty| self.of(ty)).collect();
        let axis = self.next() as usize % shape.rank();
        let form = self.next();
        let outer = self.outer();
        let combine = |b: &mut Builder, left: &[ValueId], right: &[ValueId]| {
            let mut outer = outer.borrow_mut();
            let mut inner = Generator {
                b: std::mem::replace(b, Builder::new("")),
                data: outer.data.clone(),
                pool: Vec::new(),
            };
            for &arg in left.iter().chain(right) {
                inner.keep(arg);
            }
            for _ in 0..inner.next() % 4 {
                let op = inner.pick(BinaryOp::ALL);
                let ty = inner.accepted(&OpKind::Binary(op), 2).element();
                let (x, y) = (inner.of(ty), inner.of(second_operand(op, ty)));
                let value = inner.b.binary(op, x, y).unwrap();
                inner.keep(value);
            }
            let mut values: Vec<ValueId> = types.iter().map(|ty| inner.of(ty.element())).collect();
            associative(inner.b.kernel(), left, right, &mut values);
            outer.data = inner.data;
            *b = inner.b;
            Ok::<_, BuildError>(values)
        };
        let results = match form % 3 {
            0 => self.b.scan(&tiles, axis, form.is_multiple_of(2), combine),
            _ => self.b.reduce(&tiles, axis, combine),
        };
        self.keep_all(outer, results);
    }

    fn cast(&mut self) {
        let kind = self.pick(CastKind::ALL);
        let (from, to) = (self.pick(&Scalar::ALL), self.pick(&Scalar::ALL));
        let shape = self.shape();
        let x = self.of(Type::scalar(from).with_shape(shape));
        // Many pairs are refused, which is as well: what is refused is not built.
        if let Ok(value) = self.b.cast(kind, x, to) {
            self.keep(value);
        }
    }

    fn memory(&mut self) {
        let scalar = self.pick(&Scalar::ALL);
        let value = Type::scalar(scalar).with_shape(self.shape());
        let ptr = self.of(Type {
            elem: Elem::Ptr(scalar),
            shape: value.shape,
        });
        let mask = (!self.next().is_multiple_of(3)).then(|| self.of(value.with_scalar(Scalar::I1)));
        if self.next().is_multiple_of(2) {
            let other = mask.filter(|_| self.next().is_multiple_of(2)).map(|_| self.of(value));
            let loaded = self.b.load(ptr, mask, other).unwrap();
            self.keep(loaded);
        } else {
            let value = self.of(value);
            self.b.store(ptr, value, mask).unwrap();
        }
    }

    /// Runs a region's content in a scope of its own and gives values of the types.
    fn inside(b: &mut Builder, g: &mut Outer<'_>, args: &[ValueId], types: &[Type], depth: usize) -> Vec<ValueId> {
        let mut inner = Generator {
            b: std::mem::replace(b, Builder::new("")),
            data: g.data.clone(),
            pool: g.pool.clone(),
        };
        for &arg in args {
            inner.keep(arg);
        }
        let steps = if depth < 4 { inner.next() % 4 } else { 0 };
        for _ in 0..steps {
            inner.step(depth + 1);
        }
        let values = types.iter().map(|&ty| inner.of(ty)).collect();
        g.data = inner.data;
        *b = inner.b;
        values
    }

    /// What regions start from, taken out so that the builder alone is borrowed while they are built.
    fn outer(&self) -> RefCell<Outer<'a>> {
        RefCell::new(Outer {
            data: self.data.clone(),
            pool: self.pool.clone(),
        })
    }

    fn keep_all(&mut self, outer: RefCell<Outer<'a>>, results: Result<Vec<ValueId>, BuildError>) {
        self.data = outer.into_inner().data;
        for value in results.unwrap() {
            self.keep(value);
        }
    }

    fn initial(&mut self) -> (Vec<ValueId>, Vec<Type>) {
        let count = self.next() % 4;
        let values: Vec<ValueId> = (0..count).map(|_| self.any()).collect();
        let types = values.iter().map(|&v| self.b.ty(v)).collect();
        (values, types)
    }

    fn for_loop(&mut self, depth: usize) {
        let ty = Type::scalar(self.scalar(Domain::Int));
        let (lower, upper) = (self.of(ty), self.of(ty));
        let step = self.b.constant(Const::from_int(ty.as_scalar().unwrap(), 1));
        let (initial, types) = self.initial();
        let outer = self.outer();
        let results = self
            .b
            .for_loop::<BuildError>([lower, upper, step], &initial, |b, index, carried| {
                let args: Vec<ValueId> = std::iter::once(index).chain(carried.iter().copied()).collect();
                Ok(Self::inside(b, &mut outer.borrow_mut(), &args, &types, depth))
            });
        self.keep_all(outer, results);
    }

    fn if_else(&mut self, depth: usize) {
        let condition = self.of(Type::I1);
        let (_, types) = self.initial();
        let outer = self.outer();
        let branch =
            |b: &mut Builder| Ok::<_, BuildError>(Self::inside(b, &mut outer.borrow_mut(), &[], &types, depth));
        let results = self.b.if_else(condition, branch, branch);
        self.keep_all(outer, results);
    }

    fn while_loop(&mut self, depth: usize) {
        let (initial, types) = self.initial();
        let outer = self.outer();
        let results = self.b.while_loop::<BuildError>(
            &initial,
            |b, args| Ok(Self::inside(b, &mut outer.borrow_mut(), args, &[Type::I1], depth)[0]),
            |b, args| Ok(Self::inside(b, &mut outer.borrow_mut(), args, &types, depth)),
        );
        self.keep_all(outer, results);
    }
}

struct Outer<'a> {
    data: std::slice::Iter<'a, u32>,
    pool: Vec<ValueId>,
}

#[test]
fn every_operation_is_generated() {
    let mut seen = std::collections::BTreeSet::new();
    let mut state = 1u32;
    for _ in 0..300 {
        let data: Vec<u32> = (0..400)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state >> 8
            })
            .collect();
        let kernel = generate(&data);
        for op in kernel.ops_in_order() {
            let kind = &kernel.op(op).kind;
            seen.insert(match kind {
                OpKind::Cmp(pred) => format!("cmp {pred}"),
                OpKind::ProgramId(axis) | OpKind::NumPrograms(axis) => format!("{} {axis}", kind.name()),
                OpKind::Load | OpKind::Store | OpKind::Histogram => {
                    format!("{} {}", kind.name(), kernel.op(op).operands.len())
                }
                OpKind::Scan { reverse: true, .. } => "scan reverse".to_owned(),
                _ => kind.name().to_owned(),
            });
        }
    }
    let names = UnaryOp::ALL.iter().map(|op| op.name().to_owned());
    let names = names.chain(BinaryOp::ALL.iter().map(|op| op.name().to_owned()));
    let names = names.chain(CastKind::ALL.iter().map(|op| op.name().to_owned()));
    let names = names.chain(CmpPred::ALL.iter().map(|op| format!("cmp {op}")));
    let names = names.chain(
        Axis::ALL
            .iter()
            .flat_map(|a| [format!("program_id {a}"), format!("num_programs {a}")]),
    );
    let others = [
        "const",
        "range",
        "splat",
        "expand_dims",
        "broadcast",
        "reshape",
        "transpose",
        "join",
        "split",
        "gather",
        "histogram 1",
        "histogram 2",
        "reduce",
        "scan",
        "scan reverse",
        "fma",
        "select",
        "addptr",
        "load 1",
        "load 2",
        "load 3",
        "store 2",
        "store 3",
        "for",
        "if",
        "while",
        "yield",
        "condition",
    ];
    let missing: Vec<String> = names
        .chain(others.map(str::to_owned))
        .filter(|name| !seen.contains(name))
        .collect();
    assert!(missing.is_empty(), "not generated: {missing:?}");
}

/// Replaces what is plainly not associative, an operation of the pair alone that depends on its order.
fn associative(kernel: &Kernel, left: &[ValueId], right: &[ValueId], values: &mut [ValueId]) {
    for ((value, &left), &right) in values.iter_mut().zip(left).zip(right) {
        let op = kernel.defining_op(*value);
        let of_pair = |op: &&OpData| op.operands[..] == [left, right] || op.operands[..] == [right, left];
        if let Some(OpKind::Binary(op)) = op.filter(of_pair).map(|op| &op.kind)
            && !op.is_commutative()
        {
            *value = left;
        }
    }
}
