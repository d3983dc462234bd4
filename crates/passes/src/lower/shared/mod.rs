//! Tiles in shared memory: buffers, and what exchanges of elements go through.

pub mod access;
pub mod buffers;
pub mod row_major;
pub mod scratch;
