//! `tile.scan`, by the plan that the `layout` crate derives: rows in the thread, then pairs of segments bit by bit.
//!
//! Each segment has its total, and each of its rows the *carry*: what stands before the row in the segment, combined. The
//! carry enters the row's elements last. Where two segments are joined, the rows of the second get the first's total before
//! their carry. With `reverse` the second segment is the one at lower coordinates, and padding, which then comes first, is
//! not live.

use std::collections::BTreeMap;

use melior::ir::{OperationRef, Value, ValueLike};
use mytriton_layout::{ScanPlan, ScanStep, WarpPartials};
use mytriton_tile::emit::{CmpI, Emitter, shape_of};
use mytriton_tile::ops::ScanOp;

use super::Conversion;
use super::combine::{Combine, Live, Partial};
use super::thread::{extract, from_elements};
use crate::ir::{PassResult, error_at, key, layout_at};

/// The scan of one operation while it is lowered.
struct Scan<'c, 'o, 'a> {
    combine: Combine<'c, 'o>,
    reverse: bool,
    /// By the register at the start of a row.
    carries: BTreeMap<u32, Partial<'c, 'a>>,
    /// By the lowest of the starts of a block's rows in the thread.
    totals: BTreeMap<u32, Partial<'c, 'a>>,
    /// Bits of the register that tell rows of one block apart.
    joined: u32,
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    pub(super) fn scan(
        &mut self,
        emitter: Emitter<'c, 'a>,
        scan: ScanOp<'c, '_>,
        operands: &[Value<'c, 'a>],
    ) -> PassResult<'c> {
        let op = scan.operation();
        let axis = scan.axis() as usize;
        let ty = scan.operands().next().map(|value| value.r#type());
        let ty = ty.ok_or_else(|| error_at(op, "a scan has an operand"))?;
        let layout = layout_at(op, ty)?.ok_or_else(|| error_at(op, "a tile is expected"))?;
        let extent = shape_of(ty).and_then(|shape| shape.get(axis).copied()).unwrap_or(1);
        let plan = ScanPlan::new(&layout, axis).map_err(|e| error_at(op, e.to_string()))?;
        let reverse = scan.reverse();
        let combine = Combine::new(scan.combine());
        // Padding at the end has no element after it that would take it in.
        let live = match reverse {
            true => self.live(emitter, op, &layout, axis, extent)?,
            false => vec![Live::Always; layout.num_registers() as usize],
        };

        let represents = layout.register_representatives();
        let within = plan.row.iter().fold(0, |mask, bit| mask | bit);
        let mut state = Scan {
            combine,
            reverse,
            carries: BTreeMap::new(),
            totals: BTreeMap::new(),
            joined: within,
        };
        let mut prefixes: BTreeMap<u32, Partial<'c, 'a>> = BTreeMap::new();
        for &start in &plan.starts {
            let mut total: Option<Partial<'c, 'a>> = None;
            for index in 0..1u32 << plan.row.len() {
                let index = if reverse { !index } else { index };
                let bits = plan.row.iter().enumerate().filter(|(i, _)| index >> i & 1 != 0);
                let register = bits.fold(start, |register, (_, bit)| register | bit);
                let values = operands.iter().map(|&vector| extract(emitter, vector, register));
                let element = Partial {
                    values: values.collect(),
                    live: live[register as usize],
                };
                let element = self.filled(emitter, &state.combine, element);
                let prefix = match &total {
                    None => element,
                    Some(before) => self.join(emitter, &state.combine, before, &element)?,
                };
                prefixes.insert(register, prefix.clone());
                total = Some(prefix);
            }
            if let Some(total) = total {
                state.carries.insert(start, total.none());
                state.totals.insert(start, total);
            }
        }

        for step in &plan.steps {
            match step {
                ScanStep::Registers { mask } => self.join_registers(emitter, &mut state, *mask)?,
                ScanStep::Lanes { bit } => self.join_lanes(emitter, &mut state, *bit)?,
                ScanStep::Warps(warps) => self.join_warps(emitter, op, &mut state, warps)?,
            }
        }

        let mut results: BTreeMap<u32, Partial<'c, 'a>> = BTreeMap::new();
        for (register, prefix) in prefixes {
            let carry = state.carries[&(register & !within)].clone();
            results.insert(register, self.join(emitter, &state.combine, &carry, &prefix)?);
        }
        for (index, result) in scan.results().enumerate() {
            let values: Vec<_> = represents
                .iter()
                .map(|register| results[register].values[index])
                .collect();
            let value = from_elements(emitter, &values, self.lowered(op, result.r#type())?);
            self.values.insert(key(result), value);
        }
        Ok(())
    }

    fn join_registers(&mut self, emitter: Emitter<'c, 'a>, state: &mut Scan<'c, '_, 'a>, bit: u32) -> PassResult<'c> {
        let lower: Vec<u32> = state.totals.keys().copied().filter(|block| block & bit == 0).collect();
        for block in lower {
            let (first, second) = match state.reverse {
                false => (block, block | bit),
                true => (block | bit, block),
            };
            let before = state.totals[&first].clone();
            let total = self.join(emitter, &state.combine, &before, &state.totals[&second])?;
            for start in state.rows_of(second) {
                let carry = self.join(emitter, &state.combine, &before, &state.carries[&start])?;
                state.carries.insert(start, carry);
            }
            state.totals.remove(&(block | bit));
            state.totals.insert(block, total);
        }
        state.joined |= bit;
        Ok(())
    }

    fn join_lanes(&mut self, emitter: Emitter<'c, 'a>, state: &mut Scan<'c, '_, 'a>, bit: u32) -> PassResult<'c> {
        let Some(lower) = self.thread.is_zero_in(emitter, 1 << bit) else {
            return Ok(());
        };
        let yes = Live::Always.value(emitter);
        let upper = emitter.binary("arith.xori", lower, yes);
        let (is_first, is_second) = if state.reverse { (upper, lower) } else { (lower, upper) };
        let (blocks, totals): (Vec<u32>, Vec<_>) = state.totals.clone().into_iter().unzip();
        let others = self.shuffled(emitter, &totals, 1 << bit);
        for ((block, own), other) in blocks.into_iter().zip(&totals).zip(&others) {
            let before = other.clone().only(emitter, is_second);
            let before = self.filled(emitter, &state.combine, before);
            for start in state.rows_of(block) {
                let carry = self.join(emitter, &state.combine, &before, &state.carries[&start])?;
                state.carries.insert(start, carry);
            }
            let total = match state.combine.commutative() {
                true => self.join(emitter, &state.combine, own, other)?,
                false => {
                    let left = Partial::choose(emitter, is_first, own, other);
                    let right = Partial::choose(emitter, is_first, other, own);
                    self.join(emitter, &state.combine, &left, &right)?
                }
            };
            state.totals.insert(block, total);
        }
        Ok(())
    }

    fn join_warps(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        state: &mut Scan<'c, '_, 'a>,
        warps: &WarpPartials,
    ) -> PassResult<'c> {
        let (blocks, totals): (Vec<u32>, Vec<_>) = state.totals.clone().into_iter().unzip();
        let parts = self.parts_of_warps(emitter, op, "the scan", &totals, warps)?;
        let own = self.thread.gathered(emitter, &warps.reduced);
        for (block, mut parts) in blocks.into_iter().zip(parts) {
            let mut numbers: Vec<usize> = (0..parts.len()).collect();
            if state.reverse {
                parts.reverse();
                numbers.reverse();
            }
            // The last one is before none.
            let mut before = totals[0].none();
            for (part, &number) in parts.iter().zip(&numbers).take(parts.len() - 1) {
                let number = emitter.int_like(own.r#type(), number as i64);
                let order = if state.reverse { CmpI::Ult } else { CmpI::Ugt };
                let is_before = emitter.cmpi(order, own, number);
                let part = part.clone().only(emitter, is_before);
                let part = self.filled(emitter, &state.combine, part);
                before = self.join(emitter, &state.combine, &before, &part)?;
            }
            for start in state.rows_of(block) {
                let carry = self.join(emitter, &state.combine, &before, &state.carries[&start])?;
                state.carries.insert(start, carry);
            }
            let total = self.tree(emitter, &state.combine, parts)?;
            state.totals.insert(block, total);
        }
        Ok(())
    }
}

impl Scan<'_, '_, '_> {
    /// The starts of the rows of a block.
    fn rows_of(&self, block: u32) -> Vec<u32> {
        let in_block = |start: &u32| start & !self.joined == block & !self.joined;
        self.carries.keys().copied().filter(in_block).collect()
    }
}
