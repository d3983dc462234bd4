//! The tile layout: which thread axis each dimension of a tile runs along.

use super::{BlockError, check_axes, check_positive};
use crate::{Coords, Dim, LayoutError, LinearLayout};
use smallvec::SmallVec;

/// A tile of which every thread holds one element: each dimension runs along a thread axis, or has extent 1 and
/// belongs to everybody.
///
/// ```
/// use mytriton_layout::block::TileLayout;
/// let row = TileLayout::new(&[1, 8], &[4, 8], &[])?;
/// assert_eq!(row.thread_axes(), [None, Some(1)]);
/// assert_eq!(row.coords(&[3, 5])[..], [0, 5]);
///
/// let bad = TileLayout::new(&[4, 3], &[4, 8], &[]).unwrap_err();
/// assert_eq!(
///     bad.to_string(),
///     "tile [4, 3] on threads [4, 8]: dimension 1 has extent 3, neither 1 nor the 8 threads of axis 1"
/// );
/// # Ok::<(), mytriton_layout::block::BlockError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TileLayout {
    shape: Coords,
    threads: Coords,
    axes: SmallVec<[Option<usize>; 4]>,
}

impl TileLayout {
    /// A tile of the threads' rank, dimension i along axis i: mapped where the extents are equal, everybody's where it
    /// is 1. `broadcast_axes` names dimensions that are everybody's even where the threads have extent 1 too.
    ///
    /// # Errors
    /// Other extents, ranks that differ, broadcast axes of an extent other than 1 or that do not exist.
    pub fn new(shape: &[u32], thread_shape: &[u32], broadcast_axes: &[usize]) -> Result<Self, BlockError> {
        if shape.len() != thread_shape.len() {
            return Err(BlockError::TileRank {
                shape: shape.to_vec(),
                threads: thread_shape.to_vec(),
            });
        }
        check_axes(broadcast_axes, shape.len())?;
        let axes: SmallVec<[Option<usize>; 4]> = (0..shape.len())
            .map(|axis| {
                let everybodys = broadcast_axes.contains(&axis) || (shape[axis] == 1 && thread_shape[axis] != 1);
                (!everybodys).then_some(axis)
            })
            .collect();
        Self::with_axes(shape, thread_shape, &axes)
    }

    /// A tile of any rank with the thread axis of each dimension, `None` for those that are everybody's.
    ///
    /// # Errors
    /// The list must have the tile's rank and name distinct axes of equal extents; the others have extent 1.
    pub fn with_axes(shape: &[u32], thread_shape: &[u32], axes: &[Option<usize>]) -> Result<Self, BlockError> {
        check_positive("tile", shape)?;
        check_positive("thread shape", thread_shape)?;
        let named: Vec<usize> = axes.iter().copied().flatten().collect();
        check_axes(&named, thread_shape.len())?;
        if axes.len() != shape.len() {
            return Err(BlockError::TileRank {
                shape: shape.to_vec(),
                threads: thread_shape.to_vec(),
            });
        }
        for (dim, axis) in axes.iter().enumerate() {
            match *axis {
                Some(axis) if shape[dim] != thread_shape[axis] => {
                    let (shape, threads, extent) = (shape.to_vec(), thread_shape.to_vec(), thread_shape[axis]);
                    return Err(BlockError::TileExtent {
                        shape,
                        threads,
                        dim,
                        axis,
                        extent,
                    });
                }
                None if shape[dim] != 1 => {
                    return Err(BlockError::BroadcastExtent {
                        shape: shape.to_vec(),
                        dim,
                    });
                }
                _ => {}
            }
        }
        Ok(TileLayout {
            shape: shape.into(),
            threads: thread_shape.into(),
            axes: axes.into(),
        })
    }

    /// Extents of the tile.
    pub fn shape(&self) -> &[u32] {
        &self.shape
    }

    /// Extents of the threads.
    pub fn thread_shape(&self) -> &[u32] {
        &self.threads
    }

    /// The thread axis of each dimension of the tile; `None` where it is everybody's.
    pub fn thread_axes(&self) -> &[Option<usize>] {
        &self.axes
    }

    /// The element that a thread holds, from the thread's coordinates.
    pub fn coords(&self, thread: &[u32]) -> Coords {
        self.axes
            .iter()
            .map(|axis| axis.and_then(|axis| thread.get(axis)).copied().unwrap_or(0))
            .collect()
    }

    /// The thread axes along which the tile is replicated: those that no dimension runs along, of extent above 1.
    /// Of such a tile, the threads at 0 along these axes own everything.
    pub fn replicated_axes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.threads.len()).filter(|&axis| self.threads[axis] > 1 && !self.axes.contains(&Some(axis)))
    }

    /// The same as a linear layout from `lane` (32 of them, or all threads if fewer) and `warp`, threads being
    /// counted with the last axis fastest. `None` unless all extents are powers of two.
    pub fn to_linear(&self) -> Option<LinearLayout> {
        self.try_to_linear().ok()
    }

    fn try_to_linear(&self) -> Result<LinearLayout, LayoutError> {
        let outs = self
            .shape
            .iter()
            .enumerate()
            .try_fold(LinearLayout::empty(), |l, (dim, _)| l.unsqueeze_out(Dim::out(dim)))?;
        let all = (0..self.threads.len()).rev().try_fold(outs, |l, axis| {
            let extent = self.threads[axis];
            l.product(&match self.axes.iter().position(|mapped| *mapped == Some(axis)) {
                Some(dim) => LinearLayout::identity1d(extent, Dim::THREAD, Dim::out(dim))?,
                // No output of its own: a broadcast.
                None => LinearLayout::zeros1d(extent, Dim::THREAD, "none", 1)?,
            })
        })?;
        let dims: Vec<Dim> = (0..self.shape.len()).map(Dim::out).collect();
        let dims: Vec<&str> = dims.iter().map(Dim::as_str).collect();
        split_threads(&all.sublayout(&["thread"], &dims)?)
    }
}

/// Splits the input `thread` into `lane` and `warp`; other inputs stay before them.
pub(super) fn split_threads(layout: &LinearLayout) -> Result<LinearLayout, LayoutError> {
    let threads = layout.in_size("thread");
    let lanes = threads.min(32);
    let mut dims: Vec<(&str, u32)> = layout
        .ins()
        .filter(|(dim, _)| **dim != Dim::THREAD)
        .map(|(dim, size)| (dim.as_str(), size))
        .collect();
    dims.extend([("lane", lanes), ("warp", threads / lanes)]);
    layout.reshape_ins(&dims)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_decide_the_axes() {
        let axes = |shape: &[u32], broadcast: &[usize]| {
            TileLayout::new(shape, &[4, 8], broadcast).map(|l| l.thread_axes().to_vec())
        };
        assert_eq!(axes(&[4, 8], &[]).unwrap(), [Some(0), Some(1)]);
        assert_eq!(axes(&[4, 1], &[]).unwrap(), [Some(0), None]);
        assert_eq!(axes(&[1, 8], &[0]).unwrap(), [None, Some(1)]);
        assert_eq!(axes(&[1, 1], &[]).unwrap(), [None, None]);
        assert!(matches!(
            axes(&[4, 3], &[]),
            Err(BlockError::TileExtent { dim: 1, extent: 8, .. })
        ));
        assert!(matches!(
            axes(&[4, 8], &[1]),
            Err(BlockError::BroadcastExtent { dim: 1, .. })
        ));
        assert!(matches!(axes(&[4], &[]), Err(BlockError::TileRank { .. })));
        assert!(matches!(axes(&[4, 8], &[2]), Err(BlockError::Axes { rank: 2, .. })));
        assert!(matches!(axes(&[0, 8], &[]), Err(BlockError::Empty { .. })));
    }

    #[test]
    fn an_axis_of_one_thread_is_mapped_unless_it_is_broadcast() {
        let l = TileLayout::new(&[1, 1], &[1, 8], &[1]).unwrap();
        assert_eq!(l.thread_axes(), [Some(0), None]);
        let l = TileLayout::new(&[1, 1], &[1, 8], &[0, 1]).unwrap();
        assert_eq!(l.thread_axes(), [None, None]);
        assert_eq!(
            l.replicated_axes().collect::<Vec<_>>(),
            [1],
            "one thread replicates nothing"
        );
    }

    #[test]
    fn named_axes() {
        // A vector along the rows of a 4x8 block, as it is before it becomes a column.
        let rows = TileLayout::with_axes(&[4], &[4, 8], &[Some(0)]).unwrap();
        assert_eq!(rows.coords(&[3, 5])[..], [3]);
        assert_eq!(rows.replicated_axes().collect::<Vec<_>>(), [1]);
        let transposed = TileLayout::with_axes(&[8, 4], &[4, 8], &[Some(1), Some(0)]).unwrap();
        assert_eq!(transposed.coords(&[3, 5])[..], [5, 3]);
        assert!(matches!(
            TileLayout::with_axes(&[4, 4], &[4, 8], &[Some(0), Some(0)]),
            Err(BlockError::Axes { .. })
        ));
    }

    #[test]
    fn agrees_with_the_linear_layout() {
        for (shape, threads) in [
            (vec![4, 8], vec![4, 8]),
            (vec![1, 64], vec![4, 64]),
            (vec![16, 1], vec![16, 16]),
            (vec![1, 1], vec![2, 4]),
            (vec![128], vec![128]),
        ] {
            let tile = TileLayout::new(&shape, &threads, &[]).unwrap();
            let linear = tile.to_linear().unwrap();
            assert!(linear.is_surjective());
            let total: u32 = threads.iter().product();
            for thread in 0..total {
                let coordinates = match threads[..] {
                    [_, columns] => vec![thread / columns, thread % columns],
                    _ => vec![thread],
                };
                let index = [("lane", thread % 32), ("warp", thread / 32)];
                assert_eq!(linear.apply(&index).unwrap(), tile.coords(&coordinates));
            }
        }
        assert_eq!(TileLayout::new(&[10, 10], &[10, 10], &[]).unwrap().to_linear(), None);
    }
}
