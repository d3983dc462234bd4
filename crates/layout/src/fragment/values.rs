//! Values of a fragment: what plans do, carried out.

use super::{Ownership, Result};
use crate::{Coords, ReductionPlan};

/// Every thread's values, with who owns what: the meaning of element-wise operations, reductions and broadcasts, on
/// which the lowering of a plan can be checked.
///
/// # A worked table
///
/// Three rows of values in striped turns: thread t and slot e hold element t + 32 e. The maximum along the row is a
/// tree over the thread's slots, then one exchange for each of the lane bits 0 to 4; subtracting it needs no movement,
/// for every thread holds it:
///
/// | | thread 0 | thread 1 | ... | thread 31 |
/// |---|---|---|---|---|
/// | f | 0, 32, 64 | 1, 33, 65 | | 31, 63, 95 |
/// | max over slots | 64 | 65 | | 95 |
/// | max over lanes | 95 | 95 | | 95 |
/// | f - max(f) | -95, -63, -31 | -94, -62, -30 | | -64, -32, 0 |
///
/// ```
/// use mytriton_layout::fragment::{Fragment, Ownership};
/// let f = Fragment::new(Ownership::striped(3)?, |at| at[1] as i32);
/// let max = f.reduce(1, |a, b| *a.max(b))?;
/// assert_eq!(max.slots(0), [95]);
/// let shifted = f.zip(&max, |x, max| x - max)?;
/// assert_eq!((shifted.slots(1), shifted.slots(31)), (&[-94, -62, -30][..], &[-64, -32, 0][..]));
/// # Ok::<(), mytriton_layout::fragment::FragmentError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Fragment<T> {
    ownership: Ownership,
    /// By thread, then slot.
    values: Vec<T>,
}

impl<T: Clone> Fragment<T> {
    /// The fragment of a tile whose element at each coordinate is given; replicas are equal.
    pub fn new(ownership: Ownership, element: impl Fn(&Coords) -> T) -> Self {
        let values = ownership.table.iter().map(element).collect();
        Fragment { ownership, values }
    }

    /// Who owns what.
    pub fn ownership(&self) -> &Ownership {
        &self.ownership
    }

    /// The values of one thread.
    ///
    /// # Panics
    /// Where the thread does not exist.
    pub fn slots(&self, thread: u32) -> &[T] {
        let slots = self.ownership.slots as usize;
        &self.values[thread as usize * slots..][..slots]
    }

    /// One operation on each value, nothing moves.
    pub fn map<U: Clone>(&self, f: impl Fn(&T) -> U) -> Fragment<U> {
        Fragment {
            ownership: self.ownership.clone(),
            values: self.values.iter().map(f).collect(),
        }
    }

    /// One operation on pairs of values of the same thread. The other fragment has the same ownership, or extent 1
    /// along some axes and each thread owns what it needs of it, as it does after a reduction.
    ///
    /// # Errors
    /// [`Unlike`](super::FragmentError::Unlike): a value would have to come from another thread, or another slot in different
    /// threads. That is a conversion, which is never silent.
    pub fn zip<U: Clone, V: Clone>(&self, other: &Fragment<U>, f: impl Fn(&T, &U) -> V) -> Result<Fragment<V>> {
        let sources = self.ownership.slots_of(&other.ownership)?;
        let values = (0..self.ownership.threads).flat_map(|thread| {
            let (mine, theirs) = (self.slots(thread), other.slots(thread));
            let pairs = mine.iter().zip(&sources).map(|(x, &slot)| f(x, &theirs[slot as usize]));
            pairs.collect::<Vec<_>>()
        });
        Ok(Fragment {
            ownership: self.ownership.clone(),
            values: values.collect(),
        })
    }

    /// Combines along an axis as [`ReductionPlan`] says: in each thread a tree over each slot group, then an exchange
    /// for each lane bit, then for each warp bit. Both partners of an exchange combine in the order of their numbers,
    /// so that replicas of the result are the same to the bit, even if `combine` rounds.
    ///
    /// # Errors
    /// As [`ReductionPlan::from_ownership`].
    pub fn reduce(&self, axis: usize, combine: impl Fn(&T, &T) -> T) -> Result<Fragment<T>> {
        let (plan, ownership) = ReductionPlan::from_ownership(&self.ownership, axis)?;
        let groups = plan.slot_groups.len();
        let mut values = Vec::with_capacity(self.ownership.threads as usize * groups);
        for thread in 0..self.ownership.threads {
            let slots = self.slots(thread);
            for group in &plan.slot_groups {
                let held: Vec<T> = group.iter().map(|&slot| slots[slot as usize].clone()).collect();
                values.extend(tree(held, &combine));
            }
        }
        let warp_bits = plan.warp_bits.iter().map(|bit| bit + super::WARP.trailing_zeros());
        for bit in plan.lane_bits.iter().copied().chain(warp_bits) {
            let exchanged = (0..values.len()).map(|at| {
                let (thread, group) = (at / groups, at % groups);
                let partner = (thread ^ 1 << bit) * groups + group;
                combine(&values[at.min(partner)], &values[at.max(partner)])
            });
            values = exchanged.collect();
        }
        Ok(Fragment { ownership, values })
    }

    /// The same values with the tile's axes permuted.
    ///
    /// # Errors
    /// As [`Ownership::permute`].
    pub fn permute(&self, permutation: &[usize]) -> Result<Self> {
        Ok(Fragment {
            ownership: self.ownership.permute(permutation)?,
            values: self.values.clone(),
        })
    }
}

/// Pairs of neighbours, until one is left.
fn tree<T: Clone>(mut values: Vec<T>, combine: &impl Fn(&T, &T) -> T) -> Option<T> {
    while values.len() > 1 {
        values = values
            .chunks(2)
            .map(|pair| match pair {
                [a, b] => combine(a, b),
                rest => rest[0].clone(),
            })
            .collect();
    }
    values.pop()
}
