//! The text of a layout as a tree, every part with its place.
//!
//! ```text
//! any      ::= `#tile.layout<` layout `>` | `#tile.shared<` layout `>` | layout | call
//! call     ::= name `(` [argument {`,` argument}] `)`
//! argument ::= [name `=`] value
//! value    ::= any | `[` [number {`,` number}] `]` | word
//! ```
//!
//! where `layout` is the text form of [`LinearLayout`](mytriton_layout::LinearLayout).

use super::{AnyLayout, TextError, constructors, times};
use mytriton_layout::parser::{Parsed, Parser};
use mytriton_layout::{Dim, DistributedLayout, LayoutError, LinearLayout};
use std::ops::Range;

/// Layouts within layouts end here.
const MAX_DEPTH: u32 = 8;

/// A part of the text.
pub(super) struct Node {
    pub kind: Kind,
    pub span: Range<usize>,
}

pub(super) enum Kind {
    /// Bases.
    Linear(Written),
    /// A named constructor.
    Call(Call),
    /// A list of numbers.
    List(Vec<u32>),
    /// Anything else: a number, or digits with a unit.
    Word(String),
}

pub(super) struct Written {
    parsed: Parsed,
    shared: bool,
}

pub(super) struct Call {
    pub name: String,
    pub place: Range<usize>,
    pub arguments: Vec<Argument>,
}

pub(super) struct Argument {
    pub name: Option<(String, Range<usize>)>,
    pub value: Node,
}

impl AnyLayout {
    /// Reads a layout of a tile of `shape`, in the dialect's form or by a constructor's name. Extents are padded to
    /// powers of two. Layouts of shared memory depend on `element_bits` where the hardware swizzles.
    ///
    /// # Errors
    /// Where the text is wrong, or the layout does not suit the shape.
    pub fn parse(text: &str, shape: &[u32], element_bits: u32) -> Result<AnyLayout, TextError> {
        super::check_element(element_bits, 0..text.len())?;
        let mut parser = Parser::new(text);
        let read = node(&mut parser, 0).and_then(|read| parser.end().map(|()| read));
        let read = read.map_err(|error| unreadable(error, text))?;
        read.build(shape, element_bits)
    }
}

/// An error of the parser, at the token it stopped at.
fn unreadable(error: LayoutError, text: &str) -> TextError {
    let LayoutError::Parse { at, message } = error else {
        return TextError::new(0..text.len(), error.to_string());
    };
    let token = text[at..].chars().next().map_or(0, char::len_utf8);
    TextError::new(at..at + token, message)
}

fn node(parser: &mut Parser<'_>, depth: u32) -> Result<Node, LayoutError> {
    let start = parser.next_at();
    if depth > MAX_DEPTH {
        return parser.fail(format!("more than {MAX_DEPTH} layouts within one another"));
    }
    let kind = if parser.eat("#tile.layout") {
        wrapped(parser, false)?
    } else if parser.eat("#tile.shared") {
        wrapped(parser, true)?
    } else if parser.rest().starts_with('{') {
        let parsed = parser.layout()?;
        let shared = parsed.ins.iter().any(|input| input.name == Dim::OFFSET);
        Kind::Linear(Written { parsed, shared })
    } else if parser.rest().starts_with('[') {
        Kind::List(parser.list("[", "]", Parser::number)?)
    } else {
        let name = parser.word().to_owned();
        let place = start..parser.at();
        if name.is_empty() {
            return parser.fail("expected a layout: `#tile.layout<{`, `#tile.shared<{`, or the name of a constructor");
        }
        if parser.rest().starts_with('(') {
            let arguments = parser.list("(", ")", |parser| argument(parser, depth))?;
            Kind::Call(Call { name, place, arguments })
        } else {
            return Ok(Node {
                kind: Kind::Word(name),
                span: place,
            });
        }
    };
    let span = start..parser.at();
    Ok(Node { kind, span })
}

fn wrapped(parser: &mut Parser<'_>, shared: bool) -> Result<Kind, LayoutError> {
    parser.expect("<")?;
    let parsed = parser.layout()?;
    parser.expect(">")?;
    Ok(Kind::Linear(Written { parsed, shared }))
}

fn argument(parser: &mut Parser<'_>, depth: u32) -> Result<Argument, LayoutError> {
    let value = node(parser, depth + 1)?;
    match value.kind {
        Kind::Word(name) if parser.eat("=") => Ok(Argument {
            name: Some((name, value.span)),
            value: node(parser, depth + 1)?,
        }),
        kind => Ok(Argument {
            name: None,
            value: Node { kind, ..value },
        }),
    }
}

impl Node {
    /// The layout of a tile of `shape`.
    pub fn build(&self, shape: &[u32], element_bits: u32) -> Result<AnyLayout, TextError> {
        match &self.kind {
            Kind::Linear(written) => written.build(shape, &self.span),
            Kind::Call(call) => constructors::build(call, &self.span, shape, element_bits),
            Kind::List(_) => Err(TextError::new(self.span.clone(), "a list of numbers is no layout")),
            Kind::Word(word) => Err(constructors::unknown(word, self.span.clone())),
        }
    }

    /// The extent along `axis` of a layout that is given by its bases, which may be any; 1 for constructors, for which
    /// an axis that is dropped in the end makes no difference.
    pub fn extent(&self, axis: usize) -> u32 {
        let Kind::Linear(Written { parsed, .. }) = &self.kind else {
            return 1;
        };
        let all = parsed.bases().flat_map(|(_, bases)| bases);
        let reach = all.filter_map(|basis| basis.get(axis)).fold(0, |all, c| all | c);
        (reach.min(1 << 30) + 1).next_power_of_two()
    }
}

impl Written {
    fn build(&self, shape: &[u32], whole: &Range<usize>) -> Result<AnyLayout, TextError> {
        let (kind, allowed): (_, &[Dim]) = if self.shared {
            ("shared", &[Dim::OFFSET])
        } else {
            ("distributed", &[Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK])
        };
        for (i, input) in self.parsed.ins.iter().enumerate() {
            if self.parsed.ins[..i].iter().any(|other| other.name == input.name) {
                let message = format!("dimension {} is listed twice", input.name);
                return Err(TextError::new(input.place.clone(), message));
            }
            if !allowed.contains(&input.name) {
                let names: Vec<&str> = allowed.iter().map(Dim::as_str).collect();
                let message = format!("a {kind} layout has no input dimension {}", input.name);
                return Err(TextError::new(input.place.clone(), message).help(format!("it has {}", names.join(", "))));
            }
            if let Some((basis, place)) = input.bases.iter().find(|(basis, _)| basis.len() != shape.len()) {
                let message = format!(
                    "a basis of {} in a layout of a tile of {}",
                    count(basis.len(), "coordinate"),
                    times(shape)
                );
                let help = format!("each basis has {}, one per dimension", count(shape.len(), "coordinate"));
                return Err(TextError::new(place.clone(), message).help(help));
            }
        }
        // At most 2^31 by the limit on shapes.
        let padded: Vec<u32> = super::padded(shape).iter().map(|&extent| extent as u32).collect();
        let linear = LinearLayout::from_parsed(&self.parsed, &padded).map_err(|e| self.located(e, whole))?;
        let layout = if self.shared {
            linear.require_surjective().map(AnyLayout::Shared)
        } else {
            DistributedLayout::new(linear).map(AnyLayout::Distributed)
        };
        layout.map_err(|e| self.located(e, whole))
    }

    /// The place of the basis at fault.
    fn located(&self, error: LayoutError, whole: &Range<usize>) -> TextError {
        let place = match &error {
            LayoutError::BasisRange { input, index, .. } => {
                let written = self.parsed.ins.iter().find(|written| written.name == *input);
                written
                    .and_then(|written| written.bases.get(*index))
                    .map(|(_, place)| place)
            }
            _ => None,
        };
        let help = match &error {
            LayoutError::NotSurjective { .. } => {
                "every element of the tile needs an owner: add a basis, or shrink the tile"
            }
            LayoutError::BasisRange { .. } => "coordinates lie within the tile, its extents padded to powers of two",
            _ => "",
        };
        TextError::new(place.unwrap_or(whole).clone(), error.to_string()).help(help)
    }
}

fn count(n: usize, what: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {what}{plural}")
}
