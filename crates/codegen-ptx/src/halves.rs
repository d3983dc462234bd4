//! The 16-bit halves of values that are the same in all threads, taken in a form that ptxas gets right.
//!
//! ptxas 13.0, and the one in drivers of the branch 580, may keep such a value in a uniform register, and then take the
//! upper half from the register after it, which nothing has written (`R2UR UR20, R9`, `UPRMT UR12, UR21, 0xbb32, URZ`). It
//! was seen where `ld.shared.v4.b16` loads from a constant address, and where `mov.b32` unpacks what a 32-bit load from there
//! gives; a shift that brings the upper half down is right. So [`split`] shifts wherever the value may be uniform: wherever
//! the text does not show that it comes from a thread's index.

use std::collections::HashSet;

use crate::error::Error;

/// A statement of PTX: `@%p1 ld.shared.v2.b16 {%rs1, %rs2}, [%rd1+8]`.
struct Statement<'t> {
    /// `@%p1`, or nothing.
    guard: &'t str,
    name: &'t str,
    /// The registers that it writes, separated by commas or `|`; empty for one that writes none.
    results: &'t str,
    operands: &'t str,
}

impl<'t> Statement<'t> {
    /// Reads a statement that has lost its semicolon; `None` for directives, labels and comments.
    fn parse(text: &'t str) -> Option<Self> {
        // A brace in front opens a scope.
        let text = text.trim_start_matches(|c: char| c == '{' || c.is_whitespace());
        let (guard, text) = match text.starts_with('@') {
            true => text.split_once(char::is_whitespace)?,
            false => ("", text),
        };
        let (name, rest) = text.trim_start().split_once(char::is_whitespace)?;
        let rest = rest.trim();
        let (results, operands) = match rest.strip_prefix('{') {
            _ if !name.starts_with(|c: char| c.is_ascii_lowercase()) => return None,
            Some(vector) => vector.split_once('}')?,
            None if rest.starts_with('%') => rest.split_once(',').unwrap_or((rest, "")),
            None => ("", rest),
        };
        Some(Self {
            guard,
            name,
            results,
            operands: operands.trim_start_matches(',').trim(),
        })
    }

    /// Whether the threads of a warp get one result even from operands of their own.
    fn makes_uniform(&self) -> bool {
        const MOVES: [&str; 7] = [
            "activemask.",
            "bar.",
            "barrier.",
            "elect.",
            "redux.",
            "shfl.sync.idx.",
            "vote.",
        ];
        let starts = |names: &[&str]| names.iter().any(|name| self.name.starts_with(name));
        let zero = || self.operands.split(',').any(|operand| operand.trim() == "0");
        starts(&MOVES) || starts(&["and.", "mul."]) && zero()
    }
}

/// The registers that a list of operands names.
fn registers(operands: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '%' | '_' | '.' | '$');
    (operands.split(move |c| !is_part(c))).filter(|token| token.starts_with('%'))
}

/// The statements of a text, in its order.
fn statements(text: &str) -> impl Iterator<Item = Statement<'_>> {
    text.lines()
        .flat_map(|line| line.split(';'))
        .filter_map(Statement::parse)
}

/// The registers of a function whose value comes from a thread's index, and so is not uniform.
///
/// Control flow does not count: of two uniform values, a branch that threads take differently makes one that is not, and
/// that is not among these.
fn per_thread(function: &str) -> HashSet<&str> {
    let mut found = HashSet::new();
    loop {
        let before = found.len();
        for statement in statements(function).filter(|statement| !statement.makes_uniform()) {
            let differs = |register: &str| {
                let index = ["%tid.", "%laneid", "%lanemask_"];
                index.iter().any(|name| register.starts_with(name)) || found.contains(register)
            };
            if registers(statement.operands).any(differs) {
                found.extend(registers(statement.results));
            }
        }
        // What a loop carries comes from further down.
        if found.len() == before {
            return found;
        }
    }
}

/// A statement that takes 32-bit words apart.
struct Unpack<'t> {
    statement: Statement<'t>,
    /// The registers of the halves, the lower one of the first word first; `_` for one that nobody reads.
    halves: Vec<&'t str>,
}

impl<'t> Unpack<'t> {
    fn of(statement: Statement<'t>) -> Option<Self> {
        let halves: Vec<&str> = statement.results.split(',').map(str::trim).collect();
        let name = statement.name;
        let loads = name.starts_with("ld.") && name.ends_with(".b16") && halves.len() > 1;
        let moves = matches!((name, halves.len()), ("mov.b32", 2) | ("mov.b64", 4));
        (loads || moves).then_some(Self { statement, halves })
    }

    /// Whether what it takes apart may be uniform.
    fn may_be_uniform(&self, per_thread: &HashSet<&str>) -> bool {
        !registers(self.statement.operands).any(|register| per_thread.contains(register))
    }

    /// The form with shifts, in a scope that declares its registers.
    fn with_shifts(&self) -> String {
        let Statement {
            guard, name, operands, ..
        } = self.statement;
        let count = self.halves.len() / 2;
        let words: Vec<String> = (0..count).map(|word| format!("%word{word}")).collect();
        let list = words.join(", ");
        let mut lines = vec![
            match (name.strip_suffix(&format!(".v{}.b16", self.halves.len())), count) {
                (Some(load), 1) => format!("{load}.b32 \t{list}, {operands};"),
                (Some(load), _) => format!("{load}.v{count}.b32 \t{{{list}}}, {operands};"),
                (None, 1) => format!("{name} \t{list}, {operands};"),
                (None, _) => format!("{name} \t{{{list}}}, {operands};"),
            },
        ];
        for (word, halves) in words.iter().zip(self.halves.chunks(2)) {
            for (half, shift) in halves.iter().zip([None, Some(16)]).filter(|&(&half, _)| half != "_") {
                lines.extend(shift.map(|bits| format!("shr.u32 \t{word}, {word}, {bits};")));
                lines.push(format!("cvt.u16.u32 \t{half}, {word};"));
            }
        }
        let space = if guard.is_empty() { "" } else { " " };
        let lines: String = { lines.iter() }
            .map(|line| format!("\t{guard}{space}{line}\n"))
            .collect();
        format!("\t{{\n\t.reg .b32 \t%word<{count}>;\n{lines}\t}}\n")
    }
}

/// Puts shifts in the place of what takes apart words that may be uniform.
///
/// # Errors
/// [`Error::Halves`] where it shares a line with something else, which no text of LLVM's has.
pub fn split(ptx: String) -> Result<String, Error> {
    // Most texts have no halves.
    if !ptx.contains("{%rs") && !ptx.contains("{_, %rs") {
        return Ok(ptx);
    }
    let mut text = String::with_capacity(ptx.len() * 5 / 4);
    // Each function has registers of its own.
    for function in ptx.split_inclusive("\n}\n") {
        let per_thread = per_thread(function);
        for line in function.split_inclusive('\n') {
            let unpacks = line.split(';').filter_map(Statement::parse).filter_map(Unpack::of);
            match { unpacks }.find(|unpack| unpack.may_be_uniform(&per_thread)) {
                None => text.push_str(line),
                Some(unpack) if line.matches(';').count() == 1 => text.push_str(&unpack.with_shifts()),
                Some(_) => {
                    return Err(Error::Halves {
                        instruction: line.trim().to_owned(),
                    });
                }
            }
        }
    }
    Ok(text)
}
