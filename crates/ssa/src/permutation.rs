//! Orders of a tile's dimensions.

use std::fmt;

use crate::types::{MAX_RANK, Shape};

/// An order of the dimensions of a tile: dimension `i` of the result is dimension `axes()[i]` of the operand.
///
/// Each dimension stands in it once, whoever made it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Permutation {
    axes: [u8; MAX_RANK],
    rank: u8,
}

/// Numbers that are no permutation.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "{0:?} is no order of at most {MAX_RANK} dimensions: each number from 0 to one less than their count stands in it once"
)]
pub struct PermutationError(pub Vec<usize>);

impl Permutation {
    /// The one of no dimension.
    pub(crate) const EMPTY: Permutation = Permutation {
        axes: [0; MAX_RANK],
        rank: 0,
    };

    /// The order of the given dimensions. Errors when one is missing, out of range or stands there twice.
    pub fn new(axes: &[usize]) -> Result<Permutation, PermutationError> {
        let mut permutation = Permutation {
            axes: [0; MAX_RANK],
            rank: axes.len() as u8,
        };
        let mut seen = [false; MAX_RANK];
        let ok = axes.len() <= MAX_RANK
            && axes
                .iter()
                .all(|&a| a < axes.len() && !std::mem::replace(&mut seen[a], true));
        if !ok {
            return Err(PermutationError(axes.to_vec()));
        }
        for (slot, &axis) in permutation.axes.iter_mut().zip(axes) {
            *slot = axis as u8;
        }
        Ok(permutation)
    }

    /// The dimensions of the operand in the order of the result.
    pub fn axes(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.axes[..self.rank()].iter().map(|&a| usize::from(a))
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        usize::from(self.rank)
    }

    /// Does every dimension keep its place?
    pub fn is_identity(&self) -> bool {
        self.axes().enumerate().all(|(i, a)| i == a)
    }

    /// The shape of the result for an operand of this shape; none when the ranks differ.
    pub fn apply(&self, shape: &Shape) -> Option<Shape> {
        if shape.rank() != self.rank() {
            return None;
        }
        let dims: Vec<u32> = self.axes().map(|a| shape.dims()[a]).collect();
        Shape::new(&dims).ok()
    }

    /// The one that does this first and then `next`; none when the ranks differ.
    pub fn then(&self, next: &Permutation) -> Option<Permutation> {
        if self.rank != next.rank {
            return None;
        }
        let mut result = *self;
        for (slot, axis) in result.axes.iter_mut().zip(next.axes()) {
            *slot = self.axes[axis];
        }
        Some(result)
    }

    /// The one that undoes this.
    pub fn inverse(&self) -> Permutation {
        let mut result = *self;
        for (i, axis) in self.axes().enumerate() {
            result.axes[axis] = i as u8;
        }
        result
    }
}

/// As in the text form: `[1, 0]`.
impl fmt::Display for Permutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.axes()).finish()
    }
}

impl fmt::Debug for Permutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_change_places() {
        let p = Permutation::new(&[2, 0, 1]).unwrap();
        let shape = Shape::new(&[3, 5, 7]).unwrap();
        assert_eq!(p.apply(&shape).unwrap().dims(), [7, 3, 5]);
        assert_eq!(
            (p.to_string(), format!("{p:?}")),
            ("[2, 0, 1]".to_owned(), "[2, 0, 1]".to_owned())
        );
        assert!(p.then(&p.inverse()).unwrap().is_identity() && p.inverse().then(&p).unwrap().is_identity());
        // Twice a turn to the right is once to the left.
        assert_eq!(p.then(&p), Some(p.inverse()));
        let once = p.apply(&shape).unwrap();
        assert_eq!(p.then(&p).unwrap().apply(&shape), p.apply(&once));
        assert_eq!(p.apply(&Shape::SCALAR), None);
        assert!(Permutation::new(&[]).unwrap().is_identity());
    }

    #[test]
    fn each_dimension_stands_there_once() {
        for wrong in [&[0, 0][..], &[1], &[0, 2], &[0, 1, 2, 3, 4, 5]] {
            assert_eq!(Permutation::new(wrong), Err(PermutationError(wrong.to_vec())));
        }
    }
}
