//! What can be wrong with a layout.

use crate::Dim;

/// Why a layout could not be built or an operation on layouts has no result.
///
/// Every message names the dimension or the basis at fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// A basis has the wrong number of coordinates.
    #[error("basis {input}[{index}] = {basis:?}: has {} coordinates, the layout has {expected} output dimensions", basis.len())]
    BasisRank {
        /// Input dimension of the basis.
        input: Dim,
        /// Its bit in that dimension.
        index: usize,
        /// The basis as given.
        basis: Vec<u32>,
        /// Number of output dimensions.
        expected: usize,
    },
    /// A coordinate of a basis is not below the size of its output dimension.
    #[error("basis {input}[{index}] = {basis:?}: coordinate {axis} is outside of 0..{size}")]
    BasisRange {
        /// Input dimension of the basis.
        input: Dim,
        /// Its bit in that dimension.
        index: usize,
        /// The basis as given.
        basis: Vec<u32>,
        /// Position of the coordinate at fault.
        axis: usize,
        /// Size of that output dimension.
        size: u32,
    },
    /// A size is not a power of two.
    #[error("dimension {dim} has size {size}: sizes of a layout are powers of two from 1 to 2^31")]
    NotPowerOfTwo {
        /// The dimension.
        dim: Dim,
        /// Its size.
        size: u64,
    },
    /// The layout would need more index bits than the representation holds.
    #[error("the {what} dimensions have {bits} bits altogether: at most 64 are possible, 31 in one dimension")]
    TooManyBits {
        /// `input` or `output`.
        what: &'static str,
        /// The bits asked for.
        bits: u32,
    },
    /// A dimension is listed twice.
    #[error("dimension {dim} is listed twice")]
    DuplicateDim {
        /// The dimension.
        dim: Dim,
    },
    /// A dimension that the operation needs is missing.
    #[error("the layout has no {what} dimension {dim}: it has {}", list(have))]
    NoSuchDim {
        /// `input` or `output`.
        what: &'static str,
        /// The dimension asked for.
        dim: Dim,
        /// The dimensions that exist.
        have: Vec<Dim>,
    },
    /// Two layouts, or a layout and a list, must have the same dimensions.
    #[error("the dimensions differ: {} against {}", list(left), list(right))]
    DimsDiffer {
        /// Dimensions on the left.
        left: Vec<Dim>,
        /// Dimensions on the right.
        right: Vec<Dim>,
    },
    /// An output of the inner layout does not fit the input of the outer one, or sizes must agree and do not.
    #[error("dimension {dim} has size {left} on the left and {right} on the right")]
    SizesDiffer {
        /// The dimension.
        dim: Dim,
        /// Its size on the left.
        left: u32,
        /// Its size on the right.
        right: u32,
    },
    /// A reshape changes the number of elements.
    #[error("cannot reshape 2^{from} indices into 2^{to}")]
    Reshape {
        /// Bits before.
        from: u32,
        /// Bits asked for.
        to: u32,
    },
    /// Some coordinates belong to nobody.
    #[error("the layout is not surjective: its rank is {rank} of {bits} output bits, nothing maps to {witness}")]
    NotSurjective {
        /// Rank over GF(2).
        rank: u32,
        /// Output bits.
        bits: u32,
        /// A coordinate outside of the image, as `(dim0 = 1, dim1 = 0)`.
        witness: String,
    },
    /// The layout has no inverse.
    #[error("the layout is not invertible: {ins} input bits, {outs} output bits, rank {rank}")]
    NotInvertible {
        /// Input bits.
        ins: u32,
        /// Output bits.
        outs: u32,
        /// Rank over GF(2).
        rank: u32,
    },
    /// A basis of the inner layout lies outside of the image of the layout to be inverted.
    #[error("basis {input}[{index}] = {basis:?} is not in the image of the layout to be inverted")]
    NotInImage {
        /// Input dimension of the basis.
        input: Dim,
        /// Its bit in that dimension.
        index: usize,
        /// The basis.
        basis: Vec<u32>,
    },
    /// An input index is not below the size of its dimension.
    #[error("index {value} of {dim} is outside of 0..{size}")]
    IndexRange {
        /// The input dimension.
        dim: Dim,
        /// The index.
        value: u32,
        /// Size of the dimension.
        size: u32,
    },
    /// The text form of a layout cannot be read.
    #[error("at byte {at} of the layout: {message}")]
    Parse {
        /// Byte offset in the text.
        at: usize,
        /// What was expected or found.
        message: String,
    },
    /// Parameters of a named constructor contradict one another.
    #[error("{constructor} layout: {message}")]
    Parameters {
        /// Name of the constructor.
        constructor: &'static str,
        /// What is wrong and what would be right.
        message: String,
    },
}

fn list(dims: &[Dim]) -> String {
    if dims.is_empty() {
        return "none".to_owned();
    }
    dims.iter().map(Dim::as_str).collect::<Vec<_>>().join(", ")
}
