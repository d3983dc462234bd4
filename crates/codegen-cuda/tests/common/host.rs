//! Runs generated kernels on the host, compiled by g++ with a small stand-in for CUDA.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use half::{bf16, f16};
use mytriton_codegen_cuda::{CudaSource, Options, generate};
use mytriton_interp::{Argument, Memory, run};
use mytriton_ssa::{Const, Elem, Kernel, Scalar};

/// Several kernels as one executable.
pub struct Host {
    executable: PathBuf,
    pub sources: Vec<CudaSource>,
    _directory: tempfile::TempDir,
}

/// A launch argument: the bytes of a buffer, or a number.
#[derive(Clone)]
pub enum Value {
    Buffer(Scalar, Vec<u8>),
    Number(Const),
}

impl Host {
    /// Generates and compiles them.
    pub fn compile(kernels: &[&Kernel]) -> Host {
        let mut text = include_str!("../host/shim.h").to_owned();
        let mut cases = String::new();
        let mut sources = Vec::new();
        for (index, kernel) in kernels.iter().enumerate() {
            let options = Options {
                fp_fusion: false,
                ..Options::default()
            };
            let cuda = generate(kernel, &options).unwrap();
            let lines = cuda.source.lines().filter(|line| !line.starts_with("#include"));
            let source: String = lines.flat_map(|line| [line, "\n"]).collect();
            let args: Vec<String> = cuda
                .params
                .iter()
                .enumerate()
                .map(|(i, param)| match param.elem {
                    Elem::Ptr(s) => format!("buffer<{}>({i})", memory_type(s)),
                    Elem::Scalar(s) => format!("number<{}>({i})", register_type(s)),
                })
                .collect();
            let (entry, args, count) = (&cuda.entry, args.join(", "), cuda.params.len());
            let _ = write!(
                text,
                "namespace k{index} {{\n{source}\nvoid run() {{ {entry}({args}); }}\n}}\n"
            );
            let _ = writeln!(
                cases,
                "case {index}: read_arguments({count}); launch(k{index}::run, grid, {}, back); break;",
                cuda.block_dim
            );
            sources.push(cuda);
        }
        let _ = write!(
            text,
            "int main(int, char** a) {{\n  const Index grid = {{(unsigned)atoi(a[2]), (unsigned)atoi(a[3]), (unsigned)atoi(a[4])}};\n  \
             const bool back = atoi(a[5]);\n  switch (atoi(a[1])) {{\n{cases}  }}\n  write_arguments();\n}}\n"
        );
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("kernels.cpp");
        let executable = directory.path().join("kernels");
        std::fs::write(&file, &text).unwrap();
        compile(&file, &executable, &text);
        Host {
            executable,
            sources,
            _directory: directory,
        }
    }

    /// Runs kernel `index` and gives the content of its buffers afterwards.
    pub fn run(&self, index: usize, grid: [u32; 3], args: &[Value], backwards: bool) -> Vec<Vec<u8>> {
        let mut command = Command::new(&self.executable);
        command.arg(index.to_string()).args(grid.map(|g| g.to_string()));
        command.arg(u8::from(backwards).to_string());
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for arg in args {
            let bytes = match arg {
                Value::Buffer(_, bytes) => bytes.clone(),
                Value::Number(number) => number.bits().to_le_bytes()[..number.scalar().bytes() as usize].to_vec(),
            };
            stdin.write_all(&(bytes.len() as u64).to_le_bytes()).unwrap();
            stdin.write_all(&bytes).unwrap();
        }
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let source = &self.sources[index].source;
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {stderr}\n{source}", output.status);
        let mut rest = &output.stdout[..];
        let mut buffers = Vec::new();
        for arg in args {
            let size = match arg {
                Value::Buffer(_, bytes) => bytes.len(),
                Value::Number(number) => number.scalar().bytes() as usize,
            };
            let (first, more) = rest.split_at(size);
            rest = more;
            if matches!(arg, Value::Buffer(..)) {
                buffers.push(first.to_vec());
            }
        }
        buffers
    }
}

fn compile(file: &Path, executable: &Path, text: &str) {
    let mut command = Command::new("g++");
    // Excess precision and contraction would change results; aliasing is not what is tested.
    command.args([
        "-std=c++17",
        "-O1",
        "-w",
        "-fno-strict-aliasing",
        "-ffp-contract=off",
        "-frounding-math",
    ]);
    let output = command
        .arg(file)
        .arg("-o")
        .arg(executable)
        .output()
        .expect("g++ is installed");
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        let errors: String = errors.lines().take(30).flat_map(|line| [line, "\n"]).collect();
        panic!("g++: {errors}\n{}", text.lines().count());
    }
}

fn register_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::I1 => "bool",
        Scalar::I8 => "unsigned char",
        Scalar::I16 => "unsigned short",
        Scalar::I32 => "unsigned",
        Scalar::I64 => "unsigned long long",
        Scalar::F16 => "__half",
        Scalar::BF16 => "__nv_bfloat16",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

fn memory_type(scalar: Scalar) -> &'static str {
    if scalar == Scalar::I1 {
        "unsigned char"
    } else {
        register_type(scalar)
    }
}

/// What the interpreter leaves in the buffers.
pub fn interpret(kernel: &Kernel, grid: [u32; 3], args: &[Value]) -> Vec<Vec<u8>> {
    let mut memory = Memory::new();
    let mut buffers = Vec::new();
    let mut arguments = Vec::new();
    for (arg, param) in args.iter().zip(kernel.params()) {
        arguments.push(match arg {
            Value::Buffer(scalar, bytes) => {
                let buffer = memory.add_buffer(&param.name, *scalar, bytes).unwrap();
                buffers.push(buffer);
                Argument::buffer(buffer)
            }
            Value::Number(number) => Argument::Scalar(*number),
        });
    }
    if let Err(error) = run(kernel, grid, &arguments, &memory, &mytriton_interp::Options::default()) {
        panic!("{error}\n{kernel}");
    }
    buffers
        .iter()
        .map(|&buffer| memory.read_back(buffer).unwrap())
        .collect()
}

fn value(scalar: Scalar, bits: u64) -> f64 {
    match scalar {
        Scalar::F16 => f16::from_bits(bits as u16).to_f64(),
        Scalar::BF16 => bf16::from_bits(bits as u16).to_f64(),
        Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// Equal, or both NaN, or at most so many floats apart where digits may differ.
pub fn agrees(scalar: Scalar, a: u64, b: u64, ulps: u64) -> bool {
    if a == b || !scalar.is_float() {
        return a == b;
    }
    let (x, y) = (value(scalar, a), value(scalar, b));
    if x.is_nan() || y.is_nan() {
        return x.is_nan() && y.is_nan();
    }
    x.is_sign_negative() == y.is_sign_negative() && a.abs_diff(b) <= ulps
}

/// At most so many units in the last place of 1 apart.
pub fn agrees_from_one(scalar: Scalar, a: u64, b: u64, ulps: u64) -> bool {
    let unit = value(scalar, Const::from_f64(scalar, 1.0).bits() + 1) - 1.0;
    (value(scalar, a) - value(scalar, b)).abs() <= ulps as f64 * unit
}
