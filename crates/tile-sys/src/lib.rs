//! FFI to the tile dialect: its C API and the mytriton-opt and language-server entry points.
