//! Tokens of the text form.

use super::error::{ParseError, ParseErrorKind};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tok {
    /// `%name` or `%12`.
    Value,
    /// `@name`.
    Symbol,
    /// A word: an operation, type or keyword.
    Word,
    /// A decimal integer, perhaps with a minus.
    Int,
    /// A decimal number with a point or exponent, perhaps with a minus.
    Float,
    /// Digits that run into letters: bits (`0x7F800000`) or a tile's extents (`64x32xf32`). The parser knows which.
    Digits,
    /// A string in quotes.
    Str,
    /// `->`.
    Arrow,
    /// One of `(){}<>,:=`.
    Punct(char),
    /// The end of the text.
    End,
}

/// Where a token stands: bytes of the text, and the line and column (in characters), from 1, of its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub start: usize,
    pub end: usize,
    pub line: u32,
    pub col: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub tok: Tok,
    pub span: Span,
}

/// Cuts a text into tokens on demand.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    pub text: &'a str,
    pub file: &'a str,
    at: usize,
    line: u32,
    col: u32,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str, file: &'a str) -> Lexer<'a> {
        Lexer {
            text,
            file,
            at: 0,
            line: 1,
            col: 1,
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// The character after the next one.
    fn peek_second(&self) -> Option<char> {
        self.text[self.at..].chars().nth(1)
    }

    fn bump(&mut self) {
        if let Some(c) = self.peek() {
            self.at += c.len_utf8();
            if c == '\n' {
                self.line += 1;
                self.col = 1;
            } else {
                self.col += 1;
            }
        }
    }

    fn skip(&mut self, accept: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&accept) {
            self.bump();
        }
    }

    fn skip_blank(&mut self) {
        loop {
            self.skip(char::is_whitespace);
            if !self.text[self.at..].starts_with("//") {
                return;
            }
            self.skip(|c| c != '\n');
        }
    }

    fn here(&self) -> Span {
        Span {
            start: self.at,
            end: self.at,
            line: self.line,
            col: self.col,
        }
    }

    fn error(&self, start: Span, message: impl Into<String>) -> ParseError {
        let span = Span { end: self.at, ..start };
        ParseError::new(self.text, self.file, span, ParseErrorKind::Token(message.into()))
    }

    /// The next token; [`Tok::End`] again and again at the end.
    pub fn next_token(&mut self) -> Result<Token, ParseError> {
        self.skip_blank();
        let start = self.here();
        let tok = match self.peek() {
            None => Tok::End,
            Some('%') => self.sigil(start, Tok::Value)?,
            Some('@') => self.sigil(start, Tok::Symbol)?,
            Some('"') => self.string(start)?,
            Some('-') if self.peek_second() == Some('>') => {
                self.bump();
                self.bump();
                Tok::Arrow
            }
            Some('-') if self.peek_second().is_some_and(|c| c.is_ascii_digit()) => self.number(),
            Some(c) if c.is_ascii_digit() => self.number(),
            Some(c) if is_word(c) => {
                self.skip(is_word);
                Tok::Word
            }
            Some(c @ ('(' | ')' | '{' | '}' | '<' | '>' | '[' | ']' | ',' | ':' | '=')) => {
                self.bump();
                Tok::Punct(c)
            }
            Some(c) => {
                self.bump();
                return Err(self.error(start, format!("unexpected character {c:?}")));
            }
        };
        let span = Span { end: self.at, ..start };
        Ok(Token { tok, span })
    }

    fn sigil(&mut self, start: Span, tok: Tok) -> Result<Tok, ParseError> {
        self.bump();
        let from = self.at;
        self.skip(is_word);
        let name = &self.text[from..self.at];
        let number = tok == Tok::Value && name.bytes().all(|b| b.is_ascii_digit());
        if name.is_empty() || (name.starts_with(|c: char| c.is_ascii_digit()) && !number) {
            let message = if tok == Tok::Value {
                "a value's name is '%' and a number, or a letter or underscore, then letters, digits and underscores"
            } else {
                "a kernel's name is '@', a letter or underscore, then letters, digits and underscores"
            };
            return Err(self.error(start, message));
        }
        Ok(tok)
    }

    fn string(&mut self, start: Span) -> Result<Tok, ParseError> {
        self.bump();
        loop {
            match self.peek() {
                Some('"') => break,
                Some('\\') => {
                    self.bump();
                    self.bump();
                }
                None | Some('\n') => return Err(self.error(start, "the string does not end on its line")),
                Some(_) => self.bump(),
            }
        }
        self.bump();
        Ok(Tok::Str)
    }

    fn number(&mut self) -> Tok {
        if self.peek() == Some('-') {
            self.bump();
        }
        self.skip(|c| c.is_ascii_digit());
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let mut tok = Tok::Int;
        if self.peek() == Some('.') && digit(self.peek_second()) {
            self.bump();
            self.skip(|c| c.is_ascii_digit());
            tok = Tok::Float;
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            let mut ahead = self.text[self.at..].chars().skip(1);
            let next = ahead.next();
            let signed = matches!(next, Some('+' | '-'));
            if digit(next) || (signed && digit(ahead.next())) {
                self.bump();
                self.bump();
                self.skip(|c| c.is_ascii_digit());
                tok = Tok::Float;
            }
        }
        if self.peek().is_some_and(is_word) {
            self.skip(is_word);
            tok = Tok::Digits;
        }
        tok
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
