//! Registers of the executor for those that decoding numbered: few enough to stay in the host's cache.
//!
//! A register is alive from the first instruction that writes it to the last that reads it, in the order of the code;
//! where it is alive at the top of a loop and was written before it, to the end of that loop. The lanes of a warp take
//! different ways through the code, but each of them goes forward in it or back to the top of a loop, so that what is
//! right for one thread is right for all: rows of registers are shared between lanes, elements of rows are not.
//!
//! The registers of a wgmma's result are those of what it adds to, where they may be (`coalesce.rs`), and alive as long as
//! it may be pending, whether anybody reads them or not (`pending.rs`).

use super::pending::Products;
use super::{Instr, Pc, Program, Reg, Regs};
use crate::asynchronous::AsyncInstr;
use crate::matrix::{Left, MatrixInstr};

/// When a register is alive: from the first position to the last.
#[derive(Clone, Copy)]
struct Interval {
    start: Pc,
    end: Pc,
}

/// A stretch of code that ends with a jump back to its beginning.
struct Loop {
    top: Pc,
    end: Pc,
}

impl Program {
    /// Gives registers that are never alive together one number, and sets [`Program::registers`] and
    /// [`Program::live_words`]. `bits` has the width of each register as decoding numbered them.
    pub fn allocate(&mut self, bits: &[u8]) {
        self.coalesce(bits.len());
        let intervals = self.intervals(bits.len());
        self.live_words = live_words(&intervals, bits);
        let names = assign(&intervals);
        self.registers = names.iter().max().map_or(0, |most| most + 1);
        for param in &mut self.params {
            param.reg = names[param.reg as usize];
        }
        for reg in &mut self.lists {
            *reg = names[*reg as usize];
        }
        for instr in &mut self.code {
            instr.for_each_reg(|reg, _| *reg = names[*reg as usize]);
        }
    }

    fn intervals(&mut self, registers: usize) -> Vec<Option<Interval>> {
        let mut intervals: Vec<Option<Interval>> = vec![None; registers];
        let mut touch = |reg: Reg, at: Pc| {
            let interval = intervals[reg as usize].get_or_insert(Interval { start: at, end: at });
            interval.start = interval.start.min(at);
            interval.end = interval.end.max(at);
        };
        for param in &self.params {
            touch(param.reg, 0);
        }
        let mut loops = Vec::new();
        for (at, instr) in (0..).zip(&mut self.code) {
            instr.for_each_reg(|reg, _| touch(*reg, at));
            for (regs, _) in instr.lists() {
                for &reg in &self.lists[regs.range()] {
                    touch(reg, at);
                }
            }
            if let Instr::Jump { to } = *instr
                && to <= at
            {
                loops.push(Loop { top: to, end: at });
            }
        }
        // Inner loops first: what an inner one stretches, an outer one may have to stretch further.
        loops.sort_by_key(|l| l.end - l.top);
        self.stretch_pending(&mut intervals, &loops);
        for interval in intervals.iter_mut().flatten() {
            for l in &loops {
                if interval.start < l.top && interval.end >= l.top {
                    interval.end = interval.end.max(l.end);
                }
            }
        }
        intervals
    }

    /// Keeps the registers of wgmmas alive until they have been waited for.
    fn stretch_pending(&self, intervals: &mut [Option<Interval>], loops: &[Loop]) {
        let products = Products::new(&self.code);
        for (at, instr) in (0..).zip(&self.code) {
            let Some(own) = instr.pending_lists() else { continue };
            let mut pending = Interval {
                start: at,
                end: products.pending_until(at),
            };
            for l in loops {
                if l.top <= at && at <= l.end && pending.end > l.end {
                    pending.start = pending.start.min(l.top);
                }
            }
            for reg in own.into_iter().flat_map(|regs| &self.lists[regs.range()]) {
                if let Some(interval) = &mut intervals[*reg as usize] {
                    interval.start = interval.start.min(pending.start);
                    interval.end = interval.end.max(pending.end);
                }
            }
        }
    }
}

/// Names by first fit over the intervals in order of their starts. Two that touch do not share one: an instruction may
/// write one result before it has read all operands.
fn assign(intervals: &[Option<Interval>]) -> Vec<Reg> {
    let mut order: Vec<usize> = (0..intervals.len()).filter(|&r| intervals[r].is_some()).collect();
    order.sort_by_key(|&r| intervals[r].map(|i| (i.start, i.end)));
    let mut names = vec![0; intervals.len()];
    let mut free: Vec<Reg> = Vec::new();
    let mut active = std::collections::BinaryHeap::new();
    let mut count = 0;
    for reg in order {
        let Some(interval) = intervals[reg] else { continue };
        while let Some(&std::cmp::Reverse((end, name))) = active.peek() {
            if end >= interval.start {
                break;
            }
            active.pop();
            free.push(name);
        }
        let name = free.pop().unwrap_or_else(|| {
            count += 1;
            count - 1
        });
        active.push(std::cmp::Reverse((interval.end, name)));
        names[reg] = name;
    }
    names
}

/// The most 32-bit words alive at once. Constants and conditions count as well, although machine code may have them as
/// immediates and predicates.
fn live_words(intervals: &[Option<Interval>], bits: &[u8]) -> u32 {
    let mut events: Vec<(Pc, i64)> = Vec::new();
    for (interval, &bits) in intervals.iter().zip(bits) {
        if let Some(interval) = interval {
            let words = if bits > 32 { 2 } else { 1 };
            events.push((interval.start, words));
            events.push((interval.end, -words));
        }
    }
    // At one position ends come before starts: an operand's register may hold the result.
    events.sort_unstable();
    let (mut now, mut most) = (0, 0);
    for (_, change) in events {
        now += change;
        most = most.max(now);
    }
    most as u32
}

impl Instr {
    /// The lists of registers that it names, and whether it writes them.
    pub(crate) fn lists(&self) -> [(Regs, bool); 4] {
        let none = (Regs::default(), false);
        match *self {
            Instr::Load { dst, other, .. } => [(dst, true), (other, false), none, none],
            Instr::Store { src, .. } => [(src, false), none, none, none],
            Instr::Matrix(ref matrix) => matrix.lists(),
            _ => [none; 4],
        }
    }

    /// The lists of registers that stay its own until somebody waits for it.
    fn pending_lists(&self) -> Option<[Regs; 2]> {
        let Instr::Matrix(matrix) = self else { return None };
        let MatrixInstr::Wgmma(wgmma) = &**matrix else {
            return None;
        };
        let a = match wgmma.a {
            Left::Registers(a) => a.regs,
            Left::Shared { .. } => Regs::default(),
        };
        Some([wgmma.d.regs, a])
    }

    /// Calls with each register that it names by itself, and whether it is written.
    pub(crate) fn for_each_reg(&mut self, mut f: impl FnMut(&mut Reg, bool)) {
        match self {
            Instr::Const { dst, .. } | Instr::Special { dst, .. } => f(dst, true),
            Instr::Move { dst, src } => {
                f(src, false);
                f(dst, true);
            }
            Instr::Unary { dst, a, .. } | Instr::Cast { dst, a, .. } => {
                f(a, false);
                f(dst, true);
            }
            Instr::Binary { dst, a, b, .. } | Instr::MulHigh { dst, a, b, .. } | Instr::Cmp { dst, a, b, .. } => {
                f(a, false);
                f(b, false);
                f(dst, true);
            }
            Instr::Fma { dst, a, b, c, .. }
            | Instr::Select {
                dst,
                cond: a,
                a: b,
                b: c,
            } => {
                f(a, false);
                f(b, false);
                f(c, false);
                f(dst, true);
            }
            Instr::Branch { cond, .. } | Instr::Assert { cond, .. } => f(cond, false),
            Instr::Jump { .. } | Instr::Join | Instr::End | Instr::Barrier | Instr::Fence(_) => {}
            Instr::Load { address, guard, .. } | Instr::Store { address, guard, .. } => {
                f(address, false);
                guard.iter_mut().for_each(|guard| f(guard, false));
            }
            Instr::Atomic {
                dst, address, value, ..
            } => {
                f(address, false);
                f(value, false);
                f(dst, true);
            }
            Instr::CompareExchange {
                dst,
                address,
                expected,
                value,
                ..
            } => {
                f(address, false);
                f(expected, false);
                f(value, false);
                f(dst, true);
            }
            Instr::NamedBarrier { id, threads, .. } => {
                f(id, false);
                threads.iter_mut().for_each(|threads| f(threads, false));
            }
            Instr::WarpBarrier { mask } => f(mask, false),
            Instr::Shuffle {
                dst,
                in_range,
                src,
                lane,
                width,
                mask,
                ..
            } => {
                for reg in [src, lane, width].into_iter().chain(mask) {
                    f(reg, false);
                }
                f(dst, true);
                f(in_range, true);
            }
            Instr::Vote { dst, src, mask, .. } => {
                f(src, false);
                mask.iter_mut().for_each(|mask| f(mask, false));
                f(dst, true);
            }
            Instr::Async(instr) => instr.for_each_reg(f),
            Instr::Matrix(matrix) => matrix.for_each_reg(|reg| f(reg, false)),
        }
    }
}

impl AsyncInstr {
    fn for_each_reg(&mut self, mut f: impl FnMut(&mut Reg, bool)) {
        let mut read = |reg: &mut Reg| f(reg, false);
        match self {
            AsyncInstr::Copy { dst, src, valid, .. } => {
                read(dst);
                read(src);
                valid.iter_mut().for_each(read);
            }
            AsyncInstr::BarrierInit { barrier, count: other } | AsyncInstr::BarrierExpect { barrier, bytes: other } => {
                read(barrier);
                read(other);
            }
            AsyncInstr::BarrierInvalidate { barrier } => read(barrier),
            AsyncInstr::BarrierArrive {
                barrier,
                count,
                expect,
                state,
            } => {
                read(barrier);
                count.iter_mut().chain(expect).for_each(read);
                state.iter_mut().for_each(|state| f(state, true));
            }
            AsyncInstr::BarrierTest {
                barrier, phase, done, ..
            } => {
                read(barrier);
                read(phase);
                f(done, true);
            }
            AsyncInstr::BulkLoad {
                dst,
                src,
                bytes,
                barrier,
            } => {
                [dst, src, bytes, barrier].into_iter().for_each(read);
            }
            AsyncInstr::BulkStore { dst, src, bytes } => [dst, src, bytes].into_iter().for_each(read),
            AsyncInstr::CommitGroup
            | AsyncInstr::WaitGroup { .. }
            | AsyncInstr::BulkCommit
            | AsyncInstr::BulkWait { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::matrix::{Accumulator, Fragment, Input, Wgmma};

    fn interval((start, end): (Pc, Pc)) -> Option<Interval> {
        Some(Interval { start, end })
    }

    fn overlap(a: &Interval, b: &Interval) -> bool {
        a.start <= b.end && b.start <= a.end
    }

    proptest! {
        /// Registers that are alive together, if only at one position, have different names, and there are no more names
        /// than registers alive at once.
        #[test]
        fn names_are_shared_by_what_is_never_alive_together(
            ranges in prop::collection::vec(prop::option::weighted(0.9, (0u32..30, 0u32..8)), 0..40),
        ) {
            let intervals: Vec<Option<Interval>> =
                ranges.iter().map(|range| range.and_then(|(start, len)| interval((start, start + len)))).collect();
            let names = assign(&intervals);
            let alive: Vec<(Interval, Reg)> =
                intervals.iter().zip(&names).filter_map(|(interval, &name)| Some(((*interval)?, name))).collect();
            for (i, (a, name)) in alive.iter().enumerate() {
                for (b, other) in &alive[..i] {
                    prop_assert!(name != other || !overlap(a, b));
                }
            }
            let at_once = (0..40).map(|at| alive.iter().filter(|(a, _)| a.start <= at && at <= a.end).count());
            let used = alive.iter().map(|(_, name)| name + 1).max().unwrap_or(0);
            prop_assert_eq!(used as usize, at_once.max().unwrap_or(0));
        }
    }

    /// An operand's register may hold the result; a number of more than 32 bits takes two words.
    #[test]
    fn words_alive_at_once() {
        for (ranges, bits, expected) in [
            (&[][..], &[][..], 0),
            (&[(0, 2), (2, 4)], &[32, 32], 1),
            (&[(0, 2), (1, 4)], &[32, 1], 2),
            (&[(0, 2), (1, 4)], &[33, 64], 4),
            (&[(0, 3), (1, 2), (2, 4)], &[32, 64, 16], 3),
            (&[(0, 9), (1, 2), (3, 4), (5, 6)], &[64, 32, 32, 32], 3),
        ] {
            let intervals: Vec<Option<Interval>> = ranges.iter().copied().map(interval).chain([None]).collect();
            let bits = [bits, &[64]].concat();
            assert_eq!(live_words(&intervals, &bits), expected, "{ranges:?}");
        }
    }

    /// The position of each register's first and last instruction alive, in a program of this code.
    fn alive(code: Vec<Instr>, registers: usize) -> Vec<Option<(Pc, Pc)>> {
        let mut program = Program {
            name: "k".to_owned(),
            block: None,
            params: Vec::new(),
            code,
            place_of: Vec::new(),
            places: Vec::new(),
            lists: vec![0, 1, 2],
            registers: 0,
            shared: Vec::new(),
            shared_bytes: 0,
            live_words: 0,
        };
        let intervals = program.intervals(registers);
        intervals
            .into_iter()
            .map(|of| of.map(|of| (of.start, of.end)))
            .collect()
    }

    fn constant(dst: Reg) -> Instr {
        Instr::Const { dst, bits: 0 }
    }

    fn moved(dst: Reg, src: Reg) -> Instr {
        Instr::Move { dst, src }
    }

    #[test]
    fn what_a_loop_needs_again_is_alive_to_its_end() {
        let code = vec![
            constant(0),
            constant(1),
            // The loop of the second register, around that of the first.
            Instr::Barrier,
            moved(2, 1),
            moved(3, 0),
            constant(4),
            moved(5, 4),
            Instr::Jump { to: 4 },
            Instr::Barrier,
            Instr::Jump { to: 2 },
            Instr::End,
        ];
        let found = alive(code, 7);
        let expected = [(0, 9), (1, 9), (3, 3), (4, 4), (5, 6), (6, 6)].map(Some);
        assert_eq!(found[..6], expected);
        assert_eq!(found[6], None);
    }

    fn product() -> Instr {
        let fragment = |start| Fragment {
            regs: Regs { start, len: 1 },
            bits: 32,
        };
        Instr::Matrix(Box::new(MatrixInstr::Wgmma(Wgmma {
            n: 8,
            inputs: [Input::BF16; 2],
            accumulator: Accumulator::F32,
            saturate: false,
            d: fragment(0),
            c: fragment(1),
            a: Left::Registers(fragment(2)),
            b: 3,
            b_transposed: false,
            scale_d: 4,
            negate: [false; 2],
        })))
    }

    fn wait() -> Instr {
        Instr::Matrix(Box::new(MatrixInstr::WgmmaWait { pending: 0 }))
    }

    /// The result and the left operand of a product: from it to the wait, and from the top of a loop that it is pending at.
    #[test]
    fn registers_of_a_product_are_its_own_until_the_wait() {
        let jump = Instr::Jump { to: 1 };
        let straight = vec![Instr::Barrier, product(), Instr::Barrier, wait(), Instr::End];
        let waited_in_loop = vec![
            Instr::Barrier,
            Instr::Barrier,
            product(),
            wait(),
            jump.clone(),
            Instr::End,
        ];
        let waited_behind = vec![
            Instr::Barrier,
            Instr::Barrier,
            product(),
            Instr::Barrier,
            jump.clone(),
            Instr::Barrier,
            wait(),
            Instr::End,
        ];
        let first_in_loop = vec![Instr::Barrier, product(), jump.clone(), wait(), Instr::End];
        let before_the_loop = vec![product(), Instr::Barrier, jump.clone(), wait(), Instr::End];
        let behind_the_loop = vec![Instr::Barrier, Instr::Barrier, jump, product(), wait(), Instr::End];
        for (code, at, own) in [
            (straight, 1, (1, 3)),
            (waited_in_loop, 2, (2, 3)),
            (waited_behind, 2, (1, 6)),
            (first_in_loop, 1, (1, 3)),
            (before_the_loop, 0, (0, 3)),
            (behind_the_loop, 3, (3, 4)),
        ] {
            let shown = format!("{code:?}");
            let found = alive(code, 5);
            assert_eq!([found[0], found[2]], [Some(own); 2], "{shown}");
            assert_eq!([found[1], found[3], found[4]], [Some((at, at)); 3], "{shown}");
        }
    }
}
