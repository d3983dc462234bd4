//! Offsets for what takes memory at certain times: those of things that take it at one time do not overlap.
//!
//! Buffers and large uses come first, the largest ones before others, each into the tightest gap that it fits into. Small
//! uses take their turns in a ring of bytes instead, so that one rarely lies where another one was shortly before: a
//! barrier would have to stand between the two. They cost little, and larger ones beside one another would keep blocks
//! from running at once.

/// What takes memory.
#[derive(Clone, Debug)]
pub struct Item {
    /// The first and the last moment at which it does.
    pub live: (u32, u32),
    /// How much.
    pub bytes: u64,
    /// What its offset is a multiple of.
    pub alignment: u64,
    /// Whether it may take a turn in the ring: it lives for one moment.
    pub is_use: bool,
}

impl Item {
    fn meets(&self, other: &Item) -> bool {
        self.live.0 <= other.live.1 && other.live.0 <= self.live.1
    }
}

/// Up to how many bytes uses are small, and the bytes of their ring.
pub const RING_BYTES: u64 = 4 * 1024;

/// What the ring may add to the rest where that takes more than it.
const ROOM_BYTES: u64 = 1024;

/// The offsets of items, which are in the order of time, and the bytes that they take. `ring` lets small uses take turns.
pub fn place(items: &[Item], ring: bool) -> (Vec<u64>, u64) {
    let in_ring = |item: &Item| ring && item.is_use && item.bytes <= RING_BYTES;
    let mut offsets: Vec<Option<u64>> = vec![None; items.len()];
    let mut order: Vec<usize> = (0..items.len()).filter(|&i| !in_ring(&items[i])).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(items[i].bytes));
    let mut total = 0;
    for index in order {
        let taken = taken_beside(items, &offsets, index);
        let offset = tightest(&taken, items[index].bytes, items[index].alignment);
        total = total.max(offset + items[index].bytes);
        offsets[index] = Some(offset);
    }
    let (mut next, room) = (0, RING_BYTES.max(total + ROOM_BYTES));
    for (index, item) in items.iter().enumerate().filter(|(_, item)| in_ring(item)) {
        let taken = taken_beside(items, &offsets, index);
        // What was before it lies elsewhere, if that is possible.
        let before = items[..index].iter().rposition(|item| item.is_use);
        let before = before.and_then(|i| Some((offsets[i]?, offsets[i]? + items[i].bytes)));
        let avoided: Vec<_> = taken.iter().copied().chain(before).collect();
        let fits = |start: u64, taken: &[(u64, u64)]| {
            let offset = first(taken, start, item.bytes, item.alignment);
            (offset + item.bytes <= room).then_some(offset)
        };
        let offset = fits(next, &avoided)
            .or_else(|| fits(0, &avoided))
            .or_else(|| fits(0, &taken))
            .unwrap_or_else(|| first(&taken, 0, item.bytes, item.alignment));
        next = offset + item.bytes;
        total = total.max(next);
        offsets[index] = Some(offset);
    }
    (offsets.into_iter().map(Option::unwrap_or_default).collect(), total)
}

/// Where others lie that live at a time of an item, sorted.
fn taken_beside(items: &[Item], offsets: &[Option<u64>], index: usize) -> Vec<(u64, u64)> {
    let placed = items.iter().zip(offsets);
    let beside = placed.filter(|(item, _)| item.meets(&items[index]));
    let mut taken: Vec<(u64, u64)> = beside
        .filter_map(|(item, offset)| offset.map(|offset| (offset, offset + item.bytes)))
        .collect();
    taken.sort_unstable();
    taken
}

/// The start of the smallest gap that suffices; behind everything there is always one.
fn tightest(taken: &[(u64, u64)], bytes: u64, alignment: u64) -> u64 {
    let (mut best, mut end) = (None, 0u64);
    for &(start, stop) in taken {
        let offset = end.next_multiple_of(alignment);
        let room = start.saturating_sub(offset);
        if start >= offset && room >= bytes && best.is_none_or(|(least, _)| room < least) {
            best = Some((room, offset));
        }
        end = end.max(stop);
    }
    best.map_or(end.next_multiple_of(alignment), |(_, offset)| offset)
}

/// The first free place from `start` on.
fn first(taken: &[(u64, u64)], start: u64, bytes: u64, alignment: u64) -> u64 {
    let mut offset = start.next_multiple_of(alignment);
    while let Some(hit) = taken.iter().find(|range| range.0 < offset + bytes && offset < range.1) {
        offset = hit.1.next_multiple_of(alignment);
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn item(live: (u32, u32), bytes: u64) -> Item {
        Item {
            live,
            bytes,
            alignment: 16,
            is_use: live.0 == live.1,
        }
    }

    #[test]
    fn what_is_never_live_at_once_shares_memory() {
        let items = [item((0, 4), 8192), item((5, 9), 8192), item((2, 6), 1024)];
        let (offsets, total) = place(&items, true);
        assert_eq!((&offsets[..], total), (&[0, 0, 8192][..], 9216));
    }

    #[test]
    fn the_tightest_gap_is_taken() {
        // Behind the first there are 32 bytes until the third; behind the third as many as it takes.
        assert_eq!(tightest(&[(0, 16), (48, 64), (80, 96)], 16, 16), 64);
        assert_eq!(tightest(&[(0, 16), (48, 64), (80, 96)], 17, 16), 16);
        assert_eq!(tightest(&[(0, 16), (48, 64), (80, 96)], 64, 16), 96);
        assert_eq!(tightest(&[(0, 100), (20, 40)], 8, 16), 112);
        // Of two that are as tight the first.
        assert_eq!(tightest(&[(0, 16), (32, 48), (64, 80)], 16, 16), 16);
    }

    #[test]
    fn small_uses_take_turns() {
        let items: Vec<Item> = (0..4).map(|i| item((i, i), 20)).collect();
        assert_eq!(place(&items, true), (vec![0, 32, 64, 96], 116));
        assert_eq!(place(&items, false), (vec![0; 4], 20));
        // Behind a large use that fills the ring another round begins.
        let items = [item((0, 0), 3000), item((1, 1), 3000), item((2, 2), 3000)];
        assert_eq!(place(&items, true), (vec![0; 3], 3000));
        // A large use is avoided too, if that costs little.
        let items = [item((0, 0), 16384), item((1, 1), 64), item((2, 2), 2048)];
        assert_eq!(place(&items, true), (vec![0, 16384, 0], 16448));
    }

    #[test]
    fn the_first_free_place_is_taken() {
        let taken = [(0, 16), (32, 48)];
        for (start, bytes, alignment, expected) in [
            (0, 16, 16, 16),
            (0, 17, 16, 48),
            (0, 1, 1, 16),
            (20, 12, 4, 20),
            (20, 13, 4, 48),
            (33, 1, 1, 48),
            (47, 1, 1, 48),
            (48, 100, 16, 48),
            (5, 1, 64, 64),
        ] {
            let found = first(&taken, start, bytes, alignment);
            assert_eq!(found, expected, "{bytes} from {start} on");
        }
    }

    #[test]
    fn things_meet_in_one_moment() {
        for (a, b, meet) in [((0, 4), (4, 9), true), ((0, 3), (4, 9), false), ((2, 2), (0, 9), true)] {
            assert_eq!(item(a, 1).meets(&item(b, 1)), meet, "{a:?} {b:?}");
            assert_eq!(item(b, 1).meets(&item(a, 1)), meet, "{a:?} {b:?}");
        }
    }

    /// A use that fills the ring is small, and has no room for the next one beside it; a larger one has.
    #[test]
    fn uses_are_small_up_to_the_ring() {
        let after = |bytes| [item((0, 0), bytes), item((1, 1), 16)];
        assert_eq!(place(&after(RING_BYTES), true), (vec![0, 0], RING_BYTES));
        assert_eq!(
            place(&after(RING_BYTES + 1), true),
            (vec![0, RING_BYTES + 16], RING_BYTES + 32)
        );
        assert_eq!(place(&after(RING_BYTES + 1), false), (vec![0, 0], RING_BYTES + 1));
    }

    /// Beside a large use there is so much room and no more.
    #[test]
    fn the_ring_grows_by_its_room() {
        let beside = |bytes| place(&[item((0, 0), 16384), item((1, 1), bytes)], true);
        assert_eq!(beside(ROOM_BYTES), (vec![0, 16384], 16384 + ROOM_BYTES));
        assert_eq!(beside(ROOM_BYTES + 1), (vec![0, 0], 16384));
        // What lives at the same time has to lie beside it, whatever that takes.
        let at_once = [item((0, 1), 16384), item((1, 1), 2000)];
        assert_eq!(place(&at_once, true), (vec![0, 16384], 18384));
    }

    /// The turn begins again where the next use does not fit, behind what it meets.
    #[test]
    fn turns_begin_again() {
        let items = [
            item((0, 9), 64),
            item((1, 1), 2000),
            item((2, 2), 2000),
            item((3, 3), 2000),
            item((4, 4), 2000),
        ];
        assert_eq!(place(&items, true), (vec![0, 64, 2064, 64, 2064], 4064));
    }

    proptest! {
        #[test]
        fn nothing_overlaps_what_lives_with_it(
            items in prop::collection::vec((0u32..20, 0u32..8, 1u64..9000, 0u32..4), 1..24),
            ring: bool,
        ) {
            let mut items: Vec<Item> = items
                .into_iter()
                .map(|(start, length, bytes, alignment)| Item {
                    live: (start, start + length),
                    bytes,
                    alignment: 16 << alignment,
                    is_use: length == 0,
                })
                .collect();
            items.sort_by_key(|item| item.live.0);
            let (offsets, total) = place(&items, ring);
            for (i, a) in items.iter().enumerate() {
                prop_assert_eq!(offsets[i] % a.alignment, 0);
                prop_assert!(offsets[i] + a.bytes <= total);
                for (j, b) in items.iter().enumerate().skip(i + 1) {
                    let apart = offsets[i] + a.bytes <= offsets[j] || offsets[j] + b.bytes <= offsets[i];
                    prop_assert!(apart || !a.meets(b), "{i} and {j}");
                }
            }
            // Never more than all of them beside one another.
            let all: u64 = items.iter().map(|item| item.bytes.next_multiple_of(item.alignment) + item.alignment).sum();
            prop_assert!(total <= all);
        }
    }
}
