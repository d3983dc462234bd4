//! Loops that combine a reduction in every round, which is taken out of them where any order gives the same bits.

use mytriton::frontend::FrontendError;
use mytriton::kernel;
use mytriton_ssa::{BinaryOp, Const, Scalar, eval_binary};

use crate::case::{Arg, Case, Data, Launch};
use crate::suite::Group;
use crate::values::Domain;

/// The group of such loops.
pub fn group() -> Group {
    Group::cases("control-totals", cases)
}

/// Over `rounds` tiles: the sum and the exclusive or of all integers, the largest and smallest float; by rows, the smallest
/// integer; and over rounds of rounds, the product.
#[kernel]
fn totals(
    x: Ptr<i32>,
    y: Ptr<f32>,
    out: Ptr<i32>,
    extremes: Ptr<f32>,
    least: Ptr<i32>,
    rounds: i32,
    #[constexpr] ROWS: i32,
    #[constexpr] COLS: i32,
) {
    let row = range(0, ROWS);
    let place = row.at(.., None) * COLS + range(0, COLS);
    let (mut sum_of_all, mut xor_of_all, mut product) = (7, -1, 3);
    let (mut top, mut bottom) = (f32::NAN, 1.5);
    let mut smallest = full([ROWS], 1000, i32);
    for k in 0..rounds {
        let at = k * (ROWS * COLS) + place;
        let (v, f) = (load(x + at), load(y + at));
        sum_of_all += sum(v);
        xor_of_all ^= xor_sum(v);
        top = maximum(max(f), top);
        bottom = minimum(bottom, min(f));
        smallest = minimum(smallest, min(v, 1));
        for j in 0..k {
            product *= reduce(v + j, |a, b| a * b);
        }
    }
    store(out, sum_of_all);
    store(out + 1, xor_of_all);
    store(out + 2, product);
    store(extremes, top);
    store(extremes + 1, bottom);
    store(least + row, smallest);
}

fn cases() -> Result<Vec<Case>, FrontendError> {
    fn of(rows: usize, cols: usize, warps: u32) -> Result<Case, FrontendError> {
        let kernel = totals::build(rows as i32, cols as i32)?;
        let case = Case::new(format!("totals_{rows}x{cols}_{warps}"), kernel, move |random| {
            let launch = |rounds: usize| {
                let size = rows * cols;
                let x = Data::random(random, Scalar::I32, rounds * size, Domain::Any, 0);
                let y = Data::random(random, Scalar::F32, rounds * size, Domain::Any, 0);
                let folded = |op, first, values: &mut dyn Iterator<Item = Const>| {
                    values.fold(first, |a, b| eval_binary(op, a, b).unwrap_or(a))
                };
                let ints = || (0..rounds * size).map(|i| x.get(i));
                let floats = || (0..rounds * size).map(|i| y.get(i));
                let factors = (0..rounds).flat_map(|k| (0..k).map(move |j| (k, j)));
                let mut factors = factors.flat_map(|(k, j)| {
                    let x = &x;
                    (k * size..(k + 1) * size).map(move |i| {
                        let sum = eval_binary(BinaryOp::Add, x.get(i), Const::i32(j as i32));
                        sum.unwrap_or(Const::i32(0))
                    })
                });
                let out = [
                    folded(BinaryOp::Add, Const::i32(7), &mut ints()),
                    folded(BinaryOp::Xor, Const::i32(-1), &mut ints()),
                    folded(BinaryOp::Mul, Const::i32(3), &mut factors),
                ];
                let extremes = [
                    folded(BinaryOp::Max, Const::f32(f32::NAN), &mut floats()),
                    folded(BinaryOp::Min, Const::f32(1.5), &mut floats()),
                ];
                let least = (0..rows).map(|row| {
                    let mut of_row = (0..rounds * size).filter(|i| i / cols % rows == row).map(|i| x.get(i));
                    folded(BinaryOp::MinS, Const::i32(1000), &mut of_row)
                });
                let least = least.collect();
                let outputs = [(Scalar::I32, 3), (Scalar::F32, 2), (Scalar::I32, rows)];
                let outputs = outputs.map(|(scalar, len)| Data::random(random, scalar, len, Domain::Any, 0));
                let buffers = [x.clone(), y.clone()].into_iter().chain(outputs).map(Arg::from);
                let args = buffers.chain([Arg::from(rounds as i32)]);
                Launch::new(format!("{rounds} rounds"), [1, 1, 1], args.collect::<Vec<_>>())
                    .exact(2, out.to_vec())
                    .exact(3, extremes.to_vec())
                    .exact(4, least)
            };
            [0, 1, 4].map(launch).into()
        });
        Ok(case.warps(warps))
    }
    Ok(vec![
        of(1, 100, 1)?,
        of(4, 64, 4)?,
        of(3, 17, 2)?,
        of(16, 256, 4)?,
        of(1, 1, 4)?,
    ])
}
