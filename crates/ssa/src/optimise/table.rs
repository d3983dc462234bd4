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
    /// An available operation equal to this one, which has a result; without one, this one becomes available.
    pub fn find_or_insert(&mut self, kernel: &Kernel, op: OpId) -> Option<OpId> {
        let data = kernel.op(op);
        let epoch = match data.kind.effects() {
            Effects::Reads => self.epoch,
            Effects::None => 0,
            Effects::Writes | Effects::OfRegions => return None,
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
        // In either order: `equal` knows whether it matters.
        (OpKind::Binary(_), &[a, b]) => (a.min(b), a.max(b)).hash(&mut hasher),
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::kernel::Module;
    use crate::parse::parse_module;

    fn kernel(text: &str) -> (Kernel, Vec<OpId>) {
        let text = format!("kernel @k(%x: i32, %y: i32, %p: ptr<i32>) {{\n{text}\n}}");
        let Module { mut kernels } = parse_module(&text, "k.ssa").unwrap_or_else(|e| panic!("{e}"));
        let kernel = kernels.remove(0);
        let ops = kernel.region(kernel.body()).ops.clone();
        (kernel, ops)
    }

    /// No two of these operations are equal: each differs from another one in one respect.
    const DISTINCT: &str = "
        %a = add %x, %y : i32
        %b = sub %x, %y : i32
        %c = sub %y, %x : i32
        %d = add %x, %x : i32
        %e = cmp lt %x, %y : i32
        %f = cmp le %x, %y : i32
        %s = splat %x : tile<4xi32>
        %t = splat %x : tile<8xi32>
        %g = reduce %s axis 0 : tile<4xi32> (%1, %2) { %3 = add %1, %2 : i32 yield %3 }
        %h = reduce %s axis 0 : tile<4xi32> (%1, %2) { %3 = mul %1, %2 : i32 yield %3 }
        %i = reduce %s axis 0 : tile<4xi32> (%1, %2) { %3 = add %1, %2 : i32 yield %1 }
        %j = reduce %s axis 0 : tile<4xi32> (%1, %2) { %3 = add %1, %1 : i32 yield %3 }
        %k = reduce %s axis 0 : tile<4xi32> (%1, %2) { yield %1 }
        %l = reduce %t axis 0 : tile<8xi32> (%1, %2) { %3 = add %1, %2 : i32 yield %3 }
        %m = scan %s axis 0 : tile<4xi32> (%1, %2) { %3 = add %1, %2 : i32 yield %3 }
        %n = scan %s axis 0 reverse : tile<4xi32> (%1, %2) { %3 = add %1, %2 : i32 yield %3 }
        %o = reduce %s axis 0 : tile<4xi32> (%1, %2) {
          %4 = sext %1 : i32 to i64 %3 = const 1 : i64 %5 = trunc_int %3 : i64 to i32 yield %5
        }
        %q = reduce %s axis 0 : tile<4xi32> (%1, %2) {
          %4 = zext %1 : i32 to i64 %3 = const 1 : i64 %5 = trunc_int %3 : i64 to i32 yield %5
        }
        %r = reduce %s axis 0 : tile<4xi32> (%1, %2) {
          %4 = zext %1 : i32 to i64 %3 = const 1 : i64 %5 = trunc_int %4 : i64 to i32 yield %5
        }";

    #[test]
    fn operations_that_differ_are_not_equal() {
        let (kernel, ops) = kernel(DISTINCT);
        for (i, &left) in ops.iter().enumerate() {
            for (j, &right) in ops.iter().enumerate() {
                let shown = || [left, right].map(|op| kernel.describe_op(op));
                assert_eq!(equal(&kernel, left, right), i == j, "{:?}", shown());
            }
        }
    }

    /// The combiner aside, which is compared and not hashed.
    #[test]
    fn operations_that_differ_seldom_share_a_hash() {
        let (kernel, ops) = kernel(DISTINCT);
        let plain: Vec<OpId> = ops.into_iter().filter(|&op| kernel.op(op).regions.is_empty()).collect();
        let hashes: HashSet<u64> = plain.iter().map(|&op| hash(&kernel, op)).collect();
        // Two differences have the same operands.
        assert_eq!(hashes.len(), plain.len() - 1);
    }

    #[test]
    fn equal_operations_have_one_hash() {
        let (kernel, ops) = kernel(
            "%a = add %x, %y : i32
             %b = add %y, %x : i32
             %s = splat %x : tile<4xi32>
             %t = splat %x : tile<4xi32>
             %g = reduce %s axis 0 : tile<4xi32> (%1, %2) { %3 = add %1, %2 : i32 yield %3 }
             %h = reduce %s axis 0 : tile<4xi32> (%7, %8) { %9 = add %7, %8 : i32 yield %9 }
             %l = load %p : ptr<i32>
             %m = load %p : ptr<i32>",
        );
        for pair in ops.chunks_exact(2) {
            assert!(equal(&kernel, pair[0], pair[1]), "{}", kernel.describe_op(pair[0]));
            assert_eq!(hash(&kernel, pair[0]), hash(&kernel, pair[1]));
        }
    }
}
