//! The registers of a warp as its wgmmas leave them: pending ones, and those used since the last "wgmma.fence".
//!
//! Whether an instruction uses a pending register is looked up in a table of the registers that each instruction names
//! ([`Uses`]), which programs without wgmma have none of: there the question is not even asked.
//!
//! "wgmma.fence" has to stand between a use of a register by other instructions and a wgmma that has it for D or A (PTX ISA,
//! "wgmma.fence"). Each register has a stamp of its last use, the number of fences before it; 0, that of the beginning,
//! makes the first fence necessary.

use std::collections::VecDeque;

use super::MatrixInstr;
use crate::clock::{AsyncAgent, Knowledge};
use crate::memory::{Own, Who};
use crate::program::{Instr, Pc, Program, Reg};

/// The registers that instructions name, in the order of the code.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    regs: Vec<(Reg, bool)>,
    /// Where those of an instruction begin. Empty for programs without wgmma.
    starts: Vec<u32>,
}

impl Uses {
    /// Those of a program, if it has a wgmma; wgmmas themselves have none.
    pub fn new(program: &Program) -> Uses {
        let mut uses = Uses::default();
        if !program.code.iter().any(is_wgmma) {
            return uses;
        }
        for instr in &program.code {
            uses.starts.push(uses.regs.len() as u32);
            // A move to itself is what is left of two registers that became one.
            if is_wgmma(instr) || matches!(instr, Instr::Move { dst, src } if dst == src) {
                continue;
            }
            instr
                .clone()
                .for_each_reg(|&mut reg, written| uses.regs.push((reg, written)));
            for (list, written) in instr.lists() {
                uses.regs.extend(program.regs(list).iter().map(|&reg| (reg, written)));
            }
        }
        uses.starts.push(uses.regs.len() as u32);
        uses
    }

    /// Is there nothing to be asked?
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The registers of an instruction, and whether it writes them.
    pub fn of(&self, pc: Pc) -> &[(Reg, bool)] {
        let pc = pc as usize;
        &self.regs[self.starts[pc] as usize..self.starts[pc + 1] as usize]
    }
}

fn is_wgmma(instr: &Instr) -> bool {
    matches!(instr, Instr::Matrix(matrix) if matches!(**matrix, MatrixInstr::Wgmma(_)))
}

/// What a product does with a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    /// Reads it: a part of A.
    Left,
    /// Adds to it: element number `index` of D, of a product of n and k.
    Sum { shape: (u16, u16), index: u32 },
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    /// The last product that uses it.
    number: u64,
    pc: Pc,
    what: Use,
}

/// A product from issue to completion.
#[derive(Debug)]
pub(crate) struct Flight {
    pub number: u64,
    pub who: Who,
    pub agent: AsyncAgent,
    pub own: Own,
    /// Ranges of shared memory that it will read: address and bytes.
    pub ranges: Vec<(u64, u64)>,
    /// Descriptors of A and B.
    pub descriptors: [u64; 2],
    /// Does it add C?
    pub adds: bool,
}

/// A warp's registers and products.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    /// By register: the stamps of its last use and its last write.
    stamps: Vec<[u32; 2]>,
    fences: u32,
    /// By register.
    pending: Vec<Option<Pending>>,
    /// Those that are.
    listed: Vec<Reg>,
    /// In the order of issue.
    pub flights: VecDeque<Flight>,
    /// Products that completed and were not waited for.
    completed: VecDeque<(u64, Who, Knowledge)>,
    /// Number of the next product.
    next: u64,
    /// For each closed group that was not waited for, the number of the first product behind it.
    closed: VecDeque<u64>,
}

impl Registers {
    /// So many, none used yet.
    pub fn new(count: u32) -> Registers {
        Registers {
            stamps: vec![[0; 2]; count as usize],
            pending: vec![None; count as usize],
            ..Registers::default()
        }
    }

    /// An instruction uses registers. Gives the wgmma that one of them is pending for.
    pub fn used(&mut self, regs: &[(Reg, bool)]) -> Option<Pc> {
        let mut found = None;
        for &(reg, written) in regs {
            let stamps = &mut self.stamps[reg as usize];
            stamps[0] = self.fences;
            if written {
                stamps[1] = self.fences;
            }
            if let Some(pending) = self.pending[reg as usize] {
                found = found.or(Some(pending.pc));
            }
        }
        found
    }

    /// The wgmma that a register is pending for, if that is at odds with another one's use of it. Without a use, with any.
    pub fn conflict(&self, reg: Reg, what: Option<Use>) -> Option<Pc> {
        let pending = self.pending[reg as usize]?;
        (what != Some(pending.what)).then_some(pending.pc)
    }

    /// "wgmma.fence".
    pub fn fence(&mut self) {
        self.fences += 1;
    }

    /// Was a register used by others since the last fence? With `written`, only whether one wrote it.
    pub fn is_unfenced(&self, reg: Reg, written: bool) -> bool {
        self.stamps[reg as usize][usize::from(written)] == self.fences
    }

    /// Number of the next product.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// A product is issued; its number is [`Registers::next`].
    pub fn issue(&mut self, flight: Flight, regs: impl Iterator<Item = (Reg, Use)>) {
        for (reg, what) in regs {
            let pending = &mut self.pending[reg as usize];
            if pending.is_none() {
                self.listed.push(reg);
            }
            *pending = Some(Pending {
                number: flight.number,
                pc: flight.who.pc,
                what,
            });
        }
        self.next += 1;
        self.flights.push_back(flight);
    }

    /// A product has completed, and this is what it did.
    pub fn complete(&mut self, flight: &Flight, done: Knowledge) {
        self.completed.push_back((flight.number, flight.who, done));
    }

    /// "wgmma.commit_group".
    pub fn commit(&mut self) {
        self.closed.push_back(self.next);
    }

    /// The number of the first product that "wgmma.wait_group" does not wait for.
    pub fn due(&mut self, pending: u32) -> Option<u64> {
        let due = self.closed.len().checked_sub(pending as usize)?;
        self.closed.drain(..due).next_back()
    }

    /// Products up to a number were waited for, all of which have completed. Gives what they did.
    pub fn waited(&mut self, end: u64) -> Knowledge {
        let mut done = Knowledge::default();
        while self.completed.front().is_some_and(|completed| completed.0 < end) {
            if let Some((_, _, knowledge)) = self.completed.pop_front() {
                done.join(&knowledge);
            }
        }
        let pending = &mut self.pending;
        self.listed.retain(|&reg| {
            let pending = &mut pending[reg as usize];
            let stays = pending.is_some_and(|pending| pending.number >= end);
            if !stays {
                *pending = None;
            }
            stays
        });
        done
    }

    /// The first product that nobody waited for.
    pub fn left(&self) -> Option<Who> {
        let completed = self.completed.front().map(|completed| completed.1);
        completed.or(self.flights.front().map(|flight| flight.who))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::BlockClocks;
    use crate::memory::Proxy;

    const SHAPE: (u16, u16) = (8, 16);

    fn sum(index: u32) -> Use {
        Use::Sum { shape: SHAPE, index }
    }

    /// A warp that has issued so many products, each on registers of its own, and closed a group after each.
    fn issued(products: u32) -> Registers {
        let mut clocks = BlockClocks::new(0, 32, false);
        let mut warp = Registers::new(16);
        for pc in 0..products {
            let who = Who {
                block: 0,
                thread: 0,
                pc,
                proxy: Proxy::Generic,
            };
            let flight = Flight {
                number: warp.next(),
                who,
                agent: clocks.issue(0, Proxy::Async),
                own: Own { id: pc.into(), pc },
                ranges: Vec::new(),
                descriptors: [0; 2],
                adds: false,
            };
            warp.issue(flight, [(2 * pc, sum(0)), (2 * pc + 1, Use::Left)].into_iter());
            warp.commit();
        }
        warp
    }

    fn complete(warp: &mut Registers, products: usize) {
        for _ in 0..products {
            let flight = warp.flights.pop_front().unwrap();
            warp.complete(&flight, Knowledge::default());
        }
    }

    /// Those of a group that was waited for are free again, and those of later ones stay pending.
    #[test]
    fn waiting_frees_the_registers_of_its_groups() {
        for pending in 0..4 {
            let mut warp = issued(3);
            let due = warp.due(pending);
            let waited = 3u32.saturating_sub(pending);
            assert_eq!(due, (waited > 0).then_some(waited.into()));
            complete(&mut warp, waited as usize);
            warp.waited(due.unwrap_or(0));
            for pc in 0..3 {
                let found = (pc >= waited).then_some(pc);
                assert_eq!(warp.used(&[(2 * pc, false)]), found);
                assert_eq!(warp.used(&[(9, true), (2 * pc + 1, true)]), found);
            }
            assert_eq!(warp.left().map(|who| who.pc), (waited < 3).then_some(waited));
        }
    }

    /// One that has completed before anybody waited for it is still to be waited for.
    #[test]
    fn completion_is_no_wait() {
        let mut warp = issued(3);
        complete(&mut warp, 3);
        assert_eq!(warp.left().map(|who| who.pc), Some(0));
        let end = warp.due(2).unwrap();
        warp.waited(end);
        assert_eq!(warp.left().map(|who| who.pc), Some(1));
        assert_eq!(warp.used(&[(2, false)]), Some(1));
        let end = warp.due(0).unwrap();
        warp.waited(end);
        assert_eq!(warp.left(), None);
        assert_eq!(warp.due(0), None);
    }

    #[test]
    fn the_same_use_of_a_pending_register_is_no_conflict() {
        let warp = issued(1);
        assert_eq!(warp.conflict(0, Some(sum(0))), None);
        for other in [sum(1), Use::Left] {
            assert_eq!(warp.conflict(0, Some(other)), Some(0));
        }
        assert_eq!(warp.conflict(0, None), Some(0));
        assert_eq!(warp.conflict(1, Some(Use::Left)), None);
        assert_eq!(warp.conflict(2, None), None);
    }

    #[test]
    fn uses_since_the_last_fence_are_unfenced() {
        let mut warp = Registers::new(2);
        assert!(
            [0, 1]
                .iter()
                .all(|&reg| warp.is_unfenced(reg, false) && warp.is_unfenced(reg, true))
        );
        warp.fence();
        assert!(!warp.is_unfenced(0, false) && !warp.is_unfenced(0, true));
        warp.used(&[(0, false), (1, true)]);
        assert!(warp.is_unfenced(0, false) && !warp.is_unfenced(0, true));
        assert!(warp.is_unfenced(1, false) && warp.is_unfenced(1, true));
        warp.fence();
        assert!(!warp.is_unfenced(1, false) && !warp.is_unfenced(1, true));
    }
}
