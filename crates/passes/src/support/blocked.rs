//! The blocked layouts that passes start from.

use mytriton_layout::{DistributedLayout, LayoutError};

use crate::LANES;
use crate::support::shape::padded;

/// The layout of a tile in which each thread holds `vector` neighbours along `axis` (fewer if not every thread had some),
/// lanes go on along `axis` and then along the dimensions from the last to the first, and warps take the outermost
/// dimensions first, `axis` last of all. What lanes and warps do not cover is in further registers; where they are too
/// many they hold copies.
///
/// # Errors
/// `vector` and `num_warps` must be powers of two, and the shape have dimensions, none of them empty.
pub fn blocked(shape: &[u64], axis: usize, vector: u32, num_warps: u32) -> Result<DistributedLayout, LayoutError> {
    if shape.is_empty() || shape.contains(&0) {
        // Which says what is wrong with it.
        let extents: Vec<u32> = shape.iter().map(|&extent| extent as u32).collect();
        return DistributedLayout::blocked_default(&extents, 1, LANES, num_warps);
    }
    let padded = padded(shape);
    let rank = padded.len();
    let mut order = vec![axis];
    order.extend((0..rank).rev().filter(|&dim| dim != axis));
    let elements: u64 = padded.iter().map(|&extent| u64::from(extent)).product();
    let share = (elements / u64::from(LANES * num_warps)).max(1).min(u64::from(vector)) as u32;

    let mut left = padded.clone();
    let mut take = |counts: &mut [u32], dim: usize, count: u32| {
        let taken = count.min(left[dim]);
        left[dim] /= taken;
        counts[dim] *= taken;
        count / taken
    };
    let [mut registers, mut lanes, mut warps] = [vec![1; rank], vec![1; rank], vec![1; rank]];
    take(&mut registers, axis, share);
    let copies = order.iter().fold(LANES, |count, &dim| take(&mut lanes, dim, count));
    // Along `axis` come those that are left.
    let outer = (0..rank).filter(|&dim| dim != axis).chain([axis]);
    let idle = outer.fold(num_warps, |count, dim| take(&mut warps, dim, count));
    lanes[0] *= copies;
    warps[0] *= idle;
    DistributedLayout::blocked(&padded, &registers, &lanes, &warps, &order)
}

#[cfg(test)]
mod tests {
    use super::blocked;

    fn text(shape: &[u64], axis: usize, vector: u32, num_warps: u32) -> String {
        blocked(shape, axis, vector, num_warps).unwrap().to_string()
    }

    #[test]
    fn rows_stay_within_warps_where_there_are_enough() {
        assert_eq!(
            text(&[8, 64], 1, 4, 4),
            "{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]], \
             block = []}"
        );
        assert_eq!(
            text(&[2, 64], 1, 1, 4),
            "{register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32], [1, 0]], block = []}"
        );
    }

    #[test]
    fn a_thread_has_no_more_than_its_share() {
        assert_eq!(
            text(&[64], 0, 4, 1),
            "{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []}"
        );
        assert_eq!(
            text(&[12], 0, 4, 2),
            "{register = [], lane = [[1], [2], [4], [8], [0]], warp = [[0]], block = []}"
        );
    }

    #[test]
    fn tiles_of_nothing_are_refused() {
        assert!(blocked(&[], 0, 1, 4).is_err());
        assert!(blocked(&[4, 0], 1, 1, 4).is_err());
    }

    #[test]
    fn lanes_run_along_the_axis() {
        assert_eq!(
            text(&[128, 2], 0, 4, 2),
            "{register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], warp = [[0, 1]], block = []}"
        );
        assert_eq!(
            text(&[3, 2, 2, 4], 3, 1, 2),
            "{register = [], lane = [[0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]], warp = [[2, 0, \
             0, 0]], block = []}"
        );
    }
}
