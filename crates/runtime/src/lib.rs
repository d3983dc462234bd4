//! Loading and launching compiled kernels on a GPU.
