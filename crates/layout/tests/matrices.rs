//! Accesses of matrices: which word a lane gets, which layouts fit, and what is chosen.

mod executed;

use executed::{by_matrices, layout_of};
use mytriton_layout::staging::{Access, Form, Matrices, MatrixAccess, Staging, held, offsets};
use mytriton_layout::{
    DistributedLayout, HardwareSwizzle, LinearLayout, SharedExchange, SharedMemory, Swizzle, hardware_swizzled,
    swizzled,
};
use proptest::prelude::*;

const ALL: Matrices = Matrices {
    load: true,
    store: true,
};
const LOADS: Matrices = Matrices {
    load: true,
    store: false,
};

/// The figure of the PTX ISA, "ldmatrix": row i of the table is row i of the matrix, with the lane that has each pair.
#[test]
fn words_are_those_of_the_figure() {
    let figure = [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9, 10, 11],
        [12, 13, 14, 15],
        [16, 17, 18, 19],
        [20, 21, 22, 23],
        [24, 25, 26, 27],
        [28, 29, 30, 31],
    ];
    for (row, lanes) in (0..).zip(figure) {
        for (pair, lane) in (0..).zip(lanes) {
            for half in 0..2 {
                assert_eq!(held(lane, half, false), (row, 2 * pair + half));
                // ".trans": the matrix is loaded in column-major format.
                assert_eq!(held(lane, half, true), (2 * pair + half, row));
            }
        }
    }
}

#[test]
fn capabilities() {
    let of = |capability| {
        let Matrices { load, store } = Matrices::of_capability(capability);
        (load, store)
    };
    assert_eq!([0, 70].map(of), [(false, false); 2]);
    assert_eq!([75, 80, 86, 89].map(of), [(true, false); 4]);
    assert_eq!([90, 100].map(of), [(true, true); 2]);
}

fn blocked(
    shape: [u32; 2],
    per_thread: [u32; 2],
    lanes: [u32; 2],
    warps: [u32; 2],
    order: [usize; 2],
) -> DistributedLayout {
    DistributedLayout::blocked(&shape, &per_thread, &lanes, &warps, &order).unwrap()
}

/// Operands of `mma` are what the instruction was made for, from rows that TMA has swizzled as well.
#[test]
fn operands_of_products() {
    let fits = |threads: &DistributedLayout, shared: &LinearLayout, bytes| {
        [false, true].map(|transposed| {
            let access = MatrixAccess::new(threads, shared, bytes, transposed).unwrap()?;
            by_matrices(threads, &access, bytes);
            Some((access.count, access.instructions.len(), access.ways))
        })
    };
    let swizzled_rows = hardware_swizzled([64, 64], 2, HardwareSwizzle::B128).unwrap();
    let plain = swizzled(&[64, 64], &[1, 0], Swizzle::NONE).unwrap();
    let a = DistributedLayout::mma_operand_a([64, 64], [4, 1], 2).unwrap();
    assert_eq!(fits(&a, &swizzled_rows, 2), [Some((4, 4, 1)), None]);
    assert_eq!(fits(&a, &plain, 2), [Some((4, 4, 8)), None]);
    // B lies with n fastest: transposed.
    let b = DistributedLayout::mma_operand_b([64, 64], [1, 4], 2).unwrap();
    assert_eq!(fits(&b, &swizzled_rows, 2), [None, Some((4, 4, 1))]);
    // The accumulator as it is, of 16 bits; of 32 bits a row is four elements, of which lanes have pairs.
    let c = DistributedLayout::mma_accumulator([64, 64], [4, 1]).unwrap();
    assert_eq!(fits(&c, &swizzled_rows, 2), [Some((4, 4, 1)), None]);
    let words = hardware_swizzled([64, 64], 4, HardwareSwizzle::B128).unwrap();
    assert_eq!(fits(&c, &words, 4), [None, None]);
    let bytes = hardware_swizzled([64, 128], 1, HardwareSwizzle::B128).unwrap();
    let a = DistributedLayout::mma_operand_a([64, 128], [4, 1], 4).unwrap();
    assert_eq!(fits(&a, &bytes, 1), [Some((4, 4, 1)), None]);
    let tf32 = DistributedLayout::mma_operand_a([64, 64], [4, 1], 1).unwrap();
    assert_eq!(fits(&tf32, &words, 4), [Some((4, 8, 1)), None]);
    assert_eq!(fits(&tf32, &words, 8), [None, None]);
    // Fewer lanes than the instruction is for.
    let few = DistributedLayout::blocked(&[8, 8], &[1, 2], &[4, 4], &[1, 1], &[1, 0]).unwrap();
    let small = swizzled(&[8, 8], &[1, 0], Swizzle::NONE).unwrap();
    assert_eq!(fits(&few, &small, 2), [None, None]);
}

#[test]
fn the_cheaper_access_is_taken() {
    let shared = hardware_swizzled([64, 64], 2, HardwareSwizzle::B128).unwrap();
    let a = DistributedLayout::mma_operand_a([64, 64], [4, 1], 2).unwrap();
    let of = |threads, matrices| Access::best(threads, &shared, 2, matrices).unwrap();
    let (count, transposed) = (4, false);
    assert_eq!(
        of(&a, true),
        Access {
            form: Form::Matrices { count, transposed },
            ways: 1
        }
    );
    assert_eq!(
        of(&a, false),
        Access {
            form: Form::Vector(2),
            ways: 1
        }
    );
    let (cost, vectors) = (of(&a, true), of(&a, false));
    assert_eq!(
        [cost, vectors].map(|access| (access.count(&a, 2), access.wavefronts(&a, 2))),
        [(4, 16), (16, 16)]
    );
    // Sixteen bytes of a row in a lane are one access as well.
    let rows = blocked([64, 64], [1, 8], [4, 8], [4, 1], [1, 0]);
    assert_eq!(of(&rows, true).form, Form::Vector(8));
}

/// Of accesses that take as long, vectors: a word of each lane, without conflicts, either way.
#[test]
fn vectors_are_taken_where_matrices_save_nothing() {
    let threads = blocked([8, 8], [1, 2], [8, 4], [1, 1], [1, 0]);
    let shared = swizzled(&[8, 8], &[1, 0], Swizzle::NONE).unwrap();
    let matrices = MatrixAccess::new(&threads, &shared, 2, false)
        .unwrap()
        .expect("it fits");
    assert_eq!((matrices.count, matrices.instructions.len(), matrices.ways), (1, 1, 1));
    let access = Access::best(&threads, &shared, 2, true).unwrap();
    assert_eq!((access.form, access.ways), (Form::Vector(2), 1));
}

/// A register may step along its row too: what the instruction holds there is found under another number.
#[test]
fn registers_that_step_both_ways() {
    let shared = hardware_swizzled([64, 64], 2, HardwareSwizzle::B128).unwrap();
    let text = "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]";
    for registers in [
        "[0, 1], [8, 1], [0, 8], [0, 16], [0, 32]",
        "[0, 1], [8, 1], [8, 9], [0, 17], [8, 33]",
        "[0, 1], [8, 0], [8, 8], [8, 24], [0, 48]",
    ] {
        let threads: DistributedLayout = format!("{{register = [{registers}], {text}}}").parse().unwrap();
        let access = MatrixAccess::new(&threads, &shared, 2, false)
            .unwrap()
            .expect("it fits");
        let at = offsets(&threads, &shared).unwrap();
        for ((register, lane, warp), place) in by_matrices(&threads, &access, 2) {
            assert_eq!(at.apply_in_order(&[register, lane, warp])[0], place);
        }
    }
}

/// The instructions are those of one thread block.
#[test]
fn tiles_of_several_blocks_have_no_matrices() {
    let shared = swizzled(&[16, 8], &[1, 0], Swizzle::NONE).unwrap();
    let text = "{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = WARP, block = BLOCK}";
    let fits = |warp, block| {
        let threads: DistributedLayout = text.replace("WARP", warp).replace("BLOCK", block).parse().unwrap();
        MatrixAccess::new(&threads, &shared, 2, false).unwrap().is_some()
    };
    assert!(fits("[[8, 0]]", "[]") && !fits("[]", "[[8, 0]]"));
}

/// Forms of store and load, and wavefronts and instructions of a warp.
fn chosen(src: &DistributedLayout, dst: &DistributedLayout, bytes: u32, matrices: Matrices) -> ([Form; 2], u32, u32) {
    let memory = SharedMemory {
        bytes: 1 << 20,
        matrices,
    };
    let exchange = SharedExchange::new(src, dst, bytes, memory).unwrap();
    let staging = &exchange.staging;
    let sides = [(&exchange.src, staging.store), (&exchange.dst, staging.load)];
    let instructions = sides.iter().map(|(threads, access)| access.count(threads, bytes)).sum();
    assert_eq!(sides.map(|(_, access)| access.ways), [1, 1]);
    (
        sides.map(|(_, access)| access.form),
        exchange.wavefronts(bytes),
        instructions,
    )
}

const PLAIN: Form = Form::Matrices {
    count: 4,
    transposed: false,
};
const TRANSPOSED: Form = Form::Matrices {
    count: 4,
    transposed: true,
};

#[test]
fn conversions_by_matrices() {
    // A transposition of 16-bit elements, 16 bytes of a row in a thread on both sides: with vectors one of the two takes
    // single elements.
    let src = blocked([64, 64], [1, 8], [4, 8], [4, 1], [1, 0]);
    let dst = blocked([64, 64], [8, 1], [8, 4], [1, 4], [0, 1]);
    let (_, wavefronts, instructions) = chosen(&src, &dst, 2, Matrices::NONE);
    assert_eq!((wavefronts, instructions), (48, 36));
    assert_eq!(chosen(&src, &dst, 2, LOADS), ([Form::Vector(8), TRANSPOSED], 32, 8));
    assert_eq!(chosen(&dst, &src, 2, LOADS), ([Form::Vector(8), TRANSPOSED], 32, 8));
    let (forms, wavefronts, instructions) = chosen(&src, &dst, 2, ALL);
    assert!(forms.contains(&TRANSPOSED), "{forms:?}");
    assert_eq!((wavefronts, instructions), (32, 8));

    // Rows to operands and back, of 16 and of 8 bits.
    let a = DistributedLayout::mma_operand_a([64, 64], [4, 1], 2).unwrap();
    assert_eq!(chosen(&src, &a, 2, LOADS).0, [Form::Vector(8), PLAIN]);
    // Back, rows are not those of the tile: along them, what the source has in registers and the destination in lanes.
    assert_eq!(chosen(&a, &src, 2, LOADS).0, [Form::Vector(8), PLAIN]);
    assert_eq!(chosen(&a, &src, 2, ALL).0, [PLAIN, Form::Vector(8)]);
    let b = DistributedLayout::mma_operand_b([64, 64], [1, 4], 2).unwrap();
    assert_eq!(chosen(&src, &b, 2, LOADS).0, [Form::Vector(8), TRANSPOSED]);
    let c = DistributedLayout::mma_accumulator([64, 64], [4, 1]).unwrap();
    assert_eq!(chosen(&c, &src, 2, ALL).0, [PLAIN, Form::Vector(8)]);
    let rows = blocked([64, 64], [1, 16], [8, 4], [4, 1], [1, 0]);
    let a = DistributedLayout::mma_operand_a([64, 64], [4, 1], 4).unwrap();
    assert_eq!(chosen(&rows, &a, 1, LOADS).0, [Form::Vector(16), PLAIN]);

    // A transposition of words does not keep halves of them together.
    let src = blocked([64, 32], [1, 4], [4, 8], [4, 1], [1, 0]);
    let dst = blocked([64, 32], [4, 1], [8, 4], [1, 4], [0, 1]);
    let (forms, ..) = chosen(&src, &dst, 4, ALL);
    assert!(forms.iter().all(|form| matches!(form, Form::Vector(_))), "{forms:?}");
}

/// Wavefronts and instructions of both sides, where neither has conflicts.
fn total(src: &DistributedLayout, dst: &DistributedLayout, bytes: u32, matrices: Matrices) -> u32 {
    let Staging { store, load, .. } = Staging::choose(src, dst, bytes, matrices).unwrap();
    assert_eq!((store.ways, load.ways), (1, 1), "{src:?} to {dst:?}");
    let of = |access: Access, threads| access.wavefronts(threads, bytes) + access.count(threads, bytes);
    of(store, src) + of(load, dst)
}

/// The sum counts, not one side; conflicts are avoided even where the sum would be less with them.
#[test]
fn what_is_chosen_takes_least_without_conflicts() {
    for (src, dst, bytes, matrices, expected) in [
        // Either side could have the vectors.
        (
            "{register = [16], lane = [1, 8, 2, 4]}",
            "{register = [1, 4], lane = [8, 2, 1, 16]}",
            2,
            Matrices::NONE,
            8,
        ),
        (
            "{register = [8], lane = [0, 1, 2, 4, 16]}",
            "{register = [1, 16], lane = [0, 4, 2, 8, 1]}",
            4,
            Matrices::NONE,
            10,
        ),
        // Longer vectors would take less, with conflicts of the load, or of the store.
        (
            "{register = [4, 32, 1], lane = [0, 4, 8, 2, 16], warp = [64]}",
            "{register = [116], lane = [8, 76, 20, 2, 84], warp = [1]}",
            4,
            Matrices::NONE,
            19,
        ),
        (
            "{register = [4, 1, 2], lane = [0, 8, 64, 128, 0], warp = [16, 32]}",
            "{register = [2], lane = [32, 128, 16, 64, 8], warp = [1, 4]}",
            2,
            LOADS,
            10,
        ),
        (
            "{lane = [8, 16, 1, 4, 2], warp = [32]}",
            "{register = [8, 32], lane = [2, 0, 1, 8, 4], warp = [16]}",
            4,
            LOADS,
            10,
        ),
        // So would matrices.
        (
            "{register = [2], lane = [1, 32, 128, 4, 8], warp = [16, 64]}",
            "{register = [128], lane = [1, 16, 2, 8, 64], warp = [32, 4]}",
            2,
            LOADS,
            6,
        ),
        // Matrices take less than vectors of a word.
        (
            "{lane = [8, 1, 4, 2, 16]}",
            "{register = [4, 8], lane = [4, 4, 16, 2, 1]}",
            2,
            LOADS,
            5,
        ),
        (
            "{register = [32], lane = [2, 1, 4, 16, 8]}",
            "{register = [8], lane = [32, 1, 2, 16, 4]}",
            4,
            ALL,
            6,
        ),
        (
            "{lane = [2, 16, 32, 1, 8], warp = [4]}",
            "{register = [4], lane = [2, 1, 32, 17, 8], warp = [0]}",
            4,
            ALL,
            5,
        ),
        (
            "{register = [64, 8], lane = [16, 2, 4, 1, 32]}",
            "{register = [64, 2], lane = [4, 1, 8, 32, 16]}",
            1,
            LOADS,
            4,
        ),
        // The other side has vectors as long as the rows allow.
        (
            "{register = [8, 2, 32], lane = [8, 8, 16, 1, 4]}",
            "{register = [0, 1, 16, 32], lane = [1, 2, 0, 4, 8]}",
            1,
            ALL,
            7,
        ),
        (
            "{register = [1, 128, 8, 4, 2], lane = [32, 256, 1, 16, 64], warp = [0]}",
            "{register = [16, 128, 256], lane = [32, 2, 4, 8, 1], warp = [64]}",
            1,
            LOADS,
            15,
        ),
    ] {
        let [from, to] = [src, dst].map(|text| text.parse::<DistributedLayout>().unwrap());
        assert_eq!(total(&from, &to, bytes, matrices), expected, "{src} to {dst}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Where lanes and registers go along rows, in a random way elsewhere, the instructions move each element to its place.
    #[test]
    fn matrices_hold_every_element(
        threads in layout_of(9, 5, 1),
        steps in prop::collection::vec((0usize..9, 0usize..9), 0..40),
        like_matrices in any::<Option<bool>>(),
        bytes in 0u32..3,
    ) {
        let mut bases: Vec<u32> = (0..9).map(|bit| 1 << bit).collect();
        if let Some(transposed) = like_matrices {
            // Rows of what should lie along them, the rest after it.
            let own = threads.linear();
            let [registers, lanes] = ["register", "lane"].map(|dim| own.bases(dim).map(|basis| basis[0]).collect::<Vec<u32>>());
            let inner = (if transposed { 1u32 } else { 2 }).saturating_sub(bytes) as usize;
            let along = if transposed { &lanes[2..] } else { &lanes[..2] };
            let all = registers.iter().take(inner).chain(along).chain(&registers).chain(&lanes).copied();
            let all: Vec<u32> = all.chain(own.bases("warp").map(|basis| basis[0])).chain(bases).collect();
            bases = Vec::new();
            for column in all {
                let spanned = (0..1usize << bases.len()).any(|set| {
                    let sum = bases.iter().enumerate().filter(|(i, _)| set >> i & 1 != 0).fold(0, |sum, (_, b)| sum ^ b);
                    sum == column
                });
                if !spanned {
                    bases.push(column);
                }
            }
        }
        // Rows stay what they are; banks and what is above them mix.
        for (to, from) in steps {
            if to != from && (to >= 4 && from >= 4 || like_matrices.is_none()) {
                bases[to] ^= bases[from];
            }
        }
        let shared = LinearLayout::from_bases([("offset", bases.iter().map(|b| [*b]).collect::<Vec<_>>())], &[("dim0", 512)]).unwrap();
        let at = offsets(&threads, &shared).unwrap();
        for transposed in [false, true] {
            let Some(access) = MatrixAccess::new(&threads, &shared, 1 << bytes, transposed).unwrap() else {
                continue;
            };
            let places = by_matrices(&threads, &access, 1 << bytes);
            prop_assert_eq!(places.len(), 64 * threads.unique_registers().len());
            for ((register, lane, warp), place) in places {
                prop_assert_eq!(place, at.apply_in_order(&[register, lane, warp])[0]);
            }
        }
    }

    /// Instructions for matrices never cost more than doing without.
    #[test]
    fn matrices_are_taken_where_they_save(src in layout_of(8, 5, 1), dst in layout_of(8, 5, 1), bytes in 0u32..4) {
        let of = |matrices| {
            let Staging { store, load, .. } = Staging::choose(&src, &dst, 1 << bytes, matrices).unwrap();
            let cost = |access: Access, threads| access.wavefronts(threads, 1 << bytes) + access.count(threads, 1 << bytes);
            (store.ways > 1 || load.ways > 1, cost(store, &src) + cost(load, &dst))
        };
        let [none, loads, all] = [Matrices::NONE, LOADS, ALL].map(of);
        prop_assert!(all <= loads && loads <= none, "{:?} {:?} {:?}", none, loads, all);
    }
}
