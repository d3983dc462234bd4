//! Runs generated kernels on the host and compares them with the reference interpreter. Threads run in both orders, so
//! that a missing barrier shows.

mod common;

use common::host::{Host, Value, agrees, agrees_from_one, interpret};
use common::{N, Random, SPAN, Table, arithmetic, bytes, casts, numbers, random_kernel, structure};
use mytriton_ssa::{Const, Elem, Kernel, Scalar, parse_module};

fn check_table(host: &Host, index: usize, table: &Table, args: &[Value], grid: [u32; 3]) -> Vec<String> {
    let expected = interpret(&table.kernel, grid, args);
    let mut wrong = Vec::new();
    for backwards in [false, true] {
        let found = host.run(index, grid, args, backwards);
        let outputs = table.kernel.params().iter().zip(args).zip(expected.iter().zip(&found));
        for ((param, arg), (expected, found)) in outputs {
            let Value::Buffer(scalar, _) = arg else { continue };
            let Some(output) = param.name.strip_prefix("out_") else {
                continue;
            };
            let labels = table.labels.iter().filter(|(s, _)| s.name() == output);
            let width = scalar.bytes() as usize;
            let read = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |n, &byte| n << 8 | u64::from(byte));
            for (slot, (_, label)) in labels.enumerate() {
                let (ulps, from_one) = common::error_bound(label, *scalar);
                for lane in 0..N as usize {
                    let at = (slot * N as usize + lane) * width;
                    let (e, f) = (read(&expected[at..at + width]), read(&found[at..at + width]));
                    let close = agrees(*scalar, e, f, ulps) || from_one && agrees_from_one(*scalar, e, f, ulps);
                    if !close {
                        wrong.push(format!(
                            "{} {label}, element {lane}: {e:#x} expected, {f:#x} found",
                            table.kernel.name
                        ));
                        break;
                    }
                }
            }
        }
    }
    wrong
}

fn table_args(table: &Table, random: &mut Random) -> Vec<Value> {
    let mut args = Vec::new();
    for param in table.kernel.params() {
        let Elem::Ptr(scalar) = table.kernel.ty(param.value).elem else {
            unreachable!()
        };
        let content = match param.name.strip_prefix("out_") {
            Some(output) => {
                let slots = table.labels.iter().filter(|(s, _)| s.name() == output).count();
                vec![0; slots * N as usize * scalar.bytes() as usize]
            }
            None => bytes(scalar, &numbers(scalar, random)),
        };
        args.push(Value::Buffer(scalar, content));
    }
    args
}

#[test]
fn every_operation_on_every_type() {
    let mut tables = Vec::new();
    for scalar in Scalar::ALL {
        tables.push(arithmetic(scalar, false).unwrap());
        tables.push(casts(scalar).unwrap());
        tables.push(structure(scalar).unwrap());
    }
    let kernels: Vec<&Kernel> = tables.iter().map(|table| &table.kernel).collect();
    let host = Host::compile(&kernels);
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut wrong = Vec::new();
    for (index, table) in tables.iter().enumerate() {
        for rows in [1, 2, 1, 2] {
            wrong.extend(check_table(
                &host,
                index,
                table,
                &table_args(table, &mut random),
                [1, rows, 3],
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn division_by_zero_does_not_crash() {
    let tables: Vec<Table> = [Scalar::I1, Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64]
        .map(|scalar| arithmetic(scalar, true).unwrap())
        .into();
    let kernels: Vec<&Kernel> = tables.iter().map(|table| &table.kernel).collect();
    let host = Host::compile(&kernels);
    let mut random = Random(7);
    for (index, table) in tables.iter().enumerate() {
        for _ in 0..8 {
            host.run(index, [1, 1, 1], &table_args(table, &mut random), false);
        }
    }
}

#[test]
fn random_kernels() {
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    let kernels: Vec<Kernel> = (0..40)
        .map(|i| random_kernel(&format!("random_{i}"), &mut random).unwrap())
        .collect();
    let host = Host::compile(&kernels.iter().collect::<Vec<_>>());
    for (index, kernel) in kernels.iter().enumerate() {
        for n in [0, 1, 5] {
            let content: Vec<u64> = (0..SPAN).map(|_| random.next() & 0xFFFF_FFFF).collect();
            let output: Vec<u64> = (0..SPAN * 3).map(|_| random.next() & 0xFFFF_FFFF).collect();
            let args = [
                Value::Buffer(Scalar::I32, bytes(Scalar::I32, &content)),
                Value::Buffer(Scalar::I32, bytes(Scalar::I32, &output)),
                Value::Number(Const::i32(n)),
            ];
            let expected = interpret(kernel, [3, 1, 1], &args);
            for backwards in [false, true] {
                let found = host.run(index, [3, 1, 1], &args, backwards);
                let first = expected[1].chunks(4).zip(found[1].chunks(4)).position(|(e, f)| e != f);
                let source = &host.sources[index].source;
                assert_eq!(first, None, "n = {n}, backwards: {backwards}\n{kernel}\n{source}");
            }
        }
    }
}

/// The kernels of the snapshots, at odd sizes: 19x37 in tiles of 16x32, 1000 elements in tiles of 256, and so on.
#[test]
fn shown_kernels() {
    let kernels = common::shown();
    let host = Host::compile(&kernels.iter().collect::<Vec<_>>());
    let mut random = Random(0xA076_1D64_78BD_642F);
    let mut floats = |scalar: Scalar, count: usize| {
        let numbers = (0..count).map(|_| Const::from_f64(scalar, random.below(4096) as f64 / 256.0 - 8.0).bits());
        Value::Buffer(scalar, bytes(scalar, &numbers.collect::<Vec<_>>()))
    };
    let number = |n| Value::Number(Const::i32(n));
    let f32s = |floats: &mut dyn FnMut(Scalar, usize) -> Value, count| floats(Scalar::F32, count);
    let zeros = |scalar: Scalar, count: usize| Value::Buffer(scalar, vec![0; count * scalar.bytes() as usize]);
    let launches: [(&str, [u32; 3], Vec<Value>); 14] = [
        (
            "vector_add",
            [4, 1, 1],
            vec![
                f32s(&mut floats, 1000),
                f32s(&mut floats, 1000),
                zeros(Scalar::F32, 1000),
                number(1000),
            ],
        ),
        (
            "broadcast_add",
            [2, 2, 1],
            vec![
                f32s(&mut floats, 19),
                f32s(&mut floats, 37),
                zeros(Scalar::F32, 19 * 37),
                number(19),
                number(37),
            ],
        ),
        (
            "row_statistics",
            [1, 1, 1],
            vec![
                f32s(&mut floats, 8 * 13),
                zeros(Scalar::F32, 8),
                zeros(Scalar::F32, 8),
                zeros(Scalar::I32, 1),
                number(13),
            ],
        ),
        (
            "recurrence",
            [1, 1, 1],
            vec![f32s(&mut floats, 4096), zeros(Scalar::F32, 4096), number(7)],
        ),
        (
            "gelu",
            [3, 1, 1],
            vec![
                floats(Scalar::F16, 300),
                zeros(Scalar::F16, 300),
                Value::Number(Const::from_int(Scalar::I64, 300)),
            ],
        ),
        (
            "grid",
            [2, 3, 4],
            vec![zeros(Scalar::I64, 24), Value::Number(Const::bool(false))],
        ),
        (
            "grid",
            [4, 1, 2],
            vec![zeros(Scalar::I64, 8), Value::Number(Const::bool(true))],
        ),
        ("exchange", [1, 1, 1], vec![zeros(Scalar::I32, 1500)]),
        (
            "argmax",
            [1, 1, 1],
            vec![
                f32s(&mut floats, 4 * 93),
                zeros(Scalar::F32, 4),
                zeros(Scalar::I32, 4),
                number(93),
            ],
        ),
        // Ties alone, whose first element is what counts.
        (
            "argmax",
            [1, 1, 1],
            vec![
                zeros(Scalar::F32, 4 * 100),
                f32s(&mut floats, 4),
                floats(Scalar::I32, 4),
                number(100),
            ],
        ),
        (
            "softmax",
            [1, 1, 1],
            vec![f32s(&mut floats, 2 * 61), zeros(Scalar::F32, 2 * 61), number(61)],
        ),
        (
            "softmax",
            [2, 1, 1],
            vec![f32s(&mut floats, 2 * 64), zeros(Scalar::F32, 2 * 64), number(64)],
        ),
        (
            "choices",
            [1, 1, 1],
            vec![
                f32s(&mut floats, 64),
                floats(Scalar::I32, 64),
                zeros(Scalar::F32, 64),
                zeros(Scalar::I32, 8),
            ],
        ),
        (
            "running_sums",
            [1, 1, 1],
            vec![floats(Scalar::I32, 1200), zeros(Scalar::I32, 1200)],
        ),
    ];
    for (name, grid, args) in launches {
        let index = kernels.iter().position(|kernel| kernel.name == name).unwrap();
        let expected = interpret(&kernels[index], grid, &args);
        let buffers = args.iter().filter_map(|arg| match arg {
            Value::Buffer(scalar, _) => Some(*scalar),
            Value::Number(_) => None,
        });
        let scalars: Vec<Scalar> = buffers.collect();
        for backwards in [false, true] {
            let found = host.run(index, grid, &args, backwards);
            for ((scalar, expected), found) in scalars.iter().zip(&expected).zip(&found) {
                let width = scalar.bytes() as usize;
                let read = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |n, &byte| n << 8 | u64::from(byte));
                let pairs = expected
                    .chunks(width)
                    .zip(found.chunks(width))
                    .map(|(e, f)| (read(e), read(f)));
                let wrong = pairs.enumerate().find(|(_, (e, f))| {
                    !agrees(
                        *scalar,
                        *e,
                        *f,
                        if name == "gelu" {
                            2
                        } else if name == "softmax" {
                            16
                        } else {
                            0
                        },
                    )
                });
                assert_eq!(
                    wrong, None,
                    "{name}, backwards: {backwards}\n{}",
                    host.sources[index].source
                );
            }
        }
    }
}

/// Loops whose bounds are at the limits of their type, and steps that are known only at run time.
#[test]
fn loops_at_the_limits() {
    let mut text = String::new();
    let bounds = [
        ("i8", "100", "127", "20"),
        ("i16", "32760", "32767", "5"),
        ("i32", "2147483640", "2147483647", "3"),
        ("i64", "9223372036854775800", "9223372036854775807", "3"),
        (
            "i64",
            "-9223372036854775808",
            "9223372036854775807",
            "4611686018427387904",
        ),
        ("i32", "-2147483648", "2147483647", "1000000007"),
        ("i32", "5", "5", "1"),
    ];
    for (i, (ty, lower, upper, known)) in bounds.iter().enumerate() {
        for run_time in [false, true] {
            let name = format!("loop_{i}_{run_time}");
            let step = if run_time { "%step".to_owned() } else { "%c".to_owned() };
            let cast = if *ty == "i64" {
                "%w = or %i, %i : i64"
            } else {
                "%w = sext %i : TY to i64"
            };
            text += &format!(
                "kernel @{name}(%out: ptr<i64>, %step: {ty}) {{
                   %lower = const {lower} : {ty}
                   %upper = const {upper} : {ty}
                   %c = const {known} : {ty}
                   %zero = const 0 : i64
                   %r = for %i = %lower to %upper step {step} : {ty} carry(%sum = %zero : i64) {{
                     {}
                     %three = const 3 : i64
                     %t = mul %sum, %three : i64
                     %next = add %t, %w : i64
                     yield %next
                   }}
                   store %out, %r : ptr<i64>
                 }}\n",
                cast.replace("TY", ty),
            );
        }
    }
    let module = parse_module(&text, "loops.ssa").unwrap();
    let host = Host::compile(&module.kernels.iter().collect::<Vec<_>>());
    for (index, kernel) in module.kernels.iter().enumerate() {
        let scalar = kernel.ty(kernel.params()[1].value).as_scalar().unwrap();
        let step = bounds[index / 2].3.parse().unwrap();
        let args = [
            Value::Buffer(Scalar::I64, vec![0; 8]),
            Value::Number(Const::from_int(scalar, step)),
        ];
        let expected = interpret(kernel, [1, 1, 1], &args);
        assert_eq!(
            host.run(index, [1, 1, 1], &args, false),
            expected,
            "{}",
            host.sources[index].source
        );
    }
}

/// A product that is a tie of the result's type, and a little more or less: rounding by way of `f32` is wrong.
#[test]
fn fused_operations_round_once() {
    let mut text = String::new();
    for ty in ["f16", "bf16"] {
        text += &format!(
            "kernel @fma_{ty}(%x: ptr<{ty}>, %y: ptr<{ty}>, %z: ptr<{ty}>, %out: ptr<{ty}>) {{
               %i = program_id x
               %px = addptr %x, %i : ptr<{ty}>
               %a = load %px : ptr<{ty}>
               %py = addptr %y, %i : ptr<{ty}>
               %b = load %py : ptr<{ty}>
               %pz = addptr %z, %i : ptr<{ty}>
               %c = load %pz : ptr<{ty}>
               %r = fma %a, %b, %c : {ty}
               %po = addptr %out, %i : ptr<{ty}>
               store %po, %r : ptr<{ty}>
             }}\n"
        );
    }
    let module = parse_module(&text, "fma.ssa").unwrap();
    let host = Host::compile(&module.kernels.iter().collect::<Vec<_>>());
    // 1.5 (1 + 3 ulp) lies half way between two numbers, of which the lower one is even. The third is far below what f32 keeps of the product.
    let cases: [(Scalar, f64, f64, [u64; 4]); 2] = [
        (
            Scalar::F16,
            1.0 / 1024.0,
            2f64.powi(-24),
            [0x3E05, 0x3E04, 0xBE05, 0xBE04],
        ),
        (
            Scalar::BF16,
            1.0 / 128.0,
            2f64.powi(-40),
            [0x3FC5, 0x3FC4, 0xBFC5, 0xBFC4],
        ),
    ];
    for (index, (scalar, ulp, tiny, expected)) in cases.into_iter().enumerate() {
        let buffer = |numbers: [f64; 4]| {
            let bits = numbers.map(|x| Const::from_f64(scalar, x).bits());
            Value::Buffer(scalar, bytes(scalar, &bits))
        };
        let args = [
            buffer([1.5, 1.5, -1.5, -1.5]),
            buffer([1.0 + 3.0 * ulp; 4]),
            buffer([tiny, -tiny, -tiny, tiny]),
            buffer([0.0; 4]),
        ];
        let found = host.run(index, [4, 1, 1], &args, false);
        assert_eq!(found, interpret(&module.kernels[index], [4, 1, 1], &args));
        assert_eq!(found[3], bytes(scalar, &expected));
    }
}

/// An `i1` in memory may be any byte, and is written as 0 or 1.
#[test]
fn booleans_in_memory() {
    let text = "kernel @copy(%x: ptr<i1>, %y: ptr<i1>, %flag: i1) {
        %i = range 0, 4
        %xs = splat %x : tile<4xptr<i1>>
        %px = addptr %xs, %i : tile<4xptr<i1>>
        %v = load %px : tile<4xptr<i1>>
        %fs = splat %flag : tile<4xi1>
        %w = xor %v, %fs : tile<4xi1>
        %ys = splat %y : tile<4xptr<i1>>
        %py = addptr %ys, %i : tile<4xptr<i1>>
        store %py, %w : tile<4xptr<i1>>
    }";
    let module = parse_module(text, "copy.ssa").unwrap();
    let host = Host::compile(&[&module.kernels[0]]);
    for (flag, expected) in [(false, [0, 1, 1, 1]), (true, [1, 0, 0, 0])] {
        let args = [
            Value::Buffer(Scalar::I1, vec![0, 1, 2, 255]),
            Value::Buffer(Scalar::I1, vec![9; 4]),
            Value::Number(Const::bool(flag)),
        ];
        assert_eq!(host.run(0, [1, 1, 1], &args, false)[1], expected);
    }
}
