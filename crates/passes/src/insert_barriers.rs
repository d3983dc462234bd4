//! `tile-insert-barriers`: orders a program's accesses of global memory as the program says. Numerics do not change.
//!
//! Threads of a block run ahead of one another, so that of two accesses of one address by different threads either
//! may come first. A `gpu.barrier` goes before an access that may touch what an access since the last barrier touched,
//! when one of the two is a store and it is not certain that the same thread does both. That is certain only where
//! both have the same layout, without replication, and the same offsets (the very same value).
//!
//! Pointers of different arguments are taken to be equal or to point to memory apart; they may not overlap otherwise.
//! A loop body is walked with what its earlier iterations leave behind; offsets computed in a body are not the same
//! value in the next iteration. Control flow is uniform in a block, so that a barrier may stand anywhere.

use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::{BlockRef, OperationRef, Value, ValueLike};
use mytriton_layout::DistributedLayout;
use mytriton_tile::defining_operation;
use rustc_hash::FxHashSet;

use crate::ir::{PassResult, blocks_of, kernels_of, key, layout_at, name_of, ops_of};

/// Runs the pass on a module in the `layout` stage.
pub fn run<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> PassResult<'c> {
    for kernel in kernels_of(module) {
        for block in blocks_of(kernel) {
            let mut walk = Walk { seen: FxHashSet::default() };
            walk.block(block, Vec::new(), true)?;
        }
    }
    Ok(())
}

/// An access since the last barrier.
#[derive(Clone, PartialEq)]
struct Access {
    store: bool,
    /// The value of the offsets, or of the pointers themselves; none once it may differ from what the name says now.
    offsets: Option<usize>,
    /// Of a tile of which every element has one owner.
    layout: Option<DistributedLayout>,
}

impl Access {
    fn conflicts(&self, other: &Access) -> bool {
        let same_thread =
            self.layout.is_some() && self.layout == other.layout && self.offsets.is_some() && self.offsets == other.offsets;
        (self.store || other.store) && !same_thread
    }
}

struct Walk {
    /// Values defined before the place that is looked at.
    seen: FxHashSet<usize>,
}

impl Walk {
    /// Walks a block with the accesses that may be pending at its start, and gives those pending at its end. Inserts
    /// barriers only when told to: loops are walked once before, to know what comes around.
    fn block<'c: 'a, 'a>(
        &mut self,
        block: BlockRef<'c, 'a>,
        mut pending: Vec<Access>,
        insert: bool,
    ) -> PassResult<'c, Vec<Access>> {
        for op in ops_of(block) {
            let name = name_of(op);
            match name.as_str() {
                "gpu.barrier" => pending.clear(),
                "tile.load" | "tile.store" => {
                    let access = access_of(op, name == "tile.store")?;
                    if pending.iter().any(|before| before.conflicts(&access)) {
                        pending.clear();
                        if insert {
                            let barrier = OperationBuilder::new("gpu.barrier", op.location()).build();
                            block.insert_operation_before(op, barrier.expect("a barrier has no results to infer"));
                        }
                    }
                    if !pending.contains(&access) {
                        pending.push(access);
                    }
                }
                "scf.for" | "scf.while" => {
                    let around = self.loop_bodies(op, pending.clone(), false)?;
                    pending = self.loop_bodies(op, merge(pending, around), insert)?;
                }
                "scf.if" => {
                    let mut after = Vec::new();
                    let branches = blocks_of(op);
                    if branches.len() < 2 {
                        after = pending.clone();
                    }
                    for branch in branches {
                        after = merge(after, self.block(branch, pending.clone(), insert)?);
                    }
                    pending = after;
                }
                _ => {}
            }
            self.seen.extend(op.results().map(|r| key(Value::from(r))));
        }
        Ok(pending)
    }

    /// The regions of a loop in turn; what is pending at the end holds for zero iterations too.
    fn loop_bodies<'c: 'a, 'a>(
        &mut self,
        op: OperationRef<'c, 'a>,
        entry: Vec<Access>,
        insert: bool,
    ) -> PassResult<'c, Vec<Access>> {
        let outside = self.seen.clone();
        let mut pending = entry.clone();
        for body in blocks_of(op) {
            pending = self.block(body, pending, insert)?;
        }
        self.seen = outside;
        for access in &mut pending {
            access.offsets = access.offsets.filter(|offsets| self.seen.contains(offsets));
        }
        Ok(merge(entry, pending))
    }
}

fn merge(mut into: Vec<Access>, more: Vec<Access>) -> Vec<Access> {
    for access in more {
        if !into.contains(&access) {
            into.push(access);
        }
    }
    into
}

fn access_of<'c: 'a, 'a>(op: OperationRef<'c, 'a>, store: bool) -> PassResult<'c, Access> {
    let Ok(pointer) = op.operand(0) else { return Ok(Access { store, offsets: None, layout: None }) };
    let layout = layout_at(op, pointer.r#type())?;
    let layout = layout.filter(|l| l.lane_free_mask() | l.warp_free_mask() == 0);
    let offsets = match defining_operation(pointer) {
        Some(def) if name_of(def) == "tile.addptr" && moves_one_base(def) => def.operand(1).ok().map(key),
        _ => Some(key(pointer)),
    };
    Ok(Access { store, offsets, layout })
}

/// Does an address computation start from the same pointer in every element? Then the offsets tell elements apart.
fn moves_one_base(addptr: OperationRef<'_, '_>) -> bool {
    addptr.operand(0).ok().and_then(defining_operation).is_some_and(|base| name_of(base) == "tile.splat")
}
