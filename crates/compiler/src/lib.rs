//! The order of the stages: from a kernel to PTX or CUDA C++.
