//! `tile-insert-barriers`: orders a program's accesses of global and of shared memory as the program says. Numerics do not
//! change.
//!
//! Threads of a block run ahead of one another, so that of two accesses of one address by different threads either
//! may come first. A `gpu.barrier` goes before an access that may touch what an access since the last barrier touched,
//! when one of the two is a store and it is not certain that the same thread does both.
//!
//! In global memory that is certain only where both have the same layout, without replication, and go the same way from
//! a base to their addresses: over the very same offsets, which differ from element to element (`strides`), with elements
//! of the same size. Pointers of different arguments are taken to be equal or to point to memory apart; they may not
//! overlap otherwise. Offsets computed in the body of a loop are not the same in its next iteration.
//!
//! In shared memory accesses meet where their bytes do, which `tile-allocate-shared` has planned. A buffer is accessed by
//! the same threads under the same layout without replication, if not by matrices. An exchange between threads is stores, a barrier of its
//! own, loads: the barrier counts for all accesses before it. Exchanges that keep within each warp have none.
//!
//! The kernel is walked until what goes into each loop, the accesses of its own iterations included, no longer grows;
//! then barriers are inserted. Control flow is uniform in a block, so that a barrier may stand anywhere.

mod access;

use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::{BlockRef, OperationRef, Value};
use mytriton_layout::staging::Matrices;
use mytriton_tile::emit::argument_of;
use mytriton_tile::ops::{AllocOp, AnyOp, gpu, scf};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analyses::buffers::Buffers;
use crate::analyses::strides::StrideInfos;
use crate::interfaces::memory_effects::{AccessLocation, MemoryAccess, accesses_of};
use crate::ir::{PassResult, blocks_of, kernels_of, key, matrices_of, ops_of};
use crate::memory::{BYTES, WITHIN_WARPS};
use access::Access;

/// Runs the pass on a module in the `layout` stage.
pub fn run<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> PassResult<'c> {
    kernels_of(module).into_iter().try_for_each(order)
}

/// Orders the accesses of one kernel.
fn order<'c: 'a, 'a>(kernel: OperationRef<'c, 'a>) -> PassResult<'c> {
    let mut walk = Walk {
        buffers: Buffers::of_kernel(kernel),
        matrices: matrices_of(kernel),
        loops: FxHashMap::default(),
        strides: StrideInfos::default(),
        grown: false,
        insert: false,
    };
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
    Ok(())
}

/// What an operation does to memory, in order.
#[derive(Default)]
struct Effects {
    /// Until its own barrier, if it has one.
    first: Vec<Access>,
    /// Does it hold a barrier?
    barrier: bool,
    /// After that.
    then: Vec<Access>,
}

struct Walk<'c, 'a> {
    buffers: Buffers<'c, 'a>,
    matrices: Matrices,
    /// What goes into each loop, by the loop.
    loops: FxHashMap<usize, Vec<Access>>,
    strides: StrideInfos,
    /// Did what goes into a loop grow?
    grown: bool,
    insert: bool,
}

impl<'c: 'a, 'a> Walk<'c, 'a> {
    /// Walks a block with the accesses that may be pending at its start, and gives those pending at its end.
    fn block(&mut self, block: BlockRef<'c, 'a>, mut pending: Vec<Access>) -> PassResult<'c, Vec<Access>> {
        for op in ops_of(block) {
            match AnyOp::cast(op) {
                Some(AnyOp::Gpu(gpu::Op::Barrier(_))) => pending.clear(),
                Some(AnyOp::Scf(scf::Op::For(_) | scf::Op::While(_))) => pending = self.loop_op(op, pending)?,
                Some(AnyOp::Scf(scf::Op::If(_) | scf::Op::IndexSwitch(_) | scf::Op::ExecuteRegion(_))) => {
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
                _ => {
                    let effects = self.effects(op)?;
                    let conflict = |access: &Access| pending.iter().any(|before| before.conflicts(access));
                    if effects.first.iter().any(conflict) {
                        pending.clear();
                        if self.insert {
                            let barrier = OperationBuilder::new(gpu::BARRIER, op.location()).build();
                            block.insert_operation_before(op, barrier.expect("a barrier has no results to infer"));
                        }
                    }
                    merge(&mut pending, effects.first);
                    if effects.barrier {
                        pending.clear();
                    }
                    merge(&mut pending, effects.then);
                }
            }
        }
        Ok(pending)
    }

    fn effects(&mut self, op: OperationRef<'c, 'a>) -> PassResult<'c, Effects> {
        let mut first = Vec::new();
        for MemoryAccess { writes, location } in accesses_of(op) {
            match location {
                AccessLocation::Pointers(pointer) => {
                    first.push(Access::of_pointers(&mut self.strides, op, pointer, writes)?);
                }
                AccessLocation::Buffer { buffer, tile } => {
                    let allocs = self.allocs_of(buffer);
                    first.extend(Access::of_buffers(op, writes, &allocs, (buffer, tile), self.matrices)?);
                }
                AccessLocation::Anywhere => first.push(Access::anywhere(writes)),
            }
        }
        // Within an operation on values alone, shared memory is a matter of its lowering.
        if first.is_empty() && AllocOp::cast(op).is_none() && op.has_attribute(BYTES) {
            return Ok(exchange(op));
        }
        Ok(Effects {
            first,
            ..Effects::default()
        })
    }

    /// The operations that may have allocated a buffer.
    fn allocs_of(&self, buffer: Value<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
        let roots = self.buffers.get(buffer).iter();
        roots.map(|&root| self.buffers.allocs[root]).collect()
    }

    /// A loop, entered with `pending`: what is pending after it is what its last iteration leaves. That is what may go
    /// into an iteration of `scf.for`, which is left between iterations, but what comes out of the test of `scf.while`, which
    /// is left there.
    fn loop_op(&mut self, op: OperationRef<'c, 'a>, pending: Vec<Access>) -> PassResult<'c, Vec<Access>> {
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
        let outside = |accesses: Vec<Access>| accesses.into_iter().map(|access| access.seen_from_outside(&inside));
        merge(&mut entering, outside(end));
        if self.loops.get(&id) != Some(&entering) {
            self.grown = true;
            self.loops.insert(id, entering.clone());
        }
        Ok(match after_test {
            Some(after_test) if scf::WhileOp::cast(op).is_some() => {
                let mut after = Vec::new();
                merge(&mut after, outside(after_test));
                after
            }
            _ => entering,
        })
    }
}

/// What an operation does that exchanges elements through shared memory.
fn exchange<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> Effects {
    let within_warps = op.has_attribute(WITHIN_WARPS);
    let [load, store] = [false, true].map(|store| Access::of_exchange(op, store, within_warps));
    match within_warps {
        true => Effects {
            first: vec![store, load],
            ..Effects::default()
        },
        false => Effects {
            first: vec![store],
            barrier: true,
            then: vec![load],
        },
    }
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
