//! What passes share.

pub mod access;
pub mod blocked;
pub mod cost;
pub mod pair;
pub mod rebuild;
pub mod shape;
