//! Narrow values in 32-bit words, as registers hold them.

/// Values of `bits` (8 or 16) in words, the lowest slot in the lowest bits. They are kept bit by bit, payloads of NaNs
/// too: what converts is [`FloatFormat::encode`](super::FloatFormat::encode). Bits of the last word that no slot fills
/// are 0, so the number of slots need not be a power of two.
///
/// | slots | word |
/// |---|---|
/// | 16-bit floats 1, -2 | 0xC0003C00 |
/// | 8-bit integers 1, 2, 3, 4 | 0x04030201 |
/// | 8-bit integers 1, 2, 3 | 0x00030201 |
///
/// ```
/// use mytriton_layout::fragment::{FloatFormat, pack, unpack};
/// let halves = [1.0, -2.0].map(|x| FloatFormat::F16.encode(x));
/// assert_eq!(pack(&halves, 16), [0xC000_3C00]);
/// assert_eq!(pack(&[1, 2, 3, 4], 8), [0x0403_0201]);
/// assert_eq!(pack(&[1, 2, 3], 8), [0x0003_0201]);
/// assert_eq!(unpack(&[0x0003_0201], 8, 3), [1, 2, 3]);
/// ```
///
/// # Panics
/// Where `bits` is neither 8 nor 16.
pub fn pack(slots: &[u16], bits: u32) -> Vec<u32> {
    let per_word = per_word(bits);
    let word = |slots: &[u16]| {
        let placed = slots.iter().zip((0..32).step_by(bits as usize));
        placed.fold(0, |word, (&slot, at)| word | (u32::from(slot) & mask(bits)) << at)
    };
    slots.chunks(per_word).map(word).collect()
}

/// The first `count` values of packed words.
///
/// # Panics
/// Where `bits` is neither 8 nor 16, or the words hold fewer.
pub fn unpack(words: &[u32], bits: u32, count: usize) -> Vec<u16> {
    let per_word = per_word(bits);
    (0..count)
        .map(|slot| (words[slot / per_word] >> (slot % per_word * bits as usize) & mask(bits)) as u16)
        .collect()
}

fn per_word(bits: u32) -> usize {
    assert!(matches!(bits, 8 | 16), "values of {bits} bits: 8 or 16 are packed");
    (32 / bits) as usize
}

fn mask(bits: u32) -> u32 {
    (1 << bits) - 1
}
