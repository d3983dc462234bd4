//! The kernel layout: the tile that a kernel writes, and its threads.

use super::{BlockError, MAX_THREADS, check_positive, count};
use smallvec::SmallVec;

type Shape = SmallVec<[u32; 2]>;

/// The shapes of what one store instruction takes; scalars have no dimensions (`&[]`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Store<'a> {
    /// Shape of the pointers.
    pub pointer: &'a [u32],
    /// Shape of the values.
    pub value: &'a [u32],
    /// Shape of the mask, if there is one.
    pub mask: Option<&'a [u32]>,
}

/// The shape of the input of a reduction instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reduction<'a> {
    /// Shape of the input.
    pub input: &'a [u32],
}

/// The tile that a kernel writes and the shape of its thread block, both of rank 1 or both of rank 2.
///
/// The two may differ: a 64x64 tile over 8x32 threads is written in several rounds.
///
/// ```
/// use mytriton_layout::block::{KernelLayout, Reduction, Store};
/// let masked = Store { pointer: &[128], value: &[128], mask: Some(&[128]) };
/// let layout = KernelLayout::infer([masked], [])?;
/// assert_eq!((layout.output_tile_shape(), layout.thread_shape()), (&[128][..], &[128][..]));
///
/// // A sum of four values, stored by one thread.
/// let scalar = Store { pointer: &[], value: &[], mask: None };
/// let layout = KernelLayout::infer([scalar], [Reduction { input: &[4] }])?;
/// assert_eq!((layout.output_tile_shape(), layout.thread_shape()), (&[1][..], &[4][..]));
/// # Ok::<(), mytriton_layout::block::BlockError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KernelLayout {
    output: Shape,
    threads: Shape,
}

impl KernelLayout {
    /// A layout from its two shapes.
    ///
    /// # Errors
    /// Ranks must be equal and 1 or 2, extents positive, and the threads at most [`MAX_THREADS`].
    pub fn new(output_tile_shape: &[u32], thread_shape: &[u32]) -> Result<Self, BlockError> {
        for (what, shape) in [("output tile", output_tile_shape), ("thread shape", thread_shape)] {
            if !matches!(shape.len(), 1 | 2) {
                return Err(BlockError::Rank {
                    what,
                    shape: shape.to_vec(),
                });
            }
            check_positive(what, shape)?;
        }
        if output_tile_shape.len() != thread_shape.len() {
            let (output, threads) = (output_tile_shape.to_vec(), thread_shape.to_vec());
            return Err(BlockError::RanksDiffer { output, threads });
        }
        let threads = count(thread_shape);
        if threads > MAX_THREADS.into() {
            return Err(BlockError::TooManyThreads {
                threads: thread_shape.to_vec(),
                count: threads,
            });
        }
        Ok(KernelLayout {
            output: output_tile_shape.into(),
            threads: thread_shape.into(),
        })
    }

    /// The layout of a kernel from all its stores and reductions, those within loops included.
    ///
    /// The output tile is the broadcast of the block-shaped operands of every store, `(1,)` without any; tiles that are
    /// not stored have no say. The thread shape is the output tile, unless there are reductions: then it is their
    /// common width.
    ///
    /// # Errors
    /// Operands that do not broadcast together, stores of different ranks, reductions of other ranks than 1 or of
    /// different widths; and those of [`new`](Self::new).
    pub fn infer<'a>(
        stores: impl IntoIterator<Item = Store<'a>>,
        reductions: impl IntoIterator<Item = Reduction<'a>>,
    ) -> Result<Self, BlockError> {
        let mut output: Option<Shape> = None;
        for store in stores {
            let operands = [Some(store.pointer), Some(store.value), store.mask];
            let blocks = operands.into_iter().flatten().filter(|shape| !shape.is_empty());
            let Some(tile) = blocks
                .map(|shape| Ok(Shape::from(shape)))
                .reduce(|a, b| broadcast(&a?, &b?))
            else {
                continue;
            };
            let tile = tile?;
            output = Some(match output {
                Some(first) if first.len() != tile.len() => {
                    return Err(BlockError::MixedRanks {
                        first: first.to_vec(),
                        second: tile.to_vec(),
                    });
                }
                Some(first) => broadcast(&first, &tile)?,
                None => tile,
            });
        }
        let output = output.unwrap_or_else(|| Shape::from_elem(1, 1));
        let mut width: Option<u32> = None;
        for reduction in reductions {
            let &[this] = reduction.input else {
                return Err(BlockError::ReductionRank {
                    shape: reduction.input.to_vec(),
                });
            };
            match width {
                Some(first) if first != this => return Err(BlockError::ReductionWidths { first, second: this }),
                _ => width = Some(this),
            }
        }
        let threads = width.map_or_else(|| output.clone(), |width| Shape::from_elem(width, 1));
        Self::new(&output, &threads)
    }

    /// Extents of the tile that the kernel writes.
    pub fn output_tile_shape(&self) -> &[u32] {
        &self.output
    }

    /// Extents of the thread block, the last axis fastest (CUDA's x).
    pub fn thread_shape(&self) -> &[u32] {
        &self.threads
    }

    /// Number of threads of the block.
    pub fn num_threads(&self) -> u32 {
        self.threads.iter().product()
    }
}

/// The common shape of two operands: missing leading dimensions and those of extent 1 stretch.
fn broadcast(a: &[u32], b: &[u32]) -> Result<Shape, BlockError> {
    let rank = a.len().max(b.len());
    let extent = |shape: &[u32], axis: usize| (axis + shape.len()).checked_sub(rank).map_or(1, |axis| shape[axis]);
    (0..rank)
        .map(|axis| match (extent(a, axis), extent(b, axis)) {
            (x, y) if x == y => Ok(x),
            (x, 1) => Ok(x),
            (1, y) => Ok(y),
            _ => Err(BlockError::NoBroadcast {
                left: a.to_vec(),
                right: b.to_vec(),
            }),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store<'a>(pointer: &'a [u32], value: &'a [u32], mask: Option<&'a [u32]>) -> Store<'a> {
        Store { pointer, value, mask }
    }

    fn shapes(layout: Result<KernelLayout, BlockError>) -> (Vec<u32>, Vec<u32>) {
        let layout = layout.unwrap();
        (layout.output.to_vec(), layout.threads.to_vec())
    }

    fn error(layout: Result<KernelLayout, BlockError>) -> String {
        layout.unwrap_err().to_string()
    }

    #[test]
    fn shapes_are_checked() {
        assert!(
            KernelLayout::new(&[64, 64], &[8, 32]).is_ok(),
            "tile and threads may differ"
        );
        assert!(KernelLayout::new(&[1], &[1024]).is_ok());
        assert_eq!(
            error(KernelLayout::new(&[2048], &[2048])),
            "thread shape [2048] has 2048 threads: a block has at most 1024, use a smaller tile"
        );
        assert_eq!(
            error(KernelLayout::new(&[64], &[8, 32])),
            "the output tile [64] and the thread shape [8, 32] have different ranks"
        );
        assert_eq!(
            error(KernelLayout::new(&[1, 2, 3], &[1])),
            "output tile [1, 2, 3] has rank 3: kernel layouts have rank 1 or 2"
        );
        assert_eq!(
            error(KernelLayout::new(&[], &[])),
            "output tile [] has rank 0: kernel layouts have rank 1 or 2"
        );
        assert_eq!(
            error(KernelLayout::new(&[4], &[0])),
            "thread shape [0] has an extent of 0: extents are positive"
        );
        assert!(matches!(
            KernelLayout::new(&[1, 1], &[u32::MAX, u32::MAX]),
            Err(BlockError::TooManyThreads { .. })
        ));
    }

    #[test]
    fn output_tile_is_the_broadcast_of_all_stored_operands() {
        assert_eq!(
            shapes(KernelLayout::infer([store(&[64], &[], None)], [])),
            (vec![64], vec![64])
        );
        assert_eq!(
            shapes(KernelLayout::infer([store(&[16, 1], &[1, 32], None)], [])),
            (vec![16, 32], vec![16, 32])
        );
        // The mask takes part, and so does every store.
        assert_eq!(shapes(KernelLayout::infer([store(&[1], &[], Some(&[32]))], [])).0, [32]);
        assert_eq!(
            shapes(KernelLayout::infer(
                [
                    store(&[16, 1], &[], None),
                    store(&[], &[], None),
                    store(&[1, 8], &[], None)
                ],
                []
            ))
            .0,
            [16, 8]
        );
        // Missing dimensions of one operand stand on the left.
        assert_eq!(shapes(KernelLayout::infer([store(&[4, 8], &[8], None)], [])).0, [4, 8]);
    }

    #[test]
    fn scalar_kernels_have_one_thread() {
        assert_eq!(shapes(KernelLayout::infer([], [])), (vec![1], vec![1]));
        assert_eq!(
            shapes(KernelLayout::infer([store(&[], &[], Some(&[]))], [])),
            (vec![1], vec![1])
        );
    }

    #[test]
    fn reductions_set_the_threads() {
        let four = Reduction { input: &[4] };
        assert_eq!(
            shapes(KernelLayout::infer([store(&[], &[], None)], [four, four])),
            (vec![1], vec![4])
        );
        assert_eq!(
            shapes(KernelLayout::infer(
                [store(&[256], &[256], None)],
                [Reduction { input: &[256] }]
            )),
            (vec![256], vec![256])
        );
        assert_eq!(
            error(KernelLayout::infer([], [four, Reduction { input: &[8] }])),
            "reductions over 4 and over 8 elements in one kernel: all must have one width"
        );
        assert_eq!(
            error(KernelLayout::infer([], [Reduction { input: &[4, 8] }])),
            "a reduction over [4, 8]: inputs of reductions have rank 1 here"
        );
        assert!(matches!(
            KernelLayout::infer([store(&[4, 4], &[], None)], [four]),
            Err(BlockError::RanksDiffer { .. })
        ));
    }

    #[test]
    fn bad_stores_are_refused() {
        assert_eq!(
            error(KernelLayout::infer([store(&[16], &[8], None)], [])),
            "stored shapes [16] and [8] do not broadcast together"
        );
        assert_eq!(
            error(KernelLayout::infer(
                [store(&[16], &[], None), store(&[32], &[], None)],
                []
            )),
            "stored shapes [16] and [32] do not broadcast together"
        );
        assert_eq!(
            error(KernelLayout::infer(
                [store(&[16], &[], None), store(&[4, 16], &[], None)],
                []
            )),
            "the kernel stores tiles of different ranks, [16] and [4, 16]: one kernel layout cannot serve both"
        );
        assert!(matches!(
            KernelLayout::infer([store(&[2, 2, 2], &[], None)], []),
            Err(BlockError::Rank { .. })
        ));
    }
}
