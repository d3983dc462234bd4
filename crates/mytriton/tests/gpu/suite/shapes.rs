//! Blocks of one to three dimensions: broadcasting, layouts, extents of every kind, and numbers of warps.

use mytriton::frontend::{Element, FrontendError};
use mytriton::{bf16, f16, kernel};
use mytriton_ssa::{BinaryOp, Const, Kernel, eval_binary};

use crate::case::{Arg, Case, Data, Launch};
use crate::compare::Rule;
use crate::examples::all::transpose as transpose_example;
use crate::suite::Group;
use crate::values::{Domain, Random};

type Cases = Result<Vec<Case>, FrontendError>;

/// The groups about shapes.
pub fn groups() -> Vec<Group> {
    vec![
        Group::cases("shapes-matrix", matrices),
        Group::cases("shapes-cube", cubes),
        Group::cases("shapes-permuted", permutations),
        Group::cases("shapes-extents", extents),
        Group::cases("shapes-warps", warps),
    ]
}

/// Transpositions of matrices of `sizes`, by a kernel of `(x, out, rows, columns)` whose program has a tile of `th`x`tw`.
fn transposition<T: Element>(
    name: String,
    kernel: Kernel,
    (th, tw): (i32, i32),
    sizes: &'static [(usize, usize)],
) -> Case {
    let scalar = T::DTYPE.scalar();
    Case::new(name, kernel, move |random| {
        let launch = |&(m, n): &(usize, usize)| {
            let x = Data::random(random, scalar, m * n, Domain::Any, 0);
            let out = Data::random(random, scalar, m * n, Domain::Any, 0);
            let expected = (0..m * n).map(|i| x.get(i % m * n + i / m)).collect();
            let grid = [(n as u32).div_ceil(tw as u32), (m as u32).div_ceil(th as u32), 1];
            let args = [x.into(), out.into(), Arg::from(m as i32), Arg::from(n as i32)];
            Launch::new(format!("{m}x{n}"), grid, args).exact(1, expected)
        };
        sizes.iter().map(launch).collect()
    })
}

fn add(a: Const, b: Const) -> Const {
    eval_binary(BinaryOp::Add, a, b).unwrap_or(a)
}

fn mul(a: Const, b: Const) -> Const {
    eval_binary(BinaryOp::Mul, a, b).unwrap_or(a)
}

/// A matrix, plus a row for all rows, plus a column for all columns.
#[kernel]
fn add_row_column<T>(
    x: Ptr<T>,
    row: Ptr<T>,
    column: Ptr<T>,
    out: Ptr<T>,
    m: i32,
    n: i32,
    #[constexpr] M: i32,
    #[constexpr] N: i32,
) {
    let i = program_id(1) * M + range(0, M);
    let j = program_id(0) * N + range(0, N);
    let (r, c) = (i.expand_dims(1), j.expand_dims(0));
    let mask = r < m && c < n;
    let at = r * n + c;
    let a = load(x + at).mask(mask);
    let b = load(row + j).mask(j < n).expand_dims(0);
    let d = load(column + i).mask(i < m).expand_dims(1);
    store(out + at, a + b + d).mask(mask);
}

/// Reads rows, writes columns: what is contiguous for the load is not for the store.
#[kernel]
fn transpose<T>(x: Ptr<T>, out: Ptr<T>, m: i32, n: i32, #[constexpr] M: i32, #[constexpr] N: i32) {
    let r = (program_id(1) * M + range(0, M)).expand_dims(1);
    let c = (program_id(0) * N + range(0, N)).expand_dims(0);
    let mask = r < m && c < n;
    store(out + c * m + r, load(x + r * n + c).mask(mask)).mask(mask);
}

fn matrices() -> Cases {
    fn sum<T: Element>(tile: (i32, i32), warps: u32) -> Result<Case, FrontendError> {
        let scalar = T::DTYPE.scalar();
        let (th, tw) = tile;
        let kernel = add_row_column::build::<T>(th, tw)?;
        let case = Case::new(format!("add_row_column_{scalar}_{th}x{tw}"), kernel, move |random| {
            [(19, 37), (1, 1), (33, 64), (5, 130)]
                .map(|(m, n): (usize, usize)| {
                    let x = Data::random(random, scalar, m * n, Domain::Any, 0);
                    let row = Data::random(random, scalar, n, Domain::Any, 0);
                    let column = Data::random(random, scalar, m, Domain::Any, 0);
                    let out = Data::random(random, scalar, m * n, Domain::Any, 0);
                    let expected = (0..m * n)
                        .map(|i| add(add(x.get(i), row.get(i % n)), column.get(i / n)))
                        .collect();
                    let grid = [(n as u32).div_ceil(tw as u32), (m as u32).div_ceil(th as u32), 1];
                    let buffers = [x, row, column, out].map(Arg::from);
                    let args = buffers.into_iter().chain([m as i32, n as i32].map(Arg::from));
                    Launch::new(format!("{m}x{n}"), grid, args).exact(3, expected)
                })
                .into()
        });
        Ok(case.warps(warps))
    }
    fn turned<T: Element>((th, tw): (i32, i32), warps: u32) -> Result<Case, FrontendError> {
        let kernel = transpose::build::<T>(th, tw)?;
        let name = format!("transpose_{}_{th}x{tw}", T::DTYPE.scalar());
        Ok(transposition::<T>(name, kernel, (th, tw), &[(19, 37), (64, 64), (1, 100)]).warps(warps))
    }
    Ok(vec![
        sum::<f32>((16, 32), 4)?,
        sum::<f32>((1, 128), 4)?,
        sum::<f32>((64, 1), 2)?,
        sum::<f16>((8, 64), 4)?,
        sum::<bf16>((16, 16), 8)?,
        sum::<i8>((32, 32), 4)?,
        sum::<i64>((4, 32), 1)?,
        sum::<f64>((12, 20), 4)?,
        sum::<i16>((3, 5), 4)?,
        turned::<f32>((16, 32), 4)?,
        turned::<i8>((64, 64), 4)?,
        turned::<f64>((32, 8), 2)?,
        turned::<f16>((5, 48), 4)?,
    ])
}

/// a[i, j, k] + b[i] * c[j] + d[k], every part of another rank.
#[kernel]
fn cube<T>(
    a: Ptr<T>,
    b: Ptr<T>,
    c: Ptr<T>,
    d: Ptr<T>,
    out: Ptr<T>,
    planes: i32,
    #[constexpr] I: i32,
    #[constexpr] J: i32,
    #[constexpr] K: i32,
) {
    let i = program_id(0) * I + range(0, I);
    let (j, k) = (range(0, J), range(0, K));
    let p = i.at(.., None, None);
    let at = p * (J * K) + j.at(None, .., None) * K + k.at(None, None, ..);
    let mask = p < planes;
    let factor = load(b + i).mask(i < planes).other(0);
    let product = factor.at(.., None, None) * load(c + j).at(None, .., None);
    let value = load(a + at).mask(mask) + product + load(d + k).at(None, None, ..);
    store(out + at, value).mask(mask);
}

fn cubes() -> Cases {
    fn of<T: Element>(extents: [i32; 3], warps: u32) -> Result<Case, FrontendError> {
        let scalar = T::DTYPE.scalar();
        let [ti, tj, tk] = extents;
        let kernel = cube::build::<T>(ti, tj, tk)?;
        let case = Case::new(format!("cube_{scalar}_{ti}x{tj}x{tk}"), kernel, move |random| {
            [1, 2, 7, 16]
                .map(|planes: usize| {
                    let (j, k) = (tj as usize, tk as usize);
                    let total = planes * j * k;
                    let mut data = |len| Data::random(random, scalar, len, Domain::Moderate, 0);
                    let [a, b, c, d, out] = [total, planes, j, k, total].map(&mut data);
                    let expected = (0..total).map(|at| {
                        let product = mul(b.get(at / (j * k)), c.get(at / k % j));
                        add(add(a.get(at), product), d.get(at % k))
                    });
                    let expected = expected.collect();
                    let args = [a, b, c, d, out]
                        .map(Arg::from)
                        .into_iter()
                        .chain([Arg::from(planes as i32)]);
                    let grid = [(planes as u32).div_ceil(ti as u32), 1, 1];
                    Launch::new(format!("{planes} planes"), grid, args).exact(4, expected)
                })
                .into()
        });
        Ok(case.warps(warps))
    }
    Ok(vec![
        of::<f32>([4, 8, 16], 4)?,
        of::<f32>([3, 5, 7], 4)?,
        of::<i32>([2, 1, 32], 1)?,
        of::<i16>([1, 6, 10], 2)?,
        of::<f16>([8, 4, 2], 8)?,
        of::<f64>([2, 2, 2], 4)?,
        of::<bf16>([1, 1, 1], 4)?,
    ])
}

/// Dimensions in every other order, and transposes of whole tiles, by the kernels of the examples.
fn permutations() -> Cases {
    fn permuted<T: Element>(order: [usize; 3], tile: [i32; 3], warps: u32) -> Result<Case, FrontendError> {
        let scalar = T::DTYPE.scalar();
        let ([a, b, c], [i, j, k]) = (order.map(|axis| axis as i32), tile);
        let kernel = transpose_example::permute_3d::build::<T>(a, b, c, i, j, k)?;
        let case = Case::new(
            format!("permute_{scalar}_{a}{b}{c}_{i}x{j}x{k}"),
            kernel,
            move |random| {
                [[3, 17, 33], [1, 1, 1], [4, 8, 16], [127, 1, 3], [1, 513, 2]]
                    .map(|extents: [usize; 3]| {
                        let [n0, n1, n2] = extents;
                        let x = Data::random(random, scalar, n0 * n1 * n2, Domain::Any, 0);
                        let out = Data::random(random, scalar, n0 * n1 * n2, Domain::Any, 0);
                        let (to, strides) = (order.map(|axis| extents[axis]), [n1 * n2, n2, 1]);
                        let expected = (0..n0 * n1 * n2).map(|at| {
                            let index = [at / (to[1] * to[2]), at / to[2] % to[1], at % to[2]];
                            x.get((0..3).map(|d| index[d] * strides[order[d]]).sum())
                        });
                        let expected = expected.collect();
                        let blocks = |d: usize| (to[d] as u32).div_ceil(tile[d] as u32);
                        let extents = extents.map(|extent| Arg::from(extent as i32));
                        let args = [x, out].map(Arg::from).into_iter().chain(extents);
                        let what = format!("{n0}x{n1}x{n2}");
                        Launch::new(what, [blocks(2), blocks(1), blocks(0)], args).exact(1, expected)
                    })
                    .into()
            },
        );
        Ok(case.warps(warps))
    }
    fn turned<T: Element>((th, tw): (i32, i32), warps: u32) -> Result<Case, FrontendError> {
        let kernel = transpose_example::transpose::build::<T>(th, tw)?;
        let name = format!("tiles_{}_{th}x{tw}", T::DTYPE.scalar());
        let sizes = &[(1, 1), (1, 3), (17, 513), (65, 127), (64, 64), (4097, 3)];
        Ok(transposition::<T>(name, kernel, (th, tw), sizes).warps(warps))
    }
    Ok(vec![
        permuted::<f32>([0, 2, 1], [2, 8, 16], 4)?,
        permuted::<f16>([1, 0, 2], [4, 4, 32], 4)?,
        permuted::<i8>([1, 2, 0], [8, 16, 8], 2)?,
        permuted::<f64>([2, 0, 1], [4, 4, 16], 4)?,
        permuted::<i32>([2, 1, 0], [3, 5, 7], 1)?,
        turned::<f32>((64, 64), 4)?,
        turned::<f16>((64, 32), 4)?,
        turned::<i8>((32, 64), 8)?,
    ])
}

#[kernel]
fn squares<T>(x: Ptr<T>, y: Ptr<T>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    let v = load(x + at).mask(mask);
    store(y + at, v * v).mask(mask);
}

fn squares_case<T: Element>(block: usize, warps: u32) -> Result<Case, FrontendError> {
    let scalar = T::DTYPE.scalar();
    let name = format!("squares_{scalar}_{block}_{warps}");
    let case = Case::new(name, squares::build::<T>(block as i32)?, move |random: &mut Random| {
        [1, block - 1, block, block + 1, 3 * block + 2]
            .map(|n| {
                let x = Data::random(random, scalar, n, Domain::Any, 0);
                let y = Data::random(random, scalar, n, Domain::Any, 0);
                let expected: Vec<Const> = (0..n).map(|i| mul(x.get(i), x.get(i))).collect();
                let args = [x.into(), y.into(), Arg::from(n as i32)];
                let grid = [n.div_ceil(block) as u32, 1, 1];
                Launch::new(format!("n = {n}"), grid, args).output(1, "square", 0..n, Rule::EXACT, expected)
            })
            .into()
    });
    Ok(case.warps(warps))
}

/// Extents that are no powers of two, down to one.
fn extents() -> Cases {
    let mut cases = Vec::new();
    for (block, warps) in [
        (1, 4),
        (3, 1),
        (5, 4),
        (31, 2),
        (96, 4),
        (100, 2),
        (129, 4),
        (1000, 8),
        (1536, 4),
    ] {
        cases.push(squares_case::<f32>(block, warps)?);
    }
    for (block, warps) in [(7, 4), (24, 1), (384, 4)] {
        cases.push(squares_case::<i8>(block, warps)?);
        cases.push(squares_case::<f64>(block, warps)?);
    }
    Ok(cases)
}

/// Programs of every number of warps, with fewer and more elements than threads.
fn warps() -> Cases {
    let mut cases = Vec::new();
    for warps in [1, 2, 4, 8, 16, 32] {
        cases.push(squares_case::<f32>(32, warps)?);
        cases.push(squares_case::<i16>(1024, warps)?);
        cases.push(squares_case::<f16>(256 * warps as usize, warps)?);
    }
    Ok(cases)
}
