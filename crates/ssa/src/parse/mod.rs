//! Reads the text form of kernels.
//!
//! ```text
//! module  = kernel*
//! kernel  = "kernel" "@"name "(" [param ("," param)*] ")" "{" op* "}" [loc]
//! param   = "%"name ":" type ["{" "divisibility" "=" integer "}"]
//! type    = scalar | "ptr" "<" scalar ">" | "tile" "<" extent "x" ... "x" (scalar | "ptr" "<" scalar ">") ">"
//! scalar  = "i1" | "i8" | "i16" | "i32" | "i64" | "f16" | "bf16" | "f32" | "f64"
//! op      = ["%"name ("," "%"name)* "="] (simple | for | if | while | reduce) [loc]
//! simple  = "const" literal ":" type                     // true, 64, -1.5e-3, or bits: 0x7F800000
//!         | ("program_id" | "num_programs") ("x" | "y" | "z")
//!         | "range" integer "," integer
//!         | ("splat" | "select") values ":" type         // the result's type
//!         | "expand_dims" value "," axis ":" type "to" type
//!         | ("broadcast" | "reshape" | cast) value ":" type "to" type
//!         | "histogram" values ":" type "to" type
//!         | "gather" values "axis" axis ":" type "to" type
//!         | "transpose" value "[" axis ("," axis)* "]" ":" type "to" type
//!         | "cmp" predicate value "," value ":" type     // the operands' type
//!         | name values ":" type                         // all others: the first operand's type
//! for     = "for" value "=" value "to" value "step" value ":" type ["carry" "(" carried ")"] region
//! if      = "if" value ["->" "(" type ("," type)* ")"] region ["else" region]
//! while   = "while" "(" [carried] ")" region "do" "(" [value ":" type ("," ...)*] ")" region
//! reduce  = ("reduce" | "scan") values "axis" axis ["reverse"] ":" type ("," type)* "(" value ("," value)* ")" region
//! carried = value "=" value ":" type ("," ...)*
//! region  = "{" op* [("yield" [values] | "condition" values) [loc]] "}"
//! loc     = "loc" "(" (string ":" line [":" column] | "unknown") ")"
//! ```
//!
//! Values are defined before their use; a name belongs to its region and cannot be given again while it is in scope.
//! A region that passes on nothing may leave out its `yield`, an `if` without results its `else`. Types that operands
//! determine are checked. `//` starts a comment. Without `loc` an operation gets its place in the text itself, so that
//! later errors point there.

mod error;
mod lexer;
mod literal;
mod ops;

pub use error::{ParseError, ParseErrorKind};

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::kernel::{Kernel, Module, OpId, ValueId};
use crate::loc::Loc;
use crate::print_names::is_identifier;
use crate::verify::verify;
use error::printable;
use lexer::{Lexer, Span, Tok, Token};

/// Reads every kernel of a text and verifies it. `file_name` is what places in the text are called. Errors with the
/// first thing that is wrong.
pub fn parse_module(text: &str, file_name: &str) -> Result<Module, ParseError> {
    let mut parser = Parser::new(text, file_name)?;
    let mut module = Module::default();
    while parser.token.tok != Tok::End {
        let kernel = parser.kernel()?;
        module.kernels.push(kernel);
    }
    Ok(module)
}

type Parsed<T> = Result<T, ParseError>;

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The next token.
    token: Token,
    /// The names of the kernels before.
    kernels: FxHashSet<&'a str>,
    /// The kernel being read.
    kernel: Kernel,
    /// The numbers of its files.
    files: FxHashMap<Cow<'a, str>, u32>,
    /// The values in scope, from the kernel's parameters to the innermost region, and the lines of their definitions.
    scopes: Vec<FxHashMap<&'a str, (ValueId, u32)>>,
    /// Where operations stand in the text, for the verifier's errors.
    places: FxHashMap<OpId, Span>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, file: &'a str) -> Parsed<Parser<'a>> {
        let mut lexer = Lexer::new(text, file);
        let token = lexer.next_token()?;
        Ok(Parser {
            lexer,
            token,
            kernels: FxHashSet::default(),
            kernel: Kernel::new(""),
            files: FxHashMap::default(),
            scopes: Vec::new(),
            places: FxHashMap::default(),
        })
    }

    fn error(&self, span: Span, kind: impl Into<ParseErrorKind>) -> ParseError {
        ParseError::new(self.lexer.text, self.lexer.file, span, kind.into())
    }

    fn invalid(&self, span: Span, message: impl Into<String>) -> ParseError {
        self.error(span, ParseErrorKind::Invalid(message.into()))
    }

    /// The error that the next token is not what should stand here.
    fn expected(&self, expected: impl Into<String>) -> ParseError {
        let text = self.text(self.token);
        let shown: String = text.chars().take(40).map(printable).collect();
        let found = match self.token.tok {
            Tok::End => "the end of the text".to_owned(),
            _ if text.chars().nth(40).is_some() => format!("'{shown}...'"),
            _ => format!("'{shown}'"),
        };
        let expected = expected.into();
        self.error(self.token.span, ParseErrorKind::Expected { expected, found })
    }

    fn text(&self, token: Token) -> &'a str {
        &self.lexer.text[token.span.start..token.span.end]
    }

    fn advance(&mut self) -> Parsed<Token> {
        let token = self.token;
        self.token = self.lexer.next_token()?;
        Ok(token)
    }

    fn at_punct(&self, punct: char) -> bool {
        self.token.tok == Tok::Punct(punct)
    }

    fn at_word(&self, word: &str) -> bool {
        self.token.tok == Tok::Word && self.text(self.token) == word
    }

    fn eat_punct(&mut self, punct: char) -> Parsed<bool> {
        let at = self.at_punct(punct);
        if at {
            self.advance()?;
        }
        Ok(at)
    }

    fn eat_word(&mut self, word: &str) -> Parsed<bool> {
        let at = self.at_word(word);
        if at {
            self.advance()?;
        }
        Ok(at)
    }

    fn expect(&mut self, tok: Tok, what: &str) -> Parsed<Token> {
        if self.token.tok == tok {
            self.advance()
        } else {
            Err(self.expected(what))
        }
    }

    fn expect_punct(&mut self, punct: char) -> Parsed<Token> {
        self.expect(Tok::Punct(punct), &format!("'{punct}'"))
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word)? {
            Ok(())
        } else {
            Err(self.expected(format!("'{word}'")))
        }
    }

    /// `item ("," item)*` up to the closing parenthesis, which is consumed; perhaps no item.
    fn list_in_parens(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        if self.eat_punct(')')? {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.eat_punct(')')? {
                return Ok(());
            }
            if !self.eat_punct(',')? {
                return Err(self.expected("',' or ')'"));
            }
        }
    }

    fn kernel(&mut self) -> Parsed<Kernel> {
        let start = self.token.span;
        if !self.eat_word("kernel")? {
            return Err(self.expected("'kernel @name(...) { ... }'"));
        }
        let name = self.expect(Tok::Symbol, "the kernel's name, '@name'")?;
        let text = &self.text(name)[1..];
        if !self.kernels.insert(text) {
            return Err(self.invalid(name.span, format!("a kernel @{text} stands above already")));
        }
        self.kernel = Kernel::new(text);
        self.scopes = vec![FxHashMap::default()];
        self.places.clear();
        self.files.clear();
        self.expect_punct('(')?;
        self.list_in_parens(Self::param)?;
        self.expect_punct('{')?;
        let body = self.kernel.body();
        while !self.at_punct('}') {
            let op = self.op("an operation or '}'", 0)?;
            self.kernel.region_mut(body).ops.push(op);
        }
        self.advance()?;
        self.kernel.loc = self.loc(start)?;
        let kernel = std::mem::replace(&mut self.kernel, Kernel::new(""));
        if let Err(errors) = verify(&kernel) {
            let first = errors.first();
            let span = first.op.and_then(|op| self.places.get(&op)).copied().unwrap_or(start);
            return Err(self.error(span, ParseErrorKind::Verify(first.message.clone())));
        }
        Ok(kernel)
    }

    fn param(&mut self) -> Parsed<()> {
        let name = self.expect(Tok::Value, "a parameter, '%name: type'")?;
        let text = &self.text(name)[1..];
        if !is_identifier(text) {
            let message = "a parameter has a name that starts with a letter or underscore, not a number";
            return Err(self.invalid(name.span, message));
        }
        self.expect_punct(':')?;
        let at = self.token.span;
        let ty = self.ty()?;
        if !ty.is_scalar() {
            let message = format!("a parameter is one number or pointer, not a tile: {ty}");
            return Err(self.invalid(at, message));
        }
        self.check_new(name)?;
        let value = self.kernel.add_param(text, ty.elem);
        self.scopes[0].insert(text, (value, name.span.line));
        if self.eat_punct('{')? {
            self.expect_word("divisibility")?;
            self.expect_punct('=')?;
            let number = self.expect(Tok::Int, "a power of two")?;
            let divisibility = self.text(number).parse().ok().filter(|d: &u32| d.is_power_of_two());
            let Some(divisibility) = divisibility else {
                return Err(self.invalid(number.span, "divisibility is a power of two below 2^32"));
            };
            self.expect_punct('}')?;
            if let Some(param) = self.kernel.params_mut().last_mut() {
                param.divisibility = divisibility;
            }
        }
        Ok(())
    }

    /// A place if one is printed, else the given one in the text itself.
    fn loc(&mut self, default: Span) -> Parsed<Loc> {
        if !self.eat_word("loc")? {
            return Ok(Loc {
                file: self.file_index(Cow::Borrowed(self.lexer.file)),
                line: default.line,
                col: default.col,
            });
        }
        self.expect_punct('(')?;
        if self.eat_word("unknown")? {
            self.expect_punct(')')?;
            return Ok(Loc::UNKNOWN);
        }
        let file = self.expect(Tok::Str, "a file name in quotes or 'unknown'")?;
        let file = self.string(file)?;
        self.expect_punct(':')?;
        let line = self.place_number("line")?;
        let col = if self.eat_punct(':')? {
            self.place_number("column")?
        } else {
            0
        };
        self.expect_punct(')')?;
        Ok(Loc {
            file: self.file_index(Cow::Owned(file)),
            line,
            col,
        })
    }

    /// As [`Kernel::file_index`], which looks at one file after another.
    fn file_index(&mut self, file: Cow<'a, str>) -> u32 {
        let files = &mut self.kernel.files;
        *self.files.entry(file).or_insert_with_key(|file| {
            files.push(file.clone().into_owned());
            (files.len() - 1) as u32
        })
    }

    fn place_number(&mut self, what: &str) -> Parsed<u32> {
        let number = self.expect(Tok::Int, &format!("a {what} number"))?;
        let value = self.text(number).parse().ok().filter(|&n| n > 0);
        value.ok_or_else(|| self.invalid(number.span, format!("a {what} number is from 1 to {}", u32::MAX)))
    }

    /// Errors when the name is in scope.
    fn check_new(&self, name: Token) -> Parsed<()> {
        let text = self.text(name);
        match self.scopes.iter().find_map(|scope| scope.get(&text[1..])) {
            Some(&(_, line)) => {
                let name_text = text.to_owned();
                Err(self.error(name.span, ParseErrorKind::Redefined { name: name_text, line }))
            }
            None => Ok(()),
        }
    }

    /// Gives a value its name in the innermost scope. Numbers are no names to keep.
    fn define(&mut self, name: Token, value: ValueId) -> Parsed<()> {
        self.check_new(name)?;
        let text = &self.text(name)[1..];
        if is_identifier(text) {
            self.kernel.set_name(value, text);
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(text, (value, name.span.line));
        }
        Ok(())
    }

    /// A value in scope.
    fn value(&mut self) -> Parsed<ValueId> {
        let name = self.expect(Tok::Value, "a value, '%name'")?;
        let text = self.text(name);
        match self.scopes.iter().rev().find_map(|scope| scope.get(&text[1..])) {
            Some(&(value, _)) => Ok(value),
            None => Err(self.error(name.span, ParseErrorKind::Undefined(text.to_owned()))),
        }
    }
}
