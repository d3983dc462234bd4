//! Safe face of the tile dialect, and the conversions between it and typed SSA.
