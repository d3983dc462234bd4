//! What `axis_info` claims of tiles holds in every tile that comes up.

use std::collections::HashMap;

use melior::ir::{BlockRef, Value};
use mytriton_passes::analyses::axis_info::{AxisInfo, AxisInfos};
use mytriton_passes::ir::{blocks_of, kernels_of, name_of, ops_of};
use mytriton_ssa::{
    Axis, BinaryOp, BuildError, Builder, CastKind, CmpPred, Const, Elem, Kernel, RegionId, Scalar, Shape, Type,
    ValueId, verify,
};
use mytriton_tile::emit::{argument_of, result_of};
use mytriton_tile::from_ssa;
use proptest::prelude::*;

use crate::context;
use crate::evaluate::evaluate;

// Lines of 16 often, so that values meet.
const SHAPES: [&[u32]; 9] = [&[], &[16], &[16], &[16], &[12], &[4, 8], &[4, 8], &[8, 1], &[3, 2, 8]];
const OPS: [BinaryOp; 14] = [
    BinaryOp::Add,
    BinaryOp::Add,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::DivS,
    BinaryOp::DivU,
    BinaryOp::RemS,
    BinaryOp::RemU,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Shl,
    BinaryOp::MinS,
];
const INTS: [Scalar; 6] = [
    Scalar::I8,
    Scalar::I32,
    Scalar::I32,
    Scalar::I32,
    Scalar::I32,
    Scalar::I64,
];

struct Generator<'a> {
    data: std::slice::Iter<'a, u32>,
    pool: Vec<ValueId>,
}

impl Generator<'_> {
    fn next(&mut self) -> usize {
        self.data.next().copied().unwrap_or(0) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.next() % from.len()]
    }

    fn of(&mut self, b: &mut Builder, ty: Type) -> ValueId {
        let fitting: Vec<ValueId> = self.pool.iter().copied().filter(|&v| b.ty(v) == ty).collect();
        if !fitting.is_empty() && !self.next().is_multiple_of(4) {
            return self.pick(&fitting);
        }
        match ty.elem {
            Elem::Scalar(scalar) => {
                let value = self.pick(&[0, 1, 2, 3, 4, 5, 8, 12, 16, 64, -1, -8, 100]);
                b.constant_of(Const::from_int(scalar, value), ty).unwrap()
            }
            Elem::Ptr(_) => {
                let base = b.kernel().params()[usize::from(ty.pointee() == Some(Scalar::F32))].value;
                if ty.is_scalar() {
                    base
                } else {
                    b.splat(base, ty).unwrap()
                }
            }
        }
    }

    fn any(&mut self, b: &mut Builder, shape: Shape) -> ValueId {
        let scalar = self.pick(&INTS);
        self.of(b, Type::scalar(scalar).with_shape(shape))
    }

    fn step(&mut self, b: &mut Builder, depth: u32) -> Result<(), BuildError> {
        let shape = Shape::new(self.pick(&SHAPES)).unwrap();
        let value = match self.next() % 12 {
            0 => b.program_id(Axis::X)?,
            1 => {
                let (start, extent) = (self.pick(&[0, 0, 0, 4, 16, 3, -4, 120]), self.pick(&[1, 8, 16, 12, 4]));
                b.range(start, start + extent)?
            }
            2 => {
                let from = self.any(b, Shape::SCALAR);
                let to = Shape::new(self.pick(&SHAPES[1..])).unwrap();
                b.splat(from, b.ty(from).with_shape(to))?
            }
            3 => {
                let line = Shape::new(&[self.pick(&[8, 16, 12])]).unwrap();
                let from = self.of(b, Type::I32.with_shape(line));
                let axis = self.next() % 2;
                b.expand_dims(from, axis)?
            }
            4 => {
                let shapes: [(&[u32], &[u32]); 4] = [
                    (&[1, 8], &[4, 8]),
                    (&[8, 1], &[8, 16]),
                    (&[1], &[16]),
                    (&[12, 1], &[12, 4]),
                ];
                let (from, to) = self.pick(&shapes);
                let from = self.of(b, Type::I32.with_shape(Shape::new(from).unwrap()));
                b.broadcast(from, Type::I32.with_shape(Shape::new(to).unwrap()))?
            }
            5 => {
                let from = self.any(b, shape);
                let to = self.pick(&INTS);
                let kinds = [CastKind::SExt, CastKind::ZExt, CastKind::Trunc];
                match b.cast(self.pick(&kinds), from, to) {
                    Ok(value) => value,
                    Err(_) => return Ok(()),
                }
            }
            6 => {
                let pred = self.pick(CmpPred::ALL);
                let (x, y) = {
                    let x = self.any(b, shape);
                    (x, self.of(b, b.ty(x)))
                };
                b.cmp(pred, x, y)?
            }
            7 => {
                let of = self.pick(&[shape, Shape::SCALAR]);
                let condition = self.of(b, Type::I1.with_shape(of));
                let x = self.any(b, shape);
                let y = self.of(b, b.ty(x));
                b.select(condition, x, y)?
            }
            8 => {
                let to = self.pick(&[Scalar::F32, Scalar::F16]);
                let pointer = self.of(b, Type::ptr(to).with_shape(shape));
                let offset = self.any(b, shape);
                b.addptr(pointer, offset)?
            }
            9 if depth < 3 => {
                let initial = [self.any(b, shape), self.of(b, Type::ptr(Scalar::F32).with_shape(shape))];
                let types = initial.map(|v| b.ty(v));
                let bounds = [0, 0, 0].map(|_| self.of(b, Type::I32));
                let one = b.constant(Const::i32(self.pick(&[1, 4])));
                let this = &mut *self;
                let results = b.for_loop([bounds[0], bounds[1], one], &initial, |b, index, carried| {
                    let outside = this.pool.clone();
                    this.pool.extend([index, carried[0], carried[1]]);
                    for _ in 0..this.next() % 5 {
                        this.step(b, depth + 1)?;
                    }
                    let passed = types.iter().map(|&ty| this.of(b, ty)).collect();
                    this.pool = outside;
                    Ok::<_, BuildError>(passed)
                })?;
                self.pool.extend(results);
                return Ok(());
            }
            _ => {
                let op = self.pick(&OPS);
                let x = self.any(b, shape);
                let y = self.of(b, b.ty(x));
                b.binary(op, x, y)?
            }
        };
        self.pool.push(value);
        Ok(())
    }
}

/// A kernel of index arithmetic, and arguments that keep the facts which it is told.
fn generate(data: &[u32]) -> (Kernel, Vec<i64>) {
    let mut b = Builder::new("index");
    let mut g = Generator {
        data: data.iter(),
        pool: Vec::new(),
    };
    let elems = [
        Elem::Ptr(Scalar::F16),
        Elem::Ptr(Scalar::F32),
        Elem::Scalar(Scalar::I32),
        Elem::Scalar(Scalar::I64),
        Elem::Scalar(Scalar::I8),
    ];
    let mut arguments = Vec::new();
    for (index, elem) in elems.into_iter().enumerate() {
        let value = b.param(format!("p{index}"), elem);
        let divisibility = g.pick(&[1, 2, 4, 16]);
        b.kernel_mut().params_mut()[index].divisibility = divisibility;
        arguments.push(i64::from(divisibility) * g.pick(&[1, 3, 5, 0, 7]));
        g.pool.push(value);
    }
    let line = Type::I32.with_shape(Shape::new(&[16]).unwrap());
    let start = g.pick(&[0, 8, 4, 2, 3, -5]);
    let run = b.range(start, start + 16).unwrap();
    let same = b.splat(g.pool[2], line).unwrap();
    let row = b.range(start, start + 8).unwrap();
    let row = b.expand_dims(row, 0).unwrap();
    let row = b
        .broadcast(row, Type::I32.with_shape(Shape::new(&[4, 8]).unwrap()))
        .unwrap();
    g.pool.extend([run, run, same, row]);
    while g.data.len() > 0 {
        g.step(&mut b, 0).unwrap();
    }
    (b.finish(), arguments)
}

/// The facts of each SSA value, found by walking both forms side by side.
fn facts<'c: 'a, 'a>(
    kernel: &Kernel,
    region: RegionId,
    block: BlockRef<'c, 'a>,
    skip: usize,
    infos: &AxisInfos,
    found: &mut HashMap<ValueId, AxisInfo>,
) {
    let data = kernel.region(region);
    for (index, &arg) in data.args.iter().enumerate() {
        found.insert(arg, infos.get(argument_of(block, skip + index)));
    }
    let ops = ops_of(block)
        .into_iter()
        .filter(|op| !matches!(name_of(*op).as_str(), "func.return"));
    for (&op, other) in data.ops.iter().zip(ops) {
        let op = kernel.op(op);
        for (index, &result) in op.results.iter().enumerate() {
            let value: Value = result_of(other, index);
            found.insert(result, infos.get(value));
        }
        for (&inner, block) in op.regions.iter().zip(blocks_of(other)) {
            facts(kernel, inner, block, 0, infos, found);
        }
    }
}

/// Panics unless the claims hold in a tile.
fn check(kernel: &Kernel, value: ValueId, info: &AxisInfo, tile: &[i64]) {
    let ty = kernel.ty(value);
    let dims: Vec<usize> = if ty.is_scalar() {
        vec![1]
    } else {
        ty.shape.dims().iter().map(|&d| d as usize).collect()
    };
    assert_eq!(info.axes.len(), dims.len());
    let (unit, bits) = match ty.elem {
        Elem::Ptr(to) => (i64::from(to.bytes()), 64),
        Elem::Scalar(scalar) => (1, scalar.bits()),
    };
    let claim = || format!("{info:?} of %{value:?} = {tile:?}\n{kernel}");
    // Differences wrap as the numbers do.
    let wrap = |x: i64| {
        if bits < 64 {
            (x << (64 - bits)) >> (64 - bits)
        } else {
            x
        }
    };
    if let Some(constant) = info.constant {
        assert!(tile.iter().all(|&x| x == constant), "constant: {}", claim());
    }
    for (axis, facts) in info.axes.iter().enumerate() {
        let stride: usize = dims[axis + 1..].iter().product();
        for (index, &x) in tile.iter().enumerate() {
            let at = index / stride % dims[axis];
            let before = |in_run: u64| (!(at as u64).is_multiple_of(in_run)).then(|| tile[index - stride]);
            match before(facts.contiguity) {
                Some(previous) => assert_eq!(wrap(x.wrapping_sub(previous)), wrap(unit), "contiguity: {}", claim()),
                None => {
                    let modulus = facts.divisibility.min(1 << (bits - 1).min(40)) as i64;
                    assert_eq!(x % modulus, 0, "divisibility: {}", claim());
                }
            }
            if let Some(previous) = before(facts.constancy) {
                assert_eq!(x, previous, "constancy: {}", claim());
            }
        }
    }
}

fn assert_claims_hold(data: &[u32]) {
    let (kernel, arguments) = generate(data);
    verify(&kernel).unwrap();
    let context = context();
    let module = from_ssa(&context, &kernel, 4).unwrap();
    let function = kernels_of(module.as_operation())[0];
    let infos = AxisInfos::analyze(function);
    let mut found = HashMap::new();
    let body = blocks_of(function)[0];
    facts(&kernel, kernel.body(), body, kernel.params().len(), &infos, &mut found);
    for (index, param) in kernel.params().iter().enumerate() {
        found.insert(param.value, infos.get(argument_of(body, index)));
    }
    for program in [0, 1, 6] {
        let Some(trace) = evaluate(&kernel, &arguments, program) else {
            continue;
        };
        for (&value, tiles) in &trace {
            for tile in tiles {
                check(&kernel, value, &found[&value], tile);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, max_shrink_iters: 500, ..ProptestConfig::default() })]

    #[test]
    fn claims_hold(data in prop::collection::vec(any::<u32>(), 1..120)) {
        assert_claims_hold(&data);
    }
}
