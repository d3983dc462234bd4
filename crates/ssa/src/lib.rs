//! Typed SSA of tile kernels: types, ops, regions, builder, verifier, optimiser, text form.
