//! Rust source with everything that is not code blanked out.

/// The code of a Rust file: comments and the insides of string and character literals become spaces, line
/// breaks stay, so that line numbers hold. Enough of the language's lexing for searching words, no more.
pub(super) fn code_only(text: &str) -> String {
    let mut lexer = Lexer {
        rest: text,
        code: String::with_capacity(text.len()),
    };
    while lexer.step() {}
    lexer.code
}

struct Lexer<'a> {
    rest: &'a str,
    code: String,
}

impl Lexer<'_> {
    /// Takes one piece; false at the end.
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else {
            return false;
        };
        if self.rest.starts_with("//") {
            self.blank(self.rest.find('\n').unwrap_or(self.rest.len()));
        } else if self.rest.starts_with("/*") {
            self.blank(block_comment(self.rest));
        } else if let Some(length) = self.string() {
            self.blank(length);
        } else if first == '\'' {
            match character(self.rest) {
                Some(length) => self.blank(length),
                None => self.keep(1),
            }
        } else if is_word(first) {
            // A whole word at once: the r of `for` does not begin a raw string.
            self.keep(self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len()));
        } else {
            self.keep(first.len_utf8());
        }
        true
    }

    /// The length of a string literal of any kind that begins here.
    fn string(&self) -> Option<usize> {
        let prefix = ["br", "cr", "b", "c", "r"].into_iter().find(|prefix| {
            let after = self.rest.strip_prefix(prefix).unwrap_or_default();
            after.starts_with('"') || (prefix.ends_with('r') && after.trim_start_matches('#').starts_with('"'))
        });
        let prefix = prefix.unwrap_or_default();
        let body = &self.rest[prefix.len()..];
        let hashes = body.len() - body.trim_start_matches('#').len();
        let inside = body[hashes..].strip_prefix('"')?;
        let length = if prefix.ends_with('r') {
            let end = format!("\"{}", "#".repeat(hashes));
            inside.find(&end).map(|at| at + end.len())
        } else if hashes > 0 {
            return None;
        } else {
            closing(inside, '"')
        };
        Some(length.map_or(self.rest.len(), |length| prefix.len() + hashes + 1 + length))
    }

    fn keep(&mut self, length: usize) {
        let (piece, rest) = self.rest.split_at(length);
        self.code.push_str(piece);
        self.rest = rest;
    }

    fn blank(&mut self, length: usize) {
        let (piece, rest) = self.rest.split_at(length);
        self.code
            .extend(piece.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        self.rest = rest;
    }
}

/// Whether a character can be part of an identifier or keyword.
pub(super) fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// The length up to and with the first unescaped `end`.
fn closing(text: &str, end: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if !escaped && c == end {
            return Some(at + c.len_utf8());
        }
        escaped = !escaped && c == '\\';
    }
    None
}

/// The length of a block comment, which may hold others.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// The length of a character literal; `None` for a lifetime.
fn character(text: &str) -> Option<usize> {
    let inside = &text[1..];
    let first = inside.chars().next()?;
    if first == '\\' {
        return closing(inside, '\'').map(|length| length + 1);
    }
    inside[first.len_utf8()..]
        .starts_with('\'')
        .then(|| first.len_utf8() + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        code_only(text)
            .split(|c| !is_word(c))
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn comments_are_not_code() {
        assert_eq!(words("a // b\nc /* d /* e */ f */ g\n/// h\ni"), ["a", "c", "g", "i"]);
        assert_eq!(words("a /* never closed"), ["a"]);
    }

    #[test]
    fn strings_are_not_code() {
        assert_eq!(words(r#"a "b \" c" d"#), ["a", "d"]);
        assert_eq!(
            words("a r#\"b \" c\"# d br\"e\" f b\"g\" h c\"i\" j"),
            ["a", "d", "f", "h", "j"]
        );
        assert_eq!(
            words("for \"x\" in"),
            ["for", "in"],
            "the r of a word begins no raw string"
        );
        assert_eq!(words("r#type b"), ["r", "type", "b"], "a raw identifier");
        assert_eq!(words("a \"never closed"), ["a"]);
    }

    #[test]
    fn characters_and_lifetimes() {
        assert_eq!(words(r"a '\'' b 'c' d"), ["a", "b", "d"]);
        assert_eq!(
            words("fn f<'a>(x: &'a str) '\"' y"),
            ["fn", "f", "a", "x", "a", "str", "y"]
        );
        assert_eq!(words("'é' a"), ["a"]);
    }

    #[test]
    fn lines_stay() {
        let text = "a /* b\n c */ \"d\n e\" f\n";
        assert_eq!(code_only(text).lines().count(), text.lines().count());
        assert!(code_only(text).lines().nth(2).unwrap().contains('f'));
    }
}
