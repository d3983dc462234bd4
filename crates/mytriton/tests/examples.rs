//! The examples on the CPU device, and what they are made of.

#[path = "../../../examples/all.rs"]
mod all;
#[path = "../../../examples/common/mod.rs"]
#[allow(clippy::duplicate_mod)]
mod common;

use std::fs;
use std::path::Path;

use all::gamma::{Picture, Samples, convert};
use common::{Random, compare};
use indicatif::ProgressBar;
use mytriton::Device;
use png::{BitDepth, ColorType};

/// Every example with sizes up to a largest one.
fn run_all(device: &Device, largest: usize) {
    let seed = rand::random();
    let mut failures = Vec::new();
    for example in all::ALL {
        for &size in example.sizes.iter().filter(|&&size| size <= largest) {
            match (example.run)(device, size, seed) {
                Ok(line) => println!("{line}"),
                Err(error) => failures.push(format!("{}, size {size}: {error:#}", example.name)),
            }
        }
    }
    assert!(failures.is_empty(), "seed {seed}:\n{}", failures.join("\n"));
}

#[test]
fn examples_agree_with_the_host() {
    run_all(&Device::cpu(), usize::MAX);
}

/// As they are compiled for GPUs, thread by thread.
#[cfg(feature = "jit")]
#[test]
fn examples_agree_with_the_host_on_the_simt_device() {
    run_all(&Device::simt(), 2000);
}

/// The variable decides about a process, so the quick start's test runs in one of its own.
#[cfg(feature = "jit")]
#[test]
fn a_variable_chooses_the_device() {
    let run = |device: &str| {
        let mut test = std::process::Command::new(std::env::current_exe().unwrap());
        test.args(["--exact", "the_quick_start_runs", "--nocapture"]);
        test.env("MYTRITON_DEVICE", device).output().unwrap()
    };
    for (device, name) in [("simt", "CPU (SIMT executor)"), ("cpu", "CPU (reference interpreter)")] {
        let output = run(device);
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && printed.contains(&format!("device:       {name}\n")),
            "{printed}"
        );
    }
    assert!(!run("tpu").status.success());
}

#[test]
fn the_quick_start_runs() {
    all::quickstart::main().unwrap();
}

#[test]
fn the_readme_shows_the_quick_start() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let example = fs::read_to_string(root.join("examples/quickstart.rs")).unwrap();
    let (_, code) = example.split_once("\n\n").unwrap();
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    assert!(
        readme.contains(&format!("```rust\n{code}```\n")),
        "README.md shows another program"
    );
}

#[test]
fn sizes_beyond_an_example_are_refused() {
    for example in all::ALL {
        let error = (example.run)(&Device::cpu(), usize::MAX, 0).unwrap_err().to_string();
        assert!(
            error.ends_with("this example takes at most 1073741824"),
            "{}: {error}",
            example.name
        );
    }
}

#[test]
fn devices_have_names() {
    assert!(common::open(Some("cpu")).unwrap().is_cpu());
    #[cfg(feature = "jit")]
    assert!(common::open(Some("simt")).unwrap().as_simt().is_some());
    for name in ["", "gpu", "CPU", "cuda:", "cuda:x", "cuda:-1", "cpu:0"] {
        let error = common::open(Some(name)).unwrap_err().to_string();
        assert!(error.starts_with(&format!("--device {name}: ")), "{error}");
    }
}

#[test]
fn random_data_depend_on_seed_and_array_alone() {
    let (mut a, mut b, mut c) = (Random::new(7), Random::new(7), Random::new(8));
    let first = a.floats(200_000, -1.0..1.0);
    assert_eq!(first, b.floats(200_000, -1.0..1.0));
    assert_eq!(first[..10], Random::new(7).floats(10, -1.0..1.0));
    assert_ne!(first[..10], a.floats(10, -1.0..1.0));
    assert_ne!(first[..10], c.floats(10, -1.0..1.0));
    assert_ne!(
        first[..10],
        first[1 << 16..][..10],
        "the next chunk has data of its own"
    );
    assert!(first.iter().all(|v| (-1.0..1.0).contains(v)));
}

#[test]
fn errors_within_the_tolerance_agree() {
    let agreement = compare("test", &[1.0f32, 2.25, -3.0], |i| ([1.0, 2.0, -3.0][i], 0.5)).unwrap();
    assert_eq!(agreement.elements, 3);
    assert_eq!((agreement.max_error, agreement.of_tolerance), (0.25, 0.5));
    assert!(compare("test", &[1.5f32], |_| (1.0, 0.25)).is_err());
    assert!(compare("test", &[1.5f32], |_| (1.0, 0.0)).is_err());
    assert!(compare("test", &[1.0f32], |_| (1.0, 0.0)).is_ok());
    assert!(compare("test", &[0.0f32; 0], |_| (1.0, 0.0)).is_ok());
}

#[test]
fn values_that_are_not_finite_agree_with_their_like_only() {
    let all = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0];
    for (i, got) in all.into_iter().enumerate() {
        for (j, value) in all.into_iter().enumerate() {
            let result = compare("test", &[got], |_| (value, f64::INFINITY));
            assert_eq!(result.is_ok(), i == j, "{got} for {value}");
        }
        assert!(compare("test", &[got], |_| (2.0, f64::NAN)).is_err());
    }
}

#[test]
fn the_worst_error_is_named() {
    let error = compare("sum", &[0.0f64, 5.0, 3.0], |_| (0.0, 1.0)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "sum: 2 of 3 elements are wrong; the worst is element 1: 5e0, but 0e0 is expected, with an error of at most 1e0"
    );
    // An element without error is not the worst, even if no error is allowed.
    let error = compare("sum", &[1.0f64, f64::NAN], |_| (1.0, 0.0)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("1 of 2 elements are wrong; the worst is element 1: NaN"),
        "{error}"
    );
}

fn corrected(input: &Path, output: &Path, gamma: f32) -> anyhow::Result<String> {
    convert(&Device::cpu(), input, output, gamma, &ProgressBar::hidden())
}

/// A name for each file of a directory.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn pictures_of_all_kinds_pass_through_files() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = (directory.path().join("in.png"), directory.path().join("out.png"));
    for color in [
        ColorType::Grayscale,
        ColorType::GrayscaleAlpha,
        ColorType::Rgb,
        ColorType::Rgba,
    ] {
        let count = 3 * 2 * color.samples();
        let eight = (0..count).map(|i| (i * 37 % 256) as u8).collect();
        let sixteen = (0..count).map(|i| (i * 9973 % 65536) as u16).collect();
        for samples in [Samples::Eight(eight), Samples::Sixteen(sixteen)] {
            Picture::new(3, 2, color, samples.clone())
                .unwrap()
                .write(&input)
                .unwrap();
            let read = Picture::read(&input).unwrap();
            assert_eq!((read.width, read.height, read.color), (3, 2, color));
            assert_eq!(read.samples, samples);

            corrected(&input, &output, 1.0).unwrap();
            assert_eq!(
                Picture::read(&output).unwrap().samples,
                samples,
                "a gamma of 1 changes nothing"
            );
            // 0 and the largest value stay, also for other gammas; `corrected` compares all else with the host.
            let line = corrected(&input, &output, 1.8).unwrap();
            assert!(line.contains("3 × 2"), "{line}");
            assert_eq!(Picture::read(&output).unwrap().samples.get(0), 0.0);
        }
    }
    assert_eq!(names(directory.path()), ["in.png", "out.png"]);
}

#[test]
fn the_sample_keeps_its_corners() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/assets/spheres.png");
    let directory = tempfile::tempdir().unwrap();
    let output = directory.path().join("out.png");
    corrected(&sample, &output, 2.2).unwrap();
    let (before, after) = (Picture::read(&sample).unwrap(), Picture::read(&output).unwrap());
    let alpha = |picture: &Picture| -> Vec<f64> {
        let alphas = (0..picture.samples.count()).skip(3).step_by(4);
        alphas.map(|i| picture.samples.get(i)).collect()
    };
    assert_eq!(alpha(&before), alpha(&after));
    assert_eq!(alpha(&before)[0], 0.0);
    let sum = |picture: &Picture| {
        (0..picture.samples.count())
            .map(|i| picture.samples.get(i))
            .sum::<f64>()
    };
    assert!(sum(&after) > 1.2 * sum(&before), "it is lighter");
}

#[test]
fn palettes_become_colours() {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("in.png");
    let mut encoder = png::Encoder::new(fs::File::create(&input).unwrap(), 3, 1);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Two);
    encoder.set_palette(vec![0, 0, 0, 255, 128, 0, 9, 9, 9]);
    encoder.set_trns(vec![255, 40]);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[0b00_01_10_00]).unwrap();
    writer.finish().unwrap();

    let picture = Picture::read(&input).unwrap();
    assert_eq!(picture.color, ColorType::Rgba);
    let expected = vec![0, 0, 0, 255, 255, 128, 0, 40, 9, 9, 9, 255];
    assert_eq!(picture.samples, Samples::Eight(expected));
}

#[test]
fn files_that_cannot_be_used_change_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let samples: Vec<u8> = Random::new(3).array(64 * 64, rand::RngExt::random);
    let picture = Picture::new(64, 64, ColorType::Grayscale, Samples::Eight(samples)).unwrap();
    picture.write(&path("good.png")).unwrap();
    let good = fs::read(path("good.png")).unwrap();
    fs::write(path("cut.png"), &good[..good.len() / 2]).unwrap();
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 1;
    fs::write(path("flipped.png"), flipped).unwrap();
    fs::write(path("text.png"), "no picture").unwrap();
    fs::write(path("empty.png"), "").unwrap();
    let mut animated = png::Encoder::new(fs::File::create(path("animated.png")).unwrap(), 1, 1);
    animated.set_animated(2, 0).unwrap();
    let mut writer = animated.write_header().unwrap();
    writer.write_image_data(&[1]).unwrap();
    writer.write_image_data(&[2]).unwrap();
    writer.finish().unwrap();
    fs::write(path("out.png"), "what was there").unwrap();
    let before = names(directory.path());

    for (name, reason) in [
        ("missing.png", "cannot open"),
        ("cut.png", "cannot be read as a PNG file"),
        ("flipped.png", "cannot be read as a PNG file"),
        ("text.png", "cannot be read as a PNG file: Invalid PNG signature"),
        ("empty.png", "cannot be read as a PNG file"),
        ("animated.png", "is animated, which is not supported"),
    ] {
        let error = format!("{:#}", corrected(&path(name), &path("out.png"), 2.0).unwrap_err());
        assert!(error.contains(name) && error.contains(reason), "{error}");
    }
    let error = corrected(&path("good.png"), &path("nowhere/out.png"), 2.0).unwrap_err();
    assert!(error.to_string().starts_with("cannot write"), "{error}");
    let error = corrected(&path("good.png"), directory.path(), 2.0).unwrap_err();
    assert!(error.to_string().starts_with("cannot write"), "{error}");

    assert_eq!(names(directory.path()), before);
    assert_eq!(fs::read_to_string(path("out.png")).unwrap(), "what was there");
    // A picture can take its own place.
    corrected(&path("good.png"), &path("good.png"), 2.0).unwrap();
    assert_ne!(fs::read(path("good.png")).unwrap(), good);
}

#[cfg(feature = "jit")]
mod compiled {
    use super::all;
    use mytriton::frontend::FrontendError;
    use mytriton::ssa::Kernel;
    use mytriton::{LaunchOptions, bf16, compile, f16};

    fn kernels() -> Result<Vec<Kernel>, FrontendError> {
        use all::activations::{gelu_erf, gelu_tanh, leaky_relu, logistic, relu};
        use all::gamma::correct_samples;
        use all::layer_norm::{layer_norm, layer_norm_backward, layer_norm_sum, rms_norm};
        use all::masked_copy::masked_copy;
        use all::softmax::{softmax, softmax_masked, softmax_online};
        Ok(vec![
            all::vector_add::vector_add::build(1024)?,
            all::saxpy::saxpy::build(512)?,
            relu::build::<f32>(512)?,
            relu::build::<f16>(512)?,
            relu::build::<bf16>(512)?,
            leaky_relu::build::<f32>(512)?,
            leaky_relu::build::<f16>(512)?,
            leaky_relu::build::<bf16>(512)?,
            logistic::build::<f32>(512)?,
            logistic::build::<f16>(512)?,
            logistic::build::<bf16>(512)?,
            gelu_erf::build::<f32>(512)?,
            gelu_erf::build::<f16>(512)?,
            gelu_erf::build::<bf16>(512)?,
            gelu_tanh::build::<f32>(512)?,
            gelu_tanh::build::<f16>(512)?,
            gelu_tanh::build::<bf16>(512)?,
            all::matrix_add::matrix_add::build(16, 32)?,
            masked_copy::build::<f32>(256)?,
            masked_copy::build::<i8>(256)?,
            all::loop_carried::horner::build(256)?,
            all::nested_loops::blur::build(64)?,
            all::grid_3d::heat_step::build(32, 4, 2)?,
            softmax::build::<f32>(1, 2048)?,
            softmax::build::<bf16>(8, 100)?,
            softmax_masked::build::<f16>(1, 1024)?,
            softmax_online::build::<f32>(4096)?,
            layer_norm::build::<f32>(1, 2048)?,
            layer_norm_backward::build::<bf16>(4, 256)?,
            layer_norm_sum::build::<f32>(8, 32)?,
            rms_norm::build::<f16>(2, 512)?,
            all::cross_entropy::cross_entropy::build::<bf16>(4096)?,
            all::transpose::transpose::build::<f32>(64, 64)?,
            all::transpose::transpose::build::<u8>(128, 64)?,
            all::transpose::copy_tiles::build::<f16>(64, 64)?,
            all::transpose::permute_3d::build::<f32>(2, 1, 0, 8, 4, 32)?,
            all::reductions::row_sum::build::<i8, i32>(512)?,
            all::reductions::column_sum::build::<bf16, f32>(16, 64)?,
            all::reductions::row_max::build::<f16>(512)?,
            all::reductions::row_argmax::build::<f32>(512)?,
            all::reductions::row_cumsum::build::<f32, f32>(512)?,
            all::histogram::occurrences::build::<u8>(1024, 256)?,
            all::histogram::binned::build(1024, 50)?,
            all::histogram::add_parts::build(16, 64)?,
            all::top_k::top_k::build(128, 8)?,
            all::top_k::sort_rows::build::<f16>(64)?,
            correct_samples::build::<u8>(1, false, 1024)?,
            correct_samples::build::<u8>(4, true, 1024)?,
            correct_samples::build::<u16>(3, false, 1024)?,
            correct_samples::build::<u16>(2, true, 1024)?,
        ])
    }

    /// For the oldest GPU and the newest; the GPU tests run them.
    #[test]
    fn kernels_compile_for_gpus() {
        let mut failures = Vec::new();
        for kernel in kernels().unwrap() {
            for target in ["sm_75", "sm_90a"] {
                if let Err(error) = compile(&kernel, target, LaunchOptions::DEFAULT) {
                    failures.push(format!("{} for {target}: {error}", kernel.name));
                }
            }
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }

    /// Rows whose length is known to be a multiple of 16 are read and written 16 bytes at a time; what is kept by row alone
    /// (mean and 1/sigma) is one element for each.
    #[test]
    fn rows_and_tiles_move_in_wide_accesses() {
        use all::layer_norm::layer_norm;
        use all::softmax::softmax;
        use all::transpose::transpose;
        use mytriton::abi::Code;
        use mytriton::frontend::{ConstexprValue, DType, KernelDef, Specialization};

        // The arguments that multiples of 16 are known of, the constants, warps, and stores that are narrow.
        type Row = (&'static str, &'static KernelDef, DType, usize, [i32; 2], u32, usize);
        let rows: [Row; 8] = [
            (
                "softmax of f32, a row",
                softmax::definition(),
                DType::F32,
                4,
                [1, 1024],
                4,
                0,
            ),
            (
                "softmax of f32, 16 rows",
                softmax::definition(),
                DType::F32,
                4,
                [16, 64],
                4,
                0,
            ),
            (
                "softmax of bf16, a row",
                softmax::definition(),
                DType::BF16,
                4,
                [1, 4096],
                8,
                0,
            ),
            (
                "layer norm of f32",
                layer_norm::definition(),
                DType::F32,
                8,
                [1, 2048],
                4,
                2,
            ),
            (
                "layer norm of f16",
                layer_norm::definition(),
                DType::F16,
                8,
                [1, 4096],
                8,
                2,
            ),
            (
                "transpose of f32",
                transpose::definition(),
                DType::F32,
                4,
                [64, 64],
                4,
                0,
            ),
            (
                "transpose of bf16",
                transpose::definition(),
                DType::BF16,
                4,
                [128, 64],
                4,
                0,
            ),
            ("transpose of u8", transpose::definition(), DType::U8, 4, [64, 64], 4, 0),
        ];
        let mut failures = Vec::new();
        for (what, definition, dtype, multiples, constants, num_warps, narrow_stores) in rows {
            let facts = (0..multiples).fold(Specialization::NONE, Specialization::with_divisible_by_16);
            let kernel = {
                let [a, b] = constants.map(ConstexprValue::I32);
                (definition.build)(&[ConstexprValue::DType(dtype), a, b], &facts).unwrap()
            };
            let options = LaunchOptions {
                num_warps,
                ..LaunchOptions::DEFAULT
            };
            let compiled = compile(&kernel, "sm_90a", options).unwrap();
            let Code::Ptx(text) = &compiled.code else {
                panic!("{what}: no PTX");
            };
            let accesses = |name: &str| -> Vec<&str> { text.lines().filter(|line| line.contains(name)).collect() };
            let narrow = |name: &str| {
                accesses(name)
                    .into_iter()
                    .filter(|line| !line.contains(".v4.b32"))
                    .count()
            };
            let (loads, stores) = (accesses("ld.global").len(), accesses("st.global").len());
            if loads == 0 || stores <= narrow_stores || narrow("ld.global") > 0 || narrow("st.global") != narrow_stores
            {
                let all = [accesses("ld.global"), accesses("st.global")].concat().join("\n");
                failures.push(format!("{what}:\n{all}"));
            }
        }
        assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    }
}
