//! What a text of MLIR must not have, found before MLIR's parser sees it.
//!
//! That parser recurses over brackets and over the operators of affine expressions, and so do printers and verifiers over
//! what it makes; attribute and type aliases nest without a bracket in sight, and written out in a message they can double
//! with every line. None of it has a limit of its own: a small file would exhaust the stack or the memory, and take the
//! process along. The parser of MLIR 22 also has a known fault, which fuzzing finds within seconds ([`Reason::Array`]).
//!
//! The scan follows MLIR's lexer (`mlir/lib/AsmParser/Lexer.cpp`). Where it cannot know what the parser makes of a
//! token it counts too much rather than too little; a text within the limits has room to spare before any stack ends.

use std::collections::HashMap;

/// How deep brackets, operators and aliases together may be nested: deeper than any program, and shallow enough for the
/// stack of a thread.
pub const MAX_NESTING: usize = 256;

/// How many bytes all uses of aliases may come to when each is written out.
pub const MAX_EXPANSION: usize = 16 << 20;

/// Why a text is not given to the parser.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    /// What is wrong with it.
    pub reason: Reason,
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1, as MLIR counts.
    pub column: usize,
}

/// What a text must not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// Levels of brackets, operators and aliases.
    #[error("brackets, operators and aliases are nested more than {MAX_NESTING} deep")]
    Nesting,
    /// Text behind aliases.
    #[error("aliases stand for more than {} MiB of text", MAX_EXPANSION >> 20)]
    Expansion,
    /// `array<index: ...>`, or the same by an alias: MLIR asks for the width of a float without looking.
    #[error("the elements of 'array<...>' must be of a type such as i32 or f32")]
    Array,
}

/// Checks a text for what the parser would not survive.
///
/// # Errors
/// The first place of such.
pub fn check(text: &str) -> Result<(), Refusal> {
    let mut scan = Scan::new(text.as_bytes());
    scan.run().map_err(|reason| {
        let before = &text.as_bytes()[..scan.at];
        Refusal {
            reason,
            line: 1 + before.iter().filter(|&&byte| byte == b'\n').count(),
            column: before.iter().rev().take_while(|&&byte| byte != b'\n').count().max(1),
        }
    })
}

/// An open bracket, and the operators of the expression that it stands in, up to it.
struct Open {
    closer: u8,
    operators: usize,
}

/// What an alias stands for.
#[derive(Clone, Copy, Default)]
struct Alias {
    /// Levels within it.
    depth: usize,
    /// Bytes when the aliases in it are written out.
    bytes: usize,
}

/// The alias that is being defined.
struct Definition<'a> {
    name: &'a [u8],
    start: usize,
    value: Alias,
    /// Has its value to go on with the next token?
    expecting: bool,
}

struct Scan<'a> {
    text: &'a [u8],
    /// Behind the token that is looked at.
    at: usize,
    open: Vec<Open>,
    /// Operators since the last bracket or separator: each may be one level.
    operators: usize,
    /// The same of all brackets that are open.
    outer_operators: usize,
    /// Brackets of doubtful comments, which are never closed.
    doubtful: usize,
    aliases: HashMap<&'a [u8], Alias>,
    definition: Option<Definition<'a>>,
    /// Bytes of all uses of aliases.
    expansion: usize,
    array: Array,
}

/// How much of `array<` has just been seen.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Array {
    #[default]
    Nothing,
    Word,
    Bracket,
}

impl<'a> Scan<'a> {
    fn new(text: &'a [u8]) -> Scan<'a> {
        Scan {
            text,
            at: 0,
            open: Vec::new(),
            operators: 0,
            outer_operators: 0,
            doubtful: 0,
            aliases: HashMap::new(),
            definition: None,
            expansion: 0,
            array: Array::Nothing,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Goes on while bytes belong, and returns those from `start`.
    fn take_while(&mut self, start: usize, belongs: impl Fn(u8) -> bool) -> &'a [u8] {
        while self.peek().is_some_and(&belongs) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn run(&mut self) -> Result<(), Reason> {
        while let Some(byte) = self.peek() {
            let start = self.at;
            self.at += 1;
            let array = self.array;
            // A zero is white space to MLIR's lexer.
            if !(byte.is_ascii_whitespace() || byte == 0) && byte != b'/' {
                self.array = Array::Nothing;
            }
            match byte {
                b'!' if array == Array::Bracket => return Err(Reason::Array),
                b'/' if self.peek() == Some(b'/') => self.comment()?,
                b'"' => {
                    self.begin_token();
                    self.string();
                }
                b'#' | b'!' => self.name(start)?,
                b'%' | b'@' | b'^' => {
                    self.begin_token();
                    self.suffix(start);
                    self.separator();
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                    self.begin_token();
                    let word = self.take_while(start, |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.'));
                    match word {
                        b"index" if array == Array::Bracket => return Err(Reason::Array),
                        b"array" => self.array = Array::Word,
                        b"mod" | b"floordiv" | b"ceildiv" => self.operator()?,
                        _ => {}
                    }
                }
                b'0'..=b'9' => {
                    self.begin_token();
                    self.take_while(start, |b| b.is_ascii_alphanumeric() || b == b'.');
                }
                b'-' if self.peek() == Some(b'>') => {
                    self.at += 1;
                    self.expect_more();
                }
                b'-' | b'+' | b'*' => self.operator()?,
                b'(' | b'[' | b'{' | b'<' => {
                    if array == Array::Word && byte == b'<' {
                        self.array = Array::Bracket;
                    }
                    self.bracket(byte)?;
                }
                b')' | b']' | b'}' | b'>' => self.close(byte),
                b'=' | b':' => {
                    self.separator();
                    self.expect_more();
                }
                b',' => self.separator(),
                _ => {}
            }
        }
        Ok(())
    }

    /// How deep the place is that the scan is at.
    fn depth(&self) -> usize {
        self.open.len() + self.outer_operators + self.operators + self.doubtful
    }

    /// Notes a level that was reached.
    fn reach(&mut self, depth: usize) -> Result<(), Reason> {
        if let Some(definition) = &mut self.definition {
            definition.value.depth = definition.value.depth.max(depth);
        }
        if depth > MAX_NESTING {
            return Err(Reason::Nesting);
        }
        Ok(())
    }

    fn operator(&mut self) -> Result<(), Reason> {
        self.operators += 1;
        self.reach(self.depth())
    }

    /// Ends an expression.
    fn separator(&mut self) {
        self.operators = 0;
    }

    fn bracket(&mut self, byte: u8) -> Result<(), Reason> {
        if let Some(definition) = &mut self.definition
            && self.open.is_empty()
        {
            definition.expecting = false;
        }
        let closer = match byte {
            b'(' => b')',
            b'[' => b']',
            b'{' => b'}',
            _ => b'>',
        };
        let operators = std::mem::take(&mut self.operators);
        self.outer_operators += operators;
        self.open.push(Open { closer, operators });
        self.reach(self.depth())
    }

    /// Only the bracket that was opened last is closed. Another is an error, or no bracket but a comparison.
    fn close(&mut self, byte: u8) {
        if let Some(open) = self.open.pop_if(|open| open.closer == byte) {
            self.outer_operators -= open.operators;
            self.operators = open.operators;
        }
    }

    /// A comment ends with its line. In the body of a dialect's attribute, which MLIR scans once without regard to
    /// comments, its brackets may be ones.
    fn comment(&mut self) -> Result<(), Reason> {
        let start = self.at;
        let comment = self.take_while(start, |byte| !matches!(byte, b'\n' | b'\r'));
        if self.open.iter().any(|open| open.closer == b'>') {
            self.doubtful += comment.iter().filter(|byte| b"([{<".contains(byte)).count();
            self.reach(self.depth())?;
        }
        Ok(())
    }

    /// A string ends with its line, as an error if not before.
    fn string(&mut self) {
        while let Some(byte) = self.peek() {
            let length = match byte {
                b'\n' => return,
                b'\\' => 2,
                _ => 1,
            };
            self.at = (self.at + length).min(self.text.len());
            if byte == b'"' {
                return;
            }
        }
    }

    /// The rest of a name after its sign: digits, a word, or a string.
    fn suffix(&mut self, start: usize) -> &'a [u8] {
        match self.peek() {
            Some(b'"') => {
                self.at += 1;
                self.string();
                &self.text[start..self.at]
            }
            Some(b'0'..=b'9') => self.take_while(start, |byte| byte.is_ascii_digit()),
            _ => self.take_while(start, |b| {
                b.is_ascii_alphanumeric() || matches!(b, b'$' | b'.' | b'_' | b'-')
            }),
        }
    }

    /// `#name` or `!name`: the use of an alias, its definition, or what belongs to a dialect.
    fn name(&mut self, start: usize) -> Result<(), Reason> {
        self.begin_token();
        let name = self.suffix(start);
        self.separator();
        if self.open.is_empty() && self.definition.is_none() && self.is_defined_here() {
            self.definition = Some(Definition {
                name,
                start,
                value: Alias::default(),
                expecting: true,
            });
            return Ok(());
        }
        let Some(&alias) = self.aliases.get(name) else {
            return Ok(());
        };
        self.expansion = self.expansion.saturating_add(alias.bytes);
        if let Some(definition) = &mut self.definition {
            definition.value.bytes = definition.value.bytes.saturating_add(alias.bytes);
        }
        if self.expansion > MAX_EXPANSION {
            return Err(Reason::Expansion);
        }
        // One more: types of functions nest without brackets.
        self.reach(self.depth() + 1 + alias.depth)
    }

    /// Does a `=` follow?
    fn is_defined_here(&self) -> bool {
        let mut rest = Scan::new(&self.text[self.at..]);
        loop {
            rest.take_while(0, |byte| byte.is_ascii_whitespace() || byte == 0);
            match rest.text[rest.at..] {
                [b'/', b'/', ..] => drop(rest.take_while(0, |byte| !matches!(byte, b'\n' | b'\r'))),
                [b'=', ..] => return true,
                _ => return false,
            }
        }
    }

    /// The value of an alias goes on.
    fn expect_more(&mut self) {
        if let Some(definition) = &mut self.definition
            && self.open.is_empty()
        {
            definition.expecting = true;
        }
    }

    /// Ends the definition of an alias where the token that begins can no longer be part of its value.
    fn begin_token(&mut self) {
        if !self.open.is_empty() {
            return;
        }
        match self.definition.take_if(|definition| !definition.expecting) {
            Some(Definition { name, start, value, .. }) => {
                let bytes = value.bytes.saturating_add(self.at - start);
                let depth = value.depth;
                self.aliases.insert(name, Alias { depth, bytes });
                self.operators = 0;
            }
            None => {
                if let Some(definition) = &mut self.definition {
                    definition.expecting = false;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
