//! What moving, repeating and accessing tiles costs.
//!
//! The unit is about an instruction of each warp; registers are those of one thread.
//!
//! | what | cost |
//! |---|---|
//! | a conversion that moves nothing | 0 |
//! | between registers | 1: nothing is executed, but of two equal ways the one without is better |
//! | between lanes | bytes + 2 for each register, or as between warps if that is less |
//! | between warps | 2 x bytes for each register (there and back), and 40 for the barriers |
//! | an operation again | its [weight](crate::interfaces::cost::weight) for each register |
//! | an access | 4 + its sectors of 32 bytes, for each access of a warp |
//! | a reduction or scan | a combination for each element, shuffles and warps as above |
//!
//! All of it counts eightfold for each loop around it.

use melior::ir::OperationRef;
use melior::ir::{Type, ValueLike};
use mytriton_layout::{ConversionPlan, Coords, DistributedLayout, Movement, ReductionPlan};
use mytriton_tile::emit::{element_type, shape_of};
use mytriton_tile::types::ssa_scalar;

use crate::analyses::axis_info::AxisInfos;
use crate::ir::pointee_bytes;
use crate::support::access::{pointer_and_mask, vector_along};

/// How much more often than what is around it a loop's body is taken to run.
pub const LOOP: u64 = 8;

/// Two barriers and the latency of shared memory.
const THROUGH_SHARED: u64 = 40;

/// The bytes of an element of a tile; pointers have 8, booleans one.
pub fn element_bytes(ty: Type<'_>) -> u64 {
    ssa_scalar(element_type(ty)).map_or(8, |scalar| u64::from(scalar.bytes()))
}

/// The bytes of all elements of a tile.
pub fn tile_bytes(ty: Type<'_>) -> u64 {
    shape_of(ty).map_or(0, |shape| shape.iter().product::<u64>()) * element_bytes(ty)
}

/// A conversion of elements of `bytes`. Layouts that do not convert cost too much to be chosen.
pub fn conversion(from: &DistributedLayout, to: &DistributedLayout, bytes: u64) -> u64 {
    let Ok(plan) = ConversionPlan::new(from, to) else {
        return u64::from(u32::MAX);
    };
    let through_shared = 2 * bytes * plan.unique_registers().len() as u64 + THROUGH_SHARED;
    match plan.movement() {
        Movement::None => 0,
        Movement::Registers => 1,
        Movement::Lanes => through_shared.min(plan.unique_registers().len() as u64 * (bytes + 2)),
        Movement::Warps | Movement::Blocks => through_shared,
    }
}

/// A reduction or scan along `axis` of elements that take `bytes` together.
pub fn reduction(layout: &DistributedLayout, axis: usize, bytes: u64) -> u64 {
    let Ok((plan, _)) = ReductionPlan::from_layout(layout, axis) else {
        return u64::from(u32::MAX);
    };
    let groups = plan.slot_groups.len() as u64;
    let combines: u64 = plan.slot_groups.iter().map(|group| group.len() as u64 - 1).sum();
    let lanes = plan.lane_bits.len() as u64 * groups * (bytes + 3);
    let warps = match plan.warp_bits.len() {
        0 => 0,
        bits => groups * (bytes + (bytes + 1) * (1 << bits)) + THROUGH_SHARED,
    };
    combines + lanes + warps
}

/// What an access of a tile takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessCost {
    /// In the unit of this module.
    pub cost: u64,
    /// Sectors that each warp asks for, times its accesses.
    pub sectors: u64,
}

/// A load or store of a tile in a layout.
pub fn access(op: OperationRef<'_, '_>, layout: &DistributedLayout, infos: &AxisInfos) -> Option<AccessCost> {
    let (pointer, _) = pointer_and_mask(op)?;
    let bytes = pointee_bytes(pointer.r#type())?;
    let info = infos.get(pointer);
    let rank = layout.rank();
    let axis = (0..rank).max_by_key(|&dim| (info.axes.get(dim).map_or(1, |axis| axis.contiguity), dim))?;
    let vector = vector_along(op, axis, infos)?.min(u64::from(layout.max_vector_width(axis)));
    let accesses = (layout.unique_registers().len() as u64 / vector).max(1);
    // How far lanes continue one another, by powers of two; the others start anew.
    let mut lanes: Vec<Coords> = layout
        .linear()
        .bases("lane")
        .filter(|basis| basis.iter().any(|&c| c != 0))
        .collect();
    let mut run = vector;
    while run < info.axes[axis].contiguity {
        let next = |basis: &Coords| {
            let mut others = basis.iter().enumerate().filter(|&(dim, _)| dim != axis);
            u64::from(basis[axis]) == run && others.all(|(_, &c)| c == 0)
        };
        let Some(found) = lanes.iter().position(next) else {
            break;
        };
        lanes.remove(found);
        run *= 2;
    }
    let sectors = (run * bytes).div_ceil(32) << lanes.len();
    Some(AccessCost {
        cost: accesses * (4 + sectors),
        sectors: accesses * sectors,
    })
}
