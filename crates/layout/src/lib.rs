//! Linear layouts over GF(2): who owns which element of a tile.
//!
//! A tile of a kernel is spread over registers, lanes and warps. Where, is a *layout*: a map from hardware indices to
//! coordinates. Nearly every layout that hardware and compilers use is linear over GF(2): sizes are powers of two,
//! and the coordinate of an index is the xor of the coordinates of its set bits. It is then given by one basis vector
//! per bit, and questions about data movement are linear algebra on small bit matrices:
//!
//! - Which lanes hold copies of the same element? Bits whose basis depends on others ([`LinearLayout::free_variable_masks`]).
//! - Where is the element that another layout wants? [`LinearLayout::invert_and_compose`].
//! - May a thread load four elements at once? [`DistributedLayout::register_groups`].
//! - How is the coordinate computed? By shifts, ands and xors, an [`IndexPlan`].
//!
//! # Example: the accumulator of `mma.sync.m16n8`
//!
//! A warp holds 16x8 elements, 4 per lane. Its bases, `{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0],
//! [2, 0], [4, 0]]}`, read: the lowest register bit is the neighbouring column, the next one eight rows down; the
//! lowest two lane bits are steps of two columns, the others are rows. So lane 6 = 2 + 4 holds in its register 3 = 1 + 2
//!
//! | bit | basis |
//! |---|---|
//! | register 1 | (0, 1) |
//! | register 2 | (8, 0) |
//! | lane 2 | (0, 4) |
//! | lane 4 | (1, 0) |
//! | xor | (9, 5) |
//!
//! ```
//! use mytriton_layout::{DistributedLayout, IndexPlan};
//! let c = DistributedLayout::mma_accumulator([16, 8], [1, 1])?;
//! assert_eq!(c.coords(3, 6, 0)[..], [9, 5]);
//! assert_eq!(c.max_vector_width(1), 2);
//! // A sum along the rows leaves a column, of which four lanes each hold a copy.
//! assert_eq!(c.slice(1)?.lane_free_mask(), 0b00011);
//! # Ok::<(), mytriton_layout::LayoutError>(())
//! ```
//!
//! # Map of the crate
//!
//! | item | what it is |
//! |---|---|
//! | [`LinearLayout`] | the map and its algebra |
//! | [`DistributedLayout`] | a linear layout of a tile over registers, lanes, warps and blocks; its constructors |
//! | [`swizzled`], [`hardware_swizzled`] | linear layouts of tiles in shared memory |
//! | [`IndexPlan`] | the arithmetic of a layout, for code generators |
//! | [`ConversionPlan`] | what moves from one layout to another: registers, lanes, or warps |
//! | [`LaneExchange`], [`SharedExchange`] | how: by shuffles, through shared memory |
//! | [`WarpGather`] | elements that an index names, found within the warp |
//! | [`source_registers`] | for an operation that moves nothing between threads, which register each element is in |
//! | [`ReductionPlan`], [`ScanPlan`] | what threads, lanes and warps combine along an axis |
//! | [`word_slots`] | narrow values in 32-bit words |
//! | [`staging`] | bank conflicts, shared layouts without any, accesses by vectors and matrices |
//! | [`parser`] | the text form of layouts, every part with its place |

mod convert;
mod dim;
mod distributed;
mod error;
mod exchange;
mod fragment;
mod gather;
mod gf2;
mod index;
mod lanes;
mod linear;
pub mod parser;
mod shared;
pub mod staging;

pub use convert::{ConversionKind, ConversionPlan, Movement};
pub use dim::Dim;
pub use distributed::{DistributedLayout, RegisterGroup};
pub use error::LayoutError;
pub use exchange::{LanePredicate, Round, SharedExchange, SharedMemory};
pub use fragment::{
    FragmentError, ReductionPlan, ScanPlan, ScanStep, WarpPartials, WordSlot, source_registers, word_slots,
};
pub use gather::WarpGather;
pub use index::{AxisPlan, BitTerm, IndexBuilder, IndexPlan, Piece};
pub use lanes::{LaneExchange, SelectStep, Transfer};
pub use linear::{Coords, LinearLayout};
pub use shared::{HardwareSwizzle, Swizzle, hardware_swizzled, swizzled};
