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
            mine @ None if !theirs.contains_key(&home) => *mine = Some(theirs.clone()),
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
