//! When in a kernel shared memory is needed.
//!
//! The operations are numbered in the order of the text; one with regions has a number for its end too. What the regions
//! of a branch need is live at different numbers, as it is at different times.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Value};
use mytriton_tile::emit::argument_of;
use rustc_hash::FxHashMap;

use crate::analyses::buffers::Buffers;
use crate::interfaces::shared_memory::Lifetime;
use crate::ir::{blocks_of, is_loop, op_key, ops_of};

/// The numbers of a kernel's operations, and the lives of its buffers.
pub struct Liveness {
    numbers: FxHashMap<usize, u32>,
    /// From the first to the last number, by the operation that allocates.
    buffers: FxHashMap<usize, (u32, u32)>,
}

impl Liveness {
    /// Of a kernel.
    pub fn of_kernel<'c: 'a, 'a>(kernel: OperationRef<'c, 'a>) -> Self {
        let buffers = Buffers::of_kernel(kernel);
        let mut walk = Walk {
            next: 0,
            loops: Vec::new(),
            uses: Vec::new(),
            ends: FxHashMap::default(),
            numbers: FxHashMap::default(),
            buffers: &buffers,
        };
        walk.regions(kernel);
        let Walk {
            uses, ends, numbers, ..
        } = walk;
        let mut lives: FxHashMap<usize, (u32, u32)> = FxHashMap::default();
        for &alloc in &buffers.allocs {
            if let Some(&number) = numbers.get(&op_key(alloc)) {
                lives.insert(op_key(alloc), (number, number));
            }
        }
        for Use { root, number, loops } in uses {
            let Some(life) = lives.get_mut(&op_key(buffers.allocs[root])) else {
                continue;
            };
            *life = (life.0.min(number), life.1.max(number));
            // What comes from before a loop is used again in its next iteration.
            for start in loops.into_iter().filter(|&start| life.0 < start) {
                life.1 = life.1.max(ends.get(&start).copied().unwrap_or(start));
            }
        }
        Liveness {
            numbers,
            buffers: lives,
        }
    }

    /// When what an operation takes is live: a buffer from there to its last use, any other at the operation alone.
    pub fn of(&self, op: OperationRef<'_, '_>, lifetime: Lifetime) -> (u32, u32) {
        let number = self.numbers.get(&op_key(op)).copied().unwrap_or(0);
        match (lifetime, self.buffers.get(&op_key(op))) {
            (Lifetime::Buffer, Some(&life)) => life,
            (Lifetime::Buffer, None) | (Lifetime::Operation, _) => (number, number),
        }
    }
}

/// A use of what may be a buffer.
struct Use {
    /// The allocation.
    root: usize,
    number: u32,
    /// The numbers of the loops around it.
    loops: Vec<u32>,
}

struct Walk<'c, 'a, 'b> {
    next: u32,
    /// The loops that are open, by number.
    loops: Vec<u32>,
    uses: Vec<Use>,
    /// The end of each loop.
    ends: FxHashMap<u32, u32>,
    numbers: FxHashMap<usize, u32>,
    buffers: &'b Buffers<'c, 'a>,
}

impl<'c: 'a, 'a> Walk<'c, 'a, '_> {
    fn regions(&mut self, op: OperationRef<'c, 'a>) {
        for inner in blocks_of(op).into_iter().flat_map(ops_of) {
            self.operation(inner);
        }
    }

    fn operation(&mut self, op: OperationRef<'c, 'a>) {
        let number = self.number();
        self.numbers.insert(op_key(op), number);
        for value in op.operands() {
            self.used(value, number);
        }
        if blocks_of(op).is_empty() {
            return;
        }
        let is_loop = is_loop(op);
        if is_loop {
            self.carried(op, number);
            self.loops.push(number);
        }
        self.regions(op);
        let end = self.number();
        if is_loop {
            self.loops.pop();
            self.ends.insert(number, end);
            self.carried(op, end);
        }
    }

    /// Buffers that go from iteration to iteration of a loop are live in all of it.
    fn carried(&mut self, op: OperationRef<'c, 'a>, number: u32) {
        for block in blocks_of(op) {
            for index in 0..block.argument_count() {
                self.used(argument_of(block, index), number);
            }
        }
    }

    fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn used(&mut self, value: Value<'c, '_>, number: u32) {
        for &root in self.buffers.get(value) {
            self.uses.push(Use {
                root,
                number,
                loops: self.loops.clone(),
            });
        }
    }
}
