//! Elements that change places or are counted: pairs, gathers and histograms, in tiles of every rank and extent.

use mytriton::frontend::{Element, FrontendError};
use mytriton::{bf16, f16, kernel};
use mytriton_ssa::{Const, Scalar};

use crate::case::{Arg, Case, Data, Launch};
use crate::compare::Rule;
use crate::examples::all::{histogram, top_k};
use crate::suite::{Group, SIZES};
use crate::values::{Domain, Random};

type Cases = Result<Vec<Case>, FrontendError>;

/// The groups about elements.
pub fn groups() -> Vec<Group> {
    vec![
        Group::cases("elements-pairs", pairs_cases),
        Group::cases("elements-gather", gather_cases),
        Group::cases("elements-histogram", histogram_cases),
        Group::cases("elements-sort", sort_cases),
    ]
}

/// Two rows as one of pairs, and the pairs apart again in the other order.
#[kernel]
fn pairs<T>(x: Ptr<T>, y: Ptr<T>, both: Ptr<T>, second: Ptr<T>, first: Ptr<T>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    let pair = join(load(x + at).mask(mask), load(y + at).mask(mask));
    let place = at.at(.., None) * 2 + range(0, 2);
    store(both + place, pair).mask(place < 2 * n);
    let (a, b) = split(pair);
    store(second + at, b).mask(mask);
    store(first + at, a).mask(mask);
}

fn pairs_cases() -> Cases {
    fn of<T: Element>(block: usize, warps: u32) -> Result<Case, FrontendError> {
        let scalar = T::DTYPE.scalar();
        let kernel = pairs::build::<T>(block as i32)?;
        let case = Case::new(format!("pairs_{scalar}_{block}_{warps}"), kernel, move |random| {
            [1, block, 2 * block + 1]
                .map(|n| {
                    let mut data = |len| Data::random(random, scalar, len, Domain::Any, 0);
                    let [x, y, both, second, first] = [n, n, 2 * n, n, n].map(&mut data);
                    let [xs, ys] = [&x, &y].map(|data| (0..n).map(|i| data.get(i)).collect::<Vec<Const>>());
                    let joined = xs.iter().zip(&ys).flat_map(|(&x, &y)| [x, y]).collect();
                    let args = [x, y, both, second, first].map(Arg::from);
                    let args = args.into_iter().chain([Arg::from(n as i32)]);
                    Launch::new(format!("n = {n}"), [n.div_ceil(block) as u32, 1, 1], args)
                        .output(2, "pairs", 0..2 * n, Rule::EXACT, joined)
                        .output(3, "second", 0..n, Rule::EXACT, ys)
                        .output(4, "first", 0..n, Rule::EXACT, xs)
                })
                .into()
        });
        Ok(case.warps(warps))
    }
    Ok(vec![
        of::<f32>(1, 4)?,
        of::<f32>(100, 1)?,
        of::<i8>(1024, 4)?,
        of::<f16>(17, 2)?,
        of::<bf16>(513, 8)?,
        of::<i64>(64, 16)?,
        of::<f64>(31, 4)?,
    ])
}

/// `K` elements of every row of `N`, in each of `P` planes, by indices that a buffer holds.
#[kernel]
fn gathers<T>(
    x: Ptr<T>,
    index: Ptr<i32>,
    out: Ptr<T>,
    #[constexpr] P: i32,
    #[constexpr] M: i32,
    #[constexpr] N: i32,
    #[constexpr] K: i32,
) {
    let row = range(0, P).at(.., None, None) * M + range(0, M).at(None, .., None);
    let to = row * K + range(0, K).at(None, None, ..);
    let v = load(x + row * N + range(0, N).at(None, None, ..));
    let named = (load(index + to) & 0xffff) % N;
    store(out + to, gather(v, named, 2));
    // Along the rows, the last ones first.
    let rows = (M - 1 - range(0, M)).at(None, .., None).broadcast_to([P, M, N]);
    store(
        out + P * M * K + row * N + range(0, N).at(None, None, ..),
        gather(v, rows, 1),
    );
}

fn gather_cases() -> Cases {
    fn of<T: Element>(extents: [usize; 4], warps: u32) -> Result<Case, FrontendError> {
        let scalar = T::DTYPE.scalar();
        let [p, m, n, k] = extents;
        let kernel = gathers::build::<T>(p as i32, m as i32, n as i32, k as i32)?;
        let name = format!("gathers_{scalar}_{p}x{m}x{n}_{k}_{warps}");
        let case = Case::new(name, kernel, move |random| {
            let x = Data::random(random, scalar, p * m * n, Domain::Any, 0);
            let index = Data::random(random, Const::i32(0).scalar(), p * m * k, Domain::Any, 0);
            let out = Data::random(random, scalar, p * m * (k + n), Domain::Any, 0);
            let named = |i: usize| (index.get(i).bits() as usize & 0xFFFF) % n;
            let of_rows = (0..p * m * k).map(|i| x.get(i / k * n + named(i)));
            let turned = |i: usize| {
                let (plane, row, column) = (i / (m * n), i / n % m, i % n);
                x.get((plane * m + m - 1 - row) * n + column)
            };
            let expected = of_rows.chain((0..p * m * n).map(turned)).collect();
            let args = [x, index.clone(), out].map(Arg::from);
            vec![Launch::new("all", [1, 1, 1], args).exact(2, expected)]
        });
        Ok(case.warps(warps))
    }
    Ok(vec![
        of::<f32>([1, 1, 1, 1], 4)?,
        of::<f32>([1, 1, 1000, 1000], 4)?,
        of::<i8>([1, 16, 33, 5], 1)?,
        of::<f16>([3, 5, 7, 17], 2)?,
        of::<bf16>([4, 8, 16, 16], 8)?,
        of::<i64>([2, 3, 31, 1], 4)?,
        of::<f64>([1, 64, 2, 3], 16)?,
        // Rows within warps.
        of::<f32>([1, 64, 32, 32], 4)?,
        of::<i8>([1, 32, 8, 8], 1)?,
        of::<f16>([2, 16, 29, 29], 2)?,
        of::<bool>([1, 32, 16, 16], 2)?,
        of::<i64>([1, 8, 4, 4], 1)?,
    ])
}

/// How often each number occurs in a program's part of a row, in all of it and among those that are not too large.
#[kernel]
fn counts<T>(x: Ptr<T>, out: Ptr<i32>, n: i32, #[constexpr] BLOCK: i32, #[constexpr] BINS: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    let v = load(x + at).mask(mask).other(0) & 63;
    let to = out + program_id(0) * (2 * BINS) + range(0, BINS);
    store(to, histogram(v, BINS, mask));
    store(to + BINS, histogram(v.reshape((1, BLOCK)), BINS));
}

fn histogram_cases() -> Cases {
    fn of<T: Element>(block: usize, bins: usize, warps: u32) -> Result<Case, FrontendError> {
        let scalar = T::DTYPE.scalar();
        let kernel = counts::build::<T>(block as i32, bins as i32)?;
        let name = format!("counts_{scalar}_{block}_{bins}_{warps}");
        let case = Case::new(name, kernel, move |random| {
            [1, block, 2 * block + 1]
                .map(|n| {
                    let programs = n.div_ceil(block);
                    let x = Data::random(random, scalar, n, Domain::Any, 0);
                    let out = Data::random(random, Const::i32(0).scalar(), 2 * programs * bins, Domain::Any, 0);
                    let mut expected = vec![0; 2 * programs * bins];
                    for i in 0..programs * block {
                        let number = if i < n { x.get(i).bits() as usize & 63 } else { 0 };
                        let first = 2 * (i / block) * bins;
                        if number < bins {
                            expected[first + number] += i32::from(i < n);
                            expected[first + bins + number] += 1;
                        }
                    }
                    let expected = expected.into_iter().map(Const::i32).collect();
                    let args = [x.into(), out.into(), Arg::from(n as i32)];
                    Launch::new(format!("n = {n}"), [programs as u32, 1, 1], args).exact(1, expected)
                })
                .into()
        });
        Ok(case.warps(warps))
    }
    /// The example's: numbers of every size, negative ones too, three programs that take blocks in turn.
    fn occurrences<T: Element>(block: usize, bins: usize, warps: u32) -> Result<Case, FrontendError> {
        let scalar = T::DTYPE.scalar();
        let kernel = histogram::occurrences::build::<T>(block as i32, bins as i32)?;
        let name = format!("occurrences_{scalar}_{block}_{bins}_{warps}");
        let case = Case::new(name, kernel, move |random| {
            SIZES
                .map(|n| {
                    let x = Data::random(random, scalar, n, Domain::Any, 0);
                    let bin = |i| match T::DTYPE.is_unsigned() {
                        true => x.get(i).as_unsigned().map(|v| v as usize),
                        false => x.get(i).as_signed().and_then(|v| usize::try_from(v).ok()),
                    };
                    in_parts(x.clone(), n, [block, bins], Vec::new(), bin, random)
                })
                .into()
        });
        Ok(case.warps(warps))
    }
    /// The example's, of numbers from -4 on in bins of 1/4. What it rounds, the host does too.
    fn binned(block: usize, bins: usize, warps: u32) -> Result<Case, FrontendError> {
        let kernel = histogram::binned::build(block as i32, bins as i32)?;
        let case = Case::new(format!("binned_{block}_{bins}_{warps}"), kernel, move |random| {
            SIZES
                .map(|n| {
                    let x = Data::random(random, Scalar::F32, n, Domain::Any, 0);
                    let edges = [-4.0, 4.0].map(|v| Arg::from(Const::f32(v)));
                    let bin = |i| {
                        let bin = x.get(i).as_f64().map(|v| ((v as f32 + 4.0) * 4.0).floor());
                        bin.filter(|&bin| bin >= 0.0).map(|bin| bin as usize)
                    };
                    in_parts(x.clone(), n, [block, bins], edges.into(), bin, random)
                })
                .into()
        });
        Ok(case.warps(warps))
    }
    Ok(vec![
        of::<i32>(1, 1, 4)?,
        of::<i32>(1000, 64, 4)?,
        of::<i32>(4096, 17, 8)?,
        of::<i8>(127, 300, 1)?,
        of::<i16>(513, 3, 2)?,
        of::<i64>(64, 64, 16)?,
        occurrences::<u8>(512, 256, 4)?,
        occurrences::<i16>(100, 7, 2)?,
        occurrences::<i32>(1024, 100, 4)?,
        occurrences::<i64>(33, 1, 1)?,
        binned(256, 32, 4)?,
        binned(1000, 17, 8)?,
    ])
}

/// A launch of three programs that take blocks of `x` in turn and write rows of counts; `bin` says what each element counts
/// for.
fn in_parts(
    x: Data,
    n: usize,
    [block, bins]: [usize; 2],
    more: Vec<Arg>,
    bin: impl Fn(usize) -> Option<usize>,
    random: &mut Random,
) -> Launch {
    const PROGRAMS: usize = 3;
    let parts = Data::random(random, Scalar::I32, PROGRAMS * bins, Domain::Any, 0);
    let mut expected = vec![0; PROGRAMS * bins];
    for i in 0..n {
        if let Some(bin) = bin(i).filter(|&bin| bin < bins) {
            expected[i / block % PROGRAMS * bins + bin] += 1;
        }
    }
    let args = [x.into(), parts.into(), Arg::from(n as i32)].into_iter().chain(more);
    let launch = Launch::new(format!("n = {n}"), [PROGRAMS as u32, 1, 1], args);
    launch.exact(1, expected.into_iter().map(Const::i32).collect())
}

/// Rows in order, and the largest elements of rows with their places, by the kernels of the example.
fn sort_cases() -> Cases {
    type Widths = &'static [usize];
    const ROWS: usize = 3;
    /// The order of elements: -0.0 before 0.0, and NaN, of whichever sign, last.
    fn order(a: Const, b: Const) -> std::cmp::Ordering {
        let value = |v: Const| v.as_f64().unwrap_or(f64::NAN);
        let (a, b) = (value(a), value(b));
        a.is_nan().cmp(&b.is_nan()).then(a.total_cmp(&b))
    }
    fn sorted<T: Element>(block: i32, warps: u32, widths: Widths) -> Result<Case, FrontendError> {
        let scalar = T::DTYPE.scalar();
        let kernel = top_k::sort_rows::build::<T>(block)?;
        let case = Case::new(format!("sort_{scalar}_{block}_{warps}"), kernel, move |random| {
            let launch = |&n: &usize| {
                let x = Data::random(random, scalar, ROWS * n, Domain::Any, 0);
                let out = Data::random(random, scalar, ROWS * n, Domain::Any, 0);
                let rows = (0..ROWS).flat_map(|row| {
                    let mut row: Vec<Const> = (row * n..(row + 1) * n).map(|i| x.get(i)).collect();
                    row.sort_by(|&a, &b| order(a, b));
                    row
                });
                let expected = rows.collect();
                let args = [x.into(), out.into(), Arg::from(n as i32)];
                Launch::new(format!("{ROWS}x{n}"), [ROWS as u32, 1, 1], args).exact(1, expected)
            };
            widths.iter().map(launch).collect()
        });
        Ok(case.warps(warps))
    }
    fn largest(block: i32, k: usize, warps: u32, widths: Widths) -> Result<Case, FrontendError> {
        let kernel = top_k::top_k::build(block, k as i32)?;
        let case = Case::new(format!("top_{k}_{block}_{warps}"), kernel, move |random| {
            let launch = |&n: &usize| {
                // Few different numbers, so that there are ties.
                let numbers = (0..ROWS * n).map(|_| Const::f32(random.below(n) as f32 / 4.0 - 2.0));
                let numbers: Vec<Const> = numbers.collect();
                let x = Data::of(random, Scalar::F32, numbers);
                let [values, places] =
                    [Scalar::F32, Scalar::I32].map(|scalar| Data::random(random, scalar, ROWS * k, Domain::Any, 0));
                let best = (0..ROWS).flat_map(|row| {
                    let mut places: Vec<usize> = (0..n).collect();
                    // A stable sort: of equal ones the first comes first.
                    places.sort_by(|&a, &b| order(x.get(row * n + b), x.get(row * n + a)));
                    places.into_iter().take(k).map(move |at| (row, at)).collect::<Vec<_>>()
                });
                let best: Vec<(usize, usize)> = best.collect();
                let of_places = best.iter().map(|&(_, at)| Const::i32(at as i32)).collect();
                let of_values = best.iter().map(|&(row, at)| x.get(row * n + at)).collect();
                let args = [x, values, places]
                    .map(Arg::from)
                    .into_iter()
                    .chain([Arg::from(n as i32)]);
                Launch::new(format!("{ROWS}x{n}"), [ROWS as u32, 1, 1], args)
                    .exact(1, of_values)
                    .exact(2, of_places)
            };
            widths.iter().map(launch).collect()
        });
        Ok(case.warps(warps))
    }
    let mut longest = sorted::<f16>(8192, 16, &[4097])?;
    let mut largest_of_most = largest(8192, 8, 16, &[4097])?;
    longest.long = true;
    largest_of_most.long = true;
    Ok(vec![
        longest,
        largest_of_most,
        sorted::<f32>(32, 1, &[1, 3, 17])?,
        sorted::<f16>(127, 2, &[127])?,
        sorted::<f64>(1024, 4, &[513])?,
        largest(32, 1, 1, &[1, 3, 17])?,
        largest(127, 5, 4, &[17, 127])?,
        largest(1024, 8, 4, &[513])?,
    ])
}
