//! Matrix descriptors of wgmma: where an operand's elements lie in shared memory (PTX ISA, "Matrix Descriptor Format",
//! "Strides", "Swizzling Modes").
//!
//! The unit is 16 bytes, here a *piece*. An operand has `mn` rows of 32 bytes along k. Where k is fastest, 8 rows are an
//! *atom*, one row being a *pitch* behind the other; atoms are a stride ("SBO") apart. Without a swizzle the pitch is a
//! piece, and the second piece of a row a leading stride ("LBO") away; with a swizzle of W bytes the pitch is W, and the
//! second piece follows the first. Where mn is fastest (16-bit elements), it is as in this table, of piece `u` of 8
//! elements at `k`:
//!
//! | swizzle | byte |
//! |---|---|
//! | none | `u * SBO + (k % 8) * 16 + (k / 8) * LBO` |
//! | W bytes, P = W / 16 pieces | `u % P * 16 + u / P * LBO + (k % 8) * W + (k / 8) * SBO` |
//!
//! A swizzle then exchanges pieces: address bits 7 and up are xored into bits 4 and up. It goes by addresses, not by
//! offsets, so that a pattern has to begin at a multiple of 8 W bytes, or the descriptor to say by how much it does not.

/// A matrix descriptor, decoded. Strides are in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Descriptor {
    start: u64,
    leading: u64,
    stride: u64,
    /// In 128 bytes, how far the pattern begins behind a multiple of its size.
    base_offset: u64,
    /// Bytes in a row of the pattern; 16 without one.
    width: u64,
}

/// Which pieces of an operand are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pieces {
    /// Is `mn` the fastest index?
    pub transposed: bool,
    /// The first and the number of the rows (of A) or columns (of B): multiples of 8.
    pub mn: (usize, usize),
    /// Bytes of an element.
    pub bytes: usize,
}

/// Bits that mean nothing.
const RESERVED: u64 = 0x3FF1_C000_C000_C000;
/// Bytes of a piece.
pub(crate) const PIECE: usize = 16;
/// Bytes of an operand along k.
const DEPTH: usize = 32;

impl Descriptor {
    /// What 64 bits say; `None` where bits are set that mean nothing.
    pub fn decode(bits: u64) -> Option<Descriptor> {
        let field = |low: u32| (bits >> low & 0x3FFF) << 4;
        let width = match bits >> 62 {
            0 => 16,
            1 => 128,
            2 => 64,
            _ => 32,
        };
        (bits & RESERVED == 0).then_some(Descriptor {
            start: field(0),
            leading: field(16),
            stride: field(32),
            base_offset: bits >> 49 & 7,
            width,
        })
    }

    /// The address of piece `inner` (along the fastest index) of row `outer`.
    fn address(&self, transposed: bool, outer: usize, inner: usize) -> u64 {
        let (outer, inner) = (outer as u64, inner as u64);
        let (group, row) = (outer / 8, outer % 8);
        let (pitch, swizzled) = (self.width, self.width > 16);
        let offset = match (transposed, swizzled) {
            (false, false) => group * self.stride + row * 16 + inner * self.leading,
            (false, true) => group * self.stride + row * pitch + inner * 16,
            (true, false) => inner * self.stride + row * 16 + group * self.leading,
            (true, true) => {
                let pieces = pitch / 16;
                inner % pieces * 16 + inner / pieces * self.leading + row * pitch + group * self.stride
            }
        };
        let address = self.start + offset;
        let phase = (address >> 7).wrapping_sub(self.base_offset) & (self.width / 16 - 1);
        address ^ phase << 4
    }

    /// The addresses of an operand's pieces, with the (mn, k) of each piece's first element.
    pub fn pieces(self, of: Pieces) -> impl Iterator<Item = (u64, usize, usize)> {
        let (first, count) = of.mn;
        let per_piece = PIECE / of.bytes;
        let (outer, inner) = match of.transposed {
            false => (first..first + count, 0..DEPTH / PIECE),
            true => (0..DEPTH / of.bytes, first / per_piece..(first + count) / per_piece),
        };
        outer.flat_map(move |outer| {
            inner.clone().map(move |inner| {
                let address = self.address(of.transposed, outer, inner);
                match of.transposed {
                    false => (address, outer, inner * per_piece),
                    true => (address, inner * per_piece, outer),
                }
            })
        })
    }
}

/// Ranges of bytes that some pieces make, each as long as can be.
pub(crate) fn ranges(mut addresses: Vec<u64>) -> Vec<(u64, u64)> {
    addresses.sort_unstable();
    addresses.dedup();
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for address in addresses {
        match ranges.last_mut() {
            Some((start, bytes)) if *start + *bytes == address => *bytes += PIECE as u64,
            _ => ranges.push((address, PIECE as u64)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use mytriton_layout::{HardwareSwizzle, hardware_swizzled};

    use super::*;

    const SWIZZLES: [(u64, HardwareSwizzle); 3] = [
        (3, HardwareSwizzle::B32),
        (2, HardwareSwizzle::B64),
        (1, HardwareSwizzle::B128),
    ];

    fn encode(start: u64, leading: u64, stride: u64, mode: u64) -> Descriptor {
        Descriptor::decode(start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | mode << 62).unwrap()
    }

    /// Along k, rows of a swizzled tile as TMA writes it; each step of 32 bytes begins so much later.
    #[test]
    fn rows_lie_as_in_swizzled_tiles() {
        for (mode, swizzle) in SWIZZLES {
            let width = swizzle.bytes();
            let tile = hardware_swizzled([64, width / 2], 2, swizzle)
                .unwrap()
                .pseudo_invert()
                .unwrap();
            for step in 0..width / 32 {
                let descriptor = encode(2048 + u64::from(step) * 32, 16, u64::from(width) * 8, mode);
                let of = Pieces {
                    transposed: false,
                    mn: (16, 48),
                    bytes: 2,
                };
                for (address, row, k) in descriptor.pieces(of) {
                    let column = step * 16 + k as u32;
                    let at = tile.apply(&[("dim0", row as u32), ("dim1", column)]).unwrap()[0];
                    assert_eq!(address, 2048 + 2 * u64::from(at), "{swizzle:?} row {row} k {k}");
                }
            }
        }
    }

    /// Along mn, tiles of k rows and as many columns as the swizzle is wide, one after another.
    #[test]
    fn columns_lie_as_in_swizzled_tiles() {
        for (mode, swizzle) in SWIZZLES {
            let columns = swizzle.bytes() / 2;
            let tile = hardware_swizzled([16, columns], 2, swizzle)
                .unwrap()
                .pseudo_invert()
                .unwrap();
            let bytes = u64::from(swizzle.bytes()) * 16;
            let descriptor = encode(4096, bytes, bytes / 2, mode);
            let of = Pieces {
                transposed: true,
                mn: (0, 128),
                bytes: 2,
            };
            let mut count = 0;
            for (address, mn, k) in descriptor.pieces(of) {
                let (number, column) = (mn as u32 / columns, mn as u32 % columns);
                let at = tile.apply(&[("dim0", k as u32), ("dim1", column)]).unwrap()[0];
                assert_eq!(
                    address,
                    4096 + bytes * u64::from(number) + 2 * u64::from(at),
                    "{swizzle:?} {mn} {k}"
                );
                count += 1;
            }
            assert_eq!(count, 16 * 16);
        }
    }

    #[test]
    fn without_swizzle_strides_are_between_core_matrices() {
        let of = |transposed| Pieces {
            transposed,
            mn: (8, 8),
            bytes: 2,
        };
        let descriptor = encode(0, 4096, 256, 0);
        let first: Vec<_> = descriptor.pieces(of(false)).take(3).collect();
        assert_eq!(first, [(256, 8, 0), (256 + 4096, 8, 8), (272, 9, 0)]);
        let last = descriptor.pieces(of(true)).last();
        assert_eq!(last, Some((256 + 7 * 16 + 4096, 8, 15)));
    }

    /// A pattern that begins at an odd multiple of 128 bytes, with and without saying so.
    #[test]
    fn base_offsets_shift_the_phase() {
        let at = |base_offset: u64| {
            let bits = 0x480 >> 4 | 64 << 32 | 1 << 62 | base_offset << 49;
            Descriptor::decode(bits).unwrap().address(false, 0, 0)
        };
        assert_eq!(at(1), 0x480);
        assert_eq!(at(0), 0x480 + 16);
    }

    #[test]
    fn bits_that_mean_nothing() {
        for bit in [14, 15, 30, 31, 46, 48, 52, 61] {
            assert_eq!(Descriptor::decode(1 << bit), None, "{bit}");
        }
        for bit in [0, 13, 16, 29, 32, 45, 49, 51, 62, 63] {
            assert!(Descriptor::decode(1 << bit).is_some(), "{bit}");
        }
    }

    #[test]
    fn pieces_make_ranges() {
        assert_eq!(ranges(vec![48, 0, 16, 16, 80]), [(0, 32), (48, 16), (80, 16)]);
    }
}
