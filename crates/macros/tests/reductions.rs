//! Reductions, scans and movement of elements in kernels, compared with plain Rust.

#![allow(non_snake_case)]

#[path = "support/facade.rs"]
mod facade;

use facade::Device;
use mytriton_frontend::{bf16, f16};
use mytriton_macros::kernel;

const EXTENTS: [usize; 5] = [1, 3, 17, 127, 513];

/// Whole numbers in no order, both signs, some equal.
fn numbers(count: usize) -> Vec<i32> {
    (0..count as i32).map(|i| (i * 37 + 11) % 101 - 50).collect()
}

/// Every reduction of an `M` by `N` tile along each axis and over all, of `i32`.
#[kernel(crate = crate::facade)]
fn reductions_of_i32(
    x: Ptr<i32>,
    rows: Ptr<i32>,
    cols: Ptr<i32>,
    whole: Ptr<i32>,
    #[constexpr] M: i32,
    #[constexpr] N: i32,
) {
    let (r, c) = (range(0, M), range(0, N));
    let v = load(x + r.at(.., None) * N + c);
    let along = (
        sum(v, 1),
        max(v, 1),
        min(v, -1),
        argmax(v, 1),
        argmin(v, 1),
        xor_sum(v, 1),
        reduce_or(v, 1),
        reduce_and(v, 1),
    );
    store(rows + r, along.0);
    store(rows + M + r, along.1);
    store(rows + 2 * M + r, along.2);
    store(rows + 3 * M + r, along.3);
    store(rows + 4 * M + r, along.4);
    store(rows + 5 * M + r, along.5);
    store(rows + 6 * M + r, along.6);
    store(rows + 7 * M + r, along.7);
    store(cols + c, sum(v, 0));
    store(cols + N + c, max(v, 0));
    store(cols + 2 * N + c, argmin(v, 0));
    store(cols + 3 * N + c, any(v, 0) as i32);
    store(cols + 4 * N + c, all(v, 0) as i32);
    store(whole, sum(v));
    store(whole + 1, argmax(v));
    store(whole + 2, max(v));
    store(whole + 3, any(v == 50) as i32);
    store(whole + 4, all(v > -51) as i32);
    let (low, at) = min_with_index(v);
    store(whole + 5, low);
    store(whole + 6, at);
}

#[test]
fn integers_along_each_axis() {
    for m in [1, 3, 4] {
        for n in EXTENTS {
            let x = numbers(m * n);
            let device = Device::new();
            let input = device.buffer(&x);
            let (rows, cols) = (device.buffer(&vec![0i32; 8 * m]), device.buffer(&vec![0i32; 5 * n]));
            let whole = device.buffer(&[0i32; 7]);
            reductions_of_i32::launch(&device, 1, &input, &rows, &cols, &whole, m as i32, n as i32).unwrap();
            let lines: Vec<Vec<i32>> = x.chunks(n).map(<[i32]>::to_vec).collect();
            let columns: Vec<Vec<i32>> = (0..n).map(|c| lines.iter().map(|l| l[c]).collect()).collect();
            let of = |lines: &[Vec<i32>], f: &dyn Fn(&[i32]) -> i32| lines.iter().map(|l| f(l)).collect::<Vec<_>>();
            let (max, min) = (
                |l: &[i32]| *l.iter().max().unwrap(),
                |l: &[i32]| *l.iter().min().unwrap(),
            );
            let first = |l: &[i32], v: i32| l.iter().position(|&x| x == v).unwrap() as i32;
            let expected = [
                of(&lines, &|l| l.iter().sum()),
                of(&lines, &max),
                of(&lines, &min),
                of(&lines, &|l| first(l, max(l))),
                of(&lines, &|l| first(l, min(l))),
                of(&lines, &|l| l.iter().fold(0, |a, b| a ^ b)),
                of(&lines, &|l| l.iter().fold(0, |a, b| a | b)),
                of(&lines, &|l| l.iter().fold(-1, |a, b| a & b)),
            ];
            assert_eq!(device.read_i32(&rows), expected.concat(), "{m}x{n}");
            let expected = [
                of(&columns, &|l| l.iter().sum()),
                of(&columns, &max),
                of(&columns, &|l| first(l, min(l))),
                of(&columns, &|l| i32::from(l.iter().any(|&x| x != 0))),
                of(&columns, &|l| i32::from(l.iter().all(|&x| x != 0))),
            ];
            assert_eq!(device.read_i32(&cols), expected.concat(), "{m}x{n}");
            let (low, high) = (min(&x), max(&x));
            let sum: i32 = x.iter().sum();
            let has = i32::from(x.contains(&50));
            assert_eq!(
                device.read_i32(&whole),
                [sum, first(&x, high), high, has, 1, low, first(&x, low)],
                "{m}x{n}"
            );
        }
    }
}

/// Scans along an axis of a tile with two columns: forward, in reverse, by closures.
#[kernel(crate = crate::facade)]
fn scans(x: Ptr<i64>, out: Ptr<i64>, #[constexpr] N: i32) {
    let at = range(0, N).at(.., None) * 2 + range(0, 2);
    let v = load(x + at);
    store(out + at, cumsum(v, 0));
    store(out + 2 * N + at, cumsum_reverse(v, 0));
    store(out + 4 * N + at, cumprod(v, 0));
    store(out + 6 * N + at, cumprod_reverse(v, 0));
    store(out + 8 * N + at, associative_scan(v, 0, |a, b| maximum(a, b)));
    // What stands last in a run: the right side. Not commutative.
    store(out + 10 * N + at, associative_scan_reverse(v, 0, |_, b| b));
    // A linear recurrence: y' = a y + b, as pairs.
    let (_, y) = associative_scan((full([N, 2], 3, i64), v), 0, |(a, b), (c, d)| (a * c, b * c + d));
    store(out + 12 * N + at, y);
}

#[test]
fn scans_of_every_extent() {
    for n in EXTENTS {
        let x: Vec<i64> = numbers(2 * n).into_iter().map(i64::from).collect();
        let device = Device::new();
        let input = device.buffer(&x);
        let out = device.buffer(&vec![0i64; 14 * n]);
        scans::launch(&device, 1, &input, &out, n as i32).unwrap();
        let scanned = |reverse: bool, f: &dyn Fn(i64, i64) -> i64| {
            let mut y = x.clone();
            for step in 1..n {
                let (from, to) = if reverse {
                    (n - step, n - step - 1)
                } else {
                    (step - 1, step)
                };
                for c in 0..2 {
                    y[2 * to + c] = f(y[2 * from + c], x[2 * to + c]);
                }
            }
            y
        };
        let expected = [
            scanned(false, &i64::wrapping_add),
            scanned(true, &i64::wrapping_add),
            scanned(false, &i64::wrapping_mul),
            scanned(true, &i64::wrapping_mul),
            scanned(false, &|a, b| a.max(b)),
            scanned(true, &|_, b| b),
            scanned(false, &|y, b| y.wrapping_mul(3).wrapping_add(b)),
        ];
        let found: Vec<i64> = device.read(&out).into_iter().map(|bits| bits as i64).collect();
        assert_eq!(found, expected.concat(), "{n}");
    }
}

/// Floats: NaNs count for nothing in `max` and `argmax`, zeros have an order in `max` and are equal in `argmax`.
#[kernel(crate = crate::facade)]
fn extrema_of_floats(x: Ptr<f32>, values: Ptr<f32>, indices: Ptr<i32>, #[constexpr] N: i32) {
    let v = load(x + range(0, N));
    let (top, at) = max_with_index(v, 0);
    let (low, below) = min_with_index(v, 0);
    store(values, max(v, 0));
    store(values + 1, min(v, 0));
    store(values + 2, top);
    store(values + 3, low);
    store(indices, at);
    store(indices + 1, below);
    store(indices + 2, argmax(v));
    store(indices + 3, argmin(v));
}

#[test]
fn nan_never_wins() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    type Case<'a> = (&'a [f32], [f32; 4], [i32; 2]);
    let cases: [Case; 6] = [
        (&[nan, 2.0, nan, 5.0, 1.0, 5.0], [5.0, 1.0, 5.0, 1.0], [3, 4]),
        (&[nan, -inf, nan], [-inf, -inf, -inf, -inf], [1, 1]),
        (&[inf, nan], [inf, inf, inf, inf], [0, 0]),
        (&[nan, nan, nan], [nan, nan, nan, nan], [0, 0]),
        (&[-0.0, 0.0, -0.0], [0.0, -0.0, -0.0, -0.0], [0, 0]),
        (&[7.0], [7.0; 4], [0, 0]),
    ];
    for (x, values, [at, below]) in cases {
        let device = Device::new();
        let (input, found, indices) = (device.buffer(x), device.buffer(&[0f32; 4]), device.buffer(&[9i32; 4]));
        extrema_of_floats::launch(&device, 1, &input, &found, &indices, x.len() as i32).unwrap();
        for (found, expected) in device.read_f32(&found).into_iter().zip(values) {
            assert!(
                found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan()),
                "{x:?}"
            );
        }
        assert_eq!(device.read_i32(&indices), [at, below, at, below], "{x:?}");
    }
}

#[kernel(crate = crate::facade)]
fn sum_of<T, U>(x: Ptr<T>, out: Ptr<U>, n: i32, #[constexpr] N: i32) {
    let i = range(0, N);
    let v = load(x + i).mask(i < n).other(0);
    store(out, sum(v, 0));
    store(out + 1, max(v, 0));
}

/// Sum and largest element in the types that the language gives them, stored as `f64` or `i64`.
#[test]
fn small_types_are_widened() {
    let device = Device::new();
    let run_int = |sum: u64, max: u64| (sum as i64, max as i64);
    let (bytes, wide) = (device.buffer(&[200u8; 127]), device.buffer(&[0i64; 2]));
    sum_of::launch(&device, 1, &bytes, &wide, 127, 128).unwrap();
    assert_eq!(device.read(&wide)[..], [127 * 200, 200]);
    let (bytes, wide) = (device.buffer(&[-100i8; 513]), device.buffer(&[0i64; 2]));
    sum_of::launch(&device, 1, &bytes, &wide, 513, 513).unwrap();
    assert_eq!(run_int(device.read(&wide)[0], device.read(&wide)[1]), (-51300, -100));
    let (truths, wide) = (device.buffer(&[true; 17]), device.buffer(&[0i64; 2]));
    sum_of::launch(&device, 1, &truths, &wide, 17, 17).unwrap();
    assert_eq!(device.read(&wide)[..], [17, 1]);
    // 512 ones in bf16, whose integers end at 256, and 4096 in f16, whose end at 2048.
    let (ones, sums) = (device.buffer(&[bf16::ONE; 512]), device.buffer(&[0f64; 2]));
    sum_of::launch(&device, 1, &ones, &sums, 512, 512).unwrap();
    assert_eq!(device.read(&sums)[..], [512f64.to_bits(), 1f64.to_bits()]);
    let (ones, sums) = (device.buffer(&[f16::ONE; 4096]), device.buffer(&[0f64; 2]));
    sum_of::launch(&device, 1, &ones, &sums, 4096, 4096).unwrap();
    assert_eq!(device.read(&sums)[..], [4096f64.to_bits(), 1f64.to_bits()]);
}

#[kernel(crate = crate::facade)]
fn movement(x: Ptr<i32>, out: Ptr<i32>, #[constexpr] A: i32, #[constexpr] B: i32, #[constexpr] C: i32) {
    let flat = range(0, A * B * C);
    let v = load(x + flat).reshape([A, B, C]);
    store(out + flat, reshape(permute(v, [2, 0, 1]), A * B * C));
    store(out + A * B * C + flat, trans(v).reshape([A * B * C]));
    store(out + 2 * A * B * C + flat, v.permute([-1, 1, 0]).reshape((A * B * C,)));
}

#[test]
fn dimensions_change_places() {
    for (a, b, c) in [(1, 1, 1), (2, 3, 5), (4, 1, 17)] {
        let x: Vec<i32> = (0..(a * b * c) as i32).collect();
        let device = Device::new();
        let (input, out) = (device.buffer(&x), device.buffer(&vec![0i32; 3 * x.len()]));
        movement::launch(&device, 1, &input, &out, a as i32, b as i32, c as i32).unwrap();
        let at = |i: usize, j: usize, k: usize| x[(i * b + j) * c + k];
        let mut expected = Vec::new();
        for k in 0..c {
            for i in 0..a {
                expected.extend((0..b).map(|j| at(i, j, k)));
            }
        }
        for i in 0..a {
            for k in 0..c {
                expected.extend((0..b).map(|j| at(i, j, k)));
            }
        }
        for k in 0..c {
            for j in 0..b {
                expected.extend((0..a).map(|i| at(i, j, k)));
            }
        }
        assert_eq!(device.read_i32(&out), expected);
    }
}

/// A combiner by name, and one with variables of its own, a compile-time constant and a branch decided at compile time.
#[kernel(device, crate = crate::facade)]
fn larger_size(a: Tile, b: Tile) -> Tile {
    maximum(abs(a), abs(b))
}

/// Of two tiles, the elements one by one.
#[kernel(device, crate = crate::facade)]
fn totals(a: Tile, n: Tile, b: Tile, m: Tile) -> (Tile, Tile) {
    (a + b, n + m)
}

#[kernel(crate = crate::facade)]
fn closures(x: Ptr<i32>, out: Ptr<i32>, #[constexpr] N: i32, #[constexpr] MOD: i32) {
    let v = load(x + range(0, N));
    store(out, reduce(v, 0, larger_size));
    store(
        out + 1,
        reduce(v & 0xFF, |a, b| {
            let mut total = a + b;
            if MOD > 1 {
                total = total % MOD;
            }
            total
        }),
    );
    // Mean and count of the negative ones, together.
    let (total, count) = reduce((where_(v < 0, v, 0), (v < 0) as i32), 0, |(a, n), (b, m)| {
        (a + b, n + m)
    });
    store(out + 2, total);
    store(out + 3, count);
    let (total, count) = reduce((where_(v < 0, v, 0), (v < 0) as i32), 0, totals);
    store(out + 4, total);
    store(out + 5, count);
}

#[test]
fn combines_of_the_user() {
    let x = numbers(127);
    let device = Device::new();
    let (input, out) = (device.buffer(&x), device.buffer(&[0i32; 6]));
    closures::launch(&device, 1, &input, &out, 127, 7).unwrap();
    let negative = x.iter().filter(|&&v| v < 0);
    let largest = x.iter().map(|v| v.abs()).max().unwrap();
    let modulo = x.iter().map(|v| v & 0xFF).reduce(|a, b| (a + b) % 7).unwrap();
    let (total, count) = (negative.clone().sum(), negative.count() as i32);
    let expected = [largest, modulo, total, count, total, count];
    assert_eq!(device.read_i32(&out), expected);
}

/// Softmax of rows, several rows for each program; a row of masked elements alone gives zeros.
#[kernel(crate = crate::facade)]
fn softmax(x: Ptr<f32>, lengths: Ptr<i32>, y: Ptr<f32>, m: i32, n: i32, #[constexpr] M: i32, #[constexpr] N: i32) {
    let rows = program_id(0) * M + range(0, M);
    let cols = range(0, N);
    let (r, c) = (rows.at(.., None), cols.at(None, ..));
    let inside = r < m && c < n;
    let length = load(lengths + rows).mask(rows < m).other(0);
    let valid = inside && c < length.at(.., None);
    let v = load(x + r * n + c).mask(valid).other(f32::NEG_INFINITY);
    let top = max(v, 1).at(.., None);
    // Of a row without elements the largest is -infinity, and infinity less infinity NaN.
    let e = exp(v - where_(top == f32::NEG_INFINITY, 0.0, top));
    let total = sum(e, 1).at(.., None);
    store(y + r * n + c, e / where_(total == 0.0, 1.0, total)).mask(inside);
}

/// The same of one row for each program, whole rows.
#[kernel(crate = crate::facade)]
fn softmax_row(x: Ptr<f32>, y: Ptr<f32>, n: i32, #[constexpr] N: i32) {
    let cols = range(0, N);
    let at = program_id(0) * n + cols;
    let v = load(x + at).mask(cols < n).other(f32::NEG_INFINITY);
    let e = exp(v - max(v));
    store(y + at, e / sum(e)).mask(cols < n);
}

/// Within 1e-6 of the same in `f64`, relative to the largest possible value, 1: `exp` is within 2^-22 + |x| 2^-23
/// relative, |x| at most 13 here, and the sum of 513 terms is within 513 roundings.
fn check_softmax(x: &[f32], lengths: &[usize], n: usize, found: &[f32]) {
    for ((row, &length), found) in x.chunks(n).zip(lengths).zip(found.chunks(n)) {
        let row: Vec<f64> = row[..length].iter().map(|&v| v.into()).collect();
        let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = row.iter().map(|v| (v - top).exp()).sum();
        for (i, &got) in found.iter().enumerate() {
            let expected = row.get(i).map_or(0.0, |v| (v - top).exp() / total);
            assert!((expected - f64::from(got)).abs() < 1e-6, "{got} is not {expected}");
        }
    }
}

#[test]
fn softmax_of_rows() {
    for n in EXTENTS {
        let m = 5;
        let x: Vec<f32> = numbers(m * n).into_iter().map(|v| v as f32 / 8.0).collect();
        let lengths = [n, n.div_ceil(2), 0, 1, n];
        let device = Device::new();
        let (input, out) = (device.buffer(&x), device.buffer(&vec![-1.0f32; m * n]));
        let limits: Vec<i32> = lengths.iter().map(|&l| l as i32).collect();
        let limits = device.buffer(&limits);
        let block = n.next_power_of_two() as i32;
        softmax::launch(&device, 2, &input, &limits, &out, m as i32, n as i32, 3, block).unwrap();
        check_softmax(&x, &lengths, n, &device.read_f32(&out));
        softmax_row::launch(&device, m as u32, &input, &out, n as i32, n as i32 + 2).unwrap();
        check_softmax(&x, &[n; 5], n, &device.read_f32(&out));
    }
}

#[kernel(crate = crate::facade)]
fn layer_norm(x: Ptr<f32>, scale: Ptr<f32>, shift: Ptr<f32>, y: Ptr<f32>, n: i32, eps: f32, #[constexpr] N: i32) {
    let cols = range(0, N);
    let mask = cols < n;
    let at = program_id(0) * n + cols;
    let v = load(x + at).mask(mask).other(0);
    let mean = sum(v, 0) / n;
    let centred = where_(mask, v - mean, 0.0);
    let variance = sum(centred * centred, 0) / n;
    let normal = centred * rsqrt(variance + eps);
    let (w, b) = (load(scale + cols).mask(mask), load(shift + cols).mask(mask));
    store(y + at, normal * w + b).mask(mask);
}

/// Within 2e-5 absolute: values are below 10, sums have 513 terms.
#[test]
fn layer_norm_forward() {
    for n in [3, 17, 127, 513] {
        let x: Vec<f32> = numbers(3 * n).into_iter().map(|v| v as f32 / 16.0).collect();
        let (w, b): (Vec<f32>, Vec<f32>) = (0..n).map(|i| (1.0 + i as f32 / 512.0, i as f32 / 64.0 - 1.0)).unzip();
        let device = Device::new();
        let (input, out) = (device.buffer(&x), device.buffer(&vec![0f32; 3 * n]));
        let (scale, shift) = (device.buffer(&w), device.buffer(&b));
        let block = n.next_power_of_two() as i32;
        layer_norm::launch(&device, 3, &input, &scale, &shift, &out, n as i32, 1e-5, block).unwrap();
        for (row, found) in x.chunks(n).zip(device.read_f32(&out).chunks(n)) {
            let row: Vec<f64> = row.iter().map(|&v| v.into()).collect();
            let mean = row.iter().sum::<f64>() / n as f64;
            let variance = row.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64;
            for (i, &got) in found.iter().enumerate() {
                let expected = (row[i] - mean) / (variance + 1e-5).sqrt() * f64::from(w[i]) + f64::from(b[i]);
                assert!((expected - f64::from(got)).abs() < 2e-5, "{got} is not {expected}");
            }
        }
    }
}
