//! How many programs a launch has.

/// A number of programs along one dimension. Numbers beyond the limits are reported at launch.
pub trait Extent {
    /// The number; the largest one where it does not fit.
    fn extent(self) -> i64;
}

macro_rules! extents {
    ($($ty:ty),*) => {$(
        impl Extent for $ty {
            #[inline]
            fn extent(self) -> i64 {
                i64::try_from(self).unwrap_or(i64::MAX)
            }
        }

        impl From<$ty> for Grid {
            #[inline]
            fn from(x: $ty) -> Grid {
                Grid { extents: [x.extent(), 1, 1] }
            }
        }
    )*};
}

extents!(i32, u32, i64, u64, usize);

/// The programs of a launch, in one to three dimensions; a missing one is 1. A grid with a 0 has no programs.
///
/// At most 2^31 - 1 programs along x, and 65535 along y and z.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Grid {
    pub(crate) extents: [i64; 3],
}

/// A [`Grid`](struct@Grid) of a number, a pair or a triple: `Grid(n.div_ceil(1024))`, `Grid((4, 2))`.
#[allow(non_snake_case)]
#[inline]
pub fn Grid(extents: impl Into<Grid>) -> Grid {
    extents.into()
}

impl<X: Extent, Y: Extent> From<(X, Y)> for Grid {
    #[inline]
    fn from((x, y): (X, Y)) -> Grid {
        Grid {
            extents: [x.extent(), y.extent(), 1],
        }
    }
}

impl<X: Extent, Y: Extent, Z: Extent> From<(X, Y, Z)> for Grid {
    #[inline]
    fn from((x, y, z): (X, Y, Z)) -> Grid {
        Grid {
            extents: [x.extent(), y.extent(), z.extent()],
        }
    }
}

impl<E: Extent, const N: usize> From<[E; N]> for Grid
where
    [E; N]: UpToThree,
{
    #[inline]
    fn from(extents: [E; N]) -> Grid {
        let mut all = [1; 3];
        for (slot, extent) in all.iter_mut().zip(extents) {
            *slot = extent.extent();
        }
        Grid { extents: all }
    }
}

/// Arrays that a grid can be made from.
pub trait UpToThree {}
impl<E> UpToThree for [E; 1] {}
impl<E> UpToThree for [E; 2] {}
impl<E> UpToThree for [E; 3] {}

#[cfg(test)]
mod tests {
    use super::Grid;

    #[test]
    fn grids_are_made_of_numbers_of_all_kinds() {
        assert_eq!(Grid(7).extents, [7, 1, 1]);
        assert_eq!(Grid::from((3usize, 4u32)).extents, [3, 4, 1]);
        assert_eq!(Grid::from((1, 2, 3)).extents, [1, 2, 3]);
        assert_eq!(Grid::from([5u32, 6]).extents, [5, 6, 1]);
        assert_eq!(Grid(u64::MAX).extents, [i64::MAX, 1, 1]);
        assert_eq!(Grid(-1).extents, [-1, 1, 1]);
    }
}
