//! Compiles generated kernels with NVRTC for targets of each generation; needs no GPU. Warnings that code can be blamed
//! for are errors.
//!
//! NVRTC is found by the dynamic loader, and its headers by `MYTRITON_CUDA_INCLUDE`, as `cargo xtask env` sets them.
//! Where they are missing the tests say so and pass, unless `MYTRITON_REQUIRE_TOOLS` is 1.

mod common;

use common::moving::{choices, layer_norm, moving, online, reductions, scans};
use common::{Random, Table, arithmetic, casts, random_kernel, structure};
use cudarc::nvrtc::{CompileError, CompileOptions, compile_ptx_with_opts};
use mytriton_codegen_cuda::{CudaSource, Options, generate};
use mytriton_ssa::{Kernel, Scalar};

const TARGETS: [&str; 4] = ["sm_75", "sm_80", "sm_90a", "sm_120"];

/// NVRTC's warnings that are on by default and concern a function's body: loss of digits, shifts and divisions that
/// are undefined, comparisons without point, statements without effect or never reached, unused variables.
const WARNINGS: &str =
    "39,61,62,63,68,69,111,128,163,174,175,177,179,181,186,187,188,190,222,514,546,549,550,552,940,1650,2361";

/// The directory of the CUDA headers, if the tools are there.
fn include() -> Option<String> {
    let found = |name: &str| {
        std::env::var(name)
            .ok()
            .filter(|path| std::path::Path::new(path).exists())
    };
    let (library, include) = (found("MYTRITON_NVRTC_LIB"), found("MYTRITON_CUDA_INCLUDE"));
    if library.is_some() && include.is_some() {
        return include;
    }
    let message = "NVRTC or its headers are missing: run `cargo xtask setup` and set what `cargo xtask env` prints";
    assert!(
        std::env::var("MYTRITON_REQUIRE_TOOLS").as_deref() != Ok("1"),
        "{message}"
    );
    eprintln!("skipped: {message}");
    None
}

/// Compiles to PTX; the message of NVRTC otherwise.
fn compile(cuda: &CudaSource, target: &str, include: &str) -> Result<String, String> {
    let mut options = vec![
        format!("--gpu-architecture={target}"),
        "--std=c++17".to_owned(),
        format!("--fmad={}", cuda.fp_fusion),
        format!("--diag-error={WARNINGS}"),
    ];
    if !cuda.headers.is_empty() {
        options.push(format!("--include-path={include}"));
    }
    let options = CompileOptions {
        options,
        name: Some(format!("{}.cu", cuda.entry)),
        ..CompileOptions::default()
    };
    match compile_ptx_with_opts(&cuda.source, options) {
        Ok(ptx) => Ok(ptx.to_src()),
        Err(CompileError::CompileError { log, .. }) => Err(log.to_string_lossy().into_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn check(kernels: &[&Kernel], targets: &[&str]) {
    let Some(include) = include() else { return };
    for kernel in kernels {
        for fp_fusion in [true, false] {
            let options = Options {
                fp_fusion,
                ..Options::default()
            };
            let cuda = generate(kernel, &options).unwrap();
            // The flag is the same for every target.
            for target in if fp_fusion { targets } else { &targets[..1] } {
                match compile(&cuda, target, &include) {
                    Ok(ptx) => {
                        assert!(ptx.contains(&format!(".visible .entry {}(", cuda.entry)), "{ptx}");
                        let barriers = ptx.contains("bar.sync") || ptx.contains("barrier.sync");
                        assert_eq!(barriers, cuda.source.contains("__syncthreads"), "{ptx}");
                    }
                    Err(log) => panic!("{target}: {log}\n{}", cuda.source),
                }
            }
        }
    }
}

#[test]
fn every_operation_on_every_type() {
    let mut tables: Vec<Table> = Vec::new();
    for scalar in Scalar::ALL {
        tables.push(arithmetic(scalar, true).unwrap());
        tables.push(casts(scalar).unwrap());
        tables.push(structure(scalar).unwrap());
    }
    let kernels: Vec<&Kernel> = tables.iter().map(|table| &table.kernel).collect();
    check(&kernels, &TARGETS);
}

#[test]
fn shown_kernels() {
    check(&common::shown().iter().collect::<Vec<_>>(), &TARGETS);
}

#[test]
fn reductions_and_movement() {
    let mut tiles = vec![
        layer_norm(3, 77).unwrap(),
        online(3, 700).unwrap(),
        reductions(Scalar::I64, &[100, 130], 0).unwrap(),
        scans(Scalar::F64, &[129, 128], 1).unwrap(),
        moving(Scalar::I64, &[70, 111]).unwrap(),
        choices(Scalar::I64, &[100, 130], 0, 13_000).unwrap(),
    ];
    for scalar in Scalar::ALL {
        tiles.push(reductions(scalar, &[5, 19], 1).unwrap());
        tiles.push(scans(scalar, &[19, 5, 20], 1).unwrap());
        tiles.push(moving(scalar, &[3, 4, 5]).unwrap());
        tiles.push(choices(scalar, &[5, 19], 1, 256).unwrap());
    }
    check(
        &tiles.iter().map(|tiles| &tiles.kernel).collect::<Vec<_>>(),
        &["sm_75", "sm_90a"],
    );
}

#[test]
fn random_kernels() {
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    let kernels: Vec<Kernel> = (0..12)
        .map(|i| random_kernel(&format!("random_{i}"), &mut random).unwrap())
        .collect();
    check(&kernels.iter().collect::<Vec<_>>(), &["sm_90a"]);
}

#[test]
fn fusion_is_the_flag() {
    let Some(include) = include() else { return };
    let text = "kernel @k(%x: ptr<f32>, %a: f32, %b: f32, %c: f32) {
        %p = mul %a, %b : f32
        %s = add %p, %c : f32
        store %x, %s : ptr<f32>
    }";
    let module = mytriton_ssa::parse_module(text, "k.ssa").unwrap();
    for fp_fusion in [true, false] {
        let options = Options {
            fp_fusion,
            places: false,
        };
        let cuda = generate(&module.kernels[0], &options).unwrap();
        let ptx = compile(&cuda, "sm_80", &include).unwrap();
        assert_eq!(ptx.contains("fma.rn.f32"), fp_fusion, "{ptx}");
    }
}
