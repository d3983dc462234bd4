//! Kernels run on the reference interpreter and compared with the same computation in Rust.

#![allow(non_snake_case)]

#[path = "support/facade.rs"]
mod facade;

use facade::{Device, Grid};
use mytriton_frontend::{bf16, f16};
use mytriton_macros::kernel;

#[kernel(crate = crate::facade)]
fn vector_add(x: Ptr<f32>, y: Ptr<f32>, out: Ptr<f32>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    let sum = load(x + at).mask(mask) + load(y + at).mask(mask);
    store(out + at, sum).mask(mask);
}

#[test]
fn adds_vectors_with_a_masked_end() {
    let device = Device::new();
    let n = 1000;
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let (a, b) = (device.buffer(&x), device.buffer(&x));
    let mut out = device.buffer(&vec![-1.0f32; n + 5]);
    vector_add::launch(&device, Grid(8), &a, &b, &mut out, n as i32, 128).unwrap();
    let mut expected: Vec<f32> = x.iter().map(|v| v + v).collect();
    expected.extend([-1.0; 5]);
    assert_eq!(device.read_f32(&out), expected);
}

/// The shape of the README's softmax, with the reductions done by a loop.
#[kernel(crate = crate::facade)]
fn normalise(x: Ptr<f32>, y: Ptr<f32>, n: i32, #[constexpr] BLOCK: i32) {
    let row = program_id(0);
    let cols = range(0, BLOCK);
    let v = load(x + row * n + cols).mask(cols < n).other(f32::NEG_INFINITY);
    let mut top = f32::NEG_INFINITY;
    for k in 0..n {
        top = maximum(top, load(x + row * n + k));
    }
    let e = exp(v - top);
    let mut total = 0.0;
    for k in range(0, n) {
        total += exp(load(x + (row * n + k)) - top);
    }
    store(y + row * n + cols, e / total).mask(cols < n);
}

#[test]
fn normalises_rows() {
    let device = Device::new();
    let (rows, n) = (3, 19);
    let x: Vec<f32> = (0..rows * n).map(|i| ((i * 37) % 23) as f32 / 7.0).collect();
    let input = device.buffer(&x);
    let mut out = device.buffer(&vec![0.0f32; x.len()]);
    normalise::launch(&device, rows as u32, &input, &mut out, n as i32, 32).unwrap();
    for (row, got) in x.chunks(n).zip(device.read_f32(&out).chunks(n)) {
        let top = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let total: f32 = row.iter().map(|v| (v - top).exp()).sum();
        for (v, g) in row.iter().zip(got) {
            assert!(((v - top).exp() / total - g).abs() < 1e-6);
        }
    }
}

#[kernel(crate = crate::facade)]
fn outer_sum(x: Ptr<f32>, y: Ptr<f32>, out: Ptr<f32>, m: i32, n: i32, #[constexpr] M: i32, #[constexpr] N: i32) {
    let rows = program_id(0) * M + range(0, M);
    let cols = range(0, N);
    let (r, c) = (rows.at(.., None), cols[(None, ..)]);
    let a = load(x + rows).mask(rows < m).expand_dims(1);
    let b = load(y + cols).mask(cols < n);
    store(out + r * n + c, a + b).mask(r < m && c < n);
}

#[test]
fn broadcasts_rows_and_columns() {
    let device = Device::new();
    let (m, n) = (19usize, 37usize);
    let x: Vec<f32> = (0..m).map(|i| i as f32 * 100.0).collect();
    let y: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let (a, b) = (device.buffer(&x), device.buffer(&y));
    let mut out = device.buffer(&vec![0.0f32; m * n]);
    outer_sum::launch(&device, 2, &a, &b, &mut out, m as i32, n as i32, 16, 64).unwrap();
    let expected: Vec<f32> = x.iter().flat_map(|p| y.iter().map(move |q| p + q)).collect();
    assert_eq!(device.read_f32(&out), expected);
}

#[kernel(crate = crate::facade)]
fn control(out: Ptr<i32>, n: i32, #[constexpr] WIDE: bool) {
    // Two carried values, nested loops.
    let (mut a, mut b) = (0, 1);
    for _ in 0..n {
        (a, b) = (b, a + b);
    }
    store(out, a);

    let mut count = 0;
    for i in 0..n {
        for j in (0..i).step_by(2) {
            if j % 3 == 0 {
                count += i * j;
            }
        }
    }
    store(out + 1, count);

    // A negative step, as in 7, 5, 3, 1.
    let mut digits = 0;
    for k in range(7, 0, -2) {
        digits = digits * 10 + k;
    }
    store(out + 2, digits);

    // Collatz.
    let mut steps = 0;
    let mut x = n;
    while x != 1 {
        x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 };
        steps += 1;
    }
    store(out + 3, steps);

    // Known at compile time: the other arm would be a mistake.
    let w = if WIDE { 64 } else { zeros([4], f32) + out };
    store(out + 4, w);

    let mut unrolled = 1;
    for i in static_range(1, 6) {
        unrolled *= i;
    }
    store(out + 5, unrolled);

    let sign = if n < 0 {
        -1
    } else if n == 0 {
        0
    } else {
        1
    };
    store(out + 6, sign);

    // No trip leaves carried values alone.
    let mut untouched = 42;
    for _ in 5..3 {
        untouched = 0;
    }
    store(out + 7, untouched);
}

#[test]
fn loops_and_branches() {
    for n in [1, 6, 7, 27] {
        let device = Device::new();
        let mut out = device.buffer(&[0i32; 8]);
        control::launch(&device, Grid(1), &mut out, n, true).unwrap();
        let mut fibonacci = (0, 1);
        (0..n).for_each(|_| fibonacci = (fibonacci.1, fibonacci.0 + fibonacci.1));
        let count: i32 = (0..n)
            .flat_map(|i| (0..i).step_by(2).filter(|j| j % 3 == 0).map(move |j| i * j))
            .sum();
        let (mut x, mut steps) = (n, 0);
        while x != 1 {
            x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 };
            steps += 1;
        }
        let expected = [fibonacci.0, count, 7531, steps, 64, 120, 1, 42];
        assert_eq!(device.read_i32(&out), expected, "n = {n}");
    }
}

/// Divides with truncation, and keeps the remainder.
#[kernel(device, crate = crate::facade)]
fn div_rem(a: Tile, b: i32) -> (Tile, Tile) {
    (a / b, a % b)
}

#[kernel(device, crate = crate::facade)]
fn twice(x: Tile, #[constexpr] AGAIN: bool) -> Tile {
    let doubled = x + x;
    let result = if AGAIN { twice(doubled, false) } else { doubled };
    return result;
}

#[kernel(crate = crate::facade)]
fn helpers(x: Ptr<i32>, out: Ptr<i32>, d: i32) {
    let at = range(0, 4);
    let (quotient, rest) = div_rem(load(x + at), d);
    store(out + at, quotient);
    store(out + 4 + at, rest);
    store(out + 8 + at, twice(load(x + at), true));
}

#[test]
fn device_functions_are_inlined() {
    let device = Device::new();
    let x = device.buffer(&[-7, 7, 100, -1]);
    let mut out = device.buffer(&[0i32; 12]);
    helpers::launch(&device, 1, &x, &mut out, 3).unwrap();
    let expected = [-2, 2, 33, 0, -1, 1, 1, -1, -28, 28, 400, -4];
    assert_eq!(device.read_i32(&out), expected);
}

#[kernel(crate = crate::facade)]
fn convert<T, U>(x: Ptr<T>, out: Ptr<U>, scale: T, #[constexpr] N: i32) {
    let at = range(0, N);
    store(out + at, (load(x + at) * scale) as U);
}

#[test]
fn element_types_are_inferred_from_arguments() {
    let device = Device::new();
    let x = device.buffer(&[1.5f32, -2.0, 65520.0, 0.1]);
    let mut out = device.buffer(&[f16::ZERO; 4]);
    convert::launch(&device, 1, &x, &mut out, 1.0, 4).unwrap();
    assert_eq!(device.read(&out), [0x3E00, 0xC000, 0x7C00, 0x2E66]);

    let x = device.buffer(&[bf16::from_f32(3.75), bf16::from_f32(-1e9)]);
    let mut out = device.buffer(&[0u8; 2]);
    convert::launch(&device, 1, &x, &mut out, bf16::from_f32(2.0), 2).unwrap();
    assert_eq!(device.read(&out), [7, 0]);
}

const SCALE: f32 = 0.5;

#[kernel(crate = crate::facade)]
fn numbers(out: Ptr<f32>, ints: Ptr<i32>, x: f32, a: u32, b: i32) {
    store(out, x * SCALE + std::f32::consts::PI);
    store(out + 1, minimum(f32::MAX, x).clamp(-1.0, 1.0));
    store(out + 2, where_(x > 1 && !(x > 100.0), 7, sigmoid(0.0)));
    store(out + 3, b as f32);
    store(out + 4, fma(x, 2.0, 1e-3).abs());
    store(ints, (a >> 1) as i32);
    store(ints + 1, b >> 1);
    store(ints + 2, !b ^ 0x0F & b | 1);
    store(ints + 3, -b - -3);
    store(ints + 4, cdiv(b, 4));
    store(ints + 5, (a / 3) as i32);
    store(ints + 6, b.minimum(-9i32));
    store(ints + 7, ((a > 5) as i32) << 4);
}

#[test]
fn numbers_follow_rust() {
    let device = Device::new();
    let mut out = device.buffer(&[0f32; 5]);
    let mut ints = device.buffer(&[0i32; 8]);
    let (x, a, b) = (3.25f32, u32::MAX - 1, -7i32);
    numbers::launch(&device, 1, &mut out, &mut ints, x, a, b).unwrap();
    let floats = [
        x * 0.5 + std::f32::consts::PI,
        1.0,
        7.0,
        -7.0,
        (x.mul_add(2.0, 1e-3)).abs(),
    ];
    assert_eq!(device.read_f32(&out), floats);
    let expected = [
        (a >> 1) as i32,
        b >> 1,
        !b ^ 0x0F & b | 1,
        -b + 3,
        -1,
        (a / 3) as i32,
        -9,
        16,
    ];
    assert_eq!(device.read_i32(&ints), expected);
}

#[kernel(crate = crate::facade)]
fn unsigned_loop(out: Ptr<u32>, first: u32, last: u32) {
    let mut i = 0;
    for k in (first..last).step_by(7) {
        store(out + i, k);
        i += 1;
    }
    for k in range(last, first, -9) {
        store(out + i, k);
        i += 1;
    }
}

#[test]
fn unsigned_loops_pass_the_sign_bit() {
    let device = Device::new();
    let mut out = device.buffer(&[0u32; 6]);
    let first = i32::MAX as u32 - 3;
    unsigned_loop::launch(&device, 1, &mut out, first, first + 20).unwrap();
    let expected = [0, 7, 14, 20, 11, 2].map(|d| u64::from(first + d));
    assert_eq!(device.read(&out), expected);
}

#[kernel(crate = crate::facade)]
fn carries(x: Ptr<i32>, out: Ptr<i64>, n: i32) {
    const STEP: i32 = 2;
    // A tuple, a pointer and annotated numbers; `STEP` is an item of the body.
    let mut pair = (0i64, 1i64);
    let mut p = x;
    let mut total: i64 = 0;
    let mut seen = false;
    for _ in (0..n).step_by(STEP) {
        pair = (pair.1, pair.0 + pair.1);
        let v = load(p);
        p += STEP;
        total += v;
        seen |= v == 3;
    }
    store(out, pair.0);
    store(out + 1, total);
    store(out + 2, seen as i64);
    let (low, high) = if n > 3 { (n, 2 * n) } else { (2 * n, n) };
    store(out + 3, high - low);
    let n = n as i64;
    let shadow = {
        let n = n + 1;
        n * n
    };
    store(out + 4, shadow);
    let mut i = 100i8;
    let mut trips = 0;
    for k in (i..127).step_by(20) {
        trips += 1;
        i = k;
    }
    store(out + 5, trips * 1000 + i);
    let mut left = 5;
    while left > 0 && !(n > 100 || left == 2) {
        left -= 1;
        if left == 4 {
            let mut inner = left;
            while inner > 0 {
                inner -= 1;
                trips += inner;
            }
        } else if left == 3 {
            trips *= 2;
        }
    }
    store(out + 6, left * 100 + trips);
}

#[test]
fn all_kinds_of_variables_are_carried() {
    let device = Device::new();
    let x = device.buffer(&[1, 100, 3, 100, 5, 100]);
    let mut out = device.buffer(&[0i64; 7]);
    carries::launch(&device, 1, &x, &mut out, 6).unwrap();
    // 100 and 120; then 2 + 3 + 2 + 1 + 0 doubled.
    assert_eq!(device.read(&out), [2, 9, 1, 6, 49, 2120, 200 + (2 + 6) * 2]);
}

#[test]
fn kernels_stand_inside_functions() {
    const FACTOR: i32 = 3;
    /// A kernel that uses its function's constant.
    #[kernel(crate = crate::facade)]
    fn scaled(x: Ptr<i32>, mut factor: i32) {
        factor *= FACTOR;
        let at = range(0, 2);
        store(x + at, load(x + at) * factor);
    }
    let device = Device::new();
    let mut x = device.buffer(&[1, 2]);
    scaled::launch(&device, 1, &mut x, 2).unwrap();
    assert_eq!(device.read_i32(&x), [6, 12]);
}

#[test]
fn facts_and_definitions() {
    use mytriton_frontend::{ConstexprValue, DType, DTypeRef, ParamKind, Specialization};
    let def = vector_add::definition();
    assert_eq!(def.name, "vector_add");
    assert!(def.file.ends_with("kernels.rs"));
    let names: Vec<_> = def.params.iter().map(|p| p.name).collect();
    assert_eq!(names, ["x", "y", "out", "n", "BLOCK"]);
    assert_eq!(def.params[0].kind, ParamKind::Ptr(DTypeRef::Is(DType::F32)));
    assert_eq!(def.runtime_params().count(), 4);
    let facts = Specialization::NONE.with_divisible_by_16(0).with_divisible_by_16(3);
    let kernel = (def.build)(&[ConstexprValue::I32(64)], &facts).unwrap();
    let divisibility: Vec<_> = kernel.params().iter().map(|p| p.divisibility).collect();
    assert_eq!(divisibility, [16, 1, 1, 16]);

    let error = (def.build)(&[], &facts).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("0 compile-time value(s) were given; it has 1: BLOCK"),
        "{error}"
    );
    let error = (def.build)(&[ConstexprValue::Bool(true)], &facts).unwrap_err();
    assert!(error.to_string().contains("`BLOCK` is a i32, not a bool"), "{error}");
    assert_eq!(convert::definition().generics, ["T", "U"]);
    assert_eq!(convert::build::<f32, f16>(8).unwrap().params().len(), 3);
}

#[kernel(crate = crate::facade)]
fn functions(x: Ptr<f32>, n: Ptr<i8>, out: Ptr<f32>) {
    let i = range(0, 4);
    let v = load(x + i);
    store(out + i, v.acosh());
    store(out + i + 4, atan2(v, -1));
    store(out + i + 8, v.powi(3));
    store(out + i + 12, powi(2, load(n + i)) + v);
    store(out + i + 16, nextafter(v, 0.0));
    store(out + i + 20, v.to(f16).hypot(3.0).to(f32));
    store(out + i + 24, full(4, cospi(0.25) + powi(2.0, -3), f32));
}

#[test]
fn functions_are_builtins() {
    let device = Device::new();
    let x = [1.0f32, 1.5, 4.0, 20.0];
    let n = [0i8, 1, -1, 5];
    let (input, powers) = (device.buffer(&x), device.buffer(&n));
    let mut out = device.buffer(&[0.0f32; 28]);
    functions::launch(&device, 1, &input, &powers, &mut out).unwrap();
    let found = device.read_f32(&out);
    let known = std::f64::consts::FRAC_1_SQRT_2 as f32 + 0.125;
    for (i, (x, n)) in x.into_iter().zip(n).enumerate() {
        let expected = [
            x.acosh(),
            x.atan2(-1.0),
            x.powi(3),
            2f32.powi(n.into()) + x,
            x.next_down(),
            f16::from_f32(x.hypot(3.0)).to_f32(),
            known,
        ];
        for (part, expected) in expected.into_iter().enumerate() {
            let found = found[4 * part + i];
            let bound = if part == 4 { 0.0 } else { 1e-6 * expected.abs() };
            assert!(
                (found - expected).abs() <= bound,
                "{part} of {x}: {found}, not {expected}"
            );
        }
    }
}
