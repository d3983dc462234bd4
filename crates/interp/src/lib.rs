//! Reference interpreter of typed SSA.
