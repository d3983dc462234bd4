//! Narrow values in 32-bit words.

/// Bits of a word, as registers and shuffles have it.
const WORD: u32 = 32;

/// Where values of these widths in bits, each at most 32 or exactly 64, lie in 32-bit words, which is what a shuffle moves.
///
/// Values of 64 bits take two words, those of 32 one; narrower ones share a word, the first in its lowest bits. A value
/// never lies across two words that it does not fill.
///
/// | widths | words |
/// |---|---|
/// | 16, 16 | 0: bits 0-15, 16-31 |
/// | 8, 32, 8, 64 | 0: bits 0-7 and 8-15; 1; 2 and 3 |
///
/// ```
/// use mytriton_layout::{WordSlot, word_slots};
/// let part = |word, bit| WordSlot::Part { word, bit };
/// assert_eq!(word_slots([8, 32, 8, 64]), [part(0, 0), part(1, 0), part(0, 8), WordSlot::Pair { low: 2 }]);
/// ```
pub fn word_slots(widths: impl IntoIterator<Item = u32>) -> Vec<WordSlot> {
    let mut num_words = 0;
    // A word with room, and how many of its bits are taken.
    let mut open: Option<(usize, u32)> = None;
    let slot = |bits| {
        if bits > WORD {
            num_words += 2;
            return WordSlot::Pair { low: num_words - 2 };
        }
        let (word, bit) = match open {
            Some((word, taken)) if taken + bits <= WORD => (word, taken),
            _ => (num_words, 0),
        };
        num_words = num_words.max(word + 1);
        // A full word of its own leaves the open one open.
        if bit + bits < WORD {
            open = Some((word, bit + bits));
        } else if bit > 0 {
            open = None;
        }
        WordSlot::Part { word, bit }
    };
    widths.into_iter().map(slot).collect()
}

/// Where a value lies in the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordSlot {
    /// In one word, from this bit on.
    Part {
        /// The word.
        word: usize,
        /// The value's lowest bit in it.
        bit: u32,
    },
    /// In two words.
    Pair {
        /// The word with the low half; the next one has the high half.
        low: usize,
    },
}
