//! The layout type: its representation, constructors, accessors and evaluation.

mod algebra;
mod query;
mod reshape;
mod text;

use crate::gf2::{combine, low_mask};
use crate::{Dim, LayoutError};
use smallvec::SmallVec;
use std::fmt;

/// Coordinates, one per output dimension (or indices, one per input dimension).
pub type Coords = SmallVec<[u32; 4]>;

type Result<T, E = LayoutError> = std::result::Result<T, E>;

/// The number of bits that one dimension may have.
pub(crate) const MAX_DIM_BITS: u32 = 31;

/// A GF(2)-linear map from named input dimensions to named output dimensions.
///
/// Every size is a power of two, so an index is a string of bits; input bit i of a dimension has a *basis*, the
/// coordinate that it alone maps to, and an index maps to the xor of the bases of its set bits:
/// `L(a ^ b) = L(a) ^ L(b)` and `L(0) = 0`.
///
/// The order of dimensions is part of the value, minor to major: it decides how they are flattened and reshaped.
///
/// # A worked table
///
/// `lane = [[1, 1], [2, 2]], warp = [[0, 1], [0, 2]]` maps (lane, warp) to (lane, lane ^ warp), a 4x4 swizzle.
/// Each cell is the coordinate; every row and every column of the table meets every `dim1` once:
///
/// | lane | warp 0 | warp 1 | warp 2 | warp 3 |
/// |---|---|---|---|---|
/// | 0 | (0,0) | (0,1) | (0,2) | (0,3) |
/// | 1 | (1,1) | (1,0) | (1,3) | (1,2) |
/// | 2 | (2,2) | (2,3) | (2,0) | (2,1) |
/// | 3 | (3,3) | (3,2) | (3,1) | (3,0) |
///
/// ```
/// use mytriton_layout::LinearLayout;
/// let l: LinearLayout = "{lane = [[1, 1], [2, 2]], warp = [[0, 1], [0, 2]]}".parse()?;
/// // lane 3 = 1 ^ 2: (1,1) ^ (2,2) = (3,3); warp 2: (0,2). Together (3,1).
/// assert_eq!(l.apply(&[("lane", 3), ("warp", 2)])?[..], [3, 1]);
/// assert!(l.is_invertible());
/// # Ok::<(), mytriton_layout::LayoutError>(())
/// ```
///
/// # Representation
///
/// A coordinate is packed into one word, the first output dimension in its lowest bits, so the whole map is one word
/// per input bit: the columns of its bit matrix. Flattening and reshaping relabel the words and never touch them.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct LinearLayout {
    ins: DimList,
    outs: DimList,
    /// One packed coordinate per input bit, in order of `ins`.
    columns: SmallVec<[u64; 16]>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct DimBits {
    name: Dim,
    bits: u32,
}

/// Named dimensions, minor to major, with their numbers of bits.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct DimList(SmallVec<[DimBits; 4]>);

impl DimList {
    fn new(what: &'static str, dims: impl IntoIterator<Item = (Dim, u32)>) -> Result<Self> {
        let mut list = DimList::default();
        let (mut total, mut widest) = (0, 0);
        for (name, bits) in dims {
            if list.find(name.as_str()).is_some() {
                return Err(LayoutError::DuplicateDim { dim: name });
            }
            total += bits;
            widest = widest.max(bits);
            list.0.push(DimBits { name, bits });
        }
        if total > 64 || widest > MAX_DIM_BITS {
            return Err(LayoutError::TooManyBits { what, bits: total });
        }
        Ok(list)
    }

    /// (position, first bit, number of bits) of a dimension.
    fn find(&self, name: &str) -> Option<(usize, u32, u32)> {
        let mut start = 0;
        for (i, dim) in self.0.iter().enumerate() {
            if dim.name.as_str() == name {
                return Some((i, start, dim.bits));
            }
            start += dim.bits;
        }
        None
    }

    fn require(&self, what: &'static str, name: &str) -> Result<(usize, u32, u32)> {
        self.find(name).ok_or_else(|| LayoutError::NoSuchDim {
            what,
            dim: name.into(),
            have: self.names(),
        })
    }

    /// (name, first bit, number of bits) of each dimension.
    fn iter(&self) -> impl Iterator<Item = (&Dim, u32, u32)> + Clone {
        self.0.iter().scan(0, |start, dim| {
            let first = *start;
            *start += dim.bits;
            Some((&dim.name, first, dim.bits))
        })
    }

    fn bits(&self) -> u32 {
        self.0.iter().map(|dim| dim.bits).sum()
    }

    fn names(&self) -> Vec<Dim> {
        self.0.iter().map(|dim| dim.name.clone()).collect()
    }

    fn same_set(&self, other: &DimList) -> bool {
        self.0.len() == other.0.len() && self.0.iter().all(|dim| other.find(dim.name.as_str()).is_some())
    }

    /// One packed word from coordinates given in order; bits beyond a dimension's size are dropped.
    fn pack(&self, coords: &[u32]) -> u64 {
        let fields = self.iter().zip(coords);
        fields
            .map(|((_, start, bits), &c)| place(u64::from(c) & low_mask(bits), start))
            .sum()
    }

    fn unpack(&self, word: u64) -> Coords {
        self.iter().map(|(_, start, bits)| field(word, start, bits)).collect()
    }
}

/// The coordinate in bits `start..start + bits` of a packed word.
fn field(word: u64, start: u32, bits: u32) -> u32 {
    if bits == 0 {
        0
    } else {
        ((word >> start) & low_mask(bits)) as u32
    }
}

/// `coordinate` moved to bit `start`; a dimension of no bits may stand at bit 64.
fn place(coordinate: u64, start: u32) -> u64 {
    if coordinate == 0 { 0 } else { coordinate << start }
}

/// The base-2 logarithm of a size.
pub(crate) fn log2_size(dim: &Dim, size: u32) -> Result<u32> {
    if size.is_power_of_two() && size.trailing_zeros() <= MAX_DIM_BITS {
        return Ok(size.trailing_zeros());
    }
    Err(LayoutError::NotPowerOfTwo {
        dim: dim.clone(),
        size: size.into(),
    })
}

fn sized(dims: &[(&str, u32)]) -> Result<SmallVec<[(Dim, u32); 4]>> {
    dims.iter()
        .map(|&(name, size)| {
            let dim = Dim::from(name);
            let bits = log2_size(&dim, size)?;
            Ok((dim, bits))
        })
        .collect()
}

impl LinearLayout {
    /// The layout of nothing: no inputs, no outputs. It is the identity element of [`product`](Self::product).
    pub fn empty() -> Self {
        LinearLayout {
            ins: DimList::default(),
            outs: DimList::default(),
            columns: SmallVec::new(),
        }
    }

    /// `size` inputs to as many outputs, each to itself.
    pub fn identity1d(size: u32, input: impl Into<Dim>, output: impl Into<Dim>) -> Result<Self> {
        Self::strided1d(size, 1, input, output)
    }

    /// `size` inputs, `i` to `stride * i`; the output has size `stride * size`.
    pub fn strided1d(size: u32, stride: u32, input: impl Into<Dim>, output: impl Into<Dim>) -> Result<Self> {
        let (input, output) = (input.into(), output.into());
        let (bits, shift) = (log2_size(&input, size)?, log2_size(&output, stride)?);
        let outs = if size == 1 { 0 } else { bits + shift };
        let columns = (0..bits).map(|bit| 1 << (bit + shift)).collect();
        Ok(LinearLayout {
            ins: DimList::new("input", [(input, bits)])?,
            outs: DimList::new("output", [(output, outs)])?,
            columns,
        })
    }

    /// `size` inputs that all map to 0 of an output of `out_size`: a broadcast.
    pub fn zeros1d(size: u32, input: impl Into<Dim>, output: impl Into<Dim>, out_size: u32) -> Result<Self> {
        let (input, output) = (input.into(), output.into());
        let (bits, out_bits) = (log2_size(&input, size)?, log2_size(&output, out_size)?);
        Ok(LinearLayout {
            ins: DimList::new("input", [(input, bits)])?,
            outs: DimList::new("output", [(output, out_bits)])?,
            columns: SmallVec::from_elem(0, bits as usize),
        })
    }

    /// A layout from its bases, `(input, bases)` with one coordinate per output, and output sizes.
    ///
    /// # Errors
    /// [`BasisRank`](LayoutError::BasisRank), [`BasisRange`](LayoutError::BasisRange) name the basis at fault;
    /// sizes must be powers of two and names distinct. Surjectivity is asked for separately, with
    /// [`require_surjective`](Self::require_surjective).
    ///
    /// ```
    /// use mytriton_layout::LinearLayout;
    /// let bad = LinearLayout::from_bases([("lane", [[0, 1], [0, 64]])], &[("dim0", 1), ("dim1", 32)]);
    /// assert_eq!(bad.unwrap_err().to_string(), "basis lane[1] = [0, 64]: coordinate 1 is outside of 0..32");
    /// ```
    pub fn from_bases<D, B, V>(ins: impl IntoIterator<Item = (D, B)>, outs: &[(&str, u32)]) -> Result<Self>
    where
        D: Into<Dim>,
        B: IntoIterator<Item = V>,
        V: AsRef<[u32]>,
    {
        let outs = DimList::new("output", sized(outs)?)?;
        let mut columns = SmallVec::new();
        let mut dims: SmallVec<[(Dim, u32); 4]> = SmallVec::new();
        for (name, bases) in ins {
            let (name, before) = (name.into(), columns.len());
            for (index, basis) in bases.into_iter().enumerate() {
                columns.push(Self::checked_basis(&name, index, basis.as_ref(), &outs)?);
            }
            dims.push((name, (columns.len() - before) as u32));
        }
        Ok(LinearLayout {
            ins: DimList::new("input", dims)?,
            outs,
            columns,
        })
    }

    /// As [`from_bases`](Self::from_bases), each output just large enough for the coordinates that occur.
    pub fn infer_from_bases<D, B, V>(ins: impl IntoIterator<Item = (D, B)>, outs: &[&str]) -> Result<Self>
    where
        D: Into<Dim>,
        B: IntoIterator<Item = V>,
        V: AsRef<[u32]>,
    {
        let ins: Vec<(D, Vec<V>)> = ins.into_iter().map(|(d, b)| (d, b.into_iter().collect())).collect();
        let mut sizes = vec![1u32; outs.len()];
        for basis in ins.iter().flat_map(|(_, bases)| bases) {
            for (size, &c) in sizes.iter_mut().zip(basis.as_ref()) {
                // A coordinate of 2^31 or more stays out of range, and is reported as such.
                *size = (*size).max(1 << (u32::BITS - c.leading_zeros()).min(MAX_DIM_BITS));
            }
        }
        let sized: Vec<(&str, u32)> = outs.iter().copied().zip(sizes).collect();
        Self::from_bases(ins, &sized)
    }

    fn checked_basis(input: &Dim, index: usize, basis: &[u32], outs: &DimList) -> Result<u64> {
        if basis.len() != outs.0.len() {
            let (input, basis, expected) = (input.clone(), basis.to_vec(), outs.0.len());
            return Err(LayoutError::BasisRank {
                input,
                index,
                basis,
                expected,
            });
        }
        for (axis, (&c, dim)) in basis.iter().zip(&outs.0).enumerate() {
            if u64::from(c) > low_mask(dim.bits) {
                let (input, basis, size) = (input.clone(), basis.to_vec(), 1 << dim.bits);
                return Err(LayoutError::BasisRange {
                    input,
                    index,
                    basis,
                    axis,
                    size,
                });
            }
        }
        Ok(outs.pack(basis))
    }

    /// The input dimensions and their sizes, minor to major.
    pub fn ins(&self) -> impl Iterator<Item = (&Dim, u32)> {
        self.ins.iter().map(|(name, _, bits)| (name, 1 << bits))
    }

    /// The output dimensions and their sizes, minor to major.
    pub fn outs(&self) -> impl Iterator<Item = (&Dim, u32)> {
        self.outs.iter().map(|(name, _, bits)| (name, 1 << bits))
    }

    /// Size of an input dimension; 1 where the layout does not have it.
    pub fn in_size(&self, name: &str) -> u32 {
        1 << self.in_bits(name)
    }

    /// Size of an output dimension; 1 where the layout does not have it.
    pub fn out_size(&self, name: &str) -> u32 {
        1 << self.out_bits(name)
    }

    /// Base-2 logarithm of [`in_size`](Self::in_size).
    pub fn in_bits(&self, name: &str) -> u32 {
        self.ins.find(name).map_or(0, |(_, _, bits)| bits)
    }

    /// Base-2 logarithm of [`out_size`](Self::out_size).
    pub fn out_bits(&self, name: &str) -> u32 {
        self.outs.find(name).map_or(0, |(_, _, bits)| bits)
    }

    /// Number of input bits of all dimensions.
    pub fn total_in_bits(&self) -> u32 {
        self.ins.bits()
    }

    /// Number of output bits of all dimensions.
    pub fn total_out_bits(&self) -> u32 {
        self.outs.bits()
    }

    /// The output sizes, in order.
    pub fn out_shape(&self) -> Coords {
        self.outs().map(|(_, size)| size).collect()
    }

    /// The bases of an input dimension, bit 0 first; none where the layout does not have the dimension.
    pub fn bases(&self, input: &str) -> impl Iterator<Item = Coords> + '_ {
        self.columns_of(input).iter().map(|&column| self.outs.unpack(column))
    }

    /// The basis of bit `bit` of an input dimension, or `None` where there is no such bit.
    pub fn basis(&self, input: &str, bit: u32) -> Option<Coords> {
        self.columns_of(input)
            .get(bit as usize)
            .map(|&column| self.outs.unpack(column))
    }

    /// The coordinate of the index with the given parts; dimensions not named are 0.
    ///
    /// # Errors
    /// A dimension that does not exist, or an index not below its size.
    pub fn apply(&self, index: &[(&str, u32)]) -> Result<Coords> {
        let mut word = 0;
        for &(name, value) in index {
            let (_, start, bits) = self.ins.require("input", name)?;
            if u64::from(value) > low_mask(bits) {
                return Err(LayoutError::IndexRange {
                    dim: name.into(),
                    value,
                    size: 1 << bits,
                });
            }
            word |= place(value.into(), start);
        }
        Ok(self.outs.unpack(combine(&self.columns, word)))
    }

    /// The coordinate of the index with parts in order of [`ins`](Self::ins). Parts beyond those given are 0, and bits
    /// beyond a dimension's size are ignored: for inner loops where sizes are known.
    pub fn apply_in_order(&self, index: &[u32]) -> Coords {
        self.outs.unpack(combine(&self.columns, self.ins.pack(index)))
    }

    /// The flattened coordinate of a flattened index: bits of the first dimensions are the lowest.
    pub fn apply_flat(&self, index: u64) -> u64 {
        combine(&self.columns, index)
    }

    /// Splits a flattened index into one per input dimension.
    pub fn unflatten_in(&self, index: u64) -> Coords {
        self.ins.unpack(index)
    }

    /// Splits a flattened coordinate into one per output dimension.
    pub fn unflatten_out(&self, coordinate: u64) -> Coords {
        self.outs.unpack(coordinate)
    }

    fn columns_of(&self, input: &str) -> &[u64] {
        match self.ins.find(input) {
            Some((_, start, bits)) => &self.columns[start as usize..(start + bits) as usize],
            None => &[],
        }
    }

    /// (input, its bit, packed coordinate) of every basis.
    fn iter_bases(&self) -> impl Iterator<Item = (&Dim, u32, u64)> {
        self.ins.iter().flat_map(move |(name, start, bits)| {
            (0..bits).map(move |bit| (name, bit, self.columns[(start + bit) as usize]))
        })
    }
}

impl fmt::Debug for LinearLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
