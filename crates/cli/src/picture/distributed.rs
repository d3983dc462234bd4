//! Who owns what.

use super::colour::Colour;
use super::draw::Panel;
use super::formula::formulas;
use super::plane::{Cell, Grid, Limits};
use super::table::{painted, table};
use super::times;
use mytriton_layout::{Coords, Dim, DistributedLayout, LinearLayout};
use std::fmt::Write;

/// More colours than that say little.
const LEGEND: u32 = 16;

/// A layout with the map from elements to their first owners.
pub(super) struct Owners<'a> {
    layout: &'a DistributedLayout,
    /// To (register, lane, warp, block), replicating bits 0.
    place: LinearLayout,
    /// Consecutive elements that are consecutive registers of one thread.
    pub step: u32,
}

impl<'a> Owners<'a> {
    pub fn new(layout: &'a DistributedLayout) -> Self {
        // A distributed layout is surjective, so it has one; without, everything is register 0 of thread 0.
        let place = layout
            .linear()
            .pseudo_invert()
            .unwrap_or_else(|_| LinearLayout::empty());
        let step = last_dim(&place).map_or(1, |dim| run(&place, &dim));
        Owners { layout, place, step }
    }

    /// (register, lane, warp, block) of an element's first owner.
    pub fn owner(&self, coords: &Coords) -> Coords {
        self.place.apply_in_order(coords)
    }

    fn cell(&self, coords: &Coords, shape: &[u32]) -> Cell {
        let owner = self.owner(coords);
        let extent = shape.last().copied().unwrap_or(1);
        let count = self
            .step
            .min(extent - coords.last().copied().unwrap_or(0).min(extent - 1));
        Cell {
            label: label(self.layout, &owner, count),
            // From the first lane to the last a little paler, so that neighbours can be told apart.
            fill: Colour::warp(owner[2]).paler(256 - 150 * owner[1] / self.layout.num_lanes()),
        }
    }

    pub fn grids(&self, shape: &[u32], limits: Limits) -> Vec<Grid> {
        Grid::of_tile(shape, self.step, limits, |coords| self.cell(coords, shape))
    }
}

/// The last input dimension.
pub(super) fn last_dim(place: &LinearLayout) -> Option<Dim> {
    place.ins().last().map(|(dim, _)| dim.clone())
}

/// The longest run of indices along an input that maps to consecutive first outputs (registers, or offsets) from a
/// multiple of its length, and to one of the other outputs.
pub(super) fn run(place: &LinearLayout, along: &Dim) -> u32 {
    let steps = |bit: u32| {
        let expected = |basis: &Coords| basis[0] == 1 << bit && basis[1..].iter().all(|&c| c == 0);
        place.basis(along.as_str(), bit).is_some_and(|basis| expected(&basis))
    };
    let longest = (0..place.in_bits(along.as_str())).take_while(|&bit| steps(bit)).count() as u32;
    // What other coordinates do to the lowest bits would start a run elsewhere.
    let others = place.ins().flat_map(|(dim, _)| {
        let own = if dim == along { longest as usize } else { 0 };
        place.bases(dim.as_str()).skip(own)
    });
    let reach = others.fold(0, |all, basis| all | basis[0]);
    1 << longest.min(reach.trailing_zeros())
}

/// `block/warp.lane:registers`; block and warp only where there are several.
pub(super) fn label(layout: &DistributedLayout, owner: &[u32], count: u32) -> String {
    let mut text = String::new();
    if layout.num_blocks() > 1 {
        let _ = write!(text, "{}/", owner[3]);
    }
    if layout.num_warps() > 1 {
        let _ = write!(text, "{}.", owner[2]);
    }
    let _ = write!(text, "{}:{}", owner[1], owner[0]);
    if count > 1 {
        let _ = write!(text, "-{}", owner[0] + count - 1);
    }
    text
}

/// What [`label`] shows.
pub(super) fn key(layout: &DistributedLayout) -> String {
    let block = if layout.num_blocks() > 1 { "block/" } else { "" };
    let warp = if layout.num_warps() > 1 { "warp." } else { "" };
    format!("{block}{warp}lane:register")
}

/// What there is to know besides the table.
pub(super) fn facts(layout: &DistributedLayout, shape: &[u32]) -> Vec<String> {
    let padded = layout.shape();
    let mut lines = vec![format!(
        "a tile of {} over {}{} of {}, {} each",
        times(shape),
        if layout.num_blocks() > 1 {
            format!("{} blocks of ", layout.num_blocks())
        } else {
            String::new()
        },
        plural(layout.num_warps(), "warp"),
        plural(layout.num_lanes(), "lane"),
        plural(layout.num_registers(), "register"),
    )];
    if padded[..] != *shape {
        lines.push(format!("padded to {}: what lies beyond is not shown", times(&padded)));
    }
    let masks = [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK]
        .map(|dim| (dim.clone(), layout.linear().free_variable_mask(dim.as_str())));
    let copies: u32 = masks.iter().map(|(_, mask)| mask.count_ones()).sum();
    if copies > 0 {
        let bits: Vec<String> = masks
            .iter()
            .filter(|(_, mask)| *mask != 0)
            .map(|(dim, mask)| format!("{dim} {}", bits(*mask)))
            .collect();
        lines.push(format!(
            "each element is held {} times, the first is shown: bits that only replicate are {}",
            1u128 << copies,
            bits.join(", ")
        ));
    }
    lines
}

/// The set bits of a mask, as `0, 3`.
pub(super) fn bits(mask: u32) -> String {
    let set: Vec<String> = (0..u32::BITS)
        .filter(|bit| mask >> bit & 1 != 0)
        .map(|bit| bit.to_string())
        .collect();
    set.join(", ")
}

pub(super) fn plural(n: u32, what: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {what}{plural}")
}

fn legend(layout: &DistributedLayout) -> Vec<(Colour, String)> {
    let warps = layout.num_warps();
    if warps == 1 {
        return vec![
            (Colour::warp(0), "lane 0".to_owned()),
            (Colour::warp(0).paler(106), format!("lane {}", layout.num_lanes() - 1)),
        ];
    }
    let mut legend: Vec<_> = (0..warps.min(LEGEND))
        .map(|warp| (Colour::warp(warp), format!("warp {warp}")))
        .collect();
    if warps > LEGEND {
        legend.push((Colour::warp(LEGEND), "and so on".to_owned()));
    }
    legend
}

pub(super) fn text(layout: &DistributedLayout, shape: &[u32], colour: bool) -> String {
    let mut text = format!("{}\n", super::AnyLayout::Distributed(layout.clone()));
    for fact in facts(layout, shape) {
        let _ = writeln!(text, "{fact}");
    }
    for (dim, formula) in formulas(layout.linear()) {
        let _ = writeln!(text, "  {dim} = {formula}");
    }
    let _ = writeln!(text, "\n{}", key(layout));
    for grid in Owners::new(layout).grids(shape, Limits::TEXT) {
        text.push_str(&table(&grid, colour));
    }
    if colour && layout.num_warps() > 1 {
        let legend = legend(layout)
            .into_iter()
            .map(|(fill, name)| painted(&format!(" {name} "), fill, true));
        let _ = writeln!(text, "{}", legend.collect::<Vec<_>>().join(" "));
    }
    text
}

pub(super) fn panels(layout: &DistributedLayout, shape: &[u32]) -> Vec<Panel> {
    let panel = |grid| Panel {
        title: format!("{} over threads", times(shape)),
        notes: [super::AnyLayout::Distributed(layout.clone()).to_string()]
            .into_iter()
            .chain(facts(layout, shape))
            .collect(),
        key: key(layout),
        grid,
        legend: legend(layout),
    };
    Owners::new(layout)
        .grids(shape, Limits::SVG)
        .into_iter()
        .map(panel)
        .collect()
}
