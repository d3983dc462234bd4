//! How many threads a block has, and which tiles they share out.
//!
//! What a kernel stores, and what it reduces, scans or reshapes, decides. Stored tiles that broadcast to one tile share
//! it as their *root*; so do all, where they fit together. A root of at most 1024 elements has a thread for each
//! element. Otherwise thread t of T owns the row-major linear indices t, t + T, t + 2T, ...
//!
//! The operands of operations that move elements ([`moves`](crate::moves)) are roots of their own, so that all threads
//! take part: there are as many threads as the largest root needs.
//!
//! A stored tile that is smaller than its root (1x32 in 16x32) is replicated along the axes where it has extent 1, and
//! written by the owners at coordinate 0 there.

use mytriton_ssa::{Kernel, MAX_RANK, OpId, OpKind};
use rustc_hash::FxHashMap;

use crate::moves::is_moved;

/// The most threads that a block may have on any NVIDIA GPU.
const MAX_THREADS: u32 = 1024;

/// Elements of a thread up to which fewer than [`MAX_THREADS`] threads are used for a large tile.
const FEW_SLOTS: u64 = 16;

/// A tile whose elements the threads share out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Root {
    /// The extents.
    pub shape: Vec<u32>,
    /// How many elements a thread owns at most.
    pub slots: u32,
    /// Whether some threads own one less.
    pub tail: bool,
}

/// For each dimension of a tile the dimension of the root whose coordinate it has; none where the extent is 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Projection {
    dims: [Option<u8>; MAX_RANK],
    rank: u8,
}

impl Projection {
    pub(crate) fn new(dims: impl IntoIterator<Item = Option<u8>>) -> Projection {
        let mut projection = Projection {
            dims: [None; MAX_RANK],
            rank: 0,
        };
        // Tiles have rank 5 at most, as the verifier makes sure.
        for dim in dims.into_iter().take(MAX_RANK) {
            projection.dims[usize::from(projection.rank)] = dim;
            projection.rank += 1;
        }
        projection
    }

    /// That of a tile with the shape of the root.
    pub(crate) fn whole(shape: &[u32]) -> Projection {
        let dim = |(dim, &extent): (usize, &u32)| (extent > 1).then_some(dim as u8);
        Projection::new(shape.iter().enumerate().map(dim))
    }

    pub(crate) fn dims(&self) -> &[Option<u8>] {
        &self.dims[..usize::from(self.rank)]
    }
}

/// Who holds which element of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Ownership {
    /// Every thread holds the one element.
    Uniform,
    /// Who owns an element of the root holds the tile's element at the projected coordinates.
    Tile { root: usize, projection: Projection },
}

impl Ownership {
    /// Of a tile with the shape of a root: who owns an element of the root holds that of the tile.
    pub(crate) fn whole(root: usize, shape: &[u32]) -> Ownership {
        let projection = Projection::whole(shape);
        Ownership::Tile { root, projection }
    }

    /// The number of the root, unless it is uniform.
    pub(crate) fn root(&self) -> Option<usize> {
        match self {
            Ownership::Uniform => None,
            Ownership::Tile { root, .. } => Some(*root),
        }
    }
}

/// The threads of a kernel and what each store writes.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Threads {
    /// Threads of a block.
    pub count: u32,
    /// The tiles.
    pub roots: Vec<Root>,
    /// Of each store of a tile: who holds what is stored.
    pub stores: FxHashMap<OpId, Ownership>,
}

impl Threads {
    /// Chooses them for a valid kernel.
    pub(crate) fn of(kernel: &Kernel) -> Threads {
        let mut stores = Vec::new();
        for op in kernel.ops_in_order() {
            let data = kernel.op(op);
            if data.kind == OpKind::Store {
                let shape = kernel.ty(data.operands[0]).shape;
                if !shape.is_scalar() {
                    stores.push((op, shape.dims().to_vec()));
                }
            }
        }
        let mut tiles = merged(&stores);
        let stored = tiles.len();
        for op in kernel.ops_in_order() {
            let data = kernel.op(op);
            if is_moved(kernel, data) {
                let shape = kernel.ty(data.operands[0]).shape;
                if !tiles.iter().any(|tile| tile == shape.dims()) {
                    tiles.push(shape.dims().to_vec());
                }
            }
        }
        let count = thread_count(&tiles);
        let mut result = Threads {
            count,
            roots: tiles.iter().map(|tile| root(tile, count)).collect(),
            stores: FxHashMap::default(),
        };
        for (op, shape) in stores {
            let owners = tiles[..stored]
                .iter()
                .enumerate()
                .find_map(|(root, tile)| Some((root, project(&shape, tile)?)));
            // Each stored shape broadcasts to one of the tiles that `merged` gives.
            if let Some((root, projection)) = owners {
                result.stores.insert(op, Ownership::Tile { root, projection });
            }
        }
        result
    }

    /// The root of exactly this shape.
    pub(crate) fn root_of(&self, shape: &[u32]) -> Option<usize> {
        self.roots.iter().position(|root| root.shape == shape)
    }
}

/// Tiles that each stored shape broadcasts to one of; shapes that fit together share one.
fn merged(stores: &[(OpId, Vec<u32>)]) -> Vec<Vec<u32>> {
    let mut tiles: Vec<Vec<u32>> = Vec::new();
    for (_, shape) in stores {
        let fits = |tile: &&mut Vec<u32>| {
            let common = |(&a, &b): (&u32, &u32)| a == b || a == 1 || b == 1;
            tile.len() == shape.len() && tile.iter().zip(shape).all(common)
        };
        match tiles.iter_mut().find(fits) {
            Some(tile) => tile.iter_mut().zip(shape).for_each(|(a, &b)| *a = (*a).max(b)),
            None => tiles.push(shape.clone()),
        }
    }
    // A tile that grew may now cover a later one.
    let covered = |a: &[u32], b: &[u32]| a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| a == b || a == 1);
    let all = tiles.clone();
    tiles.retain(|tile| !all.iter().any(|other| other != tile && covered(tile, other)));
    tiles
}

/// One thread for each element of the largest tile where a block can have so many; for larger ones enough that a
/// thread's share fits its registers, if that is possible.
fn thread_count(tiles: &[Vec<u32>]) -> u32 {
    let largest = tiles.iter().map(|tile| num_elements(tile)).max().unwrap_or(1);
    if largest <= u64::from(MAX_THREADS) {
        return largest as u32;
    }
    let enough = |&threads: &u32| largest.div_ceil(threads.into()) <= FEW_SLOTS;
    [256, 512].into_iter().find(enough).unwrap_or(MAX_THREADS)
}

fn num_elements(tile: &[u32]) -> u64 {
    tile.iter().map(|&extent| u64::from(extent)).product()
}

fn root(tile: &[u32], threads: u32) -> Root {
    let elements = num_elements(tile);
    Root {
        shape: tile.to_vec(),
        slots: elements.div_ceil(threads.into()) as u32,
        tail: !elements.is_multiple_of(threads.into()),
    }
}

/// Where the elements of a stored tile are, seen from its root; `None` where it does not broadcast to it.
fn project(shape: &[u32], tile: &[u32]) -> Option<Projection> {
    let broadcasts = |(&extent, &whole): (&u32, &u32)| extent == whole || extent == 1;
    let fits = shape.len() == tile.len() && shape.iter().zip(tile).all(broadcasts);
    fits.then(|| Projection::whole(shape))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mytriton_ssa::parse_module;

    /// The threads of a kernel that stores tiles of these shapes.
    fn threads(shapes: &[&str]) -> Threads {
        let mut text = "kernel @k(%p: ptr<f32>) {\n".to_owned();
        for (i, shape) in shapes.iter().enumerate() {
            text += &format!("%p{i} = splat %p : tile<{shape}xptr<f32>>\n");
            text += &format!("%v{i} = const 1.0 : tile<{shape}xf32>\n");
            text += &format!("store %p{i}, %v{i} : tile<{shape}xptr<f32>>\n");
        }
        Threads::of(&parse_module(&(text + "}"), "k.ssa").unwrap().kernels[0])
    }

    fn shapes(threads: &Threads) -> Vec<&[u32]> {
        threads.roots.iter().map(|root| &root.shape[..]).collect()
    }

    #[test]
    fn one_element_for_each_thread() {
        let t = threads(&["16x32"]);
        assert_eq!((t.count, shapes(&t)), (512, vec![&[16, 32][..]]));
        assert_eq!((t.roots[0].slots, t.roots[0].tail), (1, false));
        assert_eq!(threads(&["19x37"]).count, 703, "extents need not be powers of two");
        assert_eq!(threads(&[]).count, 1);
    }

    #[test]
    fn smaller_blocks_are_replicated() {
        let t = threads(&["16x32", "1x32", "16x1"]);
        assert_eq!((t.count, shapes(&t)), (512, vec![&[16, 32][..]]));
        let mut projections: Vec<_> = t.stores.values().copied().collect();
        projections.sort_by_key(|p| format!("{p:?}"));
        let tile = |dims: [Option<u8>; 2]| Ownership::Tile {
            root: 0,
            projection: Projection::new(dims),
        };
        assert_eq!(
            projections,
            [tile([None, Some(1)]), tile([Some(0), None]), tile([Some(0), Some(1)]),]
        );
    }

    #[test]
    fn large_tiles_go_in_rounds() {
        let t = threads(&["1024x8"]);
        assert_eq!((t.count, t.roots[0].slots, t.roots[0].tail), (512, 16, false));
        let t = threads(&["4096"]);
        assert_eq!((t.count, t.roots[0].slots), (256, 16));
        let t = threads(&["1025"]);
        assert_eq!((t.count, t.roots[0].slots, t.roots[0].tail), (256, 5, true));
        assert_eq!(threads(&["1024x1024"]).count, 1024);
    }

    #[test]
    fn tiles_that_do_not_fit_together() {
        let t = threads(&["64", "4x8", "128", "2x3x5", "1x8"]);
        assert_eq!(t.count, 128);
        assert_eq!(shapes(&t), [&[64][..], &[4, 8], &[128], &[2, 3, 5]]);
        assert_eq!(t.stores.len(), 5);
        assert!(t.roots[0].tail && !t.roots[2].tail);
        // 1x4 fits 1x1, which grew to 2x1 before; 2x1 then fits 2x4.
        let t = threads(&["1x1x1", "2x1x1", "1x4x1"]);
        assert_eq!(shapes(&t), [&[2, 4, 1][..]]);
    }
}
