//! A block: its warps under a seeded scheduler.

use super::alu::lanes;
use super::compute::Position;
use super::grid::Env;
use super::random::Random;
use super::tally::Tally;
use super::wait::NamedBarriers;
use super::warp::{Wait, Warp};
use super::wgmma::Products;
use crate::asynchronous::Engine;
use crate::clock::BlockClocks;
use crate::finding::FindingKind;
use crate::memory::SharedMemory;
use crate::program::{Fence, Instr, Pc};

/// The most instructions that a fragment runs before another may.
const SLICE: usize = 256;
/// Fragments that go on before other blocks of the worker may.
const TURNS: u32 = 64;

pub(super) struct Block<'a> {
    pub env: &'a Env<'a>,
    /// Its number in the grid.
    pub number: u32,
    pub warps: Vec<Warp>,
    pub shared: SharedMemory,
    pub clocks: BlockClocks,
    pub named: NamedBarriers,
    pub engine: Engine,
    pub products: Products,
    pub random: Random,
    /// Rises with whatever threads that poll may be waiting for.
    pub progress: u64,
    position: Position,
}

/// What comes after an instruction.
pub(super) enum Next {
    /// The next one.
    On,
    /// The fragment waits at this instruction, or is gone.
    Stop,
}

impl<'a> Block<'a> {
    /// A block at its start. `warps` are those of an ended block, whose memory is used again, or none.
    pub fn new(env: &'a Env<'a>, number: u32, mut warps: Vec<Warp>) -> Block<'a> {
        let threads = env.threads();
        warps.resize_with(threads.div_ceil(32) as usize, || Warp::new(env.program.registers));
        for (index, warp) in (0..).zip(&mut warps) {
            warp.start(lanes_of(threads, index));
        }
        let mut block = Block {
            env,
            number,
            warps,
            shared: SharedMemory::new(env.shared_bytes),
            clocks: BlockClocks::new(number, threads, env.across_blocks),
            named: NamedBarriers::default(),
            engine: Engine::new(number, threads),
            products: Products::new(env),
            random: Random::new(env.options.seed, u64::from(number)),
            progress: 0,
            position: Position {
                block_id: env.block_id(number),
                block_dim: env.launch.block,
                grid_dim: env.launch.grid,
                warp: 0,
            },
        };
        block.pass_arguments();
        block
    }

    fn pass_arguments(&mut self) {
        for warp in &mut self.warps {
            for (param, &bits) in self.env.program.params.iter().zip(self.env.args) {
                warp.set(param.reg, [bits; 32], u32::MAX);
            }
        }
    }

    /// Lets fragments go on for a while. False when the block has ended.
    pub fn advance(&mut self, tally: &mut Tally) -> bool {
        let mut ready: Vec<(usize, usize)> = Vec::new();
        for _ in 0..TURNS {
            if self.env.stopped() {
                return false;
            }
            ready.clear();
            for (w, warp) in self.warps.iter().enumerate() {
                let able = warp.fragments.iter().enumerate().filter(|(_, f)| f.wait == Wait::Ready);
                ready.extend(able.map(|(f, _)| (w, f)));
            }
            if self.warps.iter().all(|warp| warp.fragments.is_empty()) {
                self.finish_operations();
                self.finish_products();
                return false;
            }
            if self.only_polls() {
                self.report_deadlock();
                return false;
            }
            if ready.is_empty() {
                // Nobody goes on by what completes; the next turns say so.
                self.complete_all();
                continue;
            }
            let (warp, fragment) = ready[self.random.below(ready.len())];
            let slice = 1 + self.random.below(SLICE);
            self.run(warp, fragment, slice, tally);
            self.complete_some();
            self.complete_some_products();
            if self.warps[warp].steps > self.env.options.max_steps {
                self.report_endless(warp);
                return false;
            }
        }
        true
    }

    /// Runs a fragment for up to `slice` instructions.
    fn run(&mut self, w: usize, f: usize, slice: usize, tally: &mut Tally) {
        let code = &self.env.program.code;
        let position = Position {
            warp: w as u32,
            ..self.position
        };
        let fragment = &self.warps[w].fragments[f];
        let (mut pc, mut mask) = (fragment.pc, fragment.mask);
        let watched = !self.env.uses.is_empty();
        let mut steps = 0;
        let mut lanes = 0;
        // The fragment's own `pc` is up to date wherever this ends by itself.
        loop {
            if steps == slice {
                self.warps[w].fragments[f].pc = pc;
                break;
            }
            steps += 1;
            lanes += u64::from(mask.count_ones());
            let instr = &code[pc as usize];
            if watched {
                self.watch_registers(w, pc, mask);
            }
            let warp = &mut self.warps[w];
            if warp.compute(instr, mask, &position) {
                pc += 1;
                continue;
            }
            match *instr {
                Instr::Jump { to } => {
                    pc = to;
                    continue;
                }
                Instr::Branch { cond, otherwise, join } => {
                    let taken = warp.lanes_where(cond, mask);
                    if taken == mask {
                        pc += 1;
                        continue;
                    }
                    if taken == 0 {
                        pc = otherwise;
                        continue;
                    }
                    warp.fragments[f].pc = pc;
                    warp.part(f, taken, otherwise, join);
                    break;
                }
                Instr::Join => {
                    warp.fragments[f].pc = pc;
                    if !warp.join(f) {
                        break;
                    }
                    mask = warp.fragments[f].mask;
                    pc += 1;
                    continue;
                }
                Instr::End => {
                    warp.end(f);
                    self.progress += 1;
                    self.threads_ended();
                    break;
                }
                _ => {}
            }
            self.warps[w].fragments[f].pc = pc;
            match self.effect(w, f, pc, mask, instr, tally) {
                Next::On => pc += 1,
                Next::Stop => break,
            }
        }
        self.warps[w].steps += steps as u64;
        tally.warp_instructions += steps as u64;
        tally.thread_instructions += lanes;
    }

    /// Instructions on memory and between threads.
    fn effect(&mut self, w: usize, f: usize, pc: Pc, mask: u32, instr: &Instr, tally: &mut Tally) -> Next {
        if !matches!(instr, Instr::Load { .. } | Instr::Async(_)) {
            self.progress += 1;
        }
        match *instr {
            Instr::Load { .. } => self.load(w, pc, mask, instr, tally),
            Instr::Store { .. } => self.store(w, pc, mask, instr, tally),
            Instr::Atomic { .. } | Instr::CompareExchange { .. } => self.atomic(w, pc, mask, instr, tally),
            Instr::Barrier => return self.barrier(w, f, pc, mask),
            Instr::NamedBarrier { .. } => return self.named_barrier(w, f, pc, mask, instr),
            Instr::WarpBarrier { mask: wanted } => return self.warp_barrier(w, f, pc, mask, wanted),
            Instr::Shuffle { .. } => self.shuffle(w, pc, mask, instr),
            Instr::Vote { .. } => self.vote(w, pc, mask, instr),
            Instr::Fence(Fence::AsyncProxy) => {
                for lane in lanes(mask) {
                    self.clocks.proxy_fence(thread(w, lane));
                }
            }
            Instr::Fence(Fence::Memory) => lanes(mask).for_each(|lane| self.clocks.fence(thread(w, lane))),
            Instr::Async(ref instr) => self.asynchronous(w, f, pc, mask, instr),
            Instr::Matrix(ref instr) => self.matrix(w, pc, mask, instr, tally),
            Instr::Assert { cond, ref message } => {
                let failed = mask & !self.warps[w].lanes_where(cond, mask);
                for lane in lanes(failed) {
                    let message = message.to_string();
                    self.report(pc, thread(w, lane), None, FindingKind::Assertion { message });
                }
            }
            // Those of registers and control flow, which are dealt with above.
            _ => {}
        }
        Next::On
    }

    /// Notes a finding at an operation of one of the block's threads.
    pub fn report(&self, pc: Pc, thread: u32, other: Option<Pc>, kind: FindingKind) {
        self.env.report(self.number, thread, pc, other, kind);
    }
}

/// The number of a thread in its block.
pub(super) const fn thread(warp: usize, lane: usize) -> u32 {
    (warp * 32 + lane) as u32
}

/// The lanes of a warp that are threads of the block.
fn lanes_of(threads: u32, warp: u32) -> u32 {
    match threads - warp * 32 {
        32.. => u32::MAX,
        rest => (1 << rest) - 1,
    }
}
