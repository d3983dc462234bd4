//! The text of inline PTX: statements, their guards and operands.

/// One instruction.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Statement {
    /// Its text, for errors.
    pub text: String,
    /// The predicate in front, and whether it is negated.
    pub guard: Option<(Name, bool)>,
    /// The instruction's name, split at the dots.
    pub opcode: Vec<String>,
    /// What it is applied to.
    pub operands: Vec<Operand>,
}

/// What names a register.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Name {
    /// `$3`: an operand of the operation.
    Operand(usize),
    /// A register that the text declares, or a special one.
    Local(String),
}

/// What an instruction is applied to.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Operand {
    /// A register.
    Name(Name),
    /// An integer, or a float's bits (`0f3F800000`).
    Literal(u64),
    /// `[$1 + 16]`.
    Address(Name, i64),
    /// `{$0, $1}`.
    List(Vec<Operand>),
    /// `_`: nothing is wanted.
    Sink,
}

/// Statements, in order. An error is the text that is not understood.
pub(super) fn statements(text: &str) -> Result<Vec<Statement>, String> {
    let text = without_comments(text).replace("$$", "\u{1}");
    let mut statements = Vec::new();
    for part in text.split(';') {
        // Braces around statements open and close scopes; names are those of one text anyhow.
        let part = part.trim_matches(|c: char| c.is_whitespace());
        let part = part.trim_start_matches(|c: char| c == '{' || c == '}' || c.is_whitespace());
        if part.is_empty() {
            continue;
        }
        let mut reader = Reader { rest: part };
        let statement = reader.statement(part).ok_or_else(|| part.to_owned())?;
        statements.push(statement);
    }
    Ok(statements)
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, from) = rest.split_at(at);
        kept.push_str(before);
        let end = if from.starts_with("//") {
            from.find('\n').unwrap_or(from.len())
        } else if from.starts_with("/*") {
            from.find("*/").map_or(from.len(), |end| end + 2)
        } else {
            kept.push('/');
            1
        };
        rest = &from[end..];
    }
    kept + rest
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn take(&mut self, belongs: impl Fn(char) -> bool) -> &'t str {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !belongs(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn statement(&mut self, text: &str) -> Option<Statement> {
        let guard = if self.eat("@") {
            let negated = self.eat("!");
            Some((self.name()?, negated))
        } else {
            None
        };
        let opcode = self.take(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | ':'));
        let opcode: Vec<String> = opcode.split('.').map(str::to_owned).collect();
        let mut operands = Vec::new();
        if opcode[0].is_empty() {
            // A declaration, which says what registers there are.
            self.rest = "";
        }
        self.rest = self.rest.trim_start();
        while !self.rest.is_empty() {
            if !operands.is_empty() && !self.eat(",") {
                return None;
            }
            operands.push(self.operand()?);
            self.rest = self.rest.trim_start();
        }
        Some(Statement {
            text: text.to_owned(),
            guard,
            opcode,
            operands,
        })
    }

    fn name(&mut self) -> Option<Name> {
        if self.eat("$") {
            let braces = self.eat("{");
            let number = self.take(|c| c.is_ascii_digit()).parse().ok()?;
            if braces && !self.eat("}") {
                return None;
            }
            return Some(Name::Operand(number));
        }
        self.rest = self.rest.trim_start();
        if !self
            .rest
            .starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '%' | '_'))
        {
            return None;
        }
        let name = self.take(|c| c.is_ascii_alphanumeric() || matches!(c, '%' | '_' | '.' | '<' | '>'));
        Some(Name::Local(name.to_owned()))
    }

    fn literal(&mut self) -> Option<u64> {
        let negative = self.eat("-");
        let text = self.take(|c| c.is_ascii_alphanumeric());
        let bits = if let Some(hex) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            u64::from_str_radix(hex.trim_end_matches(['U', 'u']), 16).ok()?
        } else if let Some(bits) = text.strip_prefix("0f").or(text.strip_prefix("0F")) {
            u64::from(u32::from_str_radix(bits, 16).ok()?)
        } else if let Some(bits) = text.strip_prefix("0d").or(text.strip_prefix("0D")) {
            u64::from_str_radix(bits, 16).ok()?
        } else {
            text.trim_end_matches(['U', 'u']).parse().ok()?
        };
        Some(if negative { bits.wrapping_neg() } else { bits })
    }

    fn operand(&mut self) -> Option<Operand> {
        if self.eat("[") {
            let base = self.name()?;
            let offset = if self.eat("+") || self.rest.starts_with('-') {
                self.literal()? as i64
            } else {
                0
            };
            return self.eat("]").then_some(Operand::Address(base, offset));
        }
        if self.eat("{") {
            let mut items = Vec::new();
            while !self.eat("}") {
                if !items.is_empty() && !self.eat(",") {
                    return None;
                }
                items.push(self.operand()?);
            }
            return Some(Operand::List(items));
        }
        match self.name() {
            Some(Name::Local(name)) if name == "_" => Some(Operand::Sink),
            Some(name) => Some(Operand::Name(name)),
            None => self.literal().map(Operand::Literal),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_have_guards_names_and_operands() {
        let text =
            "{ .reg .pred p; // a comment\n setp.ne.b32 p, $2, 0x1F;\n @!p ld.global.v2.b32 {$0, $1}, [$3+-8]; }";
        let read = statements(text).expect("known text");
        assert_eq!(read.len(), 3);
        assert_eq!(read[0].opcode, ["", "reg"]);
        assert_eq!(read[0].operands, [], "the rest of a declaration is read by itself");
        assert_eq!(read[2].guard, Some((Name::Local("p".into()), true)));
        assert_eq!(read[2].operands[1], Operand::Address(Name::Operand(3), -8));
    }

    #[test]
    fn literals_are_bits() {
        let read = statements("mov.b32 $0, 0f3F800000; add.s32 $0, $0, -1; mov.u32 ${1}, _").expect("known text");
        assert_eq!(read[0].operands[1], Operand::Literal(0x3F80_0000));
        assert_eq!(read[1].operands[2], Operand::Literal(u64::MAX));
        assert_eq!(read[2].operands, [Operand::Name(Name::Operand(1)), Operand::Sink]);
    }

    #[test]
    fn what_is_not_understood_is_given_back() {
        assert_eq!(statements("mov.b32 $0, $1; L: bra L"), Err("L: bra L".into()));
        assert_eq!(statements("ld.global.b32 $0, [$1"), Err("ld.global.b32 $0, [$1".into()));
    }
}
