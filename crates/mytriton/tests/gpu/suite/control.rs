//! Loops, branches and the grid.

use mytriton::frontend::FrontendError;
use mytriton::kernel;
use mytriton_ssa::{Builder, Const, Elem, OpKind, Scalar};

use crate::case::{Arg, Case, Data, Launch};
use crate::compare::Rule;
use crate::suite::{Group, SIZES};
use crate::values::Domain;

type Cases = Result<Vec<Case>, FrontendError>;

/// The groups about control flow.
pub fn groups() -> Vec<Group> {
    vec![
        Group::cases("control-loops", loops),
        Group::cases("control-branches", branches),
        Group::cases("control-grid", grids),
        Group::cases("fusion", || fusion().map_err(|error| error.to_string())),
    ]
}

fn ints(values: impl IntoIterator<Item = i32>) -> Vec<Const> {
    values.into_iter().map(Const::i32).collect()
}

/// A sum and a running maximum of rows, carried as tiles.
#[kernel]
fn two_carried(x: Ptr<i32>, sums: Ptr<i32>, tops: Ptr<i32>, rows: i32, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    let mut sum = zeros([BLOCK], i32);
    let mut top = full([BLOCK], i32::MIN, i32);
    for row in 0..rows {
        let v = load(x + row * n + at).mask(mask).other(0);
        sum += v;
        top = maximum(top, v);
    }
    store(sums + at, sum).mask(mask);
    store(tops + at, top).mask(mask);
}

/// Nested loops whose bounds depend on one another and on the program; pointers are carried.
#[kernel]
fn nested(x: Ptr<i32>, out: Ptr<i32>, n: i32) {
    let pid = program_id(0);
    let mut total = 0;
    let mut p = x + pid;
    for i in 0..n {
        for j in (i..n).step_by(2) {
            for k in 0..pid % 3 {
                total += i * j - k;
            }
            total ^= load(p);
        }
        p += 1;
    }
    store(out + pid, total);
}

/// Steps of a Collatz sequence for each program, and a `while` over tiles with a scalar condition.
#[kernel]
fn whiles(out: Ptr<i32>, tiles: Ptr<i32>, #[constexpr] BLOCK: i32) {
    let pid = program_id(0);
    let mut x = pid + 1;
    let mut steps = 0;
    while x != 1 {
        x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 };
        steps += 1;
    }
    store(out + pid, steps);
    let mut tile = range(0, BLOCK);
    let mut left = pid;
    while left > 0 && steps > 0 {
        tile = tile * 3 + left;
        left -= 2;
    }
    store(tiles + pid * BLOCK + range(0, BLOCK), tile);
}

/// Steps down, steps of 64-bit numbers, loops that do not run, and tiles exchanged in each trip.
#[kernel]
fn steps(out: Ptr<i64>, first: i64, last: i64, #[constexpr] BLOCK: i32) {
    let at = range(0, BLOCK);
    let (mut a, mut b) = (at as i64, zeros([BLOCK], i64) + 1);
    for k in (first..last).step_by(3) {
        (a, b) = (b + k, a);
    }
    store(out + at, a);
    store(out + BLOCK + at, b);
    let mut digits: i64 = 0;
    for k in range(7, 0, -2) {
        digits = digits * 10 + k;
    }
    for _ in 5..3 {
        digits = 0;
    }
    store(out + 2 * BLOCK, digits);
}

fn loops() -> Cases {
    let carried = Case::new("two_carried", two_carried::build(256)?, |random| {
        SIZES
            .iter()
            .zip([0, 1, 2, 3, 5, 7, 2])
            .map(|(&n, rows)| {
                let x = Data::random(random, Scalar::I32, rows * n, Domain::Any, 0);
                let [sums, tops] = [0, 1].map(|_| Data::random(random, Scalar::I32, n, Domain::Any, 0));
                let get = |i: usize| x.get(i).as_signed().unwrap_or(0) as i32;
                let column = |c: usize| (0..rows).map(move |r| r * n + c).map(get);
                let sum = ints((0..n).map(|c| column(c).fold(0, i32::wrapping_add)));
                let top = ints((0..n).map(|c| column(c).fold(i32::MIN, i32::max)));
                let args = [sums, tops].map(Arg::from);
                let args = [Arg::from(x.clone())]
                    .into_iter()
                    .chain(args)
                    .chain([rows as i32, n as i32].map(Arg::from));
                let grid = [(n as u32).div_ceil(256), 1, 1];
                Launch::new(format!("{rows} rows of {n}"), grid, args)
                    .exact(1, sum)
                    .exact(2, top)
            })
            .collect()
    });
    let nest = Case::new("nested", nested::build()?, |random| {
        [0, 1, 6, 9]
            .map(|n: i32| {
                let programs = 5;
                let x = Data::random(random, Scalar::I32, (programs + n) as usize, Domain::Any, 0);
                let out = Data::random(random, Scalar::I32, programs as usize, Domain::Any, 0);
                let total = |pid: i32| {
                    let mut total = 0i32;
                    for i in 0..n {
                        for j in (i..n).step_by(2) {
                            (0..pid % 3).for_each(|k| total = total.wrapping_add(i * j - k));
                            total ^= x.get((pid + i) as usize).as_signed().unwrap_or(0) as i32;
                        }
                    }
                    total
                };
                let expected = ints((0..programs).map(total));
                let args = [Arg::from(x.clone()), out.into(), n.into()];
                Launch::new(format!("n = {n}"), [programs as u32, 1, 1], args).exact(1, expected)
            })
            .into()
    });
    let whiles = Case::new("whiles", whiles::build(48)?, |random| {
        let programs = 27;
        let out = Data::random(random, Scalar::I32, programs, Domain::Any, 0);
        let tiles = Data::random(random, Scalar::I32, programs * 48, Domain::Any, 0);
        let collatz = |pid: usize| {
            let (mut x, mut steps) = (pid + 1, 0);
            while x != 1 {
                x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 };
                steps += 1;
            }
            steps
        };
        let element = |at: usize| {
            let (pid, mut value) = (at / 48, (at % 48) as i32);
            let mut left = pid as i32;
            while left > 0 && collatz(pid) > 0 {
                value = value.wrapping_mul(3).wrapping_add(left);
                left -= 2;
            }
            value
        };
        let launch = Launch::new("27 programs", [programs as u32, 1, 1], [out.into(), tiles.into()]);
        let launch = launch.exact(0, ints((0..programs).map(collatz)));
        vec![launch.exact(1, ints((0..programs * 48).map(element)))]
    });
    let steps = Case::new("steps", steps::build(64)?, |random| {
        [(0i64, 10i64), (-5, 5), (3, 3), (1 << 40, (1 << 40) + 7)]
            .map(|(first, last)| {
                let out = Data::random(random, Scalar::I64, 129, Domain::Any, 0);
                let mut pair = ((0..64).collect::<Vec<i64>>(), vec![1i64; 64]);
                for k in (first..last).step_by(3) {
                    pair = (pair.1.iter().map(|v| v.wrapping_add(k)).collect(), pair.0);
                }
                let values = pair.0.into_iter().chain(pair.1).chain([7531]);
                let expected = values.map(|v| Const::from_int(Scalar::I64, v.into())).collect();
                let bounds = [first, last].map(|v| Arg::from(Const::from_int(Scalar::I64, v.into())));
                let args = [Arg::from(out)].into_iter().chain(bounds);
                Launch::new(format!("{first}..{last}"), [1, 1, 1], args).exact(0, expected)
            })
            .into()
    });
    Ok(vec![carried, nest, whiles, steps.warps(2)])
}

/// Branches that give tiles, nested, in loops, and with stores in one arm alone.
#[kernel]
fn arms(x: Ptr<f32>, out: Ptr<f32>, n: i32, limit: i32, #[constexpr] BLOCK: i32) {
    let pid = program_id(0);
    let at = pid * BLOCK + range(0, BLOCK);
    let mask = at < n;
    let mut v = load(x + at).mask(mask).other(0.0);
    if pid % 2 == 0 {
        v = v + 1.0;
        if pid > limit {
            v = v * 2.0;
        }
    } else if pid == 1 {
        v = -v;
    } else {
        for k in 0..limit {
            if k % 2 == 1 {
                v = maximum(v, 0.5);
            } else {
                v = v - 1.0;
            }
        }
    }
    store(out + at, v).mask(mask);
    if pid == limit {
        store(out + n, pid as f32);
    }
}

fn branches() -> Cases {
    let case = Case::new("arms", arms::build(128)?, |random| {
        SIZES
            .iter()
            .zip([0i32, 1, 2, 3].into_iter().cycle())
            .map(|(&n, limit)| {
                let x = Data::random(random, Scalar::F32, n, Domain::Moderate, 0);
                let out = Data::random(random, Scalar::F32, n + 1, Domain::Any, 0);
                let programs = n.div_ceil(128);
                let value = |i: usize| {
                    let pid = (i / 128) as i32;
                    let mut v = f32::from_bits(x.get(i).bits() as u32);
                    if pid % 2 == 0 {
                        v += 1.0;
                        v *= if pid > limit { 2.0 } else { 1.0 };
                    } else if pid == 1 {
                        v = -v;
                    } else {
                        (0..limit).for_each(|k| v = if k % 2 == 1 { v.max(0.5) } else { v - 1.0 });
                    }
                    Const::f32(v)
                };
                let last = if (limit as usize) < programs {
                    Const::f32(limit as f32)
                } else {
                    out.get(n)
                };
                let expected = (0..n).map(value).chain([last]).collect();
                let args = [Arg::from(x.clone()), out.into(), (n as i32).into(), limit.into()];
                let what = format!("n = {n}, limit {limit}");
                Launch::new(what, [programs as u32, 1, 1], args).exact(1, expected)
            })
            .collect()
    });
    Ok(vec![case])
}

/// What each program sees of the grid.
#[kernel]
fn axes(out: Ptr<i32>) {
    let (x, y, z) = (program_id(0), program_id(1), program_id(2));
    let (nx, ny, nz) = (num_programs(0), num_programs(1), num_programs(2));
    let at = (z * ny + y) * nx + x;
    let lanes = range(0, 2);
    let code = x + 100 * y + 10000 * z;
    store(
        out + at * 2 + lanes,
        where_(lanes == 0, code, nx * 7 + ny * 11 + nz * 13),
    );
}

fn grids() -> Cases {
    let case = Case::new("axes", axes::build()?, |random| {
        [[1, 1, 1], [5, 3, 2], [1, 1, 7], [2, 70, 1], [1, 3, 65], [4097, 1, 1]]
            .map(|[x, y, z]: [i32; 3]| {
                let programs = (x * y * z) as usize;
                let out = Data::random(random, Scalar::I32, 2 * programs, Domain::Any, 0);
                let expected = (0..2 * programs as i32).map(|i| {
                    let at = i / 2;
                    match i % 2 {
                        0 => at % x + 100 * (at / x % y) + 10000 * (at / x / y),
                        _ => x * 7 + y * 11 + z * 13,
                    }
                });
                let expected = ints(expected);
                let grid = [x as u32, y as u32, z as u32];
                Launch::new(format!("grid {x}x{y}x{z}"), grid, [out.into()]).exact(0, expected)
            })
            .into()
    });
    Ok(vec![case.warps(1)])
}

/// `x * y + z` with fusion off must round twice, with it on either way; `fma` always rounds once.
fn fusion() -> Result<Vec<Case>, mytriton_ssa::BuildError> {
    let mut cases = Vec::new();
    for scalar in [Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64] {
        for fusion in [false, true] {
            let mut b = Builder::new(format!("multiply_add_{scalar}"));
            let pointers = ["x", "y", "z", "out"].map(|name| b.param(name, Elem::Ptr(scalar)));
            let at = b.range(0, 128)?;
            let mut tiles = Vec::new();
            for pointer in pointers {
                let ty = b.ty(pointer).with_shape(b.ty(at).shape);
                let tile = b.splat(pointer, ty)?;
                tiles.push(b.addptr(tile, at)?);
            }
            let mut values = Vec::new();
            for &tile in &tiles[..3] {
                values.push(b.load(tile, None, None)?);
            }
            let product = b.binary(mytriton_ssa::BinaryOp::Mul, values[0], values[1])?;
            let twice = b.binary(mytriton_ssa::BinaryOp::Add, product, values[2])?;
            let once = b.op(OpKind::Fma, &values, None)?.unwrap_or(twice);
            b.store(tiles[3], twice, None)?;
            let further = b.constant_of(Const::i32(128), b.ty(at))?;
            let second = b.addptr(tiles[3], further)?;
            b.store(second, once, None)?;
            let name = format!("multiply_add_{scalar}_{}", if fusion { "fused" } else { "apart" });
            let mut case = Case::new(name, b.finish(), move |random| {
                let inputs = [0, 1, 2].map(|_| Data::random(random, scalar, 128, Domain::Moderate, 0));
                let out = Data::random(random, scalar, 256, Domain::Any, 0);
                let args = inputs.into_iter().chain([out]).map(Arg::from);
                let rule = if fusion { Rule::Either(128) } else { Rule::EXACT };
                let launch = Launch::new("128 elements", [1, 1, 1], args);
                let launch = launch.output(3, "x * y + z", 0..128, rule, Vec::new());
                vec![launch.output(3, "fma", 128..256, Rule::EXACT, Vec::new())]
            });
            case.fusion = fusion;
            cases.push(case);
        }
    }
    Ok(cases)
}
