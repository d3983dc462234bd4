//! Writes the operations that move elements between threads: through shared memory, or from one index to another.

#![warn(clippy::wildcard_enum_match_arm)]

use mytriton_ssa::{Elem, OpData, OpKind, RegionId, Scalar, ValueId};
use rustc_hash::FxHashSet;

use crate::ctypes::{element_type, literal, register_type};
use crate::emit::{Emitter, Variable, comment_text};
use crate::moves::{self, Move, Movement, Staging};
use crate::threads::{Ownership, Projection};

/// The name of the shared memory of a block.
pub(crate) const SHARED: &str = "mt_shared";

/// The elements of a tile in shared memory along an axis.
pub(crate) struct Line {
    /// How many they are.
    pub extent: u64,
    /// How far apart neighbours lie.
    pub stride: u64,
    /// Is the axis the outermost one that counts?
    pub outermost: bool,
    /// How many lines there are, as C++.
    pub count: String,
    /// The elements of all lines, as C++.
    pub elements: String,
}

impl Emitter<'_> {
    /// An operation that moves elements, when its operands are gathered.
    pub(crate) fn move_elements(&mut self, op: &OpData, how: Move) {
        let Some(root) = self.threads.root_of(self.kernel.ty(op.operands[0]).shape.dims()) else {
            // Every moved operation has a root.
            return;
        };
        let whole = Ownership::whole(root, &self.threads.roots[root].shape);
        match how {
            Move::Kept => {
                // The loop over the operand's rounds ends; its elements are in arrays.
                self.writer.flush();
                let result = op.results[0];
                for &ownership in self.demands.get(result) {
                    let text = self.operand(op.operands[0], whole);
                    self.define(result, ownership, &text, op.loc);
                }
            }
            _ if op.kind == OpKind::Histogram => self.count(op, root, &Staging::of(self.kernel, op)),
            Move::Staged => {
                let tiles = self.stage(op, root, whole);
                let (extent, stride) = moves::axis(self.kernel, op);
                let elements = self.kernel.ty(op.operands[0]).shape.elements() as u64;
                let line = Line {
                    extent,
                    stride,
                    outermost: elements == extent * stride,
                    count: (elements / extent).to_string(),
                    elements: elements.to_string(),
                };
                self.combine(op, &tiles, &line);
                self.read_back(op, &tiles);
            }
            Move::Windowed => {
                self.writer.flush();
                let staging = Staging::of(self.kernel, op);
                if let Some(window) = staging.window {
                    self.move_in_windows(op, root, &staging, window);
                }
            }
        }
    }

    /// Declares the operands' tiles in shared memory, and gives their names.
    pub(crate) fn tiles(&mut self, op: &OpData, staging: &Staging) -> Vec<String> {
        let kernel = self.kernel;
        let mut tiles = Vec::new();
        for (&operand, offset) in moves::staged(op).iter().zip(&staging.offsets) {
            let ty = kernel.ty(operand);
            let name = match &kernel.value(operand).name {
                Some(name) => self.namer.unique(&format!("{name}_tile")),
                None => self.namer.unique("tile"),
            };
            let element = element_type(ty.elem);
            let start = if *offset == 0 {
                SHARED.to_owned()
            } else {
                format!("({SHARED} + {offset})")
            };
            self.writer
                .line(&format!("{element}* const {name} = ({element}*){start};"));
            tiles.push(name);
        }
        tiles
    }

    /// Writes the operands' tiles to shared memory, and gives their names.
    fn stage(&mut self, op: &OpData, root: usize, whole: Ownership) -> Vec<String> {
        let tiles = self.tiles(op, &Staging::of(self.kernel, op));
        for (&operand, tile) in moves::staged(op).iter().zip(&tiles) {
            let owner = self
                .writer
                .owner(root)
                .map_or(String::new(), |owner| format!("if ({owner}) "));
            let value = self.operand(operand, whole);
            let index = self.writer.index(root);
            let place = self.place(op.loc);
            self.writer
                .statement(Some(root), format!("{owner}{tile}[{index}] = {value};"), place);
        }
        self.writer.flush();
        let what = if tiles.len() == 1 {
            "the tile is"
        } else {
            "the tiles are"
        };
        self.writer.line(&format!("__syncthreads();  // {what} complete"));
        tiles
    }

    /// Reduces or scans the tiles in place.
    pub(crate) fn combine(&mut self, op: &OpData, tiles: &[String], line: &Line) {
        match Movement::of(&op.kind) {
            Movement::Scan { reverse, .. } => {
                let function = self.combiner_function(op);
                self.scan(&function, tiles, line, reverse);
            }
            Movement::Reduce { .. } => {
                let function = self.combiner_function(op);
                self.tree(&function, tiles, line);
            }
            Movement::Reshape | Movement::Split | Movement::Gather { .. } | Movement::Histogram => {}
            Movement::None
            | Movement::ExpandDims { .. }
            | Movement::Broadcast
            | Movement::Transpose { .. }
            | Movement::Join => unreachable!("'{}' moves no elements", op.kind.name()),
        }
    }

    /// A tree over the first n elements of each line: the upper half is combined into the lower one, of an odd n the
    /// middle waits, until one element is left, the first.
    fn tree(&mut self, function: &str, tiles: &[String], line: &Line) {
        let (t, threads) = (self.writer.thread(), self.threads.count);
        let &Line { extent, stride, .. } = line;
        let [n, p, at] = ["n", "p", "at"].map(|name| self.local(name));
        self.writer
            .open(&format!("for (u32 {n} = {extent}; {n} > 1; {n} -= {n} / 2) {{"));
        let pairs = match line.count.as_str() {
            "1" => format!("{n} / 2"),
            count => format!("{n} / 2 * {count}"),
        };
        self.writer
            .open(&format!("for (u32 {p} = {t}; {p} < {pairs}; {p} += {threads}) {{"));
        let left = if line.outermost {
            // Of the outermost axis the first half is the first half of the tile.
            p
        } else {
            let half = times(&format!("{n} / 2"), stride);
            let block = extent * stride;
            self.writer
                .line(&format!("const u32 {at} = {p} / ({half}) * {block} + {p} % ({half});"));
            at
        };
        let right = format!("{left} + {}", times(&format!("({n} - {n} / 2)"), stride));
        self.writer.line(&call(function, tiles, &left, &right, &left));
        self.writer.close();
        self.writer.line("__syncthreads();");
        self.writer.close();
    }

    /// Sklansky's scan: lines fall into blocks of 2 d elements, whose halves are scanned; the last element of the first
    /// half is combined into all of the second one.
    fn scan(&mut self, function: &str, tiles: &[String], line: &Line, reverse: bool) {
        let (t, threads) = (self.writer.thread(), self.threads.count);
        let &Line { extent, stride, .. } = line;
        let [d, at, i] = ["d", "at", "i"].map(|name| self.local(name));
        self.writer
            .open(&format!("for (u32 {d} = 1; {d} < {extent}; {d} *= 2) {{"));
        self.writer.open(&format!(
            "for (u32 {at} = {t}; {at} < {}; {at} += {threads}) {{",
            line.elements
        ));
        let mut place = at.clone();
        if stride > 1 {
            place += &format!(" / {stride}");
        }
        if !line.outermost {
            place += &format!(" % {extent}");
        }
        let (place, sign) = if reverse {
            (format!("{} - {place}", extent - 1), '+')
        } else {
            (place, '-')
        };
        self.writer.line(&format!("const u32 {i} = {place};"));
        let prefix = format!("{at} {sign} {}", times(&format!("({i} % {d} + 1)"), stride));
        let call = call(function, tiles, &prefix, &at, &at);
        self.writer.line(&format!("if (({i} & {d}) != 0) {call}"));
        self.writer.close();
        self.writer.line("__syncthreads();");
        self.writer.close();
    }

    /// The name of a variable of the loops over a tile: the same in all of them, and of nothing else.
    pub(crate) fn local(&mut self, wanted: &'static str) -> String {
        let namer = &mut *self.namer;
        let name = self.locals.entry(wanted).or_insert_with(|| namer.unique(wanted));
        name.clone()
    }

    /// Gives each result, in each ownership that is needed, its elements from the tiles.
    fn read_back(&mut self, op: &OpData, tiles: &[String]) {
        let kernel = self.kernel;
        let mut strides = row_major(kernel.ty(op.operands[0]).shape.dims());
        match Movement::of(&op.kind) {
            Movement::Reduce { axis } => drop(strides.remove(axis)),
            Movement::Split => drop(strides.pop()),
            // The index gives that coordinate.
            Movement::Gather { axis } => strides[axis] = 0,
            Movement::Scan { .. } => {}
            Movement::Reshape => strides = row_major(kernel.ty(op.results[0]).shape.dims()),
            Movement::None
            | Movement::ExpandDims { .. }
            | Movement::Broadcast
            | Movement::Transpose { .. }
            | Movement::Join
            | Movement::Histogram => unreachable!("'{}' puts no tile into shared memory", op.kind.name()),
        }
        for (number, &result) in op.results.iter().enumerate() {
            let (tile, offset) = moves::place_of(op, number);
            let tile = &tiles[tile];
            for &ownership in self.demands.get(result) {
                let text = match ownership {
                    Ownership::Uniform => {
                        let (chosen, (_, stride)) = (self.chosen(op, ownership), moves::axis(kernel, op));
                        let place = chosen.map_or(offset.to_string(), |chosen| times(&chosen, stride));
                        format!("{tile}[{place}]")
                    }
                    Ownership::Tile { root, projection } => {
                        let mut index = self.index(root, projection, &strides);
                        if let Some(chosen) = self.chosen(op, ownership) {
                            let (_, stride) = moves::axis(kernel, op);
                            let along = times(&chosen, stride);
                            index = match index.as_str() {
                                "0" => along,
                                line => format!("{line} + {along}"),
                            };
                        }
                        if offset > 0 {
                            index += &format!(" + {offset}");
                        }
                        let element = format!("{tile}[{index}]");
                        match self.writer.owner(root) {
                            // Who owns nothing has no coordinates in the tile.
                            Some(owner) => format!("{owner} ? {element} : {}", nothing(kernel.ty(result).elem)),
                            None => element,
                        }
                    }
                };
                self.define(result, ownership, &text, op.loc);
            }
        }
    }

    /// The coordinate along the axis that the index of a gather chooses, kept inside; none of other operations.
    pub(crate) fn chosen(&mut self, op: &OpData, ownership: Ownership) -> Option<String> {
        let OpKind::Gather { .. } = op.kind else { return None };
        let (extent, _) = moves::axis(self.kernel, op);
        let index = self.operand(op.operands[1], ownership);
        self.helpers.insert("mt_coordinate");
        Some(format!("mt_coordinate({index}, {extent}u)"))
    }

    /// The place in a tile of the thread's element of a tile, whose dimensions have the given strides there.
    pub(crate) fn index(&mut self, root: usize, projection: Projection, strides: &[u64]) -> String {
        let shape = &self.threads.roots[root].shape;
        if projection == Projection::whole(shape) && strides == row_major(shape) {
            return self.writer.index(root);
        }
        let mut terms = Vec::new();
        for (dim, stride) in projection.dims().iter().zip(strides) {
            let Some(dim) = dim.filter(|_| *stride > 0) else {
                continue;
            };
            let coordinate = self.writer.coordinate(root, usize::from(dim));
            terms.push(times(&coordinate, *stride));
        }
        if terms.is_empty() {
            return "0".to_owned();
        }
        terms.join(" + ")
    }

    /// The device function of an operation's combiner; operations that combine alike share one.
    fn combiner_function(&mut self, op: &OpData) -> String {
        let kernel = self.kernel;
        let region = op.regions[0];
        let outside = std::mem::take(self.namer);
        let results: Vec<String> = (0..op.operands.len()).map(|i| format!("r{i}")).collect();
        results.iter().for_each(|name| self.namer.reserve(name));
        let mut params = Vec::new();
        for &arg in &kernel.region(region).args {
            let name = self.name(arg);
            params.push(format!("{} {name}", element_type(kernel.ty(arg).elem)));
            self.variables
                .insert((arg, Ownership::Uniform), Variable { name, array: false });
        }
        for (&operand, name) in op.operands.iter().zip(&results) {
            params.push(format!("{}& {name}", element_type(kernel.ty(operand).elem)));
        }
        let mut body = String::new();
        let needed = self.needed(region);
        for &id in &kernel.region(region).ops {
            let inner = kernel.op(id);
            if inner.kind.is_terminator() {
                for (&value, name) in inner.operands.iter().zip(&results) {
                    body += &format!("  {name} = {};\n", self.operand(value, Ownership::Uniform));
                }
            } else if let Some(&value) = inner.results.first()
                && needed.contains(&value)
                && !matches!(inner.kind, OpKind::Const(_))
            {
                let text = self.expression(inner, Ownership::Uniform);
                let name = self.name(value);
                let declaration = crate::ctypes::constant_declaration(kernel.ty(value).elem, &name);
                body += &format!("  {declaration} = {text};\n");
                self.variables
                    .insert((value, Ownership::Uniform), Variable { name, array: false });
            }
        }
        *self.namer = outside;
        let text = format!("({}) {{\n{body}}}\n", params.join(", "));
        if let Some(number) = self.combiners.iter().position(|known| known.text == text) {
            return function_name(number);
        }
        let place = kernel.describe_loc(op.loc).filter(|_| self.places);
        self.combiners.push(Combiner {
            text,
            comment: place.map_or(String::new(), |place| format!(" at {}", comment_text(&place))),
            kind: op.kind.name(),
        });
        function_name(self.combiners.len() - 1)
    }

    /// The values of a combiner that its results depend on.
    fn needed(&self, region: RegionId) -> FxHashSet<ValueId> {
        let mut needed = FxHashSet::default();
        for &id in self.kernel.region(region).ops.iter().rev() {
            let op = self.kernel.op(id);
            if op.kind.is_terminator() || op.results.iter().any(|result| needed.contains(result)) {
                needed.extend(op.operands.iter().copied());
            }
        }
        needed
    }
}

/// A device function that combines two tuples of elements.
pub(crate) struct Combiner {
    /// Parameters and body.
    text: String,
    comment: String,
    kind: &'static str,
}

/// The texts of the device functions that combine.
pub(crate) fn combiner_texts(combiners: &[Combiner]) -> String {
    let text = |(number, combiner): (usize, &Combiner)| {
        format!(
            "// The combiner of a {}{}: two operands, and where the result goes.\n__device__ inline void {}{}",
            combiner.kind,
            combiner.comment,
            function_name(number),
            combiner.text
        )
    };
    combiners.iter().enumerate().map(text).collect()
}

fn function_name(number: usize) -> String {
    format!("mt_combine_{number}")
}

/// A product, without a factor of 1.
pub(crate) fn times(text: &str, factor: u64) -> String {
    if factor == 1 {
        text.to_owned()
    } else {
        format!("{text} * {factor}")
    }
}

/// A call that combines the elements of all tiles at two places into those at a third.
fn call(function: &str, tiles: &[String], left: &str, right: &str, to: &str) -> String {
    let elements = [left, right, to].map(|at| tiles.iter().map(move |tile| format!("{tile}[{at}]")));
    let arguments: Vec<String> = elements.into_iter().flatten().collect();
    format!("{function}({});", arguments.join(", "))
}

/// A value for threads that own none.
pub(crate) fn nothing(elem: Elem) -> String {
    match elem {
        Elem::Scalar(scalar @ (Scalar::F16 | Scalar::BF16)) => format!("{}()", register_type(scalar)),
        Elem::Scalar(scalar) => literal(mytriton_ssa::Const::zero(scalar)),
        Elem::Ptr(_) => format!("({})0", element_type(elem)),
    }
}

/// The stride of each dimension in row-major order.
pub(crate) fn row_major(extents: &[u32]) -> Vec<u64> {
    let mut strides = vec![1; extents.len()];
    for dim in (1..extents.len()).rev() {
        strides[dim - 1] = strides[dim] * u64::from(extents[dim]);
    }
    strides
}
