//! Layouts of tiles over the threads of a block: which register of which lane of which warp holds an element.

mod blocked;
mod mma;
mod registers;

pub use registers::RegisterGroup;

use crate::gf2::low_mask;
use crate::{Coords, Dim, LayoutError, LinearLayout};
use std::fmt;
use std::str::FromStr;

type Result<T, E = LayoutError> = std::result::Result<T, E>;

/// A linear layout from (`register`, `lane`, `warp`, `block`), in this order, onto a tile `dim0 .. dimN`.
///
/// Every element has an owner (the map is surjective); several owners mean that the element is replicated. The sizes
/// are powers of two: of a tile with other extents this is the padding, and what lies beyond the extents is dead.
///
/// # A worked table
///
/// `blocked` on 8 columns with 2 elements per thread, 4 lanes and 2 warps is larger than the tile, so the second warp
/// replicates the first:
///
/// | lane | 0 | 1 | 2 | 3 |
/// |---|---|---|---|---|
/// | warp 0: registers 0, 1 | 0, 1 | 2, 3 | 4, 5 | 6, 7 |
/// | warp 1: registers 0, 1 | 0, 1 | 2, 3 | 4, 5 | 6, 7 |
///
/// ```
/// use mytriton_layout::DistributedLayout;
/// let l = DistributedLayout::blocked(&[8], &[2], &[4], &[2], &[0])?;
/// assert_eq!(l.to_string(), "{register = [[1]], lane = [[2], [4]], warp = [[0]], block = []}");
/// for (warp, lane, register) in (0..16).map(|i| (i / 8, i / 2 % 4, i % 2)) {
///     assert_eq!(l.coords(register, lane, warp)[..], [2 * lane + register]);
/// }
/// assert_eq!(l.warp_free_mask(), 1, "only warp 0 has to store");
/// # Ok::<(), mytriton_layout::LayoutError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct DistributedLayout(LinearLayout);

const INS: [Dim; 4] = [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK];

impl DistributedLayout {
    /// Checks a linear layout: inputs among the four (those missing get size 1), outputs `dim0 .. dimN` in order,
    /// surjective.
    ///
    /// # Errors
    /// Other dimensions, or a coordinate without an owner.
    pub fn new(linear: LinearLayout) -> Result<Self> {
        let wanted = || INS.to_vec();
        let have: Vec<Dim> = linear.ins().map(|(dim, _)| dim.clone()).collect();
        if have.iter().any(|dim| !INS.contains(dim)) {
            return Err(LayoutError::DimsDiffer {
                left: have,
                right: wanted(),
            });
        }
        let outs: Vec<Dim> = linear.outs().map(|(dim, _)| dim.clone()).collect();
        let standard: Vec<Dim> = (0..outs.len()).map(Dim::out).collect();
        if outs != standard {
            return Err(LayoutError::DimsDiffer {
                left: outs,
                right: standard,
            });
        }
        let linear = if have == INS {
            linear
        } else {
            let missing = INS.iter().filter(|dim| !have.contains(dim));
            let all = missing.cloned().try_fold(linear, |l, dim| l.unsqueeze_in(dim))?;
            all.transpose_ins(&INS.each_ref().map(Dim::as_str))?
        };
        linear.require_surjective().map(DistributedLayout)
    }

    /// Wraps a map from the four inputs that need not be surjective, for questions about registers alone.
    pub(crate) fn unchecked(linear: LinearLayout) -> Self {
        DistributedLayout(linear)
    }

    /// Reads the [text form](crate::LinearLayout#impl-FromStr-for-LinearLayout) for a tile of the given (padded) shape.
    ///
    /// # Errors
    /// As [`LinearLayout::parse_with_shape`] and [`new`](Self::new).
    pub fn parse_with_shape(text: &str, shape: &[u32]) -> Result<Self> {
        Self::new(LinearLayout::parse_with_shape(text, shape)?)
    }

    /// The map itself.
    pub fn linear(&self) -> &LinearLayout {
        &self.0
    }

    /// Number of tensor dimensions.
    pub fn rank(&self) -> usize {
        self.0.outs().count()
    }

    /// Extents of the tile, each a power of two.
    pub fn shape(&self) -> Coords {
        self.0.out_shape()
    }

    /// Registers (elements) per thread.
    pub fn num_registers(&self) -> u32 {
        self.0.in_size("register")
    }

    /// Lanes per warp.
    pub fn num_lanes(&self) -> u32 {
        self.0.in_size("lane")
    }

    /// Warps per thread block.
    pub fn num_warps(&self) -> u32 {
        self.0.in_size("warp")
    }

    /// Thread blocks per cluster.
    pub fn num_blocks(&self) -> u32 {
        self.0.in_size("block")
    }

    /// The element in a register of a lane of a warp, in block 0. Indices are taken modulo their sizes.
    pub fn coords(&self, register: u32, lane: u32, warp: u32) -> Coords {
        self.0.apply_in_order(&[register, lane, warp])
    }

    /// Bits of `register` that only replicate: registers in which they are 0 hold all of the thread's elements.
    pub fn register_free_mask(&self) -> u32 {
        self.0.free_variable_mask("register")
    }

    /// Bits of `lane` that only replicate: lanes in which they are 0 own everything, so the others need not store.
    pub fn lane_free_mask(&self) -> u32 {
        self.0.free_variable_mask("lane")
    }

    /// Bits of `warp` that only replicate.
    pub fn warp_free_mask(&self) -> u32 {
        self.0.free_variable_mask("warp")
    }

    /// The layout of a reduction's result along `axis`: that dimension dropped, and with it registers that now
    /// hold the same. Lanes and warps stay, and replicate.
    ///
    /// # Errors
    /// `axis` must be a dimension.
    pub fn slice(&self, axis: usize) -> Result<Self> {
        let dropped = self.require_axis("slice", axis, self.rank())?;
        let outs: Vec<Dim> = (0..self.rank()).map(Dim::out).filter(|dim| *dim != dropped).collect();
        let outs: Vec<&str> = outs.iter().map(Dim::as_str).collect();
        let part = self.0.sublayout(&INS.each_ref().map(Dim::as_str), &outs)?;
        Ok(DistributedLayout(
            part.remove_zero_bases("register")?.rename_outs_standard(),
        ))
    }

    /// A new dimension of extent 1 before `axis` (or last, where `axis` is the rank); register for register the same.
    ///
    /// # Errors
    /// `axis` is at most the rank.
    pub fn expand_dims(&self, axis: usize) -> Result<Self> {
        self.require_axis("expand_dims", axis, self.rank() + 1)?;
        let fresh = "expanded";
        let wide = self.0.unsqueeze_out(fresh)?;
        let mut order: Vec<Dim> = (0..self.rank()).map(Dim::out).collect();
        order.insert(axis, fresh.into());
        let order: Vec<&str> = order.iter().map(Dim::as_str).collect();
        Ok(DistributedLayout(wide.transpose_outs(&order)?.rename_outs_standard()))
    }

    /// The layout that an operand must have to broadcast to this one without any movement: the bases of every
    /// dimension in which `operand_shape` is 1 zeroed. Register i of the result is register i of the operand.
    ///
    /// # Errors
    /// The shape must have this rank, each extent 1 or, padded to a power of two, this layout's.
    pub fn broadcast_operand(&self, operand_shape: &[u32]) -> Result<Self> {
        let shape = self.shape();
        let fits = operand_shape
            .iter()
            .zip(&shape)
            .all(|(&o, &s)| o == 1 || o.checked_next_power_of_two() == Some(s));
        if !fits || operand_shape.len() != shape.len() {
            let message = format!(
                "an operand of shape {operand_shape:?} does not broadcast to {:?}",
                &shape[..]
            );
            return Err(LayoutError::Parameters {
                constructor: "broadcast",
                message,
            });
        }
        let mut stretched = operand_shape.iter().enumerate().filter(|&(_, &size)| size == 1);
        let l = stretched.try_fold(self.0.clone(), |l, (axis, _)| l.shrink_out(Dim::out(axis).as_str(), 1))?;
        Ok(DistributedLayout(l))
    }

    /// The same data with dimensions permuted: `out.shape[i] = self.shape[permutation[i]]`. Nothing moves.
    ///
    /// # Errors
    /// The list must be a permutation of the axes.
    pub fn permute(&self, permutation: &[usize]) -> Result<Self> {
        let order: Vec<Dim> = permutation.iter().map(|&axis| Dim::out(axis)).collect();
        let order: Vec<&str> = order.iter().map(Dim::as_str).collect();
        Ok(DistributedLayout(self.0.transpose_outs(&order)?.rename_outs_standard()))
    }

    /// The same data as a row-major tile of another shape. Nothing moves.
    ///
    /// # Errors
    /// The number of elements must be the same, extents powers of two.
    pub fn reshape(&self, shape: &[u32]) -> Result<Self> {
        Ok(DistributedLayout(self.0.reshape_outs_row_major(shape)?))
    }

    fn require_axis(&self, constructor: &'static str, axis: usize, end: usize) -> Result<Dim> {
        if axis < end {
            return Ok(Dim::out(axis));
        }
        let message = format!("axis {axis} is outside of 0..{end}");
        Err(LayoutError::Parameters { constructor, message })
    }

    /// Packed columns of `register` and the bits of one output dimension: (first bit, number of bits).
    fn dim_field(&self, axis: usize) -> (u32, u32) {
        let start = (0..axis).map(|a| self.0.out_bits(Dim::out(a).as_str())).sum();
        (start, self.0.out_bits(Dim::out(axis).as_str()))
    }

    /// The lowest `count` bits of output dimension `axis`, in the packed coordinate.
    fn low_bits_of(&self, axis: usize, count: u32) -> u64 {
        let (start, bits) = self.dim_field(axis);
        if bits == 0 {
            0
        } else {
            low_mask(count.min(bits)) << start
        }
    }
}

impl TryFrom<LinearLayout> for DistributedLayout {
    type Error = LayoutError;

    fn try_from(linear: LinearLayout) -> Result<Self> {
        Self::new(linear)
    }
}

impl FromStr for DistributedLayout {
    type Err = LayoutError;

    fn from_str(text: &str) -> Result<Self> {
        Self::new(text.parse()?)
    }
}

impl fmt::Display for DistributedLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for DistributedLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
