//! Pictures: what they say is true, and always the same.

use super::super::{AnyLayout, Picture};
use mytriton_layout::{ConversionPlan, DistributedLayout};
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
fn conflicts_of_shared_layouts() {
    let shape = [32, 32];
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
    moves within each warp: 4 registers to fill by 2 shuffles and 4 selections
      source register = (register & 1) | ((lane & 16) >> 3)
      source lane     = (register >> 1) | ((lane & 15) << 1)
      lane bits that change: 0, 1, 2, 3, 4
      2 registers in a word
      before: word ^ 1 where lane & 1
      words from [2, 4, 8, 16, 1] of the lane's bits, [] of the warp's, ^ 0, 1
      after: word ^ 1 where lane & 16
    ");
    insta::assert_snapshot!(plan("blocked([1, 4], [8, 4], [4, 1])", "blocked([4, 1], [4, 8], [1, 4], [0, 1])", &[64, 64], 16), @r"
    moves between warps: 32 registers to fill through shared memory
      source register = ((register & 8) << 1) | ((register & 16) >> 1) | ((lane & 12) >> 2) | ((warp & 2) << 1)
      source lane     = ((register & 3) << 2) | ((lane & 1) << 4) | (lane >> 4) | ((warp & 1) << 1)
      source warp     = ((register & 4) >> 1) | ((lane & 2) >> 1)
      lane bits that change: 0, 1, 2, 3, 4
      warp bits that change: 0, 1
      through #tile.shared<{offset = [[32, 0], [0, 32], [0, 1], [0, 4], [0, 8], [1, 0], [4, 4], [8, 8], [1, 2], [2, 0], [16, 0], [0, 16]]}>
      8192 bytes
      store 16 bytes at once, no conflict
      load  8 bytes at once, no conflict
      row-major instead: store 2 bytes at once, 8-way conflict, load 2 bytes at once, 4-way conflict
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
    moves between blocks: 2 registers to fill through distributed shared memory
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
    assert!(large.contains("131072 bytes in each of 4 rounds"), "{large}");
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
