//! Kernels on one block as text, and their programs of the SIMT executor against the interpreter.

use std::fmt::Write as _;

use mytriton_compiler::{CompileOptions, Target, simt};
use mytriton_interp as interp;
use mytriton_simt as machine;
use mytriton_ssa::{Const, Kernel, Scalar, parse_module};
use proptest::prelude::*;

pub const WARPS: &[u32] = &[1, 2, 4, 8];

/// A kernel on one block `%v`, loaded from `%x`, whose results are stored one after another.
pub struct Case {
    pub scalar: Scalar,
    pub dims: Vec<u32>,
    /// What makes `%r0`, `%r1` ... of `%v`.
    pub body: String,
    /// Type and extents of each result.
    pub results: Vec<(Scalar, Vec<u32>)>,
}

pub fn block(scalar: &str, dims: &[u32]) -> String {
    if dims.is_empty() {
        return scalar.to_owned();
    }
    let extents: String = dims.iter().map(|extent| format!("{extent}x")).collect();
    format!("tile<{extents}{scalar}>")
}

pub fn count(dims: &[u32]) -> u32 {
    dims.iter().product()
}

impl Case {
    fn text(&self) -> String {
        let mut text = format!("kernel @k(%x: ptr<{}> {{divisibility = 16}}", self.scalar);
        for (index, (scalar, _)) in self.results.iter().enumerate() {
            write!(text, ", %out{index}: ptr<{scalar}> {{divisibility = 16}}").unwrap();
        }
        text.push_str(") {\n");
        let n = count(&self.dims);
        writeln!(text, "%i{n} = range 0, {n}").unwrap();
        let mut ranges = vec![n];
        text += &pointers("x", self.scalar, &self.dims);
        let pointer = |scalar: Scalar, dims: &[u32]| block(&format!("ptr<{scalar}>"), dims);
        writeln!(text, "%v = load %x_at : {}", pointer(self.scalar, &self.dims)).unwrap();
        text += &self.body;
        for (index, (scalar, dims)) in self.results.iter().enumerate() {
            let n = count(dims);
            if !ranges.contains(&n) {
                writeln!(text, "%i{n} = range 0, {n}").unwrap();
                ranges.push(n);
            }
            text += &pointers(&format!("out{index}"), *scalar, dims);
            writeln!(text, "store %out{index}_at, %r{index} : {}", pointer(*scalar, dims)).unwrap();
        }
        text + "}\n"
    }

    pub fn kernel(&self) -> Kernel {
        let text = self.text();
        parse_module(&text, "k.ssa")
            .unwrap_or_else(|e| panic!("{e}\n{text}"))
            .kernels
            .remove(0)
    }

    /// Small numbers, whose sums every type holds; among floats the special ones, where they are exact.
    fn input(&self, special: bool) -> Vec<u8> {
        let of_index = |i: u32| {
            let random = i.wrapping_mul(0x9E37_79B1) >> 13;
            let value = match (self.scalar.is_int(), special) {
                (true, _) => return Const::from_bits(self.scalar, u64::from(random) * 0x1_0001_0001).bits(),
                (false, true) if i == 5 => f64::NAN,
                (false, true) => [-0.0, 0.0, 1.5, -3.0, f64::INFINITY, -7.0, 2.0, 0.5][random as usize % 8],
                (false, false) => f64::from(random % 3) - 1.0,
            };
            Const::from_f64(self.scalar, value).bits()
        };
        let bytes = self.scalar.bytes() as usize;
        (0..count(&self.dims))
            .flat_map(|i| of_index(i).to_le_bytes()[..bytes].to_vec())
            .collect()
    }

    fn interpreted(&self, kernel: &Kernel, input: &[u8]) -> Vec<Vec<u8>> {
        let mut memory = interp::Memory::new();
        let mut args = vec![interp::Argument::buffer(
            memory.add_buffer("x", self.scalar, input).unwrap(),
        )];
        let mut outs = Vec::new();
        for (index, (scalar, dims)) in self.results.iter().enumerate() {
            let out = memory
                .add_zeros(format!("out{index}"), *scalar, count(dims).into())
                .unwrap();
            args.push(interp::Argument::buffer(out));
            outs.push(out);
        }
        interp::run(kernel, [1, 1, 1], &args, &memory, &interp::Options::default()).unwrap();
        outs.into_iter().map(|out| memory.read_back(out).unwrap()).collect()
    }

    fn executed(&self, program: &machine::Program, input: &[u8], seed: u64) -> Vec<Vec<u8>> {
        let mut memory = machine::Memory::new();
        let x = memory.add_buffer("x", input).unwrap();
        let mut args = vec![memory.address(x).unwrap()];
        let mut outs = Vec::new();
        for (index, (scalar, dims)) in self.results.iter().enumerate() {
            let bytes = u64::from(count(dims)) * u64::from(scalar.bytes());
            let out = memory.add_zeros(format!("out{index}"), bytes).unwrap();
            args.push(memory.address(out).unwrap());
            outs.push(out);
        }
        let launch = machine::Launch {
            grid: [1, 1, 1],
            block: program.block.unwrap(),
            dynamic_shared_bytes: 0,
        };
        let options = machine::Options {
            seed,
            ..machine::Options::default()
        };
        let report = machine::run(program, launch, &args, &memory, &options).unwrap();
        assert!(report.findings.is_empty(), "{:?}\n{}", report.findings, self.text());
        outs.into_iter().map(|out| memory.read_back(out).unwrap()).collect()
    }

    /// Runs the kernel with each number of warps, and compares with the interpreter.
    pub fn check(&self, warps: &[u32], special: bool) {
        let kernel = self.kernel();
        let input = self.input(special);
        let expected = self.interpreted(&kernel, &input);
        for &num_warps in warps {
            let options = CompileOptions {
                num_warps,
                ..CompileOptions::new(Target::Sm90a)
            };
            let program = simt(&kernel, &options).unwrap_or_else(|e| panic!("{e}\n{}", self.text()));
            for seed in 0..2 {
                let found = self.executed(&program, &input, seed);
                assert_eq!(found, expected, "{num_warps} warps, seed {seed}\n{}", self.text());
            }
        }
    }
}

/// Pointers `%NAME_at` to the elements of a block that lies in row-major order; `%iN` counts them.
pub fn pointers(name: &str, scalar: Scalar, dims: &[u32]) -> String {
    if dims.is_empty() {
        let none = "const 0 : i32";
        return format!("%{name}_0 = {none}\n%{name}_at = addptr %{name}, %{name}_0 : ptr<{scalar}>\n");
    }
    let n = count(dims);
    let line = format!("tile<{n}xptr<{scalar}>>");
    let mut text = format!("%{name}_s = splat %{name} : {line}\n%{name}_l = addptr %{name}_s, %i{n} : {line}\n");
    if dims.len() == 1 {
        return text.replace(&format!("%{name}_l"), &format!("%{name}_at"));
    }
    let to = block(&format!("ptr<{scalar}>"), dims);
    writeln!(text, "%{name}_at = reshape %{name}_l : {line} to {to}").unwrap();
    text
}

pub fn without(dims: &[u32], axis: usize) -> Vec<u32> {
    let mut dims = dims.to_vec();
    dims.remove(axis);
    dims
}

/// Extents with a padded size of at most 1024.
pub fn shapes() -> impl Strategy<Value = (Vec<u32>, usize)> {
    let extents = prop::collection::vec(prop::sample::select(vec![1u32, 2, 3, 5, 8, 17, 32, 100]), 1..=4);
    let fits = |dims: &Vec<u32>| dims.iter().map(|extent| extent.next_power_of_two()).product::<u32>() <= 1024;
    let with_axis = |dims: Vec<u32>| {
        let rank = dims.len();
        (Just(dims), 0..rank)
    };
    extents.prop_filter("tiles are small", fits).prop_flat_map(with_axis)
}
