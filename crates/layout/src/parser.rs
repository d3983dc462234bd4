//! Reading the text form of layouts, every part with its place.
//!
//! ```text
//! layout ::= `{` [input {`,` input}] `}` [`->` `{` [output {`,` output}] `}`]
//! input  ::= name `=` `[` [basis {`,` basis}] `]`
//! basis  ::= number | `[` [number {`,` number}] `]`
//! output ::= name `=` size
//! ```

use crate::{Dim, LayoutError};
use smallvec::SmallVec;
use std::ops::Range;

type Result<T, E = LayoutError> = std::result::Result<T, E>;

/// The coordinates of one basis.
pub type Basis = SmallVec<[u32; 4]>;

/// A layout as it was written.
pub struct Parsed {
    /// The input dimensions in order.
    pub ins: Vec<Input>,
    /// The sizes of outputs, if they were written.
    pub outs: Option<Vec<(Dim, u32)>>,
}

/// An input dimension as it was written.
pub struct Input {
    /// Its name.
    pub name: Dim,
    /// Where the name stands, in bytes.
    pub place: Range<usize>,
    /// Its bases and where they stand.
    pub bases: Vec<(Basis, Range<usize>)>,
}

impl Parsed {
    /// The bases without their places.
    pub fn bases(&self) -> impl Iterator<Item = (Dim, impl Iterator<Item = &Basis>)> {
        self.ins
            .iter()
            .map(|input| (input.name.clone(), input.bases.iter().map(|(basis, _)| basis)))
    }

    /// The number of coordinates of the first basis, 0 if there is none.
    pub fn rank(&self) -> usize {
        self.ins
            .iter()
            .flat_map(|input| &input.bases)
            .next()
            .map_or(0, |(basis, _)| basis.len())
    }
}

/// Reads a text from left to right; blanks between tokens do not matter.
pub struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    /// At the beginning of a text.
    pub fn new(text: &'a str) -> Self {
        Parser { text, at: 0 }
    }

    /// Where the last token ended.
    pub fn at(&self) -> usize {
        self.at
    }

    /// What is left, from the next token on.
    pub fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    /// Where the next token begins.
    pub fn next_at(&mut self) -> usize {
        self.rest();
        self.at
    }

    /// Fails at the next token.
    pub fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(LayoutError::Parse {
            at: self.at,
            message: message.into(),
        })
    }

    /// Takes a token if it comes next.
    pub fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Takes a token, which has to come next.
    pub fn expect(&mut self, token: &str) -> Result<()> {
        if self.eat(token) {
            return Ok(());
        }
        match self.rest().chars().next() {
            Some(found) => self.fail(format!("expected `{token}`, found `{found}`")),
            None => self.fail(format!("expected `{token}`, found the end")),
        }
    }

    /// The text has to be read to its end.
    pub fn end(&mut self) -> Result<()> {
        if self.rest().is_empty() {
            return Ok(());
        }
        self.fail("unexpected text after the layout")
    }

    /// Items between brackets, separated by commas.
    pub fn list<T>(&mut self, open: &str, close: &str, item: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.expect(open)?;
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            if !self.eat(",") {
                return self.fail(format!("expected `,` or `{close}`"));
            }
        }
    }

    /// Letters, digits and underscores, as many as there are.
    pub fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let len = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn name(&mut self) -> Result<Dim> {
        if self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            return self.fail("expected the name of a dimension");
        }
        match self.word() {
            "" => self.fail("expected the name of a dimension"),
            name => Ok(Dim::from(name)),
        }
    }

    /// A number of at most 32 bits.
    pub fn number(&mut self) -> Result<u32> {
        let rest = self.rest();
        let len = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if len == 0 {
            return self.fail("expected a number that is not negative");
        }
        match rest[..len].parse() {
            Ok(number) => {
                self.at += len;
                Ok(number)
            }
            Err(_) => self.fail(format!("{} does not fit 32 bits", &rest[..len])),
        }
    }

    fn basis(&mut self) -> Result<(Basis, Range<usize>)> {
        let start = self.next_at();
        let basis = if self.rest().starts_with('[') {
            self.list("[", "]", Self::number)?.into()
        } else {
            SmallVec::from_elem(self.number()?, 1)
        };
        Ok((basis, start..self.at))
    }

    /// A layout, and perhaps more after it.
    pub fn layout(&mut self) -> Result<Parsed> {
        let ins = self.list("{", "}", |p| {
            let start = p.next_at();
            let name = p.name()?;
            let place = start..p.at;
            p.expect("=")?;
            let bases = p.list("[", "]", Self::basis)?;
            Ok(Input { name, place, bases })
        })?;
        let outs = if self.eat("->") {
            Some(self.list("{", "}", |p| {
                let name = p.name()?;
                p.expect("=")?;
                Ok((name, p.number()?))
            })?)
        } else {
            None
        };
        Ok(Parsed { ins, outs })
    }

    /// A layout and nothing else.
    pub fn whole_layout(mut self) -> Result<Parsed> {
        let parsed = self.layout()?;
        self.end()?;
        Ok(parsed)
    }
}
