//! Builds programs by hand.

use std::sync::Arc;

use mytriton_simt::program::{Instr, Order, Param, Pc, Place, Program, Reg, Regs, Space, Special};
use mytriton_simt::{Launch, Memory, Options, Report, run};
use mytriton_ssa::{BinaryOp, CmpPred, Scalar};

/// A program being built. Every instruction stands on a line of its own, its number from 1.
#[derive(Default)]
pub struct Asm {
    code: Vec<Instr>,
    lists: Vec<Reg>,
    bits: Vec<u8>,
    params: Vec<Param>,
    shared_bytes: u32,
}

pub const RELAXED: Order = Order {
    acquire: false,
    release: false,
};
pub const BOTH: Order = Order {
    acquire: true,
    release: true,
};

impl Asm {
    pub fn new() -> Asm {
        Asm::default()
    }

    pub fn reg(&mut self) -> Reg {
        self.bits.push(64);
        self.bits.len() as Reg - 1
    }

    pub fn param(&mut self) -> Reg {
        let reg = self.reg();
        self.params.push(Param { bits: 64, reg });
        reg
    }

    /// Shared memory of so many bytes, from address 0.
    pub fn shared(&mut self, bytes: u32) {
        self.shared_bytes = bytes;
    }

    /// Appends an instruction; gives its line.
    pub fn push(&mut self, instr: Instr) -> u32 {
        self.code.push(instr);
        self.code.len() as u32
    }

    pub fn here(&self) -> Pc {
        self.code.len() as Pc
    }

    pub fn constant(&mut self, bits: u64) -> Reg {
        let dst = self.reg();
        self.push(Instr::Const { dst, bits });
        dst
    }

    pub fn special(&mut self, which: Special) -> Reg {
        let dst = self.reg();
        self.push(Instr::Special { dst, which });
        dst
    }

    pub fn tid(&mut self) -> Reg {
        self.special(Special::ThreadId(0))
    }

    pub fn binary(&mut self, op: BinaryOp, a: Reg, b: Reg) -> Reg {
        let dst = self.reg();
        self.push(Instr::Binary {
            op,
            ty: Scalar::I64,
            dst,
            a,
            b,
        });
        dst
    }

    pub fn cmp(&mut self, pred: CmpPred, a: Reg, b: Reg) -> Reg {
        let dst = self.reg();
        self.push(Instr::Cmp {
            pred,
            ty: Scalar::I64,
            dst,
            a,
            b,
        });
        dst
    }

    /// `base + index * scale`.
    pub fn at(&mut self, base: Reg, index: Reg, scale: u64) -> Reg {
        let scale = self.constant(scale);
        let offset = self.binary(BinaryOp::Mul, index, scale);
        self.binary(BinaryOp::Add, base, offset)
    }

    pub fn list(&mut self, regs: &[Reg]) -> Regs {
        let start = self.lists.len() as u32;
        self.lists.extend_from_slice(regs);
        Regs {
            start,
            len: regs.len() as u32,
        }
    }

    /// Loads a 32-bit word.
    pub fn load(&mut self, space: Space, address: Reg) -> Reg {
        let to = self.reg();
        let dst = self.list(&[to]);
        self.push(Instr::Load {
            space,
            bytes: 4,
            dst,
            address,
            guard: None,
            other: Regs::default(),
        });
        to
    }

    /// Stores a 32-bit word; gives its line.
    pub fn store(&mut self, space: Space, address: Reg, value: Reg) -> u32 {
        let src = self.list(&[value]);
        self.push(Instr::Store {
            space,
            bytes: 4,
            src,
            address,
            guard: None,
        })
    }

    /// Runs `then` in lanes where the condition holds, `otherwise` in the others.
    pub fn branch(&mut self, cond: Reg, then: impl FnOnce(&mut Asm), otherwise: impl FnOnce(&mut Asm)) {
        let branch = self.here() as usize;
        self.push(Instr::End);
        then(self);
        let jump = self.here() as usize;
        self.push(Instr::End);
        let other = self.here();
        otherwise(self);
        let join = self.here();
        self.push(Instr::Join);
        self.code[branch] = Instr::Branch {
            cond,
            otherwise: other,
            join,
        };
        self.code[jump] = Instr::Jump { to: join };
    }

    /// Repeats `body` as long as the condition that `head` computes holds.
    pub fn repeat(&mut self, head: impl FnOnce(&mut Asm) -> Reg, body: impl FnOnce(&mut Asm)) {
        let top = self.here();
        let cond = head(self);
        let branch = self.here() as usize;
        self.push(Instr::End);
        body(self);
        self.push(Instr::Jump { to: top });
        let join = self.here();
        self.push(Instr::Join);
        self.code[branch] = Instr::Branch {
            cond,
            otherwise: join,
            join,
        };
    }

    pub fn finish(mut self) -> Program {
        self.push(Instr::End);
        let places = (1..=self.code.len() as u32).map(|line| Place {
            op: "op".to_owned(),
            at: Some((Arc::from("k"), line, 1)),
        });
        let mut program = Program {
            name: "k".to_owned(),
            block: None,
            params: self.params,
            place_of: (0..self.code.len() as u32).collect(),
            places: places.collect(),
            code: self.code,
            lists: self.lists,
            registers: self.bits.len() as u32,
            shared: Vec::new(),
            shared_bytes: self.shared_bytes,
            live_words: 0,
        };
        program.allocate(&self.bits);
        program
    }
}

/// Options for one seed.
pub fn seed(seed: u64) -> Options {
    Options {
        seed,
        workers: 1,
        max_steps: 100_000,
        ..Options::default()
    }
}

/// Runs on `blocks` blocks of `threads` with one buffer, whose content it gives back as words.
pub fn run_words(program: &Program, blocks: u32, threads: u32, words: &[u32], options: Options) -> (Vec<u32>, Report) {
    let mut memory = Memory::new();
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let buffer = memory.add_buffer("x", &bytes).unwrap();
    let args = [memory.address(buffer).unwrap()];
    let launch = Launch {
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        dynamic_shared_bytes: 0,
    };
    let report = run(program, launch, &args, &memory, &options).unwrap();
    let out = memory.read_back(buffer).unwrap();
    let words = out
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    (words.collect(), report)
}

/// The same for a program that must be right under several schedules.
pub fn right(program: &Program, blocks: u32, threads: u32, words: &[u32]) -> Vec<u32> {
    let mut results: Vec<Vec<u32>> = (0..8)
        .map(|s| {
            let (out, report) = run_words(program, blocks, threads, words, seed(s));
            assert_eq!(report.findings, [], "seed {s}: {}", report.findings[0]);
            out
        })
        .collect();
    let (out, report) = run_words(program, blocks, threads, words, Options { workers: 2, ..seed(9) });
    assert_eq!(report.findings, []);
    results.push(out);
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
    results.swap_remove(0)
}

/// The first finding of a program that is wrong under every schedule: its kind and text are the same in all.
pub fn wrong(program: &Program, blocks: u32, threads: u32, words: &[u32], kind: &str) -> String {
    let texts: Vec<String> = (0..8)
        .map(|s| {
            let (_, report) = run_words(program, blocks, threads, words, seed(s));
            let finding = report.findings.iter().find(|f| f.kind.name() == kind);
            let all: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
            finding
                .unwrap_or_else(|| panic!("seed {s}: no {kind} among {all:?}"))
                .to_string()
        })
        .collect();
    texts[0].clone()
}
