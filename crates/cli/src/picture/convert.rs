//! What a conversion between two layouts moves.

use super::colour::Colour;
use super::distributed::{bits, label, run};
use super::draw::{Page, Panel};
use super::formula::formulas;
use super::plane::{Cell, Grid, Limits};
use super::shared::ways_text;
use super::table::{painted, table};
use super::{AnyLayout, TextError, distributed, shared};
use mytriton_layout::staging::{Access, Form, Matrices, access_ways, max_access, offsets};
use mytriton_layout::{
    ConversionKind, ConversionPlan, Dim, DistributedLayout, LaneExchange, LayoutError, LinearLayout, Movement, Round,
    SelectStep, SharedExchange, SharedMemory, Swizzle, swizzled,
};
use std::fmt::Write;

/// The shared memory of one block on sm_90, in bytes.
const BLOCK_MEMORY: u64 = 227 * 1024;
/// The compute capability of that.
const CAPABILITY: u32 = 90;

/// From one layout of a tile to another.
pub(super) struct Plan<'a> {
    from: &'a AnyLayout,
    to: &'a AnyLayout,
    shape: &'a [u32],
    bytes: u32,
    route: Route<'a>,
}

enum Route<'a> {
    /// Between threads.
    Threads {
        src: &'a DistributedLayout,
        dst: &'a DistributedLayout,
        plan: Box<ConversionPlan>,
        /// None of ours between blocks.
        kind: Option<Box<ConversionKind>>,
        /// Through shared memory: the same for a tile in row-major order, with accesses as wide as it allows.
        plain: Option<Plain>,
    },
    /// Between threads and a place in shared memory.
    Access {
        store: bool,
        access: Access,
        offsets: Box<LinearLayout>,
    },
}

/// A tile in row-major order in shared memory.
struct Plain {
    vector: u32,
    /// Of the store and the load.
    ways: [u32; 2],
}

fn impossible(error: &LayoutError) -> TextError {
    TextError::new(0..0, format!("there is no conversion: {error}"))
        .help("the tile, and the numbers of lanes, warps and blocks have to be the same")
}

impl<'a> Plan<'a> {
    pub fn new(from: &'a AnyLayout, to: &'a AnyLayout, shape: &'a [u32], bytes: u32) -> Result<Self, TextError> {
        let route = match (from, to) {
            (AnyLayout::Distributed(src), AnyLayout::Distributed(dst)) => Route::between(src, dst, bytes),
            (AnyLayout::Distributed(threads), AnyLayout::Shared(place)) => Route::access(true, threads, place, bytes),
            (AnyLayout::Shared(place), AnyLayout::Distributed(threads)) => Route::access(false, threads, place, bytes),
            (AnyLayout::Shared(_), AnyLayout::Shared(_)) => {
                return Err(TextError::new(0..0, "both layouts are in shared memory")
                    .help("tiles move between threads, or between threads and shared memory"));
            }
        };
        let route = route.map_err(|e| impossible(&e))?;
        Ok(Plan {
            from,
            to,
            shape,
            bytes,
            route,
        })
    }

    /// One line that says it, then the details.
    fn summary(&self) -> (String, Vec<String>) {
        match &self.route {
            Route::Threads { plan, kind, plain, .. } => {
                let mut lines = Vec::new();
                if plan.movement() > Movement::None {
                    lines.extend(sources(plan));
                    lines.extend(changes(plan));
                }
                match kind.as_deref() {
                    None | Some(ConversionKind::Registers(_)) => {}
                    Some(ConversionKind::Lanes(exchange)) => lines.extend(shuffle_lines(exchange)),
                    Some(ConversionKind::Shared(exchange)) => lines.extend(shared_lines(exchange, self.bytes)),
                }
                if let Some(Plain { vector, ways }) = plain {
                    let access = |ways| Access {
                        form: Form::Vector(*vector),
                        ways,
                    };
                    let accesses = [0, 1].map(|side| access_text(side == 0, access(ways[side]), self.bytes));
                    lines.push(format!(
                        "row-major instead: store {}, load {}",
                        accesses[0], accesses[1]
                    ));
                }
                (title(plan, kind.as_deref()), lines)
            }
            Route::Access { store, access, offsets } => {
                let verb = if *store { "store to" } else { "load from" };
                let title = format!("{verb} shared memory: {}", access_text(*store, *access, self.bytes));
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
        if let Some(layout) = self.on_the_way() {
            let mut panels = shared::panels(&layout, self.shape, self.bytes);
            for panel in &mut panels {
                panel.title = "on the way: in shared memory".to_owned();
            }
            below.extend(panels);
        }
        if !below.is_empty() {
            page.row(below);
        }
    }

    /// The tile in shared memory, if all of it is there at once.
    fn on_the_way(&self) -> Option<LinearLayout> {
        let Route::Threads { kind, .. } = &self.route else {
            return None;
        };
        match kind.as_deref() {
            Some(ConversionKind::Shared(exchange)) => in_tile(exchange).filter(LinearLayout::is_invertible),
            _ => None,
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
        let farthest = match &self.route {
            Route::Threads { plan, .. } => plan.movement(),
            Route::Access { .. } => Movement::None,
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
        let Route::Threads { src, dst, plan, .. } = &self.route else {
            return None;
        };
        if plan.movement() == Movement::None {
            return None;
        }
        let step = run(plan.source(), &Dim::REGISTER);
        let shape = [dst.num_lanes(), dst.num_registers()];
        let cell = |at: &mytriton_layout::Coords| {
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

impl<'a> Route<'a> {
    fn between(src: &'a DistributedLayout, dst: &'a DistributedLayout, bytes: u32) -> Result<Self, LayoutError> {
        let plan = Box::new(ConversionPlan::new(src, dst)?);
        let kind = match plan.movement() {
            Movement::Blocks => None,
            _ => Some(Box::new(plan.kind(bytes, memory())?)),
        };
        let plain = match kind.as_deref() {
            Some(ConversionKind::Shared(_)) => Some(Plain::new(src, dst, bytes)?),
            _ => None,
        };
        Ok(Route::Threads {
            src,
            dst,
            plan,
            kind,
            plain,
        })
    }

    fn access(store: bool, threads: &DistributedLayout, place: &LinearLayout, bytes: u32) -> Result<Self, LayoutError> {
        let matrices = memory().matrices;
        let matrices = if store { matrices.store } else { matrices.load };
        Ok(Route::Access {
            store,
            access: Access::best(threads, place, bytes, matrices)?,
            offsets: Box::new(offsets(threads, place)?),
        })
    }
}

impl Plain {
    fn new(src: &DistributedLayout, dst: &DistributedLayout, bytes: u32) -> Result<Self, LayoutError> {
        let order: Vec<usize> = (0..src.rank()).rev().collect();
        let layout = swizzled(&src.shape(), &order, Swizzle::NONE)?;
        let vector = max_access(src, &layout, bytes)?.min(max_access(dst, &layout, bytes)?);
        let ways = [
            access_ways(src, &layout, bytes, vector)?,
            access_ways(dst, &layout, bytes, vector)?,
        ];
        Ok(Plain { vector, ways })
    }
}

fn memory() -> SharedMemory {
    SharedMemory {
        bytes: BLOCK_MEMORY,
        matrices: Matrices::of_capability(CAPABILITY),
    }
}

fn access_text(store: bool, access: Access, bytes: u32) -> String {
    let size = access.bytes(bytes);
    let ways = ways_text(access.ways);
    match access.form {
        Form::Vector(_) => format!("{size} bytes at once, {ways}"),
        Form::Matrices { count, transposed } => {
            let name = if store { "stmatrix" } else { "ldmatrix" };
            let transposed = if transposed { ".trans" } else { "" };
            format!("{size} bytes at once by {name}.x{count}{transposed}, {ways}")
        }
    }
}

/// From offsets to the tile.
fn in_tile(exchange: &SharedExchange) -> Option<LinearLayout> {
    exchange.staging.layout.compose(&exchange.elements).ok()
}

fn shared_lines(exchange: &SharedExchange, bytes: u32) -> Vec<String> {
    let mut lines: Vec<String> = in_tile(exchange)
        .map(|layout| format!("through {}", AnyLayout::Shared(layout)))
        .into_iter()
        .collect();
    let mut size = format!("{} bytes", exchange.bytes);
    if exchange.within_warps && exchange.bytes > exchange.piece_bytes {
        let _ = write!(size, ", {} for each warp", exchange.piece_bytes);
    }
    match exchange.stored.len() {
        1 if exchange.bytes > BLOCK_MEMORY => {
            let _ = write!(size, ": more than the {BLOCK_MEMORY} that a block has");
        }
        1 => {}
        rounds => {
            let _ = write!(size, " in each of {rounds} rounds");
            let predicated = |rounds: &[Round]| rounds.iter().any(|round| !round.predicates.is_empty());
            if predicated(&exchange.stored) || predicated(&exchange.loaded) {
                size.push_str(", in which threads take turns");
            }
        }
    }
    if exchange.within_warps {
        size.push_str("; warps need not wait for one another");
    }
    lines.push(size);
    for (name, access) in [("store", exchange.staging.store), ("load", exchange.staging.load)] {
        lines.push(format!("{name:5} {}", access_text(name == "store", access, bytes)));
    }
    lines
}

fn shuffle_lines(exchange: &LaneExchange) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(parts) = exchange.words.first().map(Vec::len).filter(|&parts| parts > 1) {
        lines.push(format!("{parts} registers in a word"));
    }
    let steps = |when: &str, steps: &[SelectStep]| {
        let of_step = |step: &SelectStep| {
            let masks = [("lane", step.lanes), ("warp", step.warps)].into_iter();
            let masks = masks.filter(|&(_, mask)| mask != 0);
            let masks: Vec<String> = masks.map(|(name, mask)| format!("{name} & {mask}")).collect();
            let condition = match (&masks[..], step.lanes.count_ones() + step.warps.count_ones()) {
                ([only], 1) => only.clone(),
                _ => format!("parity({})", masks.join(", ")),
            };
            format!("{when}: word ^ {} where {condition}", step.flip)
        };
        steps.iter().map(of_step).collect::<Vec<_>>()
    };
    lines.extend(steps("before", &exchange.before));
    let flips: Vec<String> = exchange
        .transfers
        .iter()
        .map(|transfer| transfer.flip.to_string())
        .collect();
    let lane = match exchange.keeps_lanes() {
        true => "lane".to_owned(),
        false => {
            let [lanes, warps] = exchange.source_lane_bases();
            format!("{lanes:?} of the lane's bits, {warps:?} of the warp's,")
        }
    };
    lines.push(format!("words from {lane} ^ {}", flips.join(", ")));
    lines.extend(steps("after", &exchange.after));
    lines
}

fn title(plan: &ConversionPlan, kind: Option<&ConversionKind>) -> String {
    let unique = plan.unique_registers().len();
    let copies = plan.representatives().len() - unique;
    let fill = format!("{} to fill", distributed::plural(unique as u32, "register"));
    let copies = match copies {
        0 => String::new(),
        n => format!(", {} copied", distributed::plural(n as u32, "register")),
    };
    let way = match plan.movement() {
        Movement::None => return "nothing moves: no code".to_owned(),
        Movement::Registers => "moves within each thread",
        Movement::Lanes => "moves within each warp",
        Movement::Warps => "moves between warps",
        Movement::Blocks => "moves between blocks",
    };
    let by = match kind {
        None => " through distributed shared memory".to_owned(),
        Some(ConversionKind::Registers(_)) => String::new(),
        Some(ConversionKind::Lanes(exchange)) => format!(
            " by {} and {}",
            distributed::plural(exchange.num_shuffles(), "shuffle"),
            distributed::plural(exchange.num_selects(), "selection")
        ),
        Some(ConversionKind::Shared(_)) => " through shared memory".to_owned(),
    };
    format!("{way}: {fill}{by}{copies}")
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
