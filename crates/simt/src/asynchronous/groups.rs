//! Groups of operations that a thread waits for in the order in which it issued them (PTX ISA, "cp.async.commit_group",
//! "cp.async.bulk.commit_group").

use std::collections::VecDeque;

use crate::clock::Knowledge;
use crate::memory::Who;

/// Operations that are waited for together.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// Their ids, in the order of issue. They may have completed.
    pub operations: Vec<u64>,
    /// The first of those that issued them.
    first: Option<Who>,
    /// Has the thread waited until all sources were read?
    pub sources_waited_for: bool,
    /// What those that have read their sources did.
    pub read: Knowledge,
    /// What those that have completed did.
    pub done: Knowledge,
}

/// The groups of a thread: one that takes what is issued, and closed ones that nobody has waited for.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// Number of the first of the closed ones.
    first: u64,
    closed: VecDeque<Group>,
    open: Group,
}

impl Groups {
    /// Adds an operation to the open group; gives its number.
    pub fn add(&mut self, operation: u64, who: Who) -> u64 {
        self.open.operations.push(operation);
        self.open.first.get_or_insert(who);
        self.first + self.closed.len() as u64
    }

    /// Closes the open group, which may be empty, and opens another.
    pub fn commit(&mut self) {
        self.closed.push_back(std::mem::take(&mut self.open));
    }

    /// A group by its number, unless it was waited for.
    pub fn get(&mut self, group: u64) -> Option<&mut Group> {
        let index = group.checked_sub(self.first)? as usize;
        match index == self.closed.len() {
            true => Some(&mut self.open),
            false => self.closed.get_mut(index),
        }
    }

    /// The numbers of the closed groups that must complete for at most `pending` to be pending.
    pub fn due(&self, pending: u32) -> std::ops::Range<u64> {
        let due = self.closed.len().saturating_sub(pending as usize) as u64;
        self.first..self.first + due
    }

    /// Who issued the groups that nobody waited for, not even for their sources.
    pub fn left(&self) -> impl Iterator<Item = Who> {
        let left = self
            .closed
            .iter()
            .chain([&self.open])
            .filter(|group| !group.sources_waited_for);
        left.filter_map(|group| group.first)
    }

    /// Takes the first of the closed groups.
    pub fn take_first(&mut self) -> Option<Group> {
        let group = self.closed.pop_front()?;
        self.first += 1;
        Some(group)
    }
}
