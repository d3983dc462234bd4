//! Launches of `#[kernel]` kernels on the CPU device and on the SIMT device, and everything that can be wrong with one.

use mytriton::frontend::ConstexprValue;
use mytriton::prelude::*;
use mytriton::{Arg, ArgumentProblem, KernelCache, LaunchOptions, interp};

#[kernel]
fn saxpy(x: Ptr<f32>, y: Ptr<f32>, a: f32, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    let v = a * load(x + at).mask(mask) + load(y + at).mask(mask);
    store(y + at, v).mask(mask);
}

#[kernel]
fn copy<T>(from: Ptr<T>, to: Ptr<T>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    store(to + at, load(from + at).mask(at < n)).mask(at < n);
}

#[kernel]
fn where_am_i(out: Ptr<i32>) {
    let at = (program_id(2) * num_programs(1) + program_id(1)) * num_programs(0) + program_id(0);
    store(out + at, program_id(2) * 100 + program_id(1) * 10 + program_id(0));
}

#[kernel]
fn unmasked(x: Ptr<f32>, y: Ptr<f32>) {
    let at = program_id(0) * 4 + range(0, 4);
    store(y + at, load(x + at));
}

/// The arguments of `saxpy`, for launches with some of them wrong.
static SAXPY: KernelCache = KernelCache::new();

fn launch_saxpy(args: &[Arg<'_>]) -> Result<(), Error> {
    mytriton::launch(
        Device::cpu(),
        saxpy::definition(),
        &SAXPY,
        Grid(1),
        args,
        &[ConstexprValue::I32(4)],
    )
}

#[test]
fn saxpy_of_an_odd_length() {
    let device = Device::cpu();
    let n = 1000;
    let x = device.upload(&(0..n).map(|i| i as f32).collect::<Vec<_>>()).unwrap();
    let mut y = device.upload(&vec![1.0f32; n]).unwrap();
    saxpy::launch(&device, Grid(n.div_ceil(256)), &x, &mut y, 2.0, n as i32, 256).unwrap();
    let expected: Vec<f32> = (0..n).map(|i| 2.0 * i as f32 + 1.0).collect();
    assert_eq!(y.to_vec().unwrap(), expected);
    // With options, by value, and on what owns it.
    saxpy::launch(device.num_warps(8).fp_fusion(false), 4, &x, &mut y, 0.0, n as i32, 256).unwrap();
    saxpy::launch(device, 4, &x, &y, 0.0, n as i32, 256).unwrap();
    assert_eq!(y.to_vec().unwrap(), expected);
}

#[test]
fn elements_of_every_type() {
    fn check<T: Element>(values: &[T]) {
        let device = Device::cpu();
        let from = device.upload(values).unwrap();
        let mut to = device.zeros::<T>(values.len()).unwrap();
        copy::launch::<T>(&device, 2, &from, &mut to, values.len() as i32, 2).unwrap();
        assert_eq!(to.to_vec().unwrap(), values, "{}", T::DTYPE);
    }
    check(&[true, false, true]);
    check(&[i8::MIN, 0, 7]);
    check(&[i16::MIN, 0, 7]);
    check(&[i32::MIN, 0, 7]);
    check(&[i64::MIN, 0, 7]);
    check(&[u8::MAX, 0, 7]);
    check(&[u16::MAX, 0, 7]);
    check(&[u32::MAX, 0, 7]);
    check(&[u64::MAX, 0, 7]);
    check(&[f16::MAX, f16::NEG_ZERO, f16::from_f32(0.1)]);
    check(&[bf16::MIN, bf16::INFINITY, bf16::from_f32(0.1)]);
    check(&[f32::MAX, f32::NEG_INFINITY, 0.1]);
    check(&[f64::MIN_POSITIVE, -0.0, 0.1]);
}

#[test]
fn grids_of_three_dimensions() {
    let device = Device::cpu();
    let out = device.zeros::<i32>(24).unwrap();
    where_am_i::launch(&device, (2, 3, 4), &out).unwrap();
    let expected: Vec<i32> = (0..24).map(|i| i / 6 * 100 + i / 2 % 3 * 10 + i % 2).collect();
    assert_eq!(out.to_vec().unwrap(), expected);
}

#[test]
fn a_grid_with_a_zero_launches_nothing_but_checks_arguments() {
    let device = Device::cpu();
    let out = device.upload(&[-1]).unwrap();
    for grid in [Grid(0), Grid((1, 0)), Grid((5, 5, 0))] {
        where_am_i::launch(&device, grid, &out).unwrap();
    }
    assert_eq!(out.to_vec().unwrap(), [-1]);
    let error = mytriton::launch(&device, saxpy::definition(), &SAXPY, Grid(0), &[], &[]).unwrap_err();
    assert!(matches!(error, Error::ArgumentCount { .. }), "{error}");
}

#[test]
fn grids_beyond_the_limits() {
    let device = Device::cpu();
    let out = device.zeros::<i32>(1).unwrap();
    for (grid, message) in [
        (Grid(-3), "grid of -3 programs along x: 0 to 2147483647 are possible"),
        (
            Grid(1u32 << 31),
            "grid of 2147483648 programs along x: 0 to 2147483647 are possible",
        ),
        (
            Grid((1, 65_536)),
            "grid of 65536 programs along y: 0 to 65535 are possible",
        ),
        (
            Grid((1, 1, 1_000_000)),
            "grid of 1000000 programs along z: 0 to 65535 are possible",
        ),
    ] {
        let error = where_am_i::launch(&device, grid, &out).unwrap_err();
        assert_eq!(error.to_string(), format!("kernel 'where_am_i': {message}"));
    }
}

#[test]
fn parts_of_buffers_are_pointers_with_an_offset() {
    let device = Device::cpu();
    let x = device.upload(&[0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
    let y = device.zeros::<f32>(6).unwrap();
    // Misaligned for vector accesses, which must change nothing.
    copy::launch::<f32>(&device, 1, x.slice(1..4).unwrap(), &y.slice(2..).unwrap(), 3, 4).unwrap();
    assert_eq!(y.to_vec().unwrap(), [0.0, 0.0, 1.0, 2.0, 3.0, 0.0]);
    let part = y.slice(2..).unwrap().slice(1..=2).unwrap();
    assert_eq!((part.len(), part.to_vec().unwrap()), (2, vec![2.0, 3.0]));
    assert!(y.slice(6..).unwrap().is_empty());
    for error in [y.slice(7..), y.slice(..7), y.slice(2..4).unwrap().slice(..3)].map(Result::unwrap_err) {
        assert!(matches!(error, Error::Range { .. }), "{error}");
    }
    #[allow(clippy::reversed_empty_ranges)]
    let error = y.slice(3..1).unwrap_err();
    assert_eq!(error.to_string(), "elements 3 to 1 of a buffer of 6");
}

#[test]
fn copies_to_and_from_buffers() {
    let device = Device::cpu();
    let mut x = device.zeros::<u16>(3).unwrap();
    x.copy_from(&[1, 2, 3]).unwrap();
    assert_eq!(x.to_vec().unwrap(), [1, 2, 3]);
    let error = x.copy_from(&[1, 2]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "2 elements copied to a buffer of 3: the lengths must be equal"
    );
    let empty = device.upload::<f64>(&[]).unwrap();
    assert!(empty.is_empty() && empty.to_vec().unwrap().is_empty());
    assert!(empty.device().is_cpu());
}

#[test]
fn more_memory_than_there_is() {
    let device = Device::cpu();
    for len in [usize::MAX, 1 << 45] {
        let error = device.zeros::<f64>(len).unwrap_err();
        assert!(
            matches!(error, Error::CpuMemory(interp::MemoryError::OutOfMemory { .. })),
            "{error}"
        );
    }
    // The device goes on working.
    assert_eq!(device.zeros::<u8>(2).unwrap().to_vec().unwrap(), [0, 0]);
}

#[test]
fn the_wrong_number_of_arguments() {
    let x = Device::cpu().zeros::<f32>(4).unwrap();
    let error = launch_saxpy(&[Arg::from(&x), Arg::from(&x), Arg::from(1.0f32)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel 'saxpy' takes 4 argument(s) (x, y, a, n), not 3"
    );
    let five = [
        Arg::from(&x),
        Arg::from(&x),
        Arg::from(1.0f32),
        Arg::from(4),
        Arg::from(4),
    ];
    let error = launch_saxpy(&five).unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel 'saxpy' takes 4 argument(s) (x, y, a, n), not 5"
    );
}

#[test]
fn arguments_of_the_wrong_type() {
    let device = Device::cpu();
    let x = device.zeros::<f32>(4).unwrap();
    let halves = device.zeros::<f16>(4).unwrap();
    let message = |args: [Arg<'_>; 4]| launch_saxpy(&args).unwrap_err().to_string();
    assert_eq!(
        message([Arg::from(&x), Arg::from(&halves), Arg::from(1.0f32), Arg::from(4)]),
        "kernel 'saxpy', argument 1 (`y`): the parameter is Ptr<f32>, the argument a buffer of f16"
    );
    assert_eq!(
        message([Arg::from(1.0f32), Arg::from(&x), Arg::from(1.0f32), Arg::from(4)]),
        "kernel 'saxpy', argument 0 (`x`): the parameter is Ptr<f32>, the argument a number of type f32"
    );
    assert_eq!(
        message([Arg::from(&x), Arg::from(&x), Arg::from(1.0f64), Arg::from(4)]),
        "kernel 'saxpy', argument 2 (`a`): the parameter is f32, the argument a number of type f64"
    );
    assert_eq!(
        message([Arg::from(&x), Arg::from(&x), Arg::from(1.0f32), Arg::from(4u32)]),
        "kernel 'saxpy', argument 3 (`n`): the parameter is i32, the argument a number of type u32"
    );
    assert_eq!(
        message([Arg::from(&x), Arg::from(&x), Arg::from(1.0f32), Arg::from(&x)]),
        "kernel 'saxpy', argument 3 (`n`): the parameter is i32, the argument a buffer of f32"
    );
}

#[test]
fn compile_time_values_that_do_not_fit() {
    let x = Device::cpu().zeros::<f32>(4).unwrap();
    let launch = |constexprs: &[ConstexprValue]| {
        let args = [Arg::from(&x), Arg::from(&x), Arg::from(1.0f32), Arg::from(4)];
        mytriton::launch(Device::cpu(), saxpy::definition(), &SAXPY, Grid(1), &args, constexprs).unwrap_err()
    };
    for constexprs in [&[][..], &[ConstexprValue::F32(1.0)], &[ConstexprValue::I32(-5)]] {
        let error = launch(constexprs);
        assert!(matches!(error, Error::Build(_)), "{error}");
    }
    assert!(
        launch(&[])
            .to_string()
            .contains("0 compile-time value(s) were given; it has 1: BLOCK")
    );
}

#[test]
fn options_that_do_not_fit() {
    let device = Device::cpu();
    let out = device.zeros::<i32>(1).unwrap();
    for num_warps in [0, 3, 64] {
        let error = where_am_i::launch(device.num_warps(num_warps), 1, &out).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("num_warps is {num_warps}: it must be a power of two from 1 to 32")
        );
    }
    let options = LaunchOptions {
        backend: Backend::CudaCpp,
        ..LaunchOptions::default()
    };
    where_am_i::launch(device.options(options), 1, &out).unwrap();
}

#[test]
fn accesses_out_of_bounds_name_line_program_and_index() {
    let device = Device::cpu();
    let x = device.zeros::<f32>(10).unwrap();
    let y = device.zeros::<f32>(12).unwrap();
    let error = unmasked::launch(&device, 3, &x, &y).unwrap_err();
    let Error::Interp(interp::InterpError::Program(fault)) = &error else {
        panic!("{error}");
    };
    assert_eq!((fault.program, fault.element.as_deref()), ([2, 0, 0], Some(&[2][..])));
    let line = unmasked::definition().line + 2;
    let text = error.to_string();
    assert!(text.contains(&format!("launch.rs:{line}:")), "{text}");
    assert!(
        text.ends_with(
            "reads f32 element 10 (byte 40) of buffer 'x', which has 10 elements (40 bytes); is a mask missing?"
        ),
        "{text}"
    );
    // A store of too much, with the name of the other parameter.
    let text = unmasked::launch(&device, 3, &y, &x).unwrap_err().to_string();
    assert!(
        text.contains("writes f32 element 10") && text.contains("buffer 'y'"),
        "{text}"
    );
    // Everything stays usable.
    unmasked::launch(&device, 2, &x, &y).unwrap();
}

#[test]
fn buffers_of_no_device_that_is_there() {
    // The address of a part one past the end is fine, reading there is not.
    let device = Device::cpu();
    let x = device.zeros::<f32>(4).unwrap();
    let error = unmasked::launch(&device, 1, x.slice(4..).unwrap(), &x).unwrap_err();
    assert!(error.to_string().contains("element 4"), "{error}");
}

#[test]
fn launches_from_many_threads_and_inside_rayon() {
    use rayon::prelude::*;
    // Each task makes buffers while others launch: a lock held by a thread that does other tasks would hang.
    let sums: Vec<f32> = (0..200)
        .into_par_iter()
        .map(|i| {
            let device = Device::cpu();
            let x = device.upload(&[i as f32; 64]).unwrap();
            let mut y = device.zeros::<f32>(64).unwrap();
            saxpy::launch(&device, 16, &x, &mut y, 1.0, 64, 4).unwrap();
            y.to_vec().unwrap().iter().sum()
        })
        .collect();
    assert_eq!(sums, (0..200).map(|i| 64.0 * i as f32).collect::<Vec<_>>());
}

#[test]
fn a_missing_gpu_is_an_error_and_the_cpu_remains() {
    match Device::cuda(10_000) {
        Err(Error::Runtime(error)) => {
            use mytriton::runtime::Error as E;
            assert!(matches!(error, E::NoDriver | E::NoDevice { .. }), "{error}");
        }
        other => panic!("{other:?}"),
    }
    assert!(Device::cpu().is_cpu());
    Device::cpu().synchronize().unwrap();
    assert!(Device::cpu().memory().unwrap().is_none() && Device::cpu().stream().is_none());
}

#[test]
fn problems_of_arguments_are_values() {
    let error = launch_saxpy(&[Arg::from(1u8), Arg::from(1u8), Arg::from(1u8), Arg::from(1u8)]).unwrap_err();
    let Error::Argument { index: 0, problem, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(
        problem,
        ArgumentProblem::Type {
            expected: "Ptr<f32>".to_owned(),
            found: "a number of type u8".to_owned()
        }
    );
}

#[cfg(feature = "jit")]
mod simt {
    use mytriton::SimtOptions;
    use mytriton::simt::FindingKind;

    use super::*;

    #[kernel]
    fn collide(out: Ptr<i32>) {
        store(out, program_id(0));
    }

    #[kernel]
    fn mix<T>(x: Ptr<T>, out: Ptr<T>, a: T, n: i32, #[constexpr] ROWS: i32, #[constexpr] COLS: i32) {
        let rows = program_id(0) * ROWS + range(0, ROWS);
        let cols = range(0, COLS);
        let (r, c) = (rows.at(.., None), cols.at(None, ..));
        let mask = r < n;
        let mut v = load(x + (r * COLS + c)).mask(mask).other(1);
        for _ in 0..3 {
            v = where_(v < a, v + v * a, v - a) + load(x + cols);
        }
        store(out + (r * COLS + c), v).mask(mask);
    }

    fn shared(report: &mytriton::simt::Report) -> Vec<&'static str> {
        report.findings.iter().map(|finding| finding.kind.name()).collect()
    }

    #[test]
    fn saxpy_of_an_odd_length_is_that_of_the_cpu_device() {
        let n = 1000;
        let x: Vec<f32> = (0..n).map(|i| (i as f32).sin()).collect();
        let y: Vec<f32> = (0..n).map(|i| (i as f32).cos()).collect();
        let saxpy_on = |on: mytriton::On<'_>, device: &Device, from: usize| {
            let (x, y) = (device.upload(&x).unwrap(), device.upload(&y).unwrap());
            let len = (n - from) as i32;
            let grid = (n - from).div_ceil(256);
            // Parts that begin anywhere are other facts, and other code.
            saxpy::launch(
                on,
                grid,
                x.slice(from..).unwrap(),
                y.slice(from..).unwrap(),
                2.5,
                len,
                256,
            )
            .unwrap();
            y.to_vec().unwrap()
        };
        for from in [0, 4, 3] {
            let expected = saxpy_on(Device::cpu().num_warps(4), &Device::cpu(), from);
            for num_warps in [1, 4, 32] {
                let device = Device::simt_with(SimtOptions {
                    seed: num_warps.into(),
                    ..SimtOptions::default()
                });
                assert_eq!(
                    saxpy_on(device.num_warps(num_warps), &device, from),
                    expected,
                    "from {from}, {num_warps} warps"
                );
            }
        }
    }

    #[test]
    fn elements_of_every_type() {
        fn check<T: Element>(values: &[T], a: T) {
            let run = |device: &Device| {
                let x = device.upload(values).unwrap();
                let copied = device.zeros::<T>(values.len()).unwrap();
                let mut mixed = device.zeros::<T>(values.len()).unwrap();
                copy::launch::<T>(device, 2, &x, &copied, values.len() as i32, 32).unwrap();
                mix::launch::<T>(device, 3, &x, &mut mixed, a, values.len() as i32 / 4, 4, 4).unwrap();
                (copied.to_vec().unwrap(), mixed.to_vec().unwrap())
            };
            let (copied, mixed) = run(&Device::simt());
            assert_eq!(copied, values, "{}", T::DTYPE);
            assert_eq!(mixed, run(&Device::cpu()).1, "{}", T::DTYPE);
        }
        let numbers = || (0..40i8).map(|i| i.wrapping_mul(37));
        check(&numbers().collect::<Vec<i8>>(), 3);
        check(&numbers().map(i16::from).collect::<Vec<_>>(), 3);
        check(&numbers().map(i32::from).collect::<Vec<_>>(), -3);
        check(&numbers().map(i64::from).collect::<Vec<_>>(), 3);
        check(&numbers().map(|v| v as u8).collect::<Vec<_>>(), 3);
        check(&numbers().map(|v| v as u32).collect::<Vec<_>>(), 3);
        check(
            &numbers().map(|v| f16::from_f32(v.into())).collect::<Vec<_>>(),
            f16::from_f32(0.5),
        );
        check(
            &numbers().map(|v| bf16::from_f32(v.into())).collect::<Vec<_>>(),
            bf16::from_f32(0.5),
        );
        check(&numbers().map(f32::from).collect::<Vec<_>>(), 0.5);
        check(&numbers().map(f64::from).collect::<Vec<_>>(), 0.5);
        let device = Device::simt();
        let truths = [true, false, true];
        let (x, out) = (device.upload(&truths).unwrap(), device.zeros::<bool>(3).unwrap());
        copy::launch::<bool>(&device, 1, &x, &out, 3, 4).unwrap();
        assert_eq!(out.to_vec().unwrap(), truths);
    }

    #[test]
    fn grids_of_three_dimensions_and_of_none() {
        let device = Device::simt();
        let out = device.zeros::<i32>(24).unwrap();
        where_am_i::launch(&device, (2, 3, 4), &out).unwrap();
        let expected: Vec<i32> = (0..24).map(|i| i / 6 * 100 + i / 2 % 3 * 10 + i % 2).collect();
        assert_eq!(out.to_vec().unwrap(), expected);
        where_am_i::launch(&device, (5, 0), &device.zeros::<i32>(0).unwrap()).unwrap();
        let error = where_am_i::launch(&device, -1, &out).unwrap_err();
        assert!(matches!(error, Error::Grid { .. }), "{error}");
    }

    #[test]
    fn accesses_out_of_bounds_name_line_block_thread_and_parameter() {
        let device = Device::simt();
        let x = device.zeros::<f32>(10).unwrap();
        let mut y = device.upload(&[1.0f32; 12]).unwrap();
        let error = unmasked::launch(device.num_warps(1), 3, &x, &mut y).unwrap_err();
        let text = error.to_string();
        let line = unmasked::definition().line + 2;
        assert!(text.contains(&format!("launch.rs:{line}:")), "{text}");
        assert!(
            text.contains("kernel 'unmasked', block (2, 0, 0), thread (2, 0, 0)"),
            "{text}"
        );
        assert!(
            text.contains("out of bounds: reads 4 bytes at byte 40 of buffer 'x', which has 40; is a mask missing?"),
            "{text}"
        );
        let Error::Simt { kernel, report } = error else {
            panic!("{text}");
        };
        assert_eq!((kernel.as_str(), shared(&report)), ("unmasked", vec!["out-of-bounds"]));
        // What was written before stays, and everything stays usable.
        assert_eq!(y.to_vec().unwrap()[..8], [0.0; 8]);
        unmasked::launch(&device, 2, &x, &mut y).unwrap();
    }

    #[test]
    fn programs_that_race_are_found() {
        let device = Device::simt();
        let out = device.upload(&[-1]).unwrap();
        collide::launch(&device, 1, &out).unwrap();
        let error = collide::launch(&device, 4, &out).unwrap_err();
        let text = error.to_string();
        let line = collide::definition().line + 1;
        assert!(
            text.contains(&format!("launch.rs:{line}:")) && text.contains("data race"),
            "{text}"
        );
        assert!(text.contains("byte 0 of buffer 'out'") && !text.contains('#'), "{text}");
        let Error::Simt { report, .. } = error else {
            panic!("{text}");
        };
        assert!(
            report
                .findings
                .iter()
                .all(|finding| matches!(finding.kind, FindingKind::Race { .. })),
            "{text}"
        );
        // Only where races are looked for.
        let unchecked = Device::simt_with(SimtOptions {
            check_races: false,
            ..SimtOptions::default()
        });
        collide::launch(&unchecked, 4, &out).unwrap();
        assert!((0..4).contains(&out.to_vec().unwrap()[0]));
    }

    #[test]
    fn devices_share_memory_and_nothing_else() {
        let device = Device::simt();
        assert_eq!(
            (device.name().as_str(), device.is_cpu()),
            ("CPU (SIMT executor)", false)
        );
        assert!(device.as_cuda().is_none() && device.stream().is_none() && device.memory().unwrap().is_none());
        device.synchronize().unwrap();
        let other = Device::simt_with(SimtOptions {
            seed: 9,
            ..SimtOptions::default()
        });
        let mut out = other.zeros::<i32>(1).unwrap();
        assert_eq!(out.device().as_simt().map(|options| options.seed), Some(9));
        where_am_i::launch(&device, 1, &out).unwrap();
        out.copy_from(&[5]).unwrap();
        assert_eq!(out.slice(..).unwrap().to_vec().unwrap(), [5]);
        let error = where_am_i::launch(Device::cpu(), 1, &out).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("the buffer is on the SIMT device, the launch on the CPU device: make the buffer there")
        );
        let error = where_am_i::launch(&device, 1, &Device::cpu().zeros::<i32>(1).unwrap()).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("the buffer is on the CPU device, the launch on the SIMT device: make the buffer there")
        );
        let error = device.zeros::<f64>(usize::MAX).unwrap_err();
        assert!(matches!(error, Error::SimtMemory(_)), "{error}");
    }

    #[test]
    fn options_that_do_not_fit() {
        let device = Device::simt();
        let out = device.zeros::<i32>(1).unwrap();
        let error = where_am_i::launch(device.num_warps(3), 1, &out).unwrap_err();
        assert!(matches!(error, Error::NumWarps(3)), "{error}");
        let error = where_am_i::launch(device.backend(Backend::CudaCpp), 1, &out).unwrap_err();
        assert_eq!(
            error.to_string(),
            "kernel 'where_am_i': the SIMT device runs what the MLIR compiler makes; Backend::CudaCpp is for GPUs"
        );
    }

    #[test]
    fn launches_from_many_threads() {
        use rayon::prelude::*;
        let sums: Vec<f32> = (0..40)
            .into_par_iter()
            .map(|i| {
                let device = Device::simt();
                let x = device.upload(&[i as f32; 64]).unwrap();
                let mut y = device.zeros::<f32>(64).unwrap();
                saxpy::launch(&device, 4, &x, &mut y, 1.0, 64, 16).unwrap();
                y.to_vec().unwrap().iter().sum()
            })
            .collect();
        assert_eq!(sums, (0..40).map(|i| 64.0 * i as f32).collect::<Vec<_>>());
    }
}
