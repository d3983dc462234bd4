//! Tile kernels for NVIDIA GPUs: write, compile, launch.
