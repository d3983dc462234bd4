//! Passes that choose layouts, in the order in which they run.

pub mod assign_layouts;
pub mod coalesce_memory;
pub mod optimize_thread_locality;
pub mod propagate_layouts;
