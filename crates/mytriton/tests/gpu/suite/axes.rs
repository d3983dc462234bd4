//! Reductions and scans of tiles in registers: of rank 1 to 4, along every axis, of extents that are padded and of such
//! that are not. Results of the host, element by element, are what the interpreter is held to.

use mytriton::DType;
use mytriton::frontend::{Expr, FrontendError, KernelBuilder};
use mytriton_ssa::{BinaryOp, Const, Kernel, Scalar, eval_binary};

use crate::case::{Arg, Case, Data, Launch, LocalMemory};
use crate::compare::Rule;
use crate::suite::Group;
use crate::suite::rows::near;
use crate::values::{Domain, Random};

type Cases = Result<Vec<Case>, FrontendError>;

/// The groups about axes.
pub fn groups() -> Vec<Group> {
    vec![
        Group::cases("axes-reduce", || cases(reduced)),
        Group::cases("axes-scan", || cases(scanned)),
    ]
}

/// A type, a shape, one of its axes, and warps.
struct Along {
    dtype: DType,
    shape: &'static [usize],
    axis: usize,
    warps: u32,
}

impl Along {
    /// Places of elements along the axis, for each place of the others.
    fn lines(&self) -> Vec<Vec<usize>> {
        let extent = self.shape[self.axis];
        let inner: usize = self.shape[self.axis + 1..].iter().product();
        let outer: usize = self.shape[..self.axis].iter().product();
        let line = |line: usize| (0..extent).map(move |i| (line / inner * extent + i) * inner + line % inner);
        (0..outer * inner).map(|i| line(i).collect()).collect()
    }

    fn count(&self) -> usize {
        self.shape.iter().product()
    }

    fn kept(&self) -> Vec<usize> {
        let others = self.shape.iter().enumerate().filter(|(axis, _)| *axis != self.axis);
        others.map(|(_, &extent)| extent).collect()
    }

    fn name(&self) -> String {
        let extents: Vec<String> = self.shape.iter().map(ToString::to_string).collect();
        format!(
            "{}_{}_along_{}_{}",
            self.dtype,
            extents.join("x"),
            self.axis,
            self.warps
        )
    }

    /// Numbers of ordinary size.
    fn moderate(&self, random: &mut Random) -> Data {
        Data::random(random, self.dtype.scalar(), self.count(), Domain::Moderate, 0)
    }

    /// Few different numbers, so that most stand there several times, the extreme ones among them; floats are NaN,
    /// infinities and zeros of both signs too.
    fn ties(&self, random: &mut Random) -> Data {
        let scalar = self.dtype.scalar();
        let values: Vec<Const> = match scalar.is_int() {
            true => {
                let least = -(1i128 << (scalar.bits() - 1));
                let ints = [least, -least - 1, 0, 0, -1, 1, 5].into_iter();
                ints.map(|v| Const::from_int(scalar, v)).collect()
            }
            false => {
                let floats = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 2.5, -1.0, 2.5];
                floats.into_iter().map(|v| Const::from_f64(scalar, v)).collect()
            }
        };
        // Of some lines all are alike.
        let few = 1 + random.below(values.len());
        let picked: Vec<Const> = (0..self.count()).map(|_| values[random.below(few)]).collect();
        Data::of(random, scalar, picked)
    }
}

/// A result of a kernel: its name, and what it should be.
struct Wanted {
    name: &'static str,
    expected: Vec<Const>,
    rule: Rule,
}

/// A kernel of two tiles, and from their elements what it should store, in the order of its outputs.
type Made = (Kernel, fn(&Along, [&Data; 2]) -> Vec<Wanted>);

fn cases(make: fn(&Along) -> Result<Made, FrontendError>) -> Cases {
    use DType::*;
    let along = |dtype, shape, axis, warps| Along {
        dtype,
        shape,
        axis,
        warps,
    };
    let all = [
        along(F32, &[1], 0, 4),
        along(I32, &[3], 0, 1),
        along(F16, &[17], 0, 2),
        along(I64, &[127], 0, 4),
        along(F32, &[513], 0, 8),
        along(BF16, &[1024], 0, 2),
        along(F32, &[4097], 0, 16),
        along(F32, &[17, 127], 0, 8),
        along(BF16, &[17, 127], 1, 16),
        along(I8, &[3, 65], 0, 1),
        along(I16, &[33, 3], 1, 2),
        along(F64, &[16, 32], 0, 4),
        along(I32, &[3, 5, 7], 0, 4),
        along(F32, &[3, 5, 7], 1, 2),
        along(I64, &[3, 5, 7], 2, 4),
        along(F16, &[4, 17, 8], 1, 4),
        along(F32, &[2, 3, 5, 4], 0, 4),
        along(I32, &[2, 3, 5, 4], 1, 1),
        along(BF16, &[2, 3, 5, 4], 2, 4),
        along(I16, &[4, 3, 2, 9], 3, 2),
    ];
    let of = |along: Along| {
        let (kernel, wanted) = make(&along)?;
        let (name, warps, elements) = (along.name(), along.warps, along.count());
        let case = Case::new(name, kernel, move |random| {
            let launch = |_| {
                let (x, ties) = (along.moderate(random), along.ties(random));
                let wanted = wanted(&along, [&x, &ties]);
                let outputs = wanted.iter().map(|wanted| {
                    let scalar = wanted.expected[0].scalar();
                    Data::random(random, scalar, wanted.expected.len(), Domain::Any, 0)
                });
                let outputs: Vec<Data> = outputs.collect();
                let args = [x, ties].into_iter().chain(outputs).map(Arg::from);
                let launch = Launch::new("all", [1, 1, 1], args.collect::<Vec<_>>());
                let add = |launch: Launch, (i, wanted): (usize, Wanted)| {
                    launch.output(
                        2 + i,
                        wanted.name,
                        0..wanted.expected.len(),
                        wanted.rule,
                        wanted.expected,
                    )
                };
                wanted.into_iter().enumerate().fold(launch, add)
            };
            (0..2).map(launch).collect()
        });
        let mut case = case.warps(warps);
        // So many results at once need more registers than there are.
        if elements > 4096 {
            case.local_memory = LocalMemory::Spills;
            case.long = true;
        }
        Ok(case)
    };
    all.into_iter().map(of).collect()
}

/// A kernel in the making, and the two tiles that it loads.
struct Tiles<'k> {
    k: &'k KernelBuilder,
    axis: i32,
    x: Expr<'k>,
    ties: Expr<'k>,
    /// Places of a result with the axis, and without.
    places: [Expr<'k>; 2],
}

impl<'k> Tiles<'k> {
    fn load(k: &'k KernelBuilder, along: &Along) -> Self {
        let place = |shape: &[usize]| {
            let mut sum = k.expr(0);
            let mut stride = 1;
            for (axis, &extent) in shape.iter().enumerate().rev() {
                let mut at = k.range(0, extent as i32) * stride;
                for other in (0..shape.len()).filter(|&other| other != axis) {
                    at = at.expand_dims(other as i32);
                }
                sum = sum + at;
                stride *= extent as i32;
            }
            sum
        };
        let places = [place(along.shape), place(&along.kept())];
        let [x, ties] = ["x", "ties"].map(|name| k.load(k.ptr(name, along.dtype) + places[0]).get());
        let axis = along.axis as i32;
        Tiles {
            k,
            axis,
            x,
            ties,
            places,
        }
    }

    /// Stores a result, in which the axis is or is not, in a buffer of its own.
    fn store(&self, name: &str, value: Expr<'k>, with_axis: bool) {
        let dtype = value.ty().and_then(|ty| ty.dtype()).unwrap_or(DType::I32);
        let [with, without] = self.places;
        let place = if with_axis { with } else { without };
        self.k.store(self.k.ptr(name, dtype) + place, value).done();
    }
}

/// Every reduction that the type has.
fn reduced(along: &Along) -> Result<Made, FrontendError> {
    let k = KernelBuilder::new(format!("reduce_{}", along.name()));
    let tiles = Tiles::load(&k, along);
    let (x, ties, axis) = (tiles.x, tiles.ties, tiles.axis);
    tiles.store("sum", k.sum(x, axis), false);
    let max = k.max(ties, axis);
    tiles.store("max", max, false);
    tiles.store("min", k.min(ties, axis), false);
    tiles.store("argmax", k.argmax(ties, axis), false);
    tiles.store("argmin", k.argmin(ties, axis), false);
    tiles.store("any", k.any(ties, axis), false);
    // What keeps the axis with extent 1 broadcasts back.
    tiles.store("below_max", ties.maximum(max.expand_dims(axis)), true);
    // By a combiner of its own: the last of those that are nearest to zero.
    let index = k.range(0, along.shape[along.axis] as i32);
    let index = (along.axis + 1..along.shape.len()).fold(index, |index, _| index.expand_dims(1));
    let (_, last) = k.reduce((x.abs(), index), axis, |(a, i), (b, j)| {
        let take = b.lt(a) | (b.eq(a) & j.gt(i));
        (k.select(take, b, a), k.select(take, j, i))
    });
    tiles.store("nearest", last, false);
    if along.dtype.is_int() {
        tiles.store("xor", k.xor_sum(ties, axis), false);
        tiles.store("or", k.reduce_or(x, axis), false);
        tiles.store("and", k.reduce_and(x, axis), false);
    }
    Ok((k.finish()?, reductions_wanted))
}

fn reductions_wanted(along: &Along, [x, ties]: [&Data; 2]) -> Vec<Wanted> {
    let scalar = along.dtype.scalar();
    let lines = along.lines();
    let of_lines = |f: &dyn Fn(&[usize]) -> Const| lines.iter().map(|line| f(line)).collect::<Vec<_>>();
    let exact = |name, expected| Wanted {
        name,
        expected,
        rule: Rule::EXACT,
    };
    let wide = widened(scalar);
    let extreme = |op| move |line: &[usize]| folded(op, line.iter().map(|&at| cast(ties.get(at), wide)));
    let place_of = |op, line: &[usize]| {
        let numbers = || line.iter().map(|&at| number(ties.get(at)));
        let best = number(extreme(op)(line));
        // Of NaN alone the first; zeros of both signs are equal.
        Const::i32(numbers().position(|v| v == best).unwrap_or(0) as i32)
    };
    let (max, min) = match scalar.is_int() {
        true => (BinaryOp::MaxS, BinaryOp::MinS),
        false => (BinaryOp::Max, BinaryOp::Min),
    };
    let mut below = vec![Const::zero(wide); along.count()];
    for line in &lines {
        line.iter().for_each(|&at| below[at] = extreme(max)(line));
    }
    let nearest = |line: &[usize]| {
        let size = |at: usize| number(x.get(at)).abs();
        let least = line.iter().map(|&at| size(at)).fold(f64::INFINITY, f64::min);
        Const::i32(line.iter().rposition(|&at| size(at) == least).unwrap_or(0) as i32)
    };
    let mut all = vec![
        sums("sum", x, &lines, sum_type(scalar)),
        exact("max", of_lines(&extreme(max))),
        exact("min", of_lines(&extreme(min))),
        exact("argmax", of_lines(&|line| place_of(max, line))),
        exact("argmin", of_lines(&|line| place_of(min, line))),
        exact(
            "any",
            of_lines(&|line| Const::bool(line.iter().any(|&at| number(ties.get(at)) != 0.0))),
        ),
        exact("below_max", below),
        exact("nearest", of_lines(&nearest)),
    ];
    if scalar.is_int() {
        let bits = |op, data: &Data| of_lines(&|line| folded(op, line.iter().map(|&at| data.get(at))));
        all.push(exact("xor", bits(BinaryOp::Xor, ties)));
        all.push(exact("or", bits(BinaryOp::Or, x)));
        all.push(exact("and", bits(BinaryOp::And, x)));
    }
    all
}

/// Running sums and maxima, and one by a combiner that does not commute, from both ends.
fn scanned(along: &Along) -> Result<Made, FrontendError> {
    let k = KernelBuilder::new(format!("scan_{}", along.name()));
    let tiles = Tiles::load(&k, along);
    let (x, ties, axis) = (tiles.x, tiles.ties, tiles.axis);
    tiles.store("sum", k.cumsum(x, axis), true);
    tiles.store("sum_from_the_end", k.cumsum_reverse(x, axis), true);
    tiles.store("max", k.associative_scan(ties, axis, |a, b| a.maximum(b)), true);
    let last = k.associative_scan(ties, axis, |a, b| k.select(b.ne(0), b, a));
    tiles.store("last", last, true);
    let next = k.associative_scan_reverse(ties, axis, |a, b| k.select(b.ne(0), b, a));
    tiles.store("next", next, true);
    Ok((k.finish()?, scans_wanted))
}

fn scans_wanted(along: &Along, [x, ties]: [&Data; 2]) -> Vec<Wanted> {
    let scalar = along.dtype.scalar();
    let lines = along.lines();
    let reversed: Vec<Vec<usize>> = lines.iter().map(|line| line.iter().rev().copied().collect()).collect();
    // Each element by those before it and itself.
    let prefixes = |lines: &[Vec<usize>]| {
        let mut prefixes = vec![Vec::new(); along.count()];
        for line in lines {
            (0..line.len()).for_each(|i| prefixes[line[i]] = line[..=i].to_vec());
        }
        prefixes
    };
    let (before, after) = (prefixes(&lines), prefixes(&reversed));
    let running = if scalar == Scalar::BF16 {
        Scalar::F32
    } else {
        sum_type(scalar)
    };
    let exact = |name, lines: &[Vec<usize>], f: &dyn Fn(&[usize]) -> Const| Wanted {
        name,
        expected: lines.iter().map(|line| f(line)).collect(),
        rule: Rule::EXACT,
    };
    let max = if scalar.is_int() { BinaryOp::MaxS } else { BinaryOp::Max };
    // What is not zero and nearest to the end; else the first zero.
    let last = |line: &[usize]| {
        let found = line.iter().rfind(|&&at| number(ties.get(at)) != 0.0);
        ties.get(*found.unwrap_or(&line[0]))
    };
    vec![
        sums("sum", x, &before, running),
        sums("sum_from_the_end", x, &after, running),
        exact("max", &before, &|line| folded(max, line.iter().map(|&at| ties.get(at)))),
        exact("last", &before, &last),
        exact("next", &after, &last),
    ]
}

/// The sums of the elements at some places each.
fn sums(name: &'static str, x: &Data, lines: &[Vec<usize>], result: Scalar) -> Wanted {
    let sum = |line: &Vec<usize>| match result.is_int() {
        true => {
            let sum = line
                .iter()
                .map(|&at| i128::from(x.get(at).as_signed().unwrap_or(0)))
                .sum();
            Const::from_int(result, sum)
        }
        false => Const::from_f64(result, line.iter().map(|&at| number(x.get(at))).sum()),
    };
    let most = lines.iter().map(Vec::len).max().unwrap_or(0);
    Wanted {
        name,
        expected: lines.iter().map(sum).collect(),
        rule: match result.is_int() {
            true => Rule::EXACT,
            false => near(result, most, 32.0 * most as f64),
        },
    }
}

fn number(value: Const) -> f64 {
    let float = value.as_f64();
    float.unwrap_or_else(|| value.as_signed().map_or(f64::NAN, |v| v as f64))
}

fn folded(op: BinaryOp, mut values: impl Iterator<Item = Const>) -> Const {
    let first = values.next().unwrap_or(Const::i32(0));
    values.fold(first, |a, b| eval_binary(op, a, b).unwrap_or(a))
}

fn cast(value: Const, to: Scalar) -> Const {
    match value.as_signed() {
        Some(int) => Const::from_int(to, int.into()),
        None => Const::from_f64(to, number(value)),
    }
}

/// What extremes are computed in.
fn widened(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::I8 | Scalar::I16 => Scalar::I32,
        Scalar::F16 | Scalar::BF16 => Scalar::F32,
        _ => scalar,
    }
}

fn sum_type(scalar: Scalar) -> Scalar {
    match scalar.is_int() {
        true => widened(scalar),
        false => scalar,
    }
}
