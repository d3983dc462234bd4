//! How failures are told, and the exit status.
//!
//! The crates below have typed errors; here they become a message, advice, and where possible the line of the source.

use std::fmt::{self, Display, Write as _};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode, ThemeCharacters,
};
use mytriton_ssa::ParseError;

/// Lines with more bytes than this are not shown.
const LONGEST_LINE: usize = 240;

/// Why a command failed.
#[derive(Debug)]
pub struct Error {
    message: String,
    help: Option<String>,
    snippet: Option<Snippet>,
    usage: bool,
}

/// A place in a source, to be shown.
#[derive(Debug)]
struct Snippet {
    source: NamedSource<String>,
    /// Where, in bytes.
    span: std::ops::Range<usize>,
}

impl Error {
    /// An error that says all by itself.
    pub fn new(message: impl Into<String>) -> Error {
        Error {
            message: message.into(),
            help: None,
            snippet: None,
            usage: false,
        }
    }

    /// With advice.
    pub fn help(self, help: impl Into<String>) -> Error {
        Error {
            help: Some(help.into()),
            ..self
        }
    }

    /// One that the command line alone is the cause of.
    pub fn usage(message: impl Into<String>) -> Error {
        Error {
            usage: true,
            ..Error::new(message)
        }
    }

    /// The system refused.
    pub fn io(action: &str, what: impl Display, error: io::Error) -> Error {
        Error::new(format!("cannot {action} {what}: {error}"))
    }

    /// A mistake in SSA text.
    pub fn ssa(error: &ParseError, text: &str) -> Error {
        match snippet(&error.file, text, error.span.clone()) {
            Some(snippet) => Error {
                snippet: Some(snippet),
                ..Error::new(error.kind.to_string())
            },
            // Shows the part of the line that matters.
            None => Error::new(error.to_string()),
        }
    }

    /// A mistake in a text, at these of its bytes.
    pub fn at(message: &str, file: &str, text: &str, span: std::ops::Range<usize>) -> Error {
        Error {
            snippet: snippet(file, text, span),
            ..Error::new(message)
        }
    }

    /// A message that may begin with a place, `file:line:column: `, in the source given here.
    pub fn in_source(message: &str, file: &str, text: &str) -> Error {
        let place = message
            .strip_prefix(file)
            .and_then(|rest| rest.strip_prefix(':'))
            .and_then(|rest| {
                let (line, rest) = rest.split_once(':')?;
                let (column, rest) = rest.split_once(": ")?;
                Some((span_at(text, line.parse().ok()?, column.parse().ok()?)?, rest))
            });
        match place.and_then(|(span, rest)| Some((snippet(file, text, span)?, rest))) {
            Some((snippet, rest)) => Error {
                snippet: Some(snippet),
                ..Error::new(rest)
            },
            None => Error::new(message),
        }
    }

    /// Tells the user, and gives the exit status.
    pub fn report(&self) -> ExitCode {
        let mut stderr = io::stderr().lock();
        // Nothing is left to be told by when this fails.
        let _ = stderr.write_all(self.render(stderr.is_terminal()).as_bytes());
        ExitCode::from(if self.usage { 2 } else { 1 })
    }

    /// The text of it, in colours for a terminal that takes them.
    pub fn render(&self, terminal: bool) -> String {
        let mut theme = match (terminal, std::env::var_os("NO_COLOR").is_some()) {
            (false, _) => GraphicalTheme::none(),
            (true, true) => GraphicalTheme::unicode_nocolor(),
            (true, false) => GraphicalTheme::unicode(),
        };
        theme.characters = ThemeCharacters {
            error: "error:".to_owned(),
            ..theme.characters
        };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_links(false)
            .with_wrap_lines(false)
            .with_context_lines(1)
            .without_cause_chain();
        let mut text = String::new();
        match handler.render_report(&mut text, self) {
            // The handler indents by two columns and begins with an empty line where there is a code.
            Ok(()) => text.trim_start().to_owned(),
            Err(fmt::Error) => format!("error: {self}\n"),
        }
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // It may quote the file.
        self.message.chars().try_for_each(|c| f.write_char(printable(c)))
    }
}

impl std::error::Error for Error {}

impl Diagnostic for Error {
    fn help(&self) -> Option<Box<dyn Display + '_>> {
        self.help.as_ref().map(|help| Box::new(help) as _)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.snippet.as_ref().map(|snippet| &snippet.source as _)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.snippet.as_ref()?.span.clone();
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(None, span))))
    }
}

/// A character to show, as long as it was: what is in a file must not steer the terminal.
fn printable(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        _ if c.is_ascii_control() => ' ',
        // The other control characters, U+0080 to U+009F, are of two bytes, as the blank is that replaces them.
        _ if c.is_control() => '\u{A0}',
        _ => c,
    }
}

/// A place to show, unless its line is too long.
fn snippet(file: &str, text: &str, span: std::ops::Range<usize>) -> Option<Snippet> {
    let start = span.start.min(text.len());
    let line_start = text.as_bytes()[..start]
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    // With the lines around it.
    let before = text.as_bytes()[..line_start.saturating_sub(1)]
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    let shown = text.get(before..)?.split('\n').take(3);
    if shown.map(str::len).max().is_some_and(|longest| longest > LONGEST_LINE) {
        return None;
    }
    // Bytes stay where they are.
    let source = NamedSource::new(file, text.chars().map(printable).collect());
    Some(Snippet {
        source,
        span: start..span.end.clamp(start, text.len()),
    })
}

/// The word at a line and column, both from 1 and in characters.
fn span_at(text: &str, line: usize, column: usize) -> Option<std::ops::Range<usize>> {
    let before = line.checked_sub(1)?;
    let start = text.split_inclusive('\n').take(before).map(str::len).sum();
    // The end of a text is a place too, what is beyond is none.
    if text[..start].bytes().filter(|&byte| byte == b'\n').count() != before {
        return None;
    }
    let line = text[start..].lines().next().unwrap_or_default();
    let skipped: usize = line.chars().take(column.checked_sub(1)?).map(char::len_utf8).sum();
    let word = line[skipped..]
        .find(|c: char| c.is_whitespace() || "(),:=".contains(c))
        .unwrap_or(line.len() - skipped);
    Some(start + skipped..start + skipped + word.max(1).min(line.len() - skipped))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "first line\nsecond (line)\n\tthird\n";

    fn shown(error: &Error) -> String {
        error.render(false)
    }

    #[test]
    fn a_place_is_shown() {
        insta::assert_snapshot!(shown(&Error::in_source("k.ssa:2:9: wrong word", "k.ssa", TEXT)), @r"
        error: wrong word
           ,-[k.ssa:2:9]
         1 | first line
         2 | second (line)
           :         ^^^^
         3 |     third
           `----
        ");
    }

    #[test]
    fn a_place_elsewhere_stays_in_the_message() {
        for message in ["other.ssa:2:9: wrong", "k.ssa:99:1: wrong", "k.ssa:2: wrong", "k.ssa"] {
            assert_eq!(
                shown(&Error::in_source(message, "k.ssa", TEXT)),
                format!("error: {message}\n")
            );
        }
    }

    #[test]
    fn places_at_the_edges_are_no_panic() {
        for (line, column) in [(1, 1), (1, 11), (1, 99), (3, 1), (4, 1), (5, 5), (0, 0), (1, 0)] {
            let message = format!("k:{line}:{column}: m");
            let _ = shown(&Error::in_source(&message, "k", TEXT));
            let _ = shown(&Error::in_source(&message, "k", ""));
            let _ = shown(&Error::in_source(&message, "k", "é"));
        }
    }

    #[test]
    fn long_lines_and_control_characters_do_not_reach_the_terminal() {
        let long = "x".repeat(10_000);
        assert_eq!(
            shown(&Error::in_source("k:1:9000: m", "k", &long)),
            "error: k:1:9000: m\n"
        );
        assert!(!shown(&Error::in_source("k:1:1: m", "k", "a \x1b[31m b")).contains('\x1b'));
        // The same in one character.
        assert!(!shown(&Error::in_source("k:1:1: m", "k", "a \u{9b}31m b")).contains('\u{9b}'));
        // Messages quote the file.
        assert_eq!(
            shown(&Error::new("found 'a\x1b[31m\u{9b}31m'")),
            "error: found 'a [31m\u{a0}31m'\n"
        );
    }

    #[test]
    fn advice_follows() {
        insta::assert_snapshot!(shown(&Error::new("no").help("say yes")), @"
        error: no
          help: say yes
        ");
    }
}
