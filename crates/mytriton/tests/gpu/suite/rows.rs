//! Softmax, normalisation, cross entropy, reductions and running sums: the kernels of the examples, at sizes around those of
//! tiles, on data with NaN, infinities, ties, and rows of which nothing is kept.

use mytriton::frontend::{Element, FrontendError};
use mytriton::{bf16, f16};
use mytriton_ssa::{Const, Scalar};

use crate::case::{Arg, Case, Data, Launch, LocalMemory};
use crate::compare::Rule;
use crate::examples::all::{cross_entropy, layer_norm, reductions, softmax};
use crate::suite::Group;
use crate::values::{Domain, Random};

type Cases = Result<Vec<Case>, FrontendError>;

/// The groups about rows of matrices.
pub fn groups() -> Vec<Group> {
    vec![
        Group::cases("rows-softmax", softmaxes),
        Group::cases("rows-norm", norms),
        Group::cases("rows-entropy", entropies),
        Group::cases("rows-sum", sums),
        Group::cases("rows-max", maxima),
        Group::cases("rows-scan", scans),
    ]
}

/// A tolerance for results that are at most as large as `magnitude`, computed in `f32` from inputs that are exact, with
/// sums of `n` terms: every sum in another order rounds n times at most (2^-24 each), and the functions on the way are
/// right to some units in the last place; then the result is rounded to its type, to the other neighbour perhaps.
pub(super) fn near(scalar: Scalar, n: usize, magnitude: f64) -> Rule {
    let unit = match scalar {
        Scalar::F16 => 2f64.powi(-10),
        Scalar::BF16 => 2f64.powi(-7),
        _ => 0.0,
    };
    let computed = (n as f64 + 64.0) * 2f64.powi(-24);
    Rule::Near {
        relative: computed + unit,
        absolute: computed * magnitude,
    }
}

fn blocks(n: usize, block: i32) -> [u32; 3] {
    [n.div_ceil(block as usize) as u32, 1, 1]
}

/// Numbers of ordinary size; where there are rows enough, one has a NaN, one each an infinity, one is -infinity alone, one
/// has ties alone.
fn matrix(random: &mut Random, scalar: Scalar, rows: usize, cols: usize) -> Data {
    let mut values: Vec<Const> = {
        let data = Data::random(random, scalar, rows * cols, Domain::Moderate, 0);
        (0..rows * cols).map(|i| data.get(i)).collect()
    };
    let constant = |v: f64| Const::from_f64(scalar, v);
    let special = [(1, f64::NAN), (2, f64::INFINITY), (3, f64::NEG_INFINITY)];
    for (row, value) in special.into_iter().filter(|&(row, _)| row < rows) {
        values[row * cols + random.below(cols)] = constant(value);
    }
    for (row, value) in [(4, f64::NEG_INFINITY), (5, 2.5)]
        .into_iter()
        .filter(|&(row, _)| row < rows)
    {
        values[row * cols..][..cols].fill(constant(value));
    }
    Data::of(random, scalar, values)
}

/// An output; what was there before is no result.
fn output(random: &mut Random, scalar: Scalar, len: usize) -> Data {
    Data::random(random, scalar, len, Domain::Any, 0)
}

/// Rows, columns of a program and warps; and the matrices that it is given.
type Shape = ((i32, i32), u32, &'static [(usize, usize)]);

fn softmaxes() -> Cases {
    fn held<T: Element>(((r, block), warps, sizes): Shape) -> Result<[Case; 2], FrontendError> {
        let scalar = T::DTYPE.scalar();
        let name = format!("{scalar}_{r}x{block}_{warps}");
        let all = Case::new(
            format!("softmax_{name}"),
            softmax::softmax::build::<T>(r, block)?,
            move |random| {
                let launch = |&(m, n): &(usize, usize)| {
                    let (x, out) = (matrix(random, scalar, m, n), output(random, scalar, m * n));
                    let args = [x.into(), out.into(), Arg::from(m as i32), Arg::from(n as i32)];
                    let launch = Launch::new(format!("{m}x{n}"), blocks(m, r), args);
                    launch.output(1, "softmax", 0..m * n, near(scalar, n, 1.0), Vec::new())
                };
                sizes.iter().map(launch).collect()
            },
        );
        let kernel = softmax::softmax_masked::build::<T>(r, block)?;
        let masked = Case::new(format!("masked_{name}"), kernel, move |random| {
            let launch = |&(m, n): &(usize, usize)| {
                let x = matrix(random, scalar, m, n);
                // The last row keeps nothing.
                let keep: Vec<Const> = (0..m * n)
                    .map(|i| Const::bool(i < (m - 1) * n && random.below(3) > 0))
                    .collect();
                let keep = Data::of(random, Scalar::I1, keep);
                let out = output(random, scalar, m * n);
                let args = [
                    x.into(),
                    keep.into(),
                    out.into(),
                    Arg::from(m as i32),
                    Arg::from(n as i32),
                ];
                let (rule, rest) = (near(scalar, n, 1.0), (m - 1) * n);
                let zeros = vec![Const::from_f64(scalar, 0.0); n];
                Launch::new(format!("{m}x{n}"), blocks(m, r), args)
                    .output(2, "softmax", 0..rest, rule, Vec::new())
                    .output(2, "softmax of nothing", rest..m * n, Rule::EXACT, zeros)
            };
            sizes.iter().map(launch).collect()
        });
        Ok([all.warps(warps), masked.warps(warps)])
    }
    fn online<T: Element>(block: i32, warps: u32) -> Result<Case, FrontendError> {
        let scalar = T::DTYPE.scalar();
        let kernel = softmax::softmax_online::build::<T>(block)?;
        let case = Case::new(format!("online_{scalar}_{block}_{warps}"), kernel, move |random| {
            let launch = |(m, n): (usize, usize)| {
                let (x, out) = (matrix(random, scalar, m, n), output(random, scalar, m * n));
                let args = [x.into(), out.into(), Arg::from(n as i32)];
                let launch = Launch::new(format!("{m}x{n}"), [m as u32, 1, 1], args);
                launch.output(1, "softmax", 0..m * n, near(scalar, n, 1.0), Vec::new())
            };
            [(6, 1), (6, 3), (6, 17), (6, 127), (6, 513), (2, 4097)]
                .map(launch)
                .into()
        });
        Ok(case.warps(warps))
    }
    let shapes: [Shape; 4] = [
        ((8, 32), 4, &[(1, 1), (17, 3), (9, 17), (8, 32)]),
        ((3, 100), 2, &[(7, 100), (7, 99)]),
        ((1, 1024), 4, &[(6, 127), (6, 513), (6, 1000), (2, 1024)]),
        ((1, 4097), 8, &[(2, 4097), (1, 513)]),
    ];
    let [short, odd, long, longest] = shapes;
    let mut cases = vec![online::<f32>(256, 4)?, online::<bf16>(512, 2)?];
    cases.extend(held::<f32>(short)?);
    cases.extend(held::<f16>(odd)?);
    cases.extend(held::<bf16>(long)?);
    cases.extend(held::<f32>(longest)?);
    Ok(cases)
}

fn norms() -> Cases {
    /// rstd is at most 1.
    const EPS: Const = Const::f32(1.0);
    /// Inputs are below 32: differences from the mean below 64 before a weight and a bias.
    const MAGNITUDE: f64 = 64.0 * 32.0 + 32.0;
    fn forward<T: Element>(((r, block), warps, sizes): Shape) -> Result<[Case; 2], FrontendError> {
        let scalar = T::DTYPE.scalar();
        let name = format!("{scalar}_{r}x{block}_{warps}");
        let kernel = layer_norm::layer_norm::build::<T>(r, block)?;
        let layer = Case::new(format!("layer_{name}"), kernel, move |random| {
            let launch = |&(m, n): &(usize, usize)| {
                let mut moderate = |len| Data::random(random, scalar, len, Domain::Moderate, 0);
                let (x, weight, bias, y) = (moderate(m * n), moderate(n), moderate(n), moderate(m * n));
                let (mean, rstd) = (output(random, Scalar::F32, m), output(random, Scalar::F32, m));
                let sizes = [m as i32, n as i32].map(Arg::from);
                let args = [x, weight, bias, y, mean, rstd].map(Arg::from).into_iter().chain(sizes);
                Launch::new(format!("{m}x{n}"), blocks(m, r), args.chain([EPS.into()]))
                    .output(3, "y", 0..m * n, near(scalar, n, MAGNITUDE), Vec::new())
                    .output(4, "mean", 0..m, near(Scalar::F32, n, 32.0), Vec::new())
                    .output(5, "rstd", 0..m, near(Scalar::F32, n, 0.0), Vec::new())
            };
            sizes.iter().map(launch).collect()
        });
        let kernel = layer_norm::rms_norm::build::<T>(r, block)?;
        let rms = Case::new(format!("rms_{name}"), kernel, move |random| {
            let launch = |&(m, n): &(usize, usize)| {
                let mut moderate = |len| Data::random(random, scalar, len, Domain::Moderate, 0);
                let (x, weight, y) = (moderate(m * n), moderate(n), moderate(m * n));
                let sizes = [m as i32, n as i32].map(Arg::from);
                let args = [x, weight, y]
                    .map(Arg::from)
                    .into_iter()
                    .chain(sizes)
                    .chain([EPS.into()]);
                Launch::new(format!("{m}x{n}"), blocks(m, r), args).output(
                    2,
                    "y",
                    0..m * n,
                    near(scalar, n, 0.0),
                    Vec::new(),
                )
            };
            sizes.iter().map(launch).collect()
        });
        Ok([layer.warps(warps), rms.warps(warps)])
    }
    fn backward<T: Element>(((r, block), warps, sizes): Shape) -> Result<Case, FrontendError> {
        let scalar = T::DTYPE.scalar();
        let kernel = layer_norm::layer_norm_backward::build::<T>(r, block)?;
        let case = Case::new(
            format!("backward_{scalar}_{r}x{block}_{warps}"),
            kernel,
            move |random| {
                let launch = |&(m, n): &(usize, usize)| {
                    let parts = 2;
                    let mut small = |scalar, len| {
                        let values: Vec<Const> =
                            (0..len).map(|_| Const::from_f64(scalar, random.unit() - 0.5)).collect();
                        Data::of(random, scalar, values)
                    };
                    let (x, weight, dy) = (small(scalar, m * n), small(scalar, n), small(scalar, m * n));
                    let (mean, rstd) = (small(Scalar::F32, m), small(Scalar::F32, m));
                    let dx = output(random, scalar, m * n);
                    let (dw, db) = (
                        output(random, Scalar::F32, parts * n),
                        output(random, Scalar::F32, parts * n),
                    );
                    let args = [x, weight, dy, mean, rstd, dx, dw, db].map(Arg::from).into_iter();
                    let args = args.chain([m as i32, n as i32].map(Arg::from));
                    // All inputs are below 1/2, and so is each term; sums for a program have at most m of them.
                    Launch::new(format!("{m}x{n}"), [parts as u32, 1, 1], args)
                        .output(5, "dx", 0..m * n, near(scalar, n, 1.0), Vec::new())
                        .output(6, "dw", 0..parts * n, near(Scalar::F32, m, m as f64), Vec::new())
                        .output(7, "db", 0..parts * n, near(Scalar::F32, m, m as f64), Vec::new())
                };
                sizes.iter().map(launch).collect()
            },
        );
        Ok(case.warps(warps))
    }
    let short: Shape = ((4, 32), 2, &[(1, 1), (3, 3), (13, 17), (8, 32)]);
    let long: Shape = ((1, 512), 4, &[(3, 127), (5, 511), (2, 512)]);
    let longest: Shape = ((1, 4097), 16, &[(2, 513), (3, 4097)]);
    // Half of what it holds is padding, for which registers do not suffice.
    let mut padded_backward = backward::<f32>(longest)?;
    padded_backward.local_memory = LocalMemory::Spills;
    let mut cases = vec![backward::<f32>(short)?, backward::<bf16>(long)?, padded_backward];
    cases.extend(forward::<f32>(short)?);
    cases.extend(forward::<f16>(long)?);
    cases.extend(forward::<bf16>(longest)?);
    let kernel = layer_norm::layer_norm_sum::build::<f32>(8, 32)?;
    cases.push(Case::new("parts_f32_8x32", kernel, |random| {
        let launch = |(m, n): (usize, usize)| {
            let mut moderate = |len| Data::random(random, Scalar::F32, len, Domain::Moderate, 0);
            let buffers = [moderate(m * n), moderate(m * n), moderate(n), moderate(n)].map(Arg::from);
            let args = buffers.into_iter().chain([m as i32, n as i32].map(Arg::from));
            let rule = near(Scalar::F32, m, 32.0 * m as f64);
            Launch::new(format!("{m} parts of {n}"), blocks(n, 32), args)
                .output(2, "dw", 0..n, rule, Vec::new())
                .output(3, "db", 0..n, rule, Vec::new())
        };
        [(1, 1), (8, 32), (17, 127), (513, 3), (2, 4097)].map(launch).into()
    }));
    Ok(cases)
}

fn entropies() -> Cases {
    fn of<T: Element>(block: i32, warps: u32) -> Result<Case, FrontendError> {
        let scalar = T::DTYPE.scalar();
        let kernel = cross_entropy::cross_entropy::build::<T>(block)?;
        let case = Case::new(
            format!("cross_entropy_{scalar}_{block}_{warps}"),
            kernel,
            move |random| {
                let launch = |(m, n): (usize, usize)| {
                    let logits = matrix(random, scalar, m, n);
                    let targets: Vec<i128> = (0..m)
                        .map(|row| if row == 0 { -1 } else { random.below(n) as i128 })
                        .collect();
                    let targets = targets.into_iter().map(|target| Const::from_int(Scalar::I64, target));
                    let targets = Data::of(random, Scalar::I64, targets);
                    let (loss, log_sum) = (output(random, Scalar::F32, m), output(random, Scalar::F32, m));
                    let args = [logits, targets, loss, log_sum]
                        .map(Arg::from)
                        .into_iter()
                        .chain([Arg::from(n as i32)]);
                    let launch = Launch::new(format!("{m} rows of {n}"), [m as u32, 1, 1], args);
                    // Logits are below 32: so are the logarithm of their sum, but for that of n, and the loss is below both.
                    let rule = near(Scalar::F32, n, 64.0);
                    launch
                        .output(2, "loss", 0..m, rule, Vec::new())
                        .output(3, "log sum", 0..m, rule, Vec::new())
                };
                [(1, 1), (6, 3), (6, 17), (6, 127), (6, 513), (3, 4097)]
                    .map(launch)
                    .into()
            },
        );
        Ok(case.warps(warps))
    }
    Ok(vec![of::<f32>(256, 4)?, of::<bf16>(1024, 4)?, of::<f16>(100, 1)?])
}

const COLUMNS: [usize; 6] = [1, 3, 17, 127, 513, 4097];

fn sums() -> Cases {
    fn rows<T: Element, U: Element>(block: i32, warps: u32) -> Result<Case, FrontendError> {
        let (scalar, result) = (T::DTYPE.scalar(), U::DTYPE.scalar());
        let kernel = reductions::row_sum::build::<T, U>(block)?;
        let case = Case::new(format!("rows_{scalar}_{block}_{warps}"), kernel, move |random| {
            let launch = |n: usize| {
                let x = Data::random(random, scalar, 3 * n, Domain::Moderate, 0);
                let args = [x.into(), output(random, result, 3).into(), Arg::from(n as i32)];
                let launch = Launch::new(format!("3x{n}"), [3, 1, 1], args);
                launch.output(1, "sum", 0..3, sum_rule(result, n), Vec::new())
            };
            COLUMNS.map(launch).into()
        });
        Ok(case.warps(warps))
    }
    fn columns<T: Element, U: Element>(tile: (i32, i32), warps: u32) -> Result<Case, FrontendError> {
        let (scalar, result) = (T::DTYPE.scalar(), U::DTYPE.scalar());
        let (r, c) = tile;
        let kernel = reductions::column_sum::build::<T, U>(r, c)?;
        let case = Case::new(format!("columns_{scalar}_{r}x{c}_{warps}"), kernel, move |random| {
            let launch = |(m, n): (usize, usize)| {
                let x = Data::random(random, scalar, m * n, Domain::Moderate, 0);
                let (x, out) = (Arg::from(x), Arg::from(output(random, result, n)));
                let args = [x, out, Arg::from(m as i32), Arg::from(n as i32)];
                let launch = Launch::new(format!("{m}x{n}"), blocks(n, c), args);
                launch.output(1, "sum", 0..n, sum_rule(result, m), Vec::new())
            };
            [(1, 1), (3, 17), (127, 65), (33, 64), (513, 3), (4097, 2)]
                .map(launch)
                .into()
        });
        Ok(case.warps(warps))
    }
    fn sum_rule(result: Scalar, n: usize) -> Rule {
        match result.is_int() {
            true => Rule::EXACT,
            false => near(result, n, 32.0 * n as f64),
        }
    }
    Ok(vec![
        rows::<f32, f32>(256, 4)?,
        rows::<f16, f32>(1024, 2)?,
        rows::<i8, i32>(100, 1)?,
        columns::<f32, f32>((16, 32), 4)?,
        columns::<bf16, f32>((8, 64), 2)?,
        columns::<i16, i64>((5, 12), 4)?,
    ])
}

fn maxima() -> Cases {
    fn of<T: Element>(block: i32, warps: u32) -> Result<[Case; 2], FrontendError> {
        let scalar = T::DTYPE.scalar();
        let name = format!("{scalar}_{block}_{warps}");
        let largest = |x: &Data, row: usize, n: usize| {
            let values = (0..n).map(|c| x.get(row * n + c).as_f64().unwrap_or(f64::NAN));
            let largest = values.clone().fold(f64::NAN, f64::max);
            (largest, { values }.position(|v| v == largest).unwrap_or(0))
        };
        let max = Case::new(
            format!("max_{name}"),
            reductions::row_max::build::<T>(block)?,
            move |random| {
                let launch = |n: usize| {
                    let (m, x) = (6, matrix(random, scalar, 6, n));
                    let expected = (0..m)
                        .map(|row| Const::from_f64(scalar, largest(&x, row, n).0))
                        .collect();
                    let args = [x.into(), output(random, scalar, m).into(), Arg::from(n as i32)];
                    Launch::new(format!("{m}x{n}"), [m as u32, 1, 1], args).exact(1, expected)
                };
                COLUMNS.map(launch).into()
            },
        );
        let argmax = Case::new(
            format!("argmax_{name}"),
            reductions::row_argmax::build::<T>(block)?,
            move |random| {
                let launch = |n: usize| {
                    let (m, x) = (6, matrix(random, scalar, 6, n));
                    let places = (0..m).map(|row| Const::from_int(Scalar::I32, largest(&x, row, n).1 as i128));
                    let expected = places.collect();
                    let args = [x.into(), output(random, Scalar::I32, m).into(), Arg::from(n as i32)];
                    Launch::new(format!("{m}x{n}"), [m as u32, 1, 1], args).exact(1, expected)
                };
                COLUMNS.map(launch).into()
            },
        );
        Ok([max.warps(warps), argmax.warps(warps)])
    }
    let cases = [of::<f32>(256, 4)?, of::<f16>(512, 2)?, of::<bf16>(96, 4)?];
    Ok(cases.into_iter().flatten().collect())
}

fn scans() -> Cases {
    fn of<T: Element, U: Element>(block: i32, warps: u32) -> Result<Case, FrontendError> {
        let (scalar, result) = (T::DTYPE.scalar(), U::DTYPE.scalar());
        let kernel = reductions::row_cumsum::build::<T, U>(block)?;
        let case = Case::new(format!("cumsum_{scalar}_{block}_{warps}"), kernel, move |random| {
            let launch = |n: usize| {
                let x = Data::random(random, scalar, 3 * n, Domain::Moderate, 0);
                let args = [x.into(), output(random, result, 3 * n).into(), Arg::from(n as i32)];
                let rule = match result.is_int() {
                    true => Rule::EXACT,
                    false => near(result, n, 32.0 * n as f64),
                };
                let launch = Launch::new(format!("3x{n}"), [3, 1, 1], args);
                launch.output(1, "running sum", 0..3 * n, rule, Vec::new())
            };
            COLUMNS.map(launch).into()
        });
        Ok(case.warps(warps))
    }
    Ok(vec![
        of::<f32, f32>(256, 4)?,
        of::<bf16, f32>(128, 2)?,
        of::<i16, i32>(100, 4)?,
    ])
}
