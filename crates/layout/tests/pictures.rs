//! Pictures: what they say is true, always the same, and wrong input is told where it is wrong.

use mytriton_layout::picture::{AnyLayout, Picture, parse_shape};
use mytriton_layout::staging::enumerated_ways;
use mytriton_layout::{ConversionPlan, DistributedLayout};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn read(text: &str, shape: &[u32], bits: u32) -> AnyLayout {
    AnyLayout::parse(text, shape, bits).unwrap_or_else(|e| panic!("{text}: {e} at {:?}", e.span))
}

fn picture(text: &str, to: Option<&str>, shape: &[u32], bits: u32) -> Picture {
    let to = to.map(|to| read(to, shape, bits));
    Picture::new(read(text, shape, bits), to, shape, bits).unwrap()
}

fn distributed(text: &str, shape: &[u32]) -> DistributedLayout {
    match read(text, shape, 16) {
        AnyLayout::Distributed(layout) => layout,
        AnyLayout::Shared(_) => panic!("{text} is in shared memory"),
    }
}

/// The cells of a table by row and column, from what is printed: lines that follow the one that says `key`.
fn cells(text: &str, key: &str) -> BTreeMap<(u32, u32), String> {
    let mut lines = text.lines().skip_while(|line| *line != key).skip(1);
    let columns: Vec<u32> = numbers(lines.next().unwrap());
    let rows = lines.take_while(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    let row = |line: &str| -> Vec<((u32, u32), String)> {
        let mut words = line.split_whitespace();
        let row = words.next().unwrap().parse().unwrap();
        columns
            .iter()
            .zip(words)
            .map(|(&column, word)| ((row, column), word.to_owned()))
            .collect()
    };
    rows.flat_map(row).collect()
}

fn numbers(line: &str) -> Vec<u32> {
    line.split(|c: char| !c.is_ascii_digit())
        .filter(|w| !w.is_empty())
        .map(|w| w.parse().unwrap())
        .collect()
}

/// Every element's printed owner must own it, by the layout's own map.
#[track_caller]
fn owners_are_true(text: &str, shape: &[u32]) {
    let layout = distributed(text, shape);
    let printed = picture(text, None, shape, 16).text(false);
    let key = if layout.num_warps() > 1 {
        "warp.lane:register"
    } else {
        "lane:register"
    };
    let cells = cells(&printed, key);
    let columns = *shape.last().unwrap();
    let mut seen = 0;
    for ((row, column), label) in &cells {
        let (thread, registers) = label.split_once(':').unwrap();
        let thread = numbers(thread);
        let (warp, lane) = if thread.len() == 2 {
            (thread[0], thread[1])
        } else {
            (0, thread[0])
        };
        let registers = numbers(registers);
        let last = registers.last().copied().unwrap();
        for (i, register) in (registers[0]..=last).enumerate() {
            let mut expected = vec![*row, column + i as u32];
            if shape.len() == 1 {
                expected = vec![row + column + i as u32];
            }
            assert_eq!(layout.coords(register, lane, warp)[..], expected, "{text}: {label}");
            seen += 1;
        }
    }
    let rows: u32 = shape[..shape.len() - 1].iter().product();
    assert_eq!(seen, rows * columns, "{text}: every element is shown");
}

#[test]
fn tables_tell_the_owners() {
    owners_are_true("mma([16, 8])", &[16, 8]);
    owners_are_true("mma([16, 8], warps=[2, 2])", &[32, 32]);
    owners_are_true("wgmma([64, 16])", &[64, 16]);
    owners_are_true("operand_a(mma())", &[16, 16]);
    owners_are_true("operand_b(mma(warps=[1, 2]), 4)", &[32, 16]);
    owners_are_true("operand_a(wgmma([64, 8]))", &[64, 16]);
    owners_are_true("slice(1, mma())", &[16]);
    owners_are_true("blocked([1, 4], [8, 4], [4, 1])", &[32, 32]);
    owners_are_true("blocked([2, 2], [8, 4], [1, 4], [0, 1])", &[32, 32]);
    owners_are_true("blocked([4], [32], [4])", &[512]);
    owners_are_true("blocked([1], [32], [2])", &[100]);
    owners_are_true(
        "{register = [[0, 2], [0, 1]], lane = [[1, 1], [2, 0], [0, 0]]}",
        &[4, 4],
    );
    owners_are_true(
        "#tile.layout<{lane = [[0, 1], [3, 2]], warp = [[1, 0], [0, 2]]}>",
        &[4, 4],
    );
}

#[test]
fn tables_tell_offsets_and_banks() {
    for (text, shape, bits) in [
        ("hw_swizzled(128B)", [8, 64], 16),
        ("hw_swizzled(64B, 32)", [8, 16], 32),
        ("swizzled(2, 1, 4)", [4, 8], 32),
        ("swizzled(vec=1, per_phase=2, max_phase=4, order=[0, 1])", [8, 8], 64),
        ("#tile.shared<{offset = [[0, 1], [1, 3], [0, 2], [2, 0]]}>", [4, 4], 8),
    ] {
        let AnyLayout::Shared(layout) = read(text, &shape, bits) else {
            panic!("{text} is not in shared memory");
        };
        let cells = cells(&picture(text, None, &shape, bits).text(false), "offset:bank");
        let step = shape[0] * shape[1] / cells.len() as u32;
        for ((row, column), label) in cells {
            let [offset, bank] = numbers(&label)[..] else {
                panic!("{label}")
            };
            assert_eq!(bank, offset * bits / 8 / 4 % 32, "{text}");
            for i in 0..step {
                assert_eq!(layout.apply_in_order(&[offset + i])[..], [row, column + i], "{text}");
            }
        }
    }
}

#[test]
fn tables_tell_the_sources() {
    let shape = [16, 16];
    let (from, to) = ("mma()", "blocked([1, 8], [16, 2])");
    let plan = ConversionPlan::new(&distributed(from, &shape), &distributed(to, &shape)).unwrap();
    let printed = picture(from, Some(to), &shape, 16).text(false);
    let cells = cells(&printed, "source lane:register");
    assert_eq!(cells.len(), 32 * 4, "registers in pairs");
    for ((lane, register), label) in cells {
        let [source_lane, first, last] = numbers(&label)[..] else {
            panic!("{label}")
        };
        assert_eq!(last, first + 1);
        for i in 0..2 {
            assert_eq!(
                plan.source().apply_in_order(&[register + i, lane])[..],
                [first + i, source_lane, 0, 0]
            );
        }
    }
}

#[test]
fn conflicts_are_those_of_every_address() {
    let shape = [32, 32];
    let AnyLayout::Shared(layout) = read("swizzled()", &shape, 32) else {
        panic!("not in shared memory");
    };
    let column = distributed("blocked([1, 1], [32, 1])", &shape);
    assert_eq!(enumerated_ways(&column, &layout, 4, 1).unwrap(), 32);
    let conflicts = |text: &str| {
        let printed = picture(text, None, &shape, 32).text(false);
        let lines = printed.lines().filter(|line| line.starts_with("  lanes "));
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        lines.map(words).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(conflicts("swizzled()"), @r"
    lanes along a row 4 bytes no conflict
    lanes down a column 4 bytes 32-way conflict
    lanes along a row, vectors 16 bytes no conflict
    lanes down a column, vectors (as ldmatrix) 16 bytes 8-way conflict
    ");
    insta::assert_snapshot!(conflicts("swizzled(1, 1, 32)"), @r"
    lanes along a row 4 bytes no conflict
    lanes down a column 4 bytes no conflict
    ");
}

/// The summary of a conversion: from the first line that says what moves.
fn plan(from: &str, to: &str, shape: &[u32], bits: u32) -> String {
    let text = picture(from, Some(to), shape, bits).text(false);
    let lines = text.lines().skip_while(|line| {
        !["moves ", "nothing ", "store ", "load "]
            .iter()
            .any(|w| line.starts_with(w))
    });
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn conversions_name_their_means() {
    insta::assert_snapshot!(plan("mma()", "operand_a(mma())", &[16, 16], 16), @"nothing moves: no code");
    insta::assert_snapshot!(
        plan("{register = [1, 2], lane = [4, 8]}", "{register = [2, 1, 0], lane = [4, 8]}", &[16], 32), @r"
        moves within each thread: 4 registers to fill, 4 registers copied
          source register = ((register & 1) << 1) | ((register & 2) >> 1)
          source lane     = lane
        "
    );
    insta::assert_snapshot!(plan("mma()", "blocked([1, 4], [16, 2])", &[16, 8], 16), @r"
    moves within each warp: 4 registers to fill by 8 shuffles
      source register = (register & 1) | ((lane & 16) >> 3)
      source lane     = (register >> 1) | ((lane & 15) << 1)
      lane bits that change: 0, 1, 2, 3, 4
    ");
    insta::assert_snapshot!(plan("blocked([1, 4], [8, 4], [4, 1])", "blocked([4, 1], [4, 8], [1, 4], [0, 1])", &[64, 64], 16), @r"
    moves between warps, through shared memory: 32 registers to fill
      source register = ((register & 8) << 1) | ((register & 16) >> 1) | ((lane & 12) >> 2) | ((warp & 2) << 1)
      source lane     = ((register & 3) << 2) | ((lane & 1) << 4) | (lane >> 4) | ((warp & 1) << 1)
      source warp     = ((register & 4) >> 1) | ((lane & 2) >> 1)
      lane bits that change: 0, 1, 2, 3, 4
      warp bits that change: 0, 1
      through #tile.shared<{offset = [[32, 0], [0, 32], [0, 4], [0, 8], [1, 0], [2, 0], [4, 4], [8, 8], [1, 1], [2, 2], [16, 0], [0, 16]]}>
      8192 bytes, 8 bytes at once; store: no conflict, load: no conflict
      row-major instead: 2 bytes at once; store: 8-way conflict, load: 4-way conflict
    ");
    insta::assert_snapshot!(plan("blocked([1, 8], [4, 8])", "hw_swizzled(128B)", &[8, 64], 16), @r"
    store to shared memory: 16 bytes at once, no conflict
      offset = (register & 7) ^ ((register & 8) << 2) ^ ((register & 8) << 5) ^ (lane << 3) ^ (lane & 24)
    ");
    insta::assert_snapshot!(plan("swizzled()", "blocked([1, 1], [32, 1])", &[32, 32], 32), @r"
    load from shared memory: 16 bytes at once, 8-way conflict
      offset = register | (lane << 5)
    ");
    insta::assert_snapshot!(plan("{register = [1], block = [2]}", "{register = [2], block = [1]}", &[4], 32), @r"
    moves between blocks, through distributed shared memory: 2 registers to fill
      source register = block
      source block    = register
      block bits that change: 0
    ");
    let large = plan(
        "blocked([1, 8], [1, 32], [4, 1])",
        "blocked([8, 1], [32, 1], [1, 4], [0, 1])",
        &[512, 512],
        16,
    );
    assert!(
        large.contains("524288 bytes, in rounds: a block has 232448 at most"),
        "{large}"
    );
}

#[test]
fn large_tiles_are_cut_and_say_so() {
    let text = picture("blocked([1, 1, 1], [1, 1, 32])", None, &[8, 65, 100], 32).text(false);
    assert!(
        text.contains("... 1 more rows, 68 more columns, 4 more planes"),
        "{text}"
    );
    assert!(text.contains("padded to 8x128x128"), "{text}");
    let svg = picture("blocked([1, 1], [1, 32])", None, &[256, 256], 32).svg();
    assert!(svg.contains("128 more rows, 128 more columns") && svg.contains("no room for labels"));
}

#[test]
fn colours_are_only_added() {
    let picture = picture("mma([16, 8], warps=[2, 1])", None, &[32, 8], 16);
    let coloured = picture.text(true);
    let mut plain = String::new();
    for (i, part) in coloured.split('\x1b').enumerate() {
        plain.push_str(if i == 0 { part } else { part.split_once('m').unwrap().1 });
    }
    // The legend comes in addition: without colours there is nothing to explain.
    assert_eq!(plain.strip_prefix(&picture.text(false)), Some(" warp 0   warp 1 \n"));
}

#[test]
fn svg_is_well_formed_and_stable() {
    for (name, text, to, shape, bits) in [
        ("mma_accumulator.svg", "mma([16, 8])", None, [16, 8], 32),
        ("warps.svg", "mma([16, 8], warps=[2, 2])", None, [32, 16], 32),
        ("swizzle.svg", "hw_swizzled(128B)", None, [8, 64], 16),
        ("lanes.svg", "mma()", Some("blocked([1, 4], [16, 2])"), [16, 8], 16),
        (
            "staged.svg",
            "blocked([1, 4], [8, 4], [2, 1])",
            Some("blocked([4, 1], [4, 8], [1, 2], [0, 1])"),
            [16, 16],
            32,
        ),
    ] {
        let svg = picture(text, to, &shape, bits).svg();
        assert_eq!(svg, picture(text, to, &shape, bits).svg());
        let tags = |tag: &str| svg.matches(tag).count();
        assert_eq!((tags("<svg"), tags("</svg>"), tags("<text")), (1, 1, tags("</text>")));
        insta::assert_binary_snapshot!(name, svg.into_bytes());
    }
}

/// What is wrong, what is underlined, and what is allowed.
fn error(text: &str, shape: &[u32]) -> String {
    let e = AnyLayout::parse(text, shape, 16).expect_err(text);
    let told = format!("{e} | {} | {}", &text[e.span.clone()], e.help);
    told.trim_end().to_owned()
}

#[test]
fn bad_layouts_are_told_where() {
    let errors = |list: &[(&str, &[u32])]| {
        list.iter()
            .map(|(text, shape)| error(text, shape))
            .collect::<Vec<_>>()
            .join("\n")
    };
    insta::assert_snapshot!(errors(&[
        ("", &[8]),
        ("#tile.layout<{lane = [[1], [2]}>", &[8]),
        ("#tile.layout<{lane = [[1], [2]]}", &[4]),
        ("{lane = [1, 2]} extra", &[4]),
        ("{lane = [1, 99999999999]}", &[4]),
        ("#tile.layout<{lane = [[1], [64]]}>", &[32]),
        ("#tile.layout<{lane = [[1, 0], [2]]}>", &[4, 4]),
        ("#tile.layout<{lane = [[1], [2]], offset = []}>", &[4]),
        ("#tile.shared<{offset = [[1], [2]], lane = []}>", &[4]),
        ("#tile.layout<{lane = [[1]], lane = [[2]]}>", &[4]),
        ("#tile.layout<{register = [[1, 0]], lane = [[2, 0], [3, 0]]}>", &[4, 2]),
        ("#tile.shared<{offset = [[0, 1], [0, 1], [1, 0]]}>", &[2, 4]),
        ("{lane = [1, 2]} -> {dim0 = 8}", &[4]),
    ]), @r"
    expected a layout: `#tile.layout<{`, `#tile.shared<{`, or the name of a constructor |  |
    expected `,` or `]` | } |
    expected `>`, found the end |  |
    unexpected text after the layout | e |
    99999999999 does not fit 32 bits | 9 |
    basis lane[1] = [64]: coordinate 0 is outside of 0..32 | [64] | coordinates lie within the tile, its extents padded to powers of two
    a basis of 1 coordinate in a layout of a tile of 4x4 | [2] | each basis has 2 coordinates, one per dimension
    a distributed layout has no input dimension offset | offset | it has register, lane, warp, block
    a shared layout has no input dimension lane | lane | it has offset
    dimension lane is listed twice | lane |
    the layout is not surjective: its rank is 2 of 3 output bits, nothing maps to (dim0 = 0, dim1 = 1) | #tile.layout<{register = [[1, 0]], lane = [[2, 0], [3, 0]]}> | every element of the tile needs an owner: add a basis, or shrink the tile
    the layout is not surjective: its rank is 2 of 3 output bits, nothing maps to (dim0 = 0, dim1 = 2) | #tile.shared<{offset = [[0, 1], [0, 1], [1, 0]]}> | every element of the tile needs an owner: add a basis, or shrink the tile
    dimension dim0 has size 8 on the left and 4 on the right | {lane = [1, 2]} -> {dim0 = 8} |
    ");
    insta::assert_snapshot!(errors(&[
        ("bloked([1], [32])", &[32]),
        ("mma", &[16, 8]),
        ("[1, 2]", &[4]),
        ("blocked([1])", &[32]),
        ("blocked([1, 1], [32])", &[32]),
        ("blocked(3, [32])", &[32]),
        ("blocked([3], [32])", &[32]),
        ("blocked([1], [32], warps=[3])", &[32]),
        ("blocked([1], [32], order=[1])", &[32]),
        ("blocked([1], [32], size_per_thread=[2])", &[32]),
        ("blocked([1], [32], block=[2])", &[32]),
        ("blocked([1], [32], [1], [0], [9])", &[32]),
        ("mma([16, 16])", &[16, 8]),
        ("mma([16, 8])", &[16]),
        ("mma(warps=[3, 1])", &[16, 8]),
        ("wgmma([64, 24])", &[64, 24]),
        ("wgmma([32, 8])", &[64, 8]),
        ("wgmma([64, 8], warps=[2, 1])", &[64, 8]),
        ("operand_a(blocked([1, 1], [32, 1]))", &[16, 8]),
        ("operand_a(mma(), width=3)", &[16, 8]),
        ("operand_b(wgmma([64, 8]))", &[16, 8]),
        ("operand_a()", &[16, 8]),
        ("slice(2, mma())", &[16]),
        ("slice(1, swizzled())", &[16]),
        ("slice(1, 5)", &[16]),
        ("swizzled(3)", &[16, 8]),
        ("swizzled(order=[0, 0])", &[16, 8]),
        ("hw_swizzled(128)", &[8, 64]),
        ("hw_swizzled(256B)", &[8, 64]),
        ("hw_swizzled(128B)", &[8, 32]),
        ("hw_swizzled(128B, 8)", &[8, 64]),
        ("slice(0, slice(0, slice(0, slice(0, slice(0, slice(0, slice(0, slice(0, slice(0, mma())))))))))", &[16]),
    ]), @r"
    no layout is called bloked | bloked | #tile.layout<{...}>, #tile.shared<{...}>, or one of blocked, mma, wgmma, operand_a, operand_b, slice, swizzled, hw_swizzled
    mma needs brackets, even without arguments: mma() | mma |
    a list of numbers is no layout | [1, 2] |
    blocked needs threads_per_warp | blocked | blocked takes size_per_thread, threads_per_warp, warps, order
    size_per_thread has 2 numbers, here it needs 1 | [1, 1] |
    size_per_thread is a list, as [1, 4] | 3 |
    size_per_thread [3]: 3 is not a power of two | [3] |
    warps [3]: 3 is not a power of two | [3] |
    order [1] is not a permutation of the axes 0..1 | [1] |
    size_per_thread is given twice | size_per_thread | blocked takes size_per_thread, threads_per_warp, warps, order
    blocked has no parameter block | block | blocked takes size_per_thread, threads_per_warp, warps, order
    one argument too many for blocked | [9] | blocked takes size_per_thread, threads_per_warp, warps, order
    mma.sync has no accumulator of 16x16 | [16, 16] | it is m16n8: [16, 8]
    an accumulator is a layout of matrices, not of a tile of 16 | mma([16, 8]) |
    warps [3, 1] are not powers of two | [3, 1] |
    n 24 is not a power of two from 8 to 256 | [64, 24] |
    wgmma has no instruction of M 32 | [32, 8] | it is m64nN: [64, N]
    warps [2, 1]: a warp group needs a multiple of 4 warps along M | [2, 1] |
    operands are of mma or wgmma | blocked([1, 1], [32, 1]) |
    width 3 is not a power of two up to 64 | 3 |
    wgmma reads its B operand from shared memory | wgmma([64, 8]) | see hw_swizzled
    operand_a needs parent | operand_a | operand_a takes parent, width
    axis 2 of a layout that leaves a tile of 16 | 2 | 0 to 1 are possible
    a slice is of a distributed layout, this one is in shared memory | swizzled() |
    parent is a layout | 5 |
    vec 3, per_phase 1, max_phase 1 must be powers of two | 3 |
    order [0, 0] is not a permutation of the axes 0..2 | [0, 0] |
    width is a number of at most 32 bits followed by B | 128 |
    the hardware has no swizzle of 256 bytes | 256B | 32B, 64B or 128B
    a tile of shape [8, 32] is smaller than the pattern of 8 x 64 | hw_swizzled(128B) |
    a layout of 8-bit elements, of a tile of 16-bit ones | 8 | say it for the tile: --elem-bits 8
    more than 8 layouts within one another | 0 |
    ");
}

#[test]
fn bad_shapes_and_pairs_are_refused() {
    let shape = |text: &str| {
        let e = parse_shape(text).expect_err(text);
        format!("{e} | {}", &text[e.span.clone()]).trim_end().to_owned()
    };
    let pair = |from: &str, to: &str| {
        let layouts = (read(from, &[16], 16), read(to, &[16], 16));
        let e = Picture::new(layouts.0, Some(layouts.1), &[16], 16).err().unwrap();
        format!("{e} | {}", e.help)
    };
    let lines = [
        shape(""),
        shape("32x"),
        shape("32x-1"),
        shape("0"),
        shape("+3"),
        shape("99999999999"),
        shape("2048x2048"),
        shape("1x1x1x1x1x1x1x1x1"),
        pair("{lane = [1, 2, 4, 8]}", "{lane = [1, 2, 4], warp = [8]}"),
        pair("swizzled()", "swizzled()"),
        Picture::new(read("mma()", &[16, 8], 16), None, &[32, 8], 16)
            .err()
            .unwrap()
            .to_string(),
        Picture::new(read("mma()", &[16, 8], 16), None, &[16, 8], 12)
            .err()
            .unwrap()
            .to_string(),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r#"
    extent "" is not a positive number of 32 bits |
    extent "" is not a positive number of 32 bits |
    extent "-1" is not a positive number of 32 bits | -1
    extent "0" is not a positive number of 32 bits | 0
    extent "+3" is not a positive number of 32 bits | +3
    extent "99999999999" is not a positive number of 32 bits | 99999999999
    a tile of 2048x2048, padded to powers of two, is too large to be shown | 2048x2048
    a tile of 1x1x1x1x1x1x1x1x1, padded to powers of two, is too large to be shown | 1x1x1x1x1x1x1x1x1
    there is no conversion: dimension lane has size 16 on the left and 8 on the right | the tile, and the numbers of lanes, warps and blocks have to be the same
    both layouts are in shared memory | tiles move between threads, or between threads and shared memory
    a layout of 16x8 does not suit a tile of 32x8
    elements of 12 bits
    "#);
}

/// Pieces that layouts are written with, some of them hostile.
const PIECES: [&str; 40] = [
    "#tile.layout<{",
    "#tile.shared<{",
    "}>",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    "=",
    "->",
    "register",
    "lane",
    "warp",
    "block",
    "offset",
    "[0, 1]",
    "[8, 0]",
    "[1]",
    "1",
    "2",
    "31",
    "4294967295",
    "99999999999",
    "blocked(",
    "mma(",
    "wgmma(",
    "operand_a(",
    "operand_b(",
    "slice(",
    "swizzled(",
    "hw_swizzled(",
    "128B",
    "width=",
    "warps=[4, 1]",
    "[64, 8]",
    "é",
    "\u{0}",
    " ",
];

const WHOLE: [&str; 9] = [
    "#tile.layout<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>",
    "#tile.shared<{offset = [[0, 1], [0, 2], [0, 4], [1, 2], [2, 4], [4, 0], [8, 0]]}>",
    "blocked(size_per_thread=[1, 2], threads_per_warp=[8, 4], warps=[2, 2], order=[0, 1])",
    "mma([16, 8], warps=[2, 2])",
    "wgmma([64, 8])",
    "operand_a(mma(), width=2)",
    "operand_b(mma([16, 8]))",
    "slice(0, slice(1, mma()))",
    "swizzled(vec=2, per_phase=1, max_phase=4)",
];

proptest! {
    #[test]
    fn no_text_is_too_strange(
        whole in prop::sample::select(&WHOLE[..]),
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(&PIECES[..]), 0usize..6), 0..4),
        shape in prop::collection::vec(1u32..40, 1..4),
        bits in prop::sample::select(vec![0u32, 8, 16, 32, 128, 1 << 31]),
    ) {
        let mut text: Vec<char> = whole.chars().collect();
        for (at, piece, removed) in edits {
            let at = at.index(text.len() + 1);
            let end = (at + removed).min(text.len());
            text.splice(at..end, piece.chars());
        }
        let text: String = text.into_iter().collect();
        match AnyLayout::parse(&text, &shape, bits) {
            Ok(layout) => {
                // What is read is what is shown, and reads the same.
                let again = AnyLayout::parse(&layout.to_string(), &shape, bits);
                prop_assert_eq!(again.as_ref(), Ok(&layout));
                if let Ok(picture) = Picture::new(layout.clone(), Some(layout), &shape, bits) {
                    prop_assert!(!picture.text(true).is_empty() && picture.svg().ends_with("</svg>\n"));
                }
            }
            Err(e) => prop_assert!(text.get(e.span.clone()).is_some(), "{e} at {:?} of {text:?}", e.span),
        }
    }
}

#[test]
fn too_many_indices_are_refused() {
    let zeros = vec!["[0]"; 30].join(", ");
    let layout = read(&format!("{{register = [{zeros}], lane = [{zeros}]}}"), &[1], 32);
    let e = Picture::new(layout, None, &[1], 32).err().unwrap();
    assert_eq!(e.to_string(), "a layout of 2^60 indices is too large to be shown");
}
