//! Compiled kernels as data: code, parameters, launch facts.
