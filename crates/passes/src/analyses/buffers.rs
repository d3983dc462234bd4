//! Which buffers a value may be: through loops, branches and choices.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Value, ValueLike};
use mytriton_tile::emit::{argument_of, result_of};
use mytriton_tile::ops::AllocOp;
use mytriton_tile_sys as sys;
use rustc_hash::FxHashMap;

use crate::ir::{blocks_of, key, ops_of};

/// The allocations that values of type `!tile.buffer` in a kernel may come from.
pub struct Buffers<'c, 'a> {
    /// Allocations, by the value: indices into `allocs`.
    of: FxHashMap<usize, Vec<usize>>,
    /// The operations that allocate.
    pub allocs: Vec<OperationRef<'c, 'a>>,
}

impl<'c: 'a, 'a> Buffers<'c, 'a> {
    /// Of a kernel, or of any operation around all uses.
    pub fn of_kernel(kernel: OperationRef<'c, 'a>) -> Self {
        let mut buffers = Buffers {
            of: FxHashMap::default(),
            allocs: Vec::new(),
        };
        // Sets of allocations grow until nothing changes.
        while buffers.walk(kernel) {}
        buffers
    }

    /// The allocations that a value may be, as indices into `allocs`.
    pub fn get(&self, value: Value<'_, '_>) -> &[usize] {
        self.of.get(&key(value)).map_or(&[], Vec::as_slice)
    }

    fn walk(&mut self, op: OperationRef<'c, 'a>) -> bool {
        let mut grown = false;
        for block in blocks_of(op) {
            for inner in ops_of(block) {
                grown |= self.walk(inner);
                grown |= self.flow(inner);
            }
        }
        grown
    }

    /// What an operation passes on: an allocation itself, any other all that it is given by operands and by the ends of
    /// its regions, to its results and to the arguments of its regions.
    fn flow(&mut self, op: OperationRef<'c, 'a>) -> bool {
        if AllocOp::cast(op).is_some() {
            if self.allocs.contains(&op) {
                return false;
            }
            self.of.insert(key(result_of(op, 0)), vec![self.allocs.len()]);
            self.allocs.push(op);
            return true;
        }
        let blocks = blocks_of(op);
        let mut to: Vec<Value> = op.results().map(Value::from).collect();
        for &block in &blocks {
            to.extend((0..block.argument_count()).map(|index| argument_of(block, index)));
        }
        to.retain(|value| sys::BufferRef::new(value.r#type()).is_some());
        if to.is_empty() {
            return false;
        }
        let mut given: Vec<Value> = op.operands().collect();
        for end in blocks.iter().filter_map(|block| block.terminator()) {
            given.extend(end.operands());
        }
        let roots: Vec<usize> = given.iter().flat_map(|&value| self.get(value).to_vec()).collect();
        let mut grown = false;
        for value in to {
            let known = self.of.entry(key(value)).or_default();
            for &root in &roots {
                if !known.contains(&root) {
                    known.push(root);
                    grown = true;
                }
            }
        }
        grown
    }
}
