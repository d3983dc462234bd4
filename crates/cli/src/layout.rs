//! `mytriton layout`: pictures of layouts, and what a conversion between two of them moves.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::error::Error;
use crate::output;
use crate::picture::{AnyLayout, Picture, TextError, parse_shape};

/// Arguments of `mytriton layout`.
#[derive(Args)]
#[command(after_help = FORMS)]
pub struct Layout {
    /// The layout: bases, or the name of a constructor with its arguments
    #[arg(value_name = "LAYOUT")]
    layout: String,
    /// The extents of the tile, as 32x64
    #[arg(long, value_name = "EXTENTS")]
    shape: String,
    /// Another layout of the tile: what does a conversion to it move?
    #[arg(long, value_name = "LAYOUT")]
    to: Option<String>,
    /// The size of an element in bits
    #[arg(long, value_name = "BITS", default_value = "32", value_parser = element_bits())]
    elem_bits: u32,
    /// Where to write a picture
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

const FORMS: &str = "Layouts:
  '#tile.layout<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>'
  '#tile.shared<{offset = [[0, 1], [0, 2], [1, 1], [2, 2]]}>'
  'blocked(size_per_thread=[1, 4], threads_per_warp=[8, 4], warps=[4, 1], order=[1, 0])'
  'mma([16, 8], warps=[2, 2])'      the accumulator of mma.sync
  'wgmma([64, 128], warps=[4, 1])'  the accumulator of wgmma
  'operand_a(mma([16, 8]))', 'operand_b(mma([16, 8]), width=4)'
  'slice(1, mma([16, 8]))'          what a reduction along axis 1 leaves
  'swizzled(vec=2, per_phase=1, max_phase=4)', 'hw_swizzled(128B)'";

impl Layout {
    /// Prints the table, and writes the picture if one is asked for.
    pub fn run(self) -> Result<(), Error> {
        let shape = parse_shape(&self.shape).map_err(|e| located(e, "--shape", &self.shape))?;
        let read =
            |what, text: &str| AnyLayout::parse(text, &shape, self.elem_bits).map_err(|e| located(e, what, text));
        let layout = read("LAYOUT", &self.layout)?;
        let to = self.to.as_deref().map(|to| read("--to", to)).transpose()?;
        let picture =
            Picture::new(layout, to, &shape, self.elem_bits).map_err(|e| with_help(Error::new(&e.message), e.help))?;
        if let Some(path) = &self.svg {
            output::write_file(path, |file| file.write_all(picture.svg().as_bytes()))?;
        }
        let colour = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        output::print(picture.text(colour).as_bytes())
    }
}

/// The sizes of elements that shared memory is accessed with.
fn element_bits() -> impl TypedValueParser<Value = u32> {
    PossibleValuesParser::new(["8", "16", "32", "64", "128"]).try_map(|text| text.parse())
}

/// The error at its place in an argument.
fn located(error: TextError, what: &str, text: &str) -> Error {
    with_help(Error::at(&error.message, what, text, error.span), error.help)
}

fn with_help(error: Error, help: String) -> Error {
    if help.is_empty() { error } else { error.help(help) }
}
