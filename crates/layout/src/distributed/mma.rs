//! Layouts of the tensor cores' fragments, from the PTX ISA's figures of `mma.sync` and `wgmma`.
//!
//! All are cut from one pattern. Of a warp's 32 lanes the low two bits walk the *inner* dimension in steps of `width`
//! consecutive registers, the upper three the *outer* one; the instruction's tile then repeats in further registers.
//! [`DistributedLayout::mma_accumulator`] shows it.
//!
//! Two accumulators side by side are one A operand of m16n8k16 with the same registers in the same lanes, so a
//! product can feed the next without moving data.

use super::blocked::fit;
use super::{DistributedLayout, Result};
use crate::{Dim, LayoutError, LinearLayout};

impl DistributedLayout {
    /// The accumulator of `mma.sync.m16n8` for an M x N tile (PTX ISA, "Matrix Fragments for mma.m16n8k16", C and D).
    /// `warps` are counted along (M, N), N the fastest.
    ///
    /// | | columns 0,1 | 2,3 | 4,5 | 6,7 |
    /// |---|---|---|---|---|
    /// | row 0 | lane 0, registers 0,1 | lane 1 | lane 2 | lane 3 |
    /// | row 1 | lane 4 | lane 5 | lane 6 | lane 7 |
    /// | ... | | | | |
    /// | row 8 | lane 0, registers 2,3 | lane 1 | lane 2 | lane 3 |
    ///
    /// ```
    /// use mytriton_layout::DistributedLayout;
    /// let c = DistributedLayout::mma_accumulator([16, 8], [1, 1])?;
    /// for (row, first_lane, first_register) in [(0, 0, 0), (1, 4, 0), (8, 0, 2)] {
    ///     for column in 0..8 {
    ///         let (register, lane) = (first_register + column % 2, first_lane + column / 2);
    ///         assert_eq!(c.coords(register, lane, 0)[..], [row, column]);
    ///     }
    /// }
    /// # Ok::<(), mytriton_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// Warp counts must be powers of two and extents positive.
    pub fn mma_accumulator(shape: [u32; 2], warps: [u32; 2]) -> Result<Self> {
        check_warps("mma accumulator", warps)?;
        let tile = fragment(1, 2, [16, 8])?;
        let tile = with_warps(tile, [(1, warps[1], true), (0, warps[0], true)])?;
        fit(tile, &shape, &[1, 0])
    }

    /// The A operand of `mma.sync.m16n8` for an M x K tile. `width` is the number of consecutive elements along K in
    /// one lane: 32 bits' worth for the instruction itself (2 of f16, 4 of 8 bits, 1 of tf32), more for wider loads.
    ///
    /// | elements | `width` | K | instruction | registers of a lane, by their bases |
    /// |---|---|---|---|---|
    /// | tf32 | 1 | 4 | m16n8k4 | (8,0) |
    /// | tf32 | 1 | 8 | m16n8k8 | (8,0) (0,4) |
    /// | f16, bf16 | 2 | 8 | m16n8k8 | (0,1) (8,0) |
    /// | f16, bf16 | 2 | 16 | m16n8k16 | (0,1) (8,0) (0,8) |
    /// | 8 bits | 4 | 16 | m16n8k16 | (0,1) (0,2) (8,0) |
    /// | 8 bits | 4 | 32 | m16n8k32 | (0,1) (0,2) (8,0) (0,16) |
    ///
    /// ```
    /// use mytriton_layout::DistributedLayout;
    /// let bases = |width, k| -> Result<Vec<_>, mytriton_layout::LayoutError> {
    ///     let a = DistributedLayout::mma_operand_a([16, k], [1, 1], width)?;
    ///     Ok(a.linear().bases("register").map(|basis| (basis[0], basis[1])).collect())
    /// };
    /// assert_eq!(bases(1, 4)?, [(8, 0)]);
    /// assert_eq!(bases(1, 8)?, [(8, 0), (0, 4)]);
    /// assert_eq!(bases(2, 8)?, [(0, 1), (8, 0)]);
    /// assert_eq!(bases(2, 16)?, [(0, 1), (8, 0), (0, 8)]);
    /// assert_eq!(bases(4, 16)?, [(0, 1), (0, 2), (8, 0)]);
    /// assert_eq!(bases(4, 32)?, [(0, 1), (0, 2), (8, 0), (0, 16)]);
    /// # Ok::<(), mytriton_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// `width` and the warp counts must be powers of two and extents positive.
    pub fn mma_operand_a(shape: [u32; 2], warps: [u32; 2], width: u32) -> Result<Self> {
        check_warps("mma operand", warps)?;
        let tile = operand(1, width, 16)?;
        // Warps along N use the same rows.
        let tile = with_warps(tile, [(1, warps[1], false), (0, warps[0], true)])?;
        fit(tile, &shape, &[1, 0])
    }

    /// The B operand of `mma.sync.m16n8` for a K x N tile; `width` as for [A](Self::mma_operand_a).
    ///
    /// # Errors
    /// `width` and the warp counts must be powers of two and extents positive.
    pub fn mma_operand_b(shape: [u32; 2], warps: [u32; 2], width: u32) -> Result<Self> {
        check_warps("mma operand", warps)?;
        let tile = operand(0, width, 8)?;
        let tile = with_warps(tile, [(1, warps[1], true), (0, warps[0], false)])?;
        fit(tile, &shape, &[0, 1])
    }

    /// The accumulator of `wgmma` with instruction shape m64n`n` for an M x N tile (PTX ISA, "Matrix fragments for
    /// wgmma", D). `warps` are counted along (M, N), M the fastest: four along M are a warp group.
    ///
    /// # Errors
    /// `n` is a power of two from 8 to 256, and the warps along M a multiple of four.
    pub fn wgmma_accumulator(shape: [u32; 2], warps: [u32; 2], n: u32) -> Result<Self> {
        let name = "wgmma accumulator";
        check_warp_group(name, warps)?;
        if !n.is_power_of_two() || !(8..=256).contains(&n) {
            return parameters(name, format!("n {n} is not a power of two from 8 to 256"));
        }
        let tile = fragment(1, 2, [16, n])?;
        let tile = with_warps(tile, [(0, warps[0], true), (1, warps[1], true)])?;
        fit(tile, &shape, &[1, 0])
    }

    /// The A operand of `wgmma` in registers for an M x K tile; `width` as for [`mma_operand_a`](Self::mma_operand_a).
    ///
    /// # Errors
    /// The warps along M must be a multiple of four, `width` a power of two.
    pub fn wgmma_operand_a(shape: [u32; 2], warps: [u32; 2], width: u32) -> Result<Self> {
        check_warp_group("wgmma operand", warps)?;
        let tile = operand(1, width, 16)?;
        let tile = with_warps(tile, [(0, warps[0], true), (1, warps[1], false)])?;
        fit(tile, &shape, &[1, 0])
    }
}

/// One warp's fragment of a `tile`, rows repeating before columns.
fn fragment(inner: usize, width: u32, tile: [u32; 2]) -> Result<LinearLayout> {
    let (along, across) = (Dim::out(inner), Dim::out(1 - inner));
    LinearLayout::identity1d(width, Dim::REGISTER, along.clone())?
        .product(&LinearLayout::identity1d(4, Dim::LANE, along)?)?
        .product(&LinearLayout::identity1d(8, Dim::LANE, across)?)?
        .resize_outs(&[("dim0", tile[0]), ("dim1", tile[1])], "register")
}

/// One warp's fragment of an operand, `inner` being its axis K. Along K it is as deep as one step of all lanes: deeper
/// tiles have the further steps in the next registers, whether an instruction takes one (m16n8k8 of 16 bits) or two
/// (m16n8k16).
fn operand(inner: usize, width: u32, outer: u32) -> Result<LinearLayout> {
    let depth = 4 * check_width(width)?;
    let tile = if inner == 0 { [depth, outer] } else { [outer, depth] };
    fragment(inner, width, tile)
}

/// Adds warps, (axis, count, whether each has its own part of the axis) from the fastest on.
fn with_warps(tile: LinearLayout, warps: [(usize, u32, bool); 2]) -> Result<LinearLayout> {
    warps.into_iter().try_fold(tile, |tile, (axis, count, own)| {
        let part = if own {
            LinearLayout::identity1d(count, Dim::WARP, Dim::out(axis))?
        } else {
            LinearLayout::zeros1d(count, Dim::WARP, Dim::out(axis), 1)?
        };
        tile.product(&part)
    })
}

fn check_warps(constructor: &'static str, warps: [u32; 2]) -> Result<()> {
    if warps.iter().all(|count| count.is_power_of_two()) {
        return Ok(());
    }
    parameters(constructor, format!("warps {warps:?} are not powers of two"))
}

fn check_warp_group(constructor: &'static str, warps: [u32; 2]) -> Result<()> {
    check_warps(constructor, warps)?;
    if warps[0].is_multiple_of(4) {
        return Ok(());
    }
    parameters(
        constructor,
        format!("warps {warps:?}: a warp group needs a multiple of 4 warps along M"),
    )
}

fn check_width(width: u32) -> Result<u32> {
    if width.is_power_of_two() && width <= 64 {
        return Ok(width);
    }
    parameters("mma operand", format!("width {width} is not a power of two up to 64"))
}

fn parameters<T>(constructor: &'static str, message: String) -> Result<T> {
    Err(LayoutError::Parameters { constructor, message })
}
