//! What happens on machines without a driver, a GPU or NVRTC; each test also holds where they are there.

use mytriton_abi::Code;
use mytriton_runtime::nvrtc::{self, Options, Output};
use mytriton_runtime::{Cuda, Error};

#[test]
fn a_missing_driver_or_gpu_is_an_error_that_says_so() {
    match Cuda::open(10_000) {
        Err(Error::NoDriver) => {
            assert!(!Cuda::has_driver());
            let text = Error::NoDriver.to_string();
            assert!(
                text.contains("libcuda.so.1") && text.contains("Device::cpu()"),
                "{text}"
            );
        }
        Err(Error::NoDevice { ordinal: 10_000, count }) => assert_eq!(Cuda::count().unwrap(), count),
        other => panic!("{other:?}"),
    }
}

fn options(target: &str, output: Output) -> Options {
    Options {
        target: target.to_owned(),
        output,
        fmad: true,
        ..Options::default()
    }
}

/// Is NVRTC here? Where all tools are required, it must be.
fn has_nvrtc() -> bool {
    let required = std::env::var_os("MYTRITON_REQUIRE_TOOLS").is_some_and(|v| v == "1");
    assert!(nvrtc::is_present() || !required, "NVRTC is required and not found");
    nvrtc::is_present()
}

#[test]
fn what_nvrtc_cannot_take_is_refused_first() {
    for target in ["", "gfx90a", "sm_", "sm_x"] {
        let error = nvrtc::compile("", "k", &options(target, Output::Ptx)).unwrap_err();
        assert_eq!(error, nvrtc::Error::Target(target.to_owned()));
    }
    let error = nvrtc::compile("a\0b", "k", &options("sm_90a", Output::Ptx)).unwrap_err();
    assert_eq!(error, nvrtc::Error::ZeroCharacter("source"));
}

#[test]
fn cuda_is_compiled_or_nvrtc_is_said_to_be_missing() {
    let source = "extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] *= 2.0f; }";
    let ptx = nvrtc::compile(source, "twice", &options("sm_90a", Output::Ptx));
    if !has_nvrtc() {
        assert_eq!(ptx, Err(nvrtc::Error::Missing));
        return;
    }
    let Code::Ptx(ptx) = ptx.unwrap() else { panic!("no PTX") };
    assert!(ptx.contains(".target sm_90a") && ptx.contains(".entry twice"), "{ptx}");
    let cubin = nvrtc::compile(source, "twice", &options("sm_80", Output::Cubin)).unwrap();
    assert!(cubin.as_bytes().starts_with(b"\x7FELF"));
}

#[test]
fn errors_in_a_source_come_with_the_log() {
    if !has_nvrtc() {
        return;
    }
    let source = "extern \"C\" __global__ void broken(float* x) { x = y; }";
    let error = nvrtc::compile(source, "broken", &options("sm_90a", Output::Ptx)).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, nvrtc::Error::Compile { .. }), "{text}");
    assert!(text.contains("broken.cu(1)") && text.contains("\"y\""), "{text}");
    let error = nvrtc::compile("", "k", &options("sm_12", Output::Ptx)).unwrap_err();
    assert_eq!(error, nvrtc::Error::Target("sm_12".to_owned()));
}

#[test]
fn fusion_is_the_callers_choice() {
    if !has_nvrtc() {
        return;
    }
    let source = "extern \"C\" __global__ void f(float* x, float a, float b) { x[0] = x[0] * a + b; }";
    for fmad in [true, false] {
        let options = Options {
            fmad,
            ..options("sm_80", Output::Ptx)
        };
        let Code::Ptx(ptx) = nvrtc::compile(source, "f", &options).unwrap() else {
            panic!("no PTX")
        };
        assert_eq!(ptx.contains("fma.rn.f32"), fmad, "{ptx}");
    }
}
