//! Questions about a layout that leave it as it is.

use super::{LinearLayout, Result, field};
use crate::gf2::Echelon;
use crate::{Dim, LayoutError};

impl LinearLayout {
    /// The rank of the bit matrix: the image has `2^rank` coordinates.
    pub fn rank(&self) -> u32 {
        Echelon::new(&self.columns).rank()
    }

    /// Whether every coordinate has an index.
    pub fn is_surjective(&self) -> bool {
        self.rank() == self.outs.bits()
    }

    /// Whether indices and coordinates correspond one to one.
    pub fn is_invertible(&self) -> bool {
        self.ins.bits() == self.outs.bits() && self.is_surjective()
    }

    /// The layout itself if it is surjective.
    ///
    /// # Errors
    /// [`NotSurjective`](LayoutError::NotSurjective), with a coordinate that nothing maps to.
    pub fn require_surjective(self) -> Result<Self> {
        let echelon = Echelon::new(&self.columns);
        let bits = self.outs.bits();
        if echelon.rank() == bits {
            return Ok(self);
        }
        // Some unit vector is outside of a proper subspace, or the unit vectors would span it all.
        let missing = (0..bits).find(|bit| echelon.solve(1 << bit).is_none()).unwrap_or(0);
        let coords = self.outs.unpack(1 << missing);
        let parts: Vec<String> = self
            .outs
            .iter()
            .zip(&coords)
            .map(|((dim, ..), c)| format!("{dim} = {c}"))
            .collect();
        let witness = format!("({})", parts.join(", "));
        Err(LayoutError::NotSurjective {
            rank: echelon.rank(),
            bits,
            witness,
        })
    }

    /// For each input dimension the mask of its *free* bits: those whose basis depends on the bases before it, minor
    /// to major. Flipping a free bit reaches a coordinate that is reached with all free bits 0 too, so the indices
    /// whose free bits are all 0 own every coordinate of the image exactly once.
    ///
    /// | input | bases | dependent | mask |
    /// |---|---|---|---|
    /// | register | 1, 2 | none | 0 |
    /// | lane | 3, 4 | 3 = 1 xor 2 | 0b01 |
    /// | warp | 4 | the same as a lane's | 0b1 |
    ///
    /// ```
    /// use mytriton_layout::LinearLayout;
    /// let l: LinearLayout = "{register = [1, 2], lane = [3, 4], warp = [4]}".parse()?;
    /// let masks: Vec<u32> = l.free_variable_masks().map(|(_, mask)| mask).collect();
    /// assert_eq!(masks, [0, 0b01, 0b1]);
    /// # Ok::<(), mytriton_layout::LayoutError>(())
    /// ```
    pub fn free_variable_masks(&self) -> impl Iterator<Item = (&Dim, u32)> {
        let free = Echelon::new(&self.columns).free();
        self.ins
            .iter()
            .map(move |(name, start, bits)| (name, field(free, start, bits)))
    }

    /// The mask of the free bits of one input dimension, see [`free_variable_masks`](Self::free_variable_masks).
    pub fn free_variable_mask(&self, input: &str) -> u32 {
        self.free_variable_masks()
            .find(|(name, _)| *name == input)
            .map_or(0, |(_, mask)| mask)
    }

    /// Whether the part of the layout from inputs `ins` to outputs `outs` is zero. Dimensions that the layout does
    /// not have contribute nothing.
    pub fn sublayout_is_zero(&self, ins: &[&str], outs: &[&str]) -> bool {
        self.iter_bases()
            .filter(|(name, ..)| ins.contains(&name.as_str()))
            .all(|(_, _, column)| {
                let mut kept = self.outs.iter().filter(|(name, ..)| outs.contains(&name.as_str()));
                kept.all(|(_, start, bits)| field(column, start, bits) == 0)
            })
    }

    /// Whether both layouts are the same map: equal up to the order of dimensions and to dimensions of size 1.
    pub fn is_equivalent(&self, other: &LinearLayout) -> bool {
        let covers = |a: &LinearLayout, b: &LinearLayout| {
            a.ins.iter().all(|(name, _, bits)| b.in_bits(name.as_str()) == bits)
                && a.outs.iter().all(|(name, _, bits)| b.out_bits(name.as_str()) == bits)
        };
        covers(self, other)
            && covers(other, self)
            && self.iter_bases().all(|(name, bit, column)| {
                let theirs = other.columns_of(name.as_str())[bit as usize];
                self.outs
                    .iter()
                    .all(|(out, start, bits)| match other.outs.find(out.as_str()) {
                        Some((_, their_start, _)) => field(column, start, bits) == field(theirs, their_start, bits),
                        None => field(column, start, bits) == 0,
                    })
            })
    }
}
