//! Pictures of layouts: who owns what, as a table for terminals and as SVG, and what a conversion moves.
//!
//! [`AnyLayout::parse`] reads a layout as the dialect writes it, or one of the named constructors:
//!
//! | text | layout |
//! |---|---|
//! | `#tile.layout<{register = [[0, 1]], lane = [[1, 0]]}>` | distributed, by its bases |
//! | `#tile.shared<{offset = [[0, 1], [1, 1]]}>` | in shared memory, by its bases |
//! | `blocked(size_per_thread=[1, 4], threads_per_warp=[8, 4], warps=[4, 1], order=[1, 0])` | [`DistributedLayout::blocked`](mytriton_layout::DistributedLayout::blocked) |
//! | `mma([16, 8], warps=[2, 2])` | accumulator of `mma.sync.m16n8` |
//! | `wgmma([64, 128], warps=[4, 1])` | accumulator of `wgmma.m64n128` |
//! | `operand_a(PARENT, width=2)`, `operand_b(PARENT)` | operands of these; `width` elements side by side, 32 bits' worth unless given |
//! | `slice(AXIS, PARENT)` | a distributed layout with an axis dropped |
//! | `swizzled(VEC, PER_PHASE, MAX_PHASE, order=[1, 0])` | [`swizzled`](mytriton_layout::swizzled()) |
//! | `hw_swizzled(128B, 16)` | [`hardware_swizzled`](mytriton_layout::hardware_swizzled()); width, bits of an element |
//!
//! [`Picture`] then shows it.
//!
//! Both forms are functions of the input alone: the same layout gives the same bytes. Large tiles are cut, and say so.

mod arguments;
mod colour;
mod constructors;
mod convert;
mod distributed;
mod draw;
mod formula;
mod plane;
mod read;
mod shared;
mod svg;
mod table;

#[cfg(test)]
mod tests;

use mytriton_layout::{DistributedLayout, LinearLayout};
use std::ops::Range;

/// The most elements that a tile to be shown may have.
pub const MAX_ELEMENTS: u64 = 1 << 20;

/// The base-2 logarithm of the most registers, lanes, warps and blocks together that a layout to be shown may have.
const MAX_INDEX_BITS: u32 = 24;

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TextError {
    /// What is wrong.
    pub message: String,
    /// What is allowed, or to be done; empty where the message says it all.
    pub help: String,
    /// Where in the text, in bytes.
    pub span: Range<usize>,
}

impl TextError {
    fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        TextError {
            message: message.into(),
            help: String::new(),
            span,
        }
    }

    fn help(self, help: impl Into<String>) -> Self {
        TextError {
            help: help.into(),
            ..self
        }
    }
}

/// A layout over threads, or one in shared memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnyLayout {
    /// Over the registers, lanes, warps and blocks.
    Distributed(DistributedLayout),
    /// From offsets, in elements, onto the tile; surjective.
    Shared(LinearLayout),
}

/// Extents as `32x64`.
///
/// # Errors
/// Extents are positive, at most eight, and not more than [`MAX_ELEMENTS`] elements.
pub fn parse_shape(text: &str) -> Result<Vec<u32>, TextError> {
    let mut shape = Vec::new();
    let mut at = 0;
    for part in text.split('x') {
        let span = at..at + part.len();
        at = span.end + 1;
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        match part.parse() {
            Ok(extent) if digits && extent > 0 => shape.push(extent),
            _ => {
                let message = format!("extent {part:?} is not a positive number of 32 bits");
                return Err(TextError::new(span, message).help("a shape is written as 32x64"));
            }
        }
    }
    let elements = padded(&shape).iter().fold(1u64, |n, &extent| n.saturating_mul(extent));
    if shape.len() > 8 || elements > MAX_ELEMENTS {
        let message = format!("a tile of {text}, padded to powers of two, is too large to be shown");
        let help = format!("up to {MAX_ELEMENTS} elements and 8 dimensions are possible");
        return Err(TextError::new(0..text.len(), message).help(help));
    }
    Ok(shape)
}

/// Refuses sizes of elements that shared memory is not accessed with.
fn check_element(bits: u32, span: Range<usize>) -> Result<(), TextError> {
    if matches!(bits, 8 | 16 | 32 | 64 | 128) {
        return Ok(());
    }
    Err(TextError::new(span, format!("elements of {bits} bits")).help("8, 16, 32, 64 or 128 bits are possible"))
}

/// Extents rounded up to powers of two.
fn padded(shape: &[u32]) -> Vec<u64> {
    shape
        .iter()
        .map(|&extent| u64::from(extent).next_power_of_two())
        .collect()
}

/// `16x8`.
fn times(shape: &[u32]) -> String {
    shape.iter().map(u32::to_string).collect::<Vec<_>>().join("x")
}

/// Something to be shown: a layout, or what a conversion between two moves.
pub struct Picture {
    layout: AnyLayout,
    to: Option<AnyLayout>,
    shape: Vec<u32>,
    element_bits: u32,
}

impl Picture {
    /// Layouts of a tile of `shape`, whose elements have `element_bits`.
    ///
    /// # Errors
    /// Elements have 8, 16, 32, 64 or 128 bits, both layouts the padded shape, and there is a plan from the one to the
    /// other: the same threads hold both, or one of them is in shared memory.
    pub fn new(layout: AnyLayout, to: Option<AnyLayout>, shape: &[u32], element_bits: u32) -> Result<Self, TextError> {
        check_element(element_bits, 0..0)?;
        let picture = Picture {
            layout,
            to,
            shape: shape.to_vec(),
            element_bits,
        };
        for layout in std::iter::once(&picture.layout).chain(&picture.to) {
            let have = layout.linear().out_shape();
            if have.iter().map(|&extent| u64::from(extent)).ne(padded(shape)) {
                let message = format!("a layout of {} does not suit a tile of {}", times(&have), times(shape));
                return Err(TextError::new(0..0, message));
            }
            let bits = layout.linear().total_in_bits();
            if bits > MAX_INDEX_BITS {
                let message = format!("a layout of 2^{bits} indices is too large to be shown");
                return Err(TextError::new(0..0, message).help(format!("up to 2^{MAX_INDEX_BITS} are possible")));
            }
        }
        if picture.to.is_some() {
            picture.plan()?;
        }
        Ok(picture)
    }

    /// The table for a terminal; `colour` with the escape sequences of 256 colours.
    pub fn text(&self, colour: bool) -> String {
        let bytes = self.element_bits / 8;
        let mut text = match &self.layout {
            AnyLayout::Distributed(layout) => distributed::text(layout, &self.shape, colour),
            AnyLayout::Shared(layout) => shared::text(layout, &self.shape, bytes, colour),
        };
        if let Ok(Some(plan)) = self.plan() {
            text.push('\n');
            text.push_str(&plan.text(colour));
        }
        text
    }

    /// The same as an SVG document.
    pub fn svg(&self) -> String {
        let bytes = self.element_bits / 8;
        let first = match &self.layout {
            AnyLayout::Distributed(layout) => distributed::panels(layout, &self.shape),
            AnyLayout::Shared(layout) => shared::panels(layout, &self.shape, bytes),
        };
        let mut page = draw::Page::new();
        match self.plan() {
            Ok(Some(plan)) => plan.draw(&mut page, first),
            _ => page.row(first),
        }
        page.finish()
    }

    fn plan(&self) -> Result<Option<convert::Plan<'_>>, TextError> {
        let plan = |to| convert::Plan::new(&self.layout, to, &self.shape, self.element_bits / 8);
        self.to.as_ref().map(plan).transpose()
    }
}

impl AnyLayout {
    /// The map itself.
    pub fn linear(&self) -> &LinearLayout {
        match self {
            AnyLayout::Distributed(layout) => layout.linear(),
            AnyLayout::Shared(layout) => layout,
        }
    }
}

impl std::fmt::Display for AnyLayout {
    /// As the dialect writes it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self {
            AnyLayout::Distributed(_) => "layout",
            AnyLayout::Shared(_) => "shared",
        };
        // The tile's type has the sizes.
        let text = self.linear().to_string();
        let bases = text.split_once(" -> ").map_or(text.as_str(), |(bases, _)| bases);
        write!(f, "#tile.{name}<{bases}>")
    }
}
