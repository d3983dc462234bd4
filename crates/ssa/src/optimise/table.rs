//! Equal operations, found by hash: the memory of common subexpression elimination.
//!
//! Two pure operations are equal when kind, operands and result type are (operands of a commutative one in either
//! order). Two loads are equal when that holds and no store stands between them; another program's store may, but no
//! program can count on seeing it. What a region computes is forgotten when the walk leaves it; a region sees what
//! its surroundings computed before it, as values there dominate it.

#![warn(clippy::wildcard_enum_match_arm)]

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use crate::kernel::{Kernel, OpId, RegionId, ValueId};
use crate::op::{Effects, OpKind};

#[derive(Clone, Copy)]
struct Entry {
    op: OpId,
    /// The state of memory that was read; 0 of a pure operation.
    epoch: u32,
}

/// The operations that are available at a point of the walk.
#[derive(Default)]
pub(super) struct ValueTable {
    entries: FxHashMap<u64, SmallVec<[Entry; 1]>>,
    /// The hashes of the entries, oldest first.
    order: Vec<u64>,
    /// Counts the states of memory.
    epoch: u32,
}

impl ValueTable {
    /// An available operation equal to this one; without one, this one becomes available.
    pub fn find_or_insert(&mut self, kernel: &Kernel, op: OpId) -> Option<OpId> {
        let data = kernel.op(op);
        let epoch = match data.kind.effects() {
            Effects::Reads => self.epoch,
            Effects::None if data.kind.is_pure() => 0,
            Effects::None | Effects::Writes | Effects::OfRegions => return None,
        };
        let hash = hash(kernel, op);
        let bucket = self.entries.entry(hash).or_default();
        if let Some(found) = bucket.iter().find(|e| e.epoch == epoch && equal(kernel, e.op, op)) {
            return Some(found.op);
        }
        bucket.push(Entry { op, epoch });
        self.order.push(hash);
        None
    }

    /// Memory may have changed.
    pub fn forget_loads(&mut self) {
        self.epoch += 1;
    }

    /// The point to go back to with [`ValueTable::leave`].
    pub fn mark(&self) -> usize {
        self.order.len()
    }

    /// Forgets what became available since the mark.
    pub fn leave(&mut self, mark: usize) {
        for hash in self.order.drain(mark..).rev() {
            // Entries of one bucket leave in the order opposite to their coming, so the last one is meant.
            if let Some(bucket) = self.entries.get_mut(&hash) {
                bucket.pop();
            }
        }
    }
}

fn hash(kernel: &Kernel, op: OpId) -> u64 {
    let data = kernel.op(op);
    let mut hasher = FxHasher::default();
    data.kind.hash(&mut hasher);
    match (&data.kind, &data.operands[..]) {
        (OpKind::Binary(op), &[a, b]) if op.is_commutative() => (a.min(b), a.max(b)).hash(&mut hasher),
        (_, operands) => operands.hash(&mut hasher),
    }
    kernel.ty(data.results[0]).hash(&mut hasher);
    hasher.finish()
}

fn equal(kernel: &Kernel, left: OpId, right: OpId) -> bool {
    let (x, y) = (kernel.op(left), kernel.op(right));
    let regions = x.regions.iter().zip(&y.regions);
    let commutes = |op: &OpKind| matches!(op, OpKind::Binary(op) if op.is_commutative());
    x.kind == y.kind
        && kernel.ty(x.results[0]) == kernel.ty(y.results[0])
        && x.regions.len() == y.regions.len()
        && (x.operands == y.operands || (commutes(&x.kind) && x.operands.iter().eq(y.operands.iter().rev())))
        && regions
            .into_iter()
            .all(|(&left, &right)| equal_isolated(kernel, left, right))
}

/// Do two isolated regions hold the same operations on the same of their own values, in the same order?
fn equal_isolated(kernel: &Kernel, left: RegionId, right: RegionId) -> bool {
    let (a, b) = (kernel.region(left), kernel.region(right));
    let mut pairs: FxHashMap<ValueId, ValueId> = a.args.iter().copied().zip(b.args.iter().copied()).collect();
    a.ops.len() == b.ops.len()
        && a.ops.iter().zip(&b.ops).all(|(&x, &y)| {
            let (x, y) = (kernel.op(x), kernel.op(y));
            pairs.extend(x.results.iter().copied().zip(y.results.iter().copied()));
            let results = x.results.iter().zip(&y.results);
            x.kind == y.kind
                && x.operands.len() == y.operands.len()
                && x.operands.iter().zip(&y.operands).all(|(v, w)| pairs.get(v) == Some(w))
                && results.into_iter().all(|(&v, &w)| kernel.ty(v) == kernel.ty(w))
        })
}
