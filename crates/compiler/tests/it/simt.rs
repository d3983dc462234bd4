//! Programs of the SIMT executor, and kernels after each pass, run and compared with the interpreter.

use mytriton_compiler::{
    CompileOptions, Form, GpuParam, Stage, Target, emit, is_gpu_stage, pipeline, read_gpu, simt, steps,
};
use mytriton_interp as interp;
use mytriton_simt as machine;
use mytriton_ssa::{Kernel, Scalar, parse_module};

const KERNEL: &str = "kernel @k(%x: ptr<i32> {divisibility = 16}, %out: ptr<i32>, %n: i32) {
  %pid = program_id x
  %size = const 64 : i32
  %start = mul %pid, %size : i32
  %starts = splat %start : tile<64xi32>
  %lane = range 0, 64
  %at = add %starts, %lane : tile<64xi32>
  %ns = splat %n : tile<64xi32>
  %mask = cmp lt %at, %ns : tile<64xi32>
  %xs = splat %x : tile<64xptr<i32>>
  %x_at = addptr %xs, %at : tile<64xptr<i32>>
  %v = load %x_at, %mask : tile<64xptr<i32>>
  %w = mul %v, %v : tile<64xi32>
  %y = add %w, %at : tile<64xi32>
  %outs = splat %out : tile<64xptr<i32>>
  %out_at = addptr %outs, %at : tile<64xptr<i32>>
  store %out_at, %y, %mask : tile<64xptr<i32>>
}";

const N: usize = 150;

fn kernel() -> Kernel {
    parse_module(KERNEL, "k.ssa").unwrap().kernels.remove(0)
}

fn input() -> Vec<u8> {
    (0..N as i32).flat_map(|i| (i * 7 - 300).to_le_bytes()).collect()
}

fn interpreted(kernel: &Kernel) -> Vec<u8> {
    let mut memory = interp::Memory::new();
    let x = memory.add_buffer("x", Scalar::I32, &input()).unwrap();
    let out = memory.add_zeros("out", Scalar::I32, N as u64).unwrap();
    let n = interp::Argument::Scalar(mytriton_ssa::Const::from_int(Scalar::I32, N as i128));
    let args = [interp::Argument::buffer(x), interp::Argument::buffer(out), n];
    interp::run(kernel, [3, 1, 1], &args, &memory, &interp::Options::default()).unwrap();
    memory.read_back(out).unwrap()
}

fn executed(program: &machine::Program) -> Vec<u8> {
    let mut memory = machine::Memory::new();
    let x = memory.add_buffer("x", &input()).unwrap();
    let out = memory.add_zeros("out", 4 * N as u64).unwrap();
    let args = [memory.address(x).unwrap(), memory.address(out).unwrap(), N as u64];
    let launch = machine::Launch {
        grid: [3, 1, 1],
        block: program.block.unwrap(),
        dynamic_shared_bytes: 0,
    };
    let report = machine::run(program, launch, &args, &memory, &machine::Options::default()).unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    memory.read_back(out).unwrap()
}

#[test]
fn what_goes_on_to_ptx_computes_the_same() {
    let kernel = kernel();
    let expected = interpreted(&kernel);
    assert!(expected.iter().any(|&byte| byte != 0));
    for num_warps in [1, 2, 32] {
        let options = CompileOptions {
            num_warps,
            ..CompileOptions::new(Target::Sm90a)
        };
        let program = simt(&kernel, &options).unwrap();
        assert_eq!(
            (program.name.as_str(), program.block),
            ("k", Some([32 * num_warps, 1, 1]))
        );
        assert_eq!(
            program.params.iter().map(|param| param.bits).collect::<Vec<_>>(),
            [64, 64, 32]
        );
        assert_eq!(executed(&program), expected);
    }
    let options = CompileOptions {
        num_warps: 3,
        ..CompileOptions::new(Target::Sm90a)
    };
    let error = simt(&kernel, &options).unwrap_err();
    assert!(error.message.contains("num_warps is 3"), "{error}");
}

#[test]
fn each_step_computes_the_same() {
    let kernel = kernel();
    let expected = interpreted(&kernel);
    let steps = steps(&kernel, &CompileOptions::new(Target::Sm90a)).unwrap();
    let names: Vec<&str> = steps.iter().map(|step| step.after.as_str()).collect();
    let (to_gpu, to_layout) = (names.len() - 3, &names[1..names.len() - 3]);
    assert_eq!(names[0], "from-ssa");
    assert_eq!(names[to_gpu..], ["convert-tile-to-gpu", "canonicalize", "cse"]);
    assert_eq!(to_layout.first(), Some(&"tile-assign-layouts"));
    for optional in pipeline::OPTIONAL {
        assert!(to_layout.contains(optional), "{optional} among {names:?}");
    }
    let mut lengths = Vec::new();
    for step in &steps {
        let found = match &step.form {
            Form::Ssa(kernel) => interpreted(kernel),
            Form::Simt(program) => {
                lengths.push(program.code.len());
                executed(program)
            }
        };
        assert_eq!(found, expected, "after {}", step.after);
    }
    // They are what the passes make, one after another: each takes something away.
    let ends = &lengths[lengths.len() - 3..];
    assert!(ends[0] > ends[2], "{lengths:?}");
    let whole = simt(&kernel, &CompileOptions::new(Target::Sm90a)).unwrap();
    assert_eq!(lengths.last(), Some(&whole.code.len()));
}

#[test]
fn what_is_printed_in_the_gpu_stage_is_read_again() {
    let options = CompileOptions::new(Target::Sm90a);
    let kernel = kernel();
    let text = emit(&kernel, Stage::Gpu, &options).unwrap();
    assert!(is_gpu_stage(&text) && !is_gpu_stage(&emit(&kernel, Stage::Layout, &options).unwrap()));
    let kernels = read_gpu(&text, "k.mlir").unwrap();
    assert_eq!(kernels.len(), 1);
    assert_eq!(
        kernels[0].params,
        [Scalar::I64, Scalar::I64, Scalar::I32].map(GpuParam::Scalar)
    );
    assert_eq!(executed(&kernels[0].program), interpreted(&kernel));
}

#[test]
fn parameters_are_what_their_types_say() {
    let text = "gpu.module @m {
      gpu.func @a(%x: memref<4xf32>, %p: !llvm.ptr<1>, %i: index, %h: bf16, %b: i1) kernel { gpu.return }
      func.func private @none()
      gpu.func @device(%x: f32) { gpu.return }
      gpu.func @b() kernel { gpu.return }
    }";
    let kernels = read_gpu(text, "m.mlir").unwrap();
    let names: Vec<&str> = kernels.iter().map(|kernel| kernel.program.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(
        kernels[0].params,
        [
            GpuParam::Pointer(Some(Scalar::F32)),
            GpuParam::Pointer(None),
            GpuParam::Scalar(Scalar::I64),
            GpuParam::Scalar(Scalar::BF16),
            GpuParam::Scalar(Scalar::I1),
        ]
    );
    assert!(kernels[1].params.is_empty());
}

#[test]
fn texts_that_are_no_kernels_are_told_with_their_place() {
    let broken = read_gpu(
        "gpu.module @m {\n  gpu.func @k(%x: f33) kernel { gpu.return }\n}",
        "m.mlir",
    )
    .unwrap_err();
    assert!(broken.starts_with("m.mlir:2:"), "{broken}");
    let text =
        "gpu.module @m {\n  gpu.func @k(%x: f32) kernel {\n    gpu.printf \"%f\", %x : f32\n    gpu.return\n  }\n}";
    let unknown = read_gpu(text, "m.mlir").unwrap_err();
    assert!(
        unknown.starts_with("m.mlir:3:") && unknown.contains("'gpu.printf'"),
        "{unknown}"
    );
}
