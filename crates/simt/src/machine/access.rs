//! Loads, stores and atomic operations of a warp.

use mytriton_ssa::{BinaryOp, Scalar};
use smallvec::SmallVec;

use super::alu::{self, lanes};
use super::block::{Block, thread};
use super::grid::Env;
use super::tally::Tally;
use crate::clock::BlockClocks;
use crate::finding::Accessed;
use crate::memory::{AccessFault, Proxy, SharedMemory, View, Who};
use crate::program::{AtomicOp, Instr, Order, Pc, Space};

/// The most bytes that a thread accesses at once.
const MOST: usize = 16;

/// An access of a warp: what its lanes access.
type Lanes = SmallVec<[(u64, u32); 32]>;

/// One of the memories, for the accesses of one instruction.
enum Port<'a> {
    Global(View<'a>),
    Shared(&'a mut SharedMemory, &'a BlockClocks),
}

impl<'a> Port<'a> {
    fn new(env: &Env<'a>, space: Space, shared: &'a mut SharedMemory, clocks: &'a mut BlockClocks) -> Port<'a> {
        match space {
            Space::Global => Port::Global(env.memory.view(clocks, env.options.check_races)),
            Space::Shared => Port::Shared(shared, clocks),
        }
    }

    fn load(&mut self, who: Who, address: u64, out: &mut [u8]) -> Result<(), AccessFault> {
        match self {
            Port::Global(view) => view.load(who, address, out),
            Port::Shared(shared, clocks) => shared.load(clocks, who, address, out),
        }
    }

    fn store(&mut self, who: Who, address: u64, bytes: &[u8]) -> Result<(), AccessFault> {
        match self {
            Port::Global(view) => view.store(who, address, bytes),
            Port::Shared(shared, clocks) => shared.store(clocks, who, address, bytes),
        }
    }
}

/// A lane that accesses memory by an ordinary instruction.
pub(super) fn who(block: u32, warp: usize, lane: usize, pc: Pc) -> Who {
    Who {
        block,
        thread: thread(warp, lane),
        pc,
        proxy: Proxy::Generic,
    }
}

impl Block<'_> {
    pub fn load(&mut self, w: usize, pc: Pc, mask: u32, instr: &Instr, tally: &mut Tally) {
        let Instr::Load {
            space,
            bytes,
            dst,
            address,
            guard,
            other,
        } = *instr
        else {
            return;
        };
        let program = self.env.program;
        let active = guard.map_or(mask, |guard| self.warps[w].lanes_where(guard, mask));
        for (&dst, &other) in program.regs(dst).iter().zip(program.regs(other)) {
            let row = *self.warps[w].row(other);
            self.warps[w].set(dst, row, mask & !active);
        }
        let addresses = *self.warps[w].row(address);
        let word = usize::from(bytes);
        let (dsts, total) = (program.regs(dst), word * dst.len as usize);
        self.count(tally, pc, space, active, &addresses, total as u32);
        let mut faults = SmallVec::<[_; 2]>::new();
        let mut port = Port::new(self.env, space, &mut self.shared, &mut self.clocks);
        for lane in lanes(active) {
            let mut buffer = [0; MOST];
            // Wider ones, which no instruction makes, in pieces.
            for (piece, dsts) in dsts.chunks(MOST / word).enumerate() {
                let at = addresses[lane].wrapping_add((piece * MOST) as u64);
                let size = word * dsts.len();
                let who = who(self.number, w, lane, pc);
                if let Err(fault) = port.load(who, at, &mut buffer[..size]) {
                    faults.push((who, fault, at, size));
                }
                for (&dst, bytes) in dsts.iter().zip(buffer.chunks(word)) {
                    let mut number = [0; 8];
                    number[..word].copy_from_slice(bytes);
                    self.warps[w].set_lane(dst, lane, u64::from_le_bytes(number));
                }
            }
        }
        drop(port);
        for (who, fault, at, size) in faults {
            self.report_fault(who, Accessed::Read, space, at, size as u32, fault);
        }
    }

    pub fn store(&mut self, w: usize, pc: Pc, mask: u32, instr: &Instr, tally: &mut Tally) {
        let Instr::Store {
            space,
            bytes,
            src,
            address,
            guard,
        } = *instr
        else {
            return;
        };
        let active = guard.map_or(mask, |guard| self.warps[w].lanes_where(guard, mask));
        let addresses = *self.warps[w].row(address);
        let word = usize::from(bytes);
        let (srcs, total) = (self.env.program.regs(src), word * src.len as usize);
        self.count(tally, pc, space, active, &addresses, total as u32);
        let mut faults = SmallVec::<[_; 2]>::new();
        let mut port = Port::new(self.env, space, &mut self.shared, &mut self.clocks);
        for lane in lanes(active) {
            let mut buffer = [0; MOST];
            for (piece, srcs) in srcs.chunks(MOST / word).enumerate() {
                let at = addresses[lane].wrapping_add((piece * MOST) as u64);
                let size = word * srcs.len();
                for (&src, bytes) in srcs.iter().zip(buffer.chunks_mut(word)) {
                    bytes.copy_from_slice(&self.warps[w].row(src)[lane].to_le_bytes()[..word]);
                }
                let who = who(self.number, w, lane, pc);
                if let Err(fault) = port.store(who, at, &buffer[..size]) {
                    faults.push((who, fault, at, size));
                }
            }
        }
        drop(port);
        for (who, fault, at, size) in faults {
            self.report_fault(who, Accessed::Written, space, at, size as u32, fault);
        }
    }

    /// The lanes one after another, in an order that the hardware leaves open: here theirs.
    pub fn atomic(&mut self, w: usize, pc: Pc, mask: u32, instr: &Instr, tally: &mut Tally) {
        let (space, bytes, dst, address, order) = match *instr {
            Instr::Atomic {
                space,
                ty,
                dst,
                address,
                order,
                ..
            } => (space, ty.bytes(), dst, address, order),
            Instr::CompareExchange {
                space,
                bytes,
                dst,
                address,
                order,
                ..
            } => (space, u32::from(bytes), dst, address, order),
            _ => return,
        };
        let addresses = *self.warps[w].row(address);
        self.count(tally, pc, space, mask, &addresses, bytes);
        for lane in lanes(mask) {
            let warp = &self.warps[w];
            let mut change: SmallVec<[u64; 2]> = SmallVec::new();
            match *instr {
                Instr::Atomic { value, .. } => change.push(warp.row(value)[lane]),
                Instr::CompareExchange { expected, value, .. } => {
                    change.push(warp.row(expected)[lane]);
                    change.push(warp.row(value)[lane]);
                }
                _ => {}
            }
            let mut update = |old: u64| match *instr {
                Instr::Atomic { op, ty, .. } => updated(op, ty, old, change[0]),
                _ if old == change[0] => change[1],
                _ => old,
            };
            let who = who(self.number, w, lane, pc);
            let old = self.update(who, space, addresses[lane], bytes, order, &mut update);
            self.warps[w].set_lane(dst, lane, old);
        }
    }

    fn update(
        &mut self,
        who: Who,
        space: Space,
        at: u64,
        bytes: u32,
        order: Order,
        f: &mut dyn FnMut(u64) -> u64,
    ) -> u64 {
        let (old, fault) = match space {
            Space::Global => {
                let mut view = self.env.memory.view(&mut self.clocks, self.env.options.check_races);
                view.atomic(who, at, bytes as usize, order, f)
            }
            Space::Shared => self.shared.atomic(&mut self.clocks, who, at, bytes as usize, order, f),
        };
        if let Some(fault) = fault {
            self.report_fault(who, Accessed::Updated, space, at, bytes, fault);
        }
        old
    }

    fn count(&self, tally: &mut Tally, pc: Pc, space: Space, mask: u32, addresses: &alu::Row, bytes: u32) {
        if self.env.options.count_accesses {
            let accesses: Lanes = lanes(mask).map(|lane| (addresses[lane], bytes)).collect();
            tally.access(pc, space, &accesses);
        }
    }
}

fn updated(op: AtomicOp, ty: Scalar, old: u64, operand: u64) -> u64 {
    match op {
        AtomicOp::Exchange => operand,
        AtomicOp::Binary(op) => binary_of_one(op, ty, old, operand),
    }
}

fn binary_of_one(op: BinaryOp, ty: Scalar, a: u64, b: u64) -> u64 {
    alu::binary(op, ty, &[a; 32], &[b; 32], 1)[0]
}
