//! Instructions on values that are the same in all threads, in a form that ptxas gets right.
//!
//! Two faults of ptxas 13.0, the one in drivers of the branch 580 too, which keeps such values in uniform registers:
//!
//! - Of a word's 16-bit halves it may take the upper one from the register after it, which nothing has written
//!   (`R2UR UR20, R9`, `UPRMT UR12, UR21, 0xbb32, URZ`). It was seen where `ld.shared.v4.b16` loads from a constant address,
//!   and where `mov.b32` unpacks what a 32-bit load from there gives. A shift that brings the upper half down is right.
//! - `abs` and `neg` of an `f32` or `f64` whose bits are compared with 0 become those of integers (`IABS`), which are not 0 for
//!   -0.0, respectively 0 for 0.0. Arithmetic on the sign bit is right.
//!
//! [`correct`] writes the right form wherever the value may be uniform: wherever the text does not show that it comes from a
//! thread's index.

use std::collections::HashSet;

use crate::error::Error;

/// A statement of PTX: `@%p1 ld.shared.v2.b16 {%rs1, %rs2}, [%rd1+8]`.
struct Statement<'t> {
    /// `@%p1`, or empty.
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

    /// A line with another instruction, under this one's guard.
    fn guarded(&self, instruction: &str) -> String {
        let space = if self.guard.is_empty() { "" } else { " " };
        format!("\t{}{space}{instruction}\n", self.guard)
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

/// What does the same as a statement in a form that ptxas gets right of uniform values; `None` for a statement that it gets
/// right as it is.
fn rewritten(statement: &Statement<'_>) -> Option<String> {
    on_the_sign_bit(statement).or_else(|| with_shifts(statement))
}

/// `abs` and `neg` as arithmetic on the sign bit.
fn on_the_sign_bit(statement: &Statement<'_>) -> Option<String> {
    let (bitwise, mask) = match statement.name {
        "abs.f32" => ("and.b32", i64::from(i32::MAX)),
        "abs.f64" => ("and.b64", i64::MAX),
        "neg.f32" => ("xor.b32", i64::from(i32::MIN)),
        "neg.f64" => ("xor.b64", i64::MIN),
        _ => return None,
    };
    let Statement { results, operands, .. } = statement;
    Some(statement.guarded(&format!("{bitwise} \t{results}, {operands}, {mask};")))
}

/// Words taken apart to 16-bit halves by shifts, in a scope that declares their registers.
fn with_shifts(statement: &Statement<'_>) -> Option<String> {
    // Nearly all statements: nothing is built for them.
    if !statement.results.contains(',') {
        return None;
    }
    // The lower half of the first word first; `_` for one that nobody reads.
    let halves: Vec<&str> = statement.results.split(',').map(str::trim).collect();
    let count = halves.len() / 2;
    let words: Vec<String> = (0..count).map(|word| format!("%word{word}")).collect();
    let load = statement.name.strip_suffix(&format!(".v{}.b16", halves.len()));
    let name = match (statement.name, load.filter(|name| name.starts_with("ld."))) {
        (_, Some(load)) if count == 1 => format!("{load}.b32"),
        (_, Some(load)) => format!("{load}.v{count}.b32"),
        ("mov.b32", None) if halves.len() == 2 => "mov.b32".to_owned(),
        ("mov.b64", None) if halves.len() == 4 => "mov.b64".to_owned(),
        _ => return None,
    };
    let list = words.join(", ");
    let list = if count == 1 { list } else { format!("{{{list}}}") };
    let mut text = format!("\t{{\n\t.reg .b32 \t%word<{count}>;\n");
    text += &statement.guarded(&format!("{name} \t{list}, {};", statement.operands));
    for (word, halves) in words.iter().zip(halves.chunks(2)) {
        for (&half, is_upper) in halves.iter().zip([false, true]).filter(|&(&half, _)| half != "_") {
            if is_upper {
                text += &statement.guarded(&format!("shr.u32 \t{word}, {word}, 16;"));
            }
            text += &statement.guarded(&format!("cvt.u16.u32 \t{half}, {word};"));
        }
    }
    Some(text + "\t}\n")
}

/// Puts what ptxas gets right in the place of what it gets wrong of values that may be uniform.
///
/// # Errors
/// [`Error::Uniform`] where such an instruction shares a line with another, which no text of LLVM's has.
pub fn correct(ptx: String) -> Result<String, Error> {
    // Most texts have none.
    if !["{%rs", "{_, %rs", "abs.f", "neg.f"]
        .iter()
        .any(|part| ptx.contains(part))
    {
        return Ok(ptx);
    }
    let mut text = String::with_capacity(ptx.len() * 5 / 4);
    // Each function has registers of its own.
    for function in ptx.split_inclusive("\n}\n") {
        let per_thread = per_thread(function);
        let may_be_uniform =
            |statement: &Statement<'_>| !registers(statement.operands).any(|register| per_thread.contains(register));
        for line in function.split_inclusive('\n') {
            let rewritten = { statements(line).filter(may_be_uniform) }.find_map(|statement| rewritten(&statement));
            match rewritten {
                None => text.push_str(line),
                Some(lines) if line.matches(';').count() == 1 => text.push_str(&lines),
                Some(_) => {
                    return Err(Error::Uniform {
                        instruction: line.trim().to_owned(),
                    });
                }
            }
        }
    }
    Ok(text)
}
