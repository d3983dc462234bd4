//! What a conversion between two layouts moves.

use super::colour::Colour;
use super::distributed::{bits, label, run};
use super::draw::{Page, Panel};
use super::formula::formulas;
use super::plane::{Cell, Grid, Limits};
use super::shared::ways_text;
use super::table::{painted, table};
use super::{AnyLayout, TextError, distributed, shared};
use crate::staging::{Staging, access_ways, max_access, offsets};
use crate::{ConversionPlan, Dim, DistributedLayout, LayoutError, LinearLayout, Movement, Swizzle, swizzled};
use std::fmt::Write;

/// The shared memory of one block on sm_90, in bytes.
const BLOCK_MEMORY: u64 = 227 * 1024;

/// From one layout of a tile to another.
pub(super) struct Plan<'a> {
    from: &'a AnyLayout,
    to: &'a AnyLayout,
    shape: &'a [u32],
    bytes: u32,
    means: Means<'a>,
}

enum Means<'a> {
    /// Between threads.
    Threads {
        src: &'a DistributedLayout,
        dst: &'a DistributedLayout,
        plan: Box<ConversionPlan>,
        /// Through shared memory, where warps exchange elements.
        staged: Option<Box<Staged>>,
    },
    /// Between threads and a place in shared memory.
    Access {
        store: bool,
        vector: u32,
        ways: u32,
        offsets: Box<LinearLayout>,
    },
}

/// A way through shared memory.
struct Staged {
    layout: LinearLayout,
    vector: u32,
    /// Of the store and the load.
    ways: [u32; 2],
    /// The same for a tile in row-major order, with accesses as wide as it allows.
    plain: [u32; 2],
    plain_vector: u32,
}

fn impossible(error: &LayoutError) -> TextError {
    TextError::new(0..0, format!("there is no conversion: {error}"))
        .help("the tile, and the numbers of lanes, warps and blocks have to be the same")
}

impl<'a> Plan<'a> {
    pub fn new(from: &'a AnyLayout, to: &'a AnyLayout, shape: &'a [u32], bytes: u32) -> Result<Self, TextError> {
        let means = match (from, to) {
            (AnyLayout::Distributed(src), AnyLayout::Distributed(dst)) => Means::between(src, dst, bytes),
            (AnyLayout::Distributed(threads), AnyLayout::Shared(place)) => Means::access(true, threads, place, bytes),
            (AnyLayout::Shared(place), AnyLayout::Distributed(threads)) => Means::access(false, threads, place, bytes),
            (AnyLayout::Shared(_), AnyLayout::Shared(_)) => {
                return Err(TextError::new(0..0, "both layouts are in shared memory")
                    .help("tiles move between threads, or between threads and shared memory"));
            }
        };
        let means = means.map_err(|e| impossible(&e))?;
        Ok(Plan {
            from,
            to,
            shape,
            bytes,
            means,
        })
    }

    /// One line that says it, then the details.
    fn summary(&self) -> (String, Vec<String>) {
        match &self.means {
            Means::Threads { plan, staged, .. } => {
                let mut lines = Vec::new();
                if plan.movement() > Movement::None {
                    lines.extend(sources(plan));
                    lines.extend(changes(plan));
                }
                if let Some(staged) = staged {
                    lines.extend(staged.lines(self.bytes));
                }
                (means_text(plan), lines)
            }
            Means::Access {
                store,
                vector,
                ways,
                offsets,
                ..
            } => {
                let verb = if *store { "store to" } else { "load from" };
                let title = format!(
                    "{verb} shared memory: {} bytes at once, {}",
                    vector * self.bytes,
                    ways_text(*ways)
                );
                (
                    title,
                    formulas(offsets)
                        .into_iter()
                        .map(|(dim, formula)| format!("{dim} = {formula}"))
                        .collect(),
                )
            }
        }
    }

    pub fn text(&self, colour: bool) -> String {
        let mut text = String::from("to\n\n");
        text.push_str(&match self.to {
            AnyLayout::Distributed(layout) => distributed::text(layout, self.shape, colour),
            AnyLayout::Shared(layout) => shared::text(layout, self.shape, self.bytes, colour),
        });
        let (title, lines) = self.summary();
        let _ = writeln!(text, "\n{title}");
        for line in lines {
            let _ = writeln!(text, "  {line}");
        }
        if let Some(grid) = self.sources_grid(Limits::TEXT) {
            let _ = write!(text, "\n{}\n{}", self.sources_key(), table(&grid, colour));
            if colour {
                let legend = self.movements().into_iter();
                let legend = legend.map(|(fill, name)| painted(&format!(" {name} "), fill, true));
                let _ = writeln!(text, "{}", legend.collect::<Vec<_>>().join(" "));
            }
        }
        text
    }

    /// The two layouts side by side, below them what every thread does.
    pub fn draw(&self, page: &mut Page, from: Vec<Panel>) {
        let (title, lines) = self.summary();
        page.heading(&title, &lines);
        let to = match self.to {
            AnyLayout::Distributed(layout) => distributed::panels(layout, self.shape),
            AnyLayout::Shared(layout) => shared::panels(layout, self.shape, self.bytes),
        };
        for (mut from, mut to) in from.into_iter().zip(to) {
            from.title = format!("from: {}", from.title);
            to.title = format!("to: {}", to.title);
            page.row(vec![from, to]);
        }
        let mut below = Vec::new();
        if let Some(grid) = self.sources_grid(Limits::SVG) {
            below.push(Panel {
                title: "where the registers of warp 0 come from".to_owned(),
                notes: vec!["rows are lanes, columns registers of the destination".to_owned()],
                key: self.sources_key(),
                grid,
                legend: self.movements(),
            });
        }
        if let Means::Threads {
            staged: Some(staged), ..
        } = &self.means
        {
            let mut panels = shared::panels(&staged.layout, self.shape, self.bytes);
            for panel in &mut panels {
                panel.title = "on the way: in shared memory".to_owned();
            }
            below.extend(panels);
        }
        if !below.is_empty() {
            page.row(below);
        }
    }

    /// What the colours of [`sources_grid`](Self::sources_grid) mean.
    fn movements(&self) -> Vec<(Colour, String)> {
        let all = [
            (Movement::None, "stays"),
            (Movement::Registers, "another register"),
            (Movement::Lanes, "another lane"),
            (Movement::Warps, "another warp"),
            (Movement::Blocks, "another block"),
        ];
        let farthest = match &self.means {
            Means::Threads { plan, .. } => plan.movement(),
            Means::Access { .. } => Movement::None,
        };
        let possible = all.into_iter().filter(|(movement, _)| *movement <= farthest);
        possible
            .map(|(movement, name)| (Colour::movement(movement), name.to_owned()))
            .collect()
    }

    fn sources_key(&self) -> String {
        match self.from {
            AnyLayout::Distributed(layout) => format!("source {}", distributed::key(layout)),
            AnyLayout::Shared(_) => String::new(),
        }
    }

    /// For each register of each lane of warp 0 where its element comes from; nothing if nothing moves.
    fn sources_grid(&self, limits: Limits) -> Option<Grid> {
        let Means::Threads { src, dst, plan, .. } = &self.means else {
            return None;
        };
        if plan.movement() == Movement::None {
            return None;
        }
        let step = run(plan.source(), &Dim::REGISTER);
        let shape = [dst.num_lanes(), dst.num_registers()];
        let cell = |at: &crate::Coords| {
            let source = plan.source().apply_in_order(&[at[1], at[0]]);
            let farthest = match source[..] {
                [_, _, _, block] if block != 0 => Movement::Blocks,
                [_, _, warp, _] if warp != 0 => Movement::Warps,
                [_, lane, ..] if lane != at[0] => Movement::Lanes,
                [register, ..] if register != at[1] => Movement::Registers,
                _ => Movement::None,
            };
            Cell {
                label: label(src, &source, step),
                fill: Colour::movement(farthest),
            }
        };
        Grid::of_tile(&shape, step, limits, cell).pop()
    }
}

impl<'a> Means<'a> {
    fn between(src: &'a DistributedLayout, dst: &'a DistributedLayout, bytes: u32) -> Result<Self, LayoutError> {
        let plan = Box::new(ConversionPlan::new(src, dst)?);
        let staged = match plan.movement() {
            Movement::Warps => Some(Box::new(Staged::new(src, dst, bytes)?)),
            _ => None,
        };
        Ok(Means::Threads { src, dst, plan, staged })
    }

    fn access(store: bool, threads: &DistributedLayout, place: &LinearLayout, bytes: u32) -> Result<Self, LayoutError> {
        let vector = max_access(threads, place, bytes)?;
        Ok(Means::Access {
            store,
            vector,
            ways: access_ways(threads, place, bytes, vector)?,
            offsets: Box::new(offsets(threads, place)?),
        })
    }
}

impl Staged {
    fn new(src: &DistributedLayout, dst: &DistributedLayout, bytes: u32) -> Result<Self, LayoutError> {
        let Staging { layout, vector } = Staging::choose(src, dst, bytes)?;
        let ways = |layout: &LinearLayout, vector| -> Result<[u32; 2], LayoutError> {
            Ok([
                access_ways(src, layout, bytes, vector)?,
                access_ways(dst, layout, bytes, vector)?,
            ])
        };
        let order: Vec<usize> = (0..src.rank()).rev().collect();
        let plain = swizzled(&src.shape(), &order, Swizzle::NONE)?;
        let plain_vector = max_access(src, &plain, bytes)?.min(max_access(dst, &plain, bytes)?);
        Ok(Staged {
            ways: ways(&layout, vector)?,
            plain: ways(&plain, plain_vector)?,
            layout,
            vector,
            plain_vector,
        })
    }

    fn lines(&self, bytes: u32) -> Vec<String> {
        let size = (1u64 << self.layout.total_in_bits()) * u64::from(bytes);
        let rounds = if size > BLOCK_MEMORY {
            format!(", in rounds: a block has {BLOCK_MEMORY} at most")
        } else {
            String::new()
        };
        let accesses = |vector: u32, [store, load]: [u32; 2]| {
            let (store, load) = (ways_text(store), ways_text(load));
            format!("{} bytes at once; store: {store}, load: {load}", vector * bytes)
        };
        vec![
            format!("through {}", AnyLayout::Shared(self.layout.clone())),
            format!("{size} bytes{rounds}, {}", accesses(self.vector, self.ways)),
            format!("row-major instead: {}", accesses(self.plain_vector, self.plain)),
        ]
    }
}

fn means_text(plan: &ConversionPlan) -> String {
    let unique = plan.unique_registers().len();
    let copies = plan.representatives().len() - unique;
    let fill = format!("{} to fill", distributed::plural(unique as u32, "register"));
    let copies = match copies {
        0 => String::new(),
        n => format!(", {} copied", distributed::plural(n as u32, "register")),
    };
    match plan.movement() {
        Movement::None => "nothing moves: no code".to_owned(),
        Movement::Registers => format!("moves within each thread: {fill}{copies}"),
        Movement::Lanes => {
            let shuffles = distributed::plural(plan.num_shuffles() as u32, "shuffle");
            format!("moves within each warp: {fill} by {shuffles}{copies}")
        }
        Movement::Warps => format!("moves between warps, through shared memory: {fill}{copies}"),
        Movement::Blocks => format!("moves between blocks, through distributed shared memory: {fill}{copies}"),
    }
}

/// `source lane = ...` for each of the indices of a thread's register.
fn sources(plan: &ConversionPlan) -> Vec<String> {
    let lines = formulas(plan.source());
    let width = lines.iter().map(|(dim, _)| dim.len()).max().unwrap_or(0);
    lines
        .into_iter()
        .filter(|(dim, _)| plan.source().out_size(dim) > 1)
        .map(|(dim, formula)| format!("source {dim:width$} = {formula}"))
        .collect()
}

/// Which bits of lane and warp are not the destination's own.
fn changes(plan: &ConversionPlan) -> Vec<String> {
    let source = plan.source();
    let changed = |dim: &Dim| {
        let axis = source.outs().position(|(out, _)| out == dim).unwrap_or(0);
        let all = source.ins().flat_map(|(input, _)| {
            let own = input == dim;
            let bases = source.bases(input.as_str()).enumerate();
            bases.map(move |(bit, basis)| basis[axis] ^ if own { 1 << bit } else { 0 })
        });
        all.fold(0, |all, difference| all | difference)
    };
    [Dim::LANE, Dim::WARP, Dim::BLOCK]
        .iter()
        .filter(|dim| changed(dim) != 0)
        .map(|dim| format!("{dim} bits that change: {}", bits(changed(dim))))
        .collect()
}
