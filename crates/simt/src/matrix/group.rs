//! The four warps of a warp group, which must come to the same products with the same descriptors.

use std::collections::VecDeque;

use crate::program::Pc;

/// A product as all warps of a group must call it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Call {
    pub pc: Pc,
    /// A's descriptor, if it has one.
    pub a: Option<u64>,
    /// B's.
    pub b: u64,
}

/// What a warp's call is to those of the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Agreement {
    /// The first, or like the others'.
    Same,
    /// Another product, which is at this instruction.
    OtherProduct(Pc),
    /// The same with another descriptor.
    OtherDescriptor,
}

/// The calls of a warp group that not all of its warps have come to.
#[derive(Debug, Default)]
pub(crate) struct GroupCalls {
    /// Calls that all have come to.
    before: u64,
    open: VecDeque<Call>,
    /// Each warp's calls.
    counts: [u64; 4],
}

impl GroupCalls {
    /// A warp's next call.
    pub fn call(&mut self, warp: usize, call: Call) -> Agreement {
        let index = (self.counts[warp] - self.before) as usize;
        self.counts[warp] += 1;
        let Some(&other) = self.open.get(index) else {
            self.open.push_back(call);
            return Agreement::Same;
        };
        while self.counts.iter().all(|&count| count > self.before) {
            self.open.pop_front();
            self.before += 1;
        }
        if other.pc != call.pc {
            Agreement::OtherProduct(other.pc)
        } else if other != call {
            Agreement::OtherDescriptor
        } else {
            Agreement::Same
        }
    }

    /// A call that not all warps have come to: one of those that have, and a bit for each that has not.
    pub fn incomplete(&self) -> Option<(usize, Pc, u32)> {
        let first = self.open.front()?;
        let came = |warp: &usize| self.counts[*warp] > self.before;
        let missing = (0..4).filter(|warp| !came(warp)).fold(0, |set, warp| set | 1 << warp);
        Some(((0..4).find(came)?, first.pc, missing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(pc: Pc, b: u64) -> Call {
        Call { pc, a: None, b }
    }

    #[test]
    fn warps_come_to_the_same_calls() {
        let mut calls = GroupCalls::default();
        for warp in [0, 2, 1] {
            assert_eq!(calls.call(warp, call(5, 1)), Agreement::Same);
            assert_eq!(calls.call(warp, call(9, 2)), Agreement::Same);
        }
        assert_eq!(calls.incomplete(), Some((0, 5, 0b1000)));
        assert_eq!(calls.call(3, call(5, 1)), Agreement::Same);
        assert_eq!(calls.incomplete(), Some((0, 9, 0b1000)));
        assert_eq!(calls.call(3, call(9, 3)), Agreement::OtherDescriptor);
        assert_eq!(calls.incomplete(), None);
        assert_eq!(calls.call(3, call(5, 1)), Agreement::Same);
        assert_eq!(calls.call(0, call(7, 1)), Agreement::OtherProduct(5));
    }
}
