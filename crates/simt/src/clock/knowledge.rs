//! What a thread, or an object that threads synchronise through, knows of the accesses of others.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::table::{OpSet, Table};

/// What is known of one block: a vector clock. Of each thread, all that it did up to some clock; and which of the
/// operations that it issued have completed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vc {
    /// Everything up to this clock is known of every thread.
    pub base: u32,
    /// More of single threads.
    pub clocks: Table<u32>,
    /// Numbers of asynchronous operations by issuing thread.
    pub ops: Table<OpSet>,
}

impl Vc {
    /// Whether an access of a thread at a clock is known.
    pub fn knows(&self, thread: u32, clock: u32) -> bool {
        clock <= self.base || self.clocks.any(thread, |known| *known >= clock)
    }

    /// Whether an asynchronous operation is known.
    pub fn knows_op(&self, thread: u32, op: u32) -> bool {
        self.ops.any(thread, |known| known.contains(op))
    }

    fn join(&mut self, other: &Vc) {
        self.base = self.base.max(other.base);
        self.clocks.join(&other.clocks);
        self.ops.join(&other.ops);
    }

    fn covers(&self, other: &Vc) -> bool {
        self.base >= other.base
            && self.clocks.covers(&other.clocks, |clock| *clock <= self.base)
            && self.ops.covers(&other.ops, |_| false)
    }
}

/// What is known of all blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    /// Of the block of the one that knows it.
    pub home: Vc,
    /// Of other blocks.
    foreign: Option<Arc<BTreeMap<u32, Arc<Vc>>>>,
}

impl Past {
    /// What is known of a block; `home` is the block of the one that knows it.
    pub fn of(&self, home: u32, block: u32) -> Option<&Vc> {
        if home == block {
            return Some(&self.home);
        }
        Some(self.foreign.as_ref()?.get(&block)?)
    }

    /// Joins what one of block `block` knows into this, of block `home`.
    pub fn join(&mut self, home: u32, other: &Past, block: u32) {
        self.join_block(home, &other.home, block);
        self.join_foreign(home, other);
    }

    /// Joins the part of another's knowledge that is of neither's own block.
    pub fn join_foreign(&mut self, home: u32, other: &Past) {
        let Some(theirs) = &other.foreign else { return };
        match &mut self.foreign {
            Some(mine) if Arc::ptr_eq(mine, theirs) => {}
            // One that knows of no other block has heard from its own alone, whose knowledge of itself stands at home.
            mine @ None => *mine = Some(theirs.clone()),
            _ => theirs.iter().for_each(|(block, vc)| self.join_arc(home, vc, *block)),
        }
    }

    fn join_block(&mut self, home: u32, vc: &Vc, block: u32) {
        if home == block {
            self.home.join(vc);
        } else if !self.of(home, block).is_some_and(|mine| mine.covers(vc)) {
            let foreign = Arc::make_mut(self.foreign.get_or_insert_default());
            Arc::make_mut(foreign.entry(block).or_default()).join(vc);
        }
    }

    /// As `join_block`, but shares what it can.
    fn join_arc(&mut self, home: u32, vc: &Arc<Vc>, block: u32) {
        if home == block {
            return self.home.join(vc);
        }
        let mine = self.foreign.as_ref().and_then(|foreign| foreign.get(&block));
        if mine.is_some_and(|mine| Arc::ptr_eq(mine, vc) || mine.covers(vc)) {
            return;
        }
        let foreign = Arc::make_mut(self.foreign.get_or_insert_default());
        let mine = foreign.entry(block).or_default();
        match vc.covers(mine) {
            true => *mine = vc.clone(),
            false => Arc::make_mut(mine).join(vc),
        }
    }

    /// Whether joining another's knowledge would change nothing.
    pub fn covers(&self, home: u32, other: &Past, block: u32) -> bool {
        let covered = |vc: &Vc, of: u32| self.of(home, of).is_some_and(|mine| mine.covers(vc));
        let foreign = match (&self.foreign, &other.foreign) {
            (_, None) => true,
            (Some(mine), Some(theirs)) if Arc::ptr_eq(mine, theirs) => true,
            (_, Some(theirs)) => theirs.iter().all(|(of, vc)| covered(vc, *of)),
        };
        foreign && covered(&other.home, block)
    }
}

/// What one releases for others to acquire: through a barrier, an mbarrier, an atomic's location. The default is nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Knowledge(Option<Box<Known>>);

#[derive(Clone, Debug)]
struct Known {
    /// The block that `home` of the pasts is about.
    block: u32,
    generic: Past,
    fenced: Past,
}

impl Knowledge {
    /// What is known, and what of it the async proxy sees, of a thread in a block.
    pub(super) fn new(block: u32, generic: Past, fenced: Past) -> Knowledge {
        Knowledge(Some(Box::new(Known { block, generic, fenced })))
    }

    /// Adds what another knows.
    pub fn join(&mut self, other: &Knowledge) {
        let Some(theirs) = &other.0 else { return };
        match &mut self.0 {
            None => *self = other.clone(),
            Some(mine) => {
                mine.generic.join(mine.block, &theirs.generic, theirs.block);
                mine.fenced.join(mine.block, &theirs.fenced, theirs.block);
            }
        }
    }

    /// The block that it comes from, what is known, and what of it the async proxy sees.
    pub(super) fn parts(&self) -> Option<(u32, &Past, &Past)> {
        self.0
            .as_ref()
            .map(|known| (known.block, &known.generic, &known.fenced))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The latest clock, and the numbers of operations, that are known of each thread of each block.
    type Model = BTreeMap<(u32, u32), (u32, u32)>;
    /// Block, thread, clock, operations from 0 on.
    type Fact = (u32, u32, u32, u32);

    fn facts() -> impl Strategy<Value = Vec<Fact>> {
        prop::collection::vec((0u32..3, 0u32..4, 0u32..6, 0u32..4), 0..8)
    }

    /// What one of block `home` knows that has learnt these facts one by one.
    fn learnt(home: u32, facts: &[Fact]) -> (Past, Model) {
        let (mut past, mut model) = (Past::default(), Model::new());
        for &(block, thread, clock, ops) in facts {
            let mut told = Past::default();
            told.home.clocks.join_one(thread, &clock);
            told.home.ops.join_one(thread, &OpSet::range(0, ops));
            past.join(home, &told, block);
            let known = model.entry((block, thread)).or_insert((0, 0));
            *known = (known.0.max(clock), known.1.max(ops));
        }
        (past, model)
    }

    fn agree(home: u32, past: &Past, model: &Model) -> Result<(), TestCaseError> {
        for (block, thread) in (0..3).flat_map(|block| (0..4).map(move |thread| (block, thread))) {
            let known = model.get(&(block, thread)).copied().unwrap_or_default();
            let vc = past.of(home, block);
            for i in 0..6 {
                // At clock 0 nothing has happened yet.
                prop_assert_eq!(i > 0 && vc.is_some_and(|vc| vc.knows(thread, i)), i > 0 && i <= known.0);
                prop_assert_eq!(vc.is_some_and(|vc| vc.knows_op(thread, i)), i < known.1);
            }
        }
        Ok(())
    }

    proptest! {
        /// Knowledge is joined fact by fact, whichever blocks the two are of, and covers what would add none.
        #[test]
        fn knowledge_is_a_map_of_facts(a in facts(), more in facts(), home in 0u32..3, block in 0u32..3, repeat: bool) {
            let (mut past, mut model) = learnt(home, &a);
            // What the other knows: partly the same.
            let told = if repeat { [&a[..a.len() / 2], &more[..more.len() / 3]].concat() } else { more };
            let (other, of_other) = learnt(block, &told);
            agree(home, &past, &model)?;
            agree(block, &other, &of_other)?;
            let covered = of_other.iter().all(|(at, theirs)| {
                let mine = model.get(at).copied().unwrap_or_default();
                mine.0 >= theirs.0 && mine.1 >= theirs.1
            });
            // Nothing, of a block that was never heard of, is not covered either.
            let blocks = of_other.keys().map(|at| at.0).chain([block]);
            let heard = blocks.into_iter().all(|of| past.of(home, of).is_some());
            prop_assert_eq!(past.covers(home, &other, block), covered && heard);
            past.join(home, &other, block);
            for (at, theirs) in of_other {
                let mine = model.entry(at).or_default();
                *mine = (mine.0.max(theirs.0), mine.1.max(theirs.1));
            }
            agree(home, &past, &model)?;
        }
    }

    #[test]
    fn everything_up_to_a_clock_is_known_of_every_thread() {
        let (mut all, mut one) = (Vc::default(), Vc::default());
        all.base = 3;
        one.clocks.join_one(7, &3);
        assert!(all.knows(7, 3) && !all.knows(7, 4));
        assert!(all.covers(&one) && !one.covers(&all));
        one.clocks.join_one(7, &4);
        assert!(!all.covers(&one));
        all.join(&one);
        assert!(all.knows(7, 4) && !all.knows(6, 4) && all.covers(&one));
    }
}
