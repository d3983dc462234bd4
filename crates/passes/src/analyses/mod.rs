//! Analyses: they change nothing that passes or users see.

pub mod axis_info;
pub mod buffers;
pub mod infer_axis_info;
pub mod liveness;
pub mod strides;
