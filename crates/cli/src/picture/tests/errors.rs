//! Wrong layouts are told where they are wrong, and no text makes the reader or the pictures fail.

use super::super::{AnyLayout, Picture, parse_shape};
use proptest::prelude::*;

fn read(text: &str, shape: &[u32], bits: u32) -> AnyLayout {
    AnyLayout::parse(text, shape, bits).unwrap_or_else(|e| panic!("{text}: {e} at {:?}", e.span))
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
