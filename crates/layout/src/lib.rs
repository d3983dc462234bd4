//! Linear layouts over GF(2): who owns which element of a tile.

mod dim;
mod distributed;
mod error;
mod gf2;
mod index;
mod linear;
mod shared;

pub use dim::Dim;
pub use distributed::{DistributedLayout, RegisterGroup};
pub use error::LayoutError;
pub use gf2::BitMatrix;
pub use index::{AxisPlan, BitTerm, IndexBuilder, IndexPlan, Piece};
pub use linear::{Coords, LinearLayout};
pub use shared::{HardwareSwizzle, Swizzle, hardware_swizzled, swizzled};
