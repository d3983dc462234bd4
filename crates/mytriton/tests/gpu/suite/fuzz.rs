//! Random kernels: graphs of element-wise operations with loops and branches, new with every seed.
//!
//! Only operations with one result are used, and none that may divide by zero, so that every executor must give the
//! same bits.

use mytriton_ssa::{
    BinaryOp, BuildError, Builder, CastKind, CmpPred, Const, Elem, OpKind, Scalar, Type, UnaryOp, ValueId, result_type,
};

use crate::case::{Arg, Case, Data, Launch, LocalMemory};
use crate::compare::Rule;
use crate::suite::Group;
use crate::values::{Domain, Random};

/// How many kernels a seed gives.
const KERNELS: usize = 16;
/// Operations of a kernel outside of its loop and branch.
const OPERATIONS: usize = 14;

/// The group of random kernels.
pub fn group() -> Group {
    Group {
        name: "fuzz".to_owned(),
        cases: Box::new(|seed| {
            let cases = (0..KERNELS).map(|index| case(seed, index));
            cases
                .collect::<Result<_, BuildError>>()
                .map_err(|error| error.to_string())
        }),
    }
}

fn case(seed: u64, index: usize) -> Result<Case, BuildError> {
    let mut random = Random::new(seed, &format!("fuzz {index}"));
    let block = random.pick(&[32, 64, 128, 256, 512, 96]);
    let warps = random.pick(&[1, 2, 4, 8]);
    let inputs: Vec<Scalar> = (0..4).map(|_| random.pick(&Scalar::ALL)).collect();

    let mut b = Builder::new(format!("fuzz_{index}"));
    let pointers: Vec<ValueId> = (inputs.iter().enumerate())
        .map(|(i, &scalar)| b.param(format!("x{i}"), Elem::Ptr(scalar)))
        .collect();
    let outputs = Scalar::ALL.map(|scalar| (scalar, b.param(format!("out_{scalar}"), Elem::Ptr(scalar))));
    let n = b.param("n", Elem::Scalar(Scalar::I32));
    let pid = b.program_id(mytriton_ssa::Axis::X)?;
    let size = b.constant(Const::i32(block));
    let start = b.binary(BinaryOp::Mul, pid, size)?;
    let lanes = b.range(0, block)?;
    let ints = b.ty(lanes);
    let start = b.splat(start, ints)?;
    let at = b.binary(BinaryOp::Add, start, lanes)?;
    let limit = b.splat(n, ints)?;
    let mask = b.cmp(CmpPred::Lt, at, limit)?;
    let pointer = |b: &mut Builder, base: ValueId| {
        let ty = b.ty(base).with_shape(ints.shape);
        let tile = b.splat(base, ty)?;
        b.addptr(tile, at)
    };
    let mut pool = vec![at, mask];
    for base in pointers {
        let tile = pointer(&mut b, base)?;
        let other = (b.ty(base).pointee()).map(|s| b.constant_of(Const::zero(s), b.ty(tile).with_scalar(s)));
        let other = other.transpose()?;
        pool.push(b.load(tile, Some(mask), other)?);
    }
    for _ in 0..OPERATIONS / 2 {
        let value = operation(&mut b, &mut random, &pool)?;
        pool.push(value);
    }
    let looped = a_loop(&mut b, &mut random, &pool, n)?;
    pool.extend(looped);
    let branched = a_branch(&mut b, &mut random, &pool, pid)?;
    pool.extend(branched);
    for _ in 0..OPERATIONS / 2 {
        let value = operation(&mut b, &mut random, &pool)?;
        pool.push(value);
    }
    // The last value of each type is stored, so that little is dead code.
    let mut stored = Vec::new();
    for (position, (scalar, base)) in outputs.into_iter().enumerate() {
        let last = pool
            .iter()
            .rev()
            .find(|&&v| b.ty(v).as_scalar() == Some(scalar))
            .copied();
        if let Some(value) = last {
            let tile = pointer(&mut b, base)?;
            b.store(tile, value, Some(mask))?;
            stored.push(position);
        }
    }
    let kernel = b.finish();
    let count = inputs.len();
    let mut case = Case::new(kernel.name.clone(), kernel, move |random| {
        [1, 100, 513]
            .map(|n| {
                let inputs: Vec<Data> = inputs
                    .iter()
                    .map(|&scalar| Data::random(random, scalar, n, Domain::Any, 0))
                    .collect();
                let outputs: Vec<Data> = Scalar::ALL
                    .iter()
                    .map(|&scalar| Data::random(random, scalar, n, Domain::Any, 0))
                    .collect();
                let args = inputs
                    .into_iter()
                    .chain(outputs)
                    .map(Arg::from)
                    .chain([Arg::from(n as i32)]);
                let launch = Launch::new(format!("n = {n}"), [(n as u32).div_ceil(block as u32), 1, 1], args);
                stored.iter().fold(launch, |launch, &position| {
                    let what = format!("out_{}", Scalar::ALL[position]);
                    launch.output(count + position, what, 0..n, Rule::Exact, Vec::new())
                })
            })
            .into()
    });
    case.local_memory = LocalMemory::Spills;
    Ok(case.warps(warps))
}

/// One more value from values of the pool: tries operations until one takes its operands.
fn operation(b: &mut Builder, random: &mut Random, pool: &[ValueId]) -> Result<ValueId, BuildError> {
    loop {
        let first = random.pick(pool);
        let ty = b.ty(first);
        let same: Vec<ValueId> = pool.iter().copied().filter(|&v| b.ty(v) == ty).collect();
        let second = random.pick(&same);
        let (kind, operands, requested) = match random.below(6) {
            0 => (OpKind::Unary(random.pick(&UNARY)), vec![first], None),
            1 | 2 => (OpKind::Binary(random.pick(&BINARY)), vec![first, second], None),
            3 => (OpKind::Cmp(random.pick(CmpPred::ALL)), vec![first, second], None),
            4 => {
                let to = ty.with_scalar(random.pick(&Scalar::ALL));
                (OpKind::Cast(random.pick(&CASTS)), vec![first], Some(to))
            }
            _ => {
                let conditions: Vec<ValueId> = pool
                    .iter()
                    .copied()
                    .filter(|&v| b.ty(v).as_scalar() == Some(Scalar::I1))
                    .collect();
                (OpKind::Select, vec![random.pick(&conditions), first, second], None)
            }
        };
        let types: Vec<Type> = operands.iter().map(|&v| b.ty(v)).collect();
        if result_type(&kind, &types, requested).is_ok()
            && let Some(value) = b.op(kind, &operands, requested)?
        {
            return Ok(value);
        }
    }
}

/// Operations with one result for all operands. Of `bitcast` there is none: a NaN's bits may differ.
const UNARY: [UnaryOp; 8] = [
    UnaryOp::Neg,
    UnaryOp::Abs,
    UnaryOp::SqrtRn,
    UnaryOp::Floor,
    UnaryOp::Ceil,
    UnaryOp::Trunc,
    UnaryOp::Round,
    UnaryOp::RoundEven,
];

const BINARY: [BinaryOp; 19] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::DivRn,
    BinaryOp::Rem,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Shl,
    BinaryOp::ShrS,
    BinaryOp::ShrU,
    BinaryOp::MinS,
    BinaryOp::MaxS,
    BinaryOp::MinU,
    BinaryOp::MaxU,
    BinaryOp::Min,
    BinaryOp::Max,
    BinaryOp::MinNan,
    BinaryOp::MaxNan,
];

const CASTS: [CastKind; 9] = [
    CastKind::SExt,
    CastKind::ZExt,
    CastKind::Trunc,
    CastKind::FExt,
    CastKind::FTrunc,
    CastKind::SToF,
    CastKind::UToF,
    CastKind::FToS,
    CastKind::FToU,
];

/// A loop of a few trips that carries two tiles.
fn a_loop(b: &mut Builder, random: &mut Random, pool: &[ValueId], n: ValueId) -> Result<Vec<ValueId>, BuildError> {
    let carried = [random.pick(pool), random.pick(pool)];
    let [zero, one, mask] = [0, 1, 3].map(|v| b.constant(Const::i32(v)));
    let trips = b.binary(BinaryOp::And, n, mask)?;
    b.for_loop::<BuildError>([zero, trips, one], &carried, |b, index, carried| {
        let ints = b.ty(pool[0]);
        let index = b.splat(index, ints)?;
        let mut inner: Vec<ValueId> = pool
            .iter()
            .copied()
            .chain([index])
            .chain(carried.iter().copied())
            .collect();
        for _ in 0..4 {
            let value = operation(b, random, &inner)?;
            inner.push(value);
        }
        Ok(carried.iter().map(|&c| last_of(b, &inner, c)).collect())
    })
}

/// A branch on the program's number that gives two tiles.
fn a_branch(b: &mut Builder, random: &mut Random, pool: &[ValueId], pid: ValueId) -> Result<Vec<ValueId>, BuildError> {
    let like = [random.pick(pool), random.pick(pool)];
    let one = b.constant(Const::i32(1));
    let condition = b.cmp(CmpPred::Lt, pid, one)?;
    let mut seeds = [Random::new(random.bits(), "then"), Random::new(random.bits(), "else")];
    let [then, otherwise] = &mut seeds;
    let arm = |b: &mut Builder, random: &mut Random| {
        let mut inner = pool.to_vec();
        for _ in 0..3 {
            let value = operation(b, random, &inner)?;
            inner.push(value);
        }
        Ok(like.iter().map(|&v| last_of(b, &inner, v)).collect())
    };
    b.if_else::<BuildError>(condition, |b| arm(b, then), |b| arm(b, otherwise))
}

/// The newest value of the same type as `like`.
fn last_of(b: &Builder, pool: &[ValueId], like: ValueId) -> ValueId {
    let same = pool.iter().rev().find(|&&v| b.ty(v) == b.ty(like));
    same.copied().unwrap_or(like)
}
