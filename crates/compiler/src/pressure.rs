//! How many registers the tiles of a kernel take from each thread.
//!
//! A thread has 255 registers of 32 bits; what it holds beyond that goes to memory. ptxas, and with it the driver, takes time
//! quadratic in what does: for 512 elements that are loaded one by one 3.5 s, for 1024 more than 20. So a kernel
//! of which a thread holds far more is refused, at the operation where it holds most, with the number of warps that it would
//! take.
//!
//! The count is a lower bound. A tile is held from the operation that makes it to the last one that takes it, in the order of
//! the kernel, which loads and stores keep; elements are spread over the threads without copies. Booleans, pointers and what
//! is computed from numbers of elements and parameters alone are not counted: they are computed where they are used.

use mytriton_ssa::{Elem, Kernel, OpId, RegionId, Type, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::compile::CompileOptions;
use crate::error::CompileError;
use crate::stage::Stage;

/// Registers of a thread.
const THREAD_REGISTERS: u64 = 255;
const WARP_SIZE: u64 = 32;
const MAX_WARPS: u32 = 32;

/// Refuses a kernel whose threads hold more than [`CompileOptions::max_thread_registers`].
pub(crate) fn check(kernel: &Kernel, options: &CompileOptions) -> Result<(), CompileError> {
    let limit = u64::from(options.max_thread_registers);
    let Some(peak) = peak(kernel, options.num_warps).filter(|peak| peak.registers > limit) else {
        return Ok(());
    };
    let more_warps = || std::iter::successors(Some(options.num_warps), |warps| warps.checked_mul(2));
    let enough = more_warps()
        .take_while(|warps| *warps <= MAX_WARPS)
        .find(|warps| self::peak(kernel, *warps).is_none_or(|peak| peak.registers <= limit));
    let advice = match enough {
        Some(warps) => format!("num_warps = {warps} would do"),
        None => format!("not even {MAX_WARPS} warps would do: take smaller tiles"),
    };
    let op = kernel.op(peak.op);
    let tile = op.results.first().map(|&value| kernel.ty(value));
    let of = tile.map_or_else(String::new, |ty| {
        let elements = elements(ty, options.num_warps);
        format!(", {elements} elements of this {ty} among them")
    });
    let message = format!(
        "each thread would hold {} registers of tiles here{of}; it has {THREAD_REGISTERS}, and no more than {limit} are \
         compiled in reasonable time. With {} warps: {advice}",
        peak.registers, options.num_warps
    );
    Err(CompileError::new(
        Stage::Ptx,
        &kernel.name,
        kernel.describe_loc(op.loc),
        message,
    ))
}

/// Where a thread holds most.
struct Peak {
    registers: u64,
    op: OpId,
}

fn peak(kernel: &Kernel, num_warps: u32) -> Option<Peak> {
    let mut pressure = Pressure {
        kernel,
        num_warps,
        held: FxHashSet::default(),
        peak: None,
    };
    pressure.region(kernel.body(), 0);
    pressure.peak
}

/// Elements of a tile that a thread has.
fn elements(ty: Type, num_warps: u32) -> u64 {
    (ty.shape.elements() as u64).div_ceil(WARP_SIZE * u64::from(num_warps))
}

struct Pressure<'a> {
    kernel: &'a Kernel,
    num_warps: u32,
    /// Values that are kept: not computed anew where they are used.
    held: FxHashSet<ValueId>,
    peak: Option<Peak>,
}

impl Pressure<'_> {
    /// Goes through a region while `around` registers are held outside of it.
    fn region(&mut self, region: RegionId, around: u64) {
        let data = self.kernel.region(region);
        let mut last_use = FxHashMap::default();
        for (index, &op) in data.ops.iter().enumerate() {
            self.for_each_use(op, &mut |value| {
                last_use.insert(value, index);
            });
        }
        self.held.extend(&data.args);
        let mut live: Vec<ValueId> = data.args.clone();
        for (index, &op) in data.ops.iter().enumerate() {
            let op_data = self.kernel.op(op);
            if !op_data.regions.is_empty() {
                // What is passed in alone goes on as the region's arguments.
                let mut stays = FxHashSet::default();
                self.for_each_use_inside(op, &mut |value| {
                    stays.insert(value);
                });
                let is_around =
                    |value: &&ValueId| stays.contains(*value) || last_use.get(*value).is_some_and(|&last| last > index);
                let outside: Vec<ValueId> = live.iter().filter(is_around).copied().collect();
                let inside = around + self.registers(&outside);
                for &inner in &op_data.regions {
                    self.region(inner, inside);
                }
            }
            let computed_anew = op_data.regions.is_empty()
                && op_data.kind.is_pure()
                && op_data.operands.iter().all(|operand| !self.held.contains(operand));
            if !computed_anew {
                self.held.extend(&op_data.results);
            }
            live.retain(|value| last_use.get(value).is_some_and(|&last| last > index));
            live.extend(&op_data.results);
            let registers = around + self.registers(&live);
            if self.peak.as_ref().is_none_or(|peak| registers > peak.registers) {
                self.peak = Some(Peak { registers, op });
            }
        }
    }

    fn for_each_use(&self, op: OpId, action: &mut impl FnMut(ValueId)) {
        let data = self.kernel.op(op);
        data.operands.iter().for_each(|&operand| action(operand));
        self.for_each_use_inside(op, action);
    }

    fn for_each_use_inside(&self, op: OpId, action: &mut impl FnMut(ValueId)) {
        for &region in &self.kernel.op(op).regions {
            for &inner in &self.kernel.region(region).ops {
                self.for_each_use(inner, action);
            }
        }
    }

    fn registers(&self, live: &[ValueId]) -> u64 {
        let held = live.iter().filter(|value| self.held.contains(value));
        held.map(|&value| {
            let ty = self.kernel.ty(value);
            let bits = match ty.elem {
                Elem::Scalar(scalar) if scalar.bits() > 1 => u64::from(scalar.bits()),
                Elem::Scalar(_) | Elem::Ptr(_) => 0,
            };
            (elements(ty, self.num_warps) * bits).div_ceil(32)
        })
        .sum()
    }
}
