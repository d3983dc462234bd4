//! The command-line tool as its users see it: what it prints, what it writes, and its exit status.

#[macro_use]
mod tool;

use std::fs;
use std::io::Write;
use std::process::Stdio;

use tool::{Bench, report};

const RUN_ADD: &str = "run vector_add.ssa --device cpu --grid 4";

#[test]
fn adds_arrays_of_files() {
    let bench = Bench::new();
    let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    bench
        .f32s("x.npy", &[10, 100], x.clone())
        .f32s("y.npy", &[1000], x.iter().map(|x| 0.25 * x));
    for file in ["vector_add.ssa", "vector_add.mlir"] {
        let printed = bench.prints(&format!(
            "run {file} --device cpu --grid 4 --arg x.npy --arg y.npy --arg out=zeros:f32:10x100 --arg 1000 --out out=out.npy"
        ));
        insta::allow_duplicates! { insta::assert_snapshot!(printed, @r"
        x: f32[10x100], unchanged
        y: f32[1000], unchanged
        out: f32[10x100], 999 elements changed: 0.0, 1.25, 2.5, 3.75, 5.0, 6.25, 7.5, 8.75, ...
        wrote out.npy
        ") };
        let (shape, sums) = bench.read_f32s("out.npy");
        assert_eq!(shape, [10, 100]);
        assert_eq!(sums, x.iter().map(|x| 1.25 * x).collect::<Vec<_>>());
        fs::remove_file(bench.path("out.npy")).unwrap();
    }
}

#[test]
fn adds_a_row_and_a_column() {
    let bench = Bench::new();
    let (rows, columns) = (19, 37);
    bench
        .f32s("m.npy", &[19, 37], (0..rows * columns).map(|i| i as f32))
        .f32s("row.npy", &[37], (0..columns).map(|j| 1000.0 * j as f32))
        .f32s("column.npy", &[19], (0..rows).map(|i| 0.25 * i as f32));
    let expected: Vec<f32> = (0..rows * columns)
        .map(|at| at as f32 + 1000.0 * (at % columns) as f32 + 0.25 * (at / columns) as f32)
        .collect();
    for file in ["broadcast_add.ssa", "broadcast_add.mlir"] {
        bench.prints(&format!(
            "run {file} --device cpu --grid 2,2 --arg m.npy --arg row.npy --arg column.npy --arg out=zeros:19x37 \
             --arg rows=19 --arg columns=37 --out out=out.npy"
        ));
        assert_eq!(bench.read_f32s("out.npy"), (vec![19, 37], expected.clone()));
    }
}

#[test]
fn evaluates_a_polynomial() {
    let bench = Bench::new();
    bench
        .f32s("x.npy", &[4], [-1.0, 0.0, 1.0, 2.0])
        .f32s("c.npy", &[3], [5.0, -3.0, 2.0]);
    for file in ["horner.ssa", "horner.mlir"] {
        let printed = bench.prints(&format!(
            "run {file} --device cpu --grid 1 --arg x.npy --arg c.npy --arg zeros:4 --arg zeros:4 --arg 4 --arg 3"
        ));
        insta::allow_duplicates! { insta::assert_snapshot!(printed, @r"
        x: f32[4], unchanged
        c: f32[3], unchanged
        value: f32[4], 4 elements changed: 10.0, 5.0, 4.0, 7.0
        slope: f32[4], 4 elements changed: -7.0, -3.0, 1.0, 5.0
        ") };
    }
}

#[test]
fn writes_back_what_changed_and_nothing_else() {
    let bench = Bench::new();
    bench
        .f32s("x.npy", &[8], (0..8).map(|i| i as f32))
        .f32s("out.npy", &[8], [0.0; 8]);
    let before = fs::read(bench.path("x.npy")).unwrap();
    let modified = || fs::metadata(bench.path("x.npy")).unwrap().modified().unwrap();
    let written = modified();
    let arguments = format!("{RUN_ADD} --arg x.npy --arg x.npy --arg out.npy --arg 8 --write-back --show 2");
    insta::assert_snapshot!(bench.prints(&arguments), @r"
    x: f32[8], unchanged
    y: f32[8], unchanged
    out: f32[8], 7 elements changed: 0.0, 2.0, ...
    wrote out.npy
    ");
    assert_eq!(
        bench.read_f32s("out.npy").1,
        [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0]
    );
    assert_eq!(fs::read(bench.path("x.npy")).unwrap(), before);
    assert_eq!(modified(), written);
    // Nothing temporary is left.
    let left = fs::read_dir(bench.dir.path())
        .unwrap()
        .filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'));
    assert_eq!(left.count(), 0);
}

/// Every element type goes in and comes out as it is.
#[test]
fn copies_every_type() {
    let bench = Bench::new();
    for ty in ["i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"] {
        bench.file(
            "copy.ssa",
            format!(
                "kernel @copy(%x: ptr<{ty}>, %out: ptr<{ty}>, %v: {ty}) {{
                   %i = program_id x
                   %x_at = addptr %x, %i : ptr<{ty}>
                   %a = load %x_at : ptr<{ty}>
                   %out_at = addptr %out, %i : ptr<{ty}>
                   store %out_at, %a : ptr<{ty}>
                   store %x, %v : ptr<{ty}>
                 }}"
            ),
        );
        let value = if ty == "i1" { "true" } else { "-7" };
        // Program 0 may not read what it also writes, so it has another seed's element: the array begins at 1.
        let run = "run copy.ssa --device cpu --grid 1 --arg random:3:5";
        bench.prints(&format!(
            "{run} --arg zeros:{ty}:3 --arg v={value} --out x=x.npy --out out=out.npy"
        ));
        let printed = bench.prints(&format!(
            "run copy.ssa --device cpu --grid 1 --arg x.npy --arg out.npy --arg {value}"
        ));
        assert!(printed.contains(&format!("x: {ty}[3]")), "{printed}");
        assert!(
            printed.contains(if ty == "i1" {
                "out: i1[3]"
            } else {
                "1 element changed: -7"
            }),
            "{printed}"
        );
    }
}

#[test]
fn both_forms_of_a_kernel_give_the_same_code() {
    let bench = Bench::new();
    for kernel in ["vector_add", "broadcast_add", "horner"] {
        let ssa = bench.prints(&format!("compile {kernel}.ssa"));
        assert!(ssa.contains(&format!(".entry {kernel}")), "{ssa}");
        assert_eq!(ssa, bench.prints(&format!("compile {kernel}.mlir")), "{kernel}");
    }
}

#[test]
fn compiles_from_standard_input_to_a_file() {
    let bench = Bench::new();
    let mut child = bench
        .command("compile - --format ssa --emit tile -o tile.mlir")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(&fs::read(bench.path("vector_add.ssa")).unwrap())
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(
        bench.prints("compile vector_add.ssa --emit tile"),
        fs::read_to_string(bench.path("tile.mlir")).unwrap()
    );
    // What was written is a kernel again.
    assert_eq!(
        bench.prints("compile tile.mlir"),
        bench.prints("compile vector_add.ssa")
    );
}

#[test]
fn an_artefact_is_a_compiled_kernel() {
    let bench = Bench::new();
    bench.prints("compile vector_add.ssa --emit artefact --target sm_80 --num-warps 8 -o add.mytriton");
    let kernel = mytriton::abi::CompiledKernel::from_bytes(&fs::read(bench.path("add.mytriton")).unwrap()).unwrap();
    assert_eq!(
        (kernel.name.as_str(), kernel.target.as_str(), kernel.threads),
        ("vector_add", "sm_80", 256)
    );
    let params: Vec<String> = kernel
        .params
        .iter()
        .map(|param| format!("{}: {}", param.name, param.kind))
        .collect();
    assert_eq!(params.join(", "), "x: ptr<f32>, y: ptr<f32>, out: ptr<f32>, n: i32");
    bench.file("broken.mytriton", &fs::read(bench.path("add.mytriton")).unwrap()[..100]);
    assert_says!(
        bench,
        "compile add.mytriton",
        "run add.mytriton --device cpu --grid 1 --arg zeros:1 --arg zeros:1 --arg zeros:1 --arg 1",
        "run broken.mytriton --device cpu --grid 1",
    );
}

#[test]
fn options_of_the_compiler_matter() {
    let bench = Bench::new();
    let contraction = |options: &str| {
        bench
            .prints(&format!("compile horner.ssa {options}"))
            .contains("fma.rn.f32")
    };
    assert!(contraction(""));
    assert!(!contraction("--no-fp-fusion"));
    assert!(
        bench
            .prints("compile horner.ssa --target sm_75")
            .contains(".target sm_75")
    );
    assert!(
        bench
            .prints("compile vector_add.ssa --num-warps 2")
            .contains(".maxntid 64")
    );
    let as_written = bench.prints("compile vector_add.ssa --emit ssa -O none");
    assert!(as_written.contains("splat %out"), "{as_written}");
    bench.file(
        "sums.ssa",
        "kernel @sums(%p: ptr<i32>) { %a = const 2 : i32 %b = add %a, %a : i32 store %p, %b : ptr<i32> }",
    );
    assert!(bench.prints("compile sums.ssa --emit ssa -O none").contains("add"));
    assert!(!bench.prints("compile sums.ssa --emit ssa -O basic").contains("add"));
    assert!(!bench.prints("compile sums.ssa --emit ssa").contains("add"));
}

#[test]
fn malformed_ssa() {
    let bench = Bench::new();
    bench
        .file("syntax.ssa", "kernel @k(%x: ptr<f32>) {\n  %a = load %x ptr<f32>\n}\n")
        .file(
            "undefined.ssa",
            "kernel @k(%x: ptr<f32>) {\n  store %x, %v : ptr<f32>\n}\n",
        )
        .file(
            "types.ssa",
            "kernel @k(%x: ptr<f32>, %n: i32) {\n  %a = load %x : ptr<f32>\n  %b = add %a, %n : f32\n}\n",
        )
        .file("end.ssa", "kernel @k(%x: ptr<f32>) {\n")
        .file("empty.ssa", "// nothing\n")
        .file("binary.ssa", b"kernel \xff\xfe")
        .file(
            "long.ssa",
            format!("kernel @k(%x: ptr<f32>) {{ {} oops }}", " ".repeat(1000)),
        );
    assert_says!(
        bench,
        "compile syntax.ssa",
        "compile undefined.ssa",
        "compile types.ssa",
        "compile end.ssa",
        "compile empty.ssa",
        "compile binary.ssa",
        "compile long.ssa",
        "run syntax.ssa --device cpu --grid 1",
    );
}

#[test]
fn malformed_mlir() {
    let bench = Bench::new();
    let kernel = |body: &str| {
        format!("func.func @k(%x: !tile.ptr<f32>) attributes {{tile.kernel}} {{\n  {body}\n  return\n}}\n")
    };
    bench
        .file("syntax.mlir", kernel("%a = tile.load %x, : !tile.ptr<f32>"))
        .file("verifier.mlir", kernel("%r = tile.range 4, 0 : tensor<4xi32>"))
        .file(
            "foreign.mlir",
            kernel("%c = complex.constant [0.1 : f32, -1.0 : f32] : complex<f32>"),
        )
        .file("no_kernel.mlir", "func.func @f() {\n  return\n}\n")
        .file("empty.mlir", "");
    assert_says!(
        bench,
        "compile syntax.mlir",
        "compile verifier.mlir",
        "compile foreign.mlir",
        "compile no_kernel.mlir",
        "compile empty.mlir",
    );
}

#[test]
fn files_and_names() {
    let bench = Bench::new();
    bench
        .file("two.ssa", "kernel @a(%x: ptr<f32>) { }\nkernel @b(%x: ptr<f32>) { }\n")
        .file("kernel.txt", "kernel @a() { }");
    assert_says!(
        bench,
        "compile nowhere.ssa",
        "compile .",
        "compile kernel.txt",
        "compile two.ssa",
        "compile two.ssa --kernel c",
        "compile two.ssa --emit ssa",
        "compile two.ssa --emit ssa --kernel b",
        "compile vector_add.ssa --emit ssa -o nowhere/out.ssa",
    );
    assert!(bench.prints("compile two.ssa --kernel a").contains(".entry a"));
}

#[test]
fn command_lines() {
    let bench = Bench::new();
    assert_says!(
        bench,
        "compile vector_add.ssa --target sm_60",
        "compile vector_add.ssa --emit asm",
        "compile vector_add.ssa --num-warps 3",
        "run vector_add.ssa",
        "run vector_add.ssa --grid 0",
        "run vector_add.ssa --grid 1,65536",
        "run vector_add.ssa --grid 1 --device tpu",
        "run vector_add.ssa --grid 1 --arg zeros:f99:3",
        "run vector_add.ssa --grid 1 --out out",
    );
}

#[test]
fn arguments_that_do_not_fit() {
    let bench = Bench::new();
    assert_says!(
        bench,
        &format!("{RUN_ADD} --arg zeros:8 --arg zeros:8 --arg n=8"),
        &format!("{RUN_ADD} --arg zeros:8 --arg zeros:8 --arg zeros:8 --arg 8 --arg 9"),
        &format!("{RUN_ADD} --arg zeros:8 --arg zeros:8 --arg zeros:8 --arg 1.5"),
        &format!("{RUN_ADD} --arg zeros:8 --arg zeros:8 --arg zeros:8 --arg 5000000000"),
        &format!("{RUN_ADD} --arg zeros:8 --arg zeros:f64:8 --arg zeros:8 --arg 8"),
        &format!("{RUN_ADD} --arg 1 --arg zeros:8 --arg zeros:8 --arg 8"),
        &format!("{RUN_ADD} --arg zeros:8 --arg zeros:8 --arg zeros:8 --arg m=8"),
        &format!("{RUN_ADD} --arg zeros:99999999999999x99999999 --arg zeros:8 --arg zeros:8 --arg 8"),
        &format!("{RUN_ADD} --arg zeros:8 --arg zeros:8 --arg zeros:8 --arg 8 --out n=n.npy"),
    );
    bench.file(
        "aligned.ssa",
        "kernel @k(%x: ptr<f32>, %n: i32 {divisibility = 16}) { %z = const 0.0 : f32 store %x, %z : ptr<f32> }",
    );
    assert_says!(bench, "run aligned.ssa --device cpu --grid 1 --arg zeros:1 --arg 24");
}

#[test]
fn arrays_that_do_not_fit() {
    let bench = Bench::new();
    let whole = {
        bench.f32s("x.npy", &[2, 4], [1.0; 8]);
        fs::read(bench.path("x.npy")).unwrap()
    };
    let edited = |from: &str, to: &str| {
        let at = whole
            .windows(from.len())
            .position(|window| window == from.as_bytes())
            .unwrap();
        let mut bytes = whole.clone();
        bytes.splice(at..at + from.len(), to.bytes());
        bytes
    };
    bench
        .file("truncated.npy", &whole[..whole.len() - 3])
        .file("header.npy", &whole[..40])
        .file("text.npy", "1.0 2.0 3.0")
        .file("empty.npy", "")
        .file("big_endian.npy", edited("<f4", ">f4"))
        .file("double.npy", edited("<f4", "<f8"))
        .file("fortran.npy", edited("False", "True "))
        .file("shape.npy", edited("(2, 4, ),", "(3, 4, ),"))
        .file("longer.npy", [&whole[..], &[0; 4]].concat());
    let run = |file: &str| format!("{RUN_ADD} --arg {file}.npy --arg zeros:8 --arg zeros:8 --arg 8");
    assert_says!(
        bench,
        &run("nowhere"),
        &run("truncated"),
        &run("header"),
        &run("text"),
        &run("empty"),
        &run("big_endian"),
        &run("double"),
        &run("fortran"),
        &run("shape"),
        &run("longer"),
    );
}

/// Whatever is nested however deep, neither parser runs out of stack.
#[test]
fn bottomless_texts() {
    let bench = Bench::new();
    let module = "module {".repeat(100_000);
    let attribute = format!("module attributes {{a = {}", "[".repeat(100_000));
    let region = format!("kernel @k(%c: i1) {{ {}", "if %c {".repeat(100_000));
    bench
        .file("module.mlir", module)
        .file("attribute.mlir", attribute)
        .file("region.ssa", region);
    for file in ["module.mlir", "attribute.mlir", "region.ssa"] {
        let said = bench.says(&format!("compile {file}"));
        assert!(
            said.contains("nested more than") && said.ends_with("[exit status 1]\n"),
            "{said}"
        );
    }
}

/// The line of the kernel, the program and the element are named, and nothing is written.
#[test]
fn a_kernel_that_goes_out_of_bounds() {
    let bench = Bench::new();
    let arguments = "--arg zeros:300 --arg zeros:300 --arg zeros:256 --arg n=300 --out out=out.npy";
    assert_says!(
        bench,
        &format!("run vector_add.ssa --device cpu --grid 2 {arguments}"),
        &format!("run vector_add.mlir --device cpu --grid 2 {arguments}"),
    );
    assert!(!bench.path("out.npy").exists());
}

#[test]
fn a_gpu_that_is_not_there() {
    let bench = Bench::new();
    let arguments = "run vector_add.ssa --device cuda:99 --grid 1 --arg zeros:1 --arg zeros:1 --arg zeros:1 --arg 1";
    let said = bench.says(arguments);
    assert!(
        said.contains("error: no NVIDIA driver") || said.contains("error: no GPU 99"),
        "{said}"
    );
    assert!(said.ends_with("[exit status 1]\n"), "{said}");
    let mut command = bench.command(&arguments.replace("--device cuda:99", ""));
    let said = report("", &command.env("MYTRITON_DEVICE", "tpu").output().unwrap());
    assert!(said.contains("MYTRITON_DEVICE is 'tpu'"), "{said}");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let bench = Bench::new();
    let mut child = bench
        .command("compile broadcast_add.ssa --emit llvm")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        report("", &output)
    );
}

#[test]
fn logs_go_to_standard_error() {
    let bench = Bench::new();
    let plain = bench.output("compile vector_add.ssa");
    assert!(plain.stderr.is_empty());
    let logged = bench
        .command("compile vector_add.ssa")
        .env("MYTRITON_LOG", "debug")
        .output()
        .unwrap();
    assert_eq!(logged.stdout, plain.stdout);
    let log = String::from_utf8(logged.stderr).unwrap();
    assert!(
        ["tile", "layout", "gpu", "llvm", "ptx"]
            .iter()
            .all(|stage| log.contains(stage)),
        "{log}"
    );
    assert!(!log.contains('\x1b'), "{log}");
    let bad = bench
        .command("compile vector_add.ssa")
        .env("MYTRITON_LOG", "a=b=c")
        .output()
        .unwrap();
    assert_eq!(bad.status.code(), Some(2));
    let dumped = bench
        .command("compile vector_add.ssa")
        .env("MYTRITON_DUMP", "tile,gpu")
        .output()
        .unwrap();
    let dump = String::from_utf8(dumped.stderr).unwrap();
    assert!(
        dump.contains("----- tile: vector_add") && dump.contains("----- gpu: vector_add"),
        "{dump}"
    );
    assert!(!dump.contains("----- llvm"), "{dump}");
}

#[test]
fn draws_layouts() {
    let bench = Bench::new();
    insta::assert_snapshot!(bench.prints("layout swizzled(vec=2,per_phase=1,max_phase=4) --shape 4x8 --elem-bits 16"), @r"
    #tile.shared<{offset = [[0, 1], [0, 2], [0, 4], [1, 2], [2, 4]]}>
    a tile of 4x8, elements of 2 bytes: 64 bytes of shared memory
      dim0 = offset >> 3
      dim1 = (offset & 7) ^ ((offset & 24) >> 2)
      lanes along a row     2 bytes  no conflict
      lanes down a column   2 bytes  no conflict

    offset:bank
           0      2      4      6
    0    0:0    2:1    4:2    6:3
    1   10:5    8:4   14:7   12:6
    2  20:10  22:11   16:8   18:9
    3  30:15  28:14  26:13  24:12
    ");
    let same = "{register=[[1]],lane=[[2],[4],[8],[16],[32]]}";
    let converted = bench.prints(&format!(
        "layout blocked([2],[32],[1],[0]) --shape 64 --to {same} --svg moved.svg"
    ));
    assert!(converted.ends_with("\n\nnothing moves: no code\n"), "{converted}");
    let picture = fs::read_to_string(bench.path("moved.svg")).unwrap();
    assert!(
        picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"),
        "{picture}"
    );
}

#[test]
fn layouts_that_are_none_are_told_where() {
    let bench = Bench::new();
    let blocked = "blocked([2],[32],[1],[0])";
    assert_says!(
        bench,
        "layout #tile.layout<{lane=[[1],[64]]}> --shape 32",
        "layout #tile.layout<{lane=[[1],[2]]}> --shape 8",
        &format!("layout {blocked} --shape 0x4"),
        &format!("layout {blocked} --shape 8x8"),
        &format!("layout {blocked} --shape 64 --to bloked([2])"),
        &format!("layout {blocked} --shape 64 --elem-bits 12"),
        &format!("layout {blocked} --shape 64 --svg nowhere/x.svg"),
    );
}
