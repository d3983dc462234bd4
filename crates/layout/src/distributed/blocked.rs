//! Blocked layouts: a grid of warps, each a grid of lanes, each a grid of registers.

use super::{DistributedLayout, Result};
use crate::linear::log2_size;
use crate::{Dim, LayoutError, LinearLayout};

const NAME: &str = "blocked";

impl DistributedLayout {
    /// Every thread holds a block of `size_per_thread` elements, a warp a grid of `threads_per_warp` such blocks, and
    /// the thread block a grid of `warps_per_cta` of those. `order` lists the axes from the fastest to the slowest.
    ///
    /// `shape` is padded to powers of two. Where the grid is larger than the tile, threads replicate (zero bases);
    /// where it is smaller, it repeats in further registers, along the fastest axis first.
    ///
    /// # Errors
    /// All lists must have the rank of `shape`, counts be powers of two, and `order` a permutation of the axes.
    ///
    /// ```
    /// use mytriton_layout::DistributedLayout;
    /// let l = DistributedLayout::blocked(&[32, 32], &[1, 1], &[1, 32], &[4, 1], &[1, 0])?;
    /// assert_eq!(l.linear().bases("register").map(|b| (b[0], b[1])).collect::<Vec<_>>(), [(4, 0), (8, 0), (16, 0)]);
    /// // (20, 0) ^ (0, 3) ^ (2, 0)
    /// assert_eq!(l.coords(5, 3, 2)[..], [22, 3]);
    /// # Ok::<(), mytriton_layout::LayoutError>(())
    /// ```
    pub fn blocked(
        shape: &[u32],
        size_per_thread: &[u32],
        threads_per_warp: &[u32],
        warps_per_cta: &[u32],
        order: &[usize],
    ) -> Result<Self> {
        let rank = shape.len();
        for (what, list) in [
            ("size_per_thread", size_per_thread),
            ("threads_per_warp", threads_per_warp),
            ("warps_per_cta", warps_per_cta),
        ] {
            if list.len() != rank {
                return parameters(format!("{what} {list:?} has not the rank of the shape {shape:?}"));
            }
            if let Some(count) = list.iter().find(|count| !count.is_power_of_two()) {
                return parameters(format!("{what} {list:?}: {count} is not a power of two"));
            }
        }
        check_order(order, rank)?;
        let grids = [
            (Dim::REGISTER, size_per_thread),
            (Dim::LANE, threads_per_warp),
            (Dim::WARP, warps_per_cta),
        ];
        let grid = grids
            .into_iter()
            .try_fold(LinearLayout::empty(), |l, (input, counts)| {
                order.iter().try_fold(l, |l, &axis| {
                    l.product(&LinearLayout::identity1d(counts[axis], input.clone(), Dim::out(axis))?)
                })
            })?;
        fit(grid, shape, order)
    }

    /// The blocked layout that a tile gets before anything is known of its accesses: `vector` elements per thread along
    /// the last axis (fewer if the tile has no more for each thread), lanes and warps filling the tile from the last
    /// axis on; what is left of them replicates along the first axis.
    ///
    /// # Errors
    /// Counts must be powers of two, and the shape must have a dimension.
    pub fn blocked_default(shape: &[u32], vector: u32, lanes: u32, warps: u32) -> Result<Self> {
        let rank = shape.len();
        if rank == 0 {
            return parameters("a scalar has no distributed layout".to_owned());
        }
        for (what, count) in [("vector", vector), ("lanes", lanes), ("warps", warps)] {
            if !count.is_power_of_two() {
                return parameters(format!("{what} {count} is not a power of two"));
            }
        }
        let padded = padded(shape)?;
        let elements: u64 = padded.iter().map(|&s| u64::from(s)).product();
        let share = (elements / (u64::from(lanes) * u64::from(warps))).max(1);
        let per_thread = u64::from(vector.min(padded[rank - 1])).min(share) as u32;
        let mut size_per_thread = vec![1; rank];
        size_per_thread[rank - 1] = per_thread;
        let mut left: Vec<u32> = padded
            .iter()
            .zip(&size_per_thread)
            .map(|(&extent, &size)| extent / size)
            .collect();
        let mut fill = |mut count: u32| {
            let mut counts = vec![1; rank];
            for axis in (0..rank).rev() {
                let taken = if axis == 0 { count } else { count.min(left[axis]) };
                counts[axis] = taken;
                left[axis] = (left[axis] / taken).max(1);
                count /= taken;
            }
            counts
        };
        let (threads, warps) = (fill(lanes), fill(warps));
        let order: Vec<usize> = (0..rank).rev().collect();
        Self::blocked(shape, &size_per_thread, &threads, &warps, &order)
    }
}

/// Resizes the outputs to the padded shape along `order`, names them in the tensor's order, and adds `block`.
pub(super) fn fit(grid: LinearLayout, shape: &[u32], order: &[usize]) -> Result<DistributedLayout> {
    let padded = padded(shape)?;
    let dims: Vec<Dim> = (0..shape.len()).map(Dim::out).collect();
    let sizes: Vec<(&str, u32)> = order.iter().map(|&axis| (dims[axis].as_str(), padded[axis])).collect();
    let names: Vec<&str> = dims.iter().map(Dim::as_str).collect();
    DistributedLayout::new(grid.resize_outs(&sizes, "register")?.transpose_outs(&names)?)
}

/// The shape with every extent rounded up to a power of two.
fn padded(shape: &[u32]) -> Result<Vec<u32>> {
    let pad = |(axis, &extent): (usize, &u32)| match extent.checked_next_power_of_two() {
        Some(size) if extent > 0 => log2_size(&Dim::out(axis), size).map(|_| size),
        _ => Err(LayoutError::NotPowerOfTwo {
            dim: Dim::out(axis),
            size: extent.into(),
        }),
    };
    shape.iter().enumerate().map(pad).collect()
}

fn check_order(order: &[usize], rank: usize) -> Result<()> {
    let is_permutation = order.len() == rank && (0..rank).all(|axis| order.contains(&axis));
    if is_permutation {
        Ok(())
    } else {
        parameters(format!("order {order:?} is not a permutation of the axes 0..{rank}"))
    }
}

fn parameters<T>(message: String) -> Result<T> {
    Err(LayoutError::Parameters {
        constructor: NAME,
        message,
    })
}
