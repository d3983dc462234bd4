//! Narrow values in words.

use mytriton_layout::{WordSlot, word_slots};
use proptest::prelude::*;

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

fn num_words(slots: &[WordSlot]) -> usize {
    let end = |slot: &WordSlot| match *slot {
        WordSlot::Part { word, .. } => word + 1,
        WordSlot::Pair { low } => low + 2,
    };
    slots.iter().map(end).max().unwrap_or(0)
}

/// The words that hold the values, each or-ed into what is there.
fn pack(values: &[(u32, u64)]) -> Vec<u32> {
    let slots = word_slots(values.iter().map(|&(bits, _)| bits));
    let mut words = vec![0; num_words(&slots)];
    for (&(_, value), slot) in values.iter().zip(slots) {
        match slot {
            WordSlot::Part { word, bit } => words[word] |= (value as u32) << bit,
            WordSlot::Pair { low } => (words[low], words[low + 1]) = (value as u32, (value >> 32) as u32),
        }
    }
    words
}

fn unpack(words: &[u32], widths: &[u32]) -> Vec<u64> {
    let value = |(slot, &bits): (WordSlot, &u32)| match slot {
        WordSlot::Part { word, bit } => u64::from(words[word] >> bit) & mask(bits),
        WordSlot::Pair { low } => u64::from(words[low]) | u64::from(words[low + 1]) << 32,
    };
    word_slots(widths.iter().copied())
        .into_iter()
        .zip(widths)
        .map(value)
        .collect()
}

#[test]
fn the_lowest_slot_comes_first() {
    // 1.0 and -2.0 as halves, then bytes.
    assert_eq!(pack(&[(16, 0x3C00), (16, 0xC000)]), [0xC000_3C00]);
    assert_eq!(pack(&[(8, 1), (8, 2), (8, 3), (8, 4)]), [0x0403_0201]);
    assert_eq!(pack(&[(8, 1), (8, 2), (8, 3)]), [0x0003_0201]);
    assert_eq!(pack(&[(1, 1), (1, 0), (1, 1)]), [0b101]);
}

#[test]
fn words_that_are_full_or_too_small() {
    // A word of its own leaves the open one open; one that does not fit opens another.
    assert_eq!(pack(&[(16, 1), (32, 7), (16, 2), (16, 3)]), [0x0002_0001, 7, 3]);
    assert_eq!(pack(&[(8, 1), (16, 2), (16, 3), (8, 4)]), [0x0000_0201, 0x0004_0003]);
    assert_eq!(
        pack(&[(64, 0x0123_4567_89AB_CDEF), (8, 1)]),
        [0x89AB_CDEF, 0x0123_4567, 1]
    );
    assert_eq!(word_slots([]), []);
}

proptest! {
    #[test]
    fn every_bit_is_kept(values in prop::collection::vec((prop::sample::select(vec![1u32, 8, 16, 32, 64]), any::<u64>()), 0..40)) {
        let values: Vec<(u32, u64)> = values.into_iter().map(|(bits, value)| (bits, value & mask(bits))).collect();
        let (widths, expected): (Vec<u32>, Vec<u64>) = values.iter().copied().unzip();
        let words = pack(&values);
        prop_assert_eq!(unpack(&words, &widths), expected);
    }

    /// Values of one width leave no room between them.
    #[test]
    fn equal_widths_fill_words(bits in prop::sample::select(vec![1u32, 8, 16, 32, 64]), count in 0usize..70) {
        let slots = word_slots(vec![bits; count]);
        prop_assert_eq!(num_words(&slots), (bits as usize * count).div_ceil(32));
    }
}
