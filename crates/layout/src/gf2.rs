//! Linear algebra over GF(2), one machine word per vector.

use smallvec::SmallVec;

/// The lowest `bits` bits set.
pub(crate) fn low_mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The xor of the columns selected by the bits of `x`.
pub(crate) fn combine(columns: &[u64], mut x: u64) -> u64 {
    let mut sum = 0;
    while x != 0 {
        let bit = x.trailing_zeros() as usize;
        match columns.get(bit) {
            Some(column) => sum ^= column,
            None => break,
        }
        x &= x - 1;
    }
    sum
}

/// A list of vectors in echelon form that remembers which of the original columns make up each.
///
/// A column that depends on earlier ones is *free*: it never takes part in a solution.
#[derive(Clone, Default)]
pub(crate) struct Echelon {
    /// (vector, its leading bit, the columns whose xor it is). A later vector never has an earlier one's leading bit
    /// set, because it was reduced by it; so one pass in order of insertion reduces completely.
    rows: SmallVec<[(u64, u64, u64); 16]>,
    free: u64,
}

impl Echelon {
    /// Reduces at most 64 columns.
    pub(crate) fn new(columns: &[u64]) -> Self {
        let mut echelon = Echelon::default();
        for (i, &column) in columns.iter().enumerate() {
            echelon.insert(column, i);
        }
        echelon
    }

    /// Adds column number `index`; false if it depends on those before.
    pub(crate) fn insert(&mut self, column: u64, index: usize) -> bool {
        let (rest, used) = self.reduce(column);
        if rest == 0 {
            self.free |= 1 << index;
            return false;
        }
        let lead = 1 << (63 - rest.leading_zeros());
        self.rows.push((rest, lead, used ^ (1 << index)));
        true
    }

    /// Adds a column whose number does not matter; false if it depends on those before.
    pub(crate) fn add(&mut self, column: u64) -> bool {
        self.insert(column, 0)
    }

    fn reduce(&self, mut vector: u64) -> (u64, u64) {
        let mut used = 0;
        for &(row, lead, columns) in &self.rows {
            if vector & lead != 0 {
                vector ^= row;
                used ^= columns;
            }
        }
        (vector, used)
    }

    pub(crate) fn rank(&self) -> u32 {
        self.rows.len() as u32
    }

    /// Bit i is set where column i depends on the columns before it.
    pub(crate) fn free(&self) -> u64 {
        self.free
    }

    /// The columns whose xor is `target`, free columns left out; `None` outside of the span.
    pub(crate) fn solve(&self, target: u64) -> Option<u64> {
        let (rest, used) = self.reduce(target);
        (rest == 0).then_some(used)
    }
}

/// A basis of the span of `columns`: those that do not depend on earlier ones.
pub(crate) fn independent(columns: &[u64]) -> SmallVec<[u64; 16]> {
    extend(&[], columns)
}

/// The vectors of `more` that depend neither on `base` nor on earlier ones.
pub(crate) fn extend(base: &[u64], more: &[u64]) -> SmallVec<[u64; 16]> {
    let mut echelon = Echelon::default();
    for &column in base {
        echelon.add(column);
    }
    more.iter().copied().filter(|&column| echelon.add(column)).collect()
}

/// A basis of the intersection of the spans of `a` and `b`.
pub(crate) fn intersection(a: &[u64], b: &[u64]) -> SmallVec<[u64; 16]> {
    let (a, b) = (independent(a), independent(b));
    // Where a column of b is a sum of columns of a and earlier ones of b, the part in a is common to both.
    let mut echelon = Echelon::new(&a);
    let from_a = low_mask(a.len() as u32);
    let common = b.iter().enumerate().filter_map(|(i, &column)| {
        let used = echelon.solve(column);
        echelon.insert(column, a.len() + i);
        used.map(|used| combine(&a, used & from_a))
    });
    common.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The size of the span, counted one vector at a time.
    fn span(columns: &[u64]) -> Vec<u64> {
        let mut all: Vec<u64> = (0..1u64 << columns.len()).map(|x| combine(columns, x)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    proptest! {
        #[test]
        fn rank_counts_the_span(columns in prop::collection::vec(0u64..256, 0..9)) {
            let echelon = Echelon::new(&columns);
            prop_assert_eq!(span(&columns).len(), 1 << echelon.rank());
            prop_assert_eq!(echelon.free().count_ones() + echelon.rank(), columns.len() as u32);
        }

        #[test]
        fn solve_finds_exactly_the_span(columns in prop::collection::vec(0u64..64, 0..7)) {
            let echelon = Echelon::new(&columns);
            let span = span(&columns);
            for target in 0..64 {
                match echelon.solve(target) {
                    Some(x) => {
                        prop_assert_eq!(combine(&columns, x), target);
                        prop_assert_eq!(x & echelon.free(), 0);
                    }
                    None => prop_assert!(span.binary_search(&target).is_err()),
                }
            }
        }

        #[test]
        fn intersections_are_common(
            a in prop::collection::vec(0u64..64, 0..6),
            b in prop::collection::vec(0u64..64, 0..6),
        ) {
            let (in_a, in_b) = (span(&a), span(&b));
            let both: Vec<u64> = in_a.into_iter().filter(|x| in_b.binary_search(x).is_ok()).collect();
            let basis = intersection(&a, &b);
            prop_assert_eq!(span(&basis), both);
            prop_assert_eq!(independent(&basis), basis);
        }
    }
}
