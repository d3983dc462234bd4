//! What the tests of whole kernels share.

use mytriton_interp::{Argument, BufferId, InterpError, Memory, Options, run};
use mytriton_ssa::{Const, Kernel, Scalar, parse_module};

/// The only kernel of a text.
pub fn kernel(text: &str) -> Kernel {
    let module = parse_module(text, "k.ssa").unwrap_or_else(|e| panic!("{e}"));
    let [kernel] = module.kernels.try_into().unwrap_or_else(|_| panic!("one kernel"));
    kernel
}

/// A kernel, its memory and arguments.
pub struct Bench {
    kernel: Kernel,
    pub memory: Memory,
    pub args: Vec<Argument>,
    pub options: Options,
}

#[allow(dead_code)] // Each test binary uses some.
impl Bench {
    pub fn new(text: &str) -> Bench {
        Bench {
            kernel: kernel(text),
            memory: Memory::new(),
            args: Vec::new(),
            options: Options::default(),
        }
    }

    /// Passes a new buffer named as its parameter.
    pub fn bytes(&mut self, elem: Scalar, bytes: &[u8]) -> BufferId {
        let name = self.kernel.params()[self.args.len()].name.clone();
        let id = self.memory.add_buffer(name, elem, bytes).unwrap();
        self.args.push(Argument::buffer(id));
        id
    }

    pub fn f32s(&mut self, values: &[f32]) -> BufferId {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.bytes(Scalar::F32, &bytes)
    }

    pub fn i32s(&mut self, values: &[i32]) -> BufferId {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.bytes(Scalar::I32, &bytes)
    }

    pub fn i32(&mut self, value: i32) {
        self.args.push(Argument::Scalar(Const::i32(value)));
    }

    pub fn run(&self, grid: [u32; 3]) -> Result<(), InterpError> {
        run(&self.kernel, grid, &self.args, &self.memory, &self.options)
    }

    /// Runs and gives the message of the error that must come.
    pub fn error(&self, grid: [u32; 3]) -> String {
        self.run(grid).expect_err("an error").to_string()
    }

    pub fn read_f32s(&self, id: BufferId) -> Vec<f32> {
        let bytes = self.memory.read_back(id).unwrap();
        bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect()
    }

    pub fn read_i32s(&self, id: BufferId) -> Vec<i32> {
        let bytes = self.memory.read_back(id).unwrap();
        bytes.as_chunks().0.iter().map(|&b| i32::from_le_bytes(b)).collect()
    }
}
