//! CUDA C++ from typed SSA.
