//! Types, constants and strings.

use super::error::ParseErrorKind;
use super::lexer::{Tok, Token};
use super::{Parsed, Parser};
use crate::constant::Const;
use crate::types::{Elem, Scalar, Shape, Type};

const ELEMENTS: &str = "i1, i8, i16, i32, i64, f16, bf16, f32, f64 or ptr<...>";

impl Parser<'_> {
    /// A scalar, pointer or tile type.
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let start = self.token;
        if start.tok != Tok::Word {
            return Err(self.expected("a type"));
        }
        self.advance()?;
        if self.text(start) != "tile" {
            let elem = self.elem(start, self.text(start), "a type, such as i32, ptr<f32> or tile<64xf32>")?;
            return Ok(Type {
                elem,
                shape: Shape::SCALAR,
            });
        }
        self.expect_punct('<')?;
        let dims_at = self.token;
        if dims_at.tok != Tok::Digits {
            return Err(self.expected("extents and an element type, such as 64x32xf32"));
        }
        self.advance()?;
        let mut rest = self.text(dims_at);
        let mut dims = Vec::new();
        while rest.starts_with(|c: char| c.is_ascii_digit()) {
            let (extent, after) = rest.split_once('x').unwrap_or((rest, ""));
            let Ok(extent) = extent.parse::<u32>() else {
                let message = format!("'{extent}' is no extent: extents are whole numbers, each followed by 'x'");
                return Err(self.invalid(dims_at.span, message));
            };
            dims.push(extent);
            rest = after;
        }
        let shape = Shape::new(&dims).map_err(|e| self.error(dims_at.span, e))?;
        let elem = self.elem(dims_at, rest, "an element type after the extents")?;
        self.expect_punct('>')?;
        Ok(Type { elem, shape })
    }

    /// A scalar or pointer whose first word, already consumed, is given.
    fn elem(&mut self, token: Token, word: &str, what: &str) -> Parsed<Elem> {
        if word == "ptr" {
            self.expect_punct('<')?;
            let pointee = self.expect(Tok::Word, "the type pointed to")?;
            let scalar = self.scalar(pointee, self.text(pointee), "the type pointed to, a number type")?;
            self.expect_punct('>')?;
            return Ok(Elem::Ptr(scalar));
        }
        self.scalar(token, word, what).map(Elem::Scalar)
    }

    fn scalar(&self, token: Token, word: &str, what: &str) -> Parsed<Scalar> {
        word.parse().map_err(|_| {
            let kind = ParseErrorKind::Expected {
                expected: format!("{what} ({ELEMENTS})"),
                found: format!("'{}'", word.chars().take(40).collect::<String>()),
            };
            self.error(token.span, kind)
        })
    }

    /// An `i32` attribute.
    pub(super) fn int32(&mut self, what: &str) -> Parsed<i32> {
        let token = self.expect(Tok::Int, what)?;
        let value = self.text(token).parse();
        value.map_err(|_| self.invalid(token.span, format!("{what} is from {} to {}", i32::MIN, i32::MAX)))
    }

    /// A non-negative number of a dimension.
    pub(super) fn axis(&mut self) -> Parsed<usize> {
        let token = self.expect(Tok::Int, "the number of a dimension")?;
        let value = self.text(token).parse::<u8>();
        value
            .map(usize::from)
            .map_err(|_| self.invalid(token.span, "the number of a dimension is small and not negative"))
    }

    /// A constant's text, to be read once its type is known.
    pub(super) fn literal(&mut self) -> Parsed<Token> {
        match self.token.tok {
            Tok::Int | Tok::Float | Tok::Digits | Tok::Word => self.advance(),
            _ => Err(self.expected("a number, 'true' or 'false'")),
        }
    }

    /// The constant of a literal in the given type.
    pub(super) fn constant(&self, literal: Token, scalar: Scalar) -> Parsed<Const> {
        let text = self.text(literal);
        let fail = |message: String| Err(self.invalid(literal.span, message));
        if let Some(hex) = text.strip_prefix("0x") {
            let bits = u64::from_str_radix(hex, 16)
                .ok()
                .filter(|b| b & !scalar.bit_mask() == 0);
            return match bits {
                Some(bits) => Ok(Const::from_bits(scalar, bits)),
                None => fail(format!("'{text}' is not the bits of an {scalar}")),
            };
        }
        match (scalar, literal.tok) {
            (Scalar::I1, Tok::Word) if text == "true" => Ok(Const::bool(true)),
            (Scalar::I1, Tok::Word) if text == "false" => Ok(Const::bool(false)),
            (Scalar::I1, _) => fail(format!("an i1 is 'true' or 'false', not '{text}'")),
            (_, Tok::Int) if scalar.is_int() => {
                // Integers are signless: both readings of the bits can be written.
                let (low, high) = (-1i128 << (scalar.bits() - 1), (1i128 << scalar.bits()) - 1);
                match text.parse::<i128>() {
                    Ok(value) if (low..=high).contains(&value) => Ok(Const::from_int(scalar, value)),
                    _ => fail(format!("{text} does not fit into {scalar} ({low} to {high})")),
                }
            }
            (_, Tok::Float) if scalar.is_float() => {
                let value = match scalar {
                    // Once from decimal to the type: not by way of f64.
                    Scalar::F32 => text.parse().ok().map(Const::f32),
                    _ => text.parse().ok().map(|v: f64| Const::from_f64(scalar, v)),
                };
                match value.filter(|v| v.as_f64().is_some_and(f64::is_finite)) {
                    Some(value) => Ok(value),
                    None => fail(format!(
                        "{text} is beyond {scalar}; infinity is written as its bits, 0x..."
                    )),
                }
            }
            _ if scalar.is_float() => fail(format!("'{text}' is no {scalar}: write 1.0, 1e-3 or bits, 0x...")),
            _ => fail(format!("'{text}' is no {scalar}: write a whole number or bits, 0x...")),
        }
    }

    /// What a string token says.
    pub(super) fn string(&self, token: Token) -> Parsed<String> {
        let text = self.text(token);
        let mut chars = text[1..text.len() - 1].chars();
        let mut out = String::new();
        while let Some(c) = chars.next() {
            if c != '\\' {
                out.push(c);
                continue;
            }
            let escaped = match chars.next() {
                Some(c @ ('"' | '\\')) => Some(c),
                Some('n') => Some('\n'),
                Some('t') => Some('\t'),
                Some('u') => chars
                    .as_str()
                    .strip_prefix('{')
                    .and_then(|rest| rest.split_once('}'))
                    .and_then(|(hex, rest)| {
                        chars = rest.chars();
                        u32::from_str_radix(hex, 16).ok().and_then(char::from_u32)
                    }),
                _ => None,
            };
            let Some(escaped) = escaped else {
                let message = r#"an escape is one of \", \\, \n, \t and \u{hexadecimal}"#;
                return Err(self.invalid(token.span, message));
            };
            out.push(escaped);
        }
        Ok(out)
    }
}
