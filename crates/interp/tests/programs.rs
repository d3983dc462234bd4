//! Whole kernels that run.

mod common;

use common::{Bench, kernel};
use mytriton_interp::{Argument, Options, Prepared};
use mytriton_ssa::{Const, Scalar};
use proptest::prelude::*;

const VECTOR_ADD: &str = "
kernel @add(%x: ptr<f32>, %y: ptr<f32>, %out: ptr<f32>, %n: i32) {
  %pid = program_id x
  %size = const 64 : i32
  %start = mul %pid, %size : i32
  %starts = splat %start : tile<64xi32>
  %range = range 0, 64
  %at = add %starts, %range : tile<64xi32>
  %ns = splat %n : tile<64xi32>
  %mask = cmp lt %at, %ns : tile<64xi32>
  %xs = splat %x : tile<64xptr<f32>>
  %xp = addptr %xs, %at : tile<64xptr<f32>>
  %a = load %xp, %mask : tile<64xptr<f32>>
  %ys = splat %y : tile<64xptr<f32>>
  %yp = addptr %ys, %at : tile<64xptr<f32>>
  %b = load %yp, %mask : tile<64xptr<f32>>
  %sum = add %a, %b : tile<64xf32>
  %outs = splat %out : tile<64xptr<f32>>
  %op = addptr %outs, %at : tile<64xptr<f32>>
  store %op, %sum, %mask : tile<64xptr<f32>>
}";

/// More programs than needed leave what lies behind alone, and no fewer do all of it.
#[test]
fn vector_add_of_odd_sizes() {
    for n in [0, 1, 63, 64, 65, 1000, 100_003] {
        let mut b = Bench::new(VECTOR_ADD);
        let x: Vec<f32> = (0..n).map(|i| i as f32 * 0.5).collect();
        let y: Vec<f32> = (0..n).map(|i| 1.0 - i as f32).collect();
        b.f32s(&x);
        b.f32s(&y);
        let out = b.f32s(&vec![-7.0; n + 3]);
        b.i32(n as i32);
        b.run([n.div_ceil(64) as u32 + 1, 1, 1]).unwrap();
        let mut expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
        expected.extend([-7.0; 3]);
        assert_eq!(b.read_f32s(out), expected, "n = {n}");
    }
}

#[test]
fn a_grid_without_programs_does_nothing() {
    for grid in [[0, 1, 1], [5, 0, 1], [1, 1, 0]] {
        let mut b = Bench::new(VECTOR_ADD);
        b.f32s(&[1.0]);
        b.f32s(&[1.0]);
        let out = b.f32s(&[0.0]);
        b.i32(1);
        b.run(grid).unwrap();
        assert_eq!(b.read_f32s(out), [0.0]);
    }
}

/// A pointer into the middle of a buffer needs no alignment beyond its element's.
#[test]
fn arguments_point_into_buffers() {
    let mut b = Bench::new(VECTOR_ADD);
    let x = b.f32s(&[1.0, 2.0, 3.0]);
    b.args[0] = Argument::Buffer {
        buffer: x,
        byte_offset: 4,
    };
    b.args.push(Argument::Address(b.memory.address(x).unwrap()));
    let out = b.f32s(&[0.0; 2]);
    b.i32(2);
    b.run([1, 1, 1]).unwrap();
    assert_eq!(b.read_f32s(out), [3.0, 5.0]);
}

/// out[i, j] = m[i, j] + row[j] + column[i] at 19x37 in tiles of 16x32.
#[test]
fn matrix_add_with_row_and_column() {
    let mut b = Bench::new(
        "kernel @add(%m: ptr<f32>, %row: ptr<f32>, %column: ptr<f32>, %out: ptr<f32>, %rows: i32, %columns: i32) {
          %px = program_id x
          %py = program_id y
          %c16 = const 16 : i32
          %c32 = const 32 : i32
          %i0 = mul %py, %c16 : i32
          %j0 = mul %px, %c32 : i32
          %i0s = splat %i0 : tile<16xi32>
          %j0s = splat %j0 : tile<32xi32>
          %ri = range 0, 16
          %rj = range 0, 32
          %i = add %i0s, %ri : tile<16xi32>
          %j = add %j0s, %rj : tile<32xi32>
          %ic = expand_dims %i, 1 : tile<16xi32> to tile<16x1xi32>
          %jr = expand_dims %j, 0 : tile<32xi32> to tile<1x32xi32>
          %rows16 = splat %rows : tile<16x1xi32>
          %columns32 = splat %columns : tile<1x32xi32>
          %mi = cmp lt %ic, %rows16 : tile<16x1xi32>
          %mj = cmp lt %jr, %columns32 : tile<1x32xi32>
          %mib = broadcast %mi : tile<16x1xi1> to tile<16x32xi1>
          %mjb = broadcast %mj : tile<1x32xi1> to tile<16x32xi1>
          %mask = and %mib, %mjb : tile<16x32xi1>
          %columns16 = splat %columns : tile<16x1xi32>
          %base = mul %ic, %columns16 : tile<16x1xi32>
          %baseb = broadcast %base : tile<16x1xi32> to tile<16x32xi32>
          %jb = broadcast %jr : tile<1x32xi32> to tile<16x32xi32>
          %at = add %baseb, %jb : tile<16x32xi32>
          %ms = splat %m : tile<16x32xptr<f32>>
          %mp = addptr %ms, %at : tile<16x32xptr<f32>>
          %mv = load %mp, %mask : tile<16x32xptr<f32>>
          %rs = splat %row : tile<1x32xptr<f32>>
          %rp = addptr %rs, %jr : tile<1x32xptr<f32>>
          %rv = load %rp, %mj : tile<1x32xptr<f32>>
          %cs = splat %column : tile<16x1xptr<f32>>
          %cp = addptr %cs, %ic : tile<16x1xptr<f32>>
          %cv = load %cp, %mi : tile<16x1xptr<f32>>
          %rb = broadcast %rv : tile<1x32xf32> to tile<16x32xf32>
          %cb = broadcast %cv : tile<16x1xf32> to tile<16x32xf32>
          %s = add %mv, %rb : tile<16x32xf32>
          %t = add %s, %cb : tile<16x32xf32>
          %os = splat %out : tile<16x32xptr<f32>>
          %op = addptr %os, %at : tile<16x32xptr<f32>>
          store %op, %t, %mask : tile<16x32xptr<f32>>
        }",
    );
    let (rows, columns) = (19, 37);
    let m: Vec<f32> = (0..rows * columns).map(|i| i as f32).collect();
    let row: Vec<f32> = (0..columns).map(|j| 1000.0 * j as f32).collect();
    let column: Vec<f32> = (0..rows).map(|i| 0.25 * i as f32).collect();
    b.f32s(&m);
    b.f32s(&row);
    b.f32s(&column);
    let out = b.f32s(&vec![0.0; m.len()]);
    b.i32(rows);
    b.i32(columns);
    b.run([2, 2, 1]).unwrap();
    let expected = (0..rows as usize).flat_map(|i| {
        let (m, row, column) = (&m, &row, &column);
        (0..columns as usize).map(move |j| m[i * columns as usize + j] + row[j] + column[i])
    });
    assert_eq!(b.read_f32s(out), expected.collect::<Vec<_>>());
}

/// Two carried values that change places: what a trip passes on is all of the trip before.
#[test]
fn carried_values_change_places() {
    let mut b = Bench::new(
        "kernel @fibonacci(%out: ptr<i32>, %n: i32) {
          %zero = const 0 : i32
          %one = const 1 : i32
          %a, %b = for %i = %zero to %n step %one : i32 carry (%p = %zero : i32, %q = %one : i32) {
            %r = add %p, %q : i32
            yield %q, %r
          }
          store %out, %a : ptr<i32>
          %next = addptr %out, %one : ptr<i32>
          store %next, %b : ptr<i32>
        }",
    );
    let out = b.i32s(&[0, 0]);
    for (n, expected) in [(-3, [0, 1]), (0, [0, 1]), (1, [1, 1]), (10, [55, 89])] {
        b.args.truncate(1);
        b.i32(n);
        b.run([1, 1, 1]).unwrap();
        assert_eq!(b.read_i32s(out), expected, "n = {n}");
    }
}

#[test]
fn carried_tiles_swap_and_repeat() {
    let mut b = Bench::new(
        "kernel @k(%out: ptr<i32>, %n: i32) {
          %zero = const 0 : i32
          %one = const 1 : i32
          %x = range 0, 4
          %y = range 10, 14
          %a, %b, %c = for %i = %zero to %n step %one : i32
              carry (%p = %x : tile<4xi32>, %q = %y : tile<4xi32>, %r = %x : tile<4xi32>) {
            %is = splat %i : tile<4xi32>
            %s = add %r, %is : tile<4xi32>
            yield %q, %p, %s
          }
          %outs = splat %out : tile<4xptr<i32>>
          %at = addptr %outs, %x : tile<4xptr<i32>>
          store %at, %a : tile<4xptr<i32>>
          %four = const 4 : tile<4xi32>
          %at2 = addptr %at, %four : tile<4xptr<i32>>
          store %at2, %b : tile<4xptr<i32>>
          %at3 = addptr %at2, %four : tile<4xptr<i32>>
          store %at3, %c : tile<4xptr<i32>>
        }",
    );
    let out = b.i32s(&[0; 12]);
    b.i32(5);
    b.run([1, 1, 1]).unwrap();
    assert_eq!(b.read_i32s(out), [10, 11, 12, 13, 0, 1, 2, 3, 10, 11, 12, 13]);
}

/// The largest bound of a type ends a loop although the next index would not fit.
#[test]
fn indices_do_not_wrap() {
    let mut b = Bench::new(
        "kernel @k(%out: ptr<i32>) {
          %zero = const 0 : i32
          %one = const 1 : i32
          %lower = const 100 : i8
          %upper = const 127 : i8
          %step = const 20 : i8
          %narrow = for %i = %lower to %upper step %step : i8 carry (%c = %zero : i32) {
            %d = add %c, %one : i32
            yield %d
          }
          %l64 = const 9223372036854775800 : i64
          %u64 = const 9223372036854775807 : i64
          %s64 = const 5 : i64
          %all = for %i = %l64 to %u64 step %s64 : i64 carry (%c = %narrow : i32) {
            %d = add %c, %one : i32
            yield %d
          }
          store %out, %all : ptr<i32>
        }",
    );
    let out = b.i32s(&[0]);
    b.run([1, 1, 1]).unwrap();
    assert_eq!(b.read_i32s(out), [4]);
}

/// Nested loops and branches: counts pairs i < n, j <= i with i + j even, and sums the others.
#[test]
fn nested_loops_and_branches() {
    let mut b = Bench::new(
        "kernel @k(%out: ptr<i32>, %n: i32) {
          %zero = const 0 : i32
          %one = const 1 : i32
          %count, %sum = for %i = %zero to %n step %one : i32 carry (%c = %zero : i32, %s = %zero : i32) {
            %end = add %i, %one : i32
            %ci, %si = for %j = %zero to %end step %one : i32 carry (%cj = %c : i32, %sj = %s : i32) {
              %both = add %i, %j : i32
              %bit = and %both, %one : i32
              %even = cmp eq %bit, %zero : i32
              %ck, %sk = if %even -> (i32, i32) {
                %more = add %cj, %one : i32
                yield %more, %sj
              } else {
                %more = add %sj, %both : i32
                yield %cj, %more
              }
              yield %ck, %sk
            }
            yield %ci, %si
          }
          store %out, %count : ptr<i32>
          %next = addptr %out, %one : ptr<i32>
          store %next, %sum : ptr<i32>
        }",
    );
    let out = b.i32s(&[0, 0]);
    b.i32(13);
    b.run([1, 1, 1]).unwrap();
    let pairs = (0..13).flat_map(|i| (0..=i).map(move |j| i + j));
    let (even, odd): (Vec<i32>, Vec<i32>) = pairs.partition(|both| both % 2 == 0);
    assert_eq!(b.read_i32s(out), [even.len() as i32, odd.iter().sum()]);
}

/// Collatz steps of every program's number; `while` tests before its first trip.
#[test]
fn a_while_loop_per_program() {
    let mut b = Bench::new(
        "kernel @collatz(%out: ptr<i32>) {
          %pid = program_id x
          %zero = const 0 : i32
          %one = const 1 : i32
          %two = const 2 : i32
          %three = const 3 : i32
          %start = add %pid, %one : i32
          %last, %steps = while (%v = %start : i32, %s = %zero : i32) {
            %more = cmp ne %v, %one : i32
            condition %more, %v, %s
          } do (%v: i32, %s: i32) {
            %half = div_s %v, %two : i32
            %bit = rem_s %v, %two : i32
            %even = cmp eq %bit, %zero : i32
            %triple = mul %v, %three : i32
            %up = add %triple, %one : i32
            %w = select %even, %half, %up : i32
            %t = add %s, %one : i32
            yield %w, %t
          }
          %at = addptr %out, %pid : ptr<i32>
          store %at, %steps : ptr<i32>
        }",
    );
    let n = 300;
    let out = b.i32s(&vec![-1; n]);
    b.run([n as u32, 1, 1]).unwrap();
    let steps = |mut v: i32| {
        let mut steps = 0;
        while v != 1 {
            v = if v % 2 == 0 { v / 2 } else { 3 * v + 1 };
            steps += 1;
        }
        steps
    };
    assert_eq!(b.read_i32s(out), (1..=n as i32).map(steps).collect::<Vec<_>>());
}

/// Every program of a 3-D grid writes its index where it belongs.
#[test]
fn a_grid_of_three_dimensions() {
    let mut b = Bench::new(
        "kernel @k(%out: ptr<i32>) {
          %x = program_id x
          %y = program_id y
          %z = program_id z
          %nx = num_programs x
          %ny = num_programs y
          %nz = num_programs z
          %zy = mul %z, %ny : i32
          %zy2 = add %zy, %y : i32
          %row = mul %zy2, %nx : i32
          %at = add %row, %x : i32
          %hundred = const 100 : i32
          %a = mul %z, %hundred : i32
          %b = add %a, %y : i32
          %c = mul %b, %hundred : i32
          %d = add %c, %x : i32
          %e = mul %d, %nz : i32
          %p = addptr %out, %at : ptr<i32>
          store %p, %e : ptr<i32>
        }",
    );
    let [nx, ny, nz] = [7, 5, 3];
    let out = b.i32s(&vec![-1; (nx * ny * nz) as usize]);
    b.run([nx as u32, ny as u32, nz as u32]).unwrap();
    let index = (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| ((z * 100 + y) * 100 + x) * nz)));
    assert_eq!(b.read_i32s(out), index.collect::<Vec<_>>());
}

/// Programs in parallel write neighbouring bytes of one cell: none may undo another's.
#[test]
fn neighbouring_bytes_from_many_programs() {
    for cell in [Scalar::I8, Scalar::F16, Scalar::F32, Scalar::F64] {
        let mut b = Bench::new(
            "kernel @k(%out: ptr<i8>, %n: i32) {
              %pid = program_id x
              %pids = splat %pid : tile<64xi32>
              %lanes = range 0, 64
              %count = num_programs x
              %stride = splat %count : tile<64xi32>
              %rows = mul %lanes, %stride : tile<64xi32>
              %at = add %rows, %pids : tile<64xi32>
              %outs = splat %out : tile<64xptr<i8>>
              %p = addptr %outs, %at : tile<64xptr<i8>>
              %v = trunc_int %at : tile<64xi32> to tile<64xi8>
              store %p, %v : tile<64xptr<i8>>
            }",
        );
        let programs = 4099;
        let out = b.bytes(cell, &vec![0xAA; 64 * programs]);
        b.i32(0);
        b.run([programs as u32, 1, 1]).unwrap();
        let expected: Vec<u8> = (0..64 * programs).map(|i| i as u8).collect();
        assert!(b.memory.read_back(out).unwrap() == expected, "cells of {cell}");
    }
}

/// A byte that is not zero is true; what is stored is 0 or 1.
#[test]
fn booleans_are_bytes() {
    let mut b = Bench::new(
        "kernel @k(%x: ptr<i1>, %out: ptr<i1>) {
          %at = range 0, 4
          %xs = splat %x : tile<4xptr<i1>>
          %xp = addptr %xs, %at : tile<4xptr<i1>>
          %v = load %xp : tile<4xptr<i1>>
          %outs = splat %out : tile<4xptr<i1>>
          %op = addptr %outs, %at : tile<4xptr<i1>>
          store %op, %v : tile<4xptr<i1>>
        }",
    );
    b.bytes(Scalar::I1, &[0, 1, 2, 255]);
    let out = b.bytes(Scalar::I1, &[7; 4]);
    b.run([1, 1, 1]).unwrap();
    assert_eq!(b.memory.read_back(out).unwrap(), [0, 1, 1, 1]);
}

const MASKED: &str = "
kernel @k(%x: ptr<f16>, %out: ptr<f16>, %n: i32, %m: i32) {
  %at = range 0, 8
  %ns = splat %n : tile<8xi32>
  %mask = cmp lt %at, %ns : tile<8xi32>
  %ms = splat %m : tile<8xi32>
  %stored = cmp lt %at, %ms : tile<8xi32>
  %other = const -2.0 : tile<8xf16>
  %xs = splat %x : tile<8xptr<f16>>
  %xp = addptr %xs, %at : tile<8xptr<f16>>
  %v = load %xp, %mask : tile<8xptr<f16>>
  %w = load %xp, %mask, %other : tile<8xptr<f16>>
  %two = add %v, %w : tile<8xf16>
  %kept = select %mask, %two, %w : tile<8xf16>
  %outs = splat %out : tile<8xptr<f16>>
  %op = addptr %outs, %at : tile<8xptr<f16>>
  store %op, %kept : tile<8xptr<f16>>
  %eight = const 8 : tile<8xi32>
  %op2 = addptr %op, %eight : tile<8xptr<f16>>
  store %op2, %two, %stored : tile<8xptr<f16>>
}";

fn halves(bytes: &[u8]) -> Vec<f32> {
    let halves = bytes.as_chunks().0.iter();
    halves.map(|&b| half::f16::from_le_bytes(b).to_f32()).collect()
}

/// Masked-off elements are `other`, or undefined: which is no error while `select` and a mask keep them out.
#[test]
fn undefined_elements_may_be_left_out() {
    let mut b = Bench::new(MASKED);
    let x: Vec<u8> = (0..3)
        .flat_map(|i| half::f16::from_f32(i as f32 + 1.0).to_le_bytes())
        .collect();
    b.bytes(Scalar::F16, &x);
    let out = b.bytes(Scalar::F16, &[0; 32]);
    b.i32(3);
    b.i32(3);
    b.run([1, 1, 1]).unwrap();
    let expected = [2., 4., 6., -2., -2., -2., -2., -2., 2., 4., 6., 0., 0., 0., 0., 0.];
    assert_eq!(halves(&b.memory.read_back(out).unwrap()), expected);
}

/// A division whose result is not chosen may have none.
#[test]
fn a_guarded_division_is_fine() {
    let mut b = Bench::new(
        "kernel @k(%out: ptr<i32>, %d: i32) {
          %x = range -2, 2
          %ds = splat %d : tile<4xi32>
          %zero = const 0 : tile<4xi32>
          %by = mul %x, %ds : tile<4xi32>
          %q = div_s %ds, %by : tile<4xi32>
          %ok = cmp ne %by, %zero : tile<4xi32>
          %r = select %ok, %q, %zero : tile<4xi32>
          %at = range 0, 4
          %outs = splat %out : tile<4xptr<i32>>
          %p = addptr %outs, %at : tile<4xptr<i32>>
          store %p, %r : tile<4xptr<i32>>
        }",
    );
    let out = b.i32s(&[9; 4]);
    b.i32(6);
    b.run([1, 1, 1]).unwrap();
    assert_eq!(b.read_i32s(out), [0, -1, 0, 1]);
}

/// One buffer as bytes, and as 64-bit numbers.
#[test]
fn accesses_of_other_widths() {
    let mut b = Bench::new(
        "kernel @k(%bytes: ptr<i8>, %longs: ptr<i64>) {
          %at = range 0, 16
          %ps = splat %bytes : tile<16xptr<i8>>
          %p = addptr %ps, %at : tile<16xptr<i8>>
          %v = trunc_int %at : tile<16xi32> to tile<16xi8>
          store %p, %v : tile<16xptr<i8>>
          %two = range 0, 2
          %qs = splat %longs : tile<2xptr<i64>>
          %q = addptr %qs, %two : tile<2xptr<i64>>
          %w = load %q : tile<2xptr<i64>>
          %x = const 255 : tile<2xi64>
          %y = xor %w, %x : tile<2xi64>
          store %q, %y : tile<2xptr<i64>>
        }",
    );
    let id = b.i32s(&[-1; 5]);
    b.args.push(Argument::buffer(id));
    b.run([1, 1, 1]).unwrap();
    let mut expected: Vec<u8> = (0..16).collect();
    (expected[0], expected[8]) = (255, 8 ^ 255);
    expected.extend([255; 4]);
    assert_eq!(b.memory.read_back(id).unwrap(), expected);
}

/// The check for races finds none where there is none: own bytes, bytes all read, equal values.
#[test]
fn programs_without_races_pass_the_check() {
    let mut b = Bench::new(VECTOR_ADD);
    b.options = Options {
        check_races: true,
        ..Options::default()
    };
    let x = b.f32s(&[1.0; 1000]);
    b.args.push(Argument::buffer(x));
    let out = b.f32s(&[0.0; 1000]);
    b.i32(1000);
    b.run([16, 1, 1]).unwrap();
    assert_eq!(b.read_f32s(out), [2.0; 1000]);
}

#[test]
fn a_buffer_of_many_elements() {
    let mut b = Bench::new(VECTOR_ADD);
    let n = 1 << 24;
    let x = b.memory.add_zeros("x", Scalar::F32, n).unwrap();
    b.memory.write(x, 4 * (n - 2), &2.5f32.to_le_bytes()).unwrap();
    b.args = vec![Argument::buffer(x); 3];
    b.args.push(Argument::Scalar(Const::i32(n as i32)));
    // The last programs alone, since the others would do the same: they begin where the pointers do.
    for arg in &mut b.args[..3] {
        *arg = Argument::Buffer {
            buffer: x,
            byte_offset: 4 * (n - 128),
        };
    }
    b.args[3] = Argument::Scalar(Const::i32(128));
    b.run([2, 1, 1]).unwrap();
    let mut out = [0; 4];
    b.memory.read(x, 4 * (n - 2), &mut out).unwrap();
    assert_eq!(f32::from_le_bytes(out), 5.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    /// A masked copy with `other` of any extent, mask and grid.
    #[test]
    fn a_masked_copy_with_other(n in 0usize..300, limit in 0i32..300, extra in 0u32..3) {
        let mut b = Bench::new(
            "kernel @copy(%x: ptr<i32>, %out: ptr<i32>, %n: i32, %limit: i32) {
              %pid = program_id x
              %size = const 48 : i32
              %start = mul %pid, %size : i32
              %starts = splat %start : tile<48xi32>
              %range = range 0, 48
              %at = add %starts, %range : tile<48xi32>
              %ns = splat %n : tile<48xi32>
              %limits = splat %limit : tile<48xi32>
              %in = cmp lt %at, %ns : tile<48xi32>
              %below = cmp lt %at, %limits : tile<48xi32>
              %mask = and %in, %below : tile<48xi1>
              %other = sub %limits, %at : tile<48xi32>
              %xs = splat %x : tile<48xptr<i32>>
              %xp = addptr %xs, %at : tile<48xptr<i32>>
              %v = load %xp, %mask, %other : tile<48xptr<i32>>
              %outs = splat %out : tile<48xptr<i32>>
              %op = addptr %outs, %at : tile<48xptr<i32>>
              store %op, %v, %in : tile<48xptr<i32>>
            }",
        );
        let x: Vec<i32> = (0..n as i32).map(|i| i * 3).collect();
        b.i32s(&x);
        let out = b.i32s(&vec![i32::MIN; n]);
        b.i32(n as i32);
        b.i32(limit);
        b.run([n.div_ceil(48) as u32 + extra, 1, 1]).unwrap();
        let expected: Vec<i32> = (0..n as i32).map(|i| if i < limit { 3 * i } else { limit - i }).collect();
        prop_assert_eq!(b.read_i32s(out), expected);
    }
}

/// Copies `x` at given places to given places, as elements of a type.
fn moved(elem: Scalar, from: &[i32; 8], to: &[i32; 8], prepared: bool) -> Vec<u8> {
    let text = "kernel @k(%x: ptr<ELEM>, %from: ptr<i32>, %to: ptr<i32>, %out: ptr<ELEM>) {
           %i = range 0, 8
           %fs = splat %from : tile<8xptr<i32>>
           %fp = addptr %fs, %i : tile<8xptr<i32>>
           %f = load %fp : tile<8xptr<i32>>
           %ts = splat %to : tile<8xptr<i32>>
           %tp = addptr %ts, %i : tile<8xptr<i32>>
           %t = load %tp : tile<8xptr<i32>>
           %xs = splat %x : tile<8xptr<ELEM>>
           %xp = addptr %xs, %f : tile<8xptr<ELEM>>
           %v = load %xp : tile<8xptr<ELEM>>
           %os = splat %out : tile<8xptr<ELEM>>
           %op = addptr %os, %t : tile<8xptr<ELEM>>
           store %op, %v : tile<8xptr<ELEM>>
         }"
    .replace("ELEM", elem.name());
    let mut b = Bench::new(&text);
    let bytes = elem.bytes() as usize;
    let x: Vec<u8> = (1..=32u8).flat_map(|i| vec![i; bytes]).collect();
    b.bytes(elem, &x);
    b.i32s(from);
    b.i32s(to);
    let out = b.bytes(elem, &vec![0; 32 * bytes]);
    match prepared {
        false => b.run([1, 1, 1]).unwrap(),
        true => {
            let prepared = Prepared::new(kernel(&text)).unwrap();
            assert_eq!(prepared.kernel().name, "k");
            prepared.run([1, 1, 1], &b.args, &b.memory, &b.options).unwrap();
        }
    }
    let out = b.memory.read_back(out).unwrap();
    assert!(
        out.chunks(bytes)
            .all(|element| element.iter().all(|byte| *byte == element[0]))
    );
    out.into_iter().step_by(bytes).collect()
}

/// Addresses that follow on one another, and those that nearly do: equal ones, in pairs, crossed, with gaps, backwards.
#[test]
fn elements_lie_where_their_addresses_say() {
    let places = [
        [0, 1, 2, 3, 4, 5, 6, 7],
        [20, 21, 22, 23, 24, 25, 26, 27],
        [5; 8],
        [4, 4, 5, 5, 6, 6, 7, 7],
        [4, 4, 4, 4, 5, 5, 5, 5],
        [1, 0, 2, 3, 4, 5, 6, 7],
        [0, 1, 3, 2, 4, 5, 6, 7],
        [0, 2, 1, 3, 4, 6, 5, 7],
        [0, 1, 2, 3, 4, 5, 7, 8],
        [0, 2, 4, 6, 8, 10, 12, 14],
        [0, 4, 8, 12, 16, 20, 24, 28],
        [7, 6, 5, 4, 3, 2, 1, 0],
        [8, 1, 2, 3, 4, 5, 6, 7],
    ];
    for elem in [Scalar::I8, Scalar::F16, Scalar::F32, Scalar::I64] {
        for from in &places {
            for (to, prepared) in places.iter().zip([false, true].into_iter().cycle()) {
                let mut expected = vec![0; 32];
                // Of elements stored to one place the last stays.
                for (from, to) in from.iter().zip(to) {
                    expected[*to as usize] = *from as u8 + 1;
                }
                assert_eq!(moved(elem, from, to, prepared), expected, "{elem}: {from:?} to {to:?}");
            }
        }
    }
}
