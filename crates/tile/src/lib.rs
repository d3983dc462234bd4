//! The safe face of the tile dialect, and the conversions between it and typed SSA.
//!
//! [`from_ssa`] gives the `tile` stage of a kernel; [`to_ssa`] reads such a module back. [`emit`] is how Rust code
//! makes IR here and in the passes; [`ops`] has the dialect's own operations, by name and with typed operands, generated
//! from their ODS definitions.

pub mod attributes;
pub mod emit;
mod from_ssa;
mod identity;
pub mod layout;
pub mod names;
pub mod ops;
mod to_ssa;
pub mod types;

pub use from_ssa::{FromSsaError, from_ssa};
pub use identity::Identity;
pub use to_ssa::{ToSsaError, argument_attributes, defining_operation, fast_math, name_of, permutation_of, to_ssa};
