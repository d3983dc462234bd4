//! Kernels in typed SSA and compiled ahead of time.

use mytriton::abi::{Code, CompiledKernel, DType as AbiType, ParamInfo, ParamKind};
use mytriton::runtime::nvrtc;
use mytriton::ssa::{Kernel, parse_module};
use mytriton::{Arg, Backend, Device, Error, LaunchOptions};

const SCALE: &str = "
kernel @scale(%x: ptr<f32> {divisibility = 16}, %n: i32 {divisibility = 16}, %a: f32) {
  %pid = program_id x
  %p = addptr %x, %pid : ptr<f32>
  %in = cmp lt %pid, %n : i32
  %v = load %p, %in : ptr<f32>
  %w = mul %v, %a : f32
  store %p, %w, %in : ptr<f32>
}";

fn scale() -> Kernel {
    let mut kernel = parse_module(&SCALE.replace(" {divisibility = 16}", ""), "scale.ssa")
        .unwrap()
        .kernels
        .remove(0);
    for param in &mut kernel.params_mut()[..2] {
        param.divisibility = 16;
    }
    kernel
}

fn compiled() -> CompiledKernel {
    CompiledKernel {
        name: "scale".to_owned(),
        code: Code::Ptx(".version 8.4".to_owned()),
        target: "sm_90a".to_owned(),
        params: vec![ParamInfo {
            name: "x".to_owned(),
            kind: ParamKind::Pointer(AbiType::F32),
            divisibility: 16,
        }],
        threads: 128,
        shared_bytes: 0,
        source_hash: 0,
        compiler: "0.1.0".to_owned(),
    }
}

#[test]
fn a_loaded_kernel_runs_again_and_again() {
    let device = Device::cpu();
    let program = device.load(&scale(), LaunchOptions::default()).unwrap();
    assert_eq!(program.name(), "scale");
    let names: Vec<_> = program
        .params()
        .iter()
        .map(|p| (p.name.as_str(), p.kind.to_string()))
        .collect();
    assert_eq!(
        names,
        [
            ("x", "ptr<f32>".to_owned()),
            ("n", "i32".to_owned()),
            ("a", "f32".to_owned())
        ]
    );
    assert!(program.function().is_none());
    let x = device.upload(&[1.0f32, 2.0]).unwrap();
    for _ in 0..3 {
        program
            .launch(2, &[Arg::from(&x), Arg::from(16), Arg::from(3.0f32)])
            .unwrap();
    }
    // Integers have no sign here.
    program
        .launch_on(&device, (2, 1), &[Arg::from(&x), Arg::from(16u32), Arg::from(1.0f32)])
        .unwrap();
    program
        .launch(0, &[Arg::from(&x), Arg::from(16), Arg::from(9.0f32)])
        .unwrap();
    assert_eq!(x.to_vec().unwrap(), [27.0, 54.0]);
}

#[test]
fn arguments_that_do_not_fit() {
    let device = Device::cpu();
    let program = device.load(&scale(), LaunchOptions::default()).unwrap();
    let x = device.zeros::<f32>(8).unwrap();
    let wide = device.zeros::<f64>(8).unwrap();
    let message = |args: &[Arg<'_>]| program.launch(1, args).unwrap_err().to_string();
    assert_eq!(
        message(&[Arg::from(&x)]),
        "kernel 'scale' takes 3 argument(s) (x, n, a), not 1"
    );
    assert_eq!(
        message(&[Arg::from(&wide), Arg::from(16), Arg::from(1.0f32)]),
        "kernel 'scale', argument 0 (`x`): the parameter is Ptr<f32>, the argument a buffer of f64"
    );
    assert_eq!(
        message(&[Arg::from(&x), Arg::from(16i64), Arg::from(1.0f32)]),
        "kernel 'scale', argument 1 (`n`): the parameter is i32, the argument a number of type i64"
    );
    assert_eq!(
        message(&[Arg::from(&x), Arg::from(-24), Arg::from(1.0f32)]),
        "kernel 'scale', argument 1 (`n`): -24 is not a multiple of 16, which this kernel was compiled for"
    );
    let part = message(&[Arg::from(x.slice(1..).unwrap()), Arg::from(16), Arg::from(1.0f32)]);
    assert!(
        part.contains("(`x`): address 0x") && part.contains("is not a multiple of 16"),
        "{part}"
    );
    let error = program.launch((1, 1 << 20), &[]).unwrap_err();
    assert!(matches!(error, Error::Grid { .. }), "{error}");
}

#[test]
fn kernels_that_are_not_valid_are_refused() {
    let device = Device::cpu();
    let mut kernel = scale();
    kernel.name = "no name".to_owned();
    let error = device.load(&kernel, LaunchOptions::default()).unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error}");
    let options = LaunchOptions {
        num_warps: 5,
        ..LaunchOptions::default()
    };
    assert!(matches!(device.load(&scale(), options), Err(Error::NumWarps(5))));
}

#[test]
fn a_compiled_kernel_needs_a_gpu() {
    let error = Device::cpu().load_compiled(&compiled()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel 'scale' was compiled for sm_90a: the CPU device runs kernels from their source alone"
    );
    let mut broken = compiled();
    broken.threads = 0;
    assert!(matches!(Device::cpu().load_compiled(&broken), Err(Error::Artefact(_))));
}

#[test]
fn kernels_are_compiled_ahead_of_time_without_a_gpu() {
    let options = LaunchOptions::default();
    let result = mytriton::compile(&scale(), "sm_80", options);
    if cfg!(not(feature = "jit")) {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::NoCompiler { .. }));
        assert!(error.to_string().contains("feature `jit`"), "{error}");
        return;
    }
    let compiled = result.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("scale.mtk");
    compiled.save(&path).unwrap();
    let read = CompiledKernel::load(&path).unwrap();
    assert_eq!(read, compiled);
    assert_eq!(
        (read.name.as_str(), read.threads, read.params[0].divisibility),
        ("scale", 128, 16)
    );
    let Code::Ptx(ptx) = &read.code else { panic!("no PTX") };
    assert!(ptx.contains(".target sm_80") && ptx.contains(".entry scale"), "{ptx}");
}

#[test]
fn the_cuda_backend_needs_nvrtc_alone() {
    let options = LaunchOptions {
        backend: Backend::CudaCpp,
        ..LaunchOptions::default()
    };
    let result = mytriton::compile(&scale(), "sm_80", options);
    if !nvrtc::is_present() {
        let required = std::env::var_os("MYTRITON_REQUIRE_TOOLS").is_some_and(|v| v == "1");
        assert!(!required, "NVRTC is required and not found");
        let error = result.unwrap_err();
        assert!(
            matches!(
                error,
                Error::Runtime(mytriton::runtime::Error::Nvrtc(nvrtc::Error::Missing))
            ),
            "{error}"
        );
        return;
    }
    let compiled = result.unwrap();
    assert!(matches!(compiled.code, Code::Cubin(_)) && compiled.params.len() == 3);
    // What later GPUs run too is PTX.
    let compiled = mytriton::compile(&scale(), "sm_90", options).unwrap();
    let Code::Ptx(ptx) = &compiled.code else {
        panic!("no PTX")
    };
    assert!(ptx.contains(&format!(".entry {}", compiled.name)), "{ptx}");
}

#[test]
fn unknown_targets_are_named_with_those_there_are() {
    for backend in [Backend::Mlir, Backend::CudaCpp] {
        let options = LaunchOptions {
            backend,
            ..LaunchOptions::default()
        };
        let error = mytriton::compile(&scale(), "sm_12", options).unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown target 'sm_12': it is one of sm_75, sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_103, sm_120"
        );
    }
}

#[cfg(feature = "jit")]
mod simt {
    use mytriton::SimtOptions;

    use super::*;

    #[test]
    fn a_loaded_kernel_runs_and_is_checked() {
        let device = Device::simt();
        let program = device.load(&scale(), LaunchOptions::default()).unwrap();
        assert!(program.function().is_none());
        let x = device.upload(&[1.0f32, 2.0]).unwrap();
        let args = || [Arg::from(&x), Arg::from(16), Arg::from(3.0f32)];
        program.launch(2, &args()).unwrap();
        program.launch_on(&device, 2, &args()).unwrap();
        assert_eq!(x.to_vec().unwrap(), [9.0, 18.0]);

        let counting = SimtOptions {
            count_accesses: true,
            ..SimtOptions::default()
        };
        let report = program.check_with(&counting, 2, &args()).unwrap();
        assert!(report.findings.is_empty() && report.thread_instructions > 0);
        assert!(!report.accesses.is_empty());
        // One program more than there are elements.
        let report = program.check(3, &args()).unwrap();
        assert!(
            report
                .findings
                .iter()
                .all(|finding| finding.kind.name() == "out-of-bounds")
        );
        let text = report.findings[0].to_string();
        assert!(text.starts_with("scale.ssa:6:3: "), "{text}");
        assert!(
            text.contains("block (2, 0, 0)") && text.contains("buffer 'x'"),
            "{text}"
        );
        assert!(matches!(program.launch(3, &args()), Err(Error::Simt { .. })));
        assert!(program.check(0, &args()).unwrap().findings.is_empty());
    }

    #[test]
    fn arguments_that_do_not_fit() {
        let device = Device::simt();
        let program = device.load(&scale(), LaunchOptions::default()).unwrap();
        let x = device.zeros::<f32>(8).unwrap();
        let part = x.slice(1..).unwrap();
        for args in [
            vec![Arg::from(&x)],
            vec![Arg::from(part), Arg::from(16), Arg::from(1.0f32)],
            vec![Arg::from(&x), Arg::from(24), Arg::from(1.0f32)],
        ] {
            let launched = program.launch(1, &args).unwrap_err().to_string();
            assert_eq!(program.check(1, &args).unwrap_err().to_string(), launched);
            assert!(launched.starts_with("kernel 'scale'"), "{launched}");
        }
    }

    #[test]
    fn other_devices_check_nothing() {
        let program = Device::cpu().load(&scale(), LaunchOptions::default()).unwrap();
        assert_eq!(
            program.check(1, &[]).unwrap_err().to_string(),
            "kernel 'scale' was loaded on the CPU device: the SIMT device alone checks kernels, load it on Device::simt()"
        );
        let error = program.launch_on(Device::simt(), 1, &[]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "kernel 'scale' was loaded on the CPU device, and is launched on the SIMT device: load it there too"
        );
        let error = Device::simt().load_compiled(&compiled()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "kernel 'scale' was compiled for sm_90a: the SIMT device runs kernels from their source alone"
        );
        let options = LaunchOptions {
            backend: Backend::CudaCpp,
            ..LaunchOptions::default()
        };
        assert!(matches!(
            Device::simt().load(&scale(), options),
            Err(Error::SimtBackend { .. })
        ));
    }
}
