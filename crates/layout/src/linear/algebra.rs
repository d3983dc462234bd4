//! Operations that combine layouts.

use super::{DimList, LinearLayout, Result, field, place};
use crate::gf2::{Echelon, combine, low_mask};
use crate::{Dim, LayoutError};
use smallvec::SmallVec;

impl LinearLayout {
    /// `outer` after `self`: the outputs of `self` are the inputs of `outer`, in any order. Each basis is mapped on:
    ///
    /// | basis of | coordinate (a, b) | xor of bases of `outer` | result |
    /// |---|---|---|---|
    /// | in 1 | (1, 1) | 2 xor 1 | 3 |
    /// | in 2 | (0, 1) | 1 | 1 |
    ///
    /// ```
    /// use mytriton_layout::LinearLayout;
    /// let inner: LinearLayout = "{in = [[1, 1], [0, 1]]} -> {a = 2, b = 2}".parse()?;
    /// let outer: LinearLayout = "{a = [[2]], b = [[1]]} -> {x = 4}".parse()?;
    /// assert_eq!(inner.compose(&outer)?.to_string(), "{in = [[3], [1]]} -> {x = 4}");
    /// # Ok::<(), mytriton_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// The names must be the same, and no output of `self` larger than the input of `outer` it feeds.
    pub fn compose(&self, outer: &LinearLayout) -> Result<LinearLayout> {
        let through = outer.columns_by_out_of(self)?;
        Ok(LinearLayout {
            ins: self.ins.clone(),
            outs: outer.outs.clone(),
            columns: self.columns.iter().map(|&column| combine(&through, column)).collect(),
        })
    }

    /// For each packed output bit of `inner`, the column of `self` that it selects.
    fn columns_by_out_of(&self, inner: &LinearLayout) -> Result<SmallVec<[u64; 16]>> {
        if !inner.outs.same_set(&self.ins) {
            return Err(LayoutError::DimsDiffer {
                left: inner.outs.names(),
                right: self.ins.names(),
            });
        }
        let mut through = SmallVec::new();
        for (name, _, bits) in inner.outs.iter() {
            let columns = self.columns_of(name.as_str());
            let Some(used) = columns.get(..bits as usize) else {
                let (left, right) = (1 << bits, 1 << columns.len());
                return Err(LayoutError::SizesDiffer {
                    dim: name.clone(),
                    left,
                    right,
                });
            };
            through.extend_from_slice(used);
        }
        Ok(through)
    }

    /// The direct sum of two layouts, *not* their composition: `self` is the inner, `outer` the major part.
    /// An input or output that both have is concatenated bitwise, `self` in the low bits.
    ///
    /// | factor | bases | in the product |
    /// |---|---|---|
    /// | `self` | register 1, lane 2 | register 1, lane 2 |
    /// | `outer` | lane 1, warp 2 | lane 4, warp 8: after the two bits of `self` |
    ///
    /// ```
    /// use mytriton_layout::LinearLayout;
    /// let inner: LinearLayout = "{register = [1], lane = [2]}".parse()?;
    /// let outer: LinearLayout = "{lane = [1], warp = [2]}".parse()?;
    /// let both = inner.product(&outer)?;
    /// assert_eq!(both.to_string(), "{register = [[1]], lane = [[2], [4]], warp = [[8]]}");
    /// # Ok::<(), mytriton_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// [`TooManyBits`](LayoutError::TooManyBits).
    pub fn product(&self, outer: &LinearLayout) -> Result<LinearLayout> {
        let ins = DimList::new("input", merged(&self.ins, &outer.ins))?;
        let outs = DimList::new("output", merged(&self.outs, &outer.outs))?;
        let mut columns = SmallVec::new();
        for (name, ..) in ins.iter() {
            columns.extend(self.columns_of(name.as_str()).iter().map(|&column| {
                let parts = self
                    .outs
                    .iter()
                    .map(|(out, start, bits)| (out, field(column, start, bits), 0));
                relocate(&outs, parts)
            }));
            columns.extend(outer.columns_of(name.as_str()).iter().map(|&column| {
                let parts = outer.outs.iter();
                relocate(
                    &outs,
                    parts.map(|(out, s, b)| (out, field(column, s, b), self.out_bits(out.as_str()))),
                )
            }));
        }
        Ok(LinearLayout { ins, outs, columns })
    }

    /// A right inverse of a surjective layout: of the indices that map to a coordinate, the one whose
    /// [free bits](Self::free_variable_masks) are 0. For a distributed layout it says who owns an element, first.
    ///
    /// | x | lanes that map there | the one chosen |
    /// |---|---|---|
    /// | 0 | 0, 2 | 0 |
    /// | 1 | 1, 3 | 1 |
    ///
    /// ```
    /// use mytriton_layout::LinearLayout;
    /// let l: LinearLayout = "{lane = [1, 0]}".parse()?;
    /// assert_eq!(l.pseudo_invert()?.to_string(), "{dim0 = [[1]]} -> {lane = 4}");
    /// # Ok::<(), mytriton_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// [`NotInvertible`](LayoutError::NotInvertible) unless the layout is surjective.
    pub fn pseudo_invert(&self) -> Result<LinearLayout> {
        let echelon = Echelon::new(&self.columns);
        if echelon.rank() != self.outs.bits() {
            let (ins, outs, rank) = (self.ins.bits(), self.outs.bits(), echelon.rank());
            return Err(LayoutError::NotInvertible { ins, outs, rank });
        }
        self.solve_units(&echelon)
    }

    fn solve_units(&self, echelon: &Echelon) -> Result<LinearLayout> {
        // The caller has checked that the unit vectors are in the image.
        let columns = (0..self.outs.bits())
            .filter_map(|bit| echelon.solve(1 << bit))
            .collect();
        Ok(LinearLayout {
            ins: self.outs.clone(),
            outs: self.ins.clone(),
            columns,
        })
    }

    /// `outer^-1` after `self`, for two layouts of the same outputs: the map `c` with `c.compose(outer) == self`.
    ///
    /// With `self` from hardware to tensor and `outer` from shared-memory offsets to tensor it says where each
    /// thread's element lies. Where `outer` replicates, its free bits are chosen 0.
    ///
    /// | register bit | coordinate | offset bits that reach it | result |
    /// |---|---|---|---|
    /// | 1 | 2 | 1 | 2 |
    /// | 2 | 1 | 2 | 4 |
    /// | 4 | 4 | 3 | 8 |
    ///
    /// ```
    /// use mytriton_layout::LinearLayout;
    /// let registers: LinearLayout = "{register = [2, 1, 4]}".parse()?;
    /// let shared: LinearLayout = "{offset = [0, 2, 1, 4]}".parse()?;
    /// let offsets = registers.invert_and_compose(&shared)?;
    /// assert_eq!(offsets.to_string(), "{register = [[2], [4], [8]]} -> {offset = 16}");
    /// assert_eq!(offsets.compose(&shared)?, registers);
    /// # Ok::<(), mytriton_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// [`NotInImage`](LayoutError::NotInImage) names a basis of `self` that `outer` does not reach; the output names
    /// must agree.
    pub fn invert_and_compose(&self, outer: &LinearLayout) -> Result<LinearLayout> {
        if !self.outs.same_set(&outer.outs) {
            return Err(LayoutError::DimsDiffer {
                left: self.outs.names(),
                right: outer.outs.names(),
            });
        }
        let echelon = Echelon::new(&outer.columns);
        let mut columns = SmallVec::new();
        for (name, bit, column) in self.iter_bases() {
            let coords = self.outs.iter().map(|(out, s, b)| (out, field(column, s, b), 0));
            let fits = coords
                .clone()
                .all(|(out, c, _)| u64::from(c) <= low_mask(outer.out_bits(out.as_str())));
            let solution = if fits {
                echelon.solve(relocate(&outer.outs, coords))
            } else {
                None
            };
            columns.push(solution.ok_or_else(|| LayoutError::NotInImage {
                input: name.clone(),
                index: bit as usize,
                basis: self.outs.unpack(column).to_vec(),
            })?);
        }
        Ok(LinearLayout {
            ins: self.ins.clone(),
            outs: outer.ins.clone(),
            columns,
        })
    }
}

/// The dimensions of both lists with their bits added up, in an order that keeps both lists' orders where they agree.
fn merged(first: &DimList, second: &DimList) -> SmallVec<[(Dim, u32); 4]> {
    let mut dims: SmallVec<[(Dim, u32); 4]> = SmallVec::new();
    let mut pending = second.iter().peekable();
    for (name, _, bits) in first.iter() {
        let their_bits = second.find(name.as_str()).map(|(_, _, bits)| bits);
        // What stands before a common name in the second list comes before it here too.
        while their_bits.is_some() && pending.peek().is_some_and(|(other, ..)| *other != name) {
            let Some((other, _, other_bits)) = pending.next() else {
                break;
            };
            if first.find(other.as_str()).is_none() {
                dims.push((other.clone(), other_bits));
            }
        }
        if their_bits.is_some() {
            pending.next();
        }
        dims.push((name.clone(), bits + their_bits.unwrap_or(0)));
    }
    dims.extend(
        pending
            .filter(|(name, ..)| first.find(name.as_str()).is_none())
            .map(|(n, _, bits)| (n.clone(), bits)),
    );
    dims
}

/// Packs (output, coordinate, shift within the output) for another list of outputs.
fn relocate<'a>(outs: &DimList, parts: impl Iterator<Item = (&'a Dim, u32, u32)>) -> u64 {
    let fields = parts.filter_map(|(out, coordinate, shift)| {
        let (_, start, _) = outs.find(out.as_str())?;
        Some(place(u64::from(coordinate) << shift, start))
    });
    fields.sum()
}
