//! Loads and stores: every type, masks, alignments, and the order of accesses within a program.

use mytriton::frontend::{ConstexprValue, DType, Element, FrontendError, KernelDef, Specialization};
use mytriton::{bf16, f16, kernel};
use mytriton_ssa::{Const, Kernel, Scalar};

use crate::case::{Arg, Case, Data, Launch};
use crate::suite::{Group, SIZES};
use crate::values::{Domain, Random};

type Cases = Result<Vec<Case>, FrontendError>;

/// The groups about memory.
pub fn groups() -> Vec<Group> {
    vec![
        Group::cases("memory-copy", copies),
        Group::cases("memory-aligned", aligned_copies),
        Group::cases("memory-patterns", patterns),
        Group::cases("memory-order", orders),
    ]
}

/// A kernel for facts about its arguments besides compile-time values.
pub fn build(def: &KernelDef, values: &[ConstexprValue], divisible: &[usize]) -> Result<Kernel, FrontendError> {
    let facts = divisible
        .iter()
        .fold(Specialization::NONE, |facts, &index| facts.with_divisible_by_16(index));
    (def.build)(values, &facts)
}

/// What storing a loaded value leaves in memory: a boolean is 0 or 1 then.
fn copied(data: &Data, range: std::ops::Range<usize>) -> Vec<Const> {
    range.map(|i| data.get(i)).collect()
}

fn blocks(n: usize, block: usize) -> [u32; 3] {
    [n.div_ceil(block) as u32, 1, 1]
}

#[kernel]
fn copy<T>(x: Ptr<T>, y: Ptr<T>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    store(y + at, load(x + at).mask(mask)).mask(mask);
}

#[kernel]
fn copy_other<T>(x: Ptr<T>, y: Ptr<T>, n: i32, other: T, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    store(y + at, load(x + at).mask(at < n).other(other));
}

/// Copies without facts: from and to addresses that are and are not multiples of 16 bytes, with a masked end, and with
/// `other` instead of masked stores.
fn copies() -> Cases {
    fn of<T: Element>(name: &str, warps: u32, block: usize) -> Result<[Case; 2], FrontendError> {
        let scalar = T::DTYPE.scalar();
        let masked = Case::new(format!("copy_{name}"), copy::build::<T>(block as i32)?, move |random| {
            let skips = [[0, 0], [1, 0], [0, 3], [1, 1], [4, 8]];
            let sizes = SIZES.iter().zip(skips.iter().cycle());
            sizes
                .map(|(&n, &[from, to])| {
                    let x = Data::random(random, scalar, n, Domain::Any, from);
                    let y = Data::random(random, scalar, n, Domain::Any, to);
                    let expected = copied(&x, 0..n);
                    let what = format!("n = {n}, from element {from} to element {to}");
                    Launch::new(what, blocks(n, block), [x.into(), y.into(), Arg::from(n as i32)]).exact(1, expected)
                })
                .collect()
        });
        let other = Case::new(
            format!("other_{name}"),
            copy_other::build::<T>(block as i32)?,
            move |random| {
                SIZES
                    .iter()
                    .map(|&n| {
                        let total = n.div_ceil(block) * block;
                        let x = Data::random(random, scalar, n, Domain::Any, 0);
                        let y = Data::random(random, scalar, total, Domain::Any, 0);
                        let filler = x.get(random.below(n));
                        let mut expected = copied(&x, 0..n);
                        expected.resize(total, filler);
                        let args = [x.into(), y.into(), Arg::from(n as i32), filler.into()];
                        Launch::new(format!("n = {n}"), blocks(n, block), args).exact(1, expected)
                    })
                    .collect()
            },
        );
        Ok([masked.warps(warps), other.warps(warps)])
    }
    let cases = [
        of::<bool>("i1", 4, 256)?,
        of::<i8>("i8", 4, 2048)?,
        of::<i16>("i16", 2, 512)?,
        of::<i32>("i32", 4, 1024)?,
        of::<i64>("i64", 8, 512)?,
        of::<f16>("f16", 4, 1024)?,
        of::<bf16>("bf16", 1, 256)?,
        of::<f32>("f32", 4, 512)?,
        of::<f64>("f64", 4, 64)?,
    ];
    Ok(cases.into_iter().flatten().collect())
}

/// Copies of whole vectors: pointers and size are known to be multiples of 16.
fn aligned_copies() -> Cases {
    let dtypes = [
        DType::Bool,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::F16,
        DType::BF16,
        DType::F32,
        DType::F64,
    ];
    let mut cases = Vec::new();
    for (index, dtype) in dtypes.into_iter().enumerate() {
        let scalar = dtype.scalar();
        for (block, warps) in [(1024, 4), (4096, [1, 2, 4, 8, 16][index % 5]), (128, 4)] {
            let values = [ConstexprValue::DType(dtype), ConstexprValue::I32(block)];
            let kernel = build(copy::definition(), &values, &[0, 1, 2])?;
            let name = format!("aligned_{scalar}_{block}_{warps}");
            let case = Case::new(name, kernel, move |random| {
                let size = |random: &mut Random| 16 * (1 + random.below(300));
                let sizes = [16, 48, 1008, 4096, size(random), size(random)];
                sizes
                    .map(|n| {
                        // A skip of 16 elements keeps the facts; the same kernel must not touch what is before.
                        let skip = if random.below(2) == 0 { 0 } else { 16 };
                        let x = Data::random(random, scalar, n, Domain::Any, skip);
                        let y = Data::random(random, scalar, n, Domain::Any, skip);
                        let expected = copied(&x, 0..n);
                        let args = [x.into(), y.into(), Arg::from(n as i32)];
                        Launch::new(format!("n = {n}, skip {skip}"), blocks(n, block as usize), args).exact(1, expected)
                    })
                    .into()
            });
            cases.push(case.warps(warps));
        }
    }
    Ok(cases)
}

#[kernel]
fn strided(x: Ptr<f32>, y: Ptr<f32>, n: i32, stride: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    store(y + at * 3, load(x + at * stride).mask(mask)).mask(mask);
}

#[kernel]
fn reversed(x: Ptr<i16>, y: Ptr<i16>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    store(y + (n - 1 - at), load(x + at).mask(mask)).mask(mask);
}

#[kernel]
fn gathered(x: Ptr<f64>, index: Ptr<i32>, y: Ptr<f64>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    let from = load(index + at).mask(mask).other(0);
    store(y + at, load(x + from).mask(mask && from % 3 != 0).other(-1.5)).mask(mask);
}

/// Offsets of 8, 16 and 64 bits, negative ones among them; and a pointer of one element.
#[kernel]
fn offsets(x: Ptr<i32>, y: Ptr<i32>, small: i8, medium: i16, large: i64) {
    let at = range(0, 32);
    let v = load(x + at + small) + load(x + (at as i64 + large)) + load(x + medium);
    store(y + at, v);
    store(y + 40 + small, load(x + 7));
}

fn patterns() -> Cases {
    let strides = Case::new("strided", strided::build(256)?, |random| {
        [(1000, 1), (513, 2), (127, 7), (300, 0)]
            .map(|(n, stride)| {
                let x = Data::random(random, Scalar::F32, n * stride + 1, Domain::Any, 0);
                let y = Data::random(random, Scalar::F32, 3 * n, Domain::Any, 0);
                let expected = (0..3 * n)
                    .map(|i| if i % 3 == 0 { x.get(i / 3 * stride) } else { y.get(i) })
                    .collect();
                let args = [x.into(), y.into(), Arg::from(n as i32), Arg::from(stride as i32)];
                Launch::new(format!("n = {n}, stride {stride}"), blocks(n, 256), args).exact(1, expected)
            })
            .into()
    });
    let reverse = Case::new("reversed", reversed::build(1024)?, |random| {
        SIZES
            .iter()
            .map(|&n| {
                let x = Data::random(random, Scalar::I16, n, Domain::Any, 0);
                let y = Data::random(random, Scalar::I16, n, Domain::Any, 0);
                let expected = (0..n).map(|i| x.get(n - 1 - i)).collect();
                Launch::new(
                    format!("n = {n}"),
                    blocks(n, 1024),
                    [x.into(), y.into(), Arg::from(n as i32)],
                )
                .exact(1, expected)
            })
            .collect()
    });
    let gather = Case::new("gathered", gathered::build(128)?, |random| {
        SIZES
            .iter()
            .map(|&n| {
                let x = Data::random(random, Scalar::F64, n, Domain::Any, 0);
                let from: Vec<usize> = (0..n).map(|_| random.below(n)).collect();
                let index = Data::of(random, Scalar::I32, from.iter().map(|&i| Const::i32(i as i32)));
                let y = Data::random(random, Scalar::F64, n, Domain::Any, 0);
                let other = Const::from_f64(Scalar::F64, -1.5);
                let expected = from
                    .iter()
                    .map(|&i| if i % 3 != 0 { x.get(i) } else { other })
                    .collect();
                let args = [x.into(), index.into(), y.into(), Arg::from(n as i32)];
                Launch::new(format!("n = {n}"), blocks(n, 128), args).exact(2, expected)
            })
            .collect()
    });
    let offset = Case::new("offsets", offsets::build()?, |random| {
        [(-3i8, 300i16, 50i64), (5, -20, -25), (-8, 0, 0)]
            .map(|(small, medium, large)| {
                // The pointer stands in the middle, so that offsets go both ways.
                let x = Data::random(random, Scalar::I32, 400, Domain::Any, 100);
                let y = Data::random(random, Scalar::I32, 64, Domain::Any, 0);
                let get = |i: i64| {
                    let at = (100 + i) as usize * 4;
                    i32::from_le_bytes([x.bytes[at], x.bytes[at + 1], x.bytes[at + 2], x.bytes[at + 3]])
                };
                let sum = |i: i64| {
                    get(i + i64::from(small))
                        .wrapping_add(get(i + large))
                        .wrapping_add(get(medium.into()))
                };
                let last = 40 + i64::from(small);
                let expected = (0..64).map(|i| match i {
                    0..32 => Const::i32(sum(i)),
                    _ if i == last => Const::i32(get(7)),
                    _ => y.get(i as usize),
                });
                let expected = expected.collect();
                let numbers = [
                    (Scalar::I8, i128::from(small)),
                    (Scalar::I16, medium.into()),
                    (Scalar::I64, large.into()),
                ];
                let numbers = numbers.map(|(scalar, value)| Arg::Scalar(Const::from_int(scalar, value)));
                let args = [Arg::from(x), y.into()].into_iter().chain(numbers);
                Launch::new(format!("offsets {small}, {medium}, {large}"), [1, 1, 1], args).exact(1, expected)
            })
            .into()
    });
    Ok(vec![strides, reverse, gather, offset.warps(1)])
}

/// Moves everything down by one place: all loads come before the store.
#[kernel]
fn shift<T>(x: Ptr<T>, n: i32, #[constexpr] BLOCK: i32) {
    let at = range(0, BLOCK);
    let mask = at + 1 < n;
    store(x + at, load(x + at + 1).mask(mask)).mask(mask);
}

/// Reads what other threads of the program have stored, in the order of the text.
#[kernel]
fn store_then_load(x: Ptr<i32>, y: Ptr<i32>, rounds: i32, #[constexpr] BLOCK: i32) {
    let at = range(0, BLOCK);
    let back = BLOCK - 1 - at;
    store(x + at, at * 3);
    store(y + at, load(x + back));
    for round in 0..rounds {
        let v = load(y + back);
        store(y + at, v + round);
    }
    if load(y) > 0 {
        store(x + back, load(y + at));
    }
    store(y + at, load(x + at) ^ load(y + back));
}

fn orders() -> Cases {
    let mut cases = Vec::new();
    for (warps, block) in [(4, 128), (8, 1024), (1, 64), (16, 2048)] {
        let shifts = |scalar: Scalar, kernel| {
            Case::new(format!("shift_{scalar}_{block}"), kernel, move |random| {
                [1, 2, block - 1, block]
                    .map(|n: usize| {
                        let x = Data::random(random, scalar, n, Domain::Any, 0);
                        let expected = (0..n).map(|i| x.get((i + 1).min(n - 1))).collect();
                        Launch::new(format!("n = {n}"), [1, 1, 1], [x.into(), Arg::from(n as i32)]).exact(0, expected)
                    })
                    .into()
            })
            .warps(warps)
        };
        cases.push(shifts(Scalar::F32, shift::build::<f32>(block as i32)?));
        cases.push(shifts(Scalar::I8, shift::build::<i8>(block as i32)?));
        let order = Case::new(
            format!("store_then_load_{block}"),
            store_then_load::build(block as i32)?,
            move |random| {
                [0, 1, 5]
                    .map(|rounds| {
                        let x = Data::random(random, Scalar::I32, block, Domain::Any, 0);
                        let y = Data::random(random, Scalar::I32, block, Domain::Any, 0);
                        let (x_after, y_after) = ordered(block, rounds);
                        let args = [x.into(), y.into(), Arg::from(rounds)];
                        Launch::new(format!("{rounds} rounds"), [1, 1, 1], args)
                            .exact(0, x_after)
                            .exact(1, y_after)
                    })
                    .into()
            },
        );
        cases.push(order.warps(warps));
    }
    Ok(cases)
}

/// [`store_then_load`] in plain Rust.
fn ordered(block: usize, rounds: i32) -> (Vec<Const>, Vec<Const>) {
    let mut x: Vec<i32> = (0..block as i32).map(|i| i * 3).collect();
    let mut y: Vec<i32> = x.iter().rev().copied().collect();
    for round in 0..rounds {
        y = y.iter().rev().map(|v| v + round).collect();
    }
    if y[0] > 0 {
        x = y.iter().rev().copied().collect();
    }
    let y = x.iter().zip(y.iter().rev()).map(|(a, b)| Const::i32(a ^ b)).collect();
    (x.into_iter().map(Const::i32).collect(), y)
}
