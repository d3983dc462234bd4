//! Random kernels of the kind that people write: tiles of addresses with a structure, of all ranks and sizes.
//!
//! Addresses run along any dimension, masks follow coordinates, tiles go round loops and through branches, and are
//! stretched along any axis.

use mytriton_ssa::{
    BinaryOp, BuildError, Builder, CastKind, CmpPred, Const, Elem, Kernel, Scalar, Shape, Type, UnaryOp, ValueId,
};

type Built<T> = Result<T, BuildError>;

/// Extents that are powers of two and such that are not, smaller and larger than a warp and a block.
const EXTENTS: [u32; 16] = [1, 2, 3, 4, 5, 8, 16, 17, 19, 32, 37, 64, 100, 128, 512, 2048];
/// Elements of a tile, extents rounded up to powers of two: what fits into shared memory with 8 bytes each.
const MAX_ELEMENTS: u32 = 4096;

/// A kernel from a list of numbers that decide everything, so that failures shrink.
pub fn generate(data: &[u32]) -> Kernel {
    let mut b = Builder::new("tiles");
    let mut source = Source {
        data: data.iter(),
        n: b.param("n", Elem::Scalar(Scalar::I32)),
        pointers: Vec::new(),
    };
    b.kernel_mut().params_mut()[0].divisibility = source.pick(&[1, 1, 4, 16]);
    for (index, scalar) in Scalar::ALL.into_iter().flat_map(|s| [s, s]).enumerate() {
        let pointer = b.param(format!("p{index}"), Elem::Ptr(scalar));
        b.kernel_mut().params_mut()[index + 1].divisibility = source.pick(&[1, 2, 4, 8, 16, 16, 16, 32]);
        source.pointers.push((scalar, pointer));
    }
    while source.data.len() > 0 {
        source.step(&mut b).expect("what is generated is well typed");
    }
    b.finish()
}

/// The numbers, and the parameters.
struct Source<'a> {
    data: std::slice::Iter<'a, u32>,
    n: ValueId,
    pointers: Vec<(Scalar, ValueId)>,
}

impl Source<'_> {
    fn next(&mut self) -> u32 {
        self.data.next().copied().unwrap_or(0)
    }

    fn one_in(&mut self, n: u32) -> bool {
        self.next().is_multiple_of(n)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.next() as usize % from.len()]
    }

    fn shape(&mut self) -> Shape {
        let rank = 1 + self.next() % 5;
        let mut left = MAX_ELEMENTS;
        let mut dims = Vec::new();
        for _ in 0..rank {
            let fitting: Vec<u32> = EXTENTS.into_iter().filter(|e| e.next_power_of_two() <= left).collect();
            let extent = self.pick(&fitting);
            left /= extent.next_power_of_two();
            dims.push(extent);
        }
        Shape::new(&dims).unwrap()
    }

    fn pointer(&mut self, scalar: Scalar) -> ValueId {
        let fitting: Vec<ValueId> = self.pointers.iter().filter(|p| p.0 == scalar).map(|p| p.1).collect();
        self.pick(&fitting)
    }

    /// The coordinates along one axis, stretched to the shape.
    fn coordinates(&mut self, b: &mut Builder, shape: Shape, axis: usize) -> Built<ValueId> {
        let start = self.pick(&[0, 0, 0, 1, 16, -3]);
        let mut tile = b.range(start, start + shape.dims()[axis] as i32)?;
        // Around its dimension, new ones in any order.
        for _ in 0..axis {
            tile = b.expand_dims(tile, 0)?;
        }
        for _ in axis + 1..shape.rank() {
            let rank = b.ty(tile).shape.rank();
            tile = b.expand_dims(tile, rank)?;
        }
        b.broadcast(tile, Type::I32.with_shape(shape))
    }

    /// Offsets of a tile that lies row by row, or in another order, at distances that are known or not.
    fn offsets(&mut self, b: &mut Builder, shape: Shape) -> Built<ValueId> {
        let ty = Type::I32.with_shape(shape);
        let mut order: Vec<usize> = (0..shape.rank()).collect();
        if self.one_in(3) {
            let by = self.next() as usize % order.len();
            order.rotate_left(by);
        }
        let pid = b.program_id(self.pick(mytriton_ssa::Axis::ALL))?;
        let block = b.constant(Const::i32(self.pick(&[0, 1, 3, 16, 1024])));
        let start = b.binary(BinaryOp::Mul, pid, block)?;
        let mut sum = b.splat(start, ty)?;
        let mut stride = 1;
        for &axis in order.iter().rev() {
            let along = self.coordinates(b, shape, axis)?;
            let by = if self.one_in(4) {
                self.n
            } else {
                b.constant(Const::i32(stride))
            };
            let by = b.splat(by, ty)?;
            let term = b.binary(BinaryOp::Mul, along, by)?;
            sum = b.binary(BinaryOp::Add, sum, term)?;
            stride *= self.pick(&[shape.dims()[axis], shape.dims()[axis].next_multiple_of(16), 0]) as i32;
        }
        if self.one_in(8) {
            let op = self.pick(&[BinaryOp::DivS, BinaryOp::RemU, BinaryOp::DivU, BinaryOp::RemS]);
            let by = b.constant_of(Const::i32(self.pick(&[2, 3, 4, 64])), ty)?;
            sum = b.binary(op, sum, by)?;
        }
        Ok(sum)
    }

    fn pointers(&mut self, b: &mut Builder, scalar: Scalar, shape: Shape) -> Built<ValueId> {
        let mut base = self.pointer(scalar);
        if self.one_in(4) {
            let pid = b.program_id(mytriton_ssa::Axis::Y)?;
            base = b.addptr(base, pid)?;
        }
        let base = b.splat(base, Type::ptr(scalar).with_shape(shape))?;
        let mut offsets = self.offsets(b, shape)?;
        if self.one_in(4) {
            offsets = b.cast(CastKind::SExt, offsets, Scalar::I64)?;
        }
        b.addptr(base, offsets)
    }

    fn mask(&mut self, b: &mut Builder, shape: Shape) -> Built<Option<ValueId>> {
        let count = self.next() % 3;
        let mut mask = None;
        for _ in 0..count {
            let axis = self.next() as usize % shape.rank();
            let at = self.coordinates(b, shape, axis)?;
            let limit = if self.one_in(2) {
                self.n
            } else {
                b.constant(Const::i32(self.next() as i32 % 64))
            };
            let limit = b.splat(limit, Type::I32.with_shape(shape))?;
            let inside = b.cmp(self.pick(CmpPred::ALL), at, limit)?;
            mask = Some(match mask {
                None => inside,
                Some(mask) => b.binary(BinaryOp::And, mask, inside)?,
            });
        }
        Ok(mask)
    }

    fn load(&mut self, b: &mut Builder, scalar: Scalar, shape: Shape) -> Built<ValueId> {
        let pointers = self.pointers(b, scalar, shape)?;
        let mask = self.mask(b, shape)?;
        let other = match mask.is_some() && self.one_in(2) {
            true => Some(b.constant_of(Const::from_bits(scalar, 0), Type::scalar(scalar).with_shape(shape))?),
            false => None,
        };
        b.load(pointers, mask, other)
    }

    fn store(&mut self, b: &mut Builder, value: ValueId) -> Built<()> {
        let ty = b.ty(value);
        let pointers = self.pointers(b, ty.elem_scalar(), ty.shape)?;
        let mask = self.mask(b, ty.shape)?;
        b.store(pointers, value, mask)
    }

    /// Something computed from a tile, of the same type.
    fn compute(&mut self, b: &mut Builder, value: ValueId) -> Built<ValueId> {
        let scalar = b.ty(value).elem_scalar();
        if self.one_in(4) {
            // There and back through another type; many pairs are refused.
            let (there, to) = (self.pick(CastKind::ALL), self.pick(&Scalar::ALL));
            let back = self.pick(CastKind::ALL);
            if let Ok(other) = b.cast(there, value, to)
                && let Ok(again) = b.cast(back, other, scalar)
            {
                return Ok(again);
            }
        }
        let (unary, binary) = (self.pick(UnaryOp::ALL), self.pick(BinaryOp::ALL));
        Ok(b.unary(unary, value)
            .or_else(|_| b.binary(binary, value, value))
            .unwrap_or(value))
    }

    fn step(&mut self, b: &mut Builder) -> Built<()> {
        let scalar = self.pick(&Scalar::ALL);
        let shape = self.shape();
        match self.next() % 8 {
            0 | 1 => {
                let loaded = self.load(b, scalar, shape)?;
                let value = self.compute(b, loaded)?;
                self.store(b, value)
            }
            // A tile of lower rank, stretched.
            2 => {
                let axis = self.next() as usize % shape.rank();
                let dims: Vec<u32> = (0..shape.rank())
                    .filter(|&d| d != axis)
                    .map(|d| shape.dims()[d])
                    .collect();
                let whole = self.load(b, scalar, shape)?;
                if dims.is_empty() {
                    return self.store(b, whole);
                }
                let row = self.load(b, scalar, Shape::new(&dims).unwrap())?;
                let row = b.expand_dims(row, axis)?;
                let row = b.broadcast(row, b.ty(whole))?;
                let sum = b
                    .binary(BinaryOp::Add, whole, row)
                    .or_else(|_| b.binary(BinaryOp::Xor, whole, row))?;
                self.store(b, sum)
            }
            // A tile and its addresses go round.
            3 => {
                let ty = Type::scalar(scalar).with_shape(shape);
                let start = b.constant_of(Const::from_bits(scalar, 0), ty)?;
                let pointers = self.pointers(b, scalar, shape)?;
                let bounds = [b.constant(Const::i32(0)), self.n, b.constant(Const::i32(4))];
                let (mask, by) = (self.mask(b, shape)?, self.pick(&[1, 4, 64]));
                let inner = self.one_in(2);
                let op = self.pick(&[BinaryOp::Add, BinaryOp::Xor, BinaryOp::MaxU, BinaryOp::Max]);
                let results = b.for_loop(bounds, &[start, pointers], |b, _, carried| {
                    let (sum, at) = (carried[0], carried[1]);
                    let value = b.load(at, mask, None)?;
                    let sum = if inner {
                        b.for_loop(bounds, &[sum], |b, _, c| {
                            Ok::<_, BuildError>(vec![b.binary(op, c[0], value).unwrap_or(c[0])])
                        })?[0]
                    } else {
                        b.binary(op, sum, value).unwrap_or(sum)
                    };
                    let by = b.constant_of(Const::i32(by), Type::I32.with_shape(shape))?;
                    Ok::<_, BuildError>(vec![sum, b.addptr(at, by)?])
                })?;
                b.store(results[1], results[0], mask)?;
                self.store(b, results[0])
            }
            4 => {
                let value = self.load(b, scalar, shape)?;
                let (zero, n) = (b.constant(Const::i32(0)), self.n);
                let results = b.while_loop(
                    &[value, zero],
                    |b, c| b.cmp(CmpPred::Lt, c[1], n),
                    |b, c| {
                        let one = b.constant(Const::i32(1));
                        let next = b.binary(BinaryOp::Add, c[1], one)?;
                        Ok::<_, BuildError>(vec![self.compute(b, c[0])?, next])
                    },
                )?;
                self.store(b, results[0])
            }
            5 => {
                let (x, zero) = (self.load(b, scalar, shape)?, b.constant(Const::i32(0)));
                let condition = b.cmp(CmpPred::Lt, zero, self.n)?;
                let source = std::cell::RefCell::new(self);
                let results = b.if_else(
                    condition,
                    |b| Ok::<_, BuildError>(vec![source.borrow_mut().load(b, scalar, shape)?]),
                    |b| Ok(vec![source.borrow_mut().compute(b, x)?]),
                )?;
                source.into_inner().store(b, results[0])
            }
            // Scalars, with and without masks.
            6 => {
                let pointer = self.pointer(scalar);
                let zero = b.constant(Const::i32(0));
                let mask = match self.one_in(2) {
                    true => Some(b.cmp(CmpPred::Lt, zero, self.n)?),
                    false => None,
                };
                let value = b.load(pointer, mask, None)?;
                let value = self.compute(b, value)?;
                b.store(pointer, value, mask)?;
                let tile = b.splat(value, Type::scalar(scalar).with_shape(shape))?;
                self.store(b, tile)
            }
            // One value in two arrangements: rows and columns of a square.
            _ => {
                let size = self.pick(&[1, 3, 16, 37, 64]);
                let line = Shape::new(&[size]).unwrap();
                let square = Type::scalar(scalar).with_shape(Shape::new(&[size, size]).unwrap());
                let loaded = self.load(b, scalar, line)?;
                let (rows, columns) = (b.expand_dims(loaded, 1)?, b.expand_dims(loaded, 0)?);
                let (rows, columns) = (b.broadcast(rows, square)?, b.broadcast(columns, square)?);
                let equal = b.cmp(CmpPred::Eq, rows, columns)?;
                let picked = b.select(equal, rows, columns)?;
                self.store(b, picked)
            }
        }
    }
}

/// The number type of a tile of numbers.
trait ElemScalar {
    fn elem_scalar(self) -> Scalar;
}

impl ElemScalar for Type {
    fn elem_scalar(self) -> Scalar {
        self.element().as_scalar().expect("a tile of numbers")
    }
}
