//! Reductions and scans: the combiner of a whole slice of the tile at a time.
//!
//! The order is part of this definition: element 0 is the first accumulator, and elements 1, 2, ... are combined with it
//! from the right, one after another (a reverse scan starts at the last index and goes down). No identity element takes
//! part. All lines of the tile along the axis, its *lanes*, advance together: the combiner's operations run on vectors
//! with one element for each lane.

use std::collections::HashMap;

use mytriton_ssa::{OpData, OpId, OpKind, RegionId, ValueId};

use crate::eval::{Context, evaluate};
use crate::tile::{Element, Tile, each_scalar, storage};

/// How the lanes of a tile lie: its elements are `outer` times `extent` times `inner`, the axis in the middle.
#[derive(Clone, Copy)]
struct Lanes {
    outer: usize,
    extent: usize,
    inner: usize,
}

impl Lanes {
    fn of(dims: &[u32], axis: usize) -> Lanes {
        let count = |dims: &[u32]| dims.iter().map(|&d| d as usize).product();
        Lanes {
            outer: count(&dims[..axis]),
            extent: dims[axis] as usize,
            inner: count(&dims[axis + 1..]),
        }
    }

    fn count(self) -> usize {
        self.outer * self.inner
    }

    /// Appends the elements at an index of the axis, in the order of the lanes.
    fn slice<T: Copy>(self, x: &[T], index: usize, out: &mut Vec<T>) {
        for line in x.chunks_exact(self.extent * self.inner) {
            out.extend_from_slice(&line[index * self.inner..][..self.inner]);
        }
    }

    /// Puts the elements of all lanes to an index of the axis.
    fn put<T: Copy>(self, slice: &[T], index: usize, out: &mut [T]) {
        let lines = out.chunks_exact_mut(self.extent * self.inner);
        for (line, part) in lines.zip(slice.chunks_exact(self.inner)) {
            line[index * self.inner..][..self.inner].copy_from_slice(part);
        }
    }
}

/// The combiner as a list of steps on numbered slots: those of the left arguments, of the right ones, then of the results
/// of its operations in order.
struct Combine<'a> {
    cx: &'a Context<'a>,
    steps: Vec<Step<'a>>,
    /// The slots of what it yields.
    yields: Vec<usize>,
    /// Is each of these computed by a step of its own, so that it can be moved rather than copied?
    moves: bool,
    slots: Vec<Tile>,
}

struct Step<'a> {
    id: OpId,
    op: &'a OpData,
    operands: Vec<usize>,
    result: usize,
}

impl<'a> Combine<'a> {
    fn new(cx: &'a Context<'a>, region: RegionId, lanes: usize) -> Combine<'a> {
        let region = cx.kernel.region(region);
        let mut numbers: HashMap<ValueId, usize> = region.args.iter().copied().zip(0..).collect();
        let mut slots = vec![Tile::empty(); region.args.len()];
        let (mut steps, mut yields) = (Vec::new(), Vec::new());
        for &id in &region.ops {
            let op = cx.kernel.op(id);
            let operands: Vec<usize> = op.operands.iter().map(|v| numbers[v]).collect();
            if op.kind == OpKind::Yield {
                yields = operands;
                continue;
            }
            let result = slots.len();
            let mut slot = Tile::empty();
            numbers.insert(op.results[0], result);
            if let OpKind::Const(value) = op.kind {
                each_scalar!(value.scalar(), T => slot.begin::<T>().resize(lanes, T::from_const(value)));
            } else {
                steps.push(Step {
                    id,
                    op,
                    operands,
                    result,
                });
            }
            slots.push(slot);
        }
        let computed = |slot: &usize| steps.iter().any(|s: &Step| s.result == *slot);
        let distinct = |i: usize| !yields[..i].contains(&yields[i]);
        Combine {
            cx,
            moves: yields.iter().all(computed) && (0..yields.len()).all(distinct),
            steps,
            yields,
            slots,
        }
    }

    /// Runs its operations on what is in the slots of the arguments.
    fn run(&mut self) {
        for step in &self.steps {
            let mut out = std::mem::replace(&mut self.slots[step.result], Tile::empty());
            let mut operands = [&self.slots[0]; 3];
            for (operand, &slot) in operands.iter_mut().zip(&step.operands) {
                *operand = &self.slots[slot];
            }
            evaluate(self.cx, step.id, step.op, &operands[..step.operands.len()], &mut out);
            self.slots[step.result] = out;
        }
    }

    /// Makes what it yielded the left arguments of the next run.
    fn advance(&mut self) {
        if self.moves {
            for i in 0..self.yields.len() {
                self.slots.swap(i, self.yields[i]);
            }
        } else {
            let values: Vec<Tile> = self.yields.iter().map(|&slot| self.slots[slot].clone()).collect();
            for (slot, value) in self.slots.iter_mut().zip(values) {
                *slot = value;
            }
        }
    }
}

/// The results of a reduction or scan of these operands.
pub(crate) fn combine(cx: &Context, op: &OpData, operands: &[&Tile]) -> Vec<Tile> {
    let (axis, scan) = match op.kind {
        OpKind::Reduce { axis } => (axis, None),
        OpKind::Scan { axis, reverse } => (axis, Some(reverse)),
        ref other => unreachable!("'{}' is no reduction", other.name()),
    };
    let lanes = Lanes::of(cx.kernel.ty(op.operands[0]).shape.dims(), axis);
    let n = operands.len();
    let scalars: Vec<_> = op.operands.iter().map(|&v| storage(cx.kernel.ty(v))).collect();
    let mut combine = Combine::new(cx, op.regions[0], lanes.count());
    let mut results: Vec<Tile> = match scan {
        Some(_) => operands.iter().map(|&x| x.clone()).collect(),
        None => Vec::new(),
    };
    let last = lanes.extent - 1;
    let order = |step: usize| if scan == Some(true) { last - step } else { step };
    for step in 0..lanes.extent {
        let index = order(step);
        for (slot, (x, &scalar)) in operands.iter().zip(&scalars).enumerate() {
            // The first elements are the first prefix.
            let target = &mut combine.slots[if step == 0 { slot } else { n + slot }];
            each_scalar!(scalar, T => lanes.slice(x.get::<T>(), index, target.begin::<T>()));
            target.poison = x.poison.as_ref().map(|codes| {
                let mut slice = Vec::with_capacity(lanes.count());
                lanes.slice(codes, index, &mut slice);
                slice
            });
        }
        if step > 0 {
            combine.run();
            combine.advance();
        }
        for (slot, result) in results.iter_mut().enumerate() {
            let value = &combine.slots[slot];
            each_scalar!(scalars[slot], T => lanes.put(value.get::<T>(), index, result.get_mut::<T>()));
            let count = lanes.count() * lanes.extent;
            if let Some(codes) = &value.poison {
                lanes.put(codes, index, result.poison.get_or_insert_with(|| vec![0; count]));
            } else if let Some(codes) = &mut result.poison {
                lanes.put(&vec![0; lanes.count()], index, codes);
            }
        }
    }
    if scan.is_none() {
        combine.slots.truncate(n);
        results = combine.slots;
    }
    results
}
