//! Moves elements of tiles that are larger than the shared memory of a block, some lines at a time.
//!
//! A *line* is what a reduction or scan combines: the elements along its axis, at one place in the other dimensions.
//! Lines do not touch one another, so that they can take turns. Within a window they lie one after another, whatever
//! the axis. For a reshape every element is a line of its own.

#![warn(clippy::wildcard_enum_match_arm)]

use mytriton_ssa::OpData;

use crate::emit::Emitter;
use crate::moves::{self, Movement, Staging};
use crate::staged::{Line, nothing, row_major, times};
use crate::threads::Ownership;

impl Emitter<'_> {
    /// A moved operation whose operands are in variables; `window` lines at a time are in shared memory.
    pub(crate) fn move_in_windows(&mut self, op: &OpData, root: usize, staging: &Staging, window: u64) {
        let kernel = self.kernel;
        let whole = Ownership::whole(root, &self.threads.roots[root].shape);
        let (extent, stride) = moves::axis(kernel, op);
        let count = kernel.ty(op.operands[0]).shape.elements() as u64 / extent;
        let mut targets = Vec::new();
        for (number, &result) in op.results.iter().enumerate() {
            let place = moves::place_of(op, number);
            for &ownership in self.demands.get(result) {
                let target = self.carry(&[result], None, ownership);
                // Who owns nothing finds nothing in any window.
                let start = format!("{} = {};", target.element(), nothing(kernel.ty(result).elem));
                self.writer.statement(ownership.root(), start, None);
                targets.push((place, ownership, target));
            }
        }
        self.writer.flush();
        let tiles = self.tiles(op, staging);
        let [base, lines] = ["base", "lines"].map(|name| self.local(name));
        let place = self.place(op.loc);
        let comment = place.as_ref().map_or(String::new(), |place| format!("  // {place}"));
        self.writer.open(&format!(
            "for (u32 {base} = 0; {base} < {count}; {base} += {window}) {{{comment}"
        ));
        let left = format!("{count} - {base}");
        self.writer
            .line(&format!("const u32 {lines} = {left} < {window} ? {left} : {window};"));
        let element = |tile: &str, line: &str, place: &str| {
            let start = times(&format!("({line} - {base})"), extent);
            let place = if place.is_empty() {
                String::new()
            } else {
                format!(" + {place}")
            };
            (format!("{line} - {base} < {lines}"), format!("{tile}[{start}{place}]"))
        };

        let index = self.writer.index(root);
        let (line, along) = locate(&index, extent, stride);
        for (&operand, tile) in moves::staged(op).iter().zip(&tiles) {
            let value = self.operand(operand, whole);
            let (inside, element) = element(tile, &line, &along);
            self.writer
                .statement(Some(root), format!("if ({inside}) {element} = {value};"), None);
        }
        self.writer.flush();
        self.writer.line("__syncthreads();  // the lines are complete");
        let shape = Line {
            extent,
            stride: 1,
            outermost: false,
            elements: times(&lines, extent),
            count: lines.clone(),
        };
        self.combine(op, &tiles, &shape);

        let result = kernel.ty(op.results[0]).shape;
        let strides = match Movement::of(&op.kind) {
            // Of a gather the index of the line counts, in which it chooses.
            Movement::Gather { axis } => {
                let mut dims = result.dims().to_vec();
                dims.remove(axis);
                let mut strides = row_major(&dims);
                strides.insert(axis, 0);
                strides
            }
            Movement::Reduce { .. } | Movement::Scan { .. } | Movement::Split | Movement::Reshape => {
                row_major(result.dims())
            }
            Movement::None
            | Movement::ExpandDims { .. }
            | Movement::Broadcast
            | Movement::Transpose { .. }
            | Movement::Join
            | Movement::Histogram => unreachable!("'{}' puts no tile into shared memory", op.kind.name()),
        };
        for ((tile, offset), ownership, target) in targets {
            let index = match ownership {
                Ownership::Tile { root, projection } => self.index(root, projection, &strides),
                Ownership::Uniform => "0".to_owned(),
            };
            let index = if index.contains(' ') {
                format!("({index})")
            } else {
                index
            };
            let (line, along) = match Movement::of(&op.kind) {
                // Without the axis the index is that of the line.
                Movement::Reduce { .. } => (index, String::new()),
                Movement::Split if offset == 0 => (index, String::new()),
                Movement::Split => (index, offset.to_string()),
                Movement::Gather { .. } => (index, self.chosen(op, ownership).unwrap_or_default()),
                Movement::Scan { .. } | Movement::Reshape => locate(&index, extent, stride),
                Movement::None
                | Movement::ExpandDims { .. }
                | Movement::Broadcast
                | Movement::Transpose { .. }
                | Movement::Join
                | Movement::Histogram => unreachable!("'{}' puts no tile into shared memory", op.kind.name()),
            };
            let (inside, element) = element(&tiles[tile], &line, &along);
            let text = format!("if ({inside}) {} = {element};", target.element());
            self.writer.statement(ownership.root(), text, None);
        }
        self.writer.flush();
        self.writer.line("__syncthreads();  // the lines have been read");
        self.writer.close();
    }
}

/// The line of an element and its place there, from its row-major index.
fn locate(index: &str, extent: u64, stride: u64) -> (String, String) {
    let block = extent * stride;
    match (extent, stride) {
        (1, _) => (index.to_owned(), String::new()),
        (_, 1) => (format!("{index} / {extent}"), format!("{index} % {extent}")),
        _ => (
            format!("({index} / {block} * {stride} + {index} % {stride})"),
            format!("{index} / {stride} % {extent}"),
        ),
    }
}
