//! `tile-insert-barriers`: orders a program's accesses of global memory as the program says. Numerics do not change.
//!
//! Threads of a block run ahead of one another, so that of two accesses of one address by different threads either
//! may come first. A `gpu.barrier` goes before an access that may touch what an access since the last barrier touched,
//! when one of the two is a store and it is not certain that the same thread does both. That is certain only where
//! both have the same layout, without replication, and go the same way from a base to their addresses: over the very
//! same offsets, which differ from element to element (`strides`), with elements of the same size.
//!
//! Pointers of different arguments are taken to be equal or to point to memory apart; they may not overlap otherwise.
//! Offsets computed in the body of a loop are not the same in its next iteration. The kernel is walked until what goes
//! into each loop, the accesses of its own iterations included, no longer grows; then barriers are inserted. Control
//! flow is uniform in a block, so that a barrier may stand anywhere.

mod strides;

use melior::ir::block::{BlockArgument, BlockLike};
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::{BlockRef, OperationRef, Value, ValueLike};
use mytriton_layout::DistributedLayout;
use mytriton_tile::defining_operation;
use mytriton_tile::emit::{argument_of, shape_of};
use mytriton_tile::ops::{self, TileOp};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use strides::StrideInfos;

use crate::ir::{PassResult, blocks_of, error_at, kernels_of, key, layout_at, name_of, ops_of, pointee_bytes};

/// Runs the pass on a module in the `layout` stage.
pub fn run<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> PassResult<'c> {
    for kernel in kernels_of(module) {
        let mut walk = Walk::default();
        for block in blocks_of(kernel) {
            loop {
                walk.grown = false;
                walk.block(block, Vec::new())?;
                if !walk.grown {
                    break;
                }
            }
            walk.insert = true;
            walk.block(block, Vec::new())?;
        }
    }
    Ok(())
}

/// An access since the last barrier.
#[derive(Clone, PartialEq)]
struct Access {
    store: bool,
    /// Where; none once the same values may say something else.
    place: Option<Place>,
    /// Of a tile of which every element has one owner.
    layout: Option<DistributedLayout>,
}

impl Access {
    fn conflicts(&self, other: &Access) -> bool {
        let same_thread =
            self.layout.is_some() && self.layout == other.layout && self.place.is_some() && self.place == other.place;
        (self.store || other.store) && !same_thread
    }
}

/// How addresses come about. Equal places mean: two elements with one address have the same coordinates.
#[derive(Clone, PartialEq)]
struct Place {
    /// The value that the addresses start from; none for arguments of the kernel, which all count as one.
    base: Option<usize>,
    /// The offsets that are added to it.
    offsets: SmallVec<[usize; 2]>,
    element_bytes: u64,
}

impl Place {
    fn values(&self) -> impl Iterator<Item = usize> {
        self.base.into_iter().chain(self.offsets.iter().copied())
    }
}

#[derive(Default)]
struct Walk {
    /// What goes into each loop, by the loop.
    loops: FxHashMap<usize, Vec<Access>>,
    strides: StrideInfos,
    /// Did what goes into a loop grow?
    grown: bool,
    insert: bool,
}

impl Walk {
    /// Walks a block with the accesses that may be pending at its start, and gives those pending at its end.
    fn block<'c: 'a, 'a>(&mut self, block: BlockRef<'c, 'a>, mut pending: Vec<Access>) -> PassResult<'c, Vec<Access>> {
        for op in ops_of(block) {
            let name = name_of(op);
            match name.as_str() {
                "gpu.barrier" => pending.clear(),
                ops::LOAD | ops::STORE => {
                    let access = access_of(&mut self.strides, op, name == ops::STORE)?;
                    if pending.iter().any(|before| before.conflicts(&access)) {
                        pending.clear();
                        if self.insert {
                            let barrier = OperationBuilder::new("gpu.barrier", op.location()).build();
                            block.insert_operation_before(op, barrier.expect("a barrier has no results to infer"));
                        }
                    }
                    merge(&mut pending, [access]);
                }
                "scf.for" | "scf.while" => pending = self.loop_op(op, pending)?,
                "scf.if" => {
                    let branches = blocks_of(op);
                    let mut after = if branches.len() < 2 {
                        pending.clone()
                    } else {
                        Vec::new()
                    };
                    for branch in branches {
                        merge(&mut after, self.block(branch, pending.clone())?);
                    }
                    pending = after;
                }
                _ => {}
            }
        }
        Ok(pending)
    }

    /// A loop, entered with `pending`: what is pending after it is what its last round leaves. That is what may go into a
    /// round of `scf.for`, which is left between rounds, but what comes out of the test of `scf.while`, which is left there.
    fn loop_op<'c: 'a, 'a>(&mut self, op: OperationRef<'c, 'a>, pending: Vec<Access>) -> PassResult<'c, Vec<Access>> {
        let id = op.to_raw().ptr as usize;
        let mut entering = self.loops.get(&id).cloned().unwrap_or_default();
        merge(&mut entering, pending);
        let mut inside = FxHashSet::default();
        let mut end = entering.clone();
        let mut after_test = None;
        for body in blocks_of(op) {
            defined_in(body, &mut inside);
            end = self.block(body, end)?;
            after_test.get_or_insert_with(|| end.clone());
        }
        merge(&mut entering, seen_from_outside(end, &inside));
        if self.loops.get(&id) != Some(&entering) {
            self.grown = true;
            self.loops.insert(id, entering.clone());
        }
        Ok(match after_test {
            Some(after_test) if name_of(op) == "scf.while" => seen_from_outside(after_test, &inside),
            _ => entering,
        })
    }
}

/// The same accesses where the values of a loop's inside mean nothing: in its next round they are others.
fn seen_from_outside(mut accesses: Vec<Access>, inside: &FxHashSet<usize>) -> Vec<Access> {
    for access in &mut accesses {
        access.place = access
            .place
            .take()
            .filter(|place| !place.values().any(|v| inside.contains(&v)));
    }
    accesses
}

/// The values of a block and of those within it.
fn defined_in<'c: 'a, 'a>(block: BlockRef<'c, 'a>, values: &mut FxHashSet<usize>) {
    values.extend((0..block.argument_count()).map(|i| key(argument_of(block, i))));
    for op in ops_of(block) {
        values.extend(op.results().map(|r| key(Value::from(r))));
        for inner in blocks_of(op) {
            defined_in(inner, values);
        }
    }
}

fn merge(into: &mut Vec<Access>, more: impl IntoIterator<Item = Access>) {
    for access in more {
        if !into.contains(&access) {
            into.push(access);
        }
    }
}

fn access_of<'c: 'a, 'a>(strides: &mut StrideInfos, op: OperationRef<'c, 'a>, store: bool) -> PassResult<'c, Access> {
    let pointer = op.operand(0).map_err(|e| error_at(op, e.to_string()))?;
    let layout = layout_at(op, pointer.r#type())?.filter(|l| l.lane_free_mask() | l.warp_free_mask() == 0);
    Ok(Access {
        store,
        place: place_of(strides, pointer),
        layout,
    })
}

fn place_of<'c: 'a, 'a>(strides: &mut StrideInfos, pointers: Value<'c, 'a>) -> Option<Place> {
    let shape = shape_of(pointers.r#type())?;
    let element_bytes = pointee_bytes(pointers.r#type())?;
    let (mut pointer, mut offsets, mut of_tiles) = (pointers, SmallVec::new(), Vec::new());
    while let Some(step) = defining_operation(pointer).and_then(TileOp::cast) {
        match step {
            TileOp::AddPtr(addptr) => {
                let offset = addptr.offset();
                offsets.push(key(offset));
                if shape_of(offset.r#type()).is_some() {
                    of_tiles.push(offset);
                }
                pointer = addptr.pointer();
            }
            TileOp::Splat(splat) => pointer = splat.source(),
            _ => break,
        }
    }
    let one_base = shape_of(pointer.r#type()).is_none();
    let base = if is_kernel_argument(pointer) {
        None
    } else {
        Some(key(pointer))
    };
    (one_base && strides.tell_apart(&of_tiles, &shape)).then_some(Place {
        base,
        offsets,
        element_bytes,
    })
}

fn is_kernel_argument(value: Value<'_, '_>) -> bool {
    let Ok(argument) = BlockArgument::try_from(value) else {
        return false;
    };
    let owner = argument.owner().parent_operation();
    owner.is_some_and(|owner| name_of(owner) == "func.func")
}
