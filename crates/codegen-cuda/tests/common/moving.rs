//! Kernels of reductions, scans, reshapes and transposes.

use mytriton_ssa::{
    BinaryOp, BuildError, Builder, CastKind, CmpPred, Const, Elem, Kernel, Permutation, Scalar, Shape, Type, UnaryOp,
    ValueId,
};

type Built<T> = Result<T, BuildError>;

/// A kernel and how many elements each of its buffers has.
pub struct Tiles {
    pub kernel: Kernel,
    pub sizes: Vec<usize>,
}

struct Maker {
    b: Builder,
    sizes: Vec<usize>,
}

impl Maker {
    fn new(name: &str, scalar: Scalar, shape: &[u32], axis: usize) -> Maker {
        let shape: Vec<String> = shape.iter().map(u32::to_string).collect();
        Maker {
            b: Builder::new(format!("{name}_{scalar}_{}_{axis}", shape.join("x"))),
            sizes: Vec::new(),
        }
    }

    /// The row-major index of each element.
    fn index(&mut self, shape: Shape) -> Built<ValueId> {
        let ty = Type::I32.with_shape(shape);
        let mut sum = self.b.constant_of(Const::i32(0), ty)?;
        let mut stride = 1;
        for (dim, &extent) in shape.dims().iter().enumerate().rev() {
            let mut line = self.b.range(0, extent as i32)?;
            for axis in (0..shape.rank()).filter(|&axis| axis != dim) {
                line = self.b.expand_dims(line, axis)?;
            }
            let line = self.b.broadcast(line, ty)?;
            let strides = self.b.constant_of(Const::i32(stride), ty)?;
            let line = self.b.binary(BinaryOp::Mul, line, strides)?;
            sum = self.b.binary(BinaryOp::Add, sum, line)?;
            stride *= extent as i32;
        }
        Ok(sum)
    }

    fn pointers(&mut self, pointer: ValueId, shape: Shape) -> Built<ValueId> {
        let ty = self.b.ty(pointer).with_shape(shape);
        let (all, index) = (self.b.splat(pointer, ty)?, self.index(shape)?);
        self.b.addptr(all, index)
    }

    fn load(&mut self, name: &str, scalar: Scalar, shape: Shape) -> Built<ValueId> {
        let pointer = self.b.param(name, Elem::Ptr(scalar));
        self.sizes.push(shape.elements());
        let pointers = self.pointers(pointer, shape)?;
        self.b.load(pointers, None, None)
    }

    fn store(&mut self, value: ValueId) -> Built<()> {
        let ty = self.b.ty(value);
        let name = format!("out{}", self.sizes.len());
        let pointer = self.b.param(name, Elem::Ptr(ty.as_scalar().unwrap()));
        self.sizes.push(ty.shape.elements());
        let pointers = match ty.shape.is_scalar() {
            true => pointer,
            false => self.pointers(pointer, ty.shape)?,
        };
        self.b.store(pointers, value, None)
    }

    fn reduce(&mut self, op: BinaryOp, value: ValueId, axis: usize) -> Built<ValueId> {
        let combine = |b: &mut Builder, x: &[ValueId], y: &[ValueId]| Ok(vec![b.binary(op, x[0], y[0])?]);
        Ok(self.b.reduce::<BuildError>(&[value], axis, combine)?[0])
    }

    /// What was reduced along an axis, in every element along it.
    fn spread(&mut self, reduced: ValueId, axis: usize, shape: Shape) -> Built<ValueId> {
        let ty = self.b.ty(reduced);
        let kept = match ty.shape.is_scalar() {
            true => self.b.splat(reduced, ty.with_shape(Shape::new(&[1]).unwrap()))?,
            false => self.b.expand_dims(reduced, axis)?,
        };
        self.b.broadcast(kept, ty.with_shape(shape))
    }

    fn finish(self) -> Tiles {
        let kernel = self.b.finish();
        mytriton_ssa::verify(&kernel).unwrap();
        Tiles {
            kernel,
            sizes: self.sizes,
        }
    }
}

/// The combiners of a type: of small numbers that stay exact, and of any.
fn operations(scalar: Scalar) -> (Vec<BinaryOp>, Vec<BinaryOp>) {
    use BinaryOp::*;
    match scalar {
        Scalar::I1 => (vec![Add], vec![And, Or, Xor, MinU, MaxU]),
        _ if scalar.is_int() => (vec![Add], vec![Add, Mul, And, Or, Xor, MinS, MaxS, MinU, MaxU]),
        _ => (vec![Add], vec![Min, Max, MinNan, MaxNan]),
    }
}

/// The largest (of unsigned integers and floats) and the least place that has it.
fn first_largest(b: &mut Builder, scalar: Scalar, x: &[ValueId], y: &[ValueId]) -> Built<Vec<ValueId>> {
    let pred = if scalar.is_int() { CmpPred::GtU } else { CmpPred::Gt };
    let more = b.cmp(pred, x[0], y[0])?;
    let same = b.cmp(CmpPred::Eq, x[0], y[0])?;
    let first = b.cmp(CmpPred::Lt, x[1], y[1])?;
    let tie = b.binary(BinaryOp::And, same, first)?;
    let left = b.binary(BinaryOp::Or, more, tie)?;
    Ok(vec![b.select(left, x[0], y[0])?, b.select(left, x[1], y[1])?])
}

/// Reductions of a tile along an axis by every combine that has one result in every order: of one operand, of two (the
/// first of the largest, its value as well as its place), of three (the sum, the least, how many), and one of the user's
/// own. Results go to memory as they are, and some broadcast over the tile.
pub fn reductions(scalar: Scalar, shape: &[u32], axis: usize) -> Built<Tiles> {
    let mut m = Maker::new("reduce", scalar, shape, axis);
    let shape = Shape::new(shape).unwrap();
    let x = m.load("x", scalar, shape)?;
    let z = m.load("z", scalar, shape)?;
    let (exact, any) = operations(scalar);
    for op in exact {
        let sum = m.reduce(op, x, axis)?;
        m.store(sum)?;
        let all = m.spread(sum, axis, shape)?;
        let difference = m.b.binary(BinaryOp::Sub, x, all)?;
        m.store(difference)?;
    }
    for op in any {
        let reduced = m.reduce(op, z, axis)?;
        m.store(reduced)?;
    }
    let index = m.index(shape)?;
    let both =
        m.b.reduce(&[x, index], axis, |b, x, y| first_largest(b, scalar, x, y))?;
    m.store(both[0])?;
    m.store(both[1])?;
    // Only the place is asked for.
    let both =
        m.b.reduce(&[x, index], axis, |b, x, y| first_largest(b, scalar, x, y))?;
    let all = m.spread(both[1], axis, shape)?;
    m.store(all)?;
    let ones = m.b.constant_of(
        Const::from_int(Scalar::I8, 1),
        Type::scalar(Scalar::I8).with_shape(shape),
    )?;
    let three = m.b.reduce::<BuildError>(&[ones, x, index], axis, |b, x, y| {
        let count = b.binary(BinaryOp::Add, x[0], y[0])?;
        let sum = b.binary(BinaryOp::Add, x[1], y[1])?;
        Ok(vec![count, sum, b.binary(BinaryOp::MinS, x[2], y[2])?])
    })?;
    for result in three {
        m.store(result)?;
    }
    if scalar.is_int() {
        // (1 + a) (1 + b) - 1, with a constant in the combiner.
        let own = m.b.reduce::<BuildError>(&[z], axis, |b, x, y| {
            let one = b.constant(Const::from_int(scalar, 1));
            let left = b.binary(BinaryOp::Add, x[0], one)?;
            let product = b.binary(BinaryOp::Mul, left, y[0])?;
            Ok(vec![b.binary(BinaryOp::Add, product, x[0])?])
        })?;
        m.store(own[0])?;
    }
    Ok(m.finish())
}

/// Scans of a tile in both directions: sums, the largest so far and where, and (of integers) compositions of linear
/// functions, whose order counts.
pub fn scans(scalar: Scalar, shape: &[u32], axis: usize) -> Built<Tiles> {
    let mut m = Maker::new("scan", scalar, shape, axis);
    let shape = Shape::new(shape).unwrap();
    let x = m.load("x", scalar, shape)?;
    let z = m.load("z", scalar, shape)?;
    let index = m.index(shape)?;
    for reverse in [false, true] {
        let sums = m.b.scan::<BuildError>(&[x], axis, reverse, |b, x, y| {
            Ok(vec![b.binary(BinaryOp::Add, x[0], y[0])?])
        })?;
        m.store(sums[0])?;
        let largest =
            m.b.scan(&[x, index], axis, reverse, |b, x, y| first_largest(b, scalar, x, y))?;
        m.store(largest[0])?;
        m.store(largest[1])?;
        // The last that differs from zero: associative, but not commutative.
        let last = m.b.scan::<BuildError>(&[x], axis, reverse, |b, x, y| {
            let zero = b.constant(Const::zero(scalar));
            let none = b.cmp(CmpPred::Eq, y[0], zero)?;
            Ok(vec![b.select(none, x[0], y[0])?])
        })?;
        m.store(last[0])?;
        if scalar.is_int() {
            let linear = m.b.scan::<BuildError>(&[x, z], axis, reverse, |b, x, y| {
                let factor = b.binary(BinaryOp::Mul, x[0], y[0])?;
                let scaled = b.binary(BinaryOp::Mul, x[1], y[0])?;
                Ok(vec![factor, b.binary(BinaryOp::Add, scaled, y[1])?])
            })?;
            m.store(linear[0])?;
            m.store(linear[1])?;
        }
    }
    Ok(m.finish())
}

/// Every order of the dimensions (of the first three), reshapes to a line, to reversed extents and back, of numbers and
/// of pointers, and both after one another.
pub fn moving(scalar: Scalar, extents: &[u32]) -> Built<Tiles> {
    let mut m = Maker::new("move", scalar, extents, 0);
    let shape = Shape::new(extents).unwrap();
    let z = m.load("z", scalar, shape)?;
    let rank = extents.len();
    let mut orders: Vec<Vec<usize>> = Vec::new();
    for a in 0..rank.min(3) {
        for b in 0..rank.min(3) {
            let mut order: Vec<usize> = (0..rank).collect();
            order.swap(0, a);
            order.swap(rank - 1, b);
            if !orders.contains(&order) {
                orders.push(order);
            }
        }
    }
    let line = Shape::new(&[shape.elements() as u32]).unwrap();
    let mut backwards = extents.to_vec();
    backwards.reverse();
    let backwards = Shape::new(&backwards).unwrap();
    for order in orders {
        let turned = m.b.transpose(z, Permutation::new(&order).unwrap())?;
        m.store(turned)?;
        let flat = m.b.reshape(turned, line)?;
        m.store(flat)?;
        let back = m.b.reshape(flat, backwards)?;
        let all: Vec<usize> = (0..rank).rev().collect();
        let back = m.b.transpose(back, Permutation::new(&all).unwrap())?;
        m.store(back)?;
    }
    // Pointers of the result in another order.
    let name = format!("out{}", m.sizes.len());
    let pointer = m.b.param(name, Elem::Ptr(scalar));
    m.sizes.push(shape.elements());
    let pointers = m.pointers(pointer, backwards)?;
    let all: Vec<usize> = (0..rank).rev().collect();
    let turned = m.b.transpose(pointers, Permutation::new(&all).unwrap())?;
    let turned = m.b.reshape(turned, line)?;
    let flat = m.b.reshape(z, line)?;
    m.b.store(turned, flat, None)?;
    Ok(m.finish())
}

/// Two tiles joined and split again, elements chosen along an axis (more and fewer than it has), and histograms of `bins`
/// counters, with a mask and without.
pub fn choices(scalar: Scalar, extents: &[u32], axis: usize, bins: u32) -> Built<Tiles> {
    let mut m = Maker::new("choose", scalar, extents, axis);
    let shape = Shape::new(extents).unwrap();
    let x = m.load("x", scalar, shape)?;
    let z = m.load("z", scalar, shape)?;
    let rank = extents.len();
    if rank < 5 {
        let pairs = m.b.join(x, z)?;
        m.store(pairs)?;
        let [first, second] = m.b.split(pairs)?;
        m.store(second)?;
        m.store(first)?;
        // The pairs in another order of dimensions, of which one half is needed.
        let mut order: Vec<usize> = (0..=rank).collect();
        order.swap(0, rank - 1);
        let turned = m.b.transpose(pairs, Permutation::new(&order).unwrap())?;
        let [_, half] = m.b.split(turned)?;
        m.store(half)?;
    }
    let extent = extents[axis];
    let number = |m: &mut Maker, value: u32, ty: Type| m.b.constant_of(Const::i32(value as i32), ty);
    for count in [extent, 1, 2 * extent + 1] {
        let mut by = extents.to_vec();
        by[axis] = count;
        let by = Shape::new(&by).unwrap();
        let ty = Type::I32.with_shape(by);
        let index = m.index(by)?;
        let (factor, limit) = (number(&mut m, 7, ty)?, number(&mut m, extent, ty)?);
        let index = m.b.binary(BinaryOp::Mul, index, factor)?;
        let index = m.b.binary(BinaryOp::RemU, index, limit)?;
        let chosen = m.b.gather(z, index, axis)?;
        m.store(chosen)?;
        // In reverse, with short indices where they are enough.
        let width = if extent < 128 { Scalar::I8 } else { Scalar::I64 };
        let last = number(&mut m, extent - 1, ty)?;
        let index = m.b.binary(BinaryOp::Sub, last, index)?;
        let kind = if width == Scalar::I8 {
            CastKind::Trunc
        } else {
            CastKind::ZExt
        };
        let index = m.b.cast(kind, index, width)?;
        let again = m.b.gather(x, index, axis)?;
        m.store(again)?;
    }
    let ty = Type::I32.with_shape(shape);
    let index = m.index(shape)?;
    let limit = number(&mut m, bins + 3, ty)?;
    let values = m.b.binary(BinaryOp::RemU, index, limit)?;
    let counts = m.b.histogram(values, bins, None)?;
    m.store(counts)?;
    let one = number(&mut m, 1, ty)?;
    let odd = m.b.binary(BinaryOp::And, index, one)?;
    let odd = m.b.cmp(CmpPred::Eq, odd, one)?;
    let counts = m.b.histogram(values, bins, Some(odd))?;
    m.store(counts)?;
    if scalar.is_int() {
        // Numbers of any size, most of which are not counted.
        let counts = m.b.histogram(x, bins, None)?;
        m.store(counts)?;
        if bins <= 1024 {
            let total = m.reduce(BinaryOp::Add, counts, 0)?;
            m.store(total)?;
        }
    }
    Ok(m.finish())
}

/// Rows less their mean over their deviation, and the softmax of the rows.
pub fn layer_norm(rows: u32, columns: u32) -> Built<Tiles> {
    let scalar = Scalar::F32;
    let mut m = Maker::new("norm", scalar, &[rows, columns], 1);
    let shape = Shape::new(&[rows, columns]).unwrap();
    let x = m.load("f", scalar, shape)?;
    let ty = Type::scalar(scalar).with_shape(shape);
    let count = m.b.constant_of(Const::f32(columns as f32), ty)?;
    let mean = m.reduce(BinaryOp::Add, x, 1)?;
    let mean = m.spread(mean, 1, shape)?;
    let mean = m.b.binary(BinaryOp::Div, mean, count)?;
    let centred = m.b.binary(BinaryOp::Sub, x, mean)?;
    let squares = m.b.binary(BinaryOp::Mul, centred, centred)?;
    let variance = m.reduce(BinaryOp::Add, squares, 1)?;
    let variance = m.spread(variance, 1, shape)?;
    let variance = m.b.binary(BinaryOp::Div, variance, count)?;
    let deviation = m.b.unary(UnaryOp::Sqrt, variance)?;
    let scaled = m.b.binary(BinaryOp::Div, centred, deviation)?;
    // Near zero digits cancel: compare sums with a large number.
    let offset = m.b.constant_of(Const::f32(8.0), ty)?;
    let normal = m.b.binary(BinaryOp::Add, scaled, offset)?;
    m.store(normal)?;
    let top = m.reduce(BinaryOp::Max, x, 1)?;
    let top = m.spread(top, 1, shape)?;
    let shifted = m.b.binary(BinaryOp::Sub, x, top)?;
    let e = m.b.unary(UnaryOp::Exp, shifted)?;
    let total = m.reduce(BinaryOp::Add, e, 1)?;
    m.store(total)?;
    let total = m.spread(total, 1, shape)?;
    let softmax = m.b.binary(BinaryOp::Div, e, total)?;
    m.store(softmax)?;
    Ok(m.finish())
}

/// Reductions in a loop whose carried tile they change, in a test, and in a branch.
pub fn online(rows: u32, columns: u32) -> Built<Tiles> {
    let scalar = Scalar::I32;
    let mut m = Maker::new("online", scalar, &[rows, columns], 1);
    let shape = Shape::new(&[rows, columns]).unwrap();
    let ty = Type::I32.with_shape(shape);
    let x = m.load("x", scalar, shape)?;
    let [zero, one, three] = [0, 1, 3].map(|n| m.b.constant(Const::i32(n)));
    let sum = |b: &mut Builder, x: &[ValueId], y: &[ValueId]| Ok(vec![b.binary(BinaryOp::Add, x[0], y[0])?]);
    let most = |b: &mut Builder, x: &[ValueId], y: &[ValueId]| Ok(vec![b.binary(BinaryOp::MaxS, x[0], y[0])?]);
    let line = Shape::new(&[rows * columns]).unwrap();
    // Each iteration: rows less their largest, plus the running sums along columns, plus the index.
    let looped =
        m.b.for_loop::<BuildError>([zero, three, one], &[x, zero], |b, index, carried| {
            let top = b.reduce::<BuildError>(&[carried[0]], 1, most)?[0];
            let top = b.expand_dims(top, 1)?;
            let top = b.broadcast(top, ty)?;
            let less = b.binary(BinaryOp::Sub, carried[0], top)?;
            let running = b.scan::<BuildError>(&[less], 0, true, sum)?[0];
            let all = b.splat(index, ty)?;
            let next = b.binary(BinaryOp::Add, running, all)?;
            let flat = b.reshape(next, line)?;
            let total = b.reduce::<BuildError>(&[flat], 0, sum)?[0];
            let total = b.binary(BinaryOp::Add, total, carried[1])?;
            Ok(vec![next, total])
        })?;
    m.store(looped[0])?;
    m.store(looped[1])?;
    // While some element is above -30, less the number of the iteration.
    let limit = m.b.constant(Const::i32(-30));
    let halved = m.b.while_loop::<BuildError>(
        &[x, one],
        |b, carried| {
            let flat = b.reshape(carried[0], line)?;
            let top = b.reduce::<BuildError>(&[flat], 0, most)?[0];
            b.cmp(CmpPred::Gt, top, limit)
        },
        |b, carried| {
            let all = b.splat(carried[1], ty)?;
            let next = b.binary(BinaryOp::Sub, carried[0], all)?;
            Ok(vec![next, b.binary(BinaryOp::Add, carried[1], one)?])
        },
    )?;
    m.store(halved[0])?;
    m.store(halved[1])?;
    let flat = m.b.reshape(x, line)?;
    let total = m.b.reduce::<BuildError>(&[flat], 0, sum)?[0];
    for pred in [CmpPred::Gt, CmpPred::Le] {
        let positive = m.b.cmp(pred, total, zero)?;
        let chosen = m.b.if_else::<BuildError>(
            positive,
            |b| b.scan::<BuildError>(&[x], 1, false, sum),
            |b| {
                let least = b.reduce::<BuildError>(&[x], 0, most)?[0];
                let least = b.expand_dims(least, 0)?;
                Ok(vec![b.broadcast(least, ty)?])
            },
        )?;
        m.store(chosen[0])?;
    }
    // A mask that a reduction gives.
    let wide = m.b.cast(CastKind::SExt, x, Scalar::I64)?;
    let sums = m.b.reduce::<BuildError>(&[wide], 1, sum)?[0];
    m.store(sums)?;
    Ok(m.finish())
}
