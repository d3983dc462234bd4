//! The limits of grids.

/// The largest extents of a grid along x, y and z, on every GPU.
pub const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];

/// A grid that no GPU can launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("grid of {extent} programs along {axis}: 0 to {limit} are possible")]
pub struct GridError {
    /// The dimension: x, y or z.
    pub axis: char,
    /// The extent asked for.
    pub extent: i64,
    /// The largest possible one.
    pub limit: u32,
}

/// The extents as the driver takes them.
///
/// # Errors
/// [`GridError`] when one is negative or beyond [`MAX_GRID`]. Zero is fine: such a grid has no programs.
pub fn check_grid(extents: [i64; 3]) -> Result<[u32; 3], GridError> {
    let mut grid = [0; 3];
    for (i, extent) in extents.into_iter().enumerate() {
        grid[i] = match u32::try_from(extent) {
            Ok(fits) if fits <= MAX_GRID[i] => fits,
            _ => {
                return Err(GridError {
                    axis: ['x', 'y', 'z'][i],
                    extent,
                    limit: MAX_GRID[i],
                });
            }
        };
    }
    Ok(grid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_inclusive_and_zero_is_a_grid() {
        assert_eq!(check_grid([i64::from(i32::MAX), 65_535, 65_535]), Ok(MAX_GRID));
        assert_eq!(check_grid([0, 5, 0]), Ok([0, 5, 0]));
    }

    #[test]
    fn each_dimension_has_its_limit() {
        for (extents, axis, extent) in [
            ([1 << 31, 1, 1], 'x', 1 << 31),
            ([1, 65_536, 1], 'y', 65_536),
            ([1, 1, 65_536], 'z', 65_536),
            ([-1, 1, 1], 'x', -1),
            ([1, i64::MAX, 1], 'y', i64::MAX),
        ] {
            let error = check_grid(extents).unwrap_err();
            assert_eq!((error.axis, error.extent), (axis, extent));
        }
        let error = check_grid([1, 70_000, 1]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "grid of 70000 programs along y: 0 to 65535 are possible"
        );
    }
}
