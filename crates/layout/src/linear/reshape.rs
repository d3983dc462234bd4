//! Operations that rename, reorder, regroup, drop or resize dimensions of one layout.

use super::{DimBits, DimList, LinearLayout, Result, field, log2_size, place, sized};
use crate::{Dim, LayoutError};
use smallvec::SmallVec;

impl LinearLayout {
    /// The part from inputs `ins` to outputs `outs`, both in this layout's order.
    ///
    /// # Errors
    /// [`NoSuchDim`](LayoutError::NoSuchDim).
    pub fn sublayout(&self, ins: &[&str], outs: &[&str]) -> Result<LinearLayout> {
        for name in ins {
            self.ins.require("input", name)?;
        }
        for name in outs {
            self.outs.require("output", name)?;
        }
        Ok(self.project(
            |name| ins.contains(&name.as_str()),
            |name| outs.contains(&name.as_str()),
        ))
    }

    /// Keeps the dimensions for which the predicates hold.
    pub(super) fn project(&self, keep_in: impl Fn(&Dim) -> bool, keep_out: impl Fn(&Dim) -> bool) -> LinearLayout {
        let filter = |list: &DimList, keep: &dyn Fn(&Dim) -> bool| {
            DimList(list.0.iter().filter(|dim| keep(&dim.name)).cloned().collect())
        };
        let outs = filter(&self.outs, &keep_out);
        let columns = self
            .iter_bases()
            .filter(|(name, ..)| keep_in(name))
            .map(|(_, _, c)| self.repack(c, &outs))
            .collect();
        LinearLayout {
            ins: filter(&self.ins, &keep_in),
            outs,
            columns,
        }
    }

    /// A packed coordinate of this layout in terms of another list of outputs: what that lacks is dropped.
    fn repack(&self, column: u64, outs: &DimList) -> u64 {
        let fields = outs.iter().filter_map(|(name, start, _)| {
            let (_, from, bits) = self.outs.find(name.as_str())?;
            Some(place(field(column, from, bits).into(), start))
        });
        fields.sum()
    }

    /// The same map with its input dimensions in the given order.
    ///
    /// # Errors
    /// The list must be a permutation of the inputs.
    pub fn transpose_ins(&self, order: &[&str]) -> Result<LinearLayout> {
        let ins = permuted(&self.ins, order)?;
        let columns = ins
            .0
            .iter()
            .flat_map(|dim| self.columns_of(dim.name.as_str()))
            .copied()
            .collect();
        Ok(LinearLayout {
            ins,
            outs: self.outs.clone(),
            columns,
        })
    }

    /// The same map with its output dimensions in the given order.
    ///
    /// # Errors
    /// The list must be a permutation of the outputs.
    pub fn transpose_outs(&self, order: &[&str]) -> Result<LinearLayout> {
        let outs = permuted(&self.outs, order)?;
        let columns = self.columns.iter().map(|&column| self.repack(column, &outs)).collect();
        Ok(LinearLayout {
            ins: self.ins.clone(),
            outs,
            columns,
        })
    }

    /// The outputs regrouped, minor to major: the first new dimension takes the lowest bits. For a row-major tensor
    /// see [`reshape_outs_row_major`](Self::reshape_outs_row_major).
    ///
    /// | basis | bits | as (2, 8) |
    /// |---|---|---|
    /// | 1 | 000 1 | (1, 0) |
    /// | 4 | 010 0 | (0, 2) |
    /// | 8 | 100 0 | (0, 4) |
    /// | 3 | 001 1 | (1, 1) |
    ///
    /// ```
    /// use mytriton_layout::LinearLayout;
    /// let l: LinearLayout = "{a = [1, 4, 8], b = [3]}".parse()?;
    /// let pairs = l.reshape_outs(&[("dim0", 2), ("dim1", 8)])?;
    /// assert_eq!(pairs.to_string(), "{a = [[1, 0], [0, 2], [0, 4]], b = [[1, 1]]}");
    /// # Ok::<(), mytriton_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// The number of coordinates must stay the same.
    pub fn reshape_outs(&self, dims: &[(&str, u32)]) -> Result<LinearLayout> {
        let outs = DimList::new("output", sized(dims)?)?;
        same_bits(self.outs.bits(), outs.bits())?;
        Ok(LinearLayout {
            ins: self.ins.clone(),
            outs,
            columns: self.columns.clone(),
        })
    }

    /// The outputs, read as a row-major tensor (last dimension fastest), reshaped to `dim0 .. dimN` of `shape`.
    ///
    /// # Errors
    /// The number of coordinates must stay the same.
    pub fn reshape_outs_row_major(&self, shape: &[u32]) -> Result<LinearLayout> {
        let names: Vec<Dim> = (0..shape.len()).map(Dim::out).collect();
        let reversed: Vec<Dim> = self.outs.0.iter().rev().map(|dim| dim.name.clone()).collect();
        let order: Vec<&str> = reversed.iter().map(Dim::as_str).collect();
        let new: Vec<(&str, u32)> = names.iter().map(Dim::as_str).zip(shape.iter().copied()).rev().collect();
        let back: Vec<&str> = names.iter().map(Dim::as_str).collect();
        self.transpose_outs(&order)?.reshape_outs(&new)?.transpose_outs(&back)
    }

    /// All outputs as one dimension `name`, the first in the lowest bits.
    ///
    /// # Errors
    /// More than 31 bits.
    pub fn flatten_outs(&self, name: impl Into<Dim>) -> Result<LinearLayout> {
        let outs = DimList::new("output", [(name.into(), self.outs.bits())])?;
        Ok(LinearLayout {
            ins: self.ins.clone(),
            outs,
            columns: self.columns.clone(),
        })
    }

    /// A new input of size 1, the most major.
    ///
    /// # Errors
    /// The name must be new.
    pub fn unsqueeze_in(&self, name: impl Into<Dim>) -> Result<LinearLayout> {
        Ok(LinearLayout {
            ins: self.ins.with_unit("input", name.into())?,
            ..self.clone()
        })
    }

    /// A new output of size 1, the most major.
    ///
    /// # Errors
    /// The name must be new.
    pub fn unsqueeze_out(&self, name: impl Into<Dim>) -> Result<LinearLayout> {
        Ok(LinearLayout {
            outs: self.outs.with_unit("output", name.into())?,
            ..self.clone()
        })
    }

    /// Gives the outputs the names `dim0`, `dim1`, ... in their order.
    pub fn rename_outs_standard(&self) -> LinearLayout {
        let dims = self.outs.0.iter().enumerate();
        let outs = DimList(
            dims.map(|(axis, dim)| DimBits {
                name: Dim::out(axis),
                bits: dim.bits,
            })
            .collect(),
        );
        LinearLayout { outs, ..self.clone() }
    }

    /// Drops the zero bases of one input, which shrinks by as many bits; other inputs keep theirs.
    ///
    /// # Errors
    /// The dimension must exist.
    pub fn remove_zero_bases(&self, input: &str) -> Result<LinearLayout> {
        let (position, ..) = self.ins.require("input", input)?;
        let kept = self.columns_of(input).iter().filter(|&&column| column != 0).count();
        let mut ins = self.ins.clone();
        ins.0[position].bits = kept as u32;
        let columns = self
            .iter_bases()
            .filter(|(name, _, c)| **name != *input || *c != 0)
            .map(|(_, _, c)| c)
            .collect();
        Ok(LinearLayout {
            ins,
            outs: self.outs.clone(),
            columns,
        })
    }

    /// An output cut down to `size` by dropping its high bits. Where bases are powers of two, that zeroes the largest
    /// bases first: what owned a coordinate beyond the size now replicates one within. The result is surjective
    /// if this layout is.
    ///
    /// | basis | 8 | 4 | 1 | 2 | 16 |
    /// |---|---|---|---|---|---|
    /// | of 32, shrunk to 8 | 0 | 4 | 1 | 2 | 0 |
    ///
    /// ```
    /// use mytriton_layout::LinearLayout;
    /// let l: LinearLayout = "{register = [8, 4, 1], lane = [2, 16]}".parse()?;
    /// assert_eq!(l.shrink_out("dim0", 8)?.to_string(), "{register = [[0], [4], [1]], lane = [[2], [0]]}");
    /// # Ok::<(), mytriton_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// The dimension must exist and be at least as large.
    pub fn shrink_out(&self, output: &str, size: u32) -> Result<LinearLayout> {
        let (position, _, bits) = self.outs.require("output", output)?;
        let new_bits = log2_size(&self.outs.0[position].name, size)?;
        if new_bits > bits {
            return Err(LayoutError::SizesDiffer {
                dim: output.into(),
                left: 1 << bits,
                right: size,
            });
        }
        let mut outs = self.outs.clone();
        outs.0[position].bits = new_bits;
        let columns = self.columns.iter().map(|&c| outs.pack(&self.outs.unpack(c))).collect();
        Ok(LinearLayout {
            ins: self.ins.clone(),
            outs,
            columns,
        })
    }

    /// An output grown to `size` by repeating the layout in new high bits of the input `repeat_in`.
    ///
    /// # Errors
    /// Both dimensions must exist, and the output be at most as large.
    pub fn grow_out(&self, output: &str, size: u32, repeat_in: &str) -> Result<LinearLayout> {
        self.ins.require("input", repeat_in)?;
        let (position, _, bits) = self.outs.require("output", output)?;
        let new_bits = log2_size(&self.outs.0[position].name, size)?;
        if new_bits < bits {
            return Err(LayoutError::SizesDiffer {
                dim: output.into(),
                left: 1 << bits,
                right: size,
            });
        }
        self.product(&LinearLayout::identity1d(1 << (new_bits - bits), repeat_in, output)?)
    }

    /// Outputs resized to the given sizes, in the order of the list: larger ones shrink
    /// ([`shrink_out`](Self::shrink_out)), smaller ones grow ([`grow_out`](Self::grow_out)) in `repeat_in`.
    ///
    /// # Errors
    /// As those two.
    pub fn resize_outs(&self, sizes: &[(&str, u32)], repeat_in: &str) -> Result<LinearLayout> {
        let mut layout = self.clone();
        for &(name, size) in sizes {
            layout.outs.require("output", name)?;
            layout = if layout.out_size(name) > size {
                layout.shrink_out(name, size)?
            } else {
                layout.grow_out(name, size, repeat_in)?
            };
        }
        Ok(layout)
    }
}

fn same_bits(from: u32, to: u32) -> Result<()> {
    if from == to {
        Ok(())
    } else {
        Err(LayoutError::Reshape { from, to })
    }
}

pub(super) fn differ(left: &DimList, right: &DimList) -> LayoutError {
    let unequal = left
        .iter()
        .zip(right.iter())
        .find(|((a, _, x), (b, _, y))| a == b && x != y);
    match unequal {
        Some(((dim, _, a), (_, _, b))) if left.names() == right.names() => LayoutError::SizesDiffer {
            dim: dim.clone(),
            left: 1 << a,
            right: 1 << b,
        },
        _ => LayoutError::DimsDiffer {
            left: left.names(),
            right: right.names(),
        },
    }
}

fn permuted(list: &DimList, order: &[&str]) -> Result<DimList> {
    let mismatch = || LayoutError::DimsDiffer {
        left: list.names(),
        right: order.iter().map(|&n| n.into()).collect(),
    };
    if order.len() != list.0.len() {
        return Err(mismatch());
    }
    let dims = order
        .iter()
        .map(|name| list.find(name).map(|(i, ..)| list.0[i].clone()));
    let dims: Option<SmallVec<[DimBits; 4]>> = dims.collect();
    let dims = dims.ok_or_else(mismatch)?;
    // Distinct names of the same number as the list: a permutation.
    DimList::new("input", dims.into_iter().map(|dim| (dim.name, dim.bits)))
}

impl DimList {
    /// With another dimension of size 1, the most major.
    fn with_unit(&self, what: &'static str, name: Dim) -> Result<DimList> {
        let own = self.iter().map(|(name, _, bits)| (name.clone(), bits));
        DimList::new(what, own.chain([(name, 0)]))
    }
}
