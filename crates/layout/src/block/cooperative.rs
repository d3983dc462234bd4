//! The cooperative layout: all threads of a block in a loop over a tile.

use super::tile::split_threads;
use super::{BlockError, MAX_THREADS, check_axes, check_positive, count};
use crate::{Coords, Dim, LayoutError, LinearLayout};
use smallvec::SmallVec;

/// A tile whose elements the threads take in turns: thread t owns the linear indices t, t + T, t + 2T, ...
///
/// `order` lists the axes of the tile from the fastest to the slowest; (1, 0) is row-major. The last iteration may be
/// partial, hence [`contains`](Self::contains).
///
/// ```
/// use mytriton_layout::block::CooperativeLayout;
/// let a = CooperativeLayout::new(&[4, 16], 32, &[1, 0])?;
/// assert_eq!(a.iterations(), 2);
/// assert_eq!(a.coords(31, 1).unwrap()[..], [3, 15]);
/// // 10 x 10 on 256 threads: thread 100 has nothing to do.
/// let partial = CooperativeLayout::new(&[10, 10], 256, &[1, 0])?;
/// assert!(partial.contains(99) && !partial.contains(100));
/// assert_eq!(partial.coords(100, 0), None);
/// # Ok::<(), mytriton_layout::block::BlockError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CooperativeLayout {
    shape: Coords,
    threads: u32,
    order: SmallVec<[usize; 4]>,
}

impl CooperativeLayout {
    /// A tile over `threads` threads.
    ///
    /// # Errors
    /// Extents must be positive, the threads from 1 to [`MAX_THREADS`], and `order` a permutation of the axes.
    pub fn new(shape: &[u32], threads: u32, order: &[usize]) -> Result<Self, BlockError> {
        check_positive("tile", shape)?;
        check_positive("thread shape", &[threads])?;
        if threads > MAX_THREADS {
            return Err(BlockError::TooManyThreads {
                threads: vec![threads],
                count: threads.into(),
            });
        }
        check_axes(order, shape.len())?;
        if order.len() != shape.len() {
            return Err(BlockError::Axes {
                axes: order.to_vec(),
                rank: shape.len(),
            });
        }
        Ok(CooperativeLayout {
            shape: shape.into(),
            threads,
            order: order.into(),
        })
    }

    /// Extents of the tile.
    pub fn shape(&self) -> &[u32] {
        &self.shape
    }

    /// Number of threads.
    pub fn num_threads(&self) -> u32 {
        self.threads
    }

    /// The axes from the fastest to the slowest.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Number of elements of the tile.
    pub fn size(&self) -> u64 {
        count(&self.shape)
    }

    /// How often a thread goes round: the size divided by the threads, rounded up.
    pub fn iterations(&self) -> u64 {
        self.size().div_ceil(self.threads.into())
    }

    /// Whether the last iteration leaves some threads idle, so that code must ask [`contains`](Self::contains).
    pub fn has_tail(&self) -> bool {
        !self.size().is_multiple_of(self.threads.into())
    }

    /// The linear index that a thread owns in an iteration; it may lie past the end.
    pub fn index(&self, thread: u32, iteration: u64) -> u64 {
        u64::from(thread).saturating_add(iteration.saturating_mul(self.threads.into()))
    }

    /// Whether a linear index is an element.
    pub fn contains(&self, index: u64) -> bool {
        index < self.size()
    }

    /// The element that a thread owns in an iteration; `None` past the end.
    pub fn coords(&self, thread: u32, iteration: u64) -> Option<Coords> {
        let mut rest = self.index(thread, iteration);
        if !self.contains(rest) {
            return None;
        }
        let mut coords = Coords::from_elem(0, self.shape.len());
        for &axis in &self.order {
            let extent = u64::from(self.shape[axis]);
            coords[axis] = (rest % extent) as u32;
            rest /= extent;
        }
        Some(coords)
    }

    /// The same as a linear layout from `register` (the iteration), `lane` and `warp`. `None` unless extents and
    /// threads are powers of two and no thread stays idle.
    pub fn to_linear(&self) -> Option<LinearLayout> {
        if self.has_tail() {
            None
        } else {
            self.try_to_linear().ok()
        }
    }

    fn try_to_linear(&self) -> Result<LinearLayout, LayoutError> {
        let elements = self.order.iter().try_fold(LinearLayout::empty(), |l, &axis| {
            l.product(&LinearLayout::identity1d(
                self.shape[axis],
                Dim::THREAD,
                Dim::out(axis),
            )?)
        })?;
        let dims: Vec<Dim> = (0..self.shape.len()).map(Dim::out).collect();
        let dims: Vec<&str> = dims.iter().map(Dim::as_str).collect();
        let rounds = elements.in_size("thread") / self.threads;
        let split = elements
            .transpose_outs(&dims)?
            .reshape_ins(&[("thread", self.threads), ("register", rounds)])?
            .transpose_ins(&["register", "thread"])?;
        split_threads(&split)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DistributedLayout;

    fn row_major(shape: &[u32], threads: u32) -> CooperativeLayout {
        CooperativeLayout::new(shape, threads, &[1, 0]).unwrap()
    }

    fn owned(layout: &CooperativeLayout, thread: u32) -> Vec<(u32, u32)> {
        (0..layout.iterations())
            .filter_map(|i| layout.coords(thread, i))
            .map(|c| (c[0], c[1]))
            .collect()
    }

    #[test]
    fn two_operands_of_a_product_on_one_warp() {
        let a = row_major(&[4, 16], 32);
        assert_eq!(a.iterations(), 2);
        assert_eq!(owned(&a, 0), [(0, 0), (2, 0)]);
        assert_eq!(owned(&a, 31), [(1, 15), (3, 15)]);
        let b = row_major(&[16, 8], 32);
        assert_eq!(b.iterations(), 4);
        assert_eq!(owned(&b, 0), [(0, 0), (4, 0), (8, 0), (12, 0)]);
    }

    #[test]
    fn tails() {
        let l = row_major(&[10, 10], 256);
        assert_eq!((l.iterations(), l.has_tail()), (1, true));
        assert!(l.contains(99) && !l.contains(100));
        assert_eq!(owned(&l, 99), [(9, 9)]);
        assert_eq!(owned(&l, 100), []);
        // Every element exactly once, tail or not.
        for (shape, threads) in [([10, 10], 32), ([7, 13], 32), ([4, 16], 32), ([1, 1], 4)] {
            let l = row_major(&shape, threads);
            let mut all: Vec<_> = (0..threads).flat_map(|thread| owned(&l, thread)).collect();
            all.sort_unstable();
            let expected: Vec<_> = (0..shape[0]).flat_map(|r| (0..shape[1]).map(move |c| (r, c))).collect();
            assert_eq!(all, expected);
        }
    }

    #[test]
    fn order_decides_the_walk() {
        let l = CooperativeLayout::new(&[4, 16], 32, &[0, 1]).unwrap();
        assert_eq!(owned(&l, 1), [(1, 0), (1, 8)]);
    }

    #[test]
    fn parameters_are_checked() {
        assert!(matches!(
            CooperativeLayout::new(&[4, 4], 0, &[1, 0]),
            Err(BlockError::Empty { .. })
        ));
        assert!(matches!(
            CooperativeLayout::new(&[4, 4], 2048, &[1, 0]),
            Err(BlockError::TooManyThreads { .. })
        ));
        assert_eq!(
            CooperativeLayout::new(&[4, 4], 32, &[1, 1]).unwrap_err().to_string(),
            "axes [1, 1] do not name distinct axes below 2"
        );
        assert!(matches!(
            CooperativeLayout::new(&[4, 4], 32, &[1]),
            Err(BlockError::Axes { .. })
        ));
        let huge = CooperativeLayout::new(&[u32::MAX; 3], 1024, &[2, 1, 0]).unwrap();
        assert_eq!(huge.coords(1023, u64::MAX), None, "sizes saturate");
    }

    #[test]
    fn agrees_with_the_linear_layout() {
        for order in [[1, 0], [0, 1]] {
            for (shape, threads) in [([4, 16], 32), ([16, 8], 32), ([64, 64], 256), ([8, 2], 4)] {
                let l = CooperativeLayout::new(&shape, threads, &order).unwrap();
                let linear = l.to_linear().unwrap();
                for thread in 0..threads {
                    for i in 0..l.iterations() {
                        let index = [("register", i as u32), ("lane", thread % 32), ("warp", thread / 32)];
                        assert_eq!(linear.apply(&index).unwrap(), l.coords(thread, i).unwrap());
                    }
                }
            }
        }
        assert_eq!(row_major(&[10, 10], 32).to_linear(), None);
        assert_eq!(
            row_major(&[2, 2], 32).to_linear(),
            None,
            "idle threads own nothing, in a linear layout they would"
        );
        assert_eq!(row_major(&[3, 32], 32).to_linear(), None);
    }

    #[test]
    fn agrees_with_the_blocked_layout() {
        let cooperative = row_major(&[32, 32], 128).to_linear().unwrap();
        let blocked = DistributedLayout::blocked(&[32, 32], &[1, 1], &[1, 32], &[4, 1], &[1, 0]).unwrap();
        assert!(blocked.linear().is_equivalent(&cooperative));
    }
}
