//! Products of small matrices.

use super::{Accumulator, ROWS};

/// A matrix of numbers, row by row.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tile {
    columns: usize,
    numbers: Vec<f64>,
}

impl Tile {
    /// Zeros.
    pub fn new(rows: usize, columns: usize) -> Tile {
        Tile {
            columns,
            numbers: vec![0.0; rows * columns],
        }
    }

    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.numbers[row * self.columns + column]
    }

    pub fn set(&mut self, row: usize, column: usize, number: f64) {
        self.numbers[row * self.columns + column] = number;
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.numbers[row * self.columns..][..self.columns]
    }
}

/// `A B`, 16 rows of it, with the sign changed or not. Sums are in the order of k.
pub(crate) fn multiply(a: &Tile, b: &Tile, negate: bool) -> Tile {
    let mut product = Tile::new(ROWS, b.columns);
    for row in 0..ROWS {
        let sums = &mut product.numbers[row * b.columns..][..b.columns];
        for (k, &left) in a.row(row).iter().enumerate() {
            let left = if negate { -left } else { left };
            for (sum, &right) in sums.iter_mut().zip(b.row(k)) {
                *sum += left * right;
            }
        }
    }
    product
}

impl Accumulator {
    /// The bits of a sum and what is added to it.
    pub(crate) fn sum(self, sum: f64, old: Option<u32>, saturate: bool) -> u32 {
        self.bits_of(old.map_or(sum, |old| sum + self.value(old)), saturate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_times_columns() {
        let (mut a, mut b) = (Tile::new(ROWS, 3), Tile::new(3, 2));
        for k in 0..3 {
            for row in 0..ROWS {
                a.set(row, k, (row * 3 + k) as f64);
            }
            for column in 0..2 {
                b.set(k, column, (10 * k + column) as f64);
            }
        }
        let product = multiply(&a, &b, false);
        assert_eq!(
            (product.get(0, 0), product.get(5, 1)),
            (50.0, 16.0 * 11.0 + 17.0 * 21.0 + 15.0)
        );
        assert_eq!(multiply(&a, &b, true).get(5, 1), -product.get(5, 1));
        assert_eq!(Accumulator::F32.sum(0.5, Some(1f32.to_bits()), false), 1.5f32.to_bits());
        assert_eq!(Accumulator::F32.sum(0.5, None, false), 0.5f32.to_bits());
    }
}
