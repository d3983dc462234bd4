//! Reductions along an axis, derived from who owns what.

use crate::fragment::{FragmentError, Ownership, WARP};
use crate::gf2::{Echelon, combine};
use crate::{Coords, Dim, DistributedLayout, LayoutError, LinearLayout};

/// How to reduce a fragment along one axis.
///
/// 1. Each thread combines those of its slots that differ in the reduced axis alone: a *slot group*, a local tree.
/// 2. Lanes whose number differs in a bit that changes the reduced coordinate alone exchange their partial values: one
///    xor shuffle for each such *lane bit*. Every lane takes part; masks choose neutral values, never participation.
/// 3. *Warp bits* are the same across warps. They need shared memory and a barrier.
///
/// Bits that only replicate are left out: what they hold is in the sum already. Carried out by
/// [`Fragment::reduce`](crate::fragment::Fragment::reduce).
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
    /// Slots to combine in each thread, ascending; group i becomes slot i of the result. Replicas are left out.
    pub slot_groups: Vec<Vec<u32>>,
    /// For each slot the group whose result belongs to its coordinate: broadcasting back needs no communication.
    pub group_of_slot: Vec<u32>,
    /// Bits of the lane to shuffle across.
    pub lane_bits: Vec<u32>,
    /// Bits of the warp to combine across, through shared memory.
    pub warp_bits: Vec<u32>,
}

impl ReductionPlan {
    /// Derives the plan from an enumerated table, and fits the ownership of the result, of extent 1 along `axis`.
    ///
    /// # Errors
    /// [`Entangled`](FragmentError::Entangled) where slot groups and lane bits do not suffice.
    pub fn from_ownership(ownership: &Ownership, axis: usize) -> Result<(Self, Ownership), FragmentError> {
        let rank = ownership.shape().len();
        if axis >= rank {
            return Err(FragmentError::Axes { axes: vec![axis], rank });
        }
        let (threads, slots) = (ownership.num_threads(), ownership.num_slots());
        let entangled = FragmentError::Entangled { axis };
        let kept = |thread, slot| {
            let mut coords = ownership.coords(thread, slot).clone();
            coords[axis] = 0;
            coords
        };

        // Slot groups, from thread 0; every thread must have the same.
        let mut first_slots: Vec<u32> = Vec::new();
        let mut group_of_slot = Vec::new();
        for slot in 0..slots {
            let group = first_slots.iter().position(|&first| kept(0, first) == kept(0, slot));
            group_of_slot.push(group.unwrap_or(first_slots.len()) as u32);
            if group.is_none() {
                first_slots.push(slot);
            }
        }
        let mut slot_groups = vec![Vec::new(); first_slots.len()];
        for slot in 0..slots {
            let group = group_of_slot[slot as usize] as usize;
            let regular = (0..threads).all(|thread| kept(thread, slot) == kept(thread, first_slots[group]));
            if !regular {
                return Err(entangled);
            }
            let replica_of = |thread| {
                let same = |&&earlier: &&u32| ownership.coords(thread, earlier) == ownership.coords(thread, slot);
                slot_groups[group].iter().find(same).copied()
            };
            let replica = replica_of(0);
            if (1..threads).any(|thread| replica_of(thread) != replica) {
                return Err(entangled);
            }
            if replica.is_none() {
                slot_groups[group].push(slot);
            }
        }

        // The reduced coordinates that each (thread, group) has combined so far.
        let groups = slot_groups.len();
        let mut held: Vec<Vec<u32>> = (0..threads)
            .flat_map(|thread| slot_groups.iter().map(move |group| (thread, group)))
            .map(|(thread, group)| sorted(group.iter().map(|&slot| ownership.coords(thread, slot)[axis]).collect()))
            .collect();
        let at = |thread: u32, group: usize| thread as usize * groups + group;
        let (mut lane_bits, mut warp_bits) = (Vec::new(), Vec::new());
        for bit in 0..threads.trailing_zeros() {
            let pairs = || (0..threads).flat_map(|t| (0..groups).map(move |g| (t, t ^ (1 << bit), g)));
            if !pairs().all(|(a, b, g)| kept(a, first_slots[g]) == kept(b, first_slots[g])) {
                continue;
            }
            if pairs().all(|(a, b, g)| held[at(a, g)] == held[at(b, g)]) {
                continue;
            }
            if !pairs().all(|(a, b, g)| disjoint(&held[at(a, g)], &held[at(b, g)])) {
                return Err(entangled);
            }
            held = pairs()
                .map(|(a, b, g)| sorted([&held[at(a, g)][..], &held[at(b, g)][..]].concat()))
                .collect();
            match bit.checked_sub(WARP.trailing_zeros()) {
                Some(warp_bit) => warp_bits.push(warp_bit),
                None => lane_bits.push(bit),
            }
        }
        let all: Vec<u32> = (0..ownership.shape()[axis]).collect();
        if held.iter().any(|coordinates| *coordinates != all) {
            return Err(entangled);
        }

        let mut shape = Coords::from(ownership.shape());
        shape[axis] = 1;
        let result = Ownership::new(&shape, threads, groups as u32, |thread, group| {
            kept(thread, first_slots[group as usize])
        })?;
        Ok((
            ReductionPlan {
                slot_groups,
                group_of_slot,
                lane_bits,
                warp_bits,
            },
            result,
        ))
    }

    /// Derives the plan from the bases of a layout, with the layout of the result, `axis` dropped.
    ///
    /// # Errors
    /// A bad axis, or [`Parameters`](LayoutError::Parameters) where a basis mixes the reduced coordinate with a kept
    /// one that others own too, so that elements would have to change slot and thread at once, and where blocks of a
    /// cluster share the axis.
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

        // Slots fall into cosets of the kernel of the kept coordinates; each has one slot made of pivot bits alone.
        let slots = &kept_columns[..registers];
        let echelon = Echelon::new(slots);
        let pivots: Vec<u64> = slots.iter().map(|&column| echelon.solve(column).unwrap_or(0)).collect();
        let is_pivot = |i: &usize| echelon.free() >> i & 1 == 0;
        let across: Vec<u64> = (0..registers).filter(is_pivot).map(|i| 1 << i).collect();
        let replicas = layout.register_free_mask();
        let dependent = (0..registers).filter(|i| replicas >> i & 1 == 0 && !is_pivot(i));
        let within: Vec<u64> = dependent.map(|i| pivots[i] ^ 1 << i).collect();

        // The reduced coordinates that a partial value covers, from the slots on. A bit that adds none replicates.
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
            sorted(
                (0..1u64 << within.len())
                    .map(|i| (combine(&across, j) ^ combine(&within, i)) as u32)
                    .collect(),
            )
        };
        let slot_groups: Vec<Vec<u32>> = (0..1u64 << across.len()).map(group).collect();
        let group_of = |slot: u32| {
            let representative = combine(&pivots, slot.into());
            let set = across.iter().enumerate().filter(|&(_, &bit)| representative & bit != 0);
            set.fold(0, |group, (j, _)| group | 1 << j)
        };
        let group_of_slot = (0..layout.num_registers()).map(group_of).collect();
        let plan = ReductionPlan {
            slot_groups,
            group_of_slot,
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

fn sorted(mut values: Vec<u32>) -> Vec<u32> {
    values.sort_unstable();
    values
}

fn disjoint(a: &[u32], b: &[u32]) -> bool {
    a.iter().all(|value| b.binary_search(value).is_err())
}
