//! Errors of the parser, which show the place.

use std::fmt;
use std::ops::Range;

use super::lexer::Span;
use crate::types::{ShapeError, Type};
use crate::typing::TypeError;

/// What is wrong with a text, and where. Displays as `file:line:column: message` with the line and a caret below.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// What is wrong.
    pub kind: ParseErrorKind,
    /// The file, as given to the parser.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The offending bytes of the text; empty at its end.
    pub span: Range<usize>,
    /// The line of the text; of a long one the part around the place.
    pub source_line: String,
    /// Where in [`ParseError::source_line`] the caret goes, in characters, from 0.
    pub caret: usize,
}

/// What can be wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseErrorKind {
    /// Characters that are no token.
    #[error("{0}")]
    Token(String),
    /// Another thing than the grammar has here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What could stand here.
        expected: String,
        /// What does.
        found: String,
    },
    /// A value that is not defined before, or only in a region that has ended.
    #[error("{0} is not defined here: values are defined before their use, in the same or an enclosing region")]
    Undefined(String),
    /// A name that is still in scope.
    #[error("{name} is defined already, in line {line}")]
    Redefined {
        /// The name.
        name: String,
        /// The line of the first definition.
        line: u32,
    },
    /// A word that is no operation.
    #[error("unknown operation '{0}'")]
    UnknownOp(String),
    /// A printed type that is not the value's.
    #[error("{what} is {expected}, not {found}")]
    Annotation {
        /// The value.
        what: String,
        /// Its type.
        expected: Type,
        /// The type printed.
        found: Type,
    },
    /// Operands or result that do not fit the operation.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// Extents that no tile has.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// Something else out of its range.
    #[error("{0}")]
    Invalid(String),
    /// Regions too deep within one another.
    #[error("regions are nested more than {0} deep")]
    Nesting(usize),
    /// What the verifier says of the finished kernel.
    #[error("{0}")]
    Verify(String),
}

/// A character of a text, to be shown: nothing in a text may steer a terminal.
pub(super) fn printable(c: char) -> char {
    if c.is_control() && c != '\t' {
        char::REPLACEMENT_CHARACTER
    } else {
        c
    }
}

/// Longer lines are cut around the place.
const SHOWN_CHARS: usize = 160;

impl ParseError {
    pub(super) fn new(text: &str, file: &str, span: Span, kind: ParseErrorKind) -> ParseError {
        let line_start = text[..span.start].rfind('\n').map_or(0, |i| i + 1);
        let line = text[line_start..].split('\n').next().unwrap_or_default();
        let caret = span.col.saturating_sub(1) as usize;
        let skipped = if line.chars().nth(SHOWN_CHARS).is_some() {
            caret.saturating_sub(SHOWN_CHARS / 2)
        } else {
            0
        };
        let line = line.trim_end_matches('\r');
        ParseError {
            kind,
            file: file.to_owned(),
            line: span.line,
            column: span.col,
            span: span.start..span.end,
            source_line: line.chars().skip(skipped).take(SHOWN_CHARS).map(printable).collect(),
            caret: caret - skipped,
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        writeln!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.kind)?;
        writeln!(f, "{margin} |")?;
        writeln!(f, "{number} | {}", self.source_line)?;
        // Tabs stay tabs, so that the caret stands below its character however wide they are shown.
        let blank = |c: char| if c == '\t' { '\t' } else { ' ' };
        let indent: String = self.source_line.chars().take(self.caret).map(blank).collect();
        write!(f, "{margin} | {indent}^")
    }
}

impl std::error::Error for ParseError {}
