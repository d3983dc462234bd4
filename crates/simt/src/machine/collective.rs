//! Shuffles and votes: what the lanes of a warp do together.

use std::array::from_fn;

use mytriton_ssa::Scalar;

use super::alu::{self, Row, lanes};
use super::block::{Block, thread};
use crate::finding::FindingKind;
use crate::program::{Instr, Pc, Reg, Shuffle, Vote};

impl Block<'_> {
    /// The lanes that take part: those of the mask that are here. Lanes of the mask that are elsewhere are a finding.
    fn taking_part(&self, w: usize, pc: Pc, mask: u32, wanted: Option<Reg>, what: &str) -> u32 {
        let wanted = match wanted {
            Some(wanted) => match self.agreed_mask(w, pc, mask, wanted, what) {
                Some(wanted) => wanted,
                None => return mask,
            },
            None => self.warps[w].live,
        };
        let missing = wanted & !mask;
        if missing != 0 {
            let message = format!("{what} in divergent code");
            let first = mask.trailing_zeros() as usize;
            self.report(
                pc,
                thread(w, first),
                None,
                FindingKind::DivergentCollective { missing, message },
            );
        }
        mask
    }

    /// PTX ISA, "shfl.sync": segments of `width` lanes, a power of two.
    pub fn shuffle(&mut self, w: usize, pc: Pc, mask: u32, instr: &Instr) {
        let Instr::Shuffle {
            mode,
            dst,
            in_range,
            src,
            lane,
            width,
            mask: wanted,
        } = *instr
        else {
            return;
        };
        let here = self.taking_part(w, pc, mask, wanted, "shuffle");
        let warp = &self.warps[w];
        let (src, operand, width) = (warp.row(src), warp.row(lane), warp.row(width));
        let mut dead = 0u32;
        let sources: [(usize, bool); 32] = from_fn(|lane| {
            let width = width[lane].clamp(1, 32) as usize;
            let first = lane & !(width - 1);
            let last = first + width - 1;
            let by = (operand[lane] & 31) as usize;
            let from = match mode {
                Shuffle::Xor => lane ^ by,
                Shuffle::Up => lane.wrapping_sub(by),
                Shuffle::Down => lane + by,
                Shuffle::Index => first | (by & (width - 1)),
            };
            // A butterfly reaches segments before its own as well.
            let fits = match mode {
                Shuffle::Up => from >= first && from <= lane,
                Shuffle::Xor | Shuffle::Down | Shuffle::Index => from <= last,
            };
            (if fits { from } else { lane }, fits)
        });
        for lane in lanes(here) {
            if here >> sources[lane].0 & 1 == 0 {
                dead |= 1 << lane;
            }
        }
        let values: Row = from_fn(|lane| src[sources[lane].0]);
        let fits: Row = from_fn(|lane| u64::from(sources[lane].1));
        if dead != 0 {
            let lane = dead.trailing_zeros() as usize;
            let from = sources[lane].0;
            let kind = FindingKind::DivergentCollective {
                missing: 1 << from,
                message: format!("shuffle from lane {from}, which does not take part"),
            };
            self.report(pc, thread(w, lane), None, kind);
        }
        let warp = &mut self.warps[w];
        warp.set(dst, values, mask);
        warp.set(in_range, fits, mask);
    }

    pub fn vote(&mut self, w: usize, pc: Pc, mask: u32, instr: &Instr) {
        let Instr::Vote {
            vote,
            dst,
            src,
            mask: wanted,
        } = *instr
        else {
            return;
        };
        let here = self.taking_part(w, pc, mask, wanted, "vote");
        let warp = &mut self.warps[w];
        let src = *warp.row(src);
        let set = alu::lanes_where(here, &src);
        let result: Row = match vote {
            Vote::All => [u64::from(set == here); 32],
            Vote::Any => [u64::from(set != 0); 32],
            Vote::Uniform => [u64::from(set == here || set == 0); 32],
            Vote::Ballot => [u64::from(set); 32],
            Vote::Elect => from_fn(|lane| u64::from(lane as u32 == here.trailing_zeros())),
            Vote::Match => from_fn(|lane| {
                let same = lanes(here).filter(|&other| src[other] == src[lane]);
                same.map(|other| 1 << other).sum()
            }),
            Vote::Reduce(op) => {
                let mut numbers = lanes(here).map(|lane| [src[lane]; 32]);
                let first = numbers.next().unwrap_or([0; 32]);
                numbers.fold(first, |all, one| alu::binary(op, Scalar::I32, &all, &one, 1))
            }
        };
        warp.set(dst, result, mask);
    }
}
