//! Linear layouts over GF(2): who owns which element of a tile.
