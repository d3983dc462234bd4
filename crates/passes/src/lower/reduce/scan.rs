//! `tile.scan`, by the plan that the `layout` crate derives: rows in the thread, then pairs of segments bit by bit.
//!
//! Each segment has its total, and each of its rows the *carry*: what stands before the row in the segment, combined. The
//! carry enters the row's elements last. Where two segments are joined, the rows of the second get the first's total before
//! their carry. With `reverse` the second segment is the one at lower coordinates, and padding, which then comes first, is
//! not valid.

use std::collections::BTreeMap;

use melior::ir::{OperationRef, Value, ValueLike};
use mytriton_layout::staging::Matrices;
use mytriton_layout::{DistributedLayout, ScanPlan, ScanStep};
use mytriton_tile::emit::{CmpI, Emitter, element_type, shape_of};
use mytriton_tile::ops::{ScanOp, arith};

use crate::interfaces::shared_memory::{Footprint, SCRATCH_ALIGNMENT, UsesSharedMemory};
use crate::ir::{PassResult, error_at, key, tile_layout_at};
use crate::lower::conversion::Conversion;
use crate::lower::reduce::combiner::{Combiner, Partial, Validity};
use crate::lower::reduce::warps::WarpTable;
use crate::lower::stored::stored_bytes;
use crate::lower::thread::{extract, from_elements};

/// How a scan is carried out.
struct Plan<'c, 'o> {
    combiner: Combiner<'c, 'o>,
    layout: DistributedLayout,
    axis: usize,
    extent: u64,
    reverse: bool,
    threads: ScanPlan,
    /// For each exchange between warps its table, and the byte of the scan's shared memory at which it begins. They lie beside
    /// one another, so that none waits for another's loads.
    tables: Vec<(WarpTable, u64)>,
}

impl<'c: 'o, 'o> Plan<'c, 'o> {
    fn new(scan: ScanOp<'c, 'o>) -> PassResult<'c, Self> {
        let op = scan.operation();
        let axis = scan.axis() as usize;
        let ty = scan.operands().next().map(|value| value.r#type());
        let ty = ty.ok_or_else(|| error_at(op, "a scan has an operand"))?;
        let layout = tile_layout_at(op, ty)?;
        let mut plan = Plan {
            combiner: Combiner::new(scan.combine()),
            axis,
            extent: shape_of(ty).and_then(|shape| shape.get(axis).copied()).unwrap_or(1),
            reverse: scan.reverse(),
            threads: ScanPlan::new(&layout, axis).map_err(|e| error_at(op, e.to_string()))?,
            tables: Vec::new(),
            layout,
        };
        let elements = scan.operands().map(|value| stored_bytes(element_type(value.r#type())));
        plan.tables = plan.tables_of(&elements.collect::<Vec<_>>());
        Ok(plan)
    }

    /// The tables of all exchanges between warps. A segment's total is valid where an element of it is.
    fn tables_of(&self, element_bytes: &[u64]) -> Vec<(WarpTable, u64)> {
        let validity = self.element_validity();
        let of_row = |start: u32| {
            let registers = self.registers_of_row(start);
            let of_elements = registers.map(|register| self.combiner.filled(validity[register as usize]));
            of_elements.fold(Validity::Never, Validity::or)
        };
        let starts = self.threads.starts.iter();
        let mut totals: BTreeMap<u32, Validity> = starts.map(|&start| (start, of_row(start))).collect();
        let (mut tables, mut end) = (Vec::new(), 0u64);
        for step in &self.threads.steps {
            match step {
                ScanStep::Registers { mask } => {
                    for (segment, validity) in std::mem::take(&mut totals) {
                        let total = totals.entry(segment & !mask).or_insert(Validity::Never);
                        *total = total.or(validity);
                    }
                }
                ScanStep::Lanes { .. } => {}
                ScanStep::Warps(warps) => {
                    let element_bytes = element_bytes.iter().copied();
                    let table = WarpTable::new(warps.clone(), element_bytes, totals.values().copied());
                    let start = end.next_multiple_of(SCRATCH_ALIGNMENT);
                    end = start + table.bytes;
                    tables.push((table, start));
                }
            }
        }
        tables
    }

    /// Shared memory for all tables.
    fn shared_memory(&self) -> Footprint {
        let bytes = self.tables.last().map_or(0, |(last, start)| start + last.bytes);
        Footprint::of_block("the scan", bytes)
    }

    /// Where the element of each register counts. Padding at the end has no element after it that would take it in.
    fn element_validity(&self) -> Vec<Validity> {
        match self.reverse {
            true => Validity::along(&self.layout, self.axis, self.extent),
            false => vec![Validity::Always; self.layout.num_registers() as usize],
        }
    }

    /// The registers of a row, in the order of the scan.
    fn registers_of_row(&self, start: u32) -> impl Iterator<Item = u32> {
        let row = &self.threads.row;
        (0..1u32 << row.len()).map(move |index| {
            let index = if self.reverse { !index } else { index };
            let bits = row.iter().enumerate().filter(|(i, _)| index >> i & 1 != 0);
            bits.fold(start, |register, (_, bit)| register | bit)
        })
    }
}

impl<'c> UsesSharedMemory<'c> for ScanOp<'c, '_> {
    fn footprint(self, _: Matrices) -> PassResult<'c, Option<Footprint>> {
        let plan = Plan::new(self)?;
        Ok((!plan.tables.is_empty()).then(|| plan.shared_memory()))
    }
}

/// The scan of one operation while it is lowered.
struct Scan<'p, 'c, 'o, 'a> {
    plan: &'p Plan<'c, 'o>,
    /// By the register at the start of a row.
    carries: BTreeMap<u32, Partial<'c, 'a>>,
    /// By the lowest of the starts of a block's rows in the thread.
    totals: BTreeMap<u32, Partial<'c, 'a>>,
    /// Bits of the register that tell rows of one block apart.
    joined: u32,
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    pub(crate) fn scan(
        &mut self,
        emitter: Emitter<'c, 'a>,
        scan: ScanOp<'c, '_>,
        operands: &[Value<'c, 'a>],
    ) -> PassResult<'c> {
        let op = scan.operation();
        let plan = Plan::new(scan)?;
        let within = plan.threads.row.iter().fold(0, |mask, bit| mask | bit);
        let mut state = Scan {
            plan: &plan,
            carries: BTreeMap::new(),
            totals: BTreeMap::new(),
            joined: within,
        };
        let prefixes = self.scan_rows(emitter, op, &mut state, operands)?;
        let mut tables = plan.tables.iter();
        for step in &plan.threads.steps {
            match step {
                ScanStep::Registers { mask } => self.join_registers(emitter, &mut state, *mask)?,
                ScanStep::Lanes { bit } => self.join_lanes(emitter, &mut state, *bit)?,
                ScanStep::Warps(_) => {
                    let table = tables.next().ok_or_else(|| error_at(op, "an exchange has its table"))?;
                    self.join_warps(emitter, op, &mut state, table)?;
                }
            }
        }

        let mut results: BTreeMap<u32, Partial<'c, 'a>> = BTreeMap::new();
        for (register, prefix) in prefixes {
            let carry = state.carries[&(register & !within)].clone();
            results.insert(register, self.join(emitter, &plan.combiner, &carry, &prefix)?);
        }
        let represents = plan.layout.register_representatives();
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

    /// Scans the rows of a thread, each by itself: for each register what stands before it in its row, itself included.
    fn scan_rows(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        state: &mut Scan<'_, 'c, '_, 'a>,
        operands: &[Value<'c, 'a>],
    ) -> PassResult<'c, BTreeMap<u32, Partial<'c, 'a>>> {
        let plan = state.plan;
        let validity = match plan.reverse {
            true => self.validity_along(emitter, op, &plan.layout, plan.axis, plan.extent)?,
            false => vec![Validity::Always; plan.layout.num_registers() as usize],
        };
        let mut prefixes: BTreeMap<u32, Partial<'c, 'a>> = BTreeMap::new();
        for &start in &plan.threads.starts {
            let mut total: Option<Partial<'c, 'a>> = None;
            for register in plan.registers_of_row(start) {
                let values = operands.iter().map(|&vector| extract(emitter, vector, register));
                let element = Partial {
                    values: values.collect(),
                    validity: validity[register as usize],
                };
                let element = self.filled(emitter, &plan.combiner, element);
                let prefix = match &total {
                    None => element,
                    Some(before) => self.join(emitter, &plan.combiner, before, &element)?,
                };
                prefixes.insert(register, prefix.clone());
                total = Some(prefix);
            }
            if let Some(total) = total {
                state.carries.insert(start, total.none());
                state.totals.insert(start, total);
            }
        }
        Ok(prefixes)
    }

    fn join_registers(
        &mut self,
        emitter: Emitter<'c, 'a>,
        state: &mut Scan<'_, 'c, '_, 'a>,
        bit: u32,
    ) -> PassResult<'c> {
        let lower: Vec<u32> = state.totals.keys().copied().filter(|block| block & bit == 0).collect();
        for block in lower {
            let (first, second) = match state.plan.reverse {
                false => (block, block | bit),
                true => (block | bit, block),
            };
            let before = state.totals[&first].clone();
            let total = self.join(emitter, &state.plan.combiner, &before, &state.totals[&second])?;
            for start in state.rows_of(second) {
                let carry = self.join(emitter, &state.plan.combiner, &before, &state.carries[&start])?;
                state.carries.insert(start, carry);
            }
            state.totals.remove(&(block | bit));
            state.totals.insert(block, total);
        }
        state.joined |= bit;
        Ok(())
    }

    fn join_lanes(&mut self, emitter: Emitter<'c, 'a>, state: &mut Scan<'_, 'c, '_, 'a>, bit: u32) -> PassResult<'c> {
        let Some(lower) = self.thread.is_zero_in(emitter, 1 << bit) else {
            return Ok(());
        };
        let yes = Validity::<Value>::Always.value(emitter);
        let upper = emitter.binary(arith::XORI, lower, yes);
        let (is_first, is_second) = if state.plan.reverse {
            (upper, lower)
        } else {
            (lower, upper)
        };
        let (blocks, totals): (Vec<u32>, Vec<_>) = state.totals.clone().into_iter().unzip();
        let others = self.shuffled(emitter, &totals, 1 << bit);
        for ((block, own), other) in blocks.into_iter().zip(&totals).zip(&others) {
            let before = other.clone().only(emitter, is_second);
            let before = self.filled(emitter, &state.plan.combiner, before);
            for start in state.rows_of(block) {
                let carry = self.join(emitter, &state.plan.combiner, &before, &state.carries[&start])?;
                state.carries.insert(start, carry);
            }
            let total = match state.plan.combiner.is_commutative() {
                true => self.join(emitter, &state.plan.combiner, own, other)?,
                false => {
                    let left = Partial::choose(emitter, is_first, own, other);
                    let right = Partial::choose(emitter, is_first, other, own);
                    self.join(emitter, &state.plan.combiner, &left, &right)?
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
        state: &mut Scan<'_, 'c, '_, 'a>,
        (table, start): &(WarpTable, u64),
    ) -> PassResult<'c> {
        let scratch = self.scratch(emitter, op, &state.plan.shared_memory(), *start)?;
        let (blocks, totals): (Vec<u32>, Vec<_>) = state.totals.clone().into_iter().unzip();
        let parts = self.parts_of_warps(emitter, table, scratch, &totals);
        let own = self.thread.gathered(emitter, &table.partials.reduced);
        for (block, mut parts) in blocks.into_iter().zip(parts) {
            let mut numbers: Vec<usize> = (0..parts.len()).collect();
            if state.plan.reverse {
                parts.reverse();
                numbers.reverse();
            }
            // The last one is before none.
            let mut before = totals[0].none();
            for (part, &number) in parts.iter().zip(&numbers).take(parts.len() - 1) {
                let number = emitter.int_like(own.r#type(), number as i64);
                let order = if state.plan.reverse { CmpI::Ult } else { CmpI::Ugt };
                let is_before = emitter.cmpi(order, own, number);
                let part = part.clone().only(emitter, is_before);
                let part = self.filled(emitter, &state.plan.combiner, part);
                before = self.join(emitter, &state.plan.combiner, &before, &part)?;
            }
            for start in state.rows_of(block) {
                let carry = self.join(emitter, &state.plan.combiner, &before, &state.carries[&start])?;
                state.carries.insert(start, carry);
            }
            let total = self.tree(emitter, &state.plan.combiner, parts)?;
            state.totals.insert(block, total);
        }
        Ok(())
    }
}

impl Scan<'_, '_, '_, '_> {
    /// The starts of the rows of a block.
    fn rows_of(&self, block: u32) -> Vec<u32> {
        let in_block = |start: &u32| start & !self.joined == block & !self.joined;
        self.carries.keys().copied().filter(in_block).collect()
    }
}
