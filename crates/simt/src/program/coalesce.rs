//! Gives a wgmma's result the registers of what it adds to, which are the same for the hardware.
//!
//! In the decoded code the result is a value of its own, and what a loop carries is moved to other registers at the end of
//! each iteration: moves of pending registers, which no machine code has. Registers are made one as register allocators
//! coalesce copies (Chaitin, "Register allocation & spilling via graph coloring", 1982): two may be one unless one is
//! written while the other's number is still wanted. Operands in registers stay as they are, for they must not be written
//! as long as the product is pending.

use super::{Instr, Pc, Program, Reg};
use crate::matrix::{Left, MatrixInstr, Wgmma};

/// A set of small numbers.
#[derive(Clone, PartialEq)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(count: usize) -> Bits {
        Bits(vec![0; count.div_ceil(64)])
    }

    fn has(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 != 0
    }

    fn add(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    fn join(&mut self, other: &Bits) {
        self.0
            .iter_mut()
            .zip(&other.0)
            .for_each(|(mine, theirs)| *mine |= theirs);
    }

    fn members(&self) -> impl Iterator<Item = usize> {
        let words = self.0.iter().enumerate();
        words.flat_map(|(index, &word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 != 0)
                .map(move |bit| index * 64 + bit)
        })
    }
}

/// The registers that may be made one, by numbers of their own.
struct Candidates {
    regs: Vec<Reg>,
    number: Vec<Option<u32>>,
}

/// What an instruction does with candidates.
#[derive(Default)]
struct Access {
    reads: Vec<usize>,
    writes: Vec<usize>,
    /// The source of a move.
    copies: Option<usize>,
}

impl Program {
    pub(super) fn coalesce(&mut self, registers: usize) {
        let candidates = self.candidates(registers);
        if candidates.regs.is_empty() {
            return;
        }
        let accesses: Vec<Access> = self.code.iter().map(|instr| self.access(instr, &candidates)).collect();
        let mut apart = self.interference(&accesses, &candidates);
        let mut names: Vec<usize> = (0..candidates.regs.len()).collect();
        for (a, b) in self.copies(&candidates) {
            let (a, b) = (find(&names, a), find(&names, b));
            if a == b || apart[a].has(b) {
                continue;
            }
            names[b] = a;
            let others = apart[b].clone();
            for other in others.members() {
                apart[other].add(a);
            }
            apart[a].join(&others);
        }
        let name = |reg: &mut Reg| {
            if let Some(number) = candidates.number[*reg as usize] {
                *reg = candidates.regs[find(&names, number as usize)];
            }
        };
        self.params.iter_mut().for_each(|param| name(&mut param.reg));
        self.lists.iter_mut().for_each(name);
        for instr in &mut self.code {
            instr.for_each_reg(|reg, _| name(reg));
        }
    }

    fn wgmmas(&self) -> impl Iterator<Item = &Wgmma> {
        self.code.iter().filter_map(|instr| match instr {
            Instr::Matrix(matrix) => match &**matrix {
                MatrixInstr::Wgmma(wgmma) => Some(wgmma),
                _ => None,
            },
            _ => None,
        })
    }

    /// Results and what they are added to, and whatever moves connect them with.
    fn candidates(&self, registers: usize) -> Candidates {
        let mut is = vec![false; registers];
        let mut operand = vec![false; registers];
        for wgmma in self.wgmmas() {
            for regs in [wgmma.c.regs, wgmma.d.regs] {
                self.regs(regs).iter().for_each(|&reg| is[reg as usize] = true);
            }
            if let Left::Registers(a) = wgmma.a {
                self.regs(a.regs).iter().for_each(|&reg| operand[reg as usize] = true);
            }
        }
        loop {
            let mut grown = false;
            for instr in &self.code {
                if let Instr::Move { dst, src } = *instr
                    && is[dst as usize] != is[src as usize]
                {
                    (is[dst as usize], is[src as usize]) = (true, true);
                    grown = true;
                }
            }
            if !grown {
                break;
            }
        }
        let mut candidates = Candidates {
            regs: Vec::new(),
            number: vec![None; registers],
        };
        for reg in 0..registers {
            if is[reg] && !operand[reg] {
                candidates.number[reg] = Some(candidates.regs.len() as u32);
                candidates.regs.push(reg as Reg);
            }
        }
        candidates
    }

    fn access(&self, instr: &Instr, candidates: &Candidates) -> Access {
        let mut access = Access::default();
        let mut note = |reg: Reg, written: bool| {
            if let Some(number) = candidates.number[reg as usize] {
                let list = if written { &mut access.writes } else { &mut access.reads };
                list.push(number as usize);
            }
        };
        instr.clone().for_each_reg(|&mut reg, written| note(reg, written));
        for (regs, written) in instr.lists() {
            self.regs(regs).iter().for_each(|&reg| note(reg, written));
        }
        if let Instr::Move { src, .. } = *instr {
            access.copies = candidates.number[src as usize].map(|number| number as usize);
        }
        access
    }

    /// Which candidates cannot be one: for each, those whose number is wanted after it is written.
    fn interference(&self, accesses: &[Access], candidates: &Candidates) -> Vec<Bits> {
        let count = candidates.regs.len();
        let mut wanted = vec![Bits::new(count); self.code.len() + 1];
        let after = |wanted: &[Bits], at: usize| {
            let mut after = Bits::new(count);
            for next in self.successors(at).into_iter().flatten() {
                after.join(&wanted[next as usize]);
            }
            after
        };
        loop {
            let mut changed = false;
            for (at, access) in accesses.iter().enumerate().rev() {
                let mut before = after(&wanted, at);
                access.writes.iter().for_each(|&written| before.remove(written));
                access.reads.iter().for_each(|&read| before.add(read));
                if before != wanted[at] {
                    wanted[at] = before;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let mut apart = vec![Bits::new(count); count];
        let mut separate = |written: &[usize], mut others: Bits| {
            written.iter().for_each(|&written| others.add(written));
            for &written in written {
                for other in others.members().filter(|&other| other != written) {
                    apart[written].add(other);
                    apart[other].add(written);
                }
            }
        };
        let params = self
            .params
            .iter()
            .filter_map(|param| candidates.number[param.reg as usize]);
        let params: Vec<usize> = params.map(|number| number as usize).collect();
        separate(&params, wanted[0].clone());
        for (at, access) in accesses
            .iter()
            .enumerate()
            .filter(|(_, access)| !access.writes.is_empty())
        {
            let mut others = after(&wanted, at);
            if let Some(source) = access.copies {
                others.remove(source);
            }
            separate(&access.writes, others);
        }
        apart
    }

    /// Where a thread goes on.
    fn successors(&self, at: usize) -> [Option<Pc>; 2] {
        let next = Some(at as Pc + 1);
        match self.code[at] {
            Instr::End => [None, None],
            Instr::Jump { to } => [Some(to), None],
            Instr::Branch { otherwise, .. } => [next, Some(otherwise)],
            _ => [next, None],
        }
    }

    /// Pairs that should be one: results first, then moves.
    fn copies(&self, candidates: &Candidates) -> Vec<(usize, usize)> {
        let number = |reg: Reg| candidates.number[reg as usize].map(|number| number as usize);
        let mut copies = Vec::new();
        for wgmma in self.wgmmas() {
            let pairs = self.regs(wgmma.d.regs).iter().zip(self.regs(wgmma.c.regs));
            copies.extend(pairs.filter_map(|(&d, &c)| number(d).zip(number(c))));
        }
        for instr in &self.code {
            if let Instr::Move { dst, src } = *instr {
                copies.extend(number(dst).zip(number(src)));
            }
        }
        copies
    }
}

fn find(names: &[usize], mut number: usize) -> usize {
    while names[number] != number {
        number = names[number];
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_many_numbers() {
        let mut set = Bits::new(200);
        let numbers = [0, 1, 63, 64, 65, 127, 128, 199];
        numbers.iter().for_each(|&number| set.add(number));
        assert_eq!(set.members().collect::<Vec<_>>(), numbers);
        assert!((0..200).all(|number| set.has(number) == numbers.contains(&number)));
        set.remove(64);
        assert!(!set.has(64) && set.has(0) && set.has(128));
        let mut other = Bits::new(200);
        other.add(64);
        other.join(&set);
        assert_eq!(other.members().collect::<Vec<_>>(), numbers);
    }
}
