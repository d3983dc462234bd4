//! Linear algebra over GF(2), one machine word per vector.

use smallvec::SmallVec;
use std::fmt;

/// A matrix of bits with at most 64 rows, stored by columns: bit `r` of column `c` is the entry (r, c).
///
/// Addition is xor and multiplication is and, so `m * x` is the xor of the columns that the bits of `x` select:
///
/// ```
/// use mytriton_layout::BitMatrix;
/// // 6 = 0b0110 selects the columns 1 and 2: 2 ^ 14 = 12.
/// assert_eq!(BitMatrix::from_columns(4, [1, 2, 14, 12]).mul_vec(6), 12);
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BitMatrix {
    rows: u32,
    columns: SmallVec<[u64; 16]>,
}

impl BitMatrix {
    /// A matrix of `rows` (at most 64) rows. Bits of a column at or above `rows` are dropped.
    pub fn from_columns(rows: u32, columns: impl IntoIterator<Item = u64>) -> Self {
        let rows = rows.min(64);
        let mask = low_mask(rows);
        BitMatrix {
            rows,
            columns: columns.into_iter().map(|c| c & mask).collect(),
        }
    }

    /// Number of rows.
    pub fn num_rows(&self) -> u32 {
        self.rows
    }

    /// Number of columns.
    pub fn num_columns(&self) -> usize {
        self.columns.len()
    }

    /// The columns, each as a word.
    pub fn columns(&self) -> &[u64] {
        &self.columns
    }

    /// Row `r` as a word: bit `c` is the entry (r, c). Columns past the 64th are left out.
    pub fn row(&self, r: u32) -> u64 {
        self.columns
            .iter()
            .take(64)
            .enumerate()
            .fold(0, |row, (c, column)| row | ((column >> r) & 1) << c)
    }

    /// The product with the vector `x`.
    pub fn mul_vec(&self, x: u64) -> u64 {
        combine(&self.columns, x)
    }

    /// The product `self * right`: first `right`, then `self`.
    pub fn mul(&self, right: &BitMatrix) -> BitMatrix {
        BitMatrix {
            rows: self.rows,
            columns: right.columns.iter().map(|&c| self.mul_vec(c)).collect(),
        }
    }

    /// The rank, by row reduction.
    pub fn rank(&self) -> u32 {
        Echelon::new(&self.columns).rank()
    }
}

impl fmt::Display for BitMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for r in 0..self.rows {
            for (c, column) in self.columns.iter().enumerate() {
                let gap = if c == 0 { "" } else { " " };
                write!(f, "{gap}{}", (column >> r) & 1)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

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

    #[test]
    fn matrix_prints_rows() {
        let m = BitMatrix::from_columns(3, [0b001, 0b110]);
        assert_eq!(m.to_string(), "1 0\n0 1\n0 1\n");
        assert_eq!((m.row(0), m.row(1), m.row(2)), (0b01, 0b10, 0b10));
    }

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

        #[test]
        fn rank_of_rows_is_rank_of_columns(columns in prop::collection::vec(0u64..64, 0..9)) {
            let m = BitMatrix::from_columns(6, columns);
            let transposed = BitMatrix::from_columns(9, (0..6).map(|r| m.row(r)));
            prop_assert_eq!(m.rank(), transposed.rank());
        }
    }
}
