//! What each thread holds of a tile, and plans carried out on it.

use mytriton_layout::{
    Coords, DistributedLayout, FragmentError, LayoutError, ReductionPlan, ScanPlan, ScanStep, WarpPartials,
    source_registers,
};

/// The values of all threads: for each the values of its registers.
#[derive(Clone, Debug, PartialEq)]
pub struct Values<T> {
    pub layout: DistributedLayout,
    pub threads: Vec<Vec<T>>,
}

fn num_threads(layout: &DistributedLayout) -> u32 {
    layout.num_lanes() * layout.num_warps()
}

/// The element in a register of a thread.
pub fn coords(layout: &DistributedLayout, thread: u32, register: u32) -> Coords {
    layout.coords(register, thread % layout.num_lanes(), thread / layout.num_lanes())
}

impl<T: Clone + PartialEq + std::fmt::Debug> Values<T> {
    /// A tile's values by their coordinates.
    pub fn new(layout: &DistributedLayout, element: impl Fn(&[u32]) -> T) -> Self {
        let of_thread = |thread| {
            let registers = 0..layout.num_registers();
            registers
                .map(|register| element(&coords(layout, thread, register)))
                .collect()
        };
        Values {
            layout: layout.clone(),
            threads: (0..num_threads(layout)).map(of_thread).collect(),
        }
    }

    /// The coordinates and value in each register of each thread.
    pub fn elements(&self) -> impl Iterator<Item = (Coords, &T)> {
        let of_thread = |(thread, values): (usize, &'_ Vec<T>)| {
            let registers = 0..values.len() as u32;
            registers
                .map(move |register| coords(&self.layout, thread as u32, register))
                .collect::<Vec<_>>()
        };
        let all: Vec<Coords> = self.threads.iter().enumerate().flat_map(of_thread).collect();
        all.into_iter().zip(self.threads.iter().flatten())
    }

    /// One operation on pairs, where each thread holds what it needs of the other tile: along axes of extent 1 that is
    /// the only element.
    pub fn zip<U: Clone, V>(&self, other: &Values<U>, f: impl Fn(&T, &U) -> V) -> Result<Values<V>, FragmentError> {
        let extents = other.layout.shape();
        let source = |at: &[u32]| -> Vec<u32> {
            let stretched = at.iter().zip(&extents);
            stretched.map(|(&c, &extent)| if extent == 1 { 0 } else { c }).collect()
        };
        let sources = source_registers(&other.layout, &self.layout, source)?;
        let of_thread = |(mine, theirs): (&Vec<T>, &Vec<U>)| {
            let pairs = mine.iter().zip(&sources);
            pairs.map(|(x, &register)| f(x, &theirs[register as usize])).collect()
        };
        Ok(Values {
            layout: self.layout.clone(),
            threads: self.threads.iter().zip(&other.threads).map(of_thread).collect(),
        })
    }

    /// Combines along an axis, which stays with extent 1: a tree over each slot group, an exchange for each lane bit,
    /// the partial results of warps in order. Both partners of an exchange combine in the order of their numbers.
    pub fn reduce(&self, axis: usize, combine: impl Fn(&T, &T) -> T) -> Result<Self, LayoutError> {
        let (plan, kept) = ReductionPlan::from_layout(&self.layout, axis)?;
        let of_thread = |values: &Vec<T>| {
            let of_group = |group: &Vec<u32>| {
                tree(
                    group.iter().map(|&slot| values[slot as usize].clone()).collect(),
                    &combine,
                )
            };
            plan.slot_groups.iter().map(of_group).collect()
        };
        let mut threads: Vec<Vec<T>> = self.threads.iter().map(of_thread).collect();
        for bit in &plan.lane_bits {
            threads = exchanged(&threads, 1 << bit, |_, low, high| combine(low, high));
        }
        if !plan.warp_bits.is_empty() {
            let warps = WarpPartials::new(&kept, &plan.warp_bits, 0);
            let of_thread = |parts: Vec<Vec<T>>| parts.into_iter().map(|parts| tree(parts, &combine)).collect();
            threads = parts_of_warps(&threads, &warps).into_iter().map(of_thread).collect();
        }
        Ok(Values {
            layout: kept.expand_dims(axis)?,
            threads,
        })
    }

    /// Combines each element with all those before it along the axis.
    pub fn scan(&self, axis: usize, combine: impl Fn(&T, &T) -> T) -> Result<Self, FragmentError> {
        let plan = ScanPlan::new(&self.layout, axis)?;
        let within = plan.row.iter().fold(0, |mask, bit| mask | bit);
        let registers_of = |start: u32| (0..1u32 << plan.row.len()).map(move |index| (index, start));
        let register = |(index, start): (u32, u32)| {
            let bits = plan.row.iter().enumerate().filter(|(i, _)| index >> i & 1 != 0);
            bits.fold(start, |register, (_, bit)| register | bit) as usize
        };
        // Prefixes within rows; what stands before a row; and a row's total, by the row's start.
        let mut prefixes = self.threads.clone();
        let rows = plan.starts.len();
        let mut carries: Vec<Vec<Option<T>>> = vec![vec![None; rows]; prefixes.len()];
        let mut totals: Vec<Vec<T>> = Vec::new();
        for values in &mut prefixes {
            let of_row = |&start: &u32| {
                let row: Vec<usize> = registers_of(start).map(register).collect();
                for pair in row.windows(2) {
                    values[pair[1]] = combine(&values[pair[0]], &values[pair[1]]);
                }
                values[row[row.len() - 1]].clone()
            };
            totals.push(plan.starts.iter().map(of_row).collect());
        }
        let before =
            |carry: &Option<T>, first: &T| Some(carry.as_ref().map_or(first.clone(), |carry| combine(first, carry)));
        for step in &plan.steps {
            match step {
                ScanStep::Registers { mask } => {
                    let partner = |row: usize| {
                        let other = plan.starts.iter().position(|&start| start == plan.starts[row] ^ mask);
                        other.expect("the other segment's row is in the thread")
                    };
                    for (totals, carries) in totals.iter_mut().zip(&mut carries) {
                        let old = totals.clone();
                        for row in 0..rows {
                            if plan.starts[row] & mask == 0 {
                                totals[row] = combine(&old[row], &old[partner(row)]);
                            } else {
                                carries[row] = before(&carries[row], &old[partner(row)]);
                                totals[row] = combine(&old[partner(row)], &old[row]);
                            }
                        }
                    }
                }
                ScanStep::Lanes { bit } => {
                    for (thread, carries) in carries.iter_mut().enumerate() {
                        let partner = thread ^ 1 << bit;
                        for (row, carry) in carries.iter_mut().enumerate().filter(|_| thread > partner) {
                            *carry = before(carry, &totals[partner][row]);
                        }
                    }
                    totals = exchanged(&totals, 1 << bit, |_, low, high| combine(low, high));
                }
                ScanStep::Warps(warps) => {
                    let parts = parts_of_warps(&totals, warps);
                    for (thread, parts) in parts.into_iter().enumerate() {
                        let own = gathered(thread as u32, &warps.reduced) as usize;
                        for (row, parts) in parts.into_iter().enumerate() {
                            for part in parts[..own].iter().rev() {
                                carries[thread][row] = before(&carries[thread][row], part);
                            }
                            totals[thread][row] = tree(parts, &combine);
                        }
                    }
                }
            }
        }
        let represents = self.layout.register_representatives();
        let of_thread = |(values, carries): (&Vec<T>, &Vec<Option<T>>)| {
            let of_register = |&register: &u32| {
                let row = plan.starts.iter().position(|&start| start == register & !within);
                let value = &values[register as usize];
                carries[row.expect("a register is in a row")]
                    .as_ref()
                    .map_or(value.clone(), |carry| combine(carry, value))
            };
            represents.iter().map(of_register).collect()
        };
        Ok(Values {
            layout: self.layout.clone(),
            threads: prefixes.iter().zip(&carries).map(of_thread).collect(),
        })
    }
}

/// Each value combined with that of the thread whose number differs in the mask, the lower thread's first.
fn exchanged<T>(threads: &[Vec<T>], mask: usize, f: impl Fn(usize, &T, &T) -> T) -> Vec<Vec<T>> {
    let of_thread = |thread: usize| {
        let (low, high) = (thread & !mask, thread | mask);
        let pairs = threads[low].iter().zip(&threads[high]);
        pairs.map(|(low, high)| f(thread, low, high)).collect()
    };
    (0..threads.len()).map(of_thread).collect()
}

/// The number made of these bits of a thread's, the first one lowest.
fn gathered(thread: u32, bits: &[u32]) -> u32 {
    bits.iter()
        .zip(0..)
        .fold(0, |number, (bit, at)| number | (thread >> bit & 1) << at)
}

/// For each thread and each of its partial results the parts of all warps, through a table that the threads without
/// copies write.
fn parts_of_warps<T: Clone + PartialEq + std::fmt::Debug>(
    threads: &[Vec<T>],
    warps: &WarpPartials,
) -> Vec<Vec<Vec<T>>> {
    let distinct = 1usize << warps.distinct.len();
    let mut table: Vec<Option<&Vec<T>>> = vec![None; warps.num_parts() as usize * distinct];
    let place = |thread: u32, part: usize| part * distinct + gathered(thread, &warps.distinct) as usize;
    for (values, thread) in threads
        .iter()
        .zip(0u32..)
        .filter(|(_, thread)| thread & warps.copies == 0)
    {
        let own = &mut table[place(thread, gathered(thread, &warps.reduced) as usize)];
        assert!(own.is_none(), "thread {thread} overwrites another's part");
        *own = Some(values);
    }
    // What is not written by its thread is written by another.
    for (values, thread) in threads.iter().zip(0u32..) {
        let written = |part| table[place(thread, part)] == Some(values);
        assert!((0..warps.num_parts() as usize).any(written), "thread {thread}");
    }
    let of_thread = |thread: u32| {
        let parts: Vec<&Vec<T>> = (0..warps.num_parts() as usize)
            .map(|part| table[place(thread, part)].expect("written"))
            .collect();
        (0..threads[0].len())
            .map(|group| parts.iter().map(|part| part[group].clone()).collect())
            .collect()
    };
    (0..threads.len() as u32).map(of_thread).collect()
}

/// Pairs of neighbours, until one is left.
fn tree<T: Clone>(mut values: Vec<T>, combine: &impl Fn(&T, &T) -> T) -> T {
    while values.len() > 1 {
        let joined = values.chunks(2).map(|pair| match pair {
            [a, b] => combine(a, b),
            rest => rest[0].clone(),
        });
        values = joined.collect();
    }
    values.remove(0)
}
