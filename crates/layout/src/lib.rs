//! Linear layouts over GF(2): who owns which element of a tile.

mod dim;
mod error;
mod gf2;
mod linear;

pub use dim::Dim;
pub use error::LayoutError;
pub use gf2::BitMatrix;
pub use linear::{Coords, LinearLayout};
