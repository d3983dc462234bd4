//! Conversions carried out on tables of elements: every register of the destination ends with its element.

mod executed;

use executed::{layout_of, places, threads};
use mytriton_layout::staging::{Form, Matrices};
use mytriton_layout::{
    ConversionKind, ConversionPlan, DistributedLayout, LaneExchange, LanePredicate, LayoutError, LinearLayout, Round,
    SelectStep, SharedExchange, SharedMemory,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// What a thread holds: one number per register, the flattened coordinate of its element.
type Registers = Vec<u64>;

fn layout(text: &str) -> DistributedLayout {
    text.parse().unwrap()
}

fn element(layout: &DistributedLayout, register: u32, lane: u32, warp: u32) -> u64 {
    let coords = layout.coords(register, lane, warp);
    let outs = layout.linear().outs();
    outs.zip(coords)
        .fold((0, 0), |(sum, shift), ((_, size), c)| {
            (sum | u64::from(c) << shift, shift + size.trailing_zeros())
        })
        .0
}

fn held(layout: &DistributedLayout, lane: u32, warp: u32) -> Registers {
    (0..layout.num_registers())
        .map(|register| element(layout, register, lane, warp))
        .collect()
}

fn check(dst: &DistributedLayout, found: impl Fn(u32, u32) -> Registers) {
    for (lane, warp) in threads(dst) {
        assert_eq!(found(lane, warp), held(dst, lane, warp), "lane {lane}, warp {warp}");
    }
}

/// Whether an odd number of these bits is set.
fn is_odd(lanes: u32, warps: u32) -> bool {
    (lanes.count_ones() + warps.count_ones()) % 2 == 1
}

/// The lane that a lane's words come from, but for what is flipped.
fn source_lane(exchange: &LaneExchange, lane: u32, warp: u32) -> u32 {
    let [lanes, warps] = exchange.source_lane_bases();
    let sum = |bases: &[u32], number: u32| {
        let set = bases.iter().zip(0..).filter(|(_, bit)| number >> bit & 1 != 0);
        set.fold(0, |sum, (basis, _)| sum ^ basis)
    };
    sum(lanes, lane) ^ sum(warps, warp)
}

/// Whether a thread stores or loads in a round.
fn takes_part(round: &Round, lane: u32, warp: u32) -> bool {
    let holds = |p: &LanePredicate| is_odd(lane & p.lanes, warp & p.warps) == p.odd;
    round.predicates.iter().all(holds)
}

fn select(words: Vec<Registers>, steps: &[SelectStep], lane: u32, warp: u32) -> Vec<Registers> {
    steps.iter().fold(words, |words, step| {
        let flip = if is_odd(lane & step.lanes, warp & step.warps) {
            step.flip as usize
        } else {
            0
        };
        (0..words.len()).map(|word| words[word ^ flip].clone()).collect()
    })
}

/// The selections that are of use: those of words that are sent, or that a later selection of such a word takes.
fn selections(exchange: &LaneExchange) -> u32 {
    let sent: BTreeSet<u32> = exchange.transfers.iter().map(|transfer| transfer.send).collect();
    let (before, _) = exchange.before.iter().rev().fold((0, sent), |(count, needed), step| {
        let taken = needed.iter().flat_map(|word| [*word, word ^ step.flip]);
        (count + needed.len(), taken.collect())
    });
    let after = exchange.after.len() * exchange.transfers.len();
    (before + after) as u32 * exchange.width
}

fn by_shuffles(exchange: &LaneExchange, src: &DistributedLayout, dst: &DistributedLayout, bytes: u32) {
    // What lanes offer.
    let offered: BTreeMap<(u32, u32), Vec<Registers>> = threads(src)
        .map(|(lane, warp)| {
            let registers = held(src, lane, warp);
            let word = |parts: &Vec<u32>| parts.iter().map(|&r| registers[r as usize]).collect();
            let words = exchange.words.iter().map(word).collect();
            ((lane, warp), select(words, &exchange.before, lane, warp))
        })
        .collect();
    assert_eq!(exchange.num_selects(), selections(exchange));
    for word in &exchange.words {
        assert!(word.len() as u32 * bytes <= 4 || word.len() == 1, "{word:?}");
    }
    check(dst, |lane, warp| {
        let got = exchange.transfers.iter().map(|transfer| {
            let from = source_lane(exchange, lane, warp) ^ transfer.flip;
            if exchange.keeps_lanes() {
                assert_eq!(from, lane ^ transfer.flip);
            }
            offered[&(from, warp)][transfer.send as usize].clone()
        });
        let words = select(got.collect(), &exchange.after, lane, warp);
        exchange
            .places
            .iter()
            .map(|&(word, part)| words[word as usize][part as usize])
            .collect()
    });
}

fn through_shared(exchange: &SharedExchange, src: &DistributedLayout, dst: &DistributedLayout, bytes: u32) {
    let mut found: BTreeMap<(u32, u32), Registers> = BTreeMap::new();
    let staging = &exchange.staging;
    assert_eq!(
        staging.layout.total_in_bits(),
        staging.layout.rank(),
        "no two elements in one place"
    );
    let sides = [(&exchange.src, staging.store), (&exchange.dst, staging.load)];
    let [store_at, load_at] = sides.map(|(threads, access)| {
        assert_eq!(access.ways, 1, "no conflict");
        places(threads, &staging.layout, access, bytes)
    });
    assert_eq!(exchange.stored.len(), exchange.loaded.len());
    let pieces = if exchange.within_warps {
        u64::from(src.num_warps())
    } else {
        1
    };
    assert_eq!(exchange.bytes, pieces * exchange.piece_bytes);
    for (stored, loaded) in exchange.stored.iter().zip(&exchange.loaded) {
        let mut memory = BTreeMap::new();
        let piece = |warp| if exchange.within_warps { warp } else { 0 };
        for (lane, warp) in threads(src).filter(|&(lane, warp)| takes_part(stored, lane, warp)) {
            for (at, &register) in (0..).zip(&stored.registers) {
                let offset = store_at[&(at, lane, warp)];
                assert!(u64::from(offset) * u64::from(bytes) < exchange.piece_bytes);
                let value = element(src, register, lane, warp);
                let before = memory.insert((piece(warp), offset), value);
                assert!(before.is_none_or(|before| before == value), "two elements in one place");
            }
        }
        for (lane, warp) in threads(dst).filter(|&(lane, warp)| takes_part(loaded, lane, warp)) {
            for (at, &register) in (0..).zip(&loaded.registers) {
                let offset = load_at[&(at, lane, warp)];
                let to = found
                    .entry((lane, warp))
                    .or_insert_with(|| vec![u64::MAX; dst.num_registers() as usize]);
                to[register as usize] = memory[&(piece(warp), offset)];
            }
        }
    }
    check(dst, |lane, warp| {
        let registers = &found[&(lane, warp)];
        let representatives = dst.register_representatives();
        representatives
            .iter()
            .map(|&register| registers[register as usize])
            .collect()
    });
}

fn carry_out(src: &DistributedLayout, dst: &DistributedLayout, bytes: u32, memory: SharedMemory) -> ConversionKind {
    let kind = ConversionPlan::new(src, dst).unwrap().kind(bytes, memory).unwrap();
    match &kind {
        ConversionKind::Registers(sources) => check(dst, |lane, warp| {
            let registers = held(src, lane, warp);
            sources.iter().map(|&source| registers[source as usize]).collect()
        }),
        ConversionKind::Lanes(exchange) => by_shuffles(exchange, src, dst, bytes),
        ConversionKind::Shared(exchange) => through_shared(exchange, src, dst, bytes),
    }
    kind
}

const PLENTY: SharedMemory = SharedMemory {
    bytes: 1 << 20,
    matrices: Matrices::NONE,
};

fn limited(bytes: u64) -> SharedMemory {
    SharedMemory {
        bytes,
        matrices: Matrices::NONE,
    }
}

fn blocked(
    shape: &[u32; 2],
    per_thread: [u32; 2],
    lanes: [u32; 2],
    warps: [u32; 2],
    order: [usize; 2],
) -> DistributedLayout {
    DistributedLayout::blocked(shape, &per_thread, &lanes, &warps, &order).unwrap()
}

#[test]
fn pairs_that_are_known_to_have_no_conflicts() {
    // Transpositions of 128x128 in 8 and 16 bits, of 32x16 in 32 bits; rows of 16 bits to an operand of a product.
    let pairs = [
        (
            blocked(&[128, 128], [1, 16], [4, 8], [4, 1], [1, 0]),
            blocked(&[128, 128], [16, 1], [8, 4], [1, 4], [0, 1]),
            1,
        ),
        (
            blocked(&[128, 128], [1, 8], [2, 16], [4, 1], [1, 0]),
            blocked(&[128, 128], [8, 1], [16, 2], [1, 4], [0, 1]),
            2,
        ),
        (
            blocked(&[32, 16], [1, 4], [8, 4], [4, 1], [1, 0]),
            blocked(&[32, 16], [4, 1], [8, 4], [1, 4], [0, 1]),
            4,
        ),
    ];
    for (src, dst, bytes) in pairs {
        let exchange = SharedExchange::new(&src, &dst, bytes, PLENTY).unwrap();
        through_shared(&exchange, &src, &dst, bytes);
        let vectors = [exchange.staging.store, exchange.staging.load].map(|access| access.bytes(bytes));
        assert_eq!(
            vectors.iter().max(),
            Some(&16),
            "one side has vectors of 16 bytes: {vectors:?}"
        );
    }
    let src = blocked(&[16, 16], [1, 8], [16, 2], [1, 1], [1, 0]);
    let dst = DistributedLayout::mma_operand_a([16, 16], [1, 1], 2).unwrap();
    let exchange = SharedExchange::new(&src, &dst, 2, PLENTY).unwrap();
    through_shared(&exchange, &src, &dst, 2);
    assert!(exchange.within_warps);
    let forms = (exchange.staging.store.form, exchange.staging.load.form);
    assert_eq!(forms, (Form::Vector(8), Form::Vector(2)));
}

#[test]
fn a_transposition_of_registers_and_lanes_takes_one_shuffle_less_than_words() {
    let src = layout("{register = [1, 2], lane = [4, 8, 16, 32, 64]}");
    let dst = layout("{register = [4, 8], lane = [1, 2, 16, 32, 64]}");
    let ConversionKind::Lanes(exchange) = carry_out(&src, &dst, 4, PLENTY) else {
        panic!("shuffles suffice")
    };
    assert!(exchange.keeps_lanes());
    assert_eq!(exchange.num_shuffles(), 3, "the fourth word stays");
    assert_eq!(exchange.num_selects(), 16);
    let ConversionKind::Lanes(wide) = carry_out(&src, &dst, 8, PLENTY) else {
        panic!("shuffles suffice")
    };
    assert_eq!((wide.num_shuffles(), wide.num_selects()), (6, 32));
}

#[test]
fn narrow_elements_travel_together() {
    // Pairs stay pairs: half as many words, and as many selections.
    let src = layout("{register = [1, 2, 4], lane = [8, 16, 32, 64, 128]}");
    let dst = layout("{register = [1, 8, 16], lane = [2, 4, 32, 64, 128]}");
    let ConversionKind::Lanes(exchange) = carry_out(&src, &dst, 2, PLENTY) else {
        panic!("shuffles suffice")
    };
    assert_eq!(
        (exchange.words.len(), exchange.num_shuffles(), exchange.num_selects()),
        (4, 3, 16)
    );
    assert_eq!(exchange.words[0], [0, 1]);
    // A permutation of lanes alone: no selection, four bytes to a word.
    let dst = layout("{register = [1, 2, 4], lane = [16, 8, 128, 32, 64]}");
    let ConversionKind::Lanes(exchange) = carry_out(&src, &dst, 1, PLENTY) else {
        panic!("shuffles suffice")
    };
    assert_eq!((exchange.num_shuffles(), exchange.num_selects()), (2, 0));
    assert!(!exchange.keeps_lanes());
    let ConversionKind::Lanes(exchange) = carry_out(&src, &dst, 4, PLENTY) else {
        panic!("shuffles suffice")
    };
    assert_eq!(exchange.num_shuffles(), 8);
}

#[test]
fn copies_move_once_and_spare_shuffles() {
    // A register that repeats another does not move.
    let src = layout("{register = [1, 0, 1], lane = [2, 4, 8, 16, 32]}");
    let dst = layout("{register = [0, 2], lane = [1, 4, 8, 16, 32]}");
    let ConversionKind::Lanes(exchange) = carry_out(&src, &dst, 4, PLENTY) else {
        panic!("shuffles suffice")
    };
    assert_eq!(
        (exchange.words.len(), exchange.transfers.len(), exchange.num_shuffles()),
        (2, 2, 1)
    );
    let shared = SharedExchange::new(&src, &dst, 4, PLENTY).unwrap();
    through_shared(&shared, &src, &dst, 4);
    assert_eq!((shared.src.num_registers(), shared.dst.num_registers()), (2, 2));
    // Every lane has all: each takes its own.
    let src = layout("{register = [1, 2], lane = [0, 0, 4, 8, 16]}");
    let dst = layout("{lane = [1, 2, 4, 8, 16]}");
    let ConversionKind::Lanes(exchange) = carry_out(&src, &dst, 4, PLENTY) else {
        panic!("within a thread")
    };
    assert_eq!((exchange.num_shuffles(), exchange.num_selects()), (0, 3));
    // From one to all.
    let ConversionKind::Lanes(exchange) = carry_out(&dst, &src, 4, PLENTY) else {
        panic!("shuffles suffice")
    };
    assert_eq!(exchange.num_shuffles(), 4);
}

#[test]
fn registers_that_both_sides_hold_are_moved_in_rounds() {
    let src = layout("{register = [1, 256, 512, 1024], lane = [2, 4, 8, 16, 32], warp = [64, 128]}");
    let dst = layout("{register = [1, 1024, 512, 256], lane = [64, 128, 8, 16, 32], warp = [2, 4]}");
    for (budget, rounds, vector) in [(1 << 20, 1, 4), (4096, 2, 4), (2048, 4, 4), (1024, 8, 2), (512, 16, 1)] {
        let exchange = SharedExchange::new(&src, &dst, 4, limited(budget)).unwrap();
        through_shared(&exchange, &src, &dst, 4);
        assert_eq!(
            (exchange.stored.len(), exchange.staging.store.form),
            (rounds, Form::Vector(vector)),
            "{budget}"
        );
        assert!(exchange.bytes <= budget);
    }
    // All registers are common already: lanes and warps take predicates.
    let exchange = SharedExchange::new(&src, &dst, 4, limited(256)).unwrap();
    through_shared(&exchange, &src, &dst, 4);
    assert_eq!((exchange.stored.len(), exchange.bytes), (32, 256));
}

#[test]
fn warps_take_turns_where_no_register_is_common() {
    // Rows and columns of 256x64: what one side has in registers, the other has in threads.
    let rows = blocked(&[256, 64], [1, 64], [32, 1], [8, 1], [1, 0]);
    let columns = blocked(&[256, 64], [64, 1], [4, 8], [1, 8], [0, 1]);
    let predicates = |rounds: &[Round]| -> Vec<(usize, u32, u32)> {
        let of = |predicate: &LanePredicate| (predicate.lanes, predicate.warps);
        let of = |round: &Round| {
            (
                round.registers.len(),
                round.predicates.iter().map(of).collect::<Vec<_>>(),
            )
        };
        let all: Vec<_> = rounds.iter().map(of).collect();
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:?}");
        all[0]
            .1
            .iter()
            .map(|&(lanes, warps)| (all[0].0, lanes, warps))
            .collect()
    };
    for (budget, rounds) in [(1 << 16, 1), (1 << 15, 2), (1 << 14, 4)] {
        for (src, dst) in [(&rows, &columns), (&columns, &rows)].map(|(src, dst)| (src.clone(), dst.clone())) {
            let exchange = SharedExchange::new(&src, &dst, 4, limited(budget)).unwrap();
            through_shared(&exchange, &src, &dst, 4);
            assert_eq!((exchange.stored.len(), exchange.bytes), (rounds, budget));
            // No lane is idle: one side has some of its warps take part, the other has part of its registers at a time.
            let all = [predicates(&exchange.stored), predicates(&exchange.loaded)].concat();
            assert_eq!(all.len(), rounds.ilog2() as usize);
            assert!(
                all.iter()
                    .all(|&(_, lanes, warps)| lanes == 0 && warps.is_power_of_two()),
                "{all:?}"
            );
        }
    }
    // Within warps there are but lanes.
    let src = layout("{register = [1, 2, 4, 8, 16], lane = [32, 64, 128, 256, 512]}");
    let dst = layout("{register = [32, 64, 128, 256, 512], lane = [1, 2, 4, 8, 16]}");
    let memory = SharedMemory {
        bytes: 1024,
        matrices: Matrices {
            load: true,
            store: true,
        },
    };
    let exchange = SharedExchange::new(&src, &dst, 2, memory).unwrap();
    through_shared(&exchange, &src, &dst, 2);
    assert_eq!(
        (exchange.within_warps, exchange.stored.len(), exchange.bytes),
        (true, 2, 1024)
    );
    let predicates = [predicates(&exchange.stored), predicates(&exchange.loaded)];
    assert_eq!(predicates.iter().map(Vec::len).sum::<usize>(), 1, "{predicates:?}");
    let forms = [exchange.staging.store.form, exchange.staging.load.form];
    for (predicates, form) in predicates.iter().zip(forms) {
        assert!(
            predicates.is_empty() || matches!(form, Form::Vector(_)),
            "instructions for matrices need all lanes"
        );
    }
}

/// Of the directions that make a round smaller, the one along which the fewest threads are idle.
#[test]
fn rounds_go_along_registers_of_both_sides_first() {
    let turns = |rounds: &[Round]| rounds.iter().map(|round| round.predicates.len()).collect::<Vec<_>>();
    // 3 = 1 ^ 2 = 4 ^ 7: a sum of registers on either side. In the second pair 8 is in threads as well.
    for (src, dst) in [
        ("{register = [1, 2], lane = [4]}", "{register = [4, 7], lane = [1]}"),
        (
            "{register = [1, 2, 8], lane = [4, 8]}",
            "{register = [4, 7, 8], lane = [1, 8]}",
        ),
    ] {
        let (src, dst) = (layout(src), layout(dst));
        let half = 4 * u64::from(src.shape()[0]) / 2;
        let exchange = SharedExchange::new(&src, &dst, 4, limited(half)).unwrap();
        through_shared(&exchange, &src, &dst, 4);
        assert_eq!(exchange.bytes, half);
        assert_eq!([turns(&exchange.stored), turns(&exchange.loaded)], [[0, 0], [0, 0]]);
    }
    // 16 is in warps on both sides, 12 = 4 ^ 8 in those of the source alone.
    let src = layout("{register = [1, 2], lane = [4], warp = [16, 12]}");
    let dst = layout("{register = [4, 8], lane = [1], warp = [16, 3]}");
    let exchange = SharedExchange::new(&src, &dst, 4, limited(64)).unwrap();
    through_shared(&exchange, &src, &dst, 4);
    assert_eq!(exchange.bytes, 64);
    assert_eq!([turns(&exchange.stored), turns(&exchange.loaded)], [[1, 1], [0, 0]]);
}

/// Wavefronts are those of all rounds.
#[test]
fn rounds_add_up() {
    let src = layout("{register = [1, 256, 512, 1024], lane = [2, 4, 8, 16, 32], warp = [64, 128]}");
    let dst = layout("{register = [1, 1024, 512, 256], lane = [64, 128, 8, 16, 32], warp = [2, 4]}");
    for budget in [1 << 20, 4096, 2048, 1024] {
        let exchange = SharedExchange::new(&src, &dst, 4, limited(budget)).unwrap();
        // Sixteen words of each lane, stored once and loaded once, 32 lanes at a time.
        assert_eq!(exchange.wavefronts(4), 16 + 16);
    }
}

/// Shuffles are taken where they cost no more than shared memory, and where that does not suffice.
#[test]
fn shuffles_where_memory_is_too_small() {
    let src = layout("{register = [1, 2, 4, 8, 16], lane = [32, 64, 128, 256, 512]}");
    let dst = layout("{register = [32, 64, 128, 256, 512], lane = [1, 2, 4, 8, 16]}");
    let shuffles = LaneExchange::new(&src, &dst, 8).unwrap().unwrap();
    let cost = shuffles.num_shuffles() + shuffles.num_selects() / 2;
    let takes_shuffles = |bytes| {
        let kind = ConversionPlan::new(&src, &dst)
            .unwrap()
            .kind(8, limited(bytes))
            .unwrap();
        let shared = SharedExchange::new(&src, &dst, 8, limited(bytes)).unwrap();
        let expected = shared.bytes > bytes || cost <= shared.wavefronts(8) + 16;
        assert_eq!(matches!(kind, ConversionKind::Lanes(_)), expected, "{bytes} bytes");
        expected
    };
    assert!((0..15).all(|bit| takes_shuffles(1 << bit) || bit > 3));
    // All of the tile at once, and no byte more.
    let tile = SharedExchange::new(&src, &dst, 8, PLENTY).unwrap().bytes;
    assert!(!takes_shuffles(tile));
    assert!(takes_shuffles(0), "there is no shared memory");
}

/// Where lanes differ by registers alone, each offers what it keeps, whatever else could be sent.
#[test]
fn lanes_keep_their_place_where_they_can() {
    let src = layout("{register = [1], lane = [2, 4]}");
    let dst = layout("{register = [2], lane = [1, 6]}");
    let exchange = LaneExchange::new(&src, &dst, 4).unwrap().unwrap();
    by_shuffles(&exchange, &src, &dst, 4);
    assert!(exchange.keeps_lanes());
    assert_eq!(exchange.num_shuffles(), 1);
}

/// Lanes of the destination that hold what a register or another lane holds too.
#[test]
fn lanes_that_repeat_others_are_served() {
    for (src, dst) in [
        (
            "{register = [1], lane = [2, 4, 0]}",
            "{register = [2], lane = [2, 3, 4]}",
        ),
        (
            "{register = [1, 16], lane = [2, 32, 4, 8]}",
            "{register = [3, 16, 32], lane = [1, 1, 8, 4]}",
        ),
        (
            "{register = [1], lane = [2, 4, 8, 0]}",
            "{register = [1], lane = [8, 4, 12, 2]}",
        ),
    ] {
        let (src, dst) = (layout(src), layout(dst));
        let exchange = LaneExchange::new(&src, &dst, 4)
            .unwrap()
            .expect("each lane is asked for one word");
        by_shuffles(&exchange, &src, &dst, 4);
    }
}

#[test]
fn warps_that_exchange_nothing_have_pieces_of_their_own() {
    let src = layout("{register = [1, 2, 4, 8, 16, 32], lane = [64, 128, 256, 512, 1024], warp = [2048, 0]}");
    let dst = layout("{register = [64, 128, 256, 512, 1024, 32], lane = [1, 2, 4, 8, 16], warp = [2048, 0]}");
    let ConversionKind::Shared(exchange) = carry_out(&src, &dst, 8, PLENTY) else {
        panic!("too many shuffles")
    };
    assert!(exchange.within_warps);
    assert_eq!((exchange.piece_bytes, exchange.bytes), (2048 * 8, 4 * 2048 * 8));
    // Warps that repeat one another have one piece where four do not fit.
    let ConversionKind::Shared(exchange) = carry_out(&src, &dst, 8, limited(40000)) else {
        panic!("too many shuffles")
    };
    assert!(!exchange.within_warps);
    assert_eq!(exchange.bytes, 4096 * 8);
}

/// What fits, in rounds that both sides can carry out: directions that one has in registers and the other in threads, and
/// those that lie askew in both.
#[test]
fn rounds_fit_into_little_memory() {
    for (src, dst, bytes, budget, rounds) in [
        (
            "{register = [0, 4, 75], lane = [32, 192, 144, 0, 16], warp = [67, 33]}",
            "{register = [4], lane = [8, 16, 1, 2, 128], warp = [32, 64]}",
            4,
            64,
            16,
        ),
        (
            "{register = [5, 16], lane = [32, 10, 192, 0, 128], warp = [1, 40]}",
            "{register = [2], lane = [64, 8, 4, 1, 128], warp = [32, 16]}",
            1,
            4,
            64,
        ),
        (
            "{register = [384, 33, 256], lane = [16, 8, 64, 20], warp = [2, 1]}",
            "{register = [8, 16, 4, 0], lane = [128, 32, 256, 64], warp = [1, 2]}",
            2,
            2,
            512,
        ),
        (
            "{register = [64, 2, 1, 32, 16, 1796], lane = [4, 512, 128, 260, 9]}",
            "{register = [1, 4, 2, 8, 32, 16], lane = [64, 128, 256, 512, 1024]}",
            1,
            8,
            256,
        ),
    ] {
        let (src, dst) = (layout(src), layout(dst));
        let exchange = SharedExchange::new(&src, &dst, bytes, limited(budget)).unwrap();
        assert_eq!(
            (exchange.bytes, exchange.stored.len(), exchange.loaded.len()),
            (budget, rounds, rounds)
        );
        through_shared(&exchange, &src, &dst, bytes);
    }
}

/// Lanes that hold what others hold ask for what these get: the fewer words are asked for, the fewer are selected.
#[test]
fn lanes_ask_for_few_words() {
    for (src, dst, bytes) in [
        (
            "{register = [16], lane = [1, 8, 2, 4]}",
            "{register = [1, 4], lane = [8, 2, 1, 16]}",
            2,
        ),
        (
            "{register = [1], lane = [2, 32, 16, 8, 4]}",
            "{register = [2, 16], lane = [1, 8, 4, 2, 32]}",
            4,
        ),
    ] {
        let (src, dst) = (layout(src), layout(dst));
        let exchange = LaneExchange::new(&src, &dst, bytes)
            .unwrap()
            .expect("they are of one warp");
        by_shuffles(&exchange, &src, &dst, bytes);
        assert_eq!((exchange.num_shuffles(), exchange.num_selects()), (4, 6));
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let src = layout("{register = [1], block = [2]}");
    let dst = layout("{register = [2], block = [1]}");
    let e = ConversionPlan::new(&src, &dst).unwrap().kind(4, PLENTY).unwrap_err();
    assert!(e.to_string().contains("distributed shared memory"), "{e}");
    let e = LaneExchange::new(&src, &src, 16).unwrap_err();
    assert!(matches!(e, LayoutError::Parameters { .. }), "{e}");
    assert!(ConversionPlan::new(&dst, &src).unwrap().kind(3, PLENTY).is_err());
}

fn pair() -> impl Strategy<Value = (DistributedLayout, DistributedLayout)> {
    (0usize..10, 0usize..6, 0usize..3).prop_flat_map(|(size, lanes, warps)| {
        (
            layout_of(size.max(1), lanes, warps),
            layout_of(size.max(1), lanes, warps),
        )
    })
}

/// Two layouts whose warps hold the same: register and lane bits of the first mixed anew.
fn pair_of_warps() -> impl Strategy<Value = (DistributedLayout, DistributedLayout)> {
    let one = (1usize..8, 0usize..6, 0usize..3).prop_flat_map(|(size, lanes, warps)| {
        (
            layout_of(size, lanes, 0),
            layout_of(size, lanes, 0),
            prop::collection::vec((0..1u32 << size, 0..1u32 << size, any::<bool>()), warps),
        )
    });
    one.prop_map(|(src, dst, warps)| {
        let size = src.linear().out_size("dim0");
        let with = |layout: &DistributedLayout, second: bool| {
            let bases = |dim| layout.linear().bases(dim).map(|basis| [basis[0]]).collect::<Vec<_>>();
            let mut end = size;
            let warp = warps.iter().map(|&(a, b, copied)| {
                let own = if copied { 0 } else { end };
                end <<= u32::from(!copied);
                [own | if second { a } else { b }]
            });
            let warp: Vec<_> = warp.collect();
            let ins = [("register", bases("register")), ("lane", bases("lane")), ("warp", warp)];
            DistributedLayout::new(LinearLayout::from_bases(ins, &[("dim0", end)]).expect("in range")).expect("onto")
        };
        (with(&src, false), with(&dst, true))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_pair_is_converted((src, dst) in pair(), bytes in 0u32..4, budget in 4u32..20, load: bool, store: bool) {
        let memory = SharedMemory { bytes: 1 << budget, matrices: Matrices { load, store } };
        carry_out(&src, &dst, 1 << bytes, memory);
        through_shared(&SharedExchange::new(&src, &dst, 1 << bytes, memory).unwrap(), &src, &dst, 1 << bytes);
        if let Some(exchange) = LaneExchange::new(&src, &dst, 1 << bytes).unwrap() {
            by_shuffles(&exchange, &src, &dst, 1 << bytes);
        }
    }

    /// Where sides have bits of the tile rather than sums of them, as most have, every tile fits after enough rounds.
    #[test]
    fn any_memory_suffices_for_plain_layouts(
        (from, to) in (
            Just((0..10u32).collect::<Vec<_>>()).prop_shuffle(),
            Just((0..10u32).collect::<Vec<_>>()).prop_shuffle(),
        ),
        bytes in 0u32..4,
        // From one element for each warp on.
        budget in 5u32..14,
    ) {
        let plain = |bits: Vec<u32>| {
            let bases = |bits: &[u32]| bits.iter().map(|bit| [1 << bit]).collect::<Vec<[u32; 1]>>();
            let ins = [("register", bases(&bits[..3])), ("lane", bases(&bits[3..8])), ("warp", bases(&bits[8..]))];
            DistributedLayout::new(LinearLayout::from_bases(ins, &[("dim0", 1 << 10)]).expect("in range")).expect("onto")
        };
        let (src, dst) = (plain(from), plain(to));
        let exchange = SharedExchange::new(&src, &dst, 1 << bytes, limited(1 << budget)).unwrap();
        through_shared(&exchange, &src, &dst, 1 << bytes);
        prop_assert!(exchange.bytes <= 1 << budget, "{} bytes", exchange.bytes);
    }

    #[test]
    fn elements_that_stay_in_their_warp_are_shuffled((src, dst) in pair_of_warps(), bytes in 0u32..4) {
        let exchange = LaneExchange::new(&src, &dst, 1 << bytes).unwrap().expect("each warp has all it needs");
        by_shuffles(&exchange, &src, &dst, 1 << bytes);
        prop_assert!(exchange.transfers.len() <= dst.unique_registers().len());
        let shared = SharedExchange::new(&src, &dst, 1 << bytes, PLENTY).unwrap();
        prop_assert!(shared.within_warps);
        through_shared(&shared, &src, &dst, 1 << bytes);
    }
}
