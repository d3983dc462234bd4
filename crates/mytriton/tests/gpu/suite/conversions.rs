//! Tiles that are wanted in another layout than they are made in: transpositions, permutations, reshapes.

use mytriton::frontend::{Element, FrontendError};
use mytriton::{bf16, f16, kernel};

use crate::case::{Arg, Case, Data, Launch};
use crate::suite::{Group, layouts};
use crate::values::Domain;

type Cases = Result<Vec<Case>, FrontendError>;

/// The groups about conversions.
pub fn groups() -> Vec<Group> {
    vec![
        Group::cases("conversions-transpose", transposes),
        Group::cases("conversions-permute", permutations),
        Group::cases("conversions-layouts", layouts::cases),
    ]
}

/// One tile, read and written by rows.
#[kernel]
fn turn<T>(x: Ptr<T>, out: Ptr<T>, m: i32, n: i32, #[constexpr] M: i32, #[constexpr] N: i32) {
    let (r, c) = (range(0, M), range(0, N));
    let (row, column) = (r.expand_dims(1), c.expand_dims(0));
    let tile = load(x + row * n + column).mask(row < m && column < n);
    let (row, column) = (c.expand_dims(1), r.expand_dims(0));
    store(out + row * m + column, tile.trans()).mask(row < n && column < m);
}

/// A transposition of a whole tile and of a part of it.
fn turned<T: Element>((m, n): (usize, usize), warps: u32) -> Result<Case, FrontendError> {
    let scalar = T::DTYPE.scalar();
    let kernel = turn::build::<T>(m as i32, n as i32)?;
    let case = Case::new(format!("turn_{scalar}_{m}x{n}"), kernel, move |random| {
        [(m, n), (m.div_ceil(2), n - n / 3)]
            .map(|(m, n)| {
                let [x, out] = [0, 1].map(|_| Data::random(random, scalar, m * n, Domain::Any, 0));
                let expected = (0..m * n).map(|i| x.get(i % m * n + i / m)).collect();
                let args = [x.into(), out.into(), Arg::from(m as i32), Arg::from(n as i32)];
                Launch::new(format!("{m}x{n}"), [1, 1, 1], args).exact(1, expected)
            })
            .into()
    });
    Ok(case.warps(warps))
}

/// The same of a whole tile, of which threads access 16 bytes at once.
#[kernel]
fn turn_whole<T>(x: Ptr<T>, out: Ptr<T>, #[constexpr] M: i32, #[constexpr] N: i32) {
    let (r, c) = (range(0, M), range(0, N));
    let tile = load(x + r.expand_dims(1) * N + c.expand_dims(0));
    store(out + c.expand_dims(1) * M + r.expand_dims(0), tile.trans());
}

/// A transposition of a whole tile by so many warps.
pub fn turned_whole<T: Element>((m, n): (usize, usize), warps: u32) -> Result<Case, FrontendError> {
    let scalar = T::DTYPE.scalar();
    let mut kernel = turn_whole::build::<T>(m as i32, n as i32)?;
    for param in kernel.params_mut() {
        param.divisibility = 16;
    }
    let case = Case::new(format!("turn_whole_{scalar}_{m}x{n}"), kernel, move |random| {
        let [x, out] = [0, 1].map(|_| Data::random(random, scalar, m * n, Domain::Any, 0));
        let expected = (0..m * n).map(|i| x.get(i % m * n + i / m)).collect();
        vec![Launch::new("all", [1, 1, 1], [x, out].map(Arg::from)).exact(1, expected)]
    });
    Ok(case.warps(warps))
}

fn transposes() -> Cases {
    Ok(vec![
        turned_whole::<f32>((16, 16), 1)?,
        turned_whole::<f32>((32, 16), 4)?,
        turned_whole::<f32>((64, 64), 4)?,
        turned_whole::<f32>((128, 64), 8)?,
        turned_whole::<bf16>((16, 16), 1)?,
        turned_whole::<bf16>((64, 128), 4)?,
        turned_whole::<f16>((128, 128), 4)?,
        turned_whole::<i8>((16, 16), 2)?,
        turned_whole::<i8>((128, 128), 4)?,
        turned_whole::<f64>((32, 32), 4)?,
        turned::<f32>((32, 16), 4)?,
        turned::<i8>((64, 64), 8)?,
        turned::<f32>((5, 19), 2)?,
        turned::<bf16>((33, 24), 4)?,
        turned::<i8>((100, 3), 4)?,
    ])
}

/// A block of three dimensions with its axes in another order, read and written in order.
#[kernel]
fn permute<T>(
    x: Ptr<T>,
    out: Ptr<T>,
    #[constexpr] I: i32,
    #[constexpr] J: i32,
    #[constexpr] K: i32,
    #[constexpr] A: i32,
    #[constexpr] B: i32,
    #[constexpr] C: i32,
) {
    let flat = range(0, I * J * K);
    let tile = load(x + flat).reshape([I, J, K]).permute([A, B, C]);
    store(out + flat, tile.reshape(I * J * K));
}

fn permuted<T: Element>(extents: [usize; 3], order: [usize; 3], warps: u32) -> Result<Case, FrontendError> {
    let scalar = T::DTYPE.scalar();
    let ([i, j, k], [a, b, c]) = (extents.map(|extent| extent as i32), order.map(|axis| axis as i32));
    let kernel = permute::build::<T>(i, j, k, a, b, c)?;
    let case = Case::new(
        format!("permute_{scalar}_{i}x{j}x{k}_{a}{b}{c}"),
        kernel,
        move |random| {
            let total = extents.iter().product();
            let [x, out] = [0, 1].map(|_| Data::random(random, scalar, total, Domain::Any, 0));
            let strides = [extents[1] * extents[2], extents[2], 1];
            let expected = (0..total).map(|at| {
                let (_, place) = order.iter().rev().fold((at, 0), |(rest, place), &axis| {
                    (rest / extents[axis], place + rest % extents[axis] * strides[axis])
                });
                x.get(place)
            });
            let expected = expected.collect();
            vec![Launch::new("all", [1, 1, 1], [x, out].map(Arg::from)).exact(1, expected)]
        },
    );
    Ok(case.warps(warps))
}

fn permutations() -> Cases {
    Ok(vec![
        permuted::<f32>([8, 16, 32], [2, 0, 1], 4)?,
        permuted::<bf16>([16, 4, 32], [1, 2, 0], 2)?,
        permuted::<i8>([32, 8, 8], [2, 1, 0], 4)?,
        permuted::<f64>([2, 4, 8], [0, 2, 1], 1)?,
        permuted::<f16>([3, 5, 7], [2, 0, 1], 4)?,
        permuted::<f32>([1, 17, 6], [1, 2, 0], 2)?,
    ])
}
