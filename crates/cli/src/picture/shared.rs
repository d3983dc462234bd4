//! Where in shared memory what lies.

use super::colour::Colour;
use super::distributed::{last_dim, run};
use super::draw::Panel;
use super::formula::formulas;
use super::plane::{Cell, Grid, Limits};
use super::table::table;
use super::{AnyLayout, times};
use mytriton_layout::staging::{access_ways, max_access};
use mytriton_layout::{Coords, DistributedLayout, LinearLayout};
use std::fmt::Write;

const BANKS: u32 = 32;
const WORD: u32 = 4;
const WARP: u32 = 32;
/// The widest access of a thread, in bytes.
const ACCESS: u32 = 16;

fn grids(layout: &LinearLayout, shape: &[u32], bytes: u32, limits: Limits) -> Vec<Grid> {
    // A shared layout is surjective, so it has one.
    let place = layout.pseudo_invert().unwrap_or_else(|_| LinearLayout::empty());
    let step = last_dim(&place)
        .map_or(1, |dim| run(&place, &dim))
        .min((ACCESS / bytes).max(1));
    let cell = |coords: &Coords| {
        let offset = place.apply_in_order(coords).first().copied().unwrap_or(0);
        let bank = bank(offset, bytes);
        Cell {
            label: format!("{offset}:{bank}"),
            fill: Colour::bank(bank),
        }
    };
    Grid::of_tile(shape, step, limits, cell)
}

fn bank(offset: u32, bytes: u32) -> u32 {
    (u64::from(offset) * u64::from(bytes) / u64::from(WORD) % u64::from(BANKS)) as u32
}

/// Usual accesses of a warp, each with the conflict that it has: (what, bytes of a lane, ways).
pub(super) fn accesses(layout: &LinearLayout, bytes: u32) -> Vec<(&'static str, u32, u32)> {
    let shape = layout.out_shape();
    let rank = shape.len();
    let mut found = Vec::new();
    let mut count = |what, wide: bool, along: usize| {
        let vector = if wide { (ACCESS / bytes).min(shape[rank - 1]) } else { 1 };
        let Some(threads) = warp(&shape, along, vector) else {
            return;
        };
        let fits = max_access(&threads, layout, bytes).is_ok_and(|widest| widest >= vector);
        if let (true, Ok(ways)) = (fits, access_ways(&threads, layout, bytes, vector)) {
            found.push((what, vector * bytes, ways));
        }
    };
    match rank {
        0 => {}
        1 => count("lanes in a row", false, 0),
        _ => {
            count("lanes along a row", false, rank - 1);
            count("lanes down a column", false, rank - 2);
            if bytes < ACCESS {
                count("lanes along a row, vectors", true, rank - 1);
                count("lanes down a column, vectors (as ldmatrix)", true, rank - 2);
            }
        }
    }
    found
}

/// A warp that walks one axis first, then the other of the last two, each lane with a vector along the last.
fn warp(shape: &[u32], along: usize, vector: u32) -> Option<DistributedLayout> {
    let rank = shape.len();
    let last = rank - 1;
    let mut size = vec![1; rank];
    size[last] = vector;
    let mut lanes = vec![1; rank];
    let room = |axis: usize| shape[axis] / size[axis];
    lanes[along] = room(along).min(WARP);
    if rank > 1 {
        let across = if along == last { last - 1 } else { last };
        lanes[across] = room(across).min(WARP / lanes[along]);
    }
    let order: Vec<usize> = [along]
        .into_iter()
        .chain((0..rank).rev().filter(|&axis| axis != along))
        .collect();
    DistributedLayout::blocked(shape, &size, &lanes, &vec![1; rank], &order).ok()
}

/// `no conflict`, `4-way conflict`.
pub(super) fn ways_text(ways: u32) -> String {
    match ways {
        1 => "no conflict".to_owned(),
        ways => format!("{ways}-way conflict"),
    }
}

fn facts(layout: &LinearLayout, shape: &[u32], bytes: u32) -> Vec<String> {
    let size = (1u64 << layout.total_in_bits()) * u64::from(bytes);
    let mut lines = vec![format!(
        "a tile of {}, elements of {} bytes: {size} bytes of shared memory",
        times(shape),
        bytes
    )];
    let padded = layout.out_shape();
    if padded[..] != *shape {
        lines.push(format!("padded to {}: what lies beyond is not shown", times(&padded)));
    }
    lines
}

fn access_lines(layout: &LinearLayout, bytes: u32) -> Vec<String> {
    let all = accesses(layout, bytes);
    let width = all.iter().map(|(what, ..)| what.len()).max().unwrap_or(0);
    all.iter()
        .map(|(what, bytes, ways)| format!("{what:width$}  {bytes:>2} bytes  {}", ways_text(*ways)))
        .collect()
}

pub(super) fn text(layout: &LinearLayout, shape: &[u32], bytes: u32, colour: bool) -> String {
    let mut text = format!("{}\n", AnyLayout::Shared(layout.clone()));
    for fact in facts(layout, shape, bytes) {
        let _ = writeln!(text, "{fact}");
    }
    for (dim, formula) in formulas(layout) {
        let _ = writeln!(text, "  {dim} = {formula}");
    }
    for line in access_lines(layout, bytes) {
        let _ = writeln!(text, "  {line}");
    }
    text.push_str("\noffset:bank\n");
    for grid in grids(layout, shape, bytes, Limits::TEXT) {
        text.push_str(&table(&grid, colour));
    }
    text
}

pub(super) fn panels(layout: &LinearLayout, shape: &[u32], bytes: u32) -> Vec<Panel> {
    let panel = |grid| Panel {
        title: format!("{} in shared memory", times(shape)),
        notes: [AnyLayout::Shared(layout.clone()).to_string()]
            .into_iter()
            .chain(facts(layout, shape, bytes))
            .chain(access_lines(layout, bytes))
            .collect(),
        key: "offset:bank".to_owned(),
        grid,
        legend: (0..BANKS)
            .step_by(4)
            .map(|bank| (Colour::bank(bank), format!("bank {bank}")))
            .collect(),
    };
    grids(layout, shape, bytes, Limits::SVG)
        .into_iter()
        .map(panel)
        .collect()
}
