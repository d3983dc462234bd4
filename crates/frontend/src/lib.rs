//! Front ends: staging of Rust kernels into typed SSA, with located errors.
