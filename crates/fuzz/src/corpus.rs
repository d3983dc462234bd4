//! Cases as text: the kernel's, with everything else of the launch in comments in front of it.
//!
//! ```text
//! // fuzz: note simt: buffer 0 (i32, exact), element 3: ...     any number of these, for readers
//! // fuzz: grid 2 1 1
//! // fuzz: warps 4
//! // fuzz: buffer i32 exact                                     elements follow: hexadecimal, NxCOUNT repeats
//! // fuzz: = 0000002A 00000000x7
//! // fuzz: arg buffer 0 at 0                                    a pointer to an element of a buffer
//! // fuzz: arg i32 00000005                                     a number
//! kernel @fuzz_1(%p0: ptr<i32>, %s1: i32) { ... }
//! ```

use std::fmt::Write;
use std::path::Path;

use mytriton_ssa::{Const, ParseError, Scalar, parse_module};

use crate::case::{Arg, Buffer, Case, bits_at};

const MARK: &str = "// fuzz: ";
/// Where lines of elements are broken.
const WIDTH: usize = 110;

/// Why a text is no case.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CorpusError {
    /// A line of the launch.
    #[error("{file}:{line}: {message}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The kernel; the message names the place.
    #[error(transparent)]
    Kernel(#[from] ParseError),
    /// The file as a whole: it cannot be read, or its launch does not fit the kernel.
    #[error("{file}: {message}")]
    File {
        /// The file.
        file: String,
        /// What is wrong.
        message: String,
    },
}

/// The text of a case, with notes for readers.
pub fn write_case(case: &Case, notes: &[String]) -> String {
    let mut text = String::new();
    for line in notes.iter().flat_map(|note| note.lines()) {
        let _ = writeln!(text, "{MARK}note {line}");
    }
    let [x, y, z] = case.grid;
    let _ = writeln!(text, "{MARK}grid {x} {y} {z}\n{MARK}warps {}", case.num_warps);
    for buffer in &case.buffers {
        let _ = writeln!(text, "{MARK}buffer {} {}", buffer.elem, buffer.rule);
        write_elements(&mut text, buffer);
    }
    for arg in &case.args {
        let _ = match *arg {
            Arg::Pointer { buffer, offset } => writeln!(text, "{MARK}arg buffer {buffer} at {offset}"),
            Arg::Scalar(value) => writeln!(
                text,
                "{MARK}arg {} {}",
                value.scalar(),
                hex(value.scalar(), value.bits())
            ),
        };
    }
    let _ = write!(text, "{}", case.kernel);
    text
}

fn hex(scalar: Scalar, bits: u64) -> String {
    format!("{bits:0width$X}", width = scalar.bytes() as usize * 2)
}

fn write_elements(text: &mut String, buffer: &Buffer) {
    let bits: Vec<u64> = (0..buffer.len())
        .map(|i| bits_at(buffer.elem, &buffer.bytes, i))
        .collect();
    let mut line = format!("{MARK}=");
    for run in bits.chunk_by(|a, b| a == b) {
        let mut item = hex(buffer.elem, run[0]);
        if run.len() > 1 {
            let _ = write!(item, "x{}", run.len());
        }
        if line.len() + 1 + item.len() > WIDTH {
            let _ = writeln!(text, "{line}");
            line = format!("{MARK}=");
        }
        let _ = write!(line, " {item}");
    }
    if !bits.is_empty() {
        let _ = writeln!(text, "{line}");
    }
}

/// Reads a case and checks it ([`Case::check`]). `file` is what messages call the text.
pub fn read_case(text: &str, file: &str) -> Result<Case, CorpusError> {
    let whole = |message: String| CorpusError::File {
        file: file.to_owned(),
        message,
    };
    let mut module = parse_module(text, file)?;
    if module.kernels.len() != 1 {
        return Err(whole(format!("{} kernels: a case has one", module.kernels.len())));
    }
    let mut case = Case {
        kernel: module.kernels.remove(0),
        grid: [1; 3],
        num_warps: 1,
        buffers: Vec::new(),
        args: Vec::new(),
    };
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(words) = line.strip_prefix(MARK.trim_end()) {
            read_line(&mut case, words.trim()).map_err(|message| CorpusError::Line {
                file: file.to_owned(),
                line: number,
                message,
            })?;
        }
    }
    case.check().map_err(|e| whole(e.to_string()))?;
    Ok(case)
}

fn read_line(case: &mut Case, line: &str) -> Result<(), String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "note" => {}
        "grid" => {
            let extents: Vec<u32> = rest.split(' ').map(number).collect::<Result<_, _>>()?;
            case.grid = extents.try_into().map_err(|_| "a grid has three extents".to_owned())?;
        }
        "warps" => case.num_warps = number(rest)?,
        "buffer" => {
            let (elem, rule) = rest.split_once(' ').ok_or("expected a type and a rule")?;
            let mut buffer = Buffer::of_bits(scalar(elem)?, []);
            buffer.rule = rule.parse().map_err(|e: crate::rule::UnknownRule| e.to_string())?;
            case.buffers.push(buffer);
        }
        "=" => {
            let buffer = case.buffers.last_mut().ok_or("elements without a buffer")?;
            for item in rest.split(' ') {
                let (bits, count) = item.split_once('x').unwrap_or((item, "1"));
                let (bits, count) = (from_hex(buffer.elem, bits)?, number::<usize>(count)?);
                if count > MAX_ELEMENTS || buffer.len() + count > MAX_ELEMENTS {
                    return Err(format!("a buffer of more than {MAX_ELEMENTS} elements"));
                }
                let run = Buffer::of_bits(buffer.elem, std::iter::repeat_n(bits, count));
                buffer.bytes.extend(run.bytes);
            }
        }
        "arg" => {
            let words: Vec<&str> = rest.split(' ').collect();
            case.args.push(match words[..] {
                ["buffer", buffer, "at", offset] => Arg::Pointer {
                    buffer: number(buffer)?,
                    offset: number(offset)?,
                },
                [ty, bits] => {
                    let ty = scalar(ty)?;
                    Arg::Scalar(Const::from_bits(ty, from_hex(ty, bits)?))
                }
                _ => return Err("expected 'buffer NUMBER at ELEMENT' or 'TYPE BITS'".to_owned()),
            });
        }
        _ => return Err(format!("unknown word '{word}'")),
    }
    Ok(())
}

/// The most elements of a buffer that is read from text.
const MAX_ELEMENTS: usize = 1 << 24;

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("'{text}' is not a number that fits here"))
}

fn scalar(text: &str) -> Result<Scalar, String> {
    text.parse().map_err(|_| format!("'{text}' is no type"))
}

fn from_hex(ty: Scalar, text: &str) -> Result<u64, String> {
    let width = ty.bytes() as usize * 2;
    match u64::from_str_radix(text, 16) {
        Ok(bits) if text.len() <= width => Ok(bits),
        _ => Err(format!("'{text}' is not up to {width} hexadecimal digits")),
    }
}

/// The corpus in the source tree, which is part of the executable: kernels that were run wrongly once, and some that are
/// merely strange. Names are those of the files, without the ending.
///
/// # Errors
/// A file that is no case.
pub fn corpus() -> Result<Vec<(String, Case)>, CorpusError> {
    static FILES: include_dir::Dir<'_> = include_dir::include_dir!("$CARGO_MANIFEST_DIR/corpus");
    let mut cases = Vec::new();
    for file in FILES.files() {
        let path = file.path();
        let text = file.contents_utf8().ok_or_else(|| CorpusError::File {
            file: path.display().to_string(),
            message: "it is not UTF-8".to_owned(),
        })?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        cases.push((name, read_case(text, &path.display().to_string())?));
    }
    Ok(cases)
}

/// Reads every `.ssa` file of a directory, in the order of their names, which are given without the ending.
pub fn read_corpus(directory: &Path) -> Result<Vec<(String, Case)>, CorpusError> {
    let failed = |path: &Path, error: std::io::Error| CorpusError::File {
        file: path.display().to_string(),
        message: error.to_string(),
    };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(|e| failed(directory, e))? {
        let path = entry.map_err(|e| failed(directory, e))?.path();
        if path.extension().is_some_and(|ending| ending == "ssa") {
            paths.push(path);
        }
    }
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).map_err(|e| failed(path, e))?;
        let case = read_case(&text, &path.display().to_string())?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok((name, case))
    };
    paths.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_read_back() {
        for seed in 0..40 {
            let case = crate::generate(seed);
            let text = write_case(&case, &["one\ntwo".to_owned()]);
            let again = read_case(&text, "case.ssa").unwrap_or_else(|e| panic!("{e}\n{text}"));
            assert_eq!(again.kernel.to_string(), case.kernel.to_string());
            assert_eq!((again.buffers, again.args), (case.buffers, case.args));
            assert_eq!((again.grid, again.num_warps), (case.grid, case.num_warps));
            assert!(
                text.lines()
                    .all(|line| !line.starts_with("//") || line.len() <= WIDTH + 20)
            );
        }
    }

    #[test]
    fn mistakes_are_named() {
        let kernel = "kernel @k(%p: ptr<i8>, %n: i32) { store %p, %p : ptr<i8> }";
        let error = |text: &str| read_case(text, "bad.ssa").unwrap_err().to_string();
        assert!(error(kernel).starts_with("bad.ssa:1:"), "{}", error(kernel));
        let kernel = "kernel @k(%p: ptr<i8>, %n: i32) { }";
        for (line, message) in [
            ("grid 1 2", "a grid has three extents"),
            ("warps many", "'many' is not a number"),
            ("buffer i9 exact", "'i9' is no type"),
            ("buffer i8 near", "'near' is no rule"),
            ("= 00", "elements without a buffer"),
            ("arg buffer 0", "'buffer' is no type"),
            ("arg i8 123", "'123' is not up to 2 hexadecimal digits"),
            ("speed 3", "unknown word 'speed'"),
        ] {
            let found = error(&format!("{kernel}\n// fuzz: {line}\n"));
            assert!(
                found.starts_with("bad.ssa:2: ") && found.contains(message),
                "{line}: {found}"
            );
        }
        let launch = "// fuzz: buffer i8 exact\n// fuzz: = 00x99999999999\n";
        assert!(error(&format!("{launch}{kernel}")).contains("more than"));
        let launch = "// fuzz: buffer i8 exact\n// fuzz: arg buffer 1 at 0\n// fuzz: arg i32 0\n";
        assert!(error(&format!("{launch}{kernel}")).contains("there is no buffer 1"));
        assert!(error(kernel).contains("2 parameters"), "{}", error(kernel));
    }
}
