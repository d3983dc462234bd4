//! The way from C++ to the layout algebra: whether a layout fits a tile.

use mytriton_layout::LinearLayout;
use std::{ffi::c_char, ffi::c_void, slice};

/// Receives a message: its bytes, their number, and what the caller gave along.
type MessageCallback = unsafe extern "C" fn(*const c_char, usize, *mut c_void);

const LAYOUT_INDICES: [&str; 4] = ["register", "lane", "warp", "block"];
const SHARED_INDICES: [&str; 2] = ["offset", "block"];
const DIMS: [&str; 5] = ["dim0", "dim1", "dim2", "dim3", "dim4"];

/// Whether the layout given by its flattened bases covers a tile of `shape` padded to powers of two, and stays in it.
///
/// # Errors
/// The reason as a sentence that names the basis at fault, or an element that no index reaches.
fn check_layout<const N: usize>(shape: &[i64], indices: [&str; N], bases: [&[i32]; N]) -> Result<(), String> {
    let rank = shape.len();
    if rank == 0 || rank > DIMS.len() {
        return Err(format!(
            "a layout needs a tensor of rank 1 to {}, got {rank}",
            DIMS.len()
        ));
    }
    let mut outs = Vec::with_capacity(rank);
    for (axis, &extent) in shape.iter().enumerate() {
        let padded = u32::try_from(extent)
            .ok()
            .filter(|&extent| extent > 0)
            .and_then(u32::checked_next_power_of_two);
        let padded = padded.ok_or_else(|| format!("extent {extent} of dimension {axis} is not between 1 and 2^31"))?;
        outs.push((DIMS[axis], padded));
    }
    let bases = bases.map(|flat| {
        // The attribute's verifier has seen that no coordinate is negative.
        let coordinates = flat.iter().map(|coordinate| coordinate.unsigned_abs());
        coordinates.collect::<Vec<u32>>()
    });
    let ins = indices
        .iter()
        .zip(&bases)
        .map(|(&name, flat)| (name, flat.chunks_exact(rank)));
    LinearLayout::from_bases(ins, &outs)
        .and_then(LinearLayout::require_surjective)
        .map(|_| ())
        .map_err(|error| error.to_string())
}

/// As the functions declared in C, for layouts that map from `N` indices.
///
/// # Safety
/// `shape` has `rank` elements; `num_bases` and `bases` have `N`, and `bases[i]` has `num_bases[i] * rank`, or is
/// anything where this is 0; `report` may be called with `user_data`.
unsafe fn check<const N: usize>(
    indices: [&str; N],
    (rank, shape): (usize, *const i64),
    (num_bases, bases): (*const usize, *const *const i32),
    (report, user_data): (MessageCallback, *mut c_void),
) -> bool {
    // SAFETY: the caller gives `rank` extents and as many arrays of bases as indices, of the lengths it says.
    let (shape, bases) = unsafe {
        let shape = slice::from_raw_parts(shape, rank);
        let bases = std::array::from_fn(|index| match *num_bases.add(index) * rank {
            0 => &[][..],
            length => slice::from_raw_parts(*bases.add(index), length),
        });
        (shape, bases)
    };
    match check_layout(shape, indices, bases) {
        Ok(()) => true,
        Err(reason) => {
            // SAFETY: the message lives until the callback returns, which copies it.
            unsafe { report(reason.as_ptr().cast(), reason.len(), user_data) };
            false
        }
    }
}

/// What the verifier of `#tile.layout` as an encoding calls; declared in `mytriton/Dialect/Tile/IR/LayoutCheck.h`.
///
/// # Safety
/// As `check`, with four indices.
// SAFETY: no other function of this name exists; the prefix is the project's.
#[unsafe(no_mangle)]
unsafe extern "C" fn mytritonCheckTileLayout(
    rank: usize,
    shape: *const i64,
    num_bases: *const usize,
    bases: *const *const i32,
    report: MessageCallback,
    user_data: *mut c_void,
) -> bool {
    // SAFETY: the caller keeps to what `check` asks for.
    unsafe { check(LAYOUT_INDICES, (rank, shape), (num_bases, bases), (report, user_data)) }
}

/// What the verifier of `#tile.shared` as a buffer's layout calls; declared in the same file.
///
/// # Safety
/// As `check`, with two indices.
// SAFETY: no other function of this name exists; the prefix is the project's.
#[unsafe(no_mangle)]
unsafe extern "C" fn mytritonCheckSharedLayout(
    rank: usize,
    shape: *const i64,
    num_bases: *const usize,
    bases: *const *const i32,
    report: MessageCallback,
    user_data: *mut c_void,
) -> bool {
    // SAFETY: the caller keeps to what `check` asks for.
    unsafe { check(SHARED_INDICES, (rank, shape), (num_bases, bases), (report, user_data)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANES: &[i32] = &[1, 2, 4, 8, 16];

    fn check_tile_layout(shape: &[i64], bases: [&[i32]; 4]) -> Result<(), String> {
        check_layout(shape, LAYOUT_INDICES, bases)
    }

    #[test]
    fn a_layout_that_fits() {
        assert_eq!(check_tile_layout(&[64], [&[32], LANES, &[], &[]]), Ok(()));
    }

    #[test]
    fn extents_are_padded_to_powers_of_two() {
        assert_eq!(check_tile_layout(&[33], [&[32], LANES, &[], &[]]), Ok(()));
        assert!(check_tile_layout(&[32], [&[32], LANES, &[], &[]]).is_err());
    }

    #[test]
    fn the_message_names_the_basis() {
        let error = check_tile_layout(&[1, 32], [&[], &[0, 1, 0, 2, 0, 4, 0, 64, 0, 16], &[], &[]]).unwrap_err();
        assert_eq!(error, "basis lane[3] = [0, 64]: coordinate 1 is outside of 0..32");
    }

    #[test]
    fn every_element_must_be_reached() {
        let error = check_tile_layout(&[128], [&[32], LANES, &[], &[]]).unwrap_err();
        assert!(error.contains("nothing maps to (dim0 = 64)"), "{error}");
    }

    #[test]
    fn extents_beyond_the_representation_are_refused() {
        let error = check_tile_layout(&[1 << 40], [&[], LANES, &[], &[]]).unwrap_err();
        assert!(error.contains("extent 1099511627776 of dimension 0"), "{error}");
    }

    #[test]
    fn layouts_in_shared_memory() {
        let check = |shape: &[i64], offset: &[i32]| check_layout(shape, SHARED_INDICES, [offset, &[]]);
        assert_eq!(check(&[4], &[1, 2]), Ok(()));
        assert_eq!(check(&[1, 1], &[]), Ok(()));
        let error = check(&[4], &[1, 4]).unwrap_err();
        assert_eq!(error, "basis offset[1] = [4]: coordinate 0 is outside of 0..4");
        assert!(check(&[5], &[1, 2]).unwrap_err().contains("nothing maps to (dim0 = 4)"));
    }
}
