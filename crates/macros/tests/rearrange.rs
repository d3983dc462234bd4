//! Elements joined, split, chosen, counted and sorted in kernels, compared with plain Rust.

#![allow(non_snake_case)]

#[path = "support/facade.rs"]
#[allow(dead_code)]
mod facade;

use facade::Device;
use mytriton_frontend::{Element, bf16, f16};
use mytriton_macros::kernel;

/// Numbers in no order, both signs, some equal.
fn numbers(count: usize) -> Vec<i32> {
    (0..count as i32).map(|i| (i * 37 + 11) % 101 - 50).collect()
}

#[kernel(crate = crate::facade)]
fn moves(x: Ptr<i32>, y: Ptr<i32>, out: Ptr<i32>, counts: Ptr<i32>, #[constexpr] N: i32) {
    let i = range(0, N);
    let twice = range(0, 2 * N);
    let (a, b) = (load(x + i), load(y + i));
    let pairs = join(a, b);
    store(out + i.at(.., None) * 2 + range(0, 2), pairs);
    let (c, d) = split(pairs);
    store(out + 2 * N + i, c - d);
    store(out + 3 * N + twice, interleave(a, b));
    store(out + 5 * N + twice, a.cat(b));
    store(out + 7 * N + i, flip(a, 0));
    store(out + 8 * N + twice, pairs.ravel().flip(-1));
    store(out + 10 * N + i, gather(a, i * 5 % N, 0));
    store(out + 11 * N + i.at(.., None) * 2 + range(0, 2), flip(pairs, 1));
    store(
        out + 13 * N + twice,
        gather(pairs, zeros_like(a).at(.., None) as i8, 1)
            .broadcast_to([N, 2])
            .ravel(),
    );
    store(out + 15 * N + range(0, N + 3), cat(a, range(7, 10)));
    store(counts + range(0, 5), histogram(a & 7, 5));
    store(counts + 5 + range(0, 9), histogram(pairs, 9, pairs > 3));
    // As unsigned numbers, and as signed ones, of which none is above 127.
    store(counts + 14 + range(0, 256), histogram(a as u8, 256));
    store(counts + 270 + range(0, 256), histogram(a as i8, 256));
}

#[test]
fn elements_change_places() {
    for n in [1usize, 3, 4, 17, 127] {
        let x = numbers(n);
        let y: Vec<i32> = x.iter().rev().map(|v| v * 3 + 1).collect();
        let device = Device::new();
        let (a, b) = (device.buffer(&x), device.buffer(&y));
        let (out, counts) = (device.buffer(&vec![0i32; 16 * n + 3]), device.buffer(&[0i32; 526]));
        moves::launch(&device, 1, &a, &b, &out, &counts, n as i32).unwrap();
        let pairs: Vec<i32> = x.iter().zip(&y).flat_map(|(&a, &b)| [a, b]).collect();
        let reversed = |v: &[i32]| v.iter().rev().copied().collect::<Vec<_>>();
        let mut expected = vec![pairs.clone()];
        expected.push(x.iter().zip(&y).map(|(a, b)| a - b).collect());
        expected.push(pairs.clone());
        expected.push([&x[..], &y].concat());
        expected.push(reversed(&x));
        expected.push(reversed(&pairs));
        expected.push((0..n).map(|i| x[i * 5 % n]).collect());
        expected.push(pairs.chunks(2).flat_map(reversed).collect());
        expected.push(x.iter().flat_map(|&a| [a, a]).collect());
        expected.push([&x[..], &[7, 8, 9]].concat());
        assert_eq!(device.read_i32(&out), expected.concat(), "{n}");

        let count = |bins: i32, values: &[i32]| -> Vec<i32> {
            (0..bins)
                .map(|bin| values.iter().filter(|&&v| v == bin).count() as i32)
                .collect()
        };
        let low: Vec<i32> = x.iter().map(|v| v & 7).collect();
        let high: Vec<i32> = pairs.iter().copied().filter(|&v| v > 3).collect();
        let bytes: Vec<i32> = x.iter().map(|&v| i32::from(v as u8)).collect();
        let expected = [count(5, &low), count(9, &high), count(256, &bytes), count(256, &x)];
        assert_eq!(device.read_i32(&counts), expected.concat(), "{n}");
    }
}

/// What sorting of an element type is compared with: bits in order, one NaN for all.
trait Sorted: Element + Copy {
    fn in_order(values: &mut [Self]);
}

macro_rules! sorts {
    ($($kernel:ident $ty:ident: |$v:ident| $in_order:expr;)*) => {$(
        /// Rows and columns of an `M` by `N` tile up and down, and the `K` largest of each row.
        #[kernel(crate = crate::facade)]
        fn $kernel(x: Ptr<$ty>, up: Ptr<$ty>, down: Ptr<$ty>, columns: Ptr<$ty>, best: Ptr<$ty>, #[constexpr] M: i32,
            #[constexpr] N: i32, #[constexpr] K: i32) {
            let r = range(0, M).at(.., None);
            let at = r * N + range(0, N);
            let v = load(x + at);
            store(up + at, sort(v));
            store(down + at, v.sort(-1, true));
            store(columns + at, sort(v, 0));
            store(best + r * K + range(0, K), topk(v, K));
        }

        impl Sorted for $ty {
            fn in_order($v: &mut [$ty]) {
                $in_order
            }
        }
    )*};
}

sorts! {
    sort_f32 f32: |v| {
        v.iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = f32::NAN);
        v.sort_by(f32::total_cmp)
    };
    sort_f16 f16: |v| {
        v.iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = f16::NAN);
        v.sort_by(f16::total_cmp)
    };
    sort_bf16 bf16: |v| {
        v.iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = bf16::NAN);
        v.sort_by(bf16::total_cmp)
    };
    sort_i32 i32: |v| v.sort();
    sort_i8 i8: |v| v.sort();
    sort_u16 u16: |v| v.sort();
    sort_u64 u64: |v| v.sort();
    sort_bool bool: |v| v.sort();
}

/// Runs a kernel on random elements in several shapes, and compares with Rust's sort.
macro_rules! check_sorts {
    ($kernel:ident $ty:ident, |$bits:ident| $element:expr) => {
        let mut state = 0x1234_5678_9abc_def0_u64;
        for (m, n, k) in [
            (1, 1, 1),
            (3, 2, 1),
            (2, 3, 2),
            (1, 17, 3),
            (4, 8, 8),
            (3, 33, 33),
            (2, 100, 5),
            (5, 64, 16),
        ] {
            let x: Vec<$ty> = (0..m * n)
                .map(|_| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    let $bits = state;
                    $element
                })
                .collect();
            let device = Device::new();
            let input = device.buffer(&x);
            let [up, down, columns] = [(); 3].map(|()| device.buffer(&x));
            let best = device.buffer(&x[..m * k]);
            $kernel::launch(
                &device, 1, &input, &up, &down, &columns, &best, m as i32, n as i32, k as i32,
            )
            .unwrap();
            let bits = |values: Vec<$ty>| values.into_iter().map(Element::to_bits).collect::<Vec<u64>>();
            let rows: Vec<Vec<$ty>> = x
                .chunks(n)
                .map(|row| {
                    let mut row = row.to_vec();
                    Sorted::in_order(&mut row);
                    row
                })
                .collect();
            let falling: Vec<Vec<$ty>> = rows.iter().map(|row| row.iter().rev().copied().collect()).collect();
            assert_eq!(device.read(&up), bits(rows.concat()), "{m}x{n}");
            assert_eq!(device.read(&down), bits(falling.concat()), "{m}x{n}");
            let largest: Vec<$ty> = falling.iter().flat_map(|row| row[..k].to_vec()).collect();
            assert_eq!(device.read(&best), bits(largest), "{m}x{n}, the {k} largest");
            let mut expected = x.clone();
            for c in 0..n {
                let mut column: Vec<$ty> = (0..m).map(|r| x[r * n + c]).collect();
                Sorted::in_order(&mut column);
                (0..m).for_each(|r| expected[r * n + c] = column[r]);
            }
            assert_eq!(device.read(&columns), bits(expected), "{m}x{n}, columns");
        }
    };
}

#[test]
fn floats_in_order() {
    // One in four is special: zeros of both signs, infinities, NaNs.
    const SPECIAL: [f32; 6] = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN];
    let float = |bits: u64| match bits >> 62 {
        0 => SPECIAL[bits as usize % SPECIAL.len()],
        _ => (bits as i32 % 1000) as f32 / 8.0,
    };
    check_sorts!(sort_f32 f32, |bits| float(bits));
    check_sorts!(sort_f16 f16, |bits| f16::from_f32(float(bits)));
    check_sorts!(sort_bf16 bf16, |bits| bf16::from_f32(float(bits)));
}

#[test]
fn integers_in_order() {
    check_sorts!(sort_i32 i32, |bits| bits as i32);
    check_sorts!(sort_i8 i8, |bits| bits as i8);
    check_sorts!(sort_u16 u16, |bits| bits as u16);
    check_sorts!(sort_u64 u64, |bits| bits);
    check_sorts!(sort_bool bool, |bits| bits.is_multiple_of(2));
}

/// Part of a line, filled up by the user with what sorts last.
#[kernel(crate = crate::facade)]
fn sorts_part(x: Ptr<f32>, y: Ptr<f32>, n: i32) {
    let i = range(0, 64);
    let v = load(x + i).mask(i < n).other(f32::INFINITY);
    store(y + i, sort(v)).mask(i < n);
}

#[test]
fn a_part_of_a_line_in_order() {
    for n in [0usize, 1, 31, 63, 64] {
        let x: Vec<f32> = numbers(n.max(1)).into_iter().map(|v| v as f32 / 4.0).collect();
        let device = Device::new();
        let (input, output) = (device.buffer(&x), device.buffer(&vec![9.0f32; n.max(1)]));
        sorts_part::launch(&device, 1, &input, &output, n as i32).unwrap();
        let mut expected = x;
        match n {
            0 => expected = vec![9.0],
            _ => expected.sort_by(f32::total_cmp),
        }
        assert_eq!(device.read_f32(&output), expected);
    }
}

#[kernel(crate = crate::facade)]
fn softmaxes(
    x: Ptr<f32>,
    rows: Ptr<f32>,
    columns: Ptr<f32>,
    short: Ptr<f16>,
    #[constexpr] M: i32,
    #[constexpr] N: i32,
) {
    let at = range(0, M).at(.., None) * N + range(0, N);
    let v = load(x + at);
    store(rows + at, softmax(v));
    store(columns + at, softmax(v, 0));
    store(short + at, v.to(f16).softmax());
}

#[test]
fn softmax_of_rows_and_columns() {
    let (m, n) = (3, 17);
    let x: Vec<f32> = numbers(m * n).into_iter().map(|v| v as f32 / 8.0).collect();
    let device = Device::new();
    let input = device.buffer(&x);
    let [rows, columns] = [(); 2].map(|()| device.buffer(&x));
    let short = device.buffer(&vec![f16::ZERO; m * n]);
    softmaxes::launch(&device, 1, &input, &rows, &columns, &short, m as i32, n as i32).unwrap();
    let of_line = |line: &dyn Fn(usize) -> usize, count: usize| -> Vec<(usize, f64)> {
        let e: Vec<f64> = (0..count).map(|i| f64::from(x[line(i)]).exp()).collect();
        let sum: f64 = e.iter().sum();
        (0..count).map(|i| (line(i), e[i] / sum)).collect()
    };
    let close = |found: f64, expected: f64, bound: f64| (found - expected).abs() <= bound * expected;
    let (rows, columns, short) = (device.read_f32(&rows), device.read_f32(&columns), device.read(&short));
    for r in 0..m {
        for (at, expected) in of_line(&|i| r * n + i, n) {
            assert!(close(rows[at].into(), expected, 1e-5), "{at}: {} {expected}", rows[at]);
            let half = f16::from_bits(short[at] as u16);
            assert!(
                close(half.into(), expected, 1e-3) || half < f16::from_f32(1e-3),
                "{at}: {half} {expected}"
            );
        }
    }
    for c in 0..n {
        for (at, expected) in of_line(&|i| i * n + c, m) {
            assert!(
                close(columns[at].into(), expected, 1e-5),
                "{at}: {} {expected}",
                columns[at]
            );
        }
    }
}

/// The shape of a scalar has no extents, and nothing in it that would say of what type they are.
#[kernel(crate = crate::facade)]
fn to_a_scalar(x: Ptr<i32>, out: Ptr<i32>) {
    let one = load(x + range(2, 3));
    store(out, one.reshape([]));
    store(out + range(1, 5), splat(reshape(one, []), [4]));
}

#[test]
fn tiles_of_one_element_become_scalars() {
    let device = Device::new();
    let (x, out) = (device.buffer(&[5i32, 6, 7]), device.buffer(&[0i32; 5]));
    to_a_scalar::launch(&device, 1, &x, &out).unwrap();
    assert_eq!(device.read_i32(&out), [7; 5]);
}
