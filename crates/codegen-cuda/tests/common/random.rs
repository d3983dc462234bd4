//! Random kernels: valid by construction, integer alone, so that every result is exact.

use mytriton_ssa::{
    Axis, BinaryOp, BuildError, Builder, CmpPred, Const, Elem, Kernel, Permutation, Scalar, Shape, Type, ValueId,
};

use super::Random;

/// A kernel of random shape and content on i32: blocks of several shapes, broadcasts, loops and branches with blocks,
/// loads of what other elements stored before, reductions, scans, reshapes and transposes.
pub fn random_kernel(name: &str, random: &mut Random) -> Result<Kernel, BuildError> {
    let mut b = Builder::new(name);
    let x = b.param("x", Elem::Ptr(Scalar::I32));
    let y = b.param("y", Elem::Ptr(Scalar::I32));
    let n = b.param("n", Elem::Scalar(Scalar::I32));
    let pid = b.program_id(Axis::X)?;
    let stride = b.constant(Const::i32(SPAN));
    let start = b.binary(BinaryOp::Mul, pid, stride)?;
    let y = b.addptr(y, start)?;
    let mut maker = Maker { b, x, y, n, random };
    for _ in 0..1 + maker.random.below(3) {
        let shape = maker.shape();
        maker.statements(shape, 3)?;
    }
    let kernel = maker.b.finish();
    mytriton_ssa::verify(&kernel).unwrap();
    Ok(kernel)
}

/// Elements of `y` for each program of a random kernel; `x` has as many in all.
pub const SPAN: i32 = 8192;

struct Maker<'a> {
    b: Builder,
    x: ValueId,
    y: ValueId,
    n: ValueId,
    random: &'a mut Random,
}

type Built<T> = Result<T, BuildError>;

impl Maker<'_> {
    fn shape(&mut self) -> Shape {
        loop {
            let rank = 1 + self.random.below(4);
            let extents = [1, 2, 3, 5, 7, 8, 16, 33, 64, 300, 1030];
            let dims: Vec<u32> = (0..rank).map(|_| self.random.pick(&extents)).collect();
            let shape = Shape::new(&dims);
            if let Ok(shape) = shape
                && shape.elements() <= 4096
            {
                return shape;
            }
        }
    }

    fn op(&mut self) -> BinaryOp {
        use BinaryOp::*;
        self.random.pick(&[Add, Sub, Mul, Xor, Or, And, MinS, MaxU, Shl, ShrS])
    }

    fn constant(&mut self, shape: Shape) -> Built<ValueId> {
        let number = self.random.next() as i32 >> self.random.below(30);
        self.b.constant_of(Const::i32(number), Type::I32.with_shape(shape))
    }

    /// A block in which every dimension in `dims` (others have extent 1) counts, broadcast to the shape.
    fn index(&mut self, shape: Shape, dims: &[usize]) -> Built<ValueId> {
        let mut sum = self.b.constant_of(Const::i32(0), Type::I32.with_shape(shape))?;
        let mut stride = 1;
        for &dim in dims.iter().rev() {
            let extent = shape.dims()[dim];
            let mut line = self.b.range(0, extent as i32)?;
            for axis in 0..shape.rank() {
                if axis != dim {
                    line = self.b.expand_dims(line, axis)?;
                }
            }
            let ty = self.b.ty(line);
            let strides = self.b.constant_of(Const::i32(stride), ty)?;
            let line = self.b.binary(BinaryOp::Mul, line, strides)?;
            let line = self.b.broadcast(line, Type::I32.with_shape(shape))?;
            sum = self.b.binary(BinaryOp::Add, sum, line)?;
            stride *= extent as i32;
        }
        Ok(sum)
    }

    fn pointers(&mut self, base: ValueId, index: ValueId) -> Built<ValueId> {
        let ty = self.b.ty(base).with_shape(self.b.ty(index).shape);
        let all = self.b.splat(base, ty)?;
        self.b.addptr(all, index)
    }

    /// Index blocks that stay in bounds and are distinct where the base is.
    fn shifted(&mut self, index: ValueId, size: usize) -> Built<ValueId> {
        let ty = self.b.ty(index);
        let by = self.random.below(SPAN as usize - size) as i32;
        let by = self.b.constant_of(Const::i32(by), ty)?;
        self.b.binary(BinaryOp::Add, index, by)
    }

    fn mask(&mut self, value: ValueId) -> Built<ValueId> {
        let shape = self.b.ty(value).shape;
        let bits = self.b.constant_of(Const::i32(5), Type::I32.with_shape(shape))?;
        let low = self.b.binary(BinaryOp::And, value, bits)?;
        let zero = self.b.constant_of(Const::i32(0), Type::I32.with_shape(shape))?;
        self.b.cmp(CmpPred::Ne, low, zero)
    }

    /// A value of a shape: an index, a load, or something of a smaller block broadcast.
    fn value(&mut self, shape: Shape) -> Built<ValueId> {
        let all: Vec<usize> = (0..shape.rank()).collect();
        match self.random.below(10) {
            0 => {
                // Loaded in a smaller shape.
                let dims: Vec<u32> = shape
                    .dims()
                    .iter()
                    .map(|&d| if self.random.below(2) == 0 { d } else { 1 })
                    .collect();
                let Ok(small) = Shape::new(&dims) else {
                    return self.constant(shape);
                };
                let value = self.load(small, &all)?;
                self.b.broadcast(value, Type::I32.with_shape(shape))
            }
            1 | 2 => self.load(shape, &all),
            3 => {
                let pointer = if self.random.below(2) == 0 { self.x } else { self.y };
                let at = self.random.below(SPAN as usize) as i32;
                let at = self.b.constant(Const::i32(at));
                let pointer = self.b.addptr(pointer, at)?;
                let loaded = self.b.load(pointer, None, None)?;
                self.b.splat(loaded, Type::I32.with_shape(shape))
            }
            4 => {
                let some: Vec<usize> = all.into_iter().filter(|_| self.random.below(2) == 0).collect();
                self.index(shape, &some)
            }
            5 => {
                let n = self.n;
                self.b.splat(n, Type::I32.with_shape(shape))
            }
            _ => {
                let moved = self.moved(shape)?;
                Ok(moved.unwrap_or(self.index(shape, &all)?))
            }
        }
    }

    /// A value of a shape whose elements come from others' places; none where that takes too large a block.
    fn moved(&mut self, shape: Shape) -> Built<Option<ValueId>> {
        let rank = shape.rank();
        let axis = self.random.below(rank);
        let choice = self.random.below(4);
        let mut dims = shape.dims().to_vec();
        let mut order: Vec<usize> = (0..rank).collect();
        match choice {
            // A reduction of one dimension more, or one whose result is broadcast.
            0 if self.random.below(2) == 0 => dims.insert(axis, self.random.pick(&[1, 2, 3, 5, 17])),
            0 | 1 => {}
            2 => {
                // In another order.
                (0..rank).for_each(|i| order.swap(i, self.random.below(rank)));
                order
                    .iter()
                    .enumerate()
                    .for_each(|(i, &from)| dims[from] = shape.dims()[i]);
            }
            _ => match self.random.below(3) {
                0 => dims = vec![shape.elements() as u32],
                1 => dims.reverse(),
                _ => dims.insert(0, 1),
            },
        }
        let Ok(source) = Shape::new(&dims) else { return Ok(None) };
        if source.elements() > 4096 {
            return Ok(None);
        }
        let all: Vec<usize> = (0..source.rank()).collect();
        let value = self.load(source, &all)?;
        let result = match choice {
            0 => {
                let reduced = self.reduced(value, source, axis)?;
                if source.rank() > rank {
                    reduced
                } else {
                    let kept = match self.b.ty(reduced).shape.is_scalar() {
                        true => self.b.splat(reduced, Type::I32.with_shape(Shape::new(&[1]).unwrap()))?,
                        false => self.b.expand_dims(reduced, axis)?,
                    };
                    self.b.broadcast(kept, Type::I32.with_shape(shape))?
                }
            }
            1 => self.scanned(value, axis)?,
            2 => self.b.transpose(value, Permutation::new(&order).unwrap())?,
            _ => self.b.reshape(value, shape)?,
        };
        Ok(Some(result))
    }

    /// One of the results of a reduction of one or two blocks.
    fn reduced(&mut self, value: ValueId, shape: Shape, axis: usize) -> Built<ValueId> {
        use BinaryOp::*;
        if self.random.below(3) == 0 {
            // The first of the largest.
            let all: Vec<usize> = (0..shape.rank()).collect();
            let place = self.index(shape, &all)?;
            let results = self.b.reduce::<BuildError>(&[value, place], axis, |b, x, y| {
                let more = b.cmp(CmpPred::Gt, x[0], y[0])?;
                let same = b.cmp(CmpPred::Eq, x[0], y[0])?;
                let first = b.cmp(CmpPred::Lt, x[1], y[1])?;
                let tie = b.binary(And, same, first)?;
                let left = b.binary(Or, more, tie)?;
                Ok(vec![b.select(left, x[0], y[0])?, b.select(left, x[1], y[1])?])
            })?;
            return Ok(results[self.random.below(2)]);
        }
        let op = self.random.pick(&[Add, Mul, Xor, And, Or, MinS, MaxU]);
        let combine = |b: &mut Builder, x: &[ValueId], y: &[ValueId]| Ok(vec![b.binary(op, x[0], y[0])?]);
        Ok(self.b.reduce::<BuildError>(&[value], axis, combine)?[0])
    }

    /// A running composition of x -> a x + b: in another order it is another.
    fn scanned(&mut self, value: ValueId, axis: usize) -> Built<ValueId> {
        let reverse = self.random.below(2) == 0;
        let ty = self.b.ty(value);
        let three = self.b.constant_of(Const::i32(3), ty)?;
        let results = self.b.scan::<BuildError>(&[three, value], axis, reverse, |b, x, y| {
            let factor = b.binary(BinaryOp::Mul, x[0], y[0])?;
            let scaled = b.binary(BinaryOp::Mul, x[1], y[0])?;
            Ok(vec![factor, b.binary(BinaryOp::Add, scaled, y[1])?])
        })?;
        Ok(results[self.random.below(2)])
    }

    fn load(&mut self, shape: Shape, dims: &[usize]) -> Built<ValueId> {
        let index = self.index(shape, dims)?;
        let at = self.shifted(index, shape.elements())?;
        let base = if self.random.below(2) == 0 { self.x } else { self.y };
        let pointers = self.pointers(base, at)?;
        if self.random.below(2) == 0 {
            return self.b.load(pointers, None, None);
        }
        let (mask, other) = (self.mask(index)?, self.constant(shape)?);
        self.b.load(pointers, Some(mask), Some(other))
    }

    fn combine(&mut self, values: &[ValueId]) -> Built<ValueId> {
        let (a, c) = (self.random.pick(values), self.random.pick(values));
        let op = self.op();
        let result = self.b.binary(op, a, c)?;
        if self.random.below(3) > 0 {
            return Ok(result);
        }
        let mask = self.mask(a)?;
        self.b.select(mask, result, c)
    }

    fn store(&mut self, shape: Shape, value: ValueId) -> Built<()> {
        let all: Vec<usize> = (0..shape.rank()).collect();
        let index = self.index(shape, &all)?;
        let at = self.shifted(index, shape.elements())?;
        let y = self.y;
        let pointers = self.pointers(y, at)?;
        let mask = if self.random.below(2) == 0 {
            Some(self.mask(value)?)
        } else {
            None
        };
        self.b.store(pointers, value, mask)
    }

    fn statements(&mut self, shape: Shape, depth: u32) -> Built<()> {
        let mut values = vec![self.value(shape)?, self.value(shape)?];
        for _ in 0..2 + self.random.below(4) {
            let choice = self.random.below(if depth == 0 { 4 } else { 8 });
            match choice {
                0 => values.push(self.value(shape)?),
                1 | 2 => values.push(self.combine(&values)?),
                3 => {
                    let value = self.random.pick(&values);
                    self.store(shape, value)?;
                }
                4 => {
                    // A scalar store, and a block of another shape.
                    let (y, n) = (self.y, self.n);
                    let at = self.b.constant(Const::i32(self.random.below(SPAN as usize) as i32));
                    let pointer = self.b.addptr(y, at)?;
                    self.b.store(pointer, n, None)?;
                    let inner = self.shape();
                    self.statements(inner, 0)?;
                }
                5 => values.extend(self.counted(shape, &values.clone(), depth)?),
                6 => values.extend(self.branch(shape, &values.clone(), depth)?),
                _ => values.extend(self.conditional(shape, &values.clone())?),
            }
        }
        let last = self.combine(&values)?;
        self.store(shape, last)
    }

    /// Opens a builder for a region: the closures of the builder get their own.
    fn within<T>(&mut self, b: &mut Builder, body: impl FnOnce(&mut Maker) -> Built<T>) -> Built<T> {
        std::mem::swap(&mut self.b, b);
        let result = body(self);
        std::mem::swap(&mut self.b, b);
        result
    }

    fn outside<T>(&mut self, body: impl FnOnce(&mut Builder, &mut Self) -> Built<T>) -> Built<T> {
        let mut b = std::mem::replace(&mut self.b, Builder::new("placeholder"));
        let result = body(&mut b, self);
        self.b = b;
        result
    }

    fn counted(&mut self, shape: Shape, values: &[ValueId], depth: u32) -> Built<Vec<ValueId>> {
        let lower = self.b.constant(Const::i32(self.random.below(5) as i32 - 2));
        let upper = if self.random.below(2) == 0 {
            self.n
        } else {
            self.b.constant(Const::i32(3))
        };
        let step = self.b.constant(Const::i32(1 + self.random.below(3) as i32));
        let initial = [self.random.pick(values), self.random.pick(values), self.n];
        let ty = Type::I32.with_shape(shape);
        let results = self.outside(|b, maker| {
            b.for_loop::<BuildError>([lower, upper, step], &initial, |b, index, carried| {
                maker.within(b, |maker| {
                    let index = maker.b.splat(index, ty)?;
                    let mut inner = vec![index, carried[0], carried[1], values[0]];
                    if depth > 1 {
                        maker.statements(shape, depth - 2)?;
                    }
                    inner.push(maker.value(shape)?);
                    let next = maker.combine(&inner)?;
                    if maker.random.below(2) == 0 {
                        maker.store(shape, next)?;
                    }
                    let one = maker.b.constant(Const::i32(3));
                    let scalar = maker.b.binary(BinaryOp::Mul, carried[2], one)?;
                    // The second becomes the first.
                    Ok(vec![carried[1], next, scalar])
                })
            })
        })?;
        let scalar = self.b.splat(results[2], ty)?;
        Ok(vec![results[0], results[1], scalar])
    }

    fn branch(&mut self, shape: Shape, values: &[ValueId], depth: u32) -> Built<Vec<ValueId>> {
        let two = self.b.constant(Const::i32(2));
        let pid = self.b.program_id(Axis::X)?;
        let condition = self.b.cmp(CmpPred::Lt, pid, two)?;
        let other = values[0];
        self.outside(|b, maker| {
            let cell = std::cell::RefCell::new(maker);
            b.if_else::<BuildError>(
                condition,
                |b| {
                    let maker = &mut *cell.borrow_mut();
                    maker.within(b, |maker| {
                        if depth > 1 {
                            maker.statements(shape, depth - 2)?;
                        }
                        Ok(vec![maker.combine(values)?])
                    })
                },
                |_| Ok(vec![other]),
            )
        })
    }

    fn conditional(&mut self, shape: Shape, values: &[ValueId]) -> Built<Vec<ValueId>> {
        let zero = self.b.constant(Const::i32(0));
        let (n, initial) = (self.n, self.random.pick(values));
        let results = self.outside(|b, maker| {
            let cell = std::cell::RefCell::new(maker);
            b.while_loop::<BuildError>(
                &[zero, initial, initial],
                |b, carried| b.cmp(CmpPred::Lt, carried[0], n),
                |b, carried| {
                    let maker = &mut *cell.borrow_mut();
                    maker.within(b, |maker| {
                        let two = maker.b.constant(Const::i32(2));
                        let count = maker.b.binary(BinaryOp::Add, carried[0], two)?;
                        let loaded = maker.value(shape)?;
                        let next = maker.combine(&[carried[1], carried[2], loaded])?;
                        maker.store(shape, next)?;
                        Ok(vec![count, next, carried[1]])
                    })
                },
            )
        })?;
        Ok(vec![results[1], results[2]])
    }
}
