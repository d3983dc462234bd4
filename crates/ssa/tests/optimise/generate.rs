//! Random kernels that run: loops end, addresses are in bounds, and every value at the end is stored.

use std::cell::{Cell, RefCell};

use mytriton_ssa::{
    BinaryOp, BuildError, Builder, CastKind, CmpPred, Const, Elem, Kernel, OpData, OpKind, Permutation, Scalar, Shape,
    Type, UnaryOp, ValueId, result_type,
};

use crate::memory::special;

/// Elements of each buffer that the body reads and writes; results are stored behind them.
const SHARED: i128 = 32;
/// Elements of a buffer.
pub const BUFFER: usize = 4096;
const LANES: [&[u32]; 3] = [&[], &[4], &[2, 4]];

/// What the generator decides by, and the values in scope.
struct State<'a> {
    data: &'a [u32],
    at: Cell<usize>,
    pool: RefCell<Vec<ValueId>>,
}

type Built<T> = Result<T, BuildError>;

/// A kernel with a buffer and a scalar of each type, decided by the numbers.
pub fn generate(data: &[u32]) -> Kernel {
    let mut b = Builder::new("generated");
    let s = State {
        data,
        at: Cell::new(0),
        pool: RefCell::default(),
    };
    for scalar in Scalar::ALL {
        b.param(format!("p_{scalar}"), Elem::Ptr(scalar));
    }
    for scalar in Scalar::ALL {
        let value = b.param(format!("s_{scalar}"), Elem::Scalar(scalar));
        s.pool.borrow_mut().push(value);
    }
    while s.at.get() < data.len() {
        step(&mut b, &s, 0).expect("a valid operation");
    }
    store_all(&mut b, &s).expect("valid stores");
    b.finish()
}

impl State<'_> {
    fn next(&self) -> u32 {
        let at = self.at.get();
        self.at.set(at + 1);
        self.data.get(at).copied().unwrap_or(0)
    }

    fn below(&self, n: u32) -> u32 {
        self.next() % n
    }

    fn pick<T: Copy>(&self, from: &[T]) -> T {
        from[self.next() as usize % from.len()]
    }

    fn keep(&self, value: ValueId) {
        self.pool.borrow_mut().push(value);
    }

    /// A type that the operation takes `count` operands of.
    fn accepted(&self, kind: &OpKind, count: usize) -> Type {
        let takes = |s: &Scalar| {
            let mut types = vec![Type::scalar(*s); count];
            if let OpKind::Binary(op) = kind {
                types[1] = Type::scalar(op.second_operand(*s));
            }
            result_type(kind, &types, None).is_ok()
        };
        let all: Vec<Scalar> = Scalar::ALL.into_iter().filter(takes).collect();
        Type::tile(self.pick(&all), self.pick(&LANES)).unwrap()
    }

    fn any_type(&self) -> Type {
        Type::tile(self.pick(&Scalar::ALL), self.pick(&LANES)).unwrap()
    }
}

/// The type of the second operand, given that of the first.
fn second_operand(op: BinaryOp, first: Type) -> Type {
    let scalar = first.as_scalar().expect("a number");
    first.with_scalar(op.second_operand(scalar))
}

/// A value of the type: in scope, or a constant where special things happen.
fn of(b: &mut Builder, s: &State<'_>, ty: Type) -> ValueId {
    let fitting: Vec<ValueId> = s.pool.borrow().iter().copied().filter(|&v| b.ty(v) == ty).collect();
    if !fitting.is_empty() && s.below(3) > 0 {
        // Recent values more often, so that chains form.
        let back = s.below(4).min(s.below(fitting.len() as u32)) as usize;
        return fitting[fitting.len() - 1 - back.min(fitting.len() - 1)];
    }
    let scalar = ty.as_scalar().expect("a number");
    if !ty.is_scalar() && s.below(2) == 0 {
        let x = of(b, s, ty.element());
        return b.splat(x, ty).unwrap();
    }
    b.constant_of(s.pick(&special(scalar)), ty).unwrap()
}

fn int(b: &mut Builder, value: i128) -> ValueId {
    b.constant(Const::from_int(Scalar::I32, value))
}

/// A small number, at times known, at times not: for bounds.
fn small(b: &mut Builder, s: &State<'_>, limit: u32) -> Built<ValueId> {
    if s.below(2) == 0 {
        return Ok(int(b, i128::from(s.below(limit + 1))));
    }
    let x = of(b, s, Type::I32);
    let mask = int(b, i128::from(limit));
    b.binary(BinaryOp::And, x, mask)
}

/// Every element's number in its tile, from `base`.
fn lanes(b: &mut Builder, shape: Shape, base: i128) -> Built<ValueId> {
    let ty = Type::I32.with_shape(shape);
    let base = int(b, base);
    if shape.is_scalar() {
        return Ok(base);
    }
    let base = b.splat(base, ty)?;
    let index = if !LANES.contains(&shape.dims()) {
        let index = b.range(0, shape.elements() as i32)?;
        b.reshape(index, shape)?
    } else if shape.rank() == 1 {
        b.range(0, 4)?
    } else {
        let inner = b.range(0, 4)?;
        let row = b.expand_dims(inner, 0)?;
        let row = b.broadcast(row, ty)?;
        let outer = b.range(0, 2)?;
        let column = b.expand_dims(outer, 1)?;
        let column = b.broadcast(column, ty)?;
        let four = b.constant_of(Const::i32(4), ty)?;
        let column = b.binary(BinaryOp::Mul, column, four)?;
        b.binary(BinaryOp::Add, column, row)?
    };
    b.binary(BinaryOp::Add, base, index)
}

fn pointer(b: &mut Builder, value: Type, offset: ValueId) -> Built<ValueId> {
    let scalar = value.as_scalar().expect("a number");
    let mut ptr = b.kernel().params()[scalar as usize].value;
    if !value.is_scalar() {
        let ty = b.ty(ptr).with_shape(value.shape);
        ptr = b.splat(ptr, ty)?;
    }
    b.addptr(ptr, offset)
}

/// A pointer to a value of the type: one in scope more often than not, so that stores and loads meet.
fn address(b: &mut Builder, s: &State<'_>, ty: Type) -> Built<ValueId> {
    let elem = Elem::Ptr(ty.as_scalar().expect("a number"));
    let ptr_ty = Type { elem, shape: ty.shape };
    let known: Vec<ValueId> = s.pool.borrow().iter().copied().filter(|&v| b.ty(v) == ptr_ty).collect();
    if !known.is_empty() && s.below(4) > 0 {
        return Ok(s.pick(&known));
    }
    let at = if s.below(2) == 0 {
        lanes(b, ty.shape, i128::from(s.below(8)))?
    } else {
        let index = of(b, s, ty.with_scalar(Scalar::I32));
        let mask = Const::from_int(Scalar::I32, SHARED / 2 - 1);
        let mask = b.constant_of(mask, ty.with_scalar(Scalar::I32))?;
        b.binary(BinaryOp::And, index, mask)?
    };
    let mut ptr = pointer(b, ty, at)?;
    if s.below(3) == 0 {
        let further = Const::from_int(Scalar::I64, i128::from(s.below(4)));
        let further = b.constant_of(further, ty.with_scalar(Scalar::I64))?;
        ptr = b.addptr(ptr, further)?;
    }
    s.keep(ptr);
    Ok(ptr)
}

fn memory(b: &mut Builder, s: &State<'_>) -> Built<()> {
    let ty = Type::tile(s.pick(&[Scalar::I1, Scalar::I32, Scalar::F16]), s.pick(&LANES[..2])).unwrap();
    let ptr = address(b, s, ty)?;
    let mask = (s.below(3) == 0).then(|| of(b, s, ty.with_scalar(Scalar::I1)));
    if s.below(2) == 0 {
        let value = of(b, s, ty);
        return b.store(ptr, value, mask);
    }
    let other = mask.filter(|_| s.below(4) > 0).map(|_| of(b, s, ty));
    let value = b.load(ptr, mask, other)?;
    s.keep(value);
    Ok(())
}

fn step(b: &mut Builder, s: &State<'_>, depth: u32) -> Built<()> {
    let value = match s.below(33) {
        0..=7 => {
            let op = s.pick(BinaryOp::ALL);
            let ty = s.accepted(&OpKind::Binary(op), 2);
            let (x, y) = (of(b, s, ty), of(b, s, second_operand(op, ty)));
            b.binary(op, x, y)?
        }
        8 => {
            // Booleans, more often than they come up among all types.
            let op = s.pick(&[BinaryOp::Add, BinaryOp::And, BinaryOp::Or, BinaryOp::Xor, BinaryOp::Mul]);
            let ty = s.any_type().with_scalar(Scalar::I1);
            let (x, y) = (of(b, s, ty), of(b, s, ty));
            b.binary(op, x, y)?
        }
        9 | 10 => {
            let op = s.pick(UnaryOp::ALL);
            let ty = s.accepted(&OpKind::Unary(op), 1);
            let x = of(b, s, ty);
            b.unary(op, x)?
        }
        11 => {
            let ty = s.accepted(&OpKind::Fma, 3);
            let (x, y, z) = (of(b, s, ty), of(b, s, ty), of(b, s, ty));
            b.fma(x, y, z)?
        }
        12 | 13 => {
            let pred = s.pick(CmpPred::ALL);
            let ty = s.accepted(&OpKind::Cmp(pred), 2);
            let (x, y) = (of(b, s, ty), of(b, s, ty));
            b.cmp(pred, x, y)?
        }
        14 => {
            let ty = s.any_type();
            let shape = s.pick(&[ty.shape, Shape::SCALAR]);
            let c = of(b, s, Type::I1.with_shape(shape));
            let (x, y) = (of(b, s, ty), of(b, s, ty));
            b.select(c, x, y)?
        }
        15..=17 => {
            let (kind, to) = (s.pick(CastKind::ALL), s.pick(&Scalar::ALL));
            let ty = s.any_type();
            let x = of(b, s, ty);
            match b.cast(kind, x, to) {
                Ok(value) => value,
                // Many pairs are refused.
                Err(_) => return Ok(()),
            }
        }
        18..=21 => return memory(b, s),
        26 | 27 => return reduction(b, s),
        30..=32 => return choice(b, s),
        28 => {
            let ty = s.any_type();
            let x = of(b, s, ty);
            let to: &[u32] = match ty.shape.elements() {
                1 => s.pick(&[&[][..], &[1], &[1, 1]]),
                4 => s.pick(&[&[4][..], &[4, 1], &[2, 2]]),
                _ => s.pick(&[&[2, 4][..], &[8], &[2, 2, 2]]),
            };
            b.reshape(x, Shape::new(to).unwrap())?
        }
        29 => {
            let wide: Vec<ValueId> = s
                .pool
                .borrow()
                .iter()
                .copied()
                .filter(|&v| b.ty(v).shape.rank() > 1)
                .collect();
            if wide.is_empty() {
                return Ok(());
            }
            let x = s.pick(&wide);
            let mut axes: Vec<usize> = (0..b.ty(x).shape.rank()).collect();
            let rank = axes.len() as u32;
            axes.swap(s.below(rank) as usize, s.below(rank) as usize);
            b.transpose(x, Permutation::new(&axes).unwrap())?
        }
        22 if depth < 3 => return for_loop(b, s, depth),
        23 if depth < 3 => return if_else(b, s, depth),
        24 if depth < 3 => return while_loop(b, s, depth),
        _ => lanes(b, Shape::new(s.pick(&LANES)).unwrap(), i128::from(s.below(3)))?,
    };
    s.keep(value);
    Ok(())
}

/// A reduction or scan with any combine: the order that this machine goes by makes it meaningful.
fn reduction(b: &mut Builder, s: &State<'_>) -> Built<()> {
    let shape = Shape::new(s.pick(&[&[4][..], &[2, 4], &[2, 1]])).unwrap();
    let types: Vec<Type> = (0..1 + s.below(3)).map(|_| s.any_type().with_shape(shape)).collect();
    let tiles: Vec<ValueId> = types.iter().map(|&ty| of(b, s, ty)).collect();
    let axis = s.below(shape.rank() as u32) as usize;
    let combine = |b: &mut Builder, left: &[ValueId], right: &[ValueId]| {
        let outer = s.pool.replace([left, right].concat());
        for _ in 0..s.below(5) {
            elementwise(b, s)?;
        }
        let mut values: Vec<ValueId> = types.iter().map(|ty| of(b, s, ty.element())).collect();
        associative(b.kernel(), left, right, &mut values);
        s.pool.replace(outer);
        Ok::<_, BuildError>(values)
    };
    let results = match s.below(3) {
        0 => b.scan(&tiles, axis, s.below(2) == 0, combine)?,
        _ => b.reduce(&tiles, axis, combine)?,
    };
    s.pool.borrow_mut().extend(results);
    Ok(())
}

/// Elements that come from elsewhere: joined, split, gathered and counted.
fn choice(b: &mut Builder, s: &State<'_>) -> Built<()> {
    let results = match s.below(4) {
        0 => {
            let ty = s.any_type();
            let (x, y) = (of(b, s, ty), of(b, s, ty));
            vec![b.join(x, y)?]
        }
        1 => {
            let last = |&v: &ValueId| b.ty(v).shape.dims().last() == Some(&2);
            let pairs: Vec<ValueId> = s.pool.borrow().iter().copied().filter(last).collect();
            if pairs.is_empty() {
                return Ok(());
            }
            b.split(s.pick(&pairs))?.to_vec()
        }
        2 => {
            let source = s.any_type().with_shape(Shape::new(&[2, 4]).unwrap());
            let (index, axis) = s.pick(&[([2, 4], 0), ([2, 4], 1), ([2, 1], 1), ([1, 4], 0)]);
            let scalar = s.pick(&[Scalar::I8, Scalar::I32, Scalar::I64]);
            let index = Type::scalar(scalar).with_shape(Shape::new(&index).unwrap());
            let (x, index) = (of(b, s, source), of(b, s, index));
            // A mask that keeps some indices inside.
            let three = b.constant_of(Const::from_int(scalar, 3), b.ty(index))?;
            let index = b.binary(BinaryOp::And, index, three)?;
            vec![b.gather(x, index, axis)?]
        }
        _ => {
            let shape = Shape::new(s.pick(&LANES[1..])).unwrap();
            let scalar = s.pick(&[Scalar::I1, Scalar::I8, Scalar::I32, Scalar::I64]);
            let x = of(b, s, Type::scalar(scalar).with_shape(shape));
            let mask = (s.below(2) == 0).then(|| of(b, s, Type::I1.with_shape(shape)));
            vec![b.histogram(x, s.pick(&[1, 4, 8]), mask)?]
        }
    };
    s.pool.borrow_mut().extend(results);
    Ok(())
}

/// An operation on scalars in scope.
fn elementwise(b: &mut Builder, s: &State<'_>) -> Built<()> {
    let value = match s.below(4) {
        0 | 1 => {
            let op = s.pick(BinaryOp::ALL);
            let ty = s.accepted(&OpKind::Binary(op), 2).element();
            let (x, y) = (of(b, s, ty), of(b, s, second_operand(op, ty)));
            b.binary(op, x, y)?
        }
        2 => {
            let op = s.pick(UnaryOp::ALL);
            let ty = s.accepted(&OpKind::Unary(op), 1).element();
            let x = of(b, s, ty);
            b.unary(op, x)?
        }
        _ => {
            let ty = s.any_type().element();
            let (c, x, y) = (of(b, s, Type::I1), of(b, s, ty), of(b, s, ty));
            b.select(c, x, y)?
        }
    };
    s.keep(value);
    Ok(())
}

/// The content of a region in a scope of its own, and values of the types at its end.
fn inside(b: &mut Builder, s: &State<'_>, args: &[ValueId], types: &[Type], depth: u32) -> Built<Vec<ValueId>> {
    let mark = s.pool.borrow().len();
    s.pool.borrow_mut().extend_from_slice(args);
    for _ in 0..s.below(6) {
        step(b, s, depth + 1)?;
    }
    let values = types.iter().map(|&ty| of(b, s, ty)).collect();
    s.pool.borrow_mut().truncate(mark);
    Ok(values)
}

fn carried(b: &mut Builder, s: &State<'_>) -> (Vec<ValueId>, Vec<Type>) {
    let types: Vec<Type> = (0..s.below(4)).map(|_| s.any_type()).collect();
    (types.iter().map(|&ty| of(b, s, ty)).collect(), types)
}

fn for_loop(b: &mut Builder, s: &State<'_>, depth: u32) -> Built<()> {
    let lower = small(b, s, 3)?;
    let upper = small(b, s, 3)?;
    let step = int(b, i128::from(1 + s.below(2)));
    let (initial, types) = carried(b, s);
    let results = b.for_loop([lower, upper, step], &initial, |b, index, carried| {
        let args: Vec<ValueId> = std::iter::once(index).chain(carried.iter().copied()).collect();
        inside(b, s, &args, &types, depth)
    })?;
    s.pool.borrow_mut().extend(results);
    Ok(())
}

fn if_else(b: &mut Builder, s: &State<'_>, depth: u32) -> Built<()> {
    let c = of(b, s, Type::I1);
    let (_, types) = carried(b, s);
    let arm = |b: &mut Builder| inside(b, s, &[], &types, depth);
    let results = b.if_else(c, arm, arm)?;
    s.pool.borrow_mut().extend(results);
    Ok(())
}

/// Counts to a small limit, with anything in test and body.
fn while_loop(b: &mut Builder, s: &State<'_>, depth: u32) -> Built<()> {
    let zero = int(b, 0);
    let limit = small(b, s, 3)?;
    let (mut initial, types) = carried(b, s);
    initial.insert(0, zero);
    let results = b.while_loop(
        &initial,
        |b, args| {
            inside(b, s, &args[1..], &[], depth)?;
            b.cmp(CmpPred::Lt, args[0], limit)
        },
        |b, args| {
            let mut values = inside(b, s, args, &types, depth)?;
            let one = int(b, 1);
            values.insert(0, b.binary(BinaryOp::Add, args[0], one)?);
            Ok::<_, BuildError>(values)
        },
    )?;
    s.pool.borrow_mut().extend(results);
    Ok(())
}

/// Stores the values in scope, each in a place of its own.
fn store_all(b: &mut Builder, s: &State<'_>) -> Built<()> {
    let mut pool = s.pool.borrow().clone();
    pool.retain(|&v| b.ty(v).pointee().is_none());
    // The last ones, as far as the buffers reach.
    for (i, &value) in pool.iter().rev().take(BUFFER / 8 - SHARED as usize).enumerate() {
        // Some stay unused, for dead code to find.
        if s.at.get() % 7 == i % 7 {
            continue;
        }
        let ty = b.ty(value);
        let at = lanes(b, ty.shape, SHARED + 8 * i as i128)?;
        let ptr = pointer(b, ty, at)?;
        b.store(ptr, value, None)?;
    }
    Ok(())
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
