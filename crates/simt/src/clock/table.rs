//! What is known per thread: one table shared by many, and few entries beside it.

use std::sync::Arc;

use smallvec::SmallVec;

/// Entries beside the shared table, at most.
const FEW: usize = 6;

/// Values of a join semilattice; the default is its bottom.
pub(crate) trait Join: Clone + Default {
    /// Becomes the least value that covers both.
    fn join(&mut self, other: &Self);
    /// Whether joining `other` would change nothing.
    fn covers(&self, other: &Self) -> bool;
}

impl Join for u32 {
    fn join(&mut self, other: &u32) {
        *self = (*self).max(*other);
    }

    fn covers(&self, other: &u32) -> bool {
        *self >= *other
    }
}

/// A value for each thread of a block. Threads that wait for one another know the same, and share the table; what one
/// learns alone stands beside it, so that neither copies it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table<V> {
    shared: Option<Arc<Vec<V>>>,
    few: SmallVec<[(u32, V); 2]>,
}

impl<V: Join> Table<V> {
    /// Whether something that is known of a thread passes a test.
    pub fn any(&self, thread: u32, test: impl Fn(&V) -> bool) -> bool {
        let shared = self.shared.as_ref().and_then(|shared| shared.get(thread as usize));
        shared.is_some_and(&test) || self.few.iter().any(|(of, value)| *of == thread && test(value))
    }

    /// Joins a value into a thread's.
    pub fn join_one(&mut self, thread: u32, value: &V) {
        if self.any(thread, |known| known.covers(value)) {
            return;
        }
        if let Some((_, known)) = self.few.iter_mut().find(|(of, _)| *of == thread) {
            return known.join(value);
        }
        self.few.push((thread, value.clone()));
        if self.few.len() > FEW {
            self.fold();
        }
    }

    fn fold(&mut self) {
        let shared = Arc::make_mut(self.shared.get_or_insert_default());
        for (thread, value) in self.few.drain(..) {
            if shared.len() <= thread as usize {
                shared.resize(thread as usize + 1, V::default());
            }
            shared[thread as usize].join(&value);
        }
    }

    /// Joins all values of another table.
    pub fn join(&mut self, other: &Table<V>) {
        match (&mut self.shared, &other.shared) {
            (_, None) => {}
            (mine @ None, Some(theirs)) => *mine = Some(theirs.clone()),
            (Some(mine), Some(theirs)) if Arc::ptr_eq(mine, theirs) => {}
            (Some(mine), Some(theirs)) => {
                if slice_covers(theirs, mine) {
                    *mine = theirs.clone();
                } else if !slice_covers(mine, theirs) {
                    let mine = Arc::make_mut(mine);
                    mine.resize(mine.len().max(theirs.len()), V::default());
                    for (mine, theirs) in mine.iter_mut().zip(theirs.iter()) {
                        mine.join(theirs);
                    }
                }
            }
        }
        for (thread, value) in &other.few {
            self.join_one(*thread, value);
        }
    }

    /// Whether every value of another table passes a test or is covered by this table's.
    pub fn covers(&self, other: &Table<V>, besides: impl Fn(&V) -> bool) -> bool {
        let bottom = V::default();
        let known = |thread: u32, value: &V| {
            bottom.covers(value) || besides(value) || self.any(thread, |mine| mine.covers(value))
        };
        let shared = match (&self.shared, &other.shared) {
            (_, None) => true,
            (Some(mine), Some(theirs)) if Arc::ptr_eq(mine, theirs) => true,
            (_, Some(theirs)) => theirs.iter().zip(0..).all(|(value, thread)| known(thread, value)),
        };
        shared && other.few.iter().all(|(thread, value)| known(*thread, value))
    }
}

fn slice_covers<V: Join>(a: &[V], b: &[V]) -> bool {
    let bottom = V::default();
    b.iter().enumerate().all(|(i, b)| a.get(i).unwrap_or(&bottom).covers(b))
}

/// A set of numbers that are given out in order and mostly come to be known in order: all below one, and some ranges.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpSet {
    below: u32,
    /// Half open, apart from one another and from `below`.
    ranges: SmallVec<[(u32, u32); 1]>,
}

impl OpSet {
    /// The numbers `start..end`.
    pub fn range(start: u32, end: u32) -> OpSet {
        let mut set = OpSet::default();
        set.insert(start, end);
        set
    }

    /// Whether a number is in the set.
    pub fn contains(&self, op: u32) -> bool {
        op < self.below || self.ranges.iter().any(|&(start, end)| start <= op && op < end)
    }

    fn insert(&mut self, start: u32, end: u32) {
        if start >= end {
            return;
        }
        let (mut start, mut end) = (start, end);
        self.ranges.retain(|range| {
            let touches = range.0 <= end && start <= range.1;
            if touches {
                start = start.min(range.0);
                end = end.max(range.1);
            }
            !touches
        });
        // A range that began at or before the new `below` touched this one, and is part of it.
        match start > self.below {
            true => self.ranges.push((start, end)),
            false => self.below = self.below.max(end),
        }
    }
}

impl Join for OpSet {
    fn join(&mut self, other: &OpSet) {
        self.insert(0, other.below);
        for &(start, end) in &other.ranges {
            self.insert(start, end);
        }
    }

    fn covers(&self, other: &OpSet) -> bool {
        let within = |start: u32, end: u32| {
            end <= self.below || self.ranges.iter().any(|range| range.0 <= start && end <= range.1)
        };
        // Ranges touch neither `below` nor each other, so a covered range lies within one of them.
        (other.below <= self.below) && other.ranges.iter().all(|&(start, end)| within(start, end))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_set_of_ranges_is_a_set(
            a in prop::collection::vec((0u32..30, 0u32..6), 0..8),
            b in prop::collection::vec((0u32..30, 0u32..6), 0..8),
        ) {
            let build = |ranges: &[(u32, u32)]| {
                let mut set = OpSet::default();
                ranges.iter().for_each(|&(start, len)| set.insert(start, start + len));
                let model: BTreeSet<u32> = ranges.iter().flat_map(|&(start, len)| start..start + len).collect();
                (set, model)
            };
            let ((mut a, model_a), (b, model_b)) = (build(&a), build(&b));
            prop_assert_eq!(a.covers(&b), model_a.is_superset(&model_b));
            a.join(&b);
            for op in 0..40 {
                prop_assert_eq!(a.contains(op), model_a.contains(&op) || model_b.contains(&op));
            }
            prop_assert!(a.covers(&b));
        }

        #[test]
        fn a_table_is_a_map_of_maxima(
            sets in prop::collection::vec(prop::collection::vec((0u32..12, 0u32..9), 0..20), 2..4),
        ) {
            let mut all: Table<u32> = Table::default();
            let mut model = BTreeMap::new();
            for set in &sets {
                let mut table = Table::default();
                let mut own: BTreeMap<u32, u32> = BTreeMap::new();
                for &(thread, clock) in set {
                    table.join_one(thread, &clock);
                    own.entry(thread).or_default().join(&clock);
                }
                let covered = own.iter().all(|(k, v)| *v == 0 || model.get(k).is_some_and(|m| m >= v));
                prop_assert_eq!(all.covers(&table, |_| false), covered);
                all.join(&table);
                own.iter().for_each(|(k, v)| model.entry(*k).or_insert(0).join(v));
                for thread in 0..13 {
                    for clock in 1..10 {
                        let known = model.get(&thread).is_some_and(|known| *known >= clock);
                        prop_assert_eq!(all.any(thread, |c| *c >= clock), known);
                    }
                }
            }
        }
    }

    /// What few threads learn alone stands beside the table; when there are more of them, it goes into it.
    #[test]
    fn few_values_stand_beside_the_table() {
        let mut table: Table<u32> = Table::default();
        for thread in 0..FEW as u32 {
            table.join_one(thread, &1);
            assert_eq!((table.few.len(), table.shared.is_none()), (thread as usize + 1, true));
        }
        table.join_one(40, &1);
        assert!(table.few.is_empty() && table.shared.is_some());
        assert!(
            (0..FEW as u32)
                .chain([40])
                .all(|thread| table.any(thread, |clock| *clock == 1))
        );
    }

    #[test]
    fn who_knows_less_shares_the_table_of_the_other() {
        let of = |values: &[(u32, u32)]| {
            let mut table: Table<u32> = Table::default();
            values.iter().for_each(|(thread, clock)| table.join_one(*thread, clock));
            table.fold();
            table
        };
        let shares = |a: &Table<u32>, b: &Table<u32>| {
            (a.shared.as_ref().zip(b.shared.as_ref())).is_some_and(|(a, b)| Arc::ptr_eq(a, b))
        };
        let (more, mut less) = (of(&[(0, 3), (5, 2)]), of(&[(0, 2)]));
        less.join(&more);
        assert!(shares(&less, &more));
        // Who knows as much keeps its own.
        let mut as_much = of(&[(0, 4), (5, 2)]);
        as_much.join(&more);
        assert!(!shares(&as_much, &more));
        let mut other = of(&[(3, 1)]);
        other.join(&more);
        assert!(!shares(&other, &more) && other.covers(&more, |_| false));
    }
}
