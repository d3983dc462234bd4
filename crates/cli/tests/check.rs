//! `mytriton check`, and `mytriton run` on the SIMT executor, as users see them.

#[macro_use]
mod tool;

use tool::Bench;

/// In the `gpu` stage: 64 threads reverse 64 numbers through shared memory.
const REVERSE: &str = "gpu.module @kernels {
  gpu.func @reverse(%x: memref<64xi32>, %out: memref<64xi32>)
      workgroup(%tile: memref<64xi32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %last = arith.constant 63 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<64xi32>
    memref.store %v, %tile[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %r = arith.subi %last, %t : index
    %w = memref.load %tile[%r] : memref<64xi32, #gpu.address_space<workgroup>>
    memref.store %w, %out[%t] : memref<64xi32>
    gpu.return
  }
}
";

/// The same without footprints and speed, and of a kernel that was compiled without any of the numbers in tables: they are
/// the lowering's affair.
fn without_numbers(said: &str, compiled: bool) -> String {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let (mut footprints, mut accesses) = (false, false);
    let line = |line: &str| {
        if !line.starts_with("  ") {
            footprints = line.starts_with("footprints");
            accesses = line.contains("memory accesses of warps");
        }
        let is_row = line.starts_with("  ") && line.ends_with(|c: char| c.is_ascii_digit());
        if !is_row || !(footprints || accesses && compiled) {
            return format!("{line}\n");
        }
        let words: Vec<&str> = line.split_whitespace().filter(|word| !is_number(word)).collect();
        format!("  {} ...\n", words.join("  "))
    };
    said.lines().map(line).collect()
}

/// Snapshots of commands on kernels that are compiled, or that are in the `gpu` stage already.
macro_rules! assert_checks {
    (compiled: $compiled:expr, $bench:expr, $($arguments:expr),* $(,)?) => {
        insta::assert_snapshot!([$(without_numbers(&$bench.says($arguments), $compiled)),*].join("\n"))
    };
}

#[test]
fn a_good_kernel_is_checked() {
    let bench = Bench::new();
    assert_checks!(
        compiled: true,
        bench,
        "check vector_add.ssa --grid 4 --arg random:1000:1 --arg random:1000:2 --arg out=zeros:1000 --arg n=1000",
        "check horner.mlir --grid 1 --arg random:4 --arg random:3:1 --arg zeros:4 --arg zeros:4 --arg 4 --arg 3 --num-warps 2 --seeds 1",
        "check vector_add.ssa --grid 1 --arg zeros:8 --arg zeros:8 --arg zeros:8 --arg 0 --num-warps 1 --seeds 2",
    );
}

#[test]
fn a_good_kernel_of_the_gpu_stage_is_checked() {
    let bench = Bench::new();
    bench.file("reverse.mlir", REVERSE).file(
        "numbers.mlir",
        "gpu.module @kernels {
  gpu.func @store(%p: i64, %v: f32) kernel {
    %at = llvm.inttoptr %p : i64 to !llvm.ptr<1>
    llvm.store %v, %at : f32, !llvm.ptr<1>
    gpu.return
  }
}
",
    );
    bench.f32s("x.npy", &[2], [0.0; 2]);
    assert_checks!(
        compiled: false,
        bench,
        "check reverse.mlir --grid 1 --arg random:64 --arg zeros:64",
        "check numbers.mlir --grid 1 --block 1 --arg x.npy --arg 2.5 --seeds 1",
    );
    // What the compiler makes is in this stage too.
    bench.prints("compile vector_add.ssa --emit gpu --num-warps 2 -o add.mlir");
    let arguments = "--arg random:f32:300 --arg random:f32:300:1 --arg zeros:f32:300 --arg 300";
    let said = bench.prints(&format!("check add.mlir --grid 2 {arguments}"));
    assert!(said.contains("blocks of 64 threads, no fault under 4 seeds"), "{said}");
}

/// A store of more than there is: interpreter and executor find it at the same line.
#[test]
fn a_mask_that_is_too_wide_is_found() {
    let bench = Bench::new();
    let arguments = "--grid 2 --arg zeros:300 --arg zeros:300 --arg zeros:256 --arg n=300";
    assert_checks!(
        compiled: true,
        bench,
        &format!("check vector_add.ssa {arguments} --num-warps 4 --seeds 2"),
        &format!("run vector_add.ssa {arguments} --device simt --out out=out.npy"),
    );
    assert!(!bench.path("out.npy").exists());
}

#[test]
fn faults_between_threads_are_found() {
    let bench = Bench::new();
    bench.file("racy.mlir", REVERSE.replace("    gpu.barrier\n", "")).file(
        "deadlock.mlir",
        "gpu.module @kernels {
  gpu.func @wait(%half: i32) kernel {
    %all = arith.constant 128 : i32
    %one = arith.constant 1 : i32
    %thread = gpu.thread_id x
    %t = arith.index_cast %thread : index to i32
    %first = arith.cmpi ult, %t, %half : i32
    scf.if %first {
      nvvm.barrier id = %one number_of_threads = %all
    }
    gpu.return
  }
}
",
    );
    assert_checks!(
        compiled: false,
        bench,
        "check racy.mlir --grid 1 --arg random:64 --arg zeros:64 --seeds 1",
        "check deadlock.mlir --grid 1 --block 128 --arg 64",
        "check deadlock.mlir --grid 1 --block 128 --arg 128 --seeds 1",
    );
}

/// One run is enough to see it.
#[test]
fn a_loop_without_end_is_found() {
    let bench = Bench::new();
    bench.file(
        "endless.ssa",
        "kernel @endless(%x: ptr<i32>, %n: i32) {
  %r = while (%i = %n : i32) {
    %v = load %x : ptr<i32>
    %c = cmp ne %v, %n : i32
    condition %c, %v
  } do (%j: i32) {
    yield %j
  }
  store %x, %r : ptr<i32>
}
",
    );
    assert_checks!(
        compiled: true,
        bench,
        "check endless.ssa --grid 1 --num-warps 1 --arg zeros:3 --arg 5 --max-steps 1000",
        "check endless.ssa --grid 1 --num-warps 1 --arg zeros:3 --arg 0 --max-steps 1000",
    );
}

#[test]
fn results_beyond_the_tolerance_are_told() {
    let bench = Bench::new();
    bench.file(
        "exponential.ssa",
        "kernel @exponential(%x: ptr<f32>, %out: ptr<f32>) {
  %i = program_id x
  %x_at = addptr %x, %i : ptr<f32>
  %v = load %x_at : ptr<f32>
  %e = exp %v : f32
  %out_at = addptr %out, %i : ptr<f32>
  store %out_at, %e : ptr<f32>
}
",
    );
    let check = "check exponential.ssa --grid 500 --arg random:500 --arg zeros:500 --num-warps 1 --seeds 1";
    let said = bench.prints(check);
    assert!(
        said.contains("the interpreter's within the tolerance: in array 'out'"),
        "{said}"
    );
    let said = bench.says(&format!("{check} --tolerance 0"));
    assert!(
        said.contains("FAILED:  results: num_warps 1, other than the interpreter's"),
        "{said}"
    );
    assert!(
        said.ends_with("error: 1 of 4 checks failed\n[exit status 1]\n"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_checked() {
    let bench = Bench::new();
    bench
        .file("reverse.mlir", REVERSE)
        .file(
            "unknown.mlir",
            "gpu.module @kernels {\n  gpu.func @k(%n: i32) kernel {\n    gpu.printf \"%d\", %n : i32\n    gpu.return\n  }\n}\n",
        )
        .file(
            "no_block.mlir",
            "gpu.module @kernels {\n  gpu.func @k(%p: i64) kernel {\n    gpu.return\n  }\n}\n",
        )
        .file("no_kernel.mlir", "gpu.module @kernels {\n}\n");
    bench.prints("compile vector_add.ssa --emit artefact -o add.mytriton");
    assert_says!(
        bench,
        "check vector_add.ssa",
        "check vector_add.ssa --arg n=3",
        "check vector_add.ssa --grid 1",
        "check vector_add.ssa --grid 1 --arg n=3",
        "check vector_add.ssa --grid 1 --arg n=3 --block 64",
        "check vector_add.ssa --grid 1 --num-warps 1,3",
        "check vector_add.ssa --grid 1 --seeds 0",
        "check vector_add.ssa --grid 1 --tolerance -1",
        "check add.mytriton --grid 1",
        "check unknown.mlir --grid 1 --block 64 --arg 1",
        "check no_kernel.mlir --grid 1",
        "check no_block.mlir",
        "check no_block.mlir --grid 1 --arg zeros:f32:8",
        "check no_block.mlir --grid 1 --arg zeros:8",
        "check no_block.mlir --grid 1 --block 2000",
        "check reverse.mlir --grid 1 --block 32 --arg zeros:64 --arg zeros:64",
        "check reverse.mlir --grid 1 --arg zeros:f32:64 --arg zeros:64",
        "check reverse.mlir --kernel forward --grid 1",
        "compile reverse.mlir",
        "run reverse.mlir --grid 1",
    );
}

#[test]
fn runs_on_the_simt_executor() {
    let bench = Bench::new();
    let arguments =
        "vector_add.ssa --grid 2 --arg random:300:1 --arg random:300:2 --arg zeros:300 --arg n=300 --num-warps 2";
    let cpu = bench.prints(&format!("run {arguments} --device cpu"));
    assert_eq!(bench.prints(&format!("run {arguments} --device simt --seed 7")), cpu);
    let mut command = bench.command(&format!("run {arguments}"));
    let output = command.env("MYTRITON_DEVICE", "simt").output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), cpu);
    assert_checks!(
        compiled: true,
        bench,
        &format!("run {arguments} --device simt --report --show 1"),
        &format!("run {arguments} --device cpu --report"),
        &format!("run {arguments} --device cpu --seed 1"),
        &format!("run {arguments} --device simt --backend cuda"),
    );
}
