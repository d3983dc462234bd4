//! Mutations of texts by tokens and lines, which get where single bytes do not: beyond the first error of a parser.
//!
//! The file has no dependencies: the quick tests of the parsers' crates include it.

use std::ops::Range;

/// The words of a dictionary in libFuzzer's form: one string in double quotes a line, `#` for comments, the escapes
/// `\\`, `\"` and `\xHH`.
pub fn dictionary(text: &str) -> Vec<Vec<u8>> {
    text.lines()
        .filter_map(|line| {
            let line = line.trim();
            let quoted = line.get(line.find('"')? + 1..line.rfind('"')?)?;
            (!line.starts_with('#')).then(|| unescape(quoted.as_bytes()))
        })
        .collect()
}

fn unescape(mut rest: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after.strip_prefix(b"x").and_then(|digits| digits.get(..2));
        let hex = hex.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        (rest, _) = match (byte, hex, after) {
            (b'\\', Some(value), _) => (&after[3..], out.push(value)),
            (b'\\', None, [escaped, after @ ..]) => (after, out.push(*escaped)),
            _ => (after, out.push(byte)),
        };
    }
    out
}

/// Steele, Lea and Flood's SplitMix64: enough for choices.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        (!items.is_empty()).then(|| &items[self.below(items.len())])
    }

    /// A stretch of up to `longest` of `count` things.
    fn stretch(&mut self, count: usize, longest: usize) -> Range<usize> {
        let start = self.below(count.max(1));
        let length = 1 + self.below(longest);
        start..(start + length).min(count)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    Number,
    Word,
    /// `%x`, `@f`, `#a`, `!t`, `^b`.
    Name(u8),
    Text,
    Sign,
}

/// Cuts bytes into tokens: sloppily, so that it fits any of the languages.
fn tokens(bytes: &[u8]) -> Vec<(Class, Range<usize>)> {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$');
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&first) = bytes.get(at) {
        let run = |from: usize, belongs: &dyn Fn(u8) -> bool| {
            let tail = &bytes[from..];
            from + tail.iter().position(|&byte| !belongs(byte)).unwrap_or(tail.len())
        };
        let (class, end) = match first {
            _ if first.is_ascii_whitespace() => (Class::Blank, run(at, &|byte| byte.is_ascii_whitespace())),
            b'%' | b'@' | b'#' | b'!' | b'^' => (Class::Name(first), run(at + 1, &word)),
            b'"' => {
                let end = run(at + 1, &|byte| byte != b'"' && byte != b'\n');
                (Class::Text, (end + 1).min(bytes.len()))
            }
            _ if first.is_ascii_digit() => (Class::Number, run(at, &word)),
            _ if word(first) => (Class::Word, run(at, &word)),
            _ => (Class::Sign, at + 1),
        };
        found.push((class, at..end));
        at = end;
    }
    found
}

/// Numbers at the edges of what types and counters hold.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "16",
    "32",
    "64",
    "127",
    "128",
    "255",
    "256",
    "1024",
    "65535",
    "65536",
    "1048576",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "-1",
    "-128",
    "-2147483648",
    "-9223372036854775808",
    "-9223372036854775809",
    "1.0",
    "-0.0",
    "1e400",
    "1e-400",
    "65520.0",
    "0x0",
    "0x7FC00000",
    "0xFFFFFFFFFFFFFFFF",
    "0x10000000000000000",
];

/// A text with one to four changes, the same for the same seed: tokens left out, doubled, moved, or replaced by others of
/// their kind, of the dictionary or at the edges of their range; whole lines likewise.
pub fn mutate(text: &[u8], dictionary: &[Vec<u8>], seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut bytes = text.to_vec();
    for _ in 0..=random.below(4) {
        bytes = match random.below(10) {
            0 | 1 => change_lines(&bytes, &mut random),
            2 => change_byte(bytes, &mut random),
            _ => change_tokens(&bytes, dictionary, &mut random),
        };
    }
    bytes
}

fn change_byte(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    if bytes.is_empty() {
        return bytes;
    }
    let at = random.below(bytes.len());
    match random.below(4) {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << random.below(8),
        2 => drop(bytes.remove(at)),
        _ => bytes.insert(at, random.next() as u8),
    }
    bytes
}

fn change_lines(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let piece = random.stretch(lines.len(), 3);
    let moved: Vec<&[u8]> = lines.get(piece.clone()).unwrap_or_default().to_vec();
    if random.below(3) != 0 {
        lines.drain(piece);
    }
    if random.below(3) != 0 {
        let to = random.below(lines.len() + 1);
        lines.splice(to..to, moved);
    }
    lines.concat()
}

fn change_tokens(bytes: &[u8], dictionary: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let tokens = tokens(bytes);
    let solid: Vec<usize> = (0..tokens.len()).filter(|&at| tokens[at].0 != Class::Blank).collect();
    let Some(&at) = random.pick(&solid) else {
        return random.pick(dictionary).cloned().unwrap_or_default();
    };
    let (class, span) = tokens[at].clone();
    let word = random.pick(dictionary).map_or(&b"0"[..], Vec::as_slice);
    let number = random.pick(NUMBERS).map_or(&b"0"[..], |number| number.as_bytes());
    let (replaced, with) = match random.below(8) {
        // Another of the same kind: most often still right to the parser, and then something new to the verifier.
        0..=2 => {
            let same: Vec<usize> = solid
                .iter()
                .copied()
                .filter(|&other| tokens[other].0 == class)
                .collect();
            let other = random
                .pick(&same)
                .map_or(span.clone(), |&other| tokens[other].1.clone());
            (span, bytes[other].to_vec())
        }
        3 if class == Class::Number => (span, number.to_vec()),
        3 => (span, word.to_vec()),
        4 => (span.start..span.start, [word, b" "].concat()),
        5 => {
            let gone = random.stretch(tokens.len(), 4);
            let end = gone.clone().last().map_or(span.start, |last| tokens[last].1.end);
            (tokens[gone.start].1.start.min(end)..end, Vec::new())
        }
        6 => {
            let copied = random.stretch(tokens.len(), 12);
            let end = copied.clone().last().map_or(span.start, |last| tokens[last].1.end);
            let start = tokens[copied.start].1.start.min(end);
            (span.start..span.start, bytes[start..end].to_vec())
        }
        // A bracket or a sign more and more often: nesting, long lists.
        _ => {
            let times = 1 << random.below(7);
            let piece = &bytes[span.start..tokens[(at + random.below(3)).min(tokens.len() - 1)].1.end];
            let times = if piece.len() > 16 { 2 } else { times };
            (span.start..span.start, piece.repeat(times))
        }
    };
    [&bytes[..replaced.start], &with, &bytes[replaced.end..]].concat()
}
