//! Reductions along an axis.

use crate::gf2::{Echelon, combine};
use crate::{Coords, Dim, DistributedLayout, LayoutError, LinearLayout};

/// How to reduce a tile along one axis.
///
/// 1. Each thread combines the registers whose elements differ in the reduced coordinate only: a *slot group*, by a
///    tree.
/// 2. Lanes whose numbers differ in a bit that changes the reduced coordinate only exchange their partial results: one
///    xor shuffle for each such *lane bit*. Every lane takes part; what is masked is the identity element.
/// 3. *Warp bits* are the same for warps. They need shared memory and a barrier, see
///    [`WarpPartials`](crate::WarpPartials).
///
/// Bits that only replicate are left out: what they hold is in the result already.
///
/// For the accumulator of m16n8, registers (0,1)(8,0) and lanes (0,2)(0,4)(1,0)(2,0)(4,0):
///
/// | reduced | slot groups | lane bits |
/// |---|---|---|
/// | columns | {0,1} {2,3} | 0, 1 |
/// | rows | {0,2} {1,3} | 2, 3, 4 |
///
/// ```
/// use mytriton_layout::{DistributedLayout, ReductionPlan};
/// let c = DistributedLayout::mma_accumulator([16, 8], [1, 1])?;
/// let (columns, rows) = (ReductionPlan::from_layout(&c, 1)?.0, ReductionPlan::from_layout(&c, 0)?.0);
/// assert_eq!((columns.slot_groups, columns.lane_bits), (vec![vec![0, 1], vec![2, 3]], vec![0, 1]));
/// assert_eq!((rows.slot_groups, rows.lane_bits), (vec![vec![0, 2], vec![1, 3]], vec![2, 3, 4]));
/// # Ok::<(), mytriton_layout::LayoutError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReductionPlan {
    /// Registers to combine in each thread, ascending; group i becomes register i of the result. Replicas are left out.
    pub slot_groups: Vec<Vec<u32>>,
    /// Bits of the lane to shuffle across.
    pub lane_bits: Vec<u32>,
    /// Bits of the warp to combine across, through shared memory.
    pub warp_bits: Vec<u32>,
}

impl ReductionPlan {
    /// The plan for a tile in this layout, and the layout of the result, without dimension `axis`.
    ///
    /// # Errors
    /// [`Parameters`](LayoutError::Parameters): there is no such axis; a basis mixes the reduced coordinate with a kept
    /// one, so that elements would have to change register and thread at once; the blocks of a cluster share the axis.
    pub fn from_layout(layout: &DistributedLayout, axis: usize) -> Result<(Self, DistributedLayout), LayoutError> {
        let refuse = |message: &str| LayoutError::Parameters {
            constructor: "reduced",
            message: message.to_owned(),
        };
        if axis >= layout.rank() {
            return Err(refuse(&format!("axis {axis} is outside of 0..{}", layout.rank())));
        }
        let linear = layout.linear();
        let columns = layout.columns();
        let kept_columns = kept_columns(layout, axis)?;
        let bits = [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK].map(|dim| linear.in_bits(dim.as_str()) as usize);
        let [registers, lanes, warps, blocks] = bits;

        // Registers fall into cosets of the kernel of the kept coordinates; each has one made of pivot bits alone.
        let slots = &kept_columns[..registers];
        let echelon = Echelon::new(slots);
        let pivots: Vec<u64> = slots.iter().map(|&column| echelon.solve(column).unwrap_or(0)).collect();
        let is_pivot = |i: &usize| echelon.free() >> i & 1 == 0;
        let across: Vec<u64> = (0..registers).filter(is_pivot).map(|i| 1 << i).collect();
        let replicas = layout.register_free_mask();
        let dependent = (0..registers).filter(|i| replicas >> i & 1 == 0 && !is_pivot(i));
        let within: Vec<u64> = dependent.map(|i| pivots[i] ^ 1 << i).collect();

        // The reduced coordinates that a partial result covers, first in the thread. A bit that adds none replicates.
        let mut covered = Echelon::default();
        for &slots in &within {
            covered.add(combine(&columns, slots));
        }
        let mut reduced_in = |start: usize, count: usize| -> Vec<u32> {
            let unkept = (0..count).filter(|i| kept_columns[start + i] == 0);
            unkept
                .filter(|i| covered.add(columns[start + i]))
                .map(|i| i as u32)
                .collect()
        };
        let lane_bits = reduced_in(registers, lanes);
        let warp_bits = reduced_in(registers + lanes, warps);
        let block_bits = reduced_in(registers + lanes + warps, blocks);
        if covered.rank() != linear.out_bits(Dim::out(axis).as_str()) {
            return Err(refuse(
                "elements would have to move between slots and threads: convert the layout first",
            ));
        }
        if !block_bits.is_empty() {
            return Err(refuse("the axis spans several thread blocks"));
        }
        let group = |j: u64| {
            let slots = (0..1u64 << within.len()).map(|i| combine(&across, j) ^ combine(&within, i));
            let mut slots: Vec<u32> = slots.map(|slot| slot as u32).collect();
            slots.sort_unstable();
            slots
        };
        let slot_groups: Vec<Vec<u32>> = (0..1u64 << across.len()).map(group).collect();
        let plan = ReductionPlan {
            slot_groups,
            lane_bits,
            warp_bits,
        };
        Ok((plan, result_layout(layout, axis, &across)?))
    }
}

/// The packed columns of the layout without `axis`.
fn kept_columns(layout: &DistributedLayout, axis: usize) -> Result<Vec<u64>, LayoutError> {
    let flat = without_axis(layout, axis)?;
    Ok((0..flat.total_in_bits()).map(|bit| flat.apply_flat(1 << bit)).collect())
}

fn without_axis(layout: &DistributedLayout, axis: usize) -> Result<LinearLayout, LayoutError> {
    let outs: Vec<Dim> = (0..layout.rank()).filter(|&a| a != axis).map(Dim::out).collect();
    let outs: Vec<&str> = outs.iter().map(Dim::as_str).collect();
    layout.linear().sublayout(&["register", "lane", "warp", "block"], &outs)
}

/// The layout without `axis`, its registers the bits `across` of the old ones.
fn result_layout(layout: &DistributedLayout, axis: usize, across: &[u64]) -> Result<DistributedLayout, LayoutError> {
    let kept = without_axis(layout, axis)?.rename_outs_standard();
    let outs: Vec<(&str, u32)> = kept.outs().map(|(dim, size)| (dim.as_str(), size)).collect();
    let registers = across
        .iter()
        .filter_map(|bit| kept.basis("register", bit.trailing_zeros()))
        .collect();
    let others = ["lane", "warp", "block"].map(|dim| (dim, kept.bases(dim).collect::<Vec<_>>()));
    let bases: Vec<(&str, Vec<Coords>)> = [("register", registers)].into_iter().chain(others).collect();
    DistributedLayout::new(LinearLayout::from_bases(bases, &outs)?)
}
