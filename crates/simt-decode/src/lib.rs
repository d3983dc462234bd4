//! Reads the `gpu` stage into programs of the SIMT executor.
