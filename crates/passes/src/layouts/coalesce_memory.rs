//! `tile-coalesce-memory`: gives each load and store the layout in which a warp's accesses are few and wide. Numerics do
//! not change.
//!
//! The lanes of a warp run along the dimension in which the addresses are contiguous, by the axis analysis, and each holds
//! as many neighbours as one access of 16 bytes takes: no more than are certainly aligned, than one value of the mask is
//! certain to cover, and than leave every thread some. Warps go to the other dimensions first, the outermost before the rest.
//!
//! Accesses of one shape that run along the same dimension share a layout, made for the widest of them, since values go
//! from one to the other: elementwise kernels so need no conversion. Elements of other sizes share it as long as what a
//! thread holds in a row stays within a sector of 32 bytes.
//!
//! The rest of the kernel keeps its layouts; `tile.convert_layout` stands between.

use melior::ir::{BlockRef, OperationRef, ValueLike};
use mytriton_layout::LayoutError;
use mytriton_tile::emit::shape_of;
use mytriton_tile_sys as sys;
use rustc_hash::FxHashMap;

use crate::analyses::axis_info::AxisInfos;
use crate::ir::{PassResult, blocks_of, error_at, kernels_of, num_warps_of, ops_of, pointee_bytes};
use crate::support::access::{pointer_and_mask, vector_along};
use crate::support::blocked::blocked;
use crate::support::rebuild::{LayoutId, Plan, Variant, has_bodies, rebuild};

/// What memory is fetched by.
const SECTOR_BYTES: u64 = 32;

/// Runs the pass on a module in the `layout` stage.
pub fn run<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> PassResult<'c> {
    for kernel in kernels_of(module) {
        let infos = AxisInfos::analyze(kernel);
        let mut accesses = Vec::new();
        for block in blocks_of(kernel) {
            collect(block, &infos, &mut accesses);
        }
        if accesses.is_empty() {
            continue;
        }
        let mut plan = Plan::of(kernel)?;
        let num_warps = num_warps_of(kernel);
        let mut layouts: FxHashMap<Pattern, LayoutId> = FxHashMap::default();
        let vectors = shared_vectors(&accesses);
        for Access { op, pattern, .. } in &accesses {
            let layout = match layouts.get(pattern) {
                Some(&layout) => layout,
                None => {
                    let vector = vectors[pattern].min(1 << 20) as u32;
                    let layout = blocked(&pattern.shape, pattern.axis, vector, num_warps)
                        .map_err(|error: LayoutError| error_at(*op, format!("no layout for this access: {error}")))?;
                    let layout = plan.layouts.id(&layout);
                    layouts.insert(pattern.clone(), layout);
                    layout
                }
            };
            plan.set_variant(*op, Variant::in_one(*op, layout));
        }
        sys::with_context(&kernel, |context| rebuild(context, kernel, &plan))?;
    }
    Ok(())
}

/// What accesses have in common that share a layout.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Pattern {
    shape: Vec<u64>,
    /// The dimension along which addresses are contiguous.
    axis: usize,
}

/// A load or store of a tile.
struct Access<'c, 'a> {
    op: OperationRef<'c, 'a>,
    pattern: Pattern,
    /// Neighbours that one access of a thread takes.
    vector: u64,
    element_bytes: u64,
}

fn collect<'c: 'a, 'a>(block: BlockRef<'c, 'a>, infos: &AxisInfos, accesses: &mut Vec<Access<'c, 'a>>) {
    for op in ops_of(block) {
        accesses.extend(access_of(op, infos));
        if has_bodies(op) {
            for inner in blocks_of(op) {
                collect(inner, infos, accesses);
            }
        }
    }
}

fn access_of<'c: 'a, 'a>(op: OperationRef<'c, 'a>, infos: &AxisInfos) -> Option<Access<'c, 'a>> {
    let (pointer, _) = pointer_and_mask(op)?;
    let shape = shape_of(pointer.r#type())?;
    let element_bytes = pointee_bytes(pointer.r#type())?;
    let info = infos.get(pointer);
    // The most contiguous dimension; of several the longest, the last of those.
    let run = |dim: usize| {
        info.axes
            .get(dim)
            .map_or(1, |axis| axis.contiguity)
            .min(shape[dim].next_power_of_two())
    };
    let axis = (0..shape.len()).max_by_key(|&dim| (run(dim), dim))?;
    let vector = vector_along(op, axis, infos)?;
    Some(Access {
        op,
        pattern: Pattern { shape, axis },
        vector,
        element_bytes,
    })
}

/// For each pattern the widest vector that suits all of its accesses.
fn shared_vectors(accesses: &[Access<'_, '_>]) -> FxHashMap<Pattern, u64> {
    let mut shared: FxHashMap<Pattern, (u64, u64)> = FxHashMap::default();
    for access in accesses {
        let (vector, element_bytes) = shared.entry(access.pattern.clone()).or_insert((1, 1));
        *vector = (*vector).max(access.vector);
        *element_bytes = (*element_bytes).max(access.element_bytes);
    }
    let limited = |(vector, element_bytes): (u64, u64)| vector.min((SECTOR_BYTES / element_bytes).max(1));
    shared
        .into_iter()
        .map(|(pattern, both)| (pattern, limited(both)))
        .collect()
}
