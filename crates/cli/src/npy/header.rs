//! The header of a `.npy` file (NumPy enhancement proposal 1; format versions 1.0, 2.0 and 3.0).
//!
//! The header is a Python dictionary in a very narrow form, `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
//! It is read here rather than by a crate because files come from anywhere: the crates that read it recurse without a
//! limit, and panic on extents whose product overflows.

use super::error::NpyError;

/// What a header says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The type of the elements, such as `<f4`.
    pub descr: String,
    /// Is the first index the fastest?
    pub fortran_order: bool,
    /// The extents; none of a single number.
    pub shape: Vec<u64>,
}

/// The bytes that every file begins with.
pub const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// The magic bytes, two of the version, two of the header's length.
const PREFIX: usize = 10;
/// The most dimensions that NumPy has.
pub const MAX_RANK: usize = 64;
/// NumPy pads headers so that data starts at a multiple of this.
const ALIGN: usize = 64;

impl Header {
    /// The start of a file, up to its data. The type must be plain: ASCII without quotes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let order = if self.fortran_order { "True" } else { "False" };
        let mut shape: String = self.shape.iter().map(|extent| format!("{extent}, ")).collect();
        // A tuple of one keeps its comma.
        let kept = if self.shape.len() == 1 { 1 } else { 2 };
        shape.truncate(shape.len().saturating_sub(kept));
        let shape = shape.trim_end();
        let mut text = format!(
            "{{'descr': '{}', 'fortran_order': {order}, 'shape': ({shape}), }}",
            self.descr
        );
        let length = (PREFIX + text.len() + 1).next_multiple_of(ALIGN) - PREFIX;
        text.extend(std::iter::repeat_n(' ', length - 1 - text.len()));
        text.push('\n');
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0]);
        bytes.extend((length as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes
    }

    /// Reads the dictionary.
    pub fn parse(text: &[u8]) -> Result<Header, NpyError> {
        let mut cursor = Cursor { rest: text };
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        cursor.expect(b'{')?;
        while !cursor.eat(b'}') {
            let key = cursor.string()?;
            cursor.expect(b':')?;
            match key {
                b"descr" => descr = Some(cursor.descr()?),
                b"fortran_order" => fortran_order = Some(cursor.truth()?),
                b"shape" => shape = Some(cursor.shape()?),
                _ => {
                    return Err(NpyError::Header(format!(
                        "unknown key '{}'",
                        String::from_utf8_lossy(key)
                    )));
                }
            }
            if !cursor.eat(b',') {
                cursor.expect(b'}')?;
                break;
            }
        }
        let missing = |key: &str| NpyError::Header(format!("no key '{key}'"));
        Ok(Header {
            descr: descr.ok_or_else(|| missing("descr"))?,
            fortran_order: fortran_order.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }
}

/// What is left of the dictionary's text.
struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// The next byte that is no white space, not consumed.
    fn peek(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_ascii_start();
        self.rest.first().copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), NpyError> {
        if self.eat(byte) {
            Ok(())
        } else {
            Err(self.expected(&format!("'{}'", byte as char)))
        }
    }

    fn expected(&self, what: &str) -> NpyError {
        let found = match self.rest {
            [] => "its end".to_owned(),
            rest => {
                let shown = String::from_utf8_lossy(&rest[..rest.len().min(12)]);
                format!("'{}'", shown.replace(|c: char| c.is_control(), "?"))
            }
        };
        NpyError::Header(format!("expected {what}, found {found}"))
    }

    /// The bytes up to the first that does not belong, at least one.
    fn take_while(&mut self, what: &str, belongs: impl Fn(u8) -> bool) -> Result<&'a [u8], NpyError> {
        self.peek();
        let end = self
            .rest
            .iter()
            .position(|&byte| !belongs(byte))
            .unwrap_or(self.rest.len());
        if end == 0 {
            return Err(self.expected(what));
        }
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(taken)
    }

    fn string(&mut self) -> Result<&'a [u8], NpyError> {
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => quote,
            _ => return Err(self.expected("a string")),
        };
        let inside = &self.rest[1..];
        let end = inside
            .iter()
            .position(|&byte| byte == quote || byte == b'\\')
            .unwrap_or(inside.len());
        if inside.get(end) != Some(&quote) {
            return Err(self.expected("a string without escapes"));
        }
        self.rest = &inside[end + 1..];
        Ok(&inside[..end])
    }

    fn descr(&mut self) -> Result<String, NpyError> {
        if self.peek() == Some(b'[') {
            return Err(NpyError::Structured);
        }
        Ok(String::from_utf8_lossy(self.string()?).into_owned())
    }

    fn truth(&mut self) -> Result<bool, NpyError> {
        let at = Cursor { rest: self.rest };
        match self.take_while("True or False", |byte| byte.is_ascii_alphabetic())? {
            b"True" => Ok(true),
            b"False" => Ok(false),
            _ => Err(at.expected("True or False")),
        }
    }

    fn shape(&mut self) -> Result<Vec<u64>, NpyError> {
        let mut shape = Vec::new();
        self.expect(b'(')?;
        while !self.eat(b')') {
            if shape.len() == MAX_RANK {
                return Err(NpyError::Header(format!("more than {MAX_RANK} dimensions")));
            }
            let at = Cursor { rest: self.rest };
            let digits = self.take_while("an extent", |byte| byte.is_ascii_digit())?;
            let extent = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
            shape.push(extent.ok_or_else(|| at.expected("an extent below 2^64"))?);
            // Python 2 wrote long integers so.
            self.eat(b'L');
            if !self.eat(b',') {
                self.expect(b')')?;
                break;
            }
        }
        Ok(shape)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn header(descr: &str, fortran_order: bool, shape: &[u64]) -> Header {
        Header {
            descr: descr.to_owned(),
            fortran_order,
            shape: shape.to_vec(),
        }
    }

    #[test]
    fn reads_what_numpy_writes() {
        for (text, expected) in [
            (
                "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n",
                header("<f4", false, &[3, 4]),
            ),
            (
                "{'descr': '|b1', 'fortran_order': True, 'shape': (7,), }",
                header("|b1", true, &[7]),
            ),
            (
                "{\"shape\":(),\"fortran_order\":False,\"descr\":\"<i8\"}",
                header("<i8", false, &[]),
            ),
            (
                "{'descr': '<f8', 'fortran_order': False, 'shape': (10L, 2L), }",
                header("<f8", false, &[10, 2]),
            ),
        ] {
            assert_eq!(Header::parse(text.as_bytes()).unwrap(), expected);
        }
    }

    #[test]
    fn says_what_is_wrong() {
        let says = |text: &str| Header::parse(text.as_bytes()).unwrap_err().to_string();
        insta::assert_snapshot!(says(""), @"has a malformed header: expected '{', found its end");
        insta::assert_snapshot!(
            says("{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}"),
            @"has a malformed header: expected True or False, found '0, 'shape': '"
        );
        insta::assert_snapshot!(
            says("{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}"),
            @"has a malformed header: expected an extent, found '-3,)}'"
        );
        insta::assert_snapshot!(
            says("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}"),
            @"has a malformed header: expected an extent below 2^64, found '999999999999'"
        );
        insta::assert_snapshot!(
            says("{'descr': '<f4', 'shape': (3,)}"),
            @"has a malformed header: no key 'fortran_order'"
        );
        insta::assert_snapshot!(
            says("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,)}"),
            @"holds structures; a kernel takes arrays of plain numbers"
        );
    }

    proptest! {
        /// What is written is read again, and its data begins where NumPy wants it.
        #[test]
        fn round_trip(
            descr in "[<|][biufV][1-9]",
            fortran_order: bool,
            shape in prop::collection::vec(any::<u64>(), 0..6),
        ) {
            let written = Header { descr, fortran_order, shape };
            let bytes = written.to_bytes();
            prop_assert_eq!(bytes.len() % ALIGN, 0);
            prop_assert_eq!(usize::from(u16::from_le_bytes([bytes[8], bytes[9]])), bytes.len() - PREFIX);
            prop_assert_eq!(Header::parse(&bytes[PREFIX..]).unwrap(), written);
        }

        /// No bytes make it panic.
        #[test]
        fn anything_is_an_answer(text in "[{}()\\[\\]',:a-zL0-9 ]{0,60}", junk in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Header::parse(text.as_bytes());
            let _ = Header::parse(&junk);
        }
    }
}
