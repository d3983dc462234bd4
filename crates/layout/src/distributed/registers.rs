//! A thread's registers: replicas among them, and groups that are contiguous in the tile.

use super::DistributedLayout;
use crate::gf2::{Echelon, combine};
use smallvec::SmallVec;

/// Registers that hold consecutive elements, in ascending order of their coordinate.
pub type RegisterGroup = SmallVec<[u32; 16]>;

impl DistributedLayout {
    /// For every register the first one that holds the same element, in every thread alike.
    ///
    /// Loading only the registers that represent themselves, and copying, saves the replicas' memory accesses.
    pub fn register_representatives(&self) -> Vec<u32> {
        let columns = self.register_columns();
        let echelon = Echelon::new(&columns);
        // A pivot bit represents itself; a free bit is a combination of pivot bits. This is again linear.
        let represent: SmallVec<[u64; 8]> = columns.iter().map(|&c| echelon.solve(c).unwrap_or(0)).collect();
        (0..self.num_registers())
            .map(|register| combine(&represent, register.into()) as u32)
            .collect()
    }

    /// The registers that represent themselves: one for each distinct element that a thread holds.
    pub fn unique_registers(&self) -> Vec<u32> {
        let free = self.register_free_mask();
        (0..self.num_registers())
            .filter(|register| register & free == 0)
            .collect()
    }

    /// The greatest width for which [`register_groups`](Self::register_groups) along `axis` exist: the number of
    /// elements that every thread can access as one aligned vector.
    pub fn max_vector_width(&self, axis: usize) -> u32 {
        let bits = self.dim_field(axis).1;
        (0..=bits)
            .rev()
            .map(|bit| 1 << bit)
            .find(|&width| self.group_steps(axis, width).is_some())
            .unwrap_or(1)
    }

    /// All registers in groups of `width` (a power of two) that hold, in every thread, `width` consecutive elements
    /// along `axis`, the first at a multiple of `width`. `None` if the layout does not allow it.
    ///
    /// ```
    /// use mytriton_layout::DistributedLayout;
    /// let l = DistributedLayout::blocked(&[2, 64], &[1, 4], &[1, 8], &[1, 1], &[1, 0])?;
    /// let groups = l.register_groups(1, 4).unwrap();
    /// assert_eq!(groups.len(), 4);
    /// assert_eq!(groups[1][..], [4, 5, 6, 7]);
    /// assert_eq!(l.register_groups(1, 8), None);
    /// # Ok::<(), mytriton_layout::LayoutError>(())
    /// ```
    pub fn register_groups(&self, axis: usize, width: u32) -> Option<Vec<RegisterGroup>> {
        let steps = self.group_steps(axis, width)?;
        let columns = self.register_columns();
        let low = self.low_bits_of(axis, width.trailing_zeros());
        // A register starts a group where the low coordinate bits are 0.
        let starts = (0..self.num_registers()).filter(|&register| combine(&columns, register.into()) & low == 0);
        let group = |start| (0..width).map(|i| start ^ combine(&steps, i.into()) as u32).collect();
        Some(starts.map(group).collect())
    }

    /// For each bit of the position in a group, the registers to flip.
    fn group_steps(&self, axis: usize, width: u32) -> Option<SmallVec<[u64; 8]>> {
        if axis >= self.rank() || !width.is_power_of_two() {
            return None;
        }
        let (start, bits) = self.dim_field(axis);
        let steps = width.trailing_zeros();
        if steps > bits {
            return None;
        }
        let low = self.low_bits_of(axis, steps);
        // Other inputs must leave the position within a group alone, or its order would depend on the thread.
        let registers = self.register_columns();
        let others = &self.columns()[registers.len()..];
        if others.iter().any(|column| column & low != 0) {
            return None;
        }
        let echelon = Echelon::new(&registers);
        (0..steps).map(|bit| echelon.solve(1 << (start + bit))).collect()
    }

    pub(crate) fn columns(&self) -> SmallVec<[u64; 16]> {
        let bits = self.linear().total_in_bits();
        (0..bits).map(|bit| self.linear().apply_flat(1 << bit)).collect()
    }

    /// `register` is the first input, so its columns come first.
    pub(crate) fn register_columns(&self) -> SmallVec<[u64; 16]> {
        let bits = self.linear().in_bits("register");
        (0..bits).map(|bit| self.linear().apply_flat(1 << bit)).collect()
    }
}
